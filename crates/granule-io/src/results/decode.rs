//! Decodes the numbers of a VTK data array: text, base64 or raw, plain or in zlib blocks.

use flate2::read::ZlibDecoder;
use std::io::Read;

/// The number types of VTK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float32,
    Float64,
}

impl NumberType {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "Int8" => Self::Int8,
            "UInt8" => Self::UInt8,
            "Int16" => Self::Int16,
            "UInt16" => Self::UInt16,
            "Int32" => Self::Int32,
            "UInt32" => Self::UInt32,
            "Int64" => Self::Int64,
            "UInt64" => Self::UInt64,
            "Float32" => Self::Float32,
            "Float64" => Self::Float64,
            _ => return None,
        })
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Int8 | Self::UInt8 => 1,
            Self::Int16 | Self::UInt16 => 2,
            Self::Int32 | Self::UInt32 | Self::Float32 => 4,
            Self::Int64 | Self::UInt64 | Self::Float64 => 8,
        }
    }

    /// Little-endian bytes to numbers; a remainder shorter than a number is left out.
    pub(super) fn numbers(self, bytes: &[u8]) -> Vec<f64> {
        fn convert<const N: usize>(bytes: &[u8], number: fn([u8; N]) -> f64) -> Vec<f64> {
            bytes
                .as_chunks::<N>()
                .0
                .iter()
                .map(|chunk| number(*chunk))
                .collect()
        }
        match self {
            Self::Int8 => convert(bytes, |b| f64::from(i8::from_le_bytes(b))),
            Self::UInt8 => convert(bytes, |[b]| f64::from(b)),
            Self::Int16 => convert(bytes, |b| f64::from(i16::from_le_bytes(b))),
            Self::UInt16 => convert(bytes, |b| f64::from(u16::from_le_bytes(b))),
            Self::Int32 => convert(bytes, |b| f64::from(i32::from_le_bytes(b))),
            Self::UInt32 => convert(bytes, |b| f64::from(u32::from_le_bytes(b))),
            Self::Int64 => convert(bytes, |b| i64::from_le_bytes(b) as f64),
            Self::UInt64 => convert(bytes, |b| u64::from_le_bytes(b) as f64),
            Self::Float32 => convert(bytes, |b| f64::from(f32::from_le_bytes(b))),
            Self::Float64 => convert(bytes, f64::from_le_bytes),
        }
    }
}

/// How binary data is laid out in this file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Whether header numbers have 8 bytes (UInt64) instead of 4 (UInt32).
    pub wide_header: bool,
    /// Whether data is in zlib blocks.
    pub compressed: bool,
}

/// Reads text of exactly `count` numbers.
pub(super) fn text(source: &str, count: usize) -> Result<Vec<f64>, String> {
    let mut values = Vec::new();
    for word in source.split_ascii_whitespace() {
        if values.len() == count {
            return Err(format!("more than the {count} numbers announced"));
        }
        let value = word
            .parse()
            .map_err(|_| format!("`{word}` is not a number"))?;
        values.push(value);
    }
    if values.len() < count {
        return Err(format!(
            "{} numbers where {count} were announced",
            values.len()
        ));
    }
    Ok(values)
}

/// Reads `expected` bytes of binary data (headers and, if compressed, blocks) from `source`.
pub(super) fn binary(
    source: &mut dyn ByteSource,
    layout: Layout,
    expected: usize,
) -> Result<Vec<u8>, String> {
    let number = |source: &mut dyn ByteSource| -> Result<usize, String> {
        let bytes = source.take(if layout.wide_header { 8 } else { 4 })?;
        let value = bytes
            .iter()
            .rev()
            .fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
        usize::try_from(value).map_err(|_| "a size beyond all memory".to_owned())
    };
    if !layout.compressed {
        let announced = number(source)?;
        if announced != expected {
            return Err(format!("{announced} bytes where {expected} were expected"));
        }
        return source.take(expected);
    }
    let (blocks, whole, partial) = (number(source)?, number(source)?, number(source)?);
    let full = if partial == 0 {
        blocks
    } else {
        blocks.saturating_sub(1)
    };
    let total = full
        .checked_mul(whole)
        .and_then(|sum| sum.checked_add(partial));
    if total != Some(expected) {
        return Err(format!("{blocks} blocks that do not make {expected} bytes"));
    }
    // The sizes grow one by one, so a wrong count of blocks meets the end of the data first.
    let mut sizes = Vec::new();
    for _ in 0..blocks {
        sizes.push(number(source)?);
    }
    let mut bytes = Vec::new();
    for size in sizes {
        let block = source.take(size)?;
        let room = (expected - bytes.len()).min(whole.max(partial)) as u64;
        ZlibDecoder::new(block.as_slice())
            .take(room)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("a compressed block is damaged ({error})"))?;
    }
    if bytes.len() != expected {
        return Err(format!(
            "{} bytes where {expected} were expected",
            bytes.len()
        ));
    }
    Ok(bytes)
}

/// Bytes that are read from front to back.
pub(super) trait ByteSource {
    /// The next `count` bytes.
    fn take(&mut self, count: usize) -> Result<Vec<u8>, String>;
}

/// Raw bytes.
pub(super) struct Raw<'a>(pub &'a [u8]);

impl ByteSource for Raw<'_> {
    fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        let (front, rest) = self
            .0
            .split_at_checked(count)
            .ok_or("the data ends too early")?;
        self.0 = rest;
        Ok(front.to_vec())
    }
}

/// Base64 text. Padding may come in the middle, since VTK encodes the header of compressed data
/// and the data itself one after the other; white space is skipped.
pub(super) struct Base64<'a> {
    text: &'a [u8],
    spare: Vec<u8>,
}

impl<'a> Base64<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            spare: Vec::new(),
        }
    }

    /// The up to three bytes of the next four characters.
    fn quantum(&mut self) -> Result<[Option<u8>; 3], String> {
        let (mut bits, mut filled, mut padding) = (0u32, 0, 0);
        while filled < 4 {
            let (&character, rest) = self.text.split_first().ok_or("the data ends too early")?;
            self.text = rest;
            let value = match character {
                b'A'..=b'Z' => character - b'A',
                b'a'..=b'z' => character - b'a' + 26,
                b'0'..=b'9' => character - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => {
                    padding += 1;
                    0
                }
                _ if character.is_ascii_whitespace() => continue,
                _ => return Err("a character that is not base64".to_owned()),
            };
            if padding > 2 || (padding > 0 && character != b'=') {
                return Err("base64 padding at a wrong place".to_owned());
            }
            bits = bits << 6 | u32::from(value);
            filled += 1;
        }
        let [_, first, second, third] = bits.to_be_bytes();
        Ok([
            Some(first),
            (padding < 2).then_some(second),
            (padding < 1).then_some(third),
        ])
    }
}

impl ByteSource for Base64<'_> {
    fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        let mut bytes = std::mem::take(&mut self.spare);
        while bytes.len() < count {
            bytes.extend(self.quantum()?.into_iter().flatten());
        }
        self.spare = bytes.split_off(count);
        Ok(bytes)
    }
}
