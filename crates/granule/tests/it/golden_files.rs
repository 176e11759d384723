//! Checked input-output pairs, read from `tests/golden`.

use serde_json::Value;

/// One pair.
pub struct Vector {
    /// What is given.
    pub inputs: Value,
    /// What must come out.
    pub outputs: Value,
    /// How exactly.
    pub tolerance: Value,
}

/// The pair with the given id.
pub fn load(file: &str, id: &str) -> Vector {
    let path = format!("{}/tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let found = all
        .into_iter()
        .find(|v| v["id"] == id)
        .unwrap_or_else(|| panic!("no {id}"));
    Vector {
        inputs: found["inputs"].clone(),
        outputs: found["outputs"].clone(),
        tolerance: found["tol"].clone(),
    }
}

/// An array of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}
