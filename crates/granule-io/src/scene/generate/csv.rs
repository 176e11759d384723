//! Grains from a table.

use super::{Context, Failure, Grain, Mould};
use crate::scene::check::grains::given_twice;
use crate::scene::diagnose::suggestion;
use crate::scene::error::{Problem, SceneError};
use crate::scene::grammar::{CsvSource, Grains};
use crate::scene::key_path::KeyPath;
use granule::math::{DQuat, DVec3};
use std::ops::Range;
use std::path::Path;

/// The columns that are known.
const COLUMNS: [&str; 16] = [
    "x", "y", "z", "r", "s", "m", "q0", "q1", "q2", "q3", "vx", "vy", "vz", "wx", "wy", "wz",
];

/// The grains, in the order of the rows.
pub(super) fn generate(
    grains: &Grains,
    source: &CsvSource,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Vec<Grain>, Failure> {
    let file = context.folder.join(&source.file);
    let text = std::fs::read(&file).map_err(|error| {
        Problem::new(
            path.join("csv").join("file"),
            format!("cannot read `{}`: {error}", file.display()),
            "this file",
        )
        .help("names of files are relative to the folder of the scene file; check the spelling")
    })?;
    let table = Table {
        file: &file,
        text: String::from_utf8_lossy(&text).into_owned(),
    };
    let rows = table.rows(context.dimension).map_err(Failure::File)?;
    let (Some(columns), rows) = (rows.columns, rows.rows) else {
        return Ok(Vec::new());
    };

    // What both the file and the scene say is said once too often.
    for (key, column, here) in [
        ("radius", "r", grains.radius.is_some()),
        ("size", "s", grains.size.is_some()),
        ("orientation", "q0", grains.orientation.is_some()),
        ("mass", "m", grains.mass.is_some()),
        ("velocity", "vx", grains.velocity.is_some()),
        ("angular_velocity", "wx", grains.angular_velocity.is_some()),
    ] {
        if here && columns.has(column) {
            return Err(given_twice(key, path).into());
        }
    }
    // Spheres have radii, other shapes have sizes.
    let (own, foreign) = match &grains.shape {
        Some(_) => ("s", "r"),
        None => ("r", "s"),
    };
    let wrong = |reason: String, label: &str, help: &str| {
        let error = table.error(columns.header.clone(), reason, label);
        Err(Failure::File(error.help_with(help)))
    };
    if columns.has(foreign) {
        return wrong(
            format!("the column `{foreign}` has no meaning here"),
            match foreign {
                "r" => "the grains have a `shape`, and no radius",
                _ => "the grains are spheres",
            },
            "spheres have a column `r` (m), grains with a `shape` a column `s`: what its lengths are multiplied by",
        );
    }
    if own == "r" && !columns.has("r") && grains.radius.is_none() {
        return wrong(
            "the column `r` is missing".to_owned(),
            "no radii",
            "add a column `r` (m) to the file, or `radius` to the grains in the scene",
        );
    }
    let mut made = Vec::with_capacity(rows.len());
    for row in &rows {
        let drawn = (!columns.has(own)).then(|| mould.draw_size());
        let entry = row.entry(&table, &columns, context.dimension, own, drawn);
        let entry = entry.map_err(Failure::File)?;
        let cast = mould.cast(entry.size, entry.orientation);
        made.push(Grain {
            mass: entry.mass,
            velocity: entry.velocity,
            angular_velocity: entry.angular_velocity,
            ..Grain::new(entry.position + cast.offset, cast)
        });
    }
    Ok(made)
}

/// A table and where it is.
struct Table<'a> {
    file: &'a Path,
    text: String,
}

/// Where each known column is.
struct Columns {
    places: [Option<usize>; COLUMNS.len()],
    header: Range<usize>,
}

impl Columns {
    fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        COLUMNS
            .iter()
            .position(|known| *known == name)
            .and_then(|k| self.places[k])
    }
}

/// What a row says of a grain.
struct Entry {
    position: DVec3,
    size: f64,
    mass: Option<f64>,
    velocity: Option<DVec3>,
    angular_velocity: Option<DVec3>,
    orientation: Option<DQuat>,
}

/// A row: the bytes of its fields, and its numbers.
struct Row {
    fields: Vec<Range<usize>>,
    numbers: Vec<f64>,
}

struct Rows {
    columns: Option<Columns>,
    rows: Vec<Row>,
}

/// An error without its remedy.
struct Unmended<'a> {
    table: &'a Table<'a>,
    span: Range<usize>,
    reason: String,
    label: String,
}

impl Unmended<'_> {
    fn help_with(self, help: impl Into<String>) -> SceneError {
        SceneError::about_file(self.table.file, self.reason, help).at(
            &self.table.text,
            self.span,
            self.label,
        )
    }
}

impl Table<'_> {
    fn error(
        &self,
        span: Range<usize>,
        reason: impl Into<String>,
        label: impl Into<String>,
    ) -> Unmended<'_> {
        Unmended {
            table: self,
            span,
            reason: reason.into(),
            label: label.into(),
        }
    }

    /// The lines that are neither empty nor comments, as bytes.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        self.text
            .split_inclusive('\n')
            .map(move |line| {
                let span = start..start + line.trim_end_matches(['\n', '\r']).len();
                start += line.len();
                span
            })
            .filter(|span| {
                let line = self.text[span.clone()].trim();
                !line.is_empty() && !line.starts_with('#')
            })
    }

    /// The fields of a line, without the blanks around them, as bytes.
    fn fields(&self, line: Range<usize>) -> Vec<Range<usize>> {
        let mut start = line.start;
        self.text[line]
            .split(',')
            .map(|field| {
                let left = field.len() - field.trim_start().len();
                let span = start + left..start + left + field.trim().len();
                start += field.len() + 1;
                span
            })
            .collect()
    }

    fn rows(&self, dimension: usize) -> Result<Rows, SceneError> {
        let mut lines = self.lines();
        let Some(header) = lines.next() else {
            return Err(self
                .error(0..0, "the table is empty", "no header")
                .help_with("start with a header line such as `x,y,z,r,m`"));
        };
        let columns = self.columns(header.clone(), dimension)?;
        let width = self.fields(header).len();
        let mut rows = Vec::new();
        for line in lines {
            let fields = self.fields(line.clone());
            if fields.len() != width {
                return Err(self
                    .error(
                        line,
                        format!(
                            "this row has {} fields, the header has {width}",
                            fields.len()
                        ),
                        "not as wide as the header",
                    )
                    .help_with("give a number for every column; the file may have been cut off"));
            }
            let mut numbers = Vec::with_capacity(width);
            for span in &fields {
                let text = &self.text[span.clone()];
                match text.parse::<f64>() {
                    Ok(number) if number.abs() <= 1e30 => numbers.push(number),
                    _ => {
                        return Err(self
                            .error(
                                span.clone(),
                                format!("`{text}` is not a usable number"),
                                "expected a finite number",
                            )
                            .help_with("write numbers such as `0.01` or `1e-2`, without a unit"));
                    }
                }
            }
            rows.push(Row { fields, numbers });
        }
        Ok(Rows {
            columns: Some(columns),
            rows,
        })
    }

    fn columns(&self, header: Range<usize>, dimension: usize) -> Result<Columns, SceneError> {
        let mut places = [None; COLUMNS.len()];
        for (place, span) in self.fields(header.clone()).into_iter().enumerate() {
            // A byte-order mark is not part of the first name.
            let name = self.text[span.clone()].trim_matches(['"', '\u{feff}']);
            let Some(known) = COLUMNS.iter().position(|known| known == &name) else {
                return Err(self
                    .error(
                        span,
                        format!("unknown column `{name}`"),
                        "not a known column",
                    )
                    .help_with(suggestion(name, &COLUMNS, "column")));
            };
            if places[known].replace(place).is_some() {
                return Err(self
                    .error(
                        span,
                        format!("the column `{name}` is there twice"),
                        "again here",
                    )
                    .help_with("keep one of the two"));
            }
        }
        let columns = Columns {
            places,
            header: header.clone(),
        };
        // Columns that make sense only together.
        let groups: [&[&str]; 4] = [
            &["x", "y", "z"][..dimension],
            if columns.has("q0") || columns.has("q1") || columns.has("q2") || columns.has("q3") {
                &["q0", "q1", "q2", "q3"]
            } else {
                &[]
            },
            if columns.has("vx") || columns.has("vy") || columns.has("vz") {
                &["vx", "vy", "vz"][..dimension]
            } else {
                &[]
            },
            if columns.has("wx") || columns.has("wy") {
                &["wx", "wy", "wz"]
            } else {
                &[]
            },
        ];
        match groups.into_iter().flatten().find(|name| !columns.has(name)) {
            None => Ok(columns),
            Some(name) => Err(self
                .error(
                    header,
                    format!("the column `{name}` is missing"),
                    "not in the header",
                )
                .help_with(format!(
                    "add a column `{name}`; the known ones are {}",
                    COLUMNS.join(", ")
                ))),
        }
    }
}

impl Row {
    /// What the row says; its size stands in the column `own`, or has been `drawn`.
    fn entry(
        &self,
        table: &Table<'_>,
        columns: &Columns,
        dimension: usize,
        own: &str,
        drawn: Option<f64>,
    ) -> Result<Entry, SceneError> {
        let number = |name: &str| columns.place(name).map(|k| self.numbers[k]);
        let span = |name: &str| columns.place(name).map_or(0..0, |k| self.fields[k].clone());
        let vector = |names: [&str; 3]| {
            names.iter().any(|name| columns.has(name)).then(|| {
                let [x, y, z] = names.map(|name| number(name).unwrap_or(0.0));
                DVec3::new(x, y, z)
            })
        };
        // Nothing may leave the line or plane of the scene.
        let locked: &[&str] = match dimension {
            1 => &["y", "z", "vy", "vz", "wx", "wy", "wz"],
            2 => &["z", "vz", "wx", "wy"],
            _ => &[],
        };
        if let Some(name) = locked
            .iter()
            .find(|name| number(name).is_some_and(|x| x != 0.0))
        {
            return Err(table
                .error(
                    span(name),
                    format!("`{name}` must be zero in {dimension}D"),
                    "not zero",
                )
                .help_with("set it to zero, or remove the column"));
        }
        let size = drawn.or_else(|| number(own)).unwrap_or(0.0);
        let point = dimension == 1 && own == "r" && size == 0.0;
        if size < 1e-30 && !point {
            let (word, unit) = match own {
                "r" => ("radius", "the radius in m"),
                _ => ("size", "what the lengths of the shape are multiplied by"),
            };
            return Err(table
                .error(
                    span(own),
                    format!("the {word} must be positive"),
                    format!("{size} is not"),
                )
                .help_with(format!("give {unit}, or remove the row")));
        }
        let mass = number("m");
        if mass.is_some_and(|mass| mass < 1e-30) {
            return Err(table
                .error(span("m"), "the mass must be positive", "is not")
                .help_with("give the mass in kg, or leave the column `m` out to use the density"));
        }
        let orientation = match ["q0", "q1", "q2", "q3"].map(number) {
            [Some(w), Some(x), Some(y), Some(z)] => {
                let q = DQuat::from_xyzw(x, y, z, w);
                if q.length() < 1e-15 || !q.length().is_finite() {
                    return Err(table
                        .error(span("q0"), "the quaternion is zero", "no orientation")
                        .help_with("`1, 0, 0, 0` stands for no turn"));
                }
                if own == "s" && dimension == 2 && (x != 0.0 || y != 0.0) {
                    return Err(table
                        .error(
                            span("q1"),
                            "`q1` and `q2` must be zero in 2D",
                            "turns out of the plane",
                        )
                        .help_with("a turn by the angle a about z is `cos(a/2), 0, 0, sin(a/2)`"));
                }
                Some(q.normalize())
            }
            _ => None,
        };
        Ok(Entry {
            position: vector(["x", "y", "z"]).unwrap_or(DVec3::ZERO),
            size,
            mass,
            velocity: vector(["vx", "vy", "vz"]),
            angular_velocity: vector(["wx", "wy", "wz"]),
            orientation,
        })
    }
}
