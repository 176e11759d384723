//! Grains at random places: random sequential addition, the largest first.

use super::draw::{Purpose, Stream};
use super::region::Filled;
use super::{Context, Grain, Placed, volume};
use crate::scene::error::Problem;
use crate::scene::grammar::{Grains, Quantity, Random};
use crate::scene::key_path::KeyPath;
use crate::scene::overlap::distance;
use crate::scene::sphere_grid::SphereGrid;
use granule::math::DVec3;

/// How many places are tried for a sphere before the region counts as full.
const TRIES: usize = 5_000;

/// The grains, in the order in which their radii are drawn (on a line, from left to right).
pub(super) fn generate(
    grains: &Grains,
    random: &Random,
    context: &Context<'_>,
    placed: &Placed,
    path: &KeyPath,
) -> Result<Vec<Grain>, Problem> {
    let dimension = context.dimension;
    let radius = grains.radius.clone().unwrap_or(Quantity::Constant(0.0));
    let mut stream = Stream::new(grains.seed, Purpose::Radius);
    let radii: Vec<f64> = (0..random.count)
        .map(|_| stream.quantity(&radius))
        .collect();
    let mut order: Vec<usize> = (0..radii.len()).collect();
    order.sort_by(|&a, &b| radii[b].total_cmp(&radii[a]));

    let mut grid = SphereGrid::default();
    for sphere in &placed.spheres {
        grid.insert(0, sphere.position, sphere.radius);
    }
    let region = Filled::new(&random.region, dimension);
    let mut places = Stream::new(grains.seed, Purpose::Place);
    let mut made: Vec<Grain> = radii.iter().map(|&r| Grain::new(DVec3::ZERO, r)).collect();
    for (number, &k) in order.iter().enumerate() {
        let radius = radii[k];
        let free = |center: &DVec3| {
            context
                .walls
                .iter()
                .all(|wall| distance(wall, *center) >= radius)
                && grid.is_free(*center, radius)
        };
        let found = (0..TRIES).find_map(|_| {
            region
                .draw(radius, dimension, &mut places)
                .filter(|c| free(c))
        });
        let Some(center) = found else {
            let share =
                radii.iter().map(|&r| volume(dimension, r)).sum::<f64>() / region.volume(dimension);
            return Err(does_not_fit(
                number,
                radii.len(),
                radius,
                share,
                dimension,
                path,
            ));
        };
        made[k].position = center;
        grid.insert(0, center, radius);
    }
    if dimension == 1 {
        made.sort_by(|a, b| a.position.x.total_cmp(&b.position.x));
    }
    Ok(made)
}

fn does_not_fit(
    number: usize,
    count: usize,
    radius: f64,
    share: f64,
    dimension: usize,
    path: &KeyPath,
) -> Problem {
    // Where random sequential addition of equal spheres jams.
    let jammed = [0.747, 0.547, 0.384][dimension.clamp(1, 3) - 1];
    Problem::new(
        path.join("random"),
        format!("only {number} of {count} grains fit into the region"),
        format!("no free place for a grain of radius {radius} m"),
    )
    .note(format!(
        "the grains would fill {:.1} % of the region; random placement reaches about {:.0} %, \
         less near walls",
        100.0 * share,
        100.0 * jammed
    ))
    .help("make the region larger, or `count` or `radius` smaller; `grid` packs more densely")
}
