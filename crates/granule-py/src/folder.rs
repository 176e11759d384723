//! The folder of a run, read.

use crate::arrays::{numbers, quaternions, vectors};
use crate::contacts::contact_arrays;
use crate::failure::Failure;
use crate::scene::{color_by, options};
use glam::DVec3;
use granule::bodies::{BodyShape, Dimension};
use granule::measure::HeapProfile;
use granule_io::results::{
    BodyStates, Bounds, RunRecord, placed_walls, tessellate, tessellate_solid,
};
use granule_io::run::{RunFolder, Wish};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// Points (m), triangles (three indices of points each), and the name.
type Mesh<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<u32>>,
    Option<String>,
);

/// Names, units and columns.
type Columns<'py> = (Vec<String>, Vec<String>, Vec<Bound<'py, PyArray1<f64>>>);

/// Distances, heights, width and foot of a profile (m), the angle of repose (degrees) or why there is none.
type Profile<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    f64,
    [f64; 3],
    Option<f64>,
    Option<String>,
);

/// The folder of a run. Nothing is read before it is asked for.
#[pyclass(frozen, module = "granule._granule")]
pub struct Folder {
    folder: RunFolder,
}

fn read<T, E: Into<Failure>>(result: Result<T, E>) -> PyResult<T> {
    result.map_err(|error| error.into().into())
}

fn mesh<'py>(
    py: Python<'py>,
    points: &[DVec3],
    triangles: &[[u32; 3]],
    name: Option<String>,
) -> PyResult<Mesh<'py>> {
    let corners = PyArray1::from_vec(py, triangles.concat()).reshape([triangles.len(), 3])?;
    Ok((vectors(py, points.iter().copied())?, corners, name))
}

impl Folder {
    fn record(&self) -> PyResult<RunRecord> {
        read(self.folder.record())
    }

    fn states(&self, frame: usize) -> PyResult<BodyStates> {
        read(read(self.folder.frames())?.bodies(frame))
    }
}

#[pymethods]
impl Folder {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let folder = RunFolder::new(&path);
        if !folder.holds_run() {
            let words = format!(
                "there is no run in {}: give the folder that a run has written",
                path.display()
            );
            return Err(Failure::Read(words).into());
        }
        Ok(Self { folder })
    }

    /// The times (s) of the frames that there are now.
    fn times(&self) -> PyResult<Vec<f64>> {
        let frames = read(self.folder.frames())?;
        Ok(frames.frames().iter().map(|frame| frame.time).collect())
    }

    /// The bodies of a frame as arrays by their names, in the order of ids.
    fn bodies<'py>(&self, py: Python<'py>, frame: usize) -> PyResult<Bound<'py, PyDict>> {
        let states = py.detach(|| self.states(frame))?;
        let arrays = PyDict::new(py);
        let number = |shape: &BodyShape| match shape {
            BodyShape::Sphere => -1,
            BodyShape::Walls => -2,
            BodyShape::Solid(number) => i64::from(*number),
        };
        let shapes = states.shape.iter().map(number).collect();
        arrays.set_item("position", vectors(py, states.position.into_iter())?)?;
        arrays.set_item("velocity", vectors(py, states.velocity.into_iter())?)?;
        let spins = states.angular_velocity.into_iter();
        arrays.set_item("angular_velocity", vectors(py, spins)?)?;
        let turns = states.orientation.into_iter();
        arrays.set_item("orientation", quaternions(py, turns)?)?;
        arrays.set_item("through", vectors(py, states.through.into_iter())?)?;
        arrays.set_item("id", numbers(py, states.id))?;
        arrays.set_item("radius", numbers(py, states.radius))?;
        arrays.set_item("mass", numbers(py, states.mass))?;
        arrays.set_item("material", numbers(py, states.material))?;
        arrays.set_item("shape", numbers::<i64>(py, shapes))?;
        Ok(arrays)
    }

    /// The contacts of a frame that carry a force, as arrays by their names.
    fn contacts<'py>(&self, py: Python<'py>, frame: usize) -> PyResult<Bound<'py, PyDict>> {
        let contacts = py.detach(|| read(read(self.folder.frames())?.contacts(frame)))?;
        contact_arrays(py, contacts)
    }

    /// The walls of a frame as triangles, where they are then.
    fn walls<'py>(&self, py: Python<'py>, frame: usize) -> PyResult<Vec<Mesh<'py>>> {
        let (record, states) = (self.record()?, self.states(frame)?);
        let time = self.times()?[frame];
        let bounds = Bounds::of_spheres(&states.position, &states.radius);
        let walls = placed_walls(
            &record.walls(),
            time,
            &states.id,
            &states.position,
            &states.orientation,
        );
        let mut meshes = Vec::new();
        for (wall, known) in walls.iter().zip(&record.walls) {
            let (position, turn) = wall.kinematics.pose(time);
            for patch in &wall.patches {
                let patch = tessellate(patch, position, turn, &bounds);
                let name = known.name.clone();
                meshes.push(mesh(py, &patch.points, &patch.triangles, name)?);
            }
        }
        Ok(meshes)
    }

    /// The shapes of bodies that are no spheres as triangles, in their own frames, by their numbers.
    fn solids<'py>(&self, py: Python<'py>, sides: u32) -> PyResult<Vec<Mesh<'py>>> {
        let record = self.record()?;
        let solids = record.solids.iter().map(|solid| {
            let surface = tessellate_solid(solid, record.dimension, sides).welded();
            mesh(py, &surface.points, &surface.triangles, None)
        });
        solids.collect()
    }

    /// Names, units and columns of the series.
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let series = py.detach(|| read(self.folder.series()))?;
        let columns = series.columns.into_iter();
        let columns = columns.map(|column| numbers(py, column)).collect();
        Ok((series.names, series.units, columns))
    }

    /// The summary as JSON; `None` while the run goes on.
    fn summary(&self) -> PyResult<Option<String>> {
        if !self.folder.summary_file().exists() {
            return Ok(None);
        }
        let summary = read(self.folder.summary())?;
        Ok(serde_json::to_string(&summary).ok())
    }

    /// How far the run is that is going on here: whether it waits, its steps, time, start and end (s); `None` if none is.
    fn live(&self) -> Option<(bool, u64, f64, f64, f64)> {
        let live = self.folder.live()?;
        Some((live.paused, live.step, live.time, live.start, live.end))
    }

    /// Asks the run that is going on here to `pause`, to `stop` or to `go on`.
    fn ask(&self, wish: &str) -> PyResult<()> {
        let wish = match wish {
            "pause" => Wish::Pause,
            "stop" => Wish::Stop,
            _ => Wish::GoOn,
        };
        Ok(self.folder.ask(wish)?)
    }

    /// What stays during the run, as JSON.
    fn record_json(&self) -> PyResult<String> {
        let record = self.record()?;
        serde_json::to_string(&record).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The steps after which there is a checkpoint.
    fn checkpoints(&self) -> Vec<u64> {
        self.folder.checkpoints()
    }

    /// The bytes of a PNG picture of a frame.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        frame: usize,
        width: u32,
        height: u32,
        color: &str,
        view: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (options, color) = (options(width, height, view)?, color_by(color)?);
        let png = py.detach(|| -> PyResult<Vec<u8>> {
            let (frames, record) = (read(self.folder.frames())?, self.record()?);
            let scene = granule_render::Scene::of_frame(&frames, frame, &record, &color);
            let scene = read(scene)?;
            Ok(scene.draw(&options).to_png())
        })?;
        Ok(PyBytes::new(py, &png))
    }
}

/// The height of a heap over the distance from its middle, and its angle of repose.
#[pyfunction]
pub fn heap_profile<'py>(
    py: Python<'py>,
    centers: PyReadonlyArray2<'_, f64>,
    radii: PyReadonlyArray1<'_, f64>,
    up: [f64; 3],
    dimension: usize,
) -> PyResult<Option<Profile<'py>>> {
    let radii: Vec<f64> = radii.as_array().iter().copied().collect();
    let array = crate::arrays::checked::<3>("positions", &centers, radii.len())?;
    let centers: Vec<DVec3> = (0..radii.len())
        .map(|row| crate::arrays::vector(&array, row))
        .collect();
    let dimension = match dimension {
        2 => Dimension::Plane,
        _ => Dimension::Space,
    };
    let Some(heap) = HeapProfile::of(&centers, &radii, up.into(), dimension) else {
        return Ok(None);
    };
    let (angle, why) = match heap.measured_angle() {
        Ok(angle) => (Some(angle), None),
        Err(why) => (None, Some(why.to_string())),
    };
    let (foot, width) = (heap.foot.to_array(), heap.width);
    let (distance, height) = (numbers(py, heap.distance), numbers(py, heap.height));
    Ok(Some((distance, height, width, foot, angle, why)))
}
