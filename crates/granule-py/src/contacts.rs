//! Contacts of the last step, and what walls carry.

use crate::arrays::{numbers, vectors};
use crate::engine::Engine;
use granule::collision::Partner;
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymethods]
impl Engine {
    /// The contacts of the last step as arrays by their names.
    fn contacts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let simulation = self.simulation()?;
        let all: Vec<_> = simulation.contacts().collect();
        let ids = all.iter().map(|contact| {
            let (a, b) = simulation.contact_ids(contact);
            let other = match contact.partner {
                Partner::Wall(wall) => -1 - i64::from(wall),
                Partner::Body(_) => b.map_or(i64::MIN, i64::from),
            };
            (i64::from(a), other)
        });
        let (a, b): (Vec<i64>, Vec<i64>) = ids.unzip();
        let arrays = PyDict::new(py);
        arrays.set_item("body_a", numbers(py, a))?;
        arrays.set_item("body_b", numbers(py, b))?;
        arrays.set_item("point", vectors(py, all.iter().map(|c| c.point))?)?;
        arrays.set_item("normal", vectors(py, all.iter().map(|c| c.normal))?)?;
        let gaps = all.iter().map(|c| c.gap).collect();
        arrays.set_item("gap", numbers(py, gaps))?;
        // Before the first step nothing has acted.
        let step = match simulation.last_step_size() {
            0.0 => 1.0,
            step => step,
        };
        let forces = all.iter().map(|c| c.impulse / step);
        arrays.set_item("force", vectors(py, forces)?)?;
        let moments = all.iter().map(|c| c.moment / step);
        arrays.set_item("moment", vectors(py, moments)?)?;
        Ok(arrays)
    }

    /// The names of the walls, by their numbers.
    #[getter]
    fn wall_names(&mut self) -> PyResult<Vec<Option<String>>> {
        Ok(self.setup()?.wall_names.clone())
    }

    /// The mean force (N) and torque (N m, about its position) over the last step that bodies exert on each wall.
    fn wall_loads(&mut self) -> PyResult<Vec<([f64; 3], [f64; 3])>> {
        let loads = self.simulation()?.wall_loads();
        let loads = loads
            .iter()
            .map(|load| (load.force.to_array(), load.torque.to_array()));
        Ok(loads.collect())
    }

    /// Who left each other no room in the last step, if it was infeasible and made all the same.
    fn infeasible(&mut self) -> PyResult<Option<String>> {
        let found = self.simulation()?.last_infeasible().cloned();
        let setup = self.setup()?;
        Ok(found.map(|found| found.describe(|party| setup.name_of(party))))
    }
}
