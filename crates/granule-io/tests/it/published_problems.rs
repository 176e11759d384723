//! The contact problems that others published, if they stand beside this checkout: every file loads,
//! with the sizes that its authors' code finds in it.

use crate::skip::skip;
use granule::certify::certify;
use granule::law::Flow;
use granule::solver::{Method, SolverConfig, solver};
use granule_io::fclib::{ContactFile, Form, GlobalForm, read, read_bytes, write_hdf5, write_text};
use std::path::{Path, PathBuf};

fn folder() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fclib");
    if path.exists() {
        return Some(path);
    }
    skip("the published contact problems are not here");
    None
}

/// Name, rows a contact, contacts, degrees of freedom (0: local), the range of μ, the asymmetry of W to
/// one digit.
type Row = (&'static str, usize, usize, usize, [f64; 2], f64);

const PROBLEMS: [Row; 38] = [
    ("Box_Stacks-i0122-82-5.hdf5", 3, 82, 450, [0.3, 0.3], 0.0),
    ("BoxesStack1-i100000-32.hdf5.dat", 3, 52, 0, [0.7, 0.7], 0.0),
    ("Capsules-i100-889.dat", 3, 276, 0, [0.7, 0.7], 7e-4),
    ("Capsules-i101-404.dat", 3, 225, 0, [0.7, 0.7], 6e-4),
    ("Capsules-i125-1213.hdf5", 3, 286, 0, [0.7, 0.7], 1e-3),
    ("Confeti-ex03-Fc3D-SBM.dat", 3, 54, 0, [0.4, 0.4], 0.0),
    ("CubeH8.hdf5", 3, 1, 162, [0.3, 0.3], 0.0),
    ("FC3D_Example1.dat", 3, 3, 0, [0.1, 0.1], 0.0),
    ("FC3D_Example1_SBM.dat", 3, 3, 0, [0.1, 0.1], 0.0),
    ("FrictionContact3D_1c.dat", 3, 1, 0, [0.1, 0.1], 0.0),
    ("FrictionContactProblem00031.dat", 2, 11, 0, [0.9, 0.9], 0.0),
    ("FrictionContactProblem00071.dat", 2, 89, 0, [0.9, 0.9], 0.0),
    (
        "FrictionContactProblem00237.dat",
        2,
        376,
        0,
        [0.9, 0.9],
        0.0,
    ),
    ("GFC3D_Example0.dat", 3, 1, 9, [0.1, 0.1], 0.0),
    ("GFC3D_Example00.dat", 3, 1, 3, [0.1, 0.1], 0.0),
    ("GFC3D_Example00_badly_scaled.dat", 3, 1, 3, [0.1, 0.1], 0.0),
    ("GFC3D_Example0_SBM.dat", 3, 1, 9, [0.1, 0.1], 0.0),
    ("KaplasTower-i1061-4.hdf5.dat", 3, 570, 0, [0.3, 0.3], 0.0),
    ("NESpheres_10_1.dat", 3, 9, 0, [0.8, 0.8], 0.0),
    ("OneObject-i100000-316.hdf5.dat", 3, 25, 0, [0.3, 0.3], 5e-5),
    ("OneObject-i1028-138.hdf5.dat", 3, 23, 0, [0.3, 0.3], 1e-4),
    ("Rover1039.dat", 3, 4, 0, [0.7, 0.7], 9e-6),
    ("Rover1040.dat", 3, 5, 0, [0.7, 0.7], 9e-6),
    ("Rover1041.dat", 3, 5, 0, [0.7, 0.7], 9e-6),
    ("Rover11035.dat", 3, 1, 0, [0.7, 0.7], 1e-5),
    ("Rover4396.dat", 3, 2, 0, [0.7, 0.7], 3e-5),
    ("Rover4493.dat", 3, 4, 0, [0.7, 0.7], 3e-5),
    ("Rover4516.dat", 3, 4, 0, [0.7, 0.7], 3e-5),
    ("Spheres-i099-356-679.hdf5", 3, 356, 12000, [0.7, 0.7], 0.0),
    (
        "fc2d_granularflowonwall_00667_00000.dat",
        2,
        667,
        0,
        [0.5, 0.5],
        0.0,
    ),
    (
        "fc2d_granularflowonwall_02020_00213.dat",
        2,
        2020,
        0,
        [0.5, 0.5],
        0.0,
    ),
    (
        "gfc2d_granularflowonwall_00000_00117.dat",
        2,
        0,
        900,
        [0.5, 0.5],
        0.0,
    ),
    (
        "gfc2d_granularflowonwall_00069_00350.dat",
        2,
        69,
        900,
        [0.5, 0.5],
        0.0,
    ),
    ("rolling/RFC3D_cube_1.dat", 5, 2, 0, [0.3, 0.3], 0.0),
    ("rolling/RFC3D_sphere_1.dat", 5, 1, 0, [0.6, 0.6], 0.0),
    (
        "rolling/rfc3d_sphere_from_grfc3d.dat",
        5,
        2,
        0,
        [0.3, 0.3],
        0.0,
    ),
    (
        "rolling/rfc3d_sphere_from_grfc3d_dense.dat",
        5,
        2,
        0,
        [0.3, 0.3],
        0.0,
    ),
    ("rolling/rockfall_14_25792.dat", 5, 14, 0, [0.7, 0.8], 1e-4),
];

#[test]
fn every_file_loads_with_its_sizes() {
    let Some(folder) = folder() else { return };
    for (name, dimension, contacts, freedoms, friction, asymmetry) in PROBLEMS {
        let file = read(&folder.join(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.dimension, dimension, "{name}");
        assert_eq!(file.contact_count(), contacts, "{name}");
        assert_eq!(file.freedom_count(), freedoms, "{name}");
        let [low, high] = friction;
        let inside = |mu: &f64| *mu >= low - 0.05 && *mu <= high + 0.05;
        assert!(
            file.friction.iter().all(inside),
            "{name}: {:?}",
            file.friction
        );
        // Rounding to six digits leaves what is printed as zero in the list.
        let found = file.condense().unwrap().matrix.asymmetry();
        assert!(
            found < 1e-11 || found / asymmetry < 3.0,
            "{name}: {found:e}"
        );
        assert!(
            asymmetry == 0.0 || found > asymmetry / 30.0,
            "{name}: {found:e}"
        );

        // Every format gives it back.
        assert_eq!(
            read_bytes(write_hdf5(&file).unwrap()).unwrap(),
            file,
            "{name}"
        );
        let text = write_text(&file).unwrap().into_bytes();
        let bare = ContactFile {
            info: Default::default(),
            guesses: Vec::new(),
            solution: None,
            ..file.clone()
        };
        assert_eq!(read_bytes(text).unwrap(), bare, "{name}");

        // Doing nothing is no solution, and the judge's error is the community's.
        let engine = file.engine_problem(Flow::Exact).unwrap();
        let idle = vec![0.0; engine.problem.len()];
        let own = certify(&engine.problem, &idle);
        let local = file.localised().unwrap();
        let theirs = local.community_error(Flow::Exact, &vec![0.0; file.row_count()], &[]);
        assert!(
            (own.relative - theirs).abs() <= 1e-12,
            "{name}: {} {theirs}",
            own.relative
        );
        if contacts > 0 {
            assert!(own.scaled > 1e-3, "{name}: {}", own.scaled);
        }
    }
}

#[test]
fn what_files_call_solutions_are_what_the_notes_say() {
    let Some(folder) = folder() else { return };
    let load = |name: &str| read(&folder.join(name)).unwrap();
    let capsules = load("Capsules-i125-1213.hdf5");
    assert_eq!(capsules.info.title.as_deref(), Some("Capsules"));
    let solution = capsules.solution.clone().unwrap();
    assert!(solution.impulses.iter().all(|r| *r == 0.0));
    // The one guess that is a warm start: 1.1e-2.
    let start = capsules.community_error(Flow::Exact, &capsules.guesses[0].impulses, &[]);
    assert!((start - 1.1e-2).abs() < 1e-3, "{start}");
    // One byte of a description is no ASCII; half of M is there.
    let cube = load("CubeH8.hdf5");
    assert!(cube.info.description.unwrap().contains("Rewriting"));
    let Form::Global(GlobalForm { mass, .. }) = &cube.form else {
        panic!("it is global");
    };
    assert_eq!(mass.asymmetry(), 0.0);
    assert!(mass.entry_count() > 3168);
    // Two files of the same problem.
    let (dense, blocks) = (load("FC3D_Example1.dat"), load("FC3D_Example1_SBM.dat"));
    assert_eq!(dense.form, blocks.form);
}

#[test]
fn auto_solves_every_problem_by_both_errors() {
    let Some(folder) = folder() else { return };
    for (name, ..) in PROBLEMS {
        let file = read(&folder.join(name)).unwrap();
        let engine = file.engine_problem(Flow::Exact).unwrap();
        let mut impulses = vec![0.0; engine.problem.len()];
        // The two errors differ by units; a few digits more for the scaled one serve both.
        for tolerance in [1e-8, 1e-10, 1e-12] {
            let config = SolverConfig {
                tolerance,
                ..SolverConfig::named(Method::Auto)
            };
            solver(&config).solve(&engine.problem, &mut impulses, &config.ask());
            let solution = engine.solution(&file, &impulses);
            let error = file.community_error(Flow::Exact, &solution.impulses, &solution.velocities);
            if error <= 1e-8 {
                break;
            }
        }
        let solution = engine.solution(&file, &impulses);
        let community = file.community_error(Flow::Exact, &solution.impulses, &solution.velocities);
        let scaled = certify(&engine.problem, &impulses).scaled;
        assert!(community <= 1e-8, "{name}: {community}");
        assert!(scaled <= 1e-8, "{name}: {scaled}");
    }
}

#[test]
fn the_interior_point_solves_nine_of_ten_convex_problems_by_itself() {
    let Some(folder) = folder() else { return };
    for method in [Method::Ipm, Method::IpmMf] {
        let config = SolverConfig {
            tolerance: 1e-10,
            max_relative: Some(1e-10),
            ..SolverConfig::named(method)
        };
        let (mut count, mut missed) = (0, Vec::new());
        for (name, ..) in PROBLEMS.iter().filter(|row| row.1 <= 3) {
            let file = read(&folder.join(name)).unwrap();
            let problem = file.engine_problem(Flow::Associated).unwrap().problem;
            let mut impulses = vec![0.0; problem.len()];
            let report = solver(&config).solve(&problem, &mut impulses, &config.ask());
            let certificate = certify(&problem, &impulses);
            let met = certificate.scaled <= 1e-10 && certificate.relative <= 1e-10;
            count += 1;
            if !met || report.finished_by.is_some() {
                missed.push(format!("{name}: {report:?}"));
            }
        }
        let name = method.name();
        println!("{name}: {} of {count}; {missed:#?}", count - missed.len());
        assert!(missed.len() * 10 <= count, "{name}: {missed:#?}");
    }
}

#[test]
fn a_solve_that_is_resumed_goes_on_where_it_was() {
    let Some(folder) = folder() else { return };
    // After five sweeps its impulses err by more newton seconds than no impulses at all.
    let file = read(&folder.join("FrictionContactProblem00237.dat")).unwrap();
    let problem = file.engine_problem(Flow::Exact).unwrap().problem;
    let sweeps = |parts: &[usize]| {
        let mut impulses = vec![0.0; problem.len()];
        let config = SolverConfig {
            tolerance: 1e-12,
            ..SolverConfig::named(Method::NlgsCases)
        };
        let mut own = solver(&config);
        for (place, &count) in parts.iter().enumerate() {
            let ask = config.ask().at_most(count);
            let ask = if place == 0 { ask } else { ask.resumed() };
            own.solve(&problem, &mut impulses, &ask);
        }
        certify(&problem, &impulses).scaled
    };
    let (parted, whole, half) = (sweeps(&[5, 5]), sweeps(&[10]), sweeps(&[5]));
    assert!((parted - whole).abs() < 1e-9 * whole, "{parted} {whole}");
    assert!(whole < 0.5 * half, "{whole} {half}");
}
