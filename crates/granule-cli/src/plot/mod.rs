//! Plots, each on one page: of a run its series (energies, contacts, iterations and residuals over
//! time), the loads on walls, and the height profile of a heap; and curves of tables and benchmarks.

mod axis;
mod chart;
mod forces;
mod motors;
mod panel;
mod profile;
mod run_page;
mod series;
mod style;

pub use chart::{Chart, Curve, Stroke};
pub use forces::ForcesPage;
pub use motors::MotorsPage;
pub use profile::ProfilePage;
pub use run_page::RunPage;
pub use series::{ColumnsPage, smooth};

use granule_render::{Image, ImageError};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Samples along a side of a pixel.
const SAMPLES: u32 = 2;

/// A plot could not be made.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The name of the file does not say what kind of picture it shall be.
    #[error("cannot plot to {}: the name must end in .svg or .png", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused to write an SVG file.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The operating system refused to write a PNG file.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The plotting library gave up.
    #[error("cannot plot to {}: {what}", path.display())]
    Draw {
        /// The file.
        path: PathBuf,
        /// What it said.
        what: String,
    },
}

/// What can be drawn on a page.
pub trait Page {
    /// Pixels of the page.
    const SIZE: (u32, u32) = (1200, 900);

    /// Draws it; `unit` is how many pixels of the area make one of the page.
    fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        unit: u32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>>;
}

/// Draws a page with a margin on white.
fn draw<DB: DrawingBackend>(
    page: &impl Page,
    root: &DrawingArea<DB, Shift>,
    unit: u32,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    root.fill(&WHITE)?;
    let margin = 8 * unit;
    page.draw(&root.margin(margin, margin, margin, margin), unit)?;
    root.present()
}

/// Plots a page to `out`, as SVG or PNG by its extension.
///
/// Columns of a series that are not there, and values that are not finite (or, on a logarithmic
/// scale, not positive), are left out.
pub fn plot<P: Page>(page: &P, out: &Path) -> Result<(), PlotError> {
    let draw_error = |error: String| PlotError::Draw {
        path: out.to_owned(),
        what: error,
    };
    style::register_font().map_err(draw_error)?;
    let extension = out
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("svg") => {
            let text = plot_svg(page).map_err(draw_error)?;
            std::fs::write(out, text).map_err(|source| PlotError::Write {
                path: out.to_owned(),
                source,
            })
        }
        Some("png") => {
            let (width, height) = (SAMPLES * P::SIZE.0, SAMPLES * P::SIZE.1);
            let mut samples = vec![0; 3 * (width * height) as usize];
            let root =
                BitMapBackend::with_buffer(&mut samples, (width, height)).into_drawing_area();
            draw(page, &root, SAMPLES).map_err(|error| draw_error(error.to_string()))?;
            drop(root);
            Ok(averaged(&samples, P::SIZE).write_png(out, None)?)
        }
        _ => Err(PlotError::Kind {
            path: out.to_owned(),
        }),
    }
}

/// A page as the text of an SVG file; the error is what the plotting library says.
pub fn plot_svg<P: Page>(page: &P) -> Result<String, String> {
    style::register_font()?;
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, P::SIZE).into_drawing_area();
    draw(page, &root, 1).map_err(|error| error.to_string())?;
    drop(root);
    Ok(text)
}

/// The page with the samples of each pixel averaged.
fn averaged(samples: &[u8], (width, height): (u32, u32)) -> Image {
    let mut pixels = Vec::with_capacity(3 * (width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let sample = |k: u32| {
                    let (sx, sy) = (SAMPLES * x + k % SAMPLES, SAMPLES * y + k / SAMPLES);
                    u32::from(samples[(3 * (sy * SAMPLES * width + sx) + channel) as usize])
                };
                let sum: u32 = (0..SAMPLES * SAMPLES).map(sample).sum();
                pixels.push((sum / (SAMPLES * SAMPLES)) as u8);
            }
        }
    }
    Image {
        width,
        height,
        pixels,
    }
}

#[cfg(test)]
mod tests;
