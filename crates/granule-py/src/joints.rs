//! Joints: where they are, what they carry, and what their motors are to do.

use crate::engine::Engine;
use crate::failure::Failure;
use granule::bodies::TimeFunction;
use granule::joints::Effect;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Where a joint is (rad, m), whether it broke, the force (N) and torque (N m) on its first body, and what each of its drives
/// exerts (N m, N).
type JointState = (Vec<f64>, bool, [f64; 3], [f64; 3], Vec<f64>);

/// The name of what a drive does.
fn kind(effect: &Effect) -> &'static str {
    match effect {
        Effect::Limits { .. } => "limits",
        Effect::Speed { .. } => "speed",
        Effect::Position { .. } => "position",
        Effect::Spring { .. } => "spring",
        Effect::Force { .. } => "force",
        Effect::Friction { .. } => "friction",
    }
}

#[pymethods]
impl Engine {
    /// The names of the joints, by their numbers.
    #[getter]
    fn joint_names(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        let engine = self.enter(py)?;
        Ok(engine.setup()?.joint_names.clone())
    }

    /// The kind of a joint, and coordinate and kind of each of its drives.
    fn joint_drives(
        &self,
        py: Python<'_>,
        joint: usize,
    ) -> PyResult<(&'static str, Vec<(String, String)>)> {
        let engine = self.enter(py)?;
        let joints = &engine.simulation()?.world().joints;
        let joint = joints.get(joint).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no joint {joint}; there are {}",
                joints.len()
            ))
        })?;
        let drives = joint.drives.iter();
        let drives = drives.map(|drive| {
            let along = drive.along.name().to_owned();
            (along, kind(&drive.effect).to_owned())
        });
        Ok((joint.kind.name(), drives.collect()))
    }

    /// The state of a joint at the end of the last step; `None` before the first.
    fn joint_state(&self, py: Python<'_>, joint: usize) -> PyResult<Option<JointState>> {
        let engine = self.enter(py)?;
        let simulation = engine.simulation()?;
        let load = simulation.joint_loads().get(joint);
        let state = simulation.joint_states().get(joint);
        Ok(load.zip(state).map(|(load, state)| {
            (
                load.coordinates.clone(),
                state.broken,
                load.force.to_array(),
                load.torque.to_array(),
                load.drives.clone(),
            )
        }))
    }

    /// Gives a drive of a joint another target, a function of time as JSON.
    fn set_target(&self, py: Python<'_>, joint: usize, drive: usize, target: &str) -> PyResult<()> {
        let mut engine = self.enter(py)?;
        let target: TimeFunction = serde_json::from_str(target).map_err(|error| {
            PyValueError::new_err(format!(
                "a target is a number, or a function of time as in a scene, for instance {{\"linear\": {{\"times\": [0, 1], \
                 \"values\": [0, 2]}}}}: {error}"
            ))
        })?;
        let simulation = engine.simulation_mut()?;
        let done = simulation.set_target(joint, drive, target);
        Ok(done.map_err(Failure::from)?)
    }
}
