//! A periodic cell at one time: which image of a body is near another, where it is, and how it moves.
//!
//! The equations are those of [`super::Cell`], with [lees1972] for shear.

use crate::math::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Which image of a body: how many cells away along each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Image(pub [i8; 3]);

impl Image {
    /// The body itself.
    pub const SELF: Self = Self([0; 3]);

    fn to_vector(self) -> DVec3 {
        DVec3::from_array(self.0.map(f64::from))
    }
}

/// How a cell changes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CellRate {
    /// Ṡ, m/s.
    pub size: DVec3,
    /// γ̇, 1/s.
    pub shear: f64,
}

/// A cell at one time, as far as it matters to pairs of bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    center: DVec3,
    size: DVec3,
    /// 1/S, 1/m; zero along axes that are not periodic.
    inverse: DVec3,
    /// f and g; the same where nothing is sheared.
    axes: [usize; 2],
    /// τ less the whole number next to it at the start of the step: the same lattice, and images stay near.
    tilt: f64,
    rate: CellRate,
}

/// 1/S, 1/m; zero along axes that are not periodic.
fn inverse_of(size: DVec3) -> DVec3 {
    let inverse = |s: f64| if s > 0.0 { 1.0 / s } else { 0.0 };
    DVec3::from_array(size.to_array().map(inverse))
}

impl Lattice {
    /// A cell about a centre (m) with these lengths (m), zero along axes that are not periodic, sheared along the axes
    /// (f, g) by τ, and changing at this rate.
    pub(super) fn new(
        (center, size): (DVec3, DVec3),
        shear: Option<[usize; 2]>,
        tilt: f64,
        rate: CellRate,
    ) -> Self {
        Self {
            center,
            size,
            inverse: inverse_of(size),
            axes: shear.unwrap_or([0, 0]),
            tilt,
            rate,
        }
    }

    /// The image in the cell of what is at `position`, m.
    pub fn inside(&self, position: DVec3) -> DVec3 {
        position - self.shift(self.nearest(position - self.center))
    }

    /// The image of a body that is nearest to another, `apart` (m) from the body to the other.
    #[inline]
    pub fn nearest(&self, mut apart: DVec3) -> Image {
        let [flow, gradient] = self.axes;
        // Halves go up, so that what is brought to the lower face stays there.
        let whole = |x: DVec3| (x + 0.5).floor();
        let along = whole(apart * self.inverse)[gradient];
        if flow != gradient {
            apart[flow] -= along * self.tilt * self.size[flow];
        }
        // A step in which something goes through many cells is no step.
        let count = |x: f64| x.clamp(-100.0, 100.0) as i8;
        let mut image = whole(apart * self.inverse).to_array().map(count);
        image[gradient] = count(along);
        Image(image)
    }

    /// ν: n with the tilt.
    pub fn cells(&self, image: Image) -> DVec3 {
        let mut cells = image.to_vector();
        let [flow, gradient] = self.axes;
        if flow != gradient {
            cells[flow] += cells[gradient] * self.tilt;
        }
        cells
    }

    /// From a body to its image, m.
    #[inline]
    pub fn shift(&self, image: Image) -> DVec3 {
        if image == Image::SELF {
            return DVec3::ZERO;
        }
        self.size * self.cells(image)
    }

    /// The velocity of an image less that of the body, m/s.
    #[inline]
    pub fn velocity(&self, image: Image) -> DVec3 {
        if image == Image::SELF {
            return DVec3::ZERO;
        }
        let mut velocity = self.rate.size * self.cells(image);
        let [flow, gradient] = self.axes;
        velocity[flow] += self.rate.shear * self.size[gradient] * f64::from(image.0[gradient]);
        velocity
    }

    /// L: the velocity gradient of what moves with it, 1/s.
    pub fn flow(&self) -> DMat3 {
        let mut flow = DMat3::from_diagonal(self.rate.size * self.inverse);
        let [along, gradient] = self.axes;
        if along != gradient {
            flow.col_mut(gradient)[along] += self.rate.shear;
        }
        flow
    }

    /// The middle of the cell, m.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// f and g, and the third axis; where nothing is sheared in any order.
    pub fn axes(&self) -> [usize; 3] {
        let [flow, gradient] = self.axes;
        if flow == gradient {
            [0, 1, 2]
        } else {
            [flow, gradient, 3 - flow - gradient]
        }
    }

    /// The tilt τ, at most about a half.
    pub fn tilt(&self) -> f64 {
        self.tilt
    }

    /// S, m; zero along axes that are not periodic.
    pub fn size(&self) -> DVec3 {
        self.size
    }

    /// How it changes.
    pub fn rate(&self) -> CellRate {
        self.rate
    }

    /// The same, changing at another rate.
    pub fn with_rate(self, rate: CellRate) -> Self {
        Self { rate, ..self }
    }

    /// What it is after `time` (s): all images go along straight lines.
    pub fn after(self, time: f64) -> Self {
        let mut next = self;
        next.size += time * self.rate.size;
        next.inverse = inverse_of(next.size);
        let [flow, gradient] = self.axes;
        if flow != gradient {
            next.tilt += time * self.rate.shear * self.size[gradient] * next.inverse[flow];
        }
        next
    }

    /// Calls `visit` for all images but itself of what is `at` (m, from the centre) in the cell that are within `margin`
    /// (m) of it.
    pub fn each_image(&self, at: DVec3, margin: f64, mut visit: impl FnMut(Image)) {
        // Whole numbers n with |x + n S| ≤ S/2 + margin.
        let range = |x: f64, axis: usize| {
            let length = self.size[axis];
            if length == 0.0 {
                return 0..=0;
            }
            let far = 0.5 + margin / length;
            let x = x / length;
            (-far - x).ceil().max(-100.0) as i8..=(far - x).floor().min(100.0) as i8
        };
        let [flow, gradient, third] = self.axes();
        for along in range(at[gradient], gradient) {
            let ahead = at[flow] + f64::from(along) * self.tilt * self.size[flow];
            for ahead in range(ahead, flow) {
                for aside in range(at[third], third) {
                    let mut image = [0; 3];
                    image[flow] = ahead;
                    image[gradient] = along;
                    image[third] = aside;
                    if image != [0; 3] {
                        visit(Image(image));
                    }
                }
            }
        }
    }

    /// A bound for the velocities of images that touch each other's bodies, m/s.
    pub fn speed_bound(&self) -> f64 {
        // Of neighbouring cells n and τ are at most one and a half.
        let [flow, gradient] = self.axes;
        let mut bound = self.rate.size.abs();
        if flow != gradient {
            bound[flow] = 1.5 * bound[flow] + (self.rate.shear * self.size[gradient]).abs();
        }
        bound.length()
    }
}
