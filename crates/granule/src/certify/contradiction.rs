//! The proof that a problem has no solution.

use super::{CertifyWorkspace, velocities};
use crate::law::{AdmissibleSet, Flow, Metric};
use crate::problem::{Block, ContactProblem, by_rows};
use serde::Serialize;

/// Velocities that any solution needs, over those of approach, from which on there is none. A body
/// that two walls squeeze out of a wedge of angle α needs 1/α; only an angle below a hundredth of a
/// degree would be taken for parallel walls.
const OUT_OF_REACH: f64 = 1e4;

/// A direction of impulses which proves that the constraints of a problem contradict each other
/// (Farkas' lemma): `d ∈ K` with `W d = 0` and `b·d < 0`. Where K is no cone, d is a direction in which it has no end.
///
/// For any impulses λ then `d·(W λ + b) = b·d < 0`, while velocities in K* would give at least zero:
/// in every λ some contact errs by at least `-b·d / Σ|d_i|` ([`Contradiction::approach`]), and impulses
/// that are added along d change no velocity. They press bodies against each other that have nowhere to
/// go; the contacts of d are those that have to give.
///
/// In numbers W d is not quite zero. Velocities v that satisfy all constraints have
/// `(b·d)² ≤ |v - v_free|²_M d·W d`, so that `|v - v_free|_M` is at least `-b·d / √(d·W d)`:
/// [`Contradiction::needed`] compares that with the approach velocities of all contacts.
///
/// With exact friction b includes de Saxcé's `μ |w_T|` of the velocities that given impulses lead to
/// ([`Contradiction::slip`]): the contradiction is then one of that slip. Where all of d is along the
/// normals it holds for any. Where the flow is skewed only that part of d counts, except for joints.
///
/// ```
/// use granule::certify::Contradiction;
/// use granule::problem::{Assembled, ContactProblem};
/// // A mass of 1 kg between two walls that come closer at 1 m/s.
/// let w = Assembled::from_dense(1, &[[1.0, -1.0], [-1.0, 1.0]])?;
/// let problem = ContactProblem::explicit(w, vec![0.0, -1.0])?;
/// let proof = Contradiction::of(&problem, &[0.0, 0.0], &[7.0, 7.0]).unwrap();
/// // Whatever the impulses, one of the walls is met at half of that at least.
/// assert_eq!(proof.approach, 0.5);
/// assert_eq!(proof.direction, [0.5, 0.5]);
/// // One wall alone contradicts nothing.
/// assert!(Contradiction::of(&problem, &[0.0, 0.0], &[0.0, 1.0]).is_none());
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contradiction {
    /// d, one entry a row, with Σ|d_i| = 1 over the contacts.
    pub direction: Vec<f64>,
    /// With exact friction what is added to b along the normal of each contact, m/s; otherwise empty.
    pub slip: Vec<f64>,
    /// No impulses bring the residual below this, m/s.
    pub approach: f64,
    /// How many times faster than they approach bodies would have to be, at least, to satisfy all
    /// constraints; infinite for W d = 0.
    pub needed: f64,
}

impl Contradiction {
    /// The proof that a `direction` (of any length; its part in K counts) gives, if it is one; the slip
    /// of exact friction is that of the `impulses`.
    pub fn of(problem: &ContactProblem, impulses: &[f64], direction: &[f64]) -> Option<Self> {
        let mut direction = direction.to_vec();
        let workspace = &mut CertifyWorkspace::default();
        Self::beyond(0.0, problem, impulses, &mut direction, workspace)
    }

    /// [`Contradiction::of`] where it matters: if what has to give is more than a `share` of the
    /// fastest approach. The direction becomes its part in K.
    pub(crate) fn beyond(
        share: f64,
        problem: &ContactProblem,
        impulses: &[f64],
        direction: &mut [f64],
        workspace: &mut CertifyWorkspace,
    ) -> Option<Self> {
        by_rows!(problem.rows(), <ROWS, B> prove::<B>(share, problem, impulses, direction, workspace))
    }

    /// The share |d_i| of each contact; their sum is one.
    pub fn shares(&self, rows: usize) -> impl Iterator<Item = f64> {
        self.direction
            .chunks_exact(rows)
            .map(|d| d.iter().map(|x| x * x).sum::<f64>().sqrt())
    }
}

fn prove<V: Block>(
    share: f64,
    problem: &ContactProblem,
    impulses: &[f64],
    direction: &mut [f64],
    workspace: &mut CertifyWorkspace,
) -> Option<Contradiction> {
    let rows = problem.rows();
    // What has an end cannot grow for ever.
    for (k, rows) in direction.chunks_exact_mut(rows).enumerate() {
        match problem.set(k).recession() {
            Some(cone) => {
                let normal = problem.delassus.normal(k);
                let part = V::load(rows).project(cone, normal, Metric::EUCLIDEAN);
                // Where the flow is skewed velocities need not be in K*, but no contact approaches.
                let part = match problem.flow {
                    Flow::Skewed if cone != AdmissibleSet::Free => {
                        part.plus_along(part.along(normal), normal) - part
                    }
                    Flow::Skewed | Flow::Associated | Flow::Exact => part,
                };
                part.store(rows);
            }
            None => rows.fill(0.0),
        }
    }
    let block = |values: &[f64], k: usize| V::load(&values[k * rows..][..rows]);
    let contacts = 0..problem.contact_count();
    let size: f64 = contacts
        .clone()
        .map(|k| block(direction, k))
        .map(|d| d.dot(d).sqrt())
        .sum();
    if !(size > 0.0 && size.is_finite()) {
        return None;
    }
    direction.iter_mut().for_each(|d| *d /= size);

    let direction = &*direction;
    let CertifyWorkspace {
        bodies,
        velocity,
        slip,
    } = workspace;
    // Asked first: impulses that move bodies prove nothing, and nearly all do.
    velocities::apply(&problem.delassus, direction, bodies, 0, velocity);
    let moved = direction.iter().zip(velocity.iter());
    let moved: f64 = moved.map(|(d, w)| d * w).sum::<f64>().max(0.0);
    // (b·d)² is at most the energy of approach times the sum of W_kk |d_k|².
    let alone = |k: usize| {
        problem.delassus.largest_diagonal(k) * block(direction, k).dot(block(direction, k))
    };
    let most: f64 = contacts.clone().map(alone).sum();
    if most <= OUT_OF_REACH * OUT_OF_REACH * moved {
        return None;
    }
    slip.clear();
    if problem.flow == Flow::Exact && rows > 1 {
        velocities::apply(&problem.delassus, impulses, bodies, 0, velocity);
        let of = |k: usize| {
            let w = block(velocity, k) + block(&problem.bias, k);
            w.dilation(problem.set(k), problem.delassus.normal(k))
        };
        slip.extend(contacts.clone().map(of));
    }
    // What is to be overcome at a contact, with what that may do.
    let pushed = |k: usize| {
        let (set, normal) = (problem.set(k), problem.delassus.normal(k));
        let added = slip.get(k).copied().unwrap_or(0.0);
        let bias = block(&problem.bias, k).plus_along(added, normal);
        (bias, set, normal)
    };
    let work: f64 = (contacts.clone())
        .map(|k| pushed(k).0.dot(block(direction, k)))
        .sum();
    if work >= 0.0 || !work.is_finite() {
        return None;
    }
    // The sum of ρ |P_K(-b)|², the energy of approach, and the fastest of these. A set with an end allows any
    // velocity; to be on the safe side all of its own counts.
    let (mut energy, mut fastest) = (0.0, problem.scale.fastest);
    for k in contacts {
        let (bias, set, normal) = pushed(k);
        let approach = match set.recession() {
            Some(cone) => bias.times(-1.0).project(cone, normal, Metric::EUCLIDEAN),
            None => bias,
        };
        energy += approach.dot(approach) / problem.delassus.largest_diagonal(k);
        fastest = fastest.max(approach.dot(approach).sqrt());
    }
    let needed = -work / (moved * energy).sqrt();
    let matters = -work > problem.rounding.max(share * fastest);
    (needed > OUT_OF_REACH && matters).then(|| Contradiction {
        direction: direction.to_vec(),
        slip: slip.clone(),
        approach: -work,
        needed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Assembled;

    /// A mass of 1 kg between two walls whose normals stand at a small angle to each other's
    /// opposites, in a plane, without friction: squeezed, it must leave with about 1/`angle`.
    fn wedge(angle: f64) -> ContactProblem {
        let (s, c) = (0.5 * angle).sin_cos();
        let normals = [[c, s], [-c, s]];
        let dot =
            |i: usize, j: usize| normals[i][0] * normals[j][0] + normals[i][1] * normals[j][1];
        let w = (0..2).map(|i| (0..2).map(|j| dot(i, j)).collect::<Vec<_>>());
        ContactProblem::explicit(
            Assembled::from_dense(1, &w.collect::<Vec<_>>()).unwrap(),
            vec![-1.0, -1.0],
        )
        .unwrap()
    }

    #[test]
    fn a_wedge_is_not_taken_for_parallel_walls() {
        for angle in [0.5, 1e-2, 1e-3] {
            assert!(Contradiction::of(&wedge(angle), &[0.0; 2], &[1.0; 2]).is_none());
        }
        let proof = Contradiction::of(&wedge(0.0), &[0.0; 2], &[1.0; 2]).unwrap();
        assert!((proof.approach - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_rounding_can_make_is_no_contradiction() {
        let mut problem = wedge(0.0);
        problem.bias = vec![-1e-15, 0.0];
        assert!(Contradiction::of(&problem, &[0.0; 2], &[1.0; 2]).is_some());
        problem.rounding = 1e-14;
        assert!(Contradiction::of(&problem, &[0.0; 2], &[1.0; 2]).is_none());
    }

    #[test]
    fn pulling_proves_nothing() {
        assert!(Contradiction::of(&wedge(0.0), &[0.0; 2], &[-1.0; 2]).is_none());
        assert!(Contradiction::of(&wedge(0.0), &[0.0; 2], &[f64::NAN; 2]).is_none());
    }
}
