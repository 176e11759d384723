//! What bodies exert on walls.

use super::Simulation;
use crate::collision::Partner;
use crate::math::DVec3;
use serde::{Deserialize, Serialize};

/// The mean force and torque over a step that bodies exert on a wall, world frame.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WallLoad {
    /// N, with the parts along and across the normals of all contacts.
    pub force: DVec3,
    /// N m, about the wall's position, with the moments of rolling and spinning friction.
    pub torque: DVec3,
}

impl Simulation {
    /// The loads on all walls in the last step, in their order; zero before the first step that
    /// this simulation takes.
    ///
    /// They are the impulses of the contacts divided by the length of the step. Points and the
    /// wall's position are those where contacts were looked for (`maury`: at the start of the
    /// step). Overlaps that are taken out of the positions exert nothing.
    pub fn wall_loads(&self) -> Vec<WallLoad> {
        let mut loads = vec![WallLoad::default(); self.world.walls.len()];
        let (origins, step) = (&self.work.wall_origins, self.last_step);
        if origins.is_empty() || step == 0.0 {
            return loads;
        }
        for contact in self.contacts() {
            let Partner::Wall(wall) = contact.partner else {
                continue;
            };
            let wall = wall as usize;
            let force = -contact.impulse / step;
            loads[wall].force += force;
            loads[wall].torque +=
                (contact.point - origins[wall]).cross(force) - contact.moment / step;
        }
        loads
    }
}
