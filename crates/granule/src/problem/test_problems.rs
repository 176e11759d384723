//! Contact problems of any size for tests.

use super::{BodySpace, ContactGeometry, ContactProblem, Lever, MatrixFree, Sets};
use crate::law::Flow;
use crate::math::DVec3;

/// Spheres in a long row of many blocks, each touching the ground and some of the next ones; one is touched by a
/// hundred.
pub(crate) fn row_of_spheres(count: u32) -> ContactProblem {
    let mut space = BodySpace {
        rows: 3,
        inverse_mass: (0..count).map(|i| 0.5 + f64::from(i % 7)).collect(),
        ..BodySpace::default()
    };
    space.inverse_mass.push(0.0);
    let inverse_inertia = space.inverse_mass.iter().map(|m| 10.0 * m).collect();
    space.lever = Lever::Radial {
        radius: vec![0.5; space.inverse_mass.len()],
        inverse_inertia,
    };
    for a in 0..count {
        let others = [a + 1, a + 2, a + 700, a + 2000, count].into_iter();
        let hub = (a > 7 && a < 110).then_some(3000);
        for (k, b) in others.chain(hub).enumerate().filter(|(_, b)| *b <= count) {
            let lean = f64::from((a * 31 + k as u32 * 17) % 13) / 13.0 - 0.5;
            let normal = DVec3::new(lean, 0.3 * lean, 1.0 - lean).normalize();
            space.contacts.push(ContactGeometry { normal, a, b });
        }
    }
    space.contacts.sort_by_key(|c| (c.a, c.b));
    space.contacts.dedup_by_key(|c| (c.a, c.b));
    let contacts = space.contacts.len();
    let bias = (0..3 * contacts).map(|k| ((k * 37 % 101) as f64 - 70.0) / 101.0);
    ContactProblem {
        sets: Sets::uniform_cone(0.4, contacts),
        flow: Flow::Exact,
        ..ContactProblem::explicit(MatrixFree::new(space).unwrap(), bias.collect()).unwrap()
    }
}
