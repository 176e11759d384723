//! What a run measures, and the files of measures that have one of their own.

use super::{RunError, RunFolder};
use crate::measures::{Memory, Meters};
use crate::results::{SeriesWriter, WriteError, truncate_after};
use crate::scene::Setup;
use granule::bodies::Dimension;
use granule::simulation::{Simulation, StepReport};
use std::io;
use std::path::Path;

/// Takes the measures of a run and writes those that are no columns of the series.
pub(super) struct MeasureFiles {
    meters: Meters,
    /// The file of each measure, if it has one.
    tables: Vec<Option<SeriesWriter>>,
}

impl MeasureFiles {
    /// Opens the files. A run that goes on has the memory of its earlier part, and rows later than the state of the
    /// simulation are forgotten; otherwise all are. The series has these `columns` before those of measures.
    pub(super) fn open(
        folder: &RunFolder,
        setup: &Setup,
        simulation: &Simulation,
        columns: &[String],
        memory: Option<Memory>,
    ) -> Result<Self, RunError> {
        let (fresh, world) = (memory.is_none(), simulation.world());
        let place = folder.measures_folder();
        if fresh {
            clear(&place)?;
        }
        let measures = setup.output.measures.clone();
        let start = simulation.moment_without_contacts();
        let made = Meters::new(measures, columns, start, memory.unwrap_or_default());
        let meters = made.map_err(|what| RunError::Unrecordable {
            name: setup.name.clone(),
            what,
        })?;
        let mut tables = Vec::new();
        for measure in meters.measures() {
            let Some(columns) = measure.table_columns(world.dimension) else {
                tables.push(None);
                continue;
            };
            std::fs::create_dir_all(&place).map_err(|source| WriteError::io(&place, source))?;
            let path = place.join(format!("{}.csv", measure.name));
            let head = ["step[-]", "time[s]"].into_iter();
            let columns: Vec<&str> = head.chain(columns.iter().map(String::as_str)).collect();
            tables.push(Some(if fresh {
                SeriesWriter::create(&path, &columns)?
            } else {
                truncate_after(&path, world.steps)?;
                SeriesWriter::append(&path, &columns)?
            }));
        }
        Ok(Self { meters, tables })
    }

    /// The columns of the series that measures have.
    pub(super) fn columns(&self, dimension: Dimension) -> Vec<String> {
        let measures = self.meters.measures().iter();
        measures
            .flat_map(|measure| measure.columns(dimension))
            .collect()
    }

    /// What measures remember.
    pub(super) fn memory(&self) -> &Memory {
        self.meters.memory()
    }

    /// Adds the values after a step to its row, and to the files what is due.
    pub(super) fn add_to_row(
        &mut self,
        report: &StepReport,
        simulation: &Simulation,
        row: &mut Vec<f64>,
    ) -> Result<(), RunError> {
        if self.meters.is_empty() {
            return Ok(());
        }
        let moment = match self.meters.needs_contacts() {
            true => simulation.moment(),
            false => simulation.moment_without_contacts(),
        };
        let before = self.meters.last().time;
        self.meters.add_to_row(moment, row);
        let head = [report.step as f64, report.time];
        for (measure, table) in self.meters.measures().iter().zip(&mut self.tables) {
            let Some(table) = table else { continue };
            if measure.is_due(before, report.time) {
                for values in measure.table(self.meters.last()) {
                    table.row(&[&head[..], &values].concat())?;
                }
            }
        }
        Ok(())
    }

    /// Hands everything to the operating system.
    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        for table in self.tables.iter_mut().flatten() {
            table.flush()?;
        }
        Ok(())
    }

    /// Closes the files.
    pub(super) fn finish(mut self) -> Result<(), RunError> {
        self.flush()
    }
}

/// Removes what an earlier run has measured, and nothing else.
fn clear(folder: &Path) -> Result<(), WriteError> {
    let refused = |source| WriteError::io(folder, source);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(refused)?,
    };
    for entry in entries {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|end| end == "csv") {
            std::fs::remove_file(&path).map_err(|source| WriteError::io(&path, source))?;
        }
    }
    Ok(())
}
