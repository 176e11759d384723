//! Spheres that fill a box without friction, five gradient solvers [bloch2023, §3.3.1, Table 2].
//!
//! What is compared, for each solver and number of particles N = n³, with one thread:
//! - constraints: pairs nearer than the largest radius in the last step, walls included;
//! - active contacts: those of them with a force in the last step;
//! - acceleration: the time of all solves, divided by that of `pgd` for the same N;
//! - influence of N: the paper has 9 to 15 for 250 times the particles. That cannot be a ratio of
//!   plain run times, since the larger run has 6 times the steps and 375 times the constraints, and
//!   the paper does not say how it was normalised. We take the time of all solves, divided by N and
//!   by the mean number of iterations a step, and give the ratio of that; the plain ratio of times
//!   per step and iteration stands beside it, without a reference.

use super::box_drop::{Measured, Runner, SHARES, SMALLEST_THRESHOLD, WINDOW};
use super::published::{Published, Tolerance};
use super::{Error, Options, Row, Value, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::solver::Method;

/// Spheres along an edge of the box in the small run.
const SMALL: usize = 8;
/// The same in larger runs.
const LARGER: [usize; 1] = [12];
/// The same at the paper's size, one after the other.
const FULL: [usize; 5] = [12, 20, 30, 40, 50];
/// The same in the large run with `--quick`.
const QUICK: usize = 20;

/// Spheres and constraints of `pgd`, as printed.
const PRINTED: [(f64, f64); 2] = [(512.0, 2426.0), (125_000.0, 910_646.0)];

/// The table, for the small box and the large one.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let pool = &rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let runner = Runner { pool, options };
    let mut sitting = options.sitting.unwrap_or(u64::MAX);
    let small = match options.full {
        false => runner.whole(SMALL)?,
        true => match runner.kept(SMALL, &mut sitting)? {
            Some(small) => small,
            None => return Ok(Vec::new()),
        },
    };
    let mut rows = counts_and_times(&small, published)?;
    rows.extend(thresholds(&small[0], published)?);
    rows.push(fastest(&small, published)?);
    write_curves(&small, options)?;
    if options.quick {
        draw_thresholds(std::slice::from_ref(&small), options)?;
        let large = runner.short(QUICK)?;
        let note = format!("{WINDOW} steps from a settled state; the paper has N = 125 000");
        rows.extend(
            counts_and_times(&large, published)?
                .into_iter()
                .map(|row| row.note(&note)),
        );
        rows.extend(per_iteration(&runner.short(SMALL)?, &large).map(|row| row.note(&note)));
    } else {
        let mut sizes = vec![small];
        for &n in if options.full { &FULL[..] } else { &LARGER[..] } {
            let large = match options.full {
                true => runner.kept(n, &mut sitting)?,
                false => Some(runner.whole(n)?),
            };
            let Some(large) = large else {
                break;
            };
            rows.extend(counts_and_times(&large, published)?);
            rows.extend(thresholds(&large[0], published)?);
            rows.push(fastest(&large, published)?);
            rows.extend(influence(&sizes[0], &large, published)?);
            rows.extend(per_iteration(&sizes[0], &large));
            write_curves(&large, options)?;
            sizes.push(large);
        }
        draw_sizes(&sizes, options)?;
        draw_thresholds(&sizes, options)?;
    }
    Ok(rows)
}

/// What the counts are if D_max was 0.09 m, the largest radius of 125 000 spheres, for all N; and which D_max gives the
/// printed count.
fn thresholds(run: &Measured, published: &Published) -> Result<Vec<Row>, Error> {
    let of = |what: &str| format!("pgd, N = {}: {what}", run.particles);
    let mut rows = Vec::new();
    if let Some([pairs, walls]) = run.near.last() {
        let quantity = of(&format!(
            "pairs of spheres nearer than {SMALLEST_THRESHOLD} m at the end"
        ));
        rows.push(Row::unpublished(quantity, *pairs).note(format!(
            "a guess at the paper's counts, D_max of its large run for the small one too; with {walls} near walls"
        )));
    }
    let Some(number) = published.find(&format!("table2-pgd-{}-constraints", run.particles)) else {
        return Ok(rows);
    };
    let wanted = number.float()?;
    let share = |with_walls: usize| {
        let enough = |[pairs, walls]: &[usize; 2]| (pairs + with_walls * walls) as f64 >= wanted;
        let first = run.near[..=SHARES].iter().position(enough);
        first.map_or("more than 1".to_owned(), |k| {
            format!("{:.3}", k as f64 / SHARES as f64)
        })
    };
    let quantity = of("D_max over the largest radius that gives the printed count");
    rows.push(Row::unpublished(quantity, share(1).as_str()).note(format!(
        "the paper says 1; in steps of 1/{SHARES}; {} if those with walls do not count",
        share(0)
    )));
    Ok(rows)
}

/// Constraints for each sphere and times by the number of spheres.
fn draw_sizes(sizes: &[Vec<Measured>], options: &Options) -> Result<(), Error> {
    let particles = |runs: &[Measured]| runs[0].particles as f64;
    let curve = |label: &str, color, of: &dyn Fn(&[Measured]) -> f64| Curve {
        label: label.to_owned(),
        color,
        stroke: Stroke::Both,
        points: sizes
            .iter()
            .map(|runs| (particles(runs), of(runs)))
            .collect(),
    };
    let times = Method::BLOCH.into_iter().enumerate();
    let times =
        times.map(|(k, m)| curve(m.name(), k, &|runs| runs[k].seconds / runs[k].steps as f64));
    options.chart(
        "bloch2023-table2-times",
        &Chart {
            title: "Time of all solves a step, one thread".to_owned(),
            x: "spheres",
            y: "seconds a step",
            logarithmic: true,
            curves: times.collect(),
        },
    )?;
    let each = |count: usize, runs: &[Measured]| count as f64 / particles(runs);
    let mut curves = vec![
        curve("nearer than the largest radius", 0, &|runs| {
            each(runs[0].constraints, runs)
        }),
        curve("nearer than 0.09 m", 2, &|runs| {
            each(runs[0].near.last().map_or(0, |[a, b]| a + b), runs)
        }),
    ];
    curves.push(Curve {
        label: "published".to_owned(),
        color: 1,
        stroke: Stroke::Circles,
        points: PRINTED.iter().map(|(n, count)| (*n, count / n)).collect(),
    });
    options.chart(
        "bloch2023-table2-constraints",
        &Chart {
            title: "Constraints at the end for each sphere".to_owned(),
            x: "spheres",
            y: "constraints a sphere",
            logarithmic: true,
            curves,
        },
    )
}

/// Constraints for each sphere by the threshold.
fn draw_thresholds(sizes: &[Vec<Measured>], options: &Options) -> Result<(), Error> {
    let mut curves: Vec<Curve> = (sizes.iter().enumerate())
        .map(|(color, runs)| Curve {
            label: format!("{} spheres", runs[0].particles),
            color,
            stroke: Stroke::Line,
            points: (runs[0].near[..=SHARES].iter().enumerate())
                .map(|(k, [pairs, walls])| {
                    let each = (pairs + walls) as f64 / runs[0].particles as f64;
                    (k as f64 / SHARES as f64, each)
                })
                .collect(),
        })
        .collect();
    curves.push(Curve {
        label: "published: 512 and 125 000 spheres at 1".to_owned(),
        color: 4,
        stroke: Stroke::Circles,
        points: PRINTED.iter().map(|(n, count)| (1.0, count / n)).collect(),
    });
    options.chart(
        "bloch2023-table2-thresholds",
        &Chart {
            title: "Constraints for each sphere by the threshold D_max".to_owned(),
            x: "D_max over the largest radius",
            y: "constraints a sphere",
            logarithmic: false,
            curves,
        },
    )
}

/// The solvers with their runs.
fn by_method(runs: &[Measured]) -> impl Iterator<Item = (Method, &Measured)> {
    Method::BLOCH.into_iter().zip(runs)
}

/// What counts as a match.
#[derive(Clone, Copy)]
enum Judge<'a> {
    /// A difference of at most this share.
    Within(&'a Tolerance),
    /// A cost, within this factor.
    Time(&'a Tolerance),
}

impl Judge<'_> {
    fn verdict(self, theirs: f64, ours: f64) -> Verdict {
        match self {
            Self::Within(share) => Verdict::matches(share.allows((ours - theirs).abs() / theirs)),
            Self::Time(factor) => Verdict::of_cost(theirs, ours, factor.most()),
        }
    }

    fn note(self) -> String {
        match self {
            Self::Within(share) => share.note("within a share of"),
            Self::Time(factor) => {
                format!("all solves, one thread; {}", factor.note("within a factor"))
            }
        }
    }
}

/// A line beside the published number of a column; without one if the paper does not have this N.
fn row(
    (method, run): (Method, &Measured),
    (column, what): (&str, &str),
    measured: Value,
    published: &Published,
    judge: Judge<'_>,
) -> Result<Row, Error> {
    let quantity = format!("{}, N = {}: {what}", method.name(), run.particles);
    let name = format!("table2-{}-{}-{column}", method.name(), run.particles);
    match (published.find(&name), measured.number()) {
        (Some(number), Some(ours)) => {
            let verdict = judge.verdict(number.float()?, ours);
            Ok(number.row(quantity, measured, verdict).note(judge.note()))
        }
        _ => Ok(Row::unpublished(quantity, measured)),
    }
}

/// A measured time or ratio: three digits, the rest is noise.
fn rounded(x: f64) -> Value {
    let unit = 10f64.powf(x.log10().floor() - 2.0);
    Value::Number(if unit.is_normal() {
        (x / unit).round() * unit
    } else {
        x
    })
}

/// Constraints, active contacts, acceleration and iterations of one number of particles.
fn counts_and_times(runs: &[Measured], published: &Published) -> Result<Vec<Row>, Error> {
    let time = Judge::Time(published.tolerance("table2-time")?);
    let mut rows = Vec::new();
    for line in by_method(runs) {
        let column = ("constraints", "final constraints");
        let judge = Judge::Within(published.tolerance("table2-constraints")?);
        let row = row(line, column, line.1.constraints.into(), published, judge)?;
        rows.push(row.note(format!("{} of ours are with walls", line.1.with_walls)));
    }
    for line in by_method(runs) {
        let column = ("active", "final active contacts");
        let judge = Judge::Within(published.tolerance("table2-active")?);
        rows.push(row(line, column, line.1.active.into(), published, judge)?);
    }
    for line in by_method(runs).skip(1) {
        let column = ("acceleration", "time / time of pgd");
        let ratio = rounded(line.1.seconds / runs[0].seconds);
        rows.push(row(line, column, ratio, published, time)?);
    }
    for line in by_method(runs) {
        let column = ("iterations", "mean iterations a step");
        let mean = line.1.iterations_per_step().into();
        let row = row(line, column, mean, published, time)?;
        rows.push(row.note(match line.1.unfinished {
            0 => "figure 10 has a curve only".to_owned(),
            steps => format!("figure 10 has a curve only; {steps} steps ended at the limit"),
        }));
    }
    Ok(rows)
}

/// The solver that takes the least time.
fn fastest(runs: &[Measured], published: &Published) -> Result<Row, Error> {
    let particles = runs[0].particles;
    let number = published.get("table2-fastest")?;
    let (method, best) = by_method(runs)
        .min_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds))
        .unwrap_or((Method::Pgd, &runs[0]));
    let quantity = format!("fastest solver, N = {particles}");
    let Some(theirs) = published.find(&format!("table2-apgd-ar-{particles}-acceleration")) else {
        return Ok(Row::unpublished(quantity, method.name()));
    };
    // Another winner is better if it gains more over `pgd` than theirs did.
    let verdict = if number.value == method.name().into() {
        Verdict::Match
    } else if best.seconds / runs[0].seconds < theirs.float()? {
        Verdict::Better
    } else {
        Verdict::Worse
    };
    let row = number.row(quantity, method.name(), verdict);
    Ok(row.note("here each step that is tried costs one product with W, where two are usual"))
}

/// The time per particle and mean number of iterations, relative to the small run.
fn influence(
    small: &[Measured],
    large: &[Measured],
    published: &Published,
) -> Result<Vec<Row>, Error> {
    let cost = |run: &Measured| run.seconds / run.particles as f64 / run.iterations_per_step();
    let ratios = small.iter().zip(large).map(|(s, l)| cost(l) / cost(s));
    let column = ("influence", "time relative to N = 512");
    let lines = by_method(large).zip(ratios);
    lines
        .map(|(line, ratio)| {
            let judge = Judge::Time(published.tolerance("table2-time")?);
            let row = row(line, column, rounded(ratio), published, judge)?;
            Ok(row.note("per particle and mean number of iterations a step"))
        })
        .collect()
}

/// The plain time of a step and iteration, relative to the small run.
fn per_iteration(small: &[Measured], large: &[Measured]) -> impl Iterator<Item = Row> {
    let pairs = by_method(large).zip(small);
    pairs.map(|((method, large), small)| {
        let time = large.seconds_per_iteration() / small.seconds_per_iteration();
        let constraints = large.constraints as f64 / small.constraints as f64;
        let (name, from, to) = (method.name(), small.particles, large.particles);
        let quantity = format!("{name}, N = {to}: time of an iteration relative to N = {from}");
        Row::unpublished(quantity, rounded(time)).note(format!(
            "one thread; the final constraints are {constraints:.1} times as many"
        ))
    })
}

/// The curves of figure 10: iterations against active contacts.
fn write_curves(runs: &[Measured], options: &Options) -> Result<(), Error> {
    let header = ["time[s]", "contacts", "active", "iterations"].map(str::to_owned);
    for (method, run) in by_method(runs) {
        let name = format!("bloch2023-table2-{}-{}", run.particles, method.name());
        options.curve(&name, &header, &run.history)?;
    }
    let curves = by_method(runs)
        .enumerate()
        .map(|(color, (method, run))| Curve {
            label: method.name().to_owned(),
            color,
            stroke: Stroke::Circles,
            points: run
                .history
                .iter()
                .step_by(3)
                .map(|line| (line[2], line[3]))
                .collect(),
        });
    let particles = runs[0].particles;
    let chart = Chart {
        title: format!(
            "{particles} spheres: iterations of a step over its active contacts (figure 10)"
        ),
        x: "active contacts",
        y: "iterations",
        logarithmic: false,
        curves: curves.collect(),
    };
    options.chart(&format!("bloch2023-table2-{particles}-iterations"), &chart)
}
