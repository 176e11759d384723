//! The tables and figures of the papers, and where they are: `reproduce/items.toml`.

use crate::reproduce::Error;
use serde::Deserialize;

/// A table, a figure, or a claim.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name in the paper.
    pub item: String,
    /// What it shows.
    pub shows: String,
    /// The targets that regenerate it.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Why there is none, or what of it is left out.
    #[serde(default)]
    pub without: String,
}

/// A paper with all that it shows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// What the names of its targets begin with.
    pub tag: String,
    /// The family name of the first author.
    pub author: String,
    /// Short, for the contents.
    pub title: String,
    /// In the order of the paper.
    pub items: Vec<Item>,
}

/// All papers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Items {
    /// In the order of the page.
    pub papers: Vec<Paper>,
}

impl Items {
    /// What is built in.
    pub fn kept() -> Result<Self, Error> {
        toml::from_str(include_str!("../../../../reproduce/items.toml"))
            .map_err(|error| Error::Published(format!("items.toml: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::list;

    #[test]
    fn items_name_targets_or_say_why_not_and_no_target_is_forgotten() {
        let items = Items::kept().unwrap();
        let all = || items.papers.iter().flat_map(|paper| &paper.items);
        for item in all() {
            assert!(
                !item.targets.is_empty() || !item.without.is_empty(),
                "{item:?}"
            );
            for id in &item.targets {
                assert!(list().iter().any(|target| target.id == id), "{id}");
            }
        }
        for target in list() {
            assert!(
                all().any(|item| item.targets.iter().any(|id| id == target.id)),
                "{}",
                target.id
            );
        }
    }
}
