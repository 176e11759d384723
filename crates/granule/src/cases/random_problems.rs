//! A seeded collection of random contact problems.

use crate::law::AdmissibleSet;
use crate::math::DVec3;
use crate::problem::{
    BodySpace, ContactGeometry, ContactProblem, Delassus, Lever, MatrixFree, Sets,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::ops::RangeInclusive;

/// What a random problem looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomProblem {
    /// Number of bodies.
    pub bodies: usize,
    /// Contacts a body, about.
    pub density: usize,
    /// Rows a contact: 1, 2, 3 or 6.
    pub rows: usize,
    /// All normals in a plane.
    pub planar: bool,
    /// Largest over smallest mass.
    pub mass_ratio: f64,
    /// Share of contacts that stand twice, which makes W singular.
    pub redundant: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// The problem of the given kind: random pairs (a tenth of them with the ground) with random
/// normals; free velocities that approach and leave, over gaps of which a third are closed.
pub fn random_problem(kind: &RandomProblem) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(kind.seed);
    let ground = kind.bodies as u32;
    let direction = |random: &mut Pcg64| loop {
        let z = if kind.planar {
            0.0
        } else {
            random.random_range(-1.0..1.0)
        };
        let v = DVec3::new(
            random.random_range(-1.0..1.0),
            random.random_range(-1.0..1.0),
            z,
        );
        if (0.01..1.0).contains(&v.length_squared()) {
            break v.normalize();
        }
    };
    let mut contacts = Vec::new();
    for _ in 0..kind.bodies * kind.density {
        let a = random.random_range(0..ground);
        let other = random.random_range(0..ground);
        let b = if other == a || random.random_bool(0.1) {
            ground
        } else {
            other
        };
        let contact = ContactGeometry {
            normal: direction(&mut random),
            a: a.min(b),
            b: a.max(b),
        };
        contacts.push(contact);
        if random.random_bool(kind.redundant) {
            contacts.push(contact);
        }
    }
    contacts.sort_by_key(|c| (c.a, c.b));
    let mut inverse_mass: Vec<f64> = (0..kind.bodies)
        .map(|_| kind.mass_ratio.powf(-random.random_range(0.0..1.0)))
        .collect();
    inverse_mass.push(0.0);
    let lever = if kind.rows == 1 {
        Lever::None
    } else {
        let mut radius: Vec<f64> = (0..kind.bodies)
            .map(|_| random.random_range(0.5..1.5))
            .collect();
        radius.push(0.0);
        let inverse_inertia = inverse_mass
            .iter()
            .zip(&radius)
            .map(|(m, r)| if *r > 0.0 { 2.5 * m / (r * r) } else { 0.0 })
            .collect();
        Lever::Radial {
            radius,
            inverse_inertia,
        }
    };
    let mut space = BodySpace {
        rows: kind.rows,
        inverse_mass,
        lever,
        contacts,
        ..BodySpace::default()
    };
    if kind.rows == 6 {
        space.set_arms();
    }
    // b = Dᵀ v_free + s with gaps s ≥ 0: a body space at rest is then feasible, so that there is a
    // solution however many contacts there are.
    let mut velocity = || {
        (0..=kind.bodies)
            .map(|body| {
                let v = DVec3::new(
                    random.random_range(-1.0..1.0),
                    random.random_range(-1.0..1.0),
                    random.random_range(-1.0..1.0),
                );
                if body == kind.bodies { DVec3::ZERO } else { v }
            })
            .collect::<Vec<DVec3>>()
    };
    let (linear, surface) = (velocity(), velocity());
    let (mut bias, mut offset) = (Vec::new(), Vec::new());
    let mut gap = 0.0;
    for (k, c) in space.contacts.iter().enumerate() {
        // Contacts that stand twice must ask for the same.
        if k == 0 || *c != space.contacts[k - 1] {
            gap = random.random_range(-0.5..1.0f64).max(0.0);
        }
        let (a, b) = (c.a as usize, c.b as usize);
        let turning = if kind.rows > 1 {
            c.normal.cross(surface[a] + surface[b])
        } else {
            DVec3::ZERO
        };
        let relative = linear[a] - linear[b] + turning + gap * c.normal;
        match kind.rows {
            1 => {
                bias.push(c.normal.dot(relative));
                offset.push(gap);
            }
            rows => {
                let opening = (gap * c.normal).to_array();
                offset.extend_from_slice(&opening[..rows.min(3)]);
                offset.resize(offset.len() + rows.saturating_sub(3), 0.0);
                bias.extend_from_slice(&relative.to_array()[..rows.min(3)]);
                if rows == 6 {
                    let [arm_a, arm_b] = space.arms[k];
                    bias.extend((arm_a * surface[a] - arm_b * surface[b]).to_array());
                }
            }
        }
    }
    ContactProblem {
        offset,
        ..of_bodies(space, bias)
    }
}

/// The frictionless problem of bodies and contacts that are valid by construction.
fn of_bodies(space: BodySpace, bias: Vec<f64>) -> ContactProblem {
    MatrixFree::new(space)
        .and_then(|operator| ContactProblem::explicit(operator, bias))
        .expect("bodies and contacts that are valid by construction")
}

/// The problem with friction: each contact has its own μ from the range, and with six rows a δ and
/// a σ (multiples of the contact's length) of up to half of that, each zero for about a fifth of the
/// contacts.
///
/// ```
/// use granule::cases::{random_problem, random_problems, with_friction};
/// use granule::law::AdmissibleSet;
/// let kind = random_problems(3)[20];
/// let problem = with_friction(random_problem(&kind), 1, 0.2..=0.8);
/// assert!(matches!(problem.set(0), AdmissibleSet::Cone { friction } if (0.2..=0.8).contains(&friction)));
/// ```
pub fn with_friction(
    problem: ContactProblem,
    seed: u64,
    range: RangeInclusive<f64>,
) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(seed);
    let contacts = problem.contact_count();
    let (least, most) = range.into_inner();
    let sets = match problem.rows() {
        1 => Sets::HalfLine,
        2 | 3 => Sets::Cone(
            (0..contacts)
                .map(|_| random.random_range(least..=most))
                .collect(),
        ),
        _ => {
            let coefficients = (0..contacts).map(|_| {
                let friction = random.random_range(least..=most);
                let mut moment = || match random.random_bool(0.2) {
                    true => 0.0,
                    false => 0.5 * random.random_range(least..=most),
                };
                [friction, moment(), moment()]
            });
            Sets::RollingCone(coefficients.collect())
        }
    };
    ContactProblem { sets, ..problem }
}

/// The problem with joints and half-lines among its contacts: a joint, without a gap, wherever neither
/// body has one yet, a half-line for every third of the others.
///
/// ```
/// use granule::cases::{random_problem, random_problems, with_friction, with_joints};
/// let kind = random_problems(3)[20];
/// let problem = with_joints(with_friction(random_problem(&kind), 1, 0.2..=0.8));
/// assert!(problem.kind().sets.free);
/// ```
pub fn with_joints(problem: ContactProblem) -> ContactProblem {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        panic!("a problem of bodies")
    };
    let space = &operator.space;
    let rows = space.rows;
    let mut joined = vec![false; space.inverse_mass.len()];
    let (mut bias, mut offset) = (problem.bias.clone(), problem.offset.clone());
    let mut sets = Vec::new();
    for (k, contact) in space.contacts.iter().enumerate() {
        let ends = [contact.a, contact.b].map(|body| body as usize);
        let moves = |body: usize| space.inverse_mass[body] > 0.0;
        let alone = ends.into_iter().all(|body| !moves(body) || !joined[body]);
        sets.push(if alone {
            ends.into_iter().for_each(|body| joined[body] = true);
            for row in k * rows..(k + 1) * rows {
                bias[row] -= offset[row];
                offset[row] = 0.0;
            }
            AdmissibleSet::Free
        } else if k % 3 == 0 {
            AdmissibleSet::HalfLine
        } else {
            problem.set(k)
        });
    }
    ContactProblem {
        sets: Sets::Mixed(sets),
        bias,
        offset,
        ..problem
    }
}

/// The problem with one body more between two parallel walls that come closer to each other at `closing`
/// (m/s) in all: for a positive `closing` there is no solution; for a small negative one there is, and
/// hardly any room.
///
/// ```
/// use granule::cases::{random_problem, random_problems, squeezed};
/// use granule::certify::Contradiction;
/// let problem = squeezed(random_problem(&random_problems(1)[20]), 0.1);
/// let mut direction = vec![0.0; problem.len()];
/// direction[problem.len() - 2..].fill(1.0);
/// let proof = Contradiction::of(&problem, &direction, &direction).unwrap();
/// assert!((proof.approach - 0.05).abs() < 1e-12);
/// ```
pub fn squeezed(problem: ContactProblem, closing: f64) -> ContactProblem {
    let Delassus::MatrixFree(operator) = problem.delassus else {
        panic!("a problem of bodies")
    };
    let mut space = operator.into_space();
    let (rows, ground) = (space.rows, space.ground());
    // The ground stays the last; the new body is as the one before it.
    space.inverse_mass.push(0.0);
    space.inverse_mass[ground as usize] = space.inverse_mass[ground as usize - 1];
    if let Lever::Radial {
        radius,
        inverse_inertia,
    } = &mut space.lever
    {
        for list in [radius, inverse_inertia] {
            list.push(0.0);
            list[ground as usize] = list[ground as usize - 1];
        }
    }
    for contact in &mut space.contacts {
        if contact.b == ground {
            contact.b += 1;
        }
    }
    let (mut bias, mut offset, mut sets) = (problem.bias, problem.offset, problem.sets);
    // The walls approach, one a little faster; the body moves across them.
    for (side, share) in [(1.0, 0.7), (-1.0, 0.3)] {
        let normal = side * DVec3::X;
        space.contacts.push(ContactGeometry {
            normal,
            a: ground,
            b: ground + 1,
        });
        let opening = -share * closing;
        let free = opening * normal + 0.1 * DVec3::Y;
        let length = bias.len();
        match rows {
            1 => {
                bias.push(opening);
                offset.push(opening);
            }
            rows => {
                bias.extend_from_slice(&free.to_array()[..rows.min(3)]);
                offset.extend_from_slice(&(opening * normal).to_array()[..rows.min(3)]);
            }
        }
        bias.resize(length + rows, 0.0);
        offset.resize(length + rows, 0.0);
        match &mut sets {
            Sets::HalfLine => {}
            Sets::Cone(list) => list.push(0.4),
            Sets::RollingCone(list) => list.push([0.4, 0.1, 0.1]),
            Sets::Mixed(list) => list.push(AdmissibleSet::HalfLine),
        }
    }
    if rows == 6 {
        space.set_arms();
    }
    ContactProblem {
        offset,
        sets,
        flow: problem.flow,
        ..of_bodies(space, bias)
    }
}

/// The collection that solvers must agree on: planar and spatial, mass ratios up to 10⁴, with and
/// without redundant contacts, from one contact to some hundreds.
pub fn random_problems(rows: usize) -> Vec<RandomProblem> {
    let mut kinds = Vec::new();
    for (bodies, density) in [(1, 1), (2, 2), (10, 2), (60, 3), (150, 4)] {
        for planar in [false, true] {
            for mass_ratio in [1.0, 1e2, 1e4] {
                for redundant in [0.0, 0.3] {
                    let seed = kinds.len() as u64 + 1;
                    kinds.push(RandomProblem {
                        bodies,
                        density,
                        rows,
                        planar,
                        mass_ratio,
                        redundant,
                        seed,
                    });
                }
            }
        }
    }
    kinds
}
