//! Rows and coordinates of a joint whose bodies stand somewhere.

use super::{Along, Joint, Kind};
use crate::math::{DMat3, DQuat, DVec3};
use crate::problem::RowForm;

/// Position (m) and orientation of a body.
pub type Pose = (DVec3, DQuat);

/// A function of the poses that stays zero: its derivative, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointRow {
    /// G.
    pub form: RowForm,
    /// Ψ, m; angles times ℓ.
    pub error: f64,
}

/// A joint whose bodies stand in given poses.
#[derive(Debug, Clone, Copy)]
pub struct PlacedJoint {
    kind: Kind,
    /// ℓ, m: what angles are multiplied by.
    length: f64,
    /// From the centres of the bodies to the anchors, m.
    arms: [DVec3; 2],
    /// c = p_a - p_b, m.
    apart: DVec3,
    /// The axes of both anchors.
    axes: [DMat3; 2],
}

impl PlacedJoint {
    /// The joint with its bodies in these poses (of the ground the one at the origin) and the length ℓ (m) of its
    /// angles.
    pub fn new(joint: &Joint, poses: [Pose; 2], length: f64) -> Self {
        let arm = |end: usize| poses[end].1 * joint.anchors[end].position;
        let arms = [arm(0), arm(1)];
        let axes = |end: usize| DMat3::from_quat(poses[end].1 * joint.anchors[end].orientation);
        Self {
            kind: joint.kind,
            length,
            arms,
            apart: (poses[0].0 + arms[0]) - (poses[1].0 + arms[1]),
            axes: [axes(0), axes(1)],
        }
    }

    /// The row of c along l, which turns with body b or not at all.
    fn along(&self, l: DVec3, turns: bool) -> JointRow {
        // The arm of what turns with l reaches to p_a.
        let other = if turns {
            self.arms[1] + self.apart
        } else {
            self.arms[1]
        };
        JointRow {
            form: RowForm {
                linear: l,
                on_a: self.arms[0].cross(l),
                on_b: -other.cross(l),
            },
            error: l.dot(self.apart),
        }
    }

    /// The row of a turn of a against b about l with this angle (rad).
    fn turn(&self, l: DVec3, angle: f64) -> JointRow {
        JointRow {
            form: RowForm {
                linear: DVec3::ZERO,
                on_a: self.length * l,
                on_b: -self.length * l,
            },
            error: self.length * angle,
        }
    }

    /// The direction and length of c; its own axis where the two points are one.
    fn distance(&self) -> (DVec3, f64) {
        let length = self.apart.length();
        if length > 0.0 {
            (self.apart / length, length)
        } else {
            (self.axes[1].z_axis, 0.0)
        }
    }

    /// The angle of a against b about the axis, within half a turn, rad.
    pub fn angle(&self) -> f64 {
        let [a, b] = &self.axes;
        f64::atan2(a.x_axis.dot(b.y_axis), a.x_axis.dot(b.x_axis))
    }

    /// Adds the rows that the joint holds to `rows`.
    pub fn held(&self, rows: &mut Vec<JointRow>) {
        let [a, b] = &self.axes;
        let points = || DVec3::AXES.map(|axis| self.along(axis, false));
        let line = || [b.x_axis, b.y_axis].map(|l| self.along(l, true));
        let tilt = || {
            let cross = b.z_axis.cross(a.z_axis);
            [b.x_axis, b.y_axis].map(|l| self.turn(l, l.dot(cross)))
        };
        let locked = || {
            // The turn that takes b to a, as a vector: exact to second order, and zero where they agree.
            let cross = 0.5
                * (b.x_axis.cross(a.x_axis) + b.y_axis.cross(a.y_axis) + b.z_axis.cross(a.z_axis));
            [b.x_axis, b.y_axis, b.z_axis].map(|l| self.turn(l, l.dot(cross)))
        };
        match self.kind {
            Kind::Ball => rows.extend(points()),
            Kind::Hinge => {
                rows.extend(points());
                rows.extend(tilt());
            }
            Kind::Slider => {
                rows.extend(line());
                rows.extend(locked());
            }
            Kind::Cylindrical => {
                rows.extend(line());
                rows.extend(tilt());
            }
            Kind::Universal => {
                rows.extend(points());
                let square = a.x_axis.cross(b.y_axis);
                rows.push(self.turn(square, a.x_axis.dot(b.y_axis)));
            }
            Kind::Fixed => {
                rows.extend(points());
                rows.extend(locked());
            }
            Kind::Distance { length } => {
                let (l, now) = self.distance();
                let mut row = self.along(l, false);
                row.error = now - length;
                rows.push(row);
            }
            Kind::PointOnLine => rows.extend(line()),
            Kind::Gear { ratio } => rows.push(JointRow {
                form: RowForm {
                    linear: DVec3::ZERO,
                    on_a: self.length * a.z_axis,
                    on_b: self.length * ratio * b.z_axis,
                },
                error: 0.0,
            }),
            Kind::Link => {}
        }
    }

    /// The row of a coordinate, without its value, and what a unit of the coordinate is in it (m/rad or 1).
    pub fn coordinate_row(&self, along: Along) -> (RowForm, f64) {
        let axis = self.axes[1].z_axis;
        match along {
            Along::Turn => (self.turn(axis, 0.0).form, self.length),
            Along::Slide => (self.along(axis, true).form, 1.0),
            Along::Length => (self.along(self.distance().0, false).form, 1.0),
            Along::Swivel => (RowForm::default(), self.length),
        }
    }

    /// The rows of all turns that are free, without values.
    pub fn swivel_rows(&self) -> impl Iterator<Item = RowForm> {
        let [a, b] = &self.axes;
        let free: [Option<DVec3>; 3] = match self.kind {
            Kind::Ball => [Some(b.x_axis), Some(b.y_axis), Some(b.z_axis)],
            Kind::Universal => [Some(a.x_axis), Some(b.y_axis), None],
            Kind::Hinge | Kind::Cylindrical => [Some(b.z_axis), None, None],
            Kind::Slider
            | Kind::Fixed
            | Kind::Distance { .. }
            | Kind::PointOnLine
            | Kind::Gear { .. }
            | Kind::Link => [None; 3],
        };
        let rows = free.map(|axis| axis.map(|axis| self.turn(axis, 0.0).form));
        rows.into_iter().flatten()
    }

    /// The way along the axis, or the distance, m.
    pub fn way(&self, along: Along) -> f64 {
        match along {
            Along::Turn => self.angle(),
            Along::Swivel => 0.0,
            Along::Slide => self.axes[1].z_axis.dot(self.apart),
            Along::Length => self.apart.length(),
        }
    }

    /// Where body a is held, m, in the world, with its centre at `center`.
    pub fn point(&self, center: DVec3) -> DVec3 {
        center + self.arms[0]
    }
}
