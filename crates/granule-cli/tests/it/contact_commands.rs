//! `granule solve` and `granule export`: contact problems from files and for others.

use crate::common::{self, Place};
use granule::certify::certify;
use granule::law::Flow;
use granule::solver::{Method, SolverConfig, solver};
use granule_io::fclib::{self, ContactFile};
use serde_json::Value;

/// One contact: W = 1, q = (-1, 3, 0), μ = 0.5, so r = (1, -0.5, 0).
const ONE: &str = "3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3 0  0.5";

#[test]
fn a_problem_is_solved_and_its_solution_written() {
    let place = Place::new();
    place.write("one.dat", ONE);
    let told = place.call(&["solve", "one.dat"]).with_code(0).out;
    for word in [
        "1 contacts of 3 rows",
        "auto: converged",
        "community's",
        "worst contact",
    ] {
        assert!(told.contains(word), "{told}");
    }
    let told = place.call(&["solve", "one.dat", "--json", "--out", "one.json"]);
    let facts: Value = serde_json::from_str(&told.with_code(0).out).unwrap();
    assert!(
        facts["community_error"].as_f64().unwrap() <= 1e-8,
        "{facts}"
    );
    let contract = [
        "file",
        "form",
        "contacts",
        "rows",
        "rows_a_contact",
        "solver",
        "status",
        "iterations",
        "applications",
        "seconds",
        "certificate",
        "community_error",
        "tolerance",
    ];
    for key in contract {
        assert!(!facts[key].is_null(), "no `{key}` in {facts}");
    }
    assert!(facts["applications"].as_u64().unwrap() >= facts["iterations"].as_u64().unwrap());
    for key in ["residual", "relative", "scaled"] {
        assert!(
            facts["certificate"][key].is_number(),
            "no `{key}` in {facts}"
        );
    }
    let text = std::fs::read_to_string(place.path("one.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert!((written["solution"]["r"][1].as_f64().unwrap() + 0.5).abs() < 1e-7);

    place
        .call(&[
            "solve", "one.dat", "--solver", "nlgs-eal", "--out", "one.hdf5",
        ])
        .with_code(0);
    let back = fclib::read(&place.path("one.hdf5")).unwrap();
    let solution = back.solution.clone().unwrap();
    assert!(back.community_error(Flow::Exact, &solution.impulses, &[]) <= 1e-8);
    // Convexified, the sliding contact opens.
    place
        .call(&[
            "solve",
            "one.hdf5",
            "--law",
            "convex",
            "--out",
            "convex.hdf5",
        ])
        .with_code(0);
    let convex = fclib::read(&place.path("convex.hdf5"))
        .unwrap()
        .solution
        .unwrap();
    assert!(convex.relative[0] > 0.1);
}

#[test]
fn what_is_not_solved_or_not_a_problem_says_so() {
    let place = Place::new();
    place.write("one.dat", ONE);
    place.write("cut.dat", &ONE[..30]);
    let slow = [
        "solve",
        "one.dat",
        "--solver",
        "pgd",
        "--max-iterations",
        "1",
    ];
    place
        .call(&slow)
        .with_code(1)
        .saying(&["not solved", "--max-iterations"]);
    let cases: [(&[&str], &[&str]); 6] = [
        (&["none.dat"], &["none.dat", "cannot read"]),
        (&["cut.dat"], &["cut.dat", "word", "cut short"]),
        (
            &["one.dat", "--tolerance", "-1"],
            &["--tolerance", "positive"],
        ),
        (&["one.dat", "--max-iterations", "0"], &["--max-iterations"]),
        (
            &["one.dat", "--solver", "magic"],
            &["magic", "granule list solvers"],
        ),
        (&["one.dat", "--out", "x.dat"], &["x.dat", ".hdf5"]),
    ];
    for (arguments, words) in cases {
        place
            .call(&[&["solve"], arguments].concat())
            .with_code(2)
            .saying(words);
    }
}

/// Without a checkpoint the run is made again, and what that needs is told.
#[test]
fn an_export_that_needs_other_files_says_so() {
    let (head, _) = common::heap(1.0)
        .split_once("[[grains]]")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let place = Place::with_scene(&(head + "[[grains]]\ncsv = { file = 'balls.csv' }\n"));
    place.write("balls.csv", "x,y,z,r\n0,0,0.05,0.05\n0.1,0,0.06,0.05\n");
    place
        .run("out", &["--until", "0.02", "--quiet"])
        .with_code(0);
    std::fs::remove_file(place.path("balls.csv")).unwrap();
    let export = ["export", "out", "--fclib", "5"];
    let words = [
        "balls.csv",
        "no checkpoint is left from before step 5",
        "from its start",
    ];
    place.call(&export).with_code(2).saying(&words);
}

/// The run's impulses solve the exported problem, and so does a solver, with the same velocities.
fn check(file: &ContactFile, tolerance: f64, name: &str) {
    let solution = file.solution.as_ref().unwrap();
    let engine = file.engine_problem(Flow::Exact).unwrap();
    let mut impulses = engine.engine_impulses(&solution.impulses);
    let certificate = certify(&engine.problem, &impulses);
    assert!(
        certificate.scaled <= 1.01 * tolerance,
        "{name}: {}",
        certificate.scaled
    );
    assert!(certificate.active > 0, "{name}");
    impulses.fill(0.0);
    let config = SolverConfig {
        tolerance: 1e-10,
        ..SolverConfig::named(Method::Ags)
    };
    solver(&config).solve(&engine.problem, &mut impulses, &config.ask());
    let found = engine.solution(file, &impulses);
    let size = solution
        .velocities
        .iter()
        .fold(1.0, |a: f64, v| a.max(v.abs()));
    for (a, b) in found.velocities.iter().zip(&solution.velocities) {
        assert!((a - b).abs() <= 100.0 * tolerance * size, "{name}: {a} {b}");
    }
}

#[test]
fn a_step_of_a_run_is_exported_as_it_was_solved() {
    let cases = [
        ("four_sphere_pyramid", 3, 4, "0.2", 1e-8),
        ("disk_on_incline", 2, 1, "3.0", 1e-4),
        ("without friction", 3, 1, "0.2", 1e-6),
        ("heap", 5, 1, "0.05", 1e-3),
    ];
    let scenes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    for (name, dimension, least, until, tolerance) in cases {
        let place = Place::new();
        let scene = match name {
            "without friction" => common::heap(1.0),
            shipped => std::fs::read_to_string(scenes.join(format!("{shipped}.toml"))).unwrap(),
        };
        place.write("scene.toml", &scene);
        place
            .run("out", &["--until", until, "--quiet"])
            .with_code(0);
        let steps = place.summary("out").steps;
        for (step, file) in [
            (steps, "a.hdf5"),
            (steps, "a.dat"),
            (steps / 2 + 1, "b.hdf5"),
        ] {
            let number = step.to_string();
            let call = ["export", "out", "--fclib", &number, "--out", file];
            place.call(&call).with_code(0);
        }
        let whole = fclib::read(&place.path("a.hdf5")).unwrap();
        assert_eq!(whole.dimension, dimension, "{name}");
        assert!(
            whole.contact_count() >= least,
            "{name}: {}",
            whole.contact_count()
        );
        check(&whole, tolerance, name);
        let text = fclib::read(&place.path("a.dat")).unwrap();
        assert_eq!(text.form, whole.form, "{name}");
        let number = steps.to_string();
        place
            .call(&["export", "out", "--fclib", &number, "--local"])
            .with_code(0);
        let local = fclib::read(&place.path(&format!("out/step-{steps}.hdf5"))).unwrap();
        assert_eq!(local, whole.localised().unwrap(), "{name}");
        // Nothing is left of the run but its start: the same bits.
        std::fs::remove_dir_all(place.path("out/checkpoint")).unwrap();
        if name == "four_sphere_pyramid" {
            place
                .call(&["export", "out", "--fclib", &number, "--out", "c.hdf5"])
                .with_code(0);
            assert_eq!(fclib::read(&place.path("c.hdf5")).unwrap(), whole, "{name}");
        }
    }
}

#[test]
fn the_second_problem_of_a_step_is_exported_too() {
    let scenes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let scene = std::fs::read_to_string(scenes.join("impact_rattle.toml")).unwrap();
    let place = Place::with_scene(&scene);
    place
        .run("out", &["--until", "0.2", "--quiet"])
        .with_code(0);
    // The step in which most is stopped at the end: the last number of a row.
    let series = std::fs::read_to_string(place.path("out/series.csv")).unwrap();
    let at_end = |row: &str| row.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    let rows = series.lines().enumerate().skip(1);
    let most = rows.max_by(|a, b| at_end(a.1).total_cmp(&at_end(b.1)));
    let step = most.unwrap().0.to_string();
    let call = ["export", "out", "--fclib", &step];
    place.call(&call).with_code(0);
    place
        .call(&[&call[..], &["--second"]].concat())
        .with_code(0);
    let read = |name: &str| fclib::read(&place.path(&format!("out/step-{step}{name}"))).unwrap();
    let (first, second) = (read(".hdf5"), read("-second.hdf5"));
    check(&second, 1e-4, "second");
    // It is on velocities alone, where contacts are closed: nothing falls, and fewer contacts take part.
    assert!(second.contact_count() <= first.contact_count());
    assert_ne!(first.form, second.form);
}

#[test]
fn what_cannot_be_exported_says_so() {
    let place = Place::with_scene(&common::heap(1.0));
    place
        .run("out", &["--until", "0.02", "--quiet"])
        .with_code(0);
    let cases: [(&[&str], &[&str]); 4] = [
        (&["out", "--fclib", "3", "--second"], &["one problem"]),
        (&["none", "--fclib", "3"], &["none", "granule run"]),
        (&["out", "--fclib", "0"], &["counted from 1"]),
        (&["out", "--fclib", "99"], &["has 10 steps", "99"]),
    ];
    for (arguments, words) in cases {
        place
            .call(&[&["export"], arguments].concat())
            .with_code(2)
            .saying(words);
    }
}
