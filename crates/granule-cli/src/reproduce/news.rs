//! Tells now and then how far a run is.

use super::Options;
use std::time::{Duration, Instant};

/// Time between two messages of progress.
const NEWS: Duration = Duration::from_secs(2);

/// Tells now and then how far a run is.
pub struct News<'a> {
    options: &'a Options<'a>,
    what: String,
    last: Instant,
}

impl<'a> News<'a> {
    /// Tells what begins.
    pub fn start(options: &'a Options<'a>, what: impl Into<String>) -> Self {
        let what = what.into();
        options.say(&what);
        Self {
            options,
            what,
            last: Instant::now(),
        }
    }

    /// Tells how far it is, s, if it is time to.
    pub fn tell(&mut self, time: f64, end: f64) {
        if self.last.elapsed() > NEWS {
            self.last = Instant::now();
            self.options
                .say(format!("{}: t = {time:.3} of {end:.3}", self.what));
        }
    }
}
