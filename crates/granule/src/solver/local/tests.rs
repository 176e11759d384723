//! Random contacts with a known solution, in all regimes and on the borders between them.

use super::*;
use crate::math::linear::inverse;
use rand::RngExt;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// A unit vector across the normal.
fn direction<const D: usize>(random: &mut Pcg64) -> [f64; D] {
    let mut t: [f64; D] = std::array::from_fn(|_| random.random_range(-1.0..1.0));
    t[0] = 0.0;
    let length = across(&t);
    if length > 0.0 {
        t.map(|x| x / length)
    } else {
        t
    }
}

/// What contacts do in solutions, with p and w.
fn solutions<const D: usize>(
    friction: f64,
    exact: bool,
    random: &mut Pcg64,
) -> [(&'static str, [f64; D], [f64; D]); 7] {
    let t = direction::<D>(random);
    let size = random.random_range(0.5..2.0);
    let speed = random.random_range(0.5..2.0);
    let along = |normal: f64, side: f64| -> [f64; D] {
        std::array::from_fn(|i| if i == 0 { normal } else { side * t[i] })
    };
    // Sliding at this speed against an impulse along t; the convexified law opens the contact.
    let slide = |speed: f64| along(if exact { 0.0 } else { friction * speed }, -speed);
    let (none, most) = ([0.0; D], along(size, friction * size));
    [
        // Inside the dual cone, whichever the law.
        ("separation", none, along(friction * speed + size, speed)),
        ("stick", along(size, 0.5 * friction * size), none),
        ("slip", most, slide(speed)),
        ("touching without a push", none, none),
        ("sticking with all the friction there is", most, none),
        ("sliding with almost no speed", most, slide(1e-9 * speed)),
        (
            "carrying almost nothing",
            along(1e-9, 1e-9 * friction),
            slide(speed),
        ),
    ]
}

/// The block of a sphere, or one of another shape that couples the rows.
fn block<const D: usize>(sphere: bool, random: &mut Pcg64) -> Matrix<D> {
    let diagonal = |i: usize| if i == 0 { 1.3 } else { 4.2 };
    // One number for each pair of rows, whichever comes first.
    let pairs: [f64; 9] = std::array::from_fn(|_| random.random_range(-0.3..0.3));
    let coupling = |i: usize, j: usize| {
        if sphere {
            0.0
        } else {
            pairs[i.min(j) * 3 + i.max(j)]
        }
    };
    std::array::from_fn(|i| {
        std::array::from_fn(|j| if i == j { diagonal(i) } else { coupling(i, j) })
    })
}

/// Visits a contact until it stays; gives the impulse and how often it was visited.
fn visit<const D: usize, L: LocalSolver>(mut contact: OneContact<D>) -> ([f64; D], usize) {
    for visits in 1..=2000 {
        let next = L::solve(&contact);
        let moved: f64 = (0..D).map(|i| (next[i] - contact.impulse[i]).abs()).sum();
        contact.velocity = contact.velocity_at(&next);
        contact.impulse = next;
        if moved <= 1e-14 {
            return (next, visits);
        }
    }
    (contact.impulse, usize::MAX)
}

/// The most visits that any of the problems took.
fn check<const D: usize, L: LocalSolver>(sphere: bool, exact: bool) -> usize {
    let mut random = Pcg64::seed_from_u64(17);
    let mut most = 0;
    for case in 0..700 {
        let choices = if D == 1 { 1 } else { 4 };
        let friction = [0.0, 0.1, 0.5, 1.0][random.random_range(0..choices)];
        let (regime, impulse, velocity) = solutions::<D>(friction, exact, &mut random)[case % 7];
        let block = block::<D>(sphere, &mut random);
        let largest: [f64; 2] = if sphere {
            [1.3, 4.2]
        } else {
            // Above every eigenvalue, by Gershgorin's circles.
            [4.2 + 0.3 * (D - 1) as f64; 2]
        };
        let solved = OneContact {
            block,
            inverse: 1.0 / block[0][0],
            whole_inverse: inverse(&block),
            impulse,
            velocity,
            friction,
            exact,
            rho: largest.map(|w| 1.0 / w),
        };
        let start: [f64; D] = match case % 3 {
            0 => [0.0; D],
            _ => std::array::from_fn(|i| {
                let push = random.random_range(0.0..3.0);
                if i == 0 { push } else { 0.1 * friction * push }
            }),
        };
        let contact = OneContact {
            impulse: start,
            velocity: solved.velocity_at(&start),
            ..solved
        };
        let (found, visits) = visit::<D, L>(contact);
        for i in 0..D {
            assert!(
                (found[i] - impulse[i]).abs() < 1e-7,
                "{regime}, μ {friction}, sphere {sphere}, exact {exact}: {found:?}, not {impulse:?}"
            );
        }
        most = most.max(visits);
    }
    most
}

fn check_all<L: LocalSolver>() -> [usize; 2] {
    let mut most = [0; 2];
    for exact in [false, true] {
        for (most, sphere) in most.iter_mut().zip([true, false]) {
            let visits = [
                check::<1, L>(sphere, exact),
                check::<2, L>(sphere, exact),
                check::<3, L>(sphere, exact),
            ];
            *most = visits.into_iter().fold(*most, usize::max);
        }
    }
    most
}

#[test]
fn the_standard_solvers_find_the_solution_in_steps() {
    // For spheres the step of SAL is the solution; SBP carries the slip of the velocity before.
    assert_eq!(check_all::<Sal>()[0], 2);
    assert!(check_all::<Sbp>()[1] < usize::MAX);
}

#[test]
fn newton_finds_the_solution_at_once_for_spheres() {
    // For other blocks iterates may circle between the pieces of a projection; the best of them is a
    // better start for the next visit.
    for [sphere, other] in [check_all::<Ebp>(), check_all::<Eal>()] {
        assert!(sphere <= 3, "{sphere}");
        assert!(other < 20, "{other}");
    }
}

#[test]
fn the_active_set_finds_the_solution_at_once_for_spheres() {
    let [sphere, other] = check_all::<Pdas>();
    assert_eq!(sphere, 2);
    assert!(other < 100, "{other}");
}

#[test]
fn case_by_case_finds_the_solution_at_once() {
    // What a direction of sliding leaves is for the next visit.
    let [sphere, other] = check_all::<Cases>();
    assert!(sphere <= 3, "{sphere}");
    assert!(other < 20, "{other}");
}

#[test]
fn row_by_row_finds_the_solution() {
    let [sphere, other] = check_all::<RowByRow>();
    assert_eq!(sphere, 2);
    assert!(other < usize::MAX);
}

#[test]
fn a_singular_block_is_no_reason_to_panic() {
    let contact = OneContact::<2> {
        block: [[0.0; 2]; 2],
        inverse: f64::INFINITY,
        whole_inverse: [[f64::NAN; 2]; 2],
        impulse: [1.0, 0.2],
        velocity: [-1.0, 0.5],
        friction: 0.5,
        exact: true,
        rho: [1.0; 2],
    };
    for next in [
        Sbp::solve(&contact),
        Sal::solve(&contact),
        Ebp::solve(&contact),
        Eal::solve(&contact),
        Pdas::solve(&contact),
        Cases::solve(&contact),
    ] {
        assert!(next.iter().all(|x| x.is_finite()), "{next:?}");
    }
}
