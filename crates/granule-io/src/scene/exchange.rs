//! Inlets and outlets of a scene.

use super::convert;
use super::error::Problem;
use super::form::{Form, form};
use super::generate::{self, mass, mould};
use super::grammar::{FaceSpec, InletSpec, OrientationSpec, Quantity, Sections};
use super::key_path::{KeyPath, key_path};
use super::meshes::Meshes;
use granule::exchange::{Inlet, Matter, Outlet, Rate, What, Zone};
use granule::math::{DQuat, DVec3, Distribution, Purpose, Stream};
use granule::shapes::Region;
use granule::simulation::World;

/// How many sizes grains with a shape have where sizes are drawn: each is a shape of its own in the world.
const SIZES: usize = 32;

/// Of the largest diameter: the thickness of the layer in front of a face.
const LAYER: f64 = 1.01;

/// What is called so if it has no name of its own.
fn names<'a>(given: impl Iterator<Item = Option<&'a String>>, usual: &str) -> Vec<String> {
    let name = |(k, name): (usize, Option<&String>)| match (name, k) {
        (Some(name), _) => name.clone(),
        (None, 0) => usual.to_owned(),
        (None, _) => format!("{usual}_{}", k + 1),
    };
    given.enumerate().map(name).collect()
}

/// The names of the inlets, by their numbers.
pub(crate) fn inlet_names(sections: &Sections) -> Vec<String> {
    names(
        sections.inlets.iter().map(|inlet| inlet.name.as_ref()),
        "inlet",
    )
}

/// The names of the outlets, by their numbers; the bounds of the scene come last.
pub(crate) fn outlet_names(sections: &Sections) -> Vec<String> {
    let given = sections.outlets.iter().map(|outlet| outlet.name.as_ref());
    let mut names = names(given, "outlet");
    names.extend(sections.domain.as_ref().map(|_| "domain".to_owned()));
    names
}

/// Adds the outlets of a scene to the world.
pub(crate) fn add_outlets(sections: &Sections, world: &mut World) {
    let dimension = world.dimension.count();
    for outlet in &sections.outlets {
        let zone = match (&outlet.beyond, &outlet.region) {
            (Some(plane), _) => Zone::Beyond {
                point: convert::vector(&plane.point),
                direction: convert::direction(&plane.direction),
            },
            (None, Some(region)) => Zone::Within(convert::region(region, dimension)),
            (None, None) => continue,
        };
        world.outlets.push(Outlet::new(zone, outlet.on_exit));
    }
    if let Some(domain) = &sections.domain {
        let (min, max) = (convert::vector(&domain.min), convert::vector(&domain.max));
        let zone = Zone::Outside(Region::cuboid(min, max));
        world.outlets.push(Outlet::new(zone, domain.on_exit));
    }
}

/// Adds the inlets of a scene to the world.
pub(crate) fn add_inlets(
    sections: &Sections,
    meshes: &mut Meshes<'_>,
    world: &mut World,
) -> Result<(), Problem> {
    for (k, inlet) in sections.inlets.iter().enumerate() {
        let path = key_path!["inlets", k];
        let (what, reach) = what(sections, inlet, meshes, world, &path)?;
        let dimension = world.dimension.count();
        let (region, key) = match (&inlet.region, &inlet.face) {
            (Some(region), _) => (convert::region(region, dimension), "region"),
            (None, Some(face)) => (in_front(face, LAYER * reach, dimension), "face"),
            (None, None) => continue,
        };
        if !(0..100).any(|tries| fits(&region, reach, dimension, tries)) {
            return Err(Problem::new(
                path.join(key),
                "the largest grain does not fit into the inlet",
                format!("it reaches {reach} m from its centre"),
            )
            .help("make the inlet larger, or the grains smaller"));
        }
        let (rate, most) = match (inlet.number_rate, inlet.mass_rate) {
            (Some(rate), _) => (Rate::Number(rate), inlet.total_number.map(|n| n as f64)),
            (None, rate) => (Rate::Mass(rate.unwrap_or(0.0)), inlet.total_mass),
        };
        world.inlets.push(Inlet {
            // What was due before a run goes on is not poured by it.
            start: inlet.start.max(world.time),
            end: inlet.end.unwrap_or(f64::INFINITY),
            most: most.unwrap_or(f64::INFINITY),
            velocity: convert::vector_or_zero(inlet.velocity.as_ref()),
            angular_velocity: convert::spin(inlet.angular_velocity.as_ref()),
            material: generate::material_index(sections, inlet.material.as_deref()),
            seed: inlet.seed,
            ..Inlet::new(region, what, rate)
        });
    }
    Ok(())
}

/// Whether a sphere of this radius (m) finds a place in an empty region.
fn fits(region: &Region, radius: f64, dimension: usize, tries: u64) -> bool {
    let mut places = Stream::keyed(0, Purpose::Place, [tries, 0]);
    region.draw(radius, dimension, &mut places).is_some()
}

/// The layer in front of a face for grains that reach so far (m) from their centres.
fn in_front(face: &FaceSpec, reach: f64, dimension: usize) -> Region {
    let normal = convert::direction(&face.normal).normalize();
    let center = convert::vector(&face.center) + reach * normal;
    let half = |k: usize| {
        let size = face.size.as_ref().and_then(|size| size.0.get(k));
        0.5 * size.copied().unwrap_or(0.0)
    };
    match (dimension, face.radius) {
        (2, _) => {
            let turn = DQuat::from_rotation_z(libm::atan2(normal.y, normal.x));
            Region::turned_box(center, turn, DVec3::new(reach, half(0), 0.0))
        }
        (_, Some(radius)) => Region::frustum(center, normal, [radius, radius], 2.0 * reach),
        (_, None) => {
            let turn = DQuat::from_rotation_arc(DVec3::Z, normal);
            Region::turned_box(center, turn, DVec3::new(half(0), half(1), reach))
        }
    }
}

/// The grains of an inlet, and how far the largest reaches from its centre, m.
fn what(
    sections: &Sections,
    inlet: &InletSpec,
    meshes: &mut Meshes<'_>,
    world: &mut World,
    path: &KeyPath,
) -> Result<(What, f64), Problem> {
    let material = inlet.material.as_deref();
    let Some(shape) = &inlet.shape else {
        let radius = inlet.radius.as_ref().unwrap_or(&Quantity::Constant(0.0));
        let radius = Distribution::from(radius);
        for size in [radius.smallest(), radius.largest()] {
            mass::of_sphere(sections, size, None, material, path)?;
        }
        let reach = radius.largest();
        let matter = match &inlet.mass {
            Some(mass) => Matter::Mass(mass.into()),
            None => mass::of_spheres(sections, material),
        };
        return Ok((What::Spheres { radius, matter }, reach));
    };
    let dimension = world.dimension.count();
    let form = form(shape, dimension, Some(meshes), &path.join("shape"))?;
    let sizes = Distribution::from(inlet.size.as_ref().unwrap_or(&Quantity::Constant(1.0)));
    let count = match sizes {
        Distribution::Constant(_) => 1,
        _ => SIZES,
    };
    let mut stream = Stream::new(inlet.seed, Purpose::Radius);
    let (mut kinds, mut reach, mut turn) = (Vec::new(), 0.0_f64, DQuat::IDENTITY);
    for _ in 0..count {
        let scaled = (form.as_ref()).map(|form| form.scaled(stream.draw(&sizes), dimension));
        let Some(Form::Solid { solid, frame }) = scaled else {
            continue;
        };
        let given = match &inlet.mass {
            Some(Quantity::Constant(mass)) => Some(*mass),
            _ => None,
        };
        let size = (solid.volume(), dimension);
        let mass = mass::of_solid(sections, size, given, material, path)?;
        reach = reach.max(mould::reach(&solid, world.dimension));
        turn = frame.orientation;
        kinds.push((mould::shared(&solid, world), mass));
    }
    let orientation = match inlet.orientation {
        Some(OrientationSpec::Random) | None => None,
        Some(OrientationSpec::Aligned) => Some(turn),
        Some(OrientationSpec::Given(given)) => Some(convert::quaternion(Some(given)) * turn),
    };
    Ok((What::Solids { kinds, orientation }, reach))
}
