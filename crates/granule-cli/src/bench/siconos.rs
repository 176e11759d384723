//! Debian's Siconos as a peer: the same problems in the same run, one thread, each in a child process with a
//! time limit.

use crate::failure::Failure;
use granule_io::fclib::{self, ContactFile};
use serde::Deserialize;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

/// The script, and the Python that Debian installs Siconos for.
const SCRIPT: &str = include_str!("siconos_peer.py");
const PYTHON: &str = "/usr/bin/python3";
/// A solve that takes longer is ended, s.
const LIMIT: f64 = 20.0;

/// A problem for Siconos, and the impulses of ours that it is to judge.
pub(super) struct PeerProblem {
    pub(super) name: String,
    pub(super) file: ContactFile,
    pub(super) impulses: Vec<f64>,
}

/// What Siconos found.
#[derive(Deserialize)]
pub(super) struct PeerSolution {
    pub(super) solver: String,
    pub(super) tolerance: f64,
    /// Processor time.
    pub(super) seconds: f64,
    pub(super) iterations: usize,
    pub(super) impulses: Vec<f64>,
}

/// A solution, or its error of our impulses.
#[derive(Deserialize)]
pub(super) struct PeerAnswer {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) solution: Option<PeerSolution>,
    pub(super) check: Option<f64>,
}

/// Whether Siconos is installed.
pub(super) fn installed() -> bool {
    Command::new(PYTHON)
        .args(["-c", "import siconos.numerics"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Solves the problems with all solvers that are known to do well there.
pub(super) fn ask(
    problems: Vec<PeerProblem>,
    tolerances: &[f64],
) -> Result<Vec<PeerAnswer>, Failure> {
    if !installed() {
        return Err(Failure::Input(
            "Siconos is not installed; on Debian: apt-get install python3-siconos".to_owned(),
        ));
    }
    let failed = |error: &dyn std::fmt::Display| Failure::Run(format!("Siconos: {error}"));
    let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
    let mut tasks = Vec::new();
    for (k, problem) in problems.iter().enumerate() {
        let path = folder.path().join(format!("{k}.dat"));
        let local = problem.file.localised().map_err(|flaw| failed(&flaw))?;
        fclib::write(&path, &local).map_err(|error| failed(&error))?;
        tasks.push(json!({
            "name": problem.name,
            "file": path,
            "dimension": problem.file.dimension,
            "impulses": problem.impulses,
        }));
    }
    let task = json!({ "tolerances": tolerances, "limit": LIMIT, "problems": tasks });
    let mut child = Command::new(PYTHON)
        .args(["-c", SCRIPT])
        .envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"].map(|name| (name, "1")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    if let Some(mut input) = child.stdin.take() {
        input
            .write_all(task.to_string().as_bytes())
            .map_err(|error| failed(&error))?;
    }
    let output = child.wait_with_output().map_err(|error| failed(&error))?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(&line.replace("NaN", "null")))
        .collect::<Result<_, _>>()
        .map_err(|error| failed(&error))
}
