//! How projections change with what is projected.

use super::parts::Parts;
use super::yield_profile::YieldProfile;
use super::{AdmissibleSet, DVec3, Screw};

impl AdmissibleSet {
    /// The derivative of [`AdmissibleSet::augmented_projection_screw`] at `impulse` in a direction; at a kink, that from
    /// where more is cut.
    pub fn augmented_projection_derivative(
        self,
        impulse: Screw,
        direction: Screw,
        normal: DVec3,
    ) -> Screw {
        let (parts, change) = (Parts::of(impulse, normal), Parts::of(direction, normal));
        match self {
            Self::Free => return direction,
            Self::Segment { limit } => return within_segment(&parts, &change, limit, normal),
            Self::Yield {
                friction,
                rounding,
                cap,
            } => {
                let profile = YieldProfile::new(friction, rounding, cap);
                return within_section(profile, [-rounding, cap], (&parts, &change), normal);
            }
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => {}
        }
        if parts.along <= 0.0 {
            return Screw::default();
        }
        let limits = self.limits();
        let vectors: [DVec3; 3] = std::array::from_fn(|i| {
            let (length, radius) = (parts.lengths[i], limits[i] * parts.along);
            if length < radius {
                return change.vectors[i];
            }
            if limits[i] == 0.0 {
                return DVec3::ZERO;
            }
            let unit = parts.vectors[i] / length;
            let radial = unit.dot(change.vectors[i]) * unit;
            limits[i] * change.along * unit + radius / length * (change.vectors[i] - radial)
        });
        Screw {
            linear: change.along * normal + vectors[0],
            angular: vectors[1] + vectors[2],
        }
    }

    /// The derivative of P_K (in the plain metric) at `impulse` in a direction. Where P_K has a kink (on the edge of K
    /// and of its polar cone) it is the one from inside K, or towards the polar cone.
    pub fn derivative(self, impulse: Screw, direction: Screw, normal: DVec3) -> Screw {
        let (parts, change) = (Parts::of(impulse, normal), Parts::of(direction, normal));
        match self {
            Self::Free => return direction,
            Self::Segment { limit } => return within_segment(&parts, &change, limit, normal),
            Self::Yield {
                friction,
                rounding,
                cap,
            } => {
                let profile = YieldProfile::new(friction, rounding, cap);
                return along_profile(profile, (&parts, &change), normal);
            }
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => {}
        }
        let limits = self.limits();
        let along = parts.nearest_along(limits, 1.0);
        if along <= 0.0 && (parts.along < 0.0 || parts.lengths != [0.0; 3]) {
            return Screw::default();
        }
        // Which parts are cut, and how their lengths change.
        let cut: [bool; 3] = std::array::from_fn(|i| parts.lengths[i] > limits[i] * along);
        let unit: [DVec3; 3] =
            std::array::from_fn(|i| parts.vectors[i].try_normalize().unwrap_or(DVec3::ZERO));
        let (mut slope, mut weight) = (change.along, 1.0);
        for i in (0..3).filter(|&i| cut[i]) {
            slope += limits[i] * unit[i].dot(change.vectors[i]);
            weight += limits[i] * limits[i];
        }
        let slope = slope / weight;
        let vectors: [DVec3; 3] = std::array::from_fn(|i| {
            if !cut[i] {
                return change.vectors[i];
            }
            let radial = unit[i].dot(change.vectors[i]) * unit[i];
            let turned = limits[i] * along / parts.lengths[i] * (change.vectors[i] - radial);
            limits[i] * slope * unit[i] + turned
        });
        Screw {
            linear: slope * normal + vectors[0],
            angular: vectors[1] + vectors[2],
        }
    }
}

/// The part of a change along the normal of an impulse that a segment does not cut.
fn within_segment(parts: &Parts, change: &Parts, limit: f64, normal: DVec3) -> Screw {
    let along = if parts.along.abs() < limit {
        change.along
    } else {
        0.0
    };
    Screw::linear(along * normal)
}

/// The direction of the part across the normal, and a change of that part taken apart: along the direction, and the
/// rest, which turns about the normal.
fn radially(parts: &Parts, change: &Parts) -> (DVec3, f64, DVec3) {
    let unit = parts.vectors[0].try_normalize().unwrap_or(DVec3::ZERO);
    let radial = unit.dot(change.vectors[0]);
    (unit, radial, change.vectors[0] - radial * unit)
}

/// The derivative of the projection onto a set with this profile.
fn along_profile(profile: YieldProfile, (parts, change): (&Parts, &Parts), normal: DVec3) -> Screw {
    let (unit, radial, rest) = radially(parts, change);
    let at = [parts.along, parts.lengths[0]];
    let ([along, across], turned) = profile.derivative(at, [change.along, radial]);
    Screw::linear(along * normal + across * unit + turned * rest)
}

/// The derivative of the augmented projection onto a set with this profile, which reaches from `ends[0]` to `ends[1]`
/// along the normal.
fn within_section(
    profile: YieldProfile,
    ends: [f64; 2],
    (parts, change): (&Parts, &Parts),
    normal: DVec3,
) -> Screw {
    let within = ends[0] < parts.along && parts.along < ends[1];
    let rises = if within { change.along } else { 0.0 };
    let (radius, slope) = profile.section(parts.along.max(ends[0]).min(ends[1]));
    let (unit, _, rest) = radially(parts, change);
    let length = parts.lengths[0];
    let across = if length < radius {
        change.vectors[0]
    } else if radius == 0.0 {
        DVec3::ZERO
    } else {
        slope * rises * unit + radius / length * rest
    };
    Screw::linear(rises * normal + across)
}
