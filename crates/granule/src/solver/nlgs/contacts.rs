//! The contacts of a problem as local solvers see them, and sweeps over them.

use super::criterion::Criterion;
use super::order::VisitOrder;
use crate::law::{AdmissibleSet, Flow, Metric};
use crate::math::DVec3;
use crate::math::linear::{Matrix, dot, inverse};
use crate::parallel;
use crate::problem::{ContactProblem, Delassus, Image};
use crate::solver::local::{LocalSolver, OneContact};
use crate::solver::monitor::StepSums;
use std::marker::PhantomData;

/// Contacts that one thread takes at a time.
const CHUNK: usize = 256;

/// What stays the same during a solve.
#[derive(Debug, Clone, Copy)]
struct Prepared<const D: usize> {
    /// The rows are the axes of the contact in the coordinates of its block, the normal first.
    axes: Matrix<D>,
    block: Matrix<D>,
    inverse: f64,
    whole_inverse: Matrix<D>,
    rho: [f64; 2],
    friction: f64,
}

/// What a visit gave.
#[derive(Debug, Clone, Copy)]
struct Visit<const D: usize> {
    /// p' - p in the coordinates of the problem, N s.
    change: [f64; D],
    /// p', N s.
    impulse: [f64; D],
    sums: StepSums,
}

/// The contacts, their impulses and the velocities that these make.
struct LocalContacts<const D: usize, L> {
    fixed: Vec<Prepared<D>>,
    /// p in the coordinates of the problem, N s.
    impulses: Vec<f64>,
    image: Image,
    /// The image computed anew, for the paper's test.
    fresh: Image,
    exact: bool,
    /// Visits of one colour.
    visits: Vec<Option<Visit<D>>>,
    solver: PhantomData<L>,
}

/// The contacts of a problem, whatever their number of rows and their local solver. The problem is the same in all calls
/// after `prepare`.
pub(super) trait LocalSweeps: Send {
    /// Takes a problem and a start; ρ is θ over the block of each contact.
    fn prepare(&mut self, problem: &ContactProblem, theta: f64, start: &[f64]);

    /// Starts from zero instead.
    fn forget_start(&mut self, problem: &ContactProblem);

    /// Computes the velocities anew, without what rounding has added to them.
    fn refresh(&mut self, problem: &ContactProblem);

    /// One sweep over all contacts.
    fn sweep(
        &mut self,
        problem: &ContactProblem,
        order: &mut VisitOrder,
        relaxation: f64,
    ) -> StepSums;

    /// p.
    fn impulses(&self) -> &[f64];

    /// The paper's test, or as much of it as is needed to see that it is above the tolerance: contacts
    /// until then, and the error of motion, which costs a product, only where the others are below it.
    fn criterion(&mut self, problem: &ContactProblem, tolerance: f64) -> Criterion;
}

/// Contacts with one, two and three rows.
pub(super) fn by_rows<L: LocalSolver + 'static>() -> [Box<dyn LocalSweeps>; 3] {
    [
        Box::new(LocalContacts::<1, L>::new()),
        Box::new(LocalContacts::<2, L>::new()),
        Box::new(LocalContacts::<3, L>::new()),
    ]
}

fn axes_of<const D: usize>(normal: DVec3) -> Matrix<D> {
    let (first, second) = if D == 2 {
        (DVec3::new(-normal.y, normal.x, 0.0), DVec3::Z)
    } else {
        normal.any_orthonormal_pair()
    };
    let axes = [normal, first, second].map(|axis| axis.to_array());
    std::array::from_fn(|i| {
        if D == 1 {
            [1.0; D]
        } else {
            std::array::from_fn(|j| axes[i][j])
        }
    })
}

/// W_kk in the axes of the contact, 1/kg.
fn block_of<const D: usize>(delassus: &Delassus, k: usize, axes: &Matrix<D>) -> Matrix<D> {
    match delassus {
        Delassus::MatrixFree(operator) if k < operator.space.contacts.len() => {
            let Metric { normal, tangential } = delassus.metric(k);
            std::array::from_fn(|i| {
                std::array::from_fn(|j| match (i, j) {
                    (0, 0) => normal,
                    _ if i == j => tangential,
                    _ => 0.0,
                })
            })
        }
        Delassus::MatrixFree(_) | Delassus::Assembled(_) => {
            let block = delassus.dense_diagonal(k);
            let rows = block.as_chunks::<D>().0;
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..D).map(|l| axes[i][l] * dot(&rows[l], &axes[j])).sum())
            })
        }
    }
}

impl<const D: usize> Prepared<D> {
    fn new<L: LocalSolver>(problem: &ContactProblem, k: usize, theta: f64) -> Self {
        let delassus = &problem.delassus;
        let axes = axes_of(delassus.normal(k));
        let Metric { normal, tangential } = delassus.majorant(k);
        let block = block_of(delassus, k, &axes);
        Self {
            axes,
            block,
            inverse: 1.0 / block[0][0],
            whole_inverse: if L::INVERTS && D == 3 {
                inverse(&block)
            } else {
                [[0.0; D]; D]
            },
            rho: [theta / normal, theta / tangential],
            friction: match problem.set(k) {
                AdmissibleSet::HalfLine => 0.0,
                AdmissibleSet::Cone { friction } => friction,
                // These are refused; of one that comes all the same the certificate tells the truth.
                AdmissibleSet::Free
                | AdmissibleSet::Segment { .. }
                | AdmissibleSet::RollingCone { .. }
                | AdmissibleSet::Yield { .. } => 0.0,
            },
        }
    }

    /// Into the coordinates of the contact.
    #[inline(always)]
    fn inwards(&self, x: &[f64; D]) -> [f64; D] {
        if D == 1 {
            return *x;
        }
        std::array::from_fn(|i| dot(&self.axes[i], x))
    }

    /// Out of the coordinates of the contact.
    #[inline(always)]
    fn outwards(&self, x: &[f64; D]) -> [f64; D] {
        if D == 1 {
            return *x;
        }
        std::array::from_fn(|j| (0..D).map(|i| self.axes[i][j] * x[i]).sum())
    }
}

impl<const D: usize, L: LocalSolver> LocalSweeps for LocalContacts<D, L> {
    fn prepare(&mut self, problem: &ContactProblem, theta: f64, start: &[f64]) {
        self.fixed.clear();
        self.fixed
            .extend((0..problem.contact_count()).map(|k| Prepared::new::<L>(problem, k, theta)));
        self.exact = problem.flow == Flow::Exact;
        self.impulses.clear();
        self.impulses.extend_from_slice(start);
        self.refresh(problem);
    }

    fn forget_start(&mut self, problem: &ContactProblem) {
        self.impulses.fill(0.0);
        problem.shift_impulses(&mut self.impulses);
        self.refresh(problem);
    }

    fn refresh(&mut self, problem: &ContactProblem) {
        problem.delassus.image(&self.impulses, &mut self.image);
    }

    fn sweep(
        &mut self,
        problem: &ContactProblem,
        order: &mut VisitOrder,
        relaxation: f64,
    ) -> StepSums {
        let mut sums = StepSums::default();
        if let Some(colours) = order.colours() {
            for colour in colours {
                self.sweep_colour(problem, colour, relaxation, &mut sums);
            }
            return sums;
        }
        for k in order.next_sweep() {
            let visit = self.visit(problem, k, relaxation);
            self.take(problem, k, &visit, &mut sums);
        }
        sums
    }

    fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    fn criterion(&mut self, problem: &ContactProblem, tolerance: f64) -> Criterion {
        let mut sum = Criterion::default();
        let mean = 1.0 / (self.fixed.len().max(1) as f64);
        for (k, fixed) in self.fixed.iter().enumerate() {
            let v = self.formal_velocity(problem, &self.image, k);
            let p = fixed.inwards(&self.impulse(k));
            let slide: f64 = v.iter().skip(1).map(|v| v * v).sum();
            let opening = if self.exact {
                fixed.friction * slide.sqrt() * p[0]
            } else {
                0.0
            };
            sum.bipotential += mean * (dot(&v, &p) + opening).abs();
            sum.penetration -= mean * v[0].min(0.0);
            if sum.total() >= tolerance {
                return sum;
            }
        }
        problem.delassus.image(&self.impulses, &mut self.fresh);
        for k in 0..self.fixed.len() {
            let kept = self.formal_velocity(problem, &self.image, k);
            let made = self.formal_velocity(problem, &self.fresh, k);
            let apart: [f64; D] = std::array::from_fn(|i| kept[i] - made[i]);
            sum.motion += mean * dot(&apart, &apart).sqrt();
        }
        sum
    }
}

impl<const D: usize, L: LocalSolver> LocalContacts<D, L> {
    fn new() -> Self {
        Self {
            fixed: Vec::new(),
            impulses: Vec::new(),
            image: Image::default(),
            fresh: Image::default(),
            exact: false,
            visits: Vec::new(),
            solver: PhantomData,
        }
    }

    /// w of a contact in its own coordinates.
    #[inline(always)]
    fn velocity(&self, problem: &ContactProblem, image: &Image, k: usize) -> [f64; D] {
        let mut rows = [0.0; D];
        problem.delassus.rows_of(image, k, &mut rows);
        let bias = &problem.bias[k * D..][..D];
        rows.iter_mut().zip(bias).for_each(|(w, b)| *w += b);
        self.fixed[k].inwards(&rows)
    }

    /// ṽ of a contact in its own coordinates [barboteu2017, eq. (21)]: w over 1 + e, along and across the
    /// normal.
    fn formal_velocity(&self, problem: &ContactProblem, image: &Image, k: usize) -> [f64; D] {
        let mut velocity = self.velocity(problem, image, k);
        if let Some(restitution) = problem.restitution.get(k) {
            velocity[0] /= 1.0 + restitution.normal;
            let across = velocity.iter_mut().skip(1);
            across.for_each(|v| *v /= 1.0 + restitution.tangential);
        }
        velocity
    }

    #[inline(always)]
    fn impulse(&self, k: usize) -> [f64; D] {
        std::array::from_fn(|i| self.impulses[k * D + i])
    }

    /// Solves one contact for the velocities at hand.
    #[inline(always)]
    fn visit(&self, problem: &ContactProblem, k: usize, relaxation: f64) -> Visit<D> {
        let fixed = &self.fixed[k];
        let contact = OneContact {
            block: fixed.block,
            inverse: fixed.inverse,
            whole_inverse: fixed.whole_inverse,
            impulse: fixed.inwards(&self.impulse(k)),
            velocity: self.velocity(problem, &self.image, k),
            friction: fixed.friction,
            exact: self.exact,
            rho: fixed.rho,
        };
        let before = contact.impulse;
        let mut next = L::solve(&contact);
        if relaxation != 1.0 {
            next = contact.relaxed(&next, relaxation);
        }
        let change: [f64; D] = std::array::from_fn(|i| next[i] - before[i]);
        // The certificate measures with the smaller ρ along the normal too.
        let ratio = fixed.rho[1] / fixed.rho[0];
        let square = change[0] * change[0];
        let all = dot(&change, &change);
        let step = if D == 1 {
            all
        } else {
            ratio * ratio * square + (all - square)
        };
        Visit {
            change: fixed.outwards(&change),
            impulse: fixed.outwards(&next),
            sums: StepSums {
                uphill: dot(&contact.velocity, &change),
                step_squared: step,
                impulse_squared: dot(&next, &next),
                change: change.iter().fold(0.0, |most, c| c.abs().max(most)),
                ..StepSums::default()
            },
        }
    }

    #[inline(always)]
    fn take(&mut self, problem: &ContactProblem, k: usize, visit: &Visit<D>, sums: &mut StepSums) {
        // Most candidates carry nothing before and after.
        if visit.sums.change > 0.0 {
            self.impulses[k * D..][..D].copy_from_slice(&visit.impulse);
            problem
                .delassus
                .change_image(&mut self.image, k, &visit.change);
        }
        *sums = sums.merge(visit.sums);
    }

    /// Visits contacts that share no body that moves, in parallel; what they change is added up in
    /// their order, so that the number of threads changes no bit.
    fn sweep_colour(
        &mut self,
        problem: &ContactProblem,
        colour: &[u32],
        relaxation: f64,
        sums: &mut StepSums,
    ) {
        let mut visits = std::mem::take(&mut self.visits);
        visits.clear();
        visits.resize(colour.len(), None);
        let this = &*self;
        parallel::chunks_mut(&mut visits, CHUNK, |chunk, visits| {
            for (visit, &k) in visits.iter_mut().zip(&colour[chunk * CHUNK..]) {
                *visit = Some(this.visit(problem, k as usize, relaxation));
            }
        });
        for (visit, &k) in visits.iter().zip(colour) {
            if let Some(visit) = visit {
                self.take(problem, k as usize, visit, sums);
            }
        }
        self.visits = visits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Restitution;
    use crate::problem::{Assembled, Sets};
    use crate::solver::local::Pdas;

    /// The test of a problem at given impulses.
    fn criterion<const D: usize>(problem: &ContactProblem, impulses: &[f64]) -> Criterion {
        let mut contacts = LocalContacts::<D, Pdas>::new();
        contacts.prepare(problem, 1.0, impulses);
        contacts.criterion(problem, f64::INFINITY)
    }

    #[test]
    fn with_restitution_the_test_is_in_the_papers_velocities() {
        // W = 2/kg, v_free = v⁻ = -3 m/s and e = 0.5, so w = 2 p - 3 - 1.5 and ṽ = w/1.5.
        let w = Assembled::from_dense(1, &[vec![2.0]]).unwrap();
        let mut problem = ContactProblem::explicit(w, vec![-4.5]).unwrap();
        problem.restitution = vec![Restitution::normal(0.5)];
        let start = criterion::<1>(&problem, &[0.0]);
        assert_eq!(
            (start.motion, start.bipotential, start.penetration),
            (0.0, 0.0, 3.0)
        );
        // p = 0.75 N s: w = -3 m/s, ṽ = -2 m/s.
        let found = criterion::<1>(&problem, &[0.75]);
        assert_eq!((found.bipotential, found.penetration), (1.5, 2.0));
        // Solved: v⁺ = v_free + W p = 1.5 m/s = -e v⁻.
        assert_eq!(criterion::<1>(&problem, &[2.25]).total(), 0.0);
    }

    #[test]
    fn along_and_across_the_normal_have_coefficients_of_their_own() {
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let w = Assembled::from_dense(3, &identity.map(|row| row.to_vec())).unwrap();
        let problem = ContactProblem {
            sets: Sets::Cone(vec![0.5]),
            flow: Flow::Exact,
            restitution: vec![Restitution {
                normal: 0.5,
                tangential: 0.25,
            }],
            ..ContactProblem::explicit(w, vec![-4.0, 5.0, 0.0]).unwrap()
        };
        // w = (-3, 5, 0) and p = (1, 0, 0): ṽ = (-2, 4, 0), so |ṽ·p + μ p_n |ṽ_t|| = |-2 + 2|.
        let found = criterion::<3>(&problem, &[1.0, 0.0, 0.0]);
        assert!(found.bipotential < 1e-15, "{}", found.bipotential);
        assert!((found.penetration - 2.0).abs() < 1e-15);
    }
}
