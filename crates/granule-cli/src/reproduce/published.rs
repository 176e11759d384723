//! The published numbers, from the files in the folder `reproduce`.

use super::{Error, Row, Value, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The numbers of one paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Authors, title, year.
    pub paper: String,
    /// The numbers by name.
    numbers: BTreeMap<String, Number>,
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

    #[test]
    fn every_file_is_read_and_every_number_has_a_source() {
        for published in [
            Published::maury2006(),
            Published::bloch2023(),
            Published::barboteu2017(),
            Published::kleinert2017(),
            Published::tasora2013(),
            Published::validations(),
        ] {
            let published = published.unwrap();
            assert!(!published.numbers.is_empty());
            for (name, number) in &published.numbers {
                assert!(!number.source.is_empty(), "{name}");
            }
        }
    }
}
