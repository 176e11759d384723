//! What scenes measure: columns and files, the same after a resume and from the frames of a finished run.

use granule_io::measures::{Kind, Measure, measure_run};
use granule_io::results::Series;
use granule_io::run::{Run, RunError, RunFolder};
use granule_io::scene::{self, Setup};
use std::ops::ControlFlow;
use std::path::Path;

/// Grains that fall through a plane onto a floor and pile up, with everything measured; a frame a step.
const SCENE: &str = r#"
[scene]
name = "measured"
[time]
step = 5e-3
end = 0.3
[contacts]
law = "coulomb"
friction = 0.4
[materials.a]
[materials.b]
[output]
frame_interval = 5e-3
checkpoint_interval = 0.1
forces_on = ["box"]
[[walls]]
name = "box"
box = { size = [0.1, 0.1, 0.4], open = ["+z"] }
position = [0, 0, 0.2]
material = "a"
[[grains]]
random = { count = 60, region = { box = { min = [-0.05, -0.05, 0.02], max = [0.05, 0.05, 0.2] } } }
radius = { uniform = [6e-3, 9e-3] }
material = "a"
[[grains]]
random = { count = 60, region = { box = { min = [-0.05, -0.05, 0.02], max = [0.05, 0.05, 0.2] } } }
radius = 5e-3
material = "b"
[[measures]]
name = "gate"
flow = { point = [0, 0, 0.06], normal = [0, 0, -1] }
[[measures]]
name = "bed"
stress = { region = { box = { min = [-0.05, -0.05, 0], max = [0.05, 0.05, 0.03] } } }
[[measures]]
name = "field"
stress-field = { min = [-0.05, -0.05, 0], max = [0.05, 0.05, 0.1], counts = [1, 2, 5] }
interval = 0.05
[[measures]]
name = "filled"
solid-fraction = { region = { cylinder = { center = [0, 0, 0.02], radius = 0.04, length = 0.04 } } }
[[measures]]
name = "neighbours"
coordination = {}
[[measures]]
name = "heights"
profile = { region = { box = { min = [-0.05, -0.05, 0], max = [0.05, 0.05, 0.2] } }, axis = [0, 0, 1], bins = 8 }
[[measures]]
name = "kinds"
mixing = { grid = { min = [-0.05, -0.05, 0], max = [0.05, 0.05, 0.1], counts = [3, 3, 3] }, material = "b" }
[[measures]]
name = "sizes"
mixing = { grid = { min = [-0.05, -0.05, 0], max = [0.05, 0.05, 0.1], counts = [3, 3, 3] }, larger_than = 5.5e-3 }
[[measures]]
name = "forces"
force-distribution = { bins = 10 }
interval = 0.1
[[measures]]
name = "heap"
repose = {}
[[measures]]
name = "way"
displacement = {}
[[measures]]
name = "mean_rate"
expression = "gate_total / time + 0 * (box_force_z + kinetic_energy)"
unit = "kg/s"
"#;

fn setup_of(text: &str) -> Setup {
    let scene = scene::parse(text, Path::new("measured.toml"));
    let built = scene.and_then(|scene| scene.build());
    built.unwrap_or_else(|error| panic!("{error}"))
}

fn setup() -> Setup {
    setup_of(SCENE)
}

fn run(folder: &Path) -> RunFolder {
    run_of(folder, setup())
}

fn run_of(folder: &Path, setup: Setup) -> RunFolder {
    let run = Run::create(folder, setup).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    RunFolder::new(folder)
}

/// Everything that was measured, as it is in the files.
fn texts(folder: &RunFolder) -> Vec<String> {
    let tables = ["field", "heights", "forces"];
    let tables = tables.map(|name| folder.measures_folder().join(format!("{name}.csv")));
    let files = std::iter::once(folder.series_file()).chain(tables);
    files
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

fn last(series: &Series, name: &str) -> f64 {
    *series.column(name).unwrap().last().unwrap()
}

#[test]
fn the_numbers_of_a_scene_are_what_they_should_be() {
    let place = tempfile::tempdir().unwrap();
    let folder = run(&place.path().join("run"));
    let series = folder.series().unwrap();
    let frames = folder.frames().unwrap();
    let (start, end) = (frames.bodies(0).unwrap(), frames.bodies(60).unwrap());
    // What went down is what is no longer above.
    let above = |bodies: &granule_io::results::BodyStates| -> f64 {
        let masses = bodies.position.iter().zip(&bodies.mass);
        masses
            .filter(|(x, _)| x.z > 0.06)
            .map(|(_, mass)| mass)
            .sum()
    };
    let lost = above(&start) - above(&end);
    assert!(lost > 0.0);
    assert!((last(&series, "gate_total") / lost - 1.0).abs() < 1e-12);
    let steps: f64 = series.column("gate_mass").unwrap().iter().sum();
    assert!((steps / lost - 1.0).abs() < 1e-12);
    assert!((last(&series, "mean_rate") / (lost / 0.3) - 1.0).abs() < 1e-9);
    // Ways.
    let ways = start.position.iter().zip(&end.position);
    let mean = ways.map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / 120.0;
    assert!((last(&series, "way") / mean - 1.0).abs() < 1e-12);
    // The two ways to tell kinds apart are the same but for which is which.
    let kinds = series.column("kinds").unwrap().iter();
    let sizes = series.column("sizes").unwrap();
    assert!(kinds.zip(sizes).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!((0.3..0.75).contains(&last(&series, "filled")));
    assert!(last(&series, "neighbours") > 3.0);
    assert!(last(&series, "bed_zz") > 0.0);
    let pressure = ["bed_xx", "bed_yy", "bed_zz"].map(|name| last(&series, name));
    let mean = pressure.iter().sum::<f64>() / 3.0;
    assert!((last(&series, "bed_pressure") / mean - 1.0).abs() < 1e-12);
    // Ten cells at six moments, eight slices at sixty, ten bins at three, and a header.
    let lines: Vec<usize> = texts(&folder)[1..]
        .iter()
        .map(|text| text.lines().count())
        .collect();
    assert_eq!(lines, [61, 481, 31]);
}

#[test]
fn a_resumed_run_has_the_same_numbers() {
    let place = tempfile::tempdir().unwrap();
    let whole = run(&place.path().join("whole"));
    for stop in [7, 21, 44] {
        let path = place.path().join(format!("stopped-{stop}"));
        let mut run = Run::create(&path, setup()).unwrap();
        for _ in 0..stop {
            run.step().unwrap();
        }
        // Lost without a word: what is later than the last checkpoint is done again.
        drop(run);
        let run = Run::resume(&path, setup()).unwrap().unwrap();
        run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(
            texts(&whole),
            texts(&RunFolder::new(&path)),
            "stopped after {stop}"
        );
    }
}

#[test]
fn frames_of_a_finished_run_give_the_same_numbers() {
    let place = tempfile::tempdir().unwrap();
    // Contacts with cohesion also pull.
    let sticky = "friction = 0.4\ncohesion = 0.02\ncohesion_range = 1e-3";
    for (name, text) in [
        ("dry", SCENE.to_owned()),
        ("sticky", SCENE.replace("friction = 0.4", sticky)),
    ] {
        let folder = run_of(&place.path().join(name), setup_of(&text));
        let series = folder.series().unwrap();
        let measures = setup().output.measures;
        let measured = measure_run(&folder, &measures).unwrap();
        assert_eq!(measured.rows.len(), 61);
        for (place, column) in measured.columns.iter().enumerate() {
            let name = column.split('[').next().unwrap();
            let steps = series.column(name).unwrap();
            for (row, value) in measured.rows[1..].iter().zip(steps) {
                let same = (row[place].is_nan() && value.is_nan())
                    || (row[place] - value).abs() <= 1e-9 * value.abs().max(1e-9);
                assert!(same, "{name}: {} {value} at {}", row[place], row[1]);
            }
        }
        assert_eq!(measured.tables.len(), 3);
        assert_eq!(measured.tables[1].rows.len(), 61 * 8);
    }
}

#[test]
fn contacts_that_frames_lack_are_missed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let mut bare = setup();
    bare.output.contacts = false;
    bare.settings.end = 0.15;
    let run = Run::create(&folder, bare).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    let error = measure_run(&RunFolder::new(&folder), &setup().output.measures).unwrap_err();
    assert!(matches!(error, RunError::Unmeasurable { .. }), "{error}");
    assert!(error.to_string().contains("`bed`"), "{error}");
    let way = [Measure::new("way", Kind::Displacement)];
    assert_eq!(
        measure_run(&RunFolder::new(&folder), &way)
            .unwrap()
            .rows
            .len(),
        31
    );
}

#[test]
fn measures_of_another_file_are_checked_there() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("more.toml");
    let scene = scene::parse(SCENE, Path::new("measured.toml")).unwrap();
    std::fs::write(&path, "[[measures]]\nname = 'z'\ncoordination = {}\n").unwrap();
    let more = scene.with_measures_of(&path).unwrap().measures();
    assert_eq!(more.len(), 1);
    std::fs::write(&path, "\n[[measures]]\nname = 'z'\nexpression = 'y + 1'\n").unwrap();
    let error = scene.with_measures_of(&path).unwrap_err();
    assert_eq!((error.file(), error.line()), (&*path, Some(4)));
}
