//! Spectral projected gradient: steps as long as the curvature met last says, and a line search that
//! lets the function rise for a while.
//!
//! ```text
//! d = P_K(λ - α S g) - λ,   λ⁺ = λ + t d,   g = W λ + b                [birgin2000, Algorithm 2.2]
//! t: f(λ + t d) ≤ max of the last M values of f + γ t g·d               (line search)
//! α⁺ = d·S⁻¹d / d·Wd   or   d·Wd / Wd·S Wd,   in turns                                     [barzilai1988]
//! ```
//!
//! with M = 10 and γ = 1e-4, the projection in the metric S⁻¹ (see `gradient`).
//!
//! *Deviations.* f is quadratic, so that `f(λ + t d) - f(λ) = t g·d + ½ t² d·Wd` and `g⁺ = g + t W d`
//! are known from the one product W d of an iteration, for all t. Where t = 1 does not pass, the t at
//! which f is smallest does, at once, instead of the paper's search. The values of f are kept as
//! differences from the last one, so that they do not drown in its digits. The paper uses only the
//! first of the two steps; taking turns needs fewer iterations.
//!
//! The error is estimated by the natural map itself at each new λ: the step α says little about it.

use super::gradient::{GradientWorkspace, descend};
use super::monitor::{AtZero, Iteration, Monitor, StepSums};
use super::{Ask, Gradient, Incompatible, Method, Status, Stop};
use crate::certify::Certificate;
use crate::law::Metric;
use crate::math::DVec3;
use crate::parallel::{self, CONTACT_CHUNK};
use crate::problem::{Block, ContactProblem, Image, ProblemKind, by_rows};

/// M: values of f that the line search looks back to.
const MEMORY: usize = 10;
/// γ: the share of the decrease promised by the slope that is asked for.
const SUFFICIENT: f64 = 1e-4;
/// Iterations after which g is computed afresh: what it gained from a start far away is rounding.
const REFRESH: usize = 64;
/// The longest step over the first one: beyond, the curvature is made of rounding.
const LONGEST: f64 = 1e10;

/// The solver `spg`.
pub(super) struct Spg {
    /// The first step, if it is given.
    step: Option<f64>,
    workspace: GradientWorkspace,
    /// g, m/s.
    gradient: Vec<f64>,
    /// d, N s.
    direction: Vec<f64>,
    /// W d, m/s.
    product: Vec<f64>,
    image: Image,
    curvatures: Vec<Curvature>,
}

/// The sums of a product W d.
#[derive(Debug, Clone, Copy, Default)]
struct Curvature {
    /// d·W d, J.
    along: f64,
    /// W d·S W d.
    image_squared: f64,
}

/// The last values of f, as differences from the present one.
struct History {
    above: [f64; MEMORY],
    place: usize,
}

impl History {
    fn new() -> Self {
        Self {
            above: [f64::NEG_INFINITY; MEMORY],
            place: 0,
        }
    }

    /// t for the slope g·d and the curvature d·W d along a direction; f is then what it is there.
    fn step_along(&mut self, slope: f64, curvature: f64) -> f64 {
        let highest = self.above.iter().copied().fold(0.0, f64::max);
        let change = |t: f64| t * (slope + 0.5 * t * curvature);
        let t = if change(1.0) <= highest + SUFFICIENT * slope {
            1.0
        } else {
            (-slope / curvature).clamp(0.0, 1.0)
        };
        self.above[self.place] = 0.0;
        self.place = (self.place + 1) % MEMORY;
        let change = change(t);
        self.above.iter_mut().for_each(|f| *f -= change);
        t
    }
}

/// What a pass over the contacts needs to know.
struct Pass<'a> {
    problem: &'a ContactProblem,
    workspace: &'a GradientWorkspace,
    product: &'a [f64],
    /// t of the step from the λ before to this one.
    along: f64,
    /// α of the direction to come.
    step: f64,
}

impl Spg {
    pub(super) fn new(stop: Stop, settings: Gradient) -> Self {
        Self {
            step: settings.step,
            workspace: GradientWorkspace::new(stop, settings.scaling),
            gradient: Vec::new(),
            direction: Vec::new(),
            product: Vec::new(),
            image: Image::default(),
            curvatures: Vec::new(),
        }
    }

    /// g = W λ + b.
    fn set_gradient(&mut self, problem: &ContactProblem) {
        let GradientWorkspace {
            current, scratch, ..
        } = &mut self.workspace;
        problem.velocities(current, scratch, &mut self.gradient);
    }

    /// W d and its sums.
    fn multiply(&mut self, problem: &ContactProblem) -> Curvature {
        let delassus = &problem.delassus;
        delassus.image(&self.direction, &mut self.image);
        let (workspace, direction) = (&self.workspace, &self.direction);
        let size = CONTACT_CHUNK * problem.rows();
        delassus.map_image(
            &self.image,
            &mut self.product,
            &mut [],
            &mut self.curvatures,
            |chunk, w, _| {
                let d = &direction[chunk * size..][..w.len()];
                let contact = |k: usize| {
                    let k = chunk * CONTACT_CHUNK + k;
                    (workspace.metric(k), problem.delassus.normal(k))
                };
                by_rows!(problem.rows(), <ROWS, B> curvature::<ROWS, B>(d, w, contact))
            },
        );
        self.curvatures
            .iter()
            .fold(Curvature::default(), |sum, next| Curvature {
                along: sum.along + next.along,
                image_squared: sum.image_squared + next.image_squared,
            })
    }

    /// λ and g move by t along the direction; then the direction is that of the next step, α long.
    fn pass(&mut self, problem: &ContactProblem, along: f64, step: f64) -> StepSums {
        let mut partials = std::mem::take(&mut self.workspace.partials);
        let mut current = std::mem::take(&mut self.workspace.current);
        let pass = Pass {
            problem,
            workspace: &self.workspace,
            product: &self.product,
            along,
            step,
        };
        let lists = (
            &mut current[..],
            &mut self.gradient[..],
            &mut self.direction[..],
        );
        let size = CONTACT_CHUNK * problem.rows();
        parallel::chunks_map3(lists, size, &mut partials, |chunk, (a, b, c)| {
            let lists = [a, b, c];
            let first = chunk * CONTACT_CHUNK;
            by_rows!(problem.rows(), <ROWS, B> pass.chunk::<ROWS, B>(first, lists))
        });
        let sums = partials
            .iter()
            .fold(StepSums::default(), |sum, next| sum.merge(*next));
        self.workspace.partials = partials;
        self.workspace.current = current;
        sums
    }
}

impl Iteration for Spg {
    fn supports(&self, kind: &ProblemKind) -> Result<(), Incompatible> {
        Method::Spg.only_convex(kind)
    }

    fn prepare(&mut self, problem: &ContactProblem, start: &[f64], _: &Ask) -> AtZero {
        let at_zero = self.workspace.prepare(problem, start);
        for list in [&mut self.gradient, &mut self.direction, &mut self.product] {
            list.clear();
            list.resize(problem.len(), 0.0);
        }
        self.curvatures.clear();
        self.curvatures
            .resize(problem.delassus.chunk_count(), Curvature::default());
        at_zero
    }

    fn iterate(&mut self, start: &[f64], monitor: &mut Monitor) -> (Status, Certificate) {
        let problem = monitor.problem;
        let first = 1.0 / self.workspace.first_curvature(self.step);
        let shortest = 1.0 / self.workspace.curvature_bound(problem);
        self.set_gradient(problem);
        monitor.applications += 1;
        let mut sums = self.pass(problem, 0.0, first);
        let estimate = monitor.estimate(&sums, 1.0);
        if let Some(end) = monitor.accepts_start(start, estimate) {
            return end;
        }
        // Combinations of members of K are in K, so the first must be.
        if problem.project(&mut self.workspace.current) {
            self.set_gradient(problem);
            monitor.applications += 1;
            sums = self.pass(problem, 0.0, first);
        }
        let mut history = History::new();
        let mut step = first;
        loop {
            let length_squared = sums.length_squared;
            let met = self.multiply(problem);
            monitor.applications += 1;
            // The projection makes the slope at least as steep as this; near the end rounding in d
            // hides it.
            let slope = sums.uphill.min(-length_squared / step);
            let along = history.step_along(slope, met.along);
            let long = if monitor.iterations.is_multiple_of(2) {
                length_squared / met.along
            } else {
                met.along / met.image_squared
            };
            // Without any curvature (0/0 too) as far as ever.
            step = if long < LONGEST * first {
                long.max(shortest)
            } else {
                LONGEST * first
            };
            sums = self.pass(problem, along, step);
            if monitor.iterations % REFRESH == REFRESH - 1 {
                self.set_gradient(problem);
                monitor.applications += 1;
                sums = StepSums {
                    change: sums.change,
                    size: sums.size,
                    ..self.pass(problem, 0.0, step)
                };
            }
            let estimate = monitor.estimate(&sums, 1.0);
            let current = &self.workspace.current;
            if let Some(end) = monitor.after_step(|| current, &sums, estimate) {
                return end;
            }
        }
    }

    fn answer(&mut self) -> &[f64] {
        &self.workspace.current
    }
}

/// The sums of a chunk of W d.
fn curvature<const ROWS: usize, B: Block>(
    direction: &[f64],
    product: &[f64],
    contact: impl Fn(usize) -> (Metric, DVec3),
) -> Curvature {
    let (direction, _) = direction.as_chunks::<ROWS>();
    let (product, _) = product.as_chunks::<ROWS>();
    let mut sums = Curvature::default();
    for (k, (d, w)) in direction.iter().zip(product).enumerate() {
        let (d, w) = (B::load(d), B::load(w));
        let (metric, normal) = contact(k);
        let along = w.along(normal).powi(2);
        sums.along += d.dot(w);
        sums.image_squared += along / metric.normal + (w.dot(w) - along) / metric.tangential;
    }
    sums
}

impl Pass<'_> {
    fn chunk<const ROWS: usize, B: Block>(
        &self,
        first: usize,
        [current, gradient, direction]: [&mut [f64]; 3],
    ) -> StepSums {
        let product = &self.product[first * ROWS..][..current.len()];
        let (product, _) = product.as_chunks::<ROWS>();
        let (current, _) = current.as_chunks_mut::<ROWS>();
        let (gradient, _) = gradient.as_chunks_mut::<ROWS>();
        let (direction, _) = direction.as_chunks_mut::<ROWS>();
        let sizes = self.workspace.stop == Stop::Paper;
        let mut sums = StepSums::default();
        for (k, product) in product.iter().enumerate() {
            let contact = first + k;
            let normal = self.problem.delassus.normal(contact);
            let set = self.problem.set(contact);
            let metric = self.workspace.metric(contact);
            let rho = self.workspace.rho[contact];
            let before = B::load(&current[k]);
            let change = B::load(&direction[k]).times(self.along);
            let now = before + change;
            let g = B::load(&gradient[k]) + B::load(product).times(self.along);
            let natural = now - (now - g.times(rho)).project(set, normal, Metric::EUCLIDEAN);
            let d = descend(now, g, normal, metric, self.step).project(set, normal, metric) - now;
            let along = d.along(normal).powi(2);
            sums.uphill += g.dot(d);
            sums.step_squared += natural.dot(natural);
            sums.length_squared += metric.normal * along + metric.tangential * (d.dot(d) - along);
            sums.impulse_squared += now.dot(now);
            if sizes {
                sums.size = sums.size.max(before.largest());
                sums.change = sums.change.max(change.largest());
            } else {
                sums.change += change.dot(change);
            }
            now.store(&mut current[k]);
            g.store(&mut gradient[k]);
            d.store(&mut direction[k]);
        }
        sums
    }
}
