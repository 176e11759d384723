//! What comes over a connection to the viewer. `TOKEN` stands for the token, which no input could find.
#![no_main]

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, StepSize, World};
use granule_io::run::Run;
use granule_io::scene::Setup;
use granule_view::Offline;
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;
use std::sync::LazyLock;

struct Served {
    server: Offline,
    token: Vec<u8>,
    _folder: tempfile::TempDir,
}

/// A ball falls onto a floor.
static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the run");
    let path = folder.path().join("ball");
    let mut world = World::new(Dimension::Space);
    world.gravity = -9.81 * DVec3::Z;
    world.add_sphere(&Sphere::new(0.15 * DVec3::Z, 0.1, 1.0));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut setup = Setup::new("ball", world, Settings::new(StepSize::Fixed(0.01), 0.2));
    setup.output.frame_interval = 0.05;
    let run = Run::create(&path, setup).expect("a run");
    run.to_end(|_, _| ControlFlow::Continue(())).expect("its end");
    let server = Offline::new(&[path]).expect("a server");
    let address = server.address();
    let token = address.trim_end_matches('/').rsplit('/').next();
    Served {
        token: token.expect("a token").as_bytes().to_vec(),
        server,
        _folder: folder,
    }
});

fuzz_target!(|bytes: &[u8]| {
    let mut sent = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(b"TOKEN") {
            Some(after) => {
                sent.extend(&SERVED.token);
                rest = after;
            }
            None => {
                sent.push(*first);
                rest = after;
            }
        }
    }
    let answer = SERVED.server.answer(&sent);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "));
    // What is wrong is the request, never the server.
    assert!(!answer.starts_with(b"HTTP/1.1 5"));
});
