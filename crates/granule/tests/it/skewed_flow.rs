//! Flow that is not normal to the cones: closed forms, the limits of associated flow and exact friction, random matrices,
//! and when there must be a solution.

use granule::cases::{pile, pile_settings, random_problem, random_problems, with_friction};
use granule::certify::{Limits, certify};
use granule::law::{AdmissibleSet, Flow, Friction, Interface, Law, LawTable};
use granule::math::{DMat3, DVec3};
use granule::problem::{
    Assembled, BodySpace, Compliance, ContactGeometry, ContactProblem, Delassus, DelassusScratch,
    MatrixFree, ProblemError, ProblemKind, Sets, Skew, SkewError,
};
use granule::simulation::Simulation;
use granule::solver::{
    Ask, Existence, Method, SolveReport, SolverConfig, Status, existence, solver,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const FRICTION: f64 = 0.5;

/// A mass of 1 kg at one contact with the normal x, with the velocity b (m/s).
fn block(bias: [f64; 3], h: DMat3) -> ContactProblem {
    let w = Assembled::from_dense(3, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    let problem = ContactProblem {
        sets: Sets::uniform_cone(FRICTION, 1),
        ..ContactProblem::explicit(w, bias.to_vec()).unwrap()
    };
    problem.with_skew(vec![Skew(h)]).unwrap()
}

fn solve(method: Method, problem: &ContactProblem, scaled: f64) -> (SolveReport, Vec<f64>) {
    let config = SolverConfig::named(method);
    let mut impulses = vec![0.0; problem.len()];
    let ask = Ask {
        limits: Limits {
            scaled,
            ..Limits::default()
        },
        iterations: 20_000,
        ..config.ask()
    };
    let report = solver(&config).solve(problem, &mut impulses, &ask);
    (report, impulses)
}

fn velocities(problem: &ContactProblem, impulses: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; problem.len()];
    (problem.delassus).apply(impulses, &mut DelassusScratch::default(), &mut w);
    w.iter().zip(&problem.bias).map(|(w, b)| w + b).collect()
}

fn methods(problem: &ContactProblem) -> Vec<Method> {
    let kind = problem.kind();
    let able = |m: &Method| solver(&SolverConfig::named(*m)).supports(&kind).is_ok();
    Method::ALL.into_iter().filter(able).collect()
}

/// What is wrong with λ as a solution of λ ∈ K, -H w ∈ N_K(λ), by the cases of separation, sticking and sliding: m/s
/// and, over ‖λ‖, N s. Nothing here is the certificate's.
fn broken(problem: &ContactProblem, impulses: &[f64]) -> f64 {
    let rows = problem.rows();
    let all = velocities(problem, impulses);
    let vector = |x: &[f64]| DVec3::new(x[0], x[1], x.get(2).copied().unwrap_or(0.0));
    let size = impulses
        .iter()
        .map(|x| x * x)
        .sum::<f64>()
        .sqrt()
        .max(1e-300);
    let fast = problem.bias.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let mut worst: f64 = 0.0;
    for (k, Skew(h)) in problem.skew.iter().enumerate() {
        let AdmissibleSet::Cone { friction } = problem.set(k) else {
            panic!("cones alone")
        };
        let n = problem.delassus.normal(k);
        let f = vector(&impulses[k * rows..][..rows]);
        let w = *h * vector(&all[k * rows..][..rows]) / n.dot(*h * n);
        let (fn_, wn) = (f.dot(n), w.dot(n));
        let (ft, wt) = (f - fn_ * n, w - wn * n);
        // Both in their cones.
        worst = worst.max((ft.length() - friction * fn_) / size);
        worst = worst.max((friction * wt.length() - wn) / fast);
        // And across each other: their inner product is the sum of two parts that are not negative.
        worst = worst.max(f.dot(w).abs() / (size * fast));
    }
    worst
}

#[test]
fn a_block_that_slides_opens_by_its_dilatancy() {
    for ratio in [1e-3, 0.1, 0.4, 1.0, 3.0] {
        let tangent = ratio * FRICTION;
        let h = Skew::dilating(DVec3::X, 7.0 * ratio).0;
        // Of any size; here with h_n = 7.
        let h = h + 6.0 * DMat3::from_diagonal(DVec3::X);
        for angle in [0.0, 1.0, 4.0f64] {
            let (sin, cos) = angle.sin_cos();
            let problem = block([-1.0, 2.0 * cos, 2.0 * sin], h);
            // a - 1 = tan ψ (2 - μ a).
            let pressed = (1.0 + 2.0 * tangent) / (1.0 + tangent * FRICTION);
            for method in methods(&problem) {
                let (report, f) = solve(method, &problem, 1e-10);
                assert_eq!(report.status, Status::Converged, "{method:?} {ratio}");
                let w = velocities(&problem, &f);
                let slip = w[1].hypot(w[2]);
                assert!((w[0] - tangent * slip).abs() < 1e-8, "{method:?} {w:?}");
                assert!((f[0] - pressed).abs() < 1e-8, "{method:?} {f:?}");
                let across = [-FRICTION * pressed * cos, -FRICTION * pressed * sin];
                assert!((f[1] - across[0]).abs() < 1e-8 && (f[2] - across[1]).abs() < 1e-8);
                assert!(broken(&problem, &f) < 1e-8);
                // What it dissipates by sliding: (μ - tan ψ) λ_n |w_T|.
                let work = -(f[0] * w[0] + f[1] * w[1] + f[2] * w[2]);
                assert!((work - (FRICTION - tangent) * pressed * slip).abs() < 1e-7);
            }
        }
    }
}

#[test]
fn sticking_and_separation_are_those_of_any_flow() {
    let h = Skew::dilating(DVec3::X, 0.1).0;
    let (stick, apart) = (block([-1.0, 0.3, -0.2], h), block([1.0, 2.0, 0.0], h));
    assert!(methods(&stick).contains(&Method::Ipm) && methods(&stick).contains(&Method::Ags));
    for method in methods(&stick) {
        let (_, f) = solve(method, &stick, 1e-10);
        let error = [f[0] - 1.0, f[1] + 0.3, f[2] - 0.2];
        assert!(error.iter().all(|e| e.abs() < 1e-9), "{method:?} {f:?}");
        let (_, f) = solve(method, &apart, 1e-10);
        assert_eq!(f, [0.0; 3], "{method:?}");
    }
}

/// H with h_n = 1, the eigenvalues given across the normal, turned by an angle about it.
fn turned(normal: DVec3, across: [f64; 2], angle: f64) -> Skew {
    let one = normal.any_orthonormal_vector();
    let two = normal.cross(one);
    let (sin, cos) = angle.sin_cos();
    let axes = DMat3::from_cols(normal, cos * one + sin * two, cos * two - sin * one);
    let values = DMat3::from_diagonal(DVec3::new(1.0, across[0], across[1]));
    Skew(axes * values * axes.transpose())
}

#[test]
fn the_direction_of_slip_follows_the_matrix() {
    // Friction along e, |e| = 1: λ = a (1, -μ e), w = b + λ, H_T w_T = c e with c = h_n (n·w)/μ. For each a the first
    // of these gives w_T, and so b.
    for (across, angle) in [([0.2, 0.9], 0.7), ([2.0, 0.5], -0.3), ([0.05, 0.05], 0.0)] {
        let skew = turned(DVec3::X, across, angle);
        for direction in [0.1, 1.3, 2.9f64] {
            let e = DVec3::new(0.0, direction.cos(), direction.sin());
            let (a, opening) = (1.7, 0.25);
            let slip = skew.0.inverse() * (opening / FRICTION * e);
            let impulse = a * (DVec3::X - FRICTION * e);
            let velocity = opening * DVec3::X + slip;
            let problem = block((velocity - impulse).to_array(), skew.0);
            for method in [Method::Ipm, Method::Newton, Method::Auto, Method::Usual] {
                let (report, f) = solve(method, &problem, 1e-10);
                assert_eq!(report.status, Status::Converged, "{method:?} {across:?}");
                let error = (DVec3::from_slice(&f) - impulse).length();
                assert!(error < 1e-7, "{method:?} {across:?} {error}");
            }
        }
    }
}

#[test]
fn the_size_of_the_matrix_does_not_matter_and_one_is_the_associated_flow() {
    let mut random = Pcg64::seed_from_u64(5);
    for kind in random_problems(3).iter().step_by(7) {
        let plain = with_friction(random_problem(kind), kind.seed, 0.2..=0.8);
        let count = plain.contact_count();
        let skew = |factor: f64| {
            let list = vec![Skew(factor * DMat3::IDENTITY); count];
            plain.clone().with_skew(list).unwrap()
        };
        let impulses: Vec<f64> = plain
            .bias
            .iter()
            .map(|_| random.random_range(-1.0..1.0))
            .collect();
        let expected = certify(&plain, &impulses);
        for factor in [1.0, 3.7e-5, 2.1e6] {
            let found = certify(&skew(factor), &impulses);
            let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (a.abs() + b.abs());
            assert!(same(found.residual, expected.residual) && same(found.scaled, expected.scaled));
            assert!(same(found.dissipation, expected.dissipation));
        }
    }
}

#[test]
fn the_certificate_goes_over_into_that_of_exact_friction() {
    let kind = random_problems(3)[25];
    let plain = with_friction(random_problem(&kind), 3, 0.2..=0.8);
    let exact = ContactProblem {
        flow: Flow::Exact,
        ..plain.clone()
    };
    let (_, impulses) = solve(Method::Ags, &exact, 1e-3);
    let expected = certify(&exact, &impulses).residual;
    let normals = (0..plain.contact_count()).map(|k| plain.delassus.normal(k));
    let skew = normals.map(|n| Skew::dilating(n, 1e-9)).collect();
    let found = certify(&plain.with_skew(skew).unwrap(), &impulses).residual;
    assert!(
        (found - expected).abs() < 1e-6 * expected,
        "{found} {expected}"
    );
}

#[test]
fn with_the_identity_it_is_the_convex_problem() {
    for kind in random_problems(3)
        .iter()
        .chain(&random_problems(2))
        .filter(|kind| kind.bodies <= 10 && (kind.rows == 3 || kind.planar))
    {
        let plain = with_friction(random_problem(kind), kind.seed, 0.2..=0.8);
        let (report, f) = solve(Method::Clarabel, &plain, 1e-10);
        assert_eq!(report.status, Status::Converged);
        let expected = velocities(&plain, &f);
        let count = plain.contact_count();
        let skewed = plain.with_skew(vec![Skew::IDENTITY; count]).unwrap();
        let (report, f) = solve(Method::Ipm, &skewed, 1e-10);
        assert_eq!(report.status, Status::Converged, "{kind:?} {report:?}");
        // Velocities are unique, impulses need not be.
        let found = velocities(&skewed, &f);
        let error = (found.iter().zip(&expected)).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-7, "{kind:?} {error}");
    }
}

/// Random matrices with eigenvalues between 1/`spread` and `spread`.
fn skewed(plain: ContactProblem, seed: u64, spread: f64) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(seed);
    let rows = plain.rows();
    let skew = (0..plain.contact_count()).map(|k| {
        let mut value = || f64::powf(spread, random.random_range(-1.0..1.0));
        let across = [value(), value()];
        let normal = plain.delassus.normal(k);
        match rows {
            2 => Skew::dilating(normal, across[0]),
            _ => turned(normal, across, random.random_range(0.0..3.0)),
        }
    });
    let skew = skew.collect();
    plain.with_skew(skew).unwrap()
}

#[test]
fn random_matrices_are_solved_by_the_path() {
    for kind in random_problems(3)
        .iter()
        .chain(&random_problems(2))
        .filter(|kind| kind.bodies <= 10 && (kind.rows == 3 || kind.planar))
    {
        let plain = with_friction(random_problem(kind), kind.seed, 0.2..=0.8);
        let problem = skewed(plain, kind.seed, 2.0);
        let (report, f) = solve(Method::Ipm, &problem, 1e-8);
        assert_eq!(report.status, Status::Converged, "{kind:?} {report:?}");
        assert!(certify(&problem, &f).scaled <= 1e-8);
        assert!(
            broken(&problem, &f) < 1e-6,
            "{kind:?} {}",
            broken(&problem, &f)
        );
    }
}

#[test]
fn small_dilatancy_goes_over_into_exact_friction_at_first_order() {
    // Three balls in a row on the ground, pushed along.
    let mut space = BodySpace {
        rows: 3,
        inverse_mass: vec![1.0, 0.5, 2.0, 0.0],
        ..BodySpace::default()
    };
    for (a, b, normal) in [
        (0, 1, -DVec3::X),
        (0, 3, DVec3::Z),
        (1, 2, -DVec3::X),
        (1, 3, DVec3::Z),
        (2, 3, DVec3::Z),
    ] {
        space.contacts.push(ContactGeometry { normal, a, b });
    }
    // The ball behind at 3 m/s, all of them falling.
    let speed = [3.0, 0.0, 0.4, 0.0];
    let fall = [1.0, 0.7, 0.2, 0.0];
    let bias = space.contacts.iter().flat_map(|c| {
        let (a, b) = (c.a as usize, c.b as usize);
        [speed[a] - speed[b], 0.0, fall[b] - fall[a]]
    });
    let bias = bias.collect();
    let operator = MatrixFree::new(space).unwrap();
    let plain = ContactProblem {
        sets: Sets::uniform_cone(0.3, 5),
        ..ContactProblem::explicit(operator, bias).unwrap()
    };
    let exact = ContactProblem {
        flow: Flow::Exact,
        ..plain.clone()
    };
    let (report, f) = solve(Method::Newton, &exact, 1e-11);
    assert_eq!(report.status, Status::Converged);
    let expected = velocities(&exact, &f);
    let slides = expected[3].abs() > 0.1;
    assert!(slides, "nothing to dilate: {expected:?}");
    let errors = [1e-1, 1e-2, 1e-3, 1e-4].map(|ratio| {
        let normals = (0..5).map(|k| plain.delassus.normal(k));
        let skew = normals.map(|n| Skew::dilating(n, ratio)).collect();
        let problem = plain.clone().with_skew(skew).unwrap();
        let (report, f) = solve(Method::Ipm, &problem, 1e-10);
        assert_eq!(report.status, Status::Converged, "{ratio} {report:?}");
        let found = velocities(&problem, &f);
        (found.iter().zip(&expected)).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    });
    for pair in errors.windows(2) {
        assert!((8.0..12.0).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

#[test]
fn cohesion_and_compliance_go_with_it() {
    for kind in random_problems(3).iter().take(24).step_by(5) {
        let plain = with_friction(random_problem(kind), kind.seed, 0.2..=0.8);
        let Delassus::MatrixFree(operator) = plain.delassus else {
            panic!("bodies")
        };
        let mut space = operator.into_space();
        let given = Compliance {
            normal: 0.02,
            tangential: 0.05,
            ..Compliance::default()
        };
        space.compliance = vec![given; space.contacts.len()];
        let count = space.contacts.len();
        let plain = ContactProblem {
            delassus: MatrixFree::new(space).unwrap().into(),
            ..plain
        };
        assert_eq!(existence(&plain), Existence::Sure);
        let held = plain.with_shift(vec![0.03; count]).unwrap();
        let problem = skewed(held, kind.seed, 2.0);
        let (report, f) = solve(Method::Ipm, &problem, 1e-9);
        assert_eq!(report.status, Status::Converged, "{kind:?} {report:?}");
        assert!(broken(&problem, &f) < 1e-7);
    }
}

#[test]
fn isotropic_flows_are_solved_by_sweeps_and_gradients_too() {
    for kind in random_problems(3).iter().take(48).step_by(7) {
        let plain = with_friction(random_problem(kind), kind.seed, 0.2..=0.8);
        let normals = (0..plain.contact_count()).map(|k| plain.delassus.normal(k));
        let skew = normals.map(|n| Skew::dilating(n, 0.5)).collect();
        let problem = plain.with_skew(skew).unwrap();
        for method in [Method::Ags, Method::ApgdAr, Method::Newton, Method::Auto] {
            let (report, f) = solve(method, &problem, 1e-6);
            assert_eq!(
                report.status,
                Status::Converged,
                "{method:?} {kind:?} {report:?}"
            );
            assert!(broken(&problem, &f) < 1e-4, "{method:?} {kind:?}");
        }
    }
}

#[test]
fn methods_that_cannot_say_so_before_the_run() {
    let isotropic = ProblemKind::of_contacts(3, Flow::Skewed);
    let turned = ProblemKind {
        anisotropic: true,
        ..isotropic
    };
    let answer = |method, kind: &ProblemKind| {
        let refused = solver(&SolverConfig::named(method)).supports(kind);
        refused.map_err(|no| no.to_string())
    };
    for method in [Method::Ipm, Method::Newton, Method::Auto, Method::Usual] {
        assert_eq!(answer(method, &turned), Ok(()), "{method:?}");
    }
    for method in [
        Method::Ags,
        Method::Apgd,
        Method::Pgd,
        Method::Clarabel,
        Method::IpmMf,
    ] {
        assert_eq!(answer(method, &isotropic), Ok(()), "{method:?}");
        let no = answer(method, &turned).unwrap_err();
        assert!(no.contains("try `ipm` or `newton`"), "{no}");
    }
    for method in [Method::Pgs, Method::NlgsSbp, Method::NlgsCases, Method::Spg] {
        let no = answer(method, &isotropic).unwrap_err();
        assert!(no.contains("try `ags`, `newton` or `ipm`"), "{no}");
    }
    for kind in [ProblemKind::of_contacts(6, Flow::Skewed)] {
        for method in Method::ALL {
            assert!(answer(method, &kind).is_err(), "{method:?}");
        }
    }
}

#[test]
fn matrices_that_are_none_are_refused() {
    let plain = ContactProblem {
        skew: Vec::new(),
        flow: Flow::Associated,
        ..block([-1.0, 0.0, 0.0], DMat3::IDENTITY)
    };
    let error = |h: DMat3| plain.clone().with_skew(vec![Skew(h)]).unwrap_err();
    let is = |error: ProblemError, wanted: SkewError| {
        assert_eq!(
            error,
            ProblemError::Skew {
                contact: 0,
                why: wanted
            }
        );
    };
    is(error(DMat3::IDENTITY * f64::NAN), SkewError::NotFinite);
    is(error(-DMat3::IDENTITY), SkewError::NotPositive);
    is(
        error(DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0))),
        SkewError::NotPositive,
    );
    let mut h = DMat3::IDENTITY;
    h.y_axis.z = 0.1;
    is(error(h), SkewError::NotSymmetric);
    h = DMat3::IDENTITY;
    (h.x_axis.y, h.y_axis.x) = (0.1, 0.1);
    is(error(h), SkewError::Coupled);
    // One for each contact, and none where the flow is another.
    assert!(plain.clone().with_skew(Vec::new()).is_err());
    let idle = ContactProblem {
        skew: vec![Skew::IDENTITY],
        ..plain
    };
    assert!(idle.validate().is_err());
}

#[test]
fn passive_matrices_are_those_that_never_add_energy() {
    let mut random = Pcg64::seed_from_u64(9);
    for _ in 0..200 {
        let across = [random.random_range(0.1..2.0), random.random_range(0.1..2.0)];
        let skew = turned(DVec3::X, across, random.random_range(0.0..3.0));
        // The most of λ·w over the directions of slip, at a contact that slides with λ_n = 1.
        let most = (0..720).map(|step| {
            let (sin, cos) = (f64::from(step) * 0.5f64.to_radians()).sin_cos();
            let slip = DVec3::new(0.0, cos, sin);
            let turned = skew.0 * slip;
            FRICTION * (turned.length() - slip.dot(turned) / turned.length())
        });
        let most = most.fold(f64::NEG_INFINITY, f64::max);
        let bound = across[0].max(across[1]);
        if (bound - 1.0).abs() > 1e-3 {
            assert_eq!(
                skew.is_passive(DVec3::X, 3),
                most <= 0.0,
                "{across:?} {most}"
            );
        }
    }
}

/// A ball and walls with these normals, with friction.
fn between(normals: &[DVec3], friction: f64) -> ContactProblem {
    let contacts = normals.iter().map(|n| ContactGeometry {
        normal: *n,
        a: 0,
        b: 1,
    });
    let space = BodySpace {
        rows: 3,
        inverse_mass: vec![1.0, 0.0],
        contacts: contacts.collect(),
        ..BodySpace::default()
    };
    let bias = vec![0.0; 3 * normals.len()];
    ContactProblem {
        sets: Sets::uniform_cone(friction, normals.len()),
        ..ContactProblem::explicit(MatrixFree::new(space).unwrap(), bias).unwrap()
    }
}

#[test]
fn internal_forces_are_found_where_there_are_any() {
    let up = DVec3::Z;
    assert_eq!(existence(&between(&[up], 0.5)), Existence::Sure);
    let problem = between(&[up, -up], 0.5);
    let Existence::InternalForces {
        contacts,
        direction,
    } = existence(&problem)
    else {
        panic!("squeezed between floor and ceiling")
    };
    assert_eq!(contacts, [0, 1]);
    let moved = velocities(&problem, &direction);
    assert!(moved.iter().all(|w| w.abs() < 1e-6), "{moved:?}");
    // A wedge of half the angle β between its walls' normals and the vertical holds the ball by friction if and only if
    // tan(90° - β) ≤ μ.
    for (angle, wedged) in [(60.0f64, false), (63.0, false), (64.0, true), (80.0, true)] {
        let (sin, cos) = angle.to_radians().sin_cos();
        let walls = [DVec3::new(sin, 0.0, cos), DVec3::new(-sin, 0.0, cos)];
        let found = existence(&between(&walls, 0.5));
        let expected = (90.0 - angle).to_radians().tan() < 0.5;
        assert_eq!(expected, wedged);
        assert_eq!(
            matches!(found, Existence::InternalForces { .. }),
            wedged,
            "{angle} {found:?}"
        );
        assert_eq!(found == Existence::Sure, !wedged, "{angle} {found:?}");
    }
}

#[test]
fn a_pile_with_dilatancy_is_certified_in_every_step() {
    for tangent in [0.1, 0.3] {
        let mut world = pile(100, 3);
        world.laws = LawTable::uniform(Interface {
            law: Law::CoulombConvex(Friction::sliding(0.4)),
            dilatancy: Some(tangent),
            ..Interface::default()
        });
        let mut simulation = Simulation::new(world, pile_settings(0.5)).unwrap();
        let mut most = 0;
        for step in 0..50 {
            let report = simulation.step().unwrap();
            assert!(report.certified, "step {step}: {:?}", report.certificate);
            assert!(report.certificate.dissipation > -1e-9, "step {step}");
            most = most.max(report.certificate.active);
        }
        assert!(most > 80, "{most} contacts");
    }
}

#[test]
fn the_matrix_of_the_path_need_not_have_an_inverse() {
    // [tasora2013, §9] takes H N + α ∇²I for a P matrix, as the sum of a P_0 matrix and a positive definite one. For μ = 1
    // in a plane Hessians of the barrier are multiples of [[1, c], [c, 1]] with |c| < 1; with H = diag(1, 0.1) and
    // N = v vᵀ/1.45, which is positive semidefinite, (H N + ∇²I) x = 0 for x = (1, -0.5).
    let (h, c, x) = ([1.0, 0.1], 0.9, [1.0, -0.5f64]);
    let hessian = [x[0] + c * x[1], c * x[0] + x[1]];
    let v = [hessian[0] / h[0], hessian[1] / h[1]];
    let along = v[0] * x[0] + v[1] * x[1];
    assert!(along < 0.0);
    let image: [f64; 2] = [0, 1].map(|i| h[i] * v[i] * along / -along + hessian[i]);
    assert!(image[0].abs() < 1e-15 && image[1].abs() < 1e-15);
}
