//! Masses of bodies.

use crate::scene::error::Problem;
use crate::scene::grammar::{MassFrom, Material, Sections};
use crate::scene::key_path::KeyPath;
use granule::exchange::Matter;

/// The mass (kg) of a sphere that is given, or follows from the density.
pub(crate) fn of_sphere(
    sections: &Sections,
    radius: f64,
    given: Option<f64>,
    material: Option<&str>,
    path: &KeyPath,
) -> Result<f64, Problem> {
    let material = named(sections, material);
    let mass = given.unwrap_or_else(|| material.density * volume(measure(&material), radius));
    usable(
        mass,
        || {
            format!(
                "a body of radius {radius} m and density {}",
                material.density
            )
        },
        path,
    )
}

/// What spheres of a material weigh, by their radius.
pub(crate) fn of_spheres(sections: &Sections, material: Option<&str>) -> Matter {
    let material = named(sections, material);
    match measure(&material) {
        3 => Matter::Density(material.density),
        _ => Matter::AreaDensity(material.density),
    }
}

/// The mass (kg) of a solid that is given, or follows from the density and its volume (m³, in 2D m²) in so many
/// dimensions.
pub(crate) fn of_solid(
    sections: &Sections,
    (volume, dimension): (f64, usize),
    given: Option<f64>,
    name: Option<&str>,
    path: &KeyPath,
) -> Result<f64, Problem> {
    let material = named(sections, name);
    if given.is_none() && measure(&material) != dimension {
        let (has, word) = match dimension {
            2 => ("an area", "area"),
            _ => ("a volume", "volume"),
        };
        let name = name.unwrap_or_default();
        return Err(Problem::new(
            path.clone(),
            format!(
                "in {dimension}D this shape has {has}, but the density of `{name}` is not over one"
            ),
            "no mass",
        )
        .help(format!(
            "give `mass` in kg, or set `mass_from = \"{word}\"` in `[materials.{name}]`"
        )));
    }
    let mass = given.unwrap_or(material.density * volume);
    let unit = if dimension == 2 { "m²" } else { "m³" };
    usable(
        mass,
        || format!("a body of {volume} {unit} and density {}", material.density),
        path,
    )
}

fn named(sections: &Sections, name: Option<&str>) -> Material {
    name.and_then(|name| sections.materials.get(name).copied())
        .unwrap_or_default()
}

/// In how many dimensions the density counts.
fn measure(material: &Material) -> usize {
    match material.mass_from {
        Some(MassFrom::Length) => 1,
        Some(MassFrom::Area) => 2,
        Some(MassFrom::Volume) | None => 3,
    }
}

fn usable(mass: f64, what: impl Fn() -> String, path: &KeyPath) -> Result<f64, Problem> {
    // The inertia m r² must not vanish either.
    if mass.is_finite() && mass >= 1e-150 {
        return Ok(mass);
    }
    Err(Problem::new(
        path.clone(),
        format!("{} has no usable mass", what()),
        format!("its mass would be {mass} kg"),
    )
    .help("give `mass` in kg, or a larger radius or density"))
}

/// The volume of a sphere, the area of a disk, the length of a segment.
pub(crate) fn volume(dimension: usize, radius: f64) -> f64 {
    use std::f64::consts::PI;
    match dimension {
        1 => 2.0 * radius,
        2 => PI * radius * radius,
        _ => 4.0 / 3.0 * PI * radius * radius * radius,
    }
}
