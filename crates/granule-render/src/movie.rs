//! The frames of a run as pictures that belong together: one view, one scale of colours.

use super::animation::{Animation, Palette};
use super::{ColorBy, Image, ImageError, Options, Scene, color_values, palette};
use granule::bodies::Wall;
use granule::shapes::Solid;
use granule::simulation::Dimension;
use granule_io::results::{BodyStates, FrameReader, ReadError};
use rayon::prelude::*;
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

/// Frames that are drawn at the same time.
const TOGETHER: usize = 8;

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

    /// Writes all frames as a GIF animation with the given number of pictures a second; from time to time
    /// `progress` is told how many are done.
    pub fn write_gif(
        &self,
        path: &Path,
        rate: f64,
        mut progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let palette = Palette::of(&self.small()?);
        // At most 8192 pixels along a side.
        let size = self.options.size().map(|pixels| pixels as u16);
        let mut file = Animation::create(path, size, &palette, rate)?;
        let numbers: Vec<usize> = (0..self.frames()).collect();
        for some in numbers.chunks(TOGETHER) {
            let pictures = some.par_iter().map(|&number| {
                let image = self.draw(number)?;
                Ok(palette.numbers(&image))
            });
            file.append(pictures.collect::<Result<_, RenderError>>()?)?;
            progress(some[some.len() - 1] + 1);
        }
        Ok(file.finish()?)
    }

    /// Some of the frames in small, which have the colours of all.
    fn small(&self) -> Result<Vec<Image>, RenderError> {
        let step = self.frames().div_ceil(8).max(1);
        let [width, height] = self.options.size().map(|pixels| pixels.div_ceil(3).max(60));
        let options = Options {
            width,
            height,
            ..self.options
        };
        let last = self.frames().saturating_sub(1);
        let numbers: Vec<usize> = (0..=last).rev().step_by(step).collect();
        let images = numbers.par_iter().map(|&number| {
            let bodies = self.reader.bodies(number)?;
            Ok(self.scene(number, &bodies).draw(&options))
        });
        images.collect()
    }
}
