//! The motion before contacts act, and how far everything may go in the step.

use super::Simulation;
use super::detect::place_walls;
use crate::bodies::{Dimension, ForceField, Load, Motion, Wall};
use crate::law::Opening;
use crate::math::DVec3;
use crate::scheme::{Dynamics, Level, Prediction};

/// Of a radius: lengths below it are rounding of positions.
pub(super) const ROUNDING: f64 = 1e-12;

/// Of the least thickness: overlaps of solids that velocities undo. Faces that rest on each other overlap a little
/// at some of their corners in every step; a problem of its own for that would cost more than the step.
const REST_OF_FACES: f64 = 1e-9;

/// Of the least thickness: gaps and overlaps of faces that count as none, if they are also small beside what a body falls
/// in a step.
const SLACK_OF_FACES: f64 = 1e-9;

/// Of the way g h² that a body at rest would fall in a step: the same. What rests stays within it, at any size.
const SLACK_OF_FALL: f64 = 1e-5;

/// Of the smallest radius: overlaps that velocity constraints leave and that are not recovered, so
/// that contacts at rest stay closed.
const REST_DEPTH: f64 = 1e-4;

impl Simulation {
    /// The overlap (m) from which on positions are recovered: more than what the last certificate
    /// allowed.
    pub(super) fn tolerated_depth(&self) -> f64 {
        let share = match self.scheme.level() {
            Level::Position if self.world.bodies.solids.is_empty() => ROUNDING,
            Level::Position => REST_OF_FACES,
            Level::Velocity => REST_DEPTH,
        };
        self.allowed + share * self.smallest_radius.min(f64::MAX)
    }

    /// Gaps and overlaps (m) of faces that rest on each other and that count as none. What a certificate allows moves
    /// such faces by less than this in a step; were it all taken back in the next, a wall of bricks would never come to
    /// rest: errors would double from step to step, until they are solved for again.
    pub(super) fn slack_of_faces(&self) -> f64 {
        let step = self.work.first.prediction.step;
        let fall = self.world.gravity.length() * step * step;
        (SLACK_OF_FACES * self.smallest_radius.min(f64::MAX)).min(SLACK_OF_FALL * fall)
    }

    /// The coming step of this length (s), and what moves the bodies in it besides contacts.
    pub(super) fn dynamics(&self, step: f64) -> Dynamics<'_> {
        Dynamics {
            time: self.world.time,
            step,
            dimension: self.world.dimension,
            lock_rotation: self.world.lock_rotation,
            gravity: self.world.gravity,
            forces: &self.world.forces,
            loads: &self.work.loads,
        }
    }

    /// Adds what fields of force exert over a step of this length (s) to the loads.
    fn add_fields(&mut self, step: f64) {
        let (world, loads) = (&self.world, &mut self.work.loads);
        if world.fields.is_empty() {
            return;
        }
        let bodies = &world.bodies;
        loads.resize(bodies.len(), Load::default());
        let means: Vec<DVec3> = (world.forces.iter())
            .map(|force| force.magnitude.mean(world.time, step) * force.direction)
            .collect();
        let uniform = |place: usize| {
            let forces = world.forces.iter().zip(&means);
            let on = |of: Option<u16>| of.is_none_or(|m| m == bodies.material[place]);
            let acting = forces.filter(|(force, _)| on(force.material));
            acting.map(|(_, mean)| *mean).sum()
        };
        ForceField::add_all(
            &world.fields,
            bodies,
            (world.time, step),
            (world.gravity, uniform),
            world.dimension,
            loads,
        );
    }

    /// The motion of the coming step before contacts act; walls are put where contacts are looked for.
    pub(super) fn predict(&mut self, step: f64) {
        self.gather_loads(step);
        self.add_fields(step);
        self.carry_along(step);
        let mut prediction = std::mem::take(&mut self.work.first.prediction);
        let (bodies, dynamics) = (&self.world.bodies, self.dynamics(step));
        self.scheme.predict(bodies, &dynamics, &mut prediction);
        self.predict_cell(&mut prediction);
        let work = &mut self.work;
        place_walls(
            &self.world,
            &work.places.carriers,
            &prediction,
            &mut work.patches,
        );
        work.first.prediction = prediction;
    }

    /// How far the laws act beyond what touches: `None` where gaps do not matter, too.
    pub(super) fn opening(&self) -> Option<Opening> {
        let flat = self.world.dimension == Dimension::Line;
        let gaps = self.scheme.level() == Level::Position && !flat;
        gaps.then(|| self.world.laws.opening()).flatten()
    }

    /// How far bodies may go in the step, for the choice of candidates: as far as they would without
    /// contacts and a hundredth of their radius more, but no farther than their radius (large steps
    /// add what they need after the solve). Under a law that acts beyond what touches, that counts as
    /// going. Where velocities are constrained only contacts that are closed take part, up to
    /// rounding.
    pub(super) fn allow(&mut self) {
        self.work.wall_allowance = self.wall_allowance();
        self.work.image_allowance = self.image_way();
        let mut allowance = std::mem::take(&mut self.work.allowance);
        let bodies = &self.world.bodies;
        let Prediction {
            linear,
            angular,
            step,
            ..
        } = &self.work.first.prediction;
        allowance.clear();
        if self.scheme.level() == Level::Velocity {
            allowance.extend(bodies.radius.iter().map(|r| ROUNDING * r));
        } else {
            let floor = 0.5 * self.settings.candidate_distance.unwrap_or(0.0);
            let opening = self.opening();
            let allowances = (0..bodies.len()).map(|i| {
                let r = bodies.radius[i];
                let speed = self.point_speed(i, (linear[i], angular[i]), opening);
                let free = 1.1 * step * speed;
                (free.min(r.max(f64::MIN_POSITIVE)) + 0.01 * r).max(floor)
            });
            allowance.extend(allowances);
        }
        self.work.reach.clone_from(&allowance);
        self.work.allowance = allowance;
    }

    /// A bound (m/s) for how fast the gap between body `i`, with this velocity and angular velocity, and anything
    /// at rest closes over the step, as the law with this opening sees it.
    ///
    /// A point of a solid goes on an arc: with the radius R of the sphere around the solid and the angle h |ω| it is
    /// at most `R (h |ω|)²/2` off the line that the linearised gap follows, which counts as way too.
    pub(super) fn point_speed(
        &self,
        i: usize,
        (velocity, spin): (DVec3, DVec3),
        opening: Option<Opening>,
    ) -> f64 {
        let bodies = &self.world.bodies;
        let (speed, turn, radius) = (velocity.length(), spin.length(), bodies.radius[i]);
        if bodies.is_sphere(i) {
            return opening.map_or(speed, |o| o.of_speeds(speed, turn, radius));
        }
        let arc = 0.5 * self.work.first.prediction.step * turn;
        let farthest = speed + radius * turn * (1.0 + arc);
        opening.map_or(farthest, |o| o.of_speeds(farthest, turn, 0.0))
    }

    /// How far the pieces of a wall are at most from the origin of the frame that it moves with, m: its
    /// own, or that of its carrier, which is now at `origin`.
    fn extent(&self, wall: &Wall, origin: DVec3) -> f64 {
        let (position, turn) = match wall.carrier {
            None => (DVec3::ZERO, crate::math::DQuat::IDENTITY),
            Some(_) => wall.kinematics.pose(0.0),
        };
        let farthest = || {
            let positions = self.work.first.prediction.position.iter();
            positions.map(|p| p.distance(origin)).fold(0.0, f64::max)
        };
        let reaches = wall.patches.iter().map(|p| match p.bounding_sphere() {
            Some((center, radius)) => (position + turn * center).length() + radius,
            None => farthest(),
        });
        reaches.fold(0.0, f64::max)
    }

    /// How far any point of a wall that bodies can touch may go in the step, m, and how far the law acts
    /// from there.
    fn wall_allowance(&self) -> f64 {
        let floor = 0.5 * self.settings.candidate_distance.unwrap_or(0.0);
        let Prediction {
            linear, angular, ..
        } = &self.work.first.prediction;
        let walls = self.world.walls.iter().enumerate();
        let moved = walls.filter_map(|(number, wall)| match self.work.places.carriers[number] {
            None if wall.kinematics.motion == Motion::Fixed => None,
            None => Some(self.prescribed_way(wall)),
            Some(place) => {
                let way = self.carried_way(wall, place, (linear, angular));
                Some(1.1 * way + ROUNDING * self.smallest_radius.min(f64::MAX))
            }
        });
        moved.fold(0.0, f64::max).max(floor)
    }

    /// How far a point of a wall that moves as prescribed goes at most, and the law acts from there, m.
    fn prescribed_way(&self, wall: &Wall) -> f64 {
        let opening = self.opening();
        let Prediction {
            time,
            contact_time,
            remaining,
            ..
        } = self.work.first.prediction;
        let kinematics = &wall.kinematics;
        let reach = self.extent(wall, kinematics.pose(contact_time).0);
        let speed = kinematics.speed_bound(contact_time, remaining, reach);
        let spin = kinematics.motion.angular_velocity().length();
        // What slides fast may open far; a belt does not come nearer by itself.
        let belt = wall.surface_velocity.length();
        let after = remaining * opening.map_or(speed, |o| o.of_speeds(speed + belt, spin, 0.0));
        let before = contact_time - time;
        if before > 0.0 {
            after + before * kinematics.speed_bound(time, before, reach)
        } else {
            after
        }
    }

    /// The same for a wall on the body at `place`, with these velocities of all bodies.
    pub(super) fn carried_way(
        &self,
        wall: &Wall,
        place: u32,
        (linear, angular): (&[DVec3], &[DVec3]),
    ) -> f64 {
        let i = place as usize;
        let prediction = &self.work.first.prediction;
        let reach = self.extent(wall, prediction.position[i]);
        let way = |v: DVec3, w: DVec3| {
            let (speed, spin) = (v.length() + reach * w.length(), w.length());
            let (opening, belt) = (self.opening(), wall.surface_velocity.length());
            opening.map_or(speed, |o| o.of_speeds(speed + belt, spin, 0.0))
        };
        let bodies = &self.world.bodies;
        let before = prediction.contact_time - prediction.time;
        let start = way(bodies.velocity[i], bodies.angular_velocity[i]);
        prediction.step * way(linear[i], angular[i]) + before * start
    }
}
