//! Seeded random worlds: clusters of spheres that do not overlap, in one, two and three
//! dimensions, with walls of every kind.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::shapes::{BoxContainer, Cone, Cylinder, HalfSpace, Surface};
use granule::simulation::{Settings, StepSize, World};
use granule::solver::{Method, SolverConfig};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What is around the cluster. Clusters fill `[-1, 1]` in each of their directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Around {
    Nothing,
    /// Two half-spaces.
    Corner,
    /// A closed box.
    Box,
    /// A cylinder with closed ends, seen from inside.
    Cylinder,
    /// A funnel with closed ends, seen from inside.
    Cone,
}

/// What a random world looks like.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub dimension: Dimension,
    pub around: Around,
    pub count: usize,
    /// Largest over smallest radius; the largest is 0.1 m.
    pub size_ratio: f64,
    /// Largest over smallest mass.
    pub mass_ratio: f64,
    pub seed: u64,
}

/// Settings with a fixed step, solved as well as the arithmetic allows.
pub fn precise(step: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), 1e9);
    settings.solver = SolverConfig {
        own: Method::ApgdAsr.into(),
        tolerance: 1e-11,
        max_iterations: 200_000,
        ..settings.solver
    };
    settings
}

/// The cluster of the given kind, without gravity, with speeds up to about 1 m/s.
pub fn cluster(kind: &Kind) -> World {
    let mut random = Pcg64::seed_from_u64(kind.seed);
    let mut world = World::new(kind.dimension);
    for wall in walls(kind) {
        world.add_wall(wall);
    }
    let free = match kind.dimension {
        Dimension::Line => DVec3::X,
        Dimension::Plane => DVec3::new(1.0, 1.0, 0.0),
        Dimension::Space => DVec3::ONE,
    };
    // Within reach of every container: the cone is narrowest.
    let half = if kind.around == Around::Cone {
        0.6
    } else {
        0.95
    };
    let mut spheres: Vec<Sphere> = Vec::new();
    for _ in 0..2000 {
        if spheres.len() == kind.count {
            break;
        }
        let mut number = || random.random_range(-1.0..1.0f64);
        let place = half * free * DVec3::new(number(), number(), number());
        let velocity = free * DVec3::new(number(), number(), number());
        let (size, weight) = (number().abs(), number().abs());
        let radius = 0.1 * kind.size_ratio.powf(-size);
        let inside =
            place.x.hypot(place.y) + radius < half && place.abs().max_element() + radius < half;
        let apart = |s: &Sphere| s.position.distance(place) > 1.001 * (s.radius + radius);
        if inside && spheres.iter().all(apart) {
            let mut sphere = Sphere::new(place, radius, kind.mass_ratio.powf(-weight));
            // Most fly towards the middle, so that there is something to see.
            sphere.velocity = 0.5 * velocity - 0.8 * place;
            spheres.push(sphere);
        }
    }
    if kind.dimension == Dimension::Line {
        spheres.sort_by(|a, b| a.position.x.total_cmp(&b.position.x));
    }
    for sphere in &spheres {
        world.add_sphere(sphere);
    }
    world
}

fn walls(kind: &Kind) -> Vec<Wall> {
    let wall = |surface, position, axis| Wall::new(surface, position, axis, Motion::Fixed);
    let plane = Surface::HalfSpace(HalfSpace);
    let line = kind.dimension == Dimension::Line;
    match kind.around {
        Around::Nothing => Vec::new(),
        Around::Corner if line => vec![wall(plane.clone(), DVec3::NEG_X, DVec3::X)],
        Around::Corner => vec![
            wall(plane.clone(), DVec3::NEG_X, DVec3::new(1.0, 0.2, 0.0)),
            wall(plane, DVec3::NEG_Y, DVec3::Y),
        ],
        Around::Box if line => vec![
            wall(plane.clone(), DVec3::NEG_X, DVec3::X),
            wall(plane, DVec3::X, DVec3::NEG_X),
        ],
        Around::Box => {
            let shape = Surface::Box(BoxContainer::closed([2.0; 3]));
            vec![wall(shape, DVec3::ZERO, DVec3::Z)]
        }
        Around::Cylinder => {
            let shape = Surface::Cylinder(Cylinder {
                radius: 1.0,
                length: 2.0,
                bottom: true,
                top: true,
            });
            vec![wall(shape, DVec3::ZERO, DVec3::Z)]
        }
        Around::Cone => {
            let shape = Surface::Cone(Cone {
                bottom_radius: 0.7,
                top_radius: 1.4,
                length: 2.0,
                bottom: true,
                top: true,
            });
            vec![wall(shape, DVec3::ZERO, DVec3::Z)]
        }
    }
}

/// The smallest gap between any two spheres and between any sphere and any flat wall, m, by plain
/// loops over all of them; and who it is between.
pub fn smallest_gap(world: &World) -> (f64, String) {
    let bodies = &world.bodies;
    let mut smallest = (f64::INFINITY, String::new());
    let mut consider = |gap: f64, who: String| {
        if gap < smallest.0 {
            smallest = (gap, who);
        }
    };
    for i in 0..bodies.len() {
        let (p, r) = (bodies.position[i], bodies.radius[i]);
        for j in 0..i {
            let distance = if world.dimension == Dimension::Line {
                // On a line bodies keep their order.
                p.x - bodies.position[j].x
            } else {
                p.distance(bodies.position[j])
            };
            consider(
                distance - r - bodies.radius[j],
                format!("bodies {j} and {i}"),
            );
        }
        for wall in &world.walls {
            let (origin, turn) = wall.kinematics.pose(world.time);
            let local = turn.conjugate() * (p - origin);
            match &wall.surface {
                Surface::HalfSpace(_) => consider(local.z - r, format!("body {i} and a plane")),
                Surface::Box(shape) => {
                    let half = 0.5 * DVec3::from_array(shape.size);
                    let free = match world.dimension {
                        Dimension::Line => 1,
                        Dimension::Plane => 2,
                        Dimension::Space => 3,
                    };
                    for axis in 0..free {
                        let gap = half[axis] - local[axis].abs() - r;
                        consider(gap, format!("body {i} and the box"));
                    }
                }
                Surface::Block(shape) => {
                    let half = 0.5 * DVec3::from_array(shape.size);
                    let outside = (local.abs() - half).max(DVec3::ZERO).length();
                    consider(outside - r, format!("body {i} and a block"));
                }
                Surface::Plate(shape) => {
                    let half = 0.5 * DVec3::new(shape.width, shape.height, 0.0);
                    let away = (local.abs() - half).max(DVec3::ZERO).length();
                    consider(away - r, format!("body {i} and a plate"));
                }
                Surface::Cylinder(_) | Surface::Cone(_) | Surface::Mesh(_) => {}
            }
        }
    }
    smallest
}

/// Velocities in the order of ids.
pub fn velocities(world: &World) -> Vec<DVec3> {
    in_order(world, &world.bodies.velocity)
}

/// Positions in the order of ids.
pub fn positions(world: &World) -> Vec<DVec3> {
    in_order(world, &world.bodies.position)
}

fn in_order(world: &World, values: &[DVec3]) -> Vec<DVec3> {
    let places = world.bodies.places();
    places.into_iter().map(|p| values[p as usize]).collect()
}
