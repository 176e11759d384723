//! `granule list` and `granule schema`: what there is.

use crate::failure::{Failure, print_out};
use clap::ValueEnum;
use granule::law::{Elasticity, Friction, Interface, Law, LawName, LawTable, Strength};
use granule::problem::ProblemKind;
use granule::scheme::SchemeName;
use granule::solver::{Method, SolverConfig, solver};
use granule_io::measures::MEASURE_NOTES;
use granule_io::run::{
    CELL_COLUMNS, COLUMNS, COORDINATE_NOTES, EXCHANGE_COLUMNS, INLET_COLUMNS, JOINT_COLUMNS,
    LOAD_COLUMNS, OUTLET_COLUMNS,
};
use granule_io::scene;
use std::path::Path;

/// What can be listed.
#[derive(Clone, Copy, ValueEnum)]
pub enum What {
    /// How time is stepped
    Schemes,
    /// What a contact may transmit
    Laws,
    /// How the impulses are found
    Solvers,
    /// Shapes of bodies and walls
    Shapes,
    /// The scene files in ./scenes
    Scenes,
    /// The columns of series.csv, those of `[[measures]]` included
    Measures,
    /// Which law goes with which solver
    Combinations,
}

const SHAPES: [(&str, &str); 19] = [
    (
        "sphere",
        "bodies: a ball; in a plane a disk, on a line a segment [radius]",
    ),
    ("ellipsoid", "bodies: an ellipsoid [half_axes]"),
    (
        "superellipsoid",
        "bodies: an ellipsoid that is nearly a box or a cylinder [half_axes, exponents]",
    ),
    (
        "box",
        "bodies: a box, in a plane a rectangle, sharp or rounded [size, rounding]",
    ),
    (
        "capsule",
        "bodies: a cylinder with round ends, along z [radius, length]",
    ),
    (
        "cylinder",
        "bodies: a solid cylinder along z [radius, length]",
    ),
    (
        "cone",
        "bodies: a solid cone along z, whole or cut off [bottom_radius, top_radius, length]",
    ),
    (
        "hull",
        "bodies: the convex hull of points, sharp or rounded [points, rounding]",
    ),
    (
        "union",
        "bodies: convex shapes joined rigidly, also to hollow ones [parts]",
    ),
    (
        "mesh",
        "bodies: a solid from an STL or OBJ file, by its convex hull or in convex parts [file, scale, parts]",
    ),
    (
        "ellipse",
        "bodies in a plane: an ellipse or superellipse [half_axes, exponent]",
    ),
    (
        "polygon",
        "bodies in a plane: a convex polygon, sharp or rounded [corners, rounding]",
    ),
    ("half-space", "walls: solid below a plane [normal]"),
    (
        "cylinder",
        "walls: a round shell, open or closed at either end [radius, length, axis, bottom, top]",
    ),
    (
        "cone",
        "walls: a truncated conical shell (a funnel), open or closed at either end [bottom_radius, top_radius, \
         length, axis, bottom, top]",
    ),
    (
        "box",
        "walls: a box of thin faces, filled from inside; any face may be left open [size, open, orientation]",
    ),
    (
        "plate",
        "walls: a thin rectangle with two sides [width, height, normal, up]",
    ),
    (
        "block",
        "walls: a solid box that bodies touch from outside, as a blade or a step [size, orientation]",
    ),
    (
        "mesh",
        "walls: a thin surface from an STL or OBJ file, with two sides, open or closed [file, scale, orientation]",
    ),
];

/// Prints a list with one line an entry.
pub fn list(what: What) -> Result<(), Failure> {
    let lines: Vec<(String, String)> = match what {
        What::Schemes => named(SchemeName::ALL.map(|s| (s.name(), s.summary()))),
        What::Laws => named(LawName::ALL.map(|l| (l.name(), l.summary()))),
        What::Solvers => [Method::Usual]
            .into_iter()
            .chain(Method::ALL)
            .map(solver_line)
            .collect(),
        What::Shapes => named(SHAPES),
        What::Scenes => scenes(Path::new("scenes"))?,
        What::Measures => COLUMNS
            .iter()
            .map(|column| (column.name.to_owned(), column.note.to_owned()))
            .chain(LOAD_COLUMNS.iter().map(|column| {
                let note = format!("for each wall NAME of `forces_on`: {}", column.note);
                (format!("NAME{}", column.name), note)
            }))
            .chain(joint_lines())
            .chain(exchange_lines())
            .chain(measure_lines())
            .collect(),
        What::Combinations => combinations(),
    };
    let width = lines
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let text: String = lines
        .iter()
        .map(|(name, line)| format!("{name:width$}  {line}\n"))
        .collect();
    print_out(&text)
}

/// The columns of joints that have names.
fn joint_lines() -> impl Iterator<Item = (String, String)> {
    let carried = JOINT_COLUMNS.iter();
    let carried = carried.map(|column| (column.name, column.note));
    carried.chain(COORDINATE_NOTES).map(|(name, note)| {
        let note = format!("for each joint NAME of `[[joints]]`: {note}");
        (format!("NAME{name}"), note)
    })
}

/// The columns of runs whose bodies come and go, and of periodic cells.
fn exchange_lines() -> impl Iterator<Item = (String, String)> {
    let whole = EXCHANGE_COLUMNS.iter();
    let whole = whole.map(|column| {
        (
            column.name.to_owned(),
            "with inlets or outlets",
            column.note,
        )
    });
    let inlets = INLET_COLUMNS.iter();
    let inlets = inlets.map(|c| {
        (
            format!("NAME{}", c.name),
            "for each of `[[inlets]]`",
            c.note,
        )
    });
    let outlets = OUTLET_COLUMNS.iter();
    let outlets = outlets.map(|c| {
        (
            format!("NAME{}", c.name),
            "for each of `[[outlets]]`",
            c.note,
        )
    });
    let cell = CELL_COLUMNS.iter();
    let cell = cell.map(|c| (c.name.to_owned(), "with a periodic `[cell]`", c.note));
    let all = whole.chain(inlets).chain(outlets).chain(cell);
    all.map(|(name, of, note)| (name, format!("{of}: {note}")))
}

/// The columns of what scenes measure.
fn measure_lines() -> impl Iterator<Item = (String, String)> {
    let lines = MEASURE_NOTES.into_iter();
    lines.map(|(name, note)| {
        (
            name.to_owned(),
            format!("for each of `[[measures]]`: {note}"),
        )
    })
}

/// A solver, and the settings of `[solver]` that not every one reads.
fn solver_line(method: Method) -> (String, String) {
    let line = match method {
        // Those of the one that it stands for.
        Method::Usual => method.summary().to_owned(),
        _ => format!("{} [{}]", method.summary(), method.keys().join(", ")),
    };
    (method.name().to_owned(), line)
}

fn named<const N: usize>(entries: [(&str, &str); N]) -> Vec<(String, String)> {
    entries
        .map(|(name, line)| (name.to_owned(), line.to_owned()))
        .into()
}

fn scenes(folder: &Path) -> Result<Vec<(String, String)>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::Input(format!(
            "cannot read {}: {error}; run this command where the folder `scenes` is",
            folder.display()
        ))
    })?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    Ok(files
        .iter()
        .map(|path| {
            let line = match scene::load(path) {
                Ok(scene) => scene
                    .sections()
                    .scene
                    .description
                    .clone()
                    .unwrap_or_default(),
                Err(error) => format!("(not a valid scene: {})", error.reason()),
            };
            (path.display().to_string(), line)
        })
        .collect())
}

/// The table of combinations, asked of the solvers themselves.
fn combinations() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let plain = LawName::ALL.map(|name| {
        let law = name.with(Friction::sliding(0.5));
        (name.name().to_owned(), Interface::from(law))
    });
    let convex: Interface = Law::CoulombConvex(Friction::sliding(0.5)).into();
    let dilating = Interface {
        dilatancy: Some(0.2),
        ..convex
    };
    let springs = Interface {
        elasticity: Elasticity::springs(1e5, 1e5),
        ..convex
    };
    let capped = Interface {
        strength: Strength {
            cap: Some(1.0),
            ..springs.strength
        },
        ..springs
    };
    let more = [
        ("dilatancy", dilating),
        ("stiffness", springs),
        ("stiffness and cap", capped),
    ];
    let more = more.map(|(what, law)| (format!("{} and {what}", law.law.name()), law));
    let kinds = plain.into_iter().chain(more).map(|(name, interface)| {
        let table = LawTable::uniform(interface);
        (name, ProblemKind::of_laws(&table, 3))
    });
    let mut jointed = ProblemKind::of_laws(&LawTable::uniform(convex), 3);
    jointed.sets.free = true;
    let jointed = (format!("{} and joints", convex.law.name()), jointed);
    let mut driven = jointed.1;
    driven.sets.segment = true;
    let driven = (format!("{} and motors", convex.law.name()), driven);
    for (name, kind) in kinds.chain([jointed, driven]) {
        for method in Method::ALL {
            let solver = solver(&SolverConfig::named(method));
            let verdict = match solver.supports(&kind) {
                Ok(()) => "yes".to_owned(),
                Err(incompatible) => format!("no: {incompatible}"),
            };
            lines.push((format!("{name} with {}", method.name()), verdict));
        }
    }
    lines
}

/// Prints the JSON schema of scene files, or a page of their keys for people.
pub fn schema(page: bool) -> Result<(), Failure> {
    if page {
        return print_out(&scene::keys());
    }
    let text = serde_json::to_string_pretty(&scene::schema())
        .map_err(|error| Failure::Run(error.to_string()))?;
    print_out(&(text + "\n"))
}
