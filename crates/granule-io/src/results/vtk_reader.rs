//! Reads points and their data from VTK XML files (`.vtp`, `.vtu`), of whatever program.

use super::ReadError;
use super::decode::{Base64, Layout, NumberType, Raw, binary, text};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;
use std::path::Path;

/// Points with data, as read from a VTK file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PointCloud {
    /// In the units of the file.
    pub points: Vec<[f64; 3]>,
    /// Name → (components, values): the values of point `i` are
    /// `values[i * components..(i + 1) * components]`. Integers beyond 2⁵³ are rounded.
    pub arrays: BTreeMap<String, (usize, Vec<f64>)>,
}

/// Reads the points and the point data of a `.vtp` or `.vtu` file.
///
/// Data may be ascii, inline base64, or appended (base64 or raw), plain or compressed with zlib;
/// headers UInt32 or UInt64; little endian. Pieces are put one after the other. A damaged or
/// hostile file is an error, and the memory used stays in proportion to the file's size.
pub fn read_points(path: &Path) -> Result<PointCloud, ReadError> {
    let bytes = std::fs::read(path).map_err(|source| ReadError::io(path, source))?;
    parse(path, &bytes)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<PointCloud, ReadError> {
    // Raw appended data is not XML, so the header is parsed without it.
    let mark = b"<AppendedData";
    let cut = bytes.windows(mark.len()).position(|window| window == mark);
    let (head, tail) = bytes.split_at(cut.unwrap_or(bytes.len()));
    let head = std::str::from_utf8(head)
        .map_err(|_| ReadError::malformed(path, "the header is not UTF-8 text"))?;
    let closing = if cut.is_some() { "</VTKFile>" } else { "" };
    let header = format!("{head}{closing}");
    let document = Document::parse(&header)
        .map_err(|error| ReadError::malformed(path, format!("the header is not XML: {error}")))?;
    let root = document.root_element();
    if !root.has_tag_name("VTKFile") {
        return Err(ReadError::malformed(path, "there is no <VTKFile> element"));
    }
    let file = File {
        path,
        layout: layout(path, root)?,
        appended: Appended::find(tail).map_err(|what| ReadError::malformed(path, what))?,
    };
    let mut cloud = PointCloud::default();
    // Compressed data may well be much smaller than what it stands for, but not without limit.
    let mut budget = (1usize << 25).saturating_add(bytes.len().saturating_mul(64));
    let pieces: Vec<Node> = root
        .descendants()
        .filter(|node| node.has_tag_name("Piece"))
        .collect();
    if pieces.is_empty() {
        return Err(ReadError::malformed(path, "there is no <Piece> element"));
    }
    for (index, piece) in pieces.into_iter().enumerate() {
        file.add_piece(piece, index == 0, &mut cloud, &mut budget)?;
    }
    Ok(cloud)
}

fn layout(path: &Path, root: Node) -> Result<Layout, ReadError> {
    let unsupported = |what: String| ReadError::Unsupported {
        path: path.to_owned(),
        what,
    };
    if root
        .attribute("byte_order")
        .is_some_and(|order| order != "LittleEndian")
    {
        let what = "only little-endian files are read; write the file anew on a common machine";
        return Err(unsupported(what.to_owned()));
    }
    let compressed = match root.attribute("compressor") {
        None | Some("") => false,
        Some("vtkZLibDataCompressor") => true,
        Some(other) => {
            let what = format!("compressor `{other}` is not known; use zlib or none");
            return Err(unsupported(what));
        }
    };
    let wide_header = match root.attribute("header_type") {
        None | Some("UInt32") => false,
        Some("UInt64") => true,
        Some(other) => {
            let what = format!("header type `{other}` is not known; use UInt32 or UInt64");
            return Err(unsupported(what));
        }
    };
    Ok(Layout {
        wide_header,
        compressed,
    })
}

/// The appended data: the bytes after the underscore.
struct Appended<'a> {
    raw: bool,
    bytes: &'a [u8],
}

impl<'a> Appended<'a> {
    /// Finds the data in what follows from `<AppendedData` on (nothing, if there is none).
    fn find(tail: &'a [u8]) -> Result<Self, String> {
        if tail.is_empty() {
            return Ok(Self {
                raw: true,
                bytes: tail,
            });
        }
        let close = tail
            .iter()
            .position(|&b| b == b'>')
            .ok_or("<AppendedData is not closed")?;
        let raw = match &tail[..close] {
            tag if contains(tag, b"\"raw\"") || contains(tag, b"'raw'") => true,
            tag if contains(tag, b"base64") => false,
            _ => return Err("<AppendedData> has no encoding, raw or base64".to_owned()),
        };
        let rest = &tail[close..];
        let mark = rest
            .iter()
            .position(|&b| b == b'_')
            .ok_or("appended data has no `_`")?;
        Ok(Self {
            raw,
            bytes: &rest[mark + 1..],
        })
    }
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

struct File<'a> {
    path: &'a Path,
    layout: Layout,
    appended: Appended<'a>,
}

impl File<'_> {
    fn malformed(&self, what: impl Into<String>) -> ReadError {
        ReadError::malformed(self.path, what)
    }

    fn add_piece(
        &self,
        piece: Node,
        first: bool,
        cloud: &mut PointCloud,
        budget: &mut usize,
    ) -> Result<(), ReadError> {
        let count: usize = piece
            .attribute("NumberOfPoints")
            .and_then(|count| count.trim().parse().ok())
            .ok_or_else(|| self.malformed("a <Piece> has no NumberOfPoints"))?;
        let section = |name: &'static str| {
            let children = piece.children().filter(move |node| node.has_tag_name(name));
            children
                .flat_map(|node| node.children())
                .filter(|node| node.has_tag_name("DataArray"))
        };
        match section("Points").next() {
            Some(array) => {
                let (components, values) = self.array(array, count, Some(3), budget)?;
                if components != 3 {
                    return Err(self.malformed("points need three components"));
                }
                cloud.points.extend(values.as_chunks::<3>().0);
            }
            None if count == 0 => {}
            None => return Err(self.malformed("a <Piece> has no <Points>")),
        }
        let mut seen = 0;
        for array in section("PointData") {
            let Some(name) = array.attribute("Name") else {
                continue;
            };
            if array.attribute("type") == Some("String") {
                continue;
            }
            let (components, values) = self.array(array, count, None, budget)?;
            seen += 1;
            match cloud.arrays.get_mut(name) {
                None if first => {
                    cloud.arrays.insert(name.to_owned(), (components, values));
                }
                Some((same, all)) if *same == components && !first => all.extend(values),
                _ => {
                    return Err(self.malformed(format!("array `{name}` is not in all pieces once")));
                }
            }
        }
        let expected = cloud.points.len();
        let whole =
            |(components, values): &(usize, Vec<f64>)| values.len() == expected * components;
        if seen != cloud.arrays.len() || !cloud.arrays.values().all(whole) {
            return Err(self.malformed("the pieces do not have the same arrays"));
        }
        Ok(())
    }

    /// The values of one data array with `count` tuples.
    fn array(
        &self,
        node: Node,
        count: usize,
        default_components: Option<usize>,
        budget: &mut usize,
    ) -> Result<(usize, Vec<f64>), ReadError> {
        let name = node.attribute("Name").unwrap_or("Points");
        let wrong = |what: String| self.malformed(format!("array `{name}`: {what}"));
        let kind = node.attribute("type").unwrap_or_default();
        let kind = NumberType::parse(kind)
            .ok_or_else(|| wrong(format!("type `{kind}` is not a number type")))?;
        let components = match node.attribute("NumberOfComponents") {
            None => default_components.unwrap_or(1),
            Some(components) => components
                .trim()
                .parse()
                .ok()
                .filter(|&components| components > 0)
                .ok_or_else(|| wrong("NumberOfComponents is not a positive number".to_owned()))?,
        };
        let (total, length) = count
            .checked_mul(components)
            .and_then(|total| Some((total, total.checked_mul(kind.bytes())?)))
            .filter(|(total, _)| total.saturating_mul(8) <= *budget)
            .ok_or_else(|| wrong(format!("{count} points are more than the file can hold")))?;
        *budget -= total * 8;
        let inline = node.text().unwrap_or_default();
        let bytes = match node.attribute("format").unwrap_or("ascii") {
            "ascii" => return Ok((components, text(inline, total).map_err(wrong)?)),
            "binary" => binary(&mut Base64::new(inline.as_bytes()), self.layout, length),
            "appended" => {
                let offset = node.attribute("offset").and_then(|o| o.trim().parse().ok());
                let data = offset
                    .and_then(|offset: usize| self.appended.bytes.get(offset..))
                    .ok_or_else(|| wrong("its offset is not in the appended data".to_owned()))?;
                if self.appended.raw {
                    binary(&mut Raw(data), self.layout, length)
                } else {
                    binary(&mut Base64::new(data), self.layout, length)
                }
            }
            other => Err(format!("format `{other}` is not known")),
        };
        Ok((components, kind.numbers(&bytes.map_err(wrong)?)))
    }
}
