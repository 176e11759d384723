//! The verdicts that targets are known to reach at their quick size: none turns worse unnoticed.
//!
//! The list is `reproduce/verdicts.toml`. A row is known by what it compares. What is worse has its reason beside it.

use super::{Error, Table, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What a row is to reach.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Expected {
    /// At least this: a match, or better.
    AtLeast(Verdict),
    /// What may be worse, and why.
    Because {
        /// `worse`: it is. `any`: it may be, as a ratio of times that other work on the machine sways.
        verdict: Allowed,
        /// The reason, for a sceptical reader.
        why: String,
        /// Whether the row is one of a record, and not there at the quick size.
        #[serde(default)]
        full: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Allowed {
    Worse,
    Any,
}

/// The verdicts that are known, by target and row.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Gate {
    targets: BTreeMap<String, BTreeMap<String, Expected>>,
}

impl Gate {
    /// The list of the repository.
    pub fn kept() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../reproduce/verdicts.toml"))
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let gate: Self = toml::from_str(text)
            .map_err(|error| Error::Published(format!("verdicts.toml: {error}")))?;
        for (id, rows) in &gate.targets {
            for (quantity, expected) in rows {
                if matches!(
                    expected,
                    Expected::AtLeast(Verdict::Worse | Verdict::NoReference)
                ) {
                    return Err(Error::Published(format!(
                        "verdicts.toml: [{id}] \"{quantity}\": what is not a match or better is left out or has a \
                         reason: {{ verdict = \"worse\", why = \"...\" }}"
                    )));
                }
            }
        }
        Ok(gate)
    }

    /// Why a row is worse, or may be.
    pub fn reason(&self, id: &str, quantity: &str) -> Option<&str> {
        match self.targets.get(id)?.get(quantity)? {
            Expected::Because { why, .. } => Some(why),
            Expected::AtLeast(_) => None,
        }
    }

    /// What is worse in a table than it is known to be, or not known at all.
    pub fn complaints(&self, table: &Table) -> Vec<String> {
        let quick = |expected: &Expected| !matches!(expected, Expected::Because { full: true, .. });
        let all = self.targets.get(table.id).into_iter().flatten();
        let known: BTreeMap<&String, &Expected> =
            all.filter(|(_, expected)| quick(expected)).collect();
        let mut complaints = Vec::new();
        for row in &table.rows {
            let of = format!("{}: \"{}\"", table.id, row.quantity);
            let measured = &row.measured;
            match (known.get(&row.quantity).copied(), row.verdict) {
                (None, Verdict::NoReference) => (),
                (None, verdict) => complaints.push(format!(
                    "{of} is judged ({}) and not in the list",
                    verdict.name()
                )),
                (Some(Expected::AtLeast(_)), Verdict::Match | Verdict::Better)
                | (
                    Some(Expected::Because {
                        verdict: Allowed::Any,
                        ..
                    }),
                    _,
                )
                | (
                    Some(Expected::Because {
                        verdict: Allowed::Worse,
                        ..
                    }),
                    Verdict::Worse,
                ) => (),
                (Some(Expected::AtLeast(was)), now) => complaints.push(format!(
                    "{of} was {} and is {}, {measured}: {}",
                    was.name(),
                    now.name(),
                    row.note
                )),
                (Some(Expected::Because { .. }), now) => complaints.push(format!(
                    "{of} was worse and is {}: mend the list",
                    now.name()
                )),
            }
        }
        for &quantity in known.keys() {
            if !table.rows.iter().any(|row| row.quantity == *quantity) {
                complaints.push(format!("{}: \"{quantity}\" is gone", table.id));
            }
        }
        complaints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::{Row, list};

    fn table(verdicts: &[(&str, Verdict)]) -> Table {
        let row = |&(quantity, verdict): &(&str, Verdict)| Row {
            verdict,
            ..Row::unpublished(quantity, 1)
        };
        Table {
            id: "table",
            paper: String::new(),
            rows: verdicts.iter().map(row).collect(),
        }
    }

    const LIST: &str = "[table]\n\"a count\" = \"match\"\n\
        \"an order\" = { verdict = \"worse\", why = \"not ours\" }\n\
        \"a time\" = { verdict = \"any\", why = \"noise\" }\n\
        \"a large one\" = { verdict = \"worse\", why = \"size\", full = true }\n";

    #[test]
    fn a_row_may_not_turn_worse_nor_appear_nor_vanish() {
        let gate = Gate::parse(LIST).unwrap();
        let complaints =
            |verdicts: &[(&str, Verdict)]| gate.complaints(&table(verdicts)).join("\n");
        let (good, worse) = (("a count", Verdict::Better), ("an order", Verdict::Worse));
        let time = ("a time", Verdict::Worse);
        assert_eq!(complaints(&[good, worse, time]), "");
        let free = ("something", Verdict::NoReference);
        assert_eq!(complaints(&[good, worse, time, free]), "");
        let says = |verdicts: &[(&str, Verdict)], what: &str| {
            let text = complaints(verdicts);
            assert!(text.contains(what) && !text.contains('\n'), "{text}");
        };
        says(
            &[("a count", Verdict::Worse), worse, time],
            "was match and is worse",
        );
        says(
            &[("a count", Verdict::NoReference), worse, time],
            "is no-reference",
        );
        says(&[good, ("an order", Verdict::Match), time], "mend the list");
        says(
            &[good, worse, time, ("new", Verdict::Match)],
            "not in the list",
        );
        says(&[good, time], "\"an order\" is gone");
        assert_eq!(gate.reason("table", "an order"), Some("not ours"));
    }

    #[test]
    fn what_is_worse_needs_its_reason() {
        let error = Gate::parse("[table]\n\"a count\" = \"worse\"\n").unwrap_err();
        assert!(error.to_string().contains("\"a count\""), "{error}");
    }

    #[test]
    fn the_list_of_the_repository_knows_only_targets() {
        for id in Gate::kept().unwrap().targets.keys() {
            assert!(list().iter().any(|target| target.id == id), "{id}");
        }
    }
}
