//! How tables are regenerated.

use super::Error;
use crate::plot::{Chart, plot};
use granule::simulation::World;
use std::fmt::{Display, Write};
use std::path::PathBuf;

/// Draws a world; the second argument is the name of the picture, without folder and ending.
pub type Picture<'a> = &'a dyn Fn(&World, &str);

/// How tables are regenerated.
pub struct Options<'a> {
    /// Leave out what takes long: all targets together then take less than two minutes.
    pub quick: bool,
    /// At the paper's size where that takes hours, with checkpoints in `out`.
    pub full: bool,
    /// The folder with the papers' data.
    pub data: Option<PathBuf>,
    /// The folder for the curves behind the papers' figures, as CSV and PNG.
    pub out: Option<PathBuf>,
    /// Told what is being done.
    pub progress: &'a dyn Fn(&str),
    /// Draws the worlds that the papers show.
    pub picture: Option<Picture<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            quick: false,
            full: false,
            data: None,
            out: None,
            progress: &|_| (),
            picture: None,
        }
    }
}

impl Options<'_> {
    /// Tells what is being done.
    pub fn say(&self, message: impl AsRef<str>) {
        (self.progress)(message.as_ref());
    }

    /// Draws a world if pictures are asked for.
    pub fn draw(&self, world: &World, name: &str) {
        if let Some(picture) = self.picture {
            picture(world, name);
        }
    }

    /// Draws a chart as `NAME.png` if a folder for curves is given.
    pub fn chart(&self, name: &str, chart: &Chart) -> Result<(), Error> {
        let Some(folder) = &self.out else {
            return Ok(());
        };
        let path = folder.join(format!("{name}.png"));
        std::fs::create_dir_all(folder).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
        Ok(plot(chart, &path)?)
    }

    /// Writes a curve as `NAME.csv` if a folder for them is given.
    pub fn curve<V: Display>(
        &self,
        name: &str,
        header: &[String],
        lines: &[Vec<V>],
    ) -> Result<(), Error> {
        let Some(folder) = &self.out else {
            return Ok(());
        };
        let mut text = header.join(",");
        text.push('\n');
        for line in lines {
            for (place, value) in line.iter().enumerate() {
                let comma = if place > 0 { "," } else { "" };
                let _ = write!(text, "{comma}{value}");
            }
            text.push('\n');
        }
        let path = folder.join(format!("{name}.csv"));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| Error::Write { path, source })
    }
}
