//! Animated PNG files: all colours, and of each picture only the part that has changed.

use super::change::changed;
use super::image::{Image, ImageError};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// An animated PNG file that is being written.
pub struct Apng<'a> {
    path: &'a Path,
    writer: png::Writer<BufWriter<File>>,
    /// The picture before.
    last: Option<Image>,
}

impl<'a> Apng<'a> {
    /// Opens a file for so many pictures of a size, so many a second.
    pub fn create(
        path: &'a Path,
        [width, height]: [u32; 2],
        count: usize,
        rate: f64,
    ) -> Result<Self, ImageError> {
        let open = || -> io::Result<_> {
            let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_compression(png::Compression::Fast);
            encoder.set_animated(count as u32, 0)?;
            // Thousandths of a second that a picture stays.
            encoder.set_frame_delay((1000.0 / rate).clamp(1.0, 60_000.0) as u16, 1000)?;
            Ok(encoder.write_header()?)
        };
        Ok(Self {
            path,
            writer: open().map_err(|source| failed(path, source))?,
            last: None,
        })
    }

    /// Appends a picture.
    pub fn append(&mut self, image: Image) -> Result<(), ImageError> {
        let width = image.width as usize;
        let part = match &self.last {
            None => None,
            Some(last) => Some(changed(&last.pixels, &image.pixels, width, 3)),
        };
        let write = || -> io::Result<()> {
            let Some([rows, columns]) = part else {
                return Ok(self.writer.write_image_data(&image.pixels)?);
            };
            let lines = image.pixels.chunks_exact(3 * width);
            let lines = lines.skip(rows.start).take(rows.len());
            let bytes: Vec<u8> = lines
                .flat_map(|line| &line[3 * columns.start..3 * columns.end])
                .copied()
                .collect();
            self.writer.reset_frame_position()?;
            (self.writer).set_frame_dimension(columns.len() as u32, rows.len() as u32)?;
            (self.writer).set_frame_position(columns.start as u32, rows.start as u32)?;
            Ok(self.writer.write_image_data(&bytes)?)
        };
        write().map_err(|source| failed(self.path, source))?;
        self.last = Some(image);
        Ok(())
    }

    /// Closes the file.
    pub fn finish(self) -> Result<(), ImageError> {
        let finished = self.writer.finish();
        finished.map_err(|error| failed(self.path, error.into()))
    }
}

fn failed(path: &Path, source: io::Error) -> ImageError {
    ImageError {
        path: path.to_owned(),
        source,
    }
}
