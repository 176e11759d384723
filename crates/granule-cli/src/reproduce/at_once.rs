//! Several targets at once: they know nothing of each other.

use super::{Error, Options, Target};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

/// Does something with each target, as many at a time as there are processors, each on one thread. What comes of
/// them is in their order.
pub fn at_once<T: Send>(
    targets: &[&'static Target],
    options: &Options,
    make: impl Fn(&'static Target, &Options) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let pools = (0..workers.min(targets.len()))
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build())
        .collect::<Result<Vec<_>, _>>()?;
    let next = AtomicUsize::new(0);
    let made: Mutex<Vec<Option<T>>> = Mutex::new(targets.iter().map(|_| None).collect());
    let (tell, told) = mpsc::channel::<String>();
    let Options {
        quick,
        full,
        out,
        data,
        ..
    } = options;
    let (quick, full) = (*quick, *full);
    thread::scope(|scope| {
        for pool in &pools {
            let (tell, next, made, make) = (tell.clone(), &next, &made, &make);
            let work = move || {
                // Nobody listens any more when the main thread is gone, and then nothing matters.
                let progress = |message: &str| drop(tell.send(message.to_owned()));
                let own = Options {
                    quick,
                    full,
                    out: out.clone(),
                    data: data.clone(),
                    progress: &progress,
                    ..Options::default()
                };
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&target) = targets.get(place) else {
                        break;
                    };
                    let result = make(target, &own);
                    if let Ok(mut made) = made.lock() {
                        made[place] = Some(result);
                    }
                }
            };
            scope.spawn(move || pool.install(work));
        }
        drop(tell);
        for message in told {
            options.say(message);
        }
    });
    let made = made
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    Ok(made.into_iter().flatten().collect())
}
