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

use super::bodies::{BodyVector, MovingBodies, Turning};
use super::groups::{Groups, Link, trace};
use super::inner::{Aim, Linear, Step, operator};
use super::soft::Soft;
use crate::math::linear::{BlockMatrix, Enough, Krylov, LinearOperator};
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
    matrix: BodyMatrix,
    krylov: Krylov<BodyVector>,
    last_z: Vec<DVec3>,
    velocity: Vec<BodyVector>,
    residual: Vec<BodyVector>,
}

/// M + D S Dᵀ and its preconditioner.
#[derive(Default)]
struct BodyMatrix {
    bodies: MovingBodies,
    /// S of every contact.
    stiffness: Vec<DMat3>,
    /// The same with more digits for contacts that give; empty where all are rigid.
    soft: Vec<Soft>,
    /// What is factorised.
    blocks: BlockMatrix,
    pairs: Vec<(u32, u32)>,
    /// Whether that is the whole matrix, or only the diagonal blocks, with the groups beside it.
    factorised: bool,
    groups: Groups,
    flat: Vec<f64>,
}

/// The matrix of a problem.
struct AppliedBodies<'a> {
    matrix: &'a mut BodyMatrix,
    operator: &'a MatrixFree,
}

impl LinearOperator<BodyVector> for AppliedBodies<'_> {
    fn apply(&mut self, direction: &[BodyVector], out: &mut [BodyVector]) {
        let BodyMatrix {
            bodies, stiffness, ..
        } = &*self.matrix;
        for ((out, line), inertia) in out.iter_mut().zip(direction).zip(&bodies.inertia) {
            *out = inertia.momenta(*line);
        }
        for (k, stiffness) in stiffness.iter().enumerate() {
            let f = *stiffness * bodies.relative(self.operator, k, direction);
            bodies.scatter(self.operator, k, f, out);
        }
    }

    fn precondition(&mut self, residual: &[BodyVector], out: &mut [BodyVector]) {
        let BodyMatrix {
            bodies,
            blocks,
            flat,
            ..
        } = &mut *self.matrix;
        let size = 3 * bodies.parts();
        flat.clear();
        for line in residual {
            flat.extend_from_slice(&line.map(|v| v.to_array()).as_flattened()[..size]);
        }
        blocks.solve(flat);
        for ((out, line), inertia) in (out.iter_mut())
            .zip(flat.chunks_exact(size))
            .zip(&bodies.inertia)
        {
            let turn = if inertia.turns() {
                DVec3::from_slice(&line[3..])
            } else {
                DVec3::ZERO
            };
            *out = [DVec3::from_slice(line), turn];
        }
        if !self.matrix.factorised {
            self.matrix.groups.correct(residual, out);
        }
    }

    /// ‖r‖²_{M⁻¹}: the square of the velocities by which N Δx will miss.
    fn size(&self, residual: &[BodyVector]) -> f64 {
        let lines = residual.iter().zip(&self.matrix.bodies.inertia);
        lines.map(|(line, inertia)| inertia.energy(*line)).sum()
    }
}

impl BodyMatrix {
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
            let [x, y, z] =
                DVec3::AXES.map(|axis| cone.unstretched(inverse * cone.unstretched(axis)));
            self.stiffness.push(DMat3::from_cols(x, y, z));
        }
    }

    /// Takes a scaling; with the factor, or with blocks and groups.
    fn prepare(&mut self, operator: &MatrixFree, linear: &Linear, factorise: bool) {
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
            trace(s) / 3.0 * mean > MATTERS
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
        let parts = self.bodies.parts();
        let inertia = &self.bodies.inertia;
        (self.blocks).reset(inertia.len(), 3 * parts, &mut self.pairs);
        for (body, inertia) in inertia.iter().enumerate() {
            self.blocks.add_diagonal(body, 0, inertia.mass);
            if parts == 2 {
                match inertia.turning {
                    // A body that does not turn among others that do: any number will do.
                    Turning::Never => self.blocks.add_diagonal(body, 1, 1.0),
                    Turning::Round(inertia) => self.blocks.add_diagonal(body, 1, inertia),
                    Turning::Tensor { resistance, .. } => {
                        self.blocks.add((body, body), (1, 1), &resistance);
                    }
                }
            }
        }
        self.factorised = factorise;
        for k in chosen {
            self.add_contact(operator, k, parts);
        }
        self.blocks.factorise();
        if !factorise {
            let links: Vec<Link> = (0..self.stiffness.len())
                .map(|k| self.link(operator, k))
                .collect();
            self.groups.prepare(&self.bodies.inertia, &links);
        }
    }

    /// What a contact does to the common velocities of groups.
    fn link(&self, operator: &MatrixFree, k: usize) -> Link {
        let bodies = operator
            .space
            .ends(k)
            .map(|body| self.bodies.place_of(body));
        let mut stiffness = self.stiffness[k];
        if k >= operator.space.contacts.len() {
            let [a, _] = self.bodies.ends(operator, k);
            stiffness = a.linear.transpose() * stiffness * a.linear;
        }
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
                        self.blocks.add((row, column), (i, j), &m);
                    }
                }
            }
        }
    }
}

impl BodySystem {
    /// Takes a scaling; with the factor, or with blocks and groups.
    pub(super) fn prepare(&mut self, linear: &Linear, factorise: bool) {
        (self.matrix).prepare(known_operator(linear), linear, factorise);
    }

    /// Solves for the steps; tells how often the matrix was applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, steps: &mut [Step]) -> usize {
        let operator = known_operator(linear);
        let count = self.matrix.bodies.inertia.len();
        if !aim.corrects {
            for lines in [&mut self.velocity, &mut self.residual] {
                lines.clear();
                lines.resize(count, [DVec3::ZERO; 2]);
            }
        }
        for (k, scaling) in linear.scalings.iter().enumerate() {
            let (z, rest) = aim.news(k, &self.last_z);
            let f = match self.matrix.soft.get(k) {
                // S T c = T⁻¹ F⁻¹ (z - F⁻¹ rest): F⁻² at once would lose digits where a contact slides, as it
                // is very large one way and very small another.
                None => linear.cones[k].unstretched(scaling.invert(z - scaling.invert(rest))),
                Some(soft) => soft.impulse(z, rest),
            };
            (self.matrix.bodies).scatter(operator, k, f, &mut self.residual);
        }
        self.last_z.clear();
        self.last_z.extend_from_slice(aim.z);
        let (forcing, applications) = match (self.matrix.factorised, aim.corrects) {
            (true, _) => (FORCING, LIMIT),
            (false, true) => (FORCING, BLOCK_LIMIT),
            (false, false) => (PREDICTION * FORCING, BLOCK_LIMIT),
        };
        let mut applied = AppliedBodies {
            matrix: &mut self.matrix,
            operator,
        };
        let start = applied.size(&self.residual);
        let enough = Enough {
            residual: forcing * forcing * aim.total.max(ROUNDING * start),
            applications,
        };
        let (velocity, residual) = (&mut self.velocity, &mut self.residual);
        let applications = (self.krylov).gradients(&mut applied, velocity, residual, enough);
        for (k, (scaling, step)) in linear.scalings.iter().zip(steps).enumerate() {
            let relative = (self.matrix.bodies).relative(operator, k, &self.velocity);
            // T⁻¹ Dᵀ Δv + rest is Δy of a rigid contact, and Δx = F⁻¹ (z - F⁻¹ Δy).
            let moved = linear.cones[k].unstretched(relative) + aim.rest[k];
            *step = if let Some(soft) = self.matrix.soft.get(k) {
                soft.frame.step(soft.unknowns(aim.z[k], moved), aim.z[k])
            } else {
                let scaled_dy = scaling.invert(moved);
                let scaled_dx = aim.z[k] - scaled_dy;
                Step {
                    dx: scaling.invert(scaled_dx),
                    scaled_dx,
                    scaled_dy,
                }
            };
        }
        applications
    }
}

fn known_operator<'a>(linear: &Linear<'a>) -> &'a MatrixFree {
    operator(linear.problem).expect("`Inner::start` sees to it")
}
