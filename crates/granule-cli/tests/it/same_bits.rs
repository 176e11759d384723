//! The same bits for any number of threads, and for any number of times a run was killed.

#![cfg(unix)]

use crate::common::{
    Place, STEP, after, files, heap, kill, newest_checkpoint, wait, wait_for_checkpoint,
};
use std::time::Duration;

#[test]
fn the_number_of_threads_changes_nothing() {
    // More bodies and contacts than one piece of work holds, so that the threads do share them.
    let crowd = heap(1.0)
        .replace("counts = [5, 5, 4]", "counts = [12, 12, 10]")
        .replace("-0.2, -0.2, 0.06", "-0.55, -0.55, 0.06")
        .replace("[0.5, 0.5, 2]", "[1.2, 1.2, 2]")
        .replace("[0.04, 0.045]", "[0.0485, 0.0489]")
        .replace("jitter = 0.004", "jitter = 0.001");
    let place = Place::with_scene(&crowd);
    let until = after(50);
    for threads in ["1", "2", "3", "7"] {
        let more = ["--until", &until, "--quiet"];
        let scene = ["run", "scene.toml", "--threads", threads, "--out", threads];
        place.call(&[&scene[..], &more].concat()).with_code(0);
        let summary = place.summary(threads);
        assert_eq!(summary.threads.to_string(), threads);
        assert!(summary.contacts.active_final > 1024, "too few to be shared");
        let (one, this) = (place.results("1"), place.results(threads));
        one.assert_same(&this, &format!("{threads} threads"));
    }
}

#[test]
fn a_run_killed_before_its_first_checkpoint_starts_afresh() {
    let place = Place::with_scene(&heap(1000.0));
    let mut child = place.start("out", &[]);
    let list = place.path("out/frames.pvd");
    wait(&mut child, || {
        std::fs::read_to_string(&list).is_ok_and(|text| text.contains("bodies_000002"))
    });
    kill(child);
    assert!(newest_checkpoint(&place.path("out")).is_none());
    let until = ["--until", &after(100)];
    let resumed = [&until[..], &["--resume"]].concat();
    place.run("out", &resumed).with_code(0);
    place.run("whole", &until).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&place.results("out"), "killed early");
}

#[test]
fn a_run_killed_at_any_moment_goes_on_as_if_it_had_not_been() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    // A number of checkpoints to wait for, and µs to wait then.
    let moments = [(1, 0), (2, 1700), (3, 300), (5, 4100), (8, 900), (13, 2600)];
    let mut names = Vec::new();
    let mut farthest = 0;
    for (generation, then) in moments {
        let name = format!("killed-{generation}");
        let mut child = place.start(&name, &[]);
        wait_for_checkpoint(&mut child, &place.path(&name), generation);
        std::thread::sleep(Duration::from_micros(then));
        kill(child);
        let reached = newest_checkpoint(&place.path(&name)).unwrap().step;
        farthest = farthest.max(reached);
        names.push(name);
    }
    let until = after(farthest + 60);
    place.run("whole", &["--until", &until]).with_code(0);
    let whole = place.results("whole");
    for name in names {
        let resumed = ["--until", &until, "--resume"];
        place.run(&name, &resumed).with_code(0);
        whole.assert_same(&place.results(&name), &name);
    }
}

#[test]
fn a_run_killed_again_and_again_comes_to_the_same_end() {
    let place = Place::with_scene(&heap(3.0 * STEP));
    let folder = place.path("out");
    let mut more: &[&str] = &[];
    let mut generation = 0;
    for kills in 1..=5 {
        let mut child = place.start("out", more);
        wait_for_checkpoint(&mut child, &folder, generation + kills);
        kill(child);
        generation = newest_checkpoint(&folder).unwrap().generation;
        more = &["--resume"];
    }
    let until = after(newest_checkpoint(&folder).unwrap().step + 60);
    let resumed = ["--resume", "--until", &until];
    place.run("out", &resumed).with_code(0);
    place.run("whole", &["--until", &until]).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&place.results("out"), "five kills");
}

#[test]
fn resuming_a_completed_run_does_nothing() {
    let place = Place::with_scene(&heap(0.05));
    place.run("out", &["--until", "0.1"]).with_code(0);
    let before = files(&place.path("out"));
    let again = place.run("out", &["--until", "0.1", "--resume"]);
    again.with_code(0).saying(&["nothing to do", "complete"]);
    assert!(before == files(&place.path("out")));
}

#[test]
fn a_completed_run_goes_on_to_a_later_end() {
    let place = Place::with_scene(&heap(0.05));
    place.run("out", &["--until", "0.1"]).with_code(0);
    let longer = ["--until", "0.2", "--resume"];
    place.run("out", &longer).with_code(0);
    place.run("whole", &["--until", "0.2"]).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&place.results("out"), "a later end");
    // The scene as it was run is a scene, too.
    let own = ["run", "out/scene.toml", "--out", "out", "--until", "0.3"];
    place.call(&[&own[..], &["--resume"]].concat()).with_code(0);
    assert_eq!(place.summary("out").steps, 150);
}

#[test]
fn a_run_killed_between_its_last_step_and_its_last_frame_gets_that_frame() {
    let place = Place::with_scene(&heap(STEP));
    // The end is not the time of a frame, so that the last one is made for it.
    let until = ["--until", &after(44)];
    place.run("out", &until).with_code(0);
    let whole = place.results("out");
    let list = place.path("out/frames.pvd");
    let text = std::fs::read_to_string(&list).unwrap();
    let shorter = text.lines().filter(|line| !line.contains("_000005"));
    let shorter: Vec<_> = shorter.filter(|line| !line.contains("0.088")).collect();
    assert!(shorter.len() < text.lines().count());
    std::fs::write(&list, shorter.join("\n")).unwrap();
    std::fs::remove_file(place.path("out/summary.json")).unwrap();
    place
        .run("out", &[&until[..], &["--resume"]].concat())
        .with_code(0);
    whole.assert_same(&place.results("out"), "without the last frame");
}

#[test]
fn a_run_that_replaces_another_leaves_nothing_of_it() {
    let place = Place::with_scene(&heap(0.05));
    place.run("out", &["--until", "0.2"]).with_code(0);
    let shorter = ["--until", "0.06", "--overwrite"];
    place.run("out", &shorter).with_code(0);
    place.run("whole", &["--until", "0.06"]).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&place.results("out"), "over a longer run");
    // A summary is about the run that is there, or is not there.
    let mut child = place.start("out", &["--overwrite"]);
    let series = place.path("out/series.csv");
    let before = std::fs::metadata(&series).unwrap().len();
    wait(&mut child, || {
        std::fs::metadata(&series).is_ok_and(|now| now.len() > before)
    });
    kill(child);
    assert!(!place.path("out/summary.json").exists());
}

#[test]
fn a_run_without_a_folder_of_its_own_is_found_again() {
    let place = Place::with_scene(&heap(0.05));
    let run = ["run", "scene.toml", "--quiet", "--until"];
    place.call(&[&run[..], &["0.1"]].concat()).with_code(0);
    let resumed = [&run[..], &["0.2", "--resume"]].concat();
    place.call(&resumed).with_code(0);
    assert_eq!(place.summary("runs/heap").steps, 100);
}
