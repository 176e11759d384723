//! Random pairs of a superellipsoid and another convex solid whose nearest points are known because they are placed
//! so: a point and a normal of each are chosen, and the solids put with the points opposite.

use granule::math::{DQuat, DVec3, Pose};
use granule::shapes::{Convex, Frustum, Hull, HullEdge, HullFace, Superellipsoid};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What a superellipsoid may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Superellipsoid,
    Ball,
    Capsule,
    Box,
    Polyhedron,
    Facet,
    Cylinder,
    Cone,
}

pub const FAMILIES: [Family; 8] = [
    Family::Superellipsoid,
    Family::Ball,
    Family::Capsule,
    Family::Box,
    Family::Polyhedron,
    Family::Facet,
    Family::Cylinder,
    Family::Cone,
];

/// Two solids with their nearest points.
#[derive(Debug, Clone)]
pub struct Pair {
    pub a: Superellipsoid,
    pub at_a: Pose,
    pub b: Convex,
    pub at_b: Pose,
    /// From b to a, in the world.
    pub normal: DVec3,
    pub point_a: DVec3,
    pub gap: f64,
    /// The smaller of the smallest half axis of a and the size of b.
    pub size: f64,
}

impl Pair {
    /// How far the solids are apart along a unit normal, by their support functions written out; for vectors of other
    /// lengths that many times as much.
    pub fn separation(&self, normal: DVec3) -> f64 {
        let towards_b = self.at_a.orientation.conjugate() * -normal;
        let towards_a = self.at_b.orientation.conjugate() * normal;
        normal.dot(self.at_a.position - self.at_b.position)
            - reach(&Convex::Superellipsoid(self.a), towards_b)
            - reach(&self.b, towards_a)
    }
}

/// The support function of a solid.
fn reach(solid: &Convex, n: DVec3) -> f64 {
    match solid {
        Convex::Hull(hull) => {
            let corners = hull.vertices.iter().map(|vertex| vertex.dot(n));
            corners.fold(f64::NEG_INFINITY, f64::max) + hull.radius * n.length()
        }
        Convex::Superellipsoid(solid) => {
            let [u, v, w] = (n * solid.half_axes).abs().to_array();
            let dual = |exponent: f64| exponent / (exponent - 1.0);
            let (p, q) = (dual(solid.around), dual(solid.along));
            ((u.powf(p) + v.powf(p)).powf(q / p) + w.powf(q)).powf(1.0 / q)
        }
        Convex::Frustum(frustum) => {
            let across = n.x.hypot(n.y);
            let top = frustum.top * n.z + frustum.top_radius * across;
            top.max(frustum.bottom * n.z + frustum.bottom_radius * across)
        }
    }
}

/// Random numbers as these pairs need them.
pub struct Dice(Pcg64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// 10 to a power between these.
    pub fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    pub fn below(&mut self, count: usize) -> usize {
        ((self.between(0.0, 1.0) * count as f64) as usize).min(count - 1)
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.between(-1.0, 1.0)))
    }

    pub fn turn(&mut self) -> DQuat {
        DQuat::from_rotation_arc(DVec3::Z, self.direction())
            * DQuat::from_rotation_z(self.between(0.0, 6.3))
    }

    fn axes(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.power(-1.0, 0.0)))
    }

    fn exponent(&mut self) -> f64 {
        match self.below(4) {
            0 => [2.0, 3.0, 4.0, 8.0][self.below(4)],
            _ => self.between(2.0, 8.0),
        }
    }

    pub fn superellipsoid(&mut self, scale: f64) -> Superellipsoid {
        Superellipsoid {
            half_axes: scale * self.axes(),
            around: self.exponent(),
            along: self.exponent(),
        }
    }

    /// A pair with this gap in terms of its size.
    pub fn pair(&mut self, family: Family, gap: f64) -> Pair {
        let a = self.superellipsoid(1.0);
        let scale = 20f64.powf(self.between(-1.0, 1.0));
        let (b, point, normal) = self.solid(family, scale);
        let at_a = Pose::new(self.vector(), self.turn());
        let turn = self.turn();
        let normal = turn * normal;
        let size = a.half_axes.min_element().min(scale);
        let gap = gap * size;
        let point_a = at_a.point(a.support(at_a.local_direction(-normal)));
        let at_b = Pose::new(point_a - gap * normal - turn * point, turn);
        Pair {
            a,
            at_a,
            b,
            at_b,
            normal,
            point_a,
            gap,
            size,
        }
    }

    /// A solid, a point of its surface and an outward normal there.
    fn solid(&mut self, family: Family, scale: f64) -> (Convex, DVec3, DVec3) {
        let rounding = [0.0, scale * self.between(0.0, 0.1)][self.below(2)];
        match family {
            Family::Superellipsoid => {
                let solid = self.superellipsoid(scale);
                let normal = self.direction();
                (Convex::Superellipsoid(solid), solid.support(normal), normal)
            }
            Family::Ball => self.on_hull(rod(0.0, scale)),
            Family::Capsule => {
                let hull = rod(
                    scale * self.between(0.1, 1.0),
                    scale * self.power(-1.0, 0.0),
                );
                self.on_hull(hull)
            }
            Family::Box => {
                let half = scale * self.axes();
                self.on_hull(block(half, rounding))
            }
            Family::Polyhedron => {
                let axes = scale * self.axes();
                let count = 4 + self.below(9);
                let points = (0..count).map(|_| axes * self.direction()).collect();
                self.on_hull(triangles(points, rounding))
            }
            Family::Facet => {
                let points = (0..3).map(|_| scale * self.direction()).collect();
                self.on_hull(triangles(points, rounding))
            }
            Family::Cylinder => {
                let radius = scale * self.power(-1.0, 0.0);
                self.on_frustum(scale, radius, radius)
            }
            Family::Cone => {
                let radius = scale * self.power(-1.0, 0.0);
                let other = radius * self.between(0.1, 0.9);
                let radii = [[radius, 0.0], [0.0, radius], [radius, other]];
                let [bottom, top] = radii[self.below(3)];
                self.on_frustum(scale, bottom, top)
            }
        }
    }

    fn on_hull(&mut self, hull: Hull) -> (Convex, DVec3, DVec3) {
        let (point, normal) = match self.below(3) {
            0 if !hull.faces.is_empty() => {
                let face = &hull.faces[self.below(hull.faces.len())];
                let weights: Vec<f64> = face
                    .corners
                    .iter()
                    .map(|_| self.between(0.0, 1.0))
                    .collect();
                let sum: f64 = weights.iter().sum();
                let corners = face.corners.iter().map(|&k| hull.vertices[k as usize]);
                let point = corners
                    .zip(weights)
                    .map(|(corner, w)| corner * (w / sum))
                    .sum();
                (point, face.normal)
            }
            1 if !hull.edges.is_empty() => {
                let edge = &hull.edges[self.below(hull.edges.len())];
                let [start, end] = edge.ends.map(|k| hull.vertices[k as usize]);
                let along = (end - start).normalize();
                let point = start + (end - start) * self.between(0.0, 1.0);
                let normal = match edge
                    .faces
                    .map(|faces| faces.map(|f| hull.faces[f as usize].normal))
                {
                    None => self.direction().reject_from_normalized(along).normalize(),
                    Some([one, other]) if hull.faces.len() == 2 => {
                        // A thin plate: half of all directions across the edge.
                        let across = one.cross(along);
                        let middle = hull.vertices.iter().sum::<DVec3>() / 3.0;
                        let outward = -across * across.dot(middle - start).signum();
                        let part = self.between(-1.0, 1.0);
                        assert!((one + other).length() < 1e-12);
                        (outward * (1.0 - part * part).sqrt() + one * part).normalize()
                    }
                    Some([one, other]) => one.lerp(other, self.between(0.0, 1.0)).normalize(),
                };
                (point, normal)
            }
            _ => {
                let normal = self.direction();
                let higher = |a: &DVec3, b: &DVec3| {
                    if b.dot(normal) > a.dot(normal) {
                        *b
                    } else {
                        *a
                    }
                };
                let point = hull
                    .vertices
                    .iter()
                    .copied()
                    .reduce(|a, b| higher(&a, &b))
                    .unwrap();
                (point, normal)
            }
        };
        let point = point + hull.radius * normal;
        (Convex::Hull(hull), point, normal)
    }

    fn on_frustum(
        &mut self,
        scale: f64,
        bottom_radius: f64,
        top_radius: f64,
    ) -> (Convex, DVec3, DVec3) {
        let top = scale * self.power(-1.0, 0.0);
        let frustum = Frustum {
            bottom: -top,
            top,
            bottom_radius,
            top_radius,
        };
        let outward = DQuat::from_rotation_z(self.between(0.0, 6.3)) * DVec3::X;
        let side = (outward * 2.0 * top + DVec3::Z * (bottom_radius - top_radius)).normalize();
        let sign = [1.0, -1.0][self.below(2)];
        let radius = if sign > 0.0 {
            top_radius
        } else {
            bottom_radius
        };
        let end = DVec3::Z * sign;
        let rim = outward * radius + end * top;
        let (point, normal) = match self.below(4) {
            0 if radius > 0.0 => (
                outward * radius * self.between(0.0, 1.0).sqrt() + end * top,
                end,
            ),
            1 => {
                let part = self.between(0.0, 1.0);
                let z = DVec3::Z * (2.0 * part - 1.0) * top;
                (
                    outward * (bottom_radius + (top_radius - bottom_radius) * part) + z,
                    side,
                )
            }
            2 => (rim, side.lerp(end, self.between(0.0, 1.0)).normalize()),
            _ => {
                let normal = self.direction();
                let outward = DVec3::new(normal.x, normal.y, 0.0).normalize();
                let (up, down) = (
                    outward * top_radius + DVec3::Z * top,
                    outward * bottom_radius - DVec3::Z * top,
                );
                (
                    if up.dot(normal) > down.dot(normal) {
                        up
                    } else {
                        down
                    },
                    normal,
                )
            }
        };
        (Convex::Frustum(frustum), point, normal)
    }
}

/// A segment of this half length along z, rounded; a ball if it has none.
pub fn rod(half: f64, radius: f64) -> Hull {
    let end = DVec3::new(0.0, 0.0, half);
    let edge = HullEdge {
        ends: [0, 1],
        faces: None,
    };
    Hull {
        vertices: if half > 0.0 {
            vec![-end, end]
        } else {
            vec![end]
        },
        faces: vec![],
        edges: if half > 0.0 { vec![edge] } else { vec![] },
        radius,
    }
}

/// A box with these half lengths.
pub fn block(half: DVec3, radius: f64) -> Hull {
    let sign = |k: u32, axis: u32| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
    let corner = |k: u32| half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
    let face = |corners: [u32; 4], normal: DVec3| HullFace {
        corners: corners.to_vec(),
        normal,
    };
    let faces = vec![
        face([0, 4, 6, 2], DVec3::NEG_X),
        face([1, 3, 7, 5], DVec3::X),
        face([0, 1, 5, 4], DVec3::NEG_Y),
        face([2, 6, 7, 3], DVec3::Y),
        face([0, 2, 3, 1], DVec3::NEG_Z),
        face([4, 5, 7, 6], DVec3::Z),
    ];
    Hull {
        vertices: (0..8).map(corner).collect(),
        edges: edges(&faces),
        faces,
        radius,
    }
}

/// The hull of points of which no four are in a plane, or a triangle with two sides.
pub fn triangles(points: Vec<DVec3>, radius: f64) -> Hull {
    let count = points.len();
    let mut faces = Vec::new();
    for i in 0..count {
        for j in i + 1..count {
            for k in j + 1..count {
                let normal = (points[j] - points[i])
                    .cross(points[k] - points[i])
                    .normalize();
                let others = (0..count).filter(|l| ![i, j, k].contains(l));
                let heights: Vec<f64> = others.map(|l| normal.dot(points[l] - points[i])).collect();
                let [i, j, k] = [i, j, k].map(|place| place as u32);
                if heights.iter().all(|height| *height < 0.0) {
                    faces.push(HullFace {
                        corners: vec![i, j, k],
                        normal,
                    });
                }
                if heights.iter().all(|height| *height > 0.0) {
                    faces.push(HullFace {
                        corners: vec![i, k, j],
                        normal: -normal,
                    });
                }
            }
        }
    }
    Hull {
        edges: edges(&faces),
        vertices: points,
        faces,
        radius,
    }
}

fn edges(faces: &[HullFace]) -> Vec<HullEdge> {
    let mut found: Vec<([u32; 2], Vec<u32>)> = Vec::new();
    for (place, face) in faces.iter().enumerate() {
        let next = face.corners.iter().cycle().skip(1);
        for (from, to) in face.corners.iter().zip(next) {
            let ends = [*from.min(to), *from.max(to)];
            match found.iter_mut().find(|(known, _)| *known == ends) {
                Some((_, beside)) => beside.push(place as u32),
                None => found.push((ends, vec![place as u32])),
            }
        }
    }
    let edge = |(ends, beside): ([u32; 2], Vec<u32>)| HullEdge {
        ends,
        faces: Some([beside[0], beside[1]]),
    };
    found.into_iter().map(edge).collect()
}
