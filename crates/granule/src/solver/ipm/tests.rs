//! The algebra against its definitions, and the two ways of solving the linear system.

use super::body_space::BodySystem;
use super::cone::{NesterovTodd, PairProducts, SymmetricCone};
use super::contact_space::ContactSystem;
use super::inner::{Aim, Linear, Step};
use crate::law::AdmissibleSet;
use crate::math::{DMat3, DVec3};
use crate::problem::{Assembled, ContactProblem};
use crate::solver::test_problems::mixed;
use proptest::prelude::*;

/// A unit normal and points inside the cone about it.
fn pair() -> impl Strategy<Value = (SymmetricCone, DVec3, DVec3)> {
    let vector = || (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64);
    let inside = |n: DVec3, (a, b, c): (f64, f64, f64), depth: f64| {
        let v = DVec3::new(a, b, c);
        let across = v - v.dot(n) * n;
        (across.length() * (1.0 + depth) + depth) * n + across
    };
    (vector(), vector(), vector(), 1e-6..2.0f64, 1e-6..2.0f64)
        .prop_filter("a normal", |(n, ..)| {
            DVec3::from(*n).length_squared() > 1e-2
        })
        .prop_map(move |(n, x, y, deep_x, deep_y)| {
            let n = DVec3::from(n).normalize();
            let cone = SymmetricCone::new(n, 0.4);
            (cone, inside(n, x, deep_x), inside(n, y, deep_y))
        })
}

fn near(a: DVec3, b: DVec3, scale: f64) -> bool {
    (a - b).length() <= 1e-8 * scale
}

proptest! {
    #[test]
    fn the_scaling_makes_both_the_same((cone, x, y) in pair()) {
        let scaling = NesterovTodd::new(&cone, x, y, &PairProducts::of(&cone, x, y));
        let scale = scaling.lambda.length();
        prop_assert!(near(scaling.apply(x), scaling.lambda, scale));
        prop_assert!(near(scaling.invert(y), scaling.lambda, scale));
        prop_assert!(near(scaling.apply(scaling.lambda), y, y.length()));
        prop_assert!(near(scaling.inverse_square() * y, x, x.length()));
        prop_assert!(near(scaling.invert(scaling.apply(x)), x, x.length()));
    }

    #[test]
    fn dividing_undoes_the_product((cone, x, y) in pair()) {
        prop_assert!(near(cone.divide(cone.product(x, y), x), y, 1e3 * y.length()));
    }

    #[test]
    fn the_longest_step_ends_on_the_edge((cone, x, y) in pair()) {
        let t = cone.longest_step(x, -y, 1e9);
        let end = x - t * y;
        let along = end.dot(cone.axis);
        let across = (end - along * cone.axis).length();
        prop_assert!((along - across).abs() < 1e-7 * (1.0 + t));
        let before = x - 0.999 * t * y;
        let along = before.dot(cone.axis);
        prop_assert!(along > (before - along * cone.axis).length());
        // Along a direction of the cone there is no end.
        prop_assert_eq!(cone.longest_step(x, y, 1e9), 1e9);
    }

    #[test]
    fn smoothing_lands_on_the_central_path((cone, x, y) in pair(), alpha in 1e-9..1.0f64) {
        let z = x - 3.0 * y;
        let (x, y, pair) = cone.smoothed(z, alpha);
        let own = PairProducts::of(&cone, x, y);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-14 * (1.0 + x.length_squared() + y.length_squared());
        prop_assert!(close(pair.det_x, own.det_x) && close(pair.det_y, own.det_y));
        prop_assert!(close(pair.dot, own.dot));
        prop_assert!(near(x - y, z, 1.0));
        prop_assert!(near(cone.product(x, y), alpha * cone.axis, 1.0));
    }
}

#[test]
fn stretching_makes_the_friction_cone_symmetric() {
    let n = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    let t = DVec3::new(2.0, -1.0, 0.0).normalize();
    let cone = SymmetricCone::new(n, 0.25);
    // On the edge of |f_T| ≤ μ f_n, and of its dual μ |u_T| ≤ u_n.
    let (x, y) = (
        cone.stretched(2.0 * n + 0.5 * t),
        cone.unstretched(0.25 * n + t),
    );
    assert!((x.dot(n) - 0.5).abs() < 1e-15 && (x.dot(t) - 0.5).abs() < 1e-15);
    assert!((y.dot(n) - 1.0).abs() < 1e-15 && (y.dot(t) - 1.0).abs() < 1e-15);
    assert!((cone.unstretched(x) - (2.0 * n + 0.5 * t)).length() < 1e-15);
}

#[test]
fn a_half_line_has_nothing_across() {
    let cone = SymmetricCone::new(DVec3::Z, 0.0);
    assert_eq!(cone.stretched(DVec3::new(1.0, 2.0, 3.0)), 3.0 * DVec3::Z);
    let (x, y) = (4.0 * DVec3::Z, DVec3::Z);
    let scaling = NesterovTodd::new(&cone, x, y, &PairProducts::of(&cone, x, y));
    assert_eq!(scaling.lambda, 2.0 * DVec3::Z);
    assert_eq!(
        scaling.inverse_square(),
        DMat3::from_diagonal(4.0 * DVec3::Z)
    );
}

#[test]
fn the_algebra_of_the_paper() {
    // Golden vectors of the Jordan product, the scaling and the arrow equation, for the axis x.
    let text = include_str!("../../../tests/golden/g001_kleinert.json");
    let vectors: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    let mut seen = 0;
    for vector in vectors
        .iter()
        .filter(|v| v["id"].as_str().unwrap().starts_with("001-nt"))
    {
        let list = |value: &serde_json::Value| -> Vec<DVec3> {
            let vectors: Vec<[f64; 3]> = serde_json::from_value(value.clone()).unwrap();
            vectors.into_iter().map(DVec3::from).collect()
        };
        let (inputs, outputs) = (&vector["inputs"], &vector["outputs"]);
        for (k, (x, y)) in list(&inputs["x"])
            .into_iter()
            .zip(list(&inputs["y"]))
            .enumerate()
        {
            let cone = SymmetricCone::new(DVec3::X, 1.0);
            let scaling = NesterovTodd::new(&cone, x, y, &PairProducts::of(&cone, x, y));
            let close = |a: DVec3, b: DVec3| assert!((a - b).length() < 1e-10, "{a} and not {b}");
            close(cone.product(x, y), list(&outputs["jordan"])[k]);
            close(scaling.lambda, list(&outputs["lam"])[k]);
            for (axis, column) in DVec3::AXES.into_iter().zip(list(&outputs["F"][k])) {
                close(scaling.apply(axis), column);
            }
            let lambda = scaling.lambda;
            let d = DVec3::X - cone.product(lambda, lambda);
            close(cone.divide(d, lambda), list(&outputs["z"])[k]);
            let step = outputs["max_step_along_minus_y"][k].as_f64().unwrap();
            assert!((cone.longest_step(x, -y, 1e9) - step).abs() < 1e-10);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

/// Where a contact slides, far along the path: the small parts of x and y are below what numbers of the size of
/// the large ones resolve.
#[test]
fn what_x_and_y_cannot_hold_is_kept_beside_them() {
    let cone = SymmetricCone::new(DVec3::Z, 1.0);
    for alpha in [1e-8, 1e-16, 1e-24] {
        let (x, y, pair) = cone.smoothed(DVec3::new(5.0, 0.0, 1.0), alpha);
        let scaling = NesterovTodd::new(&cone, x, y, &pair);
        // On the path λ = √α e, however small α is.
        assert!((scaling.lambda - alpha.sqrt() * DVec3::Z).length() < 1e-6 * alpha.sqrt());
        // A step half the way to x ∘ y = 0 leaves half of each part.
        let half = 0.5 * scaling.lambda;
        let (x_next, y_next, next) = scaling.unscaled(&cone, half, half);
        assert!((x_next - 0.5 * x).length() < 1e-12 && (y_next - 0.5 * y).length() < 1e-12);
        for (whole, part) in [
            (pair.det_x, next.det_x),
            (pair.det_y, next.det_y),
            (pair.dot, next.dot),
        ] {
            assert!((part / whole - 0.25).abs() < 1e-6, "{part} of {whole}");
        }
    }
}

/// A full block with coupling between the normal and both tangents.
fn coupled_contact() -> ContactProblem {
    let rows = [[2.0, 0.7, -0.4], [0.7, 1.5, 0.3], [-0.4, 0.3, 0.9]];
    let matrix = Assembled::from_dense(3, &rows.map(Vec::from)).unwrap();
    ContactProblem::explicit(matrix, vec![-1.0, 0.5, 0.2]).unwrap()
}

#[test]
fn the_preconditioner_of_one_contact_is_its_inverse() {
    let problem = coupled_contact();
    let cone = SymmetricCone::new(DVec3::X, 0.4);
    let (x, y) = (DVec3::new(1.0, 0.3, -0.2), DVec3::new(0.8, -0.5, 0.1));
    let scaling = NesterovTodd::new(&cone, x, y, &PairProducts::of(&cone, x, y));
    let linear = Linear {
        problem: &problem,
        cones: &[cone],
        scalings: &[scaling],
        flows: &[],
    };
    let (z, rest) = (DVec3::new(0.3, -0.1, 0.7), DVec3::new(0.2, 0.4, -0.6));
    let mut system = ContactSystem::default();
    system.symmetric = true;
    system.prepare(&linear, None);
    let mut steps = [Step::default()];
    let aim = Aim {
        z: &[z],
        rest: &[rest],
        total: 1e-16,
        last_step: 1.0,
        corrects: false,
    };
    assert_eq!(system.solve(&linear, &aim, &mut steps), 1);
    // N Δx + rest = Δy, and F Δx + F⁻¹ Δy = z.
    let [Step { dx, scaled_dy, .. }] = steps;
    let dy = scaling.apply(scaled_dy);
    let w = problem.delassus.diagonal_block(0);
    let image = cone.unstretched(w * cone.unstretched(dx));
    assert!((image + rest - dy).length() < 1e-7);
    assert!((scaling.apply(dx) + scaling.invert(dy) - z).length() < 1e-12);
}

/// A scaling of each contact of a problem, as different as half-way through a solve.
fn scaled(problem: &ContactProblem) -> (Vec<SymmetricCone>, Vec<NesterovTodd>) {
    let contacts = (0..problem.contact_count()).map(|k| {
        let normal = problem.delassus.normal(k);
        match problem.set(k) {
            AdmissibleSet::Cone { friction } => {
                let cone = SymmetricCone::new(normal, friction);
                let side = normal.any_orthonormal_vector();
                let (x, y) = ([1.0, 1e-3][k % 2], [1e-3, 1.0][k % 2]);
                let (x, y) = (x * (normal + 0.9 * side), y * (normal - 0.5 * side));
                (
                    cone,
                    NesterovTodd::new(&cone, x, y, &PairProducts::of(&cone, x, y)),
                )
            }
            _ => {
                let cone = SymmetricCone::of_joint(normal, false);
                let ease = problem.delassus.largest_diagonal(k);
                (cone, NesterovTodd::of_joint(&cone, ease))
            }
        }
    });
    contacts.unzip()
}

#[test]
fn bodies_and_contacts_give_the_same_step() {
    for gives in [false, true] {
        let problem = mixed(gives, 3);
        let (cones, scalings) = scaled(&problem);
        let linear = Linear {
            problem: &problem,
            cones: &cones,
            scalings: &scalings,
            flows: &[],
        };
        let count = cones.len();
        let z: Vec<DVec3> = (cones.iter().enumerate())
            .map(|(k, cone)| (0.3 - 0.01 * k as f64) * cone.axis)
            .collect();
        let rest: Vec<DVec3> = (0..count)
            .map(|k| DVec3::new(0.1, -0.2 + 0.01 * k as f64, 0.05))
            .collect();
        let aim = |corrects| Aim {
            z: &z,
            rest: &rest,
            total: 1e-24,
            last_step: 1.0,
            corrects,
        };
        let matrix = problem.delassus.matrix();
        let solve = |by_bodies: bool, factorise: bool| {
            let mut steps = vec![Step::default(); count];
            if by_bodies {
                let mut system = BodySystem::default();
                system.prepare(&linear, factorise);
                system.solve(&linear, &aim(false), &mut steps);
            } else {
                let mut system = ContactSystem::default();
                system.symmetric = true;
                system.prepare(&linear, Some(&matrix));
                system.solve(&linear, &aim(false), &mut steps);
            }
            let dx: Vec<DVec3> = steps.iter().map(|step| step.dx).collect();
            let scaled = steps.iter().zip(&scalings);
            let dy: Vec<DVec3> = scaled.map(|(step, s)| s.apply(step.scaled_dy)).collect();
            (dx, dy)
        };
        let (want_x, want_y) = solve(false, true);
        let size = |v: &[DVec3]| v.iter().map(|v| v.length()).fold(0.0, f64::max);
        for factorise in [true, false] {
            let (dx, dy) = solve(true, factorise);
            for (found, want) in [(&dx, &want_x), (&dy, &want_y)] {
                for (k, (a, b)) in found.iter().zip(want.iter()).enumerate() {
                    let off = (*a - *b).length();
                    assert!(off < 1e-6 * size(want), "{gives} {factorise} {k}: {a} {b}");
                }
            }
        }
    }
}
