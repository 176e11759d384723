//! All of a run on one page, to be printed: its certificate, series, and what its last frame shows.

use super::Page;
use super::axis::Scale;
use super::panel::{Panel, draw_panel};
use super::series;
use super::style::{FONT, INK};
use granule::math::DVec3;
use granule::measure::{ForceDistribution, Moment, Region, Slices};
use granule_io::results::Series;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::borrow::Cow;

/// Bins of the distribution of forces, and where it ends, in means.
const BINS: usize = 24;
const END: f64 = 6.0;
/// Slices of a profile.
const SLICES: usize = 24;
/// Panels at most, and lines at most in one.
const PANELS: usize = 24;
const LINES: usize = 5;
/// How many times as large as another a column of the same panel may be: less would be a line along the axis.
const ALIKE: f64 = 100.0;
/// What is so many times smaller than another column of the same unit is what rounding leaves.
const ROUNDING: f64 = 1e-10;
/// Columns that have a panel of their own, or tell nothing over time.
const SHOWN: [&str; 10] = [
    "time",
    "step",
    "contacts",
    "active",
    "iterations",
    "residual",
    "kinetic_energy",
    "potential_energy",
    "elastic_energy",
    "step_size",
];

/// A run: what it was, its series, and the grains of its last frame.
pub struct RunPage<'a> {
    /// Its name.
    pub name: &'a str,
    /// A sentence on its steps and their certificates.
    pub verdict: String,
    /// Over time.
    pub series: &'a Series,
    /// The last frame.
    pub moment: &'a Moment,
    /// The direction against gravity.
    pub up: DVec3,
}

/// A panel with what is along its horizontal axis.
struct Plotted<'a> {
    panel: Panel<'a>,
    x: Cow<'a, [f64]>,
    label: Cow<'static, str>,
}

impl<'a> RunPage<'a> {
    fn panels(&self) -> Vec<Plotted<'a>> {
        let (time, label) = series::horizontal(self.series);
        let over_time = |panel| Plotted {
            panel,
            x: time.clone(),
            label: label.into(),
        };
        let mut all: Vec<Plotted<'a>> = series::panels(self.series)
            .into_iter()
            .map(over_time)
            .collect();
        all.extend(self.forces());
        all.extend(self.coordination());
        all.extend(self.profiles());
        all.extend(others(self.series).into_iter().map(over_time));
        all.retain(|plotted| !plotted.panel.lines.is_empty());
        all.truncate(PANELS);
        all
    }

    /// How normal forces are distributed about their mean.
    fn forces(&self) -> Option<Plotted<'a>> {
        let found = ForceDistribution::of(self.moment, &Region::Everywhere, BINS, END);
        let middle = |bin: usize| (bin as f64 + 0.5) * found.width;
        (found.number > 0).then(|| Plotted {
            panel: Panel::new(
                "Distribution of normal forces, last frame",
                Scale::Logarithmic,
                vec![("density".into(), found.density.clone().into())],
            ),
            x: (0..BINS).map(middle).collect(),
            label: "force over its mean".into(),
        })
    }

    /// How many grains have how many contacts.
    fn coordination(&self) -> Option<Plotted<'a>> {
        let mut contacts = vec![0usize; self.moment.grains.len()];
        for touch in &self.moment.touches {
            contacts[touch.grain] += 1;
            if let Some(other) = touch.other {
                contacts[other] += 1;
            }
        }
        let most = contacts.iter().copied().max()?;
        let share = |count: usize| {
            let found = contacts.iter().filter(|other| **other == count).count();
            found as f64 / contacts.len() as f64
        };
        (most > 0).then(|| Plotted {
            panel: Panel::new(
                "Grains with so many contacts, last frame",
                Scale::Linear,
                vec![("share of grains".into(), (0..=most).map(share).collect())],
            ),
            x: (0..=most).map(|count| count as f64).collect(),
            label: "contacts of a grain".into(),
        })
    }

    /// Solid fraction and speed by the height.
    fn profiles(&self) -> Vec<Plotted<'a>> {
        let [min, max] = self.moment.bounds();
        let dimension = self.moment.dimension;
        let axis = (0..dimension.count()).max_by(|a, b| {
            let along = |k: &usize| self.up[*k].abs();
            along(a).total_cmp(&along(b))
        });
        let region = Region::rectangle(min, max, dimension);
        let slices = axis.and_then(|k| Slices::new(region, DVec3::AXES[k], SLICES, dimension));
        let (Some(slices), Some(axis)) = (slices, axis) else {
            return Vec::new();
        };
        let found = slices.of(self.moment);
        let label = format!("{}, m", ["x", "y", "z"][axis]);
        let middle: Vec<f64> = found.iter().map(|slice| slice.middle).collect();
        let plotted = |title: &'static str, values: Vec<f64>| Plotted {
            panel: Panel::new(title, Scale::Linear, vec![(title.into(), values.into())]),
            x: middle.clone().into(),
            label: label.clone().into(),
        };
        vec![
            plotted(
                "Solid fraction in slices of the box around all grains",
                found.iter().map(|slice| slice.solid_fraction).collect(),
            ),
            plotted(
                "Speed of slices, m/s",
                found.iter().map(|slice| slice.velocity.length()).collect(),
            ),
        ]
    }
}

/// Columns that share a panel.
struct Group<'a> {
    unit: &'a str,
    /// The largest magnitude of its first column.
    size: f64,
    places: Vec<usize>,
}

/// The columns that are not zero but for rounding, nor the same pure number throughout: those of one unit and of one size
/// together.
fn others(series: &Series) -> Vec<Panel<'_>> {
    let size_of = |place: usize| {
        let sizes = series.columns[place].iter().map(|value| value.abs());
        sizes.fold(0.0, f64::max)
    };
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (place, name) in series.names.iter().enumerate() {
        let (values, unit) = (&series.columns[place], series.units[place].as_str());
        let of_unit = (0..series.names.len()).filter(|other| series.units[*other] == unit);
        let largest = of_unit.map(size_of).fold(0.0, f64::max);
        let size = size_of(place);
        let same = unit == "-" && values.iter().all(|value| *value == values[0]);
        if SHOWN.contains(&name.as_str()) || size <= ROUNDING * largest || same {
            continue;
        }
        let open = |group: &&mut Group<'_>| {
            let ratio = size / group.size;
            let alike = (1.0 / ALIKE..ALIKE).contains(&ratio);
            group.unit == unit && alike && group.places.len() < LINES
        };
        match groups.iter_mut().find(open) {
            Some(group) => group.places.push(place),
            None => groups.push(Group {
                unit,
                size,
                places: vec![place],
            }),
        }
    }
    let panel = |Group { unit, places, .. }: Group<'_>| {
        let line = |&place: &usize| {
            let name = series.names[place].replace('_', " ");
            (name.into(), series.columns[place].as_slice().into())
        };
        let lines: Vec<(Cow<'_, str>, Cow<'_, [f64]>)> = places.iter().map(line).collect();
        let title = match (&lines[..], unit) {
            ([(name, _)], "-") => capital(name),
            ([(name, _)], unit) => format!("{}, {unit}", capital(name)),
            (_, "-") => "Other numbers".to_owned(),
            (_, unit) => format!("Other columns in {unit}"),
        };
        Panel::new(title, Scale::Linear, lines)
    };
    groups.into_iter().map(panel).collect()
}

/// With a large first letter.
fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

impl Page for RunPage<'_> {
    // The shape of a sheet of paper, upright.
    const SIZE: (u32, u32) = (1414, 2000);

    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let pixels = |count: u32| (count * unit) as i32;
        let text = |size: u32| (FONT, pixels(size)).into_font().color(&INK);
        let (head, rest) = root.split_vertically(pixels(86));
        head.draw(&Text::new(self.name, (pixels(14), pixels(8)), text(34)))?;
        head.draw(&Text::new(
            self.verdict.as_str(),
            (pixels(14), pixels(54)),
            text(19),
        ))?;
        let panels = self.panels();
        let rows = panels.len().div_ceil(2).max(4);
        for (area, plotted) in rest.split_evenly((rows, 2)).iter().zip(&panels) {
            draw_panel(area, &plotted.panel, &plotted.x, &plotted.label, unit)?;
        }
        Ok(())
    }
}
