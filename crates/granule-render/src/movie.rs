//! The frames of a run as pictures that belong together: one view, one scale of colours.

use super::animation::{Animation, Palette};
use super::apng::Apng;
#[cfg(feature = "mp4")]
use super::mp4::{Film, Picture};
use super::{Coloring, Image, ImageError, Options, Scale, Scene, Shot};
use granule_io::results::{BodyStates, Bounds, ContactStates, FrameReader, ReadError, RunRecord};
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

/// What pictures need of a frame.
struct Loaded {
    bodies: BodyStates,
    contacts: ContactStates,
    time: f64,
}

impl Loaded {
    fn read(reader: &FrameReader, number: usize, coloring: &Coloring) -> Result<Self, ReadError> {
        Ok(Self {
            bodies: reader.bodies_and_images(number)?,
            contacts: match coloring.needs_contacts() {
                true => reader.contacts(number)?,
                false => ContactStates::default(),
            },
            time: reader.frames()[number].time,
        })
    }

    fn shot<'a>(&'a self, record: &'a RunRecord) -> Shot<'a> {
        Shot {
            bodies: &self.bodies,
            contacts: &self.contacts,
            time: self.time,
            record,
        }
    }
}

impl Scene {
    /// The scene of a frame of a run, counted from 0.
    pub fn of_frame(
        reader: &FrameReader,
        number: usize,
        record: &RunRecord,
        coloring: &Coloring,
    ) -> Result<Self, ReadError> {
        let loaded = Loaded::read(reader, number, coloring)?;
        Ok(Self::of(&loaded.shot(record), coloring))
    }
}

/// The frames of a run, to be drawn.
#[derive(Debug)]
pub struct Movie<'a> {
    reader: &'a FrameReader,
    record: &'a RunRecord,
    /// Which frames.
    frames: Vec<usize>,
    coloring: Coloring,
    scale: Scale,
    options: Options,
    /// How far the viewer goes around the vertical from the first frame to the last, degrees.
    orbit: f64,
}

impl<'a> Movie<'a> {
    /// Looks through the given frames for a view and a scale of colours that fit them all, unless `options` gives
    /// the view.
    pub fn new(
        reader: &'a FrameReader,
        record: &'a RunRecord,
        frames: Vec<usize>,
        coloring: Coloring,
        options: Options,
    ) -> Result<Self, RenderError> {
        let mut movie = Self {
            reader,
            record,
            frames,
            scale: coloring.scale(&[]),
            coloring,
            options,
            orbit: 0.0,
        };
        let fitting = |&number: &usize| -> Result<_, RenderError> {
            let loaded = Loaded::read(reader, number, &movie.coloring)?;
            let values = movie.coloring.values(&loaded.shot(record));
            let scale = (!values.is_empty()).then(|| movie.coloring.scale(&values));
            let bounds = (options.view.is_none()).then(|| movie.scene(&loaded).bounds());
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

    /// The same while the viewer goes around the vertical by so many degrees.
    pub fn orbiting(self, degrees: f64) -> Self {
        Self {
            orbit: degrees,
            ..self
        }
    }

    fn scene(&self, loaded: &Loaded) -> Scene {
        Scene::colored(&loaded.shot(self.record), &self.coloring, self.scale)
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
        let loaded = Loaded::read(self.reader, self.frames[place], &self.coloring)?;
        let mut options = *options;
        let way = place as f64 / self.frames.len().saturating_sub(1).max(1) as f64;
        options.lens.turn += way * self.orbit;
        Ok(self.scene(&loaded).draw(&options))
    }

    /// Draws all frames, and gives what `then` makes of them to `write`, some at a time in their order.
    fn each<T: Send>(
        &self,
        then: impl Fn(usize, Image) -> Result<T, RenderError> + Sync,
        mut write: impl FnMut(Vec<T>) -> Result<(), RenderError>,
        mut progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let places: Vec<usize> = (0..self.frames()).collect();
        for some in places.chunks(TOGETHER) {
            let made = some.par_iter().map(|&place| then(place, self.draw(place)?));
            write(made.collect::<Result<_, _>>()?)?;
            progress(some[some.len() - 1] + 1);
        }
        Ok(())
    }

    /// Writes all frames as PNG files, each to the path that `path_of` gives for its place, counted from 0; from time
    /// to time `progress` is told how many are done.
    pub fn write_pngs(
        &self,
        path_of: impl Fn(usize) -> PathBuf + Sync,
        progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let write = |place, image: Image| Ok(image.write_png(&path_of(place), None)?);
        self.each(write, |_| Ok(()), progress)
    }

    /// Writes all frames as a GIF animation with the given number of pictures a second; from time to time
    /// `progress` is told how many are done.
    pub fn write_gif(
        &self,
        path: &Path,
        rate: f64,
        progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let palette = Palette::of(&self.small()?);
        // At most 8192 pixels along a side.
        let size = self.options.size().map(|pixels| pixels as u16);
        let mut file = Animation::create(path, size, &palette, rate)?;
        let numbers = |_, image: Image| Ok(palette.numbers(&image));
        self.each(numbers, |some| Ok(file.append(some)?), progress)?;
        Ok(file.finish()?)
    }

    /// Writes all frames as an animated PNG file, with all their colours.
    pub fn write_apng(
        &self,
        path: &Path,
        rate: f64,
        progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let mut file = Apng::create(path, self.options.size(), self.frames(), rate)?;
        let append = |some: Vec<Image>| {
            for image in some {
                file.append(image)?;
            }
            Ok(())
        };
        self.each(|_, image| Ok(image), append, progress)?;
        Ok(file.finish()?)
    }

    /// Writes all frames as an MP4 film (H.264) with the given number of pictures a second, of 16 by 16 to 3840 by 2160 pixels; a side
    /// with an odd number of them becomes one longer. From time to time `progress` is told how many are done.
    #[cfg(feature = "mp4")]
    pub fn write_mp4(
        &self,
        path: &Path,
        rate: f64,
        progress: impl FnMut(usize),
    ) -> Result<(), RenderError> {
        let mut film = Film::create(path, self.options.size(), rate)?;
        let append = |some: Vec<Picture>| {
            for picture in &some {
                film.append(picture)?;
            }
            Ok(())
        };
        self.each(|_, image| Ok(Picture::of(&image)), append, progress)?;
        Ok(film.finish()?)
    }

    /// Some of the frames in small, which have the colours of all.
    fn small(&self) -> Result<Vec<Image>, RenderError> {
        let step = self.frames().div_ceil(8).max(1);
        let [width, height] = self.options.size().map(|pixels| pixels.div_ceil(3).max(60));
        let options = Options {
            width,
            height,
            fine: false,
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
