//! Overlaps at the start of a run.
//!
//! Bodies that are too near by less than 1e-9 of the smaller radius (of a solid, that of a sphere around it) touch;
//! deeper overlaps are errors unless the scene allows them. Two bodies with prescribed motions, or such a body and a
//! wall, may overlap: nothing pushes them apart. Nor does a body without a shape of its own overlap anything.

use super::cell::{each_place, inside};
use super::error::Problem;
use super::generate::Source;
use super::key_path::{KeyPath, key_path};
use super::sphere_grid::SphereGrid;
use granule::bodies::{BodyShape, Wall};
use granule::collision::OverlapSearch;
use granule::joints::Joint;
use granule::math::DVec3;
use granule::simulation::World;

/// An overlap below this fraction of the radius is a touch.
const TOLERANCE: f64 = 1e-9;

/// The same where a grain of an earlier run takes part, which is as deep in others as its tolerance and its springs let
/// it. Grains of one run may overlap each other as they did there.
const TOLERANCE_OF_RUNS: f64 = 0.1;

/// The bodies of a scene and how they arose.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    /// At the start, with their walls.
    pub world: &'a World,
    /// By the places of the bodies.
    pub sources: &'a [Source],
    /// Numbers of walls that bodies are to carry, each with the id of the body.
    pub carried: &'a [(usize, u32)],
    /// Whether the entries of `[[grains]]` come from earlier runs.
    pub of_runs: &'a [bool],
}

impl Placed<'_> {
    /// Whether the bodies with these ids are one, or joined so that they do not touch each other.
    fn apart(&self, a: u32, b: u32) -> bool {
        let joints = &self.world.joints;
        let joined = |joint: &Joint| {
            !joint.collide
                && (joint.bodies == [Some(a), Some(b)] || joint.bodies == [Some(b), Some(a)])
        };
        a == b || joints.iter().any(joined)
    }

    /// The entry of `[[grains]]` that took the body at a place from an earlier run.
    fn run(&self, body: usize) -> Option<usize> {
        match self.sources[body] {
            Source::Grain { set, .. } if self.of_runs[set] => Some(set),
            _ => None,
        }
    }

    /// How deep two bodies may overlap, in parts of the smaller radius; one body in a wall, if there is no other.
    fn tolerance(&self, body: usize, other: Option<usize>) -> f64 {
        let runs = [self.run(body), other.and_then(|other| self.run(other))];
        match runs {
            [None, None] => TOLERANCE,
            [Some(a), Some(b)] if a == b => f64::INFINITY,
            _ => TOLERANCE_OF_RUNS,
        }
    }

    fn carrier(&self, wall: usize) -> Option<u32> {
        let mut carried = self.carried.iter();
        carried
            .find(|(number, _)| *number == wall)
            .map(|(_, id)| *id)
    }
}

/// Checks that no two things overlap.
pub(crate) fn check(placed: &Placed<'_>) -> Result<(), Problem> {
    let cell = placed.world.cell.as_ref();
    let walls = walls_at_start(placed.world);
    let mut search = OverlapSearch::new(&walls, placed.world.dimension).in_cell(cell);
    if let Some(overlap) = deepest_pair(placed, &mut search) {
        return Err(pair_problem(placed, &overlap));
    }
    if let Some(overlap) = deepest_in_wall(placed, &walls, &mut search) {
        return Err(wall_problem(placed, &overlap));
    }
    Ok(())
}

/// Checks that bodies on a line stand in the order of their numbers.
pub(crate) fn check_order(placed: &Placed<'_>) -> Result<(), Problem> {
    let x = |k: usize| placed.world.bodies.position[k].x;
    match (1..placed.world.bodies.len()).find(|&k| x(k) < x(k - 1)) {
        None => Ok(()),
        Some(k) => Err(Problem::new(
            place(placed, k),
            "bodies on a line must stand in order, from left to right",
            format!("{} at x = {} m", placed.sources[k], x(k)),
        )
        .also(
            place(placed, k - 1),
            format!("{} before it at x = {} m", placed.sources[k - 1], x(k - 1)),
        )
        .help("sort the bodies by x: on a line each meets only its two neighbours")),
    }
}

/// The deepest overlap, and how many there are.
struct Overlap {
    first: usize,
    second: usize,
    depth: f64,
    count: usize,
}

impl Overlap {
    /// Keeps the deeper one; of equals the one with the smaller numbers, so that the order in
    /// which they are found does not matter.
    fn add(best: &mut Option<Self>, first: usize, second: usize, depth: f64) {
        let count = best.as_ref().map_or(0, |best| best.count) + 1;
        match best {
            Some(best)
                if depth < best.depth
                    || (depth == best.depth && (first, second) > (best.first, best.second)) =>
            {
                best.count = count;
            }
            _ => {
                *best = Some(Self {
                    first,
                    second,
                    depth,
                    count,
                })
            }
        }
    }
}

fn deepest_pair(placed: &Placed<'_>, search: &mut OverlapSearch<'_>) -> Option<Overlap> {
    let bodies = &placed.world.bodies;
    let mut grid = SphereGrid::default();
    let mut best = None;
    let shaped = |k: &usize| bodies.shape[*k] != BodyShape::Walls;
    let cell = placed.world.cell.as_ref();
    let largest = bodies.radius.iter().copied().fold(0.0, f64::max);
    for k in (0..bodies.len()).filter(shaped) {
        grid.insert(k as u32, inside(cell, bodies.position[k]), bodies.radius[k]);
    }
    for k in (0..bodies.len()).filter(shaped) {
        let own = bodies.radius[k];
        let mut meet = |place: DVec3, other: u32, center: DVec3, radius: f64| {
            let other = other as usize;
            let both_prescribed = !bodies.is_dynamic(k) && !bodies.is_dynamic(other);
            // Larger spheres of the same layer are met from both sides: count such a pair once.
            let once = (radius, other) > (own, k);
            if !once || both_prescribed {
                return;
            }
            let mut depth = own + radius - center.distance(place);
            if depth <= 0.0 {
                return;
            }
            let allowed = placed.tolerance(k, Some(other)) * own;
            let round = bodies.is_sphere(k) && bodies.is_sphere(other);
            if depth > allowed && !round {
                depth = search.of_bodies(bodies, k, other);
            }
            if depth > allowed && !placed.apart(bodies.id[k], bodies.id[other]) {
                Overlap::add(&mut best, k.min(other), k.max(other), depth);
            }
        };
        each_place(cell, bodies.position[k], own + largest, |place| {
            grid.larger_neighbours(place, own, &mut |other, center, radius| {
                meet(place, other, center, radius);
            });
        });
    }
    best
}

fn deepest_in_wall(
    placed: &Placed<'_>,
    walls: &[Wall],
    search: &mut OverlapSearch<'_>,
) -> Option<Overlap> {
    let bodies = &placed.world.bodies;
    let mut best = None;
    let shaped = |k: usize| bodies.shape[k] != BodyShape::Walls;
    for k in (0..bodies.len()).filter(|&k| bodies.is_dynamic(k) && shaped(k)) {
        let radius = bodies.radius[k];
        let allowed = placed.tolerance(k, None) * radius;
        for (number, wall) in walls.iter().enumerate() {
            let mut depth = radius - distance(wall, bodies.position[k]);
            if depth > allowed && !bodies.is_sphere(k) {
                depth = search.of_wall(bodies, k, number);
            }
            let carrier = placed.carrier(number);
            let own = carrier.is_some_and(|id| placed.apart(id, bodies.id[k]));
            if depth > allowed && !own {
                Overlap::add(&mut best, k, number, depth);
            }
        }
    }
    best
}

/// The walls where they are when the run starts, standing still.
pub(crate) fn walls_at_start(world: &World) -> Vec<Wall> {
    let walls = world.walls.iter();
    walls
        .map(|wall| wall.placed(world.time, |_| None))
        .collect()
}

/// How far a point is from a wall that stands still, m; negative only inside a half-space or a block.
pub(crate) fn distance(wall: &Wall, point: DVec3) -> f64 {
    let (position, orientation) = wall.kinematics.pose(0.0);
    let local = orientation.conjugate() * (point - position);
    let distances = wall
        .patches
        .iter()
        .map(|patch| patch.closest_point(local).distance);
    distances.fold(f64::INFINITY, f64::min)
}

fn pair_problem(placed: &Placed<'_>, overlap: &Overlap) -> Problem {
    let (a, b) = (overlap.first, overlap.second);
    let problem = Problem::new(
        place(placed, a),
        format!(
            "bodies {a} and {b} overlap by {:.4e} m at the start",
            overlap.depth
        ),
        describe(placed, a),
    )
    .help(match (placed.sources[a], placed.sources[b]) {
        (Source::Link { mechanism, .. }, Source::Link { mechanism: other, .. })
            if mechanism == other =>
        {
            "leave out `self_collide`, so that the links do not touch each other, or change the `pose`"
        }
        _ => {
            "move them apart, make them smaller, or set `allow_overlap = true` in `[scene]` to let \
             the run push them apart"
        }
    });
    let problem = match place(placed, b) {
        same if same == place(placed, a) => {
            problem.note(format!("the other is {}", describe(placed, b)))
        }
        other => problem.also(other, describe(placed, b)),
    };
    and_more(problem, overlap.count)
}

fn wall_problem(placed: &Placed<'_>, overlap: &Overlap) -> Problem {
    let (body, wall) = (overlap.first, overlap.second);
    let problem = Problem::new(
        place(placed, body),
        format!(
            "body {body} is {:.4e} m inside a wall at the start",
            overlap.depth
        ),
        describe(placed, body),
    )
    .also(key_path!["walls", wall], format!("walls[{wall}]"))
    .help(
        "move the body away from the wall, make it smaller, or set `allow_overlap = true` in \
         `[scene]` to let the run push it out",
    );
    and_more(problem, overlap.count)
}

/// A body by its number and source, with its size and where its centre is.
fn describe(placed: &Placed<'_>, body: usize) -> String {
    let bodies = &placed.world.bodies;
    let size = if bodies.is_sphere(body) {
        "radius"
    } else {
        "within"
    };
    format!(
        "body {body} ({}), {size} {} m at {}",
        placed.sources[body],
        bodies.radius[body],
        point(bodies.position[body])
    )
}

fn and_more(problem: Problem, count: usize) -> Problem {
    match count {
        1 => problem,
        _ => problem.note(format!("this is the deepest of {count} overlaps")),
    }
}

/// Where the scene says that the body is there.
fn place(placed: &Placed<'_>, body: usize) -> KeyPath {
    match placed.sources[body] {
        Source::Body(k) => key_path!["bodies", k, "position"],
        Source::Grain { set, .. } => key_path!["grains", set],
        Source::Servo(k) => key_path!["servos", k],
        Source::Link { mechanism, .. } => key_path!["mechanisms", mechanism],
    }
}

fn point(point: DVec3) -> String {
    format!("({}, {}, {})", point.x, point.y, point.z)
}
