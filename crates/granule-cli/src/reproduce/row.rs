//! A line of a regenerated table: the published number beside ours.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number or a word, as it stands in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A measured number.
    Number(f64),
    /// Anything else.
    Text(String),
}

impl Value {
    /// The value as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(x) if *x != 0.0 && !(1e-3..1e6).contains(&x.abs()) => write!(f, "{x:.2e}"),
            Self::Number(x) => {
                // So many significant digits as the precision says, ten if it does not, without the zeros at the end.
                let wanted = f.precision().unwrap_or(10) as i32 - 1;
                let digits = (wanted - x.abs().max(1e-3).log10().floor() as i32).max(0) as usize;
                let text = format!("{x:.digits$}");
                let short = match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.'),
                    false => &text,
                };
                f.write_str(short)
            }
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// How ours compares with the published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The same, within what the note says.
    Match,
    /// Ours is better.
    Better,
    /// Ours is worse, or differs where the two should agree.
    Worse,
    /// Nothing was published to compare with.
    NoReference,
}

impl Verdict {
    /// `Match` or `Worse`.
    pub fn matches(yes: bool) -> Self {
        if yes { Self::Match } else { Self::Worse }
    }

    /// The verdict for a cost, of which less is better: within `factor` of the published it is
    /// `Match`.
    pub fn of_cost(published: f64, measured: f64, factor: f64) -> Self {
        if measured < published / factor {
            Self::Better
        } else if measured <= published * factor {
            Self::Match
        } else {
            Self::Worse
        }
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoReference => "no-reference",
        }
    }
}

/// One line of a table. The names of the fields are a contract with whoever reads the JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What is compared.
    pub quantity: String,
    /// What the paper says, if anything.
    pub published: Option<Value>,
    /// What came out.
    pub measured: Value,
    /// Unit of both; empty for pure numbers.
    pub unit: String,
    /// How the two compare.
    pub verdict: Verdict,
    /// Where the published number stands, what counts as a match, and what should be known.
    pub note: String,
}

impl Row {
    /// A line without a published number.
    pub fn unpublished(quantity: impl Into<String>, measured: impl Into<Value>) -> Self {
        Self {
            quantity: quantity.into(),
            published: None,
            measured: measured.into(),
            unit: String::new(),
            verdict: Verdict::NoReference,
            note: String::new(),
        }
    }

    /// The same line in the given unit.
    pub fn unit(mut self, unit: &str) -> Self {
        unit.clone_into(&mut self.unit);
        self
    }

    /// The same line with something more to know.
    pub fn note(mut self, note: impl AsRef<str>) -> Self {
        if !self.note.is_empty() && !note.as_ref().is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(note.as_ref());
        self
    }
}

/// A regenerated table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// Name of the target.
    pub id: &'static str,
    /// The paper.
    pub paper: String,
    /// The lines.
    pub rows: Vec<Row>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_short() {
        for (value, want) in [
            (Value::from(206), "206"),
            (Value::from(0.14921875), "0.14921875"),
            (Value::from(0.0), "0"),
            (Value::from(3e-13), "3.00e-13"),
            (Value::from(12.5), "12.5"),
            (Value::from(910646.0), "910646"),
        ] {
            assert_eq!(value.to_string(), want);
        }
        assert_eq!(format!("{:.5}", Value::from(1.9514677675574346)), "1.9515");
        assert_eq!(format!("{:.5}", Value::from(910646.0)), "910646");
    }

    #[test]
    fn a_cost_is_judged_by_its_ratio() {
        assert_eq!(Verdict::of_cost(1.0, 0.5, 1.5), Verdict::Better);
        assert_eq!(Verdict::of_cost(1.0, 1.4, 1.5), Verdict::Match);
        assert_eq!(Verdict::of_cost(1.0, 1.6, 1.5), Verdict::Worse);
    }
}
