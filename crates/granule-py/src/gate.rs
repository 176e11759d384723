//! One simulation, many threads of Python: each has its turn.

use crate::failure::Failure;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How often one who waits looks out for signals.
const LOOK_OUT: Duration = Duration::from_millis(100);

/// What one thread at a time may use. Threads come in in the order in which they came, and wait without Python's lock, so that
/// whoever is inside can go on; Ctrl-C ends the wait.
pub struct Gate<T> {
    inside: Mutex<T>,
    line: Mutex<Line>,
    left: Condvar,
}

/// Who is inside, and who waits.
#[derive(Default)]
struct Line {
    user: Option<ThreadId>,
    waiting: VecDeque<u64>,
    tickets: u64,
}

/// The right to use what is behind a gate, until it is dropped.
pub struct Turn<'a, T> {
    gate: &'a Gate<T>,
    inside: MutexGuard<'a, T>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send> Gate<T> {
    /// A gate with nobody inside.
    pub fn new(inside: T) -> Self {
        Self {
            inside: Mutex::new(inside),
            line: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Waits for its turn. It is an error where the thread that asks is inside itself, as a handler of signals is that is
    /// called in the middle of a step: it would wait for ever.
    pub fn enter(&self, py: Python<'_>) -> PyResult<Turn<'_, T>> {
        let me = thread::current().id();
        let mut line = lock(&self.line);
        if line.user == Some(me) {
            drop(line);
            return Err(Failure::Busy.into());
        }
        if line.user.is_none() && line.waiting.is_empty() {
            line.user = Some(me);
            drop(line);
        } else {
            let ticket = line.tickets;
            line.tickets += 1;
            line.waiting.push_back(ticket);
            drop(line);
            while !py.detach(|| self.comes_up(ticket, me)) {
                if let Err(signal) = py.check_signals() {
                    lock(&self.line).waiting.retain(|other| *other != ticket);
                    self.left.notify_all();
                    return Err(signal);
                }
            }
        }
        Ok(Turn {
            gate: self,
            inside: lock(&self.inside),
        })
    }

    /// Waits a while; whether the turn has come.
    fn comes_up(&self, ticket: u64, me: ThreadId) -> bool {
        let waits = |line: &mut Line| line.user.is_some() || line.waiting.front() != Some(&ticket);
        let (mut line, waited) = (self.left)
            .wait_timeout_while(lock(&self.line), LOOK_OUT, waits)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return false;
        }
        line.waiting.pop_front();
        line.user = Some(me);
        true
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inside
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inside
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        lock(&self.gate.line).user = None;
        self.gate.left.notify_all();
    }
}
