//! What is written as frames is read back, in the order of ids.

use crate::skip::skip;
use granule::bodies::{Bodies, Motion, Sphere, Wall};
use granule::math::{DQuat, DVec3};
use granule::shapes::{Cylinder, HalfSpace, Surface};
use granule_io::results::{
    BodyFrame, Bounds, Collection, ContactFrame, FrameReader, FrameWriter, Part, read_points,
    write_bodies, write_contacts,
};
use std::path::Path;

fn bodies(count: usize) -> Bodies {
    let mut bodies = Bodies::default();
    for k in 0..count {
        let x = k as f64;
        bodies.push(&Sphere {
            orientation: DQuat::from_rotation_z(0.1 * x),
            velocity: DVec3::new(-x, 0.1 * x, 1.0 / (x + 1.0)),
            material: (k % 3) as u16,
            ..Sphere::new(DVec3::new(x, -0.0, 1.0 / 3.0), 0.1 + 0.01 * x, 2.0)
        });
    }
    bodies
}

fn write(writer: &mut FrameWriter, time: f64, bodies: &Bodies, walls: &[Wall]) {
    writer
        .write(
            time,
            &BodyFrame::of(bodies),
            &ContactFrame::default(),
            walls,
        )
        .unwrap();
}

#[test]
fn permuted_bodies_give_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut bodies = bodies(2000);
    let paths = ["a.vtp", "b.vtp"].map(|name| folder.path().join(name));
    write_bodies(&paths[0], 0.25, &BodyFrame::of(&bodies)).unwrap();
    let order: Vec<u32> = (0..2000).rev().collect();
    bodies.reorder(&order);
    write_bodies(&paths[1], 0.25, &BodyFrame::of(&bodies)).unwrap();
    let files = paths.each_ref().map(|path| std::fs::read(path).unwrap());
    assert!(files[0] == files[1]);
    assert!(String::from_utf8_lossy(&files[0]).contains("TimeValue"));

    let cloud = read_points(&paths[0]).unwrap();
    assert_eq!(cloud.points.len(), 2000);
    assert_eq!(cloud.points[7], [7.0, -0.0, 1.0 / 3.0]);
    assert_eq!(cloud.arrays["radius"].1[7], 0.1 + 0.01 * 7.0);
    assert_eq!(cloud.arrays["angular_velocity"].0, 3);
    assert_eq!(cloud.arrays["mass"].1, vec![2.0; 2000]);
}

#[test]
fn frames_are_listed_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = bodies(5);
    let bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
    let shape = Cylinder {
        radius: 1.0,
        length: 2.0,
        bottom: true,
        top: false,
    };
    let floor = Wall::new(
        Surface::HalfSpace(HalfSpace),
        DVec3::ZERO,
        DVec3::Z,
        Motion::Fixed,
    );
    let mut walls = vec![
        floor,
        Wall::new(
            Surface::Cylinder(shape),
            DVec3::ZERO,
            DVec3::Z,
            Motion::Fixed,
        ),
    ];
    let mut writer = FrameWriter::create(folder.path(), bounds).unwrap();
    assert!(
        FrameReader::open(folder.path())
            .unwrap()
            .frames()
            .is_empty()
    );
    write(&mut writer, 0.0, &bodies, &walls);
    write(&mut writer, 0.1 + 0.2, &bodies, &walls);
    let reader = FrameReader::open(folder.path()).unwrap();
    assert_eq!(reader.frames().len(), 2);
    assert_eq!(reader.frames()[1].time, 0.1 + 0.2);
    assert_eq!(
        reader.frames()[1].walls.as_deref(),
        Some(&*folder.path().join("walls.vtp"))
    );
    let states = reader.bodies(1).unwrap();
    assert_eq!(states.position, bodies.position);
    assert_eq!(states.radius, bodies.radius);
    assert_eq!(states.velocity, bodies.velocity);
    assert_eq!(states.orientation, bodies.orientation);
    assert_eq!(states.id, bodies.id);
    assert_eq!(states.material, bodies.material);
    let error = reader.bodies(2).unwrap_err().to_string();
    assert!(error.contains("has no frame 2: it has 2"), "{error}");

    // A moving wall is written with each frame.
    walls[1].kinematics.motion = Motion::Velocity {
        linear: [0.0, 0.0, 1.0],
    };
    write(&mut writer, 1.0, &bodies, &walls);
    assert!(folder.path().join("frames/walls_000002.vtp").exists());
}

#[test]
fn a_resumed_run_lists_the_same_frames_and_has_the_same_walls() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let bodies = bodies(3);
    let floor = Surface::HalfSpace(HalfSpace);
    let walls = [Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed)];
    let mut writer = FrameWriter::create(folders[0].path(), Bounds::default()).unwrap();
    (0..6).for_each(|k| write(&mut writer, 0.1 * f64::from(k), &bodies, &walls));

    let mut writer = FrameWriter::create(folders[1].path(), Bounds::default()).unwrap();
    (0..5).for_each(|k| write(&mut writer, 0.1 * f64::from(k), &bodies, &walls));
    // Whether it was lost or not, it is the same afterwards.
    std::fs::remove_file(folders[1].path().join("walls.vtp")).unwrap();
    let mut writer = FrameWriter::resume(folders[1].path(), Bounds::default(), 0.25).unwrap();
    assert_eq!(writer.count(), 3);
    (3..6).for_each(|k| write(&mut writer, 0.1 * f64::from(k), &bodies, &walls));
    for file in ["frames.pvd", "walls.vtp"] {
        let read = |place: &tempfile::TempDir| std::fs::read(place.path().join(file)).unwrap();
        let [whole, resumed] = folders.each_ref().map(read);
        assert!(whole == resumed, "{file}");
    }
}

#[test]
fn contacts_carry_their_bodies_and_walls() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = bodies(2);
    let contacts = ContactFrame {
        point: &[DVec3::X, DVec3::Y],
        normal: &[DVec3::Z, DVec3::Z],
        force: &[DVec3::ZERO, DVec3::new(0.0, 3.0, 9.81)],
        moment: &[],
        gap: &[1e-3, -1e-9],
        body_a: &[0, 1],
        body_b: &[1, -1],
        bonded: &[],
    };
    let mut writer = FrameWriter::create(folder.path(), Bounds::default()).unwrap();
    writer
        .write(0.0, &BodyFrame::of(&bodies), &contacts, &[])
        .unwrap();
    let list = Collection::read(&folder.path().join("frames.pvd")).unwrap();
    let entry = list
        .entries
        .iter()
        .find(|entry| entry.part == Part::Contacts)
        .unwrap();
    let cloud = read_points(&folder.path().join(&entry.file)).unwrap();
    assert_eq!(cloud.points[1], [0.0, 1.0, 0.0]);
    assert_eq!(cloud.arrays["force"].1[5], 9.81);
    assert_eq!(cloud.arrays["force"].1[4], 3.0);
    assert_eq!(cloud.arrays["normal_force"], (1, vec![0.0, 9.81]));
    assert_eq!(cloud.arrays["body_b"], (1, vec![1.0, -1.0]));
    // Without moments and bonds there are no arrays of them.
    assert!(!cloud.arrays.contains_key("moment") && !cloud.arrays.contains_key("bonded"));
    let rolling = ContactFrame {
        bonded: &[1, 0],
        moment: &[DVec3::ZERO, DVec3::new(0.5, 0.0, 0.0)],
        ..contacts
    };
    let path = folder.path().join("rolling.vtp");
    write_contacts(&path, 0.0, &rolling).unwrap();
    let cloud = read_points(&path).unwrap();
    assert_eq!(
        cloud.arrays["moment"],
        (3, vec![0.0, 0.0, 0.0, 0.5, 0.0, 0.0])
    );
    assert_eq!(cloud.arrays["bonded"], (1, vec![1.0, 0.0]));

    let wrong = ContactFrame {
        gap: &[],
        ..contacts
    };
    let error = writer
        .write(1.0, &BodyFrame::of(&bodies), &wrong, &[])
        .unwrap_err();
    assert!(
        error.to_string().contains("gap has 0 entries where 2"),
        "{error}"
    );
    // The list still names only what is there.
    assert_eq!(FrameReader::open(folder.path()).unwrap().frames().len(), 1);
}

#[test]
fn the_authors_piles_are_read() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/kleinert");
    for (name, count) in [
        ("particles2048pile.vtu", 2048),
        ("particles10192pile.vtu", 10192),
    ] {
        let path = data.join(name);
        if !path.exists() {
            skip(&format!("{name} is not here"));
            continue;
        }
        let cloud = read_points(&path).unwrap();
        assert_eq!(cloud.points.len(), count);
        let (components, radius) = &cloud.arrays["radius"];
        assert_eq!((*components, radius.len()), (1, count));
        assert!(radius.iter().all(|&r| r > 0.0 && r < 1.0));
        assert_eq!(cloud.arrays["velocity"].1.len(), 3 * count);
    }
}
