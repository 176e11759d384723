//! A contact problem of a file as the engine solves it, and back.

use super::{Condensed, ContactFile, Dynamics, Flaw, Form, Solution};
use granule::law::Flow;
use granule::problem::{Assembled, ContactProblem, Sets};

/// A contact problem of a file in the form that solvers take.
///
/// ```
/// use granule::law::Flow;
/// use granule::solver::{solver, SolverConfig};
/// use granule_io::fclib::read_text;
/// // One contact of three rows: W = 1, q = (-1, 3, 0), μ = 0.5.
/// let file = read_text("3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3 0  0.5").unwrap();
/// let engine = file.engine_problem(Flow::Exact)?;
/// let mut impulses = vec![0.0; engine.problem.len()];
/// let config = SolverConfig::default();
/// solver(&config).solve(&engine.problem, &mut impulses, &config.ask());
/// let solution = engine.solution(&file, &impulses);
/// assert!(file.community_error(Flow::Exact, &solution.impulses, &solution.velocities) < 1e-4);
/// assert!((solution.impulses[1] + 0.5).abs() < 1e-3);
/// # Ok::<(), granule_io::fclib::Flaw>(())
/// ```
#[derive(Debug, Clone)]
pub struct EngineProblem {
    /// What solvers take: the normal is the first coordinate of each contact.
    pub problem: ContactProblem,
    /// Rows a contact in the file.
    dimension: usize,
    /// M, factorised, if the file has it.
    dynamics: Option<Dynamics>,
}

/// The rows of the engine: with moments it has six, of which the fourth, the spin about the normal, has
/// no place in files; a moment that no coefficient allows stays zero.
fn engine_rows(dimension: usize) -> usize {
    if dimension == 5 { 6 } else { dimension }
}

/// Where a row of a file is in the engine.
fn engine_row(dimension: usize, row: usize) -> usize {
    let (contact, own) = (row / dimension, row % dimension);
    let shift = usize::from(dimension == 5 && own >= 3);
    contact * engine_rows(dimension) + own + shift
}

impl ContactFile {
    /// The problem for the engine: W condensed if the form is global, with exact friction or its convex
    /// relative.
    pub fn engine_problem(&self, flow: Flow) -> Result<EngineProblem, Flaw> {
        self.check()?;
        let Condensed {
            matrix,
            free,
            dynamics,
        } = self.condense()?;
        let (dimension, contacts) = (self.dimension, self.contact_count());
        let rows = engine_rows(dimension);
        let entries = matrix.entries().map(|(row, column, value)| {
            (
                engine_row(dimension, row),
                engine_row(dimension, column),
                value,
            )
        });
        let assembled = Assembled::from_entries(rows, contacts, entries)?;
        for k in 0..contacts {
            let largest = assembled.largest_diagonal(k);
            if !(largest.is_finite() && largest > 0.0) {
                return Err(Flaw::of(
                    "W",
                    format!("the block of contact {k} has the largest eigenvalue {largest}"),
                    "an impulse must move something; leave out contacts between what does not move",
                ));
            }
        }
        let mut bias = vec![0.0; rows * contacts];
        for (row, q) in free.iter().enumerate() {
            bias[engine_row(dimension, row)] = *q;
        }
        let sets = if dimension == 5 {
            let coefficients = self.friction.iter().zip(&self.rolling);
            Sets::RollingCone(coefficients.map(|(mu, roll)| [*mu, *roll, 0.0]).collect())
        } else {
            Sets::Cone(self.friction.clone())
        };
        Ok(EngineProblem {
            problem: ContactProblem {
                delassus: assembled.into(),
                bias,
                sets,
                flow,
                ..ContactProblem::default()
            },
            dimension,
            dynamics,
        })
    }

    /// The same problem in the local form.
    pub fn localised(&self) -> Result<Self, Flaw> {
        let without = |solution: &Solution| Solution {
            velocities: Vec::new(),
            ..solution.clone()
        };
        let Condensed { matrix, free, .. } = self.condense()?;
        Ok(Self {
            form: Form::Local { matrix, free },
            guesses: self.guesses.iter().map(without).collect(),
            solution: self.solution.as_ref().map(without),
            ..self.clone()
        })
    }
}

impl EngineProblem {
    /// Impulses of the engine in the rows of the file.
    pub fn impulses(&self, engine: &[f64]) -> Vec<f64> {
        let rows = engine.len() / engine_rows(self.dimension) * self.dimension;
        (0..rows)
            .map(|row| engine[engine_row(self.dimension, row)])
            .collect()
    }

    /// Impulses of the file in the rows of the engine.
    pub fn engine_impulses(&self, impulses: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.problem.len()];
        for (row, value) in impulses.iter().enumerate() {
            out[engine_row(self.dimension, row)] = *value;
        }
        out
    }

    /// Impulses of the engine as a solution of the file that this problem was made from: r, with the
    /// global form `v = M⁻¹ (H r + f)`, and u.
    pub fn solution(&self, file: &ContactFile, engine: &[f64]) -> Solution {
        let impulses = self.impulses(engine);
        let velocities = match (&file.form, &self.dynamics) {
            (Form::Global(global), Some(dynamics)) => {
                let mut total = global.directions.multiply(&impulses);
                let momentum = global.momentum.iter();
                total.iter_mut().zip(momentum).for_each(|(t, f)| *t += f);
                dynamics.solve(&total)
            }
            _ => Vec::new(),
        };
        Solution {
            relative: file.relative_velocities(&impulses, &velocities),
            impulses,
            velocities,
        }
    }
}
