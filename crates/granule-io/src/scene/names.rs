//! What bodies, walls and joints are called in messages.

use super::Setup;
use granule::joints::redundant_loops;
use granule::shapes::Surface;
use granule::simulation::Party;

impl Setup {
    /// What a user may have overlooked, each in a sentence.
    pub fn warnings(&self) -> Vec<String> {
        let world = &self.world;
        let loops = redundant_loops(&world.joints, &world.bodies, world.dimension);
        let told = loops.iter().map(|found| {
            let names: Vec<String> = found.joints.iter().map(|k| self.joint_name(*k)).collect();
            let plural = if found.surplus == 1 { "" } else { "s" };
            format!(
                "the joints {} make a loop that holds {} direction{plural} more than once: the motion is right, but not what \
                 each of them carries; let one of them be a `ball`, a `universal` or a `point-on-line` to mend that",
                names.join(", "),
                found.surplus
            )
        });
        self.notes.iter().cloned().chain(told).collect()
    }

    /// What people call a joint: its name, or its number.
    fn joint_name(&self, number: usize) -> String {
        match self.joint_names.get(number) {
            Some(Some(name)) => format!("`{name}`"),
            _ => format!("joints[{number}]"),
        }
    }

    /// What people call a party to a contact: a body by its id and how it arose, a wall by its name, or
    /// by its number and shape.
    pub fn name_of(&self, party: Party) -> String {
        match party {
            Party::Body(id) => {
                let place = self.world.bodies.place_of(id);
                match place.and_then(|place| self.sources.get(place)) {
                    Some(source) => format!("body {id} ({source})"),
                    None => party.to_string(),
                }
            }
            Party::Wall(number) => {
                match (self.wall_names.get(number), self.world.walls.get(number)) {
                    (Some(Some(name)), _) => format!("wall `{name}`"),
                    (_, Some(wall)) => format!("walls[{number}] (a {})", shape(&wall.surface)),
                    (_, None) => party.to_string(),
                }
            }
            Party::Joint(number) => format!("joint {}", self.joint_name(number)),
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
