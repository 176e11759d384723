//! The frames of a run as pictures that belong together: one view, one scale of colours.

use super::animation::{Animation, Palette};
use super::{ColorBy, Coloring, Image, ImageError, Options, Scale, Scene, color_values};
use granule_io::results::{BodyStates, Bounds, FrameReader, ReadError, RunRecord};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
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
    record: &'a RunRecord,
    /// Which frames.
    frames: Vec<usize>,
    color: ColorBy,
    scale: Scale,
    options: Options,
}

impl<'a> Movie<'a> {
    /// Looks through the given frames for a view and a scale of colours that fit them all, unless `options` gives
    /// the view.
    pub fn new(
        reader: &'a FrameReader,
        record: &'a RunRecord,
        frames: Vec<usize>,
        coloring: impl Into<Coloring>,
        options: Options,
    ) -> Result<Self, RenderError> {
        let coloring = coloring.into();
        let mut movie = Self {
            reader,
            record,
            frames,
            color: coloring.by,
            scale: coloring.scale(&[]),
            options,
        };
        let fitting = |&number: &usize| -> Result<_, RenderError> {
            let bodies = reader.bodies_and_images(number)?;
            let values = color_values(&bodies, record.dimension, coloring.by);
            let scale = (!values.is_empty()).then(|| coloring.scale(&values));
            let bounds = (options.view.is_none()).then(|| movie.scene(number, &bodies).bounds());
            Ok((scale, bounds))
        };
        let fits = movie.frames.par_iter().map(fitting);
        let fits: Vec<_> = fits.collect::<Result<_, _>>()?;
        let scales = fits.iter().filter_map(|(scale, _)| *scale);
        let scale = scales.reduce(Scale::joined);
        let mut view = Bounds::default();
        let corners = fits.iter().filter_map(|(_, bounds)| bounds.as_ref());
        for corner in corners.flat_map(Bounds::corners) {
            view.include(corner);
        }
        movie.scale = scale.unwrap_or(movie.scale);
        movie.options.view = options.view.or(Some(view)).filter(|view| !view.is_empty());
        Ok(movie)
    }

    fn scene(&self, number: usize, bodies: &BodyStates) -> Scene {
        let frame = self.reader.frames().get(number);
        let time = frame.map_or(0.0, |frame| frame.time);
        Scene::colored(bodies, self.record, time, self.color, self.scale)
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Draws one of the frames, counted from 0.
    pub fn draw(&self, place: usize) -> Result<Image, RenderError> {
        self.draw_as(place, &self.options)
    }

    fn draw_as(&self, place: usize, options: &Options) -> Result<Image, RenderError> {
        let number = self.frames[place];
        let bodies = self.reader.bodies_and_images(number)?;
        Ok(self.scene(number, &bodies).draw(options))
    }

    /// Writes all frames as PNG files, each to the path that `path_of` gives for its place, counted from 0; from time
    /// to time `progress` is told how many are done.
    pub fn write_pngs(
        &self,
        path_of: impl Fn(usize) -> PathBuf + Sync,
        mut progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let places: Vec<usize> = (0..self.frames()).collect();
        for some in places.chunks(TOGETHER) {
            let write = |&place: &usize| Ok(self.draw(place)?.write_png(&path_of(place))?);
            some.par_iter()
                .try_for_each(|place| -> Result<(), RenderError> { write(place) })?;
            progress(some[some.len() - 1] + 1);
        }
        Ok(())
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
        let places: Vec<usize> = (0..self.frames()).collect();
        for some in places.chunks(TOGETHER) {
            let pictures = some.par_iter().map(|&place| {
                let image = self.draw(place)?;
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
        let places: Vec<usize> = (0..=last).rev().step_by(step).collect();
        let images = places
            .par_iter()
            .map(|&place| self.draw_as(place, &options));
        images.collect()
    }
}
