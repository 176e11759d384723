//! What `granule view` and `granule run --view` refuse, and that they end as they should.

#![cfg(unix)]

use crate::common::{Place, after, heap};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn what_is_no_run_is_refused() {
    let place = Place::with_scene(&heap(1.0));
    std::fs::create_dir(place.path("empty")).unwrap();
    let refused: [(&[&str], &str); 5] = [
        (&["view"], "no folder runs"),
        (&["view", "none"], "no folder none"),
        (&["view", "empty"], "no run in empty"),
        (&["run", "scene.toml", "--port", "8080"], "--view"),
        (&["run", "scene.toml", "--open"], "--view"),
    ];
    for (words, told) in refused {
        place.call(words).with_code(2).saying(&[told]);
    }
}

#[test]
fn a_viewer_prints_its_address_and_ends_with_ctrl_c() {
    let place = Place::with_scene(&heap(1.0));
    place
        .run("runs/a", &["--until", &after(20), "--quiet"])
        .with_code(0);
    let started = place
        .command(&["view"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started.unwrap();
    let mut address = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut address).unwrap();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let port = address.trim_start_matches("http://127.0.0.1:");
    let port = port.split('/').next().unwrap();
    // The port is taken as long as it is there.
    let taken = place.call(&["view", "--port", port]).with_code(2);
    taken.saying(&[port, "another"]);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
