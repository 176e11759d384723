//! Checks of `[[walls]]`.

use super::values::{exactly_one, not_negative, positive, quaternion, usable_name};
use super::{Check, Rules};
use crate::scene::convert;
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{
    BlockShape, BoxShape, ConeShape, CylinderShape, Face, MeshShape, PlateShape, Sections, WallSpec,
};
use crate::scene::key_path::{KeyPath, key_path};

pub(super) fn wall(rules: &Rules, wall: &WallSpec, path: &KeyPath) -> Check {
    let given = [
        ("half-space", wall.half_space.is_some()),
        ("cylinder", wall.cylinder.is_some()),
        ("cone", wall.cone.is_some()),
        ("box", wall.box_.is_some()),
        ("plate", wall.plate.is_some()),
        ("block", wall.block.is_some()),
        ("mesh", wall.mesh.is_some()),
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
    if let Some(shape) = &wall.plate {
        plate(rules, shape, &path.join("plate"))?;
    }
    if let Some(shape) = &wall.block {
        block(rules, shape, &path.join("block"))?;
    }
    if let Some(shape) = &wall.mesh {
        mesh(rules, shape, &path.join("mesh"))?;
    }
    if let Some(name) = &wall.name {
        usable_name(name, "wall", &path.join("name"))?;
    }
    if let Some(position) = &wall.position {
        rules.vector(position, &path.join("position"))?;
    }
    if let Some(velocity) = &wall.surface_velocity {
        not_on_a_line(rules, &path.join("surface_velocity"))?;
        rules.vector(velocity, &path.join("surface_velocity"))?;
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
    rules.size(&shape.size, path)?;
    let dimension = rules.dimension;
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
    rules.turned(shape.orientation, path)
}

fn block(rules: &Rules, shape: &BlockShape, path: &KeyPath) -> Check {
    rules.size(&shape.size, path)?;
    rules.turned(shape.orientation, path)
}

fn mesh(rules: &Rules, shape: &MeshShape, path: &KeyPath) -> Check {
    if rules.dimension != 3 {
        let dimension = rules.dimension;
        return Err(Problem::new(
            path.clone(),
            format!("there are no walls from files in {dimension}D"),
            "a surface in 3D",
        )
        .help("use `plate` or `block`, or set `dimension = 3` in `[scene]`"));
    }
    positive(shape.scale, &path.join("scale"))?;
    quaternion(shape.orientation, &path.join("orientation"))
}

fn plate(rules: &Rules, shape: &PlateShape, path: &KeyPath) -> Check {
    not_on_a_line(rules, path)?;
    positive(shape.width, &path.join("width"))?;
    rules.direction(&shape.normal, &path.join("normal"))?;
    if rules.dimension == 2 {
        let given = [
            ("height", shape.height.is_some()),
            ("up", shape.up.is_some()),
        ];
        return match given.iter().find(|(_, there)| *there) {
            None => Ok(()),
            Some((key, _)) => Err(Problem::new(
                path.join(*key),
                format!("a plate in 2D has no `{key}`"),
                "without meaning in a plane",
            )
            .help("remove it: the plate is a segment of length `width`")),
        };
    }
    let Some(height) = shape.height else {
        return Err(
            Problem::new(path.clone(), "the key `height` is missing", "no `height`")
                .help("add the length of the plate along `up` in m"),
        );
    };
    positive(height, &path.join("height"))?;
    if let Some(up) = &shape.up {
        rules.direction(up, &path.join("up"))?;
    }
    let (normal, up) = (convert::direction(&shape.normal), convert::plate_up(shape));
    if normal.cross(up).length() < 1e-9 {
        return Err(Problem::new(
            path.join("up"),
            "`up` and `normal` are along the same line",
            "says nothing about the direction of the height",
        )
        .help("give an `up` that lies in the plate, or leave it out"));
    }
    Ok(())
}

/// No two walls have the same name, and every name that is asked for exists.
pub(super) fn names(sections: &Sections) -> Check {
    let names: Vec<(usize, &str)> = (sections.walls.iter().enumerate())
        .filter_map(|(k, wall)| Some((k, wall.name.as_deref()?)))
        .collect();
    for (place, (k, name)) in names.iter().enumerate() {
        if let Some((first, _)) = names[..place].iter().find(|(_, other)| other == name) {
            return Err(Problem::new(
                key_path!["walls", *k, "name"],
                format!("two walls are called `{name}`"),
                "again here",
            )
            .also(key_path!["walls", *first, "name"], "first here")
            .help("give each wall a name of its own"));
        }
    }
    let known: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    let asked = sections.output.forces_on.iter().flatten();
    for (k, name) in asked.enumerate() {
        let path = key_path!["output", "forces_on", k];
        if !known.contains(&name.as_str()) {
            return Err(Problem::new(
                path,
                format!("there is no wall `{name}`"),
                "not a name of any of `[[walls]]`",
            )
            .help(format!(
                "{}; or add `name = \"{name}\"` to the wall that is meant",
                suggestion(name, &known, "wall")
            )));
        }
        let before = sections.output.forces_on.iter().flatten().take(k);
        if before.into_iter().any(|other| other == name) {
            return Err(Problem::new(
                path,
                format!("the wall `{name}` is asked for twice"),
                "again here",
            )
            .help("keep one of the two"));
        }
    }
    Ok(())
}
