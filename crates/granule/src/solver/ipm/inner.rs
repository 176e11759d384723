//! The ways to solve `(N + F²) Δx = F z - (N x + r - y)`, and which one a step takes.

use super::bodies::some_only_turn;
use super::body_space::BodySystem;
use super::cone::{NesterovTodd, SymmetricCone};
use super::contact_space::ContactSystem;
use super::skewed_space::SkewedSystem;
use crate::math::{DMat3, DVec3};
use crate::problem::{Assembled, ContactProblem, Delassus, MatrixFree};
use crate::solver::tuning::ipm as tuning;

/// A matrix W whose asymmetry is at most this is symmetric up to rounding.
const SYMMETRIC: f64 = 1e-14;

/// The right-hand sides.
pub(super) struct Aim<'a> {
    pub(super) z: &'a [DVec3],
    /// N x + r - y.
    pub(super) rest: &'a [DVec3],
    /// The sum of x·y: the square of λ, in whose metric inner solves are inexact.
    pub(super) total: f64,
    /// The share of the way to its aim that the last step went: short ones call for more care.
    pub(super) last_step: f64,
    /// Whether the step sought is the corrector: only z is another than for the predictor, and the solve goes on from
    /// that.
    pub(super) corrects: bool,
}

impl Aim<'_> {
    /// z and the rest of a contact, as far as they are not those of the last solve.
    pub(super) fn news(&self, k: usize, last_z: &[DVec3]) -> (DVec3, DVec3) {
        if self.corrects {
            (self.z[k] - last_z[k], DVec3::ZERO)
        } else {
            (self.z[k], self.rest[k])
        }
    }
}

/// The step of a contact: Δx, F Δx and F⁻¹ Δy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Step {
    pub(super) dx: DVec3,
    pub(super) scaled_dx: DVec3,
    pub(super) scaled_dy: DVec3,
}

/// What an inner solve is told and needs of the problem.
pub(super) struct Linear<'a> {
    pub(super) problem: &'a ContactProblem,
    pub(super) cones: &'a [SymmetricCone],
    pub(super) scalings: &'a [NesterovTodd],
    /// H of each contact; empty for an associated flow.
    pub(super) flows: &'a [DMat3],
}

/// The operator of a problem that knows its bodies.
pub(super) fn operator(problem: &ContactProblem) -> Option<&MatrixFree> {
    match &problem.delassus {
        Delassus::MatrixFree(operator) => Some(operator),
        Delassus::Assembled(_) => None,
    }
}

/// The systems, and which of them is solved.
#[derive(Default)]
pub(super) struct Inner {
    /// Whether that of the bodies is.
    by_bodies: bool,
    /// Whether a factor of the matrix is the preconditioner.
    factorise: bool,
    contacts: ContactSystem,
    bodies: BodySystem,
    /// That of a flow which is skewed, and whether it is.
    skewed: SkewedSystem,
    is_skewed: bool,
    /// W, where a factor of it is wanted and it is not given.
    formed: Option<Assembled>,
    /// Applications in this step.
    spent: usize,
}

impl Inner {
    /// Takes a problem.
    pub(super) fn start(&mut self, problem: &ContactProblem, factorise: bool) {
        self.factorise = factorise;
        self.spent = 0;
        self.is_skewed = !problem.skew.is_empty();
        self.by_bodies = !self.is_skewed
            && operator(problem).is_some_and(|operator| !some_only_turn(&operator.space));
        let form = (factorise || self.is_skewed) && !self.by_bodies;
        self.formed = match &problem.delassus {
            Delassus::MatrixFree(operator) if form => Some(Assembled::from_space(&operator.space)),
            Delassus::MatrixFree(_) | Delassus::Assembled(_) => None,
        };
        self.contacts.symmetric = match &problem.delassus {
            Delassus::MatrixFree(_) => true,
            Delassus::Assembled(matrix) => matrix.asymmetry() <= SYMMETRIC,
        };
    }

    /// Goes on with the impulses of contacts: Δy by way of velocities loses the digits that are small where contacts
    /// slide. Tells whether that is new.
    pub(super) fn leave_bodies(&mut self) -> bool {
        std::mem::replace(&mut self.by_bodies, false)
    }

    /// Takes the scaling of a step.
    pub(super) fn prepare(&mut self, linear: &Linear) {
        self.by_bodies &= self.factorise || self.spent <= tuning::COSTLY;
        self.spent = 0;
        if self.by_bodies {
            self.bodies.prepare(linear, self.factorise);
        } else {
            let given = match &linear.problem.delassus {
                Delassus::Assembled(matrix) => Some(matrix),
                Delassus::MatrixFree(_) => self.formed.as_ref(),
            };
            match given.filter(|_| self.is_skewed) {
                Some(matrix) => self.skewed.prepare(linear, matrix),
                None => self
                    .contacts
                    .prepare(linear, given.filter(|_| self.factorise)),
            }
        }
    }

    /// Solves for the steps in which `aim.z` is z; tells how often W, or the matrix of the bodies, was
    /// applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, steps: &mut [Step]) -> usize {
        let applications = if self.is_skewed {
            self.skewed.solve(linear, aim, steps)
        } else if self.by_bodies {
            self.bodies.solve(linear, aim, steps)
        } else {
            self.contacts.solve(linear, aim, steps)
        };
        self.spent += applications;
        applications
    }
}
