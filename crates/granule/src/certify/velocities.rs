//! M⁻¹ D and Dᵀ, and the product with a matrix, as plain loops of the judge's own.

use crate::math::DVec3;
use crate::problem::{Assembled, BodySpace, Delassus};

/// Velocities of the bodies that impulses make.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyVelocities {
    /// m/s.
    linear: Vec<DVec3>,
    /// Surface velocity r ω, m/s.
    surface: Vec<DVec3>,
}

fn impulse_vector(space: &BodySpace, impulses: &[f64], contact: usize) -> DVec3 {
    match space.rows {
        1 => impulses[contact] * space.contacts[contact].normal,
        2 => DVec3::new(impulses[2 * contact], impulses[2 * contact + 1], 0.0),
        rows => DVec3::from_slice(&impulses[rows * contact..][..3]),
    }
}

/// The moment of a contact, as a multiple of its length.
fn moment_vector(space: &BodySpace, impulses: &[f64], contact: usize) -> DVec3 {
    match space.rows {
        6 => DVec3::from_slice(&impulses[6 * contact + 3..][..3]),
        _ => DVec3::ZERO,
    }
}

/// ℓ/r_a and ℓ/r_b of a contact; zero without moments.
fn arms(space: &BodySpace, contact: usize) -> [f64; 2] {
    space.arms.get(contact).copied().unwrap_or_default()
}

impl BodyVelocities {
    /// M⁻¹ D λ.
    pub(super) fn set_from_impulses(&mut self, space: &BodySpace, impulses: &[f64]) {
        let bodies = space.inverse_mass.len();
        for list in [&mut self.linear, &mut self.surface] {
            list.clear();
            list.resize(bodies, DVec3::ZERO);
        }
        for (k, contact) in space.contacts.iter().enumerate() {
            let impulse = impulse_vector(space, impulses, k);
            let (a, b) = (contact.a as usize, contact.b as usize);
            self.linear[a] += space.inverse_mass[a] * impulse;
            self.linear[b] -= space.inverse_mass[b] * impulse;
            if space.rows > 1 {
                let twist = impulse.cross(contact.normal);
                let moment = moment_vector(space, impulses, k);
                let [arm_a, arm_b] = arms(space, k);
                self.surface[a] += space.turning(a) * (twist + arm_a * moment);
                self.surface[b] += space.turning(b) * (twist - arm_b * moment);
            }
        }
    }

    /// Dᵀ of these velocities, one entry a row.
    pub(super) fn to_contacts(&self, space: &BodySpace, out: &mut [f64]) {
        for (k, contact) in space.contacts.iter().enumerate() {
            let (a, b) = (contact.a as usize, contact.b as usize);
            let relative = self.linear[a] - self.linear[b]
                + contact.normal.cross(self.surface[a] + self.surface[b]);
            match space.rows {
                1 => out[k] = contact.normal.dot(relative),
                rows => {
                    let force = rows.min(3);
                    out[rows * k..][..force].copy_from_slice(&relative.to_array()[..force]);
                    if rows == 6 {
                        let [arm_a, arm_b] = arms(space, k);
                        let spin = arm_a * self.surface[a] - arm_b * self.surface[b];
                        spin.write_to_slice(&mut out[rows * k + 3..][..3]);
                    }
                }
            }
        }
    }
}

/// `out = W λ`, with the velocities of the bodies on the way where the problem knows them.
pub(super) fn apply(
    delassus: &Delassus,
    impulses: &[f64],
    bodies: &mut BodyVelocities,
    out: &mut Vec<f64>,
) {
    out.clear();
    out.resize(impulses.len(), 0.0);
    match delassus {
        Delassus::MatrixFree(operator) => {
            bodies.set_from_impulses(&operator.space, impulses);
            bodies.to_contacts(&operator.space, out);
        }
        Delassus::Assembled(matrix) => multiply(matrix, impulses, out),
    }
}

/// `out = W λ`.
fn multiply(matrix: &Assembled, impulses: &[f64], out: &mut [f64]) {
    let rows = matrix.rows();
    for (k, sum) in out.chunks_exact_mut(rows).enumerate() {
        for (column, block) in matrix.row(k) {
            let source = &impulses[column * rows..][..rows];
            for (value, line) in sum.iter_mut().zip(block.chunks_exact(rows)) {
                for (entry, impulse) in line.iter().zip(source) {
                    *value += entry * impulse;
                }
            }
        }
    }
}
