//! Tables that were made once and are kept: those that take longer than anyone waits for a report.
//!
//! A record is a folder with the name of its target: `record.json`, and the figures beside it. Those of the
//! repository, in `reproduce/records`, are built into the command.

use super::figure::{Drawn, Figure};
use super::{Error, Row, Table};
use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

static KEPT: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../reproduce/records");

/// How a table was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The day, UTC: year-month-day.
    pub date: String,
    /// The version of the command.
    pub version: String,
    /// What was typed.
    pub command: String,
    /// How long it took, s; for what goes on from checkpoints the last sitting.
    pub seconds: f64,
    /// What is to be known of the run: its extent, the machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remark: String,
}

impl Made {
    /// Made now by a command.
    pub fn now(command: String, taken: Duration) -> Self {
        Self {
            date: today(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            seconds: taken.as_secs_f64().round(),
            remark: String::new(),
        }
    }

    /// Whether it is of the size that takes hours.
    pub fn is_full(&self) -> bool {
        self.command.contains(" --full")
    }
}

/// A table with its figures, and how they were made.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// How it was made.
    pub made: Made,
    /// The lines.
    pub rows: Vec<Row>,
    /// The figures, in the order in which they were drawn.
    pub figures: Vec<Figure>,
}

/// What `record.json` holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    made: Made,
    rows: Vec<Row>,
    figures: Vec<KeptFigure>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptFigure {
    file: String,
    caption: String,
}

impl Record {
    /// A table that has just been made.
    pub fn of(table: &Table, figures: Vec<Figure>, made: Made) -> Self {
        let rows = table.rows.clone();
        Self {
            made,
            rows,
            figures,
        }
    }

    /// The records of a target that the repository keeps: as it is run by default, and at the full size.
    pub fn kept(id: &str) -> Result<Vec<Self>, Error> {
        let names = [false, true].map(|full| Self::name(id, full));
        let folders = names.iter().filter_map(|name| KEPT.get_dir(name));
        let records = folders.map(|folder| {
            let bytes = |file: &str| {
                let file = folder.get_file(folder.path().join(file));
                file.map(include_dir::File::contents)
            };
            Self::read(id, bytes)
        });
        records.collect()
    }

    /// The name of the folder of a target's record: that at the full size is another.
    pub fn name(id: &str, full: bool) -> String {
        let size = if full { "-full" } else { "" };
        format!("{id}{size}")
    }

    fn read<'a>(id: &str, bytes: impl Fn(&str) -> Option<&'a [u8]>) -> Result<Self, Error> {
        let wrong = |what: String| Error::Record(format!("{id}: {what}"));
        let missing = |file: &str| wrong(format!("there is no file `{file}`"));
        let text = bytes("record.json").ok_or_else(|| missing("record.json"))?;
        let kept: Kept =
            serde_json::from_slice(text).map_err(|error| wrong(format!("record.json: {error}")))?;
        let figure = |kept: KeptFigure| {
            let bytes = bytes(&kept.file).ok_or_else(|| missing(&kept.file))?;
            let drawn = match kept.file.rsplit_once('.') {
                Some((name, "png")) => (name, Drawn::Picture(bytes.to_vec())),
                Some((name, "svg")) => (
                    name,
                    Drawn::Chart(String::from_utf8_lossy(bytes).into_owned()),
                ),
                _ => return Err(wrong(format!("`{}` is neither .svg nor .png", kept.file))),
            };
            Ok(Figure {
                name: drawn.0.to_owned(),
                caption: kept.caption,
                drawn: drawn.1,
            })
        };
        Ok(Self {
            made: kept.made,
            rows: kept.rows,
            figures: kept
                .figures
                .into_iter()
                .map(figure)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Writes the record into the folder of this name in `folder`, in place of what is there.
    pub fn write(self, folder: &Path, name: &str) -> Result<(), Error> {
        let folder = folder.join(name);
        let write = |file: &str, bytes: &[u8]| {
            let path = folder.join(file);
            std::fs::write(&path, bytes).map_err(|source| Error::Write { path, source })
        };
        let cleared = match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::create_dir_all(&folder),
        };
        cleared.map_err(|source| Error::Write {
            path: folder.clone(),
            source,
        })?;
        for figure in &self.figures {
            write(&figure.file(), figure.bytes())?;
        }
        let kept = Kept {
            made: self.made,
            rows: self.rows,
            figures: (self.figures.into_iter())
                .map(|figure| KeptFigure {
                    file: figure.file(),
                    caption: figure.caption,
                })
                .collect(),
        };
        let text = serde_json::to_string_pretty(&kept)
            .map_err(|error| Error::Record(error.to_string()))?;
        write("record.json", (text + "\n").as_bytes())
    }
}

/// The day, UTC.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date_of(since.map_or(0, |since| since.as_secs() / 86_400))
}

/// The date so many days after 1970-01-01.
fn date_of(days: u64) -> String {
    // Years begin in March here, so that the odd day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (19_723, "2024-01-01"),
            (19_782, "2024-02-29"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date_of(days), date);
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let table = Table {
            id: "table",
            paper: String::new(),
            rows: vec![
                Row::unpublished("a count", 3),
                Row::unpublished("a number", 0.5),
            ],
        };
        let figures = vec![
            Figure {
                name: "chart".to_owned(),
                caption: "a chart".to_owned(),
                drawn: Drawn::Chart("<svg/>".to_owned()),
            },
            Figure {
                name: "picture".to_owned(),
                caption: "a picture".to_owned(),
                drawn: Drawn::Picture(vec![1, 2, 3]),
            },
        ];
        let made = Made::now("granule reproduce table".to_owned(), Duration::from_secs(7));
        let record = Record::of(&table, figures, made);
        let folder = tempfile::tempdir().unwrap();
        record.clone().write(folder.path(), "table").unwrap();
        let file = |name: &str| std::fs::read(folder.path().join("table").join(name)).ok();
        let files: Vec<_> = ["record.json", "chart.svg", "picture.png"]
            .map(|name| (name, file(name).unwrap()))
            .into();
        let bytes = |name: &str| {
            let file = files.iter().find(|(known, _)| *known == name);
            file.map(|(_, bytes)| bytes.as_slice())
        };
        assert_eq!(Record::read("table", bytes).unwrap(), record);
        let lost = |name: &str| bytes(name).filter(|_| name != "chart.svg");
        let error = Record::read("table", lost).unwrap_err().to_string();
        assert!(
            error.contains("table: there is no file `chart.svg`"),
            "{error}"
        );
    }

    #[test]
    fn every_kept_record_is_one_of_a_target() {
        let mut known = 0;
        for target in super::super::list() {
            for record in Record::kept(target.id).unwrap() {
                assert!(!record.rows.is_empty(), "{}", target.id);
                known += 1;
            }
        }
        assert_eq!(known, KEPT.dirs().count(), "a folder is no target's");
    }
}
