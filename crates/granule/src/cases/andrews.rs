//! Andrews' squeezing mechanism: seven bodies in a plane, three loops, a motor and a spring [hairer1996, VII.7;
//! mazzia2008, problem `andrews`].

use crate::bodies::{Dimension, RigidBody, TimeFunction};
use crate::joints::{Along, Anchor, Effect, Joint, Kind};
use crate::math::{DQuat, DVec3};
use crate::simulation::{Simulation, World};

/// The angles of the mechanism, rad, in the order of mazzia2008: β, Θ, γ, Φ, δ, Ω, ε.
pub type AndrewsAngles = [f64; 7];

/// The consistent angles at the start, at rest.
const START: AndrewsAngles = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_9,
    0.487_364_979_543_842_55,
    -0.222_668_390_165_885_9,
    1.230_547_444_549_821_2,
];
/// The torque of the motor, N m.
const TORQUE: f64 = 0.033;
/// kg.
const MASS: [f64; 7] = [
    0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498,
];
/// kg m².
const INERTIA: [f64; 7] = [
    2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5,
];
/// The fixed points A, B, C, m.
const A: DVec3 = DVec3::new(-0.06934, -0.00227, 0.0);
const B: DVec3 = DVec3::new(-0.03635, 0.03273, 0.0);
const C: DVec3 = DVec3::new(0.014, 0.072, 0.0);
/// Lengths, m, with the letters of the references.
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
/// The spring: N/m, and its length without load, m.
const STIFFNESS: f64 = 4530.0;
const REST: f64 = 0.07785;

/// `along` in the direction of the angle and `across` square to it, to the left, m.
fn arm(angle: f64, along: f64, across: f64) -> DVec3 {
    let (sin, cos) = angle.sin_cos();
    DVec3::new(along * cos - across * sin, along * sin + across * cos, 0.0)
}

/// The mechanism at rest at its start. Joint k turns by what angle k changes.
pub fn andrews() -> World {
    let [beta, theta, gamma, phi, delta, omega, epsilon] = START;
    let turns = [
        beta,
        beta + theta,
        gamma,
        phi + delta,
        delta,
        omega + epsilon,
        epsilon,
    ];
    let pin = arm(beta, RR, 0.0);
    let (left, lower) = (A + arm(delta, ZT, 0.0), A + arm(epsilon, 0.0, -U));
    let centers = [
        arm(beta, RA, 0.0),
        pin - arm(turns[1], DA, 0.0),
        B + arm(gamma, SB, -SA),
        left + arm(turns[3], 0.0, EA - E),
        A + arm(delta, TA, TB),
        lower + arm(turns[5], ZF - FA, 0.0),
        A + arm(epsilon, -UB, -UA),
    ];
    let mut world = World::new(Dimension::Plane);
    let mut ids = [None; 7];
    for (k, id) in ids.iter_mut().enumerate() {
        *id = Some(world.add_body(&RigidBody {
            orientation: DQuat::from_rotation_z(turns[k]),
            ..RigidBody::new(centers[k], MASS[k], INERTIA[k] * DVec3::ONE)
        }));
    }
    let meeting = pin - arm(turns[1], D, 0.0);
    let hinges = [
        ([ids[0], None], DVec3::ZERO),
        ([ids[1], ids[0]], pin),
        ([ids[2], None], B),
        ([ids[3], ids[4]], left),
        ([ids[4], None], A),
        ([ids[5], ids[6]], lower),
        ([ids[6], None], A),
        ([ids[2], ids[1]], meeting),
        ([ids[3], ids[1]], meeting),
        ([ids[5], ids[1]], meeting),
    ];
    for (ends, point) in hinges {
        let joint = Joint::at(Kind::Hinge, &world.bodies, ends, point, DVec3::Z);
        world.joints.push(joint);
    }
    let motor = Effect::Force {
        target: TimeFunction::Constant(TORQUE),
        fastest: None,
        spans: Vec::new(),
    };
    world.joints[0] = world.joints[0].clone().with(Along::Turn, motor);
    let held = B + arm(gamma, SD, -SC);
    let frames = [held, C].map(|point| Anchor::along(point, DVec3::Z));
    let spring = Joint::between(Kind::Link, &world.bodies, [ids[2], None], frames);
    world.joints.push(spring.with(
        Along::Length,
        Effect::Spring {
            stiffness: STIFFNESS,
            damping: 0.0,
            rest: TimeFunction::Constant(REST),
        },
    ));
    world
}

/// The angles of the mechanism now.
pub fn andrews_angles(simulation: &Simulation) -> AndrewsAngles {
    let states = simulation.joint_states();
    std::array::from_fn(|k| START[k] + states[k].turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_loops_are_closed_at_the_start() {
        let [beta, theta, gamma, phi, delta, omega, epsilon] = START;
        let meeting = arm(beta, RR, 0.0) - arm(beta + theta, D, 0.0);
        let ways = [
            B + arm(gamma, 0.0, -0.035),
            A + arm(delta, ZT, 0.0) + arm(phi + delta, 0.0, -E),
            A + arm(epsilon, 0.0, -U) + arm(omega + epsilon, ZF, 0.0),
        ];
        for way in ways {
            assert!(way.distance(meeting) < 1e-16, "{way} {meeting}");
        }
    }
}
