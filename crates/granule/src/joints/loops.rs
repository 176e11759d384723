//! Closed loops of joints that hold some motion more than once.

use super::{Joint, JointRow, PlacedJoint};
use crate::bodies::{Bodies, Dimension};
use crate::math::{DQuat, DVec3};
use std::collections::BTreeMap;

/// A part of a row below this share of it is rounding.
const DEPENDENT: f64 = 1e-9;

/// Rows of joints that hang together beyond which loops are not looked into: it would take longer than a step.
const MOST_ROWS: usize = 900;

/// Joints of which some hold what the others hold already, as the hinges of a planar linkage in space: what each carries is
/// then not determined by the motion, though the motion is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedundantLoop {
    /// The joints of the loop, by their numbers.
    pub joints: Vec<usize>,
    /// How many directions are held once too often.
    pub surplus: usize,
}

/// The loops of joints that hold something more than once where the bodies stand.
///
/// ```
/// use granule::bodies::{Dimension, Sphere};
/// use granule::joints::{Joint, Kind, redundant_loops};
/// use granule::math::DVec3;
/// use granule::simulation::World;
/// let mut world = World::new(Dimension::Space);
/// let ball = world.add_sphere(&Sphere::new(DVec3::X, 0.1, 1.0));
/// let hinge = |y: f64| {
///     Joint::at(Kind::Hinge, &world.bodies, [Some(ball), None], y * DVec3::Y, DVec3::Y)
/// };
/// // A door on two hinges hangs as well on one.
/// let door = vec![hinge(0.0), hinge(1.0)];
/// let loops = redundant_loops(&door, &world.bodies, Dimension::Space);
/// assert_eq!((loops[0].surplus, &loops[0].joints[..]), (5, &[0, 1][..]));
/// ```
pub fn redundant_loops(
    joints: &[Joint],
    bodies: &Bodies,
    dimension: Dimension,
) -> Vec<RedundantLoop> {
    let groups = connected(joints, bodies).into_values();
    groups
        .filter_map(|group| surplus(&group, joints, bodies, dimension))
        .collect()
}

/// The joints that hang together by bodies that move, where they close a loop.
fn connected(joints: &[Joint], bodies: &Bodies) -> BTreeMap<u32, Vec<usize>> {
    let moves = |id: &u32| bodies.place_of(*id).is_some_and(|k| bodies.is_dynamic(k));
    let mut root: BTreeMap<u32, u32> = BTreeMap::new();
    fn find(root: &BTreeMap<u32, u32>, mut id: u32) -> u32 {
        while let Some(next) = root.get(&id).filter(|next| **next != id) {
            id = *next;
        }
        id
    }
    let ends = |joint: &Joint| -> Vec<u32> {
        let ids = joint.bodies.iter().flatten();
        ids.copied().filter(|id| moves(id)).collect()
    };
    for joint in joints {
        let ids = ends(joint);
        for id in &ids {
            root.entry(*id).or_insert(*id);
        }
        if let [a, b] = ids[..] {
            let (a, b) = (find(&root, a), find(&root, b));
            root.insert(a.max(b), a.min(b));
        }
    }
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, joint) in joints.iter().enumerate() {
        if let Some(id) = ends(joint).first() {
            groups.entry(find(&root, *id)).or_default().push(number);
        }
    }
    // A tree has fewer joints than it has bodies with the ground.
    groups.retain(|group, numbers| {
        let members = root.keys().filter(|id| find(&root, **id) == *group).count();
        numbers.len() > members
    });
    groups
}

/// A row as a vector over the free motions of the bodies, each divided by the root of its inertia.
type Vector = Vec<f64>;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// How many rows of the group depend on those before, by Gram and Schmidt's method, and which joints take part in that.
fn surplus(
    group: &[usize],
    joints: &[Joint],
    bodies: &Bodies,
    dimension: Dimension,
) -> Option<RedundantLoop> {
    let rows = rows_of(group, joints, bodies, dimension);
    if rows.len() > MOST_ROWS {
        return None;
    }
    // Orthonormal vectors, each with what it is made of.
    let mut basis: Vec<(Vector, Vector)> = Vec::new();
    let mut taking_part = vec![false; joints.len()];
    let mut found = 0;
    for (k, (joint, row)) in rows.iter().enumerate() {
        let size = dot(row, row).sqrt();
        if size == 0.0 {
            continue;
        }
        let mut rest = row.clone();
        let mut made_of = vec![0.0; rows.len()];
        made_of[k] = 1.0;
        // Twice is enough.
        for (vector, parts) in basis.iter().chain(&basis) {
            let along = dot(&rest, vector);
            rest.iter_mut()
                .zip(vector)
                .for_each(|(r, v)| *r -= along * v);
            made_of
                .iter_mut()
                .zip(parts)
                .for_each(|(m, p)| *m -= along * p);
        }
        let left = dot(&rest, &rest).sqrt();
        if left > DEPENDENT * size {
            rest.iter_mut().for_each(|r| *r /= left);
            made_of.iter_mut().for_each(|m| *m /= left);
            basis.push((rest, made_of));
            continue;
        }
        found += 1;
        taking_part[*joint] = true;
        for (part, (joint, row)) in made_of.iter().zip(&rows) {
            taking_part[*joint] |= part.abs() * dot(row, row).sqrt() > 1e-6 * size;
        }
    }
    let joints = taking_part.iter().enumerate();
    let joints = joints.filter_map(|(number, takes_part)| takes_part.then_some(number));
    (found > 0).then(|| RedundantLoop {
        joints: joints.collect(),
        surplus: found,
    })
}

/// The rows of the joints of a group, each with the number of its joint.
fn rows_of(
    group: &[usize],
    joints: &[Joint],
    bodies: &Bodies,
    dimension: Dimension,
) -> Vec<(usize, Vector)> {
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    let place = |id: Option<u32>| id.and_then(|id| bodies.place_of(id));
    for number in group {
        for place in joints[*number].bodies.iter().filter_map(|id| place(*id)) {
            let next = columns.len();
            columns.entry(place).or_insert(next);
        }
    }
    let (moves, turns) = match dimension {
        Dimension::Space => (DVec3::ONE, DVec3::ONE),
        Dimension::Plane => (DVec3::new(1.0, 1.0, 0.0), DVec3::Z),
        Dimension::Line => (DVec3::X, DVec3::ZERO),
    };
    let mut rows = Vec::new();
    let mut held: Vec<JointRow> = Vec::new();
    for number in group {
        let joint = &joints[*number];
        let places = joint.bodies.map(place);
        let poses = places.map(|place| match place {
            Some(k) => (bodies.position[k], bodies.orientation[k]),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        });
        held.clear();
        PlacedJoint::new(joint, poses, 1.0).held(&mut held);
        for row in &held {
            let mut vector = vec![0.0; 6 * columns.len()];
            let ends = [
                (places[0], row.form.linear, row.form.on_a),
                (places[1], -row.form.linear, row.form.on_b),
            ];
            for (place, linear, angular) in ends {
                let Some(k) = place.filter(|k| bodies.is_dynamic(*k)) else {
                    continue;
                };
                let linear = moves * linear / bodies.mass[k].sqrt();
                let own = bodies.orientation[k].conjugate() * (turns * angular);
                let angular = own / bodies.inertia[k].powf(0.5);
                let first = 6 * columns[&k];
                vector[first..first + 3].copy_from_slice(&linear.to_array());
                vector[first + 3..first + 6].copy_from_slice(&angular.to_array());
            }
            rows.push((*number, vector));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::RigidBody;
    use crate::joints::Kind;

    /// Three bars and the ground in a square, by joints about z.
    fn four_bar(kinds: [Kind; 4]) -> (Vec<Joint>, Bodies) {
        let (mut joints, mut bodies) = (Vec::new(), Bodies::default());
        let corners = [DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::X];
        let mut before = None;
        for (k, kind) in kinds.into_iter().enumerate() {
            let next = corners.get(k + 1).map(|end| {
                let middle = 0.5 * (corners[k] + *end);
                bodies.push_rigid(&RigidBody::new(middle, 1.0, DVec3::splat(0.1)))
            });
            joints.push(Joint::at(
                kind,
                &bodies,
                [before, next],
                corners[k],
                DVec3::Z,
            ));
            before = next;
        }
        (joints, bodies)
    }

    #[test]
    fn a_planar_linkage_in_space_has_three_rows_too_many() {
        let (joints, bodies) = four_bar([Kind::Hinge; 4]);
        let loops = redundant_loops(&joints, &bodies, Dimension::Space);
        assert_eq!(
            loops,
            [RedundantLoop {
                joints: vec![0, 1, 2, 3],
                surplus: 3
            }]
        );
    }

    #[test]
    fn in_the_plane_and_with_balls_it_has_none() {
        let (joints, bodies) = four_bar([Kind::Hinge; 4]);
        assert!(redundant_loops(&joints, &bodies, Dimension::Plane).is_empty());
        let kinds = [Kind::Hinge, Kind::Ball, Kind::Universal, Kind::Hinge];
        let (joints, bodies) = four_bar(kinds);
        assert!(redundant_loops(&joints, &bodies, Dimension::Space).is_empty());
    }

    #[test]
    fn an_open_chain_has_no_loop() {
        let (joints, bodies) = four_bar([Kind::Hinge; 4]);
        assert!(redundant_loops(&joints[..3], &bodies, Dimension::Space).is_empty());
    }
}
