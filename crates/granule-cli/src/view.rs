//! `granule view`: runs in the browser, finished or going on.

use crate::failure::{Failure, print_out, tell};
use crate::interrupt;
use clap::Args;
use granule_view::{ViewError, Viewer, find_runs};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Where runs are if nobody says otherwise.
const USUAL: &str = "runs";

/// Arguments of `granule view`.
#[derive(Args)]
pub struct ViewArguments {
    /// Folders of runs, finished or going on, or folders that hold such; `runs` if none is given. Two are shown side by
    /// side
    folders: Vec<PathBuf>,
    #[command(flatten)]
    page: PageArguments,
}

/// How the page is offered.
#[derive(Args)]
pub struct PageArguments {
    /// The port of this machine that the viewer listens on; any that is free if not given
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

impl PageArguments {
    /// Whether anything was said of it.
    pub fn is_given(&self) -> bool {
        self.open || self.port != 0
    }
}

/// Shows runs until Ctrl-C.
pub fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    let given = match arguments.folders.is_empty() {
        true => vec![PathBuf::from(USUAL)],
        false => arguments.folders.clone(),
    };
    if let Some(missing) = given.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::Input(format!(
            "there is no folder {}: give the folder that `granule run` has written",
            missing.display()
        )));
    }
    let runs = find_runs(&given);
    if runs.is_empty() {
        return Err(Failure::Input(format!(
            "there is no run in {}: give the folder that `granule run` has written",
            given[0].display()
        )));
    }
    interrupt::watch()?;
    let _viewer = start(&runs, &arguments.page)?;
    until_interrupted();
    Ok(())
}

/// Starts a viewer and tells where it is.
pub fn start(runs: &[PathBuf], page: &PageArguments) -> Result<Viewer, Failure> {
    let viewer = Viewer::start(runs, page.port).map_err(|error| match error {
        ViewError::Listen { .. } => Failure::Input(error.to_string()),
        other => Failure::Run(other.to_string()),
    })?;
    print_out(&format!("{}\n", viewer.address()))?;
    let opened = page.open && open(viewer.address());
    if page.open && !opened {
        tell(format_args!(
            "there is no browser that could be opened here; open the address by hand"
        ));
    } else if !opened {
        tell(format_args!(
            "open this address in a browser on this machine"
        ));
    }
    tell(format_args!("Ctrl-C ends the viewer"));
    Ok(viewer)
}

/// Waits for Ctrl-C.
pub fn until_interrupted() {
    while interrupt::flow().is_continue() {
        sleep(Duration::from_millis(50));
    }
}

/// Hands an address to the browser of the desktop; whether there is one.
fn open(address: &str) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["rundll32", "url.dll,FileProtocolHandler"]]
    } else {
        &[&["xdg-open"], &["gio", "open"]]
    };
    programs.iter().any(|words| {
        let mut command = Command::new(words[0]);
        let quiet = command.args(&words[1..]).arg(address);
        let quiet = quiet.stdin(Stdio::null()).stdout(Stdio::null());
        let status = quiet.stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    })
}
