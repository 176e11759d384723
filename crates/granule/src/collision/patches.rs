//! The pieces of all walls, where they are.

use crate::bodies::Wall;
use crate::math::{DQuat, DVec3, Pose};
use crate::shapes::{ClosestPoint, Convex, Hull, Patch, TriangleMesh};
use std::sync::Arc;

/// A piece of a wall as solids see it.
#[derive(Debug, Clone)]
pub(super) enum SolidPiece {
    /// What lies below the plane z = 0 is solid.
    Plane,
    /// A solid box.
    Block(Convex),
    /// A thin surface of triangles. Round shells are made of so many facets: see [`Patch::mesh`].
    Mesh(Arc<TriangleMesh>),
    /// Too large or too small for triangles; worlds with solids refuse it.
    None,
}

impl From<&Patch> for SolidPiece {
    fn from(patch: &Patch) -> Self {
        match (patch, patch.mesh()) {
            (_, Some(Ok(mesh))) => Self::Mesh(mesh),
            (_, Some(Err(_))) => Self::None,
            (Patch::Block { half }, None) => Self::Block(Convex::Hull(Hull::cuboid(*half))),
            (
                Patch::Plane | Patch::Revolved { .. } | Patch::Rectangle { .. } | Patch::Mesh(_),
                None,
            ) => Self::Plane,
        }
    }
}

/// The pieces of all walls, where they are now.
#[derive(Debug, Clone, Default)]
pub struct Patches {
    /// (wall, piece), wall by wall.
    pieces: Vec<(u32, Patch)>,
    /// The same as solids see them.
    solid: Vec<SolidPiece>,
    /// The number of the first piece of each wall.
    first: Vec<u32>,
    /// Pose of each wall.
    poses: Vec<(DVec3, DQuat)>,
    /// Centre and radius of a sphere around each piece, m; infinite for one that has no end.
    spheres: Vec<(DVec3, f64)>,
    /// The planes of the pieces that are flat.
    planes: Vec<Option<Plane>>,
}

/// The plane of a flat piece.
#[derive(Debug, Clone, Copy)]
struct Plane {
    normal: DVec3,
    /// Of the plane along the normal, m.
    height: f64,
    /// Whether what is below it is solid, rather than as far as what is above.
    solid: bool,
}

impl Plane {
    /// That of a piece in this pose, if it is flat.
    fn of(piece: &Patch, (position, orientation): (DVec3, DQuat)) -> Option<Self> {
        let (normal, point, solid) = match piece {
            Patch::Plane => (DVec3::Z, DVec3::ZERO, true),
            Patch::Rectangle { axis, center, .. } => (DVec3::AXES[*axis], *center, false),
            Patch::Revolved { .. } | Patch::Block { .. } | Patch::Mesh(_) => return None,
        };
        let normal = orientation * normal;
        Some(Self {
            normal,
            height: normal.dot(position + orientation * point),
            solid,
        })
    }

    /// Whether a centre is farther from the plane than `limit` (m), rounding or not.
    #[inline(always)]
    fn is_beyond(&self, center: DVec3, limit: f64) -> bool {
        let along = self.normal.dot(center);
        let above = along - self.height;
        let distance = if self.solid { above } else { above.abs() };
        distance > limit + ROUNDING * (along.abs() + self.height.abs())
    }
}

/// Of the lengths that a distance is a difference of: more than its rounding.
const ROUNDING: f64 = 1e-14;

impl Patches {
    /// Numbers the pieces of all walls. They are nowhere before [`Patches::place`].
    pub fn new(walls: &[Wall]) -> Self {
        let mut patches = Self::default();
        for (wall, w) in walls.iter().enumerate() {
            patches.first.push(patches.pieces.len() as u32);
            patches.solid.extend(w.patches.iter().map(SolidPiece::from));
            let pieces = w.patches.iter().cloned();
            patches.pieces.extend(pieces.map(|p| (wall as u32, p)));
        }
        patches
    }

    /// Puts the walls into these poses.
    pub fn place(&mut self, poses: impl Iterator<Item = (DVec3, DQuat)>) {
        self.poses.clear();
        self.poses.extend(poses);
        self.spheres.clear();
        let spheres = self.pieces.iter().map(|(wall, piece)| {
            let (position, orientation) = self.poses[*wall as usize];
            match piece.bounding_sphere() {
                Some((center, radius)) => (position + orientation * center, radius),
                None => (position, f64::INFINITY),
            }
        });
        self.spheres.extend(spheres);
        self.planes.clear();
        let planes = (self.pieces.iter()).map(|(wall, p)| Plane::of(p, self.poses[*wall as usize]));
        self.planes.extend(planes);
    }

    /// Whether it takes no more than the plane of a piece to see that a centre is farther from it than `limit` (m).
    #[inline(always)]
    pub(super) fn is_beyond(&self, wall: u32, piece: u32, center: DVec3, limit: f64) -> bool {
        let patch = (self.first[wall as usize] + piece) as usize;
        self.planes[patch].is_some_and(|plane| plane.is_beyond(center, limit))
    }

    /// Where a wall is, m.
    pub fn position(&self, wall: usize) -> DVec3 {
        self.poses[wall].0
    }

    /// Where a wall is (m), and how it is turned.
    pub fn pose(&self, wall: usize) -> (DVec3, DQuat) {
        self.poses[wall]
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no wall.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The wall that a piece belongs to, and which of its pieces it is.
    pub fn of_wall(&self, patch: usize) -> (u32, u32) {
        let wall = self.pieces[patch].0;
        (wall, patch as u32 - self.first[wall as usize])
    }

    /// The number of a piece of a wall; `None` if it has no such piece.
    pub fn number(&self, wall: u32, piece: u32) -> Option<usize> {
        let patch = (*self.first.get(wall as usize)? as usize).checked_add(piece as usize)?;
        (self.pieces.get(patch)?.0 == wall).then_some(patch)
    }

    /// Whether a piece is a mesh, which a sphere may touch in several points.
    pub(super) fn is_mesh(&self, patch: usize) -> bool {
        match self.pieces[patch].1 {
            Patch::Mesh(_) => true,
            Patch::Plane
            | Patch::Revolved { .. }
            | Patch::Rectangle { .. }
            | Patch::Block { .. } => false,
        }
    }

    /// A piece of a wall as solids see it, and where the wall is.
    pub(super) fn solid_piece(&self, wall: u32, piece: u32) -> (Pose, &SolidPiece) {
        let (position, orientation) = self.poses[wall as usize];
        let patch = (self.first[wall as usize] + piece) as usize;
        (Pose::new(position, orientation), &self.solid[patch])
    }

    /// The closest point of a piece of a wall, in world coordinates.
    pub fn closest(&self, wall: u32, piece: u32, center: DVec3) -> ClosestPoint {
        let patch = &self.pieces[(self.first[wall as usize] + piece) as usize].1;
        let (position, orientation) = self.poses[wall as usize];
        let near = patch.closest_point(orientation.conjugate() * (center - position));
        ClosestPoint {
            point: position + orientation * near.point,
            normal: orientation * near.normal,
            distance: near.distance,
        }
    }

    /// Whether a piece comes within `limit` (m) of a centre. What is far from the sphere around the
    /// piece is told at once.
    pub fn is_within(&self, patch: usize, center: DVec3, limit: f64) -> bool {
        let (middle, radius) = self.spheres[patch];
        let reach = radius + limit;
        let (wall, piece) = self.of_wall(patch);
        let beyond = self.planes[patch].is_some_and(|plane| plane.is_beyond(center, limit));
        if beyond || center.distance_squared(middle) > reach * reach {
            return false;
        }
        if let Patch::Mesh(mesh) = &self.pieces[patch].1 {
            let (position, orientation) = self.poses[wall as usize];
            return mesh.distance_within(orientation.conjugate() * (center - position), limit);
        }
        self.closest(wall, piece, center).distance <= limit
    }
}
