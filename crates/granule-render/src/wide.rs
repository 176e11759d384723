//! Loops that are compiled twice: for every processor, and for those with AVX2, which work on eight numbers at once.
//!
//! Both do the same operations on numbers in the same order, and none is fused with another, so both give the same
//! picture.

/// The work of a loop.
pub trait Work {
    /// Does the work. It must be `#[inline(always)]`, and so must be all that takes its time: what is not copied into it
    /// is compiled for every processor only.
    fn work(self);
}

/// Does the work in the fastest way that the processor knows.
pub fn run<W: Work>(work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        struct Wide<W>(W);
        impl<W: Work> pulp::NullaryFnOnce for Wide<W> {
            type Output = ();

            #[inline(always)]
            fn call(self) {
                self.0.work();
            }
        }
        if let Some(avx2) = pulp::x86::V3::try_new() {
            return avx2.vectorize(Wide(work));
        }
    }
    work.work();
}
