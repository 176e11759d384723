//! Contacts between round bodies with cones, or without friction, judged four at a time.
//!
//! The same as for any contact, one by one, but side by side and without branches; with a Dᵀ of the judge's own. Contacts
//! in a plane, and those without friction, are seen as contacts in space whose vectors are in that plane, or along the
//! normal.

use super::Sums;
use super::velocities::BodyVelocities;
use crate::law::Flow;
use crate::parallel::{self, Four, Kernel, LANES, Lanes, Quad, run};
use crate::problem::{ContactGeometry, ContactProblem, Delassus, Sets};

/// Velocity of a body, with 1/m, and velocity of its surface, with r²/J.
pub(super) type Line = [Quad; 2];

/// Contacts that are judged by one task; a multiple of those side by side.
const CHUNK: usize = 1024 * LANES;

/// Of the first part of the line of b all but 1/m is subtracted.
const OPPOSITE: Quad = Quad([-1.0, -1.0, -1.0, 1.0]);

/// The contacts of a problem that can be judged four at a time: the round ones, if they have cones or half-lines and are
/// neither shifted nor soft, as many as make up whole fours.
pub(super) fn count(problem: &ContactProblem) -> usize {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        return 0;
    };
    let suits = match problem.sets {
        Sets::HalfLine => problem.rows() == 1,
        Sets::Cone(_) => matches!(problem.rows(), 2 | 3),
        Sets::RollingCone(_) | Sets::Mixed(_) => false,
    };
    let plain = suits
        && problem.shift.along.is_empty()
        && problem.flow != Flow::Skewed
        && operator.space.compliance.is_empty();
    match plain {
        true => operator.space.contacts.len() / LANES * LANES,
        false => 0,
    }
}

/// Judges the first `count` contacts.
pub(super) fn add(
    sums: &mut Sums,
    problem: &ContactProblem,
    impulses: &[f64],
    bodies: &mut BodyVelocities,
    count: usize,
) {
    match problem.rows() {
        1 => add_rows::<1>(sums, problem, impulses, bodies, count),
        2 => add_rows::<2>(sums, problem, impulses, bodies, count),
        _ => add_rows::<3>(sums, problem, impulses, bodies, count),
    }
}

fn add_rows<const ROWS: usize>(
    sums: &mut Sums,
    problem: &ContactProblem,
    impulses: &[f64],
    bodies: &mut BodyVelocities,
    count: usize,
) {
    let (Delassus::MatrixFree(operator), true) = (&problem.delassus, count > 0) else {
        return;
    };
    let friction = match &problem.sets {
        Sets::Cone(friction) => &friction[..count],
        Sets::HalfLine | Sets::RollingCone(_) | Sets::Mixed(_) => &[],
    };
    let offset = match problem.offset.is_empty() {
        true => None,
        false => Some(&problem.offset.as_chunks::<ROWS>().0[..count]),
    };
    let partials = &mut bodies.partials;
    partials.clear();
    partials.resize(count.div_ceil(CHUNK), Sums::default());
    let (lines, rounding) = (&bodies.lines[..], sums.rounding);
    parallel::each_mut(partials, |chunk, partial| {
        partial.rounding = rounding;
        let range = chunk * CHUNK..count.min((chunk + 1) * CHUNK);
        run(Judge {
            contacts: &operator.space.contacts[range.clone()],
            lines,
            friction: friction.get(range.clone()).unwrap_or_default(),
            impulses: &impulses.as_chunks::<ROWS>().0[range.clone()],
            bias: &problem.bias.as_chunks::<ROWS>().0[range.clone()],
            offset: offset.map(|offset| &offset[range]),
            exact: problem.flow == Flow::Exact && ROWS > 1,
            sums: partial,
        });
    });
    for partial in &bodies.partials {
        sums.merge(partial);
    }
}

struct Judge<'a, const ROWS: usize> {
    contacts: &'a [ContactGeometry],
    lines: &'a [Line],
    /// Empty without friction.
    friction: &'a [f64],
    impulses: &'a [[f64; ROWS]],
    bias: &'a [[f64; ROWS]],
    offset: Option<&'a [[f64; ROWS]]>,
    exact: bool,
    sums: &'a mut Sums,
}

type Vectors<L> = [Four<L>; 3];

#[inline(always)]
fn dot<L: Lanes>(a: &Vectors<L>, b: &Vectors<L>) -> Four<L> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vectors of four contacts, from their rows.
#[inline(always)]
fn gather<L: Lanes, const ROWS: usize>(
    lanes: L,
    four: &[[f64; ROWS]],
    normal: &Vectors<L>,
) -> Vectors<L> {
    let component = |k: usize| {
        let quad = Quad([four[0][k], four[1][k], four[2][k], four[3][k]]);
        Four::load(lanes, quad)
    };
    match ROWS {
        1 => {
            let along = component(0);
            [along * normal[0], along * normal[1], along * normal[2]]
        }
        2 => [component(0), component(1), Four::splat(lanes, 0.0)],
        _ => [component(0), component(1), component(2)],
    }
}

/// A vector as its parts: along the normal, the rest, and the length of the rest.
struct Split<L: Lanes> {
    along: Four<L>,
    across: Vectors<L>,
    length: Four<L>,
}

#[inline(always)]
fn split<L: Lanes>(x: &Vectors<L>, n: &Vectors<L>) -> Split<L> {
    let along = dot(x, n);
    let across = [
        x[0] - along * n[0],
        x[1] - along * n[1],
        x[2] - along * n[2],
    ];
    let length = dot(&across, &across).sqrt();
    Split {
        along,
        across,
        length,
    }
}

/// The projection onto the cone with friction μ of what is `along` the normal and so long across it: the part along the
/// normal, and the length across it.
#[inline(always)]
fn onto_cone<L: Lanes>(
    (along, length): (Four<L>, Four<L>),
    mu: Four<L>,
    (zero, one): (Four<L>, Four<L>),
) -> [Four<L>; 2] {
    // Without friction the second alone would let pulls pass.
    let inside = along.above(zero) & length.at_most(mu * along);
    let edge = ((along + mu * length) / (one + mu * mu)).larger(zero);
    [inside.choose(along, edge), inside.choose(length, mu * edge)]
}

/// |λ - P(λ - ρ w)|².
#[inline(always)]
fn natural<L: Lanes>(
    [impulse, reaction, n]: [&Vectors<L>; 3],
    rho: Four<L>,
    mu: Four<L>,
    constants: (Four<L>, Four<L>),
) -> Four<L> {
    let (zero, one) = constants;
    let x = [
        impulse[0] - rho * reaction[0],
        impulse[1] - rho * reaction[1],
        impulse[2] - rho * reaction[2],
    ];
    let parts = split(&x, n);
    let [along, length] = onto_cone((parts.along, parts.length), mu, constants);
    let some = parts.length.above(zero);
    let factor = some.choose(length / some.choose(parts.length, one), zero);
    let mut sum = zero;
    for k in 0..3 {
        let error = impulse[k] - (along * n[k] + factor * parts.across[k]);
        sum += error * error;
    }
    sum
}

impl<const ROWS: usize> Kernel for Judge<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) {
        let splat = |x: f64| Four::splat(lanes, x);
        let (zero, one, half) = (splat(0.0), splat(1.0), splat(0.5));
        let constants = (zero, one);
        let opposite = Four::load(lanes, OPPOSITE);
        let quiet = splat(self.sums.rounding * self.sums.rounding);
        let exact = splat(if self.exact { 1.0 } else { 0.0 });
        // Largest values, and sums.
        let (mut residual, mut largest_impulse, mut fastest) = (zero, zero, zero);
        let (mut penetration, mut violation, mut complementarity) = (zero, zero, zero);
        let (mut natural_sum, mut natural_at_zero, mut natural_unit) = (zero, zero, zero);
        let (mut natural_velocity, mut natural_velocity_at_zero) = (zero, zero);
        let (mut impulse_velocity, mut impulse_sum) = (zero, zero);
        let (mut velocity_sum, mut bias_sum) = (zero, zero);
        let (mut bipotential_sum, mut approach, mut dissipation) = (zero, zero, zero);
        let mut active = zero;
        for first in (0..self.contacts.len()).step_by(LANES) {
            let range = first..first + LANES;
            let contacts = &self.contacts[range.clone()];
            let normals = [0, 1, 2, 3].map(|k: usize| contacts[k].normal.to_array());
            let n = &gather(lanes, &normals, &[zero; 3]);
            let impulse = &gather(lanes, &self.impulses[range.clone()], n);
            let bias = &gather(lanes, &self.bias[range.clone()], n);
            let mu = match self.friction.get(range.clone()) {
                Some(mu) => Four::load(lanes, Quad([mu[0], mu[1], mu[2], mu[3]])),
                None => zero,
            };
            let mut linear = [zero; LANES];
            let mut surface = [zero; LANES];
            for k in 0..LANES {
                let [a, b] = [contacts[k].a, contacts[k].b].map(|body| self.lines[body as usize]);
                linear[k] = Four::load(lanes, a[0]) + opposite * Four::load(lanes, b[0]);
                surface[k] = Four::load(lanes, a[1]) + Four::load(lanes, b[1]);
            }
            let [vx, vy, vz, ease] = Four::transpose(linear);
            let [sx, sy, sz, turning] = Four::transpose(surface);
            // 1/ρ.
            let per_mass = if ROWS == 1 { ease } else { ease + turning };
            let per_velocity = per_mass * per_mass;
            let rho = one / per_mass;
            // u = v_a - v_b + n × (r_a ω_a + r_b ω_b).
            let mut u = [
                vx + (n[1] * sz - n[2] * sy),
                vy + (n[2] * sx - n[0] * sz),
                vz + (n[0] * sy - n[1] * sx),
            ];
            if ROWS == 1 {
                let along = dot(&[vx, vy, vz], n);
                u = [along * n[0], along * n[1], along * n[2]];
            }
            let w = &[u[0] + bias[0], u[1] + bias[1], u[2] + bias[2]];
            let slide = split(w, n);
            let opening = exact * (mu * slide.length);
            let reaction = &[
                w[0] + opening * n[0],
                w[1] + opening * n[1],
                w[2] + opening * n[2],
            ];
            let error = natural([impulse, reaction, n], rho, mu, constants);
            let unit = natural([impulse, reaction, n], one, mu, constants);
            let free = split(bias, n);
            let free_along = free.along + exact * (mu * free.length);
            let [zero_along, zero_across] =
                onto_cone((zero - rho * free_along, rho * free.length), mu, constants);
            let at_zero = zero_along * zero_along + zero_across * zero_across;
            let error_velocity = error * per_velocity;
            residual = residual.larger(error_velocity);
            let square = dot(impulse, impulse);
            let square_velocity = square * per_velocity;
            largest_impulse = largest_impulse.larger(square_velocity);
            fastest = fastest.larger(at_zero * per_velocity);
            natural_unit += error.above(zero).choose(unit, zero);
            let counts = error_velocity.above(quiet);
            natural_sum += counts.choose(error, zero);
            natural_velocity += counts.choose(error_velocity, zero);
            natural_at_zero += at_zero;
            natural_velocity_at_zero += at_zero * per_velocity;
            impulse_velocity += square_velocity;
            impulse_sum += square;
            velocity_sum += dot(w, w);
            bias_sum += dot(bias, bias);
            let closing = (zero - slide.along).larger(zero);
            penetration = penetration.larger(closing);
            approach += closing;
            let own = split(impulse, n);
            let [along, across] = onto_cone((own.along, own.length), mu, constants);
            let (outside, beyond) = (own.along - along, own.length - across);
            violation = violation.larger(outside * outside + beyond * beyond);
            active += square.above(zero).choose(one, zero);
            let work = dot(impulse, reaction);
            let bipotential = work.larger(zero - work);
            complementarity = complementarity.larger(bipotential);
            bipotential_sum += bipotential;
            let offset = match self.offset {
                Some(offset) => gather(lanes, &offset[range], n),
                None => [zero; 3],
            };
            let mean = [
                half * (w[0] + bias[0]) - offset[0],
                half * (w[1] + bias[1]) - offset[1],
                half * (w[2] + bias[2]) - offset[2],
            ];
            dissipation += dot(impulse, &mean);
        }
        let largest = |four: Four<L>| four.store().0.into_iter().fold(0.0, f64::max);
        let sums = self.sums;
        for (target, four) in [
            (&mut sums.residual, residual),
            (&mut sums.largest_impulse, largest_impulse),
            (&mut sums.fastest, fastest),
            (&mut sums.penetration_rate, penetration),
            (&mut sums.cone_violation, violation),
            (&mut sums.complementarity, complementarity),
        ] {
            *target = f64::max(*target, largest(four));
        }
        for (target, four) in [
            (&mut sums.natural, natural_sum),
            (&mut sums.natural_at_zero, natural_at_zero),
            (&mut sums.natural_unit, natural_unit),
            (&mut sums.natural_velocity, natural_velocity),
            (&mut sums.natural_velocity_at_zero, natural_velocity_at_zero),
            (&mut sums.impulse_velocity, impulse_velocity),
            (&mut sums.impulse, impulse_sum),
            (&mut sums.velocity, velocity_sum),
            (&mut sums.bias, bias_sum),
            (&mut sums.bipotential, bipotential_sum),
            (&mut sums.approach, approach),
        ] {
            *target += four.sum();
        }
        sums.dissipation -= dissipation.sum();
        sums.active += active.sum() as usize;
        sums.contacts += self.contacts.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::certify;
    use super::{CHUNK, count};
    use crate::law::Flow;
    use crate::problem::test_problems::row_of_spheres;
    use crate::problem::{Assembled, ContactProblem, Delassus};

    #[test]
    fn in_many_parts_side_by_side_is_one_by_one() {
        let together = row_of_spheres(3000);
        let space = together.delassus.space().unwrap();
        let formed = Delassus::from(Assembled::from_space(space));
        for flow in [Flow::Exact, Flow::Associated] {
            let together = ContactProblem {
                flow,
                ..together.clone()
            };
            let alone = ContactProblem {
                delassus: formed.clone(),
                ..together.clone()
            };
            assert!(count(&together) > 2 * CHUNK);
            assert_eq!(count(&alone), 0);
            let impulses = (0..together.len()).map(|k| ((k * 53 % 89) as f64 - 40.0) / 890.0);
            let impulses: Vec<f64> = impulses.collect();
            let [one, other] = [&together, &alone].map(|problem| certify(problem, &impulses));
            for (a, b) in [
                (one.residual, other.residual),
                (one.fastest, other.fastest),
                (one.relative, other.relative),
                (one.scaled, other.scaled),
                (one.max_penetration, other.max_penetration),
                (one.cone_violation, other.cone_violation),
                (one.complementarity, other.complementarity),
                (one.bipotential, other.bipotential),
                (one.approach, other.approach),
                (one.dissipation, other.dissipation),
            ] {
                // The largest eigenvalues of blocks that were formed are not known to the last digits.
                assert!(
                    (a - b).abs() < 1e-7 * b.abs(),
                    "{flow:?}: {one:?} {other:?}"
                );
            }
            assert_eq!(one.active, other.active);
        }
    }
}
