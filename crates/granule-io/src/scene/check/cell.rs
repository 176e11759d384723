//! Checks of `[cell]`.

use super::grains::corners;
use super::joints::function;
use super::values::positive_if_given;
use super::{Check, Rules};
use crate::scene::error::Problem;
use crate::scene::grammar::{AlongAxes, CellSpec, Sections};
use crate::scene::key_path::{KeyPath, key_path};

const NAMES: [&str; 3] = ["x", "y", "z"];

/// The cell, if there is one.
pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    let path = key_path!["cell"];
    let Some(cell) = &sections.cell else {
        return Ok(());
    };
    if rules.dimension == 1 {
        return Err(Problem::new(
            path,
            "a line cannot be periodic",
            "bodies in 1D keep their order",
        )
        .help("set `dimension = 2` or 3"));
    }
    corners(rules, [&cell.min, &cell.max], &path)?;
    axes(rules, cell, &path)?;
    if let Some(shear) = &cell.shear {
        let path = path.join("shear");
        if shear.flow == shear.gradient {
            return Err(Problem::new(
                path,
                "flow and gradient of a shear are two axes",
                "here they are one",
            )
            .help("for instance `flow = \"x\", gradient = \"y\"`"));
        }
        for (key, axis) in [("flow", shear.flow), ("gradient", shear.gradient)] {
            moves(rules, cell, axis.index(), &path.join(key))?;
        }
        function(&(&shear.rate).into(), &path.join("rate"))?;
    }
    for (key, given) in [("stress", &cell.stress), ("strain_rate", &cell.strain_rate)] {
        if let Some(given) = given {
            along(rules, cell, given, &path.join(key))?;
        }
    }
    if let (Some(stress), Some(strain)) = (&cell.stress, &cell.strain_rate) {
        let both = stress.all().into_iter().zip(strain.all());
        let mut both = both.map(|(stress, strain)| stress.is_some() && strain.is_some());
        if let Some(axis) = both.position(|twice| twice) {
            let name = NAMES[axis];
            return Err(Problem::new(
                path.join("strain_rate").join(name),
                format!("the faces along {name} cannot have both a stress and a rate of strain"),
                "the one follows from the other",
            )
            .also(path.join("stress").join(name), "the stress")
            .help("leave one of them out"));
        }
    }
    if cell.stress.is_some()
        && let Some(axis) = (0..rules.dimension).find(|&k| !cell.is_periodic(k, rules.dimension))
    {
        return Err(Problem::new(
            path.join("stress"),
            "a stress acts on the area of the faces",
            format!("the cell has no ends along {}", NAMES[axis]),
        )
        .help("make it periodic along all axes, or press with a wall: `[[servos]]`"));
    }
    positive_if_given(cell.mass, &path.join("mass"))?;
    excluded(sections)
}

/// What a periodic cell does not go with.
fn excluded(sections: &Sections) -> Check {
    let machines = [
        ("joints", sections.joints.len()),
        ("mechanisms", sections.mechanisms.len()),
        ("servos", sections.servos.len()),
        ("inlets", sections.inlets.len()),
    ];
    match machines.into_iter().find(|(_, count)| *count > 0) {
        None => Ok(()),
        Some((key, _)) => Err(Problem::new(
            key_path![key, 0],
            format!("`[[{key}]]` and a periodic `[cell]` do not go together"),
            "they know nothing of the images of grains",
        )
        .also(key_path!["cell"], "the cell")
        .help("leave one of them out")),
    }
}

/// The periodic axes are there, and there is at least one.
fn axes(rules: &Rules, cell: &CellSpec, path: &KeyPath) -> Check {
    let Some(names) = &cell.periodic else {
        return Ok(());
    };
    let path = path.join("periodic");
    if names.is_empty() {
        return Err(
            Problem::new(path, "the cell is not periodic along any axis", "empty")
                .help("name at least one, or leave `[cell]` out"),
        );
    }
    if let Some(name) = names.iter().find(|name| name.index() >= rules.dimension) {
        let name = NAMES[name.index()];
        return Err(Problem::new(
            path,
            format!("in {}D nothing moves along {name}", rules.dimension),
            "named here",
        )
        .help(format!("leave `{name}` out")));
    }
    Ok(())
}

/// The faces along an axis are there to be moved.
fn moves(rules: &Rules, cell: &CellSpec, axis: usize, path: &KeyPath) -> Check {
    if cell.is_periodic(axis, rules.dimension) {
        return Ok(());
    }
    let name = NAMES[axis];
    Err(Problem::new(
        path.clone(),
        format!("the cell is not periodic along {name}"),
        "it has no faces there",
    )
    .help(format!(
        "add `\"{name}\"` to `periodic`, or take another axis"
    )))
}

fn along(rules: &Rules, cell: &CellSpec, given: &AlongAxes, path: &KeyPath) -> Check {
    if given.all().iter().all(Option::is_none) {
        return Err(
            Problem::new(path.clone(), "along which axis?", "no axis is named")
                .help("for instance `{ y = 1000.0 }`"),
        );
    }
    for (axis, value) in given.all().into_iter().enumerate() {
        if let Some(value) = value {
            let path = path.join(NAMES[axis]);
            moves(rules, cell, axis, &path)?;
            function(&value.into(), &path)?;
        }
    }
    Ok(())
}
