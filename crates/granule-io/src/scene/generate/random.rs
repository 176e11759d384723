//! Grains at random places: random sequential addition, the largest first.

use super::mass::volume;
use super::{Cast, Context, Grain, Mould};
use crate::scene::cell::{each_place, inside, room};
use crate::scene::convert;
use crate::scene::error::Problem;
use crate::scene::grammar::{Grains, Random};
use crate::scene::key_path::KeyPath;
use crate::scene::overlap::{distance, walls_at_start};
use crate::scene::sphere_grid::SphereGrid;
use granule::bodies::{Bodies, Cell, RigidBody, Sphere, Wall};
use granule::collision::OverlapSearch;
use granule::math::{DVec3, Pose, Purpose, Stream};
use granule::shapes::Solid;
use granule::simulation::World;

/// How many places are tried for a grain before the region counts as full.
const TRIES: usize = 5_000;

/// The grains, in the order in which their sizes are drawn (on a line, from left to right).
pub(super) fn generate(
    grains: &Grains,
    random: &Random,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Vec<Grain>, Problem> {
    let dimension = context.dimension;
    let casts: Vec<Cast> = (0..random.count)
        .map(|_| {
            let size = mould.draw_size();
            mould.cast(size, None)
        })
        .collect();
    let mut order: Vec<usize> = (0..casts.len()).collect();
    order.sort_by(|&a, &b| casts[b].radius.total_cmp(&casts[a].radius));

    let walls = walls_at_start(mould.world());
    let mut trial = Trial::new(mould.world(), &walls);
    // In a periodic cell grains may lie across its faces.
    let region_for = |radius: f64| match (&random.region, context.cell) {
        (Some(region), _) => Some(convert::region(region, dimension)),
        (None, cell) => cell.map(|cell| room(cell, radius, dimension)),
    };
    let mut places = Stream::new(grains.seed, Purpose::Place);
    let mut made: Vec<Grain> = casts
        .iter()
        .map(|&cast| Grain::new(DVec3::ZERO, cast))
        .collect();
    for (number, &k) in order.iter().enumerate() {
        let cast = &casts[k];
        trial.take(cast);
        let region = region_for(cast.radius);
        let found = (0..TRIES).find_map(|_| {
            // A sphere is drawn where it is inside; another shape may come nearer to the rim than the sphere around
            // it.
            let region = region.as_ref()?;
            let across = random.region.is_none();
            let margin = cast.solid.filter(|_| !across).map_or(cast.radius, |_| 0.0);
            let center = region.draw(margin, dimension, &mut places)?;
            let inside = trial.solid(cast).is_none_or(|solid| {
                region.holds_sphere(center, cast.radius, dimension)
                    || region.holds(solid, &Pose::new(center, cast.orientation), dimension)
            });
            (inside && trial.is_free(center)).then_some(center)
        });
        let Some(center) = found else {
            let share = casts.iter().map(|cast| trial.volume(cast)).sum::<f64>();
            let whole = region_for(0.0).map_or(0.0, |region| region.volume(dimension));
            let share = share / whole;
            return Err(does_not_fit(
                (number, casts.len()),
                cast,
                share,
                dimension,
                path,
            ));
        };
        made[k].position = center;
        trial.keep();
    }
    if dimension == 1 {
        made.sort_by(|a, b| a.position.x.total_cmp(&b.position.x));
    }
    Ok(made)
}

/// The bodies that are there and one more, for which places are tried.
struct Trial<'a> {
    bodies: Bodies,
    walls: &'a [Wall],
    dimension: usize,
    /// The periodic cell, if there is one.
    cell: Option<&'a Cell>,
    /// Of all that are there, m.
    largest: f64,
    grid: SphereGrid,
    search: OverlapSearch<'a>,
}

impl<'a> Trial<'a> {
    fn new(world: &'a World, walls: &'a [Wall]) -> Self {
        let bodies = world.bodies.clone();
        let mut grid = SphereGrid::default();
        let cell = world.cell.as_ref();
        for k in 0..bodies.len() {
            grid.insert(k as u32, inside(cell, bodies.position[k]), bodies.radius[k]);
        }
        Self {
            largest: bodies.radius.iter().copied().fold(0.0, f64::max),
            cell,
            bodies,
            walls,
            dimension: world.dimension.count(),
            grid,
            search: OverlapSearch::new(walls, world.dimension).in_cell(cell),
        }
    }

    /// Adds a grain that is to be placed.
    fn take(&mut self, cast: &Cast) {
        match cast.solid {
            None => self
                .bodies
                .push(&Sphere::new(DVec3::ZERO, cast.radius, 1.0)),
            Some(number) => {
                let body = RigidBody {
                    orientation: cast.orientation,
                    ..RigidBody::new(DVec3::ZERO, 1.0, DVec3::ONE)
                };
                self.bodies.push_solid(&body, number, cast.radius, 0)
            }
        };
    }

    /// Whether the last grain overlaps nothing with its centre here.
    fn is_free(&mut self, center: DVec3) -> bool {
        let last = self.bodies.len() - 1;
        self.bodies.position[last] = center;
        let (bodies, search) = (&self.bodies, &mut self.search);
        let (radius, is_sphere) = (bodies.radius[last], bodies.is_sphere(last));
        let out_of_walls = self.walls.iter().enumerate().all(|(number, wall)| {
            distance(wall, center) >= radius
                || (!is_sphere && search.of_wall(bodies, last, number) == 0.0)
        });
        let mut free = out_of_walls;
        let largest = self.largest.max(radius);
        each_place(self.cell, center, radius + largest, |place| {
            free = free
                && self.grid.is_free(place, radius, &mut |other| {
                    let other = other as usize;
                    let round = is_sphere && bodies.is_sphere(other);
                    !round && search.of_bodies(bodies, last, other) == 0.0
                });
        });
        free
    }

    /// Leaves the last grain where it was found to be free.
    fn keep(&mut self) {
        let last = self.bodies.len() - 1;
        let (center, radius) = (self.bodies.position[last], self.bodies.radius[last]);
        self.largest = self.largest.max(radius);
        self.grid.insert(last as u32, center, radius);
    }

    fn solid(&self, cast: &Cast) -> Option<&Solid> {
        self.bodies.solids.get(cast.solid? as usize)
    }

    /// m³, in 2D m², in 1D m.
    fn volume(&self, cast: &Cast) -> f64 {
        match self.solid(cast) {
            Some(solid) => solid.volume(),
            None => volume(self.dimension, cast.radius),
        }
    }
}

/// How often grains must fill their region, before it is likelier that their sizes were meant in another unit.
const IN_OTHER_UNITS: f64 = 100.0;

fn does_not_fit(
    (number, count): (usize, usize),
    cast: &Cast,
    share: f64,
    dimension: usize,
    path: &KeyPath,
) -> Problem {
    // Where random sequential addition of equal spheres jams.
    let jammed = [0.747, 0.547, 0.384][dimension.clamp(1, 3) - 1];
    let (what, of_what, size) = match cast.solid {
        None => ("of radius", "", "radius"),
        Some(_) => ("that reaches", " of spheres", "size"),
    };
    Problem::new(
        path.join("random"),
        format!("only {number} of {count} grains fit into the region"),
        format!("no free place for a grain {what} {} m", cast.radius),
    )
    .note(format!(
        "the grains would fill {:.1} % of the region; random placement{of_what} reaches about {:.0} %, \
         less near walls",
        100.0 * share,
        100.0 * jammed
    ))
    .help(match share > IN_OTHER_UNITS {
        true => format!("all lengths are in m, that of `{size}` and those of the region: 4 mm are 4e-3"),
        false => format!(
            "make the region larger, or `count` or `{size}` smaller; `grid` packs more densely"
        ),
    })
}
