//! The state of a body or wall whose motion is prescribed.

use super::Motion;
use crate::math::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// A prescribed motion together with the pose it starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kinematics {
    /// The motion as a function of time.
    pub motion: Motion,
    /// Position at time zero, m.
    pub start_position: DVec3,
    /// Orientation at time zero.
    pub start_orientation: DQuat,
}

impl Kinematics {
    /// A motion from the given pose at time zero.
    pub fn new(motion: Motion, start_position: DVec3, start_orientation: DQuat) -> Self {
        Self {
            motion,
            start_position,
            start_orientation,
        }
    }

    /// The pose at time `t` (s).
    pub fn pose(&self, t: f64) -> (DVec3, DQuat) {
        self.motion
            .pose(t, self.start_position, self.start_orientation)
    }

    /// The mean velocity (m/s) over `[t, t + step]` of the material point that is at `point` at
    /// time `t`: its displacement over the step divided by the step.
    pub fn mean_point_velocity(&self, point: DVec3, t: f64, step: f64) -> DVec3 {
        if self.motion == Motion::Fixed {
            return DVec3::ZERO;
        }
        let (from, turned_from) = self.pose(t);
        let (to, turned_to) = self.pose(t + step);
        let local = turned_from.conjugate() * (point - from);
        (to + turned_to * local - point) / step
    }

    /// The mean velocity (m/s) over `[t, t + step]` of the surface at `point`, as a contact sees
    /// it: [`Kinematics::mean_point_velocity`] without the part of a turning point's chord that
    /// leads towards the axis. Material goes there, but the surface need not: a drum that turns
    /// about its own axis stays where it is and must not push what lies in it.
    pub fn mean_surface_velocity(&self, point: DVec3, t: f64, step: f64) -> DVec3 {
        let Motion::Rotation { rate, center, .. } = &self.motion else {
            return self.mean_point_velocity(point, t, step);
        };
        let center = center.map_or(self.start_position, DVec3::from_array);
        let angle = rate * step;
        let chord = if angle == 0.0 {
            1.0
        } else {
            angle.sin() / angle
        };
        chord * self.motion.angular_velocity().cross(point - center)
    }

    /// An upper bound for the speed (m/s) over `[t, t + step]` of any point within `reach` of the
    /// pose's origin.
    pub fn speed_bound(&self, t: f64, step: f64, reach: f64) -> f64 {
        match &self.motion {
            Motion::Fixed => 0.0,
            Motion::Rotation { rate, center, .. } => {
                let arm = center.map_or(0.0, |c| {
                    (self.start_position - DVec3::from_array(c)).length()
                });
                rate.abs() * (arm + reach)
            }
            _ => (self.pose(t + step).0 - self.pose(t).0).length() / step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piecewise_motion_adds_up_exactly() {
        let motion = Motion::Piecewise {
            times: vec![1.0, 2.0, 4.0],
            velocities: vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]],
        };
        let at = |t| motion.pose(t, DVec3::ZERO, DQuat::IDENTITY).0;
        assert_eq!(at(0.5), DVec3::ZERO);
        assert_eq!(at(1.5), DVec3::new(0.5, 0.0, 0.0));
        assert_eq!(at(3.0), DVec3::new(1.0, 2.0, 0.0));
        assert_eq!(at(9.0), DVec3::new(1.0, 4.0, 0.0));
    }

    #[test]
    fn points_of_a_turning_wall_move_with_the_chord() {
        let wall = Kinematics::new(
            Motion::Rotation {
                axis: [0.0, 0.0, 2.0],
                rate: 0.5,
                center: None,
            },
            DVec3::ZERO,
            DQuat::IDENTITY,
        );
        let point = DVec3::new(2.0, 0.0, 1.0);
        let step = 0.1;
        let moved = point + step * wall.mean_point_velocity(point, 3.0, step);
        let exact = DVec3::new(2.0 * (0.05f64).cos(), 2.0 * (0.05f64).sin(), 1.0);
        assert!((moved - exact).length() < 1e-14);
        assert!(wall.speed_bound(3.0, step, 2.0) >= (moved - point).length() / step);
        // The surface follows it, but for the part towards the axis.
        let surface = wall.mean_surface_velocity(point, 3.0, step);
        assert!((surface - DVec3::new(0.0, exact.y / step, 0.0)).length() < 1e-13);
    }

    #[test]
    fn an_oscillation_starts_at_its_place() {
        let motion = Motion::Oscillation {
            amplitude: [0.0, 0.0, 0.2],
            frequency: 2.0,
            phase: 1.0,
        };
        assert_eq!(motion.pose(0.0, DVec3::ONE, DQuat::IDENTITY).0, DVec3::ONE);
    }
}
