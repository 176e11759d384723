//! Rounded, capped and shifted cones have the projections of an independent prototype (golden vectors of paper 003).

use crate::golden_files::{Vector, load, numbers};
use granule::law::AdmissibleSet;
use granule::math::DVec3;
use granule::problem::{Assembled, ContactProblem, Sets};
use serde_json::Value;

const IDS: [&str; 2] = ["003-proj-mu0.5", "003-proj-mu0.3"];

fn points(list: &Value) -> Vec<DVec3> {
    let list = list.as_array().unwrap();
    assert!(!list.is_empty());
    list.iter()
        .map(|point| DVec3::from_slice(&numbers(point)))
        .collect()
}

fn number(inputs: &Value, key: &str) -> f64 {
    inputs[key].as_f64().unwrap()
}

/// The vector (n, u, w) lies along (x, y, z).
#[test]
fn yield_sets_have_the_projections_of_the_prototype() {
    for id in IDS {
        let Vector {
            inputs,
            outputs,
            tolerance,
        } = load("g003_tasora.json", id);
        let friction = number(&inputs, "mu");
        let (d, r) = (number(&inputs, "d"), number(&inputs, "cap"));
        let of = |rounding: f64, cap: f64| AdmissibleSet::Yield {
            friction,
            rounding,
            cap,
        };
        for (key, set) in [
            ("cone", AdmissibleSet::Cone { friction }),
            ("cone", of(0.0, f64::INFINITY)),
            ("minkowski", of(d, f64::INFINITY)),
            ("capped_cone_no_ball", of(0.0, r)),
            ("capped_halfspace_on_minkowski", of(d, r)),
        ] {
            for (point, want) in points(&inputs["points"])
                .into_iter()
                .zip(points(&outputs[key]))
            {
                let found = set.project(point, DVec3::X);
                let off = (found - want).length();
                assert!(off < number(&tolerance, "abs"), "{id} {key} {point}: {off}");
            }
        }
    }
}

#[test]
fn a_shift_translates_the_cone() {
    for id in IDS {
        let Vector {
            inputs,
            outputs,
            tolerance,
        } = load("g003_tasora.json", id);
        let points = points(&inputs["points"]);
        let identity: Vec<Vec<f64>> = (0..3)
            .map(|i| (0..3).map(|j| f64::from(u8::from(i == j))).collect())
            .collect();
        // The nearest point of K - c n to x is what a contact with W = 1 and b = -x carries.
        for (point, want) in points.iter().zip(self::points(&outputs["translated"])) {
            let matrix = Assembled::from_dense(3, &identity).unwrap();
            let bias = point.to_array().map(|x| -x).to_vec();
            let problem = ContactProblem {
                sets: Sets::uniform_cone(number(&inputs, "mu"), 1),
                ..ContactProblem::explicit(matrix, bias).unwrap()
            };
            let shifted = problem.with_shift(vec![number(&inputs, "c")]).unwrap();
            let mut found: Vec<f64> = shifted.bias.iter().map(|b| -b).collect();
            shifted.project(&mut found);
            shifted.unshift(&mut found);
            let off = (DVec3::from_slice(&found) - want).length();
            assert!(off < number(&tolerance, "abs"), "{id} {point}: {off}");
        }
    }
}
