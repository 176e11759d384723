//! A program that makes its own world and records a run of it: stopped half-way, resumed, and none the
//! worse for it.
//!
//! The folder is that of `granule run`: `granule plot`, `granule render` and ParaView open it.
//!
//! `cargo run --release -p granule-io --example record_run -- FOLDER`

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{BoxContainer, Surface};
use granule::simulation::{Settings, StepSize, World};
use granule_io::results::RunStatus;
use granule_io::run::Run;
use granule_io::scene::Setup;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

/// 27 balls with friction that fall into a box.
fn setup() -> Setup {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.4)));
    let walls = Surface::Box(BoxContainer::closed([0.4, 0.4, 1.0]));
    world.add_wall(Wall::new(walls, 0.5 * DVec3::Z, DVec3::Z, Motion::Fixed));
    for k in 0..27 {
        let cell = DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
        // Not quite a lattice: columns would balance.
        let shift = 0.004 * DVec3::new(cell.z, cell.x, 0.0);
        let centre = 0.12 * cell + shift + DVec3::new(-0.12, -0.12, 0.2);
        world.add_sphere(&Sphere::new(centre, 0.05, 1.0));
    }
    let mut setup = Setup::new(
        "box of balls",
        world,
        Settings::new(StepSize::Fixed(2e-3), 0.6),
    );
    // Names are for readers of the results; loads on the wall become columns of the series.
    setup.wall_names = vec![Some("box".to_owned())];
    setup.output.forces_on = vec![("box".to_owned(), 0)];
    setup.output.frame_interval = 0.02;
    setup
}

/// Records the run, as a whole and in two parts.
pub fn record(folder: &Path) -> Result<(), Box<dyn Error>> {
    let whole = Run::create(&folder.join("whole"), setup())?;
    let expected = whole.to_end(|_, _| ControlFlow::Continue(()))?;
    println!("{} steps to {} s", expected.steps, expected.simulated_time);

    // Whoever watches a run may end it: here after 100 steps.
    let parts = folder.join("parts");
    let first = Run::create(&parts, setup())?.to_end(|simulation, report| {
        if report.step % 50 == 0 {
            let time = simulation.world().time;
            println!("t = {time:.2} s, {} contacts", report.active);
        }
        match report.step {
            ..100 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    assert_eq!(first.status, RunStatus::Interrupted);

    // A program that acts between steps takes them itself.
    let mut second = Run::resume(&parts, setup())?.ok_or("the run was complete")?;
    while !second.finished() {
        second.step()?;
    }
    let summary = second.finish()?;
    println!(
        "the end is {:016x} as a whole and {:016x} in parts",
        expected.state_hash, summary.state_hash
    );
    assert_eq!(summary.status, RunStatus::Completed);
    assert_eq!(summary.state_hash, expected.state_hash);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1) {
        Some(folder) => record(Path::new(&folder)),
        None => record(tempfile::tempdir()?.path()),
    }
}
