//! Values that are changed before a scene is checked: `solver.tolerance=1e-5`.

use super::SceneError;
use super::key_path::{KeyPath, Segment};
use std::fmt;
use std::path::Path;
use toml::{Table, Value};

/// A value of a scene that is to be another one.
///
/// ```
/// use granule_io::scene::Change;
/// let change: Change = "grains.0.random.count=2000".parse()?;
/// assert_eq!(change.to_string(), "grains.0.random.count=2000");
/// assert!("friction".parse::<Change>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    keys: Vec<String>,
    value: Value,
}

impl std::str::FromStr for Change {
    type Err = String;

    /// Keys with dots, `=`, and a value as in a scene file; a text needs no quotes. Entries of lists are counted from 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((keys, value)) = text.split_once('=') else {
            return Err(format!(
                "`{text}` changes nothing: write KEY=VALUE, as in `solver.tolerance=1e-5`"
            ));
        };
        let keys: Vec<String> = keys.split('.').map(|key| key.trim().to_owned()).collect();
        if keys.iter().any(String::is_empty) {
            return Err(format!("a key is missing before `=` in `{text}`"));
        }
        let value = value.trim();
        let read: Option<Table> = toml::from_str(&format!("value = {value}")).ok();
        let read = read.and_then(|mut table| table.remove("value"));
        Ok(Self {
            keys,
            value: read.unwrap_or_else(|| Value::String(value.to_owned())),
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key(), self.value())
    }
}

impl Change {
    /// The keys, with dots between them.
    pub fn key(&self) -> String {
        self.keys.join(".")
    }

    /// The value, as text.
    pub fn value(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }

    /// The same key with the value at a place of a list; the change itself if its value is none.
    pub fn choices(&self) -> Vec<Self> {
        let one = |value: &Value| Self {
            keys: self.keys.clone(),
            value: value.clone(),
        };
        match &self.value {
            Value::Array(values) => values.iter().map(one).collect(),
            _ => vec![self.clone()],
        }
    }

    /// Whether it sets the value at a path, or what that is a part of.
    pub(super) fn sets(&self, path: &KeyPath) -> bool {
        let same = |(key, segment): (&String, &Segment)| match segment {
            Segment::Key(name) => key == name,
            Segment::Index(place) => key.parse() == Ok(*place),
        };
        self.keys.len() <= path.0.len() && self.keys.iter().zip(&path.0).all(same)
    }

    /// Puts the value into a document; tables that are missing are made.
    fn apply(&self, document: &mut Value) -> Result<(), String> {
        let mut place = document;
        for (depth, key) in self.keys.iter().enumerate() {
            let above = self.keys[..depth].join(".");
            place = match place {
                Value::Table(table) => {
                    let last = depth + 1 == self.keys.len();
                    let new = || match last {
                        true => self.value.clone(),
                        false => Value::Table(Table::new()),
                    };
                    table.entry(key.clone()).or_insert_with(new)
                }
                Value::Array(entries) => {
                    let count = entries.len();
                    let entry = key.parse().ok().and_then(|k: usize| entries.get_mut(k));
                    entry.ok_or_else(|| {
                        format!(
                            "`{above}` has {count} entries, counted from 0: there is no `{key}`"
                        )
                    })?
                }
                other => {
                    let kind = other.type_str();
                    return Err(format!(
                        "`{above}` is {other}, a {kind}: there is no `{key}` in it"
                    ));
                }
            };
        }
        *place = self.value.clone();
        Ok(())
    }
}

/// The text of a scene with changes; without any it stays as it is.
pub(super) fn changed(text: &str, origin: &Path, changes: &[Change]) -> Result<String, SceneError> {
    let failed = |reason: String| {
        SceneError::about_file(
            origin,
            reason,
            "keys are those of the scene file with dots between them, as in `contacts.friction=0.3` or `grains.0.random.count=2000`",
        )
    };
    // What is no TOML is told by who reads it next, with the line.
    let Some(table) = toml::from_str::<Table>(text)
        .ok()
        .filter(|_| !changes.is_empty())
    else {
        return Ok(text.to_owned());
    };
    let mut document = Value::Table(table);
    for change in changes {
        change
            .apply(&mut document)
            .map_err(|reason| failed(format!("cannot set `{}`: {reason}", change.key())))?;
    }
    toml::to_string(&document).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[time]\nstep = 0.1\n[[grains]]\nradius = 1\n[[grains]]\nradius = 2\n";

    fn change(text: &str) -> Result<Value, String> {
        let changes = [text.parse()?];
        let text = changed(TEXT, Path::new("a.toml"), &changes).map_err(|e| e.to_string())?;
        toml::from_str(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_changed_where_the_keys_lead() {
        let number = |value: Value, keys: [&str; 2]| value[keys[0]][keys[1]].as_float();
        assert_eq!(
            number(change("time.step=0.5").unwrap(), ["time", "step"]),
            Some(0.5)
        );
        assert_eq!(
            number(
                change("solver.tolerance = 1e-5").unwrap(),
                ["solver", "tolerance"]
            ),
            Some(1e-5)
        );
        let grains = change("grains.1.radius=3").unwrap();
        assert_eq!(grains["grains"][1]["radius"].as_integer(), Some(3));
        assert_eq!(grains["grains"][0]["radius"].as_integer(), Some(1));
        assert_eq!(
            change("scene.name=a b").unwrap()["scene"]["name"].as_str(),
            Some("a b")
        );
    }

    #[test]
    fn errors_name_the_key_and_what_is_there() {
        let error = change("grains.2.radius=3").unwrap_err();
        assert!(
            error.contains("`grains.2.radius`") && error.contains("2 entries"),
            "{error}"
        );
        let error = change("time.step.x=3").unwrap_err();
        assert!(error.contains("`time.step` is 0.1"), "{error}");
        assert!(change("time.step").is_err() && change("=3").is_err());
    }

    #[test]
    fn errors_show_the_lines_of_the_file_or_the_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        // A comment moves all lines of the text that is written anew.
        let text = "# a comment\n\n[scene]\nname = 'a'\n\n# another\n[time]\nend = 1\nstep = 0.1\n\n\
            [[bodies]]\nsphere = { radius = 0.1 }\nposition = [0, 0, POSITION]\n";
        let error = |position: &str, change: &str| {
            std::fs::write(&path, text.replace("POSITION", position)).unwrap();
            let changes = [change.parse().unwrap()];
            crate::scene::load_with(&path, &changes).unwrap_err()
        };
        for wrong in ["0, 0", "'high'"] {
            let found = error(wrong, "time.step=0.2");
            assert_eq!(found.line(), Some(13), "{found}");
        }
        for (change, words) in [
            ("time.step=-1", "`time.step` is set by --set time.step=-1"),
            ("time.step=fast", "set by --set time.step=fast"),
            (
                "bodies.0.sphere.radius=-2",
                "--set bodies.0.sphere.radius=-2",
            ),
        ] {
            let found = error("0", change);
            assert_eq!(found.line(), None, "{found}");
            assert!(found.to_string().contains(words), "{found}");
        }
        // What a change has to do with is shown where it stands.
        let found = error("0", "time.cfl=0.2");
        assert_eq!(found.line(), Some(9), "{found}");
        assert!(found.to_string().contains("--set time.cfl=0.2"), "{found}");
    }

    #[test]
    fn a_list_gives_choices() {
        let change: Change = "contacts.friction=[0.1, 0.2]".parse().unwrap();
        let choices: Vec<String> = change.choices().iter().map(Change::to_string).collect();
        assert_eq!(choices, ["contacts.friction=0.1", "contacts.friction=0.2"]);
    }
}
