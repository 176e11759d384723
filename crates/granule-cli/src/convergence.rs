//! `granule check --convergence`: how much a short piece of a run depends on its step and its tolerance.

use crate::failure::Failure;
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule_io::scene::Setup;

/// The piece is a tenth of the run, but no more steps than so many.
const SHARE: f64 = 0.1;
const MOST_STEPS: f64 = 200.0;

/// Changes below this are no reason for another choice.
const SMALL: f64 = 0.02;

/// What a person would look at, of a piece of a run.
struct Facts(Vec<(&'static str, f64)>);

impl Facts {
    fn of(world: World, settings: Settings) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::Run(error.to_string());
        let mut simulation = Simulation::new(world, settings).map_err(|error| failed(&error))?;
        let (mut force, mut dissipation, mut deepest, mut time) = (0.0, 0.0, 0.0_f64, 0.0);
        let middle = 0.5 * (simulation.world().time + settings.end);
        let mut last = None;
        while !simulation.finished() {
            let report = simulation.step().map_err(|error| failed(&error))?;
            deepest = deepest.max(report.certificate.max_penetration);
            dissipation += report.energy.dissipation;
            if report.time > middle {
                force += report.normal_impulse;
                time += report.step_size;
            }
            last = Some(report);
        }
        let world = simulation.world();
        let gone: f64 = world.outlets.iter().map(|outlet| outlet.gone.mass).sum();
        let up = -world.gravity.normalize_or_zero();
        let mut facts = vec![
            ("kinetic energy, J", last.map_or(0.0, |r| r.kinetic_energy)),
            ("height of the centre of mass, m", center(world).dot(up)),
            ("energy lost in contacts, J", dissipation),
            (
                "sum of contact forces, N (mean of the second half)",
                force / f64::max(time, 1e-300),
            ),
            (
                "contacts that carry load",
                last.map_or(0.0, |r| r.active as f64),
            ),
            ("deepest penetration, m", deepest),
        ];
        if !world.outlets.is_empty() {
            facts.push(("mass that left, kg", gone));
        }
        Ok(Self(facts))
    }
}

/// The centre of mass of all that moves freely, m.
fn center(world: &World) -> DVec3 {
    let bodies = &world.bodies;
    let moving = || (0..bodies.len()).filter(|&i| bodies.is_dynamic(i));
    let mass: f64 = moving().map(|i| bodies.mass[i]).sum();
    let sum: DVec3 = moving().map(|i| bodies.mass[i] * bodies.position[i]).sum();
    sum / mass.max(f64::MIN_POSITIVE)
}

/// How long the piece of a run of this duration (s) is, s.
fn length(settings: &Settings, duration: f64, asked: Option<f64>) -> f64 {
    let step = match settings.step {
        StepSize::Fixed(step) => step,
        StepSize::Cfl { longest, .. } => longest,
    };
    let usual = (SHARE * duration).min(MOST_STEPS * step);
    asked.unwrap_or(usual).min(duration)
}

/// The table, and a sentence on what it means.
pub fn table(setup: &Setup, asked: Option<f64>) -> Result<String, Failure> {
    if let Some(seconds) = asked.filter(|seconds| !(seconds.is_finite() && *seconds > 0.0)) {
        return Err(Failure::Input(format!(
            "--for must be a positive time (s), not {seconds}"
        )));
    }
    let mut given = setup.settings;
    let start = setup.world.time;
    let piece = length(&given, given.end - start, asked);
    given.end = start + piece;
    let mut halved = given;
    halved.step = match given.step {
        StepSize::Fixed(step) => StepSize::Fixed(0.5 * step),
        StepSize::Cfl { fraction, longest } => StepSize::Cfl {
            fraction: 0.5 * fraction,
            longest: 0.5 * longest,
        },
    };
    let mut tighter = given;
    tighter.solver.tolerance *= 0.1;
    let run = |settings| Facts::of(setup.world.clone(), settings);
    let (Facts(given_facts), Facts(by_step), Facts(by_tolerance)) =
        (run(given)?, run(halved)?, run(tighter)?);
    let mut text = format!(
        "the first {piece} s: with the step and the tolerance as given, with half the step, with a tenth of the tolerance\n\n"
    );
    text += &format!(
        "{:52} {:>12} {:>12} {:>12}\n",
        "", "as given", "step / 2", "tol. / 10"
    );
    let mut worst = [(0.0, ""); 2];
    for (k, (name, value)) in given_facts.iter().enumerate() {
        let others = [by_step[k].1, by_tolerance[k].1];
        let changes =
            others.map(|other| (other - value) / value.abs().max(other.abs()).max(1e-300));
        // Penetrations are errors themselves, and smaller with every choice.
        if !name.starts_with("deepest") {
            for (worst, change) in worst.iter_mut().zip(changes) {
                if change.abs() > worst.0 {
                    *worst = (change.abs(), name);
                }
            }
        }
        let percent = changes.map(|change| format!("{:+.1} %", 100.0 * change));
        text += &format!(
            "{name:52} {value:>12.4e} {:>12} {:>12}\n",
            percent[0], percent[1]
        );
    }
    text += "\n";
    for ((change, name), what) in worst.into_iter().zip(["step", "tolerance"]) {
        text += &match change > SMALL {
            true => format!(
                "the {what} matters: {name} changes by {:.1} %; make it smaller until that is small enough for you\n",
                100.0 * change
            ),
            false => format!(
                "the {what} is small enough: nothing changes by more than {:.0} %\n",
                100.0 * SMALL
            ),
        };
    }
    text += "single numbers of a flow scatter from run to run; take a longer piece (--for) before trusting small changes\n";
    Ok(text)
}
