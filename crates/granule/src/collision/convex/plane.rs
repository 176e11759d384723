//! A convex solid on the plane that ends a half-space.

use super::{Faced, ManifoldPoint};
use crate::math::{DQuat, DVec3, Pose};
use std::f64::consts::TAU;

/// Points around the rim of a frustum that may touch a plane.
const RIM: u32 = 12;
/// Sine of the angle between the axis of a frustum and the normal of a plane up to which its end lies flat.
const FLAT: f64 = 1e-9;

/// Adds the points of a solid whose distance from a plane, given by a point (m) and a unit normal out of the solid
/// below it, is at most `reach` (m): corners, and points around a frustum's rims with the lowest of each.
pub fn with_plane(
    solid: Faced,
    at: &Pose,
    (origin, normal): (DVec3, DVec3),
    reach: f64,
    points: &mut Vec<ManifoldPoint>,
) {
    let mut add = |point: DVec3, feature: u32| {
        let gap = (point - origin).dot(normal);
        if gap <= reach {
            points.push(ManifoldPoint {
                point,
                normal,
                gap,
                feature,
            });
        }
    };
    match solid {
        Faced::Hull(hull) => {
            for (k, vertex) in hull.vertices.iter().enumerate() {
                add(at.point(*vertex) - hull.radius * normal, k as u32);
            }
        }
        // Fixed corners beside the lowest point would nearly be that point where it is near one.
        Faced::Frustum(frustum) => {
            let down = at.local_direction(-normal);
            let across = DVec3::new(down.x, down.y, 0.0);
            // From the lowest point of a rim on; where the end lies flat, from a fixed one.
            let start = if across.length() > FLAT {
                across.normalize()
            } else {
                DVec3::X
            };
            let ends = [
                (frustum.bottom, frustum.bottom_radius),
                (frustum.top, frustum.top_radius),
            ];
            for (end, (height, radius)) in ends.into_iter().enumerate() {
                let count = if radius > 0.0 { RIM } else { 1 };
                for k in 0..count {
                    let turn = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(RIM));
                    let rim = height * DVec3::Z + radius * (turn * start);
                    add(at.point(rim), end as u32 * RIM + k);
                }
            }
        }
    }
}
