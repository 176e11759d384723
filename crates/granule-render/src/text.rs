//! Words in a picture.

use super::image::Image;
use ab_glyph::{Font, FontRef, ScaleFont, point};

/// The height of letters, pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Letters(pub f32);

impl Letters {
    /// So many heights of letters, in whole pixels.
    pub fn pixels(self, heights: f32) -> u32 {
        ((heights * self.0).round() as u32).max(1)
    }

    /// The distance of words from the edges of the picture, pixels.
    pub fn margin(self) -> u32 {
        self.pixels(1.16)
    }
}

fn font() -> Option<FontRef<'static>> {
    FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok()
}

/// How long a text is, pixels.
pub fn text_width(text: &str, letters: Letters) -> f32 {
    let Some(font) = font() else { return 0.0 };
    let font = font.as_scaled(letters.0);
    text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
}

/// Writes dark text that begins at a place on its line.
pub fn write(image: &mut Image, text: &str, [mut x, y]: [f32; 2], letters: Letters) {
    let Some(font) = font() else { return };
    let scaled = font.as_scaled(letters.0);
    for character in text.chars() {
        let id = scaled.glyph_id(character);
        let glyph = id.with_scale_and_position(letters.0, point(x, y));
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
