//! Checks of what contacts give and hold.

use super::Check;
use crate::scene::error::Problem;
use crate::scene::grammar::SpringKeys;
use crate::scene::key_path::KeyPath;

/// Keys that belong together are given together, and their numbers make sense. `rows` says whether there is something
/// across the normal, and whether there are moments.
pub(super) fn springs(keys: &SpringKeys, path: &KeyPath, [across, moments]: [bool; 2]) -> Check {
    let problem = |key: &str, reason: String, label: &str| {
        Problem::new(path.join(key), format!("`{key}` {reason}"), label)
    };
    if keys.stiffness.is_some() && keys.young.is_some() {
        let reason = "and `stiffness` say the same twice".to_owned();
        return Err(problem("young", reason, "beside `stiffness`").help(
            "keep `stiffness` (N/m, the same for all contacts) or `young` (Pa, for spheres)",
        ));
    }
    let springs = [
        ("tangential_stiffness", keys.tangential_stiffness),
        ("rolling_stiffness", keys.rolling_stiffness),
        ("spinning_stiffness", keys.spinning_stiffness),
    ];
    let material = [
        ("poisson", keys.poisson),
        ("reference_overlap", keys.reference_overlap),
    ];
    let dampers = [
        ("damping", keys.damping),
        ("mass_damping", keys.mass_damping),
    ];
    let given = |(_, value): &&(&'static str, Option<f64>)| value.is_some();
    if let (None, Some((key, _))) = (keys.stiffness, springs.iter().find(given)) {
        let reason = "needs `stiffness` (N/m), that along the normal".to_owned();
        return Err(problem(key, reason, "without `stiffness`").help("add `stiffness = 1e6`"));
    }
    if let (None, Some((key, _))) = (keys.young, material.iter().find(given)) {
        let reason = "needs `young` (Pa)".to_owned();
        return Err(problem(key, reason, "without `young`").help("add `young = 1e9`"));
    }
    let rigid = keys.stiffness.is_none() && keys.young.is_none();
    if let (true, Some((key, _))) = (rigid, dampers.iter().find(given)) {
        let reason = "has no effect: the contact is rigid".to_owned();
        return Err(problem(key, reason, "without `stiffness`")
            .help("add `stiffness = 1e6` (N/m), or leave it out"));
    }
    if !across && keys.tangential_stiffness.is_some() {
        let reason = "has no effect: without friction nothing acts across the normal".to_owned();
        return Err(problem("tangential_stiffness", reason, "not used")
            .help("leave it out, or use a law with friction"));
    }
    let turning = springs[1..].iter().find(given);
    if let (false, Some((key, _))) = (moments, turning) {
        let reason = "has no effect: nothing resists rolling".to_owned();
        return Err(problem(key, reason, "not used")
            .help("leave it out, or add `rolling_friction` and `spinning_friction`"));
    }
    let holding = [("cohesion", keys.cohesion), ("rounding", keys.rounding)];
    let held = holding
        .iter()
        .find(|(_, value)| value.is_some_and(|force| force > 0.0));
    if let (Some((key, _)), None) = (held, keys.cohesion_range) {
        let reason = "needs `cohesion_range` (m): how far a contact flows apart before it lets go";
        return Err(problem(key, reason.to_owned(), "without a range")
            .help("add `cohesion_range`, for instance a hundredth of a radius"));
    }
    if keys.cohesion_range.is_some() && held.is_none() {
        let reason = "has no effect: nothing holds".to_owned();
        return Err(problem("cohesion_range", reason, "without `cohesion`")
            .help("add `cohesion` (N), or leave it out"));
    }
    let checked = keys.elasticity().validate();
    let checked = checked.and_then(|()| keys.held().validate());
    if let Err((key, reason)) = checked.and_then(|()| keys.strength().validate()) {
        return Err(problem(key, reason, "out of range"));
    }
    Ok(())
}
