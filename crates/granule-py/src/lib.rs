//! The Python package `granule`: what of it is written in Rust.
//!
//! The module `granule._granule` is a thin seam: arrays and plain values in and out, long calls without Python's lock. What
//! users see is written in Python on top of it (`python/granule`), where it is documented.

mod arrays;
mod bodies;
mod contacts;
mod engine;
mod failure;
mod folder;
mod gate;
mod joints;
mod problem;
mod report;
mod scene;
mod threads;

use pyo3::prelude::*;

/// What of the package `granule` is written in Rust; use `granule`.
#[pymodule]
mod _granule {
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::folder::Folder;
    #[pymodule_export]
    use super::folder::heap_profile;
    #[pymodule_export]
    use super::problem::{Problem, methods};
    #[pymodule_export]
    use super::report::{Certificate, Energies, StepReport};
    #[pymodule_export]
    use super::scene::{Scene, schema};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
