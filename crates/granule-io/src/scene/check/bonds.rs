//! Checks of bonds: the key `bond` of `[contacts]` and its pairs, and `[[bonds]]`.

use super::{Check, Rules};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{BondSpec, Sections, SpringKeys};
use crate::scene::key_path::{KeyPath, key_path};
use crate::scene::{convert, generate};
use granule::law::Bond;

/// The numbers of a bond make sense, and all of them have an effect. `path` leads to what the bond is a key of.
pub(super) fn bond(
    rules: &Rules,
    sections: &Sections,
    given: Option<BondSpec>,
    springs: &SpringKeys,
    path: &KeyPath,
) -> Check {
    let Some(bond) = given else {
        return Ok(());
    };
    let path = path.join("bond");
    let problem = |key: &str, reason: String, label: &str| {
        Problem::new(path.join(key), format!("`{key}` {reason}"), label)
    };
    if let Err((key, reason)) = Bond::from(bond).validate() {
        return Err(problem(key, reason, "out of range").help(
            "a bond has a `pull` (N) above zero; leave out the other keys for directions that it does not hold",
        ));
    }
    if let Some(key) = springs.yields() {
        return Err(Problem::new(
            path.clone(),
            format!("`bond` does not go with `{key}`: the set of a bonded contact is a cone"),
            format!("beside `{key}`"),
        )
        .help(format!(
            "leave `{key}` out, or give it to another pair of materials"
        )));
    }
    let locked = sections.scene.lock_rotation;
    let useless = [
        (
            "shear",
            bond.shear,
            rules.dimension == 1,
            "bodies on a line have one direction",
        ),
        (
            "bending",
            bond.bending,
            rules.dimension == 1 || locked,
            "bodies do not turn",
        ),
        (
            "torsion",
            bond.torsion,
            rules.dimension < 3 || locked,
            "bodies do not turn about a normal",
        ),
        (
            "slip",
            bond.slip,
            bond.shear == 0.0,
            "without `shear` it slides freely",
        ),
        (
            "turn",
            bond.turn,
            bond.bending + bond.torsion == 0.0,
            "without `bending` and `torsion` it turns freely",
        ),
    ];
    for (key, value, idle, why) in useless {
        if value > 0.0 && idle {
            let reason = format!("has no effect: {why}");
            return Err(problem(key, reason, "not used").help(format!("leave `{key}` out")));
        }
    }
    if bond.within.is_none() && sections.bonds.is_empty() {
        return Err(Problem::new(
            path,
            "`bond` has no effect: nothing says what is bonded",
            "without `within`",
        )
        .help(
            "add `within = 1e-6` (m) to bond all pairs that are nearer at the start, or list them as \
             `[[bonds]]` with `between = [\"a\", \"b\"]`",
        ));
    }
    Ok(())
}

/// Names of bodies are there once, and `[[bonds]]` join spheres that can be bonded.
pub(super) fn pairs(sections: &Sections) -> Check {
    let names: Vec<(usize, &str)> = (sections.bodies.iter().enumerate())
        .filter_map(|(k, body)| Some((k, body.name.as_deref()?)))
        .collect();
    for (place, (k, name)) in names.iter().enumerate() {
        if let Some((first, _)) = names[..place].iter().find(|(_, other)| other == name) {
            return Err(Problem::new(
                key_path!["bodies", *k, "name"],
                format!("two bodies are called `{name}`"),
                "again here",
            )
            .also(key_path!["bodies", *first, "name"], "first here")
            .help("give each body a name of its own"));
        }
    }
    let known: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    for (k, pair) in sections.bonds.iter().enumerate() {
        let path = key_path!["bonds", k, "between"];
        let mut places = [0; 2];
        for (side, name) in pair.between.iter().enumerate() {
            let Some((place, _)) = names.iter().find(|(_, other)| other == name) else {
                return Err(Problem::new(
                    path.join(side),
                    format!("there is no body `{name}`"),
                    "not a name of any of `[[bodies]]`",
                )
                .help(format!(
                    "{}; or add `name = \"{name}\"` to the body that is meant",
                    suggestion(name, &known, "body")
                )));
            };
            places[side] = *place;
        }
        joined(sections, places, &path)?;
    }
    Ok(())
}

/// The bodies at these places of `[[bodies]]` can be bonded.
fn joined(sections: &Sections, [a, b]: [usize; 2], path: &KeyPath) -> Check {
    if a == b {
        let problem = Problem::new(
            path.clone(),
            "a body is not bonded to itself",
            "twice the same",
        );
        return Err(problem.help("name two bodies"));
    }
    let (one, other) = (&sections.bodies[a], &sections.bodies[b]);
    let mut radii = [0.0; 2];
    for (side, body) in [one, other].into_iter().enumerate() {
        let Some(sphere) = body.sphere else {
            return Err(Problem::new(
                path.join(side),
                "bonds join spheres",
                "a body of another shape",
            )
            .help("make a body of several parts of it, `union = { parts = […] }`"));
        };
        radii[side] = sphere.radius;
    }
    if one.motion.is_some() && other.motion.is_some() {
        return Err(Problem::new(
            path.clone(),
            "the bond has no effect: both bodies move as prescribed",
            "nothing to hold",
        )
        .help("leave it out"));
    }
    let number = |name: Option<&str>| generate::material_index(sections, name);
    let laws = sections.contacts.table(|name| number(Some(name)));
    let (first, second) = (
        number(one.material.as_deref()),
        number(other.material.as_deref()),
    );
    if laws.between(first, second).bond.is_none() {
        return Err(Problem::new(
            path.clone(),
            "nothing says how strong this bond is",
            "no `bond` between the materials of the two",
        )
        .help(
            "add `bond = { pull = 10, shear = 5 }` (N) to `[contacts]` or to the pair of materials",
        ));
    }
    let distance = convert::vector(&one.position).distance(convert::vector(&other.position));
    let gap = distance - radii[0] - radii[1];
    let widest = radii[0].min(radii[1]);
    if gap > widest {
        return Err(Problem::new(
            path.clone(),
            "the two are too far apart to be bonded",
            format!("the gap is {gap:.6} m"),
        )
        .help(format!(
            "a bond bridges at most the smaller radius, {widest} m: move them nearer, or put a body between them"
        )));
    }
    Ok(())
}
