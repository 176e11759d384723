//! S of a contact that gives, `S = T⁻¹ (F² + T⁻¹ E T⁻¹)⁻¹ T⁻¹`, in the coordinates of [`super::frame`], where E takes
//! the place of the contact's block of W: F² alone is large one way and small another by as many digits as α has
//! fallen, and only scaled to a unit diagonal the sum is inverted without losing them.

use super::cone::{NesterovTodd, SymmetricCone, outer};
use super::frame::Frame;
use crate::math::{DMat3, DVec3};
use crate::problem::{BodySpace, Compliance};

/// The frame, and the inverse of what stands between the unknowns of the contact in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Soft {
    pub(super) frame: Frame,
    inverse: DMat3,
}

impl Soft {
    pub(super) fn new(
        cone: &SymmetricCone,
        scaling: &NesterovTodd,
        space: &BodySpace,
        k: usize,
    ) -> Self {
        let Compliance {
            normal, tangential, ..
        } = space.compliance(k);
        let across = if space.rows == 1 { 0.0 } else { tangential };
        let n = space.normal(k);
        let given = (normal - across) * outer(n, n) + across * DMat3::IDENTITY;
        let frame = Frame::new(cone, scaling, space.rows, &given);
        Self {
            frame,
            inverse: frame.own_block(&given).inverse(),
        }
    }

    /// S.
    pub(super) fn stiffness(&self) -> DMat3 {
        self.frame.impulses * self.inverse * self.frame.impulses.transpose()
    }

    /// The unknowns t with `(F² + T⁻¹ E T⁻¹) Δx = F z - rest`, Δx = Q S t.
    pub(super) fn unknowns(&self, z: DVec3, rest: DVec3) -> DVec3 {
        self.inverse * self.frame.right(z, rest)
    }

    /// T⁻¹ Δx of the same.
    pub(super) fn impulse(&self, z: DVec3, rest: DVec3) -> DVec3 {
        self.frame.impulses * self.unknowns(z, rest)
    }
}
