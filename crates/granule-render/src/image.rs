//! A picture in memory, and as a PNG file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A picture could not be written.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct ImageError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system said.
    pub source: io::Error,
}

/// A picture: rows from top to bottom, three bytes (sRGB) a pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `3 * width * height` bytes.
    pub pixels: Vec<u8>,
}

impl Image {
    /// The means of four pixels each, for pictures whose sides are even.
    pub(super) fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.height / 2);
        let row = 3 * self.width as usize;
        let mut pixels = Vec::with_capacity(3 * (width * height) as usize);
        for rows in self.pixels.chunks_exact(2 * row) {
            let (above, below) = rows.split_at(row);
            for (above, below) in above.chunks_exact(6).zip(below.chunks_exact(6)) {
                for k in 0..3 {
                    let four = [above[k], above[k + 3], below[k], below[k + 3]];
                    let sum: u32 = four.into_iter().map(u32::from).sum();
                    pixels.push(((sum + 2) / 4) as u8);
                }
            }
        }
        Self {
            width,
            height,
            pixels,
        }
    }

    /// The picture with so much of another one over it, from 0 to 1.
    pub(super) fn veiled(&self, veil: &Self, share: f32) -> Self {
        let pairs = self.pixels.iter().zip(&veil.pixels);
        let mixed = pairs.map(|(&own, &other)| {
            let (own, other) = (f32::from(own), f32::from(other));
            (own + share * (other - own) + 0.5) as u8
        });
        Self {
            pixels: mixed.collect(),
            ..*self
        }
    }

    /// Writes the picture as a PNG file, with so many pixels an inch where that is known.
    pub fn write_png(&self, path: &Path, per_inch: Option<f64>) -> Result<(), ImageError> {
        let write = || -> io::Result<()> {
            let mut file = BufWriter::new(File::create(path)?);
            self.encode(&mut file, per_inch)?;
            file.flush()
        };
        write().map_err(|source| ImageError {
            path: path.to_owned(),
            source,
        })
    }

    /// The bytes of a PNG file of the picture.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes all that it is given.
        self.encode(&mut bytes, None).expect("a picture in memory");
        bytes
    }

    fn encode(&self, out: &mut impl Write, per_inch: Option<f64>) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // A little larger than could be, but written in no time.
        encoder.set_compression(png::Compression::Fast);
        if let Some(per_inch) = per_inch {
            let per_metre = (per_inch / 0.0254).round() as u32;
            encoder.set_pixel_dims(Some(png::PixelDimensions {
                xppu: per_metre,
                yppu: per_metre,
                unit: png::Unit::Meter,
            }));
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(())
    }
}
