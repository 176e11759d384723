//! The convex problem as a cone program, solved by the interior-point method of [goulart2024]: the
//! reference that the other solvers are held to.
//!
//! ```text
//! minimise ½ x·P x + q·x   subject to   A x + s = c,  s in a product of cones
//! ```
//!
//! The unknowns x are the components of the impulses along the normal and two tangents of each
//! contact (and the same of the moments), P = Eᵀ W E with these directions as columns of E, divided
//! by the square roots of their own entries of W, so that P has a diagonal of ones whatever the
//! masses. Each condition `|f_T| ≤ μ f_n`, `|τ_T| ≤ δ f_n`, `|τ_n| ≤ σ f_n` is a second-order cone of
//! its own; contacts without any of them have `f_n ≥ 0`. Components whose coefficient is zero are
//! zero, and are left out. The multipliers of the cones are the relative velocities. The linear
//! term is divided by its largest entry, and c with it (cones do not mind), since the method's tests are
//! relative to numbers of the size of one.
//!
//! Where c is not zero, impulses have an end: a motor has `|f_n| ≤ limit`, and a rounded and capped cone is
//! `f = g + q` with g in the cone, |q| ≤ d in a second-order cone of its own, and `g_n + q_n ≤ r`.
//!
//! The method's own tests (duality gap and residuals) are set far below the tolerance asked for. Its
//! answer is projected onto K and judged by the certificate; if that fails, the problem is solved
//! again with tighter tests. Nothing is gained from a start, except that one that passes is returned.
//!
//! *Ours*: the gap is of second order in the direction in which a contact slides, so that a gap at the
//! limit of the arithmetic, 1e-16, leaves errors of about 1e-8 (less in a plane, where there is
//! nothing to turn). Where less than that is asked for, the last digits come from `spg`, begun at an
//! answer that is already near.
//!
//! It runs on one thread, so that the number of threads changes no bit.

use super::monitor::Followed;
use super::search::{Search, SearchMemory};
use super::spg::Spg;
use super::{
    Ask, ContactSolver, Gradient, Incompatible, Method, SolveReport, SolverConfig, Status,
};
use crate::law::AdmissibleSet;
use crate::math::DVec3;
use crate::problem::{Assembled, ContactProblem, ProblemKind};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT,
    SecondOrderConeT, SupportedConeT,
};

/// The method's own tests are so much tighter than the tolerance, and so much tighter again with
/// each new attempt.
const TIGHTER: f64 = 1e-3;
/// The tightest tests: beyond, they are about rounding.
const TIGHTEST: f64 = 1e-13;
/// Answers whose certificate is better than this are near enough to be polished.
const NEAR: f64 = 1e-3;
/// The limit of iterations of the polish.
const MAX_POLISH: usize = 10_000;
/// The limit of iterations of one attempt; thirty are usual.
const MAX_ITERATIONS: usize = 200;
/// A direction that impulses move less than this times the contact's easiest one is one that they
/// do not move at all.
const IMMOVABLE: f64 = 1e-14;

/// The solver `clarabel`.
pub(super) struct Clarabel {
    memory: SearchMemory,
    polish: Followed<Spg>,
}

impl Clarabel {
    pub(super) fn new(config: &SolverConfig) -> Self {
        let spg = Spg::new(config.stop, Gradient::default());
        Self {
            memory: SearchMemory::default(),
            polish: Followed::new(Method::Spg, config.stop, spg),
        }
    }
}

impl ContactSolver for Clarabel {
    fn method(&self) -> Method {
        Method::Clarabel
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        Method::Clarabel.only_convex(kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let (given, polish) = ((Method::Clarabel, problem, ask), &mut self.polish);
        Search::run(given, impulses, &mut self.memory, |search, _| {
            attempts(search, polish)
        })
    }
}

/// Solves the program with tighter and tighter tests until its answer passes.
fn attempts(search: &mut Search, polish: &mut Followed<Spg>) -> Status {
    let problem = search.problem;
    // Interior points are never zero, and where nothing needs to be done even a tiny impulse is as
    // wrong as can be.
    let mut answer = vec![0.0; problem.len()];
    let nothing = search.judge(&answer);
    if nothing.meets(&search.ask.limits) {
        search.keep(&answer, nothing);
        return Status::Converged;
    }
    let program = ConeProgram::new(problem);
    let mut accuracy = search.ask.limits.scaled;
    loop {
        accuracy = (TIGHTER * accuracy).max(TIGHTEST);
        let most = search.left().min(MAX_ITERATIONS);
        search.report.iterations += program.solve(accuracy, most, &mut answer);
        problem.project(&mut answer);
        let certificate = search.judge(&answer);
        let passed = search.offer(&answer, certificate);
        return if search.proves(&[], &answer) {
            Status::Infeasible
        } else if passed {
            Status::Converged
        } else if let Some(end) = search.must_end() {
            end
        } else if accuracy > TIGHTEST {
            continue;
        } else if search.report.certificate.scaled < NEAR {
            search.polish(polish, MAX_POLISH)
        } else {
            Status::Stalled
        };
    }
}

/// An impulse in the rows of a contact; rows that it does not have are zero.
type Direction = [f64; 6];

/// One unknown: a component of a contact's impulse.
struct Unknown {
    contact: usize,
    /// The impulse of a unit of it.
    direction: Direction,
    /// The length of `direction`.
    scale: f64,
}

/// A contact problem as a cone program.
struct ConeProgram {
    unknowns: Vec<Unknown>,
    rows: usize,
    /// The upper triangle of P.
    quadratic: CscMatrix<f64>,
    /// q, its largest entry one.
    linear: Vec<f64>,
    /// What q was divided by.
    size: f64,
    /// A.
    constraints: CscMatrix<f64>,
    /// c, divided as q is.
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

/// The entries of a sparse matrix, in any order.
#[derive(Default)]
struct Entries {
    row: Vec<usize>,
    column: Vec<usize>,
    value: Vec<f64>,
}

impl Entries {
    fn push(&mut self, row: usize, column: usize, value: f64) {
        self.row.push(row);
        self.column.push(column);
        self.value.push(value);
    }

    fn matrix(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.row, self.column, self.value)
    }
}

impl ConeProgram {
    fn new(problem: &ContactProblem) -> Self {
        let matrix = problem.delassus.matrix();
        let rows = problem.rows();
        let mut program = Cones::default();
        // The unknowns of contact k are `first[k]..first[k + 1]`.
        let mut first = vec![0];
        for k in 0..problem.contact_count() {
            program.add_contact(k, problem.set(k), &matrix);
            first.push(program.unknowns.len());
        }
        let unknowns = program.unknowns;
        let mut quadratic = Entries::default();
        for (j, column) in unknowns.iter().enumerate() {
            for (l, block) in matrix.row(column.contact) {
                let last = first[l + 1].min(j + 1);
                for (i, row) in unknowns.iter().enumerate().take(last).skip(first[l]) {
                    let value = form(block, rows, &column.direction, &row.direction);
                    if value != 0.0 {
                        quadratic.push(i, j, value);
                    }
                }
            }
        }
        let mut linear: Vec<f64> = unknowns
            .iter()
            .map(|u| {
                let bias = &problem.bias[u.contact * rows..][..rows];
                bias.iter().zip(&u.direction).map(|(b, d)| b * d).sum()
            })
            .collect();
        let largest = linear.iter().fold(0.0, |a: f64, q| a.max(q.abs()));
        let size = if largest > 0.0 { largest } else { 1.0 };
        linear.iter_mut().for_each(|q| *q /= size);
        let bounds = program.bounds.iter().map(|bound| bound / size).collect();
        Self {
            bounds,
            quadratic: quadratic.matrix(unknowns.len(), unknowns.len()),
            constraints: program.entries.matrix(program.bounds.len(), unknowns.len()),
            unknowns,
            rows,
            linear,
            size,
            cones: program.cones,
        }
    }

    /// Solves the program with the method's own tests at `accuracy`, writes the impulses and gives
    /// the number of iterations.
    fn solve(&self, accuracy: f64, max_iterations: usize, impulses: &mut [f64]) -> usize {
        let settings: DefaultSettings<f64> = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_threads(1)
            .direct_solve_method("faer".to_owned())
            .max_iter(max_iterations as u32)
            .tol_gap_abs(accuracy)
            .tol_gap_rel(accuracy)
            .tol_feas(accuracy)
            .build()
            .expect("these settings are valid");
        let mut solver = DefaultSolver::new(
            &self.quadratic,
            &self.linear,
            &self.constraints,
            &self.bounds,
            &self.cones,
            settings,
        )
        .expect("the program is one by construction");
        solver.solve();
        impulses.fill(0.0);
        for (unknown, x) in self.unknowns.iter().zip(&solver.solution.x) {
            let rows = &mut impulses[unknown.contact * self.rows..][..self.rows];
            for (impulse, direction) in rows.iter_mut().zip(&unknown.direction) {
                *impulse += self.size * x * direction;
            }
        }
        solver.solution.iterations as usize
    }
}

/// a·B b for a block B of W.
fn form(block: &[f64], rows: usize, a: &Direction, b: &Direction) -> f64 {
    let lines = block.chunks_exact(rows).zip(a);
    lines
        .map(|(line, a)| a * line.iter().zip(b).map(|(m, b)| m * b).sum::<f64>())
        .sum()
}

/// The unknowns, the cones they are in, A and c, contact by contact.
#[derive(Default)]
struct Cones {
    unknowns: Vec<Unknown>,
    entries: Entries,
    cones: Vec<SupportedConeT<f64>>,
    /// c: one entry for each row of A.
    bounds: Vec<f64>,
}

/// The unknown of a direction, scaled so that its entry of P is one; none where impulses do not move it.
fn unknown(contact: usize, direction: Direction, matrix: &Assembled) -> Option<Unknown> {
    let own = form(
        matrix.diagonal(contact),
        matrix.rows(),
        &direction,
        &direction,
    );
    let scale = 1.0 / own.sqrt();
    (own > IMMOVABLE * matrix.largest_diagonal(contact)).then(|| Unknown {
        contact,
        direction: direction.map(|d| scale * d),
        scale,
    })
}

impl Cones {
    fn add_contact(&mut self, contact: usize, set: AdmissibleSet, matrix: &Assembled) {
        let rows = matrix.rows();
        let normal = matrix.normal(contact);
        match set {
            AdmissibleSet::Free => {
                for row in 0..rows {
                    let mut direction = Direction::default();
                    direction[row] = 1.0;
                    self.unknowns.extend(unknown(contact, direction, matrix));
                }
            }
            AdmissibleSet::Segment { limit } => {
                if let Some(along) = unknown(contact, along(rows, normal), matrix) {
                    let member = (self.unknowns.len(), along.scale);
                    self.unknowns.push(along);
                    for sign in [1.0, -1.0] {
                        self.add_end(&[member], sign, limit);
                    }
                }
            }
            AdmissibleSet::HalfLine
            | AdmissibleSet::Cone { .. }
            | AdmissibleSet::RollingCone { .. } => self.add_cone(contact, set.limits(), matrix),
            AdmissibleSet::Yield { rounding, cap, .. } => {
                let first = self.unknowns.len();
                self.add_cone(contact, set.limits(), matrix);
                let second = self.unknowns.len();
                self.add_ball(contact, rounding, matrix);
                // The first unknown of either part is that along the normal.
                let parts = [first..second, second..self.unknowns.len()];
                let members: Vec<(usize, f64)> = parts
                    .into_iter()
                    .filter_map(|mut part| part.next())
                    .map(|column| (column, self.unknowns[column].scale))
                    .collect();
                // Without one there is nothing to cap.
                if cap.is_finite() && second > first {
                    self.add_end(&members, 1.0, cap);
                }
            }
        }
    }

    /// The unknowns of a cone with the coefficients μ, δ and σ, that along the normal first.
    fn add_cone(&mut self, contact: usize, limits: [f64; 3], matrix: &Assembled) {
        let (rows, normal) = (matrix.rows(), matrix.normal(contact));
        let Some(head) = unknown(contact, along(rows, normal), matrix) else {
            return;
        };
        let (along, column) = (head.scale, self.unknowns.len());
        self.unknowns.push(head);
        let before = self.cones.len();
        for (limit, directions) in across(limits, rows, normal) {
            let members = directions
                .into_iter()
                .filter_map(|d| unknown(contact, d, matrix));
            let members: Vec<Unknown> = members.collect();
            let Some(widest) = members.iter().map(|u| u.scale).reduce(f64::max) else {
                continue;
            };
            // Both sides of `|x| ≤ c x_n` divided by the larger of their coefficients.
            let size = widest.max(limit * along);
            (self.entries).push(self.bounds.len(), column, -limit * along / size);
            self.add_members(members, size, 0.0);
        }
        if self.cones.len() == before {
            self.entries.push(self.bounds.len(), column, -1.0);
            self.cones.push(NonnegativeConeT(1));
            self.bounds.push(0.0);
        }
    }

    /// The unknowns of a ball of radius d, that along the normal first; none for a point.
    fn add_ball(&mut self, contact: usize, radius: f64, matrix: &Assembled) {
        let (rows, normal) = (matrix.rows(), matrix.normal(contact));
        if radius == 0.0 {
            return;
        }
        let tangents = across([1.0, 0.0, 0.0], rows, normal);
        let directions = std::iter::once(along(rows, normal))
            .chain(tangents.into_iter().flat_map(|(_, directions)| directions));
        let members: Vec<Unknown> = directions
            .filter_map(|d| unknown(contact, d, matrix))
            .collect();
        if let Some(size) = members.iter().map(|u| u.scale).reduce(f64::max) {
            self.add_members(members, size, radius);
        }
    }

    /// The members of a second-order cone whose head is what A has in this row already and a bound; both sides are
    /// divided by `size`.
    fn add_members(&mut self, members: Vec<Unknown>, size: f64, bound: f64) {
        self.cones.push(SecondOrderConeT(1 + members.len()));
        self.bounds.push(bound / size);
        for member in members {
            let column = self.unknowns.len();
            (self.entries).push(self.bounds.len(), column, -member.scale / size);
            self.bounds.push(0.0);
            self.unknowns.push(member);
        }
    }

    /// The sum of unknowns, each times its scale and all times a sign, is at most a bound.
    fn add_end(&mut self, members: &[(usize, f64)], sign: f64, bound: f64) {
        let Some(size) = members.iter().map(|(_, scale)| *scale).reduce(f64::max) else {
            return;
        };
        for (column, scale) in members {
            (self.entries).push(self.bounds.len(), *column, sign * scale / size);
        }
        self.cones.push(NonnegativeConeT(1));
        self.bounds.push(bound / size);
    }
}

/// A force in the rows of a contact.
fn force(v: DVec3) -> Direction {
    [v.x, v.y, v.z, 0.0, 0.0, 0.0]
}

/// The direction of the normal impulse in the rows of a contact.
fn along(rows: usize, normal: DVec3) -> Direction {
    force(if rows == 1 { DVec3::X } else { normal })
}

/// The directions of what the normal impulse bounds, with their coefficients (of μ, δ and σ); none where a coefficient
/// is zero.
fn across(limits: [f64; 3], rows: usize, normal: DVec3) -> Vec<(f64, Vec<Direction>)> {
    if rows == 1 {
        return Vec::new();
    }
    let moment = |v: DVec3| [0.0, 0.0, 0.0, v.x, v.y, v.z];
    let tangents = if rows == 2 {
        vec![DVec3::new(-normal.y, normal.x, 0.0)]
    } else {
        let (first, second) = normal.any_orthonormal_pair();
        vec![first, second]
    };
    let [friction, rolling, spinning] = limits;
    let mut bounded = vec![
        (friction, tangents.iter().copied().map(force).collect()),
        (rolling, tangents.iter().copied().map(moment).collect()),
        (spinning, vec![moment(normal)]),
    ];
    bounded.retain(|(limit, _)| *limit > 0.0);
    bounded
}
