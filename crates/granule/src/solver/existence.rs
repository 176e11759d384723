//! Whether a problem whose flow is skewed must have a solution: the condition of [tasora2013, Theorem 1],
//!
//! ```text
//! d ∈ K, W d = 0   ⇒   d = 0            (no impulses that hold each other in check)
//! ```
//!
//! By Gordan's theorem it holds if and only if there are impulses λ with W λ inside of K*: velocities at which all contacts
//! open at once. Such λ are a solution of the associated problem with b = -n, which asks every contact to open with
//! 1 m/s, and where that has none the proof of it is a d (*ours*). So the condition is decided by one more contact problem,
//! and whichever answer comes is checked by itself.

use super::{Ask, Method, SolveReport, SolverConfig, solver};
use crate::certify::Limits;
use crate::law::{AdmissibleSet, Flow};
use crate::math::Screw;
use crate::problem::{ContactProblem, Delassus, DelassusScratch, Sets};

/// How far inside of K* velocities must be, as a share of their size.
const INSIDE: f64 = 1e-9;
/// Contacts with less than this share of the largest impulse are not named.
const NAMED: f64 = 0.05;
/// Errors that the methods are asked for in turn, with so many iterations at most.
const ATTEMPTS: [(Method, f64, usize); 2] = [(Method::Ags, 1e-3, 2000), (Method::Ipm, 1e-6, 200)];

/// Whether a skewed flow must have a solution.
///
/// ```
/// use granule::problem::{Assembled, ContactProblem};
/// use granule::solver::{Existence, existence};
/// // A mass on a wall, and a mass between two walls.
/// let one = ContactProblem::explicit(Assembled::from_dense(1, &[[1.0]])?, vec![-1.0])?;
/// assert_eq!(existence(&one), Existence::Sure);
/// let two = Assembled::from_dense(1, &[[1.0, -1.0], [-1.0, 1.0]])?;
/// let Existence::InternalForces { contacts, .. } =
///     existence(&ContactProblem::explicit(two, vec![0.0, 0.0])?)
/// else {
///     panic!("the walls press on each other through the mass");
/// };
/// assert_eq!(contacts, [0, 1]);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Existence {
    /// No impulses hold each other in check: whatever b and H, there are solutions, and they are bounded.
    Sure,
    /// Some do. There may be solutions, and with an associated flow there are unless constraints contradict each other
    /// ([`crate::certify::Contradiction`]); but nothing says that there must be, and they are not bounded.
    InternalForces {
        /// d ∈ K with W d = 0, one entry a row, with Σ|d_i| = 1.
        direction: Vec<f64>,
        /// The contacts that have a part in it.
        contacts: Vec<usize>,
    },
    /// Neither was proved: there are joints, or the solvers did not get far enough.
    Unknown,
}

impl Existence {
    /// One line for people and files.
    pub fn summary(&self) -> String {
        match self {
            Self::Sure => "sure: no contact forces hold each other in check".to_owned(),
            Self::InternalForces { contacts, .. } => format!(
                "not sure: the forces of {} contacts can hold each other in check",
                contacts.len()
            ),
            Self::Unknown => "unknown".to_owned(),
        }
    }
}

/// Whether every contact gives in all its rows: then W is positive definite.
fn all_give(problem: &ContactProblem) -> bool {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        return false;
    };
    let given = &operator.space.compliance;
    let rows = problem.rows();
    given.len() == problem.contact_count()
        && given.iter().all(|e| {
            e.normal > 0.0
                && (rows == 1 || e.tangential > 0.0)
                && (rows < 6 || (e.rolling > 0.0 && e.spinning > 0.0))
        })
}

/// The associated problem in which every contact is to open.
fn opening(problem: &ContactProblem) -> ContactProblem {
    let rows = problem.rows();
    let sets: Vec<AdmissibleSet> = (0..problem.contact_count())
        .map(|k| {
            let bounded = AdmissibleSet::Segment { limit: 0.0 };
            problem.set(k).recession().unwrap_or(bounded)
        })
        .collect();
    let mut bias = Vec::with_capacity(problem.len());
    for k in 0..problem.contact_count() {
        let normal = match rows {
            1 => [-1.0, 0.0, 0.0],
            _ => (-problem.delassus.normal(k)).to_array(),
        };
        bias.extend(normal.into_iter().chain([0.0; 3]).take(rows));
    }
    let (round, others) = sets.split_at(problem.delassus.round_count());
    ContactProblem {
        delassus: problem.delassus.clone(),
        bias,
        sets: Sets::Mixed(round.to_vec()),
        general_sets: others.to_vec(),
        flow: Flow::Associated,
        ..ContactProblem::default()
    }
}

/// Whether W λ is inside of K* at every contact whose impulses have no end.
fn all_open(problem: &ContactProblem, impulses: &[f64]) -> bool {
    let rows = problem.rows();
    let mut velocities = vec![0.0; problem.len()];
    (problem.delassus).apply(impulses, &mut DelassusScratch::default(), &mut velocities);
    velocities.chunks_exact(rows).enumerate().all(|(k, w)| {
        let Some(cone) = problem.set(k).recession() else {
            return true;
        };
        let normal = problem.delassus.normal(k);
        let w = Screw::from_rows(w, normal);
        let least = w.linear.dot(normal) - cone.dilation(w, normal);
        least > INSIDE * w.length()
    })
}

/// Finds out. It costs about as much as a solve, and more where the answer is not clear.
pub fn existence(problem: &ContactProblem) -> Existence {
    let free = (0..problem.contact_count()).any(|k| problem.set(k) == AdmissibleSet::Free);
    if problem.is_empty() || all_give(problem) {
        return Existence::Sure;
    } else if free {
        return Existence::Unknown;
    }
    let open = opening(problem);
    let mut impulses = vec![0.0; problem.len()];
    for (method, scaled, iterations) in ATTEMPTS {
        let config = SolverConfig::named(method);
        let mut solver = solver(&config);
        if solver.supports(&open.kind()).is_err() {
            continue;
        }
        let limits = Limits {
            scaled,
            ..Limits::default()
        };
        let ask = Ask {
            limits,
            iterations,
            ..config.ask()
        };
        let report: SolveReport = solver.solve(&open, &mut impulses, &ask);
        if let Some(proof) = report.contradiction {
            let shares: Vec<f64> = proof.shares(problem.rows()).collect();
            let largest = shares.iter().copied().fold(0.0, f64::max);
            let named = shares.iter().enumerate();
            let contacts = named.filter(|(_, share)| **share >= NAMED * largest);
            return Existence::InternalForces {
                contacts: contacts.map(|(k, _)| k).collect(),
                direction: proof.direction,
            };
        }
        if all_open(problem, &impulses) {
            return Existence::Sure;
        }
    }
    Existence::Unknown
}
