//! The viewer of runs: a server that only this machine reaches, and the page that it serves.
//!
//! [`Viewer::start`] listens on the loopback interface and serves runs' folders to a browser until it is dropped. Folders
//! are only read, with one exception: a run that is going on can be paused and stopped, through its `control` file
//! ([`granule_io::run::RunFolder::ask`]).
//!
//! ```text
//! http   what comes over a connection: one request, within limits; and what goes back
//! offline  the same without a network, for tests
//! guard  who may ask: the token, Host and Origin
//! routes which address gives what
//! runs   the folders: how far each is, which frames it has
//! frames the frames that were read last
//! quantities   a number for each body, for its colour
//! meshes walls and solids as triangles
//! digest series.csv at a size that a page can hold, however long it is
//! wire   arrays of numbers as bytes
//! page   the page itself, built from `viewer/`
//! ```
//!
//! Nothing that a browser sends is ever a name of a file: runs, frames and columns are numbers.

mod digest;
mod frames;
mod guard;
mod http;
mod meshes;
mod offline;
mod page;
mod quantities;
mod routes;
mod runs;
mod server;
mod wire;

pub use offline::Offline;
pub use runs::find_runs;
pub use server::{ViewError, Viewer};
