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
    /// Writes the picture as a PNG file.
    pub fn write_png(&self, path: &Path) -> Result<(), ImageError> {
        let write = || -> io::Result<()> {
            let mut file = BufWriter::new(File::create(path)?);
            self.encode(&mut file)?;
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
        self.encode(&mut bytes).expect("a picture in memory");
        bytes
    }

    fn encode(&self, out: &mut impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // A little larger than could be, but written in no time.
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(())
    }
}
