//! The pieces of surface that contacts are made with.

use super::{MeshError, TriangleMesh};
use crate::math::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A piece of surface in the wall's own frame, with a unique closest point to almost every point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Patch {
    /// The plane z = 0; what lies below is solid, so distances below it are negative.
    Plane,
    /// The segment from `start` to `end` in the half-plane (ρ, z), turned about the z axis: the
    /// mantle of a cylinder or cone, or a disk.
    Revolved {
        /// (ρ, z) of one end, m.
        start: [f64; 2],
        /// (ρ, z) of the other end, m.
        end: [f64; 2],
    },
    /// The rectangle `{center + a u + b v : |a| ≤ half[0], |b| ≤ half[1]}` with the unit vectors
    /// u, v along the coordinate axes other than `axis`, in cyclic order.
    Rectangle {
        /// 0, 1 or 2: the axis that the rectangle is normal to.
        axis: usize,
        /// m.
        center: DVec3,
        /// Half lengths along the axes `axis + 1` and `axis + 2` (mod 3), m.
        half: [f64; 2],
        /// The normal to use for a centre that lies exactly on the rectangle: `inward · e_axis`.
        inward: f64,
    },
    /// The solid box `{x : |x_k| ≤ half_k}`; distances of points inside are negative.
    Block {
        /// Half lengths along x, y, z, m.
        half: DVec3,
    },
    /// A thin surface of triangles. It is one piece, whose contacts are told apart by the triangles.
    Mesh(Arc<TriangleMesh>),
}

/// Flat facets around the axis of a round shell, as solids see it. They are inscribed: with the radius R the
/// shell is nearer to the axis by at most 0.0012 R.
const FACETS: u32 = 64;

/// Where a patch is closest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// The point of the patch, m.
    pub point: DVec3,
    /// Unit vector from the patch towards the given centre; for one inside what is solid, the way
    /// out.
    pub normal: DVec3,
    /// Distance along the normal, m; negative only below a [`Patch::Plane`] or inside a
    /// [`Patch::Block`].
    pub distance: f64,
}

impl Patch {
    /// The point of the patch closest to `center` (both in the wall's frame).
    ///
    /// For a centre on the axis of a revolved patch every direction is closest; the x direction
    /// is taken. Of faces of a block that are equally near to a centre inside, the first along x, y,
    /// z is taken, and for a centre in the middle the one in the positive direction.
    pub fn closest_point(&self, center: DVec3) -> ClosestPoint {
        match self {
            Self::Plane => ClosestPoint {
                point: DVec3::new(center.x, center.y, 0.0),
                normal: DVec3::Z,
                distance: center.z,
            },
            Self::Revolved { start, end } => closest_on_revolved(*start, *end, center),
            Self::Rectangle {
                axis,
                center: middle,
                half,
                inward,
            } => {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut point = *middle;
                point[u] += (center[u] - middle[u]).clamp(-half[0], half[0]);
                point[v] += (center[v] - middle[v]).clamp(-half[1], half[1]);
                let mut fallback = DVec3::ZERO;
                fallback[*axis] = *inward;
                from_points(point, center, fallback)
            }
            Self::Block { half } => closest_on_block(*half, center),
            Self::Mesh(mesh) => {
                let (point, normal) = mesh.nearest_point(center);
                from_points(point, center, normal)
            }
        }
    }

    /// The patch as a thin surface of triangles, for solids: a round shell has 64 flat facets around its axis. `None`
    /// for what has no end or is solid; an error where triangles of its size are none.
    pub fn mesh(&self) -> Option<Result<Arc<TriangleMesh>, MeshError>> {
        let (vertices, triangles) = match self {
            Self::Plane | Self::Block { .. } => return None,
            Self::Mesh(mesh) => return Some(Ok(Arc::clone(mesh))),
            Self::Revolved { start, end } => revolved(*start, *end),
            Self::Rectangle {
                axis, center, half, ..
            } => {
                let corner = |a: f64, b: f64| {
                    let mut point = *center;
                    point[(axis + 1) % 3] += a * half[0];
                    point[(axis + 2) % 3] += b * half[1];
                    point
                };
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
                let corners = corners.map(|(a, b)| corner(a, b));
                (corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
            }
        };
        Some(TriangleMesh::new(&vertices, &triangles).map(Arc::new))
    }

    /// A sphere (centre and radius, m) around the patch; `None` if the patch has no end.
    pub fn bounding_sphere(&self) -> Option<(DVec3, f64)> {
        match self {
            Self::Plane => None,
            Self::Revolved { start, end } => {
                let middle = 0.5 * (start[1] + end[1]);
                let norm = |p: &[f64; 2]| p[0].hypot(p[1] - middle);
                let center = DVec3::new(0.0, 0.0, middle);
                Some((center, norm(start).max(norm(end))))
            }
            Self::Rectangle { center, half, .. } => Some((*center, half[0].hypot(half[1]))),
            Self::Block { half } => Some((DVec3::ZERO, half.length())),
            Self::Mesh(mesh) => {
                let [min, max] = mesh.bounds();
                Some((0.5 * (min + max), 0.5 * min.distance(max)))
            }
        }
    }
}

/// Corners and triangles of the segment from `start` to `end` (ρ, z; m) turned about the z axis.
fn revolved(start: [f64; 2], end: [f64; 2]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let rim = |[rho, z]: [f64; 2]| {
        (0..FACETS).map(move |k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(FACETS);
            DVec3::new(rho * angle.cos(), rho * angle.sin(), z)
        })
    };
    let vertices = rim(start).chain(rim(end)).collect();
    let mut triangles = Vec::new();
    for k in 0..FACETS {
        let next = (k + 1) % FACETS;
        let (low, low_next) = (k, next);
        let (high, high_next) = (FACETS + k, FACETS + next);
        if start[0] > 0.0 {
            triangles.push([low, low_next, high_next]);
        }
        if end[0] > 0.0 {
            triangles.push([low, high_next, high]);
        }
    }
    (vertices, triangles)
}

fn from_points(point: DVec3, center: DVec3, fallback: DVec3) -> ClosestPoint {
    let offset = center - point;
    let distance = offset.length();
    let normal = if distance > 0.0 {
        offset / distance
    } else {
        fallback
    };
    ClosestPoint {
        point,
        normal,
        distance,
    }
}

fn closest_on_block(half: DVec3, center: DVec3) -> ClosestPoint {
    let depth = half - center.abs();
    if depth.min_element() < 0.0 {
        // Outside: not zero, so that there is no need for a normal to fall back to.
        return from_points(center.clamp(-half, half), center, DVec3::ZERO);
    }
    let axis = depth.min_position();
    let side = if center[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut point, mut normal) = (center, DVec3::ZERO);
    point[axis] = side * half[axis];
    normal[axis] = side;
    ClosestPoint {
        point,
        normal,
        distance: -depth[axis],
    }
}

fn closest_on_revolved(start: [f64; 2], end: [f64; 2], center: DVec3) -> ClosestPoint {
    let rho = center.x.hypot(center.y);
    let outward = if rho > 0.0 {
        DVec3::new(center.x / rho, center.y / rho, 0.0)
    } else {
        DVec3::X
    };
    let (along_rho, along_z) = (end[0] - start[0], end[1] - start[1]);
    let length_squared = along_rho * along_rho + along_z * along_z;
    let t = ((rho - start[0]) * along_rho + (center.z - start[1]) * along_z) / length_squared;
    let t = t.clamp(0.0, 1.0);
    let (point_rho, point_z) = (start[0] + t * along_rho, start[1] + t * along_z);
    let point = point_rho * outward + DVec3::new(0.0, 0.0, point_z);
    // Towards the axis for a mantle, upwards for a disk at the bottom.
    let length = length_squared.sqrt();
    let fallback = (-along_z.abs() * outward + DVec3::new(0.0, 0.0, along_rho.abs())) / length;
    from_points(point, center, fallback)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brute_force(patch: &Patch, center: DVec3) -> f64 {
        let mut best = f64::INFINITY;
        let n = 400;
        for a in 0..=n {
            for b in 0..=n {
                let (s, t) = (a as f64 / n as f64, b as f64 / n as f64);
                let point = match patch {
                    Patch::Plane => unreachable!("the plane is not bounded"),
                    Patch::Block { .. } => unreachable!("a block has tests of its own"),
                    Patch::Mesh(_) => unreachable!("a mesh has tests of its own"),
                    Patch::Revolved { start, end } => {
                        let rho = start[0] + s * (end[0] - start[0]);
                        let z = start[1] + s * (end[1] - start[1]);
                        let angle = t * std::f64::consts::TAU;
                        DVec3::new(rho * angle.cos(), rho * angle.sin(), z)
                    }
                    Patch::Rectangle {
                        axis, center, half, ..
                    } => {
                        let mut p = *center;
                        p[(axis + 1) % 3] += (2.0 * s - 1.0) * half[0];
                        p[(axis + 2) % 3] += (2.0 * t - 1.0) * half[1];
                        p
                    }
                };
                best = best.min((point - center).length());
            }
        }
        best
    }

    #[test]
    fn closest_points_agree_with_a_dense_sampling() {
        let patches = [
            Patch::Revolved {
                start: [1.0, -1.0],
                end: [1.0, 1.0],
            },
            Patch::Revolved {
                start: [0.2, 0.0],
                end: [1.0, 1.5],
            },
            Patch::Revolved {
                start: [0.0, 0.5],
                end: [0.8, 0.5],
            },
            Patch::Rectangle {
                axis: 1,
                center: DVec3::new(0.0, 1.0, 0.0),
                half: [0.5, 0.7],
                inward: -1.0,
            },
        ];
        let centers = [
            DVec3::new(0.3, 0.1, 0.2),
            DVec3::new(1.7, -0.4, 0.9),
            DVec3::new(-0.2, 0.6, -2.0),
            DVec3::new(0.1, 0.05, 1.8),
        ];
        for patch in &patches {
            for &center in &centers {
                let found = patch.closest_point(center);
                let sampled = brute_force(patch, center);
                assert!(found.distance <= sampled + 1e-12);
                assert!(found.distance > sampled - 0.02, "{patch:?} {center}");
                let back = found.point + found.distance * found.normal;
                assert!((back - center).length() < 1e-12);
            }
        }
    }
}
