//! Contact problems, and their solution.

use crate::arrays::numbers;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::report::Certificate;
use crate::threads;
use granule::certify;
use granule::law::Flow;
use granule::problem::{Assembled, ContactProblem};
use granule::solver::{Ask, Method, SolverConfig, solver};
use granule_io::fclib::{self, ContactFile, Form, FreeMotion, GlobalForm, Info, SparseMatrix};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::Instant;

/// Rows, columns and values of the entries of a sparse matrix, and its shape.
type Entries<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
    (usize, usize),
);

/// The same on the way back.
type Triplets<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    (usize, usize),
);

/// What came out: impulses, relative velocities, velocities of bodies, status, iterations, applications, seconds, the
/// certificate, the community's error (none without friction), who finished, and the proof that there is no solution.
type Outcome<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    String,
    usize,
    usize,
    f64,
    Certificate,
    Option<f64>,
    Option<&'static str>,
    Option<Vec<usize>>,
);

/// A contact problem.
#[derive(Clone)]
enum Kind {
    /// As files have it, with friction.
    File(Box<ContactFile>),
    /// Without friction: W and b.
    Normal {
        matrix: SparseMatrix,
        free: Vec<f64>,
    },
}

/// A contact problem.
#[pyclass(frozen, module = "granule._granule")]
pub struct Problem {
    kind: Kind,
}

fn owned(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

fn sparse((rows, columns, values, shape): &Entries<'_>) -> PyResult<SparseMatrix> {
    let index = |number: &i64| {
        usize::try_from(*number)
            .map_err(|_| PyValueError::new_err(format!("an index of a matrix is {number}")))
    };
    let entries = rows.as_array().into_iter().zip(columns.as_array());
    let entries = entries.zip(values.as_array());
    let entries: PyResult<Vec<_>> = entries
        .map(|((row, column), value)| Ok((index(row)?, index(column)?, *value)))
        .collect();
    let matrix = SparseMatrix::from_entries(shape.0, shape.1, entries?);
    Ok(matrix.map_err(Failure::from)?)
}

fn triplets<'py>(py: Python<'py>, matrix: &SparseMatrix) -> Triplets<'py> {
    let part = |which: fn((usize, usize, f64)) -> i64| matrix.entries().map(which).collect();
    (
        numbers(py, part(|(row, _, _)| row as i64)),
        numbers(py, part(|(_, column, _)| column as i64)),
        numbers(py, matrix.entries().map(|(_, _, value)| value).collect()),
        (matrix.rows(), matrix.columns()),
    )
}

fn flow(law: &str) -> PyResult<Flow> {
    match law {
        "exact" => Ok(Flow::Exact),
        "convex" => Ok(Flow::Associated),
        _ => Err(PyValueError::new_err(format!(
            "`law` is `exact` or `convex`, not `{law}`"
        ))),
    }
}

fn method(name: &str) -> PyResult<Method> {
    let known = || [Method::Usual].into_iter().chain(Method::ALL);
    known().find(|one| one.name() == name).ok_or_else(|| {
        let names: Vec<&str> = known().map(Method::name).collect();
        PyValueError::new_err(format!(
            "there is no solver `{name}`; there are {}",
            names.join(", ")
        ))
    })
}

/// The problem without friction for the engine.
fn normal_problem(matrix: &SparseMatrix, free: &[f64]) -> Result<ContactProblem, Failure> {
    let wrong = |error: granule::problem::ProblemError| Failure::Problem(error.to_string());
    let entries = matrix.entries();
    let assembled = Assembled::from_entries(1, free.len(), entries).map_err(wrong)?;
    ContactProblem::explicit(assembled, free.to_vec()).map_err(wrong)
}

#[pymethods]
impl Problem {
    /// `u = W r + q`, with friction if there are coefficients.
    #[staticmethod]
    fn local(
        matrix: Entries<'_>,
        free: PyReadonlyArray1<'_, f64>,
        friction: Option<PyReadonlyArray1<'_, f64>>,
        rolling: PyReadonlyArray1<'_, f64>,
        title: Option<String>,
    ) -> PyResult<Self> {
        let (matrix, free) = (sparse(&matrix)?, owned(&free));
        let Some(friction) = friction else {
            if matrix.rows() != free.len() || matrix.columns() != free.len() {
                let words = format!(
                    "W has {} rows and {} columns where b has {} entries; all must be as many as contacts",
                    matrix.rows(),
                    matrix.columns(),
                    free.len()
                );
                return Err(Failure::Problem(words).into());
            }
            normal_problem(&matrix, &free)?;
            let kind = Kind::Normal { matrix, free };
            return Ok(Self { kind });
        };
        let form = Form::Local { matrix, free };
        Self::of_form(form, &friction, &rolling, title)
    }

    /// `M v = H r + f`, `u = Hᵀ v + w`.
    #[staticmethod]
    fn global_form(
        mass: Entries<'_>,
        directions: Entries<'_>,
        momentum: PyReadonlyArray1<'_, f64>,
        offset: PyReadonlyArray1<'_, f64>,
        friction: PyReadonlyArray1<'_, f64>,
        rolling: PyReadonlyArray1<'_, f64>,
        title: Option<String>,
    ) -> PyResult<Self> {
        let form = Form::Global(GlobalForm {
            mass: sparse(&mass)?,
            directions: sparse(&directions)?,
            momentum: owned(&momentum),
            offset: owned(&offset),
        });
        Self::of_form(form, &friction, &rolling, title)
    }

    /// Reads FCLib's HDF5 or Siconos' text.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        let file = fclib::read(&path).map_err(Failure::from)?;
        let kind = Kind::File(Box::new(file));
        Ok(Self { kind })
    }

    /// The problem of the last step of a simulation.
    #[staticmethod]
    fn of_step(py: Python<'_>, engine: &Engine) -> PyResult<Self> {
        let engine = engine.enter(py)?;
        let simulation = engine.simulation()?;
        let solved = simulation.first_problem();
        let world = simulation.world();
        let info = Info {
            title: Some(format!("Granule, step {}", world.steps)),
            description: Some(format!(
                "t = {} s, h = {} s",
                world.time,
                simulation.last_step_size()
            )),
            math_info: None,
        };
        let (linear, angular) = solved.free_velocities();
        let free = FreeMotion { linear, angular };
        let file = fclib::from_step(solved.problem(), solved.impulses(), free, info);
        let kind = Kind::File(Box::new(file.map_err(Failure::from)?));
        Ok(Self { kind })
    }

    /// Writes FCLib's HDF5, or Siconos' text where the name ends in `.dat`.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        match &self.kind {
            Kind::File(file) => Ok(fclib::write(&path, file).map_err(Failure::from)?),
            Kind::Normal { .. } => Err(Failure::Problem(
                "files of contact problems have 2, 3 or 5 rows a contact: give `friction` (zeros for none) with as many rows"
                    .to_owned(),
            )
            .into()),
        }
    }

    /// How many contacts there are.
    #[getter]
    fn contacts(&self) -> usize {
        match &self.kind {
            Kind::File(file) => file.contact_count(),
            Kind::Normal { free, .. } => free.len(),
        }
    }

    /// How many rows a contact has.
    #[getter]
    fn rows_a_contact(&self) -> usize {
        match &self.kind {
            Kind::File(file) => file.dimension,
            Kind::Normal { .. } => 1,
        }
    }

    /// `local` or `global`.
    #[getter]
    fn form(&self) -> &'static str {
        match &self.kind {
            Kind::File(file) if file.freedom_count() > 0 => "global",
            Kind::File(_) | Kind::Normal { .. } => "local",
        }
    }

    /// What it is called.
    #[getter]
    fn title(&self) -> Option<String> {
        match &self.kind {
            Kind::File(file) => file.info.title.clone(),
            Kind::Normal { .. } => None,
        }
    }

    /// The coefficient of friction of each contact.
    #[getter]
    fn friction<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.kind {
            Kind::File(file) => Some(numbers(py, file.friction.clone())),
            Kind::Normal { .. } => None,
        }
    }

    /// The coefficient of rolling friction of each contact, m; empty unless there are five rows.
    #[getter]
    fn rolling<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        match &self.kind {
            Kind::File(file) => numbers(py, file.rolling.clone()),
            Kind::Normal { .. } => numbers(py, Vec::new()),
        }
    }

    /// W and q of the local form, into which the global one is condensed.
    fn to_local<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Triplets<'py>, Bound<'py, PyArray1<f64>>)> {
        let (matrix, free) = match &self.kind {
            Kind::Normal { matrix, free } => (matrix.clone(), free.clone()),
            Kind::File(file) => {
                let local = py.detach(|| file.localised()).map_err(Failure::from)?;
                match local.form {
                    Form::Local { matrix, free } => (matrix, free),
                    Form::Global(_) => {
                        return Err(Failure::Problem("it was not condensed".to_owned()).into());
                    }
                }
            }
        };
        Ok((triplets(py, &matrix), numbers(py, free)))
    }

    /// Solves it, with Python's lock free; a signal that Python answers by an exception breaks it off.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        solver_name: &str,
        tolerance: f64,
        max_iterations: usize,
        law: &str,
        threads: Option<usize>,
    ) -> PyResult<Outcome<'py>> {
        let flow = flow(law)?;
        let config = SolverConfig {
            tolerance,
            max_relative: Some(tolerance),
            max_iterations,
            ..SolverConfig::named(method(solver_name)?)
        };
        config
            .validate()
            .map_err(|(name, reason)| PyValueError::new_err(format!("`{name}` {reason}")))?;
        let pool = threads::pool(threads)?;
        let ask = config.ask();
        let watch = ask.watch.clone();
        let solved = threads::watched(py, &pool, &watch, || self.solved(flow, &config, &ask))?;
        let (answer, community) = solved?;
        let status = serde_json::to_value(answer.report.status).unwrap_or_default();
        let contradiction = answer.report.contradiction.as_deref();
        // The contacts that have to give are those of the proof's direction.
        let concerned = contradiction.map(|proof| {
            let rows = proof.direction.len() / self.contacts().max(1);
            let moves = |part: &[f64]| part.iter().any(|x| *x != 0.0);
            let parts = proof.direction.chunks(rows.max(1)).enumerate();
            parts
                .filter(|(_, part)| moves(part))
                .map(|(k, _)| k)
                .collect()
        });
        Ok((
            numbers(py, answer.solution.impulses),
            numbers(py, answer.solution.relative),
            numbers(py, answer.solution.velocities),
            status.as_str().unwrap_or_default().to_owned(),
            answer.report.iterations,
            answer.report.applications,
            answer.seconds,
            Certificate(answer.certificate),
            community,
            answer.report.finished_by.map(Method::name),
            concerned,
        ))
    }

    /// The certificate of impulses, in the rows of the problem, and the community's error.
    fn certify(
        &self,
        py: Python<'_>,
        impulses: PyReadonlyArray1<'_, f64>,
        law: &str,
    ) -> PyResult<(Certificate, Option<f64>)> {
        let (flow, impulses) = (flow(law)?, owned(&impulses));
        let wanted = self.contacts() * self.rows_a_contact();
        if impulses.len() != wanted {
            return Err(PyValueError::new_err(format!(
                "`impulses` must have {wanted} entries, not {}",
                impulses.len()
            )));
        }
        let judged = py.detach(|| match &self.kind {
            Kind::Normal { matrix, free } => {
                let problem = normal_problem(matrix, free)?;
                Ok((certify::certify(&problem, &impulses), None))
            }
            Kind::File(file) => {
                let engine = file.engine_problem(flow)?;
                let inside = engine.engine_impulses(&impulses);
                let solution = engine.solution(file, &inside);
                let community = file.community_error(flow, &impulses, &solution.velocities);
                let certificate = certify::certify(&engine.problem, &inside);
                Ok::<_, Failure>((certificate, Some(community)))
            }
        });
        let (certificate, community) = judged?;
        Ok((Certificate(certificate), community))
    }
}

impl Problem {
    fn of_form(
        form: Form,
        friction: &PyReadonlyArray1<'_, f64>,
        rolling: &PyReadonlyArray1<'_, f64>,
        title: Option<String>,
    ) -> PyResult<Self> {
        let (friction, rolling) = (owned(friction), owned(rolling));
        let rows = match &form {
            Form::Local { free, .. } => free.len(),
            Form::Global(global) => global.offset.len(),
        };
        let contacts = friction.len();
        if contacts == 0 || rows % contacts != 0 {
            let words = format!(
                "there are {rows} rows for {contacts} coefficients of friction; give one for each contact, which has 2, 3 or 5 rows"
            );
            return Err(Failure::Problem(words).into());
        }
        let file = ContactFile {
            dimension: rows / contacts,
            form,
            friction,
            rolling,
            info: Info {
                title,
                ..Info::default()
            },
            ..ContactFile::default()
        };
        file.check().map_err(Failure::from)?;
        let kind = Kind::File(Box::new(file));
        Ok(Self { kind })
    }

    fn solved(
        &self,
        flow: Flow,
        config: &SolverConfig,
        ask: &Ask,
    ) -> Result<(fclib::Answer, Option<f64>), Failure> {
        let mut method = solver(config);
        let unsupported =
            |reason: granule::solver::Incompatible| Failure::Problem(reason.to_string());
        match &self.kind {
            Kind::File(file) => {
                let engine = file.engine_problem(flow)?;
                (method.supports(&engine.problem.kind())).map_err(unsupported)?;
                let answer = fclib::solve(file, &engine, flow, ask, method.as_mut());
                let community = answer.community;
                Ok((answer, Some(community)))
            }
            Kind::Normal { matrix, free } => {
                let problem = normal_problem(matrix, free)?;
                method.supports(&problem.kind()).map_err(unsupported)?;
                let mut impulses = vec![0.0; problem.len()];
                let clock = Instant::now();
                let report = method.solve(&problem, &mut impulses, ask);
                let seconds = clock.elapsed().as_secs_f64();
                let mut relative = matrix.multiply(&impulses);
                relative.iter_mut().zip(free).for_each(|(u, q)| *u += q);
                let certificate = certify::certify(&problem, &impulses);
                let solution = fclib::Solution {
                    impulses,
                    relative,
                    velocities: Vec::new(),
                };
                let answer = fclib::Answer {
                    report,
                    certificate,
                    community: 0.0,
                    seconds,
                    solution,
                };
                Ok((answer, None))
            }
        }
    }
}

/// Names and descriptions of all solvers.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, &'static str)> {
    let all = Method::ALL.into_iter();
    all.map(|method| (method.name(), method.summary()))
        .collect()
}
