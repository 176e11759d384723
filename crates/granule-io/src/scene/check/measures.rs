//! Checks of `[[measures]]`.

use super::grains::{box_region, cylinder_region};
use super::values::{exactly_one, positive, positive_if_given};
use super::{Check, Rules};
use crate::measures::{Formula, Measure, is_usable};
use crate::run::{
    CELL_COLUMNS, COLUMNS, COORDINATE_NOTES, JOINT_COLUMNS, LOAD_COLUMNS, exchange_names,
};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{BoxRegion, GridSpec, MeasureRegion, MeasureSpec, Sections, Vector};
use crate::scene::key_path::{KeyPath, key_path};
use crate::scene::{convert, exchange, measures};

/// The most cells, bins and slices of a measure: more would be no small file.
const MOST_CELLS: u64 = 1_000_000;

pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    let mut known = columns_of_run(sections);
    for (k, spec) in sections.measures.iter().enumerate() {
        let path = key_path!["measures", k];
        name(sections, k)?;
        keys(rules, spec, &path)?;
        let Some(measure) = measures::one(sections, spec) else {
            return Err(no_slices(&path.join("profile")));
        };
        if let Some(formula) = &spec.expression {
            expression(formula, &known, &path.join("expression"))?;
        }
        known.extend(new_columns(&measure, rules, &known, &path)?);
    }
    Ok(())
}

/// The names, without units, of the columns that stand before those of measures.
fn columns_of_run(sections: &Sections) -> Vec<String> {
    let base = |column: &str| column.split('[').next().unwrap_or_default().to_owned();
    let usual = COLUMNS.iter().map(|column| base(column.name));
    let walls = sections.output.forces_on.iter().flatten();
    let loads = walls.flat_map(|wall| {
        let ends = LOAD_COLUMNS.iter();
        ends.map(move |column| format!("{wall}{}", base(column.name)))
    });
    let mut known: Vec<String> = usual.chain(loads).collect();
    let joints = sections
        .joints
        .iter()
        .filter_map(|joint| joint.name.clone());
    let servos = sections
        .servos
        .iter()
        .map(|servo| format!("{}_servo", servo.wall));
    for name in joints.chain(servos) {
        let carried = JOINT_COLUMNS.iter().map(|column| column.name);
        // Which of the coordinates there are depends on the joint, and is found out when it is made.
        let all = carried.chain(COORDINATE_NOTES.iter().map(|(end, _)| *end));
        known.extend(all.map(|end| format!("{name}{}", base(end))));
    }
    let inlets = exchange::inlet_names(sections);
    let names = exchange_names(&inlets, &exchange::outlet_names(sections));
    known.extend(names.iter().map(|name| base(name)));
    if sections.cell.is_some() {
        known.extend(CELL_COLUMNS.iter().map(|column| base(column.name)));
    }
    known
}

fn name(sections: &Sections, k: usize) -> Check {
    let (name, path) = (&sections.measures[k].name, key_path!["measures", k, "name"]);
    if !is_usable(name) {
        return Err(Problem::new(
            path,
            "`name` of a measure cannot stand in formulas and name columns",
            "not letters, digits and `_`, a letter first, or the name of a function",
        )
        .help("use letters, digits and `_`, as in `name = \"outlet\"`"));
    }
    let mut before = sections.measures[..k].iter();
    match before.position(|other| other.name == *name) {
        None => Ok(()),
        Some(first) => Err(Problem::new(
            path,
            format!("two measures are called `{name}`"),
            "again here",
        )
        .also(key_path!["measures", first, "name"], "first here")
        .help("give each measure a name of its own")),
    }
}

/// The columns of a measure, none of which is there already.
fn new_columns(
    measure: &Measure,
    rules: &Rules,
    known: &[String],
    path: &KeyPath,
) -> Result<Vec<String>, Problem> {
    let columns = measure.columns(convert::dimension(rules.dimension as u8));
    let names = columns.iter().filter_map(|column| column.split('[').next());
    let names: Vec<String> = names.map(str::to_owned).collect();
    match names.iter().find(|name| known.contains(name)) {
        None => Ok(names),
        Some(twice) => Err(Problem::new(
            path.join("name"),
            format!("`series.csv` has a column `{twice}` already"),
            "would name a second one",
        )
        .help("use another name")),
    }
}

fn keys(rules: &Rules, spec: &MeasureSpec, path: &KeyPath) -> Check {
    let given = [
        ("flow", spec.flow.is_some()),
        ("stress", spec.stress.is_some()),
        ("stress-field", spec.stress_field.is_some()),
        ("solid-fraction", spec.solid_fraction.is_some()),
        ("coordination", spec.coordination.is_some()),
        ("profile", spec.profile.is_some()),
        ("mixing", spec.mixing.is_some()),
        ("force-distribution", spec.force_distribution.is_some()),
        ("repose", spec.repose.is_some()),
        ("displacement", spec.displacement.is_some()),
        ("expression", spec.expression.is_some()),
    ];
    exactly_one(&given, "what is measured", path)?;
    if let Some(flow) = &spec.flow {
        let path = path.join("flow");
        rules.vector(&flow.point, &path.join("point"))?;
        rules.direction(&flow.normal, &path.join("normal"))?;
        region(rules, flow.within.as_ref(), &path.join("within"))?;
    }
    let regions = [
        ("stress", &spec.stress),
        ("solid-fraction", &spec.solid_fraction),
        ("coordination", &spec.coordination),
    ];
    for (key, given) in regions {
        let given = given.as_ref().and_then(|given| given.region.as_ref());
        region(rules, given, &path.join(key).join("region"))?;
    }
    if let Some(field) = &spec.stress_field {
        grid(rules, field, &path.join("stress-field"))?;
    }
    if let Some(profile) = &spec.profile {
        let path = path.join("profile");
        region(rules, Some(&profile.region), &path.join("region"))?;
        rules.direction(&profile.axis, &path.join("axis"))?;
        count(u64::from(profile.bins), &path.join("bins"))?;
    }
    if let Some(mixing) = &spec.mixing {
        let path = path.join("mixing");
        grid(rules, &mixing.grid, &path.join("grid"))?;
        let kinds = [
            ("material", mixing.material.is_some()),
            ("larger_than", mixing.larger_than.is_some()),
        ];
        exactly_one(&kinds, "what tells the two kinds apart", &path)?;
        if mixing.material.is_some() {
            rules.material(mixing.material.as_deref(), &path.join("material"))?;
        }
        positive_if_given(mixing.larger_than, &path.join("larger_than"))?;
    }
    if let Some(forces) = &spec.force_distribution {
        let path = path.join("force-distribution");
        region(rules, forces.region.as_ref(), &path.join("region"))?;
        count(u64::from(forces.bins), &path.join("bins"))?;
        positive(forces.end, &path.join("end"))?;
    }
    if spec.repose.is_some() && rules.dimension == 1 {
        return Err(
            Problem::new(path.join("repose"), "there are no heaps on a line", "in 1D")
                .help("remove this measure"),
        );
    }
    of_some(spec, path)
}

/// Keys that only some measures have.
fn of_some(spec: &MeasureSpec, path: &KeyPath) -> Check {
    if let (Some(unit), formula) = (&spec.unit, &spec.expression) {
        let bad = |c: char| c.is_control() || matches!(c, '[' | ']' | ',' | '"');
        let (reason, label) = match formula {
            None => (
                "`unit` is for an `expression`: other measures have their own",
                "not used",
            ),
            Some(_) if unit.is_empty() || unit.contains(bad) => (
                "`unit` cannot stand in the header of `series.csv`",
                "empty, or with `[`, `]`, `,` or `\"`",
            ),
            Some(_) => return positive_if_given(spec.interval, &path.join("interval")),
        };
        return Err(Problem::new(path.join("unit"), reason, label)
            .help("remove it, or write it as in `unit = \"kg/s\"`"));
    }
    positive_if_given(spec.interval, &path.join("interval"))?;
    let has_file =
        spec.stress_field.is_some() || spec.profile.is_some() || spec.force_distribution.is_some();
    if spec.interval.is_some() && !has_file {
        return Err(Problem::new(
            path.join("interval"),
            "`interval` is for measures with a file of their own",
            "columns of `series.csv` have a value for every step",
        )
        .help("remove it"));
    }
    Ok(())
}

fn region(rules: &Rules, given: Option<&MeasureRegion>, path: &KeyPath) -> Check {
    match given {
        None => Ok(()),
        Some(MeasureRegion::Box(given)) => box_region(rules, given, &path.join("box")),
        Some(MeasureRegion::Cylinder(given)) => {
            cylinder_region(rules, given, &path.join("cylinder"))
        }
        Some(MeasureRegion::Sphere(given)) => {
            let path = path.join("sphere");
            rules.vector(&given.center, &path.join("center"))?;
            positive(given.radius, &path.join("radius"))
        }
    }
}

fn grid(rules: &Rules, given: &GridSpec, path: &KeyPath) -> Check {
    let corners = |vector: &Vector| vector.clone();
    let bounds = BoxRegion {
        min: corners(&given.min),
        max: corners(&given.max),
    };
    box_region(rules, &bounds, path)?;
    let (found, dimension) = (given.counts.len(), rules.dimension);
    let path = path.join("counts");
    if found != dimension {
        return Err(Problem::new(
            path,
            format!("`counts` must have {dimension} numbers in {dimension}D"),
            format!("{found} given"),
        )
        .help("give the number of cells along each axis"));
    }
    let cells = given.counts.iter().map(|&n| u64::from(n));
    count(cells.fold(1, u64::saturating_mul), &path)
}

fn count(cells: u64, path: &KeyPath) -> Check {
    let name = path.name();
    if (1..=MOST_CELLS).contains(&cells) {
        return Ok(());
    }
    Err(Problem::new(
        path.clone(),
        format!("`{name}` must make at least one and at most {MOST_CELLS} rows"),
        format!("{cells}"),
    )
    .help("give numbers such as 10 or 50"))
}

fn no_slices(path: &KeyPath) -> Problem {
    Problem::new(
        path.join("axis"),
        "slices go along an edge of a box, or along the axis of a cylinder",
        "not such an axis",
    )
    .help("use `axis = [0, 0, 1]` (or x or y) with a `box`, or the axis of the `cylinder`; a sphere has no slices")
}

fn expression(text: &str, known: &[String], path: &KeyPath) -> Check {
    let formula = Formula::parse(text).map_err(|reason| {
        Problem::new(
            path.clone(),
            format!("the formula cannot be read: {reason}"),
            "not a formula",
        )
        .help("write it as in `expression = \"outlet_total / time\"`")
    })?;
    let unknown = formula.names().iter().find(|name| !known.contains(name));
    match unknown {
        None => Ok(()),
        Some(name) => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Err(Problem::new(
                path.clone(),
                format!("there is no column `{name}`"),
                "not a column of `series.csv` that stands before this one",
            )
            .help(suggestion(name, &known, "column")))
        }
    }
}
