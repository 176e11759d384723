//! VTK XML poly data (`.vtp`): raw appended data, compressed with zlib.
//!
//! The layout follows the VTK file format specification (XML formats, "appended" data with
//! `vtkZLibDataCompressor`). Each array is stored as a header of little-endian UInt64 numbers
//!
//! ```text
//! blocks | bytes of a whole block | bytes of the last, partial block (or 0) | compressed size of each block
//! ```
//!
//! followed by the compressed blocks. Offsets count from the byte after the underscore.

use super::WriteError;
use super::atomic::write_atomically;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::DVec3;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Uncompressed bytes of one block; large, since nobody seeks in it.
const BLOCK: usize = 1 << 18;

/// One array: its bytes are little endian.
pub(super) struct DataArray {
    name: &'static str,
    kind: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

impl DataArray {
    pub(super) fn scalars(name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let bytes = values.flat_map(f64::to_le_bytes).collect();
        Self {
            name,
            kind: "Float64",
            components: 1,
            bytes,
        }
    }

    pub(super) fn vectors(name: &'static str, values: impl Iterator<Item = DVec3>) -> Self {
        let numbers = values.flat_map(|v| v.to_array());
        Self {
            components: 3,
            ..Self::scalars(name, numbers)
        }
    }

    /// The same rounded to single precision, in half the bytes.
    pub(super) fn short_vectors(name: &'static str, values: impl Iterator<Item = DVec3>) -> Self {
        let numbers = values.flat_map(|v| v.to_array().map(|x| x as f32));
        Self {
            name,
            kind: "Float32",
            components: 3,
            bytes: numbers.flat_map(f32::to_le_bytes).collect(),
        }
    }

    pub(super) fn quadruples(name: &'static str, values: impl Iterator<Item = [f64; 4]>) -> Self {
        Self {
            components: 4,
            ..Self::scalars(name, values.flatten())
        }
    }

    pub(super) fn integers(name: &'static str, values: impl Iterator<Item = i64>) -> Self {
        let bytes = values.flat_map(i64::to_le_bytes).collect();
        Self {
            name,
            kind: "Int64",
            components: 1,
            bytes,
        }
    }

    pub(super) fn words(name: &'static str, values: impl Iterator<Item = u32>) -> Self {
        let bytes = values.flat_map(u32::to_le_bytes).collect();
        Self {
            name,
            kind: "UInt32",
            components: 1,
            bytes,
        }
    }

    pub(super) fn shorts(name: &'static str, values: impl Iterator<Item = u16>) -> Self {
        let bytes = values.flat_map(u16::to_le_bytes).collect();
        Self {
            name,
            kind: "UInt16",
            components: 1,
            bytes,
        }
    }
}

/// What cells the points make.
pub(super) enum Cells {
    /// Each point is a vertex of its own.
    Vertices,
    /// Lines as pairs of point indices.
    Lines(Vec<[u32; 2]>),
    /// Triangles as triples of point indices, and arrays with one value a triangle.
    Triangles(Vec<[u32; 3]>, Vec<DataArray>),
}

/// A poly data file before it is written.
pub(super) struct PolyData {
    /// s.
    pub time: f64,
    /// Points, m.
    pub points: Vec<DVec3>,
    /// Whether points are rounded to single precision.
    pub short: bool,
    /// One value (or tuple) a point.
    pub point_data: Vec<DataArray>,
    /// The cells.
    pub cells: Cells,
}

impl PolyData {
    pub(super) fn write(self, path: &Path) -> Result<(), WriteError> {
        let count = self.points.len();
        let (section, corners, connectivity, cell_data) = match self.cells {
            Cells::Vertices => ("Verts", 1, (0..count as i64).collect(), Vec::new()),
            Cells::Lines(lines) => {
                let flat: Vec<i64> = lines.into_iter().flatten().map(i64::from).collect();
                ("Lines", 2, flat, Vec::new())
            }
            Cells::Triangles(triangles, data) => {
                let flat: Vec<i64> = triangles.into_iter().flatten().map(i64::from).collect();
                ("Polys", 3, flat, data)
            }
        };
        let cells = connectivity.len() / corners;
        let offsets = (1..=cells).map(|cell| (cell * corners) as i64);
        let topology = [
            DataArray::integers("connectivity", connectivity.into_iter()),
            DataArray::integers("offsets", offsets),
        ];
        let points = self.points.into_iter();
        let points = [match self.short {
            true => DataArray::short_vectors("Points", points),
            false => DataArray::vectors("Points", points),
        }];

        let mut appended = Appended::default();
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\" \
             compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n",
        );
        let _ = writeln!(
            xml,
            "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" \
             format=\"ascii\">{:?}</DataArray></FieldData>",
            self.time
        );
        let (vertices, polygons) = if corners == 1 { (cells, 0) } else { (0, cells) };
        let _ = writeln!(
            xml,
            "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{vertices}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{polygons}\">"
        );
        appended.section(&mut xml, path, "PointData", &self.point_data)?;
        appended.section(&mut xml, path, "CellData", &cell_data)?;
        appended.section(&mut xml, path, "Points", &points)?;
        appended.section(&mut xml, path, section, &topology)?;
        xml.push_str("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
        let end = b"\n</AppendedData>\n</VTKFile>\n";
        write_atomically(path, &[xml.as_bytes(), &appended.bytes, end])
    }
}

/// The appended data so far.
#[derive(Default)]
struct Appended {
    bytes: Vec<u8>,
}

impl Appended {
    fn section(
        &mut self,
        xml: &mut String,
        path: &Path,
        name: &str,
        arrays: &[DataArray],
    ) -> Result<(), WriteError> {
        let _ = writeln!(xml, "<{name}>");
        for array in arrays {
            let _ = writeln!(
                xml,
                "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" \
                 format=\"appended\" offset=\"{}\"/>",
                array.kind,
                array.name,
                array.components,
                self.bytes.len()
            );
            self.compress(&array.bytes)
                .map_err(|source| WriteError::io(path, source))?;
        }
        let _ = writeln!(xml, "</{name}>");
        Ok(())
    }

    fn compress(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let blocks = bytes
            .chunks(BLOCK)
            .map(|chunk| {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(chunk)?;
                encoder.finish()
            })
            .collect::<Result<Vec<_>, _>>()?;
        let header = [blocks.len(), BLOCK, bytes.len() % BLOCK];
        let sizes = blocks.iter().map(Vec::len);
        for number in header.into_iter().chain(sizes) {
            self.bytes.extend((number as u64).to_le_bytes());
        }
        blocks.iter().for_each(|block| self.bytes.extend(block));
        Ok(())
    }
}
