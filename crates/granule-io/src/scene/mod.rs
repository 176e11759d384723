//! Scene files: what is simulated and how, in TOML.
//!
//! A scene goes through three stages. [`load`] or [`parse`] reads it into the typed [`grammar`],
//! checks every value and fills in defaults: a [`Scene`] in hand is a scene that makes sense.
//! [`Scene::build`] makes the bodies (this reads the files that the scene names, and places
//! random grains), checks that nothing overlaps and gives a [`Setup`] that can be run. Whatever is
//! wrong comes back as a [`SceneError`] that shows the place in the file and how to mend it.
//!
//! The same file gives the same bodies, bit by bit, on every machine.
//!
//! ```
//! use std::path::Path;
//! let scene = granule_io::scene::parse(
//!     r#"
//!     [scene]
//!     name = "two balls"
//!     [time]
//!     step = 1e-3
//!     end = 1.0
//!     [[bodies]]
//!     sphere = { radius = 0.1 }
//!     position = [0, 0, 0.1]
//!     [[bodies]]
//!     sphere = { radius = 0.1 }
//!     position = [0, 0, 0.5]
//!     [[walls]]
//!     half-space = { normal = [0, 0, 1] }
//!     "#,
//!     Path::new("two_balls.toml"),
//! )?;
//! let setup = scene.build()?;
//! assert_eq!(setup.world.bodies.len(), 2);
//! # Ok::<(), granule_io::scene::SceneError>(())
//! ```

mod build;
mod cell;
mod change;
mod check;
mod convert;
mod defaults;
mod describe;
mod diagnose;
mod error;
mod exchange;
mod forces;
mod form;
mod generate;
pub mod grammar;
mod ids;
mod judge;
mod key_path;
mod keys;
mod machines;
mod measures;
mod meshes;
mod names;
mod openings;
mod overlap;
mod schema;
mod setup;
mod sphere_grid;
mod urdf;

pub use change::Change;
pub use error::SceneError;
pub use generate::Source;
pub use judge::Warning;
pub use keys::keys;
pub use schema::schema;
pub use setup::{OutputPlan, Setup};

use crate::measures::Measure;
use error::Problem;
use grammar::{MeasureSpec, Sections};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A scene whose values have been checked, defaults filled in.
#[derive(Debug, Clone)]
pub struct Scene {
    sections: Sections,
    origin: PathBuf,
    /// As it stands in the file, without the changes.
    text: Option<String>,
    changes: Vec<Change>,
    /// Whether a law of contacts is given, and not the default.
    names_a_law: bool,
}

/// A file of which only the measures count.
#[derive(Deserialize)]
struct MeasuresFile {
    #[serde(default)]
    measures: Vec<MeasureSpec>,
}

/// Reads a scene file.
pub fn load(path: &Path) -> Result<Scene, SceneError> {
    load_with(path, &[])
}

/// Reads a scene file with some values changed before anything is checked.
pub fn load_with(path: &Path, changes: &[Change]) -> Result<Scene, SceneError> {
    let bytes = std::fs::read(path).map_err(|error| {
        let help = if path.is_dir() {
            "this is a folder: give the scene file inside it, as in `scenes/hourglass.toml`"
        } else {
            "check the spelling of the name and that the file may be read"
        };
        SceneError::about_file(path, format!("cannot read the scene: {error}"), help)
    })?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => parse_with(text, path, changes),
        Err(error) => {
            let shown = String::from_utf8_lossy(&bytes);
            // Up to the first fault nothing is replaced, so the bytes agree.
            let start = error.valid_up_to();
            let label = format!("byte {start} is not UTF-8");
            Err(SceneError::about_file(
                path,
                "the scene is not a text in UTF-8",
                "save the file as UTF-8; a file of another kind cannot be a scene",
            )
            .at(&shown, start..start + '\u{fffd}'.len_utf8(), label))
        }
    }
}

/// Reads a scene from a text. `origin` is its file: errors name it, and the names of other files
/// are relative to its folder.
pub fn parse(text: &str, origin: &Path) -> Result<Scene, SceneError> {
    parse_with(text, origin, &[])
}

/// The same with some values changed before anything is checked.
pub fn parse_with(text: &str, origin: &Path, changes: &[Change]) -> Result<Scene, SceneError> {
    let changed = change::changed(text, origin, changes)?;
    let sections: Sections = toml::from_str(&changed).map_err(|error| {
        let found = diagnose::from_toml(&error, &changed, origin);
        match changes {
            [] => found,
            _ => found.before_changes(text, changes),
        }
    })?;
    Scene::checked(sections, origin, Some(text.to_owned()), changes)
}

impl Scene {
    /// What the scene shows, in words for people, if it says so.
    pub fn description(&self) -> Option<&str> {
        self.sections.scene.description.as_deref()
    }

    /// A scene made by a program; `origin` is a file that names of other files are relative to.
    pub fn new(sections: Sections, origin: &Path) -> Result<Self, SceneError> {
        Self::checked(sections, origin, None, &[])
    }

    fn checked(
        sections: Sections,
        origin: &Path,
        text: Option<String>,
        changes: &[Change],
    ) -> Result<Self, SceneError> {
        let mut scene = Self {
            names_a_law: sections.contacts.names_a_law(),
            sections,
            origin: origin.to_owned(),
            text,
            changes: changes.to_vec(),
        };
        check::before_defaults(&scene.sections).map_err(|problem| scene.error(problem))?;
        defaults::fill(&mut scene.sections);
        check::all(&scene.sections).map_err(|problem| scene.error(problem))?;
        Ok(scene)
    }

    /// The content, defaults filled in.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The file that the scene came from.
    pub fn origin(&self) -> &Path {
        &self.origin
    }

    /// What it measures.
    pub fn measures(&self) -> Vec<Measure> {
        measures::all(&self.sections)
    }

    /// The same scene with the `[[measures]]` of another file instead of its own. The rest of that file, which need
    /// not be a whole scene, does not count.
    pub fn with_measures_of(&self, path: &Path) -> Result<Self, SceneError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            SceneError::about_file(
                path,
                format!("cannot read the measures: {error}"),
                "give a TOML file with `[[measures]]`, a whole scene or these alone",
            )
        })?;
        let file: MeasuresFile =
            toml::from_str(&text).map_err(|error| diagnose::from_toml(&error, &text, path))?;
        let mut sections = self.sections.clone();
        sections.measures = file.measures;
        Self::checked(sections, path, Some(text), &[])
    }

    /// Makes the bodies and everything else that a run needs.
    pub fn build(&self) -> Result<Setup, SceneError> {
        build::build(self)
    }

    /// The scene as it is run: every default filled in, and other files named in full, so that
    /// the text can be read from any folder.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        let mut sections = self.sections.clone();
        for file in sections.files_mut() {
            let joined = self.folder().join(&*file);
            *file = std::path::absolute(&joined).unwrap_or(joined);
        }
        // By way of a value, as in the checks: sections are not compiled for another serialiser.
        let value = toml::Value::try_from(&sections);
        value
            .and_then(|value| toml::to_string(&value))
            .map_err(|error| {
                SceneError::about_file(
                    &self.origin,
                    format!("the scene cannot be written as TOML: {error}"),
                    "name folders and files in Unicode",
                )
            })
    }

    fn folder(&self) -> &Path {
        self.origin.parent().unwrap_or(Path::new(""))
    }

    fn error(&self, problem: Problem) -> SceneError {
        problem.in_scene(&self.origin, self.text.as_deref(), &self.changes)
    }
}
