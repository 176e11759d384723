//! Shapes of bodies that move in a plane: ellipses and polygons.
//!
//! They are solids that look the same from both sides of the plane, so that nearest points lie in it. Their
//! *volume* is the area (m²), and their moment of inertia that of a flat plate.

use super::{Convex, Hull, MassProperties, Part, Solid, Superellipsoid};
use crate::math::{DMat3, DVec2, DVec3, Pose};

/// How far a prism goes to both sides of the plane, as a multiple of its radius: so far that no way out of an
/// overlap is shorter than those in the plane.
const HEIGHT: f64 = 8.0;

impl Solid {
    /// The ellipse (or, with an exponent m above 2, superellipse) `|x/a|^m + |y/b|^m ≤ 1` with these half axes (m).
    ///
    /// ```
    /// use granule::math::DVec2;
    /// use granule::shapes::Solid;
    /// let ellipse = Solid::ellipse(DVec2::new(0.2, 0.1), 2.0).unwrap();
    /// assert!((ellipse.volume() - std::f64::consts::PI * 0.02).abs() < 1e-15);
    /// // J = m (a² + b²)/4.
    /// assert!((ellipse.inertia(4.0).z - 0.05).abs() < 1e-15);
    /// ```
    pub fn ellipse(half_axes: DVec2, exponent: f64) -> Result<Self, String> {
        let shape = Superellipsoid {
            half_axes: half_axes.extend(half_axes.max_element()),
            around: exponent,
            along: 2.0,
        };
        shape.validate()?;
        // ∫∫ |x|^(p-1) |y|^(q-1) over |x|^m + |y|^m ≤ 1 is 4 Γ(p/m) Γ(q/m) / (m² Γ((p + q)/m + 1)).
        let moment = |p: f64, q: f64| {
            let gamma = |x: f64| libm::tgamma(x / exponent);
            4.0 * gamma(p) * gamma(q)
                / (exponent * exponent * libm::tgamma((p + q) / exponent + 1.0))
        };
        let DVec2 { x: a, y: b } = half_axes;
        let square = moment(3.0, 1.0);
        let whole = flat(
            a * b * moment(1.0, 1.0),
            DVec2::ZERO,
            DVec2::new(a * a, b * b) * (a * b * square),
        );
        let part = Part {
            pose: Pose::IDENTITY,
            shape: Convex::Superellipsoid(shape),
        };
        Ok(Self::with_mass(vec![part], &whole).0)
    }

    /// The convex polygon with these corners (m), all points within `rounding` (m) of it included. Also gives the
    /// frame of the body as the frame of the corners sees it.
    pub fn polygon(corners: &[DVec2], rounding: f64) -> Result<(Self, Pose), String> {
        let corners = counter_clockwise(corners)?;
        if !(rounding >= 0.0 && rounding.is_finite()) {
            return Err(format!(
                "the rounding must not be negative (m), but is {rounding}"
            ));
        }
        let radius = corners.iter().map(|c| c.length()).fold(0.0, f64::max) + rounding;
        let hull = Hull::prism(&corners, HEIGHT * radius)?.with_radius(rounding);
        let part = Part {
            pose: Pose::IDENTITY,
            shape: Convex::Hull(hull),
        };
        Ok(Self::with_mass(vec![part], &area(&corners, rounding)))
    }
}

/// The corners of a convex polygon in the order in which the inside is on the left.
fn counter_clockwise(corners: &[DVec2]) -> Result<Vec<DVec2>, String> {
    let count = corners.len();
    if count < 3 {
        return Err(format!("a polygon has at least 3 corners, not {count}"));
    }
    if !corners.iter().all(|c| c.is_finite()) {
        return Err("a corner of the polygon is not a number".to_owned());
    }
    let turn = |k: usize| {
        let (p, q, r) = (
            corners[k],
            corners[(k + 1) % count],
            corners[(k + 2) % count],
        );
        (q - p).perp_dot(r - q)
    };
    let turns: Vec<f64> = (0..count).map(turn).collect();
    let area: f64 = (0..count)
        .map(|k| corners[k].perp_dot(corners[(k + 1) % count]))
        .sum();
    if turns.iter().any(|turn| turn * area <= 0.0) {
        return Err(
            "the corners must go around a convex polygon, without corners on straight edges; join several \
             polygons to make other shapes"
                .to_owned(),
        );
    }
    let mut ordered = corners.to_vec();
    if area < 0.0 {
        ordered.reverse();
    }
    Ok(ordered)
}

/// The properties of a plate of this area (m²) and second moments ∫x², ∫y² about its centre (m⁴), without a mixed
/// one.
fn flat(area: f64, centroid: DVec2, second: DVec2) -> MassProperties {
    let across = DVec3::new(second.y, second.x, second.x + second.y);
    MassProperties {
        volume: area,
        centroid: centroid.extend(0.0),
        inertia: DMat3::from_diagonal(across),
    }
}

/// Area, centre and second moments of a rounded convex polygon: the polygon, a strip along each edge and a sector
/// at each corner.
fn area(corners: &[DVec2], rounding: f64) -> MassProperties {
    let mut sums = Moments::default();
    let count = corners.len();
    let outward = |k: usize| {
        let edge = corners[(k + 1) % count] - corners[k];
        DVec2::new(edge.y, -edge.x).normalize()
    };
    for k in 0..count {
        let (p, q) = (corners[k], corners[(k + 1) % count]);
        sums.add_triangle(DVec2::ZERO, p, q);
        if rounding > 0.0 {
            let (n, before) = (outward(k), outward((k + count - 1) % count));
            let out = rounding * n;
            sums.add_triangle(p, p + out, q + out);
            sums.add_triangle(p, q + out, q);
            sums.add_sector(p, rounding, before, n);
        }
    }
    sums.properties()
}

/// ∫1, ∫x, ∫y, ∫x², ∫y², ∫xy.
#[derive(Default)]
struct Moments {
    area: f64,
    first: DVec2,
    square: DVec2,
    mixed: f64,
}

impl Moments {
    /// A triangle, negative if it goes clockwise.
    fn add_triangle(&mut self, a: DVec2, b: DVec2, c: DVec2) {
        let area = 0.5 * (b - a).perp_dot(c - a);
        let sum = a + b + c;
        self.area += area;
        self.first += area * sum / 3.0;
        self.square += area / 12.0 * (a * a + b * b + c * c + sum * sum);
        let products = a.x * a.y + b.x * b.y + c.x * c.y + sum.x * sum.y;
        self.mixed += area / 12.0 * products;
    }

    /// The sector of a disk about `center` between two unit directions, counter-clockwise and less than π apart.
    fn add_sector(&mut self, center: DVec2, radius: f64, from: DVec2, to: DVec2) {
        let angle = from.perp_dot(to).atan2(from.dot(to));
        let middle = (from + to).normalize();
        let area = 0.5 * radius * radius * angle;
        let centroid = 2.0 / 3.0 * radius * (0.5 * angle).sin() / (0.5 * angle) * middle;
        let first = area * (center + centroid);
        // About the centre of the disk, along and across the middle: r⁴/8 (α ± sin α).
        let quarter = radius.powi(4) / 8.0;
        let (along, across) = (
            quarter * (angle + angle.sin()),
            quarter * (angle - angle.sin()),
        );
        let side = middle.perp();
        let own = along * middle * middle + across * side * side;
        let own_mixed = along * middle.x * middle.y + across * side.x * side.y;
        self.area += area;
        self.first += first;
        let shift = 2.0 * area * center * centroid + area * center * center;
        self.square += own + shift;
        let cross = center.x * centroid.y + center.y * centroid.x + center.x * center.y;
        self.mixed += own_mixed + area * cross;
    }

    fn properties(&self) -> MassProperties {
        let centroid = self.first / self.area;
        let square = self.square - self.area * centroid * centroid;
        let mixed = self.mixed - self.area * centroid.x * centroid.y;
        let mut whole = flat(self.area, centroid, square);
        whole.inertia.x_axis.y = -mixed;
        whole.inertia.y_axis.x = -mixed;
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Area and ∫r² about the centre by squares of a fine grid.
    fn counted(inside: impl Fn(DVec2) -> bool, size: f64) -> (f64, DVec2, f64) {
        let n = 1500;
        let cell = 2.0 * size / f64::from(n);
        let (mut area, mut first, mut polar) = (0.0, DVec2::ZERO, 0.0);
        for i in 0..n {
            for j in 0..n {
                let p =
                    DVec2::new(f64::from(i) + 0.5, f64::from(j) + 0.5) * cell - DVec2::splat(size);
                if inside(p) {
                    area += cell * cell;
                    first += cell * cell * p;
                    polar += cell * cell * p.length_squared();
                }
            }
        }
        let center = first / area;
        (area, center, polar - area * center.length_squared())
    }

    #[test]
    fn a_superellipse_has_the_area_and_moment_of_a_fine_grid() {
        let (a, b, m) = (0.9, 0.6, 4.0);
        let solid = Solid::ellipse(DVec2::new(a, b), m).unwrap();
        let inside = |p: DVec2| (p.x / a).abs().powf(m) + (p.y / b).abs().powf(m) <= 1.0;
        let (area, _, polar) = counted(inside, 1.0);
        assert!((solid.volume() - area).abs() < 2e-3 * area);
        assert!((solid.inertia(1.0).z - polar / area).abs() < 2e-3 * polar / area);
    }

    #[test]
    fn a_rounded_polygon_has_the_area_and_moment_of_a_fine_grid() {
        let corners = [(-0.4, -0.3), (0.5, -0.2), (0.3, 0.4)].map(|(x, y)| DVec2::new(x, y));
        let rounding = 0.2;
        let (solid, frame) = Solid::polygon(&corners, rounding).unwrap();
        let distance = |p: DVec2| {
            let edge = |k: usize| {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                let side = (b - a).perp_dot(p - a);
                (p.distance(a + t * (b - a)), side)
            };
            let edges = [0, 1, 2].map(edge);
            if edges.iter().all(|(_, side)| *side >= 0.0) {
                return 0.0;
            }
            edges.iter().map(|(d, _)| *d).fold(f64::INFINITY, f64::min)
        };
        let (area, center, polar) = counted(|p| distance(p) <= rounding, 1.0);
        assert!((solid.volume() - area).abs() < 2e-3 * area);
        assert!((frame.position.truncate() - center).length() < 1e-3);
        assert!((solid.inertia(1.0).z - polar / area).abs() < 2e-3 * polar / area);
    }

    #[test]
    fn a_polygon_that_is_not_convex_is_refused() {
        let arrow =
            [(0.0, 0.0), (1.0, 1.0), (0.0, 0.5), (-1.0, 1.0)].map(|(x, y)| DVec2::new(x, y));
        assert!(Solid::polygon(&arrow, 0.0).is_err());
        assert!(Solid::polygon(&arrow[..2], 0.0).is_err());
    }
}
