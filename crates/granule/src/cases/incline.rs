//! A disk that falls on an inclined plane, with and without friction [bloch2023, §3.2 and
//! appendix B].

use crate::bodies::{Dimension, Motion, Sphere, Wall};
use crate::math::DVec3;
use crate::shapes::{HalfSpace, Surface};
use crate::simulation::World;

/// Angle of the plane, rad.
const ANGLE: f64 = std::f64::consts::FRAC_PI_6;

/// A disk of radius 1 and mass 1 at the distance 1 above a plane at 30°, under gravity 1. The
/// coordinates are those of the plane: x down the slope, y normal to it. Without friction; for
/// another law change [`World::laws`].
pub fn disk_on_incline() -> World {
    let mut world = World::new(Dimension::Plane);
    world.gravity = DVec3::new(ANGLE.sin(), -ANGLE.cos(), 0.0);
    let plane = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(plane, DVec3::ZERO, DVec3::Y, Motion::Fixed));
    world.add_sphere(&Sphere::new(DVec3::new(0.0, 2.0, 0.0), 1.0, 1.0));
    world
}

/// Where the disk of [`disk_on_incline`] is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DiskState {
    /// Distance of the centre down the slope from its start, m.
    pub down: f64,
    /// Distance of the disk from the plane, m.
    pub gap: f64,
    /// Angle turned, rad; whole turns count.
    pub angle: f64,
    /// Velocity of the centre down the slope, m/s.
    pub velocity: f64,
    /// Velocity of the centre away from the plane, m/s.
    pub normal_velocity: f64,
    /// Angular velocity, rad/s; negative for rolling down.
    pub spin: f64,
}

impl DiskState {
    /// The disk of a world made by [`disk_on_incline`]. Its angle is known up to whole turns: the
    /// one nearest to that of `last` is taken.
    pub fn of(world: &World, last: &Self) -> Self {
        let bodies = &world.bodies;
        let (position, velocity) = (bodies.position[0], bodies.velocity[0]);
        let turn = bodies.orientation[0];
        let angle = 2.0 * turn.z.atan2(turn.w);
        let whole = std::f64::consts::TAU;
        Self {
            down: position.x,
            gap: position.y - bodies.radius[0],
            angle: angle + whole * ((last.angle - angle) / whole).round(),
            velocity: velocity.x,
            normal_velocity: velocity.y,
            spin: bodies.angular_velocity[0].z,
        }
    }

    /// Velocity of the disk's material at the contact point down the slope, m/s.
    pub fn slip(&self) -> f64 {
        self.velocity + self.spin
    }
}

/// The exact motion with friction coefficient μ at time t [bloch2023, appendix B, corrected: in B.4,
/// case 1, the slip is g cos α (tan α - 3μ) t].
///
/// ```
/// use granule::cases::exact_on_incline;
/// // Without friction the disk does not turn, with much friction it rolls.
/// assert_eq!(exact_on_incline(0.0, 5.0).spin, 0.0);
/// assert!(exact_on_incline(1.0, 5.0).slip().abs() < 1e-15);
/// ```
pub fn exact_on_incline(friction: f64, t: f64) -> DiskState {
    let (along, across) = (ANGLE.sin(), ANGLE.cos());
    let impact = (2.0 / across).sqrt();
    let fall = t.min(impact);
    let free = DiskState {
        down: 0.5 * along * fall * fall,
        gap: 1.0 - 0.5 * across * fall * fall,
        angle: 0.0,
        velocity: along * fall,
        normal_velocity: -across * fall,
        spin: 0.0,
    };
    if t < impact {
        return free;
    }
    // Of the acceleration that gravity gives along the plane, friction takes `lost`, at the impact
    // and after it alike, and turns the disk with twice that (J = m R²/2). It cannot take more than
    // a third: then the disk rolls.
    let lost = (friction * across).min(along / 3.0);
    let after = t - impact;
    let square = 0.5 * after * after;
    let (velocity, spin) = ((along - lost) * impact, -2.0 * lost * impact);
    DiskState {
        down: free.down + velocity * after + (along - lost) * square,
        gap: 0.0,
        angle: spin * after - 2.0 * lost * square,
        velocity: velocity + (along - lost) * after,
        normal_velocity: 0.0,
        spin: spin - 2.0 * lost * after,
    }
}

/// The exact frictionless motion: (distance down the slope, gap) at time t, m.
pub fn exact_frictionless(t: f64) -> (f64, f64) {
    let state = exact_on_incline(0.0, t);
    (state.down, state.gap)
}
