//! The ids of bodies: those of earlier runs stay.

use granule::simulation::World;

/// Gives bodies the ids that they had in earlier runs, by their places. All others get those after the largest, in their
/// order, and what names bodies by their ids follows. Until now the id of each body is its place.
pub(crate) fn keep(world: &mut World, earlier: &[(usize, u32)]) {
    let Some(largest) = earlier.iter().map(|(_, id)| *id).max() else {
        return;
    };
    let bodies = &mut world.bodies;
    let mut kept = vec![None; bodies.len()];
    for &(place, id) in earlier {
        kept[place] = Some(id);
    }
    let mut next = largest + 1;
    for (id, kept) in bodies.id.iter_mut().zip(kept) {
        *id = kept.unwrap_or(next);
        next += u32::from(kept.is_none());
    }
    bodies.next_id = next;
    let ids = &world.bodies.id;
    let renew = |id: &mut u32| *id = ids[*id as usize];
    world.bonds.iter_mut().flatten().for_each(renew);
    let joined = world.joints.iter_mut().flat_map(|joint| &mut joint.bodies);
    joined.flatten().for_each(renew);
    let carriers = world
        .walls
        .iter_mut()
        .filter_map(|wall| wall.carrier.as_mut());
    carriers.for_each(renew);
    let chosen = world
        .fields
        .iter_mut()
        .filter_map(|field| field.on.ids.as_mut());
    chosen.flatten().for_each(renew);
}
