//! Impulses by their parts: along the normal, across it, and moments.

use super::{AdmissibleSet, DVec3, Screw};

/// The part of x along the unit normal, and the rest.
#[inline(always)]
pub(super) fn split(x: DVec3, normal: DVec3) -> (f64, DVec3) {
    let along = x.dot(normal);
    (along, x - along * normal)
}

/// The factor that brings a length below a radius.
#[inline(always)]
pub(super) fn shorten(length: f64, radius: f64) -> f64 {
    if length > radius {
        radius / length
    } else {
        1.0
    }
}

/// An impulse taken apart: along the normal, and what friction, rolling and spinning resistance
/// bound.
pub(super) struct Parts {
    pub(super) along: f64,
    /// f_T, τ_T and τ_n n.
    pub(super) vectors: [DVec3; 3],
    pub(super) lengths: [f64; 3],
}

impl Parts {
    pub(super) fn of(impulse: Screw, normal: DVec3) -> Self {
        let (along, sliding) = split(impulse.linear, normal);
        let (spin, rolling) = split(impulse.angular, normal);
        let vectors = [sliding, rolling, spin * normal];
        Self {
            along,
            vectors,
            lengths: vectors.map(DVec3::length),
        }
    }

    /// The normal part of the point of K nearest in the metric with ratio κ: the minimum over
    /// a ≥ 0 of `(a - x_n)² + κ Σ_i max(0, x_i - c_i a)²`, whose derivative is piecewise linear and
    /// increases: parts are taken as cut in the order of x_i/c_i until the minimum lies above the
    /// next.
    pub(super) fn nearest_along(&self, limits: [f64; 3], kappa: f64) -> f64 {
        // Where each part begins to be cut as a falls.
        let begins: [f64; 3] = std::array::from_fn(|i| {
            if limits[i] > 0.0 {
                self.lengths[i] / limits[i]
            } else {
                f64::INFINITY
            }
        });
        let mut order = [0, 1, 2];
        order.sort_unstable_by(|&i, &j| begins[j].total_cmp(&begins[i]));
        let (mut weight, mut sum) = (1.0, self.along);
        for i in order {
            if sum / weight >= begins[i] {
                break;
            }
            weight += kappa * limits[i] * limits[i];
            sum += kappa * limits[i] * self.lengths[i];
        }
        let along = sum / weight;
        if along > 0.0 { along } else { 0.0 }
    }

    /// The impulse with this normal part and the others cut to what it allows.
    pub(super) fn scaled(&self, set: AdmissibleSet, normal: DVec3, along: f64) -> Screw {
        let limits = set.limits();
        let cut: [DVec3; 3] =
            std::array::from_fn(|i| shorten(self.lengths[i], limits[i] * along) * self.vectors[i]);
        Screw {
            linear: along * normal + cut[0],
            angular: cut[1] + cut[2],
        }
    }
}
