//! Contacts of the last step, and what walls carry.

use crate::arrays::{numbers, vectors};
use crate::engine::Engine;
use glam::DVec3;
use granule::collision::Partner;
use granule::simulation::Simulation;
use granule_io::results::ContactStates;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The contacts of the last step of a simulation, all of them or those that carry a force.
pub fn contact_states(simulation: &Simulation, all: bool) -> ContactStates {
    // Before the first step nothing has acted.
    let step = match simulation.last_step_size() {
        0.0 => 1.0,
        step => step,
    };
    let mut states = ContactStates::default();
    for contact in simulation.contacts() {
        if !all && contact.impulse == DVec3::ZERO {
            continue;
        }
        let (a, b) = simulation.contact_ids(&contact);
        states.body_a.push(i64::from(a));
        states.body_b.push(match (contact.partner, b) {
            (Partner::Wall(wall), _) => -1 - i64::from(wall),
            (Partner::Body(_), Some(b)) => i64::from(b),
            (Partner::Body(place), None) => i64::from(place),
        });
        states.point.push(contact.point);
        states.normal.push(contact.normal);
        states.gap.push(contact.gap);
        states.force.push(contact.impulse / step);
        states.moment.push(contact.moment / step);
        states.bonded.push(false);
    }
    states
}

/// Contacts as arrays by their names.
pub fn contact_arrays(py: Python<'_>, contacts: ContactStates) -> PyResult<Bound<'_, PyDict>> {
    let arrays = PyDict::new(py);
    arrays.set_item("body_a", numbers(py, contacts.body_a))?;
    arrays.set_item("body_b", numbers(py, contacts.body_b))?;
    arrays.set_item("point", vectors(py, contacts.point.into_iter())?)?;
    arrays.set_item("normal", vectors(py, contacts.normal.into_iter())?)?;
    arrays.set_item("gap", numbers(py, contacts.gap))?;
    arrays.set_item("force", vectors(py, contacts.force.into_iter())?)?;
    arrays.set_item("moment", vectors(py, contacts.moment.into_iter())?)?;
    Ok(arrays)
}

#[pymethods]
impl Engine {
    /// The contacts of the last step as arrays by their names.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.enter(py)?;
        let states = contact_states(engine.simulation()?, true);
        contact_arrays(py, states)
    }

    /// The names of the walls, by their numbers.
    #[getter]
    fn wall_names(&self, py: Python<'_>) -> PyResult<Vec<Option<String>>> {
        let engine = self.enter(py)?;
        Ok(engine.setup()?.wall_names.clone())
    }

    /// The mean force (N) and torque (N m, about its position) over the last step that bodies exert on each wall.
    fn wall_loads(&self, py: Python<'_>) -> PyResult<Vec<([f64; 3], [f64; 3])>> {
        let engine = self.enter(py)?;
        let loads = engine.simulation()?.wall_loads();
        let loads = loads
            .iter()
            .map(|load| (load.force.to_array(), load.torque.to_array()));
        Ok(loads.collect())
    }

    /// Who left each other no room in the last step, if it was infeasible and made all the same.
    fn infeasible(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let engine = self.enter(py)?;
        let found = engine.simulation()?.last_infeasible().cloned();
        let setup = engine.setup()?;
        Ok(found.map(|found| found.describe(|party| setup.name_of(party))))
    }
}
