//! D, M and W as dense matrices, written down from mechanics: forces at contact points, their
//! torques about the centres, and moments. Slow, plain, and sharing no code with the operators under
//! test.

use granule::math::DVec3;
use granule::problem::{BodySpace, ContactProblem, Delassus, Lever};

/// The factors of a contact problem.
pub fn space(problem: &ContactProblem) -> &BodySpace {
    match &problem.delassus {
        Delassus::MatrixFree(operator) => operator.space(),
        Delassus::Assembled(_) => panic!("an assembled matrix has forgotten its factors"),
    }
}

/// D as columns: the generalised impulse (force and torque of every body) of each unit impulse.
fn columns(space: &BodySpace) -> Vec<Vec<f64>> {
    let bodies = space.inverse_mass.len();
    let radius = |i: usize| match &space.lever {
        Lever::None => 0.0,
        Lever::Radial { radius, .. } => radius[i],
    };
    let inverse = inverse_mass(space);
    let mut columns = Vec::new();
    for contact in &space.contacts {
        // The length that makes moments as easy as sliding: of the tangential row and a unit moment.
        let ease = |i: usize| (inverse[6 * i], inverse[6 * i + 3]);
        let ((m_a, j_a), (m_b, j_b)) = (ease(contact.a as usize), ease(contact.b as usize));
        let (r_a, r_b) = (radius(contact.a as usize), radius(contact.b as usize));
        let sliding = m_a + m_b + r_a * r_a * j_a + r_b * r_b * j_b;
        let length = (sliding / (j_a + j_b)).sqrt();
        for row in 0..space.rows {
            let mut column = vec![0.0; 6 * bodies];
            if row >= 3 {
                // A moment ℓ about an axis on a, its opposite on b.
                column[6 * contact.a as usize + row] += length;
                column[6 * contact.b as usize + row] -= length;
                columns.push(column);
                continue;
            }
            let direction = if space.rows == 1 {
                contact.normal
            } else {
                [DVec3::X, DVec3::Y, DVec3::Z][row]
            };
            // The contact point seen from the two centres.
            let arms = [
                (contact.a as usize, 1.0, -radius(contact.a as usize)),
                (contact.b as usize, -1.0, radius(contact.b as usize)),
            ];
            for (body, sign, arm) in arms {
                let force = sign * direction;
                let torque = (arm * contact.normal).cross(force);
                for axis in 0..3 {
                    column[6 * body + axis] += force[axis];
                    column[6 * body + 3 + axis] += torque[axis];
                }
            }
            columns.push(column);
        }
    }
    columns
}

/// The diagonal of M⁻¹.
fn inverse_mass(space: &BodySpace) -> Vec<f64> {
    (0..space.inverse_mass.len())
        .flat_map(|i| {
            let m = space.inverse_mass[i];
            let j = match &space.lever {
                Lever::None => 0.0,
                Lever::Radial {
                    inverse_inertia, ..
                } => inverse_inertia[i],
            };
            [m, m, m, j, j, j]
        })
        .collect()
}

/// W = Dᵀ M⁻¹ D, row by row.
pub fn delassus(space: &BodySpace) -> Vec<Vec<f64>> {
    let (columns, mass) = (columns(space), inverse_mass(space));
    let scaled: Vec<Vec<f64>> = columns
        .iter()
        .map(|c| c.iter().zip(&mass).map(|(x, m)| x * m).collect())
        .collect();
    columns
        .iter()
        .map(|row| scaled.iter().map(|column| dot(row, column)).collect())
        .collect()
}

/// a·b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// W x.
pub fn multiply(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, x)).collect()
}

/// The largest eigenvalue of S^½ W S^½ by power iteration (a lower bound that converges to it).
pub fn largest_eigenvalue(matrix: &[Vec<f64>], scale: &[f64]) -> f64 {
    let mut x: Vec<f64> = (0..matrix.len())
        .map(|k| 1.0 + 0.3 * (k as f64).sin())
        .collect();
    let mut value = 0.0;
    for _ in 0..300 {
        let length = dot(&x, &x).sqrt();
        if length == 0.0 {
            return 0.0;
        }
        let inside: Vec<f64> = x
            .iter()
            .zip(scale)
            .map(|(x, s)| s.sqrt() * x / length)
            .collect();
        x = multiply(matrix, &inside)
            .iter()
            .zip(scale)
            .map(|(w, s)| s.sqrt() * w)
            .collect();
        value = dot(&x, &x).sqrt();
    }
    value
}

/// The largest eigenvalue of a small matrix, however near the others are: power iteration with the
/// matrix squared again and again.
pub fn largest_eigenvalue_of_block(block: &[Vec<f64>]) -> f64 {
    let size = block.len();
    let mut power = block.to_vec();
    for _ in 0..60 {
        let trace: f64 = (0..size).map(|i| power[i][i]).sum();
        let square = |i: usize, j: usize| {
            let terms = (0..size).map(|k| power[i][k] / trace * (power[k][j] / trace));
            terms.sum::<f64>()
        };
        power = (0..size)
            .map(|i| (0..size).map(|j| square(i, j)).collect())
            .collect();
    }
    // All that is left are the eigenvectors of the largest one: M P = λ P.
    let trace: f64 = (0..size).map(|i| power[i][i]).sum();
    let product: f64 = (0..size).map(|i| dot(&block[i], &power[i])).sum();
    product / trace
}
