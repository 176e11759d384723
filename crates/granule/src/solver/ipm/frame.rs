//! The directions in which a contact's scaling is diagonal, and the unknowns along them.
//!
//! F has the eigenvectors `(n ± w̄/|w̄|)/√2` and the one across both, with the eigenvalues `η g`, `η/g` and
//! η, `g = w_0 + |w̄|`. Where a contact slides they differ by as many digits as α has fallen. In these
//! directions F² is added to N without mixing them, and scaled to a unit diagonal the matrix is as good as N
//! lets it be.

use super::cone::{NesterovTodd, SymmetricCone};
use super::inner::Step;
use crate::math::{DMat3, DVec3};

/// The unknowns t of a contact, Δx = Q S t; those that it does not have are zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// T⁻¹ Q S: the impulses of t.
    pub(super) impulses: DMat3,
    /// Q, columns of zeros for what a contact does not have.
    directions: DMat3,
    /// S, and the eigenvalues of F.
    scale: DVec3,
    stretch: DVec3,
    /// (F S)², and one where there is no unknown.
    pub(super) barrier: DVec3,
}

impl Frame {
    /// For W_kk, 1/kg, as a matrix of vectors.
    pub(super) fn new(
        cone: &SymmetricCone,
        scaling: &NesterovTodd,
        rows: usize,
        block: &DMat3,
    ) -> Self {
        let (mut directions, mut stretch) = (scaling.directions, scaling.values);
        if rows == 2 {
            directions.z_axis = DVec3::ZERO;
            stretch.z = 0.0;
        }
        let raw = cone.unstretched_columns(&directions);
        let own = raw.transpose() * *block * raw;
        let diagonal = DVec3::new(own.x_axis.x, own.y_axis.y, own.z_axis.z) + stretch * stretch;
        let of = |d: f64| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 };
        let scale = DVec3::from_array(diagonal.to_array().map(of));
        let barrier = (stretch * scale) * (stretch * scale);
        Self {
            impulses: raw * DMat3::from_diagonal(scale),
            directions,
            scale,
            stretch,
            barrier: DVec3::select(scale.cmpgt(DVec3::ZERO), barrier, DVec3::ONE),
        }
    }

    /// S Qᵀ (F z - rest).
    #[inline(always)]
    pub(super) fn right(&self, z: DVec3, rest: DVec3) -> DVec3 {
        let along = self.directions.transpose();
        self.scale * (self.stretch * (along * z) - along * rest)
    }

    /// The step of t, with F Δx + F⁻¹ Δy = z.
    #[inline(always)]
    pub(super) fn step(&self, t: DVec3, z: DVec3) -> Step {
        let scaled_dx = self.directions * (self.stretch * self.scale * t);
        Step {
            dx: self.directions * (self.scale * t),
            scaled_dx,
            scaled_dy: z - scaled_dx,
        }
    }

    /// The contact's own block of the matrix.
    pub(super) fn own_block(&self, block: &DMat3) -> DMat3 {
        self.impulses.transpose() * *block * self.impulses + DMat3::from_diagonal(self.barrier)
    }
}
