//! A contact problem as files have it.

use super::{Flaw, SparseMatrix};

/// A contact problem in the form of the collections of such problems, with exact Coulomb friction.
///
/// Each contact has [`ContactFile::dimension`] rows: the normal first, then the tangents, then with 5
/// rows the two axes of rolling.
///
/// ```
/// use granule::law::Flow;
/// use granule_io::fclib::{ContactFile, Form, SparseMatrix};
/// // A mass of 2 kg that comes down at 1 m/s and slides at 3 m/s, μ = 0.5.
/// let entries = (0..3).map(|i| (i, i, 0.5)).collect();
/// let problem = ContactFile {
///     dimension: 3,
///     form: Form::Local {
///         matrix: SparseMatrix::from_entries(3, 3, entries)?,
///         free: vec![-1.0, 3.0, 0.0],
///     },
///     friction: vec![0.5],
///     ..Default::default()
/// };
/// problem.check()?;
/// assert!(problem.community_error(Flow::Exact, &[2.0, -1.0, 0.0], &[]) < 1e-15);
/// assert!(problem.community_error(Flow::Exact, &[0.0; 3], &[]) > 0.1);
/// # Ok::<(), granule_io::fclib::Flaw>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactFile {
    /// Rows a contact: 2 in a plane, 3 in space, 5 with rolling.
    pub dimension: usize,
    /// The equations.
    pub form: Form,
    /// μ of each contact.
    pub friction: Vec<f64>,
    /// μ_r of each contact, in the unit of moment over force; empty unless there are 5 rows.
    pub rolling: Vec<f64>,
    /// What it is.
    pub info: Info,
    /// Starts that the file suggests.
    pub guesses: Vec<Solution>,
    /// What the file calls its solution; often it is none.
    pub solution: Option<Solution>,
}

/// The equations of a contact problem; impulses r and relative velocities u in consistent units.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// `u = W r + q`.
    Local {
        /// W.
        matrix: SparseMatrix,
        /// q: the relative velocities without impulses, one entry a row.
        free: Vec<f64>,
    },
    /// `M v = H r + f`, `u = Hᵀ v + w`.
    Global(GlobalForm),
}

/// A problem with the velocities v of bodies: `M v = H r + f`, `u = Hᵀ v + w`.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalForm {
    /// M, one row and column a degree of freedom.
    pub mass: SparseMatrix,
    /// H, one row a degree of freedom, one column a row of a contact.
    pub directions: SparseMatrix,
    /// f, one entry a degree of freedom.
    pub momentum: Vec<f64>,
    /// w, one entry a row of a contact.
    pub offset: Vec<f64>,
}

impl Default for Form {
    fn default() -> Self {
        Self::Local {
            matrix: SparseMatrix::default(),
            free: Vec::new(),
        }
    }
}

/// Words about a problem.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    /// A title.
    pub title: Option<String>,
    /// Where it comes from.
    pub description: Option<String>,
    /// What is known about it.
    pub math_info: Option<String>,
}

/// Impulses and velocities; a part that a file leaves out is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solution {
    /// r, one entry a row of a contact.
    pub impulses: Vec<f64>,
    /// u, likewise.
    pub relative: Vec<f64>,
    /// v, one entry a degree of freedom; only with the global form.
    pub velocities: Vec<f64>,
}

fn check_length(part: &'static str, found: usize, want: usize) -> Result<(), Flaw> {
    if found == want {
        return Ok(());
    }
    Err(Flaw::of(
        part,
        format!("{found} where {want} are expected"),
        "the sizes of matrices, vectors and coefficients must agree with the number of contacts",
    ))
}

fn check_finite(part: &'static str, values: &[f64]) -> Result<(), Flaw> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(place) => Err(Flaw::of(
            part,
            format!("entry {place} is {}", values[place]),
            "entries must be finite numbers",
        )),
    }
}

fn check_vector(part: &'static str, values: &[f64], length: usize) -> Result<(), Flaw> {
    check_length(part, values.len(), length)?;
    check_finite(part, values)
}

fn check_coefficients(part: &'static str, values: &[f64], length: usize) -> Result<(), Flaw> {
    check_vector(part, values, length)?;
    match values.iter().position(|x| *x < 0.0) {
        None => Ok(()),
        Some(place) => Err(Flaw::of(
            part,
            format!("contact {place} has the coefficient {}", values[place]),
            "coefficients must not be negative",
        )),
    }
}

impl ContactFile {
    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.friction.len()
    }

    /// Number of rows: entries of r and u.
    pub fn row_count(&self) -> usize {
        self.dimension * self.contact_count()
    }

    /// Number of degrees of freedom: entries of v; zero for the local form.
    pub fn freedom_count(&self) -> usize {
        match &self.form {
            Form::Local { .. } => 0,
            Form::Global(global) => global.mass.rows(),
        }
    }

    /// Whether all parts belong together and all numbers make sense; what readers check and writers
    /// insist on.
    pub fn check(&self) -> Result<(), Flaw> {
        if !matches!(self.dimension, 2 | 3 | 5) {
            return Err(Flaw::of(
                "dimension",
                format!("{} rows a contact", self.dimension),
                "a contact has 2 rows in a plane, 3 in space, 5 with rolling",
            ));
        }
        let (contacts, rows) = (self.contact_count(), self.row_count());
        match &self.form {
            Form::Local { matrix, free } => {
                check_length("rows of W", matrix.rows(), rows)?;
                check_length("columns of W", matrix.columns(), rows)?;
                check_vector("q", free, rows)?;
            }
            Form::Global(global) => {
                let (freedoms, directions) = (global.mass.rows(), &global.directions);
                check_length("columns of M", global.mass.columns(), freedoms)?;
                check_length("rows of H", directions.rows(), freedoms)?;
                check_length("columns of H", directions.columns(), rows)?;
                check_vector("f", &global.momentum, freedoms)?;
                check_vector("w", &global.offset, rows)?;
            }
        }
        check_coefficients("mu", &self.friction, contacts)?;
        let rolling = if self.dimension == 5 { contacts } else { 0 };
        check_coefficients("mu_r", &self.rolling, rolling)?;
        for solution in self.guesses.iter().chain(&self.solution) {
            self.check_solution(solution)?;
        }
        Ok(())
    }

    fn check_solution(&self, solution: &Solution) -> Result<(), Flaw> {
        let parts = [
            ("r of a solution", &solution.impulses, self.row_count()),
            ("u of a solution", &solution.relative, self.row_count()),
            (
                "v of a solution",
                &solution.velocities,
                self.freedom_count(),
            ),
        ];
        for (part, values, length) in parts {
            if !values.is_empty() {
                check_vector(part, values, length)?;
            }
        }
        Ok(())
    }

    /// The relative velocities u that impulses r make; v, the velocities with the global form, must
    /// be given there.
    pub fn relative_velocities(&self, impulses: &[f64], velocities: &[f64]) -> Vec<f64> {
        let (mut relative, rest) = match &self.form {
            Form::Local { matrix, free } => (matrix.multiply(impulses), free),
            Form::Global(global) => {
                let moved = global.directions.multiply_transposed(velocities);
                (moved, &global.offset)
            }
        };
        relative.iter_mut().zip(rest).for_each(|(u, q)| *u += q);
        relative
    }
}
