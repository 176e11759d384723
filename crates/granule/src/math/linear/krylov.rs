//! A t = c for fields of vectors, A as an operator: conjugate gradients where it is symmetric, and the
//! generalised method of minimal residuals, preconditioned from the right, where it is not [saad2003, alg. 9.1,
//! 9.5].

use crate::math::DVec3;

/// Vectors kept before the method of minimal residuals starts again.
const RESTART: usize = 250;

/// What a field has at each place.
pub(crate) trait Entry: Copy {
    const ZERO: Self;
    fn dot(self, other: Self) -> f64;
    /// self + factor other.
    fn plus(self, factor: f64, other: Self) -> Self;
    fn over(self, divisor: f64) -> Self;
}

impl Entry for DVec3 {
    const ZERO: Self = Self::ZERO;

    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self.dot(other)
    }

    #[inline(always)]
    fn plus(self, factor: f64, other: Self) -> Self {
        self + factor * other
    }

    #[inline(always)]
    fn over(self, divisor: f64) -> Self {
        self / divisor
    }
}

impl Entry for [DVec3; 2] {
    const ZERO: Self = [DVec3::ZERO; 2];

    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self[0].dot(other[0]) + self[1].dot(other[1])
    }

    #[inline(always)]
    fn plus(self, factor: f64, other: Self) -> Self {
        [self[0] + factor * other[0], self[1] + factor * other[1]]
    }

    #[inline(always)]
    fn over(self, divisor: f64) -> Self {
        self.map(|vector| vector / divisor)
    }
}

/// A matrix and its preconditioner.
pub(crate) trait LinearOperator<E: Entry> {
    /// out = A t.
    fn apply(&mut self, t: &[E], out: &mut [E]);
    /// out = P⁻¹ r.
    fn precondition(&mut self, r: &[E], out: &mut [E]);
    /// How large a residual is for [`Enough::residual`]: its norm, unless the matrix has a measure of its own.
    fn size(&self, r: &[E]) -> f64 {
        norm(r)
    }
}

/// Where a solve ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enough {
    /// The size of the residual.
    pub(crate) residual: f64,
    /// Applications.
    pub(crate) applications: usize,
}

/// Scratch memory.
#[derive(Default)]
pub(crate) struct Krylov<E> {
    direction: Vec<E>,
    image: Vec<E>,
    preconditioned: Vec<E>,
    /// An orthonormal basis of the residuals.
    basis: Vec<Vec<E>>,
    /// What [`Krylov::minimal_residuals`] knows of A on it, column by column, made triangular.
    columns: Vec<Vec<f64>>,
    rotations: Vec<[f64; 2]>,
    right: Vec<f64>,
}

/// a·b of fields.
pub(crate) fn dot_fields<E: Entry>(a: &[E], b: &[E]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn norm<E: Entry>(a: &[E]) -> f64 {
    dot_fields(a, a).sqrt()
}

/// a += factor b.
fn add<E: Entry>(a: &mut [E], factor: f64, b: &[E]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = a.plus(factor, *b);
    }
}

impl<E: Entry> Krylov<E> {
    fn resize(&mut self, count: usize) {
        for field in [
            &mut self.direction,
            &mut self.image,
            &mut self.preconditioned,
        ] {
            field.clear();
            field.resize(count, E::ZERO);
        }
    }

    /// Conjugate gradients from t, whose residual c - A t is given and kept; tells how often A was applied.
    pub(crate) fn gradients(
        &mut self,
        operator: &mut impl LinearOperator<E>,
        t: &mut [E],
        residual: &mut [E],
        enough: Enough,
    ) -> usize {
        self.resize(t.len());
        let mut applications = 0;
        operator.precondition(residual, &mut self.direction);
        let mut square = dot_fields(residual, &self.direction);
        while applications < enough.applications && operator.size(residual) > enough.residual {
            operator.apply(&self.direction, &mut self.image);
            applications += 1;
            let length = square / dot_fields(&self.direction, &self.image);
            if !(length.is_finite() && length > 0.0) {
                break;
            }
            add(t, length, &self.direction);
            add(residual, -length, &self.image);
            operator.precondition(residual, &mut self.preconditioned);
            let last = square;
            square = dot_fields(residual, &self.preconditioned);
            for (d, p) in self.direction.iter_mut().zip(&self.preconditioned) {
                *d = p.plus(square / last, *d);
            }
        }
        applications
    }

    /// Minimal residuals; the same otherwise.
    pub(crate) fn minimal_residuals(
        &mut self,
        operator: &mut impl LinearOperator<E>,
        t: &mut [E],
        residual: &mut [E],
        enough: Enough,
    ) -> usize {
        self.resize(t.len());
        let mut applications = 0;
        let mut size = norm(residual);
        while applications < enough.applications && size > enough.residual && size.is_finite() {
            let used = self.cycle(operator, residual, size, enough, &mut applications);
            if used == 0 {
                break;
            }
            // The combination of the basis: back substitution.
            for place in (0..used).rev() {
                let mut sum = self.right[place];
                for later in place + 1..used {
                    sum -= self.columns[later][place] * self.right[later];
                }
                self.right[place] = sum / self.columns[place][place];
            }
            self.direction.fill(E::ZERO);
            for (factor, vector) in self.right.iter().zip(&self.basis).take(used) {
                add(&mut self.direction, *factor, vector);
            }
            operator.precondition(&self.direction, &mut self.preconditioned);
            operator.apply(&self.preconditioned, &mut self.image);
            applications += 1;
            let before = size;
            add(residual, -1.0, &self.image);
            size = norm(residual);
            if size >= before {
                // Rounding has won: as it was.
                add(residual, 1.0, &self.image);
                break;
            }
            add(t, 1.0, &self.preconditioned);
            if size > 0.5 * before && used < RESTART {
                break;
            }
        }
        applications
    }

    /// Builds the basis from a residual of the given norm until that is small enough; tells how large the basis is.
    fn cycle(
        &mut self,
        operator: &mut impl LinearOperator<E>,
        residual: &[E],
        size: f64,
        enough: Enough,
        applications: &mut usize,
    ) -> usize {
        self.columns.clear();
        self.rotations.clear();
        self.right.clear();
        self.right.push(size);
        self.basis.resize_with(RESTART + 1, Vec::new);
        self.basis[0].clear();
        self.basis[0].extend(residual.iter().map(|r| r.over(size)));
        for step in 0..RESTART {
            if *applications + 1 >= enough.applications {
                return step;
            }
            operator.precondition(&self.basis[step], &mut self.preconditioned);
            operator.apply(&self.preconditioned, &mut self.image);
            *applications += 1;
            let mut column = vec![0.0; step + 2];
            // Twice is enough to make it orthogonal.
            for _ in 0..2 {
                for (entry, vector) in column.iter_mut().zip(&self.basis[..=step]) {
                    let part = dot_fields(vector, &self.image);
                    *entry += part;
                    add(&mut self.image, -part, vector);
                }
            }
            let length = norm(&self.image);
            column[step + 1] = length;
            for (place, [c, s]) in self.rotations.iter().enumerate() {
                let (a, b) = (column[place], column[place + 1]);
                (column[place], column[place + 1]) = (c * a + s * b, c * b - s * a);
            }
            let (a, b) = (column[step], column[step + 1]);
            let radius = a.hypot(b);
            if !(radius > 0.0 && radius.is_finite()) {
                return step;
            }
            let [c, s] = [a / radius, b / radius];
            column[step] = radius;
            self.rotations.push([c, s]);
            self.columns.push(column);
            let last = self.right[step];
            self.right[step] = c * last;
            self.right.push(-s * last);
            if (s * last).abs() <= enough.residual || length == 0.0 {
                return step + 1;
            }
            self.basis[step + 1].clear();
            let scaled = self.image.iter().map(|v| v.over(length));
            self.basis[step + 1].extend(scaled);
        }
        RESTART
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DMat3;

    /// A matrix of three rows.
    struct Small(DMat3);

    impl LinearOperator<DVec3> for Small {
        fn apply(&mut self, t: &[DVec3], out: &mut [DVec3]) {
            out[0] = self.0 * t[0];
        }
        fn precondition(&mut self, r: &[DVec3], out: &mut [DVec3]) {
            out.copy_from_slice(r);
        }
    }

    #[test]
    fn matrices_that_are_not_symmetric_are_solved_too() {
        let matrix = DMat3::from_cols(
            DVec3::new(1.0, 2.0, 0.0),
            DVec3::new(-2.0, 0.5, 1.0),
            DVec3::new(0.3, -1.0, -0.2),
        );
        let solution = DVec3::new(0.3, -4.0, 2.0);
        let (mut t, mut residual) = ([DVec3::ZERO], [matrix * solution]);
        let enough = Enough {
            residual: 1e-12,
            applications: 10,
        };
        let used =
            Krylov::default().minimal_residuals(&mut Small(matrix), &mut t, &mut residual, enough);
        // One for each row, and one for the residual.
        assert_eq!(used, 4);
        assert!((t[0] - solution).length() < 1e-12);
    }
}
