//! Curves over common axes.

use super::Page;
use super::style::{COLORS, FONT, INK, PALE};
use granule_render::short;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::ops::Range;

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// A line.
    Line,
    /// Circles, not joined.
    Circles,
    /// A line with filled circles.
    Both,
}

/// One curve.
#[derive(Debug, Clone)]
pub struct Curve {
    /// What it is; of curves without one the legend says nothing.
    pub label: String,
    /// Curves with the same number have the same colour.
    pub color: usize,
    /// How it is drawn.
    pub stroke: Stroke,
    /// x and y.
    pub points: Vec<(f64, f64)>,
}

/// Curves over common axes.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What is shown; nothing is written above the axes if it is empty.
    pub title: String,
    /// Name and unit of x.
    pub x: &'static str,
    /// Name and unit of y.
    pub y: &'static str,
    /// Whether both axes are by powers of ten; then only positive numbers are drawn.
    pub logarithmic: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl Chart {
    /// Where a point is drawn.
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (x, y) = if self.logarithmic {
            (x.log10(), y.log10())
        } else {
            (x, y)
        };
        (x.is_finite() && y.is_finite()).then_some((x, y))
    }

    /// The range of an axis on which all places are seen.
    fn range(&self, places: impl Iterator<Item = f64>) -> Range<f64> {
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        if low > high {
            0.0..1.0
        } else if self.logarithmic {
            low.floor()..high.ceil().max(low.floor() + 1.0)
        } else {
            let room = 0.05 * (high - low).max(1e-12);
            low - room..high + room
        }
    }
}

/// The corner of a chart with the fewest points, for the legend; the lower right one of equals.
fn quietest_corner<'a>(
    points: impl Iterator<Item = &'a (f64, f64)> + Clone,
    across: &Range<f64>,
    up: &Range<f64>,
) -> SeriesLabelPosition {
    let share = |x: f64, range: &Range<f64>| (x - range.start) / (range.end - range.start);
    let crowd = |right: bool, upper: bool| {
        let near = |share: f64, high: bool| if high { share > 0.65 } else { share < 0.35 };
        let inside =
            |p: &&(f64, f64)| near(share(p.0, across), right) && near(share(p.1, up), upper);
        points.clone().filter(inside).count()
    };
    let corners = [
        (crowd(true, false), SeriesLabelPosition::LowerRight),
        (crowd(true, true), SeriesLabelPosition::UpperRight),
        (crowd(false, false), SeriesLabelPosition::LowerLeft),
        (crowd(false, true), SeriesLabelPosition::UpperLeft),
    ];
    let quietest = corners.into_iter().min_by_key(|(crowd, _)| *crowd);
    quietest.map_or(SeriesLabelPosition::LowerRight, |(_, corner)| corner)
}

impl Page for Chart {
    // Small, so that two beside each other on a sheet of paper can be read.
    const SIZE: (u32, u32) = (640, 480);

    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let pixels = |count: u32| (count * unit) as i32;
        let text = |size: u32| (FONT, pixels(size)).into_font().color(&INK);
        let placed: Vec<Vec<(f64, f64)>> = self
            .curves
            .iter()
            .map(|curve| curve.points.iter().filter_map(|&p| self.place(p)).collect())
            .collect();
        let all = || placed.iter().flatten();
        let label = |place: &f64| match self.logarithmic {
            true if (place - place.round()).abs() < 1e-6 => format!("1e{}", place.round() as i64),
            true => String::new(),
            false => short(*place),
        };
        let (across, up) = (
            self.range(all().map(|p| p.0)),
            self.range(all().map(|p| p.1)),
        );
        let legend = quietest_corner(all(), &across, &up);
        let mut builder = ChartBuilder::on(root);
        if !self.title.is_empty() {
            builder.caption(&self.title, text(17));
        }
        let mut chart = builder
            .margin(pixels(8))
            .x_label_area_size(pixels(46))
            .y_label_area_size(pixels(72))
            .build_cartesian_2d(across, up)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(PALE.stroke_width(unit))
            .axis_style(INK.mix(0.6).stroke_width(unit))
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .label_style(text(16))
            .axis_desc_style(text(17))
            .draw()?;
        for (curve, points) in self.curves.iter().zip(placed) {
            let color = COLORS[curve.color % COLORS.len()];
            let line = color.stroke_width((3 * unit).div_ceil(2));
            let circle = match curve.stroke {
                Stroke::Both => color.filled(),
                _ => color.stroke_width(unit),
            };
            if curve.stroke != Stroke::Circles && unit == 1 {
                chart.draw_series(LineSeries::new(points.iter().copied(), line))?;
            } else if curve.stroke != Stroke::Circles {
                // Pixels: segment by segment, since the library's mitred joins shoot beyond sharp corners.
                let segments = points.windows(2);
                chart.draw_series(segments.map(|ends| PathElement::new(ends.to_vec(), line)))?;
            }
            let marked = curve.stroke != Stroke::Line;
            if marked {
                chart.draw_series(points.iter().map(|&p| Circle::new(p, pixels(4), circle)))?;
            }
            let joined = curve.stroke != Stroke::Circles;
            if curve.label.is_empty() {
                continue;
            }
            chart
                .draw_series(LineSeries::new(std::iter::empty::<(f64, f64)>(), line))?
                .label(&curve.label)
                .legend(move |(x, y)| {
                    let end = if joined { pixels(20) } else { 0 };
                    let radius = if marked { pixels(4) } else { 0 };
                    EmptyElement::at((x, y))
                        + PathElement::new([(0, 0), (end, 0)], line)
                        + Circle::new((pixels(10), 0), radius, circle)
                });
        }
        if self.curves.iter().all(|curve| curve.label.is_empty()) {
            return Ok(());
        }
        chart
            .configure_series_labels()
            .position(legend)
            .margin(pixels(10))
            .legend_area_size(pixels(28))
            .background_style(WHITE.mix(0.85))
            .border_style(PALE.stroke_width(unit))
            .label_font(text(15))
            .draw()
    }
}
