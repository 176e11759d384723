//! `[[joints]]`, `[[motors]]` and `[[servos]]`: machines.

use super::{InTime, Vector};
use granule::joints::Along;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// Two points stay together; the bodies turn as they like.
    Ball,
    /// The bodies turn against each other about the axis.
    Hinge,
    /// They slide along the axis.
    Slider,
    /// They slide along the axis and turn about it.
    Cylindrical,
    /// A cardan joint in a shaft along the axis.
    Universal,
    /// They move as one.
    Fixed,
    /// Two points keep their distance.
    Distance,
    /// A point of the first stays on a line of the second, along the axis.
    PointOnLine,
    /// The first turns about its axis by `-ratio` times what the second turns about its own.
    Gear,
    /// Nothing is held: for springs, ropes and jacks between two points.
    Link,
}

/// On which coordinate of a joint something acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AlongSpec {
    /// The angle about the axis, rad.
    Turn,
    /// The way along the axis, m.
    Slide,
    /// The distance of the two points, m.
    Length,
}

impl From<AlongSpec> for Along {
    fn from(given: AlongSpec) -> Self {
        match given {
            AlongSpec::Turn => Self::Turn,
            AlongSpec::Slide => Self::Slide,
            AlongSpec::Length => Self::Length,
        }
    }
}

/// A joint between two bodies, or between a body and the ground. Places and axes are those at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// What columns of `series.csv` and `[[motors]]` call it: letters, digits, `-` and `_`. Default: no name, no columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `"ball"`, `"hinge"`, `"slider"`, `"cylindrical"`, `"universal"`, `"fixed"`, `"distance"`, `"point-on-line"`,
    /// `"gear"` or `"link"`.
    pub kind: JointKind,
    /// The names of the two bodies; `"ground"` for what does not move.
    pub between: [String; 2],
    /// m. Where it is, on the first body; as many numbers as dimensions. Default, for a gear, the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Vector>,
    /// m. Where it is on the second body. Default `position`; a `distance` and a `link` need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Vector>,
    /// Instead of `position` and `to`, the two points in the frames of the bodies, m: `[[x, y, z], [x, y, z]]`. They must
    /// meet at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<[Vector; 2]>,
    /// The direction of its axis, three numbers, any length but zero. Default `[0, 0, 1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Vector>,
    /// The axis on the second body: of a gear, and of a universal joint in a bent shaft. Default `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_axis: Option<Vector>,
    /// m, of a `distance`. Default: as far as the points are apart at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Of a `gear`; negative where both turn the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// What `limits`, `spring` and `friction` act on, where there is a choice. Default: of a cylindrical joint `"slide"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<AlongSpec>,
    /// Stops, rad or m: `{ least, most }`, one of them or both. Angles and ways are zero at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsSpec>,
    /// A spring with a damper: `{ stiffness, damping, rest }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<JointSpring>,
    /// Dry friction, N m for turns and N for ways: the largest that it carries. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Whether the two bodies touch each other. Default false.
    #[serde(default)]
    pub collide: bool,
    /// N. The force at which the joint breaks for good. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// N m. The same for the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
}

/// Stops of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsSpec {
    /// rad or m. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// rad or m. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
}

/// A spring and a damper on a coordinate of a joint. No step is too long for a stiff one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSpring {
    /// N m/rad or N/m. Default 0.
    #[serde(default)]
    pub stiffness: f64,
    /// N m s/rad or N s/m. Default 0.
    #[serde(default)]
    pub damping: f64,
    /// rad or m, where it carries nothing; a number or a function of time. Default: where it is at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<InTime>,
}

/// A motor on a joint. Give exactly one of `speed`, `position` and `force`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// The name of the joint.
    pub joint: String,
    /// What it drives, where there is a choice. Default: of a cylindrical joint `"slide"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<AlongSpec>,
    /// rad/s or m/s, of the first body against the second; a number or a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<InTime>,
    /// rad or m, zero at the start; a number or a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<InTime>,
    /// N m or N, whatever moves; a number or a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<InTime>,
    /// N m or N: the most that a `speed` or a `position` may take. Default: as much as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// rad/s or m/s: how fast a `force` may drive. Default: as fast as it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastest: Option<f64>,
}

/// A wall that is pressed with a given force or stress, and moves along one direction only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServoSpec {
    /// The name of the wall; it has no motion of its own.
    pub wall: String,
    /// Which way it is pressed; any length but zero, as many numbers as dimensions.
    pub direction: Vector,
    /// N; a number or a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<InTime>,
    /// Pa (N/m in 2D), on the area that `spans` or `within` say; a number or a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<InTime>,
    /// With `stress`: pairs of walls (two in 3D, one in 2D) whose distances, as they are at each time, make the area.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spans: Option<Vec<[String; 2]>>,
    /// With `stress`, 3D: the name of a cylinder whose cross-section is the area, as that of a pipe in which a round lid moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// kg. Its inertia, and its weight if gravity acts along it. Default: as much as the heaviest grain, which beside the
    /// force is next to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// m/s. How fast it may go where nothing holds it. Default: as fast as it goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastest: Option<f64>,
}
