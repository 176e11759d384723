//! The state after a step, as measures see it.

use super::Simulation;
use crate::bodies::BodyShape;
use crate::collision::Partner;
use crate::math::DVec3;
use crate::measure::{Grain, Moment};

impl Simulation {
    /// The grains as they are now, and with their mean forces over the last step the contacts that push (or pull).
    /// Points and normals are those of the time where contacts were looked for.
    ///
    /// ```
    /// use granule::bodies::{Dimension, Sphere};
    /// use granule::math::DVec3;
    /// use granule::measure::{Region, solid_fraction};
    /// use granule::simulation::{Settings, Simulation, StepSize, World};
    /// let mut world = World::new(Dimension::Space);
    /// world.add_sphere(&Sphere::new(DVec3::ZERO, 0.5, 1.0));
    /// let simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.01), 1.0))?;
    /// let fraction = solid_fraction(&simulation.moment(), &Region::Everywhere);
    /// assert!((fraction - std::f64::consts::PI / 6.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moment(&self) -> Moment {
        let mut moment = self.moment_without_contacts();
        let step = self.last_step_size();
        if step > 0.0 {
            let ids = &self.world.bodies.id;
            let id = |place: u32| ids.get(place as usize).copied();
            let loaded = self
                .contacts()
                .filter(|contact| contact.normal_impulse() != 0.0);
            for contact in loaded {
                let other = match contact.partner {
                    Partner::Body(place) => id(place),
                    Partner::Wall(_) => None,
                };
                let force = contact.impulse / step;
                moment.add_contact([id(contact.a), other], contact.point, contact.normal, force);
            }
        }
        moment
    }

    /// The grains as they are now.
    pub fn moment_without_contacts(&self) -> Moment {
        let (bodies, dimension) = (&self.world.bodies, self.world.dimension);
        let is_grain = |&i: &usize| bodies.is_dynamic(i) && bodies.shape[i] != BodyShape::Walls;
        let grains = (0..bodies.len()).filter(is_grain).map(|i| Grain {
            id: bodies.id[i],
            position: bodies.position[i],
            velocity: bodies.velocity[i],
            radius: bodies.radius[i],
            mass: bodies.mass[i],
            volume: bodies.volume(i, dimension),
            material: bodies.material[i],
        });
        let moment = Moment::new(dimension, self.world.time, grains.collect());
        let Some(cell) = &self.world.cell else {
            return moment;
        };
        let mut crossed: Vec<(u32, [i32; 3])> = (bodies.id.iter().copied())
            .zip(bodies.crossed.iter().copied())
            .collect();
        crossed.sort_unstable();
        moment.in_cell(cell.lattice(), |id| {
            let place = crossed.binary_search_by_key(&id, |(id, _)| *id);
            place.map_or(DVec3::ZERO, |place| cell.way_through(crossed[place].1))
        })
    }
}
