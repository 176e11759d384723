//! Sweeps four at a time against sweeps one by one.

use super::ProblemSweeps;
use super::cone_sweep::ConeSweep;
use super::momentum::{Pace, Slip};
use super::plain_sweep::PlainSweep;
use crate::law::Flow;
use crate::solver::test_problems::{capped, mixed};

#[test]
fn four_at_a_time_is_one_by_one() {
    for gives in [false, true] {
        for (flow, slip, caps) in [
            (Flow::Associated, Slip::Follows, false),
            (Flow::Associated, Slip::Follows, true),
            (Flow::Exact, Slip::Follows, false),
            (Flow::Exact, Slip::AtOnce, false),
        ] {
            let mut problem = mixed(gives, 1);
            if caps {
                problem = capped(problem);
            }
            problem.flow = flow;
            // All contacts carry something, so that none is left out.
            let normals = (0..problem.contact_count()).map(|k| problem.delassus.normal(k));
            let start: Vec<f64> = normals.flat_map(|n| (0.3 * n).to_array()).collect();
            let (mut cones, mut plain) = (ConeSweep::default(), PlainSweep::default());
            let mut both: [&mut dyn ProblemSweeps; 2] = [&mut cones, &mut plain];
            both.iter_mut()
                .for_each(|sweeps| sweeps.prepare(&problem, &start));
            let mut largest = 0.0;
            for beta in [0.0, 0.5, 0.9, 0.9, 0.2] {
                let pace = Pace {
                    beta,
                    slip,
                    share: 1.0,
                };
                let [(found, a), (want, b)] = both.each_mut().map(|sweeps| {
                    sweeps.extrapolate(beta);
                    let sums = sweeps.sweep(&problem, pace);
                    let mut impulses = Vec::new();
                    sweeps.write_impulses(&mut impulses);
                    (impulses, sums.step_squared)
                });
                for (a, b) in found.iter().zip(&want) {
                    largest = f64::max(largest, b.abs());
                    assert!((a - b).abs() < 1e-12, "{gives} {flow:?} {caps}: {a} {b}");
                }
                assert!((a - b).abs() < 1e-10 * (1.0 + b), "{a} {b}");
            }
            assert!(largest > 0.1);
        }
    }
}
