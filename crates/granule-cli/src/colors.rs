//! What colours of pictures show, from the words of the command line.

use crate::failure::Failure;
use granule::math::DVec3;
use granule_io::results::{Series, read_series};
use granule_io::run::RunFolder;
use granule_render::{ColorBy, Field};
use std::str::FromStr;
use std::sync::Arc;

/// What was asked for.
#[derive(Debug, Clone)]
pub enum Asked {
    /// Something of the frames.
    By(ColorBy),
    /// A column of the file of a measure.
    Measured { measure: String, column: String },
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((measure, column)) => Ok(Self::Measured {
                measure: measure.to_owned(),
                column: column.to_owned(),
            }),
            None => text.parse().map(Self::By),
        }
    }
}

impl Asked {
    /// What it is in a run.
    pub fn of_run(&self, folder: &RunFolder) -> Result<ColorBy, Failure> {
        match self {
            Self::By(by) => Ok(by.clone()),
            Self::Measured { measure, column } => {
                let path = folder.measures_folder().join(format!("{measure}.csv"));
                if !path.is_file() {
                    return Err(Failure::Input(format!(
                        "there is no file {}: `--color MEASURE:COLUMN` is for measures with a file of their own",
                        path.display()
                    )));
                }
                let table = read_series(&path)?;
                Ok(ColorBy::Field(Arc::new(field(&table, measure, column)?)))
            }
        }
    }
}

/// A column of the table of a measure, at the places that the table gives.
fn field(table: &Series, measure: &str, name: &str) -> Result<Field, Failure> {
    let column = |name: &str| {
        table.column(name).ok_or_else(|| {
            Failure::Input(format!(
                "the measure `{measure}` has no column `{name}`; it has {}",
                table.names.join(", ")
            ))
        })
    };
    let values = column(name)?;
    let unit = table.names.iter().position(|known| known == name);
    let unit = unit.map_or("", |place| table.units[place].as_str());
    let time = column("time")?;
    // A plane has no z.
    let axes = ["x", "y", "z"].map(|axis| table.column(axis));
    let Some(x) = axes[0] else {
        return Err(Failure::Input(format!(
            "the rows of the measure `{measure}` have no places in space (columns x, y and z), as those of \
             `stress-field` have; it has {}",
            table.names.join(", ")
        )));
    };
    let mut field = Field {
        title: format!("{measure} {}, {unit}", name.replace('_', " ")),
        moments: Vec::new(),
    };
    for row in 0..x.len() {
        let at = |axis: usize| axes[axis].map_or(0.0, |column| column[row]);
        let place = (DVec3::new(at(0), at(1), at(2)), values[row]);
        match field.moments.last_mut() {
            Some((last, places)) if *last == time[row] => places.push(place),
            _ => field.moments.push((time[row], vec![place])),
        }
    }
    Ok(field)
}
