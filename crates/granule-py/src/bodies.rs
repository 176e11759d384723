//! The state of the bodies: read in the order of ids, set by ids.

use crate::arrays::{checked, fill, numbers, quaternion, quaternions, vector, vectors};
use crate::engine::Engine;
use crate::failure::Failure;
use crate::scene::Scene;
use granule::bodies::{BodyShape, Load, Sphere};
use granule::math::DVec3;
use granule::measure;
use granule_io::scene::Source;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An id that no body has.
fn unknown(id: u32) -> Failure {
    Failure::Setup(format!(
        "there is no body with the id {id}; `ids` has those that are there"
    ))
}

fn no_such_array(name: &str) -> PyErr {
    PyValueError::new_err(format!("bodies have no array `{name}`"))
}

#[pymethods]
impl Engine {
    /// How many bodies there are.
    fn body_count(&self, py: Python<'_>) -> PyResult<usize> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.world().bodies.len())
    }

    /// The ids of the bodies of `[[bodies]]`, each with its place there.
    fn body_ids(&self, py: Python<'_>) -> PyResult<Vec<(usize, u32)>> {
        let engine = self.enter(py)?;
        let setup = engine.setup()?;
        let sources = setup.sources.iter().zip(&setup.world.bodies.id);
        let ids = sources.filter_map(|(source, id)| match source {
            Source::Body(entry) => Some((*entry, *id)),
            Source::Grain { .. } | Source::Servo(_) | Source::Link { .. } => None,
        });
        Ok(ids.collect())
    }

    /// An array of the bodies by its name, in the order of ids: a copy, since bodies move about in memory.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut engine = self.enter(py)?;
        let (bodies, order) = engine.ordered()?;
        let places = || order.iter().map(|&place| place as usize);
        let array = match name {
            "id" => numbers(py, places().map(|i| bodies.id[i]).collect()).into_any(),
            "position" => vectors(py, places().map(|i| bodies.position[i]))?.into_any(),
            "velocity" => vectors(py, places().map(|i| bodies.velocity[i]))?.into_any(),
            "angular_velocity" => {
                vectors(py, places().map(|i| bodies.angular_velocity[i]))?.into_any()
            }
            "inertia" => vectors(py, places().map(|i| bodies.inertia[i]))?.into_any(),
            "orientation" => quaternions(py, places().map(|i| bodies.orientation[i]))?.into_any(),
            "radius" => numbers(py, places().map(|i| bodies.radius[i]).collect()).into_any(),
            "mass" => numbers(py, places().map(|i| bodies.mass[i]).collect()).into_any(),
            "material" => numbers(py, places().map(|i| bodies.material[i]).collect()).into_any(),
            "dynamic" => numbers(py, places().map(|i| bodies.is_dynamic(i)).collect()).into_any(),
            "shape" => {
                let number = |i: usize| match bodies.shape[i] {
                    BodyShape::Sphere => -1,
                    BodyShape::Walls => -2,
                    BodyShape::Solid(number) => i64::from(number),
                };
                numbers(py, places().map(number).collect()).into_any()
            }
            _ => return Err(no_such_array(name)),
        };
        Ok(array)
    }

    /// The same into an array that is there.
    fn read_into(
        &self,
        py: Python<'_>,
        name: &str,
        mut out: PyReadwriteArray2<'_, f64>,
    ) -> PyResult<()> {
        let mut engine = self.enter(py)?;
        let (bodies, order) = engine.ordered()?;
        let places = order.iter().map(|&place| place as usize);
        match name {
            "position" => fill(&mut out, places.map(|i| bodies.position[i].to_array())),
            "velocity" => fill(&mut out, places.map(|i| bodies.velocity[i].to_array())),
            "angular_velocity" => fill(
                &mut out,
                places.map(|i| bodies.angular_velocity[i].to_array()),
            ),
            "orientation" => fill(&mut out, places.map(|i| bodies.orientation[i].to_array())),
            _ => Err(no_such_array(name)),
        }
    }

    /// Sets what is given of the bodies with these ids.
    fn write(
        &self,
        py: Python<'_>,
        ids: Vec<u32>,
        position: Option<PyReadonlyArray2<'_, f64>>,
        velocity: Option<PyReadonlyArray2<'_, f64>>,
        angular_velocity: Option<PyReadonlyArray2<'_, f64>>,
        orientation: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        let mut engine = self.enter(py)?;
        let count = ids.len();
        let rows = |what, array: &_| -> PyResult<Vec<DVec3>> {
            let array = checked::<3>(what, array, count)?;
            Ok((0..count).map(|row| vector(&array, row)).collect())
        };
        let position = position.map(|a| rows("positions", &a)).transpose()?;
        let velocity = velocity.map(|a| rows("velocities", &a)).transpose()?;
        let angular = angular_velocity
            .map(|a| rows("angular_velocities", &a))
            .transpose()?;
        let orientation = orientation
            .map(|array| -> PyResult<Vec<_>> {
                let array = checked::<4>("orientations", &array, count)?;
                Ok((0..count).map(|row| quaternion(&array, row)).collect())
            })
            .transpose()?;
        let done = engine.change(|world| {
            let bodies = &mut world.bodies;
            let places = bodies.places_of(&ids).map_err(unknown)?;
            for (row, place) in places.into_iter().enumerate() {
                if let Some(values) = &position {
                    bodies.position[place] = values[row];
                }
                if let Some(values) = &velocity {
                    bodies.velocity[place] = values[row];
                }
                if let Some(values) = &angular {
                    bodies.angular_velocity[place] = values[row];
                }
                if let Some(values) = &orientation {
                    bodies.orientation[place] = values[row];
                }
            }
            Ok(())
        });
        Ok(done?)
    }

    /// Adds forces (N) and torques (N m) to what acts on the bodies with these ids over the coming step.
    fn apply(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        forces: PyReadonlyArray2<'_, f64>,
        torques: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<()> {
        let mut engine = self.enter(py)?;
        let ids = ids.as_array();
        let forces = checked::<3>("forces", &forces, ids.len())?;
        let torques = checked::<3>("torques", &torques, ids.len())?;
        let load = |row| Load {
            force: vector(&forces, row),
            torque: vector(&torques, row),
        };
        let loads = ids.iter().enumerate();
        let loads: Vec<(u32, Load)> = loads.map(|(row, &id)| (id, load(row))).collect();
        let finite = |load: &Load| load.force.is_finite() && load.torque.is_finite();
        if let Some((id, _)) = loads.iter().find(|(_, load)| !finite(load)) {
            return Err(PyValueError::new_err(format!(
                "the force and torque on body {id} must be finite numbers (N, N m)"
            )));
        }
        let done = engine.simulation_mut()?.apply_loads(&loads);
        Ok(done.map_err(unknown)?)
    }

    /// Adds spheres of one material and gives their ids.
    fn add_spheres(
        &self,
        py: Python<'_>,
        position: PyReadonlyArray2<'_, f64>,
        velocity: PyReadonlyArray2<'_, f64>,
        radius: Vec<f64>,
        mass: Vec<f64>,
        material: &str,
    ) -> PyResult<Vec<u32>> {
        let mut engine = self.enter(py)?;
        let count = radius.len();
        let position = checked::<3>("positions", &position, count)?;
        let velocity = checked::<3>("velocities", &velocity, count)?;
        let known = &engine.setup()?.materials;
        let place = known.iter().position(|name| name == material);
        let Some(number) = place else {
            let known = known.join("`, `");
            let words = format!("there is no material `{material}`; there are `{known}`");
            return Err(Failure::Setup(words).into());
        };
        let ids = engine.change(|world| {
            let add = |row: usize| {
                let sphere = Sphere {
                    velocity: vector(&velocity, row),
                    material: number as u16,
                    ..Sphere::new(vector(&position, row), radius[row], mass[row])
                };
                world.add_sphere(&sphere)
            };
            Ok((0..count).map(add).collect())
        });
        Ok(ids?)
    }

    /// Adds all bodies of a scene and gives their ids.
    fn add_scene(&self, py: Python<'_>, scene: &Scene) -> PyResult<Vec<u32>> {
        let mut engine = self.enter(py)?;
        let more = scene.setup(None)?;
        let materials = engine.setup()?.materials.clone();
        let add = |world: &mut _| {
            more.add_bodies_to(world, &materials)
                .map_err(Failure::Setup)
        };
        Ok(engine.change(add)?)
    }

    /// Removes the bodies with these ids.
    fn remove(&self, py: Python<'_>, ids: Vec<u32>) -> PyResult<()> {
        let mut engine = self.enter(py)?;
        let done = engine.change(|world| {
            let bodies = &mut world.bodies;
            let mut gone = vec![false; bodies.len()];
            for place in bodies.places_of(&ids).map_err(unknown)? {
                gone[place] = true;
            }
            bodies.retain(|place| !gone[place]);
            Ok(())
        });
        Ok(done?)
    }

    /// The names of the materials, by the numbers that the array `material` has.
    #[getter]
    fn materials(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let engine = self.enter(py)?;
        Ok(engine.setup()?.materials.clone())
    }

    /// Kinetic and potential energy, J.
    fn energy(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        let engine = self.enter(py)?;
        let world = engine.simulation()?.world();
        let potential = measure::potential_energy(&world.bodies, world.gravity);
        Ok((measure::kinetic_energy(&world.bodies), potential))
    }

    /// Momentum, kg m/s.
    fn momentum(&self, py: Python<'_>) -> PyResult<[f64; 3]> {
        let engine = self.enter(py)?;
        let bodies = &engine.simulation()?.world().bodies;
        Ok(measure::momentum(bodies).to_array())
    }
}
