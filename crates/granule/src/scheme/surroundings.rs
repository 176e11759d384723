//! How contacts move: what touches, with which velocity, and what the laws say of it.

use super::{JointPlace, Prediction};
use crate::bodies::{Bodies, Dimension, Image, Wall};
use crate::collision::{Contact, Partner, Patches};
use crate::joints::Joint;
use crate::law::{AdmissibleSet, Interface, LawTable, Restitution};
use crate::math::{DVec3, Screw};
use crate::problem::round::relative_velocity;

/// Bodies, walls and laws as the assembly sees them.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// In how many dimensions the bodies move.
    pub dimension: Dimension,
    /// Whether bodies do not turn.
    pub lock_rotation: bool,
    /// The bodies.
    pub bodies: &'a Bodies,
    /// The walls.
    pub walls: &'a [Wall],
    /// Their pieces.
    pub patches: &'a Patches,
    /// The place of the body that carries each wall, if one does.
    pub carriers: &'a [Option<u32>],
    /// Which law holds between which materials.
    pub laws: &'a LawTable,
    /// The joints.
    pub joints: &'a [Joint],
    /// Where they are among the bodies.
    pub joint_places: &'a [JointPlace],
    /// The faces of a periodic cell under a stress, if there are such.
    pub pressed: Option<PressedFaces>,
}

/// The faces of a periodic cell that are pressed: in contact problems one more body, whose velocity is that of the lengths
/// of the cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressedFaces {
    /// One along the axes where they are, zero along the others.
    pub axes: DVec3,
    /// kg.
    pub mass: f64,
}

/// Velocities (m/s) and angular velocities (rad/s) of all bodies.
pub type Velocities<'a> = (&'a [DVec3], &'a [DVec3]);

/// What body `a` of a contact touches.
#[derive(Debug, Clone, Copy)]
pub(super) enum Touched<'a> {
    /// The sphere at this place.
    Sphere(u32),
    /// The solid at this place, or a wall on it; from its centre of mass to the point that is touched (m).
    OnBody(u32, DVec3),
    /// A wall that moves as prescribed.
    Wall(&'a Wall),
}

/// How one of the two that touch moves at the contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointMotion {
    /// Velocity of the point, without turning in the case of a sphere, m/s.
    pub(super) velocity: DVec3,
    /// r ω of a sphere, m/s.
    pub(super) surface: DVec3,
    /// rad/s.
    pub(super) spin: DVec3,
}

/// Velocity (m/s) and angular velocity (rad/s) of a body.
type Motion = (DVec3, DVec3);

impl<'a> Surroundings<'a> {
    /// The law and the restitution of a contact.
    pub fn interface(&self, contact: &Contact) -> &'a Interface {
        self.laws.interface(contact.interface)
    }

    /// Whether a contact needs more than its normal: one of a solid, one with a wall on a body that moves freely, one
    /// through pressed faces of a cell, or a bond.
    pub fn is_rigid(&self, contact: &Contact) -> bool {
        if contact.bonded || !self.bodies.is_sphere(contact.key.a as usize) {
            return true;
        }
        if self.pressed.is_some() && contact.image != Image::SELF {
            return true;
        }
        match contact.key.partner {
            Partner::Body(b) => !self.bodies.is_sphere(b as usize),
            Partner::Wall(_) => self.is_on_free_body(contact),
        }
    }

    /// Whether a contact is with a wall on a body that moves freely.
    pub fn is_on_free_body(&self, contact: &Contact) -> bool {
        match contact.key.partner {
            Partner::Body(_) => false,
            Partner::Wall(wall) => self.carriers[wall as usize]
                .is_some_and(|place| self.bodies.is_dynamic(place as usize)),
        }
    }

    /// How body `a` of a contact moves there, with the motions of bodies that `of` gives.
    pub(super) fn own_motion(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        of: impl Fn(usize) -> Motion,
    ) -> PointMotion {
        let a = contact.key.a as usize;
        let (velocity, spin) = of(a);
        if self.bodies.is_sphere(a) && !contact.bonded {
            let surface = self.bodies.radius[a] * spin;
            return PointMotion {
                velocity,
                surface,
                spin,
            };
        }
        let arm = contact.points()[0] - prediction.position[a];
        PointMotion {
            velocity: velocity + spin.cross(arm),
            surface: DVec3::ZERO,
            spin,
        }
    }

    pub(super) fn touched(&self, contact: &Contact, prediction: &Prediction) -> Touched<'a> {
        let on_body = |place: u32| {
            let center =
                prediction.position[place as usize] + prediction.image_shift(contact.image);
            Touched::OnBody(place, contact.points()[1] - center)
        };
        match contact.key.partner {
            Partner::Body(b) if self.is_rigid(contact) => on_body(b),
            Partner::Body(b) => Touched::Sphere(b),
            Partner::Wall(wall) => match self.carriers[wall as usize] {
                None => Touched::Wall(&self.walls[wall as usize]),
                Some(place) => on_body(place),
            },
        }
    }

    /// How what a contact touches moves, with the motions of bodies that `of` gives and that of a
    /// prescribed wall over h from `start` (s) on.
    pub(super) fn touched_motion(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        start: f64,
        of: impl Fn(usize) -> Motion,
    ) -> PointMotion {
        let image = prediction.image_velocity(contact.image, start);
        let belt = self.belt_velocity(contact);
        match self.touched(contact, prediction) {
            Touched::Sphere(b) => {
                let (velocity, spin) = of(b as usize);
                PointMotion {
                    velocity: velocity + image,
                    surface: self.bodies.radius[b as usize] * spin,
                    spin,
                }
            }
            Touched::OnBody(place, arm) => {
                let (velocity, spin) = of(place as usize);
                PointMotion {
                    velocity: velocity + image + spin.cross(arm) + belt,
                    surface: DVec3::ZERO,
                    spin,
                }
            }
            Touched::Wall(wall) => {
                let kinematics = &wall.kinematics;
                let (point, step) = (contact.points()[0], prediction.step);
                PointMotion {
                    velocity: kinematics.mean_surface_velocity(point, start, step) + belt,
                    surface: DVec3::ZERO,
                    spin: kinematics.motion.angular_velocity(),
                }
            }
        }
    }

    /// How fast the surface of a wall runs at a contact while the wall stays, m/s; zero for a contact of two bodies.
    fn belt_velocity(&self, contact: &Contact) -> DVec3 {
        match contact.key.partner {
            Partner::Body(_) => DVec3::ZERO,
            Partner::Wall(wall) => {
                let velocity = self.walls[wall as usize].surface_velocity;
                velocity - velocity.dot(contact.normal) * contact.normal
            }
        }
    }

    /// The relative velocity (m/s) and spin (rad/s) of a contact, with the motions of bodies that `of`
    /// gives and that of a prescribed wall over h from `start` (s) on [bloch2023, §1.1.3].
    pub fn relative_motion(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        start: f64,
        of: impl Fn(usize) -> Motion,
    ) -> Screw {
        let own = self.own_motion(contact, prediction, &of);
        let other = self.touched_motion(contact, prediction, start, of);
        let surface = own.surface + other.surface;
        Screw {
            linear: relative_velocity(contact.normal, own.velocity - other.velocity, surface),
            angular: own.spin - other.spin,
        }
    }

    /// The velocity (m/s) and spin (rad/s) over the step of the point of a wall that a contact touches,
    /// with the motions of bodies that `of` gives; zero for a contact of two spheres.
    pub fn wall_motion(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        of: impl Fn(usize) -> Motion,
    ) -> Motion {
        if let Partner::Body(_) = contact.key.partner {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let motion = self.touched_motion(contact, prediction, prediction.contact_time, of);
        (motion.velocity, motion.spin)
    }

    /// The velocity (m/s) with which a convexified law wants a contact to open that slides, rolls and
    /// spins like this: de Saxcé's `μ |u_T| + δ |ω_T| + σ |ω_n|`, with a dilatancy `tan ψ |u_T|`.
    fn opening(&self, contact: &Contact, motion: Screw) -> f64 {
        let friction = self.interface(contact).opening();
        // A moment acts on what turns.
        let turns = if self.lock_rotation { 0.0 } else { 1.0 };
        let set = AdmissibleSet::RollingCone {
            friction: friction.sliding,
            rolling: turns * friction.rolling,
            spinning: turns * friction.spinning,
        };
        set.dilation(motion, contact.normal)
    }

    /// [`Surroundings::opening`] as the contact moves at the start of the step, what is prescribed over the
    /// step.
    pub(super) fn opening_at_start(&self, contact: &Contact, prediction: &Prediction) -> f64 {
        let bodies = self.bodies;
        let start = prediction.contact_time;
        let motion = self.relative_motion(contact, prediction, start, |i| {
            if bodies.is_dynamic(i) {
                (bodies.velocity[i], bodies.angular_velocity[i])
            } else {
                (prediction.linear[i], prediction.angular[i])
            }
        });
        self.opening(contact, motion)
    }

    /// How far a contact is at the end of the step from where the convexified law acts, m:
    /// `D + h (u_n - μ |u_T| - δ |Δω_T| - σ |Δω_n|)` with the velocities of all bodies after the solve,
    /// negative where the law is violated.
    pub fn convex_margin(
        &self,
        contact: &Contact,
        prediction: &Prediction,
        (linear, angular): Velocities,
    ) -> f64 {
        let of = |i: usize| (linear[i], angular[i]);
        let motion = self.relative_motion(contact, prediction, prediction.contact_time, of);
        let along = contact.normal.dot(motion.linear);
        contact.gap + prediction.step * (along - self.opening(contact, motion))
    }

    /// Velocity and angular velocity of a body at the start of the step; of a prescribed one, those
    /// over h up to where contacts are looked for.
    fn body_before(&self, i: usize, prediction: &Prediction) -> Motion {
        let bodies = self.bodies;
        if bodies.is_dynamic(i) {
            return (bodies.velocity[i], bodies.angular_velocity[i]);
        }
        let kinematics = &bodies.kinematics[bodies.prescribed[i] as usize];
        let start = prediction.contact_time - prediction.step;
        let from = kinematics.pose(start).0;
        (
            kinematics.mean_point_velocity(from, start, prediction.step),
            kinematics.motion.angular_velocity(),
        )
    }

    /// What an impact gives back: e v⁻ along the normal and across it, m/s, with the relative velocity v⁻
    /// at the start of the step [barboteu2017, eq. (19)].
    pub(super) fn rebound(
        &self,
        restitution: Restitution,
        contact: &Contact,
        prediction: &Prediction,
    ) -> (f64, DVec3) {
        if restitution.is_none() {
            return (0.0, DVec3::ZERO);
        }
        let start = prediction.contact_time - prediction.step;
        let of = |i: usize| self.body_before(i, prediction);
        let before = self.relative_motion(contact, prediction, start, of).linear;
        let along = contact.normal.dot(before);
        let across = before - along * contact.normal;
        (restitution.normal * along, restitution.tangential * across)
    }
}
