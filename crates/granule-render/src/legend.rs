//! What colours mean: a bar with the numbers they stand for, or a list of names.

use super::image::Image;
use super::palette::{Palette, Scale};
use super::text::{Letters, text_width, write};
use super::{Color, number::short};

/// What the colours of a picture mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Legend {
    /// They show a number.
    Scale {
        /// Its name and unit.
        title: String,
        /// The numbers at the ends of the scale.
        scale: Scale,
        /// Their colours.
        palette: Palette,
    },
    /// Each stands for something that has a name.
    Names(Vec<(String, Color)>),
}

impl Legend {
    /// Draws it into the lower right corner, if the picture is large enough for it.
    pub(super) fn draw(&self, image: &mut Image, letters: Letters) {
        let width = (image.width / 5).max(letters.pixels(7.4));
        if image.width < width + 2 * letters.margin() || image.height < letters.pixels(8.4) {
            return;
        }
        match self {
            Self::Scale {
                title,
                scale,
                palette,
            } => bar(image, width, title, (scale, *palette), letters),
            Self::Names(names) => list(image, width, names, letters),
        }
    }
}

fn bar(
    image: &mut Image,
    width: u32,
    title: &str,
    (scale, palette): (&Scale, Palette),
    letters: Letters,
) {
    // The height of the bar.
    let height = letters.pixels(0.63);
    // A long title makes the bar longer.
    let width = width.max(text_width(title, letters).ceil() as u32);
    let left = (image.width - letters.margin()).saturating_sub(width);
    let top = image.height - letters.margin() - height - letters.pixels(1.2);
    for column in 0..width.min(image.width - left) {
        let color = palette.of_fraction(f64::from(column) / f64::from(width - 1));
        fill(image, [left + column, top], [1, height], color);
    }
    // Numbers beyond the ends have their colours.
    let [low, high] = scale.range.map(|value| short(rounded(value)));
    let low = format!("{}{low}", if scale.beyond[0] { "< " } else { "" });
    let high = format!("{}{high}", if scale.beyond[1] { "> " } else { "" });
    let (left, right) = (left as f32, (left + width) as f32);
    let above = top as f32 - 0.42 * letters.0;
    let below = (top + height) as f32 + letters.0;
    write(image, title, [left, above], letters);
    write(image, &low, [left, below], letters);
    let end = right - text_width(&high, letters);
    write(image, &high, [end, below], letters);
}

fn list(image: &mut Image, width: u32, names: &[(String, Color)], letters: Letters) {
    let (line, square) = (letters.pixels(1.32), letters.pixels(1.0));
    let left = image.width - width - letters.margin();
    let room = (image.height - 2 * letters.margin()) / line;
    let names = &names[..names.len().min(room as usize)];
    let top = image.height - letters.margin() - line * names.len() as u32;
    for (row, (name, color)) in (0..).zip(names) {
        let y = top + row * line;
        fill(image, [left, y], [square; 2], *color);
        let at = [
            (left + line) as f32 + 0.2 * letters.0,
            y as f32 + 0.8 * letters.0,
        ];
        write(image, name, at, letters);
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
