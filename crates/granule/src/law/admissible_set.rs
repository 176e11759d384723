//! The set K of impulses that a contact may transmit, as solvers and the certificate see it.

use crate::math::{DVec3, Screw};
use serde::{Deserialize, Serialize};

/// One closed convex set of impulses: a cone, but for [`AdmissibleSet::Segment`]. For a contact with one row the
/// impulse is a number along the normal; with more rows it is a vector (and a moment) in the coordinates of the
/// contact's block, and the set is given by means of the unit normal in those coordinates (see
/// [`crate::problem`]).
///
/// What solvers and the certificate ask of a set: the nearest point in a metric
/// ([`AdmissibleSet::project_screw_in`]) and its derivative ([`AdmissibleSet::derivative`]), the distance
/// ([`AdmissibleSet::distance`]), the support function ([`AdmissibleSet::support`]), and for exact friction the
/// augmented projection and de Saxcé's correction. Sets that stand elsewhere along the normal (cohesion) are none of
/// these: they are shifts of a problem ([`crate::problem::ContactProblem::with_shift`]).
///
/// ```
/// use granule::law::AdmissibleSet;
/// use granule::math::DVec3;
/// assert_eq!(AdmissibleSet::HalfLine.project_scalar(-0.5), 0.0);
/// let cone = AdmissibleSet::Cone { friction: 0.5 };
/// // Inside: stays. Far to the side: onto the edge |f_T| = μ f_n.
/// assert_eq!(cone.project(DVec3::new(0.2, 0.0, 1.0), DVec3::Z), DVec3::new(0.2, 0.0, 1.0));
/// let edge = cone.project(DVec3::new(2.0, 0.0, 1.0), DVec3::Z);
/// assert!((edge - DVec3::new(0.8, 0.0, 1.6)).length() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum AdmissibleSet {
    /// Everything: a joint, whose rows do not move against each other.
    Free,
    /// `{ a n : a ≥ 0 }`: the contact only pushes.
    HalfLine,
    /// `{ a n : |a| ≤ limit }`: a motor or a brake of limited strength, along the first row of its block.
    Segment {
        /// The largest impulse in a step, N s.
        limit: f64,
    },
    /// `{ f : |f_T| ≤ μ f·n }`: the second-order cone.
    Cone {
        /// μ.
        friction: f64,
    },
    /// `{ (f, τ) : |f_T| ≤ μ f·n, |τ_T| ≤ δ f·n, |τ·n| ≤ σ f·n }`.
    RollingCone {
        /// μ.
        friction: f64,
        /// δ, as a multiple of the contact's length (see [`crate::problem::BodySpace`]).
        rolling: f64,
        /// σ, likewise.
        spinning: f64,
    },
}

/// The metric `|x|² = normal x_n² + tangential |x_T|²` that a projection is taken in, 1/kg; moments
/// count as tangential.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// Weight along the normal.
    pub normal: f64,
    /// Weight across it.
    pub tangential: f64,
}

impl Metric {
    /// The plain one.
    pub const EUCLIDEAN: Self = Self::uniform(1.0);

    /// The same weight along the normal and across it.
    #[inline(always)]
    pub const fn uniform(weight: f64) -> Self {
        Self {
            normal: weight,
            tangential: weight,
        }
    }
}

/// The projection of (x_n, x_T) onto `|x_T| ≤ μ x_n` in a metric, κ its tangential weight over
/// its normal one: the new x_n, and the factor of x_T.
#[inline(always)]
fn onto_cone(normal: f64, tangential: f64, friction: f64, kappa: f64) -> (f64, f64) {
    if normal > 0.0 && tangential <= friction * normal {
        return (normal, 1.0);
    }
    let bent = friction * kappa;
    let along = (normal + bent * tangential) / (1.0 + friction * bent);
    if along > 0.0 {
        (along, friction * along / tangential)
    } else {
        (0.0, 0.0)
    }
}

/// The part of x along the unit normal, and the rest.
#[inline(always)]
fn split(x: DVec3, normal: DVec3) -> (f64, DVec3) {
    let along = x.dot(normal);
    (along, x - along * normal)
}

/// The factor that brings a length below a radius.
#[inline(always)]
fn shorten(length: f64, radius: f64) -> f64 {
    if length > radius {
        radius / length
    } else {
        1.0
    }
}

impl AdmissibleSet {
    /// The projection P_K of an impulse along the normal.
    #[inline(always)]
    pub fn project_scalar(self, impulse: f64) -> f64 {
        match self {
            Self::Free => impulse,
            Self::Segment { limit } => impulse.clamp(-limit, limit),
            // A comparison instead of `max`: one instruction, and NaN becomes zero all the same.
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } if impulse > 0.0 => {
                impulse
            }
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => 0.0,
        }
    }

    /// Whether K is a cone: with an impulse it has every multiple of it, however large.
    pub fn is_cone(self) -> bool {
        match self {
            Self::Free | Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => true,
            Self::Segment { .. } => false,
        }
    }

    /// Whether K only pushes, so that bodies must not approach each other along the normal.
    #[inline(always)]
    pub fn only_pushes(self) -> bool {
        match self {
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => true,
            Self::Free | Self::Segment { .. } => false,
        }
    }

    /// The support function `σ(w) = sup w·λ over λ ∈ K` at a velocity (m/s), J: for a cone zero where w lies in its
    /// polar, `w_n + μ |w_T| + δ |ω_T| + σ |ω_n| ≤ 0`, and infinite elsewhere. `-w ∈ N_K(λ)` is the same as
    /// `λ ∈ K` and `σ(-w) + λ·w = 0`.
    ///
    /// ```
    /// use granule::law::AdmissibleSet;
    /// use granule::math::{DVec3, Screw};
    /// let closing = Screw::linear(DVec3::new(0.0, 1.0, -2.0));
    /// assert_eq!(AdmissibleSet::Segment { limit: 3.0 }.support(closing, DVec3::Z), 6.0);
    /// assert_eq!(AdmissibleSet::Cone { friction: 2.0 }.support(closing, DVec3::Z), 0.0);
    /// assert_eq!(AdmissibleSet::Cone { friction: 2.5 }.support(closing, DVec3::Z), f64::INFINITY);
    /// ```
    pub fn support(self, velocity: Screw, normal: DVec3) -> f64 {
        let polar = |inside: bool| if inside { 0.0 } else { f64::INFINITY };
        let along = velocity.linear.dot(normal);
        match self {
            Self::Free => polar(velocity == Screw::default()),
            Self::Segment { limit } => limit * along.abs(),
            Self::HalfLine => polar(along <= 0.0),
            Self::Cone { .. } | Self::RollingCone { .. } => {
                polar(along + self.dilation(velocity, normal) <= 0.0)
            }
        }
    }

    /// The most work that impulses of K can do against a velocity (m/s) along the normal, J: the support function of
    /// K at -w where that is finite, whatever w; zero for cones.
    #[inline(always)]
    pub fn most_work(self, along: f64) -> f64 {
        match self {
            Self::Free | Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => 0.0,
            Self::Segment { limit } => limit * along.abs(),
        }
    }

    /// The projection P_K of an impulse vector; a moment counts as zero.
    #[inline(always)]
    pub fn project(self, impulse: DVec3, normal: DVec3) -> DVec3 {
        self.project_in(impulse, normal, Metric::EUCLIDEAN)
    }

    /// The point of K nearest to an impulse vector in a metric.
    #[inline(always)]
    pub fn project_in(self, impulse: DVec3, normal: DVec3, metric: Metric) -> DVec3 {
        let (along, across) = split(impulse, normal);
        match self {
            Self::Free => impulse,
            Self::HalfLine | Self::Segment { .. } => self.project_scalar(along) * normal,
            Self::Cone { friction } | Self::RollingCone { friction, .. } => {
                let kappa = metric.tangential / metric.normal;
                let (along, factor) = onto_cone(along, across.length(), friction, kappa);
                along * normal + factor * across
            }
        }
    }

    /// A(x), the augmented projection of Alart and Curnier [alart1991, §3]: the part of x along the normal is cut at zero, the
    /// part across it at μ times that. It is the impulse of exact Coulomb friction at a single contact whose block of W is
    /// a metric of the kind of [`Metric`] and which no impulse would leave with the velocity -W x.
    #[inline(always)]
    pub fn augmented_projection(self, impulse: DVec3, normal: DVec3) -> DVec3 {
        let (along, across) = split(impulse, normal);
        match self {
            Self::Free => impulse,
            Self::HalfLine | Self::Segment { .. } => self.project_scalar(along) * normal,
            Self::Cone { friction } | Self::RollingCone { friction, .. } => {
                let along = self.project_scalar(along);
                along * normal + shorten(across.length(), friction * along) * across
            }
        }
    }

    /// The projection P_K of an impulse with a moment.
    #[inline]
    pub fn project_screw(self, impulse: Screw, normal: DVec3) -> Screw {
        self.project_screw_in(impulse, normal, Metric::EUCLIDEAN)
    }

    /// The point of K nearest to an impulse with a moment in a metric.
    #[inline]
    pub fn project_screw_in(self, impulse: Screw, normal: DVec3, metric: Metric) -> Screw {
        match self {
            Self::RollingCone { .. } => {}
            Self::Free => return impulse,
            Self::HalfLine | Self::Segment { .. } | Self::Cone { .. } => {
                return Screw::linear(self.project_in(impulse.linear, normal, metric));
            }
        }
        let parts = Parts::of(impulse, normal);
        let kappa = metric.tangential / metric.normal;
        parts.scaled(self, normal, parts.nearest_along(self.limits(), kappa))
    }

    /// [`AdmissibleSet::augmented_projection`] with a moment.
    pub fn augmented_projection_screw(self, impulse: Screw, normal: DVec3) -> Screw {
        match self {
            Self::RollingCone { .. } => {}
            Self::Free => return impulse,
            Self::HalfLine | Self::Segment { .. } | Self::Cone { .. } => {
                return Screw::linear(self.augmented_projection(impulse.linear, normal));
            }
        }
        let parts = Parts::of(impulse, normal);
        parts.scaled(self, normal, self.project_scalar(parts.along))
    }

    /// The derivative of [`AdmissibleSet::augmented_projection_screw`] at `impulse` in a direction; at a kink, that from
    /// where more is cut.
    pub fn augmented_projection_derivative(
        self,
        impulse: Screw,
        direction: Screw,
        normal: DVec3,
    ) -> Screw {
        let (parts, change) = (Parts::of(impulse, normal), Parts::of(direction, normal));
        match self {
            Self::Free => return direction,
            Self::Segment { limit } => return within_segment(&parts, &change, limit, normal),
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => {}
        }
        if parts.along <= 0.0 {
            return Screw::default();
        }
        let limits = self.limits();
        let vectors: [DVec3; 3] = std::array::from_fn(|i| {
            let (length, radius) = (parts.lengths[i], limits[i] * parts.along);
            if length < radius {
                return change.vectors[i];
            }
            if limits[i] == 0.0 {
                return DVec3::ZERO;
            }
            let unit = parts.vectors[i] / length;
            let radial = unit.dot(change.vectors[i]) * unit;
            limits[i] * change.along * unit + radius / length * (change.vectors[i] - radial)
        });
        Screw {
            linear: change.along * normal + vectors[0],
            angular: vectors[1] + vectors[2],
        }
    }

    /// μ, δ and σ.
    pub(crate) fn limits(self) -> [f64; 3] {
        match self {
            Self::Free | Self::HalfLine | Self::Segment { .. } => [0.0; 3],
            Self::Cone { friction } => [friction, 0.0, 0.0],
            Self::RollingCone {
                friction,
                rolling,
                spinning,
            } => [friction, rolling, spinning],
        }
    }

    /// [`AdmissibleSet::dilation`] of a velocity without a part that turns.
    #[inline(always)]
    pub(crate) fn dilation_of_force(self, velocity: DVec3, normal: DVec3) -> f64 {
        match self {
            Self::Free | Self::HalfLine | Self::Segment { .. } => 0.0,
            Self::Cone { friction } | Self::RollingCone { friction, .. } => {
                friction * split(velocity, normal).1.length()
            }
        }
    }

    /// de Saxcé's correction `s = μ |w_T| + δ |ω_T| + σ |ω_n|` of a relative velocity, m/s.
    #[inline]
    pub fn dilation(self, velocity: Screw, normal: DVec3) -> f64 {
        if let Self::Cone { friction } = self {
            return friction * split(velocity.linear, normal).1.length();
        }
        let lengths = Parts::of(velocity, normal).lengths;
        let terms = self.limits().into_iter().zip(lengths);
        terms.map(|(limit, length)| limit * length).sum()
    }

    /// The distance of an impulse along the normal from K.
    pub fn distance_scalar(self, impulse: f64) -> f64 {
        (impulse - self.project_scalar(impulse)).abs()
    }

    /// The distance of an impulse from K.
    pub fn distance(self, impulse: Screw, normal: DVec3) -> f64 {
        (impulse - self.project_screw(impulse, normal)).length()
    }

    /// For a cone the projection onto the dual cone K* = { w : λ·w ≥ 0 for all λ in K }, by Moreau's
    /// decomposition `P_K*(w) = w + P_K(-w)`.
    pub fn project_dual(self, velocity: Screw, normal: DVec3) -> Screw {
        velocity + self.project_screw(-velocity, normal)
    }

    /// The derivative of P_K (in the plain metric) at `impulse` in a direction. Where P_K has a kink (on the edge of K
    /// and of its polar cone) it is the one from inside K, or towards the polar cone.
    pub fn derivative(self, impulse: Screw, direction: Screw, normal: DVec3) -> Screw {
        let (parts, change) = (Parts::of(impulse, normal), Parts::of(direction, normal));
        match self {
            Self::Free => return direction,
            Self::Segment { limit } => return within_segment(&parts, &change, limit, normal),
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => {}
        }
        let limits = self.limits();
        let along = parts.nearest_along(limits, 1.0);
        if along <= 0.0 && (parts.along < 0.0 || parts.lengths != [0.0; 3]) {
            return Screw::default();
        }
        // Which parts are cut, and how their lengths change.
        let cut: [bool; 3] = std::array::from_fn(|i| parts.lengths[i] > limits[i] * along);
        let unit: [DVec3; 3] =
            std::array::from_fn(|i| parts.vectors[i].try_normalize().unwrap_or(DVec3::ZERO));
        let (mut slope, mut weight) = (change.along, 1.0);
        for i in (0..3).filter(|&i| cut[i]) {
            slope += limits[i] * unit[i].dot(change.vectors[i]);
            weight += limits[i] * limits[i];
        }
        let slope = slope / weight;
        let vectors: [DVec3; 3] = std::array::from_fn(|i| {
            if !cut[i] {
                return change.vectors[i];
            }
            let radial = unit[i].dot(change.vectors[i]) * unit[i];
            let turned = limits[i] * along / parts.lengths[i] * (change.vectors[i] - radial);
            limits[i] * slope * unit[i] + turned
        });
        Screw {
            linear: slope * normal + vectors[0],
            angular: vectors[1] + vectors[2],
        }
    }
}

/// The part of a change along the normal of an impulse that a segment does not cut.
fn within_segment(parts: &Parts, change: &Parts, limit: f64, normal: DVec3) -> Screw {
    let along = if parts.along.abs() < limit {
        change.along
    } else {
        0.0
    };
    Screw::linear(along * normal)
}

/// An impulse taken apart: along the normal, and what friction, rolling and spinning resistance
/// bound.
struct Parts {
    along: f64,
    /// f_T, τ_T and τ_n n.
    vectors: [DVec3; 3],
    lengths: [f64; 3],
}

impl Parts {
    fn of(impulse: Screw, normal: DVec3) -> Self {
        let (along, sliding) = split(impulse.linear, normal);
        let (spin, rolling) = split(impulse.angular, normal);
        let vectors = [sliding, rolling, spin * normal];
        Self {
            along,
            vectors,
            lengths: vectors.map(DVec3::length),
        }
    }

    /// The normal part of the point of K nearest in the metric with ratio κ: the minimum over
    /// a ≥ 0 of `(a - x_n)² + κ Σ_i max(0, x_i - c_i a)²`, whose derivative is piecewise linear and
    /// increases: parts are taken as cut in the order of x_i/c_i until the minimum lies above the
    /// next.
    fn nearest_along(&self, limits: [f64; 3], kappa: f64) -> f64 {
        // Where each part begins to be cut as a falls.
        let begins: [f64; 3] = std::array::from_fn(|i| {
            if limits[i] > 0.0 {
                self.lengths[i] / limits[i]
            } else {
                f64::INFINITY
            }
        });
        let mut order = [0, 1, 2];
        order.sort_unstable_by(|&i, &j| begins[j].total_cmp(&begins[i]));
        let (mut weight, mut sum) = (1.0, self.along);
        for i in order {
            if sum / weight >= begins[i] {
                break;
            }
            weight += kappa * limits[i] * limits[i];
            sum += kappa * limits[i] * self.lengths[i];
        }
        let along = sum / weight;
        if along > 0.0 { along } else { 0.0 }
    }

    /// The impulse with this normal part and the others cut to what it allows.
    fn scaled(&self, set: AdmissibleSet, normal: DVec3, along: f64) -> Screw {
        let limits = set.limits();
        let cut: [DVec3; 3] =
            std::array::from_fn(|i| shorten(self.lengths[i], limits[i] * along) * self.vectors[i]);
        Screw {
            linear: along * normal + cut[0],
            angular: cut[1] + cut[2],
        }
    }
}

#[cfg(test)]
mod tests;
