//! What the convexified law does to a body that is put down at speed: by the scheme and the step.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::sphere_on_plane;
use granule::law::{Friction, Law};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::simulation::{Settings, Simulation, StepSize};

/// m.
const RADIUS: f64 = 0.1;
/// μ.
const FRICTION: f64 = 0.3;
/// m/s.
const SPEED: f64 = 4.0;
/// m/s².
const GRAVITY: f64 = 9.81;
/// s.
const STEPS: [f64; 3] = [1e-2, 1e-3, 1e-4];
/// Until it slides again, s.
const END: f64 = 0.6;

/// The scheme and the law of a curve.
struct Case {
    scheme: SchemeName,
    law: Law,
    /// The lift that is expected, m.
    lift: f64,
}

fn cases() -> Vec<Case> {
    let friction = Friction::sliding(FRICTION);
    // The projection of (-v, 0) onto the cone throws the body up with μ v/(1 + μ²).
    let thrown = FRICTION * SPEED / (1.0 + FRICTION * FRICTION);
    let height = thrown * thrown / (2.0 * GRAVITY);
    let convex = |scheme, lift| Case {
        scheme,
        law: Law::CoulombConvex(friction),
        lift,
    };
    vec![
        convex(SchemeName::Maury, height),
        convex(SchemeName::Shake, height),
        convex(SchemeName::Rattle, 0.0),
        Case {
            scheme: SchemeName::Maury,
            law: Law::Coulomb(friction),
            lift: 0.0,
        },
    ]
}

/// Time (s) and lift (m) of every step.
fn path(case: &Case, step: f64) -> Result<Vec<(f64, f64)>, Error> {
    let mut world = sphere_on_plane(RADIUS, 0.0, case.law);
    world.lock_rotation = true;
    world.bodies.velocity[0] = SPEED * DVec3::X;
    let mut settings = Settings::new(StepSize::Fixed(step), END);
    settings.scheme = SchemeConfig::named(case.scheme);
    settings.solver.tolerance = 1e-8;
    let mut simulation = Simulation::new(world, settings)?;
    let mut path = vec![(0.0, 0.0)];
    while !simulation.finished() {
        let time = simulation.step()?.time;
        path.push((time, simulation.world().bodies.position[0].z - RADIUS));
    }
    Ok(path)
}

/// The greatest lift, and what is left at the end.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    options.say("a ball that is put down at speed");
    let mut chart = Chart {
        title: format!("A ball put down at {SPEED} m/s, no rotation, μ = {FRICTION}: its lift"),
        x: "time, s",
        y: "lift, m",
        logarithmic: false,
        curves: Vec::new(),
    };
    let same_lift = published.tolerance("sliding-lift")?;
    let same_opening = published.tolerance("sliding-opening")?;
    let none = published.tolerance("sliding-none")?;
    let mut rows = Vec::new();
    for (place, case) in cases().iter().enumerate() {
        for step in STEPS {
            let path = path(case, step)?;
            let most = path.iter().map(|p| p.1).fold(0.0, f64::max);
            let last = path[path.len() - 1].1;
            let label = format!("{}, {}", case.law.name(), case.scheme.name());
            let lift = published.get("sliding-lift")?;
            let same = if case.lift > 0.0 {
                let steps = 2.0 * FRICTION * SPEED * step;
                same_lift.allows(((most - case.lift).abs() - steps).max(0.0) / case.lift)
            } else {
                none.allows(most)
            };
            rows.push(Row {
                quantity: format!("lift, {label}, dt = {step}"),
                published: Some(case.lift.into()),
                measured: most.into(),
                unit: "m".to_owned(),
                verdict: Verdict::matches(same),
                note: format!(
                    "{}: {}; {}",
                    lift.source,
                    lift.value,
                    match case.lift > 0.0 {
                        true => same_lift.note("within two steps' opening and a share of"),
                        false => none.note("at most"),
                    }
                ),
            });
            let opening = published.get("sliding-opening")?;
            let steady = if case.lift > 0.0 {
                FRICTION * step * (SPEED - FRICTION * GRAVITY * END)
            } else {
                0.0
            };
            rows.push(Row {
                quantity: format!("opening while it slides, {label}, dt = {step}"),
                published: Some(steady.into()),
                measured: last.into(),
                unit: "m".to_owned(),
                verdict: Verdict::matches(same_opening.allows(
                    ((last - steady).abs() - none.most()).max(0.0) / steady.max(none.most()),
                )),
                note: format!(
                    "{}: {}; {}, and {none}",
                    opening.source,
                    opening.value,
                    same_opening.note("within a share of")
                ),
            });
            if step < 1e-3 {
                chart.curves.push(Curve {
                    label,
                    color: place,
                    stroke: Stroke::Line,
                    points: path,
                });
            }
        }
    }
    options.chart("validations-13", &chart)?;
    Ok(rows)
}
