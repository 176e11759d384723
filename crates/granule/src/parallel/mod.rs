//! Work over threads whose result does not depend on their number.
//!
//! Every loop is cut into chunks of a size that follows from the scene alone. A chunk writes only
//! its own part of the output, and what is summed over chunks is summed in the order of chunks.
//! So one thread and seven give the same bits. The loops run in the rayon pool they are called
//! from; a pool of one thread runs them in a plain loop, without allocating.

mod kernel;
mod lanes;

pub(crate) use kernel::{Kernel, run};
pub(crate) use lanes::{Four, LANES, Lanes, Plain, Quad};
use rayon::prelude::*;

/// Contacts in a chunk of a loop over contacts: small enough for the first-level cache.
pub const CONTACT_CHUNK: usize = 512;

/// Bodies in a chunk of a loop over bodies.
pub const BODY_CHUNK: usize = 1024;

/// Threads of the rayon pool that this is called from.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Whether a loop over `chunks` chunks is worth more than one thread.
fn in_parallel(chunks: usize) -> bool {
    chunks > 1 && threads() > 1
}

/// Calls `work(chunk index, chunk)` for each chunk of `size` entries of `data`.
pub fn chunks_mut<T, F>(data: &mut [T], size: usize, work: F)
where
    T: Send,
    F: Fn(usize, &mut [T]) + Sync,
{
    if in_parallel(data.len().div_ceil(size)) {
        data.par_chunks_mut(size)
            .enumerate()
            .for_each(|(index, chunk)| work(index, chunk));
    } else {
        data.chunks_mut(size)
            .enumerate()
            .for_each(|(index, chunk)| work(index, chunk));
    }
}

/// Calls `work(chunk index, chunk)` for each chunk and keeps what it gives, one entry a chunk, in
/// `partials` (which must be long enough).
pub fn chunks_map<T, P, F>(data: &mut [T], size: usize, partials: &mut [P], work: F)
where
    T: Send,
    P: Send,
    F: Fn(usize, &mut [T]) -> P + Sync,
{
    let chunks = data.len().div_ceil(size);
    assert!(
        partials.len() >= chunks,
        "one partial result for each chunk"
    );
    if in_parallel(chunks) {
        data.par_chunks_mut(size)
            .zip(partials.par_iter_mut())
            .enumerate()
            .for_each(|(index, (chunk, partial))| *partial = work(index, chunk));
    } else {
        for (index, (chunk, partial)) in data.chunks_mut(size).zip(partials).enumerate() {
            *partial = work(index, chunk);
        }
    }
}

/// [`chunks_map`] over two slices, cut into equally many chunks of sizes `sizes`.
pub fn chunks_map2<T, U, P, F>(
    first: &mut [T],
    second: &mut [U],
    sizes: [usize; 2],
    partials: &mut [P],
    work: F,
) where
    T: Send,
    U: Send,
    P: Send,
    F: Fn(usize, &mut [T], &mut [U]) -> P + Sync,
{
    let chunks = first.len().div_ceil(sizes[0]);
    assert_eq!(
        chunks,
        second.len().div_ceil(sizes[1]),
        "equally many chunks"
    );
    assert!(
        partials.len() >= chunks,
        "one partial result for each chunk"
    );
    if in_parallel(chunks) {
        first
            .par_chunks_mut(sizes[0])
            .zip(second.par_chunks_mut(sizes[1]))
            .zip(partials.par_iter_mut())
            .enumerate()
            .for_each(|(index, ((a, b), partial))| *partial = work(index, a, b));
    } else {
        let both = first.chunks_mut(sizes[0]).zip(second.chunks_mut(sizes[1]));
        for (index, ((a, b), partial)) in both.zip(partials).enumerate() {
            *partial = work(index, a, b);
        }
    }
}

/// [`chunks_map`] over three slices of the same length, cut alike.
pub fn chunks_map3<T, P, F>(lists: [&mut [T]; 3], size: usize, partials: &mut [P], work: F)
where
    T: Send,
    P: Send,
    F: Fn(usize, [&mut [T]; 3]) -> P + Sync,
{
    let [first, second, third] = lists;
    assert!(first.len() == second.len() && first.len() == third.len());
    let chunks = first.len().div_ceil(size);
    assert!(
        partials.len() >= chunks,
        "one partial result for each chunk"
    );
    if in_parallel(chunks) {
        first
            .par_chunks_mut(size)
            .zip(second.par_chunks_mut(size))
            .zip(third.par_chunks_mut(size))
            .zip(partials.par_iter_mut())
            .enumerate()
            .for_each(|(index, (((a, b), c), partial))| *partial = work(index, [a, b, c]));
    } else {
        let two = first.chunks_mut(size).zip(second.chunks_mut(size));
        let three = two.zip(third.chunks_mut(size));
        for (index, (((a, b), c), partial)) in three.zip(partials).enumerate() {
            *partial = work(index, [a, b, c]);
        }
    }
}

/// Calls `work(index, item)` for each item.
pub fn each_mut<T, F>(items: &mut [T], work: F)
where
    T: Send,
    F: Fn(usize, &mut T) + Sync,
{
    if in_parallel(items.len()) {
        items
            .par_iter_mut()
            .enumerate()
            .for_each(|(index, item)| work(index, item));
    } else {
        items
            .iter_mut()
            .enumerate()
            .for_each(|(index, item)| work(index, item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_for_any_number_of_threads() {
        let mut values: Vec<f64> = (0..10_000).map(|k| (k as f64 * 0.37).sin()).collect();
        let mut sum = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut partials = vec![0.0; values.len().div_ceil(CONTACT_CHUNK)];
            pool.install(|| {
                chunks_map(&mut values, CONTACT_CHUNK, &mut partials, |_, chunk| {
                    chunk.iter().sum::<f64>()
                });
            });
            partials.iter().sum::<f64>().to_bits()
        };
        let one = sum(1);
        for threads in [2, 3, 7] {
            assert_eq!(sum(threads), one);
        }
    }
}
