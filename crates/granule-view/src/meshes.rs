//! Walls and solids as triangles.

use crate::frames::Frame;
use crate::runs::Index;
use crate::wire::Message;
use glam::{DQuat, DVec3};
use granule::bodies::{Dimension, Wall};
use granule::shapes::Surface;
use granule_io::results::{Bounds, PatchMesh, WallRecord, tessellate, tessellate_solid};
use serde_json::{Value, json};

/// The sides of the polygon that stands for a circle, by how many bodies there are at most.
const SIDES: [(usize, u32); 3] = [(100, 48), (2000, 28), (20_000, 16)];
/// The same for more.
const FEWEST_SIDES: u32 = 12;

/// Where a wall is in a frame: the place (m) and the orientation of its own axes.
fn pose(wall: &Wall, frame: &Frame) -> (DVec3, DQuat) {
    let (position, orientation) = wall.kinematics.pose(frame.time);
    match wall.carrier.and_then(|carrier| frame.pose(carrier)) {
        Some((center, turn)) => (center + turn * position, turn * orientation),
        None => (position, orientation),
    }
}

/// Seven numbers for each wall: its place from `origin` (m), and its orientation x, y, z, w.
pub fn wall_poses(walls: &[Wall], frame: &Frame, origin: DVec3) -> Vec<f64> {
    let numbers = walls.iter().flat_map(|wall| {
        let (position, turn) = pose(wall, frame);
        let [x, y, z] = (position - origin).to_array();
        let [a, b, c, d] = turn.to_array();
        [x, y, z, a, b, c, d]
    });
    numbers.collect()
}

/// The walls about their own places, as they are drawn in a frame: half-spaces have no end, and are drawn under its bodies.
pub fn walls(index: &Index, frame: &Frame) -> Vec<u8> {
    let mut heads: Vec<Value> = Vec::new();
    let (mut points, mut triangles, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let room = room(index, frame);
    for (wall, record) in index.record.walls().iter().zip(&index.record.walls) {
        let from = [triangles.len(), edges.len()];
        let (position, turn) = pose(wall, frame);
        let back = turn.conjugate();
        for patch in &wall.patches {
            let PatchMesh {
                points: corners,
                triangles: own,
                outlines,
            } = tessellate(patch, position, turn, &room);
            let first = points.len() as u32;
            points.extend(corners.iter().map(|corner| back * (*corner - position)));
            triangles.extend(
                own.iter()
                    .map(|triangle| triangle.map(|corner| first + corner)),
            );
            for line in &outlines {
                let pairs = line.windows(2).map(|pair| [pair[0], pair[1]]);
                edges.extend(pairs.map(|pair| pair.map(|end| back * (end - position))));
            }
        }
        heads.push(wall_head(record, from, [triangles.len(), edges.len()]));
    }
    let mut message = Message::new(json!({ "walls": heads }));
    message.floats(
        "points",
        3,
        points.iter().flat_map(|point| point.to_array()),
    );
    message.words("triangles", 3, triangles.into_iter().flatten());
    message.floats(
        "edges",
        6,
        edges.iter().flatten().flat_map(|end| end.to_array()),
    );
    message.finish()
}

/// What walls without an end are drawn under: in a plane that is a line, which may be long.
fn room(index: &Index, frame: &Frame) -> Bounds {
    let Bounds { min, max } = frame.bounds;
    if index.record.dimension == Dimension::Space || frame.bounds.is_empty() {
        return frame.bounds;
    }
    let margin = 1.5 * (max - min);
    Bounds {
        min: min - margin,
        max: max + margin,
    }
}

fn wall_head(record: &WallRecord, from: [usize; 2], to: [usize; 2]) -> Value {
    json!({
        "name": record.name,
        "material": record.material,
        "endless": matches!(record.surface, Surface::HalfSpace(_)),
        "triangles": [from[0], to[0]],
        "edges": [from[1], to[1]],
    })
}

/// A solid in the frame of the body.
pub fn solid(index: &Index, frame: &Frame, number: usize) -> Option<Vec<u8>> {
    let solid = index.record.solids.get(number)?;
    let fitting = SIDES.iter().find(|(most, _)| frame.own <= *most);
    let sides = fitting.map_or(FEWEST_SIDES, |(_, sides)| *sides);
    let mesh = tessellate_solid(solid, index.record.dimension, sides);
    let mut message = Message::new(json!({}));
    message.floats(
        "points",
        3,
        mesh.points.iter().flat_map(|point| point.to_array()),
    );
    message.floats(
        "normals",
        3,
        mesh.normals.iter().flat_map(|normal| normal.to_array()),
    );
    message.words("triangles", 3, mesh.triangles.into_iter().flatten());
    Some(message.finish())
}
