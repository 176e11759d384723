//! A problem with contacts of every kind, for the tests of what solvers do inside.

use crate::law::AdmissibleSet;
use crate::math::{DMat3, DVec3};
use crate::problem::{
    BodySpace, Compliance, ContactGeometry, ContactProblem, Lever, MatrixFree, RigidContact,
    RowForm, Sets,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Spheres, two bodies with tensors of inertia, and the ground; with three rows a contact.
pub(super) fn mixed(gives: bool, seed: u64) -> ContactProblem {
    const SPHERES: usize = 9;
    let mut random = Pcg64::seed_from_u64(seed);
    let mut vector = || DVec3::from_array(std::array::from_fn(|_| random.random_range(-1.0..1.0)));
    let ground = SPHERES as u32 + 2;
    let mut space = BodySpace {
        rows: 3,
        inverse_mass: (0..SPHERES + 2).map(|i| 0.5 + 0.1 * i as f64).collect(),
        ..BodySpace::default()
    };
    let mut inverse_inertia: Vec<f64> = space.inverse_mass.iter().map(|m| 10.0 * m).collect();
    space.inverse_mass.push(0.0);
    inverse_inertia.push(0.0);
    for a in 0..SPHERES as u32 {
        for b in [a + 1, a + 3, ground] {
            if b < SPHERES as u32 || b == ground {
                let normal = (vector() + DVec3::Z).normalize();
                space.contacts.push(ContactGeometry { normal, a, b });
            }
        }
    }
    let mut general_sets = Vec::new();
    for (a, b) in [(SPHERES as u32, ground), (SPHERES as u32 + 1, 2)] {
        let axes = [
            vector() + 2.0 * DVec3::X,
            vector() + 2.0 * DVec3::Y,
            vector(),
        ];
        let axes = DMat3::from_cols(axes[0], axes[1], axes[2]);
        let tensor = axes * axes.transpose() + DMat3::IDENTITY;
        space.general.tensors.push((a, tensor));
        inverse_inertia[a as usize] = tensor.to_cols_array().into_iter().fold(0.0, f64::max);
        for b in [b, 0] {
            let (normal, arms) = (vector().normalize(), [vector(), vector()]);
            general_sets.push(AdmissibleSet::Cone { friction: 0.3 });
            space.push_rigid(&RigidContact { a, b, normal, arms });
        }
        let form = RowForm {
            linear: vector(),
            on_a: vector(),
            on_b: vector(),
        };
        general_sets.push(AdmissibleSet::Free);
        space.push_joint([a, 1], &[form]).unwrap();
    }
    space.lever = Lever::Radial {
        radius: vec![0.5; inverse_inertia.len()],
        inverse_inertia,
    };
    let contacts = space.contact_count();
    if gives {
        space.compliance = (0..contacts)
            .map(|k| Compliance {
                normal: 0.1 * (k % 4) as f64,
                tangential: 0.2 * (k % 3) as f64,
                ..Compliance::default()
            })
            .collect();
    }
    let friction = (0..space.contacts.len()).map(|k| 0.2 + 0.1 * (k % 5) as f64);
    let sets = Sets::Cone(friction.collect());
    let bias = (0..contacts).flat_map(|_| vector().to_array()).collect();
    ContactProblem {
        sets,
        general_sets,
        ..ContactProblem::explicit(MatrixFree::new(space).unwrap(), bias).unwrap()
    }
}

/// The same problem with two of three round contacts capped, some by less and some by more than they carry.
pub(super) fn capped(problem: ContactProblem) -> ContactProblem {
    let sets = (0..problem.delassus.round_count()).map(|k| match problem.set(k) {
        AdmissibleSet::Cone { friction } if k % 3 > 0 => AdmissibleSet::Yield {
            friction,
            rounding: 0.0,
            cap: 0.05 * (k % 9) as f64,
        },
        set => set,
    });
    ContactProblem {
        sets: Sets::Mixed(sets.collect()),
        ..problem
    }
}
