//! Checks of `[[servos]]`, and of walls that bodies carry.

use super::joints::function;
use super::values::{exactly_one, positive_if_given};
use super::{Check, Rules};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{MotionSpec, Sections, ServoSpec, Shaped, WallSpec};
use crate::scene::key_path::{KeyPath, key_path};
use crate::scene::machines;

/// All servos, and all walls on bodies.
pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    for (k, wall) in sections.walls.iter().enumerate() {
        carried(sections, wall, &key_path!["walls", k])?;
    }
    for (k, servo) in sections.servos.iter().enumerate() {
        one(rules, sections, servo, &key_path!["servos", k])?;
        let same = |other: &ServoSpec| other.wall == servo.wall;
        if let Some(first) = sections.servos[..k].iter().position(same) {
            return Err(Problem::new(
                key_path!["servos", k, "wall"],
                format!("two servos press the wall `{}`", servo.wall),
                "again here",
            )
            .also(key_path!["servos", first, "wall"], "first here")
            .help("keep one of the two"));
        }
    }
    Ok(())
}

/// A wall on a body stands on one without a shape, and has no motion of its own.
fn carried(sections: &Sections, wall: &WallSpec, path: &KeyPath) -> Check {
    let Some(name) = &wall.body else {
        return Ok(());
    };
    let path = path.join("body");
    let Some((place, body)) = machines::body(sections, name) else {
        let known: Vec<&str> = (sections.bodies.iter())
            .filter_map(|body| body.name.as_deref())
            .collect();
        return Err(Problem::new(
            path,
            format!("there is no body `{name}`"),
            "not a name of any of `[[bodies]]`",
        )
        .help(format!(
            "{}; or add `name = \"{name}\"` to the body that is meant",
            suggestion(name, &known, "body")
        )));
    };
    if let Some((shape, _)) = body.shape() {
        return Err(Problem::new(
            path,
            format!("the body `{name}` has a shape of its own"),
            "walls stand on bodies without one",
        )
        .also(key_path!["bodies", place, shape], "this shape")
        .help("give the body `mass` and `inertia` and leave its shape out, or make the wall a part of the shape"));
    }
    let moves = wall.motion != MotionSpec::Fixed;
    if moves || wall.surface_velocity.is_some() {
        let key = if moves { "motion" } else { "surface_velocity" };
        return Err(Problem::new(
            path,
            "a wall on a body has no motion of its own",
            format!("`{key}` is given, too"),
        )
        .help(format!("leave out `{key}`, or move the body")));
    }
    Ok(())
}

fn named<'a>(sections: &'a Sections, name: &str, path: &KeyPath) -> Result<&'a WallSpec, Problem> {
    let known: Vec<&str> = (sections.walls.iter())
        .filter_map(|wall| wall.name.as_deref())
        .collect();
    let mut walls = sections.walls.iter();
    walls
        .find(|wall| wall.name.as_deref() == Some(name))
        .ok_or_else(|| {
            Problem::new(
                path.clone(),
                format!("there is no wall `{name}`"),
                "not a name of any of `[[walls]]`",
            )
            .help(format!(
                "{}; or add `name = \"{name}\"` to the wall that is meant",
                suggestion(name, &known, "wall")
            ))
        })
}

fn one(rules: &Rules, sections: &Sections, servo: &ServoSpec, path: &KeyPath) -> Check {
    if rules.dimension == 1 {
        return Err(
            Problem::new(path.clone(), "there are no servos in 1D", "on a line")
                .help("press with a body and `[[forces]]`"),
        );
    }
    let wall = named(sections, &servo.wall, &path.join("wall"))?;
    if wall.motion != MotionSpec::Fixed || wall.body.is_some() {
        return Err(Problem::new(
            path.join("wall"),
            format!("the wall `{}` moves already", servo.wall),
            "it has a `motion` or a `body`",
        )
        .help("leave that out: the servo moves the wall"));
    }
    rules.direction(&servo.direction, &path.join("direction"))?;
    let given = [
        ("force", servo.force.is_some()),
        ("stress", servo.stress.is_some()),
    ];
    exactly_one(&given, "what the servo holds", path)?;
    for (key, target) in [("force", &servo.force), ("stress", &servo.stress)] {
        if let Some(target) = target {
            function(&target.into(), &path.join(key))?;
        }
    }
    positive_if_given(servo.mass, &path.join("mass"))?;
    positive_if_given(servo.fastest, &path.join("fastest"))?;
    let wanted = rules.dimension - 1;
    if let Some(pipe) = &servo.within {
        return within(rules, sections, servo, pipe, path);
    }
    match (&servo.stress, &servo.spans) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Problem::new(
            path.join("spans"),
            "`spans` has no effect: a `force` needs no area",
            "not used",
        )
        .help("leave `spans` out, or give `stress` instead of `force`")),
        (Some(_), spans) if spans.as_ref().map_or(0, Vec::len) != wanted => Err(Problem::new(
            if spans.is_some() {
                path.join("spans")
            } else {
                path.clone()
            },
            format!("a stress in {}D needs {wanted} pair(s) of walls that span its area", rules.dimension),
            format!("{} given", spans.as_ref().map_or(0, Vec::len)),
        )
        .help(
            "add for instance `spans = [[\"left\", \"right\"], [\"front\", \"back\"]]`, by the names of walls; for a lid \
             in a cylinder `within = \"pipe\"`, by its name",
        )),
        (Some(_), spans) => {
            for (k, pair) in spans.iter().flatten().enumerate() {
                if pair.first() == pair.last() {
                    return Err(Problem::new(
                        path.join("spans").join(k),
                        "a stress acts on the area between two walls",
                        "the same wall twice",
                    )
                    .help("name two opposite walls; for a lid in a cylinder write `within` instead"));
                }
                for (side, name) in pair.iter().enumerate() {
                    named(sections, name, &path.join("spans").join(k).join(side))?;
                }
            }
            Ok(())
        }
    }
}

/// A stress on the cross-section of a pipe.
fn within(
    rules: &Rules,
    sections: &Sections,
    servo: &ServoSpec,
    pipe: &str,
    path: &KeyPath,
) -> Check {
    let path = path.join("within");
    let refused = |reason: &str, here: &str, help: &str| {
        Err(Problem::new(path.clone(), reason, here).help(help))
    };
    if servo.stress.is_none() {
        return refused(
            "`within` has no effect: a `force` needs no area",
            "not used",
            "leave `within` out, or give `stress` instead of `force`",
        );
    }
    if servo.spans.is_some() {
        return refused(
            "`spans` and `within` both say on which area the stress acts",
            "`spans` is given, too",
            "keep one of the two: `within` for a cylinder, `spans` between plane walls",
        );
    }
    if named(sections, pipe, &path)?.cylinder.is_none() || rules.dimension < 3 {
        return refused(
            &format!("the wall `{pipe}` is no cylinder"),
            "its cross-section is to be the area",
            "name a wall with a `cylinder`; between plane walls write `spans`",
        );
    }
    Ok(())
}
