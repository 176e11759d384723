//! A slider-crank: driven, against its kinematics; free, against its equation of motion.

use super::{Run, SCHEMES, started};
use crate::reproduce::fit::exponent;
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::bodies::{Dimension, TimeFunction};
use granule::cases::{SliderCrank, mechanism_settings};
use granule::joints::{Along, Effect};
use granule::scheme::SchemeName;
use granule::simulation::Simulation;

const CRANK: SliderCrank = SliderCrank {
    dimension: Dimension::Space,
    crank: 0.5,
    rod: 1.5,
    masses: [1.0, 2.0, 1.0],
    speed: 12.0,
};
const TOLERANCE: f64 = 1e-9;
/// s.
const END: f64 = 1.0;
/// Steps of the free crank, s.
const STEPS: [f64; 3] = [2e-3, 1e-3, 5e-4];
/// Of Runge and Kutta's method, to [`END`].
const REFERENCE_STEPS: usize = 20_000;

/// The largest distance (m) of a driven piston from where it should be, and the run.
fn driven(scheme: SchemeName, news: &mut News) -> Result<(f64, Run), Error> {
    let mut world = CRANK.world();
    let motor = Effect::Speed {
        target: TimeFunction::Constant(CRANK.speed),
        strength: None,
    };
    world.joints[0] = world.joints[0].clone().with(Along::Turn, motor);
    let settings = mechanism_settings(scheme, STEPS[1], END, TOLERANCE);
    let mut simulation = Simulation::new(world, settings)?;
    let (mut run, mut off) = (Run::default(), 0.0_f64);
    while !simulation.finished() {
        let time = run.step(&mut simulation)?.time;
        news.tell(time, END);
        let bodies = &simulation.world().bodies;
        let piston = bodies.place_of(2).map(|place| bodies.position[place].x);
        let exact = CRANK.piston(CRANK.speed * time);
        off = off.max((piston.unwrap_or(f64::NAN) - exact).abs());
    }
    Ok((off, run))
}

/// The error (rad) of the angle of a free crank at the end, and the run.
fn free(scheme: SchemeName, step: f64, news: &mut News) -> Result<(f64, Run), Error> {
    let world = started(CRANK.world(), scheme, step);
    let settings = mechanism_settings(scheme, step, END, TOLERANCE);
    let mut simulation = Simulation::new(world, settings)?;
    let mut run = Run::default();
    run.finish(&mut simulation, news)?;
    let exact = CRANK.free_angle(END, REFERENCE_STEPS);
    Ok(((simulation.joint_states()[0].turn - exact).abs(), run))
}

pub(super) fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut news = News::start(options, "a slider-crank");
    let same_way = published.tolerance("slider-crank")?;
    let same_order = published.tolerance("mechanism-order")?;
    let closed = published.tolerance("mechanism-open")?;
    let mut rows = Vec::new();
    for (scheme, order) in SCHEMES {
        let (off, run) = driven(scheme, &mut news)?;
        let row = published.get("slider-crank-driven")?.row(
            format!(
                "14: piston of a driven slider-crank off its place, {}",
                scheme.name()
            ),
            off,
            // `moreau-jean` closes joints by moving bodies, which turns the crank, too: that is of its order.
            match scheme {
                SchemeName::MoreauJean => Verdict::NoReference,
                _ => Verdict::matches(same_way.allows(off) && run.is_good(closed)),
            },
        );
        rows.push(row.note(format!(
            "the largest in {END} s with h = {} s, joints open by {:.1e} m; {}",
            STEPS[1],
            run.open,
            same_way.note("within")
        )));
        let mut points = Vec::new();
        let mut good = true;
        for step in STEPS {
            let (error, run) = free(scheme, step, &mut news)?;
            good &= run.is_good(closed);
            points.push((step, error));
        }
        let found = exponent(&points);
        let list: Vec<String> = points.iter().map(|p| format!("{:.2e}", p.1)).collect();
        let row = Row {
            published: Some(order.into()),
            ..published.get("mechanism-order")?.row(
                format!("14: order of a free slider-crank, {}", scheme.name()),
                found,
                Verdict::matches(same_order.allows((found - order).abs()) && good),
            )
        };
        rows.push(row.note(format!(
            "errors of the crank's angle after {END} s, {:.6} rad: {} with h = {STEPS:?} s; {}",
            CRANK.free_angle(END, REFERENCE_STEPS),
            list.join(", "),
            same_order.note("within")
        )));
    }
    Ok(rows)
}
