//! The periodic cell in a step: how it changes, what it carries along, and bodies that leave it.

use super::{Simulation, StepError, World};
use crate::bodies::{Image, Load};
use crate::math::DVec3;
use crate::scheme::{Prediction, PressedFaces};
use crate::shapes::Patch;

/// Normals are across an axis up to this.
const PARALLEL: f64 = 1e-9;

impl World {
    /// Whether all that is in the world goes with its periodic cell.
    pub(super) fn check_cell(&self) -> Result<(), String> {
        let Some(cell) = &self.cell else {
            return Ok(());
        };
        cell.validate(self.dimension, self.largest_radius())?;
        if !self.joints.is_empty() {
            return Err(
                "joints hold bodies, not their images: leave the cell out, or the joints".into(),
            );
        }
        if !self.inlets.is_empty() {
            return Err(
                "inlets do not see the images of grains yet: fill the cell at the start".into(),
            );
        }
        if let Some(faces) = self.pressed_faces()
            && faces.mass <= 0.0
        {
            return Err("its faces are pressed and there is nothing in it: give its `mass`".into());
        }
        let axes = DVec3::AXES.into_iter().enumerate();
        let periodic: Vec<DVec3> = axes
            .filter(|(axis, _)| cell.is_periodic(*axis))
            .map(|(_, direction)| direction)
            .collect();
        for (number, wall) in self.walls.iter().enumerate() {
            let normal = wall.kinematics.pose(0.0).1 * DVec3::Z;
            let along = periodic
                .iter()
                .all(|axis| normal.dot(*axis).abs() < PARALLEL);
            let endless = wall.patches.iter().all(|patch| *patch == Patch::Plane);
            let turns = wall.kinematics.motion.angular_velocity() != DVec3::ZERO;
            if wall.carrier.is_some() || !along || !endless || turns {
                return Err(format!(
                    "wall {number} would end at its faces: walls in it are planes along its periodic axes (`half-space`) \
                     that do not turn; make other shapes of fixed grains"
                ));
            }
        }
        Ok(())
    }

    /// m; of a solid that of a sphere around it.
    fn largest_radius(&self) -> f64 {
        self.bodies.radius.iter().copied().fold(0.0, f64::max)
    }

    /// The faces of the cell that are pressed, if there are such.
    pub(super) fn pressed_faces(&self) -> Option<PressedFaces> {
        let cell = self.cell.as_ref()?;
        let axes = cell.pressed();
        let bodies = &self.bodies;
        let moving = || (0..bodies.len()).filter(|&i| bodies.is_dynamic(i));
        let all = || moving().map(|i| bodies.mass[i]).sum();
        let mass = (axes != DVec3::ZERO).then(|| cell.mass.unwrap_or_else(all))?;
        Some(PressedFaces { axes, mass })
    }
}

impl Simulation {
    /// Refuses a step in a cell so short that a body could meet two images of another.
    pub(super) fn check_cell_size(&self) -> Result<(), StepError> {
        let Some(cell) = &self.world.cell else {
            return Ok(());
        };
        match cell.too_short(self.world.largest_radius()) {
            None => Ok(()),
            Some((axis, least)) => Err(StepError::SmallCell {
                step: self.world.steps + 1,
                time: self.world.time,
                axis: ["x", "y", "z"][axis],
                length: cell.size[axis],
                least,
            }),
        }
    }

    /// Adds what carries the bodies along with the cell to their loads, where its prescribed rate changes in a step of
    /// this length (s).
    pub(super) fn carry_along(&mut self, step: f64) {
        let Some(cell) = &self.world.cell else {
            return;
        };
        let rate = cell.prescribed_rate(self.world.time, step);
        if rate == cell.rate {
            return;
        }
        let (bodies, loads) = (&self.world.bodies, &mut self.work.loads);
        loads.resize(bodies.len(), Load::default());
        for (i, load) in loads.iter_mut().enumerate() {
            let carried = cell.carried(rate, bodies.position[i]);
            load.force += bodies.mass[i] / step * carried;
        }
    }

    /// The cell of the coming step before contacts act, where contacts are looked for.
    pub(super) fn predict_cell(&self, prediction: &mut Prediction) {
        let Some(cell) = &self.world.cell else {
            return;
        };
        let Prediction {
            time,
            step,
            contact_time,
            ..
        } = *prediction;
        prediction.rate_before = cell.rate;
        let mut rate = cell.prescribed_rate(time, step);
        if let Some(faces) = self.world.pressed_faces() {
            rate.size -= step / faces.mass * cell.press(time, step);
        }
        let lattice = cell.lattice().after(contact_time - time);
        prediction.rate_free = rate;
        prediction.lattice = Some(lattice.with_rate(rate));
    }

    /// How far images of bodies go besides the bodies in the step, and the law acts from there, m.
    pub(super) fn image_way(&self) -> f64 {
        let prediction = &self.work.first.prediction;
        let Some(lattice) = &prediction.lattice else {
            return 0.0;
        };
        let before = lattice.with_rate(prediction.rate_before).speed_bound();
        let speed = lattice.speed_bound().max(before);
        let opening = self.opening();
        prediction.step * opening.map_or(speed, |o| o.of_speeds(speed, 0.0, 0.0))
    }

    /// Moves the cell to the end of the step.
    pub(super) fn advance_cell(&mut self) {
        let way = self.image_way();
        let Prediction {
            lattice, remaining, ..
        } = &self.work.first.prediction;
        if let (Some(cell), Some(lattice)) = (&mut self.world.cell, lattice) {
            cell.become_lattice(&lattice.after(*remaining));
            let moved = self.work.first.prediction.step * self.work.recovery.faces;
            cell.size += moved;
            if self.scheme.stops_at_end()
                && let Some(end) = self.work.end.prediction.lattice
            {
                cell.rate = end.rate();
            }
            // Images of neighbouring cells go at most so much farther.
            self.work.neighbours.images_went(way + 1.5 * moved.length());
        }
    }

    /// Brings bodies that have left the cell in at the other side.
    pub(super) fn bring_back(&mut self) {
        let Some(cell) = &self.world.cell else {
            return;
        };
        let lattice = cell.lattice();
        let bodies = &mut self.world.bodies;
        for i in 0..bodies.len() {
            let image = lattice.nearest(bodies.position[i] - cell.center);
            if image == Image::SELF || !bodies.is_dynamic(i) {
                continue;
            }
            let shift = lattice.shift(image);
            bodies.position[i] -= shift;
            bodies.velocity[i] -= lattice.velocity(image);
            let count = cell.from_start(image);
            for (sum, count) in bodies.crossed[i].iter_mut().zip(count) {
                *sum += count;
            }
            self.work.neighbours.body_jumped(i, -shift);
        }
    }
}
