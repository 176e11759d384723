//! The darkness of gaps: how much of the surroundings of a surface near bodies block.
//!
//! From every few pixels some places around are looked at. Their pattern turns from one to the next and comes back
//! after [`TILE`] of them, so that the mean over a square of so many has looked everywhere.

use super::Body;
use super::camera::Sight;
use super::ground::Ground;
use super::raster::{DepthMap, NOTHING};
use super::shade::Surfaces;
use super::wide::{self, Work};
use glam::Vec3;
use rayon::prelude::*;
use std::f32::consts::TAU;

/// Places that are looked at for a pixel.
const LOOKS: usize = 6;
/// Every so many pixels of a row and every so many rows are looked from.
const APART: usize = 2;
/// Of those, how many are along the side of a square in which no two look at the same places.
const TILE: usize = 4;
/// Every so many pixels of a row and every so many rows are looked at if gaps are wide.
const STRIDE: usize = 4;

/// No look goes farther than this, in pixels.
const FARTHEST: usize = 80;

/// How open the surfaces of all pixels are, from 0 (in a gap) to 1.
pub struct Openness {
    width: usize,
    height: usize,
    /// What is seen in the pixels that were looked from.
    surface: Vec<u32>,
    open: Vec<f32>,
}

/// How wide gaps between bodies are, m.
pub fn reach(bodies: &[&Body]) -> f64 {
    let mut radii: Vec<f64> = bodies.iter().map(|body| body.radius).collect();
    radii.sort_by(f64::total_cmp);
    1.6 * radii.get(radii.len() / 2).copied().unwrap_or(0.0)
}

/// What is needed to look around.
pub struct Gaps<'a> {
    sight: Sight,
    surfaces: &'a Surfaces<'a>,
    /// What is seen in the pixels.
    map: &'a DepthMap,
    /// Depths of every so many pixels, a map small enough to be looked up far and wide.
    coarse: Vec<f32>,
    /// How far to look, m.
    reach: f32,
    /// Where each pixel of a tile looks, in units of how far.
    looks: [[[f32; 2]; LOOKS]; TILE * TILE],
}

/// Squares of the picture with a body in them, or so near that a look may reach it. Half-spaces alone have no gaps.
struct Near {
    /// Squares in a row.
    width: usize,
    near: Vec<bool>,
}

impl Near {
    fn of(map: &DepthMap) -> Self {
        let [width, height] = [map.width, map.rows.len()].map(|side| side.div_ceil(FARTHEST));
        let mut near = vec![false; width * height];
        for (y, row) in map.surface.chunks(map.width).enumerate() {
            for (x, samples) in row.chunks(FARTHEST).enumerate() {
                if samples.iter().any(|&surface| Ground::is_body(surface)) {
                    let around = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
                    for square in around(y / FARTHEST, height) {
                        near[square * width..][around(x, width)].fill(true);
                    }
                }
            }
        }
        Self { width, near }
    }

    fn bodies(&self, x: usize, y: usize) -> bool {
        self.near[y / FARTHEST * self.width + x / FARTHEST]
    }
}

impl<'a> Gaps<'a> {
    /// Looks for gaps of the width of `reach` (m) in the map of a whole picture, which has a sample a pixel.
    pub fn new(surfaces: &'a Surfaces<'a>, map: &'a DepthMap, reach: f64) -> Self {
        let looks = std::array::from_fn(|pixel| {
            // 7 has no part in common with 16: all turns come, and neighbours differ much.
            let turn = (7 * pixel % (TILE * TILE)) as f32 / (TILE * TILE) as f32;
            std::array::from_fn(|number| {
                // All places of a tile together fill the circle evenly.
                let part = (number as f32 + (0.5 + turn) % 1.0) / LOOKS as f32;
                let angle = TAU * (2.618_034 * number as f32 + turn);
                [part.sqrt() * angle.cos(), part.sqrt() * angle.sin()]
            })
        });
        let rows = map.depth.chunks(map.width).step_by(STRIDE);
        Self {
            sight: surfaces.sight,
            surfaces,
            map,
            coarse: rows
                .flat_map(|row| row.iter().step_by(STRIDE).copied())
                .collect(),
            reach: reach as f32,
            looks,
        }
    }

    /// How open the surfaces of all pixels are, known at every [`APART`]-th.
    pub fn openness(&self) -> Openness {
        let map = self.map;
        let (width, height) = (map.width.div_ceil(APART), map.rows.len().div_ceil(APART));
        let mut surface = vec![NOTHING; width * height];
        let mut open = vec![1.0; width * height];
        let near = Near::of(map);
        let rows = (surface.par_chunks_mut(width)).zip(open.par_chunks_mut(width));
        rows.enumerate().for_each(|(row, (surface, open))| {
            wide::run(Row {
                gaps: self,
                near: &near,
                y: APART * row,
                surface,
                open,
            });
        });
        Openness {
            width,
            height,
            surface,
            open,
        }
    }

    /// How open a surface is at a point with a normal, looked at from a pixel.
    #[inline(always)]
    pub fn look(&self, x: usize, y: usize, point: Vec3, normal: Vec3) -> f32 {
        let reach = (self.reach / self.sight.pixel(point.z)).clamp(1.0, FARTHEST as f32);
        let wide = reach > (8 * STRIDE) as f32;
        let (depths, step) = if wide {
            (&self.coarse, STRIDE)
        } else {
            (&self.map.depth, 1)
        };
        let (width, height) = (
            self.map.width.div_ceil(step),
            self.map.rows.len().div_ceil(step),
        );
        let stride = step as f32;
        let (x0, y0) = (x as f32 / stride, y as f32 / stride);
        let far = reach / stride;
        let squared = self.reach * self.reach;
        let mut blocked = 0.0;
        let turn = |at: usize| at / APART % TILE;
        for [dx, dy] in self.looks[turn(y) * TILE + turn(x)] {
            let (column, row) = ((x0 + far * dx) as i32, (y0 + far * dy) as i32);
            // What is left of the picture, or above it, becomes a large number.
            let (left, top) = (column as u32 as usize, row as u32 as usize);
            if left >= width || top >= height {
                continue;
            }
            let depth = depths[top * width + left];
            let (px, py) = (stride * column as f32 + 0.5, stride * row as f32 + 0.5);
            let to = self.sight.point(px, py, depth) - point;
            let above = normal.dot(to);
            // Not so where nothing is seen, since the depth is infinite there.
            if above > 0.0 && depth < f32::INFINITY {
                let length_squared = to.length_squared();
                let near = squared / (squared + length_squared);
                blocked += near * (above / length_squared.sqrt() - 0.1).max(0.0);
            }
        }
        (1.0 - 2.4 * blocked / LOOKS as f32).clamp(0.12, 1.0)
    }
}

/// A row of pixels that are looked from.
struct Row<'a> {
    gaps: &'a Gaps<'a>,
    near: &'a Near,
    y: usize,
    surface: &'a mut [u32],
    open: &'a mut [f32],
}

impl Work for Row<'_> {
    #[inline(always)]
    fn work(self) {
        let (gaps, map, y) = (self.gaps, self.gaps.map, self.y);
        for (column, (surface, open)) in self.surface.iter_mut().zip(self.open).enumerate() {
            let x = APART * column;
            *surface = map.surface[map.place(x, y)];
            if *surface != NOTHING && self.near.bodies(x, y) {
                let (point, normal) = gaps.surfaces.at(map, x, y);
                *open = gaps.look(x, y, point, normal);
            }
        }
    }
}

impl Openness {
    /// The mean over the pixels of a surface around a pixel; `None` if none of those looked from shows it.
    #[inline(always)]
    pub fn around(&self, x: usize, y: usize, surface: u32) -> Option<f32> {
        let (x, y) = (x / APART, y / APART);
        let first =
            |at: usize, end: usize| at.saturating_sub(TILE / 2).min(end.saturating_sub(TILE));
        let (left, top) = (first(x, self.width), first(y, self.height));
        let (mut sum, mut count) = ([0.0; TILE], [0.0; TILE]);
        for row in top..(top + TILE).min(self.height) {
            let start = row * self.width + left;
            // Four at once; of pictures that are narrower than that some pixels of the next row, too.
            let others = self.surface[start..].first_chunk::<TILE>()?;
            let open = self.open[start..].first_chunk::<TILE>()?;
            for k in 0..TILE {
                let same = others[k] == surface;
                sum[k] += if same { open[k] } else { 0.0 };
                count[k] += if same { 1.0 } else { 0.0 };
            }
        }
        let count: f32 = count.iter().sum();
        (count > 0.0).then(|| sum.iter().sum::<f32>() / count)
    }
}
