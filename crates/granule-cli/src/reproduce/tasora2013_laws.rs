//! Force against displacement of one contact, pressed, let go, pulled and pressed again, for the six laws of
//! [tasora2013, figure 1].
//!
//! A ball lies on the floor, and a plate above it holds it by a spring k that pulls as well as it pushes: a testing
//! machine. The plate goes to and fro; what is measured is the gap y between ball and floor and the force γ there.
//! The ball weighs next to nothing (m/h² is 1e-5 k), so that every step is an equilibrium, and the exact curve follows
//! from the way of the plate X by the law alone:
//!
//! ```text
//! γ = k (y - X),   γ = -K (y - y_P),   -c ≤ γ ≤ r,   dy_P ≠ 0 only where γ = -c or γ = r
//! ```

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::collision::Partner;
use granule::law::{Cohesion, Elasticity, Interface, LawTable, Stiffness, Strength};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, OnFailure, SolverConfig};

/// m.
const RADIUS: f64 = 0.1;
/// Length of steps, s.
const STEP: f64 = 1e-3;
/// Steps from one corner of the path to the next.
const LEG: usize = 60;
/// k of the machine, N/m.
const MACHINE: f64 = 1e5;
/// K of the soft contacts, N/m.
const SPRING: f64 = 2e4;
/// c, N.
const HOLD: f64 = 10.0;
/// r, N.
const CAP: f64 = 15.0;
/// The largest force of paths without a cap, N.
const PRESS: f64 = 20.0;
/// m/h² of the ball over k.
const INERTIA: f64 = 1e-5;
/// What a solve may leave, m/s: the plate goes at millimetres a second and faster. (The tolerance alone would not do:
/// beside c h/m, the speed that the pull would give to a ball so light, every motion here is small.)
const RESIDUAL: f64 = 1e-9;
/// Materials.
const FLOOR: u16 = 0;
const BALL: u16 = 1;
const PLATE: u16 = 2;

/// A law of the figure, and the corners (y in m, γ in N) that the plate makes for.
struct Case {
    name: &'static str,
    what: &'static str,
    interface: Interface,
    corners: Vec<(f64, f64)>,
}

/// Displacement (m) and force (N) after a step.
type State = (f64, f64);

/// The reduced radius of ball and floor is the ball's.
fn spring_of(elasticity: &Elasticity) -> Option<f64> {
    let ease = elasticity.flexibility(RADIUS).normal;
    (ease > 0.0).then(|| 1.0 / ease)
}

fn cases() -> Vec<Case> {
    let rigid = Interface::default();
    let soft = Interface {
        elasticity: Elasticity::springs(SPRING, SPRING),
        ..rigid
    };
    let cohesion = Cohesion {
        strength: HOLD,
        range: 1.0,
    };
    let mm = 1e-3;
    // Where a spring that has flowed by y_P (mm) carries a force (N).
    let at = |plastic: f64, force: f64| (plastic * mm - force / SPRING, force);
    vec![
        Case {
            name: "a",
            what: "rigid",
            interface: rigid,
            corners: vec![(0.0, PRESS), (mm, 0.0), (0.0, PRESS), (mm, 0.0)],
        },
        Case {
            name: "b",
            what: "a linear spring",
            interface: soft,
            corners: vec![at(0.0, PRESS), (mm, 0.0), at(0.0, PRESS), (mm, 0.0)],
        },
        Case {
            name: "d",
            what: "rigid, holds and flows",
            interface: Interface { cohesion, ..rigid },
            corners: vec![
                (0.0, PRESS),
                (mm, -HOLD),
                (mm, PRESS),
                (2.0 * mm, -HOLD),
                (2.0 * mm, PRESS),
            ],
        },
        Case {
            name: "e",
            what: "a spring, holds and flows",
            interface: Interface { cohesion, ..soft },
            corners: vec![
                at(0.0, PRESS),
                at(1.0, -HOLD),
                at(1.0, PRESS),
                at(2.0, -HOLD),
                at(2.0, PRESS),
            ],
        },
        Case {
            name: "f",
            what: "a spring, holds, flows and is crushed",
            interface: Interface {
                cohesion,
                strength: Strength {
                    cap: Some(CAP),
                    ..Strength::default()
                },
                ..soft
            },
            corners: vec![
                at(-0.5, CAP),
                at(1.0, -HOLD),
                at(0.2, CAP),
                at(1.5, -HOLD),
                at(0.6, CAP),
                at(0.6, 0.0),
            ],
        },
    ]
}

/// Where the plate is for a corner: X = y - γ/k, m.
fn plate(corner: (f64, f64)) -> f64 {
    corner.0 - corner.1 / MACHINE
}

/// X at the end of every step, m.
fn way(corners: &[(f64, f64)]) -> Vec<f64> {
    let (mut way, mut from) = (Vec::new(), 0.0);
    for corner in corners {
        let to = plate(*corner);
        way.extend((1..=LEG).map(|k| from + (to - from) * k as f64 / LEG as f64));
        from = to;
    }
    way
}

/// What the law says along a way of the plate.
fn exact(interface: &Interface, way: &[f64]) -> Vec<State> {
    let (hold, cap) = (interface.cohesion.strength, interface.strength.cap);
    let ease = spring_of(&interface.elasticity).map_or(0.0, |k| 1.0 / k);
    let mut plastic = 0.0;
    let state = |x: &f64| {
        let force = (plastic - x) / (1.0 / MACHINE + ease);
        let carried = force.max(-hold).min(cap.unwrap_or(f64::INFINITY));
        let gap = x + carried / MACHINE;
        // A contact that holds nothing opens, and has not flowed.
        if carried != force && interface.flows() {
            plastic = gap + carried * ease;
        }
        (gap, carried)
    };
    way.iter().map(state).collect()
}

/// What the engine finds along the way of the plate.
fn measured(interface: Interface, corners: &[(f64, f64)]) -> Result<Vec<State>, Error> {
    let grip = Interface {
        elasticity: Elasticity::springs(MACHINE, MACHINE),
        cohesion: Cohesion {
            strength: 2.0 * PRESS,
            range: 1.0,
        },
        ..Interface::default()
    };
    let mut world = World::new(Dimension::Space);
    world.lock_rotation = true;
    world.laws = LawTable {
        default: Interface::default(),
        pairs: vec![(FLOOR, BALL, interface), (BALL, PLATE, grip)],
    };
    let leg = LEG as f64 * STEP;
    let mut from = 0.0;
    let velocity = |corner: &(f64, f64)| {
        let to = plate(*corner);
        let speed = (to - from) / leg;
        from = to;
        [0.0, 0.0, speed]
    };
    let motion = Motion::Piecewise {
        velocities: corners.iter().map(velocity).collect(),
        times: (0..corners.len()).map(|k| k as f64 * leg).collect(),
    };
    let side = Surface::HalfSpace(HalfSpace);
    let wall = |z: f64, axis, motion, material| Wall {
        material,
        ..Wall::new(side.clone(), z * DVec3::Z, axis, motion)
    };
    world.add_wall(wall(0.0, DVec3::Z, Motion::Fixed, FLOOR));
    world.add_wall(wall(2.0 * RADIUS, -DVec3::Z, motion, PLATE));
    let mass = INERTIA * MACHINE * STEP * STEP;
    world.add_sphere(&Sphere {
        material: BALL,
        ..Sphere::new(RADIUS * DVec3::Z, RADIUS, mass)
    });
    let mut settings = Settings::new(StepSize::Fixed(STEP), leg * corners.len() as f64);
    settings.solver = SolverConfig {
        tolerance: 1e-9,
        max_residual: Some(RESIDUAL),
        on_failure: OnFailure::Warn,
        ..SolverConfig::named(Method::Newton)
    };
    let mut simulation = Simulation::new(world, settings)?;
    let mut states = Vec::new();
    for _ in 0..LEG * corners.len() {
        simulation.step()?;
        let on_floor = simulation
            .contacts()
            .find(|contact| contact.partner == Partner::Wall(0));
        let force = on_floor.map_or(0.0, |contact| contact.normal_impulse() / STEP);
        states.push((simulation.world().bodies.position[0].z - RADIUS, force));
    }
    Ok(states)
}

/// The largest distance of two curves in either direction, as a part of what the exact one covers.
fn deviation(found: &[State], exact: &[State]) -> f64 {
    let part = |of: fn(&State) -> f64| {
        let values = || exact.iter().map(of);
        let span = values().fold(0.0, f64::max) - values().fold(0.0, f64::min);
        let apart = found.iter().zip(exact).map(|(a, b)| (of(a) - of(b)).abs());
        apart.fold(0.0, f64::max) / span.max(f64::MIN_POSITIVE)
    };
    part(|state| state.0).max(part(|state| state.1))
}

/// A curve of displacements in mm.
fn curve(label: &str, color: usize, stroke: Stroke, states: &[State]) -> Curve {
    Curve {
        label: label.to_owned(),
        color,
        stroke,
        points: states.iter().map(|(y, force)| (1e3 * y, *force)).collect(),
    }
}

fn chart(title: String, curves: Vec<Curve>) -> Chart {
    Chart {
        title,
        x: "displacement y, mm",
        y: "force γ, N",
        logarithmic: false,
        curves,
    }
}

/// Deviations from the exact curves of figure 1.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let same = published.tolerance("law")?;
    let mut rows = Vec::new();
    for case in cases() {
        options.say(format!("law {}: {}", case.name, case.what));
        let found = measured(case.interface, &case.corners)?;
        let exact = exact(&case.interface, &way(&case.corners));
        let off = deviation(&found, &exact);
        let number = published.get(&format!("law-{}", case.name))?;
        let quantity = format!("deviation from figure 1-{}, {}", case.name, case.what);
        rows.push(
            number
                .row(quantity, off, Verdict::matches(same.allows(off)))
                .note("largest, as a part of the curve's range")
                .note(same.note("at most")),
        );
        let name = format!("tasora2013-laws-{}", case.name);
        let header = ["y[m]", "force[N]", "exact_y[m]", "exact_force[N]"].map(str::to_owned);
        let lines: Vec<Vec<f64>> = found
            .iter()
            .zip(&exact)
            .map(|(a, b)| vec![a.0, a.1, b.0, b.1])
            .collect();
        options.curve(&name, &header, &lines)?;
        let points: Vec<State> = found.iter().skip(3).step_by(4).copied().collect();
        let exact: Vec<State> = std::iter::once((0.0, 0.0)).chain(exact).collect();
        let title = format!("Figure 1-{}: {}", case.name, case.what);
        let curves = vec![
            curve("exact", 0, Stroke::Line, &exact),
            curve(
                "one contact, every fourth step",
                1,
                Stroke::Circles,
                &points,
            ),
        ];
        options.chart(&name, &chart(title, curves))?;
    }
    rows.extend(nonlinear(published, options)?);
    Ok(rows)
}

/// Young's modulus (Pa) and Poisson's ratio of the ball of figure 1-c.
const HERTZ: (f64, f64) = (1e5, 0.3);

/// Figure 1-c: springs of this engine are linear, and `young` gives the secant of Hertz' law up to a chosen overlap.
fn nonlinear(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let (young, poisson) = HERTZ;
    let modulus = young / (2.0 * (1.0 - poisson * poisson));
    let hertz = |depth: f64| 4.0 / 3.0 * modulus * RADIUS.sqrt() * depth.powf(1.5);
    let deepest = 2e-3;
    let law: Vec<State> = (0..=100)
        .map(|k| -deepest * f64::from(k) / 100.0)
        .map(|y| (y, hertz(-y)))
        .collect();
    let mut curves = vec![curve("Hertz", 0, Stroke::Line, &law)];
    let (mut at_end, mut between): (f64, f64) = (0.0, 0.0);
    for (place, part) in [0.25, 0.5, 0.75, 1.0].into_iter().enumerate() {
        let depth = part * deepest;
        let interface = Interface {
            elasticity: Elasticity {
                stiffness: Stiffness::Spheres {
                    young,
                    poisson,
                    overlap: depth / RADIUS,
                },
                ..Elasticity::default()
            },
            ..Interface::default()
        };
        let corners = [(-depth, hertz(depth))];
        let found = measured(interface, &corners)?;
        let off = |state: &State| (state.1 - hertz((-state.0).max(0.0))).abs() / hertz(depth);
        at_end = at_end.max(deviation(&found[LEG - 1..], &corners));
        between = found.iter().map(off).fold(between, f64::max);
        let points: Vec<State> = found.iter().skip(3).step_by(4).copied().collect();
        let label = format!("reference overlap {} mm", 1e3 * depth);
        curves.push(curve(&label, place + 1, Stroke::Circles, &points));
    }
    let title = "Figure 1-c: Hertz' law, and the springs that stand for it".to_owned();
    options.chart("tasora2013-laws-c", &chart(title, curves))?;
    let (number, same) = (published.get("law-c")?, published.tolerance("law")?);
    let end = number
        .row(
            "deviation from figure 1-c (Hertz) at the reference overlap",
            at_end,
            Verdict::matches(same.allows(at_end)),
        )
        .note("of four springs, as a part of the force there")
        .note(same.note("at most"));
    // The secant x of x^(3/2) is farthest from it at x = 4/9, by 4/27.
    let on_the_way = number
        .row(
            "deviation from figure 1-c (Hertz) below the reference overlap",
            between,
            Verdict::matches(same.allows(between)),
        )
        .note(same.note("at most"))
        .note("springs are linear: the secant is up to 4/27 of the force at the reference overlap above Hertz' law; laws of attraction over a distance are not covered");
    Ok(vec![end, on_the_way])
}
