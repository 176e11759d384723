//! Checks of `[[bodies]]` and `[[forces]]`.

use super::values::{positive, positive_if_given, quaternion};
use super::{Check, Rules, shapes};
use crate::scene::error::Problem;
use crate::scene::grammar::{Body, Shaped};
use crate::scene::key_path::KeyPath;

pub(super) fn body(rules: &Rules, body: &Body, path: &KeyPath) -> Check {
    let bare = body.mass.is_some() && body.inertia.is_some() && rules.dimension > 1;
    if body.shape().is_some() || !bare {
        shapes::shape(rules, body, "the shape of the body", path)?;
    }
    positive_if_given(body.mass, &path.join("mass"))?;
    if body.sphere.is_some_and(|sphere| sphere.radius == 0.0) && body.mass.is_none() {
        return Err(Problem::new(
            path.join("sphere").join("radius"),
            "a point has no mass of its own",
            "no volume for the density",
        )
        .help("add `mass = 1.0` (kg) to this body"));
    }
    rules.vector(&body.position, &path.join("position"))?;
    if let Some(velocity) = &body.velocity {
        let path = path.join("velocity");
        rules.vector(velocity, &path)?;
        moves_once(body.motion.is_some(), &path)?;
    }
    if body.angular_velocity.is_some() {
        let path = path.join("angular_velocity");
        rules.spin(body.angular_velocity.as_ref(), &path)?;
        moves_once(body.motion.is_some(), &path)?;
    }
    match body.sphere {
        Some(_) => quaternion(body.orientation, &path.join("orientation"))?,
        None => rules.turned(body.orientation, path)?,
    }
    for (k, moment) in body.inertia.iter().flatten().enumerate() {
        positive(*moment, &path.join("inertia").join(k))?;
    }
    rules.material(body.material.as_deref(), &path.join("material"))?;
    body.motion
        .as_ref()
        .map_or(Ok(()), |motion| rules.motion(motion, &path.join("motion")))
}

/// A prescribed motion leaves no room for an initial velocity.
pub(super) fn moves_once(has_motion: bool, path: &KeyPath) -> Check {
    if !has_motion {
        return Ok(());
    }
    let name = path.name();
    Err(Problem::new(
        path.clone(),
        format!("`{name}` and `motion` are both given"),
        "the motion already says how it moves",
    )
    .help(format!(
        "remove `{name}`, or use `motion = {{ velocity = {{ linear = […] }} }}`"
    )))
}
