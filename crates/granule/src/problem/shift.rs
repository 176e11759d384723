//! Sets that stand elsewhere along the normal: contacts that hold when they are pulled.

use super::error::{check_finite, check_length};
use super::{ContactProblem, DelassusScratch, ProblemError};

/// How far the sets of contacts are shifted, and what that does to velocities. Empty where nothing is shifted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shift {
    /// c of each contact, N s: the set is K - c n. Positive for a contact that may be pulled by as much.
    pub along: Vec<f64>,
    /// W c n, m/s, one entry a row: what was taken from [`ContactProblem::bias`].
    pub velocity: Vec<f64>,
}

impl Shift {
    /// Whether nothing is shifted.
    pub fn is_empty(&self) -> bool {
        self.along.is_empty()
    }

    /// Forgets the shift, and keeps the memory.
    pub fn clear(&mut self) {
        self.along.clear();
        self.velocity.clear();
    }
}

/// Adds `factor c n` to impulses.
fn add(problem: &ContactProblem, along: &[f64], factor: f64, impulses: &mut [f64]) {
    let rows = problem.rows();
    for (k, (c, impulse)) in along
        .iter()
        .zip(impulses.chunks_exact_mut(rows))
        .enumerate()
    {
        match impulse {
            [only] => *only += factor * c,
            _ => {
                let normal = problem.delassus.normal(k).to_array();
                for (x, n) in impulse.iter_mut().zip(normal) {
                    *x += factor * c * n;
                }
            }
        }
    }
}

impl ContactProblem {
    /// The problem with the sets K_k - c_k n in place of K_k, where c (N s) has an entry for each contact: cohesion
    /// and adhesion, in one place for all solvers.
    ///
    /// With λ' = λ + c n it is the same problem with the old sets and `b' = b - W c n`: `w = W λ + b = W λ' + b'`, and
    /// `-w ∈ N_{K - c n}(λ)` is `-w ∈ N_K(λ')`. From here on [`ContactProblem::bias`] is b', and what solvers find and
    /// the certificate judges is λ'; [`ContactProblem::unshift`] makes the impulses between the bodies of it, and
    /// [`ContactProblem::shift_impulses`] a start of impulses from an earlier step. The work that contacts take out of
    /// the motion is always that of the impulses between the bodies.
    ///
    /// ```
    /// use granule::certify::certify;
    /// use granule::problem::{Assembled, ContactProblem};
    /// // 2 kg are pulled away at 3 m/s; the contact holds up to 5 N s, which leaves 0.5 m/s.
    /// let free = ContactProblem::explicit(Assembled::from_dense(1, &[[0.5]])?, vec![3.0])?;
    /// let held = free.with_shift(vec![5.0])?;
    /// let mut impulses = vec![0.0];
    /// let certificate = certify(&held, &impulses);
    /// assert!(certificate.residual < 1e-15 && (certificate.dissipation - 8.75).abs() < 1e-12);
    /// held.unshift(&mut impulses);
    /// assert_eq!(impulses, [-5.0]);
    /// # Ok::<(), granule::problem::ProblemError>(())
    /// ```
    pub fn with_shift(mut self, along: Vec<f64>) -> Result<Self, ProblemError> {
        self.set_shift(&along, &mut Vec::new(), &mut DelassusScratch::default())?;
        Ok(self)
    }

    /// [`ContactProblem::with_shift`] in place, without allocating; an earlier shift is undone. An empty list is none.
    pub fn set_shift(
        &mut self,
        along: &[f64],
        impulses: &mut Vec<f64>,
        scratch: &mut DelassusScratch,
    ) -> Result<(), ProblemError> {
        if !along.is_empty() {
            check_length("shift", self.contact_count(), along.len())?;
            check_finite("shift", along.iter().copied())?;
        }
        for (b, w) in self.bias.iter_mut().zip(&self.shift.velocity) {
            *b += w;
        }
        self.shift.clear();
        if along.is_empty() {
            return Ok(());
        }
        impulses.clear();
        impulses.resize(self.len(), 0.0);
        add(self, along, 1.0, impulses);
        self.shift.along.extend_from_slice(along);
        self.shift.velocity.resize(self.bias.len(), 0.0);
        (self.delassus).apply(impulses, scratch, &mut self.shift.velocity);
        for (b, w) in self.bias.iter_mut().zip(&self.shift.velocity) {
            *b -= w;
        }
        Ok(())
    }

    /// Makes the impulses λ between bodies of those of the problem, λ' = λ + c n.
    pub fn unshift(&self, impulses: &mut [f64]) {
        add(self, &self.shift.along, -1.0, impulses);
    }

    /// Makes the impulses λ' = λ + c n of the problem of those between bodies.
    pub fn shift_impulses(&self, impulses: &mut [f64]) {
        add(self, &self.shift.along, 1.0, impulses);
    }
}
