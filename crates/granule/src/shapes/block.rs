//! A solid box seen from outside.

use super::Patch;
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// A solid box about the wall's origin: spheres touch its faces, edges and corners from outside, and
/// one that has got in is pushed out through the nearest face.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Full lengths along x, y, z, m.
    pub size: [f64; 3],
}

impl Block {
    pub(super) fn patches(self) -> Vec<Patch> {
        let half = 0.5 * DVec3::from_array(self.size);
        vec![Patch::Block { half }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: [f64; 3] = [1.0, 0.6, 2.0];
    /// Points along an edge of a face.
    const SAMPLES: usize = 40;

    fn block() -> Patch {
        Block { size: SIZE }.patches().remove(0)
    }

    /// The distance to the nearest of many points of the surface.
    fn sampled(center: DVec3) -> f64 {
        let half = 0.5 * DVec3::from_array(SIZE);
        let mut best = f64::INFINITY;
        for face in 0..6 {
            let (axis, side) = (face / 2, if face % 2 == 0 { -1.0 } else { 1.0 });
            for a in 0..=SAMPLES {
                for b in 0..=SAMPLES {
                    let part = |k: usize| 2.0 * k as f64 / SAMPLES as f64 - 1.0;
                    let mut unit = DVec3::ZERO;
                    unit[axis] = side;
                    unit[(axis + 1) % 3] = part(a);
                    unit[(axis + 2) % 3] = part(b);
                    best = best.min((unit * half).distance(center));
                }
            }
        }
        best
    }

    fn vector(reach: f64) -> impl Strategy<Value = DVec3> {
        let number = || -reach..reach;
        (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn closest_points_are_those_of_a_dense_sampling(center in vector(1.8)) {
            let found = block().closest_point(center);
            let half = 0.5 * DVec3::from_array(SIZE);
            let inside = center.abs().cmple(half).all();
            prop_assert_eq!(found.distance < 0.0, inside);
            prop_assert!((found.normal.length() - 1.0).abs() < 1e-14);
            let back = found.point + found.distance * found.normal;
            prop_assert!(back.distance(center) < 1e-14);
            // On the surface: within the box, and on at least one face.
            let depth = half - found.point.abs();
            prop_assert!(depth.min_element() == 0.0, "{}", found.point);
            // No sample is nearer, and one is nearly as near.
            let best = sampled(center);
            prop_assert!(found.distance.abs() <= best + 1e-14);
            let spacing = DVec3::from_array(SIZE).length() / SAMPLES as f64;
            prop_assert!(found.distance.abs() >= best - spacing, "{} {best}", found.distance);
        }

        #[test]
        fn normals_turn_no_faster_than_round_a_point(center in vector(1.8), step in vector(1e-3)) {
            let (from, to) = (block().closest_point(center), block().closest_point(center + step));
            let nearest = from.distance.min(to.distance);
            prop_assume!(nearest > 1e-2);
            // Projections to a convex set bring points no farther apart.
            let turned = (from.normal - to.normal).length();
            prop_assert!(turned <= 2.0 * step.length() / nearest, "{turned}");
        }
    }

    #[test]
    fn centres_on_the_surface_and_in_the_middle_have_a_normal() {
        let on_face = block().closest_point(DVec3::new(0.1, -0.3, 0.2));
        assert_eq!((on_face.distance, on_face.normal), (0.0, DVec3::NEG_Y));
        let corner = block().closest_point(DVec3::new(0.5, 0.3, -1.0));
        assert_eq!((corner.distance, corner.normal), (0.0, DVec3::X));
        let middle = block().closest_point(DVec3::ZERO);
        assert_eq!((middle.distance, middle.normal), (-0.3, DVec3::Y));
    }
}
