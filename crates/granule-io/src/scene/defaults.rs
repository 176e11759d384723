//! Fills in what a user may leave out.

use super::OutputPlan;
use super::grammar::{MassFrom, Material, Sections, Vector};
use granule::scheme::{SchemeConfig, SchemeName};

/// The material that exists when a scene names none, and that bodies without one are made of.
pub(crate) const DEFAULT_MATERIAL: &str = "default";

/// Fills in the defaults that depend on other keys. What stays `None` afterwards has no value to
/// write down (a mass that follows from the density, say).
pub(crate) fn fill(sections: &mut Sections) {
    let dimension = usize::from(sections.scene.dimension);
    let zero = || Vector(vec![0.0; dimension]);
    let end = sections.time.end;

    sections.scene.gravity.get_or_insert_with(|| {
        let mut gravity = zero();
        if dimension > 1 {
            gravity.0[dimension - 1] = -9.81;
        }
        gravity
    });
    if sections.time.cfl.is_some() {
        sections.time.max_step.get_or_insert(end / 100.0);
    }
    if sections.time.scheme == SchemeName::MoreauJean {
        let usual = SchemeConfig::named(SchemeName::MoreauJean);
        sections.time.theta.get_or_insert(usual.theta);
    }

    sections.contacts.law.get_or_insert_default();
    let kind = sections.problem_kind();
    sections.solver.fill(&kind);

    if sections.materials.is_empty() {
        sections
            .materials
            .insert(DEFAULT_MATERIAL.to_owned(), Material::default());
    }
    for material in sections.materials.values_mut() {
        material.mass_from.get_or_insert(match dimension {
            1 => MassFrom::Length,
            2 => MassFrom::Area,
            _ => MassFrom::Volume,
        });
    }
    let only = match sections.materials.len() {
        1 => sections.materials.keys().next().cloned(),
        _ => None,
    };
    let has_default = sections.materials.contains_key(DEFAULT_MATERIAL);
    let usual = if has_default {
        Some(DEFAULT_MATERIAL.to_owned())
    } else {
        only
    };
    let materials = sections.bodies.iter_mut().map(|body| &mut body.material);
    let materials = materials.chain(sections.walls.iter_mut().map(|wall| &mut wall.material));
    // Those of an earlier run have the materials that they had there.
    let grains = sections.grains.iter_mut();
    let grains = grains.filter(|grains| grains.run.is_none());
    let materials = materials.chain(grains.map(|grains| &mut grains.material));
    let inlets = sections.inlets.iter_mut();
    let materials = materials.chain(inlets.map(|inlet| &mut inlet.material));
    let mechanisms = sections.mechanisms.iter_mut();
    let materials = materials.chain(mechanisms.map(|mechanism| &mut mechanism.material));
    for material in materials.filter(|material| material.is_none()) {
        material.clone_from(&usual);
    }

    for wall in &mut sections.walls {
        wall.position.get_or_insert_with(zero);
        if let Some(cylinder) = &mut wall.cylinder {
            cylinder
                .axis
                .get_or_insert_with(|| Vector(vec![0.0, 0.0, 1.0]));
        }
        if let Some(cone) = &mut wall.cone {
            cone.axis.get_or_insert_with(|| match dimension {
                2 => Vector(vec![0.0, 1.0]),
                _ => Vector(vec![0.0, 0.0, 1.0]),
            });
        }
    }
    for body in sections
        .bodies
        .iter_mut()
        .filter(|body| body.motion.is_none())
    {
        body.velocity.get_or_insert_with(zero);
    }
    for grid in sections
        .grains
        .iter_mut()
        .filter_map(|grains| grains.grid.as_mut())
    {
        grid.origin.get_or_insert_with(zero);
    }

    let usual = OutputPlan::new(&sections.scene.name, end);
    let output = &mut sections.output;
    output.directory.get_or_insert(usual.directory);
    output.frame_interval.get_or_insert(usual.frame_interval);
    output.contacts.get_or_insert(usual.contacts);
    output
        .checkpoint_interval
        .get_or_insert(usual.checkpoint_interval);
}
