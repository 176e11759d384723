//! A look at all contacts before the first sweep, four at a time: how easily they move, which of them matter, and what
//! doing nothing would leave.

use crate::math::DVec3;
use crate::parallel::{Four, Kernel, LANES, Lanes, Quad};
use crate::problem::{Compliance, ContactGeometry, round};
use crate::solver::lanes::{Vectors, dot};
use crate::solver::monitor::SquaresAtZero;

/// v of a body (m/s) and 1/m (1/kg), r ω (m/s) and r²/J (1/kg).
pub(super) type Motion = [Quad; 2];

/// Of the first part of the line of b all but 1/m is subtracted.
const OPPOSITE: Quad = Quad([-1.0, -1.0, -1.0, 1.0]);

/// What is looked at, and where that is written which is seen of each contact.
pub(super) struct Survey<'a, const ROWS: usize> {
    pub(super) contacts: &'a [ContactGeometry],
    pub(super) motions: &'a [Motion],
    /// b.
    pub(super) bias: &'a [[f64; ROWS]],
    /// λ.
    pub(super) impulses: &'a [DVec3],
    /// μ.
    pub(super) friction: &'a [f64],
    /// E; empty where all contacts are rigid.
    pub(super) compliance: &'a [Compliance],
    /// Whether friction is exact.
    pub(super) exact: bool,
    /// 1/w_n and 1/w_T with E, kg.
    pub(super) ease: &'a mut [[f64; 2]],
    /// μ |w_T|, m/s.
    pub(super) slips: &'a mut [f64],
    /// Whether a contact carries something or wants to.
    pub(super) matters: &'a mut [bool],
}

/// What was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// What doing nothing would leave, if K are cones that are not shifted.
    pub(super) at_zero: SquaresAtZero,
    /// ½ λ·W λ + b·λ, J.
    pub(super) energy: f64,
}

/// The vectors of four contacts from their rows.
#[inline(always)]
fn gather<L: Lanes, const ROWS: usize>(
    lanes: L,
    rows: [&[f64; ROWS]; LANES],
    n: &Vectors<L>,
) -> Vectors<L> {
    let component = |k: usize| Four::load(lanes, Quad(rows.map(|rows| rows[k])));
    match ROWS {
        1 => n.map(|n| component(0) * n),
        2 => [component(0), component(1), Four::splat(lanes, 0.0)],
        _ => [component(0), component(1), component(2)],
    }
}

impl Seen {
    /// Adds what was seen of other contacts.
    pub(super) fn merge(&mut self, other: &Self) {
        let (sum, part) = (&mut self.at_zero, &other.at_zero);
        sum.impulses += part.impulses;
        sum.velocities += part.velocities;
        sum.lightest = sum.lightest.min(part.lightest);
        self.energy += other.energy;
    }
}

impl<const ROWS: usize> Kernel for Survey<'_, ROWS> {
    type Output = Seen;

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) -> Seen {
        let splat = |x: f64| Four::splat(lanes, x);
        let (zero, one, half) = (splat(0.0), splat(1.0), splat(0.5));
        let opposite = Four::load(lanes, OPPOSITE);
        let exact = splat(if self.exact { 1.0 } else { 0.0 });
        let inverse = |x: Four<L>| {
            let some = x.above(zero);
            some.choose(one / some.choose(x, one), zero)
        };
        let (mut impulse_squares, mut velocity_squares) = (zero, zero);
        let (mut energy, mut lightest) = (zero, zero);
        let count = self.contacts.len();
        for first in (0..count).step_by(LANES) {
            // The last contact stands in for those that are missing behind it, and counts once.
            let places: [usize; LANES] = std::array::from_fn(|lane| (first + lane).min(count - 1));
            let counted = std::array::from_fn(|lane| if first + lane < count { 1.0 } else { 0.0 });
            let counted = Four::load(lanes, Quad(counted));
            let contacts = places.map(|k| &self.contacts[k]);
            let normals = contacts.map(|contact| contact.normal.to_array());
            let n = &gather(lanes, normals.each_ref(), &[zero; 3]);
            let bias = &gather(lanes, places.map(|k| &self.bias[k]), n);
            let impulses = places.map(|k| self.impulses[k].to_array());
            let impulse = &gather(lanes, impulses.each_ref(), &[zero; 3]);
            let mu = Four::load(lanes, Quad(places.map(|k| self.friction[k])));
            let [mut linear, mut surface] = [[zero; LANES]; 2];
            for lane in 0..LANES {
                let [a, b] = [contacts[lane].a, contacts[lane].b]
                    .map(|body| self.motions[body as usize].map(|part| Four::load(lanes, part)));
                linear[lane] = a[0] + opposite * b[0];
                surface[lane] = a[1] + b[1];
            }
            let [vx, vy, vz, mass] = Four::transpose(linear);
            let [sx, sy, sz, turn] = Four::transpose(surface);
            let given = match self.compliance.is_empty() {
                true => [zero; 2],
                false => {
                    let given = places.map(|k| &self.compliance[k]);
                    [given.map(|e| e.normal), given.map(|e| e.tangential)]
                        .map(|numbers| Four::load(lanes, Quad(numbers)))
                }
            };
            let along = mass + given[0];
            let across = match ROWS {
                1 => along,
                _ => mass + turn + given[1],
            };
            let per_mass = along.larger(across);
            lightest = lightest.larger(per_mass);
            let rho = inverse(per_mass);
            // ‖P_K(-ρ b)/ρ‖, with b as exact friction sees it.
            let part = dot(bias, n);
            let slide: Vectors<L> = std::array::from_fn(|i| bias[i] - part * n[i]);
            let slide = dot(&slide, &slide).sqrt();
            let closing = zero - (part + exact * (mu * slide));
            let inside = closing.above(zero) & slide.at_most(mu * closing);
            let edge = (closing + mu * slide).larger(zero);
            let square = inside.choose(
                closing * closing + slide * slide,
                edge * edge / (one + mu * mu),
            );
            velocity_squares += counted * square;
            impulse_squares += counted * (rho * rho * square);
            // w = W λ + b.
            let u = round::relative(n, &[vx, vy, vz], &[sx, sy, sz]);
            let stretch = (given[0] - given[1]) * dot(impulse, n);
            let w: Vectors<L> =
                std::array::from_fn(|i| u[i] + bias[i] + (given[1] * impulse[i] + stretch * n[i]));
            let twice: Vectors<L> = std::array::from_fn(|i| w[i] + bias[i]);
            energy += counted * (half * dot(impulse, &twice));
            let opening = dot(&w, n);
            let slide: Vectors<L> = std::array::from_fn(|i| w[i] - opening * n[i]);
            let dilation = mu * dot(&slide, &slide).sqrt();
            let spare = (opening - (one - exact) * dilation).store();
            let ease = [inverse(along).store(), inverse(across).store()];
            let dilation = dilation.store();
            for (lane, impulse) in impulses.iter().enumerate().take(count - first) {
                let k = first + lane;
                self.ease[k] = ease.map(|ease| ease.0[lane]);
                self.slips[k] = dilation.0[lane];
                self.matters[k] = *impulse != [0.0; 3] || spare.0[lane] < 0.0;
            }
        }
        let heaviest = (lightest.store().0.into_iter()).fold(0.0, f64::max);
        Seen {
            at_zero: SquaresAtZero {
                impulses: impulse_squares.sum(),
                velocities: velocity_squares.sum(),
                lightest: 1.0 / heaviest,
            },
            energy: energy.sum(),
        }
    }
}
