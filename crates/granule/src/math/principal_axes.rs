//! Eigenvalues and eigenvectors of symmetric 3×3 matrices.

use super::{DMat3, DQuat, DVec3};

/// Sweeps over the three off-diagonal entries; each squares what is left of them, so that few are needed.
const SWEEPS: usize = 32;

/// The principal moments of a symmetric tensor and the rotation from its principal axes to the frame it is
/// given in: `tensor = R diag(moments) Rᵀ` with the matrix R of the quaternion.
///
/// The axes are right-handed and in no order of size: each stays near the axis of the frame that it comes
/// from, so a diagonal tensor has the identity and its own diagonal. Jacobi's rotations; of entries that
/// should be the same, the mean is taken.
///
/// ```
/// use granule::math::{DMat3, DQuat, DVec3, principal_axes};
/// let turn = DMat3::from_rotation_z(0.3);
/// let diagonal = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 4.0));
/// let (moments, axes) = principal_axes(turn * diagonal * turn.transpose());
/// assert!((moments - DVec3::new(1.0, 2.0, 4.0)).length() < 1e-14);
/// assert!(axes.angle_between(DQuat::from_rotation_z(0.3)) < 1e-7);
/// assert_eq!(principal_axes(diagonal), (DVec3::new(1.0, 2.0, 4.0), DQuat::IDENTITY));
/// ```
pub fn principal_axes(tensor: DMat3) -> (DVec3, DQuat) {
    let mut a = 0.5 * (tensor + tensor.transpose());
    let mut axes = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (off, scale) = (a.col(q)[p], a.col(p)[p].abs().max(a.col(q)[q].abs()));
            if off == 0.0 || scale + off.abs() == scale {
                continue;
            }
            // tan of the angle, at most 45°, that takes the entry to zero.
            let theta = 0.5 * (a.col(q)[q] - a.col(p)[p]) / off;
            let tan = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cos = 1.0 / tan.hypot(1.0);
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cos;
            turn.col_mut(q)[q] = cos;
            turn.col_mut(q)[p] = tan * cos;
            turn.col_mut(p)[q] = -tan * cos;
            a = turn.transpose() * a * turn;
            a.col_mut(q)[p] = 0.0;
            a.col_mut(p)[q] = 0.0;
            axes *= turn;
            turned = true;
        }
        if !turned {
            break;
        }
    }
    let moments = DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z);
    (moments, DQuat::from_mat3(&axes).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outer(a: DVec3) -> DMat3 {
        DMat3::from_cols(a.x * a, a.y * a, a.z * a)
    }

    fn largest(matrix: DMat3) -> f64 {
        let columns = matrix.to_cols_array();
        columns.iter().fold(0.0, |m, x| x.abs().max(m))
    }

    proptest! {
        #[test]
        fn the_tensor_is_made_of_its_moments_and_axes(
            parts in prop::array::uniform3(prop::array::uniform3(-1.0_f64..1.0)),
            exponent in -200_i32..200,
        ) {
            let scale = 10_f64.powi(exponent);
            let sum = parts.map(DVec3::from_array).map(outer);
            let tensor = (sum[0] + sum[1] + sum[2]) * scale;
            let (moments, axes) = principal_axes(tensor);
            let turn = DMat3::from_quat(axes);
            let again = turn * DMat3::from_diagonal(moments) * turn.transpose();
            prop_assert!(largest(again - tensor) <= 1e-14 * largest(tensor));
            prop_assert!((axes.length() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn moments_that_are_alike_are_found_too() {
        for moments in [
            [1.0, 1.0, 1.0],
            [2.0, 2.0, 5.0],
            [5.0, 2.0, 2.0],
            [0.0, 0.0, 3.0],
        ] {
            let moments = DVec3::from_array(moments);
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.0, -0.4, 0.7)));
            let tensor = turn * DMat3::from_diagonal(moments) * turn.transpose();
            let (found, axes) = principal_axes(tensor);
            let back = DMat3::from_quat(axes);
            let again = back * DMat3::from_diagonal(found) * back.transpose();
            assert!(largest(again - tensor) < 1e-14);
            let mut sorted = found.to_array();
            sorted.sort_by(f64::total_cmp);
            let mut expected = moments.to_array();
            expected.sort_by(f64::total_cmp);
            assert!((DVec3::from_array(sorted) - DVec3::from_array(expected)).length() < 1e-14);
        }
    }

    #[test]
    fn diagonal_tensors_keep_their_axes() {
        for moments in [DVec3::new(3.0, 1.0, 2.0), DVec3::ZERO, DVec3::splat(7.0)] {
            let found = principal_axes(DMat3::from_diagonal(moments));
            assert_eq!(found, (moments, DQuat::IDENTITY));
        }
    }
}
