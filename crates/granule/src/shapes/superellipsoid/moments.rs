//! Volume and moments of inertia of superellipsoids, in closed form.
//!
//! The section at height z is the one at the middle made smaller by `ρ = (1 - |z/c|^n)^(1/n)`. Its area goes as ρ², its
//! second moments as ρ⁴, and every integral left is a Beta function: `∫ t^k (1 - t^n)^s dt = B((k+1)/n, 1+s) / n` from
//! 0 to 1.

use super::Superellipsoid;
use crate::math::DVec3;
use libm::tgamma;

/// `∫ t^k (1 - t^n)^(s/n) dt` from 0 to 1.
fn integral(k: f64, n: f64, s: f64) -> f64 {
    let (p, q) = ((k + 1.0) / n, 1.0 + s / n);
    tgamma(p) * tgamma(q) / (tgamma(p + q) * n)
}

impl Superellipsoid {
    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        let section = 4.0 * integral(0.0, self.around, 1.0);
        section * 2.0 * integral(0.0, self.along, 2.0) * self.half_axes.element_product()
    }

    /// Moments of inertia about the x, y and z axes at unit density, m⁵ (times density, kg/m³: kg m²). They are
    /// principal ones about the centre.
    pub fn moments(&self) -> DVec3 {
        let section = 4.0 * integral(0.0, self.around, 1.0);
        let wide = 4.0 * integral(2.0, self.around, 1.0) * 2.0 * integral(0.0, self.along, 4.0);
        let high = section * 2.0 * integral(2.0, self.along, 2.0);
        // Integrals of x², y², z².
        let squares = DVec3::new(wide, wide, high)
            * self.half_axes
            * self.half_axes
            * self.half_axes.element_product();
        DVec3::splat(squares.element_sum()) - squares
    }
}
