//! What a run writes, and what it tells when solves do not go well.

use crate::common::{Place, after, files, heap, keys, without_grains};
use granule::math::DVec3;
use granule_io::results::{RunStatus, read_points, read_series};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn a_run_makes_every_file_of_the_contract() {
    let place = Place::with_scene(&heap(0.05));
    let told = place.run("out", &["--until", "0.1"]).with_code(0);
    assert_eq!(told.out, "");
    let told = told.saying(&["50 steps", "results in out"]);
    drop(told);
    let found = files(&place.path("out"));
    let numbered = (0..=5)
        .flat_map(|k| ["bodies", "contacts"].map(|part| format!("frames/{part}_{k:06}.vtp")));
    let single = "scene.toml run.json summary.json series.csv frames.pvd walls.vtp picture.png \
                  checkpoint/a.bin checkpoint/b.bin";
    let expected: BTreeSet<String> = numbered
        .chain(single.split_whitespace().map(str::to_owned))
        .collect();
    assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), expected);

    let summary: Value = serde_json::from_slice(&found["summary.json"]).unwrap();
    let contract = "status version scene scheme law solver threads bodies bonds steps simulated_time \
                    wall_seconds stage_seconds contacts iterations applications certificate \
                    escalations failed_steps longest_way infeasible_steps energy max_rss_bytes state_hash";
    assert_eq!(keys(&summary), contract.split_whitespace().collect());
    let contacts = ["max", "mean", "final", "active_final"];
    assert_eq!(keys(&summary["contacts"]), contacts.into());
    assert_eq!(keys(&summary["iterations"]), ["total", "max"].into());
    let certificate = [
        "worst_residual",
        "worst_relative",
        "worst_penetration",
        "worst_overlap",
    ];
    assert_eq!(keys(&summary["certificate"]), certificate.into());
    assert_eq!(summary["status"], "completed");
    assert_eq!(summary["scene"], "heap");
    assert_eq!(summary["threads"], 1);
    assert_eq!(summary["bodies"], 100);
    assert_eq!(summary["steps"], 50);
    assert_eq!(summary["failed_steps"], 0);
    assert!((summary["simulated_time"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    assert!(summary["contacts"]["active_final"].as_u64().unwrap() > 0);
    // The scene as it was run can be checked, and says the same.
    let facts = |scene: &str| place.call(&["check", scene]).with_code(0).out;
    assert_eq!(facts("scene.toml"), facts("out/scene.toml"));
}

#[test]
fn a_quiet_run_is_quiet() {
    let place = Place::with_scene(&heap(1.0));
    let told = place.run("out", &["--until", "0.01", "--quiet"]);
    let told = told.with_code(0);
    assert_eq!((told.out, told.err), (String::new(), String::new()));
}

/// A sphere under a plate that comes down onto it and goes up again.
fn press(on_failure: &str) -> Place {
    Place::with_scene(&format!(
        "[scene]\nname = \"press\"\n\
         [time]\nstep = 1e-3\nend = 0.8\n\
         [solver]\non_failure = \"{on_failure}\"\n\
         [[walls]]\nhalf-space = {{ normal = [0, 0, 1] }}\nname = \"floor\"\n\
         [[walls]]\nplate = {{ width = 1, height = 1, normal = [0, 0, 1] }}\n\
         position = [0, 0, 0.21]\nname = \"lid\"\n\
         motion = {{ oscillation = {{ amplitude = [0, 0, -0.04], frequency = 0.625 }} }}\n\
         [[bodies]]\nsphere = {{ radius = 0.1 }}\nposition = [0, 0, 0.1]\n"
    ))
}

#[test]
fn an_infeasible_step_is_told_with_names() {
    let words = [
        "step 65",
        "infeasible",
        "body 0",
        "wall `floor`",
        "wall `lid`",
    ];
    for on_failure in ["escalate", "stop"] {
        let place = press(on_failure);
        place.run("out", &[]).with_code(1).saying(&words);
        let summary = place.summary("out");
        assert_eq!(summary.status, RunStatus::Failed);
        assert_eq!(summary.steps, 64);
        place.call(&["plot", "out"]).with_code(0);
    }
    let place = press("warn");
    place.run("out", &[]).with_code(0).saying(&words);
    let summary = place.summary("out");
    assert!(summary.infeasible_steps > 500 && summary.failed_steps >= summary.infeasible_steps);
    let energy = summary.energy;
    assert!(energy.remainder.abs() <= 1e-9 * energy.turned_over);
}

#[test]
fn a_solve_that_fails_does_what_the_scene_says() {
    let hasty = |on_failure: &str| {
        let settings =
            format!("tolerance = 1e-6\nmax_iterations = 1\non_failure = \"{on_failure}\"");
        Place::with_scene(&heap(0.05).replace("tolerance = 1e-6", &settings))
    };
    let until = ["--until", &after(60)];

    let place = hasty("stop");
    let told = place.run("out", &until).with_code(1);
    told.saying(&["error: step ", "tolerance", "max_iterations", "on_failure"]);
    let summary = place.summary("out");
    assert_eq!(summary.status, RunStatus::Failed);
    assert!(summary.steps < 60);
    let series = read_series(&place.path("out/series.csv")).unwrap();
    assert_eq!(series.len() as u64, summary.steps);
    place.call(&["plot", "out"]).with_code(0);
    let render = ["render", "out", "-o", "a.png", "--width", "40"];
    place.call(&render).with_code(0);

    // The worst contact may be what is not good enough.
    let strict = "tolerance = 0.9\nmax_residual = 1e-9\nmax_iterations = 2\non_failure = \"stop\"";
    let place = Place::with_scene(&heap(0.05).replace("tolerance = 1e-6", strict));
    let told = place.run("out", &until).with_code(1);
    told.saying(&[
        "m/s where `max_residual` allows 1.0e-9 m/s",
        "loosen `max_residual`",
    ]);

    let place = hasty("warn");
    let told = place.run("out", &until).with_code(0);
    told.saying(&["warning:", "did not reach the tolerance"]);
    let summary = place.summary("out");
    assert_eq!(summary.status, RunStatus::Completed);
    assert!(summary.failed_steps > 0);
    let series = read_series(&place.path("out/series.csv")).unwrap();
    let certified = series.column("certified").unwrap();
    let failed = certified.iter().filter(|&&certified| certified == 0.0);
    assert_eq!(failed.count() as u64, summary.failed_steps);

    let place = hasty("escalate");
    place.run("out", &until).with_code(0);
    let summary = place.summary("out");
    assert!(summary.escalations > 0);
    let series = read_series(&place.path("out/series.csv")).unwrap();
    let called = series.column("escalations").unwrap();
    let steps = called.iter().filter(|&&called| called > 0.0);
    assert_eq!(steps.count() as u64, summary.escalations);
}

/// A ball of 2 kg that slides on a floor.
const SLIDING: &str = "[scene]\nname = 'sliding'\n[time]\nstep = 1e-3\nend = 0.02\n\
    [solver]\ntolerance = 1e-10\n[contacts]\nlaw = 'coulomb'\nfriction = 0.3\n\
    rolling_friction = 1e-3\n[[walls]]\nhalf-space = { normal = [0, 0, 1] }\n\
    [[bodies]]\nsphere = { radius = 0.1 }\nposition = [0, 0, 0.1]\nmass = 2\n\
    velocity = [1, 0, 0]\n[output]\nframe_interval = 0.01\n";

#[test]
fn frames_hold_tangential_forces_and_moments() {
    let place = Place::with_scene(SLIDING);
    place.run("out", &[]).with_code(0);
    let cloud = read_points(&place.path("out/frames/contacts_000002.vtp")).unwrap();
    assert_eq!(cloud.points.len(), 1);
    let array = |name: &str| &cloud.arrays[name].1;
    let weight = 2.0 * 9.81;
    let near = |found: &[f64], expected: [f64; 3]| {
        let pairs = found.iter().zip(expected);
        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-6 * weight, "{found:?} for {expected:?}");
    };
    // Friction against the sliding; the moment against the rolling, which is about y.
    near(array("force"), [-0.3 * weight, 0.0, weight]);
    near(array("moment"), [0.0, -1e-3 * weight, 0.0]);
    assert!((array("normal_force")[0] - weight).abs() < 1e-6 * weight);
    let bodies = read_points(&place.path("out/frames/bodies_000002.vtp")).unwrap();
    // (0.3 r - 1e-3) m g / (2/5 m r²) for 0.02 s.
    let spin = (0.3 * 0.1 - 1e-3) * 9.81 / (0.4 * 0.01) * 0.02;
    near(&bodies.arrays["angular_velocity"].1, [0.0, spin, 0.0]);
    let [x, y, z, w] = bodies.arrays["orientation"].1[..] else {
        panic!("one quaternion")
    };
    assert!(y > 0.0 && w < 1.0 && x == 0.0 && z == 0.0);

    // Without moments there is no array of them.
    let place = Place::with_scene(&SLIDING.replace("rolling_friction = 1e-3\n", ""));
    place.run("out", &[]).with_code(0);
    let cloud = read_points(&place.path("out/frames/contacts_000002.vtp")).unwrap();
    assert!(cloud.arrays.contains_key("force") && !cloud.arrays.contains_key("moment"));
}

/// The point of a contact is on the sphere as it was where the step looked for contacts, and the plane
/// is a gap away from it, however fast the sphere is.
#[test]
fn contact_points_normals_and_gaps_are_of_one_time() {
    let fast = SLIDING
        .replace("velocity = [1, 0, 0]", "velocity = [300, 40, 0]")
        .replace("frame_interval = 0.01", "frame_interval = 1e-3");
    let tilted = fast
        .replace("normal = [0, 0, 1]", "normal = [0.6, 0, 0.8]")
        .replace("position = [0, 0, 0.1]", "position = [0.06, 0, 0.08]")
        .replace("velocity = [300, 40, 0]", "velocity = [240, 40, -180]");
    let impacts = tilted.replace(
        "end = 0.02",
        "end = 0.02\nscheme = 'moreau-jean'\ntheta = 0.7",
    );
    // How much of the step goes by before contacts are looked for.
    for (text, share) in [(fast, 0.0), (tilted, 0.0), (impacts, 0.3)] {
        let place = Place::with_scene(&text);
        place.run("out", &[]).with_code(0);
        let read = |part: &str, frame: usize| {
            read_points(&place.path(&format!("out/frames/{part}_{frame:06}.vtp"))).unwrap()
        };
        let vector = |values: &[f64]| DVec3::new(values[0], values[1], values[2]);
        let normal = vector(&if text.contains("0.6, 0, 0.8") {
            [0.6, 0.0, 0.8]
        } else {
            [0.0, 0.0, 1.0]
        });
        let mut seen = 0;
        for frame in 1..=20 {
            let (contacts, before) = (read("contacts", frame), read("bodies", frame - 1));
            let Some(point) = contacts.points.first().map(|point| vector(point)) else {
                continue;
            };
            seen += 1;
            let velocity = vector(&before.arrays["velocity"].1);
            let center = vector(&before.points[0]) + share * 1e-3 * velocity;
            let found = vector(&contacts.arrays["normal"].1);
            assert!((found - normal).length() < 1e-12, "{found}");
            let expected = center - 0.1 * normal;
            assert!(
                (point - expected).length() < 1e-12,
                "{point} for {expected}"
            );
            let gap = contacts.arrays["gap"].1[0];
            assert!((normal.dot(point) - gap).abs() < 1e-12, "{gap}");
        }
        assert!(seen >= 18, "{seen} frames with a contact");
    }
}

#[test]
fn the_folder_of_a_run_stands_alone() {
    let place = Place::with_scene(&heap(1.0));
    place
        .run("first", &["--until", "0.04", "--quiet"])
        .with_code(0);
    // A scene that goes on from that run and from a table, with a wall that moves.
    place.write("more.csv", "x,y,z,r\n0,0,1.9,0.04\n");
    let head = without_grains(&heap(1e-2));
    let text = head.replace("[scene]", "[scene]\nallow_overlap = true")
        + "motion = { velocity = { linear = [0, 0, 0.5] } }\n\
           [[grains]]\nrun = { folder = 'first' }\n[[grains]]\ncsv = { file = 'more.csv' }\n\
           [[bodies]]\nsphere = { radius = 0.1 }\nposition = [2, 0, 0]\nmotion = 'fixed'\n";
    place.write("scene.toml", &text);
    place
        .run("out", &["--until", "0.1", "--quiet"])
        .with_code(0);
    let draw = |folder: &str| {
        let size = ["--width", "64", "--height", "48"];
        let render = ["render", folder, "--frame", "2", "-o", "a.png"];
        place.call(&[&render[..], &size].concat()).with_code(0);
        let told = place.call(&["plot", folder, "--what", "profile"]);
        let told = told.with_code(0).out;
        place.call(&["plot", folder]).with_code(0);
        (std::fs::read(place.path("a.png")).unwrap(), told)
    };
    let before = draw("out");
    // The body that does not move is no part of the heap.
    assert!(before.1.contains("fronts           -0."), "{}", before.1);

    for gone in ["scene.toml", "more.csv", "out/scene.toml"] {
        std::fs::remove_file(place.path(gone)).unwrap();
    }
    std::fs::remove_dir_all(place.path("first")).unwrap();
    std::fs::remove_dir_all(place.path("out/checkpoint")).unwrap();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    std::fs::rename(place.path("out"), place.path("elsewhere/run")).unwrap();
    assert!(before == draw("elsewhere/run"));

    // A run of an earlier version has no record; damaged ones are told.
    std::fs::remove_file(place.path("elsewhere/run/run.json")).unwrap();
    let render = ["render", "elsewhere/run", "-o", "a.png"];
    let mend = "granule run elsewhere/run/scene.toml --out elsewhere/run --overwrite";
    place.call(&render).with_code(2).saying(&["run.json", mend]);
    place.write("elsewhere/run/run.json", "{ \"format\": 1");
    place
        .call(&render)
        .with_code(2)
        .saying(&["run.json", "damaged"]);
}

#[test]
fn a_resumed_run_has_its_record() {
    let place = Place::with_scene(&heap(1e-2));
    place
        .run("out", &["--until", "0.04", "--quiet"])
        .with_code(0);
    let path = place.path("out/run.json");
    let before = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    place
        .run("out", &["--until", "0.06", "--quiet", "--resume"])
        .with_code(0);
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn closing_words_tell_when_the_step_may_matter() {
    let place = Place::with_scene(&heap(1.0));
    let told = place.run("short", &["--until", "0.1", "--no-picture"]);
    let told = told.with_code(0).saying(&["of the smallest radius"]);
    assert!(!told.err.contains("may matter"), "{}", told.err);
    assert!(place.summary("short").longest_way < 0.1);

    let long = ["--set", "time.step=0.05", "--until", "0.2", "--no-picture"];
    let told = place.run("long", &long).with_code(0);
    told.saying(&["the step may matter", "of its radius", "--convergence"]);
    let summary = place.summary("long");
    assert!(summary.longest_way > 0.5, "{}", summary.longest_way);
    let (deepest, over) = (
        summary.certificate.worst_penetration,
        summary.certificate.worst_overlap,
    );
    assert!(deepest > 0.0, "{deepest}");
    assert!(
        (0.04..0.045).contains(&(deepest / over)),
        "{deepest} {over}"
    );
}
