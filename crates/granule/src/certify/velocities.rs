//! M⁻¹ D and Dᵀ, and the product with a matrix, as plain loops of the judge's own.

use super::cones::Line;
use crate::math::DVec3;
use crate::parallel::Quad;
use crate::problem::{Assembled, BodySpace, Delassus, Lever};

/// Velocities of the bodies that impulses make.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyVelocities {
    /// m/s.
    linear: Vec<DVec3>,
    /// Surface velocity r ω, m/s.
    surface: Vec<DVec3>,
    /// ω, rad/s, where there are general blocks.
    angular: Vec<DVec3>,
    /// The first two, with 1/m and r²/J.
    lines: Vec<Line>,
}

fn impulse_vector(space: &BodySpace, impulses: &[f64], contact: usize) -> DVec3 {
    match space.rows {
        1 => impulses[contact] * space.normal(contact),
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
        self.angular.clear();
        if space.general.is_empty() {
            return;
        }
        self.angular.resize(bodies, DVec3::ZERO);
        for (body, angular) in self.angular.iter_mut().enumerate() {
            *angular = per_radius(space, body) * self.surface[body];
        }
        let rest = &impulses[space.rows * space.contacts.len()..];
        let forms = space.general.forms.chunks_exact(space.rows);
        for ((block, forms), impulse) in
            (space.general.blocks.iter().zip(forms)).zip(rest.chunks_exact(space.rows))
        {
            for (form, x) in forms.iter().zip(impulse) {
                let (a, b) = (block.a as usize, block.b as usize);
                self.linear[a] += space.inverse_mass[a] * *x * form.linear;
                self.linear[b] -= space.inverse_mass[b] * *x * form.linear;
                self.angular[a] += space.ease_turning(block.a, *x * form.on_a);
                self.angular[b] += space.ease_turning(block.b, *x * form.on_b);
            }
        }
        if let Some(common) = &space.general.common {
            let c = common.body as usize;
            for (place, (form, x)) in space.general.forms.iter().zip(rest).enumerate() {
                let share = common.shares[place / space.rows];
                self.linear[c] -= space.inverse_mass[c] * *x * share * form.linear;
            }
        }
        // Round contacts see the velocities of surfaces.
        if let Lever::Radial { radius, .. } = &space.lever {
            for (body, surface) in self.surface.iter_mut().enumerate() {
                *surface = radius[body] * self.angular[body];
            }
        }
    }

    /// The velocities as lines.
    pub(super) fn lines(&mut self, space: &BodySpace) -> &[Line] {
        self.lines.clear();
        let both = self.linear.iter().zip(&self.surface).enumerate();
        self.lines.extend(both.map(|(body, (v, s))| {
            [
                Quad([v.x, v.y, v.z, space.inverse_mass[body]]),
                Quad([s.x, s.y, s.z, space.turning(body)]),
            ]
        }));
        &self.lines
    }

    /// Dᵀ of these velocities from a round contact on, one entry a row.
    fn to_contacts(&self, space: &BodySpace, first: usize, out: &mut [f64]) {
        for (k, contact) in space.contacts[first..].iter().enumerate() {
            let (a, b) = (contact.a as usize, contact.b as usize);
            let relative = self.linear[a] - self.linear[b]
                + contact.normal.cross(self.surface[a] + self.surface[b]);
            match space.rows {
                // The part of turning is across the normal.
                1 => out[k] = contact.normal.dot(self.linear[a] - self.linear[b]),
                rows => {
                    let force = rows.min(3);
                    out[rows * k..][..force].copy_from_slice(&relative.to_array()[..force]);
                    if rows == 6 {
                        let [arm_a, arm_b] = arms(space, first + k);
                        let spin = arm_a * self.surface[a] - arm_b * self.surface[b];
                        spin.write_to_slice(&mut out[rows * k + 3..][..3]);
                    }
                }
            }
        }
        let rest = &mut out[space.rows * (space.contacts.len() - first)..];
        for (place, (form, out)) in space.general.forms.iter().zip(rest).enumerate() {
            let block = &space.general.blocks[place / space.rows];
            let (a, b) = (block.a as usize, block.b as usize);
            *out = form.linear.dot(self.linear[a] - self.linear[b])
                + form.on_a.dot(self.angular[a])
                + form.on_b.dot(self.angular[b]);
            if let Some(common) = &space.general.common {
                let share = common.shares[place / space.rows];
                *out -= form.linear.dot(share * self.linear[common.body as usize]);
            }
        }
    }
}

/// 1/r of a body, or zero for what does not turn.
fn per_radius(space: &BodySpace, body: usize) -> f64 {
    match &space.lever {
        Lever::Radial { radius, .. } if radius[body] > 0.0 => 1.0 / radius[body],
        _ => 0.0,
    }
}

/// Adds E λ: what contacts give.
fn add_given(space: &BodySpace, impulses: &[f64], out: &mut [f64]) {
    let rows = space.rows;
    for (k, given) in space.compliance.iter().enumerate() {
        let normal = space.normal(k);
        let stretch = |x: DVec3, along: f64, across: f64| {
            let part = x.dot(normal) * normal;
            along * part + across * (x - part)
        };
        let force = impulse_vector(space, impulses, k);
        let opened = stretch(force, given.normal, given.tangential);
        let out = &mut out[k * rows..][..rows];
        match rows {
            1 => out[0] += given.normal * impulses[k],
            2 | 3 => (out.iter_mut().zip(opened.to_array())).for_each(|(out, x)| *out += x),
            _ => {
                let turned = stretch(
                    moment_vector(space, impulses, k),
                    given.spinning,
                    given.rolling,
                );
                let both = opened.to_array().into_iter().chain(turned.to_array());
                out.iter_mut().zip(both).for_each(|(out, x)| *out += x);
            }
        }
    }
}

/// `out = W λ` from a round contact on, before which no contact gives, with the velocities of the bodies on the way where
/// the problem knows them.
pub(super) fn apply(
    delassus: &Delassus,
    impulses: &[f64],
    bodies: &mut BodyVelocities,
    first: usize,
    out: &mut Vec<f64>,
) {
    out.clear();
    out.resize(impulses.len() - delassus.rows() * first, 0.0);
    match delassus {
        Delassus::MatrixFree(operator) => {
            bodies.set_from_impulses(&operator.space, impulses);
            bodies.to_contacts(&operator.space, first, out);
            add_given(&operator.space, impulses, out);
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
