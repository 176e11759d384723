//! The convex hull of points.

use super::{area_vector, edges_of};
use crate::math::DVec3;

/// Of the extent of the points: how far a point may be from a plane or a line and still be on it.
const FLAT: f64 = 1e-9;

/// A triangle of a hull that is being built.
struct Triangle {
    corners: [u32; 3],
    /// Unit normal, outwards; zero where the triangle has no area.
    normal: DVec3,
    /// Points above it that no other triangle answers for.
    outside: Vec<u32>,
    alive: bool,
}

impl Triangle {
    fn new(points: &[DVec3], corners: [u32; 3]) -> Self {
        let [a, b, c] = corners.map(|k| points[k as usize]);
        Self {
            corners,
            normal: (b - a).cross(c - a).normalize_or_zero(),
            outside: Vec::new(),
            alive: true,
        }
    }

    fn height(&self, points: &[DVec3], point: u32) -> f64 {
        let corner = points[self.corners[0] as usize];
        self.normal.dot(points[point as usize] - corner)
    }

    fn edges(&self) -> [(u32, u32); 3] {
        let [a, b, c] = self.corners;
        [(a, b), (b, c), (c, a)]
    }
}

/// Corners and polygons, counter-clockwise seen from outside, of the convex hull of `points`.
pub(super) fn hull_of_points(points: &[DVec3]) -> Result<(Vec<DVec3>, Vec<Vec<u32>>), String> {
    if let Some((k, point)) = points.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        return Err(format!("point {k} of the hull is not finite: {point}"));
    }
    if points.len() < 4 {
        return Err(format!(
            "a hull needs at least 4 points, not {}",
            points.len()
        ));
    }
    let mut points = points.to_vec();
    // Corners that rounding gave to some face but not to all three that meet there are left out.
    for _ in 0..points.len() {
        let extent = extent(&points);
        let tolerance = FLAT * extent;
        let triangles = triangles(&points, tolerance)?;
        let faces = polygons(&points, &triangles, tolerance);
        let mut uses = vec![0; points.len()];
        for &corner in faces.iter().flatten() {
            uses[corner as usize] += 1;
        }
        if uses.iter().all(|&n| n >= 3) {
            return check(&points, &faces, tolerance).map(|()| (points, faces));
        }
        let mut uses = uses.into_iter();
        points.retain(|_| uses.next().is_some_and(|n| n >= 3));
        if points.len() < 4 {
            break;
        }
    }
    Err("the points lie in a plane, within rounding".into())
}

/// The longest side of the box round points, m.
fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().fold(points[0], DVec3::min);
    let high = points.iter().copied().fold(points[0], DVec3::max);
    (high - low).max_element()
}

/// The point with the largest value, the first of several, and the value.
fn farthest(points: &[DVec3], value: impl Fn(DVec3) -> f64) -> (u32, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (k, &point) in points.iter().enumerate() {
        if value(point) > best.1 {
            best = (k as u32, value(point));
        }
    }
    best
}

/// The hull as triangles: quickhull, which always adds the point that is farthest from a triangle.
fn triangles(points: &[DVec3], tolerance: f64) -> Result<Vec<Triangle>, String> {
    let at = |k: u32| points[k as usize];
    let (a, _) = farthest(points, |p| -p.x);
    let (b, length) = farthest(points, |p| p.distance(at(a)));
    if length <= tolerance {
        return Err("the points of the hull are all in one place".into());
    }
    let along = (at(b) - at(a)) / length;
    let (c, width) = farthest(points, |p| (p - at(a)).cross(along).length());
    if width <= tolerance {
        return Err("the points of the hull lie on a line".into());
    }
    let normal = along.cross(at(c) - at(a)).normalize();
    let (d, height) = farthest(points, |p| (p - at(a)).dot(normal).abs());
    if height <= tolerance {
        return Err("the points of the hull lie in a plane".into());
    }
    let above = (at(d) - at(a)).dot(normal) > 0.0;
    let (b, c) = if above { (c, b) } else { (b, c) };
    let mut hull: Vec<Triangle> = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]]
        .into_iter()
        .map(|corners| Triangle::new(points, corners))
        .collect();
    let all: Vec<u32> = (0..points.len() as u32).collect();
    give(points, &all, &mut hull, tolerance);
    let mut next = 0;
    while next < hull.len() {
        let Some(&top) = hull[next].outside.iter().max_by(|&&p, &&q| {
            let height = |k| hull[next].height(points, k);
            height(p).total_cmp(&height(q)).then(q.cmp(&p))
        }) else {
            next += 1;
            continue;
        };
        let mut orphans = Vec::new();
        let mut rim = Vec::new();
        for triangle in hull.iter_mut().filter(|t| t.alive) {
            if triangle.height(points, top) > tolerance {
                triangle.alive = false;
                orphans.append(&mut triangle.outside);
                rim.extend(triangle.edges());
            }
        }
        let horizon = rim.iter().filter(|&&(u, v)| !rim.contains(&(v, u)));
        let mut added: Vec<Triangle> = horizon
            .map(|&(u, v)| Triangle::new(points, [u, v, top]))
            .collect();
        orphans.retain(|&k| k != top);
        give(points, &orphans, &mut added, tolerance);
        hull.append(&mut added);
    }
    hull.retain(|t| t.alive && t.normal != DVec3::ZERO);
    Ok(hull)
}

/// Gives each point to the triangle that it is farthest above.
fn give(points: &[DVec3], orphans: &[u32], triangles: &mut [Triangle], tolerance: f64) {
    for &point in orphans {
        let mut best = (tolerance, None);
        for (k, triangle) in triangles.iter().enumerate() {
            let height = triangle.height(points, point);
            if height > best.0 {
                best = (height, Some(k));
            }
        }
        if let Some(k) = best.1 {
            triangles[k].outside.push(point);
        }
    }
}

/// The faces: for each plane of a triangle, the polygon of all corners in it.
fn polygons(points: &[DVec3], triangles: &[Triangle], tolerance: f64) -> Vec<Vec<u32>> {
    let corner = |t: &Triangle, k: usize| points[t.corners[k] as usize];
    let area = |t: &Triangle| {
        (corner(t, 1) - corner(t, 0))
            .cross(corner(t, 2) - corner(t, 0))
            .length()
    };
    let mut used: Vec<u32> = triangles.iter().flat_map(|t| t.corners).collect();
    used.sort_unstable();
    used.dedup();
    // Large triangles have the better normals.
    let mut order: Vec<&Triangle> = triangles.iter().collect();
    order.sort_by(|s, t| area(t).total_cmp(&area(s)).then(s.corners.cmp(&t.corners)));
    let mut planes: Vec<&Triangle> = Vec::new();
    for triangle in order {
        let in_plane = |plane: &&Triangle| {
            let flat = |&k: &u32| plane.height(points, k).abs() <= tolerance;
            triangle.normal.dot(plane.normal) > 0.0 && triangle.corners.iter().all(flat)
        };
        if !planes.iter().any(in_plane) {
            planes.push(triangle);
        }
    }
    let polygon = |plane: &Triangle| {
        let flat = |k: &u32| plane.height(points, *k).abs() <= tolerance;
        let corners: Vec<u32> = used.iter().copied().filter(flat).collect();
        round(points, corners, plane.normal, tolerance)
    };
    let faces = planes.into_iter().map(polygon);
    faces.filter(|corners| corners.len() >= 3).collect()
}

/// The corners of the convex polygon of points in a plane, counter-clockwise seen against its normal.
fn round(points: &[DVec3], mut corners: Vec<u32>, normal: DVec3, tolerance: f64) -> Vec<u32> {
    let (x, y) = normal.any_orthonormal_pair();
    // x, y and the normal are a right-handed frame.
    let y = if x.cross(y).dot(normal) > 0.0 { y } else { -y };
    let flat = |k: u32| {
        let point = points[k as usize];
        (point.dot(x), point.dot(y))
    };
    corners.sort_by(|&p, &q| {
        let ((px, py), (qx, qy)) = (flat(p), flat(q));
        px.total_cmp(&qx).then(py.total_cmp(&qy)).then(p.cmp(&q))
    });
    // How far the corner q is beside the way from p to r, on its right.
    let beside = |p: u32, q: u32, r: u32| {
        let ((px, py), (qx, qy), (rx, ry)) = (flat(p), flat(q), flat(r));
        let (dx, dy) = (rx - px, ry - py);
        ((qx - px) * dy - (qy - py) * dx) / dx.hypot(dy)
    };
    // Exactly first: with a tolerance, points along a side that rounding has put in a wrong order would take a
    // corner with them.
    let half = |corners: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for corner in corners {
            while let [.., p, q] = chain[..] {
                if beside(p, q, corner) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(corner);
        }
        chain.pop();
        chain
    };
    let mut ring = half(&mut corners.iter().copied());
    ring.extend(half(&mut corners.iter().rev().copied()));
    let mut k = 0;
    while k < ring.len() && ring.len() > 2 {
        let count = ring.len();
        if beside(
            ring[(k + count - 1) % count],
            ring[k],
            ring[(k + 1) % count],
        ) > tolerance
        {
            k += 1;
        } else {
            ring.remove(k);
            k = k.saturating_sub(1);
        }
    }
    ring
}

/// Whether the faces are a closed convex surface.
fn check(points: &[DVec3], faces: &[Vec<u32>], tolerance: f64) -> Result<(), String> {
    let mut sides: Vec<(u32, u32)> = faces.iter().flat_map(|f| edges_of(f)).collect();
    sides.sort_unstable();
    let closed = sides
        .iter()
        .all(|&(u, v)| sides.binary_search(&(v, u)).is_ok())
        && sides.windows(2).all(|w| w[0] != w[1]);
    let convex = faces.iter().all(|corners| {
        let normal = area_vector(corners.iter().map(|&k| points[k as usize])).normalize_or_zero();
        let first = points[corners[0] as usize];
        let below = |p: &DVec3| normal.dot(p - first) <= 10.0 * tolerance;
        normal != DVec3::ZERO && points.iter().all(below)
    });
    if closed && convex {
        Ok(())
    } else {
        Err("the points are too close to each other, or to one plane, to make a hull".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;

    /// Points along the edges and on the faces of a box, off by rounding, take no corner with them.
    #[test]
    fn points_along_edges_leave_the_corners() {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.4, 0.9, -0.3));
        for seed in 0..200_u32 {
            let noise = |k: u32| f64::from((k * 7919 + seed * 104_729) % 13) - 6.0;
            let mut points = Vec::new();
            for k in 0..125_u32 {
                let place = [k % 5, k / 5 % 5, k / 25].map(|x| 0.25 * f64::from(x) - 0.5);
                let off = 3e-16 * DVec3::new(noise(k), noise(k + 1), noise(k + 2));
                let place = DVec3::from_array(place);
                points.push(if seed % 2 == 0 { place } else { turn * place } + off);
            }
            let (corners, faces) = hull_of_points(&points).unwrap();
            assert_eq!((corners.len(), faces.len()), (8, 6), "{seed}");
            let half = 0.75_f64.sqrt();
            assert!(corners.iter().all(|c| (c.length() - half).abs() < 1e-14));
        }
    }
}
