//! What colours mean: a bar with the numbers they stand for, or a list of names.

use super::image::Image;
use super::palette::{self, Scale};
use super::text::{LETTERS, MARGIN, text_width, write};
use super::{Color, number::short};

/// Height of the bar, pixels.
const BAR: u32 = 12;

/// What the colours of a picture mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Legend {
    /// They show a number.
    Scale {
        /// Its name and unit.
        title: &'static str,
        /// The numbers at the ends of the scale.
        scale: Scale,
    },
    /// Each stands for something that has a name.
    Names(Vec<(String, Color)>),
}

impl Legend {
    /// Draws it into the lower right corner, if the picture is large enough for it.
    pub(super) fn draw(&self, image: &mut Image) {
        let width = (image.width / 5).max(140);
        if image.width < width + 2 * MARGIN || image.height < 160 {
            return;
        }
        match self {
            Self::Scale { title, scale } => bar(image, width, title, scale),
            Self::Names(names) => list(image, width, names),
        }
    }
}

fn bar(image: &mut Image, width: u32, title: &str, scale: &Scale) {
    let left = image.width - width - MARGIN;
    let top = image.height - MARGIN - BAR - LETTERS as u32 - 4;
    for column in 0..width {
        let color = palette::of_fraction(f64::from(column) / f64::from(width - 1));
        fill(image, [left + column, top], [1, BAR], color);
    }
    // Numbers beyond the ends have their colours.
    let [low, high] = scale.range.map(|value| short(rounded(value)));
    let low = format!("{}{low}", if scale.beyond[0] { "< " } else { "" });
    let high = format!("{}{high}", if scale.beyond[1] { "> " } else { "" });
    let (left, right) = (left as f32, (left + width) as f32);
    let (above, below) = (top as f32 - 8.0, (top + BAR) as f32 + LETTERS);
    write(image, title, left, above);
    write(image, &low, left, below);
    write(image, &high, right - text_width(&high), below);
}

fn list(image: &mut Image, width: u32, names: &[(String, Color)]) {
    let line = LETTERS as u32 + 6;
    let left = image.width - width - MARGIN;
    let room = (image.height - 2 * MARGIN) / line;
    let names = &names[..names.len().min(room as usize)];
    let top = image.height - MARGIN - line * names.len() as u32;
    for (row, (name, color)) in (0..).zip(names) {
        let y = top + row * line;
        fill(image, [left, y], [LETTERS as u32, LETTERS as u32], *color);
        let (x, y) = ((left + line) as f32 + 4.0, y as f32 + 0.8 * LETTERS);
        write(image, name, x, y);
    }
}

/// Fills a rectangle, which must be inside of the picture.
fn fill(image: &mut Image, [left, top]: [u32; 2], [width, height]: [u32; 2], color: Color) {
    for row in top..top + height {
        let start = 3 * (row * image.width + left) as usize;
        let pixels = &mut image.pixels[start..start + 3 * width as usize];
        (pixels.chunks_exact_mut(3)).for_each(|pixel| pixel.copy_from_slice(&color));
    }
}

/// To three digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
