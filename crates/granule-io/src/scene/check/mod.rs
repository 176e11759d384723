//! Checks of a scene's values, before anything is built from them.

mod bodies;
mod bonds;
mod cell;
mod contacts;
mod exchange;
mod forces;
pub(crate) mod grains;
pub(crate) mod joints;
mod measures;
mod mechanisms;
mod run;
mod servos;
mod shapes;
mod springs;
mod values;
mod walls;

pub(crate) use values::Rules;

use super::error::Problem;
use super::grammar::Sections;
use super::key_path::{KeyPath, key_path};

/// The most bodies of a scene: beyond it the arrays of one machine are full.
pub(crate) const MOST_BODIES: u64 = 20_000_000;

type Check = Result<(), Problem>;

/// What must hold before defaults can be filled in.
pub(crate) fn before_defaults(sections: &Sections) -> Check {
    let value = toml::Value::try_from(sections).map_err(|error| {
        Problem::new(
            key_path![],
            format!("the scene cannot be written as TOML: {error}"),
            "",
        )
        .help("use integers below 2^63 and paths and texts that are valid Unicode")
    })?;
    every_number_is_usable(&value, &key_path![])?;
    run::dimension(&sections.scene)?;
    run::time(&sections.time)
}

/// Everything else.
pub(crate) fn all(sections: &Sections) -> Check {
    let rules = Rules::new(sections);
    run::general(&rules, sections)?;
    run::scheme(&sections.time)?;
    contacts::materials(sections)?;
    contacts::contacts(&rules, sections)?;
    run::flow(sections)?;
    run::knobs(sections)?;
    run::output(&sections.output)?;
    for (k, body) in sections.bodies.iter().enumerate() {
        bodies::body(&rules, body, &key_path!["bodies", k])?;
    }
    bonds::pairs(sections)?;
    forces::all(&rules, sections)?;
    for (k, wall) in sections.walls.iter().enumerate() {
        walls::wall(&rules, wall, &key_path!["walls", k])?;
    }
    walls::names(sections)?;
    mechanisms::all(&rules, sections)?;
    joints::all(&rules, sections)?;
    servos::all(&rules, sections)?;
    for (k, grains) in sections.grains.iter().enumerate() {
        grains::grains(&rules, grains, &key_path!["grains", k])?;
    }
    exchange::all(&rules, sections)?;
    cell::all(&rules, sections)?;
    measures::all(&rules, sections)?;
    let listed = sections.bodies.len() + sections.mechanisms.len() + sections.inlets.len();
    if listed == 0 && sections.grains.is_empty() {
        return Err(Problem::new(
            key_path!["scene"],
            "the scene has no bodies",
            "there is neither `[[bodies]]` nor `[[grains]]` nor `[[mechanisms]]` nor `[[inlets]]`",
        )
        .help(
            "add a body, for instance\n[[bodies]]\nsphere = { radius = 0.1 }\n\
             position = [0, 0, 1]",
        ));
    }
    Ok(())
}

/// TOML knows `nan` and `inf`; no key of a scene takes them. Numbers beyond 1e30 would overflow
/// once squared and multiplied.
fn every_number_is_usable(value: &toml::Value, path: &KeyPath) -> Check {
    match value {
        toml::Value::Float(number) if !number.is_finite() => Err(Problem::new(
            path.clone(),
            format!("`{}` is not a finite number", path.name()),
            format!("{number} is not finite"),
        )),
        toml::Value::Float(number) if number.abs() > 1e30 => Err(Problem::new(
            path.clone(),
            format!("`{}` is too large to compute with", path.name()),
            "beyond 1e30",
        )),
        toml::Value::Array(values) => values
            .iter()
            .enumerate()
            .try_for_each(|(k, value)| every_number_is_usable(value, &path.join(k))),
        toml::Value::Table(table) => table
            .iter()
            .try_for_each(|(key, value)| every_number_is_usable(value, &path.join(key.as_str()))),
        _ => Ok(()),
    }
}
