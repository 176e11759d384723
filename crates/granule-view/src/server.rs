//! Listens, and gives each connection a thread.
//!
//! Written on the standard library: what comes is bounded in size and time (`http`), which the small servers that would
//! fit here (`tiny_http`) leave open, and a dozen connections of one browser need nothing asynchronous.

use crate::frames::Frames;
use crate::guard::Guard;
use crate::http::{Answer, Connection, Method, Stream, Unread};
use crate::page;
use crate::routes::Site;
use crate::runs::OpenRun;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use thiserror::Error;

/// Connections at once; a browser opens about six.
const MOST_CONNECTIONS: usize = 48;

/// The viewer could not be started.
#[derive(Debug, Error)]
pub enum ViewError {
    /// The port is taken, or may not be used.
    #[error(
        "cannot listen on port {port} of this machine: {source}; give another one, or none for any that is free"
    )]
    Listen {
        /// The port.
        port: u16,
        /// What the operating system said.
        source: io::Error,
    },
    /// There is no token without random numbers.
    #[error("the system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// The system gave no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
}

/// A server that shows runs until it is dropped.
///
/// ```
/// use granule_view::Viewer;
/// # let folder = tempfile::tempdir()?;
/// let viewer = Viewer::start(&[folder.path().to_owned()], 0)?;
/// assert!(viewer.address().starts_with("http://127.0.0.1:"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Viewer {
    address: String,
    local: SocketAddr,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Viewer {
    /// Shows the runs of these folders on a port of the loopback interface; on any that is free for 0.
    pub fn start(runs: &[PathBuf], port: u16) -> Result<Self, ViewError> {
        let refused = |source| ViewError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        let local = listener.local_addr().map_err(refused)?;
        let served = Arc::new(Served::new(runs, local)?);
        let address = served.address();
        let closing = Arc::new(AtomicBool::new(false));
        let until = closing.clone();
        let listen = move || {
            for stream in listener.incoming() {
                if until.load(Ordering::SeqCst) {
                    return;
                }
                match stream {
                    Ok(stream) => accept(&served, stream),
                    // Out of files, say: it may be better in a moment.
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        };
        let thread = Builder::new().name("viewer".to_owned()).spawn(listen);
        Ok(Self {
            address,
            local,
            closing,
            thread: Some(thread.map_err(ViewError::Thread)?),
        })
    }

    /// What to open in a browser, with the token.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        // Wakes the thread that listens.
        let _ = TcpStream::connect(self.local);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What is served, and to whom.
pub struct Served {
    guard: Guard,
    site: Site,
    connections: AtomicUsize,
}

/// Counts a connection as long as it is there.
struct Counted(Arc<Served>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

fn accept(served: &Arc<Served>, stream: TcpStream) {
    let before = served.connections.fetch_add(1, Ordering::SeqCst);
    let counted = Counted(served.clone());
    if before >= MOST_CONNECTIONS {
        let full = Answer::refused(503, "too many connections");
        let _ = Connection::of_network(stream).answer(&full, &fields(), true, false);
        return;
    }
    // Without a thread the connection is closed, which the browser tells.
    let _ = Builder::new()
        .name("viewer-connection".to_owned())
        .spawn(move || {
            let mut connection = Connection::of_network(stream);
            while counted.0.exchange(&mut connection) {}
        });
}

/// What stands in every answer.
fn fields() -> String {
    format!(
        "Content-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         X-Frame-Options: DENY\r\nCache-Control: no-store\r\n",
        page::POLICY
    )
}

impl Served {
    /// The runs of some folders, at an address.
    pub fn new(runs: &[PathBuf], local: SocketAddr) -> Result<Self, ViewError> {
        let runs = runs.iter().map(|path| OpenRun::new(path)).collect();
        let frames = Frames::default();
        Ok(Self {
            guard: Guard::new(local)?,
            site: Site { runs, frames },
            connections: AtomicUsize::new(0),
        })
    }

    /// What to open in a browser, with the token.
    pub fn address(&self) -> String {
        let (host, token) = (self.guard.address(), self.guard.token());
        format!("http://{host}/{token}/")
    }

    /// Answers one request; whether another may come.
    pub fn exchange<S: Stream>(&self, connection: &mut Connection<S>) -> bool {
        let (answer, with_body, stays) = match connection.request() {
            Ok(request) => {
                let answer = match self.guard.admit(&request) {
                    Ok(path) => self.site.answer(path, &request),
                    Err(refused) => refused,
                };
                (answer, request.method != Method::Head, request.stays)
            }
            // Nothing is known of where the next one would begin.
            Err(Unread::Refused(answer)) => (answer, true, false),
            Err(Unread::Gone) => return false,
        };
        connection
            .answer(&answer, &fields(), with_body, stays)
            .is_ok()
            && stays
    }
}
