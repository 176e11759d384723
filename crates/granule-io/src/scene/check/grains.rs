//! Checks of `[[grains]]`.

use super::bodies::moves_once;
use super::values::{exactly_one, not_negative, positive, quantity};
use super::{Check, MOST_BODIES, Rules, shapes};
use crate::scene::convert;
use crate::scene::error::Problem;
use crate::scene::grammar::{
    BoxRegion, Clock, CylinderRegion, Grains, Grid, Lattice, MotionSpec, OrientationSpec, Random,
    Region, Spacing, Vector,
};
use crate::scene::key_path::KeyPath;

pub(super) fn grains(rules: &Rules, grains: &Grains, path: &KeyPath) -> Check {
    let given = [
        ("grid", grains.grid.is_some()),
        ("random", grains.random.is_some()),
        ("csv", grains.csv.is_some()),
        ("vtk", grains.vtk.is_some()),
        ("run", grains.run.is_some()),
    ];
    exactly_one(&given, "the source of the grains", path)?;
    if let Some(shape) = &grains.grid {
        grid(rules, shape, &path.join("grid"))?;
    }
    if let Some(shape) = &grains.random {
        random(rules, shape, &path.join("random"))?;
    }
    match &grains.shape {
        Some(_) => solid_grains(rules, grains, path)?,
        None => spheres(rules, grains, path)?,
    }
    if let Some(source) = &grains.vtk {
        let pairs = [
            ("radius", source.radius.is_some(), grains.radius.is_some()),
            ("mass", source.mass.is_some(), grains.mass.is_some()),
            (
                "velocity",
                source.velocity.is_some(),
                grains.velocity.is_some(),
            ),
        ];
        for (key, in_file, here) in pairs {
            if in_file && here {
                return Err(given_twice(key, path));
            }
        }
    }
    if grains.run.is_some() {
        let given = [
            ("radius", grains.radius.is_some()),
            ("shape", grains.shape.is_some()),
            ("size", grains.size.is_some()),
            ("orientation", grains.orientation.is_some()),
            ("mass", grains.mass.is_some()),
            ("velocity", grains.velocity.is_some()),
            ("angular_velocity", grains.angular_velocity.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(_, here)| *here) {
            return Err(Problem::new(
                path.join(*key),
                format!("`{key}` is given here and by the run"),
                "a second value",
            )
            .help(format!(
                "remove `{key}`: grains go on as they were in the run"
            )));
        }
        goes_on(grains, path)?;
    }
    if let Some(mass) = &grains.mass {
        quantity(mass, false, &path.join("mass"))?;
    }
    if let Some(velocity) = &grains.velocity {
        let path = path.join("velocity");
        rules.vector(velocity, &path)?;
        moves_once(grains.motion.is_some(), &path)?;
    }
    if grains.angular_velocity.is_some() {
        let path = path.join("angular_velocity");
        rules.spin(grains.angular_velocity.as_ref(), &path)?;
        moves_once(grains.motion.is_some(), &path)?;
    }
    if grains.run.is_none() || grains.material.is_some() {
        rules.material(grains.material.as_deref(), &path.join("material"))?;
    }
    grains
        .motion
        .as_ref()
        .map_or(Ok(()), |motion| rules.motion(motion, &path.join("motion")))
}

/// Motions start at time zero, which is over for grains that go on at the time of their run.
fn goes_on(grains: &Grains, path: &KeyPath) -> Check {
    let continues = (grains.run.as_ref()).is_some_and(|run| run.time == Clock::Continue);
    match &grains.motion {
        None | Some(MotionSpec::Fixed) => Ok(()),
        Some(_) if !continues => Ok(()),
        Some(_) => Err(Problem::new(
            path.join("motion"),
            "a prescribed motion leads from where a grain is at time zero",
            "the grains go on at the time of their run",
        )
        .also(path.join("run").join("time"), "asked for here")
        .help("use `\"fixed\"`, or leave out `time = \"continue\"`")),
    }
}

/// Grains without a `shape`.
fn spheres(rules: &Rules, grains: &Grains, path: &KeyPath) -> Check {
    if let Some(radius) = &grains.radius {
        quantity(radius, rules.dimension == 1, &path.join("radius"))?;
    }
    let keys = [
        ("size", grains.size.is_some()),
        ("orientation", grains.orientation.is_some()),
    ];
    if let Some((key, _)) = keys.iter().find(|(_, given)| *given)
        && grains.run.is_none()
    {
        return Err(Problem::new(
            path.join(*key),
            format!("`{key}` is for grains with a `shape`"),
            "these are spheres",
        )
        .help(format!(
            "remove `{key}`, or add a shape, as in `shape = {{ ellipsoid = {{ half_axes = [0.02, 0.01, 0.01] }} }}`"
        )));
    }
    if grains.radius.is_none() && (grains.grid.is_some() || grains.random.is_some()) {
        return Err(Problem::new(
            path.clone(),
            "the radius of the grains is missing",
            "no `radius`",
        )
        .help("add `radius = 0.01` (m), or a distribution as `{ uniform = [0.8e-2, 1.2e-2] }`"));
    }
    Ok(())
}

/// Grains with a `shape`.
fn solid_grains(rules: &Rules, grains: &Grains, path: &KeyPath) -> Check {
    if let Some(shape) = &grains.shape {
        shapes::shape(rules, shape, "the shape of the grains", &path.join("shape"))?;
    }
    if grains.radius.is_some() {
        return Err(Problem::new(
            path.join("radius"),
            "grains with a `shape` have no `radius`",
            "`shape` gives the lengths",
        )
        .help("remove `radius`; `size` multiplies the lengths of the shape, as in `size = { uniform = [0.8, 1.2] }`"));
    }
    if let Some(size) = &grains.size {
        quantity(size, false, &path.join("size"))?;
    }
    if grains
        .vtk
        .as_ref()
        .is_some_and(|source| source.radius.is_some())
    {
        return Err(Problem::new(
            path.join("vtk").join("radius"),
            "grains with a `shape` have no radius",
            "`shape` gives the lengths",
        )
        .help("remove `radius`; `size` of the grains multiplies the lengths of the shape"));
    }
    match grains.orientation {
        Some(OrientationSpec::Given(quaternion)) => rules.turned(Some(quaternion), path),
        Some(OrientationSpec::Random | OrientationSpec::Aligned) | None => Ok(()),
    }
}

/// A quantity that both the file and the scene give.
pub(crate) fn given_twice(key: &str, path: &KeyPath) -> Problem {
    Problem::new(
        path.join(key),
        format!("`{key}` is given here and by the file"),
        "a second value",
    )
    .help(format!(
        "remove `{key}` here, or leave it out of what is read from the file"
    ))
}

fn grid(rules: &Rules, grid: &Grid, path: &KeyPath) -> Check {
    let dimension = rules.dimension;
    let counts_path = path.join("counts");
    if grid.counts.len() != dimension {
        return Err(Problem::new(
            counts_path,
            format!("`counts` must have {dimension} numbers in {dimension}D"),
            format!("{} given", grid.counts.len()),
        )
        .help("give how many grains lie along each direction"));
    }
    let total = grid
        .counts
        .iter()
        .fold(1u64, |n, &count| n.saturating_mul(u64::from(count)));
    number(total, &counts_path)?;
    let spacing_path = path.join("spacing");
    match &grid.spacing {
        Spacing::Same(length) => positive(*length, &spacing_path)?,
        Spacing::Each(_) if grid.lattice == Lattice::Hexagonal => {
            return Err(Problem::new(
                spacing_path,
                "a hexagonal lattice has one spacing",
                "several given",
            )
            .help("give one number, or use `lattice = \"square\"`"));
        }
        Spacing::Each(lengths) if lengths.len() != dimension => {
            return Err(Problem::new(
                spacing_path,
                format!("`spacing` must be one number, or {dimension} in {dimension}D"),
                format!("{} given", lengths.len()),
            )
            .help("give the distance between neighbouring centres in m"));
        }
        Spacing::Each(lengths) => {
            for (k, length) in lengths.iter().enumerate() {
                positive(*length, &spacing_path.join(k))?;
            }
        }
    }
    not_negative(grid.jitter, &path.join("jitter"))?;
    grid.origin
        .as_ref()
        .map_or(Ok(()), |origin| rules.vector(origin, &path.join("origin")))
}

fn number(total: u64, path: &KeyPath) -> Check {
    if total == 0 {
        return Err(
            Problem::new(path.clone(), "there are no grains", "none asked for")
                .help("ask for at least one, or remove this entry"),
        );
    }
    if total > MOST_BODIES {
        return Err(too_many(total, path));
    }
    Ok(())
}

/// More bodies than a scene may have.
pub(crate) fn too_many(total: u64, path: &KeyPath) -> Problem {
    Problem::new(
        path.clone(),
        format!("{total} bodies are too many"),
        "asked for here",
    )
    .help(format!("a scene holds at most {MOST_BODIES} bodies"))
}

fn random(rules: &Rules, random: &Random, path: &KeyPath) -> Check {
    number(u64::from(random.count), &path.join("count"))?;
    match &random.region {
        Some(given) => region(rules, given, &path.join("region")),
        None if rules.periodic => Ok(()),
        None => Err(Problem::new(
            path.clone(),
            "where are the grains to be?",
            "no `region`",
        )
        .help("give a region, such as `region = { box = { min = [0, 0, 0], max = [1, 1, 1] } }`, or a periodic `[cell]`")),
    }
}

/// A part of space that can hold something.
pub(super) fn region(rules: &Rules, region: &Region, path: &KeyPath) -> Check {
    match region {
        Region::Box(region) => box_region(rules, region, &path.join("box")),
        Region::Cylinder(region) => cylinder_region(rules, region, &path.join("cylinder")),
        Region::Cone(region) => {
            let path = path.join("cone");
            if rules.dimension != 3 {
                return Err(
                    Problem::new(path, "a cone can be filled in 3D only", "not in 3D")
                        .help("use `box`, or set `dimension = 3`"),
                );
            }
            rules.vector(&region.center, &path.join("center"))?;
            not_negative(region.bottom_radius, &path.join("bottom_radius"))?;
            not_negative(region.top_radius, &path.join("top_radius"))?;
            positive(region.length, &path.join("length"))?;
            region
                .axis
                .as_ref()
                .map_or(Ok(()), |axis| rules.axis(axis, &path.join("axis")))
        }
    }
}

/// A box whose corners are in the right order.
pub(super) fn box_region(rules: &Rules, region: &BoxRegion, path: &KeyPath) -> Check {
    corners(rules, [&region.min, &region.max], path)
}

/// The `min` and `max` of a box that is not empty.
pub(super) fn corners(rules: &Rules, [min, max]: [&Vector; 2], path: &KeyPath) -> Check {
    rules.vector(min, &path.join("min"))?;
    rules.vector(max, &path.join("max"))?;
    let (min, max) = (convert::vector(min), convert::vector(max));
    match (0..rules.dimension).find(|&k| min[k] >= max[k]) {
        None => Ok(()),
        Some(k) => Err(Problem::new(
            path.clone(),
            format!("the box is empty along {}", ["x", "y", "z"][k]),
            format!("from {} to {}", min[k], max[k]),
        )
        .help("`min` must be below `max` in every component")),
    }
}

/// A cylinder, or in 2D a circle.
pub(super) fn cylinder_region(rules: &Rules, region: &CylinderRegion, path: &KeyPath) -> Check {
    let path = path.clone();
    if rules.dimension == 1 {
        return Err(
            Problem::new(path, "a cylinder has no meaning on a line", "in 1D")
                .help("use `box = { min = [0], max = [1] }`"),
        );
    }
    rules.vector(&region.center, &path.join("center"))?;
    positive(region.radius, &path.join("radius"))?;
    if let Some(axis) = &region.axis {
        rules.axis(axis, &path.join("axis"))?;
        if rules.dimension == 2 && !convert::is_along_z(axis) {
            return Err(
                Problem::new(path.join("axis"), "in 2D the axis is z", "leaves the plane")
                    .help("remove `axis`: the region is a circle"),
            );
        }
    }
    match region.length {
        Some(length) => positive(length, &path.join("length")),
        None if rules.dimension == 2 => Ok(()),
        None => Err(
            Problem::new(path, "the key `length` is missing", "no `length`")
                .help("add the length of the cylinder in m"),
        ),
    }
}
