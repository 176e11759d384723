//! Checks of `[scene]`, `[time]`, `[solver]`, `[materials]`, `[contacts]` and `[output]`.

use super::values::{positive, positive_if_given};
use super::{Check, Rules};
use crate::scene::error::Problem;
use crate::scene::grammar::{General, Output, Sections, Time};
use crate::scene::key_path::{KeyPath, key_path};
use granule::law::{Friction, LawName};
use granule::solver::SolverConfig;

/// The most steps of a run; more would take longer than anybody waits.
const MOST_STEPS: f64 = 1e12;

pub(super) fn dimension(scene: &General) -> Check {
    match scene.dimension {
        1..=3 => Ok(()),
        other => Err(Problem::new(
            key_path!["scene", "dimension"],
            "`dimension` must be 1, 2 or 3",
            format!("{other} is not"),
        )),
    }
}

pub(super) fn time(time: &Time) -> Check {
    let end_path = key_path!["time", "end"];
    positive(time.end, &end_path)?;
    positive_if_given(time.step, &key_path!["time", "step"])?;
    positive_if_given(time.cfl, &key_path!["time", "cfl"])?;
    positive_if_given(time.max_step, &key_path!["time", "max_step"])?;
    match (time.step, time.cfl) {
        (Some(_), Some(_)) => Err(Problem::new(
            key_path!["time", "cfl"],
            "`step` and `cfl` are both given",
            "a second rule for the step",
        )
        .also(key_path!["time", "step"], "the first one")
        .help("keep `step` for steps of one length, or `cfl` for steps that follow the speed")),
        (None, None) => Err(Problem::new(
            key_path!["time"],
            "the length of steps is not given",
            "neither `step` nor `cfl`",
        )
        .help("add `step = 1e-3` (s), or `cfl = 0.2` for steps that follow the speed")),
        (Some(step), None) if step > time.end => Err(Problem::new(
            key_path!["time", "step"],
            format!("`step` is longer than the whole run of {} s", time.end),
            format!("{step} s"),
        )
        .help("make `step` at most `end`")),
        (Some(step), None) if time.end / step > MOST_STEPS => Err(Problem::new(
            key_path!["time", "step"],
            format!("the run would take {:.1e} steps", time.end / step),
            "too short",
        )
        .help("make `step` longer or `end` earlier: at most 1e12 steps")),
        (Some(_), None) if time.max_step.is_some() => Err(Problem::new(
            key_path!["time", "max_step"],
            "`max_step` has a meaning only with `cfl`",
            "the step is given by `step`",
        )
        .help("remove `max_step`, or replace `step` by `cfl`")),
        _ => Ok(()),
    }
}

pub(super) fn general(rules: &Rules, sections: &Sections) -> Check {
    let name = &sections.scene.name;
    let bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    if name.trim().is_empty() || name.starts_with('.') || name.chars().any(bad) {
        return Err(Problem::new(
            key_path!["scene", "name"],
            "`name` cannot name a folder",
            "not usable in a path",
        )
        .help("use letters, digits, `-` and `_`, as in `name = \"box_drop\"`"));
    }
    if let Some(gravity) = &sections.scene.gravity {
        rules.vector(gravity, &key_path!["scene", "gravity"])?;
    }
    SolverConfig::from(&sections.solver)
        .validate()
        .map_err(|(key, reason)| {
            Problem::new(
                key_path!["solver", key],
                format!("`{key}` {reason}"),
                "out of range",
            )
        })
}

pub(super) fn contacts(rules: &Rules, sections: &Sections) -> Check {
    for (name, material) in &sections.materials {
        let path = key_path!["materials", name.as_str()];
        positive(material.density, &path.join("density"))?;
    }
    if sections.materials.len() > usize::from(u16::MAX) {
        return Err(
            Problem::new(key_path!["materials"], "too many materials", "above 65535")
                .help("give bodies that touch in the same way the same material"),
        );
    }
    let contacts = &sections.contacts;
    let path = key_path!["contacts", "candidate_distance"];
    positive_if_given(contacts.candidate_distance, &path)?;
    coefficients(
        contacts.law,
        contacts.coefficients(),
        &key_path!["contacts"],
        true,
    )?;
    for (k, pair) in contacts.pairs.iter().enumerate() {
        let path = key_path!["contacts", "pairs", k];
        for (side, name) in pair.between.iter().enumerate() {
            rules.material(Some(name), &path.join("between").join(side))?;
        }
        let [a, b] = &pair.between;
        let same = |other: &[String; 2]| {
            (&other[0], &other[1]) == (a, b) || (&other[1], &other[0]) == (a, b)
        };
        if let Some(first) = contacts.pairs[..k]
            .iter()
            .position(|other| same(&other.between))
        {
            return Err(Problem::new(
                path,
                format!("the law between `{a}` and `{b}` is given twice"),
                "again here",
            )
            .also(key_path!["contacts", "pairs", first], "first here")
            .help("keep one of the two"));
        }
        let name = contacts.name_of(pair);
        coefficients(name, pair.coefficients(), &path, pair.law.is_some())?;
        let frictions = [contacts.law, name].map(|name| name != LawName::Frictionless);
        if frictions == [true, true] && name != contacts.law {
            return Err(Problem::new(
                path.join("law"),
                "`coulomb` and `coulomb-convex` do not mix",
                format!("`{}` in `[contacts]`", contacts.law.name()),
            )
            .help("a step is one convex problem or one exact one: use the same of the two for all pairs"));
        }
    }
    Ok(())
}

/// Checks the coefficients of a law; `named` tells whether the law is named at the same place.
fn coefficients(law: LawName, given: [Option<f64>; 3], path: &KeyPath, named: bool) -> Check {
    let keys = ["friction", "rolling_friction", "spinning_friction"];
    if law == LawName::Frictionless {
        let Some(k) = given.iter().position(Option::is_some) else {
            return Ok(());
        };
        return Err(Problem::new(
            path.join(keys[k]),
            "a frictionless law has no coefficients",
            "not used",
        )
        .help("leave it out, or set `law = \"coulomb\"`"));
    }
    let [sliding, rolling, spinning] = given.map(Option::unwrap_or_default);
    let friction = Friction {
        sliding,
        rolling,
        spinning,
    };
    if let Err((key, reason)) = friction.validate() {
        let help = "coefficients are not negative; dry grains have `friction` between 0.2 and 0.8";
        return Err(Problem::new(path.join(key), format!("`{key}` {reason}"), "here").help(help));
    }
    if given[0].is_none() {
        let place = if named {
            path.join("law")
        } else {
            path.clone()
        };
        return Err(Problem::new(
            place,
            format!("`{}` needs a coefficient of friction", law.name()),
            "`friction` is missing",
        )
        .help("add `friction = 0.5`, or use `law = \"frictionless\"`"));
    }
    Ok(())
}

pub(super) fn output(output: &Output) -> Check {
    positive_if_given(
        output.frame_interval,
        &key_path!["output", "frame_interval"],
    )?;
    positive_if_given(
        output.checkpoint_interval,
        &key_path!["output", "checkpoint_interval"],
    )
}
