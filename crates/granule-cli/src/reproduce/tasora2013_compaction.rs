//! A packing of soft spheres is compressed: its stress does not depend on the time step, and is that of a soft-sphere
//! code with the same springs, which must resolve its contacts.
//!
//! The start is a dense packing without stress. The lid comes down slowly; stress is the force on it over its area, the
//! mean over each of a number of equal stretches of strain.

use super::liggghts::{self, Press};
use super::published::Published;
use super::tasora2013_packing::{LID, Packing, RADIUS};
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::law::{Elasticity, Friction, Interface, Law, Stiffness};
use granule::simulation::{Settings, Simulation, StepSize};
use std::time::Instant;

/// Spheres along an edge, and with `--quick`.
const EDGE: [usize; 2] = [8, 4];
/// Young's modulus (Pa) and Poisson's ratio, of which the springs are Hertz' secants for two spheres of the mean radius.
const MATERIAL: (f64, f64) = (5e8, 0.3);
/// μ.
const FRICTION: f64 = 0.3;
/// Damping of a contact as a part of the critical.
const DAMPING: f64 = 0.3;
/// The strain in the end, and how long it takes, s.
const STRAIN: f64 = 0.02;
const TIME: f64 = 0.1;
/// Points of the curve.
const POINTS: usize = 16;
/// Steps of ours between two points: the longest, and 4 and 16 times as many.
const STEPS: [usize; 3] = [4, 16, 64];
/// Steps of the soft-sphere code in the time of a contact, π √(m*/K).
const RESOLVED: f64 = 40.0;
/// Of the solves.
const TOLERANCE: f64 = 1e-6;

/// Two spheres of the mean radius in contact.
struct Pair {
    /// K along and across, N/m.
    stiffness: [f64; 2],
    /// α_M, 1/s.
    mass_damping: f64,
    /// How long a contact lasts, s.
    time: f64,
}

fn pair() -> Pair {
    let (young, poisson) = MATERIAL;
    let material = Elasticity {
        stiffness: Stiffness::Spheres {
            young,
            poisson,
            overlap: 0.01,
        },
        ..Elasticity::default()
    };
    let ease = material.flexibility(0.5 * RADIUS);
    let frequency = (2.0 / (ease.normal * Packing::mean_mass())).sqrt();
    Pair {
        stiffness: [1.0 / ease.normal, 1.0 / ease.tangential],
        mass_damping: 2.0 * DAMPING * frequency,
        time: std::f64::consts::PI / frequency,
    }
}

/// A run: stress (Pa) at the points, wall time (s), steps that were not certified.
struct Run {
    stress: Vec<f64>,
    seconds: f64,
    uncertified: usize,
}

fn run(packing: &Packing, pair: &Pair, each: usize) -> Result<Run, Error> {
    let [normal, tangential] = pair.stiffness;
    let interface = Interface {
        elasticity: Elasticity {
            mass_damping: pair.mass_damping,
            ..Elasticity::springs(normal, tangential)
        },
        ..Law::Coulomb(Friction::sliding(FRICTION)).into()
    };
    let world = packing.pressed(interface, STRAIN * packing.height / TIME);
    let step = TIME / (POINTS * each) as f64;
    let mut settings = Settings::new(StepSize::Fixed(step), 2.0 * TIME);
    settings.solver.tolerance = TOLERANCE;
    let mut run = Run {
        stress: Vec::new(),
        seconds: 0.0,
        uncertified: 0,
    };
    let clock = Instant::now();
    let mut simulation = Simulation::new(world, settings)?;
    for _ in 0..POINTS {
        let mut force = 0.0;
        for _ in 0..each {
            run.uncertified += usize::from(!simulation.step()?.certified);
            force += simulation.wall_loads()[LID].force.z;
        }
        run.stress
            .push(force / (each as f64 * packing.width.powi(2)));
    }
    run.seconds = clock.elapsed().as_secs_f64();
    Ok(run)
}

/// The largest distance of two curves as a part of the largest stress of the second.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let most = b.iter().copied().fold(0.0, f64::max);
    let between = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    between.fold(0.0, f64::max) / most
}

fn curve(label: String, color: usize, stroke: Stroke, stress: &[f64]) -> Curve {
    let strain = |k: usize| 100.0 * STRAIN * (k as f64 + 0.5) / POINTS as f64;
    let points = stress.iter().enumerate();
    Curve {
        label,
        color,
        stroke,
        points: points.map(|(k, s)| (strain(k), 1e-3 * s)).collect(),
    }
}

/// How far curves are apart, by the step and from the peer's.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let packing = Packing::settle(EDGE[usize::from(options.quick)], options)?;
    let pair = pair();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut runs = Vec::new();
    for each in STEPS {
        let step = TIME / (POINTS * each) as f64;
        options.say(format!("compaction, h = {step:e} s"));
        runs.push((step, one.install(|| run(&packing, &pair, each))?));
    }
    let (_, finest) = &runs[STEPS.len() - 1];
    let mut rows = Vec::new();
    let mut curves = Vec::new();
    for (place, (step, run)) in runs.iter().enumerate() {
        let label = format!("h = {:.3} ms", 1e3 * step);
        let stroke = if place + 1 == STEPS.len() {
            Stroke::Line
        } else {
            Stroke::Circles
        };
        curves.push(curve(label, place, stroke, &run.stress));
        if place + 1 < STEPS.len() {
            let number = published.get("compaction-step")?;
            let same = published.tolerance("compaction-step")?;
            let off = apart(&run.stress, &finest.stress);
            let factor = step / runs[STEPS.len() - 1].0;
            let quantity = format!("stress with a step {factor:.0} times as long: deviation");
            rows.push(
                number
                    .row(quantity, off, Verdict::matches(same.allows(off)))
                    .note(format!(
                        "largest of {POINTS} points up to {:.0} % strain, over the largest stress",
                        100.0 * STRAIN
                    ))
                    .note(same.note("at most")),
            );
        }
        let quantity = format!(
            "time, h = {step:.3e} s ({:.1} times that of a contact)",
            step / pair.time
        );
        rows.push(
            Row::unpublished(quantity, run.seconds)
                .unit("s")
                .note("one thread"),
        );
        let quantity = format!("steps not certified, h = {step:.3e} s");
        rows.push(Row::unpublished(quantity, run.uncertified));
    }
    let largest = finest.stress.iter().copied().fold(0.0, f64::max);
    rows.push(Row::unpublished("largest stress", largest).unit("Pa"));
    let peer = peer(&packing, &pair, options)?;
    let number = published.get("compaction-peer")?;
    let same = published.tolerance("compaction-peer")?;
    let compared = [
        ("stress beside LIGGGHTS: deviation", finest),
        ("the same, ours with the longest step", &runs[0].1),
    ];
    for (quantity, ours) in compared {
        rows.push(match &peer {
            None => number
                .row(quantity, "skipped", Verdict::NoReference)
                .note("LIGGGHTS is not installed; on Debian: apt-get install liggghts"),
            Some(run) => {
                let off = apart(&ours.stress, &run.stress);
                number
                    .row(quantity, off, Verdict::matches(same.allows(off)))
                    .note("as above")
                    .note(same.note("at most"))
            }
        });
    }
    if let Some(run) = &peer {
        let quantity = format!("time of LIGGGHTS, {RESOLVED} steps in that of a contact");
        rows.push(
            Row::unpublished(quantity, run.seconds)
                .unit("s")
                .note("one thread"),
        );
        curves.push(curve("LIGGGHTS".to_owned(), 4, Stroke::Line, &run.stress));
    }
    let mut header = vec!["strain[-]".to_owned()];
    header.extend(runs.iter().map(|(step, _)| format!("stress_h{step:e}[Pa]")));
    header.extend(peer.iter().map(|_| "stress_liggghts[Pa]".to_owned()));
    let all: Vec<&Run> = runs.iter().map(|(_, run)| run).chain(&peer).collect();
    let line = |k: usize| -> Vec<f64> {
        let strain = STRAIN * (k as f64 + 0.5) / POINTS as f64;
        let stresses = all.iter().map(|run| run.stress[k]);
        std::iter::once(strain).chain(stresses).collect()
    };
    let lines: Vec<Vec<f64>> = (0..POINTS).map(line).collect();
    options.curve("tasora2013-compaction", &header, &lines)?;
    let chart = Chart {
        title: format!("{} soft spheres are compressed", packing.grains.len()),
        x: "strain, %",
        y: "stress, kPa",
        logarithmic: false,
        curves,
    };
    options.chart("tasora2013-compaction", &chart)?;
    Ok(rows)
}

/// The same in LIGGGHTS, if it is there.
fn peer(packing: &Packing, pair: &Pair, options: &Options) -> Result<Option<Run>, Error> {
    if !liggghts::installed() {
        return Ok(None);
    }
    options.say("compaction, LIGGGHTS");
    let each = (TIME / POINTS as f64 / (pair.time / RESOLVED)).ceil();
    let press = Press {
        packing,
        stiffness: pair.stiffness,
        mass_damping: pair.mass_damping,
        friction: FRICTION,
        speed: STRAIN * packing.height / TIME,
        step: TIME / POINTS as f64 / each,
        each: each as usize,
        count: POINTS,
    };
    let pressed = press.run()?;
    let area = packing.width.powi(2);
    Ok(Some(Run {
        stress: pressed.forces.iter().map(|force| force / area).collect(),
        seconds: pressed.seconds,
        uncertified: 0,
    }))
}
