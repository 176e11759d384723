//! The eigenvalues of the linear systems of an interior point in one step of a pile [kleinert2017, figure 4].
//!
//! The paper shows those of 2048 spheres that do not turn, in one iteration, "with regularized linear system and
//! block-diagonal preconditioner". What regularised means there is not said; here it is what the iteration solves,
//! N + F², where N alone is singular. Matrices are dense here, so the pile is smaller.

use super::kleinert_piles::{problem, settled};
use super::published::Published;
use super::{Error, Options, Row, Verdict, fit};
use crate::plot::{Chart, Curve, Stroke};
use granule::problem::ContactProblem;
use granule::solver::{Spectra, Spectrum};

/// Spheres, and with `--quick`.
const SPHERES: [usize; 2] = [100, 40];
/// How far the interior point goes: the error of the worst contact, m/s.
const TOLERANCE: f64 = 1e-8;
/// Eigenvalues below this share of the largest are rounding.
const ROUNDING: f64 = 1e-15;
/// Conditions above this are not resolved.
const LARGEST: f64 = 1e13;

/// The largest over the smallest of what is not rounding.
fn condition(values: &[f64]) -> f64 {
    let largest = values.last().copied().unwrap_or(f64::NAN);
    let smallest = values.iter().find(|x| **x > ROUNDING * largest);
    largest / smallest.copied().unwrap_or(f64::NAN)
}

/// The most contacts that a body has.
fn crowd(problem: &ContactProblem) -> usize {
    let Some(space) = problem.delassus.space() else {
        return problem.contact_count();
    };
    let mut counts = vec![0; space.body_count()];
    for end in (0..space.contact_count()).flat_map(|k| space.ends(k)) {
        if let Some(count) = counts.get_mut(end as usize) {
            *count += 1;
        }
    }
    counts.into_iter().max().unwrap_or(0)
}

/// Condition numbers by α, and the spectrum of the last iteration.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let count = SPHERES[usize::from(options.quick)];
    let problem = problem(settled(count, options)?)?;
    options.say(format!("{count} spheres: eigenvalues"));
    let spectra = Spectra::of(&problem, TOLERANCE)
        .ok_or_else(|| Error::Data("a pile without eigenvalues".to_owned()))?;
    let steps = &spectra.iterations;
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Err(Error::Data("a pile that needs no iteration".to_owned()));
    };
    let by_alpha = |of: &dyn Fn(&Spectrum) -> f64| -> Vec<(f64, f64)> {
        steps.iter().map(|s| (s.alpha, of(s))).collect()
    };
    let plain = by_alpha(&|s| condition(&s.system));
    let preconditioned = by_alpha(&|s| condition(&s.preconditioned));
    let note = format!(
        "{} iterations to {TOLERANCE:e} m/s, in which α falls from {:.1e} to {:.1e} J",
        steps.len(),
        first.alpha,
        last.alpha
    );
    let mut rows = vec![
        Row::unpublished("contacts", problem.contact_count()).note(format!(
            "{count} spheres that do not turn; the paper has 8378 of 2048"
        )),
        Row::unpublished("unknowns", problem.len()),
    ];
    let growth = published.tolerance("eigenvalues-growth")?;
    let seen = plain.iter().filter(|(_, condition)| *condition < LARGEST);
    let exponent = -fit::exponent(&seen.copied().collect::<Vec<_>>());
    rows.push(
        published
            .get("eigenvalues-growth")?
            .row(
                "growth of the condition of N + F² with 1/α: exponent",
                exponent,
                Verdict::matches(growth.allows(exponent)),
            )
            .note(&note)
            .note(format!(
                "of conditions below {LARGEST:e}, which rounding does not cut"
            ))
            .note(growth.note("from")),
    );
    let largest = steps.iter().filter_map(|s| s.preconditioned.last());
    let largest = largest.copied().fold(0.0, f64::max);
    let most = crowd(&problem);
    rows.push(
        published
            .get("eigenvalues-bound")?
            .row(
                "largest eigenvalue with the blocks as preconditioner, over the contacts of a body",
                largest / most as f64,
                Verdict::matches(largest <= most as f64),
            )
            .note(format!(
                "{largest:.2} in all iterations, where a body has {most} contacts at most; match: at most 1, for \
                 |Σ D_k x_k|² ≤ n Σ |D_k x_k|² for the n contacts of a body"
            )),
    );
    let (before, after) = (condition(&last.system), condition(&last.preconditioned));
    let gain = published.tolerance("eigenvalues-gain")?;
    rows.push(
        published
            .get("eigenvalues-gain")?
            .row(
                "condition with the blocks over that without, last iteration",
                after / before,
                Verdict::matches(gain.allows(after / before)),
            )
            .note(format!("{after:.1e} and {before:.1e}"))
            .note(gain.note("at most")),
    );
    draw(&spectra, last, [plain, preconditioned], options)?;
    Ok(rows)
}

/// Figure 4, and the conditions over the way.
fn draw(
    spectra: &Spectra,
    last: &Spectrum,
    [plain, preconditioned]: [Vec<(f64, f64)>; 2],
    options: &Options,
) -> Result<(), Error> {
    let curve = |label: &str, color, stroke, points| Curve {
        label: label.to_owned(),
        color,
        stroke,
        points,
    };
    let by_rank = |values: &[f64]| -> Vec<(f64, f64)> {
        let ranks = values.iter().rev().enumerate();
        ranks.map(|(k, x)| ((k + 1) as f64, *x)).collect()
    };
    let kinds = [
        ("N, as it is", &spectra.delassus),
        ("N + F², regularised", &last.system),
        (
            "N + F² with its blocks as preconditioner",
            &last.preconditioned,
        ),
    ];
    let curves = kinds.iter().enumerate();
    let chart = Chart {
        title: format!(
            "Eigenvalues in the last of {} iterations (figure 4)",
            spectra.iterations.len()
        ),
        x: "rank",
        y: "eigenvalue (the first two in 1/kg)",
        logarithmic: true,
        curves: curves
            .map(|(color, (label, values))| curve(label, color, Stroke::Line, by_rank(values)))
            .collect(),
    };
    options.chart("kleinert-eigenvalues", &chart)?;
    let header = ["rank", "delassus[1/kg]", "system[1/kg]", "preconditioned"].map(str::to_owned);
    let lines: Vec<Vec<f64>> = (0..spectra.delassus.len())
        .map(|k| {
            let values = kinds.iter().map(|(_, values)| values[k]);
            std::iter::once(k as f64).chain(values).collect()
        })
        .collect();
    options.curve("kleinert-eigenvalues", &header, &lines)?;
    let chart = Chart {
        title: "Condition of the linear systems over the iterations, from right to left".to_owned(),
        x: "α, J",
        y: "largest over smallest eigenvalue",
        logarithmic: true,
        curves: vec![
            curve("N + F²", 1, Stroke::Both, plain),
            curve(
                "with its blocks as preconditioner",
                2,
                Stroke::Both,
                preconditioned,
            ),
        ],
    };
    options.chart("kleinert-eigenvalues-condition", &chart)
}
