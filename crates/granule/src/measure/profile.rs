//! Density and velocity along an axis, bin by bin.
//!
//! A bin is a slice of a region. A grain belongs to the region by where its centre is across the axis, and along the
//! axis it counts in each bin with the part of its volume between the two planes, which for a ball is exact: below a
//! plane at the height `x` (in radii, from the centre) lie `(2 + 3x - x³)/4` of a ball and
//! `½ + (x √(1-x²) + asin x)/π` of a disk. Mass and momentum are those of the part.

use super::{Grain, Moment, Region};
use crate::bodies::Dimension;
use crate::math::DVec3;
use std::f64::consts::PI;

/// A region cut into equal slices along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slices {
    region: Region,
    axis: DVec3,
    ends: [f64; 2],
    area: f64,
    count: usize,
}

/// What is in a slice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slice {
    /// The middle along the axis, m.
    pub middle: f64,
    /// Grains, the parts of those that are cut added up.
    pub number: f64,
    /// Volume of grains over the volume.
    pub solid_fraction: f64,
    /// Mass over the volume, kg/m³ (in a plane kg/m², on a line kg/m).
    pub density: f64,
    /// Mean over the mass, m/s; zero where there is none.
    pub velocity: DVec3,
    /// The mean square over the mass of a component of the velocity about the mean, m²/s².
    pub temperature: f64,
}

impl Slices {
    /// So many slices of a box along x, y or z (`axis` 0, 1 or 2), or of a cylinder along its own axis. `None` for other
    /// regions and axes, and where there is no volume.
    ///
    /// ```
    /// use granule::bodies::Dimension;
    /// use granule::math::DVec3;
    /// use granule::measure::{Grain, Moment, Region, Slices};
    /// let region = Region::Box { min: DVec3::splat(-1.0), max: DVec3::ONE };
    /// let slices = Slices::new(region, DVec3::Z, 2, Dimension::Space).unwrap();
    /// let grain = Grain {
    ///     id: 0,
    ///     position: DVec3::ZERO,
    ///     velocity: DVec3::X,
    ///     radius: 1.0,
    ///     mass: 6.0,
    ///     volume: Dimension::Space.ball_volume(1.0),
    ///     material: 0,
    /// };
    /// let moment = Moment::new(Dimension::Space, 0.0, vec![grain]);
    /// // Half of it is above, half below.
    /// let profile = slices.of(&moment);
    /// assert_eq!((profile[0].middle, profile[0].number), (-0.5, 0.5));
    /// assert!((profile[1].density - 0.75).abs() < 1e-15);
    /// assert_eq!(profile[1].velocity, DVec3::X);
    /// ```
    pub fn new(region: Region, axis: DVec3, count: usize, dimension: Dimension) -> Option<Self> {
        let axis = axis.try_normalize()?;
        let (ends, area) = match region {
            Region::Everywhere | Region::Sphere { .. } => return None,
            Region::Box { min, max } => {
                let along = (0..dimension.count()).find(|&k| DVec3::AXES[k] == axis)?;
                let others = (0..dimension.count()).filter(|&k| k != along);
                let area = others.map(|k| max[k] - min[k]).product();
                ([min[along], max[along]], area)
            }
            Region::Cylinder {
                center,
                axis: own,
                radius,
                length,
            } => {
                if axis.dot(own).abs() < 1.0 - 1e-12 {
                    return None;
                }
                let middle = axis.dot(center);
                let ends = [middle - 0.5 * length, middle + 0.5 * length];
                (ends, PI * radius * radius)
            }
        };
        let sound = ends[1] > ends[0] && area > 0.0 && count > 0;
        sound.then_some(Self {
            region,
            axis,
            ends,
            area,
            count,
        })
    }

    /// Whether a point is in the region, wherever it is along the axis.
    fn across(&self, point: DVec3) -> bool {
        let middle = 0.5 * (self.ends[0] + self.ends[1]);
        self.region
            .holds(point + (middle - self.axis.dot(point)) * self.axis)
    }

    /// What is in each slice.
    pub fn of(&self, moment: &Moment) -> Vec<Slice> {
        let width = (self.ends[1] - self.ends[0]) / self.count as f64;
        let volume = width * self.area;
        let edge = |k: usize| self.ends[0] + width * k as f64;
        let mut slices: Vec<Slice> = (0..self.count)
            .map(|k| Slice {
                middle: edge(k) + 0.5 * width,
                ..Slice::default()
            })
            .collect();
        let images = self.images(moment);
        let all = || moment.grains.iter().chain(&images);
        let grains = || all().filter(|grain| self.across(grain.position));
        // First the means, then what is about them.
        for grain in grains() {
            self.each_part(grain, width, moment.dimension, |k, part| {
                let slice = &mut slices[k];
                slice.number += part;
                slice.solid_fraction += part * grain.volume;
                slice.density += part * grain.mass;
                slice.velocity += part * grain.mass * grain.velocity;
            });
        }
        for slice in slices.iter_mut().filter(|slice| slice.density > 0.0) {
            slice.velocity /= slice.density;
        }
        for grain in grains() {
            self.each_part(grain, width, moment.dimension, |k, part| {
                let slice = &mut slices[k];
                let about = (grain.velocity - slice.velocity).length_squared();
                slice.temperature += part * grain.mass * about;
            });
        }
        for slice in &mut slices {
            if slice.density > 0.0 {
                slice.temperature /= slice.density * moment.dimension.count() as f64;
            }
            slice.density /= volume;
            slice.solid_fraction /= volume;
        }
        slices
    }

    /// Where the profile goes along an axis of a periodic cell, the images of grains that are above or below it.
    fn images(&self, moment: &Moment) -> Vec<Grain> {
        let mut all = Vec::new();
        let along = self.axis.abs().cmpgt(DVec3::splat(1.0 - 1e-9));
        if let (Some(cell), true) = (&moment.cell, along.any()) {
            for grain in &moment.grains {
                let at = grain.position - cell.center();
                cell.each_image(at, grain.radius, |image| {
                    let shift = cell.shift(image);
                    let inside = (at + shift).abs().cmple(0.5 * cell.size());
                    let open = cell.size().cmpeq(DVec3::ZERO);
                    if (inside | open | along).all() {
                        all.push(Grain {
                            position: grain.position + shift,
                            velocity: grain.velocity + cell.velocity(image),
                            ..*grain
                        });
                    }
                });
            }
        }
        all
    }

    /// Gives every slice that a grain meets, and the part of the grain in it.
    fn each_part(
        &self,
        grain: &Grain,
        width: f64,
        dimension: Dimension,
        mut give: impl FnMut(usize, f64),
    ) {
        let radius = dimension.ball_radius(grain.volume);
        let height = self.axis.dot(grain.position) - self.ends[0];
        let first = ((height - radius) / width).floor().max(0.0) as usize;
        for k in first..self.count {
            let below = k as f64 * width - height;
            if below > radius {
                break;
            }
            let part_to = |edge: f64| match radius > 0.0 {
                true => part_below(edge / radius, dimension),
                // A point belongs to the slice that begins at it.
                false => f64::from(u8::from(edge > 0.0)),
            };
            let part = part_to(below + width) - part_to(below);
            if part > 0.0 {
                give(k, part);
            }
        }
    }
}

/// The part of the unit ball (disk, segment) below a height, from 0 to 1.
pub(super) fn part_below(height: f64, dimension: Dimension) -> f64 {
    let x = height.clamp(-1.0, 1.0);
    match dimension {
        Dimension::Line => 0.5 * (1.0 + x),
        Dimension::Plane => 0.5 + (x * (1.0 - x * x).sqrt() + x.asin()) / PI,
        Dimension::Space => 0.25 * (2.0 + 3.0 * x - x * x * x),
    }
}

#[cfg(test)]
mod tests {
    use super::super::solid_fraction;
    use super::super::test_moments::cloud;
    use super::*;

    #[test]
    fn slices_add_up_to_what_is_there() {
        let moment = cloud(500, 5);
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let region = Region::Cylinder {
            center: DVec3::ZERO,
            axis,
            radius: 10.0,
            length: 10.0,
        };
        let slices = Slices::new(region, axis, 77, Dimension::Space).unwrap();
        let profile = slices.of(&moment);
        let volume = PI * 100.0 * 10.0 / 77.0;
        let mass: f64 = profile.iter().map(|slice| slice.density * volume).sum();
        let momentum: DVec3 = (profile.iter())
            .map(|slice| slice.density * volume * slice.velocity)
            .sum();
        let all: f64 = moment.grains.iter().map(|g| g.mass).sum();
        let moves: DVec3 = moment.grains.iter().map(|g| g.mass * g.velocity).sum();
        assert!((mass / all - 1.0).abs() < 1e-12);
        assert!((momentum - moves).length() < 1e-10);
        let number: f64 = profile.iter().map(|slice| slice.number).sum();
        assert!((number - 500.0).abs() < 1e-9);
    }

    #[test]
    fn a_slice_is_the_region_that_it_is() {
        let moment = cloud(300, 6);
        let wide = Region::Box {
            min: DVec3::new(-3.0, -3.0, -0.5),
            max: DVec3::new(3.0, 3.0, 0.5),
        };
        let slices = Slices::new(wide, DVec3::Z, 4, Dimension::Space).unwrap();
        for slice in slices.of(&moment) {
            let region = Region::Box {
                min: DVec3::new(-3.0, -3.0, slice.middle - 0.125),
                max: DVec3::new(3.0, 3.0, slice.middle + 0.125),
            };
            let found = solid_fraction(&moment, &region);
            assert!((found / slice.solid_fraction - 1.0).abs() < 1e-12);
        }
        assert!(Slices::new(wide, DVec3::new(1.0, 1.0, 0.0), 4, Dimension::Space).is_none());
        assert!(Slices::new(Region::Everywhere, DVec3::Z, 4, Dimension::Space).is_none());
    }

    #[test]
    fn shear_has_its_profile_and_no_temperature() {
        let mut moment = cloud(400, 8);
        for grain in &mut moment.grains {
            grain.velocity = DVec3::new(3.0, 0.0, 0.0);
        }
        let region = Region::Box {
            min: DVec3::splat(-1.0),
            max: DVec3::splat(1.0),
        };
        for slice in Slices::new(region, DVec3::Z, 5, Dimension::Space)
            .unwrap()
            .of(&moment)
        {
            assert!((slice.velocity - 3.0 * DVec3::X).length() < 1e-12);
            assert!(slice.temperature < 1e-20);
        }
    }
}
