//! What bodies exert on walls.

use super::Simulation;
use crate::collision::Partner;
use crate::math::DVec3;
use crate::problem::Delassus;
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
        let (prediction, step) = (&self.work.prediction, self.last_step);
        if prediction.position.is_empty() || step == 0.0 {
            return loads;
        }
        let walls = self.world.walls.iter();
        let origins: Vec<DVec3> = walls
            .map(|wall| wall.kinematics.pose(prediction.look).0)
            .collect();
        for (number, contact) in self.previous.iter().enumerate() {
            let Partner::Patch(patch) = contact.partner else {
                continue;
            };
            let wall = self.wall_of(patch);
            let force = -contact.impulse.linear / step;
            let length = self.moment_length(number).unwrap_or(0.0);
            loads[wall].force += force;
            loads[wall].torque += (contact.point - origins[wall]).cross(force)
                - length / step * contact.impulse.angular;
        }
        loads
    }

    /// The length ℓ (m) by which the moment of a contact of the last step is divided; `None` if no
    /// law has moments.
    pub fn moment_length(&self, contact: usize) -> Option<f64> {
        let Delassus::MatrixFree(operator) = &self.work.problem.delassus else {
            return None;
        };
        let space = &operator.space;
        let geometry = space.contacts.get(contact).filter(|_| space.rows == 6)?;
        Some(space.contact_length(geometry))
    }
}
