//! What a step did, and its certificate.

use granule::certify;
use granule::simulation;
use pyo3::prelude::*;

/// A class that shows some fields of a type of the engine under their names, and prints them.
macro_rules! shown {
    (
        $(#[$about:meta])*
        $class:ident of $of:ty {
            $($(#[$text:meta])* $field:ident: $type:ty = $value:expr;)*
        }
    ) => {
        $(#[$about])*
        #[pyclass(frozen, module = "granule._granule")]
        #[derive(Clone)]
        pub struct $class(pub $of);

        #[pymethods]
        impl $class {
            $(
                $(#[$text])*
                #[getter]
                fn $field(&self) -> $type {
                    let value: fn(&$of) -> $type = $value;
                    value(&self.0)
                }
            )*

            /// All of it as a dictionary.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
                let all = pyo3::types::PyDict::new(py);
                $(all.set_item(stringify!($field), self.$field())?;)*
                Ok(all)
            }

            fn __eq__(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }
    };
}

shown! {
    /// How well impulses solve a contact problem, computed outside of the solver.
    Certificate of certify::Certificate {
        /// The error of the worst contact, m/s.
        residual: f64 = |c| c.residual;
        /// The fastest approach before impulses, m/s.
        fastest: f64 = |c| c.fastest;
        /// What rounding of positions and velocities can amount to, m/s.
        rounding: f64 = |c| c.rounding;
        /// The error of the collections of contact problems, without a unit.
        relative: f64 = |c| c.relative;
        /// The error that solvers stop on, without a unit: doing nothing has 1.
        scaled: f64 = |c| c.scaled;
        /// The deepest penetration at the end of the step, m.
        max_penetration: f64 = |c| c.max_penetration;
        /// The largest distance of an impulse from its set, N s.
        cone_violation: f64 = |c| c.cone_violation;
        /// The largest product of impulse and velocity, J.
        complementarity: f64 = |c| c.complementarity;
        /// The mean of these products, J.
        bipotential: f64 = |c| c.bipotential;
        /// The mean velocity of approach that is left, m/s.
        approach: f64 = |c| c.approach;
        /// The work that contacts take out of the motion, J.
        dissipation: f64 = |c| c.dissipation;
        /// How many contacts carry an impulse.
        active: usize = |c| c.active;
    }
}

shown! {
    /// What became of the energy in a step, J.
    Energies of simulation::EnergyAccount {
        /// Work of forces other than gravity.
        work_of_forces: f64 = |e| e.work_of_forces;
        /// Work of walls and bodies that move as prescribed.
        work_of_walls: f64 = |e| e.work_of_walls;
        /// Work of joints on the bodies.
        work_of_joints: f64 = |e| e.work_of_joints;
        /// Potential energy given by taking overlaps out of the positions.
        work_of_recovery: f64 = |e| e.work_of_recovery;
        /// What the scheme's own treatment of gravity and of bodies that tumble adds.
        work_of_scheme: f64 = |e| e.work_of_scheme;
        /// What contacts take out of the motion and do not store.
        dissipation: f64 = |e| e.dissipation;
        /// What is stored in springs of contacts, and was not before.
        elastic: f64 = |e| e.elastic;
        /// The part of dissipation that is friction.
        friction: f64 = |e| e.friction;
        /// The part of dissipation that is in dampers.
        viscous: f64 = |e| e.viscous;
        /// The part of dissipation that is flow along the normal.
        plastic: f64 = |e| e.plastic;
        /// The part of dissipation that was stored in springs that let go.
        broken: f64 = |e| e.broken;
        /// The change of kinetic and potential energy that is not accounted for.
        remainder: f64 = |e| e.remainder;
    }
}

shown! {
    /// What a step did.
    StepReport of simulation::StepReport {
        /// Number of the step, from 1.
        step: u64 = |r| r.step;
        /// Time at its end, s.
        time: f64 = |r| r.time;
        /// Its length, s.
        step_size: f64 = |r| r.step_size;
        /// Candidate contacts.
        contacts: usize = |r| r.contacts;
        /// Contacts that carry an impulse.
        active: usize = |r| r.active;
        /// Bonds that hold after the step.
        bonds: usize = |r| r.bonds;
        /// Iterations of all solves.
        iterations: usize = |r| r.iterations;
        /// Applications of W in all solves.
        applications: usize = |r| r.applications;
        /// Convex problems solved.
        convex_solves: usize = |r| r.convex_solves;
        /// The solver whose impulses were used.
        method: &'static str = |r| r.method.name();
        /// The certificate of the impulses used, the worst of all problems of the step.
        certificate: Certificate = |r| Certificate(r.certificate);
        /// Solvers tried beyond the first.
        escalations: usize = |r| r.escalations;
        /// Whether the certificate meets the tolerance.
        certified: bool = |r| r.certified;
        /// Whether constraints contradicted each other.
        infeasible: bool = |r| r.infeasible;
        /// Solves repeated because a contact had been left out.
        repeats: usize = |r| r.repeats;
        /// The sum of the impulses along the normals, N s.
        normal_impulse: f64 = |r| r.normal_impulse;
        /// The deepest overlap of contacts that give, m.
        given_overlap: f64 = |r| r.given_overlap;
        /// The deepest overlap that was recovered by moving bodies, m.
        recovered: f64 = |r| r.recovered;
        /// How far joints are open at the end of the step at most, m.
        joint_error: f64 = |r| r.joint_error;
        /// J.
        kinetic_energy: f64 = |r| r.kinetic_energy;
        /// J.
        potential_energy: f64 = |r| r.potential_energy;
        /// What is stored in springs of contacts, J.
        elastic_energy: f64 = |r| r.elastic_energy;
        /// What became of the energy in the step, J.
        energies: Energies = |r| Energies(r.energy);
        /// Momentum that came from nowhere, over all impulses and momenta.
        momentum_error: f64 = |r| r.momentum_error;
    }
}

#[pymethods]
impl Certificate {
    fn __repr__(&self) -> String {
        let c = &self.0;
        format!(
            "Certificate(scaled={:.2e}, residual={:.2e} m/s, relative={:.2e}, max_penetration={:.2e} m, active={})",
            c.scaled, c.residual, c.relative, c.max_penetration, c.active
        )
    }
}

#[pymethods]
impl Energies {
    fn __repr__(&self) -> String {
        let e = &self.0;
        format!(
            "Energies(dissipation={:.4e} J, friction={:.4e} J, work_of_walls={:.4e} J, work_of_forces={:.4e} J, \
             work_of_joints={:.4e} J, remainder={:.1e} J)",
            e.dissipation,
            e.friction,
            e.work_of_walls,
            e.work_of_forces,
            e.work_of_joints,
            e.remainder
        )
    }
}

#[pymethods]
impl StepReport {
    fn __repr__(&self) -> String {
        let r = &self.0;
        format!(
            "StepReport(step={}, time={} s, contacts={}, active={}, iterations={}, scaled={:.1e}, certified={})",
            r.step,
            r.time,
            r.contacts,
            r.active,
            r.iterations,
            r.certificate.scaled,
            if r.certified { "True" } else { "False" }
        )
    }
}
