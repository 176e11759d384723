//! The reader of VTK files knows all layouts, and no damaged file makes it panic.

use flate2::{Compression, write::ZlibEncoder};
use granule_io::results::{PointCloud, ReadError, read_points};
use proptest::prelude::*;
use std::io::Write;

const POINTS: [f64; 6] = [0.0, 1.0, 2.0, 3.5, -4.0, 5e-3];

fn read(bytes: &[u8]) -> Result<PointCloud, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.vtu");
    std::fs::write(&path, bytes).unwrap();
    read_points(&path)
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |b, k| b << 8 | usize::from(*chunk.get(k).unwrap_or(&0)));
        for k in 0..4 {
            let letter = letters[bits >> (18 - 6 * k) & 63];
            text.push(if k > chunk.len() { b'=' } else { letter });
        }
    }
    text
}

/// Header and data of one array, as VTK lays them out.
fn encode(data: &[u8], wide: bool, zlib: bool, text: bool) -> Vec<u8> {
    let number = |n: usize| match wide {
        true => (n as u64).to_le_bytes().to_vec(),
        false => (n as u32).to_le_bytes().to_vec(),
    };
    let finish = |bytes: Vec<u8>| if text { base64(&bytes) } else { bytes };
    if !zlib {
        return finish([number(data.len()), data.to_vec()].concat());
    }
    let block = 20;
    let blocks: Vec<Vec<u8>> = data
        .chunks(block)
        .map(|chunk| {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(chunk).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    let mut header = [
        number(blocks.len()),
        number(block),
        number(data.len() % block),
    ]
    .concat();
    blocks
        .iter()
        .for_each(|block| header.extend(number(block.len())));
    // VTK encodes the header and the data one after the other, each with its own padding.
    [finish(header), finish(blocks.concat())].concat()
}

/// A file with two points, a Float64 position and an Int16 array `tag` of 7 and -8.
fn file(wide: bool, zlib: bool, appended: bool, text: bool) -> Vec<u8> {
    let points: Vec<u8> = POINTS.into_iter().flat_map(f64::to_le_bytes).collect();
    let tags: Vec<u8> = [7i16, -8].into_iter().flat_map(i16::to_le_bytes).collect();
    let arrays = [points, tags].map(|data| encode(&data, wide, zlib, text || !appended));
    let header_type = if wide { "UInt64" } else { "UInt32" };
    let compressor = if zlib {
        "compressor=\"vtkZLibDataCompressor\""
    } else {
        ""
    };
    let array = |attributes: &str, k: usize| -> Vec<u8> {
        let offset = if k == 0 { 0 } else { arrays[0].len() };
        let open = match appended {
            true => format!("<DataArray {attributes} format=\"appended\" offset=\"{offset}\">"),
            false => format!("<DataArray {attributes} format=\"binary\">\n  "),
        };
        let inline: &[u8] = if appended { b"" } else { &arrays[k] };
        [open.as_bytes(), inline, b"\n</DataArray>"].concat()
    };
    let mut out = format!(
        "<?xml version=\"1.0\"?><VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" \
         header_type=\"{header_type}\" {compressor}><UnstructuredGrid><Piece NumberOfPoints=\"2\" \
         NumberOfCells=\"0\"><Points>"
    )
    .into_bytes();
    out.extend(array("type=\"Float64\" NumberOfComponents=\"3\"", 0));
    out.extend(b"</Points><PointData>");
    out.extend(array("type=\"Int16\" Name=\"tag\"", 1));
    out.extend(b"</PointData></Piece></UnstructuredGrid>");
    if appended {
        let encoding = if text { "base64" } else { "raw" };
        out.extend(format!("<AppendedData encoding=\"{encoding}\">\n  _").bytes());
        out.extend(arrays.concat());
        out.extend(b"\n</AppendedData>");
    }
    out.extend(b"</VTKFile>\n");
    out
}

fn layouts() -> impl Iterator<Item = Vec<u8>> {
    (0..16).map(|k| file(k & 1 > 0, k & 2 > 0, k & 4 > 0, k & 8 > 0))
}

#[test]
fn all_layouts_give_the_same_numbers() {
    for bytes in layouts() {
        let cloud =
            read(&bytes).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&bytes)));
        assert_eq!(cloud.points.as_flattened(), POINTS);
        assert_eq!(cloud.arrays["tag"], (1, vec![7.0, -8.0]));
    }
}

#[test]
fn pieces_are_put_together_and_must_agree() {
    let piece = |name: &str| {
        format!(
            "<Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" \
             NumberOfComponents=\"3\" format=\"ascii\">1 2 3</DataArray></Points><PointData>\
             <DataArray type=\"Float32\" Name=\"{name}\" format=\"ascii\">4</DataArray>\
             </PointData></Piece>"
        )
    };
    let file = |pieces: &[String]| {
        format!(
            "<VTKFile type=\"PolyData\"><PolyData>{}</PolyData></VTKFile>",
            pieces.concat()
        )
    };
    let cloud = read(file(&[piece("r"), piece("r")]).as_bytes()).unwrap();
    assert_eq!(cloud.points, [[1.0, 2.0, 3.0]; 2]);
    assert_eq!(cloud.arrays["r"], (1, vec![4.0, 4.0]));
    assert!(read(file(&[piece("r"), piece("s")]).as_bytes()).is_err());
    assert!(read(file(&[]).as_bytes()).is_err());
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_whole() {
    for bytes in layouts() {
        for length in 0..bytes.len() {
            // All that may be missing without harm is the closing tags after raw data.
            if let Ok(cloud) = read(&bytes[..length]) {
                assert_eq!(cloud.arrays["tag"].1, [7.0, -8.0]);
            }
        }
    }
}

#[test]
fn huge_counts_are_refused_before_memory_is_asked_for() {
    for bytes in layouts() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for count in ["3", "1", "4000000000", "18446744073709551615", "-1", "x"] {
            let broken = text.replace(
                "NumberOfPoints=\"2\"",
                &format!("NumberOfPoints=\"{count}\""),
            );
            assert!(read(broken.as_bytes()).is_err());
        }
        let broken = text.replace("Components=\"3\"", "Components=\"9223372036854775807\"");
        assert!(read(broken.as_bytes()).is_err());
    }
}

#[test]
fn what_is_not_known_is_named() {
    let text = String::from_utf8(file(true, false, false, true)).unwrap();
    let error = |from: &str, to: &str| {
        read(text.replace(from, to).as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert!(error("LittleEndian", "BigEndian").contains("little-endian"));
    assert!(error("UInt64", "UInt16").contains("header type `UInt16`"));
    assert!(error("Int16", "Complex").contains("type `Complex`"));
    assert!(error("<VTKFile", "<VTKFile compressor=\"vtkLZ4DataCompressor\"").contains("LZ4"));
    assert!(error("Piece", "Part").contains("no <Piece>"));
    let missing = read_points(std::path::Path::new("no/such.vtu"))
        .unwrap_err()
        .to_string();
    assert!(missing.contains("no/such.vtu"));
}

proptest! {
    #[test]
    fn changed_bytes_never_panic(
        layout in 0usize..16,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = layouts().nth(layout).unwrap();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = read(&bytes);
    }
}

#[test]
fn deep_nesting_and_entities_do_no_harm() {
    let deep = format!("<VTKFile>{}", "<a>".repeat(1_000_000));
    assert!(read(deep.as_bytes()).is_err());
    let closed = format!(
        "<VTKFile>{}{}</VTKFile>",
        "<a>".repeat(200_000),
        "</a>".repeat(200_000)
    );
    assert!(read(closed.as_bytes()).is_err());
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]>\
                <VTKFile>&b;</VTKFile>";
    assert!(read(bomb.as_bytes()).is_err());
}

#[test]
fn a_cloud_without_cells_or_a_name_for_its_points_is_read() {
    // As other programs write piles of spheres: text, the points once more among their data.
    let text = "<?xml version=\"1.0\" ?>\n\
        <VTKFile byte_order=\"LittleEndian\" type=\"UnstructuredGrid\" version=\"0.1\">\n\
        <UnstructuredGrid>\n<Piece NumberOfCells=\"0\" NumberOfPoints=\"2\">\n<Points>\n\
        <DataArray NumberOfComponents=\"3\" format=\"ascii\" type=\"Float32\">\n\
        5.36e+00 5.61e+00 1.4759e-02 1 2 3 \n</DataArray>\n</Points>\n<Cells>\n\
        <DataArray Name=\"connectivity\" format=\"ascii\" type=\"Int32\">\n0\n</DataArray>\n\
        <DataArray Name=\"offsets\" format=\"ascii\" type=\"Int32\">\n0\n</DataArray>\n\
        <DataArray Name=\"types\" format=\"ascii\" type=\"UInt8\">\n1\n</DataArray>\n</Cells>\n\
        <PointData>\n\
        <DataArray Name=\"Points\" NumberOfComponents=\"3\" format=\"ascii\" type=\"Float32\">\n\
        5.36e+00 5.61e+00 1.4759e-02 1 2 3\n</DataArray>\n\
        <DataArray Name=\"radius\" format=\"ascii\" type=\"Float32\">\n8.002e-03 0.016\n\
        </DataArray>\n</PointData>\n<CellData/>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    let cloud = read(text.as_bytes()).unwrap();
    assert_eq!(cloud.points, [[5.36, 5.61, 1.4759e-2], [1.0, 2.0, 3.0]]);
    assert_eq!(cloud.arrays["radius"], (1, vec![8.002e-3, 0.016]));
}
