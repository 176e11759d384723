//! The picture while it is drawn: bands of samples in linear light.

use super::image::Image;
use super::raster::DepthMap;
use super::{Color, SAMPLES};
use glam::Vec3;
use rayon::prelude::*;

/// Rows of pixels of a band: so few that its samples stay in the cache.
const ROWS: usize = 8;
/// Steps of the table from linear light to sRGB; only the first two of the 255 values above black are left out.
const STEPS: usize = 1 << 14;

/// Some rows of samples.
pub struct Band<'a> {
    /// What is solid; of the whole picture.
    pub map: &'a DepthMap,
    /// The first row of samples.
    pub first: usize,
    /// How many rows.
    pub rows: usize,
    /// Their colours, row by row.
    pub colors: &'a mut [Vec3],
}

/// Lets `draw` fill bands of colours, and averages the samples of each pixel.
pub fn paint(map: &DepthMap, draw: impl Fn(&mut Band<'_>) + Sync) -> Image {
    let (width, height) = (map.width / SAMPLES, map.height / SAMPLES);
    let table: Vec<u8> = (0..=STEPS)
        .map(|k| (255.0 * (k as f32 / STEPS as f32).powf(1.0 / 2.2)).round() as u8)
        .collect();
    let mut pixels = vec![0; 3 * width * height];
    let bands = pixels.par_chunks_mut(3 * width * ROWS).enumerate();
    bands.for_each_init(Vec::new, |colors: &mut Vec<Vec3>, (number, pixels)| {
        let rows = SAMPLES * pixels.len() / (3 * width);
        colors.clear();
        colors.resize(rows * map.width, Vec3::ZERO);
        let mut band = Band {
            map,
            first: number * ROWS * SAMPLES,
            rows,
            colors,
        };
        draw(&mut band);
        average(band.colors, map.width, &table, pixels);
    });
    Image {
        width: width as u32,
        height: height as u32,
        pixels,
    }
}

/// The means of the samples of each pixel as sRGB.
fn average(colors: &[Vec3], width: usize, table: &[u8], pixels: &mut [u8]) {
    let rows = colors.chunks_exact(SAMPLES * width);
    for (rows, pixels) in rows.zip(pixels.chunks_exact_mut(3 * width / SAMPLES)) {
        for (x, pixel) in pixels.chunks_exact_mut(3).enumerate() {
            let mut sum = Vec3::ZERO;
            for row in rows.chunks_exact(width) {
                for sample in &row[SAMPLES * x..SAMPLES * (x + 1)] {
                    sum += *sample;
                }
            }
            let mean = sum * (STEPS as f32 / (SAMPLES * SAMPLES) as f32);
            // The conversion cuts off what is negative.
            let place = mean + Vec3::splat(0.5);
            for (channel, value) in pixel.iter_mut().zip(place.to_array()) {
                *channel = table[(value as usize).min(STEPS)];
            }
        }
    }
}

/// An sRGB colour as linear light.
pub fn linear([r, g, b]: Color) -> Vec3 {
    let channel = |c: u8| (f32::from(c) / 255.0).powf(2.2);
    Vec3::new(channel(r), channel(g), channel(b))
}

/// What is seen where there is nothing: light above, darker below; by the height from 0 (top) to 1.
pub fn background(height: f32) -> Vec3 {
    linear([252, 252, 253]).lerp(linear([226, 232, 239]), height)
}
