//! Random problems whose contacts differ: round ones, those of bodies of any shape, joints, and contacts that give.

use crate::law::AdmissibleSet;
use crate::math::{DMat3, DVec3};
use crate::problem::{
    BodySpace, Compliance, ContactProblem, Delassus, Lever, MatrixFree, RigidContact, RowForm, Sets,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn operator_of(space: BodySpace) -> Delassus {
    let operator = MatrixFree::new(space);
    operator
        .expect("a space that is valid by construction")
        .into()
}

fn vector(random: &mut Pcg64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| random.random_range(-1.0..1.0)))
}

/// A rotation, by its columns.
fn turned(random: &mut Pcg64) -> DMat3 {
    let first = (vector(random) + 2.0 * DVec3::X).normalize();
    let (second, third) = first.any_orthonormal_pair();
    DMat3::from_cols(first, second, third)
}

/// A problem of round contacts with so many bodies of other shapes beside its own, each with two contacts and a
/// joint. It has a solution: bodies at rest are allowed.
///
/// ```
/// use granule::cases::{random_problem, random_problems, with_friction, with_other_shapes};
/// let kind = &random_problems(3)[0];
/// let round = with_friction(random_problem(kind), 1, 0.5..=0.5);
/// let mixed = with_other_shapes(round.clone(), 4, 1);
/// assert_eq!(mixed.contact_count(), round.contact_count() + 12);
/// assert!(mixed.kind().sets.free);
/// ```
pub fn with_other_shapes(problem: ContactProblem, count: usize, seed: u64) -> ContactProblem {
    let Delassus::MatrixFree(operator) = problem.delassus else {
        panic!("a problem of bodies")
    };
    let mut random = Pcg64::seed_from_u64(seed);
    let mut space = operator.into_space();
    let rows = space.rows;
    let planar = rows == 2;
    let first = space.body_count();
    let ground = (first + count) as u32;
    for contact in &mut space.contacts {
        if contact.b as usize == first {
            contact.b = ground;
        }
    }
    if space.lever == Lever::None {
        let bodies = space.inverse_mass.len();
        space.lever = Lever::Radial {
            radius: vec![0.5; bodies],
            inverse_inertia: vec![0.0; bodies],
        };
    }
    let still = space.inverse_mass.pop();
    for _ in 0..count {
        space.inverse_mass.push(random.random_range(0.1..2.0));
    }
    space.inverse_mass.extend(still);
    if let Lever::Radial {
        radius,
        inverse_inertia,
    } = &mut space.lever
    {
        let still = [radius.pop(), inverse_inertia.pop()];
        for body in first..first + count {
            let eases = DVec3::from_array(std::array::from_fn(|_| random.random_range(0.2..3.0)));
            radius.push(random.random_range(0.3..1.5));
            if planar {
                inverse_inertia.push(eases.z);
                continue;
            }
            let axes = turned(&mut random);
            let tensor = axes * DMat3::from_diagonal(eases) * axes.transpose();
            inverse_inertia.push(eases.max_element());
            space.general.tensors.push((body as u32, tensor));
        }
        radius.extend(still[0]);
        inverse_inertia.extend(still[1]);
    }
    let flat = |v: DVec3| {
        if planar {
            v * DVec3::new(1.0, 1.0, 0.0)
        } else {
            v
        }
    };
    let mut general_sets = Vec::new();
    for body in first..first + count {
        // Two contacts: with an earlier body and with the ground.
        for b in [random.random_range(0..body as u32), ground] {
            let normal = flat(vector(&mut random)).normalize_or(DVec3::X);
            let arms = [vector(&mut random), vector(&mut random)].map(flat);
            let a = body as u32;
            space.push_rigid(&RigidContact { a, b, normal, arms });
            let friction = random.random_range(0.0..1.0);
            general_sets.push(match rows {
                1 => AdmissibleSet::HalfLine,
                2 | 3 => AdmissibleSet::Cone { friction },
                _ => AdmissibleSet::RollingCone {
                    friction,
                    rolling: 0.3,
                    spinning: 0.2,
                },
            });
        }
    }
    for body in first..first + count {
        // A joint of some rows, one of them a limit.
        let limit = body % 3 == 0;
        let other = random.random_range(0..body as u32);
        let most = if limit { 1 } else { rows };
        let forms: Vec<RowForm> = (0..random.random_range(1..=most))
            .map(|_| RowForm {
                linear: flat(vector(&mut random)),
                on_a: vector(&mut random) * if planar { DVec3::Z } else { DVec3::ONE },
                on_b: vector(&mut random) * if planar { DVec3::Z } else { DVec3::ONE },
            })
            .collect();
        let joined = space.push_joint([body as u32, other], &forms);
        joined.expect("at most as many rows as a contact");
        general_sets.push(if limit {
            AdmissibleSet::HalfLine
        } else {
            AdmissibleSet::Free
        });
    }
    let velocities: Vec<[DVec3; 2]> = (0..=ground)
        .map(|body| {
            let moves = if body == ground { 0.0 } else { 1.0 };
            let spin = vector(&mut random) * if planar { DVec3::Z } else { DVec3::ONE };
            [flat(moves * vector(&mut random)), moves * spin]
        })
        .collect();
    let round = space.contacts.len();
    let bias = (0..space.contact_count()).flat_map(|k| {
        let [[va, wa], [vb, wb]] = space.ends(k).map(|body| velocities[body as usize]);
        let room = match k.checked_sub(round).map(|block| general_sets[block]) {
            Some(AdmissibleSet::Free) => 0.0,
            _ => random.random_range(0.0..0.3),
        };
        let normal = space.normal(k).to_array();
        let forms = space.forms(k).into_iter().enumerate();
        forms
            .map(|(row, form)| {
                let free = form.linear.dot(va - vb) + form.on_a.dot(wa) + form.on_b.dot(wb);
                free + room
                    * if rows == 1 {
                        1.0
                    } else {
                        normal.get(row).copied().unwrap_or(0.0)
                    }
            })
            .collect::<Vec<f64>>()
    });
    let bias = bias.collect();
    ContactProblem {
        delassus: operator_of(space),
        bias,
        offset: Vec::new(),
        general_sets,
        ..problem
    }
}

/// The same problem with contacts that yield: most are rounded, capped, or both, by impulses that stop or pull what
/// moves at up to so many m/s; joints and every fifth contact stay as they are.
///
/// ```
/// use granule::cases::{random_problem, random_problems, with_friction, with_yield};
/// let problem = with_friction(random_problem(&random_problems(3)[20]), 1, 0.2..=0.8);
/// let problem = with_yield(problem, 1.0, 1);
/// assert!(problem.kind().sets.yields && problem.validate().is_ok());
/// ```
pub fn with_yield(mut problem: ContactProblem, speed: f64, seed: u64) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut sets: Vec<AdmissibleSet> = (0..problem.contact_count())
        .map(|k| problem.set(k))
        .collect();
    for (k, set) in sets.iter_mut().enumerate() {
        let friction = match *set {
            AdmissibleSet::HalfLine => 0.0,
            AdmissibleSet::Cone { friction } | AdmissibleSet::RollingCone { friction, .. } => {
                friction
            }
            AdmissibleSet::Free | AdmissibleSet::Segment { .. } | AdmissibleSet::Yield { .. } => {
                continue;
            }
        };
        let size = speed / problem.delassus.largest_diagonal(k);
        let mut limit = || size * random.random_range(0.05..1.0);
        let (rounding, cap) = match k % 5 {
            0 => continue,
            1 => (limit(), f64::INFINITY),
            2 => (0.0, limit()),
            _ => (limit(), limit()),
        };
        *set = AdmissibleSet::Yield {
            friction,
            rounding,
            cap,
        };
    }
    problem.general_sets = sets.split_off(problem.delassus.round_count());
    problem.sets = Sets::Mixed(sets);
    problem
}

/// The same problem with contacts that give: E of each is at most so many times its own block of W.
pub fn with_compliance(problem: ContactProblem, most: f64, seed: u64) -> ContactProblem {
    let Delassus::MatrixFree(operator) = problem.delassus else {
        panic!("a problem of bodies")
    };
    let mut random = Pcg64::seed_from_u64(seed);
    let mut space = operator.into_space();
    let mut one = |size: f64| size * random.random_range(0.0..most);
    space.compliance = (0..space.contact_count())
        .map(|k| space.largest_diagonal(k))
        .map(|size| Compliance {
            normal: one(size),
            tangential: one(size),
            rolling: one(size),
            spinning: one(size),
        })
        .collect();
    ContactProblem {
        delassus: operator_of(space),
        ..problem
    }
}
