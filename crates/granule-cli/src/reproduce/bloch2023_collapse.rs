//! Profiles of a collapsing square of disks with the convex and the exact law of friction
//! [bloch2023, §3.3.2, figure 12].
//!
//! The profile is the height of the disks' upper edge, the highest in bins of two diameters. The
//! distance of two profiles is the area between them over the area below the exact one. Two runs of
//! the same law also differ, since the disks' masses are drawn at random and a pile amplifies every
//! difference: the distance of two exact runs with different masses says how much.

use super::news::News;
use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases;
use granule::law::{Friction, Law};
use granule::simulation::{Simulation, World};

/// Disks along an edge of the square.
const EDGE: usize = 30;
/// The same with `--quick`.
const QUICK: usize = 12;
/// When profiles are taken, s; √(H/g) is 3.2 s.
const TIMES: [f64; 4] = [2.0, 4.0, 6.0, 8.0];
/// A profile: heights (m) in bins of the same width, from `first`.
struct Profile {
    /// m.
    width: f64,
    /// Number of the first bin, from x = 0.
    first: i64,
    heights: Vec<f64>,
}

impl Profile {
    fn of(world: &World, radius: f64) -> Self {
        let width = 4.0 * radius;
        let bin = |x: f64| (x / width).floor() as i64;
        let places = &world.bodies.position;
        let first = places.iter().map(|p| bin(p.x)).min().unwrap_or(0);
        let last = places.iter().map(|p| bin(p.x)).max().unwrap_or(0);
        let mut heights = vec![0.0f64; (last - first + 1) as usize];
        for place in places {
            let height = &mut heights[(bin(place.x) - first) as usize];
            *height = height.max(place.y + radius);
        }
        Self {
            width,
            first,
            heights,
        }
    }

    fn height(&self, bin: i64) -> f64 {
        let place = usize::try_from(bin - self.first).ok();
        place
            .and_then(|place| self.heights.get(place))
            .copied()
            .unwrap_or(0.0)
    }

    /// The middles of bins with their heights, m.
    fn points(&self) -> Vec<(f64, f64)> {
        let middle = |place: usize| (self.first as f64 + place as f64 + 0.5) * self.width;
        let heights = self.heights.iter().enumerate();
        heights.map(|(place, &y)| (middle(place), y)).collect()
    }

    /// The area between two profiles over the area below the other.
    fn distance(&self, other: &Self) -> f64 {
        let end = |p: &Self| p.first + p.heights.len() as i64;
        let bins = self.first.min(other.first)..end(self).max(end(other));
        let between: f64 = bins
            .map(|bin| (self.height(bin) - other.height(bin)).abs())
            .sum();
        between / other.heights.iter().sum::<f64>()
    }
}

/// A run: its profiles, and how many steps were not certified.
struct Run {
    profiles: Vec<Profile>,
    uncertified: usize,
}

fn run(n: usize, law: Law, seed: u64, options: &Options) -> Result<Run, Error> {
    let settings = cases::disk_collapse_settings(n, TIMES[TIMES.len() - 1]);
    let radius = cases::disk_collapse_radius(n);
    let mut simulation = Simulation::new(cases::disk_collapse(n, law, seed), settings)?;
    let what = format!(
        "{} disks collapse, {}, μ = {}",
        n * n,
        law.name(),
        law.friction().sliding
    );
    let mut news = News::start(options, what);
    let mut run = Run {
        profiles: Vec::new(),
        uncertified: 0,
    };
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, settings.end);
        run.uncertified += usize::from(!report.certified);
        let due = TIMES.get(run.profiles.len());
        if due.is_some_and(|time| report.time >= time - 0.5 * report.step_size) {
            run.profiles.push(Profile::of(simulation.world(), radius));
        }
    }
    Ok(run)
}

/// Distances of the profiles by time, for two coefficients of friction.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let n = if options.quick { QUICK } else { EDGE };
    let mut rows = Vec::new();
    for friction in [0.1, 1.0] {
        let law = Friction::sliding(friction);
        let exact = run(n, Law::Coulomb(law), 0, options)?;
        let convex = run(n, Law::CoulombConvex(law), 0, options)?;
        let other = run(n, Law::Coulomb(law), 1, options)?;
        let number = published.get("collapse-similar")?;
        for (place, time) in TIMES.iter().enumerate() {
            let (a, b) = (&convex.profiles[place], &exact.profiles[place]);
            let distance = a.distance(b);
            let chance = other.profiles[place].distance(b);
            let (similar, by_chance) = (
                published.tolerance("collapse-similar")?,
                published.tolerance("collapse-chance")?,
            );
            let verdict =
                Verdict::matches(similar.allows(distance) || by_chance.allows(distance / chance));
            let quantity =
                format!("distance of convex and exact profile, μ = {friction}, t = {time}");
            let row = number.row(quantity, distance, verdict).note(format!(
                "area between over area below; two exact runs with other masses: {chance:.3}"
            ));
            rows.push(row.note(format!(
                "{}, or {}",
                similar.note("at most"),
                by_chance.note("at most that of the two times").trim_start_matches("match: ")
            )));
        }
        for (what, run) in [("exact", &exact), ("convex", &convex)] {
            let quantity = format!("steps not certified, {what}, μ = {friction}");
            rows.push(Row::unpublished(quantity, run.uncertified));
        }
        draw(n, friction, &exact, &convex, options)?;
    }
    Ok(rows)
}

fn draw(
    n: usize,
    friction: f64,
    exact: &Run,
    convex: &Run,
    options: &Options,
) -> Result<(), Error> {
    let mut curves = Vec::new();
    for (name, run, stroke) in [
        ("exact", exact, Stroke::Line),
        ("convex", convex, Stroke::Circles),
    ] {
        for (place, (time, profile)) in TIMES.iter().zip(&run.profiles).enumerate() {
            let points = profile.points();
            let header = ["x[m]", "height[m]"].map(str::to_owned);
            let lines: Vec<Vec<f64>> = points.iter().map(|&(x, y)| vec![x, y]).collect();
            let file = format!("bloch2023-collapse-{name}-mu{friction}-t{time}");
            options.curve(&file, &header, &lines)?;
            curves.push(Curve {
                label: format!("{name}, t = {time}"),
                color: place,
                stroke,
                points,
            });
        }
    }
    let chart = Chart {
        title: format!("{} disks, μ = {friction}", n * n),
        x: "x, m",
        y: "height, m",
        logarithmic: false,
        curves,
    };
    options.chart(&format!("bloch2023-collapse-mu{friction}"), &chart)
}
