//! Joints, motors and servo walls of a scene, as the engine knows them.

use super::convert;
use super::grammar::{
    AlongSpec, Body, JointKind, JointSpec, LimitsSpec, MotorSpec, Sections, ServoSpec, Vector,
};
use granule::bodies::{RigidBody, TimeFunction};
use granule::joints::{Along, Anchor, Drive, Effect, Joint, Kind};
use granule::math::{DQuat, DVec3};
use granule::problem::ProblemKind;
use granule::simulation::World;
use std::f64::consts::PI;

/// What `between` calls what does not move.
pub(crate) const GROUND: &str = "ground";

/// Adds what joints and servos ask of a solver.
pub(crate) fn add_kinds(sections: &Sections, kind: &mut ProblemKind) {
    let nowhere = Anchor::along(DVec3::ZERO, DVec3::Z);
    for spec in &sections.joints {
        let mut joint = Joint::new(kind_of(spec, 1.0), [None; 2], [nowhere; 2]);
        joint.drives = drives(sections, spec, 1.0);
        joint.add_to(kind);
    }
    // What a file has is not known before it is read.
    if !sections.mechanisms.is_empty() {
        kind.sets.free = true;
        kind.sets.half_line = true;
    }
    for servo in &sections.servos {
        kind.sets.free = true;
        kind.sets.half_line |= servo.fastest.is_some();
    }
}

/// The engine's kind of a joint whose points are this far apart (m) at the start.
pub(crate) fn kind_of(spec: &JointSpec, apart: f64) -> Kind {
    match spec.kind {
        JointKind::Ball => Kind::Ball,
        JointKind::Hinge => Kind::Hinge,
        JointKind::Slider => Kind::Slider,
        JointKind::Cylindrical => Kind::Cylindrical,
        JointKind::Universal => Kind::Universal,
        JointKind::Fixed => Kind::Fixed,
        JointKind::Distance => Kind::Distance {
            length: spec.length.unwrap_or(apart),
        },
        JointKind::PointOnLine => Kind::PointOnLine,
        JointKind::Gear => Kind::Gear {
            ratio: spec.ratio.unwrap_or(1.0),
        },
        JointKind::Link => Kind::Link,
    }
}

/// What is driven where nothing is said: the only coordinate, or the way.
pub(crate) fn usual_along(kind: Kind, given: Option<AlongSpec>) -> Option<Along> {
    let known = kind.coordinates();
    let slides = known.iter().find(|along| **along == Along::Slide);
    given.map(Along::from).or(slides.or(known.first()).copied())
}

/// What acts on a joint whose points are this far apart (m) at the start: its own stops, spring and friction, and motors.
pub(crate) fn drives(sections: &Sections, spec: &JointSpec, apart: f64) -> Vec<Drive> {
    let mut drives = own_drives(spec, apart);
    let of_joint = |motor: &&MotorSpec| spec.name.as_ref() == Some(&motor.joint);
    for motor in sections.motors.iter().filter(of_joint) {
        let along = usual_along(kind_of(spec, apart), motor.along);
        if let (Some(along), Some(effect)) = (along, motor_effect(motor, motor.strength)) {
            drives.push(Drive { along, effect });
        }
    }
    drives
}

/// What the joint itself says that acts on it.
pub(crate) fn own_drives(spec: &JointSpec, apart: f64) -> Vec<Drive> {
    let kind = kind_of(spec, apart);
    let Some(along) = usual_along(kind, spec.along) else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    if let Some(LimitsSpec { least, most }) = spec.limits {
        effects.push(Effect::Limits { least, most });
    }
    if let Some(spring) = &spec.spring {
        let start = match kind {
            Kind::Link => apart,
            _ => 0.0,
        };
        effects.push(Effect::Spring {
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest: (spring.rest.as_ref()).map_or(TimeFunction::Constant(start), Into::into),
        });
    }
    if let Some(strength) = spec.friction {
        effects.push(Effect::Friction { strength });
    }
    let drives = effects.into_iter();
    drives.map(|effect| Drive { along, effect }).collect()
}

/// What a motor of this strength (N m or N, any if not given) does.
pub(crate) fn motor_effect(motor: &MotorSpec, strength: Option<f64>) -> Option<Effect> {
    let MotorSpec {
        speed,
        position,
        force,
        fastest,
        ..
    } = motor;
    if let Some(target) = speed {
        let target = target.into();
        return Some(Effect::Speed { target, strength });
    }
    if let Some(target) = position {
        let target = target.into();
        return Some(Effect::Position { target, strength });
    }
    force.as_ref().map(|target| Effect::Force {
        target: target.into(),
        fastest: *fastest,
        spans: Vec::new(),
    })
}

/// The body of a name, with its place in `[[bodies]]`.
pub(crate) fn body<'a>(sections: &'a Sections, name: &str) -> Option<(usize, &'a Body)> {
    let mut bodies = sections.bodies.iter().enumerate();
    bodies.find(|(_, body)| body.name.as_deref() == Some(name))
}

/// The two points of a joint in the world at the start, m.
pub(crate) fn points(sections: &Sections, spec: &JointSpec) -> [DVec3; 2] {
    if let Some(anchors) = &spec.anchors {
        return std::array::from_fn(|end| {
            let local = convert::vector(&anchors[end]);
            match body(sections, &spec.between[end]) {
                None => local,
                Some((_, body)) => {
                    convert::vector(&body.position) + convert::quaternion(body.orientation) * local
                }
            }
        });
    }
    let from = convert::vector_or_zero(spec.position.as_ref());
    [from, spec.to.as_ref().map_or(from, convert::vector)]
}

/// The joints of the scene, for bodies that are in the world; those of servos come last.
pub(crate) fn joints(sections: &Sections, world: &World) -> Vec<Joint> {
    let axis_of = |given: Option<&Vector>| given.map_or(DVec3::Z, convert::direction);
    let made = sections.joints.iter().map(|spec| {
        let points = points(sections, spec);
        let apart = points[0].distance(points[1]);
        let axis = spec.axis.as_ref();
        let axes = [axis_of(axis), axis_of(spec.to_axis.as_ref().or(axis))];
        let mut frames: [Anchor; 2] =
            std::array::from_fn(|end| Anchor::along(points[end], axes[end]));
        if spec.kind == JointKind::Universal {
            frames = cardan_frames(points, axes);
        }
        // Those of `[[bodies]]` come first.
        let id = |name: &String| body(sections, name).map(|(place, _)| place as u32);
        let ends = [id(&spec.between[0]), id(&spec.between[1])];
        let mut joint = Joint::between(kind_of(spec, apart), &world.bodies, ends, frames);
        joint.drives = drives(sections, spec, apart);
        joint.collide = spec.collide;
        joint.break_force = spec.break_force;
        joint.break_torque = spec.break_torque;
        joint
    });
    made.collect()
}

/// Frames of a universal joint: x of the first is square to both shafts, and y of the second lies in the plane of both,
/// square to its own shaft, so that the two are square to each other whatever the bend.
fn cardan_frames(points: [DVec3; 2], axes: [DVec3; 2]) -> [Anchor; 2] {
    let [first, second] = axes.map(DVec3::normalize);
    let across = first.cross(second);
    let x = if across.length() > 1e-9 {
        across.normalize()
    } else {
        first.any_orthonormal_vector()
    };
    let frame = |position: DVec3, z: DVec3| Anchor {
        position,
        orientation: DQuat::from_mat3(&granule::math::DMat3::from_cols(x, z.cross(x), z))
            .normalize(),
    };
    [frame(points[0], first), frame(points[1], second)]
}

/// Adds the body that carries the wall of a servo, with its joint to the ground; gives the number of the wall and the id of
/// the body.
pub(crate) fn add_servo(
    sections: &Sections,
    servo: &ServoSpec,
    world: &mut World,
) -> Option<(usize, u32)> {
    let number = |name: &String| {
        let mut walls = sections.walls.iter();
        walls.position(|wall| wall.name.as_ref() == Some(name))
    };
    let wall = number(&servo.wall)?;
    let (position, _) = world.walls[wall].kinematics.pose(0.0);
    let masses = world.bodies.mass.iter().copied();
    let mass = servo.mass.unwrap_or(masses.fold(0.0, f64::max).max(1e-9));
    // It does not turn; its moments of inertia are those of a ball of 1 m across.
    let body = RigidBody::new(position, mass, DVec3::splat(0.1 * mass));
    let id = world.add_body(&body);
    let direction = convert::direction(&servo.direction);
    let joint = Joint::at(
        Kind::Slider,
        &world.bodies,
        [Some(id), None],
        position,
        direction,
    );
    let pairs = servo.spans.iter().flatten();
    let spans = pairs.filter_map(|[a, b]| Some([number(a)? as u32, number(b)? as u32]));
    let target = servo.force.as_ref().or(servo.stress.as_ref())?;
    let pipe = servo.within.as_ref().and_then(number);
    let pipe = pipe.and_then(|wall| sections.walls[wall].cylinder.as_ref());
    let area = pipe.map_or(1.0, |pipe| PI * pipe.radius * pipe.radius);
    world.joints.push(joint.with(
        Along::Slide,
        Effect::Force {
            target: TimeFunction::from(target).times(area),
            fastest: servo.fastest,
            spans: spans.collect(),
        },
    ));
    Some((wall, id))
}

/// Puts a wall that stands where it is on a body.
pub(crate) fn mount(world: &mut World, wall: usize, id: u32) {
    let place = world.bodies.place_of(id).expect("it has just been added");
    let back = world.bodies.orientation[place].conjugate();
    let center = world.bodies.position[place];
    let wall = &mut world.walls[wall];
    let (position, orientation) = wall.kinematics.pose(0.0);
    wall.kinematics.start_position = back * (position - center);
    wall.kinematics.start_orientation = (back * orientation).normalize();
    wall.carrier = Some(id);
}
