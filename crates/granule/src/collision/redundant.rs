//! Points of contact that others stand for.
//!
//! A force at a point between others, along the same normal and within the same friction cone, is the same as
//! forces at the others in shares that add up to one: the moment is linear in the point, and cones are convex. And
//! where the gap at that point is no less than what the gaps of the others give there, it stays open when theirs
//! do. So leaving such a point out changes no motion.

use super::convex::ManifoldPoint;
use crate::math::DVec2;

/// Of the size of a body: points nearer to each other than this are one point.
const ONE_POINT: f64 = 1e-9;

/// Normals whose components differ by less than this are one normal.
const ONE_NORMAL: f64 = 1e-9;

/// Drops points that others with the same normal stand for; `size` (m) is that of the bodies. What is left is in
/// the order of features.
pub(super) fn drop_redundant(points: &mut Vec<ManifoldPoint>, size: f64) {
    points.sort_by_key(|p| p.feature);
    if points.len() < 2 {
        return;
    }
    let mut group = 0;
    let mut kept = 0;
    while group < points.len() {
        // Points with the normal of the first that is left come to the front, in their order.
        let normal = points[group].normal;
        let mut end = group;
        for k in group..points.len() {
            if (points[k].normal - normal).abs().max_element() <= ONE_NORMAL {
                points[end..=k].rotate_right(1);
                end += 1;
            }
        }
        let needed = needed(&points[group..end], ONE_POINT * size);
        for (k, needed) in needed.into_iter().enumerate() {
            if needed {
                points[kept] = points[group + k];
                kept += 1;
            }
        }
        group = end;
    }
    points.truncate(kept);
    points.sort_by_key(|p| p.feature);
}

/// Which of points with one normal are needed; those nearer than `small` (m) are one.
fn needed(group: &[ManifoldPoint], small: f64) -> Vec<bool> {
    let (u, v) = group[0].normal.any_orthonormal_pair();
    let flat: Vec<DVec2> = group
        .iter()
        .map(|p| DVec2::new(p.point.dot(u), p.point.dot(v)))
        .collect();
    let outline = outline(&flat, small);
    let gap = |k: usize| group[k].gap;
    let is_needed = |k: usize| {
        outline.contains(&k)
            || match implied_gap(&outline, &flat, gap, flat[k], small) {
                Some(implied) => gap(k) < implied - small,
                None => true,
            }
    };
    (0..group.len()).map(is_needed).collect()
}

/// The corners of the convex outline of points, counter-clockwise; corners nearer than `small` (m) to the outline of
/// the others are left out, and of points at one place all but the first.
fn outline(flat: &[DVec2], small: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..flat.len()).collect();
    order.sort_by(|&p, &q| {
        let along = flat[p].x.total_cmp(&flat[q].x);
        along.then(flat[p].y.total_cmp(&flat[q].y)).then(p.cmp(&q))
    });
    let mut distinct: Vec<usize> = Vec::with_capacity(order.len());
    for k in order {
        let same = |&other: &usize| flat[other].distance(flat[k]) <= small;
        if !distinct.iter().any(same) {
            distinct.push(k);
        }
    }
    if distinct.len() < 3 {
        return distinct;
    }
    let half = |points: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for k in points {
            while let [.., p, q] = chain[..] {
                let base = flat[k] - flat[p];
                // How far q stands out to the right of the line from p to k.
                if base.perp_dot(flat[q] - flat[p]) < -small * base.length() {
                    break;
                }
                chain.pop();
            }
            chain.push(k);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut distinct.iter().copied());
    corners.extend(half(&mut distinct.iter().rev().copied()));
    corners
}

/// The gap (m) that the gaps of the corners give at a point within their outline; `None` if it is outside by more
/// than `small` (m).
fn implied_gap(
    outline: &[usize],
    flat: &[DVec2],
    gap: impl Fn(usize) -> f64,
    point: DVec2,
    small: f64,
) -> Option<f64> {
    let near = |k: &&usize| flat[**k].distance(point) <= small;
    if let Some(&corner) = outline.iter().find(near) {
        return Some(gap(corner));
    }
    if let [p, q] = outline[..] {
        let along = flat[q] - flat[p];
        let share = (point - flat[p]).dot(along) / along.length_squared();
        return Some(gap(p) + share.clamp(0.0, 1.0) * (gap(q) - gap(p)));
    }
    let (&first, rest) = outline.split_first()?;
    rest.windows(2).find_map(|pair| {
        let [o, p, q] = [flat[first], flat[pair[0]], flat[pair[1]]];
        let whole = (p - o).perp_dot(q - o);
        let shares = [
            (p - point).perp_dot(q - point),
            (q - point).perp_dot(o - point),
            (o - point).perp_dot(p - point),
        ];
        let inside = shares.iter().all(|share| *share >= -small * whole.sqrt());
        let gaps = [gap(first), gap(pair[0]), gap(pair[1])];
        let sum: f64 = shares
            .iter()
            .zip(gaps)
            .map(|(share, gap)| share * gap)
            .sum();
        (inside && whole > 0.0).then(|| sum / whole)
    })
}
