//! Problems whose contacts differ, as files have them: the same velocities and the same certificates.

use glam::DVec3;
use granule::cases::{
    random_problem, random_problems, with_compliance, with_friction, with_other_shapes,
};
use granule::certify::certify;
use granule::law::{AdmissibleSet, Flow};
use granule::problem::{ContactProblem, Delassus, DelassusScratch, Sets};
use granule_io::fclib::{ContactFile, FreeMotion, Info, from_step, from_step_local};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Round contacts and those of other shapes, without what files have no place for.
fn mixed(rows: usize, seed: u64) -> ContactProblem {
    let mut kinds = random_problems(rows);
    kinds.retain(|kind| kind.planar == (rows == 2) && kind.bodies <= 10);
    let kind = &kinds[seed as usize % kinds.len()];
    let round = random_problem(kind);
    let round = if rows == 1 {
        round
    } else {
        with_friction(round, seed, 0.2..=0.8)
    };
    let mut problem = with_other_shapes(round, 4, seed);
    if let Sets::RollingCone(list) = &mut problem.sets {
        list.iter_mut().for_each(|set| set[2] = 0.0);
    }
    for set in &mut problem.general_sets {
        match set {
            AdmissibleSet::RollingCone { spinning, .. } => *spinning = 0.0,
            AdmissibleSet::Free => *set = AdmissibleSet::HalfLine,
            AdmissibleSet::HalfLine
            | AdmissibleSet::Segment { .. }
            | AdmissibleSet::Cone { .. }
            | AdmissibleSet::Yield { .. } => {}
        }
    }
    problem
}

fn impulses(problem: &ContactProblem, random: &mut Pcg64) -> Vec<f64> {
    let mut impulses: Vec<f64> = (0..problem.len())
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    problem.project(&mut impulses);
    impulses
}

fn exported(problem: &ContactProblem, impulses: &[f64], random: &mut Pcg64) -> ContactFile {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        panic!("a problem of bodies")
    };
    let planar = problem.rows() == 2;
    let bodies = operator.space().body_count();
    let mut velocities = |turns: bool| -> Vec<DVec3> {
        let mask = match (planar, turns) {
            (false, _) => DVec3::ONE,
            (true, false) => DVec3::new(1.0, 1.0, 0.0),
            (true, true) => DVec3::Z,
        };
        let mut number = || random.random_range(-1.0..1.0);
        (0..bodies)
            .map(|_| mask * DVec3::new(number(), number(), number()))
            .collect()
    };
    let (linear, angular) = (velocities(false), velocities(true));
    let free = FreeMotion {
        linear: &linear,
        angular: &angular,
    };
    from_step(problem, impulses, free, Info::default()).unwrap()
}

/// Velocities after the impulses along each normal, and how fast each contact slides.
fn velocities(problem: &ContactProblem, impulses: &[f64]) -> Vec<[f64; 2]> {
    let mut w = vec![0.0; problem.len()];
    let scratch = &mut DelassusScratch::default();
    problem.delassus.apply(impulses, scratch, &mut w);
    w.iter_mut().zip(&problem.bias).for_each(|(w, b)| *w += b);
    let contacts = w.chunks_exact(problem.rows()).enumerate();
    contacts
        .map(|(k, w)| match w {
            [along] => [*along, 0.0],
            _ => {
                let vector = DVec3::new(w[0], w[1], w.get(2).copied().unwrap_or(0.0));
                let along = vector.dot(problem.delassus.normal(k));
                [
                    along,
                    (vector.length_squared() - along * along).max(0.0).sqrt(),
                ]
            }
        })
        .collect()
}

fn assert_same_motion(file: &ContactFile, problem: &ContactProblem, impulses: &[f64], name: &str) {
    let relative = &file.solution.as_ref().unwrap().relative;
    let found = relative.chunks_exact(file.dimension);
    for (u, [along, across]) in found.zip(velocities(problem, impulses)) {
        let sliding = u[1..file.dimension.min(3)]
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
            .sqrt();
        assert!(
            (u[0] - along).abs() < 1e-9 * (1.0 + along.abs()),
            "{name}: {u:?} {along}"
        );
        assert!(
            (sliding - across).abs() < 1e-7 * (1.0 + across),
            "{name}: {u:?} {across}"
        );
    }
}

/// The file is the same problem: its certificate of the same impulses is the same.
fn assert_same_problem(file: &ContactFile, problem: &ContactProblem, impulses: &[f64], name: &str) {
    let engine = file.engine_problem(Flow::Associated).unwrap();
    let given = &file.solution.as_ref().unwrap().impulses;
    let found = certify(&engine.problem, &engine.engine_impulses(given));
    let want = certify(problem, impulses);
    for (found, want) in [
        (found.residual, want.residual),
        (found.scaled, want.scaled),
        (found.complementarity, want.complementarity),
    ] {
        assert!(
            (found - want).abs() < 1e-8 * (1.0 + want),
            "{name}: {found} {want}"
        );
    }
}

#[test]
fn contacts_of_any_shape_are_exported() {
    let mut random = Pcg64::seed_from_u64(1);
    for rows in [1, 2, 3, 6] {
        for seed in 0..4 {
            let problem = mixed(rows, seed);
            let impulses = impulses(&problem, &mut random);
            let file = exported(&problem, &impulses, &mut random);
            let name = format!("{rows} rows, {seed}");
            assert_same_motion(&file, &problem, &impulses, &name);
            let local = from_step_local(&problem, &impulses, Info::default()).unwrap();
            assert_same_motion(&local, &problem, &impulses, &name);
            // With moments a file does not have the row that spins, which counts in the size of W_kk; with one row
            // nothing stops the tangents that fill the format.
            if matches!(rows, 2 | 3) {
                assert_same_problem(&file, &problem, &impulses, &name);
                assert_same_problem(&local, &problem, &impulses, &name);
            }
        }
    }
}

#[test]
fn contacts_that_give_are_exported_in_the_local_form_alone() {
    let mut random = Pcg64::seed_from_u64(2);
    for rows in [1, 2, 3, 6] {
        let problem = with_compliance(mixed(rows, 5), 0.7, 3);
        let impulses = impulses(&problem, &mut random);
        let nothing = FreeMotion {
            linear: &[],
            angular: &[],
        };
        let refused = from_step(&problem, &impulses, nothing, Info::default()).unwrap_err();
        assert!(refused.to_string().contains("local form"), "{refused}");
        let file = from_step_local(&problem, &impulses, Info::default()).unwrap();
        let name = format!("{rows} rows");
        assert_same_motion(&file, &problem, &impulses, &name);
        if matches!(rows, 2 | 3) {
            assert_same_problem(&file, &problem, &impulses, &name);
        }
    }
}

#[test]
fn what_files_do_not_have_is_refused_in_words() {
    for (set, word) in [
        (AdmissibleSet::Free, "joints"),
        (AdmissibleSet::Segment { limit: 1.0 }, "motors"),
        (
            AdmissibleSet::Yield {
                friction: 0.5,
                rounding: 0.0,
                cap: 1.0,
            },
            "yield",
        ),
    ] {
        let mut problem = mixed(3, 1);
        *problem.general_sets.last_mut().unwrap() = set;
        let impulses = vec![0.0; problem.len()];
        let refused = from_step_local(&problem, &impulses, Info::default()).unwrap_err();
        assert!(refused.to_string().contains(word), "{refused}");
    }
}
