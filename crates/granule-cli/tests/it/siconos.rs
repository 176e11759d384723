//! Debian's Siconos reads the contact problems that we write, and judges solutions as we do; skipped where
//! it is not installed.

use crate::skip::skip;
use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// One contact each: in a plane, in space, in the global form (two masses of 2 kg), with rolling.
const PROBLEMS: [(&str, &str); 4] = [
    ("plane.dat", "2 1  0 2 2 2 2  1 0.2 0.2 2  -1 3  0.5"),
    (
        "space.dat",
        "3 1  0 3 3 3 3  1 0.1 0 0.1 2 0 0 0 3  -1 3 0  0.5",
    ),
    (
        "global.dat",
        "3 1  0 3 3 3 3  2 0 0 0 2 0 0 0 2  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -2 6 1  0 0 0  0.5",
    ),
    (
        "rolling.dat",
        "5 1  0 5 5 5 5  1 0 0 0 0 0 2 0 0 0 0 0 2 0 0 0 0 0 3 0 0 0 0 0 3  -1 3 0 1 0.5  0.5  0.1",
    ),
];

fn siconos_is_here() -> bool {
    std::process::Command::new("/usr/bin/python3")
        .args(["-c", "import siconos.numerics"])
        .output()
        .is_ok_and(|output| output.status.success())
}

#[test]
fn siconos_reads_our_files_and_judges_as_we_do() {
    if !siconos_is_here() {
        skip("Siconos is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (given, out) = (folder.path().join("given"), folder.path().join("out"));
    fs::create_dir(&given).unwrap();
    for (name, text) in PROBLEMS {
        fs::write(given.join(name), text).unwrap();
    }
    let output = Command::cargo_bin("granule")
        .unwrap()
        .args(["bench", "fclib", "--solvers", "auto"])
        .args(["--peer", "siconos", "--json", "--out"])
        .args([&out, &given])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let entries: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let judged: Vec<f64> = entries
        .iter()
        .filter(|entry| entry["quantity"].as_str().unwrap().contains("own error"))
        .map(|entry| entry["value"].as_f64().unwrap())
        .collect();
    assert_eq!(judged.len(), 4);
    assert!(judged.iter().all(|error| *error < 1e-8), "{judged:?}");
    // What it finds passes our certificate, in a plane too; with rolling it may abort.
    let table = fs::read_to_string(out.join("outcomes.csv")).unwrap();
    for (name, _) in &PROBLEMS[..3] {
        let solved = table.lines().any(|line| {
            line.starts_with(name) && line.contains("Siconos NSGS,1e-8") && line.ends_with("true")
        });
        assert!(solved, "{name} in\n{table}");
    }
}

#[test]
fn the_portfolio_is_set_beside_single_solvers() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &PROBLEMS[..2] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let table = folder.path().join("times.csv");
    let output = Command::cargo_bin("granule")
        .unwrap()
        .args(["bench", "auto", "--json", "--solvers", "ags,newton"])
        .args(["--limit", "5", "--data"])
        .args([folder.path(), Path::new("--out"), &table])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let entries: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    // Two problems to two tolerances.
    assert_eq!(entries.len(), 4, "{entries:?}");
    let table = fs::read_to_string(table).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    // `auto` and both others.
    assert_eq!(rows.len(), 12, "{table}");
    let of_auto = rows.iter().filter(|row| row[3] == "auto");
    for row in of_auto {
        let [tolerance, error] = [row[2], row[7]].map(|x| x.parse::<f64>().unwrap());
        assert!(row[5] == "true" && error <= tolerance, "{row:?}");
    }
}

#[test]
fn the_benchmark_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, word) in [
        (vec!["bench", "fclib"], "<FOLDER>"),
        (
            vec!["bench", "fclib", "nowhere"],
            "cannot read the folder nowhere",
        ),
        (vec!["bench", "fclib", ".", "--peer", "x"], "siconos"),
        (vec!["bench", "auto", "--data", "nowhere"], "nowhere"),
        (vec!["bench", "auto", "--data", ".", "--limit", "-1"], "-1"),
        (
            vec!["bench", "fclib", folder.path().to_str().unwrap()],
            "there is no .dat or .hdf5 file",
        ),
        (
            vec!["bench", "operator", folder.path().to_str().unwrap()],
            "unexpected argument",
        ),
    ] {
        let output = Command::cargo_bin("granule")
            .unwrap()
            .args(&arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(word), "{said}");
    }
}
