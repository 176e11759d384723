//! Inlets, outlets and bounds in scene files: what they become, what is written of them, and how mistakes are told.

use crate::scene_text::{built, run_until};
use granule_io::run::{Run, RunFolder};
use std::ops::ControlFlow;
use std::path::Path;

const START: &str = "[scene]\nname = 'open'\n[time]\nstep = 2e-3\nend = 0.4\n[solver]\ntolerance = 1e-4\n[output]\nframe_interval = 0.02\ncheckpoint_interval = 0.05\n";
const INLET: &str = "[[inlets]]\nname = 'feed'\nface = { center = [0, 0, 0.3], normal = [0, 0, -1], size = [0.1, 0.1] }\nradius = { uniform = [4e-3, 6e-3] }\nnumber_rate = 500\nvelocity = [0, 0, -1]\n";
const OUTLET: &str = "[[outlets]]\nbeyond = { point = [0, 0, 0], direction = [0, 0, -1] }\n";
const BRICKS: &str = "[[inlets]]\nregion = { box = { min = [0.2, 0.2, 0.2], max = [0.4, 0.4, 0.3] } }\nshape = { box = { size = [0.02, 0.01, 0.01] } }\nsize = { uniform = [0.8, 1.2] }\nmass_rate = 0.5\ntotal_mass = 0.05\n";

fn run(folder: &Path, resume: bool, steps: u64) {
    run_until(
        folder,
        &format!("{START}{INLET}{BRICKS}{OUTLET}"),
        resume,
        steps,
    );
}

#[test]
fn a_run_that_was_cut_pours_the_same_grains() {
    let place = tempfile::tempdir().unwrap();
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    run(&whole, false, u64::MAX);
    run(&parts, false, 83);
    run(&parts, true, 131);
    run(&parts, true, u64::MAX);
    let [whole, parts] = [whole, parts].map(|folder| RunFolder::new(&folder));
    let text = |folder: &RunFolder| std::fs::read_to_string(folder.series_file()).unwrap();
    assert_eq!(text(&whole), text(&parts));
    let (summary, other) = (whole.summary().unwrap(), parts.summary().unwrap());
    assert_eq!(summary.state_hash, other.state_hash);
    assert_eq!(
        (&summary.inlets, &summary.outlets),
        (&other.inlets, &other.outlets)
    );
    // 500 a second, the first at the start; and bricks up to a mass.
    let (feed, bricks) = (&summary.inlets[0], &summary.inlets[1]);
    assert_eq!((feed.name.as_str(), feed.number), ("feed", 200));
    assert!(bricks.name == "inlet_2" && (0.05..0.06).contains(&bricks.mass));
    assert!(summary.outlets[0].name == "outlet" && summary.outlets[0].number > 50);
    let series = whole.series().unwrap();
    let last = |name: &str| *series.column(name).unwrap().last().unwrap();
    assert_eq!(last("feed_number"), 200.0);
    let inside = feed.number + bricks.number - summary.outlets[0].number;
    assert_eq!(last("bodies"), inside as f64);
    let frames = whole.frames().unwrap();
    let end = frames.bodies(frames.frames().len() - 1).unwrap();
    assert_eq!(end.position.len() as u64, inside);
}

#[test]
fn mistakes_are_told_where_they_are() {
    let inlet = |keys: &str| format!("{START}[[inlets]]\n{keys}\n");
    let region = "region = { box = { min = [0, 0, 0], max = [1, 1, 1] } }\n";
    let cases = [
        (inlet("radius = 0.01\nnumber_rate = 1"), "`region`"),
        (inlet(&format!("{region}radius = 0.01")), "`number_rate`"),
        (
            inlet(&format!("{region}radius = 0.01\nnumber_rate = -3")),
            "number_rate",
        ),
        (inlet(&format!("{region}number_rate = 1")), "`radius`"),
        (
            inlet(&format!(
                "{region}radius = 0.01\nnumber_rate = 1\ntotal_mass = 3"
            )),
            "`total_number`",
        ),
        (
            inlet(&format!("{region}radius = 0.7\nnumber_rate = 1")),
            "does not fit into the inlet",
        ),
        (
            inlet(&format!(
                "{region}radius = 0.1\nnumber_rate = 1\nstart = 2\nend = 1"
            )),
            "before it opens",
        ),
        (
            inlet(&format!(
                "{region}radius = 0.1\nnumber_rate = 1\nmaterial = 'x'"
            )),
            "`x`",
        ),
        (format!("{START}{INLET}{INLET}"), "two inlets or outlets"),
        (
            format!("{START}{INLET}[[outlets]]\non_exit = 'stop'\n"),
            "`beyond`",
        ),
        (
            format!("{START}{INLET}[domain]\nmin = [0, 0, 0]\nmax = [1, -1, 1]\n"),
            "empty along y",
        ),
    ];
    for (text, words) in cases {
        let told = built(&text).expect_err(&text);
        assert!(told.contains(words), "{words}: {told}");
        assert!(told.contains("scene.toml:"), "{told}");
    }
}

#[test]
fn bounds_end_a_run_or_are_told_of() {
    let place = tempfile::tempdir().unwrap();
    let bounds = |on_exit: &str| {
        let text = format!(
            "{START}{INLET}[domain]\nmin = [-1, -1, 0.1]\nmax = [1, 1, 1]\non_exit = '{on_exit}'\n"
        );
        let run = Run::create(&place.path().join(on_exit), built(&text).unwrap()).unwrap();
        run.to_end(|_, _| ControlFlow::Continue(()))
    };
    let told = bounds("stop").expect_err("a grain falls out").to_string();
    assert!(told.contains("has left the domain"), "{told}");
    let summary = bounds("warn").unwrap();
    assert_eq!(summary.outlets[0].name, "domain");
    let outlet = &summary.outlets[0];
    assert!(outlet.number == 0 && outlet.outside.is_some_and(|outside| outside > 10));
    assert_eq!(summary.bodies as u64, summary.inlets[0].number);
}

#[test]
fn formulas_may_name_what_came_and_went() {
    let place = tempfile::tempdir().unwrap();
    let formula = "[[measures]]\nname = 'inside'\nexpression = 'feed_number - outlet_number + 0 * bodies'\nunit = '-'\n";
    run_until(
        place.path(),
        &format!("{START}{INLET}{OUTLET}{formula}"),
        false,
        u64::MAX,
    );
    let series = RunFolder::new(place.path()).series().unwrap();
    let column = |name: &str| series.column(name).unwrap();
    assert_eq!(column("inside"), column("bodies"));
}
