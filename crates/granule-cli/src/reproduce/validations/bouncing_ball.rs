//! Validation 3: a bouncing ball rests after √(2H/g) (1+e)/(1-e), each bounce reaches e² of the
//! height of the one before, and an elastic ball keeps its energy.

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
            "H = {HEIGHT} m, dt = {STEP} s, off by {:.1} steps; {}; and {}",
            late / STEP,
            steps.note("within steps"),
            share.note("within a share of")
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
    Ok(rows)
}
