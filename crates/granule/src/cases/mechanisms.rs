//! Mechanisms of bars: a chain, a four-bar linkage, a slider-crank.

use crate::bodies::{Dimension, RigidBody};
use crate::joints::{Joint, Kind};
use crate::math::{DQuat, DVec3};
use crate::scheme::{SchemeConfig, SchemeName};
use crate::simulation::{Settings, Simulation, StepSize, World};
use crate::solver::{Method, SolverConfig};

/// m/s².
const GRAVITY: f64 = 9.81;

/// Settings for mechanisms: a step (s) of the scheme to the end (s), each solved to this tolerance.
pub fn mechanism_settings(scheme: SchemeName, step: f64, end: f64, tolerance: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver = SolverConfig {
        tolerance,
        ..SolverConfig::named(Method::Ags)
    };
    settings
}

/// A straight bar (kg) between two points (m), slender but for a hundredth of its inertia about its own axis.
fn bar(from: DVec3, to: DVec3, mass: f64) -> RigidBody {
    let way = to - from;
    let across = mass * way.length_squared() / 12.0;
    RigidBody {
        orientation: DQuat::from_rotation_arc(DVec3::X, way.normalize()),
        ..RigidBody::new(
            0.5 * (from + to),
            mass,
            DVec3::new(0.01 * across, across, across),
        )
    }
}

/// A chain of bars of 1 m and 1 kg that starts straight and at rest along `direction` (a unit vector) from the ground at
/// the origin, on ball joints, under gravity along -z; the mass of the last is `load` (kg).
pub fn chain(links: usize, load: f64, direction: DVec3) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    let mut before = None;
    for k in 0..links {
        let (from, to) = (k as f64 * direction, (k + 1) as f64 * direction);
        let mass = if k + 1 == links { load } else { 1.0 };
        let id = world.add_body(&bar(from, to, mass));
        let ends = [Some(id), before];
        let joint = Joint::at(Kind::Ball, &world.bodies, ends, from, DVec3::Y);
        world.joints.push(joint);
        before = Some(id);
    }
    world
}

/// Three bars of 1 kg/m and the ground as the fourth, in the plane of x and y with gravity along -y, at rest, on hinges
/// about z. In space three of the rows say what others say already.
pub fn four_bar(dimension: Dimension) -> World {
    let mut world = World::new(dimension);
    world.gravity = -GRAVITY * DVec3::Y;
    let corners = [(0.0, 0.0), (0.0, 1.0), (2.0, 2.0), (2.5, 0.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
    let ids = [0, 1, 2].map(|k| {
        let (from, to) = (corners[k], corners[k + 1]);
        Some(world.add_body(&bar(from, to, from.distance(to))))
    });
    let ends = [
        [ids[0], None],
        [ids[1], ids[0]],
        [ids[2], ids[1]],
        [None, ids[2]],
    ];
    for (ends, corner) in ends.into_iter().zip(corners) {
        let joint = Joint::at(Kind::Hinge, &world.bodies, ends, corner, DVec3::Z);
        world.joints.push(joint);
    }
    world
}

/// Bennett's linkage: four bars of 1 kg/m, one of them the ground, on hinges whose axes are neither parallel nor meet, under
/// a gravity along no axis, at rest. It moves although the joints hold two rows more than the bodies have freedoms: three of
/// their rows say, to first order, what others say already, wherever it is.
pub fn bennett() -> World {
    // Bars that face each other have the same length and twist between their axes; lengths are as the sines of twists.
    let twists: [f64; 2] = [0.5, 1.1];
    let lengths = [1.0, twists[1].sin() / twists[0].sin()];
    let turn: f64 = 1.2;
    let ratio = (0.5 * (twists[1] + twists[0])).sin() / (0.5 * (twists[1] - twists[0])).sin();
    let other = 2.0 * (ratio / (0.5 * turn).tan()).atan();
    let mut hinges = Vec::new();
    let (mut corner, mut frame) = (DVec3::ZERO, DQuat::IDENTITY);
    for (k, angle) in [turn, other, -turn, -other].into_iter().enumerate() {
        hinges.push((corner, frame * DVec3::Z));
        frame *= DQuat::from_rotation_z(angle);
        corner += frame * (lengths[k % 2] * DVec3::X);
        frame *= DQuat::from_rotation_x(twists[k % 2]);
    }
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(1.0, -9.0, 3.0);
    let mut bars = [None; 4];
    for k in 1..4 {
        let (from, to) = (hinges[k].0, hinges[(k + 1) % 4].0);
        bars[k] = Some(world.add_body(&bar(from, to, from.distance(to))));
    }
    for (k, (corner, axis)) in hinges.into_iter().enumerate() {
        let ends = [bars[k], bars[(k + 3) % 4]];
        let joint = Joint::at(Kind::Hinge, &world.bodies, ends, corner, axis);
        world.joints.push(joint);
    }
    world
}

/// A crank, a connecting rod and a piston along x, in the plane of x and y under gravity along -y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliderCrank {
    /// In the plane or in space, where rows of the joints are redundant.
    pub dimension: Dimension,
    /// r, m.
    pub crank: f64,
    /// l, above r, m.
    pub rod: f64,
    /// Of crank, rod and piston, kg.
    pub masses: [f64; 3],
    /// θ' at θ = 0, rad/s.
    pub speed: f64,
}

impl SliderCrank {
    /// The world at θ = 0; joint 0 is the hinge of the crank on the ground, body 2 the piston.
    pub fn world(&self) -> World {
        let mut world = World::new(self.dimension);
        world.gravity = -GRAVITY * DVec3::Y;
        let Self { crank, rod, .. } = *self;
        let (pin, end) = (crank * DVec3::X, (crank + rod) * DVec3::X);
        let [of_crank, of_rod, of_piston] = self.masses;
        let mut first = bar(DVec3::ZERO, pin, of_crank);
        first.angular_velocity = self.speed * DVec3::Z;
        first.velocity = 0.5 * crank * self.speed * DVec3::Y;
        let mut second = bar(pin, end, of_rod);
        second.angular_velocity = -self.speed * crank / rod * DVec3::Z;
        second.velocity = first.velocity;
        let third = RigidBody::new(end, of_piston, 0.1 * of_piston * crank * crank * DVec3::ONE);
        let ids = [first, second, third].map(|body| Some(world.add_body(&body)));
        let joints = [
            (Kind::Hinge, [ids[0], None], DVec3::ZERO, DVec3::Z),
            (Kind::Hinge, [ids[1], ids[0]], pin, DVec3::Z),
            (Kind::Hinge, [ids[2], ids[1]], end, DVec3::Z),
            (Kind::Slider, [ids[2], None], end, DVec3::X),
        ];
        for (kind, ends, point, axis) in joints {
            let joint = Joint::at(kind, &world.bodies, ends, point, axis);
            world.joints.push(joint);
        }
        world
    }

    /// Where the piston is when the crank is at the angle θ (rad), m.
    pub fn piston(&self, theta: f64) -> f64 {
        let lean = self.crank / self.rod * theta.sin();
        self.crank * theta.cos() + self.rod * (1.0 - lean * lean).sqrt()
    }

    /// Twice the kinetic energy over θ'² (kg m²), and the potential energy (J), at the angle θ (rad).
    fn energies(&self, theta: f64) -> (f64, f64) {
        let Self { crank, rod, .. } = *self;
        let (sin, cos) = theta.sin_cos();
        let lean = crank / rod * sin;
        let upright = (1.0 - lean * lean).sqrt();
        // Derivatives by θ: of the rod's angle, of the place of its centre, of the piston's place.
        let turn = crank / rod * cos / upright;
        let center = (-crank * sin - 0.5 * rod * lean * turn, 0.5 * crank * cos);
        let piston = -crank * sin - rod * lean * turn;
        let [of_crank, of_rod, of_piston] = self.masses;
        let inertia = of_crank * crank * crank / 3.0
            + of_rod * (center.0.powi(2) + center.1.powi(2) + (rod * turn).powi(2) / 12.0)
            + of_piston * piston * piston;
        let height = 0.5 * (of_crank + of_rod) * crank * sin;
        (inertia, GRAVITY * height)
    }

    /// The angle θ (rad) after this time (s) of free motion, fast enough never to stop: θ'² = 2 (E - V)/I, by so many
    /// steps of Runge and Kutta's method.
    pub fn free_angle(&self, time: f64, steps: usize) -> f64 {
        let (inertia, potential) = self.energies(0.0);
        let total = 0.5 * inertia * self.speed * self.speed + potential;
        let rate = |theta: f64| {
            let (inertia, potential) = self.energies(theta);
            (2.0 * (total - potential) / inertia).sqrt()
        };
        let h = time / steps as f64;
        (0..steps).fold(0.0, |theta, _| {
            let a = rate(theta);
            let b = rate(theta + 0.5 * h * a);
            let c = rate(theta + 0.5 * h * b);
            let d = rate(theta + h * c);
            theta + h / 6.0 * (a + 2.0 * (b + c) + d)
        })
    }
}

/// The world with velocities as half a step (s) before the start, which `shake` and `rattle` begin with: from those at the
/// start and the accelerations there, which a much shorter step tells.
///
/// # Panics
/// If the world cannot be simulated.
pub fn half_a_step_back(mut world: World, step: f64) -> World {
    let short = 1e-3 * step;
    let settings = mechanism_settings(SchemeName::Maury, short, short, 1e-10);
    let mut ahead = Simulation::new(world.clone(), settings).expect("the world makes sense");
    ahead.step().expect("a short step can be solved");
    let after = &ahead.world().bodies;
    let bodies = &mut world.bodies;
    for place in 0..bodies.len() {
        let found = after.place_of(bodies.id[place]).expect("no body leaves");
        let back = |now: DVec3, then: DVec3| now - 0.5 * step / short * (then - now);
        bodies.velocity[place] = back(bodies.velocity[place], after.velocity[found]);
        bodies.angular_velocity[place] = back(
            bodies.angular_velocity[place],
            after.angular_velocity[found],
        );
    }
    world
}
