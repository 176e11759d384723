//! GIF files: one palette for all pictures, and of each picture only what has changed.

use super::change::changed;
use super::image::{Image, ImageError};
use super::lzw;
use color_quant::NeuQuant;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Stands for "as before".
const KEPT: u8 = 255;
/// Bits of a channel that the table of colours knows.
const BITS: u32 = 6;

/// At most 255 colours for pictures that belong together, and which of them is nearest to any other.
pub struct Palette {
    /// Three bytes a colour.
    colors: Vec<u8>,
    /// Of all colours to so many bits.
    nearest: Vec<u8>,
}

impl Palette {
    /// The colours that fit some pictures best.
    pub fn of(images: &[Image]) -> Self {
        let opaque = |rgb: &[u8]| [rgb[0], rgb[1], rgb[2], 255];
        let pixels = images.iter().flat_map(|image| image.pixels.chunks_exact(3));
        let pixels: Vec<u8> = pixels.flat_map(opaque).collect();
        // It looks at one pixel of ten, and needs some for its first steps.
        let network = NeuQuant::new(10, usize::from(KEPT), &pixels);
        let channel = |entry: u32, number: u32| {
            let part = entry >> (number * BITS) & ((1 << BITS) - 1);
            (part << (8 - BITS) | 1 << (7 - BITS)) as u8
        };
        let entries = (0..1u32 << (3 * BITS)).into_par_iter();
        let nearest = entries.map(|entry| {
            let color = [channel(entry, 2), channel(entry, 1), channel(entry, 0), 255];
            network.index_of(&color) as u8
        });
        Self {
            nearest: nearest.collect(),
            colors: network.color_map_rgb(),
        }
    }

    /// The numbers of the colours of a picture.
    pub fn numbers(&self, image: &Image) -> Vec<u8> {
        let entry = |rgb: &[u8]| {
            let part = |channel: u8| usize::from(channel >> (8 - BITS));
            self.nearest[(part(rgb[0]) << BITS | part(rgb[1])) << BITS | part(rgb[2])]
        };
        image.pixels.chunks_exact(3).map(entry).collect()
    }
}

/// A GIF file that is being written.
pub struct Animation<'a> {
    path: &'a Path,
    encoder: gif::Encoder<BufWriter<File>>,
    size: [u16; 2],
    /// Hundredths of a second that a picture stays.
    delay: u16,
    /// The picture before.
    last: Vec<u8>,
}

impl<'a> Animation<'a> {
    /// Opens a file for pictures of one size, so many a second.
    pub fn create(
        path: &'a Path,
        size: [u16; 2],
        palette: &Palette,
        rate: f64,
    ) -> Result<Self, ImageError> {
        let open = || -> Result<_, gif::EncodingError> {
            let file = BufWriter::new(File::create(path)?);
            let mut encoder = gif::Encoder::new(file, size[0], size[1], &palette.colors)?;
            encoder.set_repeat(gif::Repeat::Infinite)?;
            Ok(encoder)
        };
        Ok(Self {
            path,
            encoder: open().map_err(|error| failed(path, error))?,
            size,
            delay: (100.0 / rate).clamp(2.0, 6000.0) as u16,
            last: Vec::new(),
        })
    }

    /// Appends pictures, given by the numbers of their colours.
    pub fn append(&mut self, pictures: Vec<Vec<u8>>) -> Result<(), ImageError> {
        let frames: Vec<gif::Frame<'static>> = (0..pictures.len())
            .into_par_iter()
            .map(|k| {
                let before = k.checked_sub(1).map_or(&self.last, |k| &pictures[k]);
                self.frame(before, &pictures[k])
            })
            .collect();
        for frame in &frames {
            let written = self.encoder.write_lzw_pre_encoded_frame(frame);
            written.map_err(|error| failed(self.path, error))?;
        }
        self.last = pictures.into_iter().next_back().unwrap_or_default();
        Ok(())
    }

    /// What of a picture differs from the one before, compressed.
    fn frame(&self, before: &[u8], picture: &[u8]) -> gif::Frame<'static> {
        let width = usize::from(self.size[0]);
        let whole = before.len() != picture.len();
        let [rows, columns] = match whole {
            true => [0..picture.len() / width, 0..width],
            false => changed(before, picture, width, 1),
        };
        let before = if whole { picture } else { before };
        let lines = before.chunks_exact(width).zip(picture.chunks_exact(width));
        let lines = lines.skip(rows.start).take(rows.len());
        let mut numbers = Vec::with_capacity(rows.len() * columns.len());
        for (before, now) in lines {
            let pairs = before[columns.clone()].iter().zip(&now[columns.clone()]);
            let kept = |same: bool, now: u8| if same && !whole { KEPT } else { now };
            numbers.extend(pairs.map(|(before, now)| kept(before == now, *now)));
        }
        gif::Frame {
            delay: self.delay,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(KEPT),
            left: columns.start as u16,
            top: rows.start as u16,
            width: columns.len() as u16,
            height: rows.len() as u16,
            buffer: lzw::compress(&numbers).into(),
            ..gif::Frame::default()
        }
    }

    /// Writes what is left and closes the file.
    pub fn finish(self) -> Result<(), ImageError> {
        let path = self.path;
        let file = self.encoder.into_inner();
        let mut file = file.map_err(|error| failed(path, error))?;
        file.flush().map_err(|error| failed(path, error))
    }
}

fn failed(path: &Path, error: impl Into<gif::EncodingError>) -> ImageError {
    let source = match error.into() {
        gif::EncodingError::Io(error) => error,
        other => io::Error::other(other),
    };
    ImageError {
        path: path.to_owned(),
        source,
    }
}
