//! (M + D S Dᵀ) Δv = D S c for the velocities of the bodies, `S = T⁻¹ F⁻² T⁻¹` a block a contact.
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

use super::factor::{BlockMatrix, Factor};
use super::groups::{Groups, Link};
use super::inner::{Aim, Linear, Step, bodies};
use crate::math::{DMat3, DVec3};
use crate::problem::BodySpace;

/// Contacts with less than this stay out of the factor.
const MATTERS: f64 = 0.1;
/// The solve ends when what it leaves, as a norm of velocities in the metric of the masses, is this share of
/// |λ|, the root of the sum of x·y.
const FORCING: f64 = 1e-2;
/// Joints alone have no λ: then the solve ends at what rounding leaves of the square of its start.
const ROUNDING: f64 = 1e-24;
/// And after so many iterations at the latest, with the factor and with blocks.
const LIMIT: usize = 200;
const BLOCK_LIMIT: usize = 2000;
/// With blocks a predictor may leave this times as much: the corrector goes on from it.
const PREDICTION: f64 = 30.0;
/// No body that moves.
const NONE: u32 = u32::MAX;

/// Linear and surface velocity of a body, or momenta that go with them.
type Line = [DVec3; 2];

/// The system and its scratch memory.
#[derive(Default)]
pub(super) struct BodySystem {
    /// The number of a body among those that move, or [`NONE`].
    place: Vec<u32>,
    /// m and 1/(r²/J) of those; without rotation the second is zero, and so is everything with it.
    mass: Vec<[f64; 2]>,
    turns: bool,
    stiffness: Vec<DMat3>,
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

/// The matrix of `n ×`.
fn cross_matrix(n: DVec3) -> DMat3 {
    DMat3::from_cols(n.cross(DVec3::X), n.cross(DVec3::Y), n.cross(DVec3::Z))
}

fn dot(a: &[Line], b: &[Line]) -> f64 {
    let both = a.iter().zip(b);
    both.map(|(a, b)| a[0].dot(b[0]) + a[1].dot(b[1])).sum()
}

impl BodySystem {
    fn place_of(&self, body: u32) -> Option<usize> {
        let place = self.place[body as usize];
        (place != NONE).then_some(place as usize)
    }

    /// The bodies that move.
    fn set_bodies(&mut self, space: &BodySpace) {
        self.place.clear();
        self.mass.clear();
        self.turns = false;
        for (body, inverse_mass) in space.inverse_mass.iter().enumerate() {
            if *inverse_mass == 0.0 {
                self.place.push(NONE);
                continue;
            }
            self.place.push(self.mass.len() as u32);
            let turning = if space.rows > 1 {
                space.turning(body)
            } else {
                0.0
            };
            self.turns |= turning > 0.0;
            let inertia = if turning > 0.0 { 1.0 / turning } else { 0.0 };
            self.mass.push([1.0 / inverse_mass, inertia]);
        }
    }

    /// Takes a scaling; with the factor, or with blocks and groups.
    pub(super) fn prepare(&mut self, linear: &Linear, factorise: bool) {
        let space = bodies(linear.problem).expect("`Inner::start` sees to it");
        self.set_bodies(space);
        self.stiffness.clear();
        for (cone, scaling) in linear.cones.iter().zip(linear.scalings) {
            let inverse = scaling.inverse_square();
            let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z]
                .map(|axis| cone.unstretched(inverse * cone.unstretched(axis)));
            self.stiffness.push(DMat3::from_cols(x, y, z));
        }
        let matters = |k: usize, s: &DMat3| {
            let (normal, tangential) = space.diagonal(&space.contacts[k]);
            let mean = (normal + 2.0 * tangential) / 3.0;
            (s.x_axis.x + s.y_axis.y + s.z_axis.z) / 3.0 * mean > MATTERS
        };
        let chosen: Vec<usize> = (0..self.stiffness.len())
            .filter(|&k| !factorise || matters(k, &self.stiffness[k]))
            .collect();
        self.pairs.clear();
        for contact in chosen.iter().map(|&k| &space.contacts[k]) {
            let ends = (self.place_of(contact.a), self.place_of(contact.b));
            if let ((Some(a), Some(b)), true) = (ends, factorise) {
                self.pairs.push((a.min(b) as u32, a.max(b) as u32));
            }
        }
        let parts = if self.turns { 2 } else { 1 };
        self.matrix
            .reset(self.mass.len(), 3 * parts, &mut self.pairs);
        for (body, [mass, inertia]) in self.mass.iter().enumerate() {
            self.matrix.add_diagonal(body, 0, *mass);
            if self.turns {
                // A body that does not turn among others that do: any number will do.
                let inertia = if *inertia > 0.0 { *inertia } else { 1.0 };
                self.matrix.add_diagonal(body, 1, inertia);
            }
        }
        self.factorised = factorise;
        for k in chosen {
            self.add_contact(space, k, parts);
        }
        self.factor.factorise(&self.matrix);
        if !factorise {
            let links: Vec<Link> = (space.contacts.iter().zip(&self.stiffness))
                .map(|(contact, stiffness)| Link {
                    bodies: [contact.a, contact.b].map(|b| self.place_of(b).map(|p| p as u32)),
                    stiffness: *stiffness,
                })
                .collect();
            let masses: Vec<f64> = self.mass.iter().map(|mass| mass[0]).collect();
            self.groups.prepare(&masses, &links);
        }
    }

    /// Adds D_k S_k D_kᵀ to the matrix, without the blocks between bodies where there are none.
    fn add_contact(&mut self, space: &BodySpace, k: usize, parts: usize) {
        let contact = &space.contacts[k];
        let spin = cross_matrix(contact.normal);
        let ends = [(contact.a, 1.0), (contact.b, -1.0)];
        let maps = ends.map(|(body, sign)| {
            let place = self.place_of(body);
            let turns = place.is_some_and(|p| self.mass[p][1] > 0.0);
            let turn = if turns { spin } else { DMat3::ZERO };
            (place, [sign * DMat3::IDENTITY, turn])
        });
        for (row, left) in &maps {
            for (column, right) in &maps {
                let (Some(row), Some(column)) = (*row, *column) else {
                    continue;
                };
                if row < column || (row != column && !self.factorised) {
                    continue;
                }
                for (i, left) in left.iter().enumerate().take(parts) {
                    for (j, right) in right.iter().enumerate().take(parts) {
                        let m = left.transpose() * self.stiffness[k] * *right;
                        self.matrix.add((row, column), (i, j), &m);
                    }
                }
            }
        }
    }

    /// Dᵀ v of a contact.
    #[inline(always)]
    fn relative(&self, space: &BodySpace, k: usize, v: &[Line]) -> DVec3 {
        let contact = &space.contacts[k];
        let mut u = DVec3::ZERO;
        for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
            if let Some(place) = self.place_of(body) {
                u += sign * v[place][0] + contact.normal.cross(v[place][1]);
            }
        }
        u
    }

    /// Adds D_k f to momenta.
    #[inline(always)]
    fn scatter(
        place: &[u32],
        mass: &[[f64; 2]],
        space: &BodySpace,
        k: usize,
        f: DVec3,
        out: &mut [Line],
    ) {
        let contact = &space.contacts[k];
        let twist = f.cross(contact.normal);
        for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
            let place = place[body as usize];
            if place != NONE {
                let place = place as usize;
                out[place][0] += sign * f;
                if mass[place][1] > 0.0 {
                    out[place][1] += twist;
                }
            }
        }
    }

    /// image = (M + D S Dᵀ) direction.
    fn apply(&mut self, space: &BodySpace) {
        let mut image = std::mem::take(&mut self.image);
        image.clear();
        let lines = self.direction.iter().zip(&self.mass);
        image.extend(lines.map(|([v, s], [m, j])| [*m * *v, *j * *s]));
        for k in 0..space.contacts.len() {
            let f = self.stiffness[k] * self.relative(space, k, &self.direction);
            Self::scatter(&self.place, &self.mass, space, k, f, &mut image);
        }
        self.image = image;
    }

    /// preconditioned = A⁻¹ residual.
    fn precondition(&mut self) {
        self.flat.clear();
        for [v, s] in &self.residual {
            self.flat.extend(v.to_array());
            if self.turns {
                self.flat.extend(s.to_array());
            }
        }
        self.factor.solve(&mut self.flat);
        self.preconditioned.clear();
        let size = if self.turns { 6 } else { 3 };
        let lines = self.flat.chunks_exact(size).zip(&self.mass);
        self.preconditioned.extend(lines.map(|(line, mass)| {
            let turn = if mass[1] > 0.0 {
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
        let lines = self.residual.iter().zip(&self.mass);
        lines
            .map(|([p, l], [m, j])| {
                let turning = if *j > 0.0 {
                    l.length_squared() / j
                } else {
                    0.0
                };
                p.length_squared() / m + turning
            })
            .sum()
    }

    /// Solves for the step; tells how often the matrix was applied.
    pub(super) fn solve(&mut self, linear: &Linear, aim: &Aim, step: Step) -> usize {
        let space = bodies(linear.problem).expect("`Inner::start` sees to it");
        let count = self.mass.len();
        let mut residual = std::mem::take(&mut self.residual);
        if !aim.corrects {
            self.velocity.clear();
            self.velocity.resize(count, [DVec3::ZERO; 2]);
            residual.clear();
            residual.resize(count, [DVec3::ZERO; 2]);
        }
        for (k, scaling) in linear.scalings.iter().enumerate() {
            // S T c = T⁻¹ F⁻¹ (z - F⁻¹ rest): F⁻² at once would lose digits where a contact slides, as it
            // is very large one way and very small another.
            let scaled = if aim.corrects {
                aim.z[k] - self.last_z[k]
            } else {
                aim.z[k] - scaling.invert(aim.rest[k])
            };
            let f = linear.cones[k].unstretched(scaling.invert(scaled));
            Self::scatter(&self.place, &self.mass, space, k, f, &mut residual);
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
            self.apply(space);
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
        // Δy = T⁻¹ Dᵀ Δv + rest, and Δx = F⁻¹ (z - F⁻¹ Δy).
        for (k, scaling) in linear.scalings.iter().enumerate() {
            let relative = self.relative(space, k, &self.velocity);
            step.dy[k] = linear.cones[k].unstretched(relative) + aim.rest[k];
            step.scaled_dy[k] = scaling.invert(step.dy[k]);
            step.scaled_dx[k] = aim.z[k] - step.scaled_dy[k];
            step.dx[k] = scaling.invert(step.scaled_dx[k]);
        }
        iterations
    }
}
