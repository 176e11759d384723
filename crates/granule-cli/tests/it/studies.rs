//! `granule study` and `granule check --convergence`.

use crate::common::{Place, heap};

#[test]
fn a_study_runs_all_combinations_and_what_is_done_only_once() {
    let place = Place::with_scene(&heap(1.0));
    let arguments = [
        "study",
        "scene.toml",
        "--set",
        "time.end=0.02,0.04",
        "--set",
        "contacts.law=frictionless,coulomb",
        "--set",
        "contacts.friction=0.3",
        "--out",
        "study",
        "--jobs",
        "2",
        "--show",
        "time",
    ];
    let refused = place.call(&arguments).with_code(2);
    // Frictionless contacts have no coefficient: the others have run all the same.
    assert!(refused.err.contains("friction"), "{}", refused.err);
    let text = std::fs::read_to_string(place.path("study/study.csv")).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");

    let mut good = arguments.to_vec();
    good[5] = "contacts.law=coulomb,coulomb-convex";
    good[9] = "again";
    let told = place.call(&good).with_code(0);
    let text = std::fs::read_to_string(place.path("again/study.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 5, "{text}");
    assert_eq!(
        rows[0][..4],
        ["time.end", "contacts.law", "contacts.friction", "steps[-]"]
    );
    let column = rows[0]
        .iter()
        .position(|name| *name == "last time[s]")
        .unwrap();
    for row in &rows[1..] {
        let [end, last] = [row[0], row[column]].map(|cell| cell.parse::<f64>().unwrap());
        assert!((end - last).abs() < 1e-12, "{row:?}");
        assert_eq!(row.len(), rows[0].len());
    }
    assert!(told.out.contains("coulomb-convex") && told.out.contains("0 of 20"));

    let before = std::fs::read(place.path("again/study.csv")).unwrap();
    place.call(&good).with_code(0);
    assert!(before == std::fs::read(place.path("again/study.csv")).unwrap());

    let energy = [&good[..good.len() - 1], &["time,contacts"]].concat();
    let told = place.call(&energy).with_code(0);
    let header = told.out.lines().next().unwrap();
    assert!(header.ends_with("  time, s  contacts"), "{header}");

    let mut other = good.clone();
    other[7] = "contacts.friction=0.4";
    let told = place.call(&other).with_code(2);
    for word in ["again/001", "another study", "--out"] {
        assert!(told.err.contains(word), "no `{word}` in: {}", told.err);
    }

    let unknown = [&good[..good.len() - 1], &["weight"]].concat();
    let told = place.call(&unknown).with_code(2);
    assert!(told.err.contains("no column `weight`"), "{}", told.err);
}

#[test]
fn convergence_says_what_step_and_tolerance_change() {
    let place = Place::with_scene(&heap(1.0));
    let told = place
        .call(&["check", "scene.toml", "--convergence", "--for", "0.1"])
        .with_code(0);
    for word in [
        "the first 0.1 s",
        "kinetic energy",
        "step / 2",
        "the tolerance is small enough",
    ] {
        assert!(told.out.contains(word), "no `{word}` in: {}", told.out);
    }
    let refused = place
        .call(&["check", "scene.toml", "--convergence", "--for", "-1"])
        .with_code(2);
    assert!(refused.err.contains("--for"), "{}", refused.err);
}

#[test]
fn keys_of_a_study_change_together_if_asked_for() {
    let place = Place::with_scene(&heap(1.0));
    let arguments = [
        "study",
        "scene.toml",
        "--together",
        "--set",
        "time.end=0.02,0.04",
        "--set",
        "time.step=0.01,0.005",
        "--set",
        "solver.tolerance=1e-5",
        "--out",
        "study",
    ];
    place.call(&arguments).with_code(0);
    let text = std::fs::read_to_string(place.path("study/study.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0][..4],
        ["time.end", "time.step", "solver.tolerance", "steps[-]"]
    );
    for (row, wanted) in rows[1..]
        .iter()
        .zip([[0.02, 0.01, 1e-5, 2.0], [0.04, 0.005, 1e-5, 8.0]])
    {
        let numbers: Vec<f64> = row[..4].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(numbers, wanted);
    }
    assert_eq!(rows.len(), 3, "{text}");

    let mut uneven = arguments;
    uneven[6] = "time.step=0.01,0.005,0.002";
    let told = place.call(&uneven).with_code(2);
    assert!(told.err.contains("`time.end` has 2"), "{}", told.err);
}
