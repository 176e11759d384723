//! How tables are regenerated.

use super::Error;
use super::figure::{Figure, picture_of};
use crate::plot::{Chart, PlotError, plot};
use granule::simulation::World;
use std::cell::RefCell;
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

/// How tables are regenerated.
pub struct Options<'a> {
    /// Leave out what takes long: all targets together then take five minutes on two processors.
    pub quick: bool,
    /// At the paper's size where that takes hours, with checkpoints in `out`.
    pub full: bool,
    /// Of what goes on from checkpoints, at most so many steps now.
    pub sitting: Option<u64>,
    /// The folder with the papers' data.
    pub data: Option<PathBuf>,
    /// The folder for the curves behind the papers' figures, as CSV and PNG.
    pub out: Option<PathBuf>,
    /// Told what is being done.
    pub progress: &'a dyn Fn(&str),
    /// Where figures are gathered.
    pub figures: Option<&'a RefCell<Vec<Figure>>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            quick: false,
            full: false,
            sitting: None,
            data: None,
            out: None,
            progress: &|_| (),
            figures: None,
        }
    }
}

impl Options<'_> {
    /// What is typed for a target to be made like this.
    pub fn command(&self, id: &str) -> String {
        let data = if self.data.is_some() {
            " --data FOLDER"
        } else {
            ""
        };
        let size = match (self.quick, self.full) {
            (true, _) => " --quick",
            (false, true) => " --full --out FOLDER",
            (false, false) => "",
        };
        format!("granule reproduce {id}{size}{data}")
    }

    /// Tells what is being done.
    pub fn say(&self, message: impl AsRef<str>) {
        (self.progress)(message.as_ref());
    }

    /// Draws a world, as `NAME.png` if a folder is given, and for who gathers figures.
    pub fn draw(&self, world: &World, name: &str, caption: impl AsRef<str>) -> Result<(), Error> {
        if self.out.is_none() && self.figures.is_none() {
            return Ok(());
        }
        let image = picture_of(world);
        if let Some(folder) = &self.out {
            let path = file_in(folder, &format!("{name}.png"))?;
            image.write_png(&path, None).map_err(PlotError::from)?;
        }
        if let Some(figures) = self.figures {
            let figure = Figure::picture(name, caption.as_ref(), &image);
            figures.borrow_mut().push(figure);
        }
        Ok(())
    }

    /// Draws a chart, as `NAME.png` if a folder is given, and for who gathers figures.
    pub fn chart(&self, name: &str, chart: &Chart) -> Result<(), Error> {
        if let Some(folder) = &self.out {
            plot(chart, &file_in(folder, &format!("{name}.png"))?)?;
        }
        if let Some(figures) = self.figures {
            let figure = Figure::chart(name, chart).map_err(|what| PlotError::Draw {
                path: name.into(),
                what,
            })?;
            figures.borrow_mut().push(figure);
        }
        Ok(())
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
        let path = file_in(folder, &format!("{name}.csv"))?;
        std::fs::write(&path, text).map_err(|source| Error::Write { path, source })
    }
}

/// The path of a file in a folder, which is made if it is not there.
fn file_in(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let path = folder.join(name);
    match std::fs::create_dir_all(folder) {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Write { path, source }),
    }
}
