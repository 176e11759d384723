//! A point above a floor under a force of its place and of time: the scheme converges [maury2006, §5, Theorem 1].
//!
//! The paper proves it for one contact and any smooth force f(q, t), and shows none. Here f = -q + 3 cos 2t, for which
//! the motion has a closed form: the point falls from 1 m, meets the floor, is held down while f < 0, and leaves.

use super::published::Published;
use super::{Error, Options, Row, Verdict, fit};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::{
    BodyForce, Dimension, Field, ForceField, Motion, Profile, Selection, Sphere, TimeFunction, Wall,
};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::f64::consts::{FRAC_1_PI, FRAC_PI_2, PI, SQRT_2};

/// Of the body that stands for the point, m; its place is the gap below it.
const RADIUS: f64 = 0.1;
/// N.
const AMPLITUDE: f64 = 3.0;
/// s.
const END: f64 = 5.0;
/// Time steps are these powers of a half, s.
const POWERS: [i32; 6] = [5, 6, 7, 8, 9, 10];

fn world() -> World {
    let mut world = World::new(Dimension::Line);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::X, Motion::Fixed));
    world.add_sphere(&Sphere::new((1.0 + RADIUS) * DVec3::X, RADIUS, 1.0));
    world.fields.push(ForceField {
        field: Field::Along {
            direction: DVec3::X,
            axis: DVec3::X,
            value: Profile {
                places: vec![RADIUS - 10.0, RADIUS + 10.0],
                values: vec![10.0, -10.0],
            },
        },
        on: Selection::default(),
    });
    world.forces.push(BodyForce {
        direction: DVec3::X,
        magnitude: TimeFunction::Sine {
            amplitude: AMPLITUDE,
            frequency: FRAC_1_PI,
            phase: FRAC_PI_2,
        },
        material: None,
    });
    world
}

/// Where the point is at a time (s), m.
fn exact(time: f64) -> f64 {
    // It meets the floor where 2 cos t = cos 2t, and leaves it when the force turns.
    let meets = (0.5 - 0.5 * 3f64.sqrt()).acos();
    let leaves = 0.75 * PI;
    let driven = -(2.0 * time).cos();
    match time {
        t if t <= meets => 2.0 * t.cos() + driven,
        t if t <= leaves => 0.0,
        t => -SQRT_2 * (t.cos() + t.sin()) + driven,
    }
}

/// Time (s) and place (m) after each step.
fn path(step: f64) -> Result<Vec<(f64, f64)>, Error> {
    let mut settings = Settings::new(StepSize::Fixed(step), END);
    settings.solver.tolerance = 1e-14;
    let mut simulation = Simulation::new(world(), settings)?;
    let mut path = vec![(0.0, 1.0)];
    while !simulation.finished() {
        let time = simulation.step()?.time;
        path.push((time, simulation.world().bodies.position[0].x - RADIUS));
    }
    Ok(path)
}

/// The order of the largest error.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("a point under a force of place and time");
    let mut errors = Vec::new();
    let mut curves = vec![Curve {
        label: "exact".to_owned(),
        color: 4,
        stroke: Stroke::Line,
        points: (0..=500)
            .map(|k| 0.01 * f64::from(k))
            .map(|t| (t, exact(t)))
            .collect(),
    }];
    for power in POWERS {
        let step = 0.5f64.powi(power);
        let path = path(step)?;
        let off = path.iter().map(|(t, q)| (q - exact(*t)).abs());
        errors.push((step, off.fold(0.0, f64::max)));
        if power == POWERS[0] {
            curves.push(Curve {
                label: format!("h = 2^-{power}"),
                color: 0,
                stroke: Stroke::Circles,
                points: path.into_iter().step_by(4).collect(),
            });
        }
    }
    let order = fit::exponent(&errors);
    let (number, near) = (
        published.get("field-order")?,
        published.tolerance("field-order")?,
    );
    let verdict = Verdict::matches(near.allows((order - number.float()?).abs()));
    let list: Vec<String> = errors.iter().map(|(_, e)| format!("{e:.2e}")).collect();
    let row = number.row(
        "order of the largest error under f = -q + 3 cos 2t",
        order,
        verdict,
    );
    let row = row.note(format!(
        "errors {} m with h from 2^-{} to 2^-{} s, to t = {END}",
        list.join(", "),
        POWERS[0],
        POWERS[POWERS.len() - 1]
    ));
    options.chart(
        "maury2006-field",
        &Chart {
            title: "A point under f = -q + 3 cos 2t above a floor".to_owned(),
            x: "time, s",
            y: "position, m",
            logarithmic: false,
            curves,
        },
    )?;
    Ok(vec![row.note(near.note("within"))])
}
