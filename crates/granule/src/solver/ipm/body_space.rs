//! (M + D S Dᵀ) Δv = D S c for the velocities of the bodies, `S = T⁻¹ F⁻² T⁻¹` a block a contact, or with one that
//! gives `S = (T F² T + E)⁻¹` ([`super::soft`]). Contacts and joints of bodies of any shape have their own D
//! ([`super::bodies`]) and bodies whose moments of inertia differ a tensor in M; nothing else differs.
//!
//! The matrix is sparse and positive definite. Conjugate gradients use it as an operator over all
//! contacts. The preconditioner is
//!
//! - **the factor** (`ipm`): Cholesky's of the same matrix with only those contacts that
//!   matter, tr(S)/3 · d > 0.1 with d the mean of the contact's block of W: the others hardly stiffen what
//!   they join. A third of the contacts of a pile matter at the end, nearly all at the start;
//! - **blocks and groups** (`ipm-mf`): the inverse of the block of each body, and the common velocities of small
//!   groups of bodies ([`super::groups`]), added.
//!
//! From Δv follows `Δf = S (c - Dᵀ Δv)`.

use super::bodies::{Bodies, Line, Turning};
use super::factor::{BlockMatrix, Factor};
use super::groups::{Groups, Link};
use super::inner::{Aim, Linear, Step, operator};
use super::soft::Soft;
use crate::math::{DMat3, DVec3};
use crate::problem::{BodySpace, MatrixFree};

/// Contacts that are softer than this, relative to their block of W, stay out of the factor.
const MATTERS: f64 = 0.1;
/// The solve ends when what it leaves, as a norm of velocities in the metric of the masses, is this share of
/// |λ|, the root of the sum of x·y.
const FORCING: f64 = 1e-2;
/// Joints alone have no λ: then the solve ends at what rounding leaves of the square of its start.
const ROUNDING: f64 = 1e-24;
/// The solve ends after so many iterations even if it has not got there: with the factor, and with blocks.
const LIMIT: usize = 200;
const BLOCK_LIMIT: usize = 2000;
/// With blocks a predictor may leave this times as much: the corrector goes on from it.
const PREDICTION: f64 = 30.0;
/// The system and its scratch memory.
#[derive(Default)]
pub(super) struct BodySystem {
    bodies: Bodies,
    /// S of every contact.
    stiffness: Vec<DMat3>,
    /// The same with more digits for contacts that give; empty where all are rigid.
    soft: Vec<Soft>,
    matrix: BlockMatrix,
    pairs: Vec<(u32, u32)>,
    factor: Factor,
    /// Whether that is the whole factor, or only the diagonal blocks and the groups beside it.
    factorised: bool,
    groups: Groups,
    last_z: Vec<DVec3>,
    flat: Vec<f64>,
    velocity: Vec<Line>,
    residual: Vec<Line>,
    direction: Vec<Line>,
    image: Vec<Line>,
    preconditioned: Vec<Line>,
}

fn dot(a: &[Line], b: &[Line]) -> f64 {
    let both = a.iter().zip(b);
    both.map(|(a, b)| a[0].dot(b[0]) + a[1].dot(b[1])).sum()
}

impl BodySystem {
    /// S of every contact.
    fn set_stiffness(&mut self, linear: &Linear, space: &BodySpace) {
        self.stiffness.clear();
        self.soft.clear();
        let contacts = linear.cones.iter().zip(linear.scalings);
        if !space.compliance.is_empty() {
            (self.soft).extend(
                contacts
                    .enumerate()
                    .map(|(k, (cone, scaling))| Soft::new(cone, scaling, space, k)),
            );
            (self.stiffness).extend(self.soft.iter().map(Soft::stiffness));
            return;
        }
        for (cone, scaling) in contacts {
            let inverse = scaling.inverse_square();
            let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z]
                .map(|axis| cone.unstretched(inverse * cone.unstretched(axis)));
            self.stiffness.push(DMat3::from_cols(x, y, z));
        }
    }

    /// Takes a scaling; with the factor, or with blocks and groups.
    pub(super) fn prepare(&mut self, linear: &Linear, factorise: bool) {
        let operator = operator(linear.problem).expect("`Inner::start` sees to it");
        let space = &operator.space;
        self.bodies.prepare(operator);
        self.set_stiffness(linear, space);
        let matters = |k: usize, s: &DMat3| {
            let mean = match k.checked_sub(space.contacts.len()) {
                None => {
                    let (normal, tangential) = space.diagonal(&space.contacts[k]);
                    (normal + 2.0 * tangential) / 3.0
                }
                Some(block) => operator.block_ease(block) / 3.0,
            };
            (s.x_axis.x + s.y_axis.y + s.z_axis.z) / 3.0 * mean > MATTERS
        };
        let chosen: Vec<usize> = (0..self.stiffness.len())
            .filter(|&k| !factorise || matters(k, &self.stiffness[k]))
            .collect();
        self.pairs.clear();
        for &k in &chosen {
            let ends = space.ends(k).map(|body| self.bodies.place_of(body));
            if let ([Some(a), Some(b)], true) = (ends, factorise) {
                self.pairs.push((a.min(b) as u32, a.max(b) as u32));
            }
        }
        let parts = if self.bodies.turn { 2 } else { 1 };
        let inertia = &self.bodies.inertia;
        self.matrix.reset(inertia.len(), 3 * parts, &mut self.pairs);
        for (body, inertia) in inertia.iter().enumerate() {
            self.matrix.add_diagonal(body, 0, inertia.mass);
            if self.bodies.turn {
                match inertia.turning {
                    // A body that does not turn among others that do: any number will do.
                    Turning::Never => self.matrix.add_diagonal(body, 1, 1.0),
                    Turning::Round(inertia) => self.matrix.add_diagonal(body, 1, inertia),
                    Turning::Tensor { resistance, .. } => {
                        self.matrix.add((body, body), (1, 1), &resistance);
                    }
                }
            }
        }
        self.factorised = factorise;
        for k in chosen {
            self.add_contact(operator, k, parts);
        }
        self.factor.factorise(&self.matrix);
        if !factorise {
            let links: Vec<Link> = (0..self.stiffness.len())
                .map(|k| self.link(operator, k))
                .collect();
            let masses: Vec<f64> = (self.bodies.inertia.iter())
                .map(|inertia| inertia.mass)
                .collect();
            self.groups.prepare(&masses, &links);
        }
    }

    /// What a contact does to the common velocities of groups.
    fn link(&self, operator: &MatrixFree, k: usize) -> Link {
        let bodies = (operator.space.ends(k))
            .map(|body| self.bodies.place_of(body).map(|place| place as u32));
        let stiffness = self.stiffness[k];
        let stiffness = if k < operator.space.contacts.len() {
            stiffness
        } else {
            let [a, _] = self.bodies.ends(operator, k);
            a.linear.transpose() * stiffness * a.linear
        };
        Link { bodies, stiffness }
    }

    /// Adds D_k S_k D_kᵀ to the matrix, without the blocks between bodies where there are none.
    fn add_contact(&mut self, operator: &MatrixFree, k: usize, parts: usize) {
        let ends = self.bodies.ends(operator, k);
        for left in &ends {
            for right in &ends {
                let (Some(row), Some(column)) = (left.place, right.place) else {
                    continue;
                };
                if row < column || (row != column && !self.factorised) {
                    continue;
                }
                let maps = [left.linear, left.turning].into_iter().enumerate();
                for (i, left) in maps.take(parts) {
                    let maps = [right.linear, right.turning].into_iter().enumerate();
                    for (j, right) in maps.take(parts) {
                        let m = left.transpose() * self.stiffness[k] * right;
                        self.matrix.add((row, column), (i, j), &m);
                    }
                }
            }
        }
    }

    /// image = (M + D S Dᵀ) direction.
    fn apply(&mut self, operator: &MatrixFree) {
        self.image.clear();
        let lines = self.direction.iter().zip(&self.bodies.inertia);
        self.image
            .extend(lines.map(|(line, inertia)| inertia.momenta(*line)));
        for (k, stiffness) in self.stiffness.iter().enumerate() {
            let f = *stiffness * self.bodies.relative(operator, k, &self.direction);
            self.bodies.scatter(operator, k, f, &mut self.image);
        }
    }

    /// preconditioned = A⁻¹ residual.
    fn precondition(&mut self) {
        self.flat.clear();
        for [v, s] in &self.residual {
            self.flat.extend(v.to_array());
            if self.bodies.turn {
                self.flat.extend(s.to_array());
            }
        }
        self.factor.solve(&mut self.flat);
        self.preconditioned.clear();
        let size = if self.bodies.turn { 6 } else { 3 };
        let lines = self.flat.chunks_exact(size).zip(&self.bodies.inertia);
        self.preconditioned.extend(lines.map(|(line, inertia)| {
            let turn = if inertia.turns() {
                DVec3::from_slice(&line[3..])
            } else {
                DVec3::ZERO
            };
            [DVec3::from_slice(line), turn]
        }));
        if !self.factorised {
            let residual = self.residual.iter().map(|line| line[0]);
            let out = self.preconditioned.iter_mut().map(|line| &mut line[0]);
            self.groups.correct(residual, out);
        }
    }

    /// ‖r‖²_{M⁻¹} of the residual: the square of the velocities by which N Δx will miss.
    fn error(&self) -> f64 {
        let lines = self.residual.iter().zip(&self.bodies.inertia);
        lines.map(|(line, inertia)| inertia.energy(*line)).sum()
    }

    /// Solves for the step; tells how often the matrix was applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, step: Step) -> usize {
        let operator = operator(linear.problem).expect("`Inner::start` sees to it");
        let count = self.bodies.inertia.len();
        let mut residual = std::mem::take(&mut self.residual);
        if !aim.corrects {
            self.velocity.clear();
            self.velocity.resize(count, [DVec3::ZERO; 2]);
            residual.clear();
            residual.resize(count, [DVec3::ZERO; 2]);
        }
        for (k, scaling) in linear.scalings.iter().enumerate() {
            let (z, rest) = if aim.corrects {
                (aim.z[k] - self.last_z[k], DVec3::ZERO)
            } else {
                (aim.z[k], aim.rest[k])
            };
            let f = match self.soft.get(k) {
                // S T c = T⁻¹ F⁻¹ (z - F⁻¹ rest): F⁻² at once would lose digits where a contact slides, as it
                // is very large one way and very small another.
                None => linear.cones[k].unstretched(scaling.invert(z - scaling.invert(rest))),
                Some(soft) => soft.impulse(z, rest),
            };
            self.bodies.scatter(operator, k, f, &mut residual);
        }
        self.last_z.clear();
        self.last_z.extend_from_slice(aim.z);
        self.residual = residual;
        let forcing = if self.factorised || aim.corrects {
            FORCING
        } else {
            PREDICTION * FORCING
        };
        let enough = forcing * forcing * aim.total.max(ROUNDING * self.error());
        let limit = if self.factorised { LIMIT } else { BLOCK_LIMIT };
        let mut iterations = 0;
        self.direction.clear();
        self.precondition();
        self.direction.extend_from_slice(&self.preconditioned);
        let mut square = dot(&self.residual, &self.preconditioned);
        while iterations < limit && square > 0.0 && self.error() > enough {
            self.apply(operator);
            iterations += 1;
            let length = square / dot(&self.direction, &self.image);
            if !length.is_finite() {
                break;
            }
            for k in 0..count {
                for part in 0..2 {
                    self.velocity[k][part] += length * self.direction[k][part];
                    self.residual[k][part] -= length * self.image[k][part];
                }
            }
            self.precondition();
            let last = square;
            square = dot(&self.residual, &self.preconditioned);
            for (d, z) in self.direction.iter_mut().zip(&self.preconditioned) {
                *d = [z[0] + square / last * d[0], z[1] + square / last * d[1]];
            }
        }
        for (k, scaling) in linear.scalings.iter().enumerate() {
            let relative = self.bodies.relative(operator, k, &self.velocity);
            // T⁻¹ Dᵀ Δv + rest is Δy of a rigid contact, and Δx = F⁻¹ (z - F⁻¹ Δy).
            let moved = linear.cones[k].unstretched(relative) + aim.rest[k];
            if let Some(soft) = self.soft.get(k) {
                let t = soft.unknowns(aim.z[k], moved);
                step.dx[k] = soft.frame.step(t);
                step.scaled_dx[k] = soft.frame.scaled_step(t);
                step.scaled_dy[k] = aim.z[k] - step.scaled_dx[k];
                step.dy[k] = soft.frame.apply(step.scaled_dy[k]);
                continue;
            }
            step.dy[k] = moved;
            step.scaled_dy[k] = scaling.invert(step.dy[k]);
            step.scaled_dx[k] = aim.z[k] - step.scaled_dy[k];
            step.dx[k] = scaling.invert(step.scaled_dx[k]);
        }
        iterations
    }
}
