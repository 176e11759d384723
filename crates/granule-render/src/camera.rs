//! Where the picture is taken from.
//!
//! Camera coordinates: x to the right, y up, z away from the viewer. Pixel coordinates: x to the
//! right, y *down*, the corner of the first pixel at the origin.

use glam::{DMat3, DVec3, Vec3};

/// How points become pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// Seen from the camera's place; pixels a unit of x/z.
    Perspective(f64),
    /// Seen from infinitely far away; pixels a metre.
    Orthographic(f64),
}

/// A camera with its picture size.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    /// m.
    pub eye: DVec3,
    /// Its columns are the directions right, up and forward, in the world.
    pub axes: DMat3,
    /// How points become pixels.
    pub projection: Projection,
    /// The pixel coordinates of the middle of the picture.
    pub middle: [f64; 2],
}

/// Half of the vertical opening angle: its tangent.
const OPENING: f64 = 0.26;
/// The part of the picture that the scene may fill.
const FILL: f64 = 0.92;

impl Camera {
    /// A camera that looks along `forward` (not vertical) and sees all the given spheres
    /// (centre, radius) as large as the picture allows. `up` is the vertical.
    pub fn framing(
        spheres: impl Iterator<Item = (DVec3, f64)>,
        forward: DVec3,
        up: DVec3,
        perspective: bool,
        size: [f64; 2],
    ) -> Self {
        let forward = forward.normalize();
        let right = forward.cross(up).normalize();
        let axes = DMat3::from_cols(right, right.cross(forward), forward);
        let scale = FILL * OPENING / size[1].min(size[0] * 0.75);
        let tangent = [scale * size[0], scale * size[1]];
        // For each of left and right (bottom and top): how far the farthest point sticks out of
        // the view through the origin. An eye at (x, y, -d) sees all of it if
        // reach[axis][side] ± eye[axis] ≤ d tangent[axis].
        let slope = |axis: usize| if perspective { tangent[axis] } else { 0.0 };
        let mut reach = [[f64::NEG_INFINITY; 2]; 2];
        let mut nearest = f64::INFINITY;
        for (center, radius) in spheres {
            let p = axes.transpose() * center;
            if !p.is_finite() || !radius.is_finite() {
                continue;
            }
            nearest = nearest.min(p.z - radius);
            for axis in 0..2 {
                let t = slope(axis);
                let margin = radius * (1.0 + t * t).sqrt() - t * p.z;
                reach[axis][0] = reach[axis][0].max(margin - p[axis]);
                reach[axis][1] = reach[axis][1].max(margin + p[axis]);
            }
        }
        if !nearest.is_finite() {
            (reach, nearest) = ([[1.0; 2]; 2], -1.0);
        }
        let place = |axis: usize| 0.5 * (reach[axis][1] - reach[axis][0]);
        let width = |axis: usize| 0.5 * (reach[axis][1] + reach[axis][0]) / tangent[axis];
        let distance = width(0).max(width(1)).max(1e-30);
        let focal = FILL * 0.5 * size[1] / tangent[1];
        let (projection, back) = if perspective {
            // Nothing may be behind the eye, however flat the scene is.
            (
                Projection::Perspective(focal),
                (-distance).min(nearest - 0.02 * distance),
            )
        } else {
            (
                Projection::Orthographic(focal / distance),
                nearest - distance,
            )
        };
        let eye = axes * DVec3::new(place(0), place(1), back);
        Self {
            eye,
            axes,
            projection,
            middle: [0.5 * size[0], 0.5 * size[1]],
        }
    }

    /// The same camera with all so many times larger.
    pub fn zoomed(self, factor: f64) -> Self {
        Self {
            projection: match self.projection {
                Projection::Perspective(focal) => Projection::Perspective(factor * focal),
                Projection::Orthographic(scale) => Projection::Orthographic(factor * scale),
            },
            ..self
        }
    }

    /// The same camera somewhere else.
    pub fn moved_to(self, eye: DVec3) -> Self {
        Self { eye, ..self }
    }

    /// The same camera with a pixel for each `stride` of a row and each `stride` rows, through whose middle it looks as
    /// through that of the first of them.
    pub fn every(self, stride: usize) -> Self {
        let stride = stride as f64;
        Self {
            projection: match self.projection {
                Projection::Perspective(focal) => Projection::Perspective(focal / stride),
                Projection::Orthographic(scale) => Projection::Orthographic(scale / stride),
            },
            middle: self.middle.map(|middle| (middle - 0.5) / stride + 0.5),
            ..self
        }
    }

    /// A point in camera coordinates.
    pub fn view(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.eye)
    }

    /// The ray of a pixel in camera coordinates: origin and direction, whose z is 1.
    pub fn ray(&self, x: f64, y: f64) -> (DVec3, DVec3) {
        let (x, y) = (x - self.middle[0], self.middle[1] - y);
        match self.projection {
            Projection::Perspective(focal) => (DVec3::ZERO, DVec3::new(x / focal, y / focal, 1.0)),
            Projection::Orthographic(scale) => (DVec3::new(x / scale, y / scale, 0.0), DVec3::Z),
        }
    }

    /// How pixels become points, in single precision.
    pub fn sight(&self) -> Sight {
        let (constant, slope) = match self.projection {
            Projection::Perspective(focal) => (0.0, 1.0 / focal),
            Projection::Orthographic(scale) => (1.0 / scale, 0.0),
        };
        Sight {
            middle: self.middle.map(|m| m as f32),
            constant: constant as f32,
            slope: slope as f32,
        }
    }

    /// Pixels a metre at a depth.
    pub fn scale(&self, depth: f64) -> f64 {
        match self.projection {
            Projection::Perspective(focal) => focal / depth,
            Projection::Orthographic(scale) => scale,
        }
    }

    /// The pixel coordinates of a point in camera coordinates; `None` behind the eye.
    pub fn project(&self, p: DVec3) -> Option<[f64; 2]> {
        let scale = self.scale(p.z);
        let pixel = [self.middle[0] + scale * p.x, self.middle[1] - scale * p.y];
        (p.z > 0.0 && p.is_finite()).then_some(pixel)
    }

    /// The pixel box of a sphere in camera coordinates: x from, x to, y from, y to; `None` if it
    /// is not wholly in front of the eye.
    pub fn outline(&self, center: DVec3, radius: f64) -> Option<[f64; 4]> {
        if !(center.is_finite() && radius.is_finite() && center.z > radius) {
            return None;
        }
        // The tangents from the eye to the circle in the plane of one axis and z.
        let range = |a: f64| match self.projection {
            Projection::Orthographic(scale) => [scale * (a - radius), scale * (a + radius)],
            Projection::Perspective(focal) => {
                let z = center.z;
                let root = radius * (a * a + z * z - radius * radius).max(0.0).sqrt();
                let below = focal / (z * z - radius * radius);
                [below * (a * z - root), below * (a * z + root)]
            }
        };
        let ([x0, x1], [y0, y1]) = (range(center.x), range(center.y));
        let [mx, my] = self.middle;
        Some([mx + x0, mx + x1, my - y1, my - y0])
    }
}

/// The other way round than a projection: pixels with depths become points in camera coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    middle: [f32; 2],
    /// Metres a pixel at no depth.
    constant: f32,
    /// How that grows with depth.
    slope: f32,
}

impl Sight {
    /// Metres a pixel at a depth.
    #[inline(always)]
    pub fn pixel(&self, depth: f32) -> f32 {
        self.constant + self.slope * depth
    }

    /// The point that is seen at pixel coordinates, so deep.
    #[inline(always)]
    pub fn point(&self, x: f32, y: f32, depth: f32) -> Vec3 {
        let pixel = self.pixel(depth);
        Vec3::new(
            (x - self.middle[0]) * pixel,
            (self.middle[1] - y) * pixel,
            depth,
        )
    }
}
