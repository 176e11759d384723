//! What bodies and walls are called in messages.

use granule::shapes::Surface;
use granule::simulation::Party;
use granule_io::scene::Setup;

/// A body by its id and how it arose, a wall by its name, or by its number and shape.
pub fn name(setup: &Setup, party: Party) -> String {
    match party {
        Party::Body(id) => match setup.sources.get(id as usize) {
            Some(source) => format!("body {id} ({source})"),
            None => party.to_string(),
        },
        Party::Wall(number) => match setup.wall_names.get(number) {
            Some(Some(name)) => format!("wall `{name}`"),
            _ => format!(
                "walls[{number}] (a {})",
                shape(&setup.world.walls[number].surface)
            ),
        },
    }
}

fn shape(surface: &Surface) -> &'static str {
    match surface {
        Surface::HalfSpace(_) => "half-space",
        Surface::Cylinder(_) => "cylinder",
        Surface::Cone(_) => "cone",
        Surface::Box(_) => "box",
        Surface::Plate(_) => "plate",
        Surface::Block(_) => "block",
    }
}
