//! Debian's Siconos as a peer: the same problems in the same run, one thread, each in a child process with a
//! time limit.

use crate::failure::Failure;
use granule_io::fclib::{self, ContactFile, Flaw, Form, SparseMatrix};
use serde::Deserialize;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
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

/// A problem in a plane (local form) and its impulses in space, with a second tangent on which nothing
/// acts: Siconos' error in a plane cannot be called from Python, and this is the same number.
fn in_space(file: &ContactFile, impulses: &[f64]) -> Result<(ContactFile, Vec<f64>), Flaw> {
    let place = |row: usize| row / 2 * 3 + row % 2;
    let contacts = file.contact_count();
    let widened = |rows: &[f64]| {
        let mut wide = vec![0.0; 3 * contacts];
        for (row, value) in rows.iter().enumerate() {
            wide[place(row)] = *value;
        }
        wide
    };
    let Form::Local { matrix, free } = &file.form else {
        unreachable!("the problem was made local")
    };
    let mut entries: Vec<(usize, usize, f64)> = matrix
        .entries()
        .map(|(row, column, value)| (place(row), place(column), value))
        .collect();
    entries.extend((0..contacts).map(|k| (3 * k + 2, 3 * k + 2, 1.0)));
    let wide = ContactFile {
        dimension: 3,
        form: Form::Local {
            matrix: SparseMatrix::from_entries(3 * contacts, 3 * contacts, entries)?,
            free: widened(free),
        },
        guesses: Vec::new(),
        solution: None,
        ..file.clone()
    };
    Ok((wide, widened(impulses)))
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
        let local = problem.file.localised().map_err(|flaw| failed(&flaw))?;
        let write = |name: String, file: &ContactFile| -> Result<PathBuf, Failure> {
            let path = folder.path().join(name);
            fclib::write(&path, file).map_err(|error| failed(&error))?;
            Ok(path)
        };
        let mut judged = json!({
            "file": write(format!("{k}.dat"), &local)?,
            "dimension": local.dimension,
        });
        let mut task = judged.clone();
        judged["impulses"] = json!(problem.impulses);
        if local.dimension == 2 {
            let (file, impulses) =
                in_space(&local, &problem.impulses).map_err(|flaw| failed(&flaw))?;
            judged = json!({
                "file": write(format!("{k}-in-space.dat"), &file)?,
                "dimension": 3,
                "impulses": impulses,
            });
        }
        task["name"] = json!(problem.name);
        task["judged"] = judged;
        tasks.push(task);
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
