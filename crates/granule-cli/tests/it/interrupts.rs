//! A run that is asked to stop keeps what it has, says so, and can go on.

#![cfg(unix)]

use crate::common::{Place, STEP, after, heap, newest_checkpoint, wait_for_checkpoint};
use granule_io::results::{FrameReader, RunStatus, read_series};
use std::process::{Child, Command, Stdio};

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn stop_and_go_on(signal: &str) {
    let place = Place::with_scene(&heap(5.0 * STEP));
    let start = ["run", "scene.toml", "--out", "out", "--threads", "2"];
    let mut child = place
        .command(&start)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let folder = place.path("out");
    wait_for_checkpoint(&mut child, &folder, 4);
    send(signal, &child);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("interrupted at t ="), "{told}");
    assert!(told.contains("--resume"), "{told}");

    let stopped = place.summary("out");
    assert_eq!(stopped.status, RunStatus::Interrupted);
    // Every step that was made is there, and the checkpoint is that of the last one.
    assert_eq!(newest_checkpoint(&folder).unwrap().step, stopped.steps);
    let series = read_series(&folder.join("series.csv")).unwrap();
    assert_eq!(series.len() as u64, stopped.steps);
    let reader = FrameReader::open(&folder).unwrap();
    assert_eq!(reader.frames().len() as u64, stopped.steps / 10 + 1);
    for number in 0..reader.frames().len() {
        assert_eq!(reader.bodies(number).unwrap().id.len(), 100);
    }
    place.call(&["plot", "out"]).with_code(0);
    let picture = ["render", "out", "-o", "last.png", "--width", "40"];
    place.call(&picture).with_code(0);

    let until = after(stopped.steps + 60);
    let resumed = ["--resume", "--until", &until];
    place.run("out", &resumed).with_code(0);
    let ended = place.summary("out");
    // Times count over all parts of a run; those of the files are told from outside the steps.
    let mut counted = 0.0;
    for (stage, seconds) in stopped.stage_seconds.iter().filter(|(s, _)| *s != "record") {
        assert!(ended.stage_seconds[stage] >= *seconds, "{stage}");
        counted += ended.stage_seconds[stage];
    }
    assert!(ended.wall_seconds >= counted);
    place.run("whole", &["--until", &until]).with_code(0);
    let whole = place.summary("whole");
    assert_eq!(ended.iterations, whole.iterations);
    assert_eq!(ended.contacts, whole.contacts);
    assert_eq!(ended.certificate, whole.certificate);
    let whole = place.results("whole");
    whole.assert_same(&place.results("out"), signal);
}

#[test]
fn the_interrupt_signal() {
    stop_and_go_on("-INT");
}

#[test]
fn the_termination_signal() {
    stop_and_go_on("-TERM");
}

#[test]
fn a_study_keeps_what_is_done_and_goes_on() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    let ends = "time.end=0.01,4,0.02";
    let arguments = ["study", "scene.toml", "--set", ends, "--out", "out"];
    let mut child = place
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_checkpoint(&mut child, &place.path("out/002"), 2);
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("1 of 3 runs are done"), "{told}");
    assert!(told.contains("same command"), "{told}");
    let rows = |name: &str| {
        let text = std::fs::read_to_string(place.path(name)).unwrap();
        text.lines().count() - 1
    };
    assert_eq!(rows("out/study.csv"), 1);
    assert_eq!(place.summary("out/002").status, RunStatus::Interrupted);
    assert!(!place.path("out/003").exists());

    place.call(&arguments).with_code(0);
    assert_eq!(rows("out/study.csv"), 3);
    assert_eq!(place.summary("out/002").steps, 2000);
}

#[test]
fn signals_in_haste_lose_no_checkpoint() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    let folder = place.path("out");
    let mut child = place.start("out", &[]);
    wait_for_checkpoint(&mut child, &folder, 3);
    // The child is waited for below, so that its number is not another's by now.
    for signal in ["-INT", "-TERM", "-INT"] {
        send(signal, &child);
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let until = after(newest_checkpoint(&folder).unwrap().step + 60);
    let resumed = ["--resume", "--until", &until];
    place.run("out", &resumed).with_code(0);
    place.run("whole", &["--until", &until]).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&place.results("out"), "signals in haste");
}
