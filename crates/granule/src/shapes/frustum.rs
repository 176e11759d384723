//! Cylinders, cones and what is between.

use super::MassProperties;
use crate::math::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A solid truncated cone about the z axis: a cylinder if both radii are the same, a cone if one is zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Frustum {
    /// z of its lower end, m.
    pub bottom: f64,
    /// z of its upper end, m; above `bottom`.
    pub top: f64,
    /// Radius at its lower end, m.
    pub bottom_radius: f64,
    /// Radius at its upper end, m.
    pub top_radius: f64,
}

impl Frustum {
    /// The point that is farthest in a direction (of any length but zero), m.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let across = direction.truncate().normalize_or_zero();
        let lower = (self.bottom_radius * across).extend(self.bottom);
        let upper = (self.top_radius * across).extend(self.top);
        if direction.dot(upper - lower) > 0.0 {
            upper
        } else {
            lower
        }
    }

    /// The radius of the upper or the lower end, m.
    pub(crate) fn end_radius(&self, upper: bool) -> f64 {
        if upper {
            self.top_radius
        } else {
            self.bottom_radius
        }
    }

    /// The cosine of the angle between the axis and the outward normals of the mantle.
    pub(crate) fn mantle_slope(&self) -> f64 {
        let (rise, narrowing) = (self.top - self.bottom, self.bottom_radius - self.top_radius);
        narrowing / rise.hypot(narrowing)
    }

    /// What is wrong with its sizes, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let lengths = [self.bottom, self.top, self.bottom_radius, self.top_radius];
        if lengths.iter().any(|length| !length.is_finite()) {
            return Err(format!("the sizes of a frustum must be finite: {self:?}"));
        }
        if self.top <= self.bottom {
            return Err(format!(
                "the top of a frustum must be above its bottom (m): {} and {}",
                self.top, self.bottom
            ));
        }
        let (narrow, wide) = (
            self.bottom_radius.min(self.top_radius),
            self.bottom_radius.max(self.top_radius),
        );
        if narrow < 0.0 || wide <= 0.0 {
            return Err(format!(
                "the radii of a frustum must not be negative, and one must be positive (m): {} and {}",
                self.bottom_radius, self.top_radius
            ));
        }
        Ok(())
    }

    /// Half the least distance between two parallel planes that hold it between them, m.
    pub fn thickness(&self) -> f64 {
        // Across the ends, or with one plane on the mantle and the other at the opposite rim.
        let length = self.top - self.bottom;
        let wide = self.bottom_radius.max(self.top_radius);
        let slant = length.hypot(self.bottom_radius - self.top_radius);
        (0.5 * length).min(wide * length / slant)
    }

    /// Volume, centre of mass and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        let length = self.top - self.bottom;
        let (lower, upper) = (self.bottom_radius, self.top_radius);
        // ∫ r², ∫ t r², ∫ t² r² and ∫ r⁴ with t from 0 at the bottom to 1 at the top.
        let (ll, lu, uu) = (lower * lower, lower * upper, upper * upper);
        let area = (ll + lu + uu) / 3.0;
        let first = (ll + 2.0 * lu + 3.0 * uu) / 12.0;
        let second = (ll + 3.0 * lu + 6.0 * uu) / 30.0;
        let fourth = (ll * ll + ll * lu + lu * lu + lu * uu + uu * uu) / 5.0;
        let volume = PI * length * area;
        let share = first / area;
        let along = PI * length.powi(3) * (second - share * first);
        // ∫ x² over a disk is π r⁴/4.
        let across = 0.25 * PI * length * fourth;
        let inertia = DVec3::new(across + along, across + along, 2.0 * across);
        MassProperties {
            volume,
            centroid: (self.bottom + share * length) * DVec3::Z,
            inertia: DMat3::from_diagonal(inertia),
        }
    }

    /// The distance of the farthest point from the origin of its frame, m.
    pub fn bounding_radius(&self) -> f64 {
        let lower = self.bottom.hypot(self.bottom_radius);
        lower.max(self.top.hypot(self.top_radius))
    }
}
