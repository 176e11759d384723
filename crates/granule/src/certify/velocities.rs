//! M⁻¹ D and Dᵀ, and the product with a matrix, as plain loops of the judge's own.

use super::Sums;
use super::cones::Line;
use crate::math::DVec3;
use crate::parallel::Quad;
use crate::problem::{Assembled, BodySpace, Delassus, Lever};

/// Velocities of the bodies that impulses make.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyVelocities {
    /// v (m/s) and 1/m (1/kg), and the velocity r ω of the surface (m/s) and r²/J (1/kg).
    pub(super) lines: Vec<Line>,
    /// ω, rad/s, where there are general blocks.
    angular: Vec<DVec3>,
    /// What is summed over parts of the contacts.
    pub(super) partials: Vec<Sums>,
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

/// Adds to the first three of four numbers.
#[inline(always)]
fn add(Quad(four): &mut Quad, vector: DVec3) {
    let vector = [vector.x, vector.y, vector.z, 0.0];
    four.iter_mut().zip(vector).for_each(|(x, y)| *x += y);
}

/// The first three of four numbers.
#[inline(always)]
fn vector(Quad(four): &Quad) -> DVec3 {
    DVec3::new(four[0], four[1], four[2])
}

impl BodyVelocities {
    /// v and r ω of a body, m/s.
    #[inline(always)]
    fn motion(&self, body: usize) -> [DVec3; 2] {
        self.lines[body].each_ref().map(vector)
    }

    /// M⁻¹ D λ.
    pub(super) fn set_from_impulses(&mut self, space: &BodySpace, impulses: &[f64]) {
        let bodies = space.inverse_mass.len();
        self.lines.clear();
        self.lines.resize(bodies, Line::default());
        // First what all contacts together give to a body, then what that makes of it.
        for (k, contact) in space.contacts.iter().enumerate() {
            let impulse = impulse_vector(space, impulses, k);
            let [a, b] = [contact.a, contact.b].map(|body| body as usize);
            add(&mut self.lines[a][0], impulse);
            add(&mut self.lines[b][0], -impulse);
            if space.rows > 1 {
                let twist = impulse.cross(contact.normal);
                let moment = moment_vector(space, impulses, k);
                let [arm_a, arm_b] = arms(space, k);
                add(&mut self.lines[a][1], twist + arm_a * moment);
                add(&mut self.lines[b][1], twist - arm_b * moment);
            }
        }
        for (body, [linear, surface]) in self.lines.iter_mut().enumerate() {
            let eases = [space.inverse_mass[body], space.turning(body)];
            for (Quad(four), ease) in [linear, surface].into_iter().zip(eases) {
                four.iter_mut().for_each(|x| *x *= ease);
                four[3] = ease;
            }
        }
        self.angular.clear();
        if space.general.is_empty() {
            return;
        }
        self.angular.resize(bodies, DVec3::ZERO);
        for (body, angular) in self.angular.iter_mut().enumerate() {
            *angular = per_radius(space, body) * vector(&self.lines[body][1]);
        }
        let rest = &impulses[space.rows * space.contacts.len()..];
        let forms = space.general.forms.chunks_exact(space.rows);
        for ((block, forms), impulse) in
            (space.general.blocks.iter().zip(forms)).zip(rest.chunks_exact(space.rows))
        {
            for (form, x) in forms.iter().zip(impulse) {
                let (a, b) = (block.a as usize, block.b as usize);
                add(
                    &mut self.lines[a][0],
                    space.inverse_mass[a] * *x * form.linear,
                );
                add(
                    &mut self.lines[b][0],
                    -space.inverse_mass[b] * *x * form.linear,
                );
                self.angular[a] += space.ease_turning(block.a, *x * form.on_a);
                self.angular[b] += space.ease_turning(block.b, *x * form.on_b);
            }
        }
        if let Some(common) = &space.general.common {
            let c = common.body as usize;
            for (place, (form, x)) in space.general.forms.iter().zip(rest).enumerate() {
                let share = common.shares[place / space.rows];
                add(
                    &mut self.lines[c][0],
                    -space.inverse_mass[c] * *x * share * form.linear,
                );
            }
        }
        // Round contacts see the velocities of surfaces.
        if let Lever::Radial { radius, .. } = &space.lever {
            for (body, [_, surface]) in self.lines.iter_mut().enumerate() {
                let spin = radius[body] * self.angular[body];
                surface.0[..3].copy_from_slice(&spin.to_array());
            }
        }
    }

    /// Dᵀ of these velocities from a round contact on, one entry a row.
    fn to_contacts(&self, space: &BodySpace, first: usize, out: &mut [f64]) {
        for (k, contact) in space.contacts[first..].iter().enumerate() {
            let [[va, sa], [vb, sb]] =
                [contact.a, contact.b].map(|body| self.motion(body as usize));
            let relative = va - vb + contact.normal.cross(sa + sb);
            match space.rows {
                // The part of turning is across the normal.
                1 => out[k] = contact.normal.dot(va - vb),
                rows => {
                    let force = rows.min(3);
                    out[rows * k..][..force].copy_from_slice(&relative.to_array()[..force]);
                    if rows == 6 {
                        let [arm_a, arm_b] = arms(space, first + k);
                        let spin = arm_a * sa - arm_b * sb;
                        spin.write_to_slice(&mut out[rows * k + 3..][..3]);
                    }
                }
            }
        }
        let rest = &mut out[space.rows * (space.contacts.len() - first)..];
        for (place, (form, out)) in space.general.forms.iter().zip(rest).enumerate() {
            let block = &space.general.blocks[place / space.rows];
            let (a, b) = (block.a as usize, block.b as usize);
            *out = form.linear.dot(self.motion(a)[0] - self.motion(b)[0])
                + form.on_a.dot(self.angular[a])
                + form.on_b.dot(self.angular[b]);
            if let Some(common) = &space.general.common {
                let share = common.shares[place / space.rows];
                let [moved, _] = self.motion(common.body as usize);
                *out -= form.linear.dot(share * moved);
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
    // Room for all of them, so that the first step in which all are asked for does not ask for memory.
    out.reserve(impulses.len());
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
