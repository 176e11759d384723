//! The server without a network.

use crate::http::{Connection, Stream};
use crate::server::{Served, ViewError};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Answers as a [`Viewer`](crate::Viewer) does, but bytes that are at hand: for tests that send what no browser would, as many a
/// second as can be.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let server = granule_view::Offline::new(&[folder.path().to_owned()])?;
/// assert!(server.answer(b"GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n").starts_with(b"HTTP/1.1 403 "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Offline {
    served: Served,
}

impl Offline {
    /// Shows the runs of these folders.
    pub fn new(runs: &[PathBuf]) -> Result<Self, ViewError> {
        let served = Served::new(runs, SocketAddr::from((Ipv4Addr::LOCALHOST, 80)))?;
        Ok(Self { served })
    }

    /// The address that requests must be for, with the token.
    pub fn address(&self) -> String {
        self.served.address()
    }

    /// All that comes back over a connection that brings these bytes and then ends.
    pub fn answer(&self, bytes: &[u8]) -> Vec<u8> {
        let mut connection = Connection::new(Tape {
            sent: bytes,
            answered: Vec::new(),
        });
        while self.served.exchange(&mut connection) {}
        connection.into_stream().answered
    }
}

/// What is sent, and what has come back.
struct Tape<'a> {
    sent: &'a [u8],
    answered: Vec<u8>,
}

impl Read for Tape<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.sent.read(into)
    }
}

impl Write for Tape<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.answered.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Tape<'_> {
    fn wait_at_most(&self, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
