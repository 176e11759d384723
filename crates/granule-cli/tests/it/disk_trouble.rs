//! Disks that are full, read-only or have lost a part of a file.

#![cfg(unix)]

use crate::common::{Place, Results, STEP, after, copy, heap, newest_checkpoint};
use crate::skip::skip;
use granule_io::results::{FrameReader, RunStatus, Summary};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk in memory, for as long as this lives.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this is not permitted.
    fn mount(at: &Path, kilobytes: usize) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let size = format!("size={kilobytes}k");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "granule-test"])
            .arg(at)
            .output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(at.to_owned()));
        }
        skip("this machine does not let tests mount a disk");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_runs_full_loses_nothing_that_was_there() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    let Some(disk) = SmallDisk::mount(&place.path("small"), 600) else {
        return;
    };
    place
        .run("small/out", &[])
        .with_code(1)
        .saying(&["error: cannot write small/out/", "No space left on device"]);
    let folder = disk.0.join("out");
    let reached = newest_checkpoint(&folder).unwrap().step;
    assert!(reached > 0);
    if let Ok(summary) = Summary::read(&folder.join("summary.json")) {
        assert_eq!(summary.status, RunStatus::Failed);
    }
    // Every frame in the list is whole.
    let reader = FrameReader::open(&folder).unwrap();
    for number in 0..reader.frames().len() {
        assert_eq!(reader.bodies(number).unwrap().id.len(), 100);
    }
    // No better where there is still no space; as if nothing had been where there is.
    let until = after(reached + 60);
    let resumed = ["--resume", "--until", &until];
    let full = place.run("small/out", &["--resume"]).with_code(1);
    full.saying(&["No space left on device"]);
    copy(&folder, &place.path("roomy"));
    place.run("roomy", &resumed).with_code(0);
    place.run("whole", &["--until", &until]).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&Results::of(&place.path("roomy")), "after a full disk");
}

#[test]
fn a_disk_that_is_full_from_the_start_is_an_error() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    let Some(_disk) = SmallDisk::mount(&place.path("small"), 4) else {
        return;
    };
    place
        .run("small/out", &["--until", "0.1"])
        .with_code(1)
        .saying(&["cannot write small/out", "No space left on device"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let place = Place::with_scene(&heap(1.0));
    place.write("file", "not a folder");
    place
        .run("file/out", &["--until", "0.1"])
        .with_code(1)
        .saying(&["cannot write file/out", "Not a directory"]);
    let resumed = place.run("file/out", &["--resume"]).with_code(2);
    resumed.saying(&["no run to resume in file/out"]);
    let plot = ["plot", "file/out"];
    place.call(&plot).with_code(2).saying(&["file/out"]);
    assert_eq!(
        std::fs::read_to_string(place.path("file")).unwrap(),
        "not a folder"
    );
}

#[test]
fn a_folder_that_may_not_be_written_to_is_named() {
    let place = Place::with_scene(&heap(1.0));
    let locked = place.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(locked.join("probe"), "").is_ok() {
        skip("this user may write everywhere");
        return;
    }
    place
        .run("locked/out", &["--until", "0.1"])
        .with_code(1)
        .saying(&["cannot write locked/out", "Permission denied"]);
}

#[test]
fn a_disk_that_is_read_only_is_named() {
    let place = Place::with_scene(&heap(1.0));
    let Some(disk) = SmallDisk::mount(&place.path("small"), 600) else {
        return;
    };
    place.run("small/out", &["--until", "0.02"]).with_code(0);
    let remounted = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(&disk.0)
        .status();
    assert!(remounted.unwrap().success());
    for out in ["small/out", "small/other"] {
        place
            .run(out, &["--until", "0.1", "--overwrite"])
            .with_code(1)
            .saying(&["small/o", "Read-only file system"]);
    }
    let picture = ["render", "small/out", "-o", "small/a.png", "--width", "40"];
    let picture = place.call(&picture).with_code(1);
    picture.saying(&["cannot write small/a.png", "Read-only"]);
    let plot = place.call(&["plot", "small/out"]).with_code(1);
    plot.saying(&["cannot write small/out/plot.svg", "Read-only"]);
}

#[test]
fn a_torn_checkpoint_leaves_the_one_before() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    place.run("out", &["--until", &after(50)]).with_code(0);
    let folder = place.path("out");
    let until = ["--until", &after(110)];
    let resumed = [&until[..], &["--resume"]].concat();
    place.run("whole", &until).with_code(0);

    copy(&folder, &place.path("torn"));
    let newest = newest_checkpoint(&place.path("torn")).unwrap();
    cut(&newest.path);
    place.run("torn", &resumed).with_code(0);
    let whole = place.results("whole");
    whole.assert_same(&place.results("torn"), "from the older checkpoint");

    copy(&folder, &place.path("both"));
    for name in ["a.bin", "b.bin"] {
        cut(&place.path("both/checkpoint").join(name));
    }
    let refused = place.run("both", &resumed).with_code(1);
    refused.saying(&[
        "no checkpoint in both/checkpoint",
        "a.bin",
        "b.bin",
        "cut short",
    ]);
}

/// Takes the second half of a file away.
fn cut(path: &Path) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length / 2).unwrap();
}

#[test]
fn a_list_of_frames_that_is_damaged_is_named() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    place.run("out", &["--until", &after(20)]).with_code(0);
    place.write("out/frames.pvd", "");
    let resumed = ["--until", &after(40), "--resume"];
    let refused = place.run("out", &resumed).with_code(1);
    refused.saying(&["out/frames.pvd", "damaged"]);
    // What was asked for is still possible from the start.
    let afresh = ["--until", &after(40), "--overwrite"];
    place.run("out", &afresh).with_code(0);
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_named() {
    let place = Place::with_scene(&heap(5.0 * STEP));
    std::fs::create_dir(place.path("out")).unwrap();
    place.write("out/checkpoint", "not a folder");
    let refused = place.run("out", &["--until", &after(40)]).with_code(1);
    refused.saying(&["out/checkpoint"]);
}
