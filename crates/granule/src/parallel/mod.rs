//! Work over threads whose result does not depend on their number.
//!
//! Every loop is cut into chunks of a size that follows from the scene alone. A chunk writes only
//! its own part of the output, and what is summed over chunks is summed in the order of chunks.
//! So one thread and seven give the same bits. The loops run in the rayon pool they are called
//! from; a pool of one thread runs them in a plain loop, without allocating.

mod divided;
mod kernel;
mod lanes;

use divided::{Chunks, Divided, each_chunk};
pub(crate) use kernel::{Kernel, run};
#[cfg(test)]
pub(crate) use lanes::Plain;
pub(crate) use lanes::{Eight, Four, LANES, Lanes, Memory, Octet, Quad, SINGLES, Side, Width};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts in a chunk of a loop over contacts: small enough for the first-level cache.
pub const CONTACT_CHUNK: usize = 512;

/// Bodies in a chunk of a loop over bodies.
pub const BODY_CHUNK: usize = 1024;

/// Threads of the rayon pool that this is called from.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Does work while the other threads of the pool stay awake.
///
/// A thread that finds nothing to do goes to sleep, and to wake it takes longer than many loops over contacts do, of which
/// there are hundreds in a step. Here the others look for something to do until the work is over, and yield to whoever
/// else wants their processors each time that they find nothing.
///
/// Several such works may go on in one pool: who does one never waits for the end of another.
pub fn awake<R>(work: impl FnOnce() -> R) -> R {
    thread_local! {
        /// Whether the thread does such work.
        static WORKS: Cell<bool> = const { Cell::new(false) };
    }
    /// Tells the others that it is over, also where the work panics.
    struct Over<'a> {
        told: &'a AtomicBool,
        worked: bool,
    }
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.told.store(true, Ordering::Relaxed);
            WORKS.set(self.worked);
        }
    }
    if threads() == 1 || rayon::current_thread_index().is_none() {
        return work();
    }
    let over = AtomicBool::new(false);
    rayon::in_place_scope(|scope| {
        let _over = Over {
            told: &over,
            worked: WORKS.replace(true),
        };
        for _ in 1..threads() {
            scope.spawn(|_| {
                // A thread that works takes this up while it waits for a part of its work.
                while !(WORKS.get() || over.load(Ordering::Relaxed)) {
                    if rayon::yield_now() != Some(rayon::Yield::Executed) {
                        std::thread::yield_now();
                    }
                }
            });
        }
        work()
    })
}

/// Does two things, at the same time if another thread is free.
pub fn both<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    match threads() {
        1 => (first(), second()),
        _ => rayon::join(first, second),
    }
}

/// Calls `work(chunk index, chunk)` for each chunk of `size` entries of `data`.
pub fn chunks_mut<T, F>(data: &mut [T], size: usize, work: F)
where
    T: Send,
    F: Fn(usize, &mut [T]) + Sync,
{
    each_chunk(Chunks { data, size }, &work);
}

/// Calls `work(chunk index, chunk)` for each chunk and keeps what it gives, one entry a chunk, in
/// `partials` (which must be long enough).
pub fn chunks_map<T, P, F>(data: &mut [T], size: usize, partials: &mut [P], work: F)
where
    T: Send,
    P: Send,
    F: Fn(usize, &mut [T]) -> P + Sync,
{
    let data = Chunks { data, size };
    let partials = one_each(partials, data.count());
    each_chunk((data, partials), &|index, (chunk, partial)| {
        partial[0] = work(index, chunk);
    });
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
    let [one, other] = sizes;
    let first = Chunks {
        data: first,
        size: one,
    };
    let second = Chunks {
        data: second,
        size: other,
    };
    assert_eq!(first.count(), second.count(), "equally many chunks");
    let partials = one_each(partials, first.count());
    each_chunk(((first, second), partials), &|index, ((a, b), partial)| {
        partial[0] = work(index, a, b);
    });
}

/// [`chunks_map`] over three slices of the same length, cut alike.
pub fn chunks_map3<A: Send, B: Send, C: Send, P: Send>(
    (first, second, third): (&mut [A], &mut [B], &mut [C]),
    size: usize,
    partials: &mut [P],
    work: impl Fn(usize, (&mut [A], &mut [B], &mut [C])) -> P + Sync,
) {
    assert!(first.len() == second.len() && second.len() == third.len());
    let lists = (Chunks { data: first, size }, Chunks { data: second, size });
    let third = Chunks { data: third, size };
    let partials = one_each(partials, third.count());
    each_chunk(
        (lists, (third, partials)),
        &|index, ((a, b), (c, partial))| {
            partial[0] = work(index, (a, b, c));
        },
    );
}

/// Calls `work(index, item)` for each item.
pub fn each_mut<T, F>(items: &mut [T], work: F)
where
    T: Send,
    F: Fn(usize, &mut T) + Sync,
{
    let items = Chunks {
        data: items,
        size: 1,
    };
    each_chunk(items, &|index, item| work(index, &mut item[0]));
}

/// The partial results of so many chunks, one a chunk.
fn one_each<P>(partials: &mut [P], chunks: usize) -> Chunks<'_, P> {
    assert!(
        partials.len() >= chunks,
        "one partial result for each chunk"
    );
    Chunks {
        data: &mut partials[..chunks],
        size: 1,
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
