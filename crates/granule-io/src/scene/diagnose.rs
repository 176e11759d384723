//! Errors of the TOML parser, in the words of someone who writes a scene.

use super::error::{SceneError, hint};
use super::key_path::{Segment, path_at};
use std::path::Path;

/// Translates an error of the parser.
pub(crate) fn from_toml(error: &toml::de::Error, text: &str, file: &Path) -> SceneError {
    let message = error.message();
    // An error at no bytes, or at all of them, is about the document as a whole.
    let span = error.span().unwrap_or(0..0);
    let path = match &span {
        whole if whole.is_empty() || *whole == (0..text.len()) => Default::default(),
        span => path_at(text, span),
    };
    let names = quoted(message);
    let place = if path.0.is_empty() && message.starts_with("missing") {
        0..0
    } else {
        span
    };

    if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let (found, known) = names
            .split_first()
            .map_or(("", &names[..]), |(f, k)| (*f, k));
        let what = match path.0.len() {
            _ if message.starts_with("unknown variant") => "value",
            1 => "section",
            _ => "key",
        };
        let known: Vec<&str> = known.to_vec();
        return SceneError::about_file(
            file,
            format!("unknown {what} `{found}`"),
            suggestion(found, &known, what),
        )
        .at(text, place, format!("not a known {what}"));
    }
    if message.starts_with("missing field") {
        let missing = names.first().copied().unwrap_or_default();
        let key = path.join(missing);
        let (reason, label, help) = if path.0.is_empty() {
            (
                format!("the section `[{missing}]` is missing"),
                format!("no `[{missing}]` in this file"),
                format!(
                    "add a section `[{missing}]`: {}",
                    unnamed(&hint(&key), missing)
                ),
            )
        } else {
            (
                format!("the key `{missing}` is missing"),
                format!("`{missing}` is not given here"),
                format!("add {}", hint(&key)),
            )
        };
        return SceneError::about_file(file, reason, help).at(text, place, label);
    }
    if message.starts_with("invalid") || message.starts_with("wanted") {
        let name = path.name().to_owned();
        return SceneError::about_file(
            file,
            format!("`{name}` does not take this value"),
            hint(&path),
        )
        .at(text, place, in_words(message));
    }
    if message.starts_with("duplicate key") {
        return SceneError::about_file(
            file,
            "the same key is given twice",
            "keep one of the two; a second body, wall or set of grains is written with double \
             brackets, as in `[[bodies]]`",
        )
        .at(text, place, message.to_owned());
    }
    let name = match path.0.last() {
        Some(Segment::Key(_)) if !path.0.is_empty() => Some(path),
        _ => None,
    };
    let help = "scene files are TOML: `key = value` lines below `[section]` headers, texts in \
                quotes, arrays in brackets (see https://toml.io)";
    let reason = match &name {
        Some(path) => format!("cannot read the value of `{path}`"),
        None => "this is not TOML".to_owned(),
    };
    SceneError::about_file(file, reason, help).at(text, place, message.to_owned())
}

/// The message without the names of Rust's types.
fn in_words(message: &str) -> String {
    let Some((found, expected)) = message.split_once("expected ") else {
        return message.to_owned();
    };
    let expected = match expected {
        "f64" => "a number",
        "u8" | "u32" | "u64" | "usize" => "a whole number, not negative",
        "a map" => "a table, as in `{ key = value }`",
        other if other.starts_with("struct ") => "a table, as in `{ key = value }`",
        "a sequence" => "an array, as in `[1, 2, 3]`",
        other if other.starts_with("tuple struct ") => "an array, as in `[1, 2, 3]`",
        other => other,
    };
    format!("{found}expected {expected}")
}

/// The hint without the name in front.
fn unnamed(hint: &str, name: &str) -> String {
    hint.strip_prefix(&format!("`{name}`: "))
        .unwrap_or(hint)
        .to_owned()
}

/// The words between backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// A help line that names the nearest of the known words, and all of them.
pub(crate) fn suggestion(found: &str, known: &[&str], what: &str) -> String {
    let list = known
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let several = match what.strip_suffix('y') {
        Some(start) if !start.ends_with(['a', 'e', 'o', 'u']) => format!("{start}ies"),
        Some(_) | None => format!("{what}s"),
    };
    match nearest(found, known) {
        Some(word) => format!("did you mean `{word}`? The known {several} here are {list}"),
        None if known.is_empty() => format!("no {what} is known here: remove it"),
        None => format!("the known {several} here are {list}"),
    }
}

/// The known word nearest to the one found, if any is near.
fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let length = found.chars().count();
    // Half of the letters wrong is no longer a slip of the pen.
    let limit = (length / 2).clamp(1, 4);
    known
        .iter()
        .map(|word| (edit_distance(found, word), *word))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// How many letters must be put in, left out, changed or swapped with their neighbour.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).take(64).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).take(64).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_slips_of_the_pen() {
        assert_eq!(edit_distance("radius", "radius"), 0);
        assert_eq!(edit_distance("raduis", "radius"), 1);
        assert_eq!(edit_distance("gravty", "gravity"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn only_near_words_are_suggested() {
        assert_eq!(nearest("methd", &["method", "tolerance"]), Some("method"));
        assert_eq!(nearest("mu", &["law", "pairs"]), None);
    }
}
