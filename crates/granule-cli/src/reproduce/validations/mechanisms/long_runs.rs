//! Closed loops and a chain over many steps: they stay together, and `rattle` keeps their energy; the energy errors of all
//! schemes are of their order.

use super::{Run, SCHEMES, is_centred, started};
use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::bodies::Dimension;
use granule::cases::{bennett, chain, four_bar, mechanism_settings};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::simulation::{Simulation, World};

const TOLERANCE: f64 = 1e-9;
/// s.
const STEP: f64 = 1e-3;
/// For the order of the energy error, s.
const SHORT: f64 = 1.0;

/// The energies of the steps of a run, J: for schemes with velocities at the middles of steps with the mean of the potential
/// energies of both ends.
fn energies(
    world: World,
    scheme: SchemeName,
    (step, end): (f64, f64),
    news: &mut News,
) -> Result<(Vec<f64>, Run), Error> {
    let settings = mechanism_settings(scheme, step, end, TOLERANCE);
    let mut simulation = Simulation::new(started(world, scheme, step), settings)?;
    let (mut run, mut list) = (Run::default(), Vec::new());
    let mut before = None;
    while !simulation.finished() {
        let report = run.step(&mut simulation)?;
        news.tell(report.time, end);
        let now = report.potential_energy;
        let then = before.replace(now).filter(|_| is_centred(scheme));
        list.push(report.kinetic_energy + 0.5 * (now + then.unwrap_or(now)));
    }
    // The first has no potential energy before it.
    list.remove(0);
    Ok((list, run))
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

/// From the least to the greatest.
fn range(list: &[f64]) -> f64 {
    let most = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - list.iter().copied().fold(f64::INFINITY, f64::min)
}

fn long_run(
    (what, world): (&str, World),
    published: &Published,
    options: &Options,
    chart: &mut Chart,
) -> Result<Vec<Row>, Error> {
    let steps = if options.quick { 4_000 } else { 100_000 };
    let mut news = News::start(options, what);
    let end = steps as f64 * STEP;
    let (list, run) = energies(world, SchemeName::Rattle, (STEP, end), &mut news)?;
    let closed = published.tolerance("mechanism-open")?;
    let still = published.tolerance("mechanism-drift")?;
    let tenth = list.len() / 10;
    let shift = mean(&list[list.len() - tenth..]) - mean(&list[..tenth]);
    let range = range(&list);
    let points = list.chunks(tenth / 10).enumerate();
    chart.curves.push(Curve {
        label: what.to_owned(),
        color: chart.curves.len(),
        stroke: Stroke::Line,
        points: points
            .map(|(k, part)| ((k * tenth / 10) as f64 * STEP, mean(part) - list[0]))
            .collect(),
    });
    let open = published.get("mechanism-open")?.row(
        format!("14: largest error of a joint of {what}, rattle"),
        run.open,
        Verdict::matches(run.is_good(closed)),
    );
    let drift = published.get("mechanism-drift")?.row(
        format!("14: drift of the energy of {what} over its range, rattle"),
        shift / range,
        // A few swings have no mean.
        match options.quick {
            true => Verdict::NoReference,
            false => Verdict::matches(still.allows(shift.abs() / range)),
        },
    );
    let note = format!(
        "{steps} steps of {STEP} s, {} not certified, {:.1} iterations a step",
        run.uncertified,
        run.iterations as f64 / steps as f64
    );
    Ok(vec![
        open.note(&note).note(closed.note("all certified, and open by at most")),
        drift.note(format!(
            "means of the first and the last tenth, {shift:.2e} J apart, in a range of {range:.2e} J; {}",
            still.note("within a share of it of")
        )),
    ])
}

/// The order of the largest energy error of a four-bar linkage.
fn energy_orders(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut news = News::start(options, "energy of a four-bar linkage, all schemes");
    let number = published.get("mechanism-order")?;
    let same_order = published.tolerance("mechanism-order")?;
    let mut rows = Vec::new();
    for (scheme, order) in SCHEMES {
        let steps = [STEP, 0.5 * STEP];
        let mut errors = [0.0; 2];
        for (error, step) in errors.iter_mut().zip(steps) {
            let world = four_bar(Dimension::Space);
            *error = range(&energies(world, scheme, (step, SHORT), &mut news)?.0);
        }
        let found = (errors[0] / errors[1]).log2();
        let row = Row {
            published: Some(order.into()),
            ..number.row(
                format!(
                    "14: order of the energy error of a four-bar linkage, {}",
                    scheme.name()
                ),
                found,
                Verdict::matches(same_order.allows((found - order).abs())),
            )
        };
        rows.push(row.note(format!(
            "range of the energy in {SHORT} s {:.2e} and {:.2e} J with steps of {} and {} s; {}",
            errors[0],
            errors[1],
            steps[0],
            steps[1],
            same_order.note("within")
        )));
    }
    Ok(rows)
}

pub(super) fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mechanisms = [
        (
            "a four-bar linkage in the plane",
            four_bar(Dimension::Plane),
        ),
        ("a four-bar linkage in space", four_bar(Dimension::Space)),
        ("Bennett's linkage", bennett()),
        ("a chain of ten links", chain(10, 1.0, DVec3::X)),
    ];
    let mut chart = Chart {
        title: format!("Energy of mechanisms, rattle, h = {STEP} s"),
        x: "time, s",
        y: "energy, mean of a hundredth, above the first, J",
        logarithmic: false,
        curves: Vec::new(),
    };
    let mut rows = Vec::new();
    for mechanism in mechanisms {
        rows.extend(long_run(mechanism, published, options, &mut chart)?);
    }
    options.chart("validations-14-energy", &chart)?;
    rows.extend(energy_orders(published, options)?);
    Ok(rows)
}
