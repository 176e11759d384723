//! Writes a small run folder with made-up numbers: `cargo run --example write_frames -- FOLDER`.

use granule::bodies::{Bodies, Motion, Sphere, Wall};
use granule::math::DVec3;
use granule::shapes::{BoxContainer, Cone, Cylinder, HalfSpace, Surface};
use granule_io::results::{BodyFrame, Bounds, ContactFrame, FrameWriter};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("runs/frames"), Into::into);
    let mut bodies = Bodies::default();
    for k in 0..1000 {
        let (x, y, z) = (k % 10, k / 10 % 10, k / 100);
        let position = 0.2 * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
        bodies.push(&Sphere::new(position, 0.05 + 0.00005 * f64::from(k), 1.0));
    }
    let order: Vec<u32> = (0..1000).rev().collect();
    bodies.reorder(&order);

    let cylinder = Cylinder {
        radius: 2.0,
        length: 2.0,
        bottom: true,
        top: false,
    };
    let cone = Cone {
        bottom_radius: 0.0,
        top_radius: 1.0,
        length: 1.0,
        bottom: true,
        top: false,
    };
    let container = BoxContainer::closed([3.0, 3.0, 3.0]);
    let turning = Motion::Rotation {
        axis: [0.0, 0.0, 1.0],
        rate: 1.0,
        center: None,
    };
    let walls = [
        Wall::new(
            Surface::HalfSpace(HalfSpace),
            DVec3::ZERO,
            DVec3::Z,
            Motion::Fixed,
        ),
        Wall::new(
            Surface::Cylinder(cylinder),
            DVec3::ONE,
            DVec3::Z,
            Motion::Fixed,
        ),
        Wall::new(Surface::Cone(cone), DVec3::ONE, DVec3::Z, Motion::Fixed),
        Wall::new(Surface::Box(container), DVec3::ONE, DVec3::X, turning),
    ];
    let contacts = ContactFrame {
        point: &[DVec3::ZERO, DVec3::X],
        normal: &[DVec3::Z, DVec3::X],
        force: &[DVec3::new(0.0, 0.0, 9.81), DVec3::ZERO],
        moment: &[],
        gap: &[-1e-6, 1e-3],
        body_a: &[0, 1],
        body_b: &[-1, 2],
    };
    let bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
    let mut frames = FrameWriter::create(&folder, bounds)?;
    for frame in 0..3 {
        let time = 0.1 * f64::from(frame);
        // Nothing touches in the first frame.
        let touching = if frame == 0 {
            ContactFrame::default()
        } else {
            contacts
        };
        frames.write(time, &BodyFrame::of(&bodies), &touching, &walls)?;
        bodies
            .position
            .iter_mut()
            .for_each(|position| position.z += 0.01);
    }
    Ok(())
}
