//! Every scene that comes with the program goes on from a checkpoint with the same bits: moving
//! walls, forces, planes, lines and steps of changing length.

use crate::common::{Place, copy, newest_checkpoint};
use crate::extent::extent;
use granule_io::scene;
use std::path::Path;

#[test]
fn every_scene_goes_on_with_the_same_bits() {
    let place = Place::with_all_scenes();
    let mut seen = 0;
    for entry in std::fs::read_dir(place.path("scenes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            goes_on(&place, &path);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

fn goes_on(place: &Place, path: &Path) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let time = scene::load(path).unwrap().sections().time.clone();
    let until = match time.step {
        Some(step) => extent(30.0, 80.0) * step,
        None => time.end / extent(12.0, 4.0),
    };
    let until = until.min(time.end);
    // The last checkpoint but one is then well before the end.
    let output = format!("\n[output]\ncheckpoint_interval = {:?}\n", 0.6 * until);
    let text = std::fs::read_to_string(path).unwrap();
    let text = match text.contains("\n[output]\n") {
        true => text.replace("\n[output]\n", &output),
        false => text + &output,
    };
    std::fs::write(path, text).unwrap();

    let path = path.to_str().unwrap();
    let until = format!("{until:?}");
    let run = |out: &str, more: &[&str]| {
        let start = ["run", path, "--until", &until, "--quiet", "--out", out];
        place.call(&[&start[..], more].concat()).with_code(0);
    };
    run(name, &["--threads", "1"]);
    let resumed = format!("{name}-resumed");
    copy(&place.path(name), &place.path(&resumed));
    let last = newest_checkpoint(&place.path(&resumed)).unwrap();
    std::fs::remove_file(&last.path).unwrap();
    let before = newest_checkpoint(&place.path(&resumed)).unwrap();
    assert!(before.step < last.step, "{name}: nothing left to do");
    run(&resumed, &["--threads", "2", "--resume"]);
    let whole = place.results(name);
    whole.assert_same(&place.results(&resumed), name);
}
