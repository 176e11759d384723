//! The central path: where the iteration is on it, and a step along it.

use super::cone::{NesterovTodd, PairProducts, SymmetricCone};
use super::inner::{Aim, Inner, Linear, Step};
use crate::certify::Certificate;
use crate::law::AdmissibleSet;
use crate::math::{DMat3, DVec3};
use crate::problem::{ContactProblem, DelassusScratch};
use crate::solver::tuning::ipm as tuning;

/// The share of the way to the edge of the cones that a step goes.
const BOUNDARY: f64 = 0.99;

/// Vectors of contacts in world coordinates.
pub(super) type Field = Vec<DVec3>;

/// x and y, and what a step needs.
#[derive(Default)]
pub(super) struct Path {
    pub(super) inner: Inner,
    scratch: DelassusScratch,
    cones: Vec<SymmetricCone>,
    /// H of each contact; empty for an associated flow.
    flows: Vec<DMat3>,
    scalings: Vec<NesterovTodd>,
    x: Field,
    y: Field,
    pairs: Vec<PairProducts>,
    steps: Vec<Step>,
    /// N x + r - y.
    rest: Field,
    z: Field,
    impulses: Vec<f64>,
    rows: Vec<f64>,
    /// Contacts that are not joints.
    bounded: usize,
    last_step: f64,
}

/// The block of a contact as a vector: along the normal where there is one row.
#[inline(always)]
pub(super) fn load(rows: &[f64], normal: DVec3) -> DVec3 {
    match rows {
        [along] => *along * normal,
        [x, y] => DVec3::new(*x, *y, 0.0),
        _ => DVec3::from_slice(&rows[..3]),
    }
}

#[inline(always)]
pub(super) fn store(vector: DVec3, normal: DVec3, rows: &mut [f64]) {
    match rows {
        [along] => *along = vector.dot(normal),
        [x, y] => (*x, *y) = (vector.x, vector.y),
        _ => rows.copy_from_slice(&vector.to_array()),
    }
}

impl Path {
    /// Takes a problem.
    pub(super) fn prepare(&mut self, problem: &ContactProblem, factorise: bool) {
        self.inner.start(problem, factorise);
        self.last_step = 1.0;
        let count = problem.contact_count();
        self.cones.clear();
        self.cones.extend((0..count).map(|k| {
            let (set, normal) = (problem.set(k), problem.delassus.normal(k));
            match set {
                AdmissibleSet::Free => SymmetricCone::of_joint(normal, problem.rows() == 1),
                // Sets with an end are refused; of one that comes all the same the certificate tells the truth.
                AdmissibleSet::HalfLine | AdmissibleSet::Segment { .. } => {
                    SymmetricCone::new(normal, 0.0)
                }
                AdmissibleSet::Cone { friction }
                | AdmissibleSet::RollingCone { friction, .. }
                | AdmissibleSet::Yield { friction, .. } => {
                    let friction = if problem.rows() == 1 { 0.0 } else { friction };
                    SymmetricCone::new(normal, friction)
                }
            }
        }));
        self.flows.clear();
        let skews = problem.skew.iter().enumerate();
        self.flows
            .extend(skews.map(|(k, skew)| match problem.set(k) {
                AdmissibleSet::Free => DMat3::IDENTITY,
                AdmissibleSet::HalfLine
                | AdmissibleSet::Segment { .. }
                | AdmissibleSet::Cone { .. }
                | AdmissibleSet::RollingCone { .. }
                | AdmissibleSet::Yield { .. } => {
                    skew.balanced(problem.delassus.normal(k), problem.rows())
                }
            }));
        self.bounded = self.cones.iter().filter(|cone| !cone.joint).count();
        for field in [&mut self.x, &mut self.y, &mut self.rest, &mut self.z] {
            field.clear();
            field.resize(count, DVec3::ZERO);
        }
        self.pairs.clear();
        self.pairs.resize(count, PairProducts::default());
        self.steps.clear();
        self.steps.resize(count, Step::default());
        for rows in [&mut self.impulses, &mut self.rows] {
            rows.clear();
            rows.resize(problem.len(), 0.0);
        }
    }

    /// H u of a contact.
    #[inline(always)]
    fn flow(&self, k: usize, u: DVec3) -> DVec3 {
        self.flows.get(k).map_or(u, |h| *h * u)
    }

    /// H (N x + r) - y.
    fn set_rest(&mut self, problem: &ContactProblem) {
        let size = problem.rows();
        self.set_impulses(size);
        let (impulses, rows) = (&self.impulses, &mut self.rows);
        problem.delassus.apply(impulses, &mut self.scratch, rows);
        for (k, cone) in self.cones.iter().enumerate() {
            let row = |rows: &[f64]| cone.unstretched(load(&rows[k * size..][..size], cone.axis));
            let (made, bias) = (row(&self.rows), row(&problem.bias));
            self.rest[k] = self.flow(k, made) + (self.flow(k, bias) - self.y[k]);
        }
    }

    /// T⁻¹ x.
    fn set_impulses(&mut self, rows: usize) {
        let impulses = self.impulses.chunks_exact_mut(rows);
        for ((cone, x), f) in self.cones.iter().zip(&self.x).zip(impulses) {
            store(cone.unstretched(*x), cone.axis, f);
        }
    }

    /// The point on the central path nearest to `start`, whose certificate this is.
    pub(super) fn set_start(
        &mut self,
        problem: &ContactProblem,
        start: &[f64],
        certificate: &Certificate,
    ) {
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
            let u = self.flow(k, load(&self.rows[part], cone.axis) + b);
            let b = self.flow(k, b);
            if cone.joint {
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
        let alpha = error * (tuning::SMOOTHING * impulse).max(error * bias) / count;
        for (k, cone) in self.cones.iter().enumerate() {
            if cone.joint {
                continue;
            }
            let scale = problem.delassus.largest_diagonal(k).sqrt();
            let (x, y, pair) = cone.smoothed(self.x[k], alpha);
            (self.x[k], self.y[k]) = (x / scale, scale * y);
            self.pairs[k] = pair.scaled(1.0 / scale, scale);
        }
    }

    /// The impulses of x, projected onto K.
    pub(super) fn impulses(&mut self, problem: &ContactProblem) -> &[f64] {
        self.set_impulses(problem.rows());
        problem.project(&mut self.impulses);
        &self.impulses
    }

    /// Whether the iteration is still on the path: a gap that is not a number has lost its way for good.
    pub(super) fn goes_on(&self) -> bool {
        self.gap() > 0.0 || self.bounded == 0
    }

    /// Solves for Δx and Δy; tells how often W was applied.
    fn direction(&mut self, problem: &ContactProblem, gap: f64, corrects: bool) -> usize {
        let linear = Linear {
            problem,
            cones: &self.cones,
            scalings: &self.scalings,
            flows: &self.flows,
        };
        let aim = Aim {
            z: &self.z,
            rest: &self.rest,
            total: gap * self.bounded as f64,
            last_step: self.last_step,
            corrects,
        };
        self.inner.solve(&linear, &aim, &mut self.steps)
    }

    /// The longest step along (Δx, Δy), at most 1.
    fn longest_step(&self) -> f64 {
        let mut longest: f64 = 1.0 / BOUNDARY;
        let cones = self.cones.iter().enumerate();
        for (k, cone) in cones.filter(|(_, cone)| !cone.joint) {
            let lambda = self.scalings[k].lambda;
            longest = cone.longest_step(lambda, self.steps[k].scaled_dx, longest);
            longest = cone.longest_step(lambda, self.steps[k].scaled_dy, longest);
        }
        (BOUNDARY * longest).min(1.0)
    }

    /// The cones, and the scalings of the last step.
    pub(super) fn scaled_cones(&self) -> impl Iterator<Item = (&SymmetricCone, &NesterovTodd)> {
        self.cones.iter().zip(&self.scalings)
    }

    /// α: the mean of x·y over all but joints.
    pub(super) fn gap(&self) -> f64 {
        let sum: f64 = self.pairs.iter().map(|pair| pair.dot).sum();
        sum / self.bounded.max(1) as f64
    }

    /// One step; tells how long it was, and how often W was applied.
    pub(super) fn advance(&mut self, problem: &ContactProblem) -> (f64, usize) {
        let gap = self.gap();
        self.scalings.clear();
        for (k, cone) in self.cones.iter().enumerate() {
            self.scalings.push(if cone.joint {
                NesterovTodd::of_joint(cone, problem.delassus.largest_diagonal(k))
            } else {
                NesterovTodd::new(cone, self.x[k], self.y[k], &self.pairs[k])
            });
        }
        self.set_rest(problem);
        let linear = Linear {
            problem,
            cones: &self.cones,
            scalings: &self.scalings,
            flows: &self.flows,
        };
        self.inner.prepare(&linear);
        for (z, scaling) in self.z.iter_mut().zip(&self.scalings) {
            *z = -scaling.lambda;
        }
        let mut applications = 1 + self.direction(problem, gap, false);
        let centring = (1.0 - self.longest_step()).powi(3);
        let pairs = self.cones.iter().zip(&self.scalings).enumerate();
        for (k, (cone, scaling)) in pairs.filter(|(_, (cone, _))| !cone.joint) {
            let lambda = scaling.lambda;
            let second = cone.product(self.steps[k].scaled_dx, self.steps[k].scaled_dy);
            let d = centring * gap * cone.axis - cone.product(lambda, lambda) - second;
            self.z[k] = cone.divide(d, lambda);
        }
        if !self.flows.is_empty() {
            // To the point of the path where α is as many times smaller, not at once to its end.
            self.rest
                .iter_mut()
                .for_each(|rest| *rest *= 1.0 - centring);
        }
        applications += self.direction(problem, gap, true);
        let step = self.longest_step();
        self.last_step = step;
        for k in 0..self.x.len() {
            let cone = &self.cones[k];
            if cone.joint {
                self.x[k] += step * self.steps[k].dx;
                continue;
            }
            let scaling = &self.scalings[k];
            let a = scaling.lambda + step * self.steps[k].scaled_dx;
            let b = scaling.lambda + step * self.steps[k].scaled_dy;
            (self.x[k], self.y[k], self.pairs[k]) = scaling.unscaled(cone, a, b);
        }
        (step, applications)
    }
}
