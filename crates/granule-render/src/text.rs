//! Words in a picture.

use super::image::Image;
use ab_glyph::{Font, FontRef, ScaleFont, point};

/// Height of letters, and the distance of words from the edges, in pixels.
pub const LETTERS: f32 = 19.0;
pub const MARGIN: u32 = 22;

fn font() -> Option<FontRef<'static>> {
    FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok()
}

/// How long a text is, pixels.
pub fn text_width(text: &str) -> f32 {
    let Some(font) = font() else { return 0.0 };
    let font = font.as_scaled(LETTERS);
    text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
}

/// Writes dark text that begins at `x` on the line at `y`.
pub fn write(image: &mut Image, text: &str, mut x: f32, y: f32) {
    let Some(font) = font() else { return };
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
