//! The memory bandwidth of this machine, as STREAM's triad measures it.

use rayon::prelude::*;
use std::time::Instant;

/// Numbers in each array: 64 MiB, beyond the caches.
const LENGTH: usize = 8 << 20;
const CHUNK: usize = 1 << 14;

/// The bandwidth of `a = b + s c` in the current pool, bytes/s: the best of several passes. As
/// STREAM does, 24 bytes are counted for each number.
pub fn triad() -> f64 {
    let b = vec![1.0f64; LENGTH];
    let c = vec![2.0f64; LENGTH];
    let mut a = vec![0.0f64; LENGTH];
    let mut best = f64::INFINITY;
    for pass in 0..12 {
        let scale = 0.5 + f64::from(pass);
        let start = Instant::now();
        a.par_chunks_mut(CHUNK)
            .zip(b.par_chunks(CHUNK))
            .zip(c.par_chunks(CHUNK))
            .for_each(|((a, b), c)| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + scale * c;
                }
            });
        best = best.min(start.elapsed().as_secs_f64());
        assert_eq!(a[LENGTH / 2], 1.0 + 2.0 * scale);
    }
    (24 * LENGTH) as f64 / best
}
