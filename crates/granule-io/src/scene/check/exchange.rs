//! Checks of `[[inlets]]`, `[[outlets]]` and `[domain]`.

use super::grains::{corners, region};
use super::values::{
    exactly_one, not_negative, positive, positive_if_given, quantity, usable_name,
};
use super::{Check, Rules, shapes};
use crate::scene::error::Problem;
use crate::scene::exchange;
use crate::scene::grammar::{FaceSpec, InletSpec, OrientationSpec, OutletSpec, Quantity, Sections};
use crate::scene::key_path::{KeyPath, key_path};

/// All of them.
pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    for (k, inlet) in sections.inlets.iter().enumerate() {
        one_inlet(rules, inlet, &key_path!["inlets", k])?;
    }
    for (k, outlet) in sections.outlets.iter().enumerate() {
        one_outlet(rules, outlet, &key_path!["outlets", k])?;
    }
    if let Some(domain) = &sections.domain {
        corners(rules, [&domain.min, &domain.max], &key_path!["domain"])?;
    }
    names(sections)
}

/// Columns need names of their own.
fn names(sections: &Sections) -> Check {
    let paths = (0..sections.inlets.len()).map(|k| key_path!["inlets", k]);
    let paths = paths.chain((0..sections.outlets.len()).map(|k| key_path!["outlets", k]));
    let paths: Vec<KeyPath> = paths.chain([key_path!["domain"]]).collect();
    let mut names = exchange::inlet_names(sections);
    names.extend(exchange::outlet_names(sections));
    for (k, name) in names.iter().enumerate() {
        if let Some(first) = names[..k].iter().position(|other| other == name) {
            return Err(Problem::new(
                paths[k].clone(),
                format!("two inlets or outlets are called `{name}`"),
                "again here",
            )
            .also(paths[first].clone(), "first here")
            .help("give each a `name` of its own: it is that of its columns in `series.csv`"));
        }
    }
    Ok(())
}

fn one_inlet(rules: &Rules, inlet: &InletSpec, path: &KeyPath) -> Check {
    if rules.dimension == 1 {
        return Err(Problem::new(
            path.clone(),
            "nothing can be poured in on a line",
            "bodies in 1D keep their order",
        )
        .help("set `dimension = 2` or 3"));
    }
    if let Some(name) = &inlet.name {
        usable_name(name, "grain inlet", &path.join("name"))?;
    }
    let places = [
        ("region", inlet.region.is_some()),
        ("face", inlet.face.is_some()),
    ];
    exactly_one(&places, "the place of the inlet", path)?;
    if let Some(given) = &inlet.region {
        region(rules, given, &path.join("region"))?;
    }
    if let Some(given) = &inlet.face {
        face(rules, given, &path.join("face"))?;
    }
    let rates = [
        ("number_rate", inlet.number_rate.is_some()),
        ("mass_rate", inlet.mass_rate.is_some()),
    ];
    exactly_one(&rates, "the rate of the inlet", path)?;
    positive_if_given(inlet.number_rate, &path.join("number_rate"))?;
    positive_if_given(inlet.mass_rate, &path.join("mass_rate"))?;
    positive_if_given(inlet.total_mass, &path.join("total_mass"))?;
    total(inlet, path)?;
    not_negative(inlet.start, &path.join("start"))?;
    if let Some(end) = inlet.end.filter(|end| *end <= inlet.start) {
        return Err(Problem::new(
            path.join("end"),
            format!("the inlet closes at {end} s, before it opens"),
            format!("`start` is {} s", inlet.start),
        )
        .help("give an `end` after `start`"));
    }
    grains(rules, inlet, path)?;
    if let Some(velocity) = &inlet.velocity {
        rules.vector(velocity, &path.join("velocity"))?;
    }
    let spin = inlet.angular_velocity.as_ref();
    rules.spin(spin, &path.join("angular_velocity"))?;
    rules.material(inlet.material.as_deref(), &path.join("material"))
}

/// A total is of what the rate is of.
fn total(inlet: &InletSpec, path: &KeyPath) -> Check {
    let (key, other) = match (inlet.total_number, inlet.total_mass) {
        (Some(_), _) if inlet.number_rate.is_none() => ("total_number", "total_mass"),
        (_, Some(_)) if inlet.mass_rate.is_none() => ("total_mass", "total_number"),
        _ => return Ok(()),
    };
    Err(Problem::new(
        path.join(key),
        format!("`{key}` does not go with this rate"),
        "of another kind",
    )
    .help(format!("use `{other}`, or the other rate")))
}

/// What is poured.
fn grains(rules: &Rules, inlet: &InletSpec, path: &KeyPath) -> Check {
    let kinds = [
        ("radius", inlet.radius.is_some()),
        ("shape", inlet.shape.is_some()),
    ];
    exactly_one(&kinds, "the shape of the grains", path)?;
    if let Some(radius) = &inlet.radius {
        quantity(radius, false, &path.join("radius"))?;
        let keys = [
            ("size", inlet.size.is_some()),
            ("orientation", inlet.orientation.is_some()),
        ];
        if let Some((key, _)) = keys.iter().find(|(_, given)| *given) {
            return Err(Problem::new(
                path.join(*key),
                format!("`{key}` is for grains with a `shape`"),
                "these are spheres",
            )
            .help(format!("remove `{key}`")));
        }
    }
    if let Some(mass) = &inlet.mass {
        quantity(mass, false, &path.join("mass"))?;
    }
    let Some(shape) = &inlet.shape else {
        return Ok(());
    };
    shapes::shape(rules, shape, "the shape of the grains", &path.join("shape"))?;
    if shape.sphere.is_some() {
        return Err(Problem::new(
            path.join("shape"),
            "spheres are poured by their `radius`",
            "a sphere as a `shape`",
        )
        .help("write `radius = 0.01` (m) instead of `shape`"));
    }
    if let Some(size) = &inlet.size {
        quantity(size, false, &path.join("size"))?;
    }
    if let Some(Quantity::Drawn(_)) = &inlet.mass {
        return Err(Problem::new(
            path.join("mass"),
            "grains with a `shape` have one mass, or that of their density",
            "a distribution",
        )
        .help("give a number in kg, or leave `mass` out"));
    }
    match inlet.orientation {
        Some(OrientationSpec::Given(quaternion)) => rules.turned(Some(quaternion), path),
        Some(OrientationSpec::Random | OrientationSpec::Aligned) | None => Ok(()),
    }
}

fn face(rules: &Rules, face: &FaceSpec, path: &KeyPath) -> Check {
    rules.vector(&face.center, &path.join("center"))?;
    rules.direction(&face.normal, &path.join("normal"))?;
    let sizes = [
        ("radius", face.radius.is_some()),
        ("size", face.size.is_some()),
    ];
    exactly_one(&sizes, "the size of the face", path)?;
    positive_if_given(face.radius, &path.join("radius"))?;
    if face.radius.is_some() && rules.dimension == 2 {
        return Err(
            Problem::new(path.join("radius"), "a face in 2D is not round", "in 2D")
                .help("give `size = [width]` in m"),
        );
    }
    let Some(size) = &face.size else {
        return Ok(());
    };
    let wanted = rules.dimension - 1;
    if size.0.len() != wanted {
        return Err(Problem::new(
            path.join("size"),
            format!(
                "`size` of a face must have {wanted} components in {}D",
                rules.dimension
            ),
            format!("{} given", size.0.len()),
        )
        .help("give width and height in m; in 2D only the width"));
    }
    let mut lengths = size.0.iter().enumerate();
    lengths.try_for_each(|(k, &length)| positive(length, &path.join("size").join(k)))
}

fn one_outlet(rules: &Rules, outlet: &OutletSpec, path: &KeyPath) -> Check {
    if let Some(name) = &outlet.name {
        usable_name(name, "grain outlet", &path.join("name"))?;
    }
    let places = [
        ("beyond", outlet.beyond.is_some()),
        ("region", outlet.region.is_some()),
    ];
    exactly_one(&places, "the place of the outlet", path)?;
    if let Some(plane) = &outlet.beyond {
        let path = path.join("beyond");
        rules.vector(&plane.point, &path.join("point"))?;
        rules.direction(&plane.direction, &path.join("direction"))?;
    }
    match &outlet.region {
        Some(given) => region(rules, given, &path.join("region")),
        None => Ok(()),
    }
}
