//! What is asked for wrongly is told so, with exit code 2 and without a panic.

use crate::common::{Outcome, Place, files, heap};
use std::process::Stdio;

/// A folder with the scene `scene.toml` and its short run `out`.
fn place_with_run() -> Place {
    let place = Place::with_scene(&heap(1.0));
    place
        .run("out", &["--until", "0.04", "--quiet"])
        .with_code(0);
    place
}

#[track_caller]
fn refused(place: &Place, arguments: &[&str], words: &[&str]) -> Outcome {
    let outcome = place.call(arguments).with_code(2).saying(words);
    assert_eq!(outcome.out, "");
    outcome
}

#[test]
fn scenes_that_cannot_be_read() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::write(place.path("picture.toml"), [0xff, 0xfe, 0x00]).unwrap();
    for command in ["run", "check"] {
        refused(
            &place,
            &[command, "none.toml"],
            &["none.toml", "cannot read", "help"],
        );
        refused(
            &place,
            &[command, "folder"],
            &["folder", "scene file inside"],
        );
        refused(
            &place,
            &[command, "picture.toml"],
            &["picture.toml", "UTF-8"],
        );
        refused(&place, &[command], &["<SCENE>"]);
    }
    assert_eq!(files(&place.path("")).len(), 1, "something was written");
}

#[test]
fn scenes_that_are_wrong() {
    let place = Place::with_scene(&heap(1.0).replace("tolerance", "tolerence"));
    for command in ["run", "check"] {
        let words = ["scene.toml:9", "tolerence", "`tolerance`"];
        refused(&place, &[command, "scene.toml"], &words);
    }
    place.write("cut.toml", "[scene]\nname = \"a");
    refused(&place, &["run", "cut.toml"], &["cut.toml:2"]);
    place.write("overlap.toml", &heap(1.0).replace("0.06]", "0.0]"));
    refused(&place, &["check", "overlap.toml"], &["overlap.toml:"]);
    place.write("empty.toml", "");
    refused(&place, &["run", "empty.toml"], &["empty.toml"]);
    assert!(!place.path("runs").exists());
}

#[test]
fn words_that_are_not_known() {
    let place = Place::new();
    refused(&place, &[], &["Usage"]);
    refused(&place, &["rum"], &["rum", "run"]);
    refused(&place, &["schema", "--colour"], &["--colour"]);
    refused(
        &place,
        &["run", "a.toml", "--treads", "2"],
        &["--treads", "--threads"],
    );
    refused(
        &place,
        &["list", "nonsense"],
        &["nonsense", "schemes", "combinations"],
    );
    refused(&place, &["list"], &["<WHAT>"]);
    refused(&place, &["list", "scenes"], &["scenes", "cannot read"]);
    refused(
        &place,
        &["bench", "nonsense"],
        &["nonsense", "granule bench"],
    );
    let bench = ["bench", "box_drop", "--solver", "nonsense"];
    refused(&place, &bench, &["nonsense", "apgd"]);
}

#[test]
fn numbers_that_make_no_sense() {
    let place = Place::with_scene(&heap(1.0));
    for value in ["0", "-1", "x", "1.5"] {
        let arguments = ["run", "scene.toml", "--threads", value];
        refused(&place, &arguments, &["--threads"]);
    }
    for value in ["-1", "0", "nan", "inf", "x"] {
        refused(
            &place,
            &["run", "scene.toml", "--until", value],
            &["--until"],
        );
        let bench = ["bench", "box_drop", "--n", "2", "--until", value];
        refused(&place, &bench, &["--until"]);
    }
    let bench = ["bench", "box_drop", "--tolerance", "-1"];
    refused(&place, &bench, &["--tolerance"]);
    refused(&place, &["bench", "box_drop", "--n", "0"], &["--n"]);
    assert!(!place.path("runs").exists());
}

#[test]
fn runs_that_are_there_and_runs_that_are_not() {
    let place = place_with_run();
    let before = files(&place.path("out"));
    let again = ["run", "scene.toml", "--out", "out"];
    refused(
        &place,
        &again,
        &["out already holds a run", "--resume", "--overwrite"],
    );
    let both = ["run", "scene.toml", "--resume", "--overwrite"];
    refused(&place, &both, &["--resume", "--overwrite"]);
    let none = ["run", "scene.toml", "--out", "none", "--resume"];
    refused(
        &place,
        &none,
        &["no run to resume in none", "without --resume"],
    );
    // A scene is easily taken for its run.
    for command in ["plot", "measure"] {
        for folder in ["none", "scene.toml"] {
            let words = [format!("no run in {folder}"), "granule run".to_owned()];
            refused(
                &place,
                &[command, folder],
                &words.each_ref().map(String::as_str),
            );
        }
    }
    refused(
        &place,
        &["render", "scene.toml", "-o", "a.png"],
        &["no run in scene.toml"],
    );
    assert!(!place.path("none").exists());

    place.write("scene.toml", &heap(1.0).replace("seed = 3", "seed = 4"));
    let changed = ["run", "scene.toml", "--out", "out", "--resume"];
    refused(
        &place,
        &changed,
        &["the scene has changed", "out/scene.toml"],
    );
    assert!(before == files(&place.path("out")));
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let place = Place::with_scene(&heap(1.0));
    for name in ["runs/heap", "runs/heap-2", "runs/heap-3"] {
        let run = ["run", "scene.toml", "--until", "0.01", "--quiet"];
        place.call(&run).with_code(0);
        assert!(place.path(name).join("summary.json").exists(), "{name}");
    }
}

#[test]
fn pictures_of_nothing() {
    let place = place_with_run();
    std::fs::create_dir(place.path("empty")).unwrap();
    let render = |folder, output| ["render", folder, "-o", output];
    refused(&place, &render("empty", "a.png"), &["no run in empty"]);
    refused(&place, &render("none", "a.png"), &["no run in none"]);
    refused(&place, &render("out", "a.bmp"), &["a.bmp", ".png", ".gif"]);
    refused(&place, &render("out", "a"), &[".png", ".gif"]);
    let frame = [&render("out", "a.png")[..], &["--frame", "99"]].concat();
    refused(&place, &frame, &["no frame 99", "has 3"]);
    for (option, value) in [("--rate", "0"), ("--rate", "-1"), ("--frame", "-1")] {
        let wrong = [&render("out", "a.gif")[..], &[option, value]].concat();
        refused(&place, &wrong, &[option]);
    }
    refused(&place, &["render", "out"], &["--output"]);
    refused(&place, &["plot", "empty"], &["no run in empty"]);
    refused(
        &place,
        &["plot", "out", "-o", "a.pdf"],
        &["a.pdf", ".svg", ".png"],
    );
    let profile = |folder| ["plot", folder, "--what", "profile"];
    refused(&place, &profile("empty"), &["no run in empty"]);
    let frame = [&profile("out")[..], &["--frame", "99"]].concat();
    refused(&place, &frame, &["no frame 99", "has 3"]);
    refused(
        &place,
        &["plot", "out", "--frame", "1"],
        &["--frame", "--what profile"],
    );
    refused(&place, &["plot", "out", "--what", "hight"], &["profile"]);
    assert!(!place.path("a.png").exists());
}

#[test]
fn a_line_has_no_profile() {
    let place = Place::with_scene(
        "[scene]\nname = 'line'\ndimension = 1\n[time]\nstep = 0.1\nend = 0.1\n\
         [[bodies]]\nsphere = { radius = 1 }\nposition = [0]\n",
    );
    place.run("out", &[]).with_code(0);
    refused(
        &place,
        &["plot", "out", "--what", "profile"],
        &["no heap", "in a plane or in space"],
    );
}

#[test]
fn results_that_are_damaged() {
    let place = place_with_run();
    let series = place.path("out/series.csv");
    let text = std::fs::read_to_string(&series).unwrap();
    let damaged = [
        (String::new(), "line 1"),
        ("\0\0\0".to_owned(), "line 1"),
        (text.replacen("\n3,", "\nthree,", 1), "line 4"),
        (text.replacen("\n3,", "\n", 1), "line 4"),
    ];
    for (text, line) in damaged {
        std::fs::write(&series, text).unwrap();
        refused(
            &place,
            &["plot", "out"],
            &["out/series.csv", line, "damaged"],
        );
    }
    std::fs::write(&series, [0xff, 0xfe]).unwrap();
    refused(&place, &["plot", "out"], &["out/series.csv"]);

    let render = ["render", "out", "-o", "a.png", "--frame", "1"];
    let frame = place.path("out/frames/bodies_000001.vtp");
    let bytes = std::fs::read(&frame).unwrap();
    std::fs::write(&frame, &bytes[..bytes.len() / 2]).unwrap();
    refused(&place, &render, &["bodies_000001.vtp"]);
    std::fs::remove_file(&frame).unwrap();
    refused(&place, &render, &["bodies_000001.vtp", "No such file"]);
    let movie = ["render", "out", "-o", "a.gif", "--width", "40"];
    refused(&place, &movie, &["bodies_000001.vtp"]);
    std::fs::write(place.path("out/frames.pvd"), "<VTKFile").unwrap();
    refused(&place, &render, &["frames.pvd", "damaged"]);
}

#[test]
fn a_reader_that_has_gone_away_is_not_an_error() {
    let place = place_with_run();
    for arguments in [
        &["list", "combinations"][..],
        &["schema"],
        &["check", "scene.toml"],
        &["--help"],
    ] {
        let mut command = place.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {told}");
        assert_eq!(told, "");
    }
    let run = ["run", "scene.toml", "--until", "0.01"];
    for arguments in [
        &run[..],
        &["plot", "out"],
        &["render", "out", "-o", "a.png"],
    ] {
        let mut command = place.command(arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
    let mut wrong = place.command(&["run", "none.toml"]);
    let mut child = wrong.stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_is_an_error() {
    let place = Place::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let output = place.command(&["schema"]).stdout(full.unwrap()).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("cannot write to standard output"), "{told}");
}
