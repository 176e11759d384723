//! The font and the colours that all plots share.

use plotters::prelude::RGBColor;
use plotters::style::{FontStyle, register_font as register};

/// The name of the font.
pub const FONT: &str = "sans-serif";
/// Text and axes.
pub const INK: RGBColor = RGBColor(48, 54, 64);
/// Grid lines.
pub const PALE: RGBColor = RGBColor(228, 231, 236);
/// Curves, in the order they are drawn.
pub const COLORS: [RGBColor; 8] = [
    RGBColor(44, 104, 164),
    RGBColor(207, 106, 50),
    RGBColor(70, 140, 84),
    RGBColor(140, 80, 150),
    RGBColor(90, 90, 90),
    RGBColor(190, 52, 84),
    RGBColor(0, 142, 150),
    RGBColor(160, 126, 30),
];

/// Makes the font known to the plotting library, which has none of its own.
pub fn register_font() -> Result<(), String> {
    register(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the font cannot be used".to_owned())
}
