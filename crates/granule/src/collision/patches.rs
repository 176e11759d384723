//! The pieces of all walls, where they are.

use crate::bodies::Wall;
use crate::math::{DQuat, DVec3};
use crate::shapes::{ClosestPoint, Patch};

/// The pieces of all walls, where they are now.
#[derive(Debug, Clone, Default)]
pub struct Patches {
    /// (wall, piece), wall by wall.
    pieces: Vec<(u32, Patch)>,
    /// The number of the first piece of each wall.
    first: Vec<u32>,
    /// Pose of each wall.
    poses: Vec<(DVec3, DQuat)>,
    /// Centre and radius of a sphere around each piece, m; infinite for one that has no end.
    spheres: Vec<(DVec3, f64)>,
}

impl Patches {
    /// Numbers the pieces of all walls. They are nowhere before [`Patches::place`].
    pub fn new(walls: &[Wall]) -> Self {
        let mut patches = Self::default();
        for (wall, w) in walls.iter().enumerate() {
            patches.first.push(patches.pieces.len() as u32);
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
    }

    /// Where a wall is, m.
    pub fn position(&self, wall: usize) -> DVec3 {
        self.poses[wall].0
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
        center.distance_squared(middle) <= reach * reach
            && self.closest(wall, piece, center).distance <= limit
    }
}
