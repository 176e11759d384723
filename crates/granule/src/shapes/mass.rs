//! Volume, centre and moments of inertia.

use crate::math::{DMat3, DVec3, Pose};

/// How the mass of a solid is distributed, at unit density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// m³.
    pub volume: f64,
    /// Centre of mass, m.
    pub centroid: DVec3,
    /// Inertia tensor about the centre of mass, per density: m⁵.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Those of nothing.
    pub const NONE: Self = Self {
        volume: 0.0,
        centroid: DVec3::ZERO,
        inertia: DMat3::ZERO,
    };

    /// The same solid seen from a frame in which its own has this pose.
    pub fn moved(&self, pose: &Pose) -> Self {
        let turn = DMat3::from_quat(pose.orientation);
        Self {
            volume: self.volume,
            centroid: pose.point(self.centroid),
            inertia: turn * self.inertia * turn.transpose(),
        }
    }

    /// Both solids together.
    pub fn joined(&self, other: &Self) -> Self {
        let volume = self.volume + other.volume;
        if volume == 0.0 {
            return *self;
        }
        let centroid = (self.volume * self.centroid + other.volume * other.centroid) / volume;
        let about =
            |part: &Self| part.inertia + point_inertia(part.centroid - centroid, part.volume);
        Self {
            volume,
            centroid,
            inertia: about(self) + about(other),
        }
    }
}

/// The inertia tensor of a mass at an offset (m): `m (|r|² 1 - r rᵀ)`.
fn point_inertia(offset: DVec3, mass: f64) -> DMat3 {
    let outer = DMat3::from_cols(offset.x * offset, offset.y * offset, offset.z * offset);
    mass * (offset.length_squared() * DMat3::IDENTITY - outer)
}
