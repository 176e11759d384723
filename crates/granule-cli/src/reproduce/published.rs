//! The published numbers, from the files in the folder `reproduce`.

use super::{Error, Row, Value, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// The numbers of one paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Authors, title, year.
    pub paper: String,
    /// The numbers by name.
    numbers: BTreeMap<String, Number>,
    /// How near is near enough, by name.
    tolerances: BTreeMap<String, Tolerance>,
}

/// One published number.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// The number.
    pub value: Value,
    /// Its unit; empty for pure numbers.
    #[serde(default)]
    pub unit: String,
    /// Where it stands, or how it follows from what stands there.
    pub source: String,
}

/// How near is near enough: decided with a reason, beside the published numbers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The most, or both ends.
    value: Bound,
    /// Its unit; empty for pure numbers.
    #[serde(default)]
    unit: String,
    /// Why it is that and not another.
    why: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Bound {
    Most(f64),
    Between([f64; 2]),
}

impl Tolerance {
    /// The most that is near enough; of a range its upper end.
    pub fn most(&self) -> f64 {
        match self.value {
            Bound::Most(most) | Bound::Between([_, most]) => most,
        }
    }

    /// All that is near enough; of a single number what is from zero to it.
    pub fn range(&self) -> RangeInclusive<f64> {
        match self.value {
            Bound::Most(most) => 0.0..=most,
            Bound::Between([low, high]) => low..=high,
        }
    }

    /// Whether a number is near enough.
    pub fn allows(&self, number: f64) -> bool {
        self.range().contains(&number)
    }

    /// What the note of a row says: `match: within 0.05 (why)`.
    pub fn note(&self, how: &str) -> String {
        format!("match: {how} {self} ({})", self.why)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |x: f64| match x {
            x if x != 0.0 && x.abs() < 1e-3 => format!("{x:e}"),
            x => x.to_string(),
        };
        match self.value {
            Bound::Most(most) => f.write_str(&number(most))?,
            Bound::Between([low, high]) => write!(f, "{} to {}", number(low), number(high))?,
        }
        match self.unit.as_str() {
            "" => Ok(()),
            unit => write!(f, " {unit}"),
        }
    }
}

impl Published {
    /// Reads a file of the folder `reproduce`.
    fn parse(text: &str) -> Result<Self, Error> {
        toml::from_str(text).map_err(|error| Error::Published(error.to_string()))
    }

    /// Maury 2006.
    pub fn maury2006() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/maury2006.toml"))
    }

    /// Bloch and Lefebvre-Lepot 2023.
    pub fn bloch2023() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/bloch2023.toml"))
    }

    /// Barboteu and Dumont 2017.
    pub fn barboteu2017() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/barboteu2017.toml"))
    }

    /// Kleinert, Simeon and Dreßler 2017.
    pub fn kleinert2017() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/kleinert2017.toml"))
    }

    /// Tasora, Anitescu, Negrini and Negrut 2013.
    pub fn tasora2013() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/tasora2013.toml"))
    }

    /// The cases with a reference outside the papers.
    pub fn validations() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/validations.toml"))
    }

    /// The number with the given name, if the paper has it.
    pub fn find(&self, name: &str) -> Option<&Number> {
        self.numbers.get(name)
    }

    /// The number with the given name, which must be there.
    pub fn get(&self, name: &str) -> Result<&Number, Error> {
        self.find(name)
            .ok_or_else(|| Error::Published(format!("there is no number `{name}`")))
    }

    /// How near is near enough for what has this name.
    pub fn tolerance(&self, name: &str) -> Result<&Tolerance, Error> {
        self.tolerances
            .get(name)
            .ok_or_else(|| Error::Published(format!("there is no tolerance `{name}`")))
    }
}

impl Number {
    /// The number as a float.
    pub fn float(&self) -> Result<f64, Error> {
        self.value
            .number()
            .ok_or_else(|| Error::Published(format!("`{}` is not a number", self.value)))
    }

    /// A line that puts a measured value beside this number.
    pub fn row(
        &self,
        quantity: impl Into<String>,
        measured: impl Into<Value>,
        verdict: Verdict,
    ) -> Row {
        Row {
            quantity: quantity.into(),
            published: Some(self.value.clone()),
            measured: measured.into(),
            unit: self.unit.clone(),
            verdict,
            note: self.source.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn all() -> [Published; 6] {
        [
            Published::maury2006(),
            Published::bloch2023(),
            Published::barboteu2017(),
            Published::kleinert2017(),
            Published::tasora2013(),
            Published::validations(),
        ]
        .map(Result::unwrap)
    }

    #[test]
    fn every_file_is_read_and_every_number_has_a_source() {
        for published in all() {
            assert!(!published.numbers.is_empty());
            for (name, number) in &published.numbers {
                assert!(!number.source.is_empty(), "{name}");
            }
        }
    }

    /// The text of all sources in a folder and below.
    fn sources(folder: &Path) -> String {
        let entries = std::fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let text = |path: PathBuf| match path.is_dir() {
            true => sources(&path),
            false => std::fs::read_to_string(path).unwrap(),
        };
        paths.map(text).collect()
    }

    #[test]
    fn every_tolerance_has_a_reason_and_is_used() {
        let text = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/reproduce"));
        for published in all() {
            assert!(!published.tolerances.is_empty(), "{}", published.paper);
            for (name, tolerance) in &published.tolerances {
                assert!(tolerance.why.len() > 15, "{name}: {}", tolerance.why);
                assert!(text.contains(&format!("tolerance(\"{name}\")")), "{name}");
                let range = tolerance.range();
                assert!(range.start() <= range.end(), "{name}");
            }
        }
    }

    #[test]
    fn a_tolerance_says_what_it_is_and_why() {
        let tolerance = |text: &str| toml::from_str::<Tolerance>(text).unwrap();
        let most = tolerance("value = 1e-12\nunit = \"m\"\nwhy = \"rounding\"");
        assert_eq!(most.note("within"), "match: within 1e-12 m (rounding)");
        assert!(most.allows(1e-12) && !most.allows(2e-12));
        let range = tolerance("value = [0.6, 0.75]\nwhy = \"experiments\"");
        assert_eq!(range.note("from"), "match: from 0.6 to 0.75 (experiments)");
        assert!(range.allows(0.6) && !range.allows(0.59) && !range.allows(f64::NAN));
    }
}
