//! Volume, centre and moments of inertia of hulls.
//!
//! All points within r of a polyhedron are the polyhedron, a prism of height r on each face, a wedge of a cylinder
//! about each edge and a sector of a ball about each corner, none of which overlap. All their integrals
//! of 1, x and x xᵀ have closed forms, so the result is exact to rounding.

use super::{Hull, edges_of};
use crate::math::{DMat3, DVec3};
use crate::shapes::MassProperties;
use std::f64::consts::{PI, TAU};

/// Integrals over a solid.
struct Moments {
    /// ∫ 1, m³.
    volume: f64,
    /// ∫ x, m⁴.
    first: DVec3,
    /// ∫ x xᵀ, m⁵.
    second: DMat3,
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

/// `a bᵀ + b aᵀ`.
fn symmetric(a: DVec3, b: DVec3) -> DMat3 {
    outer(a, b) + outer(b, a)
}

/// The outward normals at an edge: an arc of the unit sphere.
struct Arc {
    /// Its length.
    angle: f64,
    /// ∫ u over the arc.
    first: DVec3,
    /// ∫ u uᵀ over the arc.
    second: DMat3,
}

impl Hull {
    /// Volume, centre of mass and inertia, exact to rounding. A solid without a volume has the mean of its
    /// corners as its centre.
    pub fn mass_properties(&self) -> MassProperties {
        let sum: DVec3 = self.vertices.iter().sum();
        let middle = sum / self.vertices.len().max(1) as f64;
        let corners: Vec<DVec3> = self.vertices.iter().map(|v| v - middle).collect();
        let mut moments = Moments {
            volume: 0.0,
            first: DVec3::ZERO,
            second: DMat3::ZERO,
        };
        self.add_core(&corners, &mut moments);
        if self.radius > 0.0 {
            self.add_rounding(&corners, &mut moments);
        }
        if moments.volume <= 0.0 {
            return MassProperties {
                centroid: middle,
                ..MassProperties::NONE
            };
        }
        let shift = moments.first / moments.volume;
        let second = moments.second - moments.volume * outer(shift, shift);
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        MassProperties {
            volume: moments.volume,
            centroid: middle + shift,
            inertia: trace * DMat3::IDENTITY - second,
        }
    }

    /// The polyhedron: the tetrahedra between the origin and the triangles of its faces.
    fn add_core(&self, corners: &[DVec3], moments: &mut Moments) {
        for [a, b, c] in self.triangles(corners) {
            let volume = a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            moments.volume += volume;
            moments.first += volume / 4.0 * sum;
            moments.second +=
                volume / 20.0 * (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c));
        }
    }

    /// The triangles of all faces.
    fn triangles<'h>(&'h self, corners: &'h [DVec3]) -> impl Iterator<Item = [DVec3; 3]> + 'h {
        self.faces.iter().flat_map(|face| {
            let at = |k: usize| corners[face.corners[k] as usize];
            (1..face.corners.len() - 1).map(move |k| [at(0), at(k), at(k + 1)])
        })
    }

    fn add_rounding(&self, corners: &[DVec3], moments: &mut Moments) {
        self.add_prisms(corners, moments);
        // For each corner: the solid angle of its normals, and their integrals of u and u uᵀ.
        let alone = if corners.len() == 1 { 2.0 * TAU } else { TAU };
        let mut angles = vec![alone; corners.len()];
        let mut firsts = vec![DVec3::ZERO; corners.len()];
        let mut seconds = vec![DMat3::ZERO; corners.len()];
        for face in &self.faces {
            let count = face.corners.len();
            for k in 0..count {
                let [before, here, after] =
                    [k + count - 1, k, k + 1].map(|k| face.corners[k % count] as usize);
                let way = |to: usize| corners[to] - corners[here];
                angles[here] -= way(before).angle_between(way(after));
            }
        }
        for edge in &self.edges {
            let [from, to] = edge.ends.map(|k| k as usize);
            let (p, q) = (corners[from], corners[to]);
            let arc = self.arc(corners, edge.ends, edge.faces);
            self.add_wedge(p, q, &arc, moments);
            // By the divergence theorem on the sphere, of the fields c and (d·u) c: the boundary of a corner's
            // normals are the arcs of its edges, whose outward directions there are along the edges.
            for (end, outwards) in [(from, q - p), (to, p - q)] {
                let outwards = outwards / p.distance(q);
                firsts[end] -= 0.5 * arc.angle * outwards;
                seconds[end] -= outer(arc.first, outwards);
            }
        }
        let radius = self.radius;
        let (cube, fourth, fifth) = (
            radius.powi(3) / 3.0,
            radius.powi(4) / 4.0,
            radius.powi(5) / 5.0,
        );
        for (k, &corner) in corners.iter().enumerate() {
            let second = (angles[k] * DMat3::IDENTITY + seconds[k]) * (1.0 / 3.0);
            moments.volume += cube * angles[k];
            moments.first += cube * angles[k] * corner + fourth * firsts[k];
            moments.second += cube * angles[k] * outer(corner, corner)
                + fourth * symmetric(corner, firsts[k])
                + fifth * 0.5 * (second + second.transpose());
        }
    }

    /// On each face a prism of the height r.
    fn add_prisms(&self, corners: &[DVec3], moments: &mut Moments) {
        let radius = self.radius;
        for [a, b, c] in self.triangles(corners) {
            let area = 0.5 * (b - a).cross(c - a);
            let Some(normal) = area.try_normalize() else {
                continue;
            };
            let (area, sum) = (area.length(), a + b + c);
            let flat = outer(sum, sum) + outer(a, a) + outer(b, b) + outer(c, c);
            moments.volume += area * radius;
            moments.first += area * radius * (sum / 3.0 + 0.5 * radius * normal);
            moments.second += area * radius / 12.0 * flat
                + area * radius * radius / 6.0 * symmetric(sum, normal)
                + area * radius.powi(3) / 3.0 * outer(normal, normal);
        }
    }

    /// About an edge a wedge of a cylinder, between the normals of its faces.
    fn add_wedge(&self, p: DVec3, q: DVec3, arc: &Arc, moments: &mut Moments) {
        let radius = self.radius;
        let length = p.distance(q);
        let (area, arm) = (0.5 * radius * radius * arc.angle, radius.powi(3) / 3.0);
        let ends = (outer(p, p) + outer(q, q)) * (1.0 / 3.0) + symmetric(p, q) * (1.0 / 6.0);
        let middle = 0.5 * (p + q);
        moments.volume += length * area;
        moments.first += length * (area * middle + arm * arc.first);
        moments.second += length
            * (area * ends
                + arm * symmetric(middle, arc.first)
                + radius.powi(4) / 4.0 * arc.second);
    }

    /// The normals at the edge between two corners.
    fn arc(&self, corners: &[DVec3], ends: [u32; 2], faces: Option<[u32; 2]>) -> Arc {
        let [p, q] = ends.map(|k| corners[k as usize]);
        let along = (q - p).normalize_or_zero();
        let Some(faces) = faces else {
            // All round a segment.
            return Arc {
                angle: TAU,
                first: DVec3::ZERO,
                second: PI * (DMat3::IDENTITY - outer(along, along)),
            };
        };
        let [face, other] = faces.map(|k| &self.faces[k as usize]);
        let forward = edges_of(&face.corners).any(|(from, to)| [from, to] == ends);
        let along = if forward { along } else { -along };
        // Out of the first face, across the edge.
        let beyond = along.cross(face.normal);
        let (sine, cosine) = (other.normal.dot(beyond), other.normal.dot(face.normal));
        let angle = sine.max(0.0).atan2(cosine);
        let (half_sine, half_cosine) = (0.5 * angle).sin_cos();
        let middle = half_cosine * face.normal + half_sine * beyond;
        let across = along.cross(middle);
        Arc {
            angle,
            first: 2.0 * half_sine * middle,
            second: 0.5 * (angle + angle.sin()) * outer(middle, middle)
                + 0.5 * (angle - angle.sin()) * outer(across, across),
        }
    }
}
