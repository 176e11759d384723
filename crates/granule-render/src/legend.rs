//! A bar of colours with the numbers they stand for.

use super::image::Image;
use super::palette;
use crate::number::short;
use ab_glyph::{Font, FontRef, ScaleFont, point};

/// Height of letters, of the bar, and the distance from the edges, in pixels.
const LETTERS: f32 = 19.0;
const BAR: u32 = 12;
const MARGIN: u32 = 22;

/// What the colours of a picture mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// Name and unit of the number.
    pub title: &'static str,
    /// The numbers at the ends of the scale.
    pub range: [f64; 2],
}

impl Legend {
    /// Draws the bar into the lower right corner, if the picture is large enough for it.
    pub(super) fn draw(&self, image: &mut Image) {
        let width = (image.width / 5).max(140);
        if image.width < width + 2 * MARGIN || image.height < 160 {
            return;
        }
        let left = image.width - width - MARGIN;
        let top = image.height - MARGIN - BAR - LETTERS as u32 - 4;
        for column in 0..width {
            let color = palette::of_fraction(f64::from(column) / f64::from(width - 1));
            for row in 0..BAR {
                let place = 3 * ((top + row) * image.width + left + column) as usize;
                image.pixels[place..place + 3].copy_from_slice(&color);
            }
        }
        let Ok(font) = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT) else {
            return;
        };
        let [low, high] = self.range.map(|value| short(rounded(value)));
        let (left, right) = (left as f32, (left + width) as f32);
        let (above, below) = (top as f32 - 8.0, (top + BAR) as f32 + LETTERS);
        let right_of = |text: &str| right - text_width(&font, text);
        write(image, &font, self.title, left, above);
        write(image, &font, &low, left, below);
        write(image, &font, &high, right_of(&high), below);
    }
}

/// To three digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn text_width(font: &FontRef<'_>, text: &str) -> f32 {
    let font = font.as_scaled(LETTERS);
    text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
}

/// Writes dark text that begins at `x` on the line at `y`.
fn write(image: &mut Image, font: &FontRef<'_>, text: &str, mut x: f32, y: f32) {
    let scaled = font.as_scaled(LETTERS);
    for character in text.chars() {
        let id = scaled.glyph_id(character);
        let glyph = id.with_scale_and_position(LETTERS, point(x, y));
        x += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else {
            continue;
        };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, coverage| {
            let (px, py) = (
                corner.x as i64 + i64::from(dx),
                corner.y as i64 + i64::from(dy),
            );
            let inside = (0..i64::from(image.width)).contains(&px)
                && (0..i64::from(image.height)).contains(&py);
            if inside {
                let place = 3 * (py * i64::from(image.width) + px) as usize;
                for channel in &mut image.pixels[place..place + 3] {
                    let mixed = f32::from(*channel) * (1.0 - coverage) + 45.0 * coverage;
                    *channel = mixed.clamp(0.0, 255.0) as u8;
                }
            }
        });
    }
}
