//! Periodic cells: grains without walls, whose neighbours beyond a face are those at the other face.
//!
//! A cell is a box with the lengths S about a centre that stays. Along its periodic directions the world repeats:
//! besides a body at x with the velocity v there are *images* of it, one for every n of whole numbers,
//!
//! ```text
//! x + S ∘ ν,   v + Ṡ ∘ ν + γ̇ S_g n_g e_f       with   ν = n + n_g τ e_f
//! ```
//!
//! The cell may change its lengths, and with shear [lees1972] the image of n_g = 1 along the gradient g goes along the
//! flow f: it is τ lengths of the cell ahead, and τ grows by γ̇ S_g/S_f in a second. Bodies are kept in the box; where
//! one leaves it, its image comes in at the other side. All that acts between bodies acts between the nearest of their
//! images, so that nothing depends on where the box is cut out of the world.
//!
//! **What is prescribed moves everything.** Where the prescribed rate of lengths or of shear changes by ΔL in a step,
//! each body is given ΔL x at its start: grains and their images go on in step, and a flow starts with its linear
//! profile. Lengths under a stress are found together with the impulses of contacts, of which those through the faces
//! push them, as if the faces were a piston of the cell's mass.

use super::{CellRate, Dimension, Image, Lattice, TimeFunction};
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// In radii of the largest grain: how long a cell is at least.
const LEAST_LENGTH: f64 = 4.4;

/// What moves the faces of a cell along an axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum Faces {
    /// Nothing.
    #[default]
    Held,
    /// They go apart with this rate of strain, 1/s; negative where they come nearer.
    Strained(TimeFunction),
    /// They are pressed against the grains with this stress: Pa, in a plane N/m.
    Pressed(TimeFunction),
}

/// A shear of all that is in a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shear {
    /// f: the axis along which images are displaced, 0 for x.
    pub flow: usize,
    /// g: the axis along which the velocity changes.
    pub gradient: usize,
    /// γ̇ = dv_f/dx_g, 1/s.
    pub rate: TimeFunction,
}

/// A periodic cell.
///
/// ```
/// use granule::bodies::Cell;
/// use granule::math::DVec3;
/// // A box of 2 m, periodic along x and y.
/// let cell = Cell::new(DVec3::ZERO, DVec3::new(2.0, 2.0, 0.0));
/// let lattice = cell.lattice();
/// // From the one face to the other it is not far.
/// let apart = DVec3::new(1.9, 0.1, 0.0);
/// let image = lattice.nearest(apart);
/// assert_eq!(image.0, [1, 0, 0]);
/// assert!((apart - lattice.shift(image)).distance(DVec3::new(-0.1, 0.1, 0.0)) < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// m; it stays where it is.
    pub center: DVec3,
    /// S, m; zero along axes that are not periodic.
    pub size: DVec3,
    /// The shear, if there is one.
    pub shear: Option<Shear>,
    /// What moves the faces along each axis.
    pub faces: [Faces; 3],
    /// What is moved with faces under a stress, kg; `None` for the mass of all bodies that are in the cell.
    pub mass: Option<f64>,
    /// τ, the lengths of the cell by which images along the gradient are ahead along the flow, counted from the start.
    pub tilt: f64,
    /// The rates at which it changes.
    pub rate: CellRate,
}

impl Cell {
    /// A cell with these lengths (m), zero along axes that are not periodic, that stays as it is.
    pub fn new(center: DVec3, size: DVec3) -> Self {
        Self {
            center,
            size,
            shear: None,
            faces: Default::default(),
            mass: None,
            tilt: 0.0,
            rate: CellRate::default(),
        }
    }

    /// Whether bodies have images along this axis.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.size[axis] > 0.0
    }

    /// Which lengths are under a stress: one along those axes, zero along others.
    pub fn pressed(&self) -> DVec3 {
        let pressed = |faces: &Faces| f64::from(u8::from(matches!(faces, Faces::Pressed(_))));
        DVec3::from_array([0, 1, 2].map(|axis| pressed(&self.faces[axis])))
    }

    /// Its volume, m³; in a plane m². One along axes that are not periodic.
    pub fn volume(&self) -> f64 {
        let lengths = self.size.to_array().into_iter().filter(|s| *s > 0.0);
        lengths.product()
    }

    /// How far it is sheared since the start: the way of an image along the gradient over its distance.
    pub fn shear_strain(&self) -> f64 {
        let Some(shear) = &self.shear else {
            return 0.0;
        };
        self.tilt * self.size[shear.flow] / self.size[shear.gradient]
    }

    /// The cell as it is now.
    pub fn lattice(&self) -> Lattice {
        let axes = self.shear.as_ref();
        Lattice::new(
            (self.center, self.size),
            axes.map(|shear| [shear.flow, shear.gradient]),
            self.tilt - self.tilt.round(),
            self.rate,
        )
    }

    /// The rates that are prescribed for a step of this length (s) from `time` (s) on; under a stress those that are
    /// there.
    pub fn prescribed_rate(&self, time: f64, step: f64) -> CellRate {
        let mut rate = self.rate;
        for (axis, faces) in self.faces.iter().enumerate() {
            match faces {
                Faces::Held => rate.size[axis] = 0.0,
                Faces::Strained(strain) => {
                    rate.size[axis] = strain.mean(time, step) * self.size[axis];
                }
                Faces::Pressed(_) => {}
            }
        }
        let shear = self.shear.as_ref();
        rate.shear = shear.map_or(0.0, |shear| shear.rate.mean(time, step));
        rate
    }

    /// The force (N) with which the faces are pressed over a step of this length (s) from `time` (s) on, along those
    /// axes where they are.
    pub fn press(&self, time: f64, step: f64) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|axis| match &self.faces[axis] {
            Faces::Pressed(stress) => {
                let area = self.volume() / self.size[axis];
                stress.mean(time, step) * area
            }
            Faces::Held | Faces::Strained(_) => 0.0,
        }))
    }

    /// The velocity (m/s) by which a change of the rate from what it is to this one carries what is at `position` (m).
    pub fn carried(&self, rate: CellRate, position: DVec3) -> DVec3 {
        let change = CellRate {
            size: rate.size - self.rate.size,
            shear: rate.shear - self.rate.shear,
        };
        self.lattice().with_rate(change).flow() * (position - self.center)
    }

    /// Makes it that of a lattice that it has become.
    pub fn become_lattice(&mut self, lattice: &Lattice) {
        self.size = lattice.size();
        self.tilt = self.tilt.round() + lattice.tilt();
        self.rate = lattice.rate();
    }

    /// The same image counted from the start: [`Lattice::nearest`] counts in a lattice whose tilt is at most a half.
    pub fn from_start(&self, image: Image) -> [i32; 3] {
        let mut count = image.0.map(i32::from);
        if let Some(shear) = &self.shear {
            let along = i32::from(image.0[shear.gradient]);
            count[shear.flow] -= along * self.tilt.round() as i32;
        }
        count
    }

    /// How far a body has gone through the faces that left the cell `count` times along each axis, m.
    pub fn way_through(&self, count: [i32; 3]) -> DVec3 {
        let mut cells = DVec3::from_array(count.map(f64::from));
        if let Some(shear) = &self.shear {
            cells[shear.flow] += cells[shear.gradient] * self.tilt;
        }
        self.size * cells
    }

    /// The first axis along which it is shorter than two diameters of grains of this radius (m) and some room, and how long
    /// it must be (m): two images of a grain must not both be near another one.
    pub fn too_short(&self, radius: f64) -> Option<(usize, f64)> {
        let least = LEAST_LENGTH * radius;
        let short = |&axis: &usize| self.is_periodic(axis) && self.size[axis] < least;
        (0..3).find(short).map(|axis| (axis, least))
    }

    /// What cannot be simulated about it with grains of at most this radius (m), if anything.
    pub fn validate(&self, dimension: Dimension, radius: f64) -> Result<(), String> {
        let numbers = [self.center, self.size, self.rate.size];
        let finite = numbers.iter().all(|v| v.is_finite())
            && self.tilt.is_finite()
            && self.rate.shear.is_finite();
        if !finite || self.size.min_element() < 0.0 {
            return Err("its lengths must be positive numbers".into());
        }
        if dimension == Dimension::Line {
            return Err("bodies on a line keep their order, and cannot come in at the other end: give `dimension = 2`".into());
        }
        if self.size == DVec3::ZERO {
            return Err("it is not periodic along any axis: leave it out".into());
        }
        if dimension == Dimension::Plane && self.is_periodic(2) {
            return Err(
                "in a plane nothing moves along z: leave `z` out of its periodic axes".into(),
            );
        }
        let name = |axis: usize| ["x", "y", "z"][axis];
        if let Some((axis, least)) = self.too_short(radius) {
            return Err(format!(
                "it is {} m long along {}: at least {least:.3e} m, two diameters and some room, are needed for a grain \
                 not to meet two images of another; take a larger cell",
                self.size[axis],
                name(axis)
            ));
        }
        if let Some(shear) = &self.shear {
            let [flow, gradient] = [shear.flow, shear.gradient];
            if flow == gradient || flow > 2 || gradient > 2 {
                return Err("flow and gradient of its shear must be two different axes".into());
            }
            for axis in [flow, gradient] {
                if !self.is_periodic(axis) {
                    return Err(format!(
                        "it is sheared, and not periodic along {}",
                        name(axis)
                    ));
                }
            }
            shear.rate.validate()?;
        }
        let free = dimension.count();
        for (axis, faces) in self.faces.iter().enumerate() {
            match faces {
                Faces::Held => continue,
                Faces::Strained(rate) => rate.validate()?,
                Faces::Pressed(stress) => {
                    stress.validate()?;
                    if (0..free).any(|other| !self.is_periodic(other)) {
                        return Err(format!(
                            "a stress along {} needs the area of the faces, and so a cell that is periodic along all axes",
                            name(axis)
                        ));
                    }
                }
            }
            if !self.is_periodic(axis) {
                let name = name(axis);
                return Err(format!(
                    "its faces along {name} move, and it is not periodic along {name}"
                ));
            }
        }
        match self.mass {
            Some(mass) if !(mass.is_finite() && mass > 0.0) => {
                Err("its mass must be positive".into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sheared(size: DVec3, tilt: f64, rate: CellRate) -> Cell {
        Cell {
            shear: Some(Shear {
                flow: 0,
                gradient: 1,
                rate: TimeFunction::Constant(rate.shear),
            }),
            tilt,
            rate,
            ..Cell::new(DVec3::new(0.3, -0.2, 0.1), size)
        }
    }

    fn vector(range: f64) -> impl Strategy<Value = DVec3> {
        let one = move || -range..range;
        (one(), one(), one()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn the_nearest_image_is_the_nearest_of_all(
            apart in vector(6.0), tilt in -3.0..3.0f64, flat in any::<bool>(),
        ) {
            let size = DVec3::new(1.0, 1.3, if flat { 0.0 } else { 0.9 });
            let lattice = sheared(size, tilt, CellRate::default()).lattice();
            let found = apart - lattice.shift(lattice.nearest(apart));
            let mut best = f64::INFINITY;
            for n in 0..13 * 13 * 21 {
                let [x, y, z] = [n % 21 - 10, n / 21 % 13 - 6, n / 273 - 6];
                let image = Image([x as i8, y as i8, if flat { 0 } else { z as i8 }]);
                best = best.min((apart - lattice.shift(image)).length());
            }
            // Only what is near enough to touch has to be found (cells are four reaches wide).
            if best < 0.225 {
                prop_assert!((found.length() - best).abs() < 1e-12);
            }
        }

        #[test]
        fn images_go_along_straight_lines(
            tilt in -3.0..3.0f64, size_rate in vector(0.3), shear in -2.0..2.0f64,
            n in (-2..=2i8, -2..=2i8, -2..=2i8), time in 0.0..0.7f64,
        ) {
            let image = Image([n.0, n.1, n.2]);
            let rate = CellRate { size: size_rate, shear };
            let lattice = sheared(DVec3::new(1.0, 1.3, 0.9), tilt, rate).lattice();
            let straight = lattice.shift(image) + time * lattice.velocity(image);
            prop_assert!((lattice.after(time).shift(image) - straight).length() < 1e-12);
            // And with what flows like the cell.
            let flowing = lattice.flow() * lattice.shift(image);
            prop_assert!((lattice.velocity(image) - flowing).length() < 1e-12);
        }

        #[test]
        fn ways_through_faces_are_those_of_images(
            tilt in -30.0..30.0f64, n in (-2..=2i8, -2..=2i8, -2..=2i8),
        ) {
            let image = Image([n.0, n.1, n.2]);
            let cell = sheared(DVec3::new(1.0, 1.3, 0.9), tilt, CellRate::default());
            let way = cell.way_through(cell.from_start(image));
            prop_assert!((way - cell.lattice().shift(image)).length() < 1e-12);
        }
    }

    #[test]
    fn what_cannot_be_is_told() {
        let usual = Cell::new(DVec3::ZERO, DVec3::splat(1.0));
        let wrong = |cell: &Cell, dimension| cell.validate(dimension, 0.1).unwrap_err();
        assert!(usual.validate(Dimension::Space, 0.1).is_ok());
        assert!(wrong(&usual, Dimension::Plane).contains("z"));
        assert!(wrong(&usual, Dimension::Line).contains("order"));
        let small = Cell::new(DVec3::ZERO, DVec3::new(1.0, 0.3, 1.0));
        assert!(wrong(&small, Dimension::Space).contains("along y"));
        let mut open = sheared(DVec3::new(1.0, 0.0, 1.0), 0.0, CellRate::default());
        assert!(wrong(&open, Dimension::Space).contains("not periodic along y"));
        open.shear = None;
        open.faces[0] = Faces::Pressed(TimeFunction::Constant(1.0));
        assert!(wrong(&open, Dimension::Space).contains("area"));
    }
}
