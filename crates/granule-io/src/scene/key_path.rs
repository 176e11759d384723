//! Where in a scene file a value stands: by keys, and by bytes.

use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One step into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// A key of a table.
    Key(String),
    /// A place in an array.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The way from the root of a document to a value, printed as `bodies[3].sphere.radius`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeyPath(pub(crate) Vec<Segment>);

/// `key_path!["bodies", 3, "sphere"]`.
macro_rules! key_path {
    ($($segment:expr),* $(,)?) => {
        $crate::scene::key_path::KeyPath(vec![
            $($crate::scene::key_path::Segment::from($segment)),*
        ])
    };
}
pub(crate) use key_path;

impl KeyPath {
    /// This path and one more step.
    pub(crate) fn join(&self, segment: impl Into<Segment>) -> Self {
        let mut path = self.clone();
        path.0.push(segment.into());
        path
    }

    /// The last key, without places in arrays: what a user would call the value.
    pub(crate) fn name(&self) -> &str {
        self.0
            .iter()
            .rev()
            .find_map(|segment| match segment {
                Segment::Key(key) => Some(key.as_str()),
                Segment::Index(_) => None,
            })
            .unwrap_or("scene")
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if k == 0 => write!(f, "{key}")?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The bytes of the value at `path`, or of the nearest thing around it that the text has (a value
/// that was left out is looked for in its table).
pub(crate) fn span_of(text: &str, path: &KeyPath) -> Option<Range<usize>> {
    let document = DeTable::parse(text).ok()?;
    let mut span = None;
    let mut table = Some(document.get_ref());
    let mut value: Option<&DeValue<'_>> = None;
    for segment in &path.0 {
        let next: Option<&Spanned<DeValue<'_>>> = match segment {
            Segment::Key(key) => table.and_then(|table| {
                let (_, found) = table.iter().find(|(name, _)| name.get_ref() == key)?;
                Some(found)
            }),
            Segment::Index(index) => value.and_then(|value| value.as_array()?.get(*index)),
        };
        let Some(found) = next else { break };
        span = Some(found.span());
        value = Some(found.get_ref());
        table = found.get_ref().as_table();
    }
    span
}

/// The way to the innermost value whose bytes hold `span`, or whose key does.
pub(crate) fn path_at(text: &str, span: &Range<usize>) -> KeyPath {
    fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
        outer.start <= inner.start && inner.end <= outer.end
    }
    fn in_table(table: &DeTable<'_>, span: &Range<usize>, path: &mut Vec<Segment>) -> bool {
        for (key, value) in table {
            path.push(Segment::Key(key.get_ref().to_string()));
            if holds(&key.span(), span) || in_value(value, span, path) {
                return true;
            }
            path.pop();
        }
        false
    }
    fn in_value(
        value: &Spanned<DeValue<'_>>,
        span: &Range<usize>,
        path: &mut Vec<Segment>,
    ) -> bool {
        // The bytes of a table are its header only, so its values are looked at in any case.
        let inner = match value.get_ref() {
            DeValue::Table(table) => in_table(table, span, path),
            DeValue::Array(array) => array.iter().enumerate().any(|(index, value)| {
                path.push(Segment::Index(index));
                let found = in_value(value, span, path);
                if !found {
                    path.pop();
                }
                found
            }),
            _ => false,
        };
        inner || holds(&value.span(), span)
    }
    let mut path = Vec::new();
    if let Ok(document) = DeTable::parse(text) {
        in_table(document.get_ref(), span, &mut path);
    }
    KeyPath(path)
}
