//! The picture while it is drawn: bands of pixels in linear light, with the samples of each.

use super::image::Image;
use super::raster::DepthMap;
use super::wide::{self, Work};
use super::{Color, SAMPLES};
use glam::Vec3;
use rayon::prelude::*;
use std::cell::RefCell;

/// Steps of the table from linear light to sRGB; only the first two of the 255 values above black are left out.
const STEPS: usize = 1 << 14;

/// Some rows of pixels.
pub struct Band<'a> {
    /// What is solid in the samples of these rows, and in some above and below.
    pub map: &'a DepthMap,
    /// Pixels in a row.
    pub width: usize,
    /// Rows of the picture.
    pub height: usize,
    /// Whether it is white behind all.
    pub white: bool,
    /// The first row.
    pub first: usize,
    /// How many rows.
    pub rows: usize,
    /// Their colours, row by row: red, green and blue.
    pub colors: [&'a mut [f32]; 3],
}

impl<'a> Band<'a> {
    /// Gives a pixel, counted from the first of the band, its colour.
    #[inline(always)]
    pub fn paint(&mut self, place: usize, color: Vec3) {
        for (channel, value) in self.colors.iter_mut().zip(color.to_array()) {
            channel[place] = value;
        }
    }

    /// What is behind all in a row of the picture.
    pub fn behind(&self, row: usize) -> Vec3 {
        match self.white {
            true => Vec3::ONE,
            false => background((row as f32 + 0.5) / self.height as f32),
        }
    }

    /// The depths of the samples of a row of the picture: those of the upper half of it, and those of the lower one,
    /// each with the two of a pixel together.
    #[inline(always)]
    pub fn depths(&self, row: usize) -> [&'a [[f32; SAMPLES]]; SAMPLES] {
        let map: &'a DepthMap = self.map;
        [0, 1].map(|k| {
            let start = map.place(0, SAMPLES * row + k);
            map.depth[start..start + SAMPLES * self.width].as_chunks().0
        })
    }
}

/// What a thread draws bands with.
#[derive(Default)]
struct Brush {
    map: DepthMap,
    colors: [Vec<f32>; 3],
    places: [Vec<u16>; 3],
}

thread_local! {
    /// Kept for the next band and the next picture: fresh memory costs more than what is done with it.
    static BRUSH: RefCell<Brush> = RefCell::default();
}

/// Fills a picture of the given number of samples along its sides by bands of so many rows of samples: `look` says what
/// is solid in the samples of a band, `draw` colours its pixels.
pub fn paint(
    [across, down]: [usize; 2],
    rows: usize,
    white: bool,
    look: impl Fn(usize, &mut DepthMap) + Sync,
    draw: impl Fn(&mut Band<'_>) + Sync,
) -> Image {
    let (width, height) = (across / SAMPLES, down / SAMPLES);
    let table: Vec<u8> = (0..=STEPS)
        .map(|k| (255.0 * (k as f32 / STEPS as f32).powf(1.0 / 2.2)).round() as u8)
        .collect();
    let mut pixels = vec![0; 3 * width * height];
    let size = 3 * width * rows / SAMPLES;
    let bands = pixels.par_chunks_mut(size).enumerate();
    let fill = |brush: &mut Brush, number: usize, pixels: &mut [u8]| {
        look(number, &mut brush.map);
        let first = number * rows / SAMPLES;
        let rows = pixels.len() / (3 * width);
        for channel in &mut brush.colors {
            channel.resize(rows * width, 0.0);
        }
        draw(&mut Band {
            map: &brush.map,
            width,
            height,
            white,
            first,
            rows,
            colors: brush.colors.each_mut().map(Vec::as_mut_slice),
        });
        wide::run(Develop {
            colors: brush.colors.each_ref().map(Vec::as_slice),
            places: &mut brush.places,
            table: &table,
            pixels,
        });
    };
    bands.for_each(|(number, pixels)| {
        BRUSH.with_borrow_mut(|brush| fill(brush, number, pixels));
    });
    Image {
        width: width as u32,
        height: height as u32,
        pixels,
    }
}

/// Linear light as sRGB.
struct Develop<'a> {
    colors: [&'a [f32]; 3],
    /// Of colours in the table.
    places: &'a mut [Vec<u16>; 3],
    table: &'a [u8],
    pixels: &'a mut [u8],
}

impl Work for Develop<'_> {
    #[inline(always)]
    fn work(self) {
        let count = self.pixels.len() / 3;
        for (places, channel) in self.places.iter_mut().zip(self.colors) {
            places.resize(count, 0);
            for (place, light) in places.iter_mut().zip(channel) {
                let step = light * STEPS as f32 + 0.5;
                *place = step.max(0.0).min(STEPS as f32) as i32 as u16;
            }
        }
        let [red, green, blue] = self.places.each_ref();
        let places = red.iter().zip(green).zip(blue);
        for (pixel, ((red, green), blue)) in self.pixels.chunks_exact_mut(3).zip(places) {
            pixel[0] = self.table[usize::from(*red)];
            pixel[1] = self.table[usize::from(*green)];
            pixel[2] = self.table[usize::from(*blue)];
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
