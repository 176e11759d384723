//! What the README of the folder `reproduce` says of each target.
//!
//! A paragraph that begins with the names of targets in bold, `**bloch2023-table1.**` or
//! `**barboteu2017-table2, -table3.**`, is theirs, and so is all below it up to the next such paragraph or head.

/// The README, by target and by paper.
pub struct Notes {
    /// Names of targets and what is said of them.
    targets: Vec<(Vec<String>, String)>,
    /// Authors and year of a paper, and its misprints.
    misprints: Vec<(String, String)>,
}

impl Notes {
    /// What is built in.
    pub fn kept() -> Self {
        Self::parse(include_str!("../../../../reproduce/README.md"))
    }

    fn parse(text: &str) -> Self {
        let mut notes = Self {
            targets: Vec::new(),
            misprints: Vec::new(),
        };
        let mut head = "";
        let mut open: Option<&mut String> = None;
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                (head, open) = (title, None);
            } else if let Some(ids) = targets_of(line) {
                let after = line.split_once(".** ").map_or("", |(_, after)| after);
                notes.targets.push((ids, after.to_owned()));
                open = notes.targets.last_mut().map(|(_, text)| text);
            } else if let (Some(paper), "Known misprints") = (
                line.strip_prefix("In ").and_then(|l| l.strip_suffix(':')),
                head,
            ) {
                notes.misprints.push((paper.to_owned(), String::new()));
                open = notes.misprints.last_mut().map(|(_, text)| text);
            } else if let Some(text) = &mut open {
                text.push('\n');
                text.push_str(line);
            }
        }
        notes
    }

    /// What is said of a target.
    pub fn of(&self, id: &str) -> Option<&str> {
        let meant = |ids: &Vec<String>| ids.iter().any(|known| known == id);
        let found = self.targets.iter().find(|(ids, _)| meant(ids));
        found.map(|(_, text)| text.trim())
    }

    /// The misprints of a paper, by the family name of its first author.
    pub fn misprints(&self, author: &str) -> Option<&str> {
        let found = self
            .misprints
            .iter()
            .find(|(paper, _)| paper.starts_with(author));
        found.map(|(_, text)| text.trim())
    }
}

/// The targets that a paragraph is about, if it begins with some.
fn targets_of(line: &str) -> Option<Vec<String>> {
    let names = line.strip_prefix("**")?.split_once(".**")?.0;
    let mut ids: Vec<String> = Vec::new();
    for name in names.split(", ") {
        let id = match (name.strip_prefix('-'), ids.first()) {
            (Some(table), Some(first)) => {
                format!("{}-{table}", first.split_once('-')?.0)
            }
            _ => name.to_owned(),
        };
        if !id.contains('-') || id.contains(' ') {
            return None;
        }
        ids.push(id);
    }
    Some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_belong_to_the_targets_that_they_name() {
        let notes = Notes::parse(
            "# Title\n\nSomething **bold.** here.\n\n## How\n\n**a1-x.** First.\n- one\n\n**a1-y, -z.** Second.\n\n\
             *More.* Of it.\n\n## Known misprints\n\nIn Maury 2006:\n- a sign\n\n## End\n\nNothing.\n",
        );
        assert_eq!(notes.of("a1-x"), Some("First.\n- one"));
        assert_eq!(notes.of("a1-z"), Some("Second.\n\n*More.* Of it."));
        assert_eq!(notes.of("a1"), None);
        assert_eq!(notes.misprints("Maury"), Some("- a sign"));
    }

    #[test]
    fn every_target_is_explained() {
        let notes = Notes::kept();
        for target in crate::reproduce::list() {
            assert!(
                notes.of(target.id).is_some(),
                "reproduce/README.md says nothing of {}",
                target.id
            );
        }
    }
}
