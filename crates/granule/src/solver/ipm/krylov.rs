//! A t = c for vectors of contacts, A as an operator: conjugate gradients where it is symmetric, and the
//! generalised method of minimal residuals, preconditioned from the right, where it is not [saad2003, alg. 9.1,
//! 9.5].

use super::path::Field;
use crate::math::DVec3;

/// Vectors kept before the method of minimal residuals starts again.
const RESTART: usize = 250;

/// A matrix and its preconditioner.
pub(super) trait Operator {
    /// out = A t.
    fn apply(&mut self, t: &[DVec3], out: &mut [DVec3]);
    /// out = P⁻¹ r.
    fn precondition(&mut self, r: &[DVec3], out: &mut [DVec3]);
}

/// Where a solve ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Enough {
    /// The norm of the residual.
    pub(super) residual: f64,
    /// Applications.
    pub(super) applications: usize,
}

/// Scratch memory.
#[derive(Default)]
pub(super) struct Krylov {
    direction: Field,
    image: Field,
    preconditioned: Field,
    /// An orthonormal basis of the residuals.
    basis: Vec<Field>,
    /// What [`Krylov::minimal_residuals`] knows of A on it, column by column, made triangular.
    columns: Vec<Vec<f64>>,
    rotations: Vec<[f64; 2]>,
    right: Vec<f64>,
}

pub(super) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn norm(a: &[DVec3]) -> f64 {
    dot(a, a).sqrt()
}

/// a += factor b.
fn add(a: &mut [DVec3], factor: f64, b: &[DVec3]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * *b;
    }
}

impl Krylov {
    fn resize(&mut self, count: usize) {
        for field in [
            &mut self.direction,
            &mut self.image,
            &mut self.preconditioned,
        ] {
            field.clear();
            field.resize(count, DVec3::ZERO);
        }
    }

    /// Conjugate gradients from t, whose residual c - A t is given and kept; tells how often A was applied.
    pub(super) fn gradients(
        &mut self,
        operator: &mut dyn Operator,
        t: &mut [DVec3],
        residual: &mut [DVec3],
        enough: Enough,
    ) -> usize {
        self.resize(t.len());
        let mut applications = 0;
        operator.precondition(residual, &mut self.direction);
        let mut square = dot(residual, &self.direction);
        while applications < enough.applications && norm(residual) > enough.residual {
            operator.apply(&self.direction, &mut self.image);
            applications += 1;
            let length = square / dot(&self.direction, &self.image);
            if !(length.is_finite() && length > 0.0) {
                break;
            }
            add(t, length, &self.direction);
            add(residual, -length, &self.image);
            operator.precondition(residual, &mut self.preconditioned);
            let last = square;
            square = dot(residual, &self.preconditioned);
            for (d, p) in self.direction.iter_mut().zip(&self.preconditioned) {
                *d = *p + square / last * *d;
            }
        }
        applications
    }

    /// Minimal residuals; the same otherwise.
    pub(super) fn minimal_residuals(
        &mut self,
        operator: &mut dyn Operator,
        t: &mut [DVec3],
        residual: &mut [DVec3],
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
            self.direction.fill(DVec3::ZERO);
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
        operator: &mut dyn Operator,
        residual: &[DVec3],
        size: f64,
        enough: Enough,
        applications: &mut usize,
    ) -> usize {
        self.columns.clear();
        self.rotations.clear();
        self.right.clear();
        self.right.push(size);
        self.basis.resize_with(RESTART + 1, Field::new);
        self.basis[0].clear();
        self.basis[0].extend(residual.iter().map(|r| *r / size));
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
                    let part = dot(vector, &self.image);
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
            let scaled = self.image.iter().map(|v| *v / length);
            self.basis[step + 1].extend(scaled);
        }
        RESTART
    }
}
