//! Checks of `[scene]`, `[time]`, `[solver]` and `[output]`.

use super::values::{positive, positive_if_given};
use super::{Check, Rules};
use crate::scene::error::Problem;
use crate::scene::grammar::{General, Output, Sections, Time};
use crate::scene::key_path::key_path;
use granule::law::Flow;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::solver::{Idle, Method, solver};

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

/// The knobs of the scheme are its own, and in their ranges.
pub(super) fn scheme(time: &Time) -> Check {
    let name = time.scheme.name();
    if time.theta.is_some() && time.scheme != SchemeName::MoreauJean {
        return Err(Problem::new(
            key_path!["time", "theta"],
            format!("`theta` has no effect with `{name}`"),
            "not used",
        )
        .help("leave it out, or set `scheme = \"moreau-jean\"`"));
    }
    SchemeConfig::from(time)
        .validate()
        .map_err(|(key, reason)| {
            let (label, help) = match key {
                "theta" => (
                    "out of range",
                    "0.5 keeps the energy of elastic impacts; 1 is the implicit method",
                ),
                _ => (
                    "not of this scheme",
                    "use `recovery = \"position\"`, or another `scheme`",
                ),
            };
            let path = key_path!["time", key];
            Problem::new(path, format!("`{key}` {reason}"), label).help(help)
        })
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
    let solver = &sections.solver.config;
    solver.validate().map_err(|(key, reason)| {
        Problem::new(
            key_path!["solver", key],
            format!("`{key}` {reason}"),
            "out of range",
        )
    })
}

/// The method knows flows that are not normal to the cone, where there are any.
pub(super) fn flow(sections: &Sections) -> Check {
    let (config, kind) = (&sections.solver.config, sections.problem_kind());
    match kind.flow {
        Flow::Associated | Flow::Exact => Ok(()),
        Flow::Skewed => solver(config).supports(&kind).map_err(|no| {
            Problem::new(
                key_path!["solver", "method"],
                format!("{}: {}", no.what, no.why),
                "cannot",
            )
            .help(format!("use {}", no.try_instead))
        }),
    }
}

/// Every key of `[solver]` has an effect with its method, its law and the others.
pub(super) fn knobs(sections: &Sections) -> Check {
    let (solver, kind) = (&sections.solver, sections.problem_kind());
    let given = solver.given_keys();
    let mut idle = given.filter_map(|key| Some((key, solver.config.idle(key, &kind)?)));
    let Some((name, Idle { reason, remedy })) = idle.next() else {
        return Ok(());
    };
    let usual = Method::usual(&kind);
    let mut problem = Problem::new(
        key_path!["solver", name],
        format!("`{name}` has no effect {reason}"),
        "not used",
    )
    .help(format!("leave it out, or {remedy}"));
    if solver.config.method() == usual && !usual.keys().contains(&name) {
        problem = problem.note(format!(
            "where no `method` is given it is `{}` with this law",
            usual.name()
        ));
    }
    for (other, Idle { reason, .. }) in idle {
        let label = format!("nor has this an effect {reason}");
        problem = problem.also(key_path!["solver", other], label);
    }
    Err(problem)
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
