//! A primal-dual interior-point method on the product of the friction cones [kleinert2017, §4].
//!
//! In the coordinates of [`cone`], with `N = T⁻¹ W T⁻¹` and `r = T⁻¹ b`,
//!
//! ```text
//! C ∋ x ⊥ y = N x + r ∈ C                                          [kleinert2017, eq. (23)]
//! ```
//!
//! is followed along `x_i ∘ y_i = α e` to α = 0 by Newton's method in Nesterov and Todd's scaling F
//! (`F x = F⁻¹ y = λ`), so that the matrix is symmetric:
//!
//! ```text
//! λ ∘ (F Δx + F⁻¹ Δy) = σ α e - λ ∘ λ - (F Δx_a) ∘ (F⁻¹ Δy_a) =: λ ∘ z
//! (N + F²) Δx = F z - (N x + r - y),   Δy = N Δx + (N x + r - y)
//! ```
//!
//! with Mehrotra's predictor Δx_a (σ = 0) and corrector. y need not be N x + r on the way: inexact
//! inner solves leave a rest in that equation, which the next step takes up. The paper says neither
//! how α falls nor how exact the inner solves are; both are ours.
//!
//! There are two ways to solve for the step ([`inner`]):
//!
//! - **over the bodies** ([`body_space`]): for their velocities Δv = M⁻¹ D Δf, `(M + D S Dᵀ) Δv = D S T c` with
//!   `S = (T F² T)⁻¹` and c the right-hand side above. Few iterations at first, more as α falls;
//! - **over the contacts** ([`contact_space`]): for Δx itself, with the blocks `(N_kk + F_k²)⁻¹` as preconditioner
//!   [kleinert2017, §4.2]. It keeps the digits that are small where contacts slide. Conjugate gradients where W is
//!   symmetric, minimal residuals where a given W is not.
//!
//! **`ipm-mf`** (the paper's name) factorises nothing: over the bodies with the blocks of bodies and of groups of
//! them as preconditioner, and over the contacts from where that costs more. **`ipm`** (*ours*) has the sparse
//! Cholesky factor of the contacts that matter as preconditioner, or that of a given W: a few inner iterations
//! where the other takes hundreds. A corrector goes on from the solution of its predictor.
//!
//! **Start.** Impulses f with velocities u = W f + b, good or bad, become the point on the central
//! path with `√d x - y/√d = √d T f - T⁻¹ u/√d`, d = λ_max(W_kk) ([`cone::Cone::smoothed`]) with an α that goes with
//! their error: good impulses start near the end.
//!
//! The certificate judges the impulses after every iteration, projected onto K, and the best are kept.
//! α is of second order in the direction in which a contact slides, so products and determinants of x and y are
//! carried along beside them ([`cone::Pair`]): computed anew from x and y they would be lost below 1e-7. Where
//! no step leads on all the same, sweeps of `ags` from the best point do the rest, and the report says so.
//!
//! Joints, half-lines and cones with different μ may be mixed; a joint's rows are taken as a proximal step
//! each time ([`cone::Scaling::of_joint`]). It minimises a function; exact friction needs
//! the fixed point around it, which is what it then takes by itself. One thread, so that the number of
//! threads changes no bit.

mod body_space;
mod cone;
mod contact_space;
mod factor;
mod frame;
mod groups;
mod inner;
mod krylov;
#[cfg(test)]
mod tests;

use super::ags::Ags;
use super::monitor::{Followed, has_grown};
use super::{
    Ask, ContactSolver, Incompatible, Method, SolveReport, SolverConfig, Status, contradiction,
};
use crate::certify::{Certificate, CertifyWorkspace, certify_with};
use crate::law::AdmissibleSet;
use crate::math::DVec3;
use crate::problem::{ContactProblem, DelassusScratch, ProblemKind};
use cone::{Cone, Pair, Scaling};
use inner::{Aim, Inner, Linear, Step};

/// The share of the way to the edge of the cones that a step goes.
const BOUNDARY: f64 = 0.99;
/// Iterations without a certificate better by a tenth after which rounding is taken to have won.
const PATIENCE: usize = 12;
/// A step shorter than this leads nowhere: rounding has put a point on the edge of its cone.
const SHORTEST: f64 = 1e-9;
/// The error of a contact in the largest velocity given that no answer has.
const SENSIBLE: f64 = 0.1;
/// Sweeps at most for what an iteration that leads nowhere leaves.
const MAX_POLISH: usize = 10_000;
/// α at a start with impulses is this times their relative error times the mean of x·x: less leaves
/// more iterations than it saves (of 1, 10 and 100, tried from 1e-3, 1e-4 and 1e-5).
const SMOOTHING: f64 = 10.0;

/// Vectors of contacts in world coordinates.
type Field = Vec<DVec3>;

/// The solvers `ipm` and `ipm-mf`.
pub(super) struct Ipm {
    method: Method,
    certifier: CertifyWorkspace,
    scratch: DelassusScratch,
    inner: Inner,
    cones: Vec<Cone>,
    scalings: Vec<Scaling>,
    x: Field,
    y: Field,
    pairs: Vec<Pair>,
    dx: Field,
    dy: Field,
    scaled_dx: Field,
    scaled_dy: Field,
    /// N x + r - y.
    rest: Field,
    z: Field,
    impulses: Vec<f64>,
    rows: Vec<f64>,
    best: Vec<f64>,
    /// The impulses of the iteration before.
    last: Vec<f64>,
    /// Contacts that are not joints.
    bounded: usize,
    /// The largest entry of b, m/s.
    fastest: f64,
    last_step: f64,
    polish: Followed<Ags>,
}

/// The sweeps that add the last digits.
fn sweeps(config: SolverConfig) -> Followed<Ags> {
    let method = Method::Ags;
    Followed::new(SolverConfig { method, ..config }, Ags::new(config))
}

/// The block of a contact as a vector: along the normal where there is one row.
#[inline(always)]
fn load(rows: &[f64], normal: DVec3) -> DVec3 {
    match rows {
        [along] => *along * normal,
        [x, y] => DVec3::new(*x, *y, 0.0),
        _ => DVec3::from_slice(&rows[..3]),
    }
}

#[inline(always)]
fn store(vector: DVec3, normal: DVec3, rows: &mut [f64]) {
    match rows {
        [along] => *along = vector.dot(normal),
        [x, y] => (*x, *y) = (vector.x, vector.y),
        _ => rows.copy_from_slice(&vector.to_array()),
    }
}

/// `T⁻¹ W T⁻¹ x`, with rows as scratch memory.
fn apply(
    problem: &ContactProblem,
    cones: &[Cone],
    x: &[DVec3],
    (impulses, rows): (&mut [f64], &mut [f64]),
    scratch: &mut DelassusScratch,
    out: &mut [DVec3],
) {
    let size = problem.rows();
    for ((cone, x), f) in cones.iter().zip(x).zip(impulses.chunks_exact_mut(size)) {
        store(cone.unstretched(*x), cone.axis, f);
    }
    problem.delassus.apply(impulses, scratch, rows);
    for ((cone, w), out) in cones.iter().zip(rows.chunks_exact(size)).zip(out) {
        *out = cone.unstretched(load(w, cone.axis));
    }
}

impl Ipm {
    pub(super) fn new(config: SolverConfig) -> Self {
        Self {
            method: config.method,
            certifier: CertifyWorkspace::default(),
            scratch: DelassusScratch::default(),
            inner: Inner::default(),
            cones: Vec::new(),
            scalings: Vec::new(),
            x: Field::new(),
            y: Field::new(),
            pairs: Vec::new(),
            dx: Field::new(),
            dy: Field::new(),
            scaled_dx: Field::new(),
            scaled_dy: Field::new(),
            rest: Field::new(),
            z: Field::new(),
            impulses: Vec::new(),
            rows: Vec::new(),
            best: Vec::new(),
            last: Vec::new(),
            bounded: 0,
            fastest: 0.0,
            last_step: 1.0,
            polish: sweeps(config),
        }
    }

    /// Whether an answer will do. Impulses that hold each other in check (W is singular) may grow on the
    /// way, and errors relative to them be small that are not: no contact may err by a tenth of the largest
    /// velocity given.
    fn accepts(&self, certificate: &Certificate, ask: &Ask) -> bool {
        certificate.meets(&ask.limits) && certificate.residual <= SENSIBLE * self.fastest
    }

    /// Takes a problem.
    fn prepare(&mut self, problem: &ContactProblem) {
        let factorise = self.method == Method::Ipm;
        self.inner.start(problem, factorise);
        self.last_step = 1.0;
        self.fastest = problem.bias.iter().fold(0.0, |most, b| b.abs().max(most));
        let count = problem.contact_count();
        self.cones.clear();
        self.cones.extend((0..count).map(|k| {
            let (set, normal) = (problem.set(k), problem.delassus.normal(k));
            match set {
                AdmissibleSet::Free => Cone::of_joint(normal, problem.rows() == 1),
                // Segments are refused; of one that comes all the same the certificate tells the truth.
                AdmissibleSet::HalfLine | AdmissibleSet::Segment { .. } => Cone::new(normal, 0.0),
                AdmissibleSet::Cone { friction } | AdmissibleSet::RollingCone { friction, .. } => {
                    let friction = if problem.rows() == 1 { 0.0 } else { friction };
                    Cone::new(normal, friction)
                }
            }
        }));
        self.bounded = self.cones.iter().filter(|cone| !cone.is_joint()).count();
        for field in [
            &mut self.x,
            &mut self.y,
            &mut self.dx,
            &mut self.dy,
            &mut self.scaled_dx,
            &mut self.scaled_dy,
            &mut self.rest,
            &mut self.z,
        ] {
            field.clear();
            field.resize(count, DVec3::ZERO);
        }
        self.pairs.clear();
        self.pairs.resize(count, Pair::default());
        for rows in [&mut self.impulses, &mut self.rows] {
            rows.clear();
            rows.resize(problem.len(), 0.0);
        }
    }

    /// N x + r - y.
    fn set_rest(&mut self, problem: &ContactProblem) {
        let Self {
            cones,
            x,
            y,
            rest,
            impulses,
            rows,
            scratch,
            ..
        } = self;
        apply(problem, cones, x, (impulses, rows), scratch, rest);
        let bias = problem.bias.chunks_exact(problem.rows());
        for (((rest, y), cone), b) in rest.iter_mut().zip(y).zip(cones).zip(bias) {
            *rest += cone.unstretched(load(b, cone.axis)) - *y;
        }
    }

    /// The point on the central path nearest to `start`, whose certificate this is.
    fn set_start(&mut self, problem: &ContactProblem, start: &[f64], certificate: &Certificate) {
        let size = problem.rows();
        problem
            .delassus
            .apply(start, &mut self.scratch, &mut self.rows);
        let (mut impulse, mut bias) = (0.0, 0.0);
        for (k, cone) in self.cones.iter().enumerate() {
            let part = k * size..(k + 1) * size;
            let scale = problem.delassus.largest_diagonal(k).sqrt();
            let f = load(&start[part.clone()], cone.axis);
            let b = load(&problem.bias[part.clone()], cone.axis);
            let u = load(&self.rows[part], cone.axis) + b;
            if cone.is_joint() {
                self.x[k] = f;
                continue;
            }
            let x = scale * cone.stretched(f);
            self.x[k] = x - cone.unstretched(u) / scale;
            impulse += x.length_squared();
            bias += (cone.unstretched(b) / scale).length_squared();
        }
        let count = self.bounded.max(1) as f64;
        let error = certificate.scaled.min(1.0);
        let alpha = error * (SMOOTHING * impulse).max(error * bias) / count;
        for (k, cone) in self.cones.iter().enumerate() {
            if cone.is_joint() {
                continue;
            }
            let scale = problem.delassus.largest_diagonal(k).sqrt();
            let (x, y, pair) = cone.smoothed(self.x[k], alpha);
            (self.x[k], self.y[k]) = (x / scale, scale * y);
            self.pairs[k] = pair.scaled(1.0 / scale, scale);
        }
    }

    /// The impulses of x, projected onto K, and their certificate.
    fn judge(&mut self, problem: &ContactProblem) -> Certificate {
        let size = problem.rows();
        let impulses = self.impulses.chunks_exact_mut(size);
        for ((cone, x), f) in self.cones.iter().zip(&self.x).zip(impulses) {
            store(cone.unstretched(*x), cone.axis, f);
        }
        problem.project(&mut self.impulses);
        certify_with(problem, &self.impulses, &mut self.certifier)
    }

    /// Solves for Δx and Δy; tells how often W was applied.
    fn direction(&mut self, problem: &ContactProblem, gap: f64, corrects: bool) -> usize {
        let linear = Linear {
            problem,
            cones: &self.cones,
            scalings: &self.scalings,
        };
        let aim = Aim {
            z: &self.z,
            rest: &self.rest,
            total: gap * self.bounded as f64,
            last_step: self.last_step,
            corrects,
        };
        let step = Step {
            dx: &mut self.dx,
            dy: &mut self.dy,
            scaled_dx: &mut self.scaled_dx,
            scaled_dy: &mut self.scaled_dy,
        };
        self.inner.solve(&linear, &aim, step)
    }

    /// The longest step along (Δx, Δy), at most 1.
    fn longest_step(&self) -> f64 {
        let mut longest: f64 = 1.0 / BOUNDARY;
        let cones = self.cones.iter().enumerate();
        for (k, cone) in cones.filter(|(_, cone)| !cone.is_joint()) {
            let lambda = self.scalings[k].lambda;
            longest = cone.longest_step(lambda, self.scaled_dx[k], longest);
            longest = cone.longest_step(lambda, self.scaled_dy[k], longest);
        }
        (BOUNDARY * longest).min(1.0)
    }

    /// α: the mean of x·y over all but joints.
    fn gap(&self) -> f64 {
        let sum: f64 = self.pairs.iter().map(|pair| pair.dot).sum();
        sum / self.bounded.max(1) as f64
    }

    /// One step; tells how long it was, and how often W was applied.
    fn advance(&mut self, problem: &ContactProblem) -> (f64, usize) {
        let gap = self.gap();
        self.scalings.clear();
        for (k, cone) in self.cones.iter().enumerate() {
            self.scalings.push(if cone.is_joint() {
                Scaling::of_joint(cone, problem.delassus.largest_diagonal(k))
            } else {
                Scaling::new(cone, self.x[k], self.y[k], &self.pairs[k])
            });
        }
        self.set_rest(problem);
        let linear = Linear {
            problem,
            cones: &self.cones,
            scalings: &self.scalings,
        };
        self.inner.prepare(&linear);
        for (z, scaling) in self.z.iter_mut().zip(&self.scalings) {
            *z = -scaling.lambda;
        }
        let mut applications = 1 + self.direction(problem, gap, false);
        let centring = (1.0 - self.longest_step()).powi(3);
        let pairs = self.cones.iter().zip(&self.scalings).enumerate();
        for (k, (cone, scaling)) in pairs.filter(|(_, (cone, _))| !cone.is_joint()) {
            let lambda = scaling.lambda;
            let second = cone.product(self.scaled_dx[k], self.scaled_dy[k]);
            let d = centring * gap * cone.axis - cone.product(lambda, lambda) - second;
            self.z[k] = cone.divide(d, lambda);
        }
        applications += self.direction(problem, gap, true);
        let step = self.longest_step();
        self.last_step = step;
        for k in 0..self.x.len() {
            let cone = &self.cones[k];
            if cone.is_joint() {
                self.x[k] += step * self.dx[k];
                continue;
            }
            let scaling = &self.scalings[k];
            let a = scaling.lambda + step * self.scaled_dx[k];
            let b = scaling.lambda + step * self.scaled_dy[k];
            (self.x[k], self.y[k], self.pairs[k]) = scaling.unscaled(cone, a, b);
        }
        (step, applications)
    }
}

impl Ipm {
    /// The last digits of an answer whose report this is.
    fn polish(
        &mut self,
        problem: &ContactProblem,
        impulses: &mut [f64],
        ask: &Ask,
        report: SolveReport,
    ) -> SolveReport {
        let left = (ask.iterations - report.iterations).min(MAX_POLISH);
        let polished = (self.polish).solve(problem, impulses, &ask.at_most(left));
        let better = polished.status == Status::Converged
            || polished.certificate.scaled < report.certificate.scaled;
        if !better {
            impulses.copy_from_slice(&self.best);
        }
        SolveReport {
            status: match polished.status {
                Status::Converged => Status::Converged,
                _ => Status::Stalled,
            },
            iterations: report.iterations + polished.iterations,
            applications: report.applications + polished.applications,
            finished_by: better.then(|| self.polish.method()),
            certificate: if better {
                polished.certificate
            } else {
                report.certificate
            },
            ..report
        }
    }
}

impl ContactSolver for Ipm {
    fn method(&self) -> Method {
        self.method
    }

    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        let name = self.method.name();
        if kind.rows == 6 {
            return Err(Incompatible {
                what: format!("solver `{name}` with resistance to rolling and spinning"),
                why: "the cone of impulses and moments is not symmetric".to_owned(),
                try_instead: "`ags`, or `clarabel` for small problems".to_owned(),
            });
        }
        super::only_cones(self.method, kind)?;
        super::only_convex(self.method, kind)
    }

    fn solve(&mut self, problem: &ContactProblem, impulses: &mut [f64], ask: &Ask) -> SolveReport {
        let mut certificate = certify_with(problem, impulses, &mut self.certifier);
        let mut report = SolveReport::of_start(self.method, ask, certificate);
        if report.status != Status::MaxIterations {
            return report;
        }
        self.prepare(problem);
        // Interior points are never zero, and where nothing needs to be done even a tiny impulse is as
        // wrong as can be.
        let idle = certify_with(problem, &self.impulses, &mut self.certifier);
        report.applications += 1;
        if idle.meets(&ask.limits) || idle.scaled < certificate.scaled {
            impulses.fill(0.0);
            certificate = idle;
        }
        report.certificate = certificate;
        if idle.meets(&ask.limits) {
            report.status = Status::Converged;
            return report;
        }
        self.best.clear();
        self.best.extend_from_slice(impulses);
        self.last.clone_from(&self.best);
        self.set_start(problem, impulses, &certificate);
        report.applications += 1;
        let (mut mark, mut waited) = (f64::INFINITY, 0);
        report.status = loop {
            if report.iterations == ask.iterations {
                break Status::MaxIterations;
            }
            let (step, applications) = self.advance(problem);
            report.iterations += 1;
            report.applications += applications;
            let certificate = self.judge(problem);
            report.applications += 1;
            let sensible = certificate.residual <= report.certificate.residual;
            if sensible && certificate.scaled < report.certificate.scaled {
                report.certificate = certificate;
                self.best.copy_from_slice(&self.impulses);
            }
            if has_grown(problem, &self.last, &self.impulses) {
                report.contradiction = contradiction(
                    ask,
                    problem,
                    &self.last,
                    &self.impulses,
                    (&mut Vec::new(), &mut self.certifier),
                );
                report.applications += 1;
            }
            self.last.clone_from(&self.impulses);
            if report.contradiction.is_some() {
                break Status::Infeasible;
            }
            if self.accepts(&certificate, ask) {
                report.certificate = certificate;
                self.best.copy_from_slice(&self.impulses);
                break Status::Converged;
            }
            let error = certificate.scaled + certificate.residual;
            if error < 0.9 * mark {
                (mark, waited) = (error, 0);
            } else {
                waited += 1;
            }
            // A gap that is not a number has lost its way for good.
            let on_path = self.gap() > 0.0 || self.bounded == 0;
            if waited == PATIENCE || !(step > SHORTEST && on_path) {
                if !(on_path && self.inner.leave_bodies()) {
                    break Status::Stalled;
                }
                // What led nowhere may have spoilt x and y.
                let best = std::mem::take(&mut self.best);
                self.set_start(problem, &best, &report.certificate);
                self.best = best;
                report.applications += 1;
                (mark, waited) = (f64::INFINITY, 0);
            }
        };
        impulses.copy_from_slice(&self.best);
        if report.status == Status::Stalled {
            return self.polish(problem, impulses, ask, report);
        }
        report
    }
}
