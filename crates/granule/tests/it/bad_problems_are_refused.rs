//! What is no problem is an error that says why, never a panic.

use granule::law::AdmissibleSet;
use granule::math::{DMat3, DVec3};
use granule::problem::{
    Assembled, BodySpace, Compliance, ContactGeometry, ContactProblem, Delassus, DelassusScratch,
    GeneralBlock, Lever, MatrixFree, ProblemError, RigidContact, RowForm, Sets,
};

/// Two spheres on the ground and a body with a tensor that hits the second.
fn good() -> BodySpace {
    let contact = |a: u32, b: u32| ContactGeometry {
        normal: DVec3::Z,
        a,
        b,
    };
    let mut space = BodySpace {
        rows: 3,
        inverse_mass: vec![1.0, 2.0, 0.5, 0.0],
        lever: Lever::Radial {
            radius: vec![0.5, 0.5, 1.0, 0.0],
            inverse_inertia: vec![4.0, 4.0, 3.0, 0.0],
        },
        contacts: vec![contact(0, 1), contact(0, 3), contact(1, 3)],
        ..BodySpace::default()
    };
    let tensor = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
    space.general.tensors.push((2, tensor));
    space.push_rigid(&RigidContact {
        a: 2,
        b: 1,
        normal: DVec3::X,
        arms: [DVec3::X, DVec3::Y],
    });
    space
}

fn radii(space: &mut BodySpace) -> &mut Vec<f64> {
    match &mut space.lever {
        Lever::Radial { radius, .. } => radius,
        Lever::None => panic!("there are radii"),
    }
}

type Change = fn(&mut BodySpace);

#[test]
fn broken_spaces_are_refused() {
    assert_eq!(good().validate(), Ok(()));
    let broken: [(&str, Change); 15] = [
        ("not 4", |s| s.rows = 4),
        ("5 entries", |s| radii(s).push(0.0)),
        ("the ground", |s| s.inverse_mass.clear()),
        ("sort the contacts", |s| s.contacts.swap(0, 2)),
        ("bodies 0 and 9", |s| s.contacts[0].b = 9),
        ("bodies 1 and 1", |s| s.contacts[2].b = 1),
        ("bodies 2 and 7", |s| s.general.blocks[0].b = 7),
        ("arms", |s| s.arms.push([0.0; 2])),
        ("rows of general blocks", |s| {
            s.general.blocks.push(GeneralBlock {
                a: 2,
                b: 0,
                normal: DVec3::X,
            });
        }),
        ("compliance", |s| s.compliance = vec![Compliance::default()]),
        ("is negative", |s| s.inverse_mass[1] = -1.0),
        ("not a finite number", |s| radii(s)[1] = f64::NAN),
        ("length", |s| s.contacts[1].normal = DVec3::splat(f64::NAN)),
        ("tensor of inertia", |s| radii(s)[2] = 0.0),
        ("make it a rigid one", |s| {
            s.contacts.push(ContactGeometry {
                normal: DVec3::Z,
                a: 2,
                b: 3,
            });
        }),
    ];
    for (word, change) in broken {
        let mut space = good();
        change(&mut space);
        let error = MatrixFree::new(space).unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}

#[test]
fn an_operator_that_cannot_be_rebuilt_is_empty_and_goes_on() {
    let mut operator = MatrixFree::new(good()).unwrap();
    let error = operator.rebuild(|space| space.contacts.reverse());
    assert!(matches!(error, Err(ProblemError::Unsorted { .. })));
    assert_eq!(Delassus::from(operator.clone()).len(), 0);
    operator.rebuild(|space| *space = good()).unwrap();
    assert_eq!(operator, MatrixFree::new(good()).unwrap());
}

#[test]
fn joints_with_too_many_rows_are_refused() {
    let mut space = BodySpace::default();
    let error = space.push_joint([0, 1], &[RowForm::default(); 2]);
    assert_eq!(error, Err(ProblemError::JointRows { found: 2, rows: 1 }));
}

#[test]
fn broken_matrices_are_refused() {
    let of = |rows: usize, lines: &[Vec<f64>]| Assembled::from_dense(rows, lines).unwrap_err();
    assert_eq!(of(0, &[]), ProblemError::Rows { rows: 0 });
    assert_eq!(
        of(4, &vec![vec![0.0; 4]; 4]),
        ProblemError::Rows { rows: 4 }
    );
    assert_eq!(
        of(2, &vec![vec![0.0; 3]; 3]),
        ProblemError::Rows { rows: 2 }
    );
    let short = of(1, &[vec![1.0, 0.0], vec![1.0]]);
    assert!(matches!(
        short,
        ProblemError::Length {
            expected: 2,
            found: 1,
            ..
        }
    ));
    let lost = of(1, &[vec![f64::INFINITY]]);
    assert!(matches!(lost, ProblemError::NotFinite { .. }));
    let outside = Assembled::from_entries(2, 1, [(0, 2, 1.0)]).unwrap_err();
    assert_eq!(
        outside,
        ProblemError::Outside {
            row: 0,
            column: 2,
            size: 2
        }
    );
}

fn yields(rounding: f64, cap: f64) -> AdmissibleSet {
    AdmissibleSet::Yield {
        friction: 0.5,
        rounding,
        cap,
    }
}

#[test]
fn broken_problems_are_refused() {
    let operator = || MatrixFree::new(good()).unwrap();
    let short = ContactProblem::explicit(operator(), vec![0.0; 5]);
    assert!(matches!(short, Err(ProblemError::Length { what: "b", .. })));
    let lost = ContactProblem::explicit(operator(), vec![f64::NAN; 12]);
    assert!(matches!(
        lost,
        Err(ProblemError::NotFinite {
            what: "b",
            place: 0
        })
    ));
    let problem = ContactProblem {
        sets: Sets::uniform_cone(0.5, 3),
        ..ContactProblem::explicit(operator(), vec![-1.0; 12]).unwrap()
    };
    assert_eq!(problem.validate(), Ok(()));
    let mut open = problem.clone();
    open.general_sets[0] = yields(1.0, f64::INFINITY);
    assert_eq!(open.validate(), Ok(()));
    type Change = fn(&mut ContactProblem);
    let broken: [(&str, Change); 11] = [
        ("sets", |p| p.sets = Sets::uniform_cone(0.5, 4)),
        ("sets of general blocks", |p| p.general_sets.clear()),
        ("entries of s", |p| p.offset = vec![0.0]),
        ("restitution", |p| p.restitution = vec![Default::default()]),
        ("shift", |p| p.shift.along = vec![1.0]),
        ("step", |p| p.step = -1.0),
        ("coefficient", |p| {
            p.general_sets[0] = AdmissibleSet::Segment { limit: -2.0 };
        }),
        ("is negative: -3", |p| p.general_sets[0] = yields(0.0, -3.0)),
        ("not a finite", |p| {
            p.general_sets[0] = yields(0.0, f64::NAN)
        }),
        ("not a finite", |p| {
            p.general_sets[0] = yields(f64::INFINITY, 1.0);
        }),
        ("b 3 is not a finite", |p| p.bias[3] = f64::NEG_INFINITY),
    ];
    for (word, change) in broken {
        let mut broken = problem.clone();
        change(&mut broken);
        let error = broken.validate().unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
    // What is valid can be multiplied with.
    let mut out = vec![0.0; 12];
    let scratch = &mut DelassusScratch::default();
    problem.delassus.apply(&problem.bias, scratch, &mut out);
    assert!(out.iter().all(|x| x.is_finite()));
}
