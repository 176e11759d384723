//! Outlines of containers: rims, sides, and where a curved wall turns away from the viewer.

use super::SAMPLES;
use super::camera::{Camera, Projection};
use super::canvas::{Band, linear};
use super::change::NOTHING;
use super::wide::{self, Work};
use glam::DVec3;
use granule_io::results::PatchMesh;
use std::collections::BTreeMap;
use std::ops::Range;

/// Half of the width of a line, in pixels.
const HALF_WIDTH: f64 = 0.75;

/// The outlines of containers.
pub struct Lines {
    segments: Vec<Segment>,
    /// In a flat scene nothing hides them.
    flat: bool,
}

struct Segment {
    /// Pixel coordinates of the ends.
    ends: [[f64; 2]; 2],
    /// One over their depths, 1/m.
    inverse: [f64; 2],
}

impl Lines {
    /// The outlines of all meshes.
    pub fn new(camera: &Camera, meshes: &[(DVec3, PatchMesh)], flat: bool) -> Self {
        let mut segments = Vec::new();
        for (_, mesh) in meshes {
            let outlines = mesh.outlines.iter().flat_map(|line| line.windows(2));
            let outlines = outlines.map(|pair| [pair[0], pair[1]]);
            for ends in outlines.chain(silhouette(camera, mesh)) {
                let views = ends.map(|end| camera.view(end));
                if let [Some(a), Some(b)] = views.map(|view| camera.project(view)) {
                    let inverse = views.map(|view| 1.0 / view.z);
                    let pixel = |samples: [f64; 2]| samples.map(|x| x / SAMPLES as f64);
                    segments.push(Segment {
                        ends: [pixel(a), pixel(b)],
                        inverse,
                    });
                }
            }
        }
        Self { segments, flat }
    }

    /// Draws the lines over some rows.
    pub fn draw(&self, band: &mut Band<'_>) {
        wide::run(Strokes { lines: self, band });
    }
}

/// How much of the pixels of a band lines cover.
struct Coverage {
    /// Of each pixel; empty before a line comes into the band.
    parts: Vec<f32>,
    /// The pixels of each row that lines come near to.
    spans: Vec<Range<usize>>,
}

/// Lines that are drawn over a band.
struct Strokes<'a, 'b, 'c> {
    lines: &'a Lines,
    band: &'b mut Band<'c>,
}

impl Work for Strokes<'_, '_, '_> {
    #[inline(always)]
    fn work(self) {
        let Self { lines, band } = self;
        let mut coverage = Coverage {
            parts: Vec::new(),
            spans: vec![NOTHING; band.rows],
        };
        for segment in &lines.segments {
            segment.cover(band, &mut coverage, lines.flat);
        }
        let ink = linear([52, 66, 88]).to_array();
        for (row, span) in coverage.spans.into_iter().enumerate() {
            if span.is_empty() {
                continue;
            }
            let places = row * band.width + span.start..row * band.width + span.end;
            for (channel, ink) in band.colors.iter_mut().zip(ink) {
                let pixels = channel[places.clone()].iter_mut();
                for (color, cover) in pixels.zip(&coverage.parts[places.clone()]) {
                    *color += (ink - *color) * cover;
                }
            }
        }
    }
}

/// Edges between a triangle that faces the viewer and one that does not.
fn silhouette(camera: &Camera, mesh: &PatchMesh) -> Vec<[DVec3; 2]> {
    let along = camera.axes.z_axis;
    let perspective = matches!(camera.projection, Projection::Perspective(_));
    let corner = |index: u32| mesh.points[index as usize];
    let mut facing: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    let mut edges = Vec::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(corner);
        let sight = if perspective { a - camera.eye } else { along };
        let front = (b - a).cross(c - a).dot(sight) < 0.0;
        for k in 0..3 {
            let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
            match facing.insert((p.min(q), p.max(q)), front) {
                Some(other) if other != front => edges.push([corner(p), corner(q)]),
                _ => {}
            }
        }
    }
    edges
}

impl Segment {
    /// Marks how much of each pixel the line covers.
    #[inline(always)]
    fn cover(&self, band: &Band<'_>, coverage: &mut Coverage, flat: bool) {
        let [a, b] = self.ends;
        let width = band.width;
        let reach = HALF_WIDTH + 0.5;
        let limits = |p: f64, q: f64, first: usize, end: usize| {
            let low = (p.min(q) - reach).max(0.0) as usize;
            let high = (p.max(q) + reach + 1.0).max(0.0) as usize;
            low.max(first)..high.min(end)
        };
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length_squared = (dx * dx + dy * dy).max(1e-300);
        // How far to the left and right a line of this slope reaches in a row.
        let sideways = reach * length_squared.sqrt() / dy.abs();
        for row in limits(a[1], b[1], band.first, band.first + band.rows) {
            let y = row as f64 + 0.5 - a[1];
            let middle = a[0] + y * dx / dy;
            let mut columns = limits(a[0], b[0], 0, width);
            if sideways < width as f64 {
                let near = limits(middle - sideways, middle + sideways, 0, width);
                columns = columns.start.max(near.start)..columns.end.min(near.end);
            }
            if columns.is_empty() {
                continue;
            }
            let inside = row - band.first;
            coverage.parts.resize(band.rows * width, 0.0);
            let span = &mut coverage.spans[inside];
            *span = span.start.min(columns.start)..span.end.max(columns.end);
            for column in columns {
                let x = column as f64 + 0.5 - a[0];
                let t = ((x * dx + y * dy) / length_squared).clamp(0.0, 1.0);
                let (across, down) = (x - t * dx, y - t * dy);
                let distance = (across * across + down * down).sqrt();
                let cover = (reach - distance).clamp(0.0, 1.0) as f32;
                if cover == 0.0 {
                    continue;
                }
                let inverse = (1.0 - t) * self.inverse[0] + t * self.inverse[1];
                let depth = (0.997 / inverse) as f32;
                let samples = band.depths(row).map(|depths| depths[column]);
                let hides = |solid: &&f32| !flat && depth > **solid;
                let hidden = samples.as_flattened().iter().filter(hides).count() as f32;
                let strength = 0.75 - 0.63 * hidden / (SAMPLES * SAMPLES) as f32;
                let place = &mut coverage.parts[inside * width + column];
                *place = place.max(strength * cover);
            }
        }
    }
}
