//! A solid in the frame of a pair, what is farthest of it in a direction, and its face there.

use crate::math::{DMat3, DQuat, DVec3};
use crate::shapes::{Convex, Frustum, Hull};

/// Corners of a frustum's end, fixed to it, on its rim.
pub(super) const RIM: u32 = 12;
/// The number of the point of a frustum's lower rim that is farthest in a direction; that of the upper one is the
/// next. Corners of the lower end have the numbers below [`RIM`], those of the upper one the next.
pub(super) const LOWEST: u32 = 2 * RIM;
/// Faces that turn farther away from the normal than this cosine are no faces of contact.
const STEEP: f64 = 0.25;

/// A convex solid whose contacts are found here: any but a superellipsoid, with faces or, as a ball, without.
#[derive(Debug, Clone, Copy)]
pub enum Faced<'a> {
    /// With flat faces.
    Hull(&'a Hull),
    /// With flat ends and a round mantle.
    Frustum(&'a Frustum),
}

impl<'a> Faced<'a> {
    /// A convex solid, if it is no superellipsoid. Two solids of which one is `None` here have no contacts by these
    /// means.
    pub fn of(solid: &'a Convex) -> Option<Self> {
        match solid {
            Convex::Hull(hull) => Some(Self::Hull(hull)),
            Convex::Frustum(frustum) => Some(Self::Frustum(frustum)),
            Convex::Superellipsoid(_) => None,
        }
    }

    /// The distance of its farthest point from the origin of its frame, m.
    pub(super) fn bounding_radius(self) -> f64 {
        match self {
            Self::Hull(hull) => hull.bounding_radius(),
            Self::Frustum(frustum) => frustum.bounding_radius(),
        }
    }
}

/// Memory for what a solid has in the frame of a pair.
#[derive(Default)]
pub(super) struct Room {
    vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
}

/// A solid in the frame of a pair, without its rounding radius.
#[derive(Clone, Copy)]
pub(super) struct Placed<'s> {
    pub shape: Faced<'s>,
    /// Corners; of a frustum the middles of its ends, m. Their mean is taken for `center`.
    pub vertices: &'s [DVec3],
    /// Normals of its flat faces, outwards.
    pub normals: &'s [DVec3],
    /// The axes of its frame.
    pub frame: DMat3,
    /// A point inside, m.
    pub center: DVec3,
    /// How far the solid goes beyond, m.
    pub radius: f64,
}

/// The point of a solid that is farthest in a direction.
#[derive(Clone, Copy)]
pub(super) struct Support {
    pub point: DVec3,
    /// Which corner.
    pub corner: u32,
}

impl<'s> Placed<'s> {
    pub fn new(shape: Faced<'s>, at: DVec3, turned: DQuat, room: &'s mut Room) -> Self {
        let frame = DMat3::from_quat(turned);
        room.vertices.clear();
        room.normals.clear();
        let radius = match shape {
            Faced::Hull(hull) => {
                room.vertices
                    .extend(hull.vertices.iter().map(|&v| at + frame * v));
                room.normals
                    .extend(hull.faces.iter().map(|f| frame * f.normal));
                hull.radius
            }
            Faced::Frustum(frustum) => {
                let axis = frame.z_axis;
                room.vertices
                    .extend([at + frustum.bottom * axis, at + frustum.top * axis]);
                room.normals.extend([-axis, axis]);
                0.0
            }
        };
        let sum: DVec3 = room.vertices.iter().sum();
        Self {
            shape,
            center: sum / room.vertices.len().max(1) as f64,
            vertices: &room.vertices,
            normals: &room.normals,
            frame,
            radius,
        }
    }

    /// The point that is farthest in a direction.
    pub fn support(&self, direction: DVec3) -> Support {
        match self.shape {
            Faced::Hull(_) => {
                let mut best = (f64::NEG_INFINITY, 0);
                for (k, vertex) in self.vertices.iter().enumerate() {
                    let along = vertex.dot(direction);
                    if along > best.0 {
                        best = (along, k);
                    }
                }
                Support {
                    point: self.vertices[best.1],
                    corner: best.1 as u32,
                }
            }
            Faced::Frustum(frustum) => {
                let ends = self.rim_points(frustum, direction);
                let upper = direction.dot(ends[1] - ends[0]) > 0.0;
                Support {
                    point: ends[usize::from(upper)],
                    corner: LOWEST + u32::from(upper),
                }
            }
        }
    }

    /// The points of a frustum's lower and upper rim that are farthest in a direction, m.
    pub fn rim_points(&self, frustum: &Frustum, direction: DVec3) -> [DVec3; 2] {
        let radial = radial(&self.frame, direction);
        [
            self.vertices[0] + frustum.bottom_radius * radial,
            self.vertices[1] + frustum.top_radius * radial,
        ]
    }

    /// Whether a single point is farthest in a unit direction, others being nearer by more than `tolerance` (m).
    pub fn is_corner(&self, outwards: DVec3, tolerance: f64) -> bool {
        let top = self.support(outwards);
        match self.shape {
            Faced::Hull(_) => {
                let level = outwards.dot(top.point) - tolerance;
                let tops = self.vertices.iter().filter(|v| outwards.dot(**v) >= level);
                tops.count() == 1
            }
            Faced::Frustum(frustum) => {
                let [lower, upper] = self.rim_points(frustum, outwards);
                let across = outwards.cross(self.frame.z_axis).length();
                let radius = frustum.end_radius(top.corner == LOWEST + 1);
                outwards.dot(upper - lower).abs() > tolerance
                    && (radius == 0.0 || radius * across > tolerance)
            }
        }
    }

    /// Whether it has a surface that is not flat.
    pub fn is_curved(&self) -> bool {
        match self.shape {
            Faced::Hull(_) => false,
            Faced::Frustum(_) => true,
        }
    }

    /// The normal of a thin plate on the side of a point; `None` for other solids.
    pub fn side_of(&self, point: DVec3) -> Option<DVec3> {
        let Faced::Hull(hull) = self.shape else {
            return None;
        };
        (hull.faces.len() == 2).then(|| {
            let above = self.normals[0].dot(point - self.vertices[0]) >= 0.0;
            self.normals[usize::from(!above)]
        })
    }

    /// Writes the face, the edge or the corner that is farthest in a unit direction, within `tolerance` (m).
    /// Of several faces at an edge or a corner it is the one that turns most to the direction.
    pub fn patch(&self, outwards: DVec3, tolerance: f64, patch: &mut Patch) {
        patch.corners.clear();
        patch.roundness = self.radius;
        match self.shape {
            Faced::Hull(hull) => self.hull_patch(hull, outwards, tolerance, patch),
            Faced::Frustum(frustum) => self.frustum_patch(frustum, outwards, patch),
        }
    }

    fn hull_patch(&self, hull: &Hull, outwards: DVec3, tolerance: f64, patch: &mut Patch) {
        let top = self.support(outwards);
        let level = outwards.dot(top.point) - tolerance;
        let is_top = |k: &u32| outwards.dot(self.vertices[*k as usize]) >= level;
        let tops = (0..self.vertices.len() as u32).filter(is_top).count();
        let mut best: Option<(usize, f64, usize)> = None;
        for (k, face) in hull.faces.iter().enumerate() {
            let cosine = self.normals[k].dot(outwards);
            if cosine < STEEP {
                continue;
            }
            let has = face.corners.iter().filter(|k| is_top(k)).count();
            let is_better = best.is_none_or(|(most, turn, _)| (has, cosine) > (most, turn));
            if has > 0 && is_better {
                best = Some((has, cosine, k));
            }
        }
        let corner = |k: u32| Corner {
            point: self.vertices[k as usize],
            number: k,
        };
        // Not a face that has one end of an edge: the edge is nearer.
        if let Some((_, _, face)) = best.filter(|(has, ..)| *has >= tops.min(2)) {
            patch.normal = self.normals[face];
            patch
                .corners
                .extend(hull.faces[face].corners.iter().map(|&k| corner(k)));
            return;
        }
        // A segment has no faces; other solids have steep ones only where a corner or an edge is sharp.
        patch.normal = outwards;
        let edge = hull
            .edges
            .iter()
            .find(|e| tops == 2 && e.ends.iter().all(is_top));
        let segment = hull.edges.first().filter(|e| {
            let along = self.vertices[e.ends[1] as usize] - self.vertices[e.ends[0] as usize];
            let sine = along.dot(outwards).abs() / along.length();
            hull.faces.is_empty() && sine * sine < 1.0 - STEEP * STEEP
        });
        match edge.or(segment) {
            Some(edge) => patch.corners.extend(edge.ends.iter().map(|&k| corner(k))),
            None => patch.corners.push(corner(top.corner)),
        }
    }

    fn frustum_patch(&self, frustum: &Frustum, outwards: DVec3, patch: &mut Patch) {
        let top = self.support(outwards);
        let end = (top.corner - LOWEST) as usize;
        let (cap, radius) = (
            self.normals[end].dot(outwards),
            frustum.end_radius(end == 1),
        );
        let mantle = self.mantle_normal(frustum, outwards);
        let side = mantle.dot(outwards);
        if radius > 0.0 && cap >= side.max(STEEP) {
            patch.normal = self.normals[end];
            // Counter-clockwise seen from outside.
            let places = (0..RIM).map(|k| if end == 1 { k } else { RIM - 1 - k });
            patch.corners.extend(places.map(|k| Corner {
                point: self.vertices[end] + radius * rim_direction(&self.frame, k),
                number: RIM * end as u32 + k,
            }));
        } else if side >= STEEP {
            patch.normal = mantle;
            patch.roundness = 0.5 * (frustum.bottom_radius + frustum.top_radius);
            let ends = self.rim_points(frustum, outwards);
            patch.corners.extend([0, 1].map(|k| Corner {
                point: ends[k as usize],
                number: LOWEST + k,
            }));
        } else {
            patch.normal = outwards;
            patch.corners.push(Corner {
                point: top.point,
                number: top.corner,
            });
        }
    }

    /// The outward normal of a frustum's mantle where it turns most to a direction.
    fn mantle_normal(&self, frustum: &Frustum, direction: DVec3) -> DVec3 {
        let (rise, widening) = (
            frustum.top - frustum.bottom,
            frustum.bottom_radius - frustum.top_radius,
        );
        let along = rise * radial(&self.frame, direction) + widening * self.frame.z_axis;
        along / rise.hypot(widening)
    }

    /// The number of the edge of a patch between two neighbouring corners.
    pub fn edge_number(&self, from: u32, to: u32) -> u32 {
        let ends = [from.min(to), from.max(to)];
        match self.shape {
            Faced::Hull(hull) => {
                let place = hull.edges.binary_search_by(|e| e.ends.cmp(&ends));
                place.unwrap_or_else(|place| place) as u32
            }
            // Each rim has the number of the corner before the edge, the last one that of its last corner.
            Faced::Frustum(_) if ends[1] - ends[0] == RIM - 1 => ends[1],
            Faced::Frustum(_) => ends[0],
        }
    }
}

/// The unit direction from a frustum's axis, the z axis of its frame, that is nearest to a direction.
pub(super) fn radial(frame: &DMat3, direction: DVec3) -> DVec3 {
    let axis = frame.z_axis;
    let across = direction - direction.dot(axis) * axis;
    let square = across.length_squared();
    if square > 0.1 * direction.length_squared() {
        return across / square.sqrt();
    }
    // Again, as the difference left less than it should, and some of the axis in it.
    let radial = across.normalize_or(frame.x_axis);
    (radial - radial.dot(axis) * axis).normalize_or(frame.x_axis)
}

/// The unit direction from a frustum's axis to corner k of its ends.
pub(super) fn rim_direction(frame: &DMat3, k: u32) -> DVec3 {
    let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / f64::from(RIM)).sin_cos();
    cosine * frame.x_axis + sine * frame.y_axis
}

/// A corner of a [`Patch`].
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// Where, m.
    pub point: DVec3,
    /// Which.
    pub number: u32,
}

/// A face (three corners or more), an edge (two) or a corner.
#[derive(Default)]
pub(super) struct Patch {
    /// Counter-clockwise seen from outside.
    pub corners: Vec<Corner>,
    /// Unit normal of the face, outwards.
    pub normal: DVec3,
    /// The radius of what is round about it, m.
    pub roundness: f64,
}
