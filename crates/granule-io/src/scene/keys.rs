//! The page of all keys of scene files, from the same types that read them.

use super::schema::schema;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What stands before the keys.
const PREFACE: &str = "\
# Every key of a scene file

This page is made from the types that read scene files: `granule schema --page`. All units are SI: m, kg, s, N, rad. A key that
is not *needed* may be left out; its default is in its text. `granule check SCENE` prints what follows from the defaults, and the
file `scene.toml` of a run has all of them filled in. Tables that are written in one line, as in `region = { box = { min, max } }`,
are described in the second part.
";

/// Every key of a scene file with its type, unit, default and meaning, as Markdown.
///
/// ```
/// let page = granule_io::scene::keys();
/// assert!(page.contains("## `[[walls]]`"));
/// ```
pub fn keys() -> String {
    let root = schema();
    let mut page = PREFACE.to_owned();
    let none = Map::new();
    let sections = object(&root, "properties").unwrap_or(&none);
    let mut waiting = Vec::new();
    for (name, node) in sections {
        let (title, table) = section(&root, name, node);
        let _ = writeln!(page, "\n## `{title}`\n");
        let _ = writeln!(page, "{}\n", text(node));
        let more = text(table);
        if !more.is_empty() && more != text(node) {
            let _ = writeln!(page, "{more}\n");
        }
        page += &rows(&root, table, &mut waiting);
    }
    page += "\n# Tables within keys\n";
    let mut parts = BTreeMap::new();
    while let Some(name) = waiting.pop() {
        let Some(node) = definition(&root, &name).filter(|_| !parts.contains_key(&name)) else {
            continue;
        };
        let mut part = format!("\n## {name}\n\n{}\n\n", text(node));
        part += &rows(&root, node, &mut waiting);
        part += &choices(&root, node, &mut waiting);
        parts.insert(name, part);
    }
    page.extend(parts.into_values());
    page
}

/// How a part of a scene file is opened, and the table of its keys.
fn section<'a>(root: &'a Value, name: &str, node: &'a Value) -> (String, &'a Value) {
    if let Some(items) = node.get("items") {
        return (format!("[[{name}]]"), resolved(root, items));
    }
    if let Some(values) = node.get("additionalProperties").filter(|v| v.is_object()) {
        return (format!("[{name}.NAME]"), resolved(root, values));
    }
    (format!("[{name}]"), resolved(root, node))
}

fn object<'a>(node: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    node.get(key).and_then(Value::as_object)
}

/// The text of a node, on one line.
fn text(node: &Value) -> String {
    let text = node.get("description").and_then(Value::as_str);
    let words = text.unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

fn definition<'a>(root: &'a Value, name: &str) -> Option<&'a Value> {
    root.get("$defs")?.get(name)
}

/// The name of the definition that a node stands for.
fn reference(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// What a node is, whether it stands for another or may be left out.
fn resolved<'a>(root: &'a Value, node: &'a Value) -> &'a Value {
    let target = reference(node).and_then(|name| definition(root, name));
    let given = node.get("anyOf").and_then(Value::as_array);
    let given = given.and_then(|kinds| kinds.iter().find(|kind| !is_null(kind)));
    match (target, given) {
        (Some(target), _) => resolved(root, target),
        (None, Some(kind)) => resolved(root, kind),
        (None, None) => node,
    }
}

fn is_null(node: &Value) -> bool {
    node.get("type").and_then(Value::as_str) == Some("null")
}

/// The keys of a table, one a line.
fn rows(root: &Value, table: &Value, waiting: &mut Vec<String>) -> String {
    let Some(keys) = object(table, "properties").filter(|keys| !keys.is_empty()) else {
        return String::new();
    };
    let needed = table.get("required").and_then(Value::as_array);
    let is_needed = |key: &str| needed.is_some_and(|needed| needed.iter().any(|name| name == key));
    let mut page = "| key | | what |\n|---|---|---|\n".to_owned();
    for (key, node) in keys {
        let kind = kind(root, node, waiting);
        let kind = match is_needed(key) {
            true => format!("{kind}, *needed*"),
            false => kind,
        };
        let what = match text(node) {
            empty if empty.is_empty() => text(resolved(root, node)),
            given => given,
        };
        let _ = writeln!(page, "| `{key}` | {kind} | {} |", what.replace('|', "\\|"));
    }
    page
}

/// What can be chosen where a table is one of several, or a word.
fn choices(root: &Value, node: &Value, waiting: &mut Vec<String>) -> String {
    let kinds = ["oneOf", "anyOf"]
        .iter()
        .find_map(|key| node.get(*key)?.as_array());
    let mut page = String::new();
    for kind in kinds.into_iter().flatten() {
        let what = text(kind);
        if let Some(word) = kind.get("const") {
            let _ = writeln!(page, "- `{word}`: {what}");
        } else if let Some(words) = kind.get("enum").and_then(Value::as_array) {
            for word in words {
                let _ = writeln!(page, "- `{word}`");
            }
        } else if let Some(keys) = object(kind, "properties") {
            for (key, inner) in keys {
                let of = self::kind(root, inner, waiting);
                let _ = writeln!(page, "- `{key}` ({of}): {what}");
                let fields = rows(root, inner, waiting);
                if !fields.is_empty() {
                    let _ = writeln!(page, "\n{fields}");
                }
            }
        }
    }
    page
}

/// What a value is, in a word or two, with a link where it is described further down.
fn kind(root: &Value, node: &Value, waiting: &mut Vec<String>) -> String {
    if let Some(name) = reference(node) {
        let target = definition(root, name).unwrap_or(&Value::Null);
        let described = ["properties", "oneOf", "anyOf"];
        if described.iter().any(|key| target.get(*key).is_some()) {
            waiting.push(name.to_owned());
            return format!("[{name}](#{})", name.to_lowercase());
        }
        return kind(root, target, waiting);
    }
    if let Some(kinds) = node
        .get("anyOf")
        .or(node.get("oneOf"))
        .and_then(Value::as_array)
    {
        let mut names: Vec<String> = (kinds.iter().filter(|kind| !is_null(kind)))
            .map(|node| kind(root, node, waiting))
            .collect();
        names.dedup();
        return names.join(" or ");
    }
    if node.get("const").is_some() || node.get("enum").is_some() {
        return "text".to_owned();
    }
    let name = match node.get("type") {
        Some(Value::Array(types)) => types.iter().find(|kind| *kind != "null"),
        other => other,
    };
    match name.and_then(Value::as_str) {
        Some("string") => "text".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => "whole number".to_owned(),
        Some("array") => match node.get("items") {
            Some(items) => format!("list of {}", kind(root, items, waiting)),
            None => "list".to_owned(),
        },
        Some("object") => "table".to_owned(),
        Some(other) => other.to_owned(),
        None => "value".to_owned(),
    }
}
