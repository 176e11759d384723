//! What a contact gives: the block-diagonal E in `w = (W + E) λ + b`.

use super::BodySpace;
use crate::math::{DVec3, Screw};

/// E of a contact, 1/kg: velocity at the contact over impulse there, along its normal and across it, and for
/// moments (in the units of the rows) across the normal and about it. Zero for a rigid contact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Compliance {
    /// Along the normal.
    pub normal: f64,
    /// Across the normal.
    pub tangential: f64,
    /// For moments across the normal.
    pub rolling: f64,
    /// For the moment about the normal.
    pub spinning: f64,
}

/// `across · x + (along - across) (x·n) n`.
fn stretched(x: DVec3, normal: DVec3, along: f64, across: f64) -> DVec3 {
    across * x + (along - across) * x.dot(normal) * normal
}

/// The first numbers of a row as a vector.
fn vector(rows: &[f64]) -> DVec3 {
    DVec3::new(rows[0], rows[1], rows.get(2).copied().unwrap_or(0.0))
}

impl Compliance {
    /// The same of each of the four numbers.
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        self.zip(self, |x, _| f(x))
    }

    /// The same of each of the four numbers with that of another.
    pub(crate) fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            normal: f(self.normal, other.normal),
            tangential: f(self.tangential, other.tangential),
            rolling: f(self.rolling, other.rolling),
            spinning: f(self.spinning, other.spinning),
        }
    }

    /// The parts of a screw along the normal and across it, each times its number.
    pub(crate) fn times(&self, x: Screw, normal: DVec3) -> Screw {
        Screw {
            linear: self.of_force(x.linear, normal),
            angular: stretched(x.angular, normal, self.spinning, self.rolling),
        }
    }

    /// The largest eigenvalue of E for a contact with so many rows.
    pub fn largest(&self, rows: usize) -> f64 {
        let force = self.normal.max(self.tangential);
        match rows {
            1 => self.normal,
            2 | 3 => force,
            _ => force.max(self.rolling).max(self.spinning),
        }
    }

    /// The part of E for forces times one of them.
    #[inline(always)]
    pub(crate) fn of_force(&self, x: DVec3, normal: DVec3) -> DVec3 {
        stretched(x, normal, self.normal, self.tangential)
    }

    /// Adds E x to `out`.
    pub(crate) fn add_to(&self, x: &[f64], normal: DVec3, out: &mut [f64]) {
        if let ([x], [out]) = (x, &mut *out) {
            *out += self.normal * x;
            return;
        }
        let force = x.len().min(3);
        let given = self.of_force(vector(&x[..force]), normal);
        for (out, given) in out.iter_mut().zip(&given.to_array()[..force]) {
            *out += given;
        }
        if x.len() == 6 {
            let given = stretched(vector(&x[3..]), normal, self.spinning, self.rolling);
            for (out, given) in out[3..].iter_mut().zip(given.to_array()) {
                *out += given;
            }
        }
    }

    /// x·E x from the rows of E x.
    fn energy(&self, image: &[f64], normal: DVec3) -> f64 {
        let over = |square: f64, ease: f64| if ease > 0.0 { square / ease } else { 0.0 };
        if let [along] = image {
            return over(along * along, self.normal);
        }
        let split = |x: DVec3, along: f64, across: f64| {
            let part = x.dot(normal);
            over(part * part, along) + over((x - part * normal).length_squared(), across)
        };
        let force = split(
            vector(&image[..image.len().min(3)]),
            self.normal,
            self.tangential,
        );
        match image.get(3..6) {
            Some(moment) => force + split(vector(moment), self.spinning, self.rolling),
            None => force,
        }
    }
}

/// E x of a space whose contacts give.
pub(super) fn give(space: &BodySpace, x: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.resize(x.len(), 0.0);
    let blocks = x
        .chunks_exact(space.rows)
        .zip(out.chunks_exact_mut(space.rows));
    for (k, (x, out)) in blocks.enumerate() {
        space.compliance[k].add_to(x, space.normal(k), out);
    }
}

/// (x - y)·E (x - y) from E x and E y.
pub(super) fn elastic_distance(space: &BodySpace, first: &[f64], second: &[f64]) -> f64 {
    let mut difference = [0.0; 6];
    let difference = &mut difference[..space.rows];
    let mut sum = 0.0;
    let blocks = (first.chunks_exact(space.rows)).zip(second.chunks_exact(space.rows));
    for (k, (first, second)) in blocks.enumerate() {
        for ((d, a), b) in difference.iter_mut().zip(first).zip(second) {
            *d = a - b;
        }
        sum += space.compliance[k].energy(difference, space.normal(k));
    }
    sum
}
