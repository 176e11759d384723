//! A chain of a hundred links with a heavy load at its end, beside one of equal links.

use super::Run;
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::{chain, mechanism_settings};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::simulation::Simulation;
use std::time::Instant;

const LINKS: usize = 100;
/// kg, a link being 1 kg.
const LOADS: [f64; 2] = [1.0, 1e4];
const TOLERANCE: f64 = 1e-8;
/// s.
const STEP: f64 = 1e-3;
/// Steps that are taken by one chain before the other has its turn.
const TURN: usize = 20;

pub(super) fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let turns = if options.quick { 5 } else { 50 };
    let steps = turns * TURN;
    let closed = published.tolerance("mechanism-open")?;
    let slower = published.tolerance("chain-load-time")?;
    let mut rows = Vec::new();
    for (how, direction) in [("hanging", -DVec3::Z), ("swinging", DVec3::X)] {
        let mut news = News::start(options, format!("{how} chains of {LINKS} links"));
        let end = steps as f64 * STEP;
        let settings = mechanism_settings(SchemeName::Maury, STEP, end, TOLERANCE);
        let mut simulations = Vec::new();
        for load in LOADS {
            simulations.push(Simulation::new(chain(LINKS, load, direction), settings)?);
        }
        let mut runs = [Run::default(), Run::default()];
        let mut best = [f64::INFINITY; 2];
        for _ in 0..turns {
            for ((simulation, run), best) in simulations.iter_mut().zip(&mut runs).zip(&mut best) {
                let clock = Instant::now();
                for _ in 0..TURN {
                    run.step(simulation)?;
                }
                *best = best.min(clock.elapsed().as_secs_f64());
                news.tell(simulation.world().time, end);
            }
        }
        for (load, run) in LOADS.iter().zip(&runs) {
            let row = published.get("mechanism-open")?.row(
                format!("14: largest error of a joint, {how} chain with a load of {load} links"),
                run.open,
                Verdict::matches(run.is_good(closed)),
            );
            rows.push(row.note(format!(
                "{steps} steps of {STEP} s, tolerance {TOLERANCE:e}, {} not certified, {:.1} iterations a step; {}",
                run.uncertified,
                run.iterations as f64 / steps as f64,
                closed.note("all certified, and open by at most")
            )));
        }
        let ratio = best[1] / best[0];
        let row = published.get("chain-load-time")?.row(
            format!("14: time of the heavy {how} chain over that of the light one"),
            ratio,
            Verdict::matches(slower.allows(ratio)),
        );
        rows.push(
            row.note(format!(
                "the best of {turns} turns of {TURN} steps each, {:.2} and {:.2} ms a step",
                1e3 * best[0] / TURN as f64,
                1e3 * best[1] / TURN as f64
            ))
            .note(slower.note("at most")),
        );
    }
    Ok(rows)
}
