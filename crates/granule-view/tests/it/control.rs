//! A run that goes on is followed, paused, resumed and stopped.

use crate::common::{Place, balls};
use granule_io::results::RunStatus;
use granule_io::run::{Run, RunFolder};
use serde_json::Value;
use std::ops::ControlFlow;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Waits until the state of the run is so.
fn wait(place: &Place, what: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let state = place.json("runs/0/state?frames=0");
        if what(&state) {
            return state;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{state}");
        sleep(Duration::from_millis(20));
    }
}

fn ask(place: &Place, word: &str) -> u16 {
    place.request("POST", "runs/0/control", "", word).status
}

#[test]
fn a_run_is_followed_paused_and_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balls");
    let run = Run::create(&path, balls(1e6)).unwrap();
    let slow = |_: &_, _: &_| {
        sleep(Duration::from_millis(1));
        ControlFlow::Continue(())
    };
    let going = spawn(move || run.to_end(slow));
    let place = Place::of(folder);
    let early = wait(&place, |state| {
        state["state"] == "running" && state["frames"].as_u64() > Some(2)
    });
    assert_eq!(early["live"]["end"], 1e6);
    wait(&place, |state| {
        state["frames"].as_u64() > early["frames"].as_u64()
    });

    assert_eq!(ask(&place, "pause"), 200);
    let paused = wait(&place, |state| state["state"] == "paused");
    let step = paused["live"]["step"].as_u64().unwrap();
    sleep(Duration::from_millis(200));
    assert_eq!(place.json("runs/0/state?frames=0")["live"]["step"], step);
    // Who looks at a run that waits sees all rows.
    assert_eq!(RunFolder::new(&path).series().unwrap().len() as u64, step);

    assert_eq!(ask(&place, "resume"), 200);
    wait(&place, |state| {
        state["live"]["step"].as_u64() > Some(step + 20)
    });
    assert_eq!(ask(&place, "nonsense"), 400);
    assert_eq!(ask(&place, "stop"), 200);
    let summary = going.join().unwrap().unwrap();
    assert_eq!(summary.status, RunStatus::Interrupted);
    wait(&place, |state| {
        state["state"] == "interrupted" && state["live"].is_null()
    });
    assert_eq!(ask(&place, "pause"), 409);
    assert!(!path.join("live.json").exists() && !path.join("control").exists());
    let mut setup = balls(1e6);
    setup.settings.end = summary.simulated_time + 0.1;
    let resumed = Run::resume(&path, setup).unwrap().unwrap();
    let whole = resumed.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(whole.status, RunStatus::Completed);
    assert_eq!(whole.steps, summary.steps + 10);
}

#[test]
fn a_paused_run_can_still_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balls");
    let run = Run::create(&path, balls(1e6)).unwrap();
    let mut seen = 0;
    let watched = RunFolder::new(&path);
    let summary = run.to_end(|simulation, _| {
        let step = simulation.world().steps;
        if step == 5 {
            watched.ask(granule_io::run::Wish::Pause).unwrap();
        }
        // Long enough that the wish is seen.
        sleep(Duration::from_millis(5));
        seen = if watched.live().is_some_and(|live| live.paused) {
            seen + 1
        } else {
            0
        };
        if seen > 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(summary.unwrap().status, RunStatus::Interrupted);
}

#[test]
fn two_runs_in_one_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balls");
    let run = Run::create(&path, balls(1.0)).unwrap();
    let error = Run::replace(&path, balls(1.0)).err().unwrap().to_string();
    assert!(error.contains("another program is running"), "{error}");
    drop(run);
    assert!(RunFolder::new(&path).live().is_none());
    assert!(Run::replace(&path, balls(1.0)).is_ok());
}

#[test]
fn a_run_that_is_begun_anew_is_another_one() {
    let place = Place::finished();
    let before = place.json("runs/0/state?frames=0");
    assert_eq!(place.get("runs/0/frames/10").status, 200);
    // Times of files are not finer than a clock tick.
    sleep(Duration::from_millis(50));
    let run = Run::replace(&place.run(), balls(0.5)).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    let after = place.json("runs/0/state?frames=0");
    assert_eq!(after["frames"], 6);
    assert_ne!(before["generation"], after["generation"]);
    assert_eq!(place.get("runs/0/frames/10").status, 404);
}
