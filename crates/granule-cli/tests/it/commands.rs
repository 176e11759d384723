//! What commands tell without running a scene: check, list, schema, version.

use crate::common::{Place, files, heap, keys, without_grains};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The scene files that come with the program.
fn scenes() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("scenes")).unwrap();
    let mut paths: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

#[test]
fn check_tells_facts_and_changes_nothing() {
    let place = Place::with_scene(&heap(1.0));
    let before = files(&place.path(""));
    let told = place.call(&["check", "scene.toml"]).with_code(0);
    for word in ["heap", "100", "apgd", "maury", "frictionless"] {
        assert!(told.out.contains(word), "no `{word}` in: {}", told.out);
    }
    assert_eq!(told.err, "");
    assert!(before == files(&place.path("")));
}

#[test]
fn all_scenes_that_come_with_the_program_are_valid() {
    let place = Place::with_all_scenes();
    let before = files(&place.path(""));
    for scene in scenes() {
        let copy = place.path("scenes").join(scene.file_name().unwrap());
        place.call(&["check", copy.to_str().unwrap()]).with_code(0);
    }
    assert!(before == files(&place.path("")));
    // From anywhere else, too.
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let output = place
        .command(&["check", "../scenes/blade.toml"])
        .current_dir(place.path("elsewhere"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_scene_that_goes_on_from_a_run_says_how_to_make_it() {
    let place = Place::new();
    std::fs::create_dir(place.path("scenes")).unwrap();
    place.write("scenes/first.toml", &heap(1.0));
    let head = without_grains(&heap(1.0));
    let text = head + "[[grains]]\nrun = { folder = '../runs/first' }\n";
    place.write("scenes/second.toml", &text);
    let check = ["check", "scenes/second.toml"];
    let told = place.call(&check).with_code(2);
    told.saying(&["no run in", "granule run scenes/first.toml"]);
    let first = ["run", "scenes/first.toml", "--out", "runs/first"];
    let first = [&first[..], &["--until", "0.01", "--quiet"]].concat();
    place.call(&first).with_code(0);
    place.call(&check).with_code(0);
}

#[test]
fn lists_have_a_line_for_each_member() {
    let place = Place::new();
    let list = |what: &str| {
        let out = place.call(&["list", what]).with_code(0).out;
        let lines: Vec<String> = out.lines().map(str::to_owned).collect();
        for line in &lines {
            let words: Vec<_> = line.split_whitespace().collect();
            assert!(words.len() > 1, "nothing is said about {line}");
        }
        lines
    };
    let starts = |lines: &[String], names: &[&str]| {
        for name in names {
            let found = lines
                .iter()
                .any(|line| line.split("  ").next() == Some(name));
            assert!(found, "no {name} in {lines:?}");
        }
    };
    starts(
        &list("schemes"),
        &["maury", "moreau-jean", "shake", "rattle"],
    );
    let (laws, solvers) = (list("laws"), list("solvers"));
    starts(&laws, &["frictionless", "coulomb", "coulomb-convex"]);
    starts(&solvers, &["usual", "apgd", "apgd-ar"]);
    let sweeps = solvers.iter().find(|line| line.starts_with("pgs "));
    assert!(sweeps.unwrap().contains("relaxation"), "{sweeps:?}");
    starts(
        &list("shapes"),
        &[
            "sphere",
            "superellipsoid",
            "hull",
            "union",
            "polygon",
            "mesh",
            "half-space",
            "cylinder",
            "cone",
            "box",
            "plate",
            "block",
        ],
    );
    let combinations = list("combinations");
    // One law also with a dilatancy, stiffness, a cap, joints and motors; the usual solver is one of the others.
    assert_eq!(combinations.len(), (laws.len() + 5) * (solvers.len() - 1));
    starts(
        &combinations,
        &["frictionless with apgd-ar", "coulomb with apgd-ar"],
    );

    let measures = list("measures");
    let header = {
        let place = Place::with_scene(&heap(1.0));
        place.run("out", &["--until", "0.01"]).with_code(0);
        std::fs::read_to_string(place.path("out/series.csv")).unwrap()
    };
    let columns: Vec<_> = header.lines().next().unwrap().split(',').collect();
    // Three components of a force and of a torque come with each wall that is asked for, and with each joint that has a
    // name, with its coordinates and motors; two columns where bodies come and go, three of each inlet, two of each outlet; four of a cell.
    let measured = granule_io::measures::MEASURE_NOTES.len();
    assert_eq!(
        columns.len() + 6 + 12 + 2 + 3 + 2 + 4 + measured,
        measures.len()
    );
    starts(&measures, &columns);
    starts(&measures, &["NAME_force_x[N]", "NAME_torque_z[N m]"]);
    for column in columns {
        let unit = column.strip_suffix(']').and_then(|c| c.split_once('['));
        assert!(unit.is_some_and(|(name, unit)| !name.is_empty() && !unit.is_empty()));
    }
}

#[test]
fn the_list_of_scenes_tells_what_each_is() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_granule"))
        .args(["list", "scenes"])
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), scenes().len());
    assert!(!text.contains("not a valid scene"), "{text}");
    for line in text.lines() {
        let (name, description) = line.split_once("  ").unwrap();
        assert!(name.starts_with("scenes/"), "{name}");
        assert!(!description.trim().is_empty(), "{name} says nothing");
    }
}

#[test]
fn the_schema_names_every_section() {
    let place = Place::new();
    let text = place.call(&["schema"]).with_code(0).out;
    let schema: Value = serde_json::from_str(&text).unwrap();
    let sections = "scene time solver materials contacts output bodies walls grains bonds forces joints motors servos \
                    mechanisms inlets outlets domain cell measures";
    assert_eq!(keys(&schema["properties"]), sections.split(' ').collect());
    assert_eq!(schema["required"], serde_json::json!(["scene", "time"]));
}

#[test]
fn the_version_is_that_of_the_program() {
    let told = Place::new().call(&["--version"]).with_code(0).out;
    assert_eq!(told, format!("granule {}\n", env!("CARGO_PKG_VERSION")));
}
