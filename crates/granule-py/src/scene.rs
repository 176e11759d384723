//! Scenes.

use crate::failure::Failure;
use granule::simulation::World;
use granule_io::results::{BodyStates, ContactStates};
use granule_io::scene::{self, Change, Setup};
use granule_render::{ColorBy, Coloring, Look, Options, Shot, Side};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

/// A scene whose values have been checked.
#[pyclass(frozen, module = "granule._granule")]
pub struct Scene {
    pub(crate) scene: scene::Scene,
}

/// Changes as `key=value`.
fn parse_changes(changes: &[String]) -> PyResult<Vec<Change>> {
    let changes = changes.iter().map(|change| change.parse());
    changes
        .collect::<Result<_, String>>()
        .map_err(PyValueError::new_err)
}

impl Scene {
    /// What a run of it starts from, until another end (s) if one is given.
    pub(crate) fn setup(&self, end: Option<f64>) -> PyResult<Setup> {
        let mut setup = self.scene.build().map_err(Failure::from)?;
        if let Some(end) = end {
            let start = setup.world.time;
            if !(end.is_finite() && end > start) {
                return Err(Failure::Setup(format!(
                    "`end` must be a time (s) after {start} s, not {end}"
                ))
                .into());
            }
            setup.settings.end = end;
        }
        Ok(setup)
    }
}

#[pymethods]
impl Scene {
    /// Reads a scene from a text, with values changed as by `--set`; names of other files are relative to `origin`.
    #[staticmethod]
    fn parse(text: &str, origin: PathBuf, changes: Vec<String>) -> PyResult<Self> {
        let changes = parse_changes(&changes)?;
        let scene = scene::parse_with(text, &origin, &changes).map_err(Failure::from)?;
        Ok(Self { scene })
    }

    /// Reads a scene file, with values changed.
    #[staticmethod]
    fn load(path: PathBuf, changes: Vec<String>) -> PyResult<Self> {
        let changes = parse_changes(&changes)?;
        let scene = scene::load_with(&path, &changes).map_err(Failure::from)?;
        Ok(Self { scene })
    }

    /// The name of the scene.
    #[getter]
    fn name(&self) -> String {
        self.scene.sections().scene.name.clone()
    }

    /// The scene as it is run, as TOML: every default filled in, other files named in full.
    fn to_toml(&self) -> PyResult<String> {
        Ok(self.scene.to_toml().map_err(Failure::from)?)
    }

    /// The content as JSON, defaults filled in.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(self.scene.sections())
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What of it is hardly meant, and what of its files has no effect.
    fn warnings(&self) -> PyResult<Vec<String>> {
        let setup = self.setup(None)?;
        let judged = self.scene.judge(&setup);
        let mut words: Vec<String> = judged.iter().map(ToString::to_string).collect();
        words.extend(setup.warnings());
        Ok(words)
    }

    /// The facts of it as (name, value).
    fn describe(&self) -> PyResult<Vec<(String, String)>> {
        Ok(self.setup(None)?.describe())
    }

    /// The bytes of a PNG picture of the start.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
        color: &str,
        view: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let setup = self.setup(None)?;
        let options = options(width, height, view)?;
        let color = color_by(color)?;
        let nothing = ContactStates::default();
        let png = py.detach(|| picture(&setup, &setup.world, &nothing, &color, &options));
        Ok(PyBytes::new(py, &png))
    }
}

/// What colours show, by its name.
pub fn color_by(name: &str) -> PyResult<Coloring> {
    let by: ColorBy = name
        .parse()
        .map_err(|error| PyValueError::new_err(format!("`color`: {error}")))?;
    Ok(by.into())
}

/// How a picture is drawn.
pub fn options(width: u32, height: u32, view: Option<&str>) -> PyResult<Options> {
    let look = match view {
        None => Look::Usual,
        Some("front") => Look::From(Side::Front),
        Some("back") => Look::From(Side::Back),
        Some("side") => Look::From(Side::Side),
        Some("left") => Look::From(Side::Left),
        Some("top") => Look::From(Side::Top),
        Some("bottom") => Look::From(Side::Bottom),
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "`view` is one of front, back, side, left, top and bottom, not {other}"
            )));
        }
    };
    Ok(Options {
        width,
        height,
        look,
        ..Options::default()
    })
}

/// A PNG picture of a world with the names and shapes of a setup, and its contacts that carry a force.
pub fn picture(
    setup: &Setup,
    world: &World,
    contacts: &ContactStates,
    color: &Coloring,
    options: &Options,
) -> Vec<u8> {
    let bodies = BodyStates::of(&world.bodies);
    let mut record = setup.record();
    record.solids.clone_from(&world.bodies.solids);
    let shot = Shot {
        bodies: &bodies,
        contacts,
        time: world.time,
        record: &record,
    };
    granule_render::Scene::of(&shot, color)
        .draw(options)
        .to_png()
}

/// The JSON schema of scene files.
#[pyfunction]
pub fn schema() -> String {
    scene::schema().to_string()
}
