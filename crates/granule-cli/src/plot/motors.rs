//! The page of motors: a row of panels for each, what it drives and what it exerts over time.

use super::Page;
use super::axis::Scale;
use super::panel::{Panel, draw_pairs};
use granule_io::results::Series;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, DrawingBackend};

/// The ends of the names of columns, with the units of what is driven and of what a motor exerts.
const COORDINATES: [(&str, &str, &str); 3] = [
    ("_turn", "rad", "N m"),
    ("_slide", "m", "N"),
    ("_length", "m", "N"),
];

/// A coordinate of a joint that a motor drives.
struct Driven<'a> {
    joint: &'a str,
    end: &'static str,
    units: [&'static str; 2],
}

/// The motors of a run.
pub struct MotorsPage<'a> {
    series: &'a Series,
    driven: Vec<Driven<'a>>,
}

impl<'a> MotorsPage<'a> {
    /// The page of a series; `None` if it holds no motors.
    pub fn of(series: &'a Series) -> Option<Self> {
        let driven: Vec<Driven<'a>> = (series.names.iter())
            .filter_map(|name| {
                let rest = name.strip_suffix("_motor")?;
                COORDINATES.iter().find_map(|(end, place, effort)| {
                    Some(Driven {
                        joint: rest.strip_suffix(end)?,
                        end,
                        units: [place, effort],
                    })
                })
            })
            .collect();
        (!driven.is_empty()).then_some(Self { series, driven })
    }

    fn panels(&self, driven: &Driven<'_>) -> [Panel<'_>; 2] {
        let Driven { joint, end, units } = driven;
        let panel = |title: String, column: String| {
            let values = self.series.column(&column).into_iter();
            let lines = values.map(|values| ("".into(), values.into())).collect();
            Panel::new(title, Scale::Linear, lines)
        };
        let word = end.trim_start_matches('_');
        [
            panel(
                format!("{joint}: {word}, {}", units[0]),
                format!("{joint}{end}"),
            ),
            panel(
                format!("{joint}: motor, {}", units[1]),
                format!("{joint}{end}_motor"),
            ),
        ]
    }
}

impl Page for MotorsPage<'_> {
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let time = self.series.column("time").unwrap_or_default();
        let panels = self.driven.iter().flat_map(|driven| self.panels(driven));
        draw_pairs(root, panels, self.driven.len(), time, unit)
    }
}
