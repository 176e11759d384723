//! How many threads a command uses.

use crate::failure::{Failure, tell};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// More threads than so many for each core only get into each other's way.
const MOST_A_CORE: usize = 4;

/// A pool of the number of threads that is asked for, or of one for each core.
pub fn pool(asked: Option<usize>) -> Result<ThreadPool, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let most = MOST_A_CORE * cores;
    let threads = match asked {
        Some(0) => return Err(Failure::Input("--threads must be at least 1".to_owned())),
        Some(threads) if threads > most => {
            tell(format_args!(
                "--threads {threads}: using {most}, since there are {cores} cores and more threads would be slower"
            ));
            most
        }
        Some(threads) => threads,
        None => cores,
    };
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::Run(format!("cannot start {threads} threads: {error}")))
}
