//! Measures of a finished run, from its frames.

use super::{Measure, Memory, Meters};
use crate::results::{FrameReader, ReadError, RunRecord, Series};
use crate::run::{RunError, RunFolder};
use granule::bodies::{BodyShape, Dimension};
use granule::math::DVec3;
use granule::measure::{Grain, Moment};

/// What was measured of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// `step[-]`, `time[s]` and the columns of the measures.
    pub columns: Vec<String>,
    /// A row a frame; the step is that of `series.csv`, 0 at the start.
    pub rows: Vec<Vec<f64>>,
    /// What measures with files of their own have.
    pub tables: Vec<MeasuredTable>,
}

/// The file of a measure.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTable {
    /// The name of the measure.
    pub name: String,
    /// `step[-]`, `time[s]` and its columns.
    pub columns: Vec<String>,
    /// Rows for the cells, slices or bins of each frame.
    pub rows: Vec<Vec<f64>>,
}

/// The grains and contacts of a frame, counted from 0.
pub fn moment_of_frame(
    reader: &FrameReader,
    record: &RunRecord,
    number: usize,
) -> Result<Moment, ReadError> {
    let bodies = reader.bodies(number)?;
    let contacts = reader.contacts(number)?;
    let dimension = record.dimension;
    let is_grain =
        |&k: &usize| bodies.shape[k] != BodyShape::Walls && !record.is_prescribed(bodies.id[k]);
    let volume = |k: usize| match bodies.shape[k] {
        BodyShape::Sphere => dimension.ball_volume(bodies.radius[k]),
        BodyShape::Walls => 0.0,
        BodyShape::Solid(solid) => (record.solids.get(solid as usize)).map_or(0.0, |s| s.volume()),
    };
    let grains = (0..bodies.id.len()).filter(is_grain).map(|k| Grain {
        id: bodies.id[k],
        position: bodies.position[k],
        velocity: bodies.velocity[k],
        radius: bodies.radius[k],
        mass: bodies.mass[k],
        volume: volume(k),
        material: bodies.material[k],
    });
    let time = reader.frames()[number].time;
    let mut moment = Moment::new(dimension, time, grains.collect());
    if let Some(cell) = reader.cell(number)? {
        // Bodies are in the order of ids.
        let through = |id: u32| {
            let place = bodies.id.binary_search(&id);
            place.map_or(DVec3::ZERO, |place| bodies.through[place])
        };
        moment = moment.in_cell(cell.lattice(), through);
    }
    for k in 0..contacts.point.len() {
        let ids = [contacts.body_a[k], contacts.body_b[k]].map(|id| u32::try_from(id).ok());
        let (point, normal) = (contacts.point[k], contacts.normal[k]);
        if contacts.force[k].dot(normal) != 0.0 {
            moment.add_contact(ids, point, normal, contacts.force[k]);
        }
    }
    Ok(moment)
}

/// Takes measures of all frames of a run. Between two frames grains are taken to go straight. Formulas may name the
/// columns of its `series.csv`, whose values are those of the step that ends with the frame.
///
/// Measures of contacts need frames that hold them.
pub fn measure_run(folder: &RunFolder, measures: &[Measure]) -> Result<Measured, RunError> {
    let (reader, record) = (folder.frames()?, folder.record()?);
    let series = folder.series()?;
    let dimension = record.dimension;
    // What was measured while it ran is measured anew.
    let own: Vec<String> = (measures.iter())
        .flat_map(|measure| measure.columns(dimension))
        .collect();
    let rest =
        (series.names.iter().zip(&series.units)).map(|(name, unit)| format!("{name}[{unit}]"));
    let kept: Vec<usize> = (rest.clone().enumerate())
        .filter(|(_, column)| !own.contains(column))
        .map(|(place, _)| place)
        .collect();
    let columns: Vec<String> = rest.filter(|column| !own.contains(column)).collect();
    let head = ["step[-]", "time[s]"].map(str::to_owned).to_vec();
    let mut measured = Measured {
        columns: [head.clone(), own].concat(),
        rows: Vec::new(),
        tables: tables(measures, &head, dimension),
    };
    let mut meters: Option<Meters> = None;
    let mut touched = false;
    for number in 0..reader.frames().len() {
        let moment = moment_of_frame(&reader, &record, number)?;
        let time = moment.time;
        touched |= !moment.touches.is_empty();
        let meters = match &mut meters {
            Some(meters) => meters,
            none => {
                let start = moment.clone();
                let made = Meters::new(measures.to_vec(), &columns, start, Memory::default());
                none.insert(made.map_err(|what| RunError::Unmeasurable {
                    folder: folder.path().to_owned(),
                    what,
                })?)
            }
        };
        let mut row = row_at(&series, &kept, time);
        let step = row
            .first()
            .copied()
            .filter(|step| step.is_finite())
            .unwrap_or(0.0);
        meters.add_to_row(moment, &mut row);
        measured
            .rows
            .push([&[step, time], &row[kept.len()..]].concat());
        for table in &mut measured.tables {
            let measure = measures.iter().find(|measure| measure.name == table.name);
            let rows = measure.map(|measure| measure.table(meters.last()));
            let rows = rows.into_iter().flatten();
            table
                .rows
                .extend(rows.map(|row| [vec![step, time], row].concat()));
        }
    }
    let mut needy = measures.iter().filter(|measure| measure.needs_contacts());
    let active = series.column("active").unwrap_or_default();
    match needy.next() {
        Some(measure) if !touched && active.iter().any(|&count| count > 0.0) => {
            Err(RunError::Unmeasurable {
                folder: folder.path().to_owned(),
                what: format!(
                    "the measure `{}` looks at contacts, and the frames hold none: run the scene \
                     again with `contacts = true` in `[output]`",
                    measure.name
                ),
            })
        }
        _ => Ok(measured),
    }
}

/// The tables of these measures, still empty.
fn tables(measures: &[Measure], head: &[String], dimension: Dimension) -> Vec<MeasuredTable> {
    let tables = measures.iter().filter_map(|measure| {
        let columns = measure.table_columns(dimension)?;
        Some(MeasuredTable {
            name: measure.name.clone(),
            columns: [head.to_vec(), columns].concat(),
            rows: Vec::new(),
        })
    });
    tables.collect()
}

/// Some columns of the row of the step that ends at a time (s); NaN if there is none, but the time itself.
fn row_at(series: &Series, kept: &[usize], time: f64) -> Vec<f64> {
    let times = series.column("time").unwrap_or_default();
    let row = times.iter().position(|&other| other == time);
    let value = |place: &usize| match row.and_then(|row| series.columns[*place].get(row)) {
        Some(value) => *value,
        None if series.names[*place] == "time" => time,
        None => f64::NAN,
    };
    kept.iter().map(value).collect()
}
