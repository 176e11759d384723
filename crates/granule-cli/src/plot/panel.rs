//! A panel: lines over a common horizontal axis.

use super::axis::{Scale, horizontal, pieces};
use super::style::{COLORS, FONT, INK, PALE};
use granule_render::short;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::borrow::Cow;

/// A panel: its title and the lines in it, as (label, values).
pub struct Panel<'a> {
    pub title: Cow<'static, str>,
    pub scale: Scale,
    pub lines: Vec<(&'static str, Cow<'a, [f64]>)>,
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
    let lines: Vec<Vec<Vec<(f64, f64)>>> = panel
        .lines
        .iter()
        .map(|(_, y)| pieces(x, y, panel.scale))
        .collect();
    let places = lines.iter().flatten().flatten().map(|&(_, y)| y);
    let mut y_range = panel.scale.range(places);
    if panel.lines.len() > 1 {
        // Room for the legend.
        y_range.end += 0.2 * (y_range.end - y_range.start);
    }
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, text(21))
        .margin(pixels(10))
        .margin_right(pixels(22))
        .x_label_area_size(pixels(42))
        .y_label_area_size(pixels(72))
        .build_cartesian_2d(horizontal(x), y_range)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(PALE.stroke_width(unit))
        .axis_style(INK.mix(0.6).stroke_width(unit))
        .x_labels(6)
        .y_labels(7)
        .x_desc(x_label)
        .x_label_formatter(&|value| short(*value))
        .y_label_formatter(&|value| panel.scale.label(*value))
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
            .label(*label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + pixels(20), y)], style));
    }
    if panel.lines.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .margin(pixels(8))
            .legend_area_size(pixels(26))
            .background_style(WHITE.mix(0.85))
            .border_style(PALE.stroke_width(unit))
            .label_font(text(15))
            .draw()?;
    }
    Ok(())
}
