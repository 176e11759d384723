//! Validation 5: three cylinders and four spheres stand if and only if friction suffices between the
//! grains and on the floor.
//!
//! Each coefficient is taken 1 % above and 1 % below its threshold, with the other at twice its own.
//! A pile stands if after 10 s the top has moved by less than 1e-6 R, and falls if it has come down
//! by R/10 by then; anything between is neither.

use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::Stack;
use granule::simulation::{Settings, Simulation, StepSize};

/// s.
const STEP: f64 = 1e-3;
/// s.
const END: f64 = 10.0;
const TOLERANCE: f64 = 1e-8;
/// Radii.
const STOOD: f64 = 1e-6;
/// Radii.
const FELL: f64 = 0.1;

/// What became of a pile.
struct Fate {
    /// How far the top has come down, in radii.
    descent: f64,
    /// s.
    time: f64,
    uncertified: usize,
}

impl Fate {
    fn name(&self) -> &'static str {
        if self.descent.abs() < STOOD {
            "stands"
        } else if self.descent > FELL {
            "falls"
        } else {
            "moves"
        }
    }
}

fn fate(stack: Stack, between: f64, floor: f64) -> Result<Fate, Error> {
    let mut settings = Settings::new(StepSize::Fixed(STEP), END);
    settings.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(stack.world(between, floor), settings)?;
    let mut fate = Fate {
        descent: 0.0,
        time: 0.0,
        uncertified: 0,
    };
    while !simulation.finished() && fate.descent <= FELL {
        let report = simulation.step()?;
        fate.time = report.time;
        fate.uncertified += usize::from(!report.certified);
        fate.descent = stack.descent(simulation.world()) / Stack::RADIUS;
    }
    Ok(fate)
}

/// Both sides of the four thresholds.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (stack, name, key) in [
        (Stack::ThreeCylinders, "three cylinders", "three-cylinders"),
        (Stack::FourSpheres, "four spheres", "four-spheres"),
    ] {
        for (place, which) in ["between", "floor"].into_iter().enumerate() {
            let threshold = published.get(&format!("{key}-{which}"))?;
            for factor in [1.01, 0.99] {
                options.say(format!("{name}, friction {which} × {factor}"));
                let mut coefficients = stack.thresholds().map(|x| 2.0 * x);
                coefficients[place] = factor * threshold.float()?;
                let [between, floor] = coefficients;
                let fate = fate(stack, between, floor)?;
                let wanted = if factor > 1.0 { "stands" } else { "falls" };
                let quantity = format!("5: {name}, friction {which} {factor} of its threshold");
                let row = Row {
                    quantity,
                    published: Some(wanted.into()),
                    measured: fate.name().into(),
                    unit: String::new(),
                    verdict: Verdict::matches(fate.name() == wanted),
                    note: format!("{}: {}", threshold.source, threshold.value),
                };
                rows.push(row.note(format!(
                    "top came down {:.1e} R in {:.2} s; tolerance {TOLERANCE:e}, dt = {STEP} s, {} steps not certified",
                    fate.descent, fate.time, fate.uncertified
                )));
            }
        }
    }
    Ok(rows)
}
