//! Reads `series.csv` back, for plots.

use super::ReadError;
use std::path::Path;

/// The columns of a series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Names of the columns, without units.
    pub names: Vec<String>,
    /// Units of the columns, `-` for pure numbers.
    pub units: Vec<String>,
    /// The columns; all have the same length.
    pub columns: Vec<Vec<f64>>,
}

impl Series {
    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|known| known == name)?;
        self.columns.get(index).map(Vec::as_slice)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads a series. The run may still be going on: a last row without its end is left out.
pub fn read_series(path: &Path) -> Result<Series, ReadError> {
    let text = std::fs::read_to_string(path).map_err(|source| ReadError::io(path, source))?;
    let mut lines = text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default().trim_end();
    let mut series = Series::default();
    for column in header.split(',') {
        let Some((name, unit)) = column.strip_suffix(']').and_then(|c| c.split_once('[')) else {
            let what = format!("line 1: column `{column}` is not of the form name[unit]");
            return Err(ReadError::malformed(path, what));
        };
        series.names.push(name.to_owned());
        series.units.push(unit.to_owned());
        series.columns.push(Vec::new());
    }
    for (index, line) in lines.enumerate().filter(|(_, line)| line.ends_with('\n')) {
        let wrong =
            |what: String| ReadError::malformed(path, format!("line {}: {what}", index + 2));
        let mut fields = 0;
        for field in line.trim_end().split(',') {
            let value = field
                .parse()
                .map_err(|_| wrong(format!("`{field}` is not a number")))?;
            if let Some(column) = series.columns.get_mut(fields) {
                column.push(value);
            }
            fields += 1;
        }
        if fields != series.names.len() {
            return Err(wrong(format!(
                "{fields} values for {} columns",
                series.names.len()
            )));
        }
    }
    Ok(series)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Series, ReadError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        std::fs::write(&path, text).unwrap();
        read_series(&path)
    }

    #[test]
    fn a_row_that_is_being_written_is_left_out() {
        let series = read("step[-],time[s]\n1,0.5\n2,").unwrap();
        assert_eq!(series.columns, [[1.0], [0.5]]);
        assert_eq!(series.units, ["-", "s"]);
    }

    #[test]
    fn errors_name_the_line() {
        let error = read("step[-],time[s]\n1,0.5\n2,x\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 3: `x` is not a number"), "{error}");
        assert!(
            read("step[-],time[s]\n1\n")
                .unwrap_err()
                .to_string()
                .contains("line 2")
        );
        assert!(read("").is_err());
        assert!(read("step,time\n").is_err());
    }
}
