//! Order of convergence for a disk that falls on an inclined plane, without friction and with both
//! laws of friction [bloch2023, §3.2, figures 6 and 8].

use super::fit::exponent;
use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases::{self, DiskState};
use granule::law::{Friction, Law, LawTable};
use granule::scheme::Recovery;
use granule::simulation::{Settings, Simulation, StepSize};
use granule::solver::{ExactBy, Method, Stop, WarmStart};

/// The time steps, s.
const STEPS: [f64; 5] = [0.05, 0.02, 0.01, 0.005, 0.002];

/// A scheme of the paper.
#[derive(Clone, Copy, PartialEq)]
enum Scheme {
    Frictionless,
    Convex(f64),
    /// As printed: the fixed point ends at a change of 1e-2.
    FixedPoint(f64),
    /// Ours: to the certificate.
    Exact(f64),
}

impl Scheme {
    /// The five curves.
    const PRINTED: [Self; 5] = [
        Self::Frictionless,
        Self::Convex(0.1),
        Self::Convex(1.0),
        Self::FixedPoint(0.1),
        Self::FixedPoint(1.0),
    ];

    fn law(self) -> Law {
        match self {
            Self::Frictionless => Law::Frictionless,
            Self::Convex(friction) => Law::CoulombConvex(Friction::sliding(friction)),
            Self::FixedPoint(friction) | Self::Exact(friction) => {
                Law::Coulomb(Friction::sliding(friction))
            }
        }
    }

    fn name(self) -> String {
        match self {
            Self::Frictionless => "no friction".to_owned(),
            Self::Convex(friction) => format!("convex, μ = {friction}"),
            Self::FixedPoint(friction) => format!("fixed point, μ = {friction}"),
            Self::Exact(friction) => format!("exact, μ = {friction}"),
        }
    }

    /// For the names of files.
    fn file(self) -> String {
        let name = match self {
            Self::Frictionless => "frictionless",
            Self::Convex(_) => "convex",
            Self::FixedPoint(_) => "fixedpoint",
            Self::Exact(_) => "exact",
        };
        match self.law().friction().sliding {
            0.0 => name.to_owned(),
            friction => format!("{name}-mu{friction}"),
        }
    }
}

/// What a run to t = 10 gave.
struct Run {
    /// √(Σ_k Δt |x(t_k) - x_k|²), m s^½.
    position: f64,
    /// The same of the angle, rad s^½.
    angle: f64,
    /// Mean number of convex problems solved in a step.
    solves: f64,
    /// The largest gap after the impact, m.
    gap: f64,
    /// The largest relative difference of the gap after the impact from μ h |v_T|.
    off: f64,
    /// Time (s) and state at the end of each step.
    path: Vec<(f64, DiskState)>,
}

fn run(scheme: Scheme, step: f64) -> Result<Run, Error> {
    let mut settings = Settings::new(StepSize::Fixed(step), 10.0);
    settings.scheme.recovery = Recovery::Velocity;
    // The paper has the contact in its problem while the disk still falls.
    settings.candidate_distance = Some(2.0);
    settings.solver.own = Method::ApgdAsr.into();
    settings.solver.tolerance = 1e-13;
    if let Scheme::FixedPoint(_) = scheme {
        settings.solver.warm_start = WarmStart::Zero;
        settings.solver.exact = ExactBy::FixedPoint;
        settings.solver.stop = Stop::Paper;
        settings.solver.fixed_point_tolerance = 1e-2;
    }
    let friction = scheme.law().friction().sliding;
    let mut world = cases::disk_on_incline();
    world.laws = LawTable::uniform(scheme.law());
    let mut simulation = Simulation::new(world, settings)?;
    let (mut state, mut steps) = (DiskState::default(), 0.0);
    let mut run = Run {
        position: 0.0,
        angle: 0.0,
        solves: 0.0,
        gap: 0.0,
        off: 0.0,
        path: Vec::new(),
    };
    while !simulation.finished() {
        let report = simulation.step()?;
        state = DiskState::of(simulation.world(), &state);
        run.path.push((report.time, state));
        let exact = cases::exact_on_incline(friction, report.time);
        let (down, gap) = (state.down - exact.down, state.gap - exact.gap);
        run.position += step * (down * down + gap * gap);
        run.angle += step * (state.angle - exact.angle).powi(2);
        run.solves += report.convex_solves as f64;
        steps += 1.0;
        // The disk may reach the plane a step late.
        if cases::exact_on_incline(friction, report.time - 2.0 * step).gap == 0.0 {
            run.gap = run.gap.max(state.gap.abs());
            let opening = friction * step * state.slip().abs();
            run.off = run.off.max((state.gap / opening - 1.0).abs());
        }
    }
    run.position = run.position.sqrt();
    run.angle = run.angle.sqrt();
    run.solves /= steps;
    Ok(run)
}

/// Orders, gaps and counts of the five curves.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut curves = Vec::new();
    for scheme in Scheme::PRINTED {
        options.say(format!("a disk falls on a plane, {}", scheme.name()));
        let runs: Result<Vec<Run>, Error> = STEPS.iter().map(|&h| run(scheme, h)).collect();
        curves.push((scheme, runs?));
    }
    let mut rows = Vec::new();
    for (scheme, runs) in &curves {
        rows.extend(orders(*scheme, runs, published)?);
    }
    for (scheme, runs) in &curves {
        match *scheme {
            Scheme::FixedPoint(friction) => rows.push(count(friction, runs, published)?),
            Scheme::Convex(friction) if friction < 1.0 => rows.push(dilatation(runs, published)?),
            _ => {}
        }
    }
    rows.push(no_gap(published)?);
    rows.extend(prototype(&curves[0].1, published)?);
    draw(&curves, options)?;
    draw_paths(&curves, options)?;
    Ok(rows)
}

/// The errors of positions, or of angles, by step.
fn errors(runs: &[Run], of: fn(&Run) -> f64) -> Vec<(f64, f64)> {
    STEPS.into_iter().zip(runs.iter().map(of)).collect()
}

fn orders(scheme: Scheme, runs: &[Run], published: &Published) -> Result<Vec<Row>, Error> {
    let position: fn(&Run) -> f64 = |run| run.position;
    let angle: fn(&Run) -> f64 = |run| run.angle;
    let mut columns = vec![("positions", position)];
    let (name, number) = if scheme == Scheme::Frictionless {
        (
            "no friction".to_owned(),
            published.get("convergence-order")?,
        )
    } else {
        columns.push(("angles", angle));
        (
            scheme.name(),
            published.get("convergence-order-with-friction")?,
        )
    };
    columns
        .into_iter()
        .map(|(what, of)| {
            let order = exponent(&errors(runs, of));
            let slack = published.tolerance("convergence-order")?;
            let verdict = Verdict::matches(slack.allows((order - number.float()?).abs()));
            let quantity = format!("order of the L2 error of {what}, {name}");
            let row = number.row(quantity, order, verdict);
            let row = row.note(format!("least squares over dt = {STEPS:?}, to t = 10"));
            Ok(row.note(slack.note("within")))
        })
        .collect()
}

fn count(friction: f64, runs: &[Run], published: &Published) -> Result<Row, Error> {
    let mean = runs.iter().map(|run| run.solves).sum::<f64>() / runs.len() as f64;
    let number = published.get(&format!("convergence-fixedpoint-mu{friction}"))?;
    let theirs = number.float()?;
    let same = published.tolerance("convergence-count")?;
    let verdict = Verdict::matches(same.allows((mean / theirs - 1.0).abs()));
    let quantity = format!("mean fixed-point iterations a step, μ = {friction}");
    let row = number.row(quantity, mean, verdict);
    let row = row.note(format!("over dt = {STEPS:?}"));
    Ok(row.note(same.note("within a share of")))
}

fn dilatation(runs: &[Run], published: &Published) -> Result<Row, Error> {
    let worst = runs.iter().map(|run| run.off).fold(0.0, f64::max);
    let number = published.get("convergence-gap-convex")?;
    let quantity = "largest |gap / (μ h |v_T|) - 1| while sliding, convex law, μ = 0.1";
    let same = published.tolerance("convergence-gap-convex")?;
    let verdict = Verdict::matches(same.allows(worst));
    let row = number.row(quantity, worst, verdict);
    Ok(row.note("every step and dt").note(same.note("at most")))
}

fn no_gap(published: &Published) -> Result<Row, Error> {
    let mut worst = 0.0f64;
    for step in STEPS {
        worst = worst.max(run(Scheme::Exact(0.1), step)?.gap);
    }
    let number = published.get("convergence-gap-exact")?;
    let quantity = "largest |gap| / R while sliding, exact law, μ = 0.1";
    let none = published.tolerance("convergence-gap-exact")?;
    let verdict = Verdict::matches(none.allows(worst));
    let row = number.row(quantity, worst, verdict);
    let row = row.note("every step and dt, solved to the certificate");
    Ok(row.note(none.note("at most")))
}

fn prototype(runs: &[Run], published: &Published) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (step, run) in STEPS.iter().zip(runs) {
        let prototype = published.get(&format!("convergence-error-{step}"))?;
        let relative = run.position / prototype.float()? - 1.0;
        let quantity = format!("L2 error of positions, no friction, dt = {step}");
        rows.push(
            Row::unpublished(quantity, run.position)
                .unit(&prototype.unit)
                .note(format!(
                    "the paper has a curve only; {}: {}, relative difference {relative:.0e}",
                    prototype.source, prototype.value
                )),
        );
    }
    Ok(rows)
}

/// Figures 5 and 7: distance, velocities and spin with the longest step, and the exact ones.
fn draw_paths(curves: &[(Scheme, Vec<Run>)], options: &Options) -> Result<(), Error> {
    type Of = fn(&DiskState) -> f64;
    let distance: (&str, &'static str, Of) = ("distance", "distance from the plane, m", |s| s.gap);
    let normal: (&str, &'static str, Of) =
        ("normal", "normal velocity, m/s", |s| s.normal_velocity);
    let tangential: (&str, &'static str, Of) =
        ("tangential", "velocity down the slope, m/s", |s| s.velocity);
    let spin: (&str, &'static str, Of) = ("spin", "angular velocity, rad/s", |s| s.spin);
    for (friction, figure, shown) in [
        (0.0, "5", [distance, normal, tangential]),
        (1.0, "7, top", [distance, tangential, spin]),
        (0.1, "7, bottom", [distance, tangential, spin]),
    ] {
        for (name, y, of) in shown {
            let times = (0..=400).map(|k| 0.01 * f64::from(k) * 2.5);
            let exact = times.map(|t| (t, of(&cases::exact_on_incline(friction, t))));
            let mut lines = vec![Curve {
                label: "exact".to_owned(),
                color: 4,
                stroke: Stroke::Line,
                points: exact.collect(),
            }];
            let own = curves
                .iter()
                .filter(|(scheme, _)| scheme.law().friction().sliding == friction);
            for (color, (scheme, runs)) in own.enumerate() {
                let path = runs[0].path.iter().step_by(4);
                lines.push(Curve {
                    label: scheme.name(),
                    color,
                    stroke: Stroke::Circles,
                    points: path.map(|(t, state)| (*t, of(state))).collect(),
                });
            }
            let chart = Chart {
                title: format!(
                    "A disk falls on a plane, dt = {}, μ = {friction} (figure {figure})",
                    STEPS[0]
                ),
                x: "time, s",
                y,
                logarithmic: false,
                curves: lines,
            };
            options.chart(&format!("bloch2023-path-mu{friction}-{name}"), &chart)?;
        }
    }
    Ok(())
}

fn draw(curves: &[(Scheme, Vec<Run>)], options: &Options) -> Result<(), Error> {
    let header = [
        "step[s]",
        "position_error[m s^0.5]",
        "angle_error[rad s^0.5]",
        "solves_per_step",
    ]
    .map(str::to_owned);
    let mut chart = Chart {
        title: "A disk on an inclined plane: error of positions".to_owned(),
        x: "time step, s",
        y: "L2 error, m s^0.5",
        logarithmic: true,
        curves: Vec::new(),
    };
    for (place, (scheme, runs)) in curves.iter().enumerate() {
        let lines: Vec<Vec<f64>> = STEPS
            .iter()
            .zip(runs)
            .map(|(h, run)| vec![*h, run.position, run.angle, run.solves])
            .collect();
        let name = format!("bloch2023-convergence-{}", scheme.file());
        options.curve(&name, &header, &lines)?;
        chart.curves.push(Curve {
            label: scheme.name(),
            color: place,
            stroke: Stroke::Both,
            points: errors(runs, |run| run.position),
        });
    }
    options.chart("bloch2023-convergence", &chart)?;
    chart.title = "A disk on an inclined plane: error of the angle".to_owned();
    chart.y = "L2 error, rad s^0.5";
    chart.curves.remove(0);
    for (curve, (_, runs)) in chart.curves.iter_mut().zip(&curves[1..]) {
        curve.points = errors(runs, |run| run.angle);
    }
    options.chart("bloch2023-convergence-angle", &chart)
}
