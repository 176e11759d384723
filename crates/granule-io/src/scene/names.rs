//! What bodies and walls are called in messages.

use super::Setup;
use granule::shapes::Surface;
use granule::simulation::Party;

impl Setup {
    /// What people call a party to a contact: a body by its id and how it arose, a wall by its name, or
    /// by its number and shape.
    pub fn name_of(&self, party: Party) -> String {
        match party {
            Party::Body(id) => match self.sources.get(id as usize) {
                Some(source) => format!("body {id} ({source})"),
                None => party.to_string(),
            },
            Party::Wall(number) => {
                match (self.wall_names.get(number), self.world.walls.get(number)) {
                    (Some(Some(name)), _) => format!("wall `{name}`"),
                    (_, Some(wall)) => format!("walls[{number}] (a {})", shape(&wall.surface)),
                    (_, None) => party.to_string(),
                }
            }
        }
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
        Surface::Mesh(_) => "mesh",
    }
}
