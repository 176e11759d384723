//! Where a ball touches a mesh.

use super::TriangleMesh;
use super::closest::Feature;
use crate::math::DVec3;

/// Lengths below this part of the largest coordinate are rounding.
const ROUNDING: f64 = 1e-12;

/// Contacts whose directions differ by less than this angle (rad) are one: about what single precision, in
/// which meshes are stored, leaves of a plane.
const SAME_DIRECTION: f64 = 1e-6;

/// One place where a ball touches the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshContact {
    /// The triangle that is touched; of those that share the edge or corner, the lowest.
    pub triangle: u32,
    /// The point of the mesh, m.
    pub point: DVec3,
    /// Unit vector from the mesh towards the centre.
    pub normal: DVec3,
    /// Distance of the centre from the point, m.
    pub distance: f64,
}

impl TriangleMesh {
    /// Where a ball about `center` (m) touches the mesh: the points whose distance is at most `reach` (m)
    /// and that no point beside them on the mesh is nearer than. What `contacts` held is replaced; the
    /// triangles are in ascending order.
    ///
    /// The mesh is a thin surface with two sides, and the ball touches the one that its centre is on. A
    /// point on an edge or a corner counts only if none of the triangles that share it comes nearer: a ball
    /// on a flat floor of many triangles has the one contact that it has with the plane, in a concave edge
    /// two, on a ridge one. Where triangles meet without sharing vertices, because one has a corner
    /// within the edge of another, that is found from where they are. Contacts at the same point, to
    /// rounding or to 1e-6 rad as seen from the centre, are given once.
    pub fn ball_contacts(&self, center: DVec3, reach: f64, contacts: &mut Vec<MeshContact>) {
        contacts.clear();
        let tolerance = ROUNDING * self.scale.max(center.abs().max_element());
        // The nearest point of all is a contact, whatever rounding says of its neighbours.
        let mut nearest = None;
        let mut least = f64::INFINITY;
        self.visit_near(center, reach, |triangle| {
            if self.height(triangle, center).abs() > reach {
                return false;
            }
            let (feature, point) = self.closest_point(triangle, center);
            let distance = point.distance(center);
            if distance > reach {
                return false;
            }
            if distance < least {
                least = distance;
                nearest = Some((triangle, feature, point));
            }
            if self.is_least(triangle, feature, point, center, tolerance) {
                contacts.push(self.contact(triangle, feature, point, center, tolerance));
            }
            false
        });
        contacts.extend(nearest.map(|(triangle, feature, point)| {
            self.contact(triangle, feature, point, center, tolerance)
        }));
        merge(contacts, tolerance);
    }

    /// Whether some point of the mesh is at most `limit` (m) from `center` (m).
    pub fn distance_within(&self, center: DVec3, limit: f64) -> bool {
        self.visit_near(center, limit, |triangle| {
            let (_, point) = self.closest_point(triangle, center);
            point.distance(center) <= limit
        })
    }

    /// Gives to `visit` the triangles in boxes that come within `reach` (m) of `center`, until it says that it
    /// has enough.
    #[inline]
    fn visit_near(&self, center: DVec3, reach: f64, visit: impl FnMut(u32) -> bool) -> bool {
        let limit = reach * reach * (1.0 + ROUNDING);
        let meets = |min: DVec3, max: DVec3| {
            let outside = (min - center).max(center - max).max(DVec3::ZERO);
            outside.length_squared() <= limit
        };
        self.tree.walk(meets, visit)
    }

    fn contact(
        &self,
        triangle: u32,
        feature: Feature,
        point: DVec3,
        center: DVec3,
        tolerance: f64,
    ) -> MeshContact {
        let triangle = match feature {
            Feature::Face => triangle,
            Feature::Edge(edge) => self.adjacency.triangles_at.of(edge)[0],
            Feature::Corner(vertex) => {
                let edges = self.adjacency.edges_at.of(vertex).iter();
                let lowest = edges.map(|&edge| self.adjacency.triangles_at.of(edge)[0]);
                lowest.fold(triangle, u32::min)
            }
        };
        let height = self.height(triangle, center);
        let facet = self.normals[triangle as usize];
        let facet = if height < 0.0 { -facet } else { facet };
        let offset = center - point;
        let aside = offset - height.abs() * facet;
        // Above an edge or a corner of a plane to rounding, or on it, where there is no direction from it.
        let (normal, distance) = if aside.length_squared() <= tolerance * tolerance {
            (facet, height.abs())
        } else {
            (offset.normalize(), offset.length())
        };
        MeshContact {
            triangle,
            point,
            normal,
            distance,
        }
    }

    /// Whether no point of the mesh beside this one of a triangle is nearer to the centre: the direction to it is
    /// in the cone of normals there.
    fn is_least(
        &self,
        triangle: u32,
        feature: Feature,
        point: DVec3,
        center: DVec3,
        tolerance: f64,
    ) -> bool {
        let adjacency = &self.adjacency;
        let offset = center - point;
        let goes_on = || self.goes_on(triangle, point, center, tolerance);
        match feature {
            Feature::Face => true,
            Feature::Edge(edge) => {
                let triangles = adjacency.triangles_at.of(edge);
                let beside = triangles.iter().all(|&triangle| {
                    let sides = adjacency.sides[triangle as usize];
                    (0..3)
                        .filter(|&side| sides[side] == edge)
                        .all(|side| offset.dot(self.inward(triangle, side)) <= tolerance)
                });
                beside && (triangles.len() > 1 || !goes_on())
            }
            Feature::Corner(vertex) => {
                let edges = adjacency.edges_at.of(vertex);
                let beside = edges.iter().all(|&number| {
                    let edge = &adjacency.edges[number as usize];
                    let along = offset.dot(edge.direction);
                    let away = if edge.ends[0] == vertex {
                        along
                    } else {
                        -along
                    };
                    away <= tolerance
                });
                let open = |&edge: &u32| adjacency.triangles_at.of(edge).len() == 1;
                beside && !(edges.iter().any(open) && goes_on())
            }
        }
    }

    /// Whether a triangle that shares no vertices with an open edge or its end goes on from there, and comes
    /// nearer.
    fn goes_on(&self, triangle: u32, point: DVec3, center: DVec3, tolerance: f64) -> bool {
        let distance = point.distance(center);
        self.visit_near(point, self.gap, |other| {
            let (_, beside) = self.closest_point(other, point);
            if beside.distance(point) > self.gap {
                return false;
            }
            let (_, nearer) = self.closest_point(other, center);
            // Of two that are equally near, the lower stays.
            nearer.distance(point) > same_point(distance, tolerance)
                && (nearer.distance(center), other) < (distance, triangle)
        })
    }
}

/// How far apart two contacts at this distance from the centre may be and count as one, m.
fn same_point(distance: f64, tolerance: f64) -> f64 {
    (SAME_DIRECTION * distance).max(4.0 * tolerance)
}

/// Of contacts at the same point leaves the nearest, and of equally near ones the lowest; sorts them by
/// triangles.
fn merge(contacts: &mut Vec<MeshContact>, tolerance: f64) {
    // Along x, so that only few are compared.
    contacts.sort_unstable_by(|a, b| {
        let along = a.point.x.total_cmp(&b.point.x);
        along.then(a.triangle.cmp(&b.triangle))
    });
    for k in 0..contacts.len() {
        for other in k + 1..contacts.len() {
            let (a, b) = (contacts[k], contacts[other]);
            if a.distance == f64::INFINITY
                || b.point.x - a.point.x > same_point(a.distance, tolerance)
            {
                break;
            }
            let same = same_point(a.distance.min(b.distance), tolerance);
            if a.point.distance(b.point) <= same {
                let first_stays = (a.distance, a.triangle) <= (b.distance, b.triangle);
                contacts[if first_stays { other } else { k }].distance = f64::INFINITY;
            }
        }
    }
    contacts.retain(|contact| contact.distance.is_finite());
    contacts.sort_unstable_by_key(|contact| contact.triangle);
}
