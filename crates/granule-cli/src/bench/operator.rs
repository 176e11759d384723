//! One application of W, and one iteration of APGD, against the memory bandwidth.

use super::{Entry, in_pool, stream};
use crate::failure::Failure;
use granule::collision::{close_pairs, spatial_order};
use granule::math::DVec3;
use granule::problem::{
    BodySpace, ContactGeometry, ContactProblem, Delassus, DelassusScratch, Lever, MatrixFree,
};
use granule::solver::{Gradient, MethodSettings, Scaling, SolverConfig, solver};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::Instant;

/// Spheres along a side: 125 000 in all.
const SIDE: usize = 50;
/// Candidate contacts a sphere: about 900 000 in all.
const CONTACTS_EACH: f64 = 7.2;
/// Timed repetitions; the best counts, since other programs can only slow one down.
const REPETITIONS: usize = 40;

/// So many centres along each side of a disturbed lattice, in spatial order, and the pairs of close ones.
pub(super) fn packing(side: usize) -> (Vec<DVec3>, Vec<[u32; 2]>) {
    let mut random = Pcg64::seed_from_u64(1);
    let mut disturb = || random.random_range(0.0..0.35);
    let lattice: Vec<DVec3> = (0..side * side * side)
        .map(|k| {
            let cell = [k / side / side, k / side % side, k % side].map(|x| x as f64);
            DVec3::from_array(cell) + DVec3::new(disturb(), disturb(), disturb())
        })
        .collect();
    let ids: Vec<u32> = (0..lattice.len() as u32).collect();
    let order = spatial_order(&lattice, &ids);
    let centers: Vec<DVec3> = order.iter().map(|&i| lattice[i as usize]).collect();
    // The reach that gives the wanted number of pairs, by bisection.
    let wanted = (CONTACTS_EACH * centers.len() as f64) as usize;
    let (mut low, mut high) = (0.4, 1.0);
    let mut pairs = Vec::new();
    let mut workspace = Default::default();
    for _ in 0..12 {
        let reach = 0.5 * (low + high);
        close_pairs(
            &centers,
            &vec![reach; centers.len()],
            &mut pairs,
            &mut workspace,
        );
        if pairs.len() < wanted {
            low = reach
        } else {
            high = reach
        }
    }
    (centers, pairs)
}

pub(super) fn problem(rows: usize, centers: &[DVec3], pairs: &[[u32; 2]]) -> ContactProblem {
    let contacts: Vec<ContactGeometry> = pairs
        .iter()
        .map(|&[a, b]| {
            let normal = (centers[a as usize] - centers[b as usize]).normalize();
            ContactGeometry { normal, a, b }
        })
        .collect();
    let mut inverse_mass: Vec<f64> = (0..centers.len())
        .map(|i| 0.5 + 0.01 * (i % 50) as f64)
        .collect();
    inverse_mass.push(0.0);
    let lever = if rows == 1 {
        Lever::None
    } else {
        Lever::Radial {
            radius: vec![0.5; inverse_mass.len()],
            inverse_inertia: inverse_mass.iter().map(|m| 10.0 * m).collect(),
        }
    };
    let mut random = Pcg64::seed_from_u64(2);
    let bias = (0..contacts.len() * rows)
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    let space = BodySpace {
        rows,
        inverse_mass,
        lever,
        contacts,
        ..BodySpace::default()
    };
    MatrixFree::new(space)
        .and_then(|operator| ContactProblem::explicit(operator, bias))
        .expect("a packing is a problem")
}

/// The bytes that one application must move at the least: each contact is read twice (once to
/// scatter, once to gather), its impulse read, its velocity written (and fetched before), and each
/// body's velocity written and read.
fn least_bytes(problem: &ContactProblem, bodies: usize) -> f64 {
    let rows = problem.rows();
    let line = if rows == 1 { 32 } else { 64 };
    let contact = 2 * 32 + 8 * rows + 16 * rows;
    (problem.contact_count() * contact + bodies * 3 * line) as f64
}

/// Seconds of one application: the best of several.
fn application(delassus: &Delassus) -> f64 {
    let x: Vec<f64> = (0..delassus.len()).map(|k| (k % 17) as f64).collect();
    let mut out = vec![0.0; delassus.len()];
    let mut scratch = DelassusScratch::default();
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        delassus.apply(&x, &mut scratch, &mut out);
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// Seconds of one iteration of APGD-AR: the best of several solves of twenty iterations more than
/// others, so that set-up and certificate do not count.
fn iteration(problem: &ContactProblem) -> f64 {
    let timed = |iterations: usize| {
        let config = SolverConfig {
            own: MethodSettings::ApgdAr(Gradient {
                step: Some(0.2),
                scaling: Scaling::Diagonal,
            }),
            tolerance: 1e-300,
            max_iterations: iterations,
            ..SolverConfig::default()
        };
        let mut solver = solver(&config);
        let mut impulses = vec![0.0; problem.len()];
        let mut best = f64::INFINITY;
        for _ in 0..6 {
            impulses.fill(0.0);
            let start = Instant::now();
            solver.solve(problem, &mut impulses, &config.ask());
            best = best.min(start.elapsed().as_secs_f64());
        }
        best
    };
    (timed(25) - timed(5)) / 20.0
}

/// Measures and adds the entries.
pub fn measure(entries: &mut Vec<Entry>) -> Result<(), Failure> {
    let (centers, pairs) = packing(SIDE);
    let contacts = pairs.len() as f64;
    let mut add = |quantity: String, value: f64, unit, threads, note: String| {
        entries.push(Entry {
            name: "operator",
            quantity,
            value,
            unit,
            threads,
            note,
        });
    };
    let size = format!("{} spheres, {} contacts", centers.len(), pairs.len());
    let bandwidths: Vec<f64> = [1, 2]
        .into_iter()
        .map(|t| in_pool(t, stream::triad))
        .collect::<Result<_, _>>()?;
    for (bandwidth, threads) in bandwidths.iter().zip([1, 2]) {
        add(
            "STREAM triad".into(),
            bandwidth / 1e9,
            "GB/s",
            threads,
            "best of 12 passes".into(),
        );
    }
    for rows in [1, 3] {
        let problem = problem(rows, &centers, &pairs);
        let law = if rows == 1 {
            "frictionless"
        } else {
            "three rows"
        };
        let mut single = 0.0;
        for (bandwidth, threads) in bandwidths.iter().zip([1, 2]) {
            let time = in_pool(threads, || application(&problem.delassus))?;
            let iteration = in_pool(threads, || iteration(&problem))?;
            let share = least_bytes(&problem, centers.len()) / time / bandwidth;
            let bound = least_bytes(&problem, centers.len()) / bandwidth;
            let each = 1e9 / contacts;
            add(
                format!("W, {law}"),
                time * each,
                "ns/contact",
                threads,
                size.clone(),
            );
            add(
                format!("W, {law}: bandwidth bound"),
                bound * each,
                "ns/contact",
                threads,
                "least bytes over STREAM".into(),
            );
            add(
                format!("W, {law}: share of STREAM"),
                share,
                "-",
                threads,
                String::new(),
            );
            add(
                format!("APGD iteration, {law}"),
                iteration * each,
                "ns/contact",
                threads,
                String::new(),
            );
            add(
                format!("APGD iteration over W, {law}"),
                iteration / time,
                "-",
                threads,
                "goal: at most 2".into(),
            );
            if threads == 1 {
                single = time;
            } else {
                let note = "goal: at least 1.6".to_owned();
                add(
                    format!("speed-up of W, {law}"),
                    single / time,
                    "-",
                    threads,
                    note,
                );
            }
        }
    }
    Ok(())
}
