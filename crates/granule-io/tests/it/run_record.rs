//! What stays during a run is written once and read back, and nothing that was done to the file is
//! taken for a run.

use granule::bodies::{Dimension, Motion, Wall};
use granule::math::{DQuat, DVec3};
use granule::shapes::{Block, BoxContainer, Cone, Cylinder, HalfSpace, Plate, Surface};
use granule_io::results::{RunRecord, WallRecord};
use granule_io::scene;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

/// A wall of every shape, with every motion.
fn walls() -> Vec<WallRecord> {
    let shapes = [
        Surface::HalfSpace(HalfSpace),
        Surface::Cylinder(Cylinder {
            radius: 0.1,
            length: 2.0,
            bottom: true,
            top: false,
        }),
        Surface::Cone(Cone {
            bottom_radius: 0.0,
            top_radius: 1.0 / 3.0,
            length: 2.0,
            bottom: false,
            top: true,
        }),
        Surface::Box(BoxContainer::closed([1.0, 2.0, 3.0])),
        Surface::Plate(Plate {
            width: 0.1,
            height: 0.3,
        }),
        Surface::Block(Block {
            size: [0.1, 0.2, 0.7],
        }),
    ];
    let motions = [
        Motion::Fixed,
        Motion::Velocity {
            linear: [0.1, -0.0, 1e-300],
        },
        Motion::Rotation {
            axis: [0.0, 3.0, 0.0],
            rate: 0.7,
            center: Some([1.0, 2.0, 3.0]),
        },
        Motion::Oscillation {
            amplitude: [0.0, 0.0, 0.1],
            frequency: 50.0,
            phase: 0.3,
        },
        Motion::Piecewise {
            times: vec![0.0, 0.1],
            velocities: vec![[1.0, 0.0, 0.0], [0.0; 3]],
        },
        Motion::Rotation {
            axis: [0.0, 0.0, 1.0],
            rate: -1.0,
            center: None,
        },
    ];
    let walls = shapes.into_iter().zip(motions).enumerate();
    walls
        .map(|(k, (shape, motion))| {
            let axis = DVec3::new(0.3, k as f64, 1.0);
            let mut wall = Wall::new(shape, 0.1 * axis, axis, motion);
            wall.material = (k % 2) as u16;
            let name = (k > 2).then(|| format!("wall-{k}"));
            let record = WallRecord::new(name, &wall);
            assert_eq!(record.wall(), wall);
            record
        })
        .collect()
}

fn record() -> RunRecord {
    RunRecord {
        gravity: DVec3::new(0.0, 1.0 / 3.0, -9.81),
        frame_interval: 0.1 + 0.2,
        materials: vec!["glass".to_owned(), "Stahl \"rostfrei\" ü".to_owned()],
        prescribed: vec![0, 7, 4_000_000_000],
        walls: walls(),
        ..RunRecord::new("hourglass", Dimension::Plane)
    }
}

#[test]
fn every_shape_and_motion_comes_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let record = record();
    record.write(folder.path()).unwrap();
    let back = RunRecord::read(folder.path()).unwrap();
    assert_eq!(back, record);
    assert_eq!(format!("{back:?}"), format!("{record:?}"));
    for time in [0.0, 0.05, 3.0] {
        for (ours, theirs) in record.walls().iter().zip(back.walls()) {
            assert_eq!(ours.kinematics.pose(time), theirs.kinematics.pose(time));
        }
    }
    assert!(back.is_prescribed(7) && !back.is_prescribed(8));
    // Nothing else is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_scene_gives_its_record() {
    let text = "[scene]\nname = 'drop'\ndimension = 2\n[time]\nstep = 1e-3\nend = 1.0\n\
        [materials.sand]\n[materials.glass]\n\
        [[bodies]]\nsphere = { radius = 0.1 }\nposition = [0, 1]\nmaterial = 'sand'\n\
        [[bodies]]\nsphere = { radius = 0.1 }\nposition = [3, 1]\nmotion = 'fixed'\nmaterial = 'glass'\n\
        [[walls]]\nhalf-space = { normal = [0, 1] }\nmaterial = 'glass'\n\
        [[walls]]\nblock = { size = [1, 1] }\nposition = [9, 0]\nmaterial = 'sand'\nname = 'step'\n\
        motion = { velocity = { linear = [-1, 0] } }\n";
    let scene = scene::parse(text, Path::new("drop.toml")).unwrap();
    let setup = scene.build().unwrap();
    let record = setup.record();
    // The numbers of frames are places in the list.
    assert_eq!(record.materials, ["glass", "sand"]);
    assert_eq!(setup.world.bodies.material, [1, 0]);
    assert_eq!(record.prescribed, [1]);
    assert_eq!(record.gravity, DVec3::new(0.0, -9.81, 0.0));
    assert_eq!(record.dimension, Dimension::Plane);
    assert_eq!(record.frame_interval, 0.01);
    assert_eq!(record.walls(), setup.world.walls);
    let names: Vec<_> = record.walls.iter().map(|wall| &wall.name).collect();
    assert_eq!(names, [&None, &Some("step".to_owned())]);
}

/// What reading the file says, with one value of it replaced.
fn error_with(pointer: &str, value: Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    record().write(folder.path()).unwrap();
    let path = folder.path().join("run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut whole: Value = serde_json::from_str(&text).unwrap();
    *whole.pointer_mut(pointer).expect(pointer) = value;
    std::fs::write(&path, whole.to_string()).unwrap();
    RunRecord::read(folder.path()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_is_an_error_that_says_what() {
    let cases = [
        ("/format", json!(2), "format is 2"),
        ("/format", json!("1"), "invalid type"),
        ("/dimension", json!(4), "1, 2 or 3, not 4"),
        ("/gravity", json!([0, 0]), "invalid length"),
        ("/gravity/0", json!(null), "invalid type"),
        ("/frame_interval", json!(-1.0), "frame_interval"),
        ("/prescribed", json!([3, 1]), "increasing"),
        (
            "/walls/1/material",
            json!(2),
            "wall 1 is of material 2 of 2",
        ),
        ("/walls/0/orientation", json!([0, 0, 0, 0]), "unit length"),
        (
            "/walls/1/surface/cylinder/radius",
            json!(-1),
            "wall 1 has a negative length",
        ),
        (
            "/walls/0/surface",
            json!({ "sphere": null }),
            "unknown variant",
        ),
        (
            "/walls/4/motion/piecewise/times",
            json!([]),
            "wall 4 has a motion",
        ),
        (
            "/walls/4/motion/piecewise/times",
            json!([0.1, 0.0]),
            "increasing",
        ),
        (
            "/walls/2/motion/rotation/axis",
            json!([0, 0, 0]),
            "wall 2 has a motion",
        ),
        (
            "/walls/0/motion",
            json!({ "fixed": 1, "more": 2 }),
            "run.json",
        ),
        ("/materials", json!([1]), "invalid type"),
    ];
    for (pointer, value, word) in cases {
        let told = error_with(pointer, value);
        assert!(told.contains(word), "{pointer}: no `{word}` in: {told}");
        assert!(told.contains("run.json"), "{pointer}: {told}");
    }
}

#[test]
fn a_run_without_one_says_how_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    let told = RunRecord::read(folder.path()).unwrap_err().to_string();
    let name = folder.path().display();
    for word in [
        "earlier version",
        "--overwrite",
        &format!("{name}/scene.toml"),
    ] {
        assert!(told.contains(word), "no `{word}` in: {told}");
    }
    // Something else of that name is not the same as nothing.
    std::fs::create_dir(folder.path().join("run.json")).unwrap();
    let told = RunRecord::read(folder.path()).unwrap_err().to_string();
    assert!(told.contains("cannot read"), "{told}");
}

proptest! {
    #[test]
    fn a_damaged_file_never_panics(place in 0.0..1.0f64, byte: u8, cut: bool) {
        let folder = tempfile::tempdir().unwrap();
        record().write(folder.path()).unwrap();
        let path = folder.path().join("run.json");
        let mut bytes = std::fs::read(&path).unwrap();
        let place = (place * bytes.len() as f64) as usize;
        bytes[place] = byte;
        if cut {
            bytes.truncate(place);
        }
        std::fs::write(&path, bytes).unwrap();
        if let Ok(read) = RunRecord::read(folder.path()) {
            // What can be read can be drawn.
            for wall in read.walls() {
                wall.kinematics.pose(1.5);
            }
        }
    }

    #[test]
    fn deep_or_senseless_text_never_panics(text in "[\\[\\]{}\",:0-9a-z.-]{0,200}") {
        let folder = tempfile::tempdir().unwrap();
        for text in [text.clone(), "[".repeat(100_000) + &text] {
            std::fs::write(folder.path().join("run.json"), text).unwrap();
            prop_assert!(RunRecord::read(folder.path()).is_err());
        }
    }
}

#[test]
fn a_quaternion_keeps_its_order() {
    let folder = tempfile::tempdir().unwrap();
    record().write(folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join("run.json")).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let parts = whole["walls"][1]["orientation"].as_array().unwrap();
    let parts: Vec<f64> = parts.iter().map(|part| part.as_f64().unwrap()).collect();
    let turn = DQuat::from_xyzw(parts[0], parts[1], parts[2], parts[3]);
    assert_eq!(turn, record().walls[1].orientation);
    assert_eq!(whole["dimension"], 2);
}
