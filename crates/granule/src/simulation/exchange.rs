//! The stage before all others: bodies leave through outlets and come through inlets.

use super::{Simulation, StepError};
use crate::bodies::BodyShape;
use crate::exchange::{Newcomer, OnExit, Room};
use crate::measure;
use serde::{Deserialize, Serialize};

/// What came and went at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Exchanged {
    /// Bodies that came.
    pub came: usize,
    /// Bodies that were taken out.
    pub left: usize,
    /// Bodies that take part in the step.
    pub bodies: usize,
    /// Bodies that stay in zones where the settings only warn.
    pub outside: usize,
    /// Kinetic and potential energy of what came, less that of what left, J.
    pub energy: f64,
}

impl Simulation {
    /// Takes out what has left, and lets in what is due.
    pub(super) fn exchange(&mut self) -> Result<Exchanged, StepError> {
        let world = &self.world;
        let mut done = Exchanged {
            bodies: world.bodies.len(),
            ..Exchanged::default()
        };
        if world.inlets.is_empty() && world.outlets.is_empty() {
            return Ok(done);
        }
        let leaves = self.find_leaving(&mut done)?;
        let newcomers = self.find_newcomers(&leaves);
        if done.left == 0 && newcomers.is_empty() {
            return Ok(done);
        }
        let before = self.energy();
        let mut count = 0;
        let place_of: Vec<Option<u32>> = (leaves.iter())
            .map(|&leaves| {
                count += u32::from(!leaves);
                (!leaves).then(|| count - 1)
            })
            .collect();
        self.world.bodies.retain(|place| !leaves[place]);
        done.came = newcomers.len();
        for newcomer in newcomers {
            match newcomer {
                Newcomer::Sphere(sphere) => self.world.add_sphere(&sphere),
                Newcomer::Solid {
                    body,
                    shape,
                    material,
                } => self.world.add_solid(&body, shape, material),
            };
        }
        self.bodies_changed(&place_of);
        done.bodies = self.world.bodies.len();
        done.energy = self.energy() - before;
        Ok(done)
    }

    /// Kinetic and potential energy, J.
    fn energy(&self) -> f64 {
        let bodies = &self.world.bodies;
        measure::kinetic_energy(bodies) + measure::potential_energy(bodies, self.world.gravity)
    }

    /// Which bodies leave.
    fn find_leaving(&mut self, done: &mut Exchanged) -> Result<Vec<bool>, StepError> {
        let held = self.held();
        let (step, time) = (self.world.steps + 1, self.world.time);
        let dimension = self.world.dimension.count();
        let bodies = &self.world.bodies;
        let mut leaves = vec![false; bodies.len()];
        for (number, outlet) in self.world.outlets.iter_mut().enumerate() {
            let mut inside = 0;
            for i in (0..bodies.len()).filter(|&i| bodies.is_dynamic(i) && !held[i]) {
                if leaves[i] || !outlet.zone.holds(bodies.position[i], dimension) {
                    continue;
                }
                match outlet.on_exit {
                    OnExit::Remove => {
                        leaves[i] = true;
                        outlet.gone.count += 1;
                        outlet.gone.mass += bodies.mass[i];
                        done.left += 1;
                    }
                    OnExit::Warn => inside += 1,
                    OnExit::Stop => {
                        return Err(StepError::Left {
                            step,
                            time,
                            id: bodies.id[i],
                            outlet: number,
                        });
                    }
                }
            }
            if outlet.on_exit == OnExit::Warn {
                outlet.gone.count = outlet.gone.count.max(inside);
                done.outside += inside as usize;
            }
        }
        Ok(leaves)
    }

    /// Which bodies cannot leave: those of joints, and those that carry walls.
    fn held(&self) -> Vec<bool> {
        let bodies = &self.world.bodies;
        let mut held: Vec<bool> = (bodies.shape.iter())
            .map(|shape| *shape == BodyShape::Walls)
            .collect();
        let places = &self.work.places;
        let carriers = places.carriers.iter().flatten().copied();
        let joined = places.joints.iter().flat_map(|joint| joint.bodies);
        for place in carriers.chain(joined) {
            // The ground is behind the last body.
            if let Some(held) = held.get_mut(place as usize) {
                *held = true;
            }
        }
        held
    }

    /// The bodies that appear; those that leave make room.
    fn find_newcomers(&mut self, leaves: &[bool]) -> Vec<Newcomer> {
        let time = self.world.time;
        if !self.world.inlets.iter().any(|inlet| inlet.is_due(time)) {
            return Vec::new();
        }
        self.work.place_walls_now(&self.world);
        let (dimension, step) = (self.world.dimension.count(), self.world.steps);
        let bodies = &self.world.bodies;
        let (mut newcomers, mut taken) = (Vec::new(), Vec::new());
        for inlet in &mut self.world.inlets {
            if !inlet.is_due(time) {
                continue;
            }
            let room = Room::new(&inlet.region, (bodies, leaves), &self.work.patches);
            let mut room = room.after(&taken);
            let before = room.taken().len();
            while inlet.is_due(time) {
                let Some(grain) = inlet.pour(&bodies.solids, &mut room, dimension, step) else {
                    break;
                };
                newcomers.push(grain);
            }
            taken.extend_from_slice(&room.taken()[before..]);
        }
        newcomers
    }
}
