//! Forces that depend on where a body is and how it moves: drag, buoyancy, springs to points, fields.
//!
//! They act over a step as loads on the bodies. What resists (drag, springs) is taken at the end of the step as it would be
//! without contacts, so that no step is too long for it: with the impulse that everything else gives, `p = m v + h f`,
//!
//! ```text
//! F = -(k (x + h p/m - x₀) + c (p/m - u)) / (1 + h (c + h k)/m).
//! ```
//!
//! What depends on the place alone is that of the start of the step.

use super::{Bodies, Dimension, Load, TimeFunction};
use crate::math::DVec3;
use crate::shapes::Region;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A force on some of the bodies that move freely.
///
/// ```
/// use granule::bodies::{Dimension, Drag, Field, ForceField, Sphere};
/// use granule::math::DVec3;
/// use granule::simulation::{Settings, Simulation, StepSize, World};
///
/// let mut world = World::new(Dimension::Space);
/// world.gravity = DVec3::new(0.0, 0.0, -10.0);
/// world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 2.0));
/// let drag = Drag::Linear { coefficient: 4.0 };
/// world.fields.push(ForceField::on_all(Field::Drag { drag, flow: DVec3::ZERO }));
/// let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.1), 10.0))?;
/// while !simulation.finished() {
///     simulation.step()?;
/// }
/// // It falls at m g / c.
/// assert!((simulation.world().bodies.velocity[0].z + 5.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForceField {
    /// The force.
    pub field: Field,
    /// The bodies it acts on.
    pub on: Selection,
}

/// A force that depends on where a body is and how it moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Field {
    /// Of a medium that resists.
    Drag {
        /// How much.
        drag: Drag,
        /// The velocity of the medium, m/s.
        flow: DVec3,
    },
    /// Of a medium with this density (kg/m³; in a plane kg/m²) that a body is wholly in: against gravity, the weight of
    /// what it displaces.
    Buoyancy {
        /// Of the medium.
        density: f64,
    },
    /// A spring and a damper to a point.
    Spring {
        /// Where it is at rest, m.
        point: DVec3,
        /// N/m.
        stiffness: f64,
        /// N s/m.
        damping: f64,
    },
    /// Away from a point (towards it, where negative), by the distance.
    Central {
        /// m.
        center: DVec3,
        /// N over the distance from the centre, m.
        force: Profile,
    },
    /// By the place along an axis.
    Along {
        /// N for a value of 1.
        direction: DVec3,
        /// The place is the length along this unit vector from the origin, m.
        axis: DVec3,
        /// Over the place.
        value: Profile,
    },
    /// A torque, N m for a value of 1.
    Torque {
        /// About this.
        direction: DVec3,
        /// Over time, s.
        magnitude: TimeFunction,
    },
}

/// How much a medium resists; u is the velocity relative to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Drag {
    /// `-c u`.
    Linear {
        /// c, kg/s.
        coefficient: f64,
    },
    /// `-c |u| u`.
    Quadratic {
        /// c, kg/m.
        coefficient: f64,
    },
    /// That of a sphere in a fluid: `-½ ρ C A |u| u` with `C = 24/Re (1 + 0.15 Re^0.687)`, and 0.44 above `Re = 1000`
    /// [schiller1933, p. 318]. Other shapes count as spheres of their volume.
    Fluid {
        /// ρ, kg/m³.
        density: f64,
        /// η, Pa s.
        viscosity: f64,
    },
}

/// Straight lines between points; the first value before them, the last one after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Increasing.
    pub places: Vec<f64>,
    /// One for each place.
    pub values: Vec<f64>,
}

/// Some of the bodies: those that meet all that is given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// Of this material.
    pub material: Option<u16>,
    /// With one of these ids, in increasing order.
    pub ids: Option<Vec<u32>>,
    /// With their centre in this part of space.
    pub region: Option<Region>,
}

impl Selection {
    /// Whether the body at a place is one of them.
    pub fn holds(&self, bodies: &Bodies, place: usize, dimension: Dimension) -> bool {
        let at = bodies.position[place];
        self.material.is_none_or(|m| m == bodies.material[place])
            && (self.ids.as_ref()).is_none_or(|ids| ids.binary_search(&bodies.id[place]).is_ok())
            && (self.region.as_ref())
                .is_none_or(|region| region.holds_sphere(at, 0.0, dimension.count()))
    }
}

impl Profile {
    /// The value at a place.
    pub fn at(&self, place: f64) -> f64 {
        let next = self.places.partition_point(|known| *known <= place);
        match (next.checked_sub(1), self.places.get(next)) {
            (None, _) => self.values[0],
            (Some(last), None) => self.values[last],
            (Some(k), Some(end)) => {
                let share = (place - self.places[k]) / (end - self.places[k]);
                self.values[k] + share * (self.values[next] - self.values[k])
            }
        }
    }

    /// What is wrong with it, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let (places, values) = (self.places.len(), self.values.len());
        if places == 0 || places != values {
            return Err(format!(
                "there must be a value for each place, at least one (there are {values} and {places})"
            ));
        }
        let finite = |list: &[f64]| list.iter().all(|x| x.is_finite());
        if !(finite(&self.places) && finite(&self.values)) {
            return Err("all numbers must be finite".to_owned());
        }
        match self.places.windows(2).all(|pair| pair[0] < pair[1]) {
            true => Ok(()),
            false => Err("the places must increase".to_owned()),
        }
    }
}

impl Drag {
    /// c of `-c u` at a speed (m/s), for a body of this volume (m³), kg/s.
    fn coefficient(&self, speed: f64, volume: f64) -> f64 {
        match *self {
            Self::Linear { coefficient } => coefficient,
            Self::Quadratic { coefficient } => coefficient * speed,
            Self::Fluid { density, viscosity } => {
                let diameter = 2.0 * libm::cbrt(0.75 / PI * volume);
                let reynolds = density * speed * diameter / viscosity;
                if reynolds > 1000.0 {
                    let area = 0.25 * PI * diameter * diameter;
                    return 0.5 * density * 0.44 * area * speed;
                }
                3.0 * PI * viscosity * diameter * (1.0 + 0.15 * libm::pow(reynolds, 0.687))
            }
        }
    }
}

/// What a step is like for a body: its length (s), the mean force of all else (N), and gravity (m/s²).
struct Moment {
    step: f64,
    time: f64,
    force: DVec3,
    gravity: DVec3,
    dimension: Dimension,
}

impl Field {
    /// The load on the body at a place over a step.
    fn load(&self, bodies: &Bodies, place: usize, at: &Moment) -> Load {
        let (position, mass) = (bodies.position[place], bodies.mass[place]);
        let velocity = bodies.velocity[place] + at.step / mass * at.force;
        let resisted = |stiffness: f64, rest: DVec3, damping: f64, flow: DVec3| {
            let end = position + at.step * velocity;
            let force = stiffness * (end - rest) + damping * (velocity - flow);
            -force / (1.0 + at.step * (damping + at.step * stiffness) / mass)
        };
        let force = match self {
            Self::Drag { drag, flow } => {
                let speed = (bodies.velocity[place] - *flow).length();
                let damping = drag.coefficient(speed, bodies.volume(place, at.dimension));
                resisted(0.0, DVec3::ZERO, damping, *flow)
            }
            Self::Buoyancy { density } => {
                -*density * bodies.volume(place, at.dimension) * at.gravity
            }
            Self::Spring {
                point,
                stiffness,
                damping,
            } => resisted(*stiffness, *point, *damping, DVec3::ZERO),
            Self::Central { center, force } => {
                let away = position - *center;
                let distance = away.length();
                force.at(distance) * away.normalize_or_zero()
            }
            Self::Along {
                direction,
                axis,
                value,
            } => value.at(position.dot(*axis)) * *direction,
            Self::Torque {
                direction,
                magnitude,
            } => {
                let torque = magnitude.mean(at.time, at.step) * *direction;
                return Load {
                    force: DVec3::ZERO,
                    torque,
                };
            }
        };
        Load {
            force,
            torque: DVec3::ZERO,
        }
    }

    /// What is wrong with it, if anything.
    pub fn validate(&self) -> Result<(), String> {
        let vector = |name: &str, vector: DVec3| match vector.is_finite() {
            true => Ok(()),
            false => Err(format!("`{name}` must be finite")),
        };
        let not_negative = |name: &str, value: f64| match value.is_finite() && value >= 0.0 {
            true => Ok(()),
            false => Err(format!(
                "`{name}` must not be negative, and finite, not {value}"
            )),
        };
        match self {
            Self::Drag { drag, flow } => {
                vector("flow", *flow)?;
                match drag {
                    Drag::Linear { coefficient } | Drag::Quadratic { coefficient } => {
                        not_negative("coefficient", *coefficient)
                    }
                    Drag::Fluid { density, viscosity } => {
                        not_negative("density", *density)?;
                        match *viscosity > 0.0 {
                            true => not_negative("viscosity", *viscosity),
                            false => Err("`viscosity` must be positive".to_owned()),
                        }
                    }
                }
            }
            Self::Buoyancy { density } => not_negative("density", *density),
            Self::Spring {
                point,
                stiffness,
                damping,
            } => {
                vector("point", *point)?;
                not_negative("stiffness", *stiffness)?;
                not_negative("damping", *damping)
            }
            Self::Central { center, force } => {
                vector("center", *center)?;
                force.validate()
            }
            Self::Along {
                direction,
                axis,
                value,
            } => {
                vector("direction", *direction)?;
                vector("axis", *axis)?;
                value.validate()
            }
            Self::Torque {
                direction,
                magnitude,
            } => {
                vector("direction", *direction)?;
                magnitude.validate()
            }
        }
    }
}

impl ForceField {
    /// On all bodies.
    pub fn on_all(field: Field) -> Self {
        Self {
            field,
            on: Selection::default(),
        }
    }

    /// Adds the loads of fields over a step from a time on (both s), one after the other: each knows those before it.
    /// `force` is the mean of the forces besides gravity that are not among the loads, by the place of a body.
    pub(crate) fn add_all(
        fields: &[Self],
        bodies: &Bodies,
        (time, step): (f64, f64),
        (gravity, force): (DVec3, impl Fn(usize) -> DVec3),
        dimension: Dimension,
        loads: &mut [Load],
    ) {
        for place in (0..bodies.len()).filter(|&place| bodies.is_dynamic(place)) {
            let others = force(place) + bodies.mass[place] * gravity;
            for Self { field, on } in fields {
                if !on.holds(bodies, place, dimension) {
                    continue;
                }
                let at = Moment {
                    step,
                    time,
                    force: others + loads[place].force,
                    gravity,
                    dimension,
                };
                let load = field.load(bodies, place, &at);
                loads[place].force += load.force;
                loads[place].torque += load.torque;
            }
        }
    }
}
