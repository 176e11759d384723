//! What a program may do to a simulation between two steps.

use super::{SetupError, Simulation, Snapshot, World};
use crate::bodies::{Load, TimeFunction};
use crate::collision::{Partner, Patches, RememberedContact};
use crate::joints::{Effect, Joint, JointState};
use crate::math::DVec3;
use crate::solver::Watch;

impl Simulation {
    /// Lets another thread look on and break steps off: [`Simulation::step`] then ends with
    /// [`StepError::Interrupted`](super::StepError::Interrupted), and everything is as it was before the step.
    pub fn set_watch(&mut self, watch: Watch) {
        self.solvers.set_watch(watch.clone());
        if let Some(solvers) = &mut self.recovery_solvers {
            solvers.set_watch(watch.clone());
        }
        self.watch = watch;
    }

    /// Adds a force (N) at the centre and a torque (N m, world frame) to what acts on a body over the
    /// coming step; after that step they are forgotten. `false` if there is no body with this id.
    ///
    /// ```
    /// use granule::bodies::{Dimension, Sphere};
    /// use granule::math::DVec3;
    /// use granule::simulation::{Settings, Simulation, StepSize, World};
    /// let mut world = World::new(Dimension::Space);
    /// let ball = world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
    /// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.1), 1.0))?;
    /// simulation.apply_force(ball, DVec3::X, DVec3::ZERO);
    /// simulation.step()?;
    /// simulation.step()?;
    /// assert_eq!(simulation.world().bodies.velocity[0], DVec3::new(0.05, 0.0, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_force(&mut self, id: u32, force: DVec3, torque: DVec3) -> bool {
        let bodies = &self.world.bodies;
        let Some(place) = bodies.place_of(id) else {
            return false;
        };
        self.loads.resize(bodies.len(), Load::default());
        let load = &mut self.loads[place];
        load.force += force;
        load.torque += torque;
        true
    }

    /// The same for many bodies at once, by their ids; one that no body has is the error, and then nothing is added.
    pub fn apply_loads(&mut self, loads: &[(u32, Load)]) -> Result<(), u32> {
        let ids: Vec<u32> = loads.iter().map(|(id, _)| *id).collect();
        let places = self.world.bodies.places_of(&ids)?;
        self.loads.resize(self.world.bodies.len(), Load::default());
        for (place, (_, load)) in places.into_iter().zip(loads) {
            self.loads[place].force += load.force;
            self.loads[place].torque += load.torque;
        }
        Ok(())
    }

    /// Gives a drive of a joint, both by their numbers, another target from the coming step on: the speed, position or force
    /// of a motor, or the rest of a spring. A target that cannot be followed is refused, and nothing changes.
    ///
    /// ```
    /// use granule::bodies::{Dimension, RigidBody, TimeFunction};
    /// use granule::joints::{Along, Effect, Joint, Kind};
    /// use granule::math::DVec3;
    /// use granule::simulation::{Settings, Simulation, StepSize, World};
    /// let mut world = World::new(Dimension::Space);
    /// let wheel = world.add_body(&RigidBody::new(DVec3::ZERO, 1.0, DVec3::ONE));
    /// let ends = [Some(wheel), None];
    /// let hinge = Joint::at(Kind::Hinge, &world.bodies, ends, DVec3::ZERO, DVec3::Z);
    /// let motor = Effect::Speed { target: TimeFunction::Constant(1.0), strength: None };
    /// world.joints.push(hinge.with(Along::Turn, motor));
    /// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.1), 1.0))?;
    /// simulation.set_target(0, 0, TimeFunction::Constant(-2.0))?;
    /// simulation.step()?;
    /// assert!((simulation.world().bodies.angular_velocity[0].z + 2.0).abs() < 1e-6);
    /// assert!(simulation.set_target(1, 0, TimeFunction::Constant(0.0)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_target(
        &mut self,
        joint: usize,
        drive: usize,
        target: TimeFunction,
    ) -> Result<(), SetupError> {
        let refused = |reason: String| {
            let name = "target";
            Err(SetupError::Setting { name, reason })
        };
        if let Err(reason) = target.validate() {
            return refused(reason);
        }
        let known = self.world.joints.get_mut(joint);
        let Some(drive) = known.and_then(|joint| joint.drives.get_mut(drive)) else {
            return refused(format!(
                "of drive {drive} of joint {joint}, which is not there"
            ));
        };
        match &mut drive.effect {
            Effect::Speed { target: now, .. }
            | Effect::Position { target: now, .. }
            | Effect::Force { target: now, .. }
            | Effect::Spring { rest: now, .. } => *now = target,
            Effect::Limits { .. } | Effect::Friction { .. } => {
                return refused("is for motors and springs: stops and friction follow none".into());
            }
        }
        Ok(())
    }

    /// Changes the world between two steps: bodies, walls, forces and laws can be changed, added and
    /// removed. A world that cannot be simulated is refused, and then everything stays as it was.
    /// Contacts whose bodies and walls are still there are remembered.
    ///
    /// ```
    /// use granule::bodies::{Dimension, Sphere};
    /// use granule::math::DVec3;
    /// use granule::simulation::{Settings, Simulation, StepSize, World};
    /// let mut world = World::new(Dimension::Space);
    /// let first = world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
    /// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.1), 1.0))?;
    /// simulation.step()?;
    /// simulation.change_world(|world| {
    ///     world.add_sphere(&Sphere::new(DVec3::X, 0.1, 2.0));
    ///     world.bodies.remove(first);
    /// })?;
    /// simulation.step()?;
    /// assert_eq!(simulation.world().bodies.id, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change_world(&mut self, change: impl FnOnce(&mut World)) -> Result<(), SetupError> {
        let before = self.world.clone();
        change(&mut self.world);
        let patches = Patches::new(&self.world.walls);
        let remembered: Vec<RememberedContact> = self.work.neighbours.contacts().collect();
        let world = std::mem::take(&mut self.world);
        let snapshot = Snapshot {
            contacts: still_there(&remembered, &before, &world, &patches),
            joints: self.joints_of(&before, &world),
            loads: self.loads_of(&before, &world),
            last_step: self.last_step,
            allowed: self.allowed,
            elastic_energy: self.elastic_energy,
            exchanged: self.exchanged,
            ..Snapshot::start(world, self.settings)
        };
        match Self::restore(snapshot) {
            Ok(mut changed) => {
                changed.times = self.times;
                changed.set_watch(self.watch.clone());
                *self = changed;
                Ok(())
            }
            Err(error) => {
                self.world = before;
                Err(error)
            }
        }
    }

    /// What is remembered of the joints of another world: of those that were in this one before, what it was. Joints are
    /// told apart by their bodies and anchors.
    fn joints_of(&self, before: &World, after: &World) -> Vec<JointState> {
        let place = |joint: &Joint| {
            let same = |other: &Joint| {
                (other.kind, other.bodies, other.anchors)
                    == (joint.kind, joint.bodies, joint.anchors)
            };
            before.joints.iter().position(same)
        };
        let known: Option<Vec<JointState>> = (after.joints.iter())
            .map(|joint| place(joint).map(|place| self.joints[place].clone()))
            .collect();
        // A joint that is new has to be looked at where it is.
        known.unwrap_or_default()
    }

    /// The loads on the bodies of another world, of those that were in this one before.
    fn loads_of(&self, before: &World, after: &World) -> Vec<Load> {
        if self.loads.is_empty() {
            return Vec::new();
        }
        let ids = after.bodies.id.iter();
        let places = ids.map(|&id| before.bodies.place_of(id));
        let load = |place: Option<usize>| place.and_then(|place| self.loads.get(place).copied());
        places
            .map(|place| load(place).unwrap_or_default())
            .collect()
    }
}

/// The remembered contacts whose bodies and pieces of walls are also in the world after a change.
fn still_there(
    contacts: &[RememberedContact],
    before: &World,
    after: &World,
    patches: &Patches,
) -> Vec<RememberedContact> {
    let mut place_of = vec![None; before.bodies.len()];
    let mut by_id: Vec<(u32, u32)> = after.bodies.id.iter().copied().zip(0..).collect();
    by_id.sort_unstable();
    for (place, id) in before.bodies.id.iter().enumerate() {
        let found = by_id.binary_search_by_key(id, |entry| entry.0);
        place_of[place] = found.ok().map(|entry| by_id[entry].1);
    }
    let kept = contacts.iter().filter_map(|contact| {
        let there = match contact.key.partner {
            Partner::Body(_) => true,
            Partner::Wall(wall) => patches.number(wall, contact.key.feature).is_some(),
        };
        contact.moved(&place_of).filter(|_| there)
    });
    let mut kept: Vec<RememberedContact> = kept.collect();
    kept.sort_unstable_by_key(|contact| contact.key);
    kept
}
