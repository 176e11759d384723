//! How commands fail: what people read, and the exit code that programs read.

use granule_io::results::{ReadError, WriteError};
use granule_io::run::RunError;
use granule_io::scene::SceneError;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The input or the usage is wrong: code 2.
    Input(String),
    /// A scene is wrong: code 2.
    Scene(Box<SceneError>),
    /// The run failed (solver, files): code 1.
    Run(String),
    /// Interrupted; results are kept: code 130.
    Interrupted,
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Run(_) => 1,
            Self::Input(_) | Self::Scene(_) => 2,
            Self::Interrupted => 130,
        }
    }

    /// Tells people, on standard error.
    pub fn print(&self) {
        match self {
            Self::Scene(error) => {
                let text = error.render(wants_colour());
                tell(format_args!("{text}"));
            }
            Self::Input(message) | Self::Run(message) => tell(format_args!("error: {message}")),
            Self::Interrupted => {}
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::Run(error.to_string())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scene(error) => error.into(),
            RunError::Read(error) => error.into(),
            RunError::Unmeasurable { .. } => Self::Input(error.to_string()),
            RunError::NoRun { folder } => Self::Input(format!(
                "there is no run in {}: give the folder that `granule run` wrote",
                folder.display()
            )),
            RunError::Step { .. }
            | RunError::Write(_)
            | RunError::Frames(_)
            | RunError::Checkpoint(_)
            | RunError::Replay { .. } => Self::Run(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::Input(error.to_string())
    }
}

/// Whether people look on and have not asked for none by `NO_COLOR` (no-color.org).
fn wants_colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !refused
}

/// Tells people something, on standard error. Nobody there to read it is not an error.
pub fn tell(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints to standard output. A reader that has gone away (as `head` does) is not an error.
pub fn print_out(text: &str) -> Result<(), Failure> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Run(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}
