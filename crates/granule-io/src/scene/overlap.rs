//! Overlaps at the start of a run.
//!
//! Bodies that are too near by less than 1e-9 of the smaller radius touch; deeper overlaps are
//! errors unless the scene allows them. Two bodies with prescribed motions, or such a body and a
//! wall, may overlap: nothing pushes them apart.

use super::error::Problem;
use super::generate::{Placed, Source};
use super::key_path::{KeyPath, key_path};
use super::sphere_grid::SphereGrid;
use granule::bodies::Sphere;
use granule::bodies::Wall;
use granule::math::DVec3;

/// An overlap below this fraction of the radius is a touch.
const TOLERANCE: f64 = 1e-9;

/// Checks that no two things overlap.
pub(crate) fn check(placed: &Placed, walls: &[Wall]) -> Result<(), Problem> {
    if let Some(overlap) = deepest_pair(&placed.spheres) {
        return Err(pair_problem(placed, &overlap));
    }
    if let Some(overlap) = deepest_in_wall(&placed.spheres, walls) {
        return Err(wall_problem(placed, &overlap));
    }
    Ok(())
}

/// Checks that bodies on a line stand in the order of their numbers.
pub(crate) fn check_order(placed: &Placed) -> Result<(), Problem> {
    let x = |k: usize| placed.spheres[k].position.x;
    match (1..placed.spheres.len()).find(|&k| x(k) < x(k - 1)) {
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

fn deepest_pair(spheres: &[Sphere]) -> Option<Overlap> {
    let mut grid = SphereGrid::default();
    let mut best = None;
    for (k, sphere) in spheres.iter().enumerate() {
        grid.insert(k as u32, sphere.position, sphere.radius);
    }
    for (k, sphere) in spheres.iter().enumerate() {
        grid.larger_neighbours(
            sphere.position,
            sphere.radius,
            &mut |other, center, radius| {
                let other = other as usize;
                let both_prescribed = sphere.motion.is_some() && spheres[other].motion.is_some();
                // Larger spheres of the same layer are met from both sides: count such a pair once.
                let once = (radius, other) > (sphere.radius, k);
                if !once || both_prescribed {
                    return;
                }
                let depth = sphere.radius + radius - center.distance(sphere.position);
                if depth > TOLERANCE * sphere.radius {
                    Overlap::add(&mut best, k.min(other), k.max(other), depth);
                }
            },
        );
    }
    best
}

fn deepest_in_wall(spheres: &[Sphere], walls: &[Wall]) -> Option<Overlap> {
    let mut best = None;
    for (k, sphere) in spheres
        .iter()
        .enumerate()
        .filter(|(_, s)| s.motion.is_none())
    {
        for (number, wall) in walls.iter().enumerate() {
            let depth = sphere.radius - distance(wall, sphere.position);
            if depth > TOLERANCE * sphere.radius {
                Overlap::add(&mut best, k, number, depth);
            }
        }
    }
    best
}

/// How far a point is from a wall at the start, m; negative only inside a half-space or a block.
pub(crate) fn distance(wall: &Wall, point: DVec3) -> f64 {
    let (position, orientation) = wall.kinematics.pose(0.0);
    let local = orientation.conjugate() * (point - position);
    let distances = wall
        .patches
        .iter()
        .map(|patch| patch.closest_point(local).distance);
    distances.fold(f64::INFINITY, f64::min)
}

fn pair_problem(placed: &Placed, overlap: &Overlap) -> Problem {
    let describe = |k: usize| {
        let sphere = &placed.spheres[k];
        format!(
            "body {k} ({}), radius {} m at {}",
            placed.sources[k],
            sphere.radius,
            point(sphere.position)
        )
    };
    let (a, b) = (overlap.first, overlap.second);
    let problem = Problem::new(
        place(placed, a),
        format!(
            "bodies {a} and {b} overlap by {:.4e} m at the start",
            overlap.depth
        ),
        describe(a),
    )
    .help(
        "move them apart, make them smaller, or set `allow_overlap = true` in `[scene]` to let \
         the run push them apart",
    );
    let problem = match place(placed, b) {
        same if same == place(placed, a) => problem.note(format!("the other is {}", describe(b))),
        other => problem.also(other, describe(b)),
    };
    and_more(problem, overlap.count)
}

fn wall_problem(placed: &Placed, overlap: &Overlap) -> Problem {
    let (body, wall) = (overlap.first, overlap.second);
    let sphere = &placed.spheres[body];
    let problem = Problem::new(
        place(placed, body),
        format!(
            "body {body} is {:.4e} m inside a wall at the start",
            overlap.depth
        ),
        format!(
            "body {body} ({}), radius {} m at {}",
            placed.sources[body],
            sphere.radius,
            point(sphere.position)
        ),
    )
    .also(key_path!["walls", wall], format!("walls[{wall}]"))
    .help(
        "move the body away from the wall, make it smaller, or set `allow_overlap = true` in \
         `[scene]` to let the run push it out",
    );
    and_more(problem, overlap.count)
}

fn and_more(problem: Problem, count: usize) -> Problem {
    match count {
        1 => problem,
        _ => problem.note(format!("this is the deepest of {count} overlaps")),
    }
}

/// Where the scene says that the body is there.
fn place(placed: &Placed, body: usize) -> KeyPath {
    match placed.sources[body] {
        Source::Body(k) => key_path!["bodies", k, "position"],
        Source::Grain { set, .. } => key_path!["grains", set],
    }
}

fn point(point: DVec3) -> String {
    format!("({}, {}, {})", point.x, point.y, point.z)
}
