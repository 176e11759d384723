//! Random convex solids, and slow plain answers to where they touch.

use granule::collision::{Faced, ManifoldPoint, contacts};
use granule::math::{DQuat, DVec2, DVec3, Pose};
use granule::shapes::{Convex, Frustum, Hull};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt;

/// A solid somewhere.
#[derive(Clone)]
pub struct Solid {
    pub shape: Convex,
    pub at: Pose,
}

/// What kinds of solids there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Box,
    Hull,
    Prism,
    Ball,
    Capsule,
    RoundedBox,
    Plate,
    Cylinder,
    Cone,
    Frustum,
}

pub const SHARP: [Kind; 3] = [Kind::Box, Kind::Hull, Kind::Prism];
pub const ROUND: [Kind; 3] = [Kind::Cylinder, Kind::Cone, Kind::Frustum];
pub const ALL: [Kind; 10] = [
    Kind::Box,
    Kind::Hull,
    Kind::Prism,
    Kind::Ball,
    Kind::Capsule,
    Kind::RoundedBox,
    Kind::Plate,
    Kind::Cylinder,
    Kind::Cone,
    Kind::Frustum,
];

pub fn random(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

pub fn vector(random: &mut Pcg64) -> DVec3 {
    let mut number = || random.random_range(-1.0..1.0);
    DVec3::new(number(), number(), number())
}

/// A unit vector, all directions alike.
pub fn direction(random: &mut Pcg64) -> DVec3 {
    loop {
        let vector = vector(random);
        if (0.01..1.0).contains(&vector.length_squared()) {
            return vector.normalize();
        }
    }
}

pub fn rotation(random: &mut Pcg64) -> DQuat {
    loop {
        let mut number = || random.random_range(-1.0..1.0);
        let all = [number(), number(), number(), number()];
        let turn = DQuat::from_array(all);
        if (0.01..1.0).contains(&turn.length_squared()) {
            return turn.normalize();
        }
    }
}

/// A solid of a kind whose extent is about `size`.
pub fn shape(kind: Kind, size: f64, random: &mut Pcg64) -> Convex {
    let mut length = || size * random.random_range(0.2..1.0);
    let half = DVec3::new(length(), length(), length());
    let frustum = |bottom_radius, top_radius| {
        Convex::Frustum(Frustum {
            bottom: -half.z,
            top: half.x,
            bottom_radius,
            top_radius,
        })
    };
    match kind {
        Kind::Box => Convex::Hull(Hull::cuboid(half)),
        Kind::Hull => {
            let count = random.random_range(5..=40);
            let points: Vec<DVec3> = (0..count).map(|_| half * direction(random)).collect();
            Convex::Hull(Hull::of_points(&points).unwrap())
        }
        Kind::Prism => {
            let count = random.random_range(3..=9);
            let corner = |k| {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
                DVec2::new(half.x * angle.cos(), half.y * angle.sin())
            };
            let polygon: Vec<DVec2> = (0..count).map(corner).collect();
            Convex::Hull(Hull::prism(&polygon, half.z).unwrap())
        }
        Kind::Ball => Convex::Hull(Hull::ball(half.x)),
        Kind::Capsule => Convex::Hull(Hull::segment(half.x, 0.5 * half.y)),
        Kind::RoundedBox => Convex::Hull(Hull::cuboid(half).with_radius(0.3 * half.x)),
        Kind::Plate => {
            let corners = [(-1.0, -1.0), (1.0, -0.5), (0.7, 0.9)];
            let corners = corners.map(|(x, y)| half * DVec3::new(x, y, 0.0));
            Convex::Hull(Hull::facet(&corners).unwrap())
        }
        Kind::Cylinder => frustum(half.y, half.y),
        Kind::Cone => frustum(half.y, 0.0),
        Kind::Frustum => frustum(0.4 * half.y, half.y),
    }
}

impl fmt::Debug for Solid {
    /// What it is, without its many corners.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.shape {
            Convex::Hull(h) => write!(
                f,
                "hull of {} corners and {} faces, radius {}, ",
                h.vertices.len(),
                h.faces.len(),
                h.radius
            )?,
            other => write!(f, "{other:?}, ")?,
        }
        write!(f, "size {}, at {:?}", self.size(), self.at)
    }
}

impl Solid {
    /// The point that is farthest in a unit direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let local = self.at.local_direction(direction);
        let point = match &self.shape {
            Convex::Hull(hull) => {
                let corners = hull.vertices.iter().copied();
                let far = corners.max_by(|p, q| p.dot(local).total_cmp(&q.dot(local)));
                far.unwrap() + hull.radius * local
            }
            Convex::Frustum(f) => {
                let radial = DVec2::new(local.x, local.y).normalize_or(DVec2::X);
                let ends = [
                    (f.bottom_radius * radial).extend(f.bottom),
                    (f.top_radius * radial).extend(f.top),
                ];
                let [p, q] = ends.map(|end| end.dot(local));
                ends[usize::from(q > p)]
            }
            Convex::Superellipsoid(_) => unreachable!(),
        };
        self.at.point(point)
    }

    /// How far a point is outside, m; at most zero inside.
    pub fn outside(&self, point: DVec3) -> f64 {
        let local = self.at.local_point(point);
        match &self.shape {
            Convex::Hull(hull) => {
                let above = hull.faces.iter().map(|f| {
                    let corner = hull.vertices[f.corners[0] as usize];
                    f.normal.dot(local - corner)
                });
                let above = above.fold(f64::NEG_INFINITY, f64::max);
                if hull.faces.len() > 2 && above <= 0.0 {
                    return above - hull.radius;
                }
                let here = Hull::ball(0.0);
                let here = Solid {
                    shape: Convex::Hull(here),
                    at: Pose::new(local, DQuat::IDENTITY),
                };
                let core = Solid {
                    shape: self.shape.clone(),
                    at: Pose::IDENTITY,
                };
                feature_distance(&here, &core) - hull.radius
            }
            Convex::Frustum(f) => {
                let place = DVec2::new(local.x.hypot(local.y), local.z);
                let corners = [
                    DVec2::new(0.0, f.bottom),
                    DVec2::new(f.bottom_radius, f.bottom),
                    DVec2::new(f.top_radius, f.top),
                    DVec2::new(0.0, f.top),
                ];
                let sides = [
                    [corners[0], corners[1]],
                    [corners[1], corners[2]],
                    [corners[2], corners[3]],
                ];
                let beyond =
                    sides.map(|[p, q]| -(q - p).normalize_or(DVec2::X).perp_dot(place - p));
                let inside = beyond.iter().all(|&d| d <= 0.0);
                let distances = sides.map(|[p, q]| {
                    let share =
                        (place - p).dot(q - p) / p.distance_squared(q).max(f64::MIN_POSITIVE);
                    place.distance(p.lerp(q, share.clamp(0.0, 1.0)))
                });
                let distance = distances.into_iter().fold(f64::INFINITY, f64::min);
                if inside { -distance } else { distance }
            }
            Convex::Superellipsoid(_) => unreachable!(),
        }
    }

    pub fn size(&self) -> f64 {
        match &self.shape {
            Convex::Hull(hull) => hull.bounding_radius(),
            Convex::Frustum(frustum) => frustum.bounding_radius(),
            Convex::Superellipsoid(_) => unreachable!(),
        }
    }

    fn hull(&self) -> &Hull {
        match &self.shape {
            Convex::Hull(hull) => hull,
            Convex::Frustum(_) | Convex::Superellipsoid(_) => unreachable!(),
        }
    }

    fn corners(&self) -> Vec<DVec3> {
        self.hull()
            .vertices
            .iter()
            .map(|&v| self.at.point(v))
            .collect()
    }
}

/// The separation along a unit direction from b to a, m.
pub fn separation(a: &Solid, b: &Solid, normal: DVec3) -> f64 {
    normal.dot(a.support(-normal) - b.support(normal))
}

pub fn touch(a: &Solid, b: &Solid, reach: f64) -> Vec<ManifoldPoint> {
    let mut points = Vec::new();
    let (faced_a, faced_b) = (Faced::of(&a.shape).unwrap(), Faced::of(&b.shape).unwrap());
    contacts(faced_a, &a.at, faced_b, &b.at, reach, &mut points);
    points
}

pub fn deepest(points: &[ManifoldPoint]) -> ManifoldPoint {
    let deepest = points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap));
    *deepest.expect("no point of contact")
}

/// Two solids, the second of `ratio` times the size of the first, that are about `gap` sizes of the smaller one apart.
pub fn couple(kinds: [Kind; 2], ratio: f64, gap: f64, random: &mut Pcg64) -> [Solid; 2] {
    let sizes = [1.0, ratio];
    let [mut a, b] = [0, 1].map(|k| Solid {
        shape: shape(kinds[k], sizes[k], random),
        at: Pose::new(3.0 * vector(random), rotation(random)),
    });
    let normal = direction(random);
    let size = a.size().min(b.size());
    a.at.position = b.at.position;
    let way = gap * size - separation(&a, &b, normal);
    a.at.position += way * normal + 0.2 * size * vector(random).cross(normal);
    [a, b]
}

/// The distance of two polyhedra that are apart: the least of those of corners to faces and of edges to edges.
pub fn feature_distance(a: &Solid, b: &Solid) -> f64 {
    let mut least = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        let (corners, others) = (one.corners(), other.corners());
        for &corner in &corners {
            for face in &other.hull().faces {
                let polygon: Vec<DVec3> =
                    face.corners.iter().map(|&k| others[k as usize]).collect();
                let normal = other.at.direction(face.normal);
                let inside = (0..polygon.len()).all(|k| {
                    let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
                    normal.cross(q - p).dot(corner - p) >= 0.0
                });
                if inside {
                    least = least.min(normal.dot(corner - polygon[0]).abs());
                }
            }
            for &end in &others {
                least = least.min(corner.distance(end));
            }
            for edge in &other.hull().edges {
                let [p, q] = edge.ends.map(|k| others[k as usize]);
                let share = (corner - p).dot(q - p) / p.distance_squared(q);
                least = least.min(corner.distance(p.lerp(q, share.clamp(0.0, 1.0))));
            }
        }
    }
    let (corners_a, corners_b) = (a.corners(), b.corners());
    for edge_a in &a.hull().edges {
        for edge_b in &b.hull().edges {
            let [p, q] = edge_a.ends.map(|k| corners_a[k as usize]);
            let [r, s] = edge_b.ends.map(|k| corners_b[k as usize]);
            // Lines p + t u and r + τ v are closest where the way between them is across both.
            let (u, v, w) = (q - p, s - r, p - r);
            let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
            let determinant = uu * vv - uv * uv;
            if determinant <= 1e-12 * uu * vv {
                continue;
            }
            let t = (uv * v.dot(w) - vv * u.dot(w)) / determinant;
            let tau = (uu * v.dot(w) - uv * u.dot(w)) / determinant;
            if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&tau) {
                least = least.min((p + t * u).distance(r + tau * v));
            }
        }
    }
    least
}

/// The largest separation of two sharp polyhedra over all normals of faces and all directions across two edges.
pub fn largest_separation(a: &Solid, b: &Solid) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let mut consider = |normal: DVec3| {
        best = best
            .max(separation(a, b, normal))
            .max(separation(a, b, -normal));
    };
    let mut along = [Vec::new(), Vec::new()];
    for (solid, along) in [a, b].into_iter().zip(&mut along) {
        for face in &solid.hull().faces {
            consider(solid.at.direction(face.normal));
        }
        let corners = solid.corners();
        for edge in &solid.hull().edges {
            let [p, q] = edge.ends.map(|k| corners[k as usize]);
            along.push((q - p).normalize());
        }
    }
    for u in &along[0] {
        for v in &along[1] {
            let across = u.cross(*v);
            if across.length() > 1e-8 {
                consider(across.normalize());
            }
        }
    }
    best
}
