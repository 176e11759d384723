//! `granule completions`: what a shell needs to complete the command.

use crate::failure::{Failure, print_out};
use clap::Command;
use clap_complete::Shell;

/// Prints the script of a shell that completes the words of a command.
pub fn completions(mut command: Command, shell: Shell) -> Result<(), Failure> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    print_out(&String::from_utf8_lossy(&script))
}
