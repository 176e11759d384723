//! Checks of `[[walls]]`.

use super::values::{exactly_one, not_negative, positive, quaternion};
use super::{Check, Rules};
use crate::scene::convert;
use crate::scene::error::Problem;
use crate::scene::grammar::{BoxShape, ConeShape, CylinderShape, Face, WallSpec};
use crate::scene::key_path::KeyPath;

pub(super) fn wall(rules: &Rules, wall: &WallSpec, path: &KeyPath) -> Check {
    let given = [
        ("half-space", wall.half_space.is_some()),
        ("cylinder", wall.cylinder.is_some()),
        ("cone", wall.cone.is_some()),
        ("box", wall.box_.is_some()),
    ];
    exactly_one(&given, "the shape of the wall", path)?;
    if let Some(shape) = &wall.half_space {
        rules.direction(&shape.normal, &path.join("half-space").join("normal"))?;
    }
    if let Some(shape) = &wall.cylinder {
        cylinder(rules, shape, &path.join("cylinder"))?;
    }
    if let Some(shape) = &wall.cone {
        cone(rules, shape, &path.join("cone"))?;
    }
    if let Some(shape) = &wall.box_ {
        box_(rules, shape, &path.join("box"))?;
    }
    if let Some(position) = &wall.position {
        rules.vector(position, &path.join("position"))?;
    }
    rules.material(wall.material.as_deref(), &path.join("material"))?;
    rules.motion(&wall.motion, &path.join("motion"))
}

fn not_on_a_line(rules: &Rules, path: &KeyPath) -> Check {
    if rules.dimension > 1 {
        return Ok(());
    }
    let reason = format!("a {} has no meaning on a line", path.name());
    Err(Problem::new(path.clone(), reason, "in 1D")
        .help("use `half-space = { normal = [1] }` or `box = { size = [2] }`"))
}

fn cylinder(rules: &Rules, shape: &CylinderShape, path: &KeyPath) -> Check {
    not_on_a_line(rules, path)?;
    positive(shape.radius, &path.join("radius"))?;
    positive(shape.length, &path.join("length"))?;
    let Some(axis) = &shape.axis else {
        return Ok(());
    };
    rules.axis(axis, &path.join("axis"))?;
    let in_plane = axis.0.get(2).is_none_or(|&z| z == 0.0);
    if rules.dimension == 2 && !in_plane && !convert::is_along_z(axis) {
        return Err(Problem::new(
            path.join("axis"),
            "in 2D a cylinder stands upright or lies in the plane",
            "askew to the plane",
        )
        .help("use `axis = [0, 0, 1]` for a circle, or a vector in the plane for a channel"));
    }
    Ok(())
}

fn cone(rules: &Rules, shape: &ConeShape, path: &KeyPath) -> Check {
    not_on_a_line(rules, path)?;
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
    let Some(axis) = &shape.axis else {
        return Ok(());
    };
    rules.axis(axis, &path.join("axis"))?;
    if rules.dimension == 2 && axis.0.get(2).is_some_and(|&z| z != 0.0) {
        return Err(Problem::new(
            path.join("axis"),
            "in 2D the axis of a cone lies in the plane",
            "leaves the plane",
        )
        .help("use two components, as in `axis = [0, 1]`"));
    }
    Ok(())
}

fn box_(rules: &Rules, shape: &BoxShape, path: &KeyPath) -> Check {
    let size_path = path.join("size");
    let (given, dimension) = (shape.size.0.len(), rules.dimension);
    if given != dimension {
        return Err(Problem::new(
            size_path,
            format!("`size` must have {dimension} components in {dimension}D"),
            format!("{given} given"),
        )
        .help("give the full length of the box along each direction, in m"));
    }
    for (k, length) in shape.size.0.iter().enumerate() {
        positive(*length, &size_path.join(k))?;
    }
    for (k, face) in shape.open.iter().enumerate() {
        let axis = match face {
            Face::MinusX | Face::PlusX => 1,
            Face::MinusY | Face::PlusY => 2,
            Face::MinusZ | Face::PlusZ => 3,
        };
        if axis > dimension {
            return Err(Problem::new(
                path.join("open").join(k),
                format!("a box in {dimension}D has no such face"),
                "not there anyway",
            )
            .help("remove it"));
        }
    }
    quaternion(shape.orientation, &path.join("orientation"))?;
    if let Some([x, y, ..]) = shape.orientation
        && (dimension == 1 || (dimension == 2 && (x != 0.0 || y != 0.0)))
    {
        return Err(Problem::new(
            path.join("orientation"),
            "the box is turned out of the line or plane of the scene",
            "not a turn about z",
        )
        .help("use `[0, 0, sin(a/2), cos(a/2)]` to turn by the angle a in 2D; nothing in 1D"));
    }
    Ok(())
}
