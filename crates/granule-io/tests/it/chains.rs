//! Runs that go on from earlier runs: grains keep their materials, ids and motion, and if asked for their time.

use granule_io::run::{Run, RunFolder};
use granule_io::scene::{self, SceneError, Setup};
use std::ops::ControlFlow;
use std::path::Path;
use tempfile::TempDir;

/// Heavy and light balls in a box whose floor rises; those that fall over its rim are taken out.
const HEAD: &str = "
[scene]
name = 'chain'
[time]
step = 1e-3
end = END
[solver]
tolerance = 1e-10
[materials.heavy]
density = 7800
[materials.light]
density = 1000
[materials.wall]
density = 1000
[contacts]
law = 'coulomb-convex'
friction = 0.3
pairs = [{ between = ['heavy', 'wall'], friction = 0.1 }]
[output]
frame_interval = 0.02
[[walls]]
half-space = { normal = [0, 0, 1] }
motion = { velocity = { linear = [0, 0, 0.05] } }
material = 'wall'
name = 'floor'
[[walls]]
box = { size = [0.5, 0.5, 1], open = ['+z', '-z'] }
material = 'wall'
";

const GRAINS: &str = "
[[grains]]
grid = { counts = [3, 3, 2], spacing = 0.11, origin = [-0.1, -0.1, 0.06], jitter = 0.004 }
radius = 0.05
angular_velocity = [0, 1, 0]
material = 'heavy'
[[grains]]
grid = { counts = [3, 3, 1], spacing = 0.11, origin = [-0.1, -0.1, 0.3], jitter = 0.004 }
radius = 0.05
material = 'light'
";

fn scene(end: f64, rest: &str) -> String {
    HEAD.replace("END", &end.to_string()) + rest
}

fn build(place: &TempDir, text: &str) -> Result<Setup, SceneError> {
    scene::parse(text, &place.path().join("scene.toml")).and_then(|scene| scene.build())
}

fn run(place: &TempDir, name: &str, text: &str) -> RunFolder {
    let setup = build(place, text).unwrap_or_else(|error| panic!("{error}"));
    run_setup(&place.path().join(name), setup)
}

fn run_setup(folder: &Path, setup: Setup) -> RunFolder {
    let run = Run::replace(folder, setup).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    RunFolder::new(folder)
}

fn refused(place: &TempDir, text: &str) -> String {
    match build(place, text) {
        Ok(_) => panic!("built"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn two_runs_are_as_good_as_one() {
    let place = tempfile::tempdir().unwrap();
    let whole = run(&place, "whole", &scene(0.2, GRAINS));
    run(&place, "first", &scene(0.1, GRAINS));
    let rest = "[[grains]]\nrun = { folder = 'first', time = 'continue' }\n";
    let second = run(&place, "second", &scene(0.2, rest));

    let times: Vec<f64> = (second.frames().unwrap().frames().iter())
        .map(|frame| frame.time)
        .collect();
    assert_eq!(times.len(), 6, "{times:?}");
    assert!((times[0] - 0.1).abs() < 1e-12 && (times[5] - 0.2).abs() < 1e-12);
    assert_eq!(second.series().unwrap().column("step").unwrap()[0], 1.0);
    let first_row = second.series().unwrap().column("time").unwrap()[0];
    assert!((first_row - 0.101).abs() < 1e-12, "{first_row}");

    let last = |folder: &RunFolder| {
        let frames = folder.frames().unwrap();
        frames.bodies(frames.frames().len() - 1).unwrap()
    };
    let (expected, found) = (last(&whole), last(&second));
    assert_eq!(found.id, expected.id);
    assert_eq!(found.material, expected.material);
    assert_eq!(found.mass, expected.mass);
    let far = |a: &[granule::math::DVec3], b: &[granule::math::DVec3]| {
        let ways = a.iter().zip(b).map(|(a, b)| a.distance(*b));
        ways.fold(0.0, f64::max)
    };
    let way = far(&found.position, &expected.position);
    assert!(way < 1e-6, "{way} m apart");
    // Thus they have been carried up by the floor, which went on from where it was.
    let moved = far(
        &last(&RunFolder::new(&place.path().join("first"))).position,
        &found.position,
    );
    assert!(moved > 4e-3, "{moved}");
    let spin = far(&found.angular_velocity, &expected.angular_velocity);
    assert!(spin < 1e-4, "{spin} rad/s");
}

#[test]
fn a_run_that_goes_on_starts_at_zero_unless_told_otherwise() {
    let place = tempfile::tempdir().unwrap();
    run(&place, "first", &scene(0.1, GRAINS));
    let at_rest =
        |text: String| text.replace("motion = { velocity = { linear = [0, 0, 0.05] } }", "");
    let anew = scene(0.1, "[[grains]]\nrun = { folder = 'first' }\n").replace(
        "half-space = { normal = [0, 0, 1] }",
        "half-space = { normal = [0, 0, 1] }\nposition = [0, 0, 0.005]",
    );
    let setup = build(&place, &at_rest(anew)).unwrap();
    assert_eq!(setup.world.time, 0.0);
    let rest = "[[grains]]\nrun = { folder = 'first', frame = 1, time = 'continue' }\n\
                [[bodies]]\nsphere = { radius = 0.01 }\nposition = [0, 0, 0.6]\nmaterial = 'light'\n\
                motion = { velocity = { linear = [0, 0, 1] } }\n\
                [[inlets]]\nregion = { box = { min = [-0.1, -0.1, 0.8], max = [0.1, 0.1, 0.9] } }\nradius = 0.01\n\
                number_rate = 1000\nmaterial = 'light'\n";
    let setup = build(&place, &scene(0.2, rest)).unwrap();
    assert!((setup.world.time - 0.02).abs() < 1e-12);
    // A body that moves as prescribed is where that leads it by then, and an inlet opens then.
    assert!((setup.world.bodies.position[0].z - 0.62).abs() < 1e-9);
    assert_eq!(setup.world.inlets[0].start, setup.world.time);
    let words = refused(
        &place,
        &scene(
            0.05,
            "[[grains]]\nrun = { folder = 'first', time = 'continue' }\n",
        ),
    );
    assert!(
        words.contains("`end` is not later") && words.contains("not a duration"),
        "{words}"
    );
    let two = "[[grains]]\nrun = { folder = 'first', time = 'continue' }\n\
               [[grains]]\nrun = { folder = 'first', frame = 0, time = 'continue' }\n";
    assert!(refused(&place, &scene(1.0, two)).contains("at two times"));
    let moved = "[[grains]]\nrun = { folder = 'first', time = 'continue' }\n\
                 motion = { velocity = { linear = [0, 0, 1] } }\n";
    assert!(refused(&place, &scene(1.0, moved)).contains("at time zero"));
}

#[test]
fn materials_are_taken_over_by_their_names() {
    let place = tempfile::tempdir().unwrap();
    run(&place, "first", &scene(0.02, GRAINS));
    let rest = "[[grains]]\nrun = { folder = 'first', time = 'continue' }\n";
    // Other materials before and between change the numbers.
    let more = scene(0.1, rest).replace(
        "[materials.heavy]",
        "[materials.a]\ndensity = 1\n[materials.king]\ndensity = 1\n[materials.heavy]",
    );
    let setup = build(&place, &more).unwrap();
    let names = |setup: &Setup| -> Vec<String> {
        let materials = setup.world.bodies.material.iter();
        materials
            .map(|&number| setup.materials[number as usize].clone())
            .collect()
    };
    let expected = [vec!["heavy"; 18], vec!["light"; 9]].concat();
    assert_eq!(names(&setup), expected);

    let without = more.replace("[materials.light]", "[materials.lite]");
    let words = refused(&place, &without);
    for word in ["`light`", "[materials.light]", "material = ", "lite"] {
        assert!(words.contains(word), "no `{word}` in {words}");
    }
    let setup = build(&place, &(without + "material = 'lite'\n")).unwrap();
    assert_eq!(names(&setup), ["lite"; 27]);
    assert_eq!(
        setup.world.bodies.mass[0],
        7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3)
    );
}

#[test]
fn ids_stay_and_new_bodies_come_after_them() {
    let place = tempfile::tempdir().unwrap();
    let hole =
        "[[outlets]]\nregion = { box = { min = [-0.2, -0.2, 0], max = [-0.05, 0.2, 0.1] } }\n";
    run(&place, "first", &scene(0.02, &(GRAINS.to_owned() + hole)));
    let rest = "[[bodies]]\nname = 'a'\nmass = 1\ninertia = [1, 1, 1]\nmaterial = 'light'\nposition = [0, 0, 0.7]\n\
                [[bodies]]\nname = 'b'\nsphere = { radius = 0.02 }\nposition = [0, 0.1, 0.7]\nmaterial = 'light'\n\
                [[joints]]\nkind = 'ball'\nbetween = ['a', 'b']\nposition = [0, 0.05, 0.7]\n\
                [[forces]]\nbodies = ['b']\ndrag = { linear = 1 }\n\
                [[walls]]\nplate = { width = 0.01, height = 0.01, normal = [0, 0, 1] }\nposition = [0, 0, 0.71]\nbody = 'a'\n\
                material = 'wall'\n\
                [[grains]]\nrun = { folder = 'first', time = 'continue' }\n";
    let twice = rest.to_owned() + "[[grains]]\nrun = { folder = 'first' }\nmaterial = 'light'\n";
    let setup = build(&place, &scene(0.1, rest)).unwrap();
    let bodies = &setup.world.bodies;
    // 0, 3 and 6 fell out.
    let kept: Vec<u32> = (0..27).filter(|id| ![0, 3, 6].contains(id)).collect();
    assert_eq!(bodies.id, [vec![27, 28], kept.clone()].concat());
    assert_eq!(bodies.next_id, 29);
    assert_eq!(setup.world.joints[0].bodies, [Some(27), Some(28)]);
    assert_eq!(setup.world.fields[0].on.ids, Some(vec![28]));
    assert_eq!(setup.world.walls[2].carrier, Some(27));
    let name = |id| setup.name_of(granule::simulation::Party::Body(id));
    assert_eq!(name(27), "body 27 (bodies[0])");
    assert_eq!(name(4), "body 4 (grain 2 of grains[0])");
    assert_eq!(name(3), "body 3");
    // What only carries walls is no grain for the next run.
    run_setup(&place.path().join("second"), setup);
    let third = scene(
        0.2,
        "[[grains]]\nrun = { folder = 'second', time = 'continue' }\n",
    );
    let third = build(&place, &third).unwrap();
    let kept: Vec<u32> = kept.into_iter().chain([28]).collect();
    assert_eq!(third.world.bodies.id, kept);

    // A second entry with the same ids gets new ones, and says so.
    let both = scene(0.1, &twice).replace("name = 'chain'", "name = 'chain'\nallow_overlap = true");
    let setup = build(&place, &both).unwrap();
    assert_eq!(setup.world.bodies.id[26..28], [29, 30]);
    assert_eq!(setup.world.bodies.next_id, 53);
    assert!(setup.notes[0].contains("grains[1]"), "{:?}", setup.notes);
}

#[test]
fn a_chained_run_resumes_with_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    run(&place, "first", &scene(0.05, GRAINS));
    let text = scene(
        0.1,
        "[[grains]]\nrun = { folder = 'first', time = 'continue' }\n",
    );
    let whole = run(&place, "whole", &text).summary().unwrap();
    let cut = place.path().join("cut");
    let setup = || build(&place, &text).unwrap();
    let stop = |_: &_, report: &granule::simulation::StepReport| match report.step < 20 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    Run::create(&cut, setup()).unwrap().to_end(stop).unwrap();
    let rest = Run::resume(&cut, setup()).unwrap().unwrap();
    let resumed = rest.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(resumed.state_hash, whole.state_hash);
    assert_eq!((resumed.steps, whole.steps), (50, 50));
    let frames = |name: &str| {
        let frames = RunFolder::new(&place.path().join(name)).frames().unwrap();
        let times = frames.frames().iter().map(|frame| frame.time.to_bits());
        times.collect::<Vec<_>>()
    };
    assert_eq!(frames("cut"), frames("whole"));
}
