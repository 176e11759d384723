//! General blocks one by one, for those who sweep over them or write down their matrices.

use super::MatrixFree;
use crate::math::DVec3;

impl MatrixFree {
    /// [`MatrixFree::rows_of`] a general block for the velocities (v, r ω) that `of` gives for its bodies.
    pub(crate) fn block_velocity(
        &self,
        block: usize,
        of: impl Fn(u32) -> [DVec3; 2],
        out: &mut [f64],
    ) {
        self.general.velocity(&self.space, block, of, out);
    }

    /// The bodies of a general block, and how an impulse changes their velocities (v, r ω).
    pub(crate) fn block_change(
        &self,
        block: usize,
        change: &[f64],
    ) -> impl Iterator<Item = (u32, [DVec3; 2])> {
        self.general.change(&self.space, block, change)
    }
}

/// What the interior point over the bodies is made from.
#[cfg(feature = "second-order")]
impl MatrixFree {
    /// The bodies of a general block, and what an impulse adds to their momenta, those of turning over the radius.
    pub(crate) fn block_load(&self, block: usize, impulse: &[f64]) -> [(u32, [DVec3; 2]); 2] {
        let ends = &self.space.general.blocks[block];
        [(ends.a, false), (ends.b, true)]
            .map(|(body, second)| (body, self.general.load(block, second, impulse)))
    }

    /// The rows of a general block as forms of the velocities (v, r ω) of its bodies.
    pub(crate) fn block_forms(&self, block: usize) -> &[crate::problem::RowForm] {
        self.general.forms_of(block)
    }

    /// The trace of W_kk of a general block without E, 1/kg.
    pub(crate) fn block_ease(&self, block: usize) -> f64 {
        self.general.ease(&self.space, block).iter().sum()
    }

    /// r² J⁻¹ (1/kg) of a body whose moments of inertia differ, and its inverse.
    pub(crate) fn tensor(&self, body: u32) -> Option<[crate::math::DMat3; 2]> {
        self.general.tensor_of(body)
    }
}
