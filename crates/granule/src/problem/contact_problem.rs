//! The problem of one step, as data.

use super::error::{check_finite, check_length};
use super::{Block, Delassus, DelassusScratch, ProblemError, Sets, Shift, Skew, by_rows};
use crate::law::{AdmissibleSet, Flow, LawTable, Metric, Restitution};

/// Find λ ∈ K with -(w + s(w) n) ∈ N_K(λ), w = W λ + b, where s(w) is zero for an associated
/// [`Flow`] and de Saxcé's correction for exact friction; where the flow is skewed, with -H w in N_K(λ).
///
/// Built by a scheme, consumed by solvers, judged by the certificate; immutable during a solve.
///
/// ```
/// use granule::certify::certify;
/// use granule::problem::{Assembled, ContactProblem};
/// // One contact approaching at 2 m/s between masses with W = 1/m = 0.5/kg: λ = 4 N s.
/// let problem = ContactProblem::explicit(Assembled::from_dense(1, &[[0.5]])?, vec![-2.0])?;
/// assert!(certify(&problem, &[4.0]).residual < 1e-15);
/// assert_eq!(certify(&problem, &[0.0]).residual, 2.0);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ContactProblem {
    /// The time step h, s; 1 where the problem does not come from one.
    pub step: f64,
    /// W, 1/kg.
    pub delassus: Delassus,
    /// b = Dᵀ v_free + s: the relative velocities without impulses, with what scheme and law add,
    /// m/s; one entry a row.
    pub bias: Vec<f64>,
    /// s: the part of `bias` that scheme and law add (for Maury's scheme the gap over the step,
    /// along the normal; with restitution a share of the velocity before the step), m/s; one entry
    /// a row, or empty for zero.
    pub offset: Vec<f64>,
    /// What impacts give back: w is `1 + e` times the formal velocity of [barboteu2017, eq. (21)]. One
    /// entry a contact, or empty for nothing.
    pub restitution: Vec<Restitution>,
    /// K: the sets of the contacts, of the round ones where there are others.
    pub sets: Sets,
    /// The sets of contacts that are not round and of joints.
    pub general_sets: Vec<AdmissibleSet>,
    /// How far the sets are shifted along the normals (cohesion): see [`ContactProblem::with_shift`].
    pub shift: Shift,
    /// How impulses go with velocities.
    pub flow: Flow,
    /// H of each contact where the flow is skewed (see [`ContactProblem::with_skew`]); empty otherwise, and where there is
    /// one row.
    pub skew: Vec<Skew>,
    /// What errors are also compared with; zero for a problem that stands alone.
    pub scale: Scale,
    /// What rounding of the positions and velocities behind `bias` can amount to, m/s: contacts that
    /// err by less count as solved. Zero where `bias` is all that is given.
    pub rounding: f64,
}

/// Sizes of a problem that another one follows: an error of the second that is small beside the first
/// does not matter, however little is left to do in the second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    /// ‖λ‖, N s.
    pub impulse: f64,
    /// The same with the impulse of each contact divided by `ρ_i = 1/λ_max(W_ii)`, m/s.
    pub velocity: f64,
    /// The fastest approach before impulses, m/s ([`crate::certify::Certificate::fastest`]).
    pub fastest: f64,
}

impl Scale {
    /// The sizes of the impulses that solve `problem`, whose fastest approach is known (m/s).
    pub fn of(problem: &ContactProblem, impulses: &[f64], fastest: f64) -> Self {
        if problem.is_empty() {
            return Self::default();
        }
        let (mut impulse, mut velocity) = (0.0, 0.0);
        for (k, rows) in impulses.chunks_exact(problem.rows()).enumerate() {
            let square: f64 = rows.iter().map(|x| x * x).sum();
            impulse += square;
            velocity += square * problem.delassus.largest_diagonal(k).powi(2);
        }
        Self {
            impulse: f64::sqrt(impulse),
            velocity: f64::sqrt(velocity),
            fastest,
        }
    }
}

/// What a solver must cope with, known before the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemKind {
    /// Rows a contact.
    pub rows: usize,
    /// How impulses go with velocities.
    pub flow: Flow,
    /// The sets that its contacts have.
    pub sets: SetKinds,
    /// Whether some contact gives.
    pub compliance: bool,
    /// Whether a skewed flow differs between directions across a normal.
    pub anisotropic: bool,
    /// Whether some body takes part in many contacts besides their two (see [`super::CommonBody`]).
    pub common: bool,
}

/// Which sets there are among the contacts of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetKinds {
    /// Joints.
    pub free: bool,
    /// Motors of limited strength.
    pub segment: bool,
    /// Contacts without friction.
    pub half_line: bool,
    /// Contacts with friction.
    pub cone: bool,
    /// Contacts with resistance to rolling.
    pub rolling: bool,
    /// Contacts whose cone is rounded or capped.
    pub yields: bool,
}

impl SetKinds {
    const NONE: Self = Self {
        free: false,
        segment: false,
        half_line: false,
        cone: false,
        rolling: false,
        yields: false,
    };

    fn add(&mut self, set: AdmissibleSet) {
        match set {
            AdmissibleSet::Free => self.free = true,
            AdmissibleSet::Segment { .. } => self.segment = true,
            AdmissibleSet::HalfLine => self.half_line = true,
            AdmissibleSet::Cone { .. } => self.cone = true,
            AdmissibleSet::RollingCone { .. } => self.rolling = true,
            AdmissibleSet::Yield { .. } => self.yields = true,
        }
    }
}

impl ProblemKind {
    /// Contacts under the laws of a table, in so many dimensions.
    pub fn of_laws(laws: &LawTable, dimensions: usize) -> Self {
        let mut kind = Self::of_contacts(laws.rows(dimensions), laws.flow());
        kind.compliance = laws.give();
        kind.sets.yields = laws.yield_somewhere();
        kind
    }

    /// Rigid contacts alone, with the sets that go with so many rows.
    pub const fn of_contacts(rows: usize, flow: Flow) -> Self {
        let sets = SetKinds {
            half_line: rows == 1,
            cone: rows == 2 || rows == 3,
            rolling: rows == 6,
            ..SetKinds::NONE
        };
        Self {
            rows,
            flow,
            sets,
            compliance: false,
            anisotropic: false,
            common: false,
        }
    }

    /// Whether a flow is asked for where it is not defined: exact friction or a skewed flow at a contact whose cone is
    /// rounded or capped, and a skewed flow at one with moments.
    pub fn is_undefined(&self) -> bool {
        match self.flow {
            Flow::Associated => false,
            Flow::Exact => self.sets.yields && self.rows > 1,
            Flow::Skewed => (self.sets.yields && self.rows > 1) || self.rows == 6,
        }
    }
}

impl Default for ContactProblem {
    fn default() -> Self {
        Self {
            step: 1.0,
            delassus: Delassus::default(),
            bias: Vec::new(),
            offset: Vec::new(),
            restitution: Vec::new(),
            sets: Sets::HalfLine,
            general_sets: Vec::new(),
            shift: Shift::default(),
            flow: Flow::Associated,
            skew: Vec::new(),
            scale: Scale::default(),
            rounding: 0.0,
        }
    }
}

impl ContactProblem {
    /// A frictionless problem given by W and b alone, with one finite entry of b for each row of W. What is added to
    /// it by hand is looked at by [`ContactProblem::validate`].
    pub fn explicit(delassus: impl Into<Delassus>, bias: Vec<f64>) -> Result<Self, ProblemError> {
        let delassus = delassus.into();
        check_length("b", delassus.len(), bias.len())?;
        check_finite("b", bias.iter().copied())?;
        let others = delassus.contact_count() - delassus.round_count();
        Ok(Self {
            delassus,
            bias,
            general_sets: vec![AdmissibleSet::HalfLine; others],
            ..Self::default()
        })
    }

    /// Joints alone, given by their operator, whose blocks are all general, and the velocities of their rows without
    /// impulses.
    pub fn joints(delassus: impl Into<Delassus>, bias: Vec<f64>) -> Result<Self, ProblemError> {
        let mut problem = Self::explicit(delassus, bias)?;
        problem.general_sets.fill(AdmissibleSet::Free);
        Ok(problem)
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.delassus.contact_count()
    }

    /// Rows a contact.
    pub fn rows(&self) -> usize {
        self.delassus.rows()
    }

    /// K of a contact of any kind.
    #[inline(always)]
    pub fn set(&self, contact: usize) -> AdmissibleSet {
        match contact.checked_sub(self.delassus.round_count()) {
            None => self.sets.get(contact),
            Some(block) => self.general_sets[block],
        }
    }

    /// Whether all sets are half-lines.
    pub fn is_frictionless(&self) -> bool {
        self.sets == Sets::HalfLine
            && (self.general_sets.iter()).all(|set| *set == AdmissibleSet::HalfLine)
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.bias.len()
    }

    /// Whether there is no contact.
    pub fn is_empty(&self) -> bool {
        self.bias.is_empty()
    }

    /// Replaces impulses by the nearest of K; tells whether that changed any.
    ///
    /// ```
    /// use granule::problem::{Assembled, ContactProblem};
    /// let w = Assembled::from_dense(1, &[[2.0, -1.0], [-1.0, 2.0]])?;
    /// let problem = ContactProblem::explicit(w, vec![-1.0, 0.5])?;
    /// let mut impulses = [1.0, -0.5];
    /// assert!(problem.project(&mut impulses));
    /// assert_eq!(impulses, [1.0, 0.0]);
    /// # Ok::<(), granule::problem::ProblemError>(())
    /// ```
    pub fn project(&self, impulses: &mut [f64]) -> bool {
        by_rows!(self.rows(), <ROWS, B> self.project_blocks::<ROWS, B>(impulses))
    }

    /// w = W λ + b of impulses, m/s.
    pub(crate) fn velocities(
        &self,
        impulses: &[f64],
        scratch: &mut DelassusScratch,
        out: &mut Vec<f64>,
    ) {
        out.resize(self.len(), 0.0);
        self.delassus.apply(impulses, scratch, out);
        out.iter_mut().zip(&self.bias).for_each(|(w, b)| *w += b);
    }

    fn project_blocks<const ROWS: usize, B: Block>(&self, impulses: &mut [f64]) -> bool {
        let mut changed = false;
        for (k, rows) in impulses.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            let before = *rows;
            let (set, normal) = (self.set(k), self.delassus.normal(k));
            let nearest = B::load(rows).project(set, normal, Metric::EUCLIDEAN);
            nearest.store(rows);
            changed |= *rows != before;
        }
        changed
    }

    /// What a solver must cope with.
    pub fn kind(&self) -> ProblemKind {
        let mut sets = SetKinds::NONE;
        match &self.sets {
            Sets::HalfLine => sets.half_line = self.delassus.round_count() > 0,
            Sets::Cone(list) => sets.cone = !list.is_empty(),
            Sets::RollingCone(list) => sets.rolling = !list.is_empty(),
            Sets::Mixed(list) => list.iter().for_each(|set| sets.add(*set)),
        }
        self.general_sets.iter().for_each(|set| sets.add(*set));
        ProblemKind {
            rows: self.rows(),
            flow: self.flow,
            sets,
            compliance: self.delassus.is_compliant(),
            anisotropic: self.is_anisotropic(),
            common: (self.delassus.space()).is_some_and(|space| space.general.common.is_some()),
        }
    }
}
