//! The page of a heap: its height over the distance from its axis, with the lines of its flanks.

use super::Page;
use super::axis::Scale;
use super::panel::{Panel, draw_panel};
use granule::measure::{HeapProfile, NoFlank};
use granule_render::short;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, DrawingBackend};

/// The height profile of a heap at a time.
pub struct ProfilePage<'a> {
    /// The profile.
    pub heap: &'a HeapProfile,
    /// s.
    pub time: f64,
}

impl ProfilePage<'_> {
    /// The height of the flanks' lines at each distance, NaN where there is none.
    fn flanks(&self) -> Vec<f64> {
        let mut heights = vec![f64::NAN; self.heap.distance.len()];
        for flank in self.heap.flanks() {
            let [from, to] = flank.between;
            let slope = (flank.height[1] - flank.height[0]) / (to - from);
            let places = self.heap.distance.iter().zip(&mut heights);
            for (distance, height) in
                places.filter(|(d, _)| (from.min(to)..=from.max(to)).contains(d))
            {
                *height = flank.height[0] + slope * (distance - from);
            }
        }
        heights
    }
}

impl Page for ProfilePage<'_> {
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let time = short(self.time);
        let title = match self.heap.measured_angle() {
            Ok(angle) => format!(
                "Height at {time} s, m, to scale; angle of repose {angle:.1}° (slope of the flanks drawn)"
            ),
            Err(NoFlank::NoFloor { .. }) => {
                format!(
                    "Height at {time} s, m, to scale; on no level floor, so that this is no heap"
                )
            }
            Err(_) => format!("Height at {time} s, m, to scale; no flank to measure"),
        };
        let panel = Panel {
            title: title.into(),
            scale: Scale::Linear,
            to_scale: true,
            lines: vec![
                ("surface".into(), self.heap.height.as_slice().into()),
                ("flanks".into(), self.flanks().into()),
            ],
        };
        draw_panel(
            root,
            &panel,
            &self.heap.distance,
            "distance from the axis, m",
            unit,
        )
    }
}
