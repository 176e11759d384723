//! The results of a run, read back: its series, its frames with their contacts, and any of its steps.
//!
//! `cargo run --release -p granule-io --example read_run -- FOLDER` reads a folder that `granule run` or
//! a program has written; without one, a small scene is run first.

use granule_io::run::{Run, RunFolder};
use granule_io::scene;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

/// Twelve balls that fall on a floor, as a scene file would have them.
const SCENE: &str = r#"
[scene]
name = "a dozen"
[time]
step = 2e-3
end = 0.5
[contacts]
law = "coulomb-convex"
friction = 0.5
[[walls]]
half-space = { normal = [0, 0, 1] }
[[grains]]
grid = { counts = [2, 2, 3], spacing = [0.11, 0.11, 0.11], origin = [0, 0, 0.06] }
radius = 0.05
"#;

/// Prints what a run did, and checks it.
pub fn read(folder: &Path) -> Result<(), Box<dyn Error>> {
    let folder = RunFolder::new(folder);
    let summary = folder.summary()?;
    println!(
        "{}: {} bodies, {} steps",
        summary.scene, summary.bodies, summary.steps
    );

    // A column for each quantity, a row a step.
    let series = folder.series()?;
    let time = series.column("time").ok_or("no times")?;
    let kinetic = series.column("kinetic_energy").ok_or("no energies")?;
    let most = kinetic.iter().copied().fold(0.0, f64::max);
    println!(
        "at most {most:.3} J of motion; at the end {:.1e} J",
        kinetic[kinetic.len() - 1]
    );
    assert_eq!(series.len() as u64, summary.steps);
    assert!(time.windows(2).all(|pair| pair[0] < pair[1]));

    // The last frame: bodies in the order of their ids, and the forces between them.
    let frames = folder.frames()?;
    let last = frames.frames().len() - 1;
    let (bodies, contacts) = (frames.bodies(last)?, frames.contacts(last)?);
    let mut strongest: Vec<usize> = (0..contacts.point.len()).collect();
    strongest.sort_by(|&a, &b| {
        let strength = |k: usize| contacts.force[k].length();
        strength(b).total_cmp(&strength(a))
    });
    for &k in strongest.iter().take(3) {
        // Walls count as -1, -2, …
        let (a, b) = (contacts.body_a[k], contacts.body_b[k]);
        println!("{a} pushes {b} with {:.2} N", contacts.force[k].length());
    }
    let floor: f64 = (0..contacts.point.len())
        .filter(|&k| contacts.body_b[k] < 0)
        .map(|k| contacts.force[k].z)
        .sum();
    let weight = folder.record()?.gravity.length() * bodies.mass.iter().sum::<f64>();
    println!("walls carry {floor:.2} N of {weight:.2} N");

    // Any step can be had again, with all that a simulation knows.
    let step = summary.steps / 2;
    let (simulation, report) = folder.replay(step)?;
    let row = step as usize - 1;
    println!("step {step} again: {} contacts", report.contacts);
    assert_eq!(report.time, time[row]);
    assert_eq!(report.kinetic_energy, kinetic[row]);
    assert_eq!(simulation.world().steps, step);
    Ok(())
}

/// Runs the scene in a folder.
pub fn make(folder: &Path) -> Result<(), Box<dyn Error>> {
    let setup = scene::parse(SCENE, Path::new("dozen.toml"))?.build()?;
    Run::create(folder, setup)?.to_end(|_, _| ControlFlow::Continue(()))?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(folder) = std::env::args().nth(1) {
        return read(Path::new(&folder));
    }
    let place = tempfile::tempdir()?;
    make(place.path())?;
    read(place.path())
}
