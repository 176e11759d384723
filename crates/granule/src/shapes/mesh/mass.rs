//! Volume, centre and moments of what a mesh encloses.

use super::{MeshError, TriangleMesh};
use crate::math::{DMat3, DVec3};
use crate::shapes::MassProperties;

impl TriangleMesh {
    /// Volume, centre of mass and inertia of the solid that the mesh encloses, exact to rounding: sums of
    /// integrals over the tetrahedra of each triangle with one point.
    pub fn mass_properties(&self) -> Result<MassProperties, MeshError> {
        let defects = self.defects();
        if !defects.is_empty() {
            return Err(MeshError::NotWatertight(defects));
        }
        let (volume, first, second) = self.moments();
        let shift = first / volume;
        let about_centroid = second - volume * outer(shift);
        let trace = about_centroid.x_axis.x + about_centroid.y_axis.y + about_centroid.z_axis.z;
        Ok(MassProperties {
            volume,
            centroid: self.middle_of_box() + shift,
            inertia: trace * DMat3::IDENTITY - about_centroid,
        })
    }

    /// The volume `∫ 1`, `∫ x` and `∫ x xᵀ` over the solid, with x from the middle of the box.
    pub(super) fn moments(&self) -> (f64, DVec3, DMat3) {
        let middle = self.middle_of_box();
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in 0..self.triangles.len() as u32 {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - middle);
            // Of the tetrahedron with the corners 0, a, b, c.
            let part = a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            volume += part;
            first += part / 4.0 * sum;
            second += part / 20.0 * (outer(sum) + outer(a) + outer(b) + outer(c));
        }
        (volume, first, second)
    }

    fn middle_of_box(&self) -> DVec3 {
        let [min, max] = self.bounds();
        0.5 * min + 0.5 * max
    }
}

/// `a aᵀ`.
fn outer(a: DVec3) -> DMat3 {
    DMat3::from_cols(a.x * a, a.y * a, a.z * a)
}
