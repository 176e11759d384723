//! Frames are written while the run goes on: the same bytes, no error lost, nothing claimed that is not there.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::collision::Partner;
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{ContactImpulse, Settings, Simulation, StepSize, World};
use granule_io::results::{BodyFrame, Bounds, ContactFrame, FrameWriter, RunStatus};
use granule_io::run::{Run, RunFolder};
use granule_io::scene::Setup;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// Of the frames, s; ten steps.
const INTERVAL: f64 = 0.02;

/// Balls that fall on each other and on a floor.
fn setup() -> Setup {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -10.0);
    world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.4)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for k in 0..60 {
        let (level, place) = (f64::from(k / 6), f64::from(k % 6));
        let centre = DVec3::new(
            0.11 * place + 0.02 * level,
            0.01 * place,
            0.06 + 0.11 * level,
        );
        world.add_sphere(&Sphere::new(centre, 0.05, 1.0));
    }
    let mut setup = Setup::new("balls", world, Settings::new(StepSize::Fixed(2e-3), 0.3));
    setup.output.frame_interval = INTERVAL;
    setup.output.checkpoint_interval = 0.05;
    setup
}

/// The frames of a folder and their list.
fn frames(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let found = std::fs::read_dir(folder.join("frames")).unwrap();
    let found = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = found.map(|name| format!("frames/{name}"));
    let others = ["frames.pvd".to_owned()];
    names
        .chain(others)
        .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
        .collect()
}

/// Writes a frame as soon as it is there, and waits for it.
fn write_at_once(frames: &mut FrameWriter, simulation: &Simulation) {
    let (world, step) = (simulation.world(), simulation.last_step_size());
    let id = |place: u32| i64::from(world.bodies.id[place as usize]);
    let all: Vec<ContactImpulse> = simulation
        .contacts()
        .filter(|contact| contact.impulse != DVec3::ZERO)
        .collect();
    let vectors = |value: &dyn Fn(&ContactImpulse) -> DVec3| all.iter().map(value).collect();
    let point: Vec<DVec3> = vectors(&|contact| contact.point);
    let normal: Vec<DVec3> = vectors(&|contact| contact.normal);
    let force: Vec<DVec3> = vectors(&|contact| contact.impulse / step);
    let gap: Vec<f64> = all.iter().map(|contact| contact.gap).collect();
    let body_a: Vec<i64> = all.iter().map(|contact| id(contact.a)).collect();
    let partner = |contact: &ContactImpulse| match contact.partner {
        Partner::Body(b) => id(b),
        Partner::Wall(wall) => -1 - i64::from(wall),
    };
    let body_b: Vec<i64> = all.iter().map(partner).collect();
    let contacts = ContactFrame {
        point: &point,
        normal: &normal,
        force: &force,
        gap: &gap,
        body_a: &body_a,
        body_b: &body_b,
        ..ContactFrame::default()
    };
    let bodies = BodyFrame::of(&world.bodies);
    frames
        .write(world.time, &bodies, &contacts, &world.walls)
        .unwrap();
}

#[test]
fn the_bytes_are_those_of_frames_written_at_once() {
    let place = tempfile::tempdir().unwrap();
    let (meanwhile, at_once) = (place.path().join("run"), place.path().join("plain"));
    let run = Run::create(&meanwhile, setup()).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();

    let Setup {
        world, settings, ..
    } = setup();
    let bounds = Bounds::of_spheres(&world.bodies.position, &world.bodies.radius);
    let mut writer = FrameWriter::create(&at_once, bounds).unwrap();
    let mut simulation = Simulation::new(world, settings).unwrap();
    write_at_once(&mut writer, &simulation);
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        if report.step.is_multiple_of(10) {
            write_at_once(&mut writer, &simulation);
        }
    }
    same_frames(&meanwhile, &at_once);
}

/// Compares the frames of two folders byte by byte.
fn same_frames(one: &Path, other: &Path) {
    let (one, other) = (frames(one), frames(other));
    let names = [&one, &other].map(|frames| frames.keys().cloned().collect::<Vec<_>>());
    assert_eq!(names[0], names[1]);
    assert!(one.len() > 30, "{names:?}");
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{name} differs");
    }
}

/// Makes frames impossible to write.
fn spoil(folder: &Path) {
    std::fs::rename(folder.join("frames"), folder.join("moved")).unwrap();
    std::fs::write(folder.join("frames"), "not a folder").unwrap();
}

#[test]
fn a_frame_that_cannot_be_written_fails_the_run() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::new(&place.path().join("run"));
    let mut run = Run::create(folder.path(), setup()).unwrap();
    while run.simulation().world().steps < 25 {
        run.step().unwrap();
    }
    spoil(folder.path());
    // The frame after step 30 fails, and before the checkpoint after step 50 that is known.
    let error = loop {
        match run.step() {
            Ok(report) => assert!(report.step < 50, "the error is lost"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("frames/bodies_000003.vtp"), "{error}");
    assert_eq!(folder.checkpoints(), [25]);
    let summary = run.finish().unwrap();
    assert_eq!(summary.status, RunStatus::Failed);
    assert_eq!(folder.summary().unwrap().status, RunStatus::Failed);

    // With the frames back it goes on as if nothing had been.
    std::fs::remove_file(folder.path().join("frames")).unwrap();
    std::fs::rename(folder.path().join("moved"), folder.path().join("frames")).unwrap();
    let run = Run::resume(folder.path(), setup()).unwrap().unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    let whole = place.path().join("whole");
    let run = Run::create(&whole, setup()).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    same_frames(folder.path(), &whole);
}

#[test]
fn the_last_frame_is_waited_for() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::new(&place.path().join("run"));
    let run = Run::create(folder.path(), setup()).unwrap();
    let result = run.to_end(|_, report| {
        if report.step == 149 {
            // The frame before the last may still be on its way; it is whole when the list names it.
            let list = folder.path().join("frames.pvd");
            while !std::fs::read_to_string(&list)
                .unwrap()
                .contains("bodies_000014")
            {
                std::thread::yield_now();
            }
            spoil(folder.path());
        }
        ControlFlow::Continue(())
    });
    let error = result.unwrap_err().to_string();
    assert!(error.contains("frames/bodies_000015.vtp"), "{error}");
    assert_eq!(folder.summary().unwrap().status, RunStatus::Failed);
    // The state after the last step is in no checkpoint: the frame is written when the run is resumed.
    assert!(folder.checkpoints().iter().all(|step| *step < 149));
}

#[test]
fn no_checkpoint_knows_of_a_frame_that_is_not_there() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::new(&place.path().join("run"));
    let mut run = Run::create(folder.path(), setup()).unwrap();
    while !run.finished() {
        let report = run.step().unwrap();
        if folder.checkpoints().last() == Some(&report.step) {
            let list = folder.frames().unwrap();
            assert_eq!(list.frames().len() as u64, report.step / 10 + 1);
        }
        // At any moment what is in the list is whole.
        let list = folder.frames().unwrap();
        let last = list.frames().len();
        if last > 0 {
            assert_eq!(list.bodies(last - 1).unwrap().id.len(), 60);
        }
    }
    // Who drops a run gets the frame that is on its way.
    drop(run);
    assert_eq!(folder.frames().unwrap().frames().len(), 16);
}
