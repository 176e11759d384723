//! Loops that are compiled twice: for every processor, and for those with AVX2, which work on four numbers at once.
//!
//! Which of the two runs is chosen when the program runs, so that one program serves all processors. Both do the same
//! operations on numbers in the same order, and none is fused with another, so both give the same bits.

use super::lanes::{Lanes, Plain};

/// The work of a loop.
pub(crate) trait Kernel {
    /// What it gives.
    type Output;

    /// Does the work. It must be `#[inline(always)]`, and so must be all that takes its time: what is not copied into it
    /// is compiled for every processor only.
    fn work<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Does the work in the fastest way that the processor knows.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        struct Wide<K>(K, pulp::x86::V3);
        impl<K: Kernel> pulp::NullaryFnOnce for Wide<K> {
            type Output = K::Output;

            #[inline(always)]
            fn call(self) -> K::Output {
                self.0.work(self.1)
            }
        }
        if let Some(avx2) = pulp::x86::V3::try_new() {
            return avx2.vectorize(Wide(kernel, avx2));
        }
    }
    kernel.work(Plain)
}
