//! `series.csv`: a row a step.

use super::WriteError;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long rows may stay in memory before they are handed to the operating system.
const FLUSH_AFTER: Duration = Duration::from_secs(1);

/// Writes `series.csv`: a header of `name[unit]`, then a row a step.
///
/// The first column is `step[-]`, the second `time[s]`; the others are free. Numbers are printed
/// with as many digits as are needed to read back the same bits.
///
/// ```
/// use granule_io::results::{SeriesWriter, read_series};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("series.csv");
/// let mut series = SeriesWriter::create(&path, &["step[-]", "time[s]", "kinetic_energy[J]"])?;
/// series.row(&[1.0, 0.01, 0.1 + 0.2])?;
/// series.finish()?;
/// assert_eq!(read_series(&path)?.column("kinetic_energy"), Some(&[0.1 + 0.2][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SeriesWriter {
    path: PathBuf,
    file: BufWriter<File>,
    columns: usize,
    line: String,
    flushed: Instant,
}

impl SeriesWriter {
    /// Starts a new file with the given columns, each `name[unit]`.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Self, WriteError> {
        let header = header(path, columns)?;
        let file = File::create(path).map_err(|source| WriteError::io(path, source))?;
        let mut writer = Self::new(path, file, columns.len());
        writer.put(&header)?;
        writer.flush()?;
        Ok(writer)
    }

    /// Goes on with a file after [`truncate_after`]; its header must name the same columns. A file
    /// that is not there or is empty is started anew.
    pub fn append(path: &Path, columns: &[&str]) -> Result<Self, WriteError> {
        let io = |source| WriteError::io(path, source);
        let file = match OpenOptions::new().read(true).append(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Self::create(path, columns);
            }
            opened => opened.map_err(io)?,
        };
        let mut found = String::new();
        BufReader::new(&file).read_line(&mut found).map_err(io)?;
        if found.is_empty() {
            return Self::create(path, columns);
        }
        if found != header(path, columns)? {
            let what = "the run that is resumed had other columns; start it afresh".to_owned();
            return Err(WriteError::Columns {
                path: path.to_owned(),
                what,
            });
        }
        Ok(Self::new(path, file, columns.len()))
    }

    fn new(path: &Path, file: File, columns: usize) -> Self {
        Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
            columns,
            line: String::new(),
            flushed: Instant::now(),
        }
    }

    /// Adds a row: one value for each column, the step first.
    pub fn row(&mut self, values: &[f64]) -> Result<(), WriteError> {
        if values.len() != self.columns {
            return Err(WriteError::Length {
                path: self.path.clone(),
                what: "a row".to_owned(),
                expected: self.columns,
                found: values.len(),
            });
        }
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        for (index, &value) in values.iter().enumerate() {
            if index > 0 {
                line.push(',');
            }
            print_number(&mut line, value);
        }
        line.push('\n');
        self.put(&line)?;
        self.line = line;
        if self.flushed.elapsed() > FLUSH_AFTER {
            self.flush()?;
        }
        Ok(())
    }

    fn put(&mut self, text: &str) -> Result<(), WriteError> {
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|source| WriteError::io(&self.path, source))
    }

    /// Hands all rows to the operating system.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.flushed = Instant::now();
        self.file
            .flush()
            .map_err(|source| WriteError::io(&self.path, source))
    }

    /// Hands all rows to the operating system and closes the file. A writer that is dropped
    /// instead does the same, but cannot say that it failed.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.flush()
    }
}

fn header(path: &Path, columns: &[&str]) -> Result<String, WriteError> {
    let wrong = |what: String| WriteError::Columns {
        path: path.to_owned(),
        what,
    };
    if !columns.starts_with(&["step[-]", "time[s]"]) {
        return Err(wrong(
            "the first columns must be `step[-]` and `time[s]`".to_owned(),
        ));
    }
    let well_formed = |column: &&str| {
        let unit = column
            .strip_suffix(']')
            .and_then(|rest| rest.split_once('['));
        unit.is_some_and(|(name, unit)| !name.is_empty() && !unit.is_empty())
            && !column.contains([',', '"', '\n', '\r'])
    };
    match columns.iter().find(|column| !well_formed(column)) {
        Some(column) => Err(wrong(format!(
            "column `{column}` is not of the form name[unit]"
        ))),
        None => Ok(columns.join(",") + "\n"),
    }
}

/// The shortest text that reads back as the same bits; whole numbers without a point.
fn print_number(text: &mut String, value: f64) {
    use std::fmt::Write as _;
    let whole = value.fract() == 0.0 && value.abs() < 1e15;
    let negative_zero = value == 0.0 && value.is_sign_negative();
    let _ = match whole && !negative_zero {
        true => write!(text, "{}", value as i64),
        false => write!(text, "{value:?}"),
    };
}

/// Cuts off the rows of later steps than `step`, and a last row that was not written to its end:
/// what a run that is resumed from the checkpoint of that step must do before it goes on.
///
/// A file that is not there is left so.
pub fn truncate_after(path: &Path, step: u64) -> Result<(), WriteError> {
    let io = |source| WriteError::io(path, source);
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(io)?,
    };
    let mut reader = BufReader::new(&file);
    let (mut kept, mut columns, mut line) = (0u64, None, Vec::new());
    while reader.read_until(b'\n', &mut line).map_err(io)? > 0 {
        let fields = line.iter().filter(|&&byte| byte == b',').count();
        let whole = line.ends_with(b"\n") && columns.is_none_or(|columns| columns == fields);
        let first = line.split(|&byte| byte == b',').next().unwrap_or_default();
        let number = std::str::from_utf8(first)
            .ok()
            .and_then(|text| text.parse::<f64>().ok());
        let wanted = columns.is_none() || number.is_some_and(|number| number <= step as f64);
        if !whole || !wanted {
            break;
        }
        kept += line.len() as u64;
        columns = Some(fields);
        line.clear();
    }
    file.set_len(kept).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::super::read_series;
    use super::*;
    use proptest::prelude::*;

    const COLUMNS: [&str; 3] = ["step[-]", "time[s]", "residual[m/s]"];

    fn write(path: &Path, steps: std::ops::RangeInclusive<u64>, append: bool) {
        let start = if append {
            SeriesWriter::append
        } else {
            SeriesWriter::create
        };
        let mut series = start(path, &COLUMNS).unwrap();
        for step in steps {
            series
                .row(&[step as f64, 0.1 * step as f64, 1.0 / step as f64])
                .unwrap();
        }
        series.finish().unwrap();
    }

    #[test]
    fn a_resumed_series_is_the_same_as_an_uninterrupted_one() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, resumed) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
        write(&whole, 1..=9, false);
        for interrupted_at in 0..=9 {
            write(&resumed, 1..=interrupted_at, false);
            // Killed in the middle of a row.
            let mut file = OpenOptions::new().append(true).open(&resumed).unwrap();
            file.write_all(b"10,0.").unwrap();
            let checkpoint = interrupted_at.min(5);
            truncate_after(&resumed, checkpoint).unwrap();
            write(&resumed, checkpoint + 1..=9, true);
            assert_eq!(
                std::fs::read(&whole).unwrap(),
                std::fs::read(&resumed).unwrap()
            );
        }
        truncate_after(&folder.path().join("none.csv"), 3).unwrap();
    }

    #[test]
    fn wrong_columns_and_rows_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        assert!(SeriesWriter::create(&path, &["time[s]"]).is_err());
        assert!(SeriesWriter::create(&path, &["step[-]", "time[s]", "energy"]).is_err());
        write(&path, 1..=2, false);
        assert!(SeriesWriter::append(&path, &["step[-]", "time[s]"]).is_err());
        let mut series = SeriesWriter::append(&path, &COLUMNS).unwrap();
        assert!(series.row(&[1.0]).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_noticed() {
        let error = SeriesWriter::create(Path::new("/dev/full"), &COLUMNS).unwrap_err();
        assert!(error.to_string().contains("No space left on device"));
    }

    proptest! {
        #[test]
        fn numbers_survive_bit_for_bit(bits in proptest::collection::vec(any::<u64>(), 1..50)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("series.csv");
            let mut values: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
            values.extend([0.0, -0.0, 1e15, -3.0, f64::INFINITY, 5e-324]);
            let mut series = SeriesWriter::create(&path, &COLUMNS).unwrap();
            values.iter().for_each(|&x| series.row(&[1.0, 2.0, x]).unwrap());
            series.finish().unwrap();
            let back = read_series(&path).unwrap();
            for (a, b) in back.column("residual").unwrap().iter().zip(&values) {
                prop_assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
            }
        }
    }
}
