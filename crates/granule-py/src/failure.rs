//! Errors of the engine as Python's exceptions, which `granule.errors` has.

use granule::simulation::{SetupError, StepError};
use granule_io::fclib::{ContactFileError, Flaw};
use granule_io::results::ReadError;
use granule_io::run::RunError;
use granule_io::scene::SceneError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

const BUSY: &str = "the simulation is in the middle of a step, and what asks is called from there, as a handler of signals \
                    is: let it note that it was called, and use the simulation after the step, for instance in `watch`";

/// Why something was not done.
pub enum Failure {
    /// A scene is wrong.
    Scene(Box<SceneError>),
    /// A world, settings or a change cannot be simulated.
    Setup(String),
    /// The thread that asks is in the middle of a step itself.
    Busy,
    /// A step could not be taken.
    Step(String),
    /// The constraints of a step contradict each other.
    Infeasible(String),
    /// A run could not be started, gone on with or recorded.
    Run(String),
    /// A result could not be read.
    Read(String),
    /// A contact problem is flawed, or a solver cannot solve it.
    Problem(String),
}

impl Failure {
    /// The error of a step, with bodies and walls by what `name` calls them.
    pub fn of_step(error: &StepError, name: impl Fn(granule::simulation::Party) -> String) -> Self {
        match error {
            StepError::Infeasible(infeasible) => Self::Infeasible(format!(
                "{}; {}",
                infeasible.describe(name),
                infeasible.remedy()
            )),
            other => Self::Step(other.to_string()),
        }
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let errors = py.import("granule.errors")?;
        let (class, arguments) = match self {
            Self::Scene(error) => {
                let file = error.file().display().to_string();
                let facts = (
                    error.to_string(),
                    file,
                    error.line(),
                    error.reason(),
                    error.help(),
                );
                ("SceneError", facts.into_pyobject(py)?)
            }
            Self::Setup(words) => ("SetupError", one(py, words)?),
            Self::Busy => ("BusyError", one(py, BUSY.to_owned())?),
            Self::Step(words) => ("StepError", one(py, words)?),
            Self::Infeasible(words) => ("InfeasibleError", one(py, words)?),
            Self::Run(words) => ("RunError", one(py, words)?),
            Self::Read(words) => ("ReadError", one(py, words)?),
            Self::Problem(words) => ("ProblemError", one(py, words)?),
        };
        let error = errors.getattr(class)?.call1(arguments)?;
        Ok(PyErr::from_value(error))
    }
}

fn one(py: Python<'_>, words: String) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, [words])
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.exception(py).unwrap_or_else(|error| error))
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        Self::Setup(error.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::Read(error.to_string())
    }
}

impl From<Flaw> for Failure {
    fn from(flaw: Flaw) -> Self {
        Self::Problem(flaw.to_string())
    }
}

impl From<ContactFileError> for Failure {
    fn from(error: ContactFileError) -> Self {
        Self::Problem(error.to_string())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let words = error.to_string();
        match error {
            RunError::Scene(error) => error.into(),
            RunError::Read(error) => error.into(),
            RunError::Setup(error) => error.into(),
            RunError::Step { source, .. } => match *source {
                StepError::Infeasible(_) => Self::Infeasible(words),
                _ => Self::Step(words),
            },
            _ => Self::Run(words),
        }
    }
}
