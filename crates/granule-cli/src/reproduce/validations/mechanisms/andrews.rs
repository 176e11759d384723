//! Andrews' squeezing mechanism at t = 0.03 s.

use super::{Run, SCHEMES, started};
use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::fit::exponent;
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::{AndrewsAngles, andrews, andrews_angles, mechanism_settings};
use granule::scheme::SchemeName;
use granule::simulation::Simulation;

/// s.
const END: f64 = 0.03;
const TOLERANCE: f64 = 1e-9;
const NAMES: [&str; 7] = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"];

/// The angles at the end after so many steps, and the run.
fn angles(
    scheme: SchemeName,
    steps: usize,
    news: &mut News,
) -> Result<(AndrewsAngles, Run), Error> {
    let step = END / steps as f64;
    let settings = mechanism_settings(scheme, step, END, TOLERANCE);
    let mut simulation = Simulation::new(started(andrews(), scheme, step), settings)?;
    let mut run = Run::default();
    run.finish(&mut simulation, news)?;
    Ok((andrews_angles(&simulation), run))
}

pub(super) fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut news = News::start(options, "Andrews' mechanism");
    let mut exact = [0.0; 7];
    for (exact, name) in exact.iter_mut().zip(NAMES) {
        *exact = published.get(&format!("andrews-{name}"))?.float()?;
    }
    let counts: &[usize] = match options.quick {
        true => &[2_000, 4_000],
        false => &[4_000, 8_000, 16_000, 32_000],
    };
    let mut chart = Chart {
        title: "Andrews' mechanism at 0.03 s".to_owned(),
        x: "step, s",
        y: "largest error of an angle, rad",
        logarithmic: true,
        curves: Vec::new(),
    };
    let near = published.tolerance("andrews")?;
    let same_order = published.tolerance("mechanism-order")?;
    let closed = published.tolerance("mechanism-open")?;
    let mut rows = Vec::new();
    for (scheme, order) in SCHEMES {
        let (mut points, mut good, mut last) = (Vec::new(), true, [0.0; 7]);
        for steps in counts {
            let (found, run) = angles(scheme, *steps, &mut news)?;
            good &= run.is_good(closed);
            let errors = found.iter().zip(exact).map(|(x, y)| (x - y).abs());
            points.push((END / *steps as f64, errors.fold(0.0, f64::max)));
            last = found;
        }
        let (step, error) = points[points.len() - 1];
        if order == 2.0 {
            for ((found, exact), name) in last.iter().zip(exact).zip(NAMES) {
                let same = near.allows((found - exact).abs());
                let row = published.get(&format!("andrews-{name}"))?.row(
                    format!("14: {name} of Andrews' mechanism, {}", scheme.name()),
                    *found,
                    Verdict::matches(same && good),
                );
                rows.push(row.note(format!(
                    "h = {step:.3e} s, off by {:.1e}; {}",
                    found - exact,
                    near.note("within")
                )));
            }
        }
        let list: Vec<String> = points.iter().map(|p| format!("{:.2e}", p.1)).collect();
        let found = exponent(&points);
        let row = Row {
            published: Some(order.into()),
            ..published.get("mechanism-order")?.row(
                format!("14: order of Andrews' mechanism, {}", scheme.name()),
                found,
                Verdict::matches(same_order.allows((found - order).abs()) && good),
            )
        };
        rows.push(row.note(format!(
            "largest errors of an angle {} rad with {counts:?} steps, the last {error:.1e}; {}",
            list.join(", "),
            same_order.note("within")
        )));
        chart.curves.push(Curve {
            label: scheme.name().to_owned(),
            color: chart.curves.len(),
            stroke: Stroke::Both,
            points,
        });
    }
    options.chart("validations-14-andrews", &chart)?;
    Ok(rows)
}
