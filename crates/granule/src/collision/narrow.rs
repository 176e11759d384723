//! Gaps and normals of the listed pairs.

use super::{Contact, ContactKey, Partner};
use crate::bodies::{Bodies, Dimension, Wall};
use crate::math::{DQuat, DVec3};
use crate::parallel;
use crate::shapes::{ClosestPoint, Patch};

/// Listed pairs looked at by one task.
const CHUNK: usize = 4096;

/// The pieces of all walls, where they are now.
#[derive(Debug, Clone, Default)]
pub struct Patches {
    /// (wall, piece).
    pieces: Vec<(u32, Patch)>,
    /// Pose of each wall.
    poses: Vec<(DVec3, DQuat)>,
    /// Centre and radius of a sphere around each piece, m; infinite for one that has no end.
    spheres: Vec<(DVec3, f64)>,
}

impl Patches {
    /// Numbers the pieces of all walls.
    pub fn new(walls: &[Wall]) -> Self {
        let pieces = walls
            .iter()
            .enumerate()
            .flat_map(|(wall, w)| w.patches.iter().map(move |p| (wall as u32, p.clone())))
            .collect();
        let mut patches = Self {
            pieces,
            poses: Vec::new(),
            spheres: Vec::new(),
        };
        patches.place(walls, 0.0);
        patches
    }

    /// Puts the walls where they are at time `t`.
    pub fn place(&mut self, walls: &[Wall], t: f64) {
        self.poses.clear();
        self.poses
            .extend(walls.iter().map(|wall| wall.kinematics.pose(t)));
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

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no wall.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The wall that a piece belongs to.
    pub fn wall(&self, patch: u32) -> usize {
        self.pieces[patch as usize].0 as usize
    }

    /// The closest point of a piece, in world coordinates.
    pub fn closest(&self, patch: usize, center: DVec3) -> ClosestPoint {
        let (wall, piece) = &self.pieces[patch];
        let (position, orientation) = self.poses[*wall as usize];
        let near = piece.closest_point(orientation.conjugate() * (center - position));
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
        center.distance_squared(middle) <= reach * reach
            && self.closest(patch, center).distance <= limit
    }
}

/// Scratch memory for [`Scope::find_contacts`].
#[derive(Debug, Clone, Default)]
pub struct Detection {
    found: Vec<Vec<Contact>>,
}

/// What the narrow phase needs to know.
#[derive(Clone, Copy)]
struct Geometry<'a> {
    bodies: &'a Bodies,
    positions: &'a [DVec3],
    patches: &'a Patches,
    dimension: Dimension,
}

impl Geometry<'_> {
    /// Whether the gap of a pair can be negative: for most pairs of bodies no root is needed to rule that out.
    fn may_overlap(&self, (a, partner): ContactKey) -> bool {
        let Partner::Body(b) = partner else {
            return true;
        };
        let (i, j) = (a as usize, b as usize);
        let touch = self.bodies.radius[i] + self.bodies.radius[j];
        let apart = self.positions[i].distance_squared(self.positions[j]) > touch * touch;
        !apart || self.dimension == Dimension::Line
    }

    /// The contact of a listed pair; `None` where its normal would leave the plane of motion.
    #[inline]
    fn contact(&self, (a, partner): ContactKey) -> Option<Contact> {
        let i = a as usize;
        let center = self.positions[i];
        match partner {
            Partner::Body(b) => {
                let j = b as usize;
                let touch = self.bodies.radius[i] + self.bodies.radius[j];
                if self.dimension == Dimension::Line {
                    // The order of the bodies gives the normal, also when they are at one point.
                    let gap = self.positions[j].x - center.x - touch;
                    return Some(Contact {
                        a,
                        partner,
                        normal: DVec3::NEG_X,
                        gap,
                    });
                }
                let offset = center - self.positions[j];
                let distance = offset.length();
                let normal = if distance > 0.0 {
                    offset / distance
                } else {
                    DVec3::X
                };
                Some(Contact {
                    a,
                    partner,
                    normal,
                    gap: distance - touch,
                })
            }
            Partner::Patch(patch) => {
                let near = self.patches.closest(patch as usize, center);
                let gap = near.distance - self.bodies.radius[i];
                let normal = match self.dimension {
                    Dimension::Space => near.normal,
                    Dimension::Plane => in_subspace(near.normal, DVec3::new(1.0, 1.0, 0.0))?,
                    Dimension::Line => in_subspace(near.normal, DVec3::X)?,
                };
                Some(Contact {
                    a,
                    partner,
                    normal,
                    gap,
                })
            }
        }
    }
}

/// A normal with rounding taken out of the locked directions; `None` if it really points there.
fn in_subspace(normal: DVec3, free: DVec3) -> Option<DVec3> {
    let flat = normal * free;
    ((normal - flat).length_squared() < 1e-12).then(|| flat.normalize())
}

/// What a step is detected from.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The bodies.
    pub bodies: &'a Bodies,
    /// Where their centres are, m.
    pub positions: &'a [DVec3],
    /// The walls, where they are now.
    pub patches: &'a Patches,
    /// In how many dimensions the bodies move.
    pub dimension: Dimension,
    /// The listed pairs, sorted.
    pub keys: &'a [ContactKey],
}

impl<'a> Scope<'a> {
    fn geometry(&self) -> Geometry<'a> {
        Geometry {
            bodies: self.bodies,
            positions: self.positions,
            patches: self.patches,
            dimension: self.dimension,
        }
    }

    /// Finds the listed pairs whose gap is at most the sum of their allowances (m; how far each
    /// body, and any wall, may go), and those in `forced` (sorted) whatever their gap, in the order
    /// of the list.
    pub fn find_contacts(
        &self,
        allowance: &[f64],
        wall_allowance: f64,
        forced: &[ContactKey],
        detection: &mut Detection,
        contacts: &mut Vec<Contact>,
    ) {
        let (keys, geometry) = (self.keys, self.geometry());
        let chunks = keys.len().div_ceil(CHUNK);
        if detection.found.len() < chunks {
            detection.found.resize_with(chunks, Vec::new);
        }
        let found = &mut detection.found[..chunks];
        parallel::each_mut(found, |chunk, found| {
            found.clear();
            let end = keys.len().min((chunk + 1) * CHUNK);
            for &key in &keys[chunk * CHUNK..end] {
                let own = allowance[key.0 as usize];
                let other = match key.1 {
                    Partner::Body(b) => allowance[b as usize],
                    Partner::Patch(_) => wall_allowance,
                };
                found.extend(
                    geometry
                        .contact(key)
                        .filter(|c| c.gap <= own + other || forced.binary_search(&key).is_ok()),
                );
            }
        });
        contacts.clear();
        for found in found.iter() {
            contacts.extend_from_slice(found);
        }
    }

    /// Finds the listed pairs, whatever their gaps.
    pub fn all_contacts(&self, contacts: &mut Vec<Contact>) {
        let geometry = self.geometry();
        contacts.clear();
        contacts.extend(self.keys.iter().filter_map(|&key| geometry.contact(key)));
    }

    /// How deep the listed pairs overlap at most, m; zero if none does.
    pub fn deepest_overlap(&self, partials: &mut Vec<f64>) -> f64 {
        let (keys, geometry) = (self.keys, self.geometry());
        partials.clear();
        partials.resize(keys.len().div_ceil(CHUNK), 0.0);
        parallel::each_mut(partials, |chunk, deepest| {
            let end = keys.len().min((chunk + 1) * CHUNK);
            let listed = keys[chunk * CHUNK..end].iter();
            let depths = listed
                .filter(|&&key| geometry.may_overlap(key))
                .filter_map(|&key| geometry.contact(key))
                .map(|c| -c.gap);
            *deepest = depths.fold(0.0, f64::max);
        });
        partials.iter().copied().fold(0.0, f64::max)
    }

    /// Adds to `missed` the listed pairs that are not among `contacts` and of which `is_missed` says
    /// that they should have been. Only a body that went `farther` than its allowance can have met
    /// one, so pairs without such a body are not asked about.
    pub fn missed_contacts(
        &self,
        contacts: &[Contact],
        farther: &[bool],
        is_missed: impl Fn(&Contact) -> bool,
        missed: &mut Vec<ContactKey>,
    ) {
        let geometry = self.geometry();
        let mut known = contacts.iter().peekable();
        for &key in self.keys {
            if known.peek().is_some_and(|c| c.key() == key) {
                known.next();
                continue;
            }
            let other_went = matches!(key.1, Partner::Body(b) if farther[b as usize]);
            if !other_went && !farther[key.0 as usize] {
                continue;
            }
            if geometry.contact(key).is_some_and(|c| is_missed(&c)) {
                missed.push(key);
            }
        }
    }
}
