//! Checks of `[[joints]]` and `[[motors]]`.

use super::values::{exactly_one, positive_if_given, usable_name};
use super::{Check, Rules};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{JointKind, JointSpec, MotorSpec, Sections};
use crate::scene::key_path::{KeyPath, key_path};
use crate::scene::machines::{self, GROUND};
use granule::bodies::{Dimension, TimeFunction};
use granule::joints::{Along, Anchor, Joint, Kind};
use granule::math::DVec3;

/// m: points that are nearer than this are one.
const MEETS: f64 = 1e-9;

/// All joints and motors.
pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    for (k, body) in sections.bodies.iter().enumerate() {
        if body.name.as_deref() == Some(GROUND) {
            return Err(Problem::new(
                key_path!["bodies", k, "name"],
                format!("`{GROUND}` is what does not move, and no name of a body"),
                "taken",
            )
            .help("choose another name"));
        }
    }
    for (k, joint) in sections.joints.iter().enumerate() {
        one(rules, sections, joint, &key_path!["joints", k])?;
        let same = |other: &JointSpec| other.name.is_some() && other.name == joint.name;
        if let Some(first) = sections.joints[..k].iter().position(same) {
            let name = joint.name.as_deref().unwrap_or_default();
            return Err(Problem::new(
                key_path!["joints", k, "name"],
                format!("two joints are called `{name}`"),
                "again here",
            )
            .also(key_path!["joints", first, "name"], "first here")
            .help("give each joint a name of its own"));
        }
    }
    for (k, motor) in sections.motors.iter().enumerate() {
        self::motor(sections, motor, &key_path!["motors", k])?;
    }
    Ok(())
}

/// A key that says nothing here.
fn idle(path: &KeyPath, key: &str, why: &str) -> Problem {
    Problem::new(
        path.join(key),
        format!("`{key}` has no effect: {why}"),
        "not used",
    )
    .help(format!("leave `{key}` out"))
}

fn one(rules: &Rules, sections: &Sections, spec: &JointSpec, path: &KeyPath) -> Check {
    if rules.dimension == 1 {
        return Err(
            Problem::new(path.clone(), "there are no joints in 1D", "on a line")
                .help("set `dimension = 2` or `dimension = 3` in `[scene]`"),
        );
    }
    if let Some(name) = &spec.name {
        usable_name(name, "joint", &path.join("name"))?;
    }
    ends(sections, spec, path)?;
    places(rules, sections, spec, path)?;
    numbers(spec, path)
}

/// The two bodies are there, and one of them moves.
fn ends(sections: &Sections, spec: &JointSpec, path: &KeyPath) -> Check {
    let path = path.join("between");
    let mut moves = false;
    for (end, name) in spec.between.iter().enumerate() {
        if name == GROUND {
            continue;
        }
        let Some((_, body)) = machines::body(sections, name) else {
            let known: Vec<&str> = (sections.bodies.iter())
                .filter_map(|body| body.name.as_deref())
                .chain([GROUND])
                .collect();
            return Err(Problem::new(
                path.join(end),
                format!("there is no body `{name}`"),
                "not a name of any of `[[bodies]]`",
            )
            .help(format!(
                "{}; or add `name = \"{name}\"` to the body that is meant",
                suggestion(name, &known, "body")
            )));
        };
        moves |= body.motion.is_none();
    }
    if spec.between[0] == spec.between[1] {
        return Err(
            Problem::new(path, "a body is not joined to itself", "twice the same")
                .help("name two bodies, or a body and `\"ground\"`"),
        );
    }
    if moves {
        return Ok(());
    }
    Err(Problem::new(
        path,
        "the joint can hold nothing: neither of the two moves freely",
        "both are fixed or move as prescribed",
    )
    .help("leave out `motion` of one of the bodies"))
}

/// Points and axes are given as the kind needs them, and the points meet.
fn places(rules: &Rules, sections: &Sections, spec: &JointSpec, path: &KeyPath) -> Check {
    let apart = matches!(spec.kind, JointKind::Distance | JointKind::Link);
    if let Some(position) = &spec.position {
        rules.vector(position, &path.join("position"))?;
    }
    if let Some(to) = &spec.to {
        rules.vector(to, &path.join("to"))?;
        if !apart {
            return Err(idle(path, "to", "the two points of this joint are one"));
        }
    }
    if let Some(anchors) = &spec.anchors {
        for (end, anchor) in anchors.iter().enumerate() {
            rules.vector(anchor, &path.join("anchors").join(end))?;
        }
        if spec.position.is_some() {
            return Err(idle(path, "position", "`anchors` say where the joint is"));
        }
        if spec.to.is_some() {
            return Err(idle(path, "to", "`anchors` say where the joint is"));
        }
    } else if spec.position.is_none() && spec.kind != JointKind::Gear {
        return Err(Problem::new(
            path.clone(),
            "nothing says where the joint is",
            "no `position`",
        )
        .help("add `position` (m), the place in the world at the start"));
    } else if apart && spec.to.is_none() {
        return Err(Problem::new(
            path.clone(),
            "nothing says where the joint is on the second body",
            "no `to`",
        )
        .help("add `to` (m), the place in the world at the start"));
    }
    for (key, axis) in [("axis", &spec.axis), ("to_axis", &spec.to_axis)] {
        let Some(axis) = axis else { continue };
        rules.axis(axis, &path.join(key))?;
        let round = matches!(
            spec.kind,
            JointKind::Ball | JointKind::Fixed | JointKind::Distance | JointKind::Link
        );
        if round {
            return Err(idle(path, key, "this joint has no axis"));
        }
    }
    let bent = matches!(spec.kind, JointKind::Gear | JointKind::Universal);
    if spec.to_axis.is_some() && !bent {
        return Err(idle(path, "to_axis", "both bodies share the axis"));
    }
    let [one, other] = machines::points(sections, spec);
    let gap = one.distance(other);
    if !apart && spec.kind != JointKind::Gear && gap > MEETS {
        return Err(Problem::new(
            path.join("anchors"),
            "the two anchors do not meet at the start",
            format!("{gap:.6} m apart: ({one}) and ({other}) in the world"),
        )
        .help("move a body or an anchor, or give `position` (m) in the world instead"));
    }
    if apart && gap <= MEETS {
        return Err(Problem::new(
            path.clone(),
            "the two points are one, so that the line between them has no direction",
            "at the same place",
        )
        .help("use `kind = \"ball\"`, or move one of the points"));
    }
    match spec.length {
        Some(length) if spec.kind == JointKind::Distance && (length - gap).abs() > MEETS => {
            Err(Problem::new(
                path.join("length"),
                "the points do not have this distance at the start",
                format!("they are {gap} m apart"),
            )
            .help("leave `length` out, or move a point"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Numbers are what the engine can use, and all of them have an effect.
fn numbers(spec: &JointSpec, path: &KeyPath) -> Check {
    if spec.length.is_some() && spec.kind != JointKind::Distance {
        return Err(idle(path, "length", "only a `distance` has one"));
    }
    match (spec.ratio, spec.kind) {
        (Some(_), kind) if kind != JointKind::Gear => {
            return Err(idle(path, "ratio", "only a `gear` has one"));
        }
        (None, JointKind::Gear) => {
            return Err(Problem::new(
                path.clone(),
                "nothing says how the gear turns",
                "no `ratio`",
            )
            .help(
                "add `ratio = 2`: the first body turns twice as far as the second, the other way",
            ));
        }
        (Some(_) | None, _) => {}
    }
    let kind = machines::kind_of(spec, spec.length.unwrap_or(1.0));
    let acting = [
        ("limits", spec.limits.is_some()),
        ("spring", spec.spring.is_some()),
        ("friction", spec.friction.is_some()),
    ];
    let acts = acting.iter().find(|(_, given)| *given);
    if spec.along.is_some() && acts.is_none() {
        return Err(idle(
            path,
            "along",
            "there is neither `limits` nor `spring` nor `friction`",
        ));
    }
    if let (Some((key, _)), true) = (acts, kind.coordinates().is_empty()) {
        let why = format!("a {} has nothing that it could act on", kind.name());
        return Err(idle(path, key, &why));
    }
    for (key, value) in [
        ("break_force", spec.break_force),
        ("break_torque", spec.break_torque),
    ] {
        positive_if_given(value, &path.join(key))?;
    }
    let anchor = Anchor::along(DVec3::ZERO, DVec3::Z);
    let mut joint = Joint::new(kind, [Some(0), None], [anchor; 2]);
    joint.drives = machines::own_drives(spec, 1.0);
    joint
        .validate(Dimension::Space)
        .map_err(|reason| Problem::new(path.clone(), reason, "this joint"))
}

fn motor(sections: &Sections, motor: &MotorSpec, path: &KeyPath) -> Check {
    let joint = listed(sections, &motor.joint);
    // The joints of mechanisms are known when their files have been read.
    if joint.is_none() && sections.mechanisms.is_empty() {
        return Err(unknown(sections, motor, &[], path));
    }
    let given = [
        ("speed", motor.speed.is_some()),
        ("position", motor.position.is_some()),
        ("force", motor.force.is_some()),
    ];
    exactly_one(&given, "what the motor holds", path)?;
    let targets = [
        ("speed", &motor.speed),
        ("position", &motor.position),
        ("force", &motor.force),
    ];
    for (key, target) in targets {
        if let Some(target) = target {
            function(&target.into(), &path.join(key))?;
        }
    }
    if motor.strength.is_some() && motor.force.is_some() {
        return Err(idle(path, "strength", "`force` says how strong it is"));
    }
    if motor.fastest.is_some() && motor.force.is_none() {
        return Err(idle(path, "fastest", "only a `force` is held back by it"));
    }
    positive_if_given(motor.fastest, &path.join("fastest"))?;
    positive_if_given(motor.strength, &path.join("strength"))?;
    match joint {
        Some(joint) => drivable(machines::kind_of(joint, 1.0), motor, path).map(drop),
        None => Ok(()),
    }
}

/// The joint of this name in `[[joints]]`.
fn listed<'a>(sections: &'a Sections, name: &str) -> Option<&'a JointSpec> {
    let mut joints = sections.joints.iter();
    joints.find(|joint| joint.name.as_deref() == Some(name))
}

/// A motor on a joint that is not there; `others` are the names of joints of mechanisms.
fn unknown(
    sections: &Sections,
    motor: &MotorSpec,
    others: &[Option<String>],
    path: &KeyPath,
) -> Problem {
    let name = &motor.joint;
    let named = sections.joints.iter().map(|joint| &joint.name);
    let known: Vec<&str> = named
        .chain(others)
        .filter_map(|name| name.as_deref())
        .collect();
    let label = match sections.mechanisms.is_empty() {
        true => "not a name of any of `[[joints]]`",
        false => "not a name of any of `[[joints]]`, nor of a joint of `[[mechanisms]]`",
    };
    Problem::new(
        path.join("joint"),
        format!("there is no joint `{name}`"),
        label,
    )
    .help(format!(
        "{}; or add `name = \"{name}\"` to the joint that is meant",
        suggestion(name, &known, "joint")
    ))
}

/// All motors drive joints that are there, now that those of mechanisms have these names.
pub(crate) fn driven(sections: &Sections, names: &[Option<String>]) -> Check {
    let known = |motor: &MotorSpec| {
        let given = Some(&motor.joint);
        listed(sections, &motor.joint).is_some() || names.iter().any(|name| name.as_ref() == given)
    };
    let mut motors = sections.motors.iter().enumerate();
    match motors.find(|(_, motor)| !known(motor)) {
        Some((k, motor)) => Err(unknown(sections, motor, names, &key_path!["motors", k])),
        None => Ok(()),
    }
}

/// No other joint has the name of this one of a mechanism; `path` leads to the mechanism, and `names` are those of joints of
/// mechanisms before it.
pub(crate) fn same_name(
    sections: &Sections,
    names: &[Option<String>],
    name: &str,
    path: &KeyPath,
) -> Check {
    let known = names.iter().any(|other| other.as_deref() == Some(name));
    if !known && listed(sections, name).is_none() {
        return Ok(());
    }
    Err(Problem::new(
        path.join("name"),
        format!("two joints are called `{name}`"),
        "the second one is in this mechanism",
    )
    .help("give the mechanism a `name`, or another one, which the names of its joints begin with"))
}

/// What a motor drives of a joint of this kind.
pub(crate) fn drivable(kind: Kind, motor: &MotorSpec, path: &KeyPath) -> Result<Along, Problem> {
    let along = machines::usual_along(kind, motor.along);
    let suits = |along: &Along| *along != Along::Swivel && kind.coordinates().contains(along);
    if let Some(along) = along.filter(suits) {
        return Ok(along);
    }
    let key = if motor.along.is_some() {
        "along"
    } else {
        "joint"
    };
    Err(Problem::new(
        path.join(key),
        format!("a {} has nothing of the kind that a motor could drive", kind.name()),
        "cannot be driven",
    )
    .help(
        "motors drive the `turn` of a hinge, the `slide` of a slider or a point on a line, both of a cylindrical joint, \
         and the `length` of a link",
    ))
}

/// A function of time with numbers that make sense.
pub(super) fn function(function: &TimeFunction, path: &KeyPath) -> Check {
    function.validate().map_err(|reason| {
        Problem::new(path.clone(), "this is not a function of time", reason).help(
            "for instance `{ linear = { times = [0, 1, 2], values = [0, 5, 5] } }`: rises from 0 to 5 in the first second",
        )
    })
}
