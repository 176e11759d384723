//! Forces of a scene.

use super::convert;
use super::error::Problem;
use super::generate::material_index;
use super::grammar::{DragSpec, Force, Sections};
use super::key_path::{KeyPath, key_path};
use granule::bodies::{BodyForce, Drag, Field, ForceField, Profile, Selection};
use granule::simulation::World;
use std::path::{Path, PathBuf};

/// Adds the forces of a scene to the world; files are looked for in a folder.
pub(crate) fn add(sections: &Sections, folder: &Path, world: &mut World) -> Result<(), Problem> {
    for (k, force) in sections.forces.iter().enumerate() {
        let material = force.material.as_deref();
        let material = material.map(|name| material_index(sections, Some(name)));
        if let (Some(direction), Some(magnitude)) = (&force.direction, &force.magnitude) {
            world.forces.push(BodyForce {
                direction: convert::vector(direction),
                magnitude: magnitude.clone(),
                material,
            });
            continue;
        }
        let Some(field) = field(force, folder, &key_path!["forces", k])? else {
            continue;
        };
        let dimension = world.dimension.count();
        let region = force.region.as_ref();
        let on = Selection {
            material,
            ids: force.bodies.as_ref().map(|names| ids(sections, names)),
            region: region.map(|region| convert::region(region, dimension)),
        };
        world.fields.push(ForceField { field, on });
    }
    Ok(())
}

/// The ids of the bodies with these names, in increasing order; those of `[[bodies]]` come first.
fn ids(sections: &Sections, names: &[String]) -> Vec<u32> {
    let bodies = sections.bodies.iter().zip(0..);
    let named = bodies.filter(|(body, _)| body.name.as_ref().is_some_and(|n| names.contains(n)));
    named.map(|(_, id)| id).collect()
}

fn field(force: &Force, folder: &Path, path: &KeyPath) -> Result<Option<Field>, Problem> {
    if let Some(given) = &force.drag {
        return Ok(drag(given).map(|drag| Field::Drag {
            drag,
            flow: convert::vector_or_zero(given.flow.as_ref()),
        }));
    }
    if let Some(medium) = &force.buoyancy {
        let density = medium.density;
        return Ok(Some(Field::Buoyancy { density }));
    }
    if let Some(spring) = &force.spring {
        return Ok(Some(Field::Spring {
            point: convert::vector(&spring.point),
            stiffness: spring.stiffness,
            damping: spring.damping,
        }));
    }
    if let Some(central) = &force.central {
        let lists = (central.distances.as_deref(), central.forces.as_deref());
        return Ok(Some(Field::Central {
            center: convert::vector(&central.center),
            force: profile(lists, central.file.as_ref(), folder, &path.join("central"))?,
        }));
    }
    if let Some(along) = &force.along {
        let lists = (along.places.as_deref(), along.forces.as_deref());
        let axis = convert::direction(&along.axis).normalize();
        let direction = along.direction.as_ref();
        return Ok(Some(Field::Along {
            direction: direction.map_or(axis, |d| convert::direction(d).normalize()),
            axis,
            value: profile(lists, along.file.as_ref(), folder, &path.join("along"))?,
        }));
    }
    Ok(force.torque.as_ref().map(|torque| Field::Torque {
        direction: convert::vector(&torque.direction),
        magnitude: torque.magnitude.clone(),
    }))
}

fn drag(given: &DragSpec) -> Option<Drag> {
    let linear = given.linear.map(|coefficient| Drag::Linear { coefficient });
    let quadratic = given
        .quadratic
        .map(|coefficient| Drag::Quadratic { coefficient });
    let fluid = given.density.zip(given.viscosity);
    let fluid = fluid.map(|(density, viscosity)| Drag::Fluid { density, viscosity });
    linear.or(quadratic).or(fluid)
}

/// From the lists of the scene, or from a table.
fn profile(
    (places, forces): (Option<&[f64]>, Option<&[f64]>),
    file: Option<&PathBuf>,
    folder: &Path,
    path: &KeyPath,
) -> Result<Profile, Problem> {
    let Some(file) = file else {
        return Ok(Profile {
            places: places.unwrap_or_default().to_vec(),
            values: forces.unwrap_or_default().to_vec(),
        });
    };
    let wrong = |reason: String| {
        Problem::new(
            path.join("file"),
            format!("{} is no table of forces: {reason}", file.display()),
            "this file",
        )
        .help("give two columns separated by commas, places (m) that increase and forces (N)")
    };
    let text =
        std::fs::read_to_string(folder.join(file)).map_err(|error| wrong(error.to_string()))?;
    let mut profile = Profile {
        places: Vec::new(),
        values: Vec::new(),
    };
    for (number, line) in text.lines().enumerate() {
        let cells: Vec<Option<f64>> = line
            .split(',')
            .map(|cell| cell.trim().parse().ok())
            .collect();
        match cells[..] {
            [Some(place), Some(force)] => {
                profile.places.push(place);
                profile.values.push(force);
            }
            // The names of the columns.
            _ if number == 0 || line.trim().is_empty() => {}
            _ => return Err(wrong(format!("line {} has not two numbers", number + 1))),
        }
    }
    profile.validate().map_err(wrong)?;
    Ok(profile)
}
