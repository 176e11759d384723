//! Sweeps four at a time against sweeps one by one.

use super::cone_sweep::ConeSweep;
use super::momentum::{Pace, Slip};
use super::plain_sweep::PlainSweep;
use crate::law::Flow;
use crate::problem::{Delassus, Sets};
use crate::solver::test_problems::mixed;

#[test]
fn four_at_a_time_is_one_by_one() {
    for gives in [false, true] {
        for (flow, slip) in [
            (Flow::Associated, Slip::Follows),
            (Flow::Exact, Slip::Follows),
            (Flow::Exact, Slip::AtOnce),
        ] {
            let mut problem = mixed(gives, 1);
            problem.flow = flow;
            let (Delassus::MatrixFree(operator), Sets::Cone(friction)) =
                (&problem.delassus, &problem.sets)
            else {
                panic!("bodies and cones")
            };
            // All contacts carry something, so that none is left out.
            let normals = (0..problem.contact_count()).map(|k| problem.delassus.normal(k));
            let start: Vec<f64> = normals.flat_map(|n| (0.3 * n).to_array()).collect();
            let (mut cones, mut plain) = (ConeSweep::default(), PlainSweep::default());
            cones.prepare(&problem, (operator, friction), &start);
            plain.prepare(&problem, &start);
            let (mut found, mut largest) = (Vec::new(), 0.0);
            for beta in [0.0, 0.5, 0.9, 0.9, 0.2] {
                cones.extrapolate(beta);
                plain.extrapolate(beta);
                let pace = Pace {
                    beta,
                    slip,
                    share: 1.0,
                };
                let sums = [
                    cones.sweep(&problem, operator, pace),
                    plain.sweep(&problem, pace),
                ];
                cones.impulses(&mut found);
                for (a, b) in found.iter().zip(plain.impulses()) {
                    largest = f64::max(largest, b.abs());
                    assert!((a - b).abs() < 1e-12, "{gives} {flow:?}: {a} {b}");
                }
                let [a, b] = sums.map(|sums| sums.step_squared);
                assert!((a - b).abs() < 1e-10 * (1.0 + b), "{a} {b}");
            }
            assert!(largest > 0.1);
        }
    }
}
