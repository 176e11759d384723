//! The page of a run's series: four panels over time.

use super::Page;
use super::axis::Scale;
use super::panel::{Panel, draw_panel};
use granule_io::results::Series;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, DrawingBackend};
use std::borrow::Cow;

fn panels(series: &Series) -> [Panel<'_>; 4] {
    let lines = |columns: &[(&'static str, &str)]| -> Vec<(&'static str, Cow<'_, [f64]>)> {
        let found = columns
            .iter()
            .map(|&(label, name)| Some((label, series.column(name)?.into())));
        found.flatten().collect()
    };
    let mut energies = lines(&[
        ("kinetic", "kinetic_energy"),
        ("potential", "potential_energy"),
        ("elastic", "elastic_energy"),
    ]);
    // Runs in which nothing gives have no line for it.
    energies.retain(|(label, values)| *label != "elastic" || values.iter().any(|e| *e != 0.0));
    if energies.len() > 1 {
        let total: Vec<f64> = (0..series.len())
            .map(|row| energies.iter().map(|(_, values)| values[row]).sum())
            .collect();
        energies.push(("total", total.into()));
    }
    let contacts = lines(&[("candidates", "contacts"), ("active", "active")]);
    let iterations = lines(&[("iterations", "iterations")]);
    let residual = lines(&[("residual", "residual")]);
    [
        Panel {
            title: "Energy, J".into(),
            scale: Scale::Linear,
            lines: energies,
        },
        Panel {
            title: "Contacts".into(),
            scale: Scale::Linear,
            lines: contacts,
        },
        Panel {
            title: "Iterations a step".into(),
            scale: Scale::Linear,
            lines: iterations,
        },
        Panel {
            title: "Certified residual, m/s".into(),
            scale: Scale::Logarithmic,
            lines: residual,
        },
    ]
}

impl Page for Series {
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let (x, x_label) = match (self.column("time"), self.column("step")) {
            (Some(time), _) => (Cow::from(time), "time, s"),
            (None, Some(step)) => (Cow::from(step), "step"),
            (None, None) => ((0..self.len()).map(|row| row as f64).collect(), "row"),
        };
        for (area, panel) in root.split_evenly((2, 2)).iter().zip(panels(self)) {
            draw_panel(area, &panel, &x, x_label, unit)?;
        }
        Ok(())
    }
}
