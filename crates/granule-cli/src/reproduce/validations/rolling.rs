//! Validation 11: a rolling sphere slows down by (5/7) g δ/R, and a spinning one stops after
//! 0.4 R² ω/(σ g), with both laws.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::{rolling_deceleration, sphere_on_plane, spin_stop_time};
use granule::law::{Friction, Law};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize};

/// m.
const RADIUS: f64 = 0.1;
/// Of the sphere that rolls, m/s.
const SPEED: f64 = 1.0;
/// δ and σ, m.
const RESISTANCE: f64 = 0.002;
/// s.
const STEP: f64 = 1e-3;
const TOLERANCE: f64 = 1e-8;

fn simulation(law: Law, velocity: DVec3, spin: DVec3) -> Result<Simulation, Error> {
    let mut world = sphere_on_plane(RADIUS, 0.0, law);
    world.bodies.velocity[0] = velocity;
    world.bodies.angular_velocity[0] = spin;
    let mut settings = Settings::new(StepSize::Fixed(STEP), 10.0);
    settings.solver.tolerance = TOLERANCE;
    Ok(Simulation::new(world, settings)?)
}

/// Time (s) and velocity (m/s) of a sphere that rolls, from a tenth to nine tenths of what it takes to stop.
fn rolled(law: Law) -> Result<Vec<(f64, f64)>, Error> {
    let mut simulation = simulation(law, SPEED * DVec3::X, SPEED / RADIUS * DVec3::Y)?;
    let stop = SPEED / rolling_deceleration(RADIUS, RESISTANCE);
    let mut seen = Vec::new();
    while simulation.world().time < 0.9 * stop {
        let time = simulation.step()?.time;
        if time > 0.1 * stop {
            seen.push((time, simulation.world().bodies.velocity[0].x));
        }
    }
    Ok(seen)
}

/// The mean deceleration, from one step's velocity to another's, m/s².
fn deceleration(seen: &[(f64, f64)]) -> f64 {
    let (first, last) = (seen[0], seen[seen.len() - 1]);
    (first.1 - last.1) / (last.0 - first.0)
}

/// When a sphere that spins on the spot stops, s.
fn stop_time(law: Law, spin: f64) -> Result<f64, Error> {
    let mut simulation = simulation(law, DVec3::ZERO, spin * DVec3::Z)?;
    while !simulation.finished() {
        let time = simulation.step()?.time;
        if simulation.world().bodies.angular_velocity[0].z < 1e-6 * spin {
            return Ok(time);
        }
    }
    Ok(f64::INFINITY)
}

/// Deceleration and time, with both laws.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("a sphere that rolls and one that spins");
    let friction = Friction {
        sliding: 0.5,
        rolling: RESISTANCE,
        spinning: RESISTANCE,
    };
    let spin = 10.0;
    let stop = SPEED / rolling_deceleration(RADIUS, RESISTANCE);
    let mut curves = vec![Curve {
        label: "exact: (5/7) g δ/R".to_owned(),
        color: 4,
        stroke: Stroke::Line,
        points: vec![(0.0, SPEED), (stop, 0.0)],
    }];
    let same = published.tolerance("rolling")?;
    let mut rows = Vec::new();
    for law in [Law::CoulombConvex(friction), Law::Coulomb(friction)] {
        let exact = [
            rolling_deceleration(RADIUS, RESISTANCE),
            spin_stop_time(RADIUS, RESISTANCE, spin),
        ];
        let seen = rolled(law)?;
        let ours = [deceleration(&seen), stop_time(law, spin)?];
        curves.push(Curve {
            label: law.name().to_owned(),
            color: curves.len(),
            stroke: Stroke::Circles,
            points: seen.into_iter().step_by(300).collect(),
        });
        let words = [
            (
                "rolling-deceleration",
                "deceleration of a rolling sphere",
                "m/s²",
            ),
            ("spin-stop", "time in which a spinning sphere stops", "s"),
        ];
        for ((exact, ours), (key, what, unit)) in exact.into_iter().zip(ours).zip(words) {
            let number = published.get(key)?;
            let row = Row {
                quantity: format!("11: {what}, {}", law.name()),
                published: Some(exact.into()),
                measured: ours.into(),
                unit: unit.to_owned(),
                verdict: Verdict::matches(same.allows((ours / exact - 1.0).abs())),
                note: format!("{}: {}", number.source, number.value),
            };
            rows.push(row.note(format!(
                "R = {RADIUS} m, δ = σ = {RESISTANCE} m, μ = 0.5, dt = {STEP} s; {}",
                same.note("within a share of")
            )));
        }
    }
    let chart = Chart {
        title: format!("A sphere rolls with a resistance of {RESISTANCE} m"),
        x: "time, s",
        y: "velocity, m/s",
        logarithmic: false,
        curves,
    };
    options.chart("validations-11", &chart)?;
    Ok(rows)
}
