//! Grains from the points of a VTK file.

use super::{Context, Failure, Grain, Mould};
use crate::results::{PointCloud, read_points};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{Grains, VtkSource};
use crate::scene::key_path::KeyPath;
use granule::math::DVec3;

/// The grains, in the order of the points.
pub(super) fn generate(
    grains: &Grains,
    source: &VtkSource,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Vec<Grain>, Failure> {
    let file = context.folder.join(&source.file);
    let cloud = read_points(&file).map_err(|error| {
        Problem::new(
            path.join("vtk").join("file"),
            error.to_string(),
            "this file",
        )
        .help(
            "give a .vtp or .vtu file, named relative to the folder of the scene file; \
             check the spelling",
        )
    })?;
    let has_size = grains.radius.is_some() || grains.shape.is_some();
    let path = path.join("vtk");
    let points = from_points(source, &cloud, context.dimension, has_size, &path)?;
    let cast = |point: Point| {
        let size = point.radius.unwrap_or_else(|| mould.draw_size());
        let cast = mould.cast(size, None);
        Grain {
            mass: point.mass,
            velocity: point.velocity,
            ..Grain::new(point.position + cast.offset, cast)
        }
    };
    Ok(points.into_iter().map(cast).collect())
}

/// What a file says of a grain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    /// m.
    pub position: DVec3,
    /// m.
    pub radius: Option<f64>,
    /// kg.
    pub mass: Option<f64>,
    /// m/s.
    pub velocity: Option<DVec3>,
}

/// The points of a cloud, whose radii are needed unless the scene gives their size; `path` leads to what names the
/// file.
pub(super) fn from_points(
    source: &VtkSource,
    cloud: &PointCloud,
    dimension: usize,
    has_size: bool,
    path: &KeyPath,
) -> Result<Vec<Point>, Problem> {
    let count = cloud.points.len();
    let array = |key: &str, name: &Option<String>, width: usize| {
        find(cloud, name.as_deref(), width, &path.join(key))
    };
    let radii = array("radius", &source.radius, 1)?;
    let masses = array("mass", &source.mass, 1)?;
    let velocities = array("velocity", &source.velocity, 3)?;
    if radii.is_none() && !has_size {
        let names: Vec<String> = cloud
            .arrays
            .keys()
            .map(|name| format!("`{name}`"))
            .collect();
        return Err(Problem::new(
            path.clone(),
            "the radius of the grains is missing",
            "no `radius`",
        )
        .help(format!(
            "name an array of radii, as in `radius = \"radius\"` (the file has {}), or give \
                 `radius` to the grains",
            names.join(", ")
        )));
    }
    let mut made = Vec::with_capacity(count);
    for (k, &point) in cloud.points.iter().enumerate() {
        let radius = radii.map(|radii| radii[k]);
        let mass = masses.map(|masses| masses[k]);
        let velocity = velocities.map(|v| DVec3::new(v[3 * k], v[3 * k + 1], v[3 * k + 2]));
        let position = DVec3::from_array(point);
        let usable = |v: DVec3| v.is_finite() && v.abs().max_element() <= 1e30;
        let in_line = |v: DVec3| (dimension..3).all(|axis| v[axis] == 0.0);
        let positive = |x: f64| (1e-30..=1e30).contains(&x);
        let is_radius = |r: f64| positive(r) || (dimension == 1 && r == 0.0);
        let fault = if !usable(position) || !velocity.is_none_or(usable) {
            "has a coordinate or velocity that is not a finite number".to_owned()
        } else if !in_line(position) || !velocity.is_none_or(in_line) {
            format!("leaves the line or plane of the {dimension}D scene")
        } else if let Some(radius) = radius.filter(|r| !is_radius(*r)) {
            format!("has the radius {radius}")
        } else if !mass.is_none_or(positive) {
            "has a mass that is not positive".to_owned()
        } else {
            made.push(Point {
                position,
                radius,
                mass,
                velocity,
            });
            continue;
        };
        return Err(Problem::new(
            path.join("file"),
            format!("point {k} of the file {fault}"),
            "in this file",
        )
        .help("mend the file: finite numbers in SI units, radii and masses positive"));
    }
    Ok(made)
}

/// The numbers of an array, which must be there with the right width.
pub(super) fn find<'a>(
    cloud: &'a PointCloud,
    name: Option<&str>,
    width: usize,
    path: &KeyPath,
) -> Result<Option<&'a [f64]>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let Some((components, numbers)) = cloud.arrays.get(name) else {
        let known: Vec<&str> = cloud.arrays.keys().map(String::as_str).collect();
        return Err(Problem::new(
            path.clone(),
            format!("the file has no array `{name}`"),
            "not in the file",
        )
        .help(suggestion(name, &known, "array")));
    };
    if *components != width || numbers.len() != width * cloud.points.len() {
        return Err(Problem::new(
            path.clone(),
            format!("the array `{name}` has {components} components a point"),
            format!("{width} needed, for each of {} points", cloud.points.len()),
        )
        .help("choose another array of the file"));
    }
    Ok(Some(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::key_path::key_path;

    fn cloud() -> PointCloud {
        let arrays = [
            ("radius".to_owned(), (1, vec![0.1, 0.2])),
            (
                "velocity".to_owned(),
                (3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            ),
        ];
        PointCloud {
            points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 2.0]],
            arrays: arrays.into_iter().collect(),
        }
    }

    fn grains(vtk: &str) -> Grains {
        toml::from_str(&format!("vtk = {{ file = 'a.vtp', {vtk} }}")).expect("well-formed")
    }

    fn made(vtk: &str, cloud: &PointCloud, dimension: usize) -> Result<Vec<Point>, Problem> {
        let source = grains(vtk).vtk.expect("given");
        from_points(&source, cloud, dimension, false, &key_path!["grains", 0])
    }

    #[test]
    fn points_become_spheres_with_their_arrays() {
        let made = made("radius = 'radius', velocity = 'velocity'", &cloud(), 3);
        let made = made.unwrap_or_else(|_| panic!("usable"));
        assert_eq!(made[1].position, DVec3::new(1.0, 0.0, 2.0));
        assert_eq!(made[1].radius, Some(0.2));
        assert_eq!(made[1].velocity, Some(DVec3::new(4.0, 5.0, 6.0)));
    }

    #[test]
    fn arrays_that_cannot_be_used_are_refused() {
        assert!(made("radius = 'radii'", &cloud(), 3).is_err());
        assert!(made("radius = 'velocity'", &cloud(), 3).is_err());
        assert!(made("velocity = 'velocity'", &cloud(), 3).is_err());
        assert!(made("radius = 'radius'", &cloud(), 2).is_err());
        let mut broken = cloud();
        broken.points[0][1] = f64::NAN;
        assert!(made("radius = 'radius'", &broken, 3).is_err());
    }
}
