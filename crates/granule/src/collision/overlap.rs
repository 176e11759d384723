//! How deep bodies and walls overlap where they are, pair by pair: for those who place bodies.

use super::manifold::ManifoldScratch;
use super::{Contact, ContactKey, Geometry, Pair, Patches};
use crate::bodies::{Bodies, Cell, Dimension, Lattice, Wall};

/// Asks the narrow phase how deep two overlap.
///
/// ```
/// use granule::bodies::{Dimension, RigidBody};
/// use granule::collision::OverlapSearch;
/// use granule::math::DVec3;
/// use granule::shapes::{Hull, Solid};
/// use granule::simulation::World;
/// let mut world = World::new(Dimension::Space);
/// let cube = Solid::from(Hull::cuboid(DVec3::splat(0.5)));
/// let shape = world.add_shape(cube.clone());
/// for x in [0.0, 0.9] {
///     world.add_solid(&RigidBody::of_shape(&cube, x * DVec3::X, 1.0), shape, 0);
/// }
/// let mut search = OverlapSearch::new(&world.walls, world.dimension);
/// let depth = search.of_bodies(&world.bodies, 0, 1);
/// assert!((depth - 0.1).abs() < 1e-12);
/// ```
#[derive(Debug)]
pub struct OverlapSearch<'a> {
    walls: &'a [Wall],
    patches: Patches,
    dimension: Dimension,
    lattice: Option<Lattice>,
    scratch: ManifoldScratch,
    found: Vec<Contact>,
}

impl<'a> OverlapSearch<'a> {
    /// Walls where they are at time zero; none of them is on a body.
    pub fn new(walls: &'a [Wall], dimension: Dimension) -> Self {
        let mut patches = Patches::new(walls);
        patches.place(walls.iter().map(|wall| wall.kinematics.pose(0.0)));
        Self {
            walls,
            patches,
            dimension,
            lattice: None,
            scratch: ManifoldScratch::default(),
            found: Vec::new(),
        }
    }

    /// In a periodic cell, if there is one.
    pub fn in_cell(self, cell: Option<&Cell>) -> Self {
        let lattice = cell.map(Cell::lattice);
        Self { lattice, ..self }
    }

    /// How deep the bodies at two places overlap, m; zero if they do not.
    pub fn of_bodies(&mut self, bodies: &Bodies, a: usize, b: usize) -> f64 {
        let (low, high) = (a.min(b) as u32, a.max(b) as u32);
        self.deepest(bodies, &[ContactKey::between(low, high)])
    }

    /// How deep the body at a place overlaps a wall, m; zero if it does not.
    pub fn of_wall(&mut self, bodies: &Bodies, body: usize, wall: usize) -> f64 {
        let pieces = 0..self.walls[wall].patches.len() as u32;
        let key = |piece| ContactKey::with_wall(body as u32, wall as u32, piece);
        self.deepest(bodies, &pieces.map(key).collect::<Vec<_>>())
    }

    fn deepest(&mut self, bodies: &Bodies, keys: &[ContactKey]) -> f64 {
        let geometry = Geometry {
            bodies,
            positions: &bodies.position,
            orientations: &bodies.orientation,
            walls: self.walls,
            patches: &self.patches,
            dimension: self.dimension,
            carriers: &[],
            apart: &[],
            lattice: self.lattice,
        };
        self.found.clear();
        for &key in keys {
            let pair = Pair {
                key,
                interface: 0,
                manifold: true,
            };
            geometry.manifold(&pair, 0.0, &mut self.scratch, &mut self.found);
        }
        let depths = self.found.iter().map(|contact| -contact.gap);
        depths.fold(0.0, f64::max)
    }
}
