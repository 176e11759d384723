//! Checks of `[[forces]]`.

use super::grains::region;
use super::values::{exactly_one, not_negative, positive};
use super::{Check, Rules};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{DragSpec, Force, Sections};
use crate::scene::key_path::{KeyPath, key_path};
use granule::bodies::TimeFunction;

/// All of them.
pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    for (k, force) in sections.forces.iter().enumerate() {
        let path = key_path!["forces", k];
        kind(rules, force, &path)?;
        chosen(rules, sections, force, &path)?;
    }
    Ok(())
}

fn kind(rules: &Rules, force: &Force, path: &KeyPath) -> Check {
    let kinds = [
        ("direction", force.direction.is_some()),
        ("drag", force.drag.is_some()),
        ("buoyancy", force.buoyancy.is_some()),
        ("spring", force.spring.is_some()),
        ("central", force.central.is_some()),
        ("along", force.along.is_some()),
        ("torque", force.torque.is_some()),
    ];
    exactly_one(&kinds, "the kind of the force", path)?;
    match (&force.direction, &force.magnitude) {
        (None, None) => {}
        (Some(direction), Some(magnitude)) => {
            rules.vector(direction, &path.join("direction"))?;
            function(magnitude, &path.join("magnitude"))?;
        }
        (given, _) => {
            let (has, lacks) = match given {
                Some(_) => ("direction", "magnitude"),
                None => ("magnitude", "direction"),
            };
            return Err(Problem::new(
                path.join(has),
                format!("`{has}` needs `{lacks}`"),
                format!("no `{lacks}`"),
            )
            .help("as in `direction = [1, 0, 0]` and `magnitude = { constant = 2.0 }` (N)"));
        }
    }
    if let Some(given) = &force.drag {
        drag(rules, given, &path.join("drag"))?;
    }
    if let Some(medium) = &force.buoyancy {
        not_negative(medium.density, &path.join("buoyancy").join("density"))?;
    }
    if let Some(spring) = &force.spring {
        let path = path.join("spring");
        rules.vector(&spring.point, &path.join("point"))?;
        not_negative(spring.stiffness, &path.join("stiffness"))?;
        not_negative(spring.damping, &path.join("damping"))?;
    }
    if let Some(central) = &force.central {
        let path = path.join("central");
        rules.vector(&central.center, &path.join("center"))?;
        let lists = (central.distances.as_ref(), central.forces.as_ref());
        table(("distances", lists), central.file.is_some(), &path)?;
    }
    if let Some(along) = &force.along {
        let path = path.join("along");
        rules.direction(&along.axis, &path.join("axis"))?;
        if let Some(direction) = &along.direction {
            rules.direction(direction, &path.join("direction"))?;
        }
        let lists = (along.places.as_ref(), along.forces.as_ref());
        table(("places", lists), along.file.is_some(), &path)?;
    }
    if let Some(torque) = &force.torque {
        let path = path.join("torque");
        rules.axis(&torque.direction, &path.join("direction"))?;
        function(&torque.magnitude, &path.join("magnitude"))?;
    }
    Ok(())
}

fn drag(rules: &Rules, drag: &DragSpec, path: &KeyPath) -> Check {
    let fluid = drag.density.is_some() || drag.viscosity.is_some();
    let kinds = [
        ("linear", drag.linear.is_some()),
        ("quadratic", drag.quadratic.is_some()),
        ("density", fluid),
    ];
    exactly_one(&kinds, "the law of the drag", path)?;
    let numbers = [
        ("linear", drag.linear),
        ("quadratic", drag.quadratic),
        ("density", drag.density),
    ];
    for (key, value) in numbers {
        value.map_or(Ok(()), |value| not_negative(value, &path.join(key)))?;
    }
    if let Some(viscosity) = drag.viscosity {
        positive(viscosity, &path.join("viscosity"))?;
    }
    if fluid && rules.dimension != 3 {
        return Err(
            Problem::new(path.clone(), "a fluid flows in 3D", "not in 3D")
                .help("use `linear` (kg/s) or `quadratic` (kg/m)"),
        );
    }
    if fluid && (drag.density.is_none() || drag.viscosity.is_none()) {
        return Err(Problem::new(
            path.clone(),
            "a fluid has a `density` and a `viscosity`",
            "one of them is missing",
        )
        .help("for water `density = 1000` (kg/m³) and `viscosity = 1e-3` (Pa s)"));
    }
    match &drag.flow {
        Some(flow) => rules.vector(flow, &path.join("flow")),
        None => Ok(()),
    }
}

type Lists<'a> = (Option<&'a Vec<f64>>, Option<&'a Vec<f64>>);

/// Two lists of the same length, the first increasing; or a file.
fn table((key, (places, forces)): (&str, Lists<'_>), file: bool, path: &KeyPath) -> Check {
    let kinds = [(key, places.is_some()), ("file", file)];
    exactly_one(&kinds, "the values of the force", path)?;
    let Some(places) = places else {
        return Ok(());
    };
    let count = forces.map_or(0, Vec::len);
    if places.is_empty() || count != places.len() {
        return Err(Problem::new(
            path.join(key),
            format!("there must be one of `forces` for each of `{key}`"),
            format!("{} and {count} given", places.len()),
        )
        .help("give as many forces (N) as places (m), at least one"));
    }
    match places.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(()),
        false => Err(Problem::new(
            path.join(key),
            format!("`{key}` must increase"),
            "not sorted",
        )
        .help("sort them, with the forces that belong to them")),
    }
}

fn function(function: &TimeFunction, path: &KeyPath) -> Check {
    function.validate().map_err(|reason| {
        Problem::new(path.clone(), "this is not a function of time", reason).help(
            "for instance `magnitude = { piecewise = { times = [0, 1, 2], values = [5, -5] } }`: \
             the value 5 from 0 to 1 s, -5 from 1 to 2 s, zero elsewhere",
        )
    })
}

/// Which bodies it acts on.
fn chosen(rules: &Rules, sections: &Sections, force: &Force, path: &KeyPath) -> Check {
    if force.material.is_some() {
        rules.material(force.material.as_deref(), &path.join("material"))?;
    }
    if force.direction.is_some() {
        let keys = [
            ("bodies", force.bodies.is_some()),
            ("region", force.region.is_some()),
        ];
        if let Some((key, _)) = keys.iter().find(|(_, given)| *given) {
            return Err(Problem::new(
                path.join(*key),
                format!("`{key}` does not go with `direction`"),
                "acts on all of a material",
            )
            .help("use `along = { axis, places = [0], forces = [2], direction }` for a constant force (N)"));
        }
    }
    if let Some(given) = &force.region {
        region(rules, given, &path.join("region"))?;
    }
    let known: Vec<&str> = (sections.bodies.iter())
        .filter_map(|body| body.name.as_deref())
        .collect();
    for (k, name) in force.bodies.iter().flatten().enumerate() {
        if !known.contains(&name.as_str()) {
            return Err(Problem::new(
                path.join("bodies").join(k),
                format!("there is no body `{name}`"),
                "not a name of any of `[[bodies]]`",
            )
            .help(suggestion(name, &known, "body")));
        }
    }
    Ok(())
}
