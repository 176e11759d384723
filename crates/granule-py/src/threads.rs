//! The threads that the engine works on.

use crate::failure::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// More threads than so many for each core only get into each other's way.
const MOST_A_CORE: usize = 4;

/// The pools that were asked for so far: simulations with the same number of threads share one.
static POOLS: Mutex<Vec<Arc<ThreadPool>>> = Mutex::new(Vec::new());

/// A pool of the number of threads that is asked for, or of one for each core.
pub fn pool(asked: Option<usize>) -> Result<Arc<ThreadPool>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = match asked {
        Some(0) => return Err(Failure::Setup("`threads` must be at least 1".to_owned())),
        Some(threads) => threads.min(MOST_A_CORE * cores),
        None => cores,
    };
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools
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
    pools.push(Arc::clone(&pool));
    Ok(pool)
}
