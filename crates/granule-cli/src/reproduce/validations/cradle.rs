//! Validation 4: Newton's cradle. Three balls that touch share one impact; with gaps between them
//! the last one alone leaves.

use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::{cradle, impact_settings};
use granule::simulation::Simulation;

/// s.
const STEP: f64 = 1e-4;
/// m.
const GAP: f64 = 1e-3;

/// The velocities (m/s) of three equal balls after the impacts.
fn velocities(gap: f64, restitution: f64) -> Result<Vec<f64>, Error> {
    // Long enough for the first ball to cross two gaps.
    let settings = impact_settings(STEP, STEP + 4.0 * gap);
    let mut simulation = Simulation::new(cradle(&[1.0; 3], gap, restitution), settings)?;
    while !simulation.finished() {
        simulation.step()?;
    }
    let bodies = &simulation.world().bodies;
    Ok(bodies.velocity.iter().map(|v| v.x).collect())
}

fn list(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|v| format!("{v:.6}")).collect();
    format!("({})", values.join(", "))
}

/// Touching for several e, and with gaps.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("Newton's cradle");
    let same = published.tolerance("cradle")?;
    let mut rows = Vec::new();
    let touching = [1.0, 0.75, 0.5, 0.0].map(|e| (e, 0.0));
    for (e, gap) in touching.into_iter().chain([(1.0, GAP)]) {
        let share = (1.0 + e) / 3.0;
        let (key, how, exact) = if gap == 0.0 {
            let exact = [1.0 - 2.0 * share, share, share];
            ("cradle-touching", "that touch", exact)
        } else {
            ("cradle-gaps", "with gaps", [0.0, 0.0, 1.0])
        };
        let number = published.get(key)?;
        let ours = velocities(gap, e)?;
        let pairs = ours.iter().zip(&exact);
        let error = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        let row = Row {
            quantity: format!("4: velocities of three balls {how}, e = {e}"),
            published: Some(list(&exact).as_str().into()),
            measured: list(&ours).as_str().into(),
            unit: number.unit.clone(),
            verdict: Verdict::matches(same.allows(error)),
            note: format!("{}: {}", number.source, number.value),
        };
        rows.push(row.note(format!(
            "off by {error:.1e} m/s, dt = {STEP} s; {}",
            same.note("within")
        )));
    }
    Ok(rows)
}
