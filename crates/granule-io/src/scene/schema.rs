//! The JSON schema of scene files, and the documentation of keys taken from it.

use super::grammar::Sections;
use super::key_path::{KeyPath, Segment};
use serde_json::Value;

/// The JSON schema of scene files, from the same types that read them.
///
/// ```
/// let schema = granule_io::scene::schema();
/// assert!(schema["properties"]["time"].is_object());
/// ```
pub fn schema() -> Value {
    schemars::schema_for!(Sections).to_value()
}

/// What the documentation says about the value at `path`, on one line.
pub(crate) fn description(path: &KeyPath) -> Option<String> {
    let root = schema();
    let mut found = None;
    let mut nodes = vec![&root];
    for segment in &path.0 {
        let next: Vec<&Value> = nodes
            .iter()
            .flat_map(|node| children(&root, node, segment))
            .collect();
        if next.is_empty() {
            break;
        }
        nodes = next;
        // A place in an array has no text of its own: that of the array stands.
        let text = nodes
            .iter()
            .find_map(|node| node.get("description")?.as_str());
        if let (Some(text), Segment::Key(_)) = (text, segment) {
            found = Some(text);
        }
    }
    found.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The schemas that a key or place inside `node` may have.
fn children<'a>(root: &'a Value, node: &'a Value, segment: &Segment) -> Vec<&'a Value> {
    let mut found = Vec::new();
    if let Some(name) = node.get("$ref").and_then(Value::as_str)
        && let Some(target) = name
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer))
    {
        found.extend(children(root, target, segment));
    }
    for alternatives in ["anyOf", "oneOf", "allOf"] {
        if let Some(nodes) = node.get(alternatives).and_then(Value::as_array) {
            found.extend(nodes.iter().flat_map(|node| children(root, node, segment)));
        }
    }
    match segment {
        Segment::Key(key) => {
            found.extend(
                node.get("properties")
                    .and_then(|properties| properties.get(key)),
            );
            found.extend(
                node.get("additionalProperties")
                    .filter(|value| value.is_object()),
            );
        }
        Segment::Index(_) => found.extend(node.get("items").filter(|value| value.is_object())),
    }
    found
}
