//! STL in binary: 80 bytes of anything, the number of triangles, and 50 bytes for each of them.

use super::{Triangles, stl_text};
use crate::results::{WriteError, write_file};
use glam::{DVec3, Vec3};
use granule::shapes::TriangleMesh;
use std::path::Path;

/// Before the number of triangles; must not begin with `solid`, which would be text.
const TITLE: &[u8] = b"binary STL by Granule, in metres";
const HEADER: usize = 80;
/// Header and number of triangles.
const START: usize = HEADER + 4;
/// A normal, three corners, and two bytes that mean nothing.
const RECORD: usize = 50;

/// The triangles of an STL file, or what is wrong with it.
pub(super) fn parse(bytes: &[u8]) -> Result<Triangles, String> {
    // Some programs begin binary files with `solid` as well; those fit their length.
    if fits(bytes) {
        return records(&bytes[START..]);
    }
    if stl_text::looks_like(bytes) {
        return stl_text::parse(&String::from_utf8_lossy(bytes));
    }
    let length = bytes.len();
    let Some(count) = count(bytes) else {
        return Err(format!(
            "it is no STL: it does not begin with `solid`, and {length} bytes are too few for a binary one"
        ));
    };
    let needed = START as u64 + RECORD as u64 * u64::from(count);
    Err(if (length as u64) < needed {
        format!(
            "it is cut short, or no STL: {count} triangles take {needed} bytes, but it has {length}"
        )
    } else {
        let more = length as u64 - needed;
        format!("it has {more} bytes more than its {count} triangles take: is it an STL?")
    })
}

/// The number of triangles that a binary file says it has.
fn count(bytes: &[u8]) -> Option<u32> {
    let field = bytes.get(HEADER..START)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

fn fits(bytes: &[u8]) -> bool {
    count(bytes)
        .is_some_and(|count| bytes.len() as u64 == START as u64 + RECORD as u64 * u64::from(count))
}

fn records(bytes: &[u8]) -> Result<Triangles, String> {
    let mut found = Triangles::default();
    for (triangle, record) in bytes.chunks_exact(RECORD).enumerate() {
        let number = |k: usize| {
            let field: [u8; 4] = std::array::from_fn(|byte| record[4 * k + byte]);
            f64::from(f32::from_le_bytes(field))
        };
        // The first three numbers are the normal, which follows from the corners.
        let corners = [3, 6, 9].map(|k| DVec3::new(number(k), number(k + 1), number(k + 2)));
        if let Some(bad) = corners.iter().find(|corner| !corner.is_finite()) {
            return Err(format!(
                "triangle {triangle} (counted from 0) has a corner at {bad}, which is no place"
            ));
        }
        found.push(corners);
    }
    Ok(found)
}

/// A mesh as a binary STL file, m. Coordinates are rounded to single precision, which ends at 3e38.
pub fn stl_bytes(mesh: &TriangleMesh) -> Vec<u8> {
    let count = mesh.triangles().len() as u32;
    let mut bytes = Vec::with_capacity(START + RECORD * count as usize);
    bytes.extend(TITLE);
    bytes.resize(HEADER, b' ');
    bytes.extend(count.to_le_bytes());
    for triangle in 0..count {
        let [a, b, c] = mesh.corners(triangle);
        for vector in [mesh.facet_normal(triangle), a, b, c].map(|v| v.as_vec3()) {
            let numbers = Vec3::to_array(&vector);
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend([0, 0]);
    }
    bytes
}

/// Writes a mesh as binary STL, m. Coordinates are rounded to single precision, which ends at 3e38.
pub fn write_stl(path: &Path, mesh: &TriangleMesh) -> Result<(), WriteError> {
    write_file(path, &stl_bytes(mesh))
}
