//! A panel: lines over a common horizontal axis.

use super::axis::{Scale, horizontal, pieces};
use super::style::{COLORS, FONT, INK, PALE};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// A panel: its title and the lines in it, as (label, values).
pub struct Panel<'a> {
    pub title: Cow<'static, str>,
    pub scale: Scale,
    /// Whether a metre is as long on both axes.
    pub to_scale: bool,
    pub lines: Vec<(Cow<'a, str>, Cow<'a, [f64]>)>,
}

impl<'a> Panel<'a> {
    /// A panel with axes of their own lengths.
    pub fn new(
        title: impl Into<Cow<'static, str>>,
        scale: Scale,
        lines: Vec<(Cow<'a, str>, Cow<'a, [f64]>)>,
    ) -> Self {
        Self {
            title: title.into(),
            scale,
            to_scale: false,
            lines,
        }
    }
}

/// Draws panels over `time` (s), two beside each other in each of so many rows.
pub fn draw_pairs<'a, DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    panels: impl Iterator<Item = Panel<'a>>,
    rows: usize,
    time: &[f64],
    unit: u32,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    for (area, panel) in root.split_evenly((rows, 2)).iter().zip(panels) {
        draw_panel(area, &panel, time, "time, s", unit)?;
    }
    Ok(())
}

/// Draws a panel over the values `x`; `unit` is how many pixels of the area make one of the page.
pub fn draw_panel<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    panel: &Panel<'_>,
    x: &[f64],
    x_label: &str,
    unit: u32,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let pixels = |count: u32| (count * unit) as i32;
    let text = |size: u32| (FONT, pixels(size)).into_font().color(&INK);
    let mut lines: Vec<Vec<Vec<(f64, f64)>>> = panel
        .lines
        .iter()
        .map(|(_, y)| pieces(x, y, panel.scale))
        .collect();
    let places = lines.iter().flatten().flatten().map(|&(_, y)| y);
    let (mut x_range, mut y_range) = (horizontal(x), panel.scale.range(places));
    if panel.to_scale {
        // Without margins, labels and title.
        let (width, height) = area.dim_in_pixel();
        let room = [
            width.saturating_sub(104 * unit),
            height.saturating_sub(94 * unit),
        ];
        equalise(
            &mut x_range,
            &mut y_range,
            room.map(|pixels| f64::from(pixels.max(1))),
        );
    }
    let corner = emptiest_corner(&lines, &x_range, &mut y_range);
    // What is below the axis is not drawn; lines end there.
    let below = |point: &(f64, f64)| point.1 < y_range.start;
    for line in &mut lines {
        let pieces = line.iter().flat_map(|piece| piece.split(below));
        *line = (pieces.filter(|piece| !piece.is_empty()))
            .map(<[_]>::to_vec)
            .collect();
    }
    let [x_length, y_length] = [&x_range, &y_range].map(|range| range.end - range.start);
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, text(21))
        .margin(pixels(10))
        .margin_right(pixels(22))
        .x_label_area_size(pixels(42))
        .y_label_area_size(pixels(72))
        .build_cartesian_2d(x_range, y_range)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(PALE.stroke_width(unit))
        .axis_style(INK.mix(0.6).stroke_width(unit))
        .x_labels(6)
        .y_labels(7)
        .x_desc(x_label)
        .x_label_formatter(&|value| Scale::Linear.label(*value, x_length))
        .y_label_formatter(&|value| panel.scale.label(*value, y_length))
        .label_style(text(15))
        .axis_desc_style(text(16))
        .set_all_tick_mark_size(pixels(4))
        .draw()?;

    if lines.iter().all(Vec::is_empty) {
        let (width, height) = area.dim_in_pixel();
        let style = (FONT, pixels(18)).into_font().color(&INK.mix(0.5));
        let place = ((width / 2) as i32, (height / 2) as i32 - pixels(10));
        return area.draw(&Text::new("no data", place, style));
    }
    for (number, ((label, _), pieces)) in panel.lines.iter().zip(lines).enumerate() {
        let color = COLORS[number % COLORS.len()];
        let style = color.stroke_width(2 * unit - unit / 2);
        for piece in pieces {
            if let [point] = piece[..] {
                let dot = Circle::new(point, pixels(3), color.filled());
                chart.draw_series([dot])?;
            } else if unit == 1 {
                chart.draw_series(LineSeries::new(piece, style))?;
            } else {
                // Pixels: segment by segment, since the library's mitred joins shoot far beyond
                // sharp peaks.
                let segments = piece
                    .windows(2)
                    .map(|ends| PathElement::new(ends.to_vec(), style));
                chart.draw_series(segments)?;
            }
        }
        // The legend needs a series of its own, since a line may have many pieces or none.
        chart
            .draw_series(LineSeries::new(std::iter::empty::<(f64, f64)>(), style))?
            .label(label.as_ref())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + pixels(20), y)], style));
    }
    if panel.lines.len() > 1 {
        chart
            .configure_series_labels()
            .position(corner)
            .margin(pixels(8))
            .legend_area_size(pixels(26))
            .background_style(WHITE.mix(0.85))
            .border_style(PALE.stroke_width(unit))
            .label_font(text(15))
            .draw()?;
    }
    Ok(())
}

/// Widens one of two ranges so that a unit of both has the same length in so many pixels.
fn equalise(x: &mut Range<f64>, y: &mut Range<f64>, pixels: [f64; 2]) {
    let (width, height) = (x.end - x.start, y.end - y.start);
    let unit = (width / pixels[0]).max(height / pixels[1]);
    let more = unit * pixels[0] - width;
    (x.start, x.end) = (x.start - 0.5 * more, x.end + 0.5 * more);
    y.end = y.start + unit * pixels[1];
}

/// The corner for the legend: where there are the fewest points. If there are some in all, the axis gets a little
/// longer.
fn emptiest_corner(
    lines: &[Vec<Vec<(f64, f64)>>],
    x: &Range<f64>,
    y: &mut Range<f64>,
) -> SeriesLabelPosition {
    let part = |value: f64, range: &Range<f64>| (value - range.start) / (range.end - range.start);
    let points = lines.iter().flatten().flatten();
    let points: Vec<(f64, f64)> = points.map(|&(a, b)| (part(a, x), part(b, y))).collect();
    let count = |right: bool, upper: bool| {
        let beside = |a: f64| if right { a > 0.65 } else { a < 0.35 };
        let at = |b: f64| if upper { b > 0.7 } else { b < 0.3 };
        points.iter().filter(|(a, b)| beside(*a) && at(*b)).count()
    };
    let corners = [
        (count(true, true), SeriesLabelPosition::UpperRight),
        (count(false, true), SeriesLabelPosition::UpperLeft),
        (count(true, false), SeriesLabelPosition::LowerRight),
        (count(false, false), SeriesLabelPosition::LowerLeft),
    ];
    let empty = corners.iter().find(|(count, _)| *count == 0);
    if let Some((_, corner)) = empty {
        return corner.clone();
    }
    if lines.len() > 1 {
        y.end += 0.15 * (y.end - y.start);
    }
    SeriesLabelPosition::UpperRight
}
