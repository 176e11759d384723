//! One moment of a simulation, as measures see it.

use crate::bodies::{Dimension, Image, Lattice};
use crate::math::DVec3;

/// A grain: a body that moves by forces and has a shape of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// Its name, which stays while others come and go.
    pub id: u32,
    /// Centre of mass, m.
    pub position: DVec3,
    /// m/s.
    pub velocity: DVec3,
    /// m; of a body that is no sphere that of a sphere about its centre that holds it.
    pub radius: f64,
    /// kg.
    pub mass: f64,
    /// m³; in a plane m², on a line m.
    pub volume: f64,
    /// Index of the material.
    pub material: u16,
}

/// A point where a grain touches another or something that is no grain: a wall, or a body that moves as prescribed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Place of the grain in [`Moment::grains`].
    pub grain: usize,
    /// Place of the other grain, if it is one.
    pub other: Option<usize>,
    /// The contact point, m.
    pub point: DVec3,
    /// Unit normal, towards `grain`.
    pub normal: DVec3,
    /// The force on `grain`, N.
    pub force: DVec3,
}

/// The grains of one moment in the order of their ids, and the contacts between them that carry a force.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::DVec3;
/// use granule::measure::{Grain, Moment};
/// let ball = |id, z| Grain {
///     id,
///     position: DVec3::new(0.0, 0.0, z),
///     velocity: DVec3::ZERO,
///     radius: 0.1,
///     mass: 1.0,
///     volume: Dimension::Space.ball_volume(0.1),
///     material: 0,
/// };
/// let mut moment = Moment::new(Dimension::Space, 0.0, vec![ball(7, 0.3), ball(2, 0.1)]);
/// assert_eq!(moment.place_of(7), Some(1));
/// moment.add_contact([7, 2].map(Some), DVec3::new(0.0, 0.0, 0.2), DVec3::Z, 9.81 * DVec3::Z);
/// assert_eq!(moment.touches[0].other, Some(0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// In how many dimensions the grains move.
    pub dimension: Dimension,
    /// s.
    pub time: f64,
    /// In the order of ids.
    pub grains: Vec<Grain>,
    /// Contacts of grains.
    pub touches: Vec<Touch>,
    /// The periodic cell that the grains are in, if they are in one.
    pub cell: Option<Lattice>,
    /// How far each grain has come through the faces of the cell, m; empty without one.
    pub through: Vec<DVec3>,
}

impl Moment {
    /// These grains, in any order, without contacts.
    pub fn new(dimension: Dimension, time: f64, mut grains: Vec<Grain>) -> Self {
        grains.sort_unstable_by_key(|grain| grain.id);
        Self {
            dimension,
            time,
            grains,
            touches: Vec::new(),
            cell: None,
            through: Vec::new(),
        }
    }

    /// The same grains in a periodic cell, where `through` tells for each id how far (m) the grain has come through its
    /// faces: from where it is to where it would be had it not been brought back.
    pub fn in_cell(mut self, cell: Lattice, through: impl Fn(u32) -> DVec3) -> Self {
        self.cell = Some(cell);
        self.through = self.grains.iter().map(|grain| through(grain.id)).collect();
        self
    }

    /// Where the grain at a place would be had it not been brought back into a cell, m.
    pub fn unfolded(&self, place: usize) -> DVec3 {
        let through = self.through.get(place).copied().unwrap_or_default();
        self.grains[place].position + through
    }

    /// The velocity of a grain less that of the flow of its cell there, m/s.
    pub(super) fn peculiar(&self, grain: &Grain) -> DVec3 {
        match &self.cell {
            None => grain.velocity,
            Some(cell) => grain.velocity - cell.flow() * (grain.position - cell.center()),
        }
    }

    /// Calls `visit` with the position of a grain (m), and of those of its images that reach into its cell.
    pub(super) fn each_place(&self, grain: &Grain, mut visit: impl FnMut(DVec3)) {
        visit(grain.position);
        if let Some(cell) = &self.cell {
            let at = grain.position - cell.center();
            cell.each_image(at, grain.radius, |image| {
                visit(grain.position + cell.shift(image))
            });
        }
    }

    /// Calls `visit` with the branch of a contact ([`Moment::branch`]), and with those of its images that reach into
    /// the cell.
    pub(super) fn each_branch(&self, touch: &Touch, mut visit: impl FnMut([DVec3; 2])) {
        let [from, to] = self.branch(touch);
        visit([from, to]);
        let Some(cell) = &self.cell else {
            return;
        };
        // The faces that the branch goes through.
        let beyond = cell.nearest(from - cell.center());
        let mut images = [Image::SELF; 8];
        for (mask, image) in images.iter_mut().enumerate() {
            for axis in 0..3 {
                if mask >> axis & 1 == 1 {
                    image.0[axis] = beyond.0[axis];
                }
            }
        }
        for (k, image) in images.iter().enumerate().skip(1) {
            if !images[..k].contains(image) {
                let shift = cell.shift(*image);
                visit([from - shift, to - shift]);
            }
        }
    }

    /// The place of the grain with this id.
    pub fn place_of(&self, id: u32) -> Option<usize> {
        self.grains.binary_search_by_key(&id, |grain| grain.id).ok()
    }

    /// Adds a contact between the bodies with these ids (`None` for a wall) at a point (m), with a unit normal towards
    /// the first and a force (N) on it. One in which there is no grain is left out.
    pub fn add_contact(
        &mut self,
        ids: [Option<u32>; 2],
        point: DVec3,
        normal: DVec3,
        force: DVec3,
    ) {
        let [first, second] = ids.map(|id| self.place_of(id?));
        let (grain, other, sign) = match (first, second) {
            (Some(grain), other) => (grain, other, 1.0),
            (None, Some(grain)) => (grain, None, -1.0),
            (None, None) => return,
        };
        self.touches.push(Touch {
            grain,
            other,
            point,
            normal: sign * normal,
            force: sign * force,
        });
    }

    /// From the centre of what a contact's grain touches (the point itself, if that is no grain) to the centre of the
    /// grain, m: the two ends of the branch.
    pub(super) fn branch(&self, touch: &Touch) -> [DVec3; 2] {
        let from = touch
            .other
            .map_or(touch.point, |place| self.grains[place].position);
        let to = self.grains[touch.grain].position;
        match &self.cell {
            None => [from, to],
            Some(cell) => [from + cell.shift(cell.nearest(to - from)), to],
        }
    }

    /// The corners of the box around all grains, m; zero if there are none.
    pub fn bounds(&self) -> [DVec3; 2] {
        let balls = self.grains.iter();
        let boxes = balls.map(|g| [g.position - g.radius, g.position + g.radius]);
        boxes
            .reduce(|[min, max], [low, high]| [min.min(low), max.max(high)])
            .unwrap_or_default()
    }
}
