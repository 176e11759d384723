//! Checks of the shapes of bodies and grains.

use super::values::{exactly_one, not_negative, positive};
use super::{Check, Rules};
use crate::scene::error::Problem;
use crate::scene::form::form;
use crate::scene::grammar::{BoxSolid, ShapeSpec, Shaped, UnionSolid};
use crate::scene::key_path::KeyPath;

/// Most points of a hull or corners of a polygon, and parts of a union: enough for any grain, and few enough to wait
/// for.
const MOST_POINTS: usize = 10_000;

/// Exactly one shape that there is in the dimension of the scene, and numbers that it can be made from.
pub(super) fn shape(rules: &Rules, shaped: &impl Shaped, what: &str, path: &KeyPath) -> Check {
    for (key, shape) in shaped.shapes() {
        if shape.is_some_and(|shape| !shape.is_for(rules.dimension)) {
            return Err(elsewhere(rules.dimension, key, path));
        }
    }
    let usable = |key: &str| keys(rules.dimension).contains(&key);
    let given: Vec<(&str, bool)> = shaped
        .shapes()
        .into_iter()
        .filter(|(key, _)| usable(key))
        .map(|(key, shape)| (key, shape.is_some()))
        .collect();
    exactly_one(&given, what, path)?;
    if let Some((key, shape)) = shaped.shape() {
        numbers(rules, shape, &path.join(key))?;
    }
    form(shaped, rules.dimension, None, path).map(|_| ())
}

/// The keys of the shapes in so many dimensions.
fn keys(dimension: usize) -> &'static [&'static str] {
    match dimension {
        1 => &["sphere"],
        2 => &["sphere", "ellipse", "polygon", "box", "union"],
        _ => &[
            "sphere",
            "ellipsoid",
            "superellipsoid",
            "box",
            "capsule",
            "cylinder",
            "cone",
            "hull",
            "union",
            "mesh",
        ],
    }
}

fn elsewhere(dimension: usize, key: &str, path: &KeyPath) -> Problem {
    let other = if keys(3).contains(&key) && dimension != 3 {
        3
    } else {
        2
    };
    let known: Vec<String> = keys(dimension)
        .iter()
        .map(|key| format!("`{key}`"))
        .collect();
    Problem::new(
        path.join(key),
        format!("there is no `{key}` in {dimension}D"),
        format!("a shape of {other}D scenes"),
    )
    .help(format!(
        "use {}, or set `dimension = {other}` in `[scene]`",
        known.join(", ")
    ))
}

fn numbers(rules: &Rules, shape: ShapeSpec<'_>, path: &KeyPath) -> Check {
    match shape {
        ShapeSpec::Sphere(sphere) if rules.dimension == 1 => {
            not_negative(sphere.radius, &path.join("radius"))
        }
        ShapeSpec::Sphere(sphere) => positive(sphere.radius, &path.join("radius")),
        ShapeSpec::Ellipsoid(shape) => all_positive(&shape.half_axes, &path.join("half_axes")),
        ShapeSpec::Superellipsoid(shape) => {
            all_positive(&shape.half_axes, &path.join("half_axes"))?;
            let path = path.join("exponents");
            let mut exponents = shape.exponents.iter().enumerate();
            exponents.try_for_each(|(k, &power)| exponent(power, &path.join(k)))
        }
        ShapeSpec::Box(shape) => cuboid(rules, shape, path),
        ShapeSpec::Capsule(shape) => {
            positive(shape.radius, &path.join("radius"))?;
            positive(shape.length, &path.join("length"))
        }
        ShapeSpec::Cylinder(shape) => {
            positive(shape.radius, &path.join("radius"))?;
            positive(shape.length, &path.join("length"))
        }
        ShapeSpec::Cone(shape) => {
            not_negative(shape.bottom_radius, &path.join("bottom_radius"))?;
            not_negative(shape.top_radius, &path.join("top_radius"))?;
            positive(shape.length, &path.join("length"))?;
            if shape.bottom_radius == 0.0 && shape.top_radius == 0.0 {
                return Err(Problem::new(
                    path.clone(),
                    "both radii of the cone are zero",
                    "a line, not a cone",
                )
                .help("give `bottom_radius` or `top_radius` a positive length in m"));
            }
            Ok(())
        }
        ShapeSpec::Hull(shape) => {
            few(shape.points.len(), &path.join("points"))?;
            not_negative(shape.rounding, &path.join("rounding"))
        }
        ShapeSpec::Ellipse(shape) => {
            all_positive(&shape.half_axes, &path.join("half_axes"))?;
            exponent(shape.exponent, &path.join("exponent"))
        }
        ShapeSpec::Polygon(shape) => {
            few(shape.corners.len(), &path.join("corners"))?;
            not_negative(shape.rounding, &path.join("rounding"))
        }
        ShapeSpec::Union(shape) => union(rules, shape, path),
        ShapeSpec::Mesh(shape) => positive(shape.scale, &path.join("scale")),
    }
}

fn all_positive(lengths: &[f64], path: &KeyPath) -> Check {
    let mut lengths = lengths.iter().enumerate();
    lengths.try_for_each(|(k, &length)| positive(length, &path.join(k)))
}

fn exponent(power: f64, path: &KeyPath) -> Check {
    if (2.0..=MOST_POWER).contains(&power) {
        return Ok(());
    }
    let name = path.name();
    Err(Problem::new(
        path.clone(),
        format!("`{name}` must be between 2 and {MOST_POWER}"),
        format!("{power} is not"),
    )
    .help("2 is round; 8 is nearly a box; a `box` with a `rounding` has flat faces"))
}

/// The largest exponent: beyond it edges are sharper than what can be computed with.
const MOST_POWER: f64 = 100.0;

fn few(count: usize, path: &KeyPath) -> Check {
    if count <= MOST_POINTS {
        return Ok(());
    }
    Err(Problem::new(
        path.clone(),
        format!("there are too many {}", path.name()),
        format!("{count} given"),
    )
    .help(format!("give at most {MOST_POINTS}")))
}

fn cuboid(rules: &Rules, shape: &BoxSolid, path: &KeyPath) -> Check {
    rules.size(&shape.size, path)?;
    let rounding = path.join("rounding");
    not_negative(shape.rounding, &rounding)?;
    let shortest = shape.size.0.iter().copied().fold(f64::INFINITY, f64::min);
    if 2.0 * shape.rounding < shortest {
        return Ok(());
    }
    Err(Problem::new(
        rounding,
        "the box is rounder than it is thick",
        format!("not below half of {shortest} m, its shortest length"),
    )
    .help("make `rounding` smaller, or use a `capsule` or a `sphere`"))
}

fn union(rules: &Rules, shape: &UnionSolid, path: &KeyPath) -> Check {
    let path = path.join("parts");
    few(shape.parts.len(), &path)?;
    if shape.parts.is_empty() {
        return Err(
            Problem::new(path, "the union has no parts", "nothing to join")
                .help("give at least one, as in `parts = [{ sphere = { radius = 0.1 } }]`"),
        );
    }
    for (k, part) in shape.parts.iter().enumerate() {
        let path = path.join(k);
        self::shape(rules, part, "the shape of the part", &path)?;
        if let Some(position) = &part.position {
            rules.vector(position, &path.join("position"))?;
        }
        rules.turned(part.orientation, &path)?;
    }
    Ok(())
}
