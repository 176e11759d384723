//! Validation 5: three cylinders and four spheres stand if and only if friction suffices between the
//! grains and on the floor.
//!
//! Each coefficient is taken 1 % above and 1 % below its threshold, with the other at twice its own.
//! A pile stands if after 10 s the top has moved by less than 1e-6 R, and falls if it has come down
//! by R/10 by then; anything between is neither.

use crate::reproduce::published::{Published, Tolerance};
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::Stack;
use granule::simulation::{Settings, Simulation, StepSize};

/// s.
const STEP: f64 = 1e-3;
/// s.
const END: f64 = 10.0;
const TOLERANCE: f64 = 1e-8;

/// What became of a pile.
struct Fate {
    /// How far the top has come down, in radii.
    descent: f64,
    /// s.
    time: f64,
    uncertified: usize,
}

/// What is called standing and falling, in radii.
#[derive(Clone, Copy)]
struct Judge<'a> {
    stood: &'a Tolerance,
    fell: &'a Tolerance,
}

impl Judge<'_> {
    fn name(self, fate: &Fate) -> &'static str {
        if self.stood.allows(fate.descent.abs()) {
            "stands"
        } else if fate.descent > self.fell.most() {
            "falls"
        } else {
            "moves"
        }
    }
}

fn fate(stack: Stack, [between, floor]: [f64; 2], fell: f64) -> Result<Fate, Error> {
    let mut settings = Settings::new(StepSize::Fixed(STEP), END);
    settings.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(stack.world(between, floor), settings)?;
    let mut fate = Fate {
        descent: 0.0,
        time: 0.0,
        uncertified: 0,
    };
    while !simulation.finished() && fate.descent <= fell {
        let report = simulation.step()?;
        fate.time = report.time;
        fate.uncertified += usize::from(!report.certified);
        fate.descent = stack.descent(simulation.world()) / Stack::RADIUS;
    }
    Ok(fate)
}

/// Both sides of the four thresholds.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let judge = Judge {
        stood: published.tolerance("stack-stands")?,
        fell: published.tolerance("stack-falls")?,
    };
    let mut rows = Vec::new();
    for (stack, name, key) in [
        (Stack::ThreeCylinders, "three cylinders", "three-cylinders"),
        (Stack::FourSpheres, "four spheres", "four-spheres"),
    ] {
        let [between, floor] = stack.thresholds();
        let caption = format!("The pile of {name}, at the start");
        options.draw(
            &stack.world(between, floor),
            &format!("validations-5-{key}"),
            caption,
        )?;
        for (place, which) in ["between", "floor"].into_iter().enumerate() {
            let threshold = published.get(&format!("{key}-{which}"))?;
            for factor in [1.01, 0.99] {
                options.say(format!("{name}, friction {which} × {factor}"));
                let mut coefficients = stack.thresholds().map(|x| 2.0 * x);
                coefficients[place] = factor * threshold.float()?;
                let fate = fate(stack, coefficients, judge.fell.most())?;
                let found = judge.name(&fate);
                let wanted = if factor > 1.0 { "stands" } else { "falls" };
                let quantity = format!("5: {name}, friction {which} {factor} of its threshold");
                let row = Row {
                    quantity,
                    published: Some(wanted.into()),
                    measured: found.into(),
                    unit: String::new(),
                    verdict: Verdict::matches(found == wanted),
                    note: format!("{}: {}", threshold.source, threshold.value),
                };
                rows.push(row.note(format!(
                    "top came down {:.1e} R in {:.2} s; tolerance {TOLERANCE:e}, dt = {STEP} s, {} steps not certified",
                    fate.descent, fate.time, fate.uncertified
                )).note(match factor > 1.0 {
                    true => judge.stood.note("the top has moved by at most"),
                    false => judge.fell.note("the top has come down by more than"),
                }));
            }
        }
    }
    Ok(rows)
}
