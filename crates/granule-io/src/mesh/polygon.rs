//! Faces with many corners as triangles.

use glam::DVec3;

/// The most corners that a face may have which is not convex.
const MOST: usize = 500;

/// The triangles of a face given by the places of its corners among the vertices.
///
/// A convex face becomes a fan; from others triangles are cut that hold no other corner, one after the other.
pub(super) fn triangles(vertices: &[DVec3], corners: &[u32]) -> Result<Vec<[u32; 3]>, String> {
    let count = corners.len();
    if count < 3 {
        return Err(format!("a face needs three corners or more, not {count}"));
    }
    let fan = (1..count - 1).map(|k| [corners[0], corners[k], corners[k + 1]]);
    let normal = fan.clone().map(|t| twice_area(vertices, t)).sum::<DVec3>();
    if fan
        .clone()
        .all(|t| twice_area(vertices, t).dot(normal) >= 0.0)
    {
        return Ok(fan.collect());
    }
    if count > MOST {
        return Err(format!(
            "a face that is not convex may have {MOST} corners, not {count}"
        ));
    }
    Ok(cut(vertices, corners, normal))
}

/// The vector along the normal with twice the area of a triangle.
fn twice_area(vertices: &[DVec3], triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|k| vertices[k as usize]);
    (b - a).cross(c - a)
}

/// Cuts off corners that are convex and whose triangles hold no other corner; if rounding or a face that cuts
/// itself leaves none, the first.
fn cut(vertices: &[DVec3], corners: &[u32], normal: DVec3) -> Vec<[u32; 3]> {
    let mut left = corners.to_vec();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    while left.len() > 3 {
        let count = left.len();
        let ear = |k: usize| {
            [
                left[(k + count - 1) % count],
                left[k],
                left[(k + 1) % count],
            ]
        };
        let best = (0..count).find(|&k| {
            let triangle = ear(k);
            let others = left.iter().filter(|other| !triangle.contains(other));
            twice_area(vertices, triangle).dot(normal) > 0.0
                && !others
                    .into_iter()
                    .any(|&other| holds(vertices, triangle, other, normal))
        });
        let best = best.unwrap_or(0);
        triangles.push(ear(best));
        left.remove(best);
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// Whether a vertex lies in a triangle as seen along the normal.
fn holds(vertices: &[DVec3], triangle: [u32; 3], vertex: u32, normal: DVec3) -> bool {
    let [a, b, c] = triangle;
    [[a, b, vertex], [b, c, vertex], [c, a, vertex]]
        .iter()
        .all(|part| twice_area(vertices, *part).dot(normal) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polygon in the plane z = 0 whose area is known from its corners.
    fn check(points: &[[f64; 2]]) {
        let vertices: Vec<DVec3> = points.iter().map(|p| DVec3::new(p[0], p[1], 0.0)).collect();
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let found = triangles(&vertices, &corners).unwrap();
        assert_eq!(found.len(), points.len() - 2);
        let parts: Vec<f64> = found
            .iter()
            .map(|t| 0.5 * twice_area(&vertices, *t).z)
            .collect();
        assert!(parts.iter().all(|area| *area >= 0.0), "{found:?}");
        let shoelace = |k: usize| {
            let ([x, y], [u, v]) = (points[k], points[(k + 1) % points.len()]);
            0.5 * (x * v - u * y)
        };
        let area: f64 = (0..points.len()).map(shoelace).sum();
        assert!((parts.iter().sum::<f64>() - area).abs() < 1e-14);
    }

    #[test]
    fn faces_of_any_form_are_covered_once() {
        check(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]);
        // An arrow, from each of its corners, and a comb.
        let arrow = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.7, 1.0]];
        for start in 0..4 {
            let mut turned = arrow;
            turned.rotate_left(start);
            check(&turned);
        }
        let mut comb = vec![[0.0, -1.0], [8.0, -1.0]];
        for k in (0..8).rev() {
            comb.extend([[f64::from(k) + 0.9, 1.0], [f64::from(k) + 0.45, 0.0]]);
        }
        check(&comb);
        for start in 1..comb.len() {
            comb.rotate_left(start % 3);
            check(&comb);
        }
    }
}
