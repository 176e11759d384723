//! Contacts of pairs that may touch in several points: solids with anything, and spheres with meshes.

use super::convex::{self, Faced, ManifoldPoint};
use super::patches::SolidPiece;
use super::redundant::drop_redundant;
use super::{Contact, ContactKey, Geometry, Pair, Partner, smooth};
use crate::bodies::{Dimension, Image};
use crate::math::{DVec3, Pose};
use crate::shapes::{Convex, Hull, MeshContact, Part, TriangleMesh};

/// Of the radius of a body: points nearer to each other than this are one point.
const ONE_POINT: f64 = 1e-9;

/// Scratch memory for the contacts of a pair.
#[derive(Debug, Default)]
pub(super) struct ManifoldScratch {
    points: Vec<ManifoldPoint>,
    triangles: Vec<u32>,
    mesh: Vec<MeshContact>,
    balls: Option<[Convex; 2]>,
}

/// One of two that touch: a body, as convex parts.
struct Parts<'a> {
    pose: Pose,
    list: PartList<'a>,
}

enum PartList<'a> {
    Ball(&'a Convex),
    Solid(&'a [Part]),
}

impl Parts<'_> {
    fn len(&self) -> usize {
        match self.list {
            PartList::Ball(_) => 1,
            PartList::Solid(parts) => parts.len(),
        }
    }

    fn get(&self, number: usize) -> (Pose, &Convex) {
        match self.list {
            PartList::Ball(ball) => (self.pose, ball),
            PartList::Solid(parts) => {
                let part = &parts[number];
                (self.pose.then(&part.pose), &part.shape)
            }
        }
    }
}

/// Mixes numbers that tell the contacts of a pair apart into one.
fn mixed(numbers: [u32; 3]) -> u32 {
    let mix = |hash: u64, number: u32| {
        let hash = (hash ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 29)
    };
    let hash = numbers.into_iter().fold(0x2545_f491_4f6c_dd1d, mix);
    (hash >> 32) as u32
}

impl Geometry<'_> {
    fn pose(&self, body: usize) -> Pose {
        Pose::new(self.positions[body], self.orientations[body])
    }

    fn parts<'a>(&'a self, body: usize, ball: &'a mut Convex) -> Parts<'a> {
        let list = match self.bodies.solid(body) {
            Some(solid) => PartList::Solid(solid.parts()),
            None => {
                if let Convex::Hull(hull) = ball {
                    hull.radius = self.bodies.radius[body];
                }
                PartList::Ball(ball)
            }
        };
        Parts {
            pose: self.pose(body),
            list,
        }
    }

    /// Adds the contacts of a listed pair whose gap is at most `reach` (m), in the order of their keys.
    pub(super) fn manifold(
        &self,
        pair: &Pair,
        reach: f64,
        scratch: &mut ManifoldScratch,
        found: &mut Vec<Contact>,
    ) {
        let first = found.len();
        let a = pair.key.a as usize;
        let mut balls = scratch
            .balls
            .take()
            .unwrap_or_else(|| [(); 2].map(|()| Convex::Hull(Hull::ball(1.0))));
        let [ball_a, ball_b] = &mut balls;
        scratch.points.clear();
        let (mut reversed, mut image) = (false, Image::SELF);
        match pair.key.partner {
            Partner::Body(b) => {
                // Features are those of the body with the lower id first: places change, ids do not.
                let b = b as usize;
                reversed = self.bodies.id[a] > self.bodies.id[b];
                let (one, two) = if reversed { (b, a) } else { (a, b) };
                let (mut one, mut two) = (self.parts(one, ball_a), self.parts(two, ball_b));
                if let Some(lattice) = &self.lattice {
                    image = self.offset(a, b).1;
                    let partner = if reversed { &mut one } else { &mut two };
                    partner.pose.position += lattice.shift(image);
                }
                between_bodies(&one, &two, reach, &mut scratch.points);
            }
            Partner::Wall(wall) if self.bodies.is_sphere(a) => {
                self.ball_on_mesh(a, wall, pair.key.feature, reach, scratch);
            }
            Partner::Wall(wall) => {
                let parts = self.parts(a, ball_a);
                self.solid_on_wall(&parts, wall, pair.key.feature, reach, scratch);
            }
        }
        let scale = self.bodies.radius[a];
        self.keep_in_plane(a, &mut scratch.points);
        drop_redundant(&mut scratch.points, scale);
        let contact = |p: &ManifoldPoint| {
            let (point, normal) = if reversed {
                (p.point - p.gap * p.normal, -p.normal)
            } else {
                (p.point, p.normal)
            };
            Contact {
                key: ContactKey {
                    feature: ContactKey::MANIFOLD | p.feature,
                    ..pair.key
                },
                entry: u32::MAX,
                interface: pair.interface,
                point,
                normal,
                gap: p.gap,
                bonded: false,
                image,
            }
        };
        found.extend(scratch.points.iter().map(contact));
        found[first..].sort_by_key(|contact| contact.key);
        // Two features whose mixed numbers are the same are told apart by their order.
        for k in first + 1..found.len() {
            if found[k].key.feature <= found[k - 1].key.feature {
                found[k].key.feature = found[k - 1].key.feature.saturating_add(1);
            }
        }
        scratch.balls = Some(balls);
    }

    /// A sphere on a piece of a wall that is a mesh.
    fn ball_on_mesh(
        &self,
        body: usize,
        wall: u32,
        piece: u32,
        reach: f64,
        scratch: &mut ManifoldScratch,
    ) {
        let (pose, SolidPiece::Mesh(mesh)) = self.patches.solid_piece(wall, piece) else {
            return;
        };
        let radius = self.bodies.radius[body];
        let center = pose.local_point(self.positions[body]);
        scratch.mesh.clear();
        mesh.ball_contacts(center, radius + reach, &mut scratch.mesh);
        scratch.points.extend(scratch.mesh.iter().map(|contact| {
            let normal = pose.direction(contact.normal);
            ManifoldPoint {
                point: self.positions[body] - radius * normal,
                normal,
                gap: contact.distance - radius,
                feature: mixed([piece, contact.triangle, 0]) & !ContactKey::MANIFOLD,
            }
        }));
    }

    /// A solid on a piece of a wall.
    fn solid_on_wall(
        &self,
        parts: &Parts,
        wall: u32,
        piece: u32,
        reach: f64,
        scratch: &mut ManifoldScratch,
    ) {
        let (pose, solid) = self.patches.solid_piece(wall, piece);
        for number in 0..parts.len() {
            let (at, shape) = parts.get(number);
            let points = &mut scratch.points;
            match solid {
                SolidPiece::Plane => {
                    let first = points.len();
                    let (point, normal) = (pose.position, pose.direction(DVec3::Z));
                    on_plane((&at, shape), (point, normal), reach, points);
                    number_features(&mut points[first..], [number as u32, piece]);
                }
                SolidPiece::Block(block) => {
                    let first = points.len();
                    between_convex((&at, shape), (&pose, block), reach, points);
                    number_features(&mut points[first..], [number as u32, piece]);
                }
                SolidPiece::Mesh(mesh) => {
                    on_mesh((&at, shape), (&pose, mesh), reach, number as u32, scratch);
                }
                SolidPiece::None => {}
            }
        }
    }

    /// In a plane contacts have no place and no normal out of it, and each is there once.
    fn keep_in_plane(&self, body: usize, points: &mut Vec<ManifoldPoint>) {
        if self.dimension == Dimension::Space {
            return;
        }
        let (height, radius) = (self.positions[body].z, self.bodies.radius[body]);
        points.retain_mut(|p| {
            let flat = super::narrow::in_subspace(p.normal, DVec3::new(1.0, 1.0, 0.0));
            if let Some(normal) = flat {
                p.normal = normal;
                p.point.z = height;
            }
            flat.is_some()
        });
        points.sort_by_key(|p| p.feature);
        let mut kept = 0;
        for k in 0..points.len() {
            let p = points[k];
            let same = |q: &ManifoldPoint| q.point.distance(p.point) <= ONE_POINT * radius;
            if !points[..kept].iter().any(same) {
                points[kept] = p;
                kept += 1;
            }
        }
        points.truncate(kept);
    }
}

/// Makes features of parts of bodies and pieces of walls differ.
fn number_features(points: &mut [ManifoldPoint], of: [u32; 2]) {
    for p in points {
        p.feature = mixed([of[0], of[1], p.feature]) & !ContactKey::MANIFOLD;
    }
}

/// The contacts of two bodies, part by part.
fn between_bodies(a: &Parts, b: &Parts, reach: f64, points: &mut Vec<ManifoldPoint>) {
    for i in 0..a.len() {
        for j in 0..b.len() {
            let (at_a, shape_a) = a.get(i);
            let (at_b, shape_b) = b.get(j);
            let first = points.len();
            between_convex((&at_a, shape_a), (&at_b, shape_b), reach, points);
            number_features(&mut points[first..], [i as u32, j as u32]);
        }
    }
}

/// The contacts of a convex solid with what lies below a plane, given by a point (m) and its unit normal.
fn on_plane(
    (at, shape): (&Pose, &Convex),
    plane: (DVec3, DVec3),
    reach: f64,
    points: &mut Vec<ManifoldPoint>,
) {
    match shape {
        Convex::Hull(hull) => {
            convex::with_plane(Faced::Hull(hull), at, plane, reach, points);
        }
        Convex::Frustum(frustum) => {
            convex::with_plane(Faced::Frustum(frustum), at, plane, reach, points);
        }
        Convex::Superellipsoid(smooth) => {
            let (origin, normal) = plane;
            let point = at.point(smooth.support(at.local_direction(-normal)));
            let gap = (point - origin).dot(normal);
            if gap <= reach {
                points.push(ManifoldPoint {
                    point,
                    normal,
                    gap,
                    feature: 0,
                });
            }
        }
    }
}

/// The contacts of two convex solids.
fn between_convex(
    (at_a, a): (&Pose, &Convex),
    (at_b, b): (&Pose, &Convex),
    reach: f64,
    points: &mut Vec<ManifoldPoint>,
) {
    let far = at_a.position.distance(at_b.position);
    if far > a.bounding_radius() + b.bounding_radius() + reach {
        return;
    }
    let nearest = match (a, b) {
        (Convex::Superellipsoid(a), b) => smooth::nearest(a, at_a, b, at_b),
        (a, Convex::Superellipsoid(b)) => smooth::nearest(b, at_b, a, at_a).reversed(),
        (Convex::Hull(_) | Convex::Frustum(_), Convex::Hull(_) | Convex::Frustum(_)) => {
            if let (Some(a), Some(b)) = (Faced::of(a), Faced::of(b)) {
                convex::contacts(a, at_a, b, at_b, reach, points);
            }
            return;
        }
    };
    if nearest.gap <= reach {
        points.push(ManifoldPoint {
            point: nearest.point_a,
            normal: nearest.normal,
            gap: nearest.gap,
            feature: 0,
        });
    }
}

/// The contacts of a convex solid with a mesh, triangle by triangle. A triangle's edge that it shares with
/// another touches only along normals between those of the two: elsewhere the other triangle is nearer.
fn on_mesh(
    (at, shape): (&Pose, &Convex),
    (pose, mesh): (&Pose, &TriangleMesh),
    reach: f64,
    part: u32,
    scratch: &mut ManifoldScratch,
) {
    let local = pose.local_pose(at);
    let (min, max) = shape.bounds(&local);
    scratch.triangles.clear();
    let margin = DVec3::splat(reach);
    mesh.near(min - margin, max + margin, &mut scratch.triangles);
    for &triangle in &scratch.triangles {
        let Ok(facet) = Hull::facet(&mesh.corners(triangle)) else {
            continue;
        };
        let facet = Convex::Hull(facet);
        let first = scratch.points.len();
        between_convex(
            (&local, shape),
            (&Pose::IDENTITY, &facet),
            reach,
            &mut scratch.points,
        );
        let mut kept = first;
        for k in first..scratch.points.len() {
            let mut p = scratch.points[k];
            if mesh.touches_along(triangle, p.point - p.gap * p.normal, p.normal) {
                p.feature = mixed([part, triangle, p.feature]) & !ContactKey::MANIFOLD;
                p.point = pose.point(p.point);
                p.normal = pose.direction(p.normal);
                scratch.points[kept] = p;
                kept += 1;
            }
        }
        scratch.points.truncate(kept);
    }
}
