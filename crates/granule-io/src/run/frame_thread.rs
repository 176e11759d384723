//! Frames are compressed and written by a thread of their own while the simulation goes on.
//!
//! One frame at most is on its way: who hands over the next one waits until the last is written, so that a slow disk
//! slows the run down and does not fill the memory. The files are those of [`FrameWriter`], with the same bytes, each
//! whole before the list names it.

use super::frame_copy::FrameCopy;
use crate::results::{FrameWriter, WriteError};
use granule::simulation::Simulation;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{Builder, JoinHandle};

/// A copy whose frame has been written, to be used again, and how it went.
type Written = (FrameCopy, Result<(), WriteError>);

/// Writes frames meanwhile.
pub(super) struct FrameThread {
    /// `None` when no more frames are to come.
    orders: Option<SyncSender<FrameCopy>>,
    answers: Receiver<Written>,
    thread: Option<JoinHandle<()>>,
    /// A copy that nobody needs; `None` while a frame is on its way.
    spare: Option<FrameCopy>,
    with_contacts: bool,
}

impl FrameThread {
    /// Starts a thread that writes frames, with their contacts if wanted.
    pub(super) fn start(frames: FrameWriter, with_contacts: bool) -> io::Result<Self> {
        let (orders, ordered) = sync_channel::<FrameCopy>(1);
        let (answer, answers) = sync_channel(1);
        let write = move || {
            let mut frames = frames;
            for copy in ordered {
                let (bodies, contacts) = (copy.bodies(), copy.contacts());
                let written = frames.write(copy.time, &bodies, &contacts, copy.walls());
                if answer.send((copy, written)).is_err() {
                    return;
                }
            }
        };
        Ok(Self {
            orders: Some(orders),
            answers,
            thread: Some(Builder::new().name("frames".to_owned()).spawn(write)?),
            spare: Some(FrameCopy::default()),
            with_contacts,
        })
    }

    /// Hands over the moment that the simulation is at, as soon as the last frame is written; the error is that of
    /// the last frame.
    pub(super) fn write(&mut self, simulation: &Simulation) -> Result<(), WriteError> {
        self.wait()?;
        let mut copy = self.spare.take().unwrap_or_default();
        copy.take(simulation, self.with_contacts);
        let sent = |orders: &SyncSender<FrameCopy>| orders.send(copy).is_ok();
        match self.orders.as_ref().is_some_and(sent) {
            true => Ok(()),
            false => self.broken(),
        }
    }

    /// Whether what has been written so far went well; does not wait.
    pub(super) fn look(&mut self) -> Result<(), WriteError> {
        if self.spare.is_some() {
            return Ok(());
        }
        match self.answers.try_recv() {
            Ok(written) => self.take_back(written),
            Err(TryRecvError::Empty) => Ok(()),
            Err(TryRecvError::Disconnected) => self.broken(),
        }
    }

    /// Waits until the frame that is on its way, if any, is written and in the list; tells how that went.
    pub(super) fn wait(&mut self) -> Result<(), WriteError> {
        if self.spare.is_some() {
            return Ok(());
        }
        match self.answers.recv() {
            Ok(written) => self.take_back(written),
            Err(_) => self.broken(),
        }
    }

    fn take_back(&mut self, (copy, result): Written) -> Result<(), WriteError> {
        self.spare = Some(copy);
        result
    }

    /// The thread ends early only if it panics; so does who waits for it.
    fn broken(&mut self) -> ! {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => panic!("the thread that writes frames has ended"),
        }
    }
}

impl Drop for FrameThread {
    /// A frame that is on its way is written.
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
