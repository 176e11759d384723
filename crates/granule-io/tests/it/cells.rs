//! Periodic cells in scene files: what they become, what is written of them, and how mistakes are told.

use crate::scene_text::{built, run_until};
use granule_io::measures::measure_run;
use granule_io::run::RunFolder;
use granule_io::scene;
use std::path::Path;

const START: &str = "[scene]\nname = 'cell'\ngravity = [0, 0, 0]\n[time]\nstep = 2e-3\nend = 0.2\n[solver]\ntolerance = 1e-4\n[contacts]\nlaw = 'coulomb'\nfriction = 0.5\n[output]\nframe_interval = 0.02\ncheckpoint_interval = 0.05\n";
const CELL: &str = "[cell]\nmin = [0, 0, 0]\nmax = [0.03, 0.04, 0.03]\nstress = { y = 500 }\nshear = { rate = 20 }\n";
const GRAINS: &str =
    "[[grains]]\nrandom = { count = 330 }\nradius = { uniform = [1.8e-3, 2.2e-3] }\n";
const MEASURES: &str = "[[measures]]\nname = 'stress'\nstress = {}\n[[measures]]\nname = 'packing'\nsolid-fraction = {}\n[[measures]]\nname = 'corner'\nsolid-fraction = { region = { box = { min = [0, 0, 0], max = [0.01, 0.01, 0.01] } } }\n[[measures]]\nname = 'spread'\ndisplacement = {}\n[[measures]]\nname = 'through'\nflow = { point = [0.015, 0, 0], normal = [1, 0, 0] }\n";

fn run(folder: &Path, resume: bool, steps: u64) {
    run_until(
        folder,
        &format!("{START}{CELL}{GRAINS}{MEASURES}"),
        resume,
        steps,
    );
}

#[test]
fn grains_lie_across_the_faces_and_nowhere_in_each_other() {
    let world = built(&format!("{START}{CELL}{GRAINS}")).unwrap().world;
    let (bodies, cell) = (&world.bodies, world.cell.as_ref().unwrap());
    let lattice = cell.lattice();
    let mut across = 0;
    for i in 0..bodies.len() {
        let from_middle = (bodies.position[i] - cell.center).abs();
        let faces = 0.5 * cell.size - from_middle;
        assert!(faces.min_element() >= 0.0);
        across += usize::from(faces.min_element() < bodies.radius[i]);
        for j in 0..i {
            let apart = bodies.position[i] - bodies.position[j];
            let apart = apart - lattice.shift(lattice.nearest(apart));
            assert!(apart.length() >= bodies.radius[i] + bodies.radius[j]);
        }
    }
    assert!(across > 50, "{across}");
    // One more that lies on a grain at the other side is found.
    let at = |x: f64| {
        format!("[[bodies]]\nsphere = {{ radius = 3e-3 }}\nposition = [{x}, 0.02, 0.015]\n")
    };
    let error = built(&format!("{START}{CELL}{}{}", at(0.001), at(0.0285))).unwrap_err();
    assert!(error.contains("overlap"), "{error}");
    assert!(built(&format!("{START}{CELL}{}{}", at(0.001), at(0.02))).is_ok());
}

#[test]
fn a_run_that_was_cut_goes_on_with_the_same_cell_and_frames_measure_the_same() {
    let place = tempfile::tempdir().unwrap();
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    run(&whole, false, u64::MAX);
    run(&parts, false, 37);
    run(&parts, true, u64::MAX);
    let [whole, parts] = [whole, parts].map(|folder| RunFolder::new(&folder));
    let text = |folder: &RunFolder| std::fs::read_to_string(folder.series_file()).unwrap();
    assert_eq!(text(&whole), text(&parts));
    let series = whole.series().unwrap();
    let last = |name: &str| *series.column(name).unwrap().last().unwrap();
    assert!(last("cell_y") < 0.035 && last("shear_strain") > 3.0);
    // What frames hold is enough to measure it all again.
    let record = whole.record().unwrap();
    let measures = built(&format!("{START}{CELL}{GRAINS}{MEASURES}"))
        .unwrap()
        .output
        .measures;
    let measured = measure_run(&whole, &measures).unwrap();
    assert!(record.dimension.count() == 3 && measured.rows.len() == 11);
    for (k, name) in measured.columns.iter().enumerate().skip(2) {
        let name = name.split('[').next().unwrap();
        if name.starts_with("through") {
            continue; // Between frames grains go too far to tell through which face.
        }
        for row in &measured.rows[1..] {
            let step = row[0] as usize;
            let own = series.column(name).unwrap()[step - 1];
            let scale = 1e-9
                * series
                    .column(name)
                    .unwrap()
                    .iter()
                    .fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(
                (row[k] - own).abs() <= scale,
                "{name} at {step}: {} {own}",
                row[k]
            );
        }
    }
    assert!(last("spread") > 1e-5 && last("through_total").abs() > 0.0);
}

#[test]
fn mistakes_are_told_where_they_are() {
    let cell = |keys: &str| format!("{START}{GRAINS}[cell]\n{keys}\n");
    let sides = "min = [0, 0, 0]\nmax = [0.03, 0.04, 0.03]\n";
    let cases = [
        (cell("min = [0, 0, 0]\nmax = [0, 1, 1]"), "empty along x"),
        (
            cell(&format!("{sides}periodic = []")),
            "not periodic along any",
        ),
        (cell(&format!("{sides}periodic = ['w']")), "`w`"),
        (
            cell(&format!(
                "{sides}shear = {{ flow = 'x', gradient = 'x', rate = 1 }}"
            )),
            "two axes",
        ),
        (
            cell(&format!(
                "{sides}periodic = ['x', 'z']\nshear = {{ rate = 1 }}"
            )),
            "not periodic along y",
        ),
        (
            cell(&format!(
                "{sides}periodic = ['x', 'z']\nstress = {{ x = 1 }}"
            )),
            "no ends along y",
        ),
        (
            cell(&format!(
                "{sides}stress = {{ x = 1 }}\nstrain_rate = {{ x = 1 }}"
            )),
            "both a stress",
        ),
        (cell(&format!("{sides}stress = {{}}")), "along which axis"),
        (cell(&format!("{sides}mass = -1")), "mass"),
        (cell(&format!("{sides}shears = 3")), "shears"),
        (
            cell("min = [0, 0, 0]\nmax = [0.009, 0.04, 0.03]\n").replace("330", "3"),
            "larger cell",
        ),
        (
            format!(
                "{}[[walls]]\nplate = {{ width = 1, height = 1, normal = [0, 0, 1] }}\n",
                cell(sides)
            ),
            "planes along its periodic axes",
        ),
        (
            format!(
                "{}[[inlets]]\nregion = {{ box = {{ min = [0, 0, 0], max = [1, 1, 1] }} }}\nradius = 0.001\nnumber_rate = 1\n",
                cell(sides)
            ),
            "do not go together",
        ),
        (format!("{START}{GRAINS}"), "where are the grains"),
    ];
    for (text, expected) in cases {
        let error = built(&text).unwrap_err();
        assert!(error.contains(expected), "expected {expected:?}: {error}");
    }
    // A floor below a cell that is open upwards is as it should be.
    let floor = "[[walls]]\nhalf-space = { normal = [0, 0, 1] }\n";
    let open = format!("{}{floor}", cell(&format!("{sides}periodic = ['x', 'y']")));
    assert!(built(&open).is_ok(), "{:?}", built(&open).err());
}

#[test]
fn a_shear_too_far_for_a_step_is_told() {
    let text = format!("{START}{GRAINS}{}", CELL.replace("rate = 20", "rate = 200"));
    let scene = scene::parse(&text, Path::new("cell.toml")).unwrap();
    let warnings = scene.judge(&scene.build().unwrap());
    let told = warnings
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        told.contains("`cell.shear.rate`") && told.contains("0.40 in a step"),
        "{told}"
    );
    let calm = scene::parse(&format!("{START}{GRAINS}{CELL}"), Path::new("cell.toml")).unwrap();
    assert_eq!(calm.judge(&calm.build().unwrap()), []);
}

#[test]
fn formulas_may_name_the_lengths_of_the_cell() {
    let place = tempfile::tempdir().unwrap();
    let formula =
        "[[measures]]\nname = 'volume'\nexpression = 'cell_x * cell_y * cell_z'\nunit = 'm^3'\n";
    run_until(
        place.path(),
        &format!("{START}{CELL}{GRAINS}{formula}"),
        false,
        3,
    );
    let series = RunFolder::new(place.path()).series().unwrap();
    let column = |name: &str| series.column(name).unwrap();
    let expected = column("cell_x")[2] * column("cell_y")[2] * column("cell_z")[2];
    assert!((column("volume")[2] / expected - 1.0).abs() < 1e-12);
}
