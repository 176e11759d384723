//! Validation 3: a bouncing ball rests after √(2H/g) (1+e)/(1-e), each bounce reaches e² of the
//! height of the one before, and an elastic ball keeps its energy.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::{Bounces, BouncingBall, impact_settings};
use granule::simulation::Simulation;

/// m.
const HEIGHT: f64 = 1.0;
/// s.
const STEP: f64 = 1e-4;
/// Bounces that reach this height are judged, m.
const HIGH: f64 = 0.01;
/// e of the ball that is drawn.
const DRAWN: f64 = 0.8;
/// s, for the elastic ball.
const ELASTIC_END: f64 = 10.0;

fn watch(restitution: f64) -> Result<(BouncingBall, Bounces), Error> {
    let ball = BouncingBall {
        restitution,
        height: HEIGHT,
    };
    let end = (1.1 * ball.rest_time()).min(ELASTIC_END);
    let mut simulation = Simulation::new(ball.world(), impact_settings(STEP, end))?;
    Ok((ball, Bounces::watch(&mut simulation)?))
}

/// The largest of the relative differences from 1.
fn worst(ratios: impl Iterator<Item = f64>) -> f64 {
    ratios.map(|r| (r - 1.0).abs()).fold(0.0, f64::max)
}

/// Height (m) and velocity (m/s) of the bouncing ball at a time (s).
fn exact(ball: &BouncingBall, gravity: f64, time: f64) -> (f64, f64) {
    let fall = (2.0 * ball.height / gravity).sqrt();
    if time < fall {
        return (ball.height - 0.5 * gravity * time * time, -gravity * time);
    }
    let (mut left, mut speed) = (time - fall, ball.restitution * gravity * fall);
    while speed > 1e-6 {
        let flight = 2.0 * speed / gravity;
        if left < flight {
            let velocity = speed - gravity * left;
            return ((speed - 0.5 * gravity * left) * left, velocity);
        }
        (left, speed) = (left - flight, ball.restitution * speed);
    }
    (0.0, 0.0)
}

/// Height and velocity over time, with the exact ones [kleinert2017, figure 1].
fn draw(options: &Options) -> Result<(), Error> {
    let ball = BouncingBall {
        restitution: DRAWN,
        height: HEIGHT,
    };
    let end = 1.1 * ball.rest_time();
    let mut simulation = Simulation::new(ball.world(), impact_settings(STEP, end))?;
    let radius = simulation.world().bodies.position[0].z - HEIGHT;
    let gravity = simulation.world().gravity.length();
    let mut states = Vec::new();
    while !simulation.finished() {
        let time = simulation.step()?.time;
        let bodies = &simulation.world().bodies;
        let (place, velocity) = (bodies.position[0].z - radius, bodies.velocity[0].z);
        states.push((time, place, velocity));
    }
    type Of = fn(&(f64, f64, f64)) -> f64;
    let height: (&str, &'static str, Of) = ("height", "height, m", |s| s.1);
    let velocity: (&str, &'static str, Of) = ("velocity", "velocity, m/s", |s| s.2);
    for (name, y, of) in [height, velocity] {
        let times = (0..=2000).map(|k| end * f64::from(k) / 2000.0);
        let line = times.map(|t| {
            let (place, velocity) = exact(&ball, gravity, t);
            (t, of(&(t, place, velocity)))
        });
        let shown = states.iter().step_by(states.len() / 100);
        let chart = Chart {
            title: format!("A ball bounces, e = {DRAWN}: its {name} (figure 1 of Kleinert)"),
            x: "time, s",
            y,
            logarithmic: false,
            curves: vec![
                Curve {
                    label: "exact".to_owned(),
                    color: 4,
                    stroke: Stroke::Line,
                    points: line.collect(),
                },
                Curve {
                    label: "one step of a hundredth of all".to_owned(),
                    color: 0,
                    stroke: Stroke::Circles,
                    points: shown.map(|state| (state.0, of(state))).collect(),
                },
            ],
        };
        options.chart(&format!("validations-3-{name}"), &chart)?;
    }
    Ok(())
}

/// The time of rest, the heights, and the energy.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("a ball bounces");
    let (steps, share) = (
        published.tolerance("bouncing-rest-steps")?,
        published.tolerance("bouncing-rest")?,
    );
    let same_height = published.tolerance("bouncing-height")?;
    let mut rows = Vec::new();
    for restitution in [0.0, 0.25, 0.5, 0.8, 0.9] {
        let (ball, bounces) = watch(restitution)?;
        let number = published.get("bouncing-rest")?;
        let exact = ball.rest_time();
        let late = (bounces.rest - exact).abs();
        let row = Row {
            quantity: format!("3: time until a ball with e = {restitution} rests"),
            published: Some(exact.into()),
            measured: bounces.rest.into(),
            unit: number.unit.clone(),
            verdict: Verdict::matches(share.allows((late - steps.most() * STEP).max(0.0) / exact)),
            note: format!("{}: {}", number.source, number.value),
        };
        rows.push(row.note(format!(
            "H = {HEIGHT} m, dt = {STEP} s, off by {:.1} steps; {}, and {}",
            late / STEP,
            steps.note("within steps"),
            share.note("a share of").trim_start_matches("match: ")
        )));
        let pairs = bounces.apexes.windows(2).filter(|pair| pair[1] > HIGH);
        let ratios: Vec<f64> = pairs
            .map(|pair| pair[1] / pair[0] / (restitution * restitution))
            .collect();
        if ratios.is_empty() {
            continue;
        }
        let number = published.get("bouncing-height")?;
        let worst = worst(ratios.iter().copied());
        let quantity =
            format!("3: height of a bounce over e² of the one before, e = {restitution}");
        let row = number.row(
            quantity,
            1.0 + worst,
            Verdict::matches(same_height.allows(worst)),
        );
        rows.push(row.note(format!(
            "the worst of {} bounces above {HIGH} m; {}",
            ratios.len(),
            same_height.note("within")
        )));
    }
    let (_, bounces) = watch(1.0)?;
    let number = published.get("bouncing-energy")?;
    let ratios = bounces.energies.windows(2).map(|pair| pair[1] / pair[0]);
    let drift = worst(ratios);
    let quantity = "3: relative change of energy in a bounce, e = 1";
    let same = published.tolerance("bouncing-energy")?;
    let row = number.row(quantity, drift, Verdict::matches(same.allows(drift)));
    rows.push(row.note(format!(
        "the worst of {} bounces; {}",
        bounces.energies.len() - 1,
        same.note("at most")
    )));
    draw(options)?;
    Ok(rows)
}
