//! What is wrong with a robot description.

use crate::scene::error::Problem;
use crate::scene::key_path::KeyPath;
use std::path::Path;

/// A fault in a file.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    /// Counted from 1; none for the file as a whole.
    line: Option<u32>,
    /// A sentence.
    reason: String,
    /// How to mend it.
    help: String,
}

impl Fault {
    /// A fault in this line.
    pub(super) fn at(line: u32, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            reason: reason.into(),
            help: help.into(),
        }
    }

    /// A fault of the file as a whole.
    pub(super) fn whole(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            line: None,
            reason: reason.into(),
            help: help.into(),
        }
    }

    /// The problem of the scene that names the file; `path` leads to the table with the name.
    pub(super) fn in_file(self, file: &Path, path: &KeyPath) -> Problem {
        let label = match self.line {
            Some(line) => format!("line {line} of this file"),
            None => "this file".to_owned(),
        };
        let file = match self.line {
            Some(line) => format!("{}:{line}", file.display()),
            None => file.display().to_string(),
        };
        Problem::new(path.join("file"), format!("{file}: {}", self.reason), label).help(self.help)
    }
}
