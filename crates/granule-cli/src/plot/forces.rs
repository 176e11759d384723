//! The page of the loads on walls: a row of panels for each wall, force and torque over time.

use super::Page;
use super::axis::Scale;
use super::panel::{Panel, draw_pairs};
use granule_io::results::Series;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, DrawingBackend};

/// The loads on the walls that a run was asked for.
pub struct ForcesPage<'a> {
    series: &'a Series,
    walls: Vec<&'a str>,
}

impl<'a> ForcesPage<'a> {
    /// The page of a series; `None` if it holds no loads.
    pub fn of(series: &'a Series) -> Option<Self> {
        let names = series.names.iter();
        let walls: Vec<&str> = names
            .filter_map(|name| name.strip_suffix("_force_x"))
            .collect();
        (!walls.is_empty()).then_some(Self { series, walls })
    }

    fn panel(&self, wall: &str, what: &str, title: String) -> Panel<'_> {
        let lines = ["x", "y", "z"].map(|axis| {
            let column = self.series.column(&format!("{wall}_{what}_{axis}"))?;
            Some((axis.into(), column.into()))
        });
        let lines = lines.into_iter().flatten().collect();
        Panel::new(title, Scale::Linear, lines)
    }
}

impl Page for ForcesPage<'_> {
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let time = self.series.column("time").unwrap_or_default();
        let panels = self.walls.iter().flat_map(|wall| {
            [
                self.panel(wall, "force", format!("Force on {wall}, N")),
                self.panel(wall, "torque", format!("Torque on {wall}, N m")),
            ]
        });
        draw_pairs(root, panels, self.walls.len(), time, unit)
    }
}
