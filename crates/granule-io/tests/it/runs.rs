//! Runs through the library: recorded, stopped, resumed, replayed and read.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepReport, StepSize, WallLoad, World};
use granule_io::results::RunStatus;
use granule_io::run::{COLUMNS, Run, RunError, RunFolder};
use granule_io::scene::{self, Setup};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

const GRAVITY: f64 = 10.0;

/// A heap of five balls that falls apart on a floor with friction.
fn world() -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.4)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for k in 0..5 {
        let (level, side) = (f64::from(k / 2), f64::from(k % 2));
        let centre = DVec3::new(0.11 * side + 0.02 * level, 0.03 * side, 0.06 + 0.12 * level);
        world.add_sphere(&Sphere::new(centre, 0.05, 1.0 + 0.1 * f64::from(k)));
    }
    world
}

fn setup() -> Setup {
    let settings = Settings::new(StepSize::Fixed(2e-3), 0.4);
    let mut setup = Setup::new("five balls", world(), settings);
    setup.wall_names = vec![Some("floor".to_owned())];
    setup.output.frame_interval = 0.05;
    setup.output.checkpoint_interval = 0.15;
    setup.output.forces_on = vec![("floor".to_owned(), 0)];
    setup
}

fn go_on(_: &Simulation, _: &StepReport) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Goes on until a step, and stops there.
fn until(last: u64) -> impl FnMut(&Simulation, &StepReport) -> ControlFlow<()> {
    move |_, report| match report.step < last {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

/// All files that a run writes for readers, except those that tell how long it took.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let frames = std::fs::read_dir(folder.join("frames")).unwrap();
    let frames = frames.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others = ["series.csv", "frames.pvd", "run.json", "walls.vtp"].map(str::to_owned);
    frames
        .map(|name| format!("frames/{name}"))
        .chain(others)
        .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
        .collect()
}

#[test]
fn a_world_made_by_a_program_is_recorded_and_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("balls");
    let mut seen = Vec::new();
    let run = Run::create(&path, setup()).unwrap();
    let summary = run
        .to_end(|simulation, report| {
            assert_eq!(simulation.world().time, report.time);
            seen.push((report.time, simulation.world().bodies.state_hash()));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(summary.status, RunStatus::Completed);
    assert_eq!((summary.steps, seen.len()), (200, 200));
    assert_eq!(summary.failed_steps, 0);
    assert_eq!(
        Some(&(summary.simulated_time, summary.state_hash)),
        seen.last()
    );

    let folder = RunFolder::new(&path);
    assert!(folder.holds_run());
    assert_eq!(folder.summary().unwrap().state_hash, summary.state_hash);
    let record = folder.record().unwrap();
    assert_eq!(record.scene, "five balls");
    assert_eq!(record.walls[0].name.as_deref(), Some("floor"));

    let series = folder.series().unwrap();
    assert_eq!(series.len(), 200);
    assert_eq!(series.names.len(), COLUMNS.len() + 6);
    let times: Vec<f64> = seen.iter().map(|(time, _)| *time).collect();
    assert_eq!(series.column("time").unwrap(), times);

    // The floor's force is the same in the frame and in the series, and over the run it gives what
    // momentum the weight does not take.
    let frames = folder.frames().unwrap();
    let last = frames.frames().len() - 1;
    assert_eq!(last, 8);
    let contacts = frames.contacts(last).unwrap();
    let on_floor = (0..contacts.point.len()).filter(|&k| contacts.body_b[k] == -1);
    let force: f64 = on_floor.map(|k| contacts.force[k].z).sum();
    let forces = series.column("floor_force_z").unwrap();
    assert!((force + forces[199]).abs() < 1e-9 * force.abs(), "{force}");
    assert!(force > 0.0);
    let bodies = frames.bodies(last).unwrap();
    let mass: f64 = bodies.mass.iter().sum();
    let momentum: f64 = (bodies.mass.iter().zip(&bodies.velocity))
        .map(|(mass, velocity)| mass * velocity.z)
        .sum();
    let given: f64 = -2e-3 * forces.iter().sum::<f64>();
    let taken = 0.4 * GRAVITY * mass;
    assert!((given - taken - momentum).abs() < 1e-9 * taken, "{given}");
    assert_eq!(bodies.mass[4], 1.4);
    for k in 0..contacts.point.len() {
        let centre = bodies.position[contacts.body_a[k] as usize];
        let off = (contacts.point[k] - centre).length() - 0.05;
        assert!(off.abs() < 1e-3 && contacts.normal[k].is_normalized());
        assert_eq!(contacts.moment[k], DVec3::ZERO);
    }
    assert!(frames.contacts(0).unwrap().point.is_empty());
    let error = frames.contacts(9).unwrap_err().to_string();
    assert!(error.contains("has no frame 9: it has 9"), "{error}");

    // Every step can be had again, from the start or from a checkpoint.
    let checkpoints = folder.checkpoints();
    assert_eq!(checkpoints.last(), Some(&200));
    for step in [1, checkpoints[0] - 1, checkpoints[0] + 1, 200] {
        let (again, report) = folder.replay(step).unwrap();
        let (time, hash) = seen[step as usize - 1];
        assert_eq!((report.step, report.time), (step, time));
        assert_eq!(again.world().bodies.state_hash(), hash);
        // Reports and loads can be sent to other programs.
        let told = serde_json::to_string(&(report, again.wall_loads())).unwrap();
        let (read, loads): (StepReport, Vec<WallLoad>) = serde_json::from_str(&told).unwrap();
        assert_eq!((read.step, read.method), (step, report.method));
        assert_eq!(loads.len(), 1);
    }
    for step in [0, 201] {
        let error = folder.replay(step).err().map(|error| error.to_string());
        let error = error.unwrap();
        assert!(error.contains("has 200 steps, counted from 1"), "{error}");
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_with_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    let expected = Run::create(&whole, setup()).unwrap().to_end(go_on).unwrap();

    let first = Run::create(&parts, setup()).unwrap();
    let stopped = first.to_end(until(37)).unwrap();
    assert_eq!(stopped.status, RunStatus::Interrupted);
    assert_eq!(stopped.steps, 37);
    assert_ne!(stopped.state_hash, expected.state_hash);
    // A program may also take the steps itself; one that ends without a word goes back to the last
    // checkpoint.
    let mut second = Run::resume(&parts, setup()).unwrap().unwrap();
    assert!(!RunFolder::new(&parts).summary_file().exists());
    assert_eq!(second.simulation().world().steps, 37);
    for _ in 0..80 {
        second.step().unwrap();
    }
    drop(second);
    let third = Run::resume(&parts, setup()).unwrap().unwrap();
    assert_eq!(third.simulation().world().steps, 112);
    let summary = third.to_end(go_on).unwrap();
    assert_eq!(summary.status, RunStatus::Completed);
    assert_eq!(summary.state_hash, expected.state_hash);
    assert_eq!(summary.iterations, expected.iterations);
    let (whole, parts_of_it) = (results(&whole), results(&parts));
    assert!(whole.keys().eq(parts_of_it.keys()));
    for (name, bytes) in whole {
        assert!(bytes == parts_of_it[&name], "{name} differs");
    }

    assert!(Run::resume(&parts, setup()).unwrap().is_none());
    let mut longer = setup();
    longer.settings.end = 0.5;
    let run = Run::resume(&parts, longer).unwrap().unwrap();
    assert_eq!(run.to_end(go_on).unwrap().steps, 250);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    let nothing = Run::resume(&path, setup()).err();
    assert!(matches!(nothing, Some(RunError::NothingToResume { .. })));
    assert!(matches!(
        RunFolder::new(&path).replay(1).err(),
        Some(RunError::NoRun { .. })
    ));
    let run = Run::create(&path, setup()).unwrap();
    run.to_end(until(3)).unwrap();
    let again = Run::create(&path, setup()).err();
    assert!(matches!(again, Some(RunError::Occupied { .. })));
    assert_eq!(RunFolder::free(&path).path(), place.path().join("run-2"));

    let mut heavier = setup();
    heavier.world.bodies.mass[0] *= 2.0;
    let mut slower = setup();
    slower.settings.step = StepSize::Fixed(1e-3);
    for other in [heavier, slower] {
        let changed = Run::resume(&path, other).err();
        assert!(matches!(changed, Some(RunError::Changed { .. })));
    }

    // A scene takes the folder of a world, and the other way round.
    let text = "[scene]\nname = 'one'\n[time]\nstep = 0.01\nend = 0.05\n[[bodies]]\n\
                sphere = { radius = 0.1 }\nposition = [0, 0, 0]\n";
    let scene = scene::parse(text, Path::new("one.toml")).unwrap();
    let changed = Run::resume(&path, scene.build().unwrap()).err();
    assert!(matches!(changed, Some(RunError::NothingToResume { .. })));
    let run = Run::replace(&path, scene.build().unwrap()).unwrap();
    run.to_end(until(2)).unwrap();
    let folder = RunFolder::new(&path);
    let itself = scene::load(&folder.scene_file()).unwrap();
    let run = Run::resume(&path, itself.build().unwrap()).unwrap();
    assert_eq!(run.unwrap().to_end(go_on).unwrap().steps, 5);
    assert_eq!(folder.replay(1).unwrap().1.step, 1);
    assert!(!path.join("checkpoint/start.bin").exists());
    // Nothing is left of what was there, also where the world has come some way already.
    let mut later = setup();
    (later.world.time, later.world.steps) = (0.1, 50);
    let run = Run::replace(&path, later).unwrap();
    assert!(!folder.scene_file().exists());
    assert_eq!(folder.series().unwrap().len(), 0);
    assert!(folder.frames().unwrap().frames().is_empty());
    let summary = run.to_end(go_on).unwrap();
    assert_eq!((summary.steps, folder.series().unwrap().len()), (200, 150));
}

#[test]
fn what_cannot_be_recorded_is_refused_before_anything_is_written() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    type Spoil = fn(&mut Setup);
    let flaws: [(Spoil, &str); 6] = [
        (|s| s.output.frame_interval = 0.0, "`frame_interval`"),
        (
            |s| s.output.checkpoint_interval = f64::NAN,
            "`checkpoint_interval`",
        ),
        (|s| s.output.forces_on[0].1 = 1, "asks for wall 1 (`floor`)"),
        (|s| s.wall_names.clear(), "0 names for 1 walls"),
        (|s| s.world.bodies.material[2] = 7, "material 7 where 1"),
        (|s| s.world.bodies.radius[0] = -1.0, "radius"),
    ];
    for (spoil, words) in flaws {
        let mut setup = setup();
        spoil(&mut setup);
        let error = Run::create(&path, setup).err().map(|e| e.to_string());
        let error = error.unwrap();
        assert!(error.contains(words), "{error}");
        assert!(!path.exists());
    }
}

#[test]
fn a_step_that_fails_leaves_the_state_before_it() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    // Two walls that close on a ball.
    let mut world = World::new(Dimension::Space);
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
    for (side, motion) in [
        (-1.0, Motion::Fixed),
        (
            1.0,
            Motion::Velocity {
                linear: [0.0, 0.0, -1.0],
            },
        ),
    ] {
        let at = DVec3::new(0.0, 0.0, 0.11 * side);
        world.add_wall(Wall::new(
            Surface::HalfSpace(HalfSpace),
            at,
            -side * DVec3::Z,
            motion,
        ));
    }
    let settings = Settings::new(StepSize::Fixed(2e-3), 0.1);
    let mut setup = Setup::new("press", world, settings);
    setup.wall_names = vec![None, Some("lid".to_owned())];
    let mut run = Run::create(&path, setup).unwrap();
    let error = loop {
        if let Err(error) = run.step() {
            break error;
        }
    };
    let RunError::Step { what, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        what.contains("wall `lid`") && what.contains("walls[0] (a half-space)"),
        "{what}"
    );
    let before = run.simulation().world().clone();
    let summary = run.finish().unwrap();
    assert_eq!(summary.status, RunStatus::Failed);
    let folder = RunFolder::new(&path);
    assert_eq!(folder.checkpoints().last(), Some(&before.steps));
    let frames = folder.frames().unwrap();
    let last = frames.frames().len() - 1;
    assert_eq!(frames.frames()[last].time, before.time);
    assert_eq!(
        frames.bodies(last).unwrap().position,
        before.bodies.position
    );
}

#[test]
fn an_interval_that_vanishes_beside_the_step_gives_a_frame_a_step() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("balls");
    let mut setup = setup();
    setup.output.frame_interval = 1e-300;
    setup.settings.end = 0.01;
    Run::create(&path, setup).unwrap().to_end(go_on).unwrap();
    let frames = granule_io::results::FrameReader::open(&path).unwrap();
    // Of the start and of each of the five steps.
    assert_eq!(frames.frames().len(), 6);
}

/// Bodies of all kinds of shapes go on from a run as they were: shape, size, mass, place and motion.
#[test]
fn grains_of_shapes_go_on_from_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let origin = folder.path().join("first.toml");
    let text = "[scene]\nname='first'\n[time]\nstep=1e-3\nend=0.02\n[contacts]\nlaw='coulomb'\nfriction=0.5\n\
                [[walls]]\nhalf-space={normal=[0,0,1]}\n\
                [[grains]]\ngrid={counts=[2,2,1],spacing=[0.5,0.5,0.5],origin=[0,0,0.3]}\n\
                shape={box={size=[0.2,0.1,0.06]}}\n\
                [[grains]]\ngrid={counts=[2,1,1],spacing=[0.5,0.5,0.5],origin=[0,2,0.3]}\n\
                shape={ellipsoid={half_axes=[0.2,0.1,0.15]}}\n\
                [[grains]]\ngrid={counts=[2,1,1],spacing=[0.5,0.5,0.5],origin=[0,4,0.3]}\nradius=0.1\n";
    let scene = scene::parse(text, &origin).unwrap();
    let path = folder.path().join("runs/first");
    let run = Run::create(&path, scene.build().unwrap()).unwrap();
    let mut end = None;
    run.to_end(|simulation, _| {
        end = Some(simulation.world().bodies.by_id());
        ControlFlow::Continue(())
    })
    .unwrap();
    let end = end.unwrap();
    let text =
        "[scene]\nname='second'\n[time]\nstep=1e-3\nend=1\n[[grains]]\nrun={folder='runs/first'}\n";
    let next = scene::parse(text, &folder.path().join("second.toml")).unwrap();
    let bodies = next.build().unwrap().world.bodies;
    assert_eq!(bodies.len(), end.len());
    for k in 0..end.len() {
        assert_eq!(bodies.position[k], end.position[k]);
        assert_eq!(bodies.velocity[k], end.velocity[k]);
        assert_eq!(bodies.mass[k], end.mass[k]);
        assert_eq!(bodies.inertia[k], end.inertia[k]);
        assert_eq!(bodies.solid(k).is_some(), end.solid(k).is_some());
        if let (Some(a), Some(b)) = (bodies.solid(k), end.solid(k)) {
            assert!((a.volume() - b.volume()).abs() < 1e-12 * b.volume());
            assert_eq!(a.parts(), b.parts());
        }
    }
}

/// Two chains that fall on a floor, one bonded by `within`, one link by link; some bonds break.
const CHAINS: &str = "
[scene]
name = 'chains'
[time]
step = 1e-3
end = 0.2
[solver]
tolerance = 1e-6
[materials.near]
[materials.listed]
[contacts]
law = 'coulomb'
friction = 0.4
[[contacts.pairs]]
between = ['near', 'near']
friction = 0.4
bond = { pull = 400, shear = 400, bending = 2, torsion = 2, within = 1e-6 }
[[contacts.pairs]]
between = ['listed', 'listed']
friction = 0.4
bond = { pull = 1e6, shear = 1e6 }
[[walls]]
half-space = { normal = [0.3, 0, 1] }
position = [0, 0, -0.15]
material = 'near'
[[grains]]
grid = { counts = [6, 1, 1], spacing = 0.1 }
radius = 0.05
velocity = [0, 0, -3]
material = 'near'
[[bodies]]
name = 'a'
sphere = { radius = 0.05 }
position = [0, 1, 0]
material = 'listed'
[[bodies]]
name = 'b'
sphere = { radius = 0.05 }
position = [0.12, 1, 0.02]
material = 'listed'
[[bodies]]
name = 'c'
sphere = { radius = 0.05 }
position = [0.22, 1, 0.02]
material = 'listed'
[[bonds]]
between = ['b', 'a']
[output]
frame_interval = 0.02
checkpoint_interval = 0.05
";

#[test]
fn bonds_are_made_counted_and_resumed() {
    let place = tempfile::tempdir().unwrap();
    let build = || {
        let scene = scene::parse(CHAINS, &place.path().join("chains.toml")).unwrap();
        scene.build().unwrap()
    };
    let facts = build().describe();
    // Five in the chain, and the one of the three others that is listed.
    assert!(
        facts.contains(&("bonds".to_owned(), "6".to_owned())),
        "{facts:?}"
    );
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    let straight = Run::create(&whole, build()).unwrap().to_end(go_on).unwrap();
    let bonds = straight.bonds;
    assert!(
        bonds.start == 6 && bonds.end >= 1 && bonds.end < 6,
        "{bonds:?}"
    );
    Run::create(&parts, build())
        .unwrap()
        .to_end(until(120))
        .unwrap();
    let resumed = Run::resume(&parts, build())
        .unwrap()
        .unwrap()
        .to_end(go_on)
        .unwrap();
    assert_eq!(
        (resumed.state_hash, resumed.bonds),
        (straight.state_hash, bonds)
    );
    assert_eq!(results(&whole), results(&parts));
    let folder = RunFolder::new(&whole);
    let series = folder.series().unwrap();
    let counted = series.column("bonds").unwrap();
    assert_eq!(counted.last(), Some(&(bonds.end as f64)));
    let contacts = folder.frames().unwrap().contacts(1).unwrap();
    let shown = contacts.bonded.iter().filter(|bonded| **bonded).count();
    assert_eq!(shown as f64, counted[19]);
}
