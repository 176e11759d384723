//! The frames of a run as pictures that belong together: one view, one scale of colours.

use super::{ColorBy, Image, ImageError, Options, Scene, color_values, palette};
use granule::bodies::Wall;
use granule::shapes::Solid;
use granule::simulation::Dimension;
use granule_io::results::{BodyStates, FrameReader, ReadError};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use thiserror::Error;

/// Pictures of a run could not be made.
#[derive(Debug, Error)]
pub enum RenderError {
    /// A frame could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A picture could not be written.
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// The frames of a run, to be drawn.
#[derive(Debug)]
pub struct Movie<'a> {
    reader: &'a FrameReader,
    solids: &'a [Solid],
    walls: &'a [Wall],
    dimension: Dimension,
    color: ColorBy,
    range: Option<[f64; 2]>,
    options: Options,
}

impl<'a> Movie<'a> {
    /// Looks through the frames for a view and a scale of colours that fit them all, unless
    /// `options` gives the view.
    pub fn new(
        reader: &'a FrameReader,
        solids: &'a [Solid],
        walls: &'a [Wall],
        dimension: Dimension,
        color: ColorBy,
        options: Options,
    ) -> Result<Self, RenderError> {
        let mut movie = Self {
            reader,
            solids,
            walls,
            dimension,
            color,
            range: None,
            options,
        };
        let (mut values, mut view) = (Vec::new(), options.view);
        for number in 0..reader.frames().len() {
            let bodies = reader.bodies(number)?;
            let frame_values = color_values(&bodies, dimension, color);
            if !frame_values.is_empty() {
                values.extend(palette::range(frame_values.into_iter()));
            }
            if options.view.is_none() {
                let bounds = movie.scene(number, &bodies).bounds();
                let all = view.get_or_insert_with(Default::default);
                bounds
                    .corners()
                    .iter()
                    .for_each(|&corner| all.include(corner));
            }
        }
        movie.range = Some(palette::range(values.into_iter()));
        movie.options.view = view.filter(|view| !view.is_empty());
        Ok(movie)
    }

    fn scene(&self, number: usize, bodies: &BodyStates) -> Scene {
        let time = self
            .reader
            .frames()
            .get(number)
            .map_or(0.0, |frame| frame.time);
        let (dimension, color) = (self.dimension, self.color);
        let (solids, walls) = (self.solids, self.walls);
        Scene::of_frame(bodies, solids, walls, time, dimension, color, self.range)
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.reader.frames().len()
    }

    /// Draws a frame, counted from 0.
    pub fn draw(&self, number: usize) -> Result<Image, RenderError> {
        let bodies = self.reader.bodies(number)?;
        Ok(self.scene(number, &bodies).draw(&self.options))
    }

    /// Writes all frames as a GIF animation with the given number of pictures a second; after
    /// each, `progress` is told how many are done.
    pub fn write_gif(
        &self,
        path: &Path,
        rate: f64,
        mut progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let failed = |source| ImageError {
            path: path.to_owned(),
            source,
        };
        let encoding = |error: gif::EncodingError| failed(io::Error::other(error));
        let file = BufWriter::new(File::create(path).map_err(failed)?);
        // At most 8192 pixels along a side.
        let [width, height] = self.options.size().map(|pixels| pixels as u16);
        let mut encoder = gif::Encoder::new(file, width, height, &[]).map_err(encoding)?;
        encoder
            .set_repeat(gif::Repeat::Infinite)
            .map_err(encoding)?;
        for number in 0..self.frames() {
            let image = self.draw(number)?;
            let mut frame = gif::Frame::from_rgb_speed(width, height, &image.pixels, 10);
            frame.delay = (100.0 / rate).clamp(2.0, 6000.0) as u16;
            encoder.write_frame(&frame).map_err(encoding)?;
            progress(number + 1);
        }
        let mut file = encoder.into_inner().map_err(encoding)?;
        Ok(file.flush().map_err(failed)?)
    }
}
