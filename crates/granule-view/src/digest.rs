//! `series.csv` at a size that a page can hold: the least and the largest value of each column in each of so many spans.
//!
//! The file is read on by a piece whenever somebody asks, from where the last piece ended; so a file of any length is
//! open at once, and one that grows is followed. When the spans are full, each two of them become one.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Spans at most; after two become one, half of that.
const SPANS: usize = 4096;
/// Bytes that are read for one answer.
const PIECE: u64 = 4 << 20;

/// The file, as far as it was read.
pub struct Digest {
    path: PathBuf,
    /// Bytes read; a row that is being written is read later.
    seen: u64,
    /// Bytes of the file when it was last looked at.
    size: u64,
    /// Whether the last piece was a whole one, so that another may follow.
    more: bool,
    /// Name and unit.
    columns: Vec<(String, String)>,
    rows: u64,
    /// Rows of a span that is full.
    width: u64,
    /// One number for each column in each span.
    least: Vec<f64>,
    most: Vec<f64>,
}

impl Digest {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            seen: 0,
            size: 0,
            more: false,
            columns: Vec::new(),
            rows: 0,
            width: 1,
            least: Vec::new(),
            most: Vec::new(),
        }
    }

    /// Names and units of the columns.
    pub fn columns(&self) -> &[(String, String)] {
        &self.columns
    }

    /// Rows that were read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The part of the file that was read.
    pub fn part(&self) -> f64 {
        if self.size == 0 {
            return 1.0;
        }
        self.seen as f64 / self.size as f64
    }

    /// Whether there may be more to read at once.
    pub fn more(&self) -> bool {
        self.more
    }

    /// The least and the largest values of a column, span by span.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let width = self.columns.len().max(1);
        let pick = move |values: &[f64]| values.get(column).copied().unwrap_or(f64::NAN);
        let least = self.least.chunks(width).map(pick);
        least.zip(self.most.chunks(width).map(pick))
    }

    /// Reads on by a piece. A file that cannot be read has nothing to show; one that has become shorter is another one.
    pub fn read_on(&mut self) {
        self.more = false;
        let Ok(mut file) = File::open(&self.path) else {
            return;
        };
        self.size = file.metadata().map_or(0, |data| data.len());
        if self.size < self.seen {
            let size = self.size;
            *self = Self::new(&self.path);
            self.size = size;
        }
        let mut bytes = Vec::new();
        let read = file
            .seek(SeekFrom::Start(self.seen))
            .and_then(|_| file.take(PIECE).read_to_end(&mut bytes));
        let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else {
            return;
        };
        if read.is_err() {
            return;
        }
        self.more = bytes.len() as u64 == PIECE;
        self.seen += end as u64 + 1;
        for line in String::from_utf8_lossy(&bytes[..end]).split('\n') {
            self.line(line.trim_end());
        }
    }

    fn line(&mut self, line: &str) {
        if self.columns.is_empty() {
            let name = |column: &str| match column.trim_end_matches(']').rsplit_once('[') {
                Some((name, unit)) => (name.to_owned(), unit.to_owned()),
                None => (column.to_owned(), "-".to_owned()),
            };
            self.columns = line.split(',').map(name).collect();
            return;
        }
        let count = self.columns.len();
        if self.rows.is_multiple_of(self.width) {
            if self.least.len() == SPANS * count {
                self.least = merged(&self.least, count, f64::min);
                self.most = merged(&self.most, count, f64::max);
                self.width *= 2;
            }
            self.least.resize(self.least.len() + count, f64::NAN);
            self.most.resize(self.most.len() + count, f64::NAN);
        }
        let start = self.least.len() - count;
        for (column, field) in line.split(',').enumerate().take(count) {
            let value = field.parse().unwrap_or(f64::NAN);
            // What is no number changes nothing.
            self.least[start + column] = self.least[start + column].min(value);
            self.most[start + column] = self.most[start + column].max(value);
        }
        self.rows += 1;
    }
}

/// Each two spans as one.
fn merged(values: &[f64], count: usize, choose: fn(f64, f64) -> f64) -> Vec<f64> {
    let pairs = values.chunks(2 * count);
    pairs
        .flat_map(|pair| {
            let (first, second) = pair.split_at(count);
            let both = first.iter().zip(second);
            both.map(|(&a, &b)| choose(a, b)).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::io::Write as _;

    #[test]
    fn a_long_series_keeps_its_extremes_and_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("series.csv");
        let mut text = "step[-],time[s],certified[-]\n".to_owned();
        // More than one piece.
        let rows = 300_000;
        for row in 1..=rows {
            let certified = u8::from(row != 131_234);
            let _ = writeln!(text, "{row},{},{certified}", f64::from(row) * 0.5);
        }
        std::fs::write(&path, text.clone() + "300001,7").unwrap();
        let mut digest = Digest::new(&path);
        digest.read_on();
        while digest.more() {
            digest.read_on();
        }
        assert!(digest.seen > PIECE);
        assert_eq!(digest.rows(), 300_000);
        let steps: Vec<_> = digest.column(0).collect();
        assert!(steps.len() <= SPANS && steps.len() >= SPANS / 2);
        assert_eq!((steps[0].0, steps.last().unwrap().1), (1.0, 300_000.0));
        // Spans have no gaps between them.
        assert!(steps.windows(2).all(|pair| pair[0].1 + 1.0 == pair[1].0));
        let wrong: Vec<_> = digest
            .column(2)
            .enumerate()
            .filter(|(_, (least, _))| *least == 0.0)
            .collect();
        assert_eq!(wrong.len(), 1);
        let (low, high) = steps[wrong[0].0];
        assert!(low <= 131_234.0 && 131_234.0 <= high);

        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap();
        file.write_all(b".5,1\n").unwrap();
        digest.read_on();
        assert_eq!((digest.rows(), digest.part()), (300_001, 1.0));
        std::fs::write(&path, "step[-],time[s]\n1,2\n").unwrap();
        digest.read_on();
        assert_eq!((digest.rows(), digest.columns().len()), (1, 2));
    }
}
