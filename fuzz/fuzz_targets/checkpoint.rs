//! A checkpoint: as a file, and as a payload whose length and checksum are right. What can be read is
//! restored and takes some steps.
#![no_main]

use granule::simulation::{Simulation, Snapshot};
use granule_io::checkpoint::CheckpointStore;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Most bodies that are stepped, iterations that they may take in a step, and steps.
const BODIES: usize = 20;
const ITERATIONS: usize = 50;
const STEPS: usize = 3;

static FOLDER: LazyLock<(PathBuf, tempfile::TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the checkpoint");
    (folder.path().to_owned(), folder)
});

/// The payload with a header that fits: the layout is that of `granule_io::checkpoint`.
fn with_header(payload: &[u8]) -> Vec<u8> {
    let mut fields: Vec<u8> = Vec::new();
    for number in [2, 1, 0, payload.len() as u64] {
        fields.extend(number.to_le_bytes());
    }
    let checksum = fields
        .iter()
        .chain(payload)
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    let mut file = b"GRANCKPT".to_vec();
    file.extend(fields);
    file.extend(checksum.to_le_bytes());
    file.extend(payload);
    file
}

fn load(bytes: &[u8]) -> Option<Snapshot> {
    let folder = &FOLDER.0;
    std::fs::write(folder.join("a.bin"), bytes).expect("room for the checkpoint");
    match CheckpointStore::new(folder).load_latest::<Snapshot>() {
        Ok(found) => found.map(|(snapshot, _)| snapshot),
        Err(error) => {
            let _ = error.to_string();
            None
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    load(bytes);
    let Some(mut snapshot) = load(&with_header(bytes)) else {
        return;
    };
    let solver = &mut snapshot.settings.solver;
    solver.max_iterations = solver.max_iterations.min(ITERATIONS);
    if snapshot.world.bodies.len() > BODIES {
        return;
    }
    match Simulation::restore(snapshot) {
        Ok(mut simulation) => {
            for _ in 0..STEPS {
                if simulation.step().is_err() {
                    break;
                }
            }
            let bodies = &simulation.world().bodies;
            assert!(bodies.position.iter().all(|x| x.is_finite()));
            assert!(bodies.velocity.iter().all(|v| v.is_finite()));
        }
        Err(error) => drop(error.to_string()),
    }
});
