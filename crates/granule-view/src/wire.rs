//! Arrays of numbers as bytes, with a word of JSON before them.
//!
//! ```text
//! "GRN1" | length of the JSON: u32 | JSON, with spaces up to a multiple of 4 bytes | the arrays
//! ```
//!
//! All little endian. The JSON is `{"head": …, "arrays": [{"name", "type", "width", "offset", "count"}]}`: `width` numbers
//! for each of `count` things, `offset` in bytes from the end of the JSON, a multiple of 4.

use serde_json::{Value, json};

/// A message that is being put together.
pub struct Message {
    head: Value,
    arrays: Vec<Value>,
    bytes: Vec<u8>,
}

impl Message {
    pub fn new(head: Value) -> Self {
        Self {
            head,
            arrays: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn add(
        &mut self,
        name: &str,
        kind: &str,
        width: usize,
        size: usize,
        bytes: impl Iterator<Item = u8>,
    ) {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let count = (self.bytes.len() - offset) / (size * width);
        let padded = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(padded, 0);
        self.arrays.push(
            json!({ "name": name, "type": kind, "width": width, "offset": offset, "count": count }),
        );
    }

    /// Single-precision numbers, `width` of them for each thing.
    pub fn floats(&mut self, name: &str, width: usize, values: impl Iterator<Item = f64>) {
        let bytes = values.flat_map(|value| (value as f32).to_le_bytes());
        self.add(name, "f32", width, 4, bytes);
    }

    /// Numbers of -1 to 1 as 16 bits.
    pub fn parts(&mut self, name: &str, width: usize, values: impl Iterator<Item = f64>) {
        let round = |value: f64| (value.clamp(-1.0, 1.0) * f64::from(i16::MAX)).round() as i16;
        let bytes = values.flat_map(|value| round(value).to_le_bytes());
        self.add(name, "i16", width, 2, bytes);
    }

    pub fn words(&mut self, name: &str, width: usize, values: impl Iterator<Item = u32>) {
        self.add(name, "u32", width, 4, values.flat_map(u32::to_le_bytes));
    }

    pub fn integers(&mut self, name: &str, width: usize, values: impl Iterator<Item = i32>) {
        self.add(name, "i32", width, 4, values.flat_map(i32::to_le_bytes));
    }

    pub fn shorts(&mut self, name: &str, width: usize, values: impl Iterator<Item = u16>) {
        self.add(name, "u16", width, 2, values.flat_map(u16::to_le_bytes));
    }

    pub fn finish(self) -> Vec<u8> {
        let mut text = json!({ "head": self.head, "arrays": self.arrays }).to_string();
        while !text.len().is_multiple_of(4) {
            text.push(' ');
        }
        let mut message = Vec::with_capacity(8 + text.len() + self.bytes.len());
        message.extend(b"GRN1");
        message.extend((text.len() as u32).to_le_bytes());
        message.extend(text.as_bytes());
        message.extend(&self.bytes);
        message
    }
}
