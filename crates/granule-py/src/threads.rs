//! The threads that the engine works on.

use crate::failure::Failure;
use granule::solver::Watch;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// More threads than so many for each core only get into each other's way.
const MOST_A_CORE: usize = 4;

/// How often signals are looked out for.
const LOOK_OUT: Duration = Duration::from_millis(100);

/// The pools that were asked for so far, and the process that asked.
struct Pools {
    process: u32,
    pools: Vec<Arc<ThreadPool>>,
}

/// Simulations with the same number of threads share a pool.
static POOLS: Mutex<Pools> = Mutex::new(Pools {
    process: 0,
    pools: Vec::new(),
});

/// A pool of the number of threads that is asked for, or of one for each core.
pub fn pool(asked: Option<usize>) -> Result<Arc<ThreadPool>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = match asked {
        Some(0) => return Err(Failure::Setup("`threads` must be at least 1".to_owned())),
        Some(threads) => threads.min(MOST_A_CORE * cores),
        None => cores,
    };
    let mut all = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if all.process != process {
        // A process that was forked has the pools, and none of their threads: nobody would do the work, nor end.
        std::mem::forget(std::mem::take(&mut all.pools));
        all.process = process;
    }
    if let Some(pool) = all
        .pools
        .iter()
        .find(|pool| pool.current_num_threads() == threads)
    {
        return Ok(Arc::clone(pool));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(
        built
            .map_err(|error| Failure::Setup(format!("cannot start {threads} threads: {error}")))?,
    );
    all.pools.push(Arc::clone(&pool));
    Ok(pool)
}

/// Works in a pool, with Python's lock free, while this thread looks out for signals: one that Python answers by an
/// exception stops the watch, and is what comes out.
pub fn watched<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    watch: &Watch,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (mut done, mut signal) = (None, None);
    py.detach(|| {
        let (sender, receiver) = sync_channel(1);
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // Whoever waits is there until the work is done.
                let _ = sender.send(work());
            });
            loop {
                match receiver.recv_timeout(LOOK_OUT) {
                    Ok(result) => {
                        done = Some(result);
                        break;
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if signal.is_none() => {
                        signal = Python::attach(|py| py.check_signals()).err();
                        if signal.is_some() {
                            watch.stop();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        });
    });
    match (signal, done) {
        (Some(signal), _) => Err(signal),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(PyRuntimeError::new_err("the work came to no end")),
    }
}
