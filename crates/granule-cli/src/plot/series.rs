//! The page of a run's series: four panels over time.

use super::Page;
use super::axis::Scale;
use super::panel::{Panel, draw_panel};
use granule_io::results::Series;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, DrawingBackend};
use std::borrow::Cow;

pub(super) fn panels(series: &Series) -> [Panel<'_>; 4] {
    let lines = |columns: &[(&'static str, &str)]| -> Vec<(Cow<'_, str>, Cow<'_, [f64]>)> {
        let found = columns
            .iter()
            .map(|&(label, name)| Some((label.into(), series.column(name)?.into())));
        found.flatten().collect()
    };
    let mut energies = lines(&[
        ("kinetic", "kinetic_energy"),
        ("potential", "potential_energy"),
        ("elastic", "elastic_energy"),
    ]);
    // Runs in which nothing gives have no line for it.
    energies.retain(|(label, values)| label != "elastic" || values.iter().any(|e| *e != 0.0));
    if energies.len() > 1 {
        let total: Vec<f64> = (0..series.len())
            .map(|row| energies.iter().map(|(_, values)| values[row]).sum())
            .collect();
        energies.push(("total".into(), total.into()));
    }
    let contacts = lines(&[("candidates", "contacts"), ("active", "active")]);
    let iterations = lines(&[("iterations", "iterations")]);
    let residual = lines(&[("residual", "residual")]);
    [
        Panel::new("Energy, J", Scale::Linear, energies),
        Panel::new("Contacts", Scale::Linear, contacts),
        Panel::new("Iterations a step", Scale::Linear, iterations),
        Panel::new("Certified residual, m/s", Scale::Logarithmic, residual),
    ]
}

impl Page for Series {
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let (x, x_label) = horizontal(self);
        for (area, panel) in root.split_evenly((2, 2)).iter().zip(panels(self)) {
            draw_panel(area, &panel, &x, x_label, unit)?;
        }
        Ok(())
    }
}

/// What is along the horizontal axis, with its name and unit.
pub(super) fn horizontal(series: &Series) -> (Cow<'_, [f64]>, &'static str) {
    match (series.column("time"), series.column("step")) {
        (Some(time), _) => (time.into(), "time, s"),
        (None, Some(step)) => (step.into(), "step"),
        (None, None) => ((0..series.len()).map(|row| row as f64).collect(), "row"),
    }
}

/// Columns of a series that were chosen, over time: those with the same unit in one panel.
pub struct ColumnsPage<'a> {
    series: &'a Series,
    /// Units, each with the places of its columns.
    panels: Vec<(&'a str, Vec<usize>)>,
}

impl<'a> ColumnsPage<'a> {
    /// The page of columns by their names; the error is a name that the series does not have.
    pub fn of(series: &'a Series, names: &[String]) -> Result<Self, String> {
        let mut panels: Vec<(&str, Vec<usize>)> = Vec::new();
        for name in names {
            let place = series.names.iter().position(|known| known == name);
            let place = place.ok_or_else(|| name.clone())?;
            let unit = series.units[place].as_str();
            match panels.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, places)) => places.push(place),
                None => panels.push((unit, vec![place])),
            }
        }
        Ok(Self { series, panels })
    }
}

impl Page for ColumnsPage<'_> {
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let (x, x_label) = horizontal(self.series);
        let areas = root.split_evenly((self.panels.len(), 1));
        for (area, (symbol, places)) in areas.iter().zip(&self.panels) {
            let line = |&place: &usize| {
                let name = self.series.names[place].as_str();
                (name.into(), self.series.columns[place].as_slice().into())
            };
            let lines: Vec<(Cow<'_, str>, Cow<'_, [f64]>)> = places.iter().map(line).collect();
            let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_ref()).collect();
            let title = format!("{}, {symbol}", names.join(", "));
            draw_panel(
                area,
                &Panel::new(title, Scale::Linear, lines),
                &x,
                x_label,
                unit,
            )?;
        }
        Ok(())
    }
}

/// Replaces all columns but time and step by their means over so many seconds around each row.
pub fn smooth(series: &mut Series, seconds: f64) {
    let Some(time) = series.column("time").map(<[f64]>::to_vec) else {
        return;
    };
    // Rows at the ends of a window shall not fall out by rounding.
    let half = 0.5 * seconds * (1.0 + 1e-9);
    let within = |row: usize| {
        let (from, to) = (time[row] - half, time[row] + half);
        time.partition_point(|t| *t < from)..time.partition_point(|t| *t <= to)
    };
    let windows: Vec<_> = (0..time.len()).map(within).collect();
    for (name, column) in series.names.iter().zip(&mut series.columns) {
        if name == "time" || name == "step" {
            continue;
        }
        // Sums up to each row: a difference of two is that of a window.
        let mut sums = vec![0.0];
        for value in &*column {
            sums.push(sums[sums.len() - 1] + if value.is_finite() { *value } else { 0.0 });
        }
        for (value, window) in column.iter_mut().zip(&windows) {
            if value.is_finite() && !window.is_empty() {
                *value = (sums[window.end] - sums[window.start]) / window.len() as f64;
            }
        }
    }
}
