//! The set K of impulses that a contact may transmit, as solvers and the certificate see it.

mod derivatives;
mod parts;
mod yield_profile;

use crate::math::{DVec3, Screw};
use parts::{Parts, shorten, split};
use serde::{Deserialize, Serialize};
use yield_profile::{Piece, YieldProfile};

/// One closed convex set of impulses: a cone, but for [`AdmissibleSet::Segment`] and [`AdmissibleSet::Yield`]. For a contact with one row the
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
    /// `{ f = g + q : |g_T| ≤ μ g·n, |q| ≤ d, f·n ≤ r }`: the cone rounded by a ball and capped in compression; with
    /// one row the interval [-d, r]. It may be pulled and sheared by up to d, and gives way under r
    /// [tasora2013, §8]. It has no moments, and exact friction is not defined for it.
    Yield {
        /// μ.
        friction: f64,
        /// d, N s; zero for a sharp cone.
        rounding: f64,
        /// r, N s; infinite without a cap.
        cap: f64,
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

/// The point of a set with this profile nearest to an impulse, κ the weight across over that along the normal. Not a
/// part of the kernels for cones.
#[inline(never)]
fn onto_yield(profile: YieldProfile, impulse: DVec3, normal: DVec3, kappa: f64) -> DVec3 {
    let (along, across) = split(impulse, normal);
    let length = across.length();
    let (piece, [along, radius]) = profile.nearest([along, length], kappa);
    match piece {
        Piece::Inside => impulse,
        Piece::Edge | Piece::Arc | Piece::Lid | Piece::Rim => {
            let factor = if length > 0.0 { radius / length } else { 0.0 };
            along * normal + factor * across
        }
    }
}

impl AdmissibleSet {
    /// The projection P_K of an impulse along the normal.
    #[inline(always)]
    pub fn project_scalar(self, impulse: f64) -> f64 {
        match self {
            Self::Free => impulse,
            Self::Segment { limit } => impulse.clamp(-limit, limit),
            Self::Yield { rounding, cap, .. } => impulse.max(-rounding).min(cap),
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
            Self::Segment { .. } | Self::Yield { .. } => false,
        }
    }

    /// The directions in which K has no end, a cone: from every λ of K on, `λ + t x` is in K for all t ≥ 0. None where
    /// K has an end in all of them.
    ///
    /// ```
    /// use granule::law::AdmissibleSet;
    /// let round = AdmissibleSet::Yield { friction: 0.5, rounding: 1.0, cap: f64::INFINITY };
    /// assert_eq!(round.recession(), Some(AdmissibleSet::Cone { friction: 0.5 }));
    /// assert_eq!(AdmissibleSet::Segment { limit: 1.0 }.recession(), None);
    /// ```
    pub fn recession(self) -> Option<Self> {
        match self {
            Self::Free | Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => {
                Some(self)
            }
            Self::Yield { friction, cap, .. } if cap == f64::INFINITY => {
                Some(Self::Cone { friction })
            }
            Self::Segment { .. } | Self::Yield { .. } => None,
        }
    }

    /// Whether K only pushes.
    #[inline(always)]
    pub fn only_pushes(self) -> bool {
        match self {
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => true,
            Self::Free | Self::Segment { .. } | Self::Yield { .. } => false,
        }
    }

    /// Whether bodies must not approach each other along the normal: K pushes, and without an end.
    #[inline(always)]
    pub fn forbids_approach(self) -> bool {
        match self {
            Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => true,
            Self::Yield { cap, .. } => cap == f64::INFINITY,
            Self::Free | Self::Segment { .. } => false,
        }
    }

    /// The support function `σ(w) = sup w·λ over λ ∈ K` at a velocity (m/s), J: for a cone zero where w lies in its
    /// polar, `w_n + μ |w_T| + δ |ω_T| + σ |ω_n| ≤ 0`, and infinite elsewhere; for a rounded and capped cone `d |w|` where
    /// `w_n + μ |w_T| ≤ 0`, and `r (w_n + μ |w_T|) + d √(1 + μ²) |w_T|` elsewhere. `-w ∈ N_K(λ)` is the same as `λ ∈ K`
    /// and `σ(-w) + λ·w = 0`.
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
            Self::Yield {
                friction,
                rounding,
                cap,
            } => {
                let across = split(velocity.linear, normal).1.length();
                YieldProfile::new(friction, rounding, cap).support([along, across])
            }
        }
    }

    /// The most work that impulses of K can do against a velocity w (m/s), J: the support function at -w, of which what
    /// K has without an end is left out, so that it is finite whatever w. Zero for cones, `d |w|` for a cone that is
    /// rounded and not capped.
    #[inline(always)]
    pub fn most_work(self, velocity: Screw, normal: DVec3) -> f64 {
        match self {
            Self::Free | Self::HalfLine | Self::Cone { .. } | Self::RollingCone { .. } => 0.0,
            Self::Yield { rounding, cap, .. } if cap == f64::INFINITY => {
                rounding * velocity.linear.length()
            }
            Self::Segment { .. } | Self::Yield { .. } => self.support(-velocity, normal),
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
            Self::Yield {
                friction,
                rounding,
                cap,
            } => {
                let profile = YieldProfile::new(friction, rounding, cap);
                onto_yield(profile, impulse, normal, metric.tangential / metric.normal)
            }
        }
    }

    /// A(x), the augmented projection of Alart and Curnier [alart1991, §3]: the part of x along the normal is cut at zero, the
    /// part across it at μ times that. It is the impulse of exact Coulomb friction at a single contact whose block of W is
    /// a metric of the kind of [`Metric`] and which no impulse would leave with the velocity -W x. For any set it is what
    /// the part along the normal allows across it.
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
            Self::Yield {
                friction,
                rounding,
                cap,
            } => {
                let along = self.project_scalar(along);
                let radius = YieldProfile::new(friction, rounding, cap).section(along).0;
                along * normal + shorten(across.length(), radius) * across
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
            Self::HalfLine | Self::Segment { .. } | Self::Cone { .. } | Self::Yield { .. } => {
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
            Self::HalfLine | Self::Segment { .. } | Self::Cone { .. } | Self::Yield { .. } => {
                return Screw::linear(self.augmented_projection(impulse.linear, normal));
            }
        }
        let parts = Parts::of(impulse, normal);
        parts.scaled(self, normal, self.project_scalar(parts.along))
    }

    /// μ, δ and σ.
    pub(crate) fn limits(self) -> [f64; 3] {
        match self {
            Self::Free | Self::HalfLine | Self::Segment { .. } => [0.0; 3],
            Self::Cone { friction } | Self::Yield { friction, .. } => [friction, 0.0, 0.0],
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
            Self::Cone { friction }
            | Self::RollingCone { friction, .. }
            | Self::Yield { friction, .. } => friction * split(velocity, normal).1.length(),
        }
    }

    /// de Saxcé's correction `s = μ |w_T| + δ |ω_T| + σ |ω_n|` of a relative velocity, m/s; of a cone that yields, that of
    /// its straight edge.
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
}

#[cfg(test)]
mod tests;
