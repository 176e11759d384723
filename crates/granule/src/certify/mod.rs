#![doc = include_str!("README.md")]

mod certificate;
mod cones;
mod contradiction;
mod judge;
mod velocities;

pub use certificate::{Certificate, Limits};
pub use contradiction::Contradiction;
pub use judge::Judge;

use crate::law::{AdmissibleSet, Flow, Metric};
use crate::math::{DMat3, DVec3};
use crate::problem::{Block, ContactProblem, Skew, by_rows};

/// Scratch memory for [`certify_with`]; reused from step to step.
#[derive(Debug, Clone, Default)]
pub struct CertifyWorkspace {
    bodies: velocities::BodyVelocities,
    /// w = W λ + b of the contacts that are judged one by one, m/s.
    velocity: Vec<f64>,
    /// de Saxcé's correction of each contact, m/s.
    slip: Vec<f64>,
}

/// Judges `impulses` (λ, N s, one entry a row) as a solution of `problem`.
///
/// See [`Certificate`] for what is measured. Impulses or velocities that are not finite give a
/// certificate whose residual is infinite.
///
/// ```
/// use granule::certify::certify;
/// use granule::problem::{Assembled, ContactProblem};
/// let w = Assembled::from_dense(1, &[[2.0, -1.0], [-1.0, 2.0]])?;
/// let problem = ContactProblem::explicit(w, vec![-1.0, -1.0])?;
/// let certificate = certify(&problem, &[1.0, 1.0]);
/// assert!(certificate.residual < 1e-15 && certificate.complementarity < 1e-15);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
pub fn certify(problem: &ContactProblem, impulses: &[f64]) -> Certificate {
    certify_with(problem, impulses, &mut CertifyWorkspace::default())
}

/// [`certify`] without allocating.
pub fn certify_with(
    problem: &ContactProblem,
    impulses: &[f64],
    workspace: &mut CertifyWorkspace,
) -> Certificate {
    assert_eq!(impulses.len(), problem.len(), "one impulse for each row");
    if !all_finite(impulses) {
        return Certificate::failed();
    }
    let CertifyWorkspace {
        bodies, velocity, ..
    } = workspace;
    let mut sums = Sums {
        rounding: problem.rounding,
        ..Sums::default()
    };
    let fours = cones::count(problem);
    velocities::apply(&problem.delassus, impulses, bodies, fours, velocity);
    let rest = problem.bias.iter().skip(problem.rows() * fours);
    for (w, b) in velocity.iter_mut().zip(rest) {
        *w += b;
    }
    cones::add(&mut sums, problem, impulses, bodies, fours);
    // Projections would swallow a velocity that is not a number; a sum does not.
    if !(all_finite(velocity) && sums.velocity.is_finite()) {
        return Certificate::failed();
    }
    by_rows!(problem.rows(), <ROWS, B> sums.add_all::<B>(problem, impulses, (fours, velocity)));
    sums.certificate(problem)
}

/// Without a way out of the loop, so that several are looked at side by side.
fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(true, |all, x| all & x.is_finite())
}

/// One contact's impulse, velocity, bias and offset as vectors.
struct Judged<V> {
    normal: DVec3,
    impulse: V,
    velocity: V,
    bias: V,
    offset: V,
    /// c (N s) and W c n of a contact whose set is shifted.
    shifted: Option<(f64, V)>,
    /// 1/ρ = λ_max(W_ii), 1/kg.
    per_mass: f64,
    /// H of a contact whose flow is skewed, over its mean eigenvalue h_T across the normal, and h_T/h_n.
    skewed: Option<(DMat3, f64)>,
}

impl<V: Block + Default> Judged<V> {
    #[inline(always)]
    fn new(problem: &ContactProblem, impulses: &[f64], velocity: &[f64], contact: usize) -> Self {
        let rows = problem.rows();
        let vector = |values: &[f64]| V::load(&values[contact * rows..][..rows]);
        Self {
            normal: problem.delassus.normal(contact),
            impulse: vector(impulses),
            velocity: V::load(velocity),
            bias: vector(&problem.bias),
            offset: match problem.offset.is_empty() {
                true => V::default(),
                false => vector(&problem.offset),
            },
            shifted: (problem.shift.along.get(contact))
                .map(|c| (*c, vector(&problem.shift.velocity))),
            per_mass: problem.delassus.largest_diagonal(contact),
            skewed: problem.skew.get(contact).map(|Skew(h)| {
                let normal = problem.delassus.normal(contact);
                let along = normal.dot(*h * normal);
                let diagonal = [h.x_axis.x, h.y_axis.y, h.z_axis.z];
                let trace: f64 = diagonal[..rows.min(3)].iter().sum();
                let across = (trace - along) / (rows.clamp(2, 3) - 1) as f64;
                let mut h = *h * (1.0 / across);
                if rows == 2 {
                    h = DMat3::from_cols(h.x_axis.with_z(0.0), h.y_axis.with_z(0.0), DVec3::ZERO);
                }
                (h, across / along)
            }),
        }
    }
}

/// What is summed and maximised over the contacts.
#[derive(Debug, Clone, Default)]
struct Sums {
    /// Errors of a contact below this are zero, m/s.
    rounding: f64,
    /// Squares of the largest, m²/s².
    residual: f64,
    fastest: f64,
    largest_impulse: f64,
    /// Impulses: the natural map, the same at λ = 0, and λ.
    natural: f64,
    natural_at_zero: f64,
    /// Velocities: the same three divided by ρ.
    natural_velocity: f64,
    natural_velocity_at_zero: f64,
    impulse_velocity: f64,
    natural_unit: f64,
    impulse: f64,
    velocity: f64,
    bias: f64,
    penetration_rate: f64,
    /// The square of the largest, N² s².
    cone_violation: f64,
    complementarity: f64,
    bipotential: f64,
    approach: f64,
    contacts: usize,
    dissipation: f64,
    active: usize,
}

impl Sums {
    /// Adds what was found of other contacts.
    fn merge(&mut self, other: &Self) {
        for (largest, other) in [
            (&mut self.residual, other.residual),
            (&mut self.fastest, other.fastest),
            (&mut self.largest_impulse, other.largest_impulse),
            (&mut self.penetration_rate, other.penetration_rate),
            (&mut self.cone_violation, other.cone_violation),
            (&mut self.complementarity, other.complementarity),
        ] {
            *largest = largest.max(other);
        }
        for (sum, other) in [
            (&mut self.natural, other.natural),
            (&mut self.natural_at_zero, other.natural_at_zero),
            (&mut self.natural_velocity, other.natural_velocity),
            (
                &mut self.natural_velocity_at_zero,
                other.natural_velocity_at_zero,
            ),
            (&mut self.impulse_velocity, other.impulse_velocity),
            (&mut self.natural_unit, other.natural_unit),
            (&mut self.impulse, other.impulse),
            (&mut self.velocity, other.velocity),
            (&mut self.bias, other.bias),
            (&mut self.bipotential, other.bipotential),
            (&mut self.approach, other.approach),
            (&mut self.dissipation, other.dissipation),
        ] {
            *sum += other;
        }
        self.contacts += other.contacts;
        self.active += other.active;
    }

    fn add_all<V: Block + Default + PartialEq>(
        &mut self,
        problem: &ContactProblem,
        impulses: &[f64],
        (first, velocity): (usize, &[f64]),
    ) {
        for contact in first..problem.contact_count() {
            let rows = problem.rows();
            let velocity = &velocity[(contact - first) * rows..][..rows];
            let judged = Judged::<V>::new(problem, impulses, velocity, contact);
            self.add(problem.set(contact), problem.flow, &judged);
        }
    }

    #[inline(always)]
    fn add<V: Block + Default + PartialEq>(
        &mut self,
        set: AdmissibleSet,
        flow: Flow,
        judged: &Judged<V>,
    ) {
        let Judged {
            normal,
            impulse,
            velocity,
            bias,
            offset,
            shifted,
            per_mass,
            skewed,
        } = *judged;
        let rho = 1.0 / per_mass;
        // De Saxcé's correction makes exact friction a condition of the same form; where the flow is skewed H does, with
        // as much of the correction as makes up for the size that is given to it.
        let corrected = |w: V| match (flow, &skewed) {
            (Flow::Associated, _) | (Flow::Skewed, None) => w,
            (Flow::Exact, _) => w.plus_along(w.dilation(set, normal), normal),
            (Flow::Skewed, Some((h, ratio))) => {
                let turned = w.mapped(h);
                let opening = (1.0 - ratio) * turned.dilation(set, normal);
                turned.plus_along(w.along(normal) - turned.along(normal) + opening, normal)
            }
        };
        let reaction = corrected(velocity);
        let nearest = |x: V| x.project(set, normal, Metric::EUCLIDEAN);
        let square = |x: V| x.dot(x);
        let error = |at: V, w: V, rho: f64| square(at - nearest(at - w.times(rho)));
        let mut natural = error(impulse, reaction, rho);
        // λ between the bodies, and what there is without it: of a set that is shifted λ' - c n, and b' + W c n at λ' = c n.
        let (none, bias) = match shifted {
            None => (V::default(), bias),
            Some((shift, velocity)) => (V::default().plus_along(shift, normal), bias + velocity),
        };
        let borne = if shifted.is_some() {
            impulse - none
        } else {
            impulse
        };
        let at_zero = error(none, corrected(bias), rho);
        let per_velocity = per_mass * per_mass;
        self.residual = self.residual.max(natural * per_velocity);
        self.largest_impulse = self.largest_impulse.max(square(impulse) * per_velocity);
        self.fastest = self.fastest.max(at_zero * per_velocity);
        // Where nothing is wrong in one metric, nothing is in another.
        if natural > 0.0 {
            self.natural_unit += error(impulse, reaction, 1.0);
        }
        if natural * per_velocity <= self.rounding * self.rounding {
            natural = 0.0;
        }
        self.natural += natural;
        self.natural_at_zero += at_zero;
        self.natural_velocity += natural * per_velocity;
        self.natural_velocity_at_zero += at_zero * per_velocity;
        self.impulse_velocity += square(borne) * per_velocity;
        self.impulse += square(borne);
        self.velocity += square(velocity);
        self.bias += square(bias);
        if set.forbids_approach() {
            let opening = velocity.along(normal);
            self.penetration_rate = self.penetration_rate.max(-opening);
            self.approach -= opening.min(0.0);
        }
        if impulse != V::default() {
            let outside = square(impulse - nearest(impulse));
            self.cone_violation = self.cone_violation.max(outside);
        }
        self.active += usize::from(borne != V::default());
        let most = reaction.most_work(set, normal);
        let bipotential = (impulse.dot(reaction) + most).abs();
        self.complementarity = self.complementarity.max(bipotential);
        self.bipotential += bipotential;
        self.contacts += 1;
        // Work on the relative velocities without what scheme and law added to them.
        let mean = (velocity + bias).times(0.5) - offset;
        self.dissipation -= borne.dot(mean);
    }

    fn certificate(&self, problem: &ContactProblem) -> Certificate {
        let ratio = |error: f64, one: f64, other: f64, given: f64| {
            let scale = one.max(other).max(given * given);
            if scale > 0.0 {
                (error / scale).sqrt()
            } else {
                error.sqrt()
            }
        };
        let impulses = ratio(
            self.natural,
            self.impulse,
            self.natural_at_zero,
            problem.scale.impulse,
        );
        let velocities = ratio(
            self.natural_velocity,
            self.impulse_velocity,
            self.natural_velocity_at_zero,
            problem.scale.velocity,
        );
        // Differences smaller than a unit in the last place of an impulse are lost in it: of impulses that
        // have grown out of all proportion the arithmetic finds no error, whatever they leave.
        let lost = f64::EPSILON * self.largest_impulse.sqrt();
        let community_scale = self.bias.max(self.impulse).max(self.velocity).sqrt();
        Certificate {
            residual: self.residual.sqrt() + lost,
            fastest: self.fastest.sqrt().max(problem.scale.fastest),
            rounding: self.rounding,
            relative: if community_scale > f64::EPSILON {
                self.natural_unit.sqrt() / community_scale
            } else {
                self.natural_unit.sqrt()
            },
            scaled: impulses.max(velocities),
            max_penetration: (problem.step * self.penetration_rate).max(0.0),
            cone_violation: self.cone_violation.sqrt(),
            complementarity: self.complementarity,
            bipotential: self.bipotential / self.contacts.max(1) as f64,
            approach: self.approach / self.contacts.max(1) as f64,
            dissipation: self.dissipation,
            active: self.active,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Assembled;

    fn one_contact(bias: f64) -> ContactProblem {
        ContactProblem::explicit(Assembled::from_dense(1, &[vec![0.25]]).unwrap(), vec![bias])
            .unwrap()
    }

    #[test]
    fn the_residual_is_a_velocity_and_does_not_depend_on_mass() {
        // Doing nothing leaves the whole approach velocity, whatever the mass.
        for mass in [1e-6, 1.0, 1e6] {
            let w = Assembled::from_dense(1, &[vec![1.0 / mass]]).unwrap();
            let problem = ContactProblem::explicit(w, vec![-3.0]).unwrap();
            let certificate = certify(&problem, &[0.0]);
            assert!((certificate.residual - 3.0).abs() < 1e-12);
            assert!((certificate.scaled - 1.0).abs() < 1e-12);
            assert!(certify(&problem, &[3.0 * mass]).scaled < 1e-15);
        }
    }

    #[test]
    fn a_light_body_beside_a_heavy_one_is_not_let_off() {
        // Masses 1 and 1e-4, both approaching at 1 m/s; only the heavy one is stopped.
        let w = Assembled::from_dense(1, &[vec![1.0, 0.0], vec![0.0, 1e4]]).unwrap();
        let problem = ContactProblem::explicit(w, vec![-1.0, -1.0]).unwrap();
        assert!(certify(&problem, &[1.0, 0.0]).scaled > 0.5);
        assert!(certify(&problem, &[0.0, 1e-4]).scaled > 0.5);
        assert!(certify(&problem, &[1.0, 1e-4]).scaled < 1e-12);
    }

    #[test]
    fn pulling_and_needless_pushing_are_seen() {
        let open = one_contact(1.0);
        assert_eq!(certify(&open, &[0.0]).residual, 0.0);
        let pushed = certify(&open, &[4.0]);
        assert!(pushed.residual > 0.9 && pushed.complementarity > 1.0);
        let pulled = certify(&open, &[-1.0]);
        assert!(pulled.cone_violation == 1.0 && pulled.residual > 0.0);
    }

    #[test]
    fn what_huge_impulses_swallow_is_not_taken_for_solved() {
        // A mass between walls that close in: 20 m/s are left whatever the impulses, and lost in these.
        let w = Assembled::from_dense(1, &[vec![1.0, -1.0], vec![-1.0, 1.0]]).unwrap();
        let problem = ContactProblem::explicit(w, vec![-28.0, -12.0]).unwrap();
        for size in [1.0, 1e8, 1e16, 3e16, 1e17, 1e18, 1e20] {
            assert!(certify(&problem, &[size, size]).residual > 19.0, "{size}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_fail() {
        let lost = ContactProblem {
            bias: vec![f64::NAN],
            ..one_contact(0.0)
        };
        assert_eq!(certify(&lost, &[0.0]).residual, f64::INFINITY);
        assert_eq!(
            certify(&one_contact(-1.0), &[f64::NAN]).residual,
            f64::INFINITY
        );
    }

    #[test]
    fn dissipation_is_the_kinetic_energy_lost() {
        // A mass of 4 kg hits a wall at 3 m/s and stops: ½ m v² = 18 J.
        let certificate = certify(&one_contact(-3.0), &[12.0]);
        assert!((certificate.dissipation - 18.0).abs() < 1e-12);
    }
}
