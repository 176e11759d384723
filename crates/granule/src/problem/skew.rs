//! Flow that is not normal to the sets: a matrix for each contact.

use super::{ContactProblem, ProblemError};
use crate::law::{AdmissibleSet, Flow};
use crate::math::{DMat3, DVec3};

/// How far entries of H may be from what symmetry and the normal ask for, as a share of its size.
const EXACT: f64 = 1e-9;

/// H of a contact with friction, in the coordinates of its block: `-H w ∈ N_K(λ)` in place of `-w ∈ N_K(λ)`
/// [tasora2013, eq. (53)].
///
/// H is symmetric and positive definite, and the normal is one of its eigenvectors, `H n = h_n n`; across the normal it
/// may be anything. Its size does not matter. With two rows the third row and column are not looked at. At a contact
/// that slides
///
/// ```text
/// n·w = μ |H_T w_T|/h_n,    λ_T = -μ λ_n H_T w_T/|H_T w_T|
/// ```
///
/// so that H_T says how slip goes with friction, and h_n how far it opens. A contact without friction does not see it.
///
/// **Work.** `λ·w = μ λ_n (|H_T w_T|/h_n - w_T·H_T w_T/|H_T w_T|)` is never positive if and only if no eigenvalue of H_T is
/// larger than h_n. The paper asks for less, that w makes an angle of less than 90° with the normal of K, and its
/// contacts may add energy: see [`Skew::is_passive`].
///
/// **The corrected velocity.** Only the direction of H w matters, and the cone is the same for any point on the ray, so
/// that with the mean eigenvalue h_T of H_T
///
/// ```text
/// ŵ = H_T w_T/h_T + (w_n + μ (1 - h_T/h_n) |H_T w_T|/h_T) n,     -ŵ ∈ N_K(λ)  ⇔  -H w ∈ N_K(λ)
/// ```
///
/// which is w for H = 1 and goes over into de Saxcé's correction for h_T/h_n → 0: errors in it are velocities, whatever
/// H. It is what the certificate and all but Newton's methods look at.
///
/// ```
/// use granule::law::AdmissibleSet;
/// use granule::math::{DMat3, DVec3};
/// use granule::problem::Skew;
/// // A contact with μ = 0.5 that opens by 0.2 times its slip.
/// let skew = Skew::dilating(DVec3::X, 0.2 / 0.5);
/// let set = AdmissibleSet::Cone { friction: 0.5 };
/// let corrected = skew.corrected(DVec3::new(0.2, 0.0, 1.0), set, DVec3::X, 3);
/// assert!((corrected - DVec3::new(0.5, 0.0, 1.0)).length() < 1e-15);
/// // Slip along y is worth twice that along z.
/// let skew = Skew(DMat3::from_diagonal(DVec3::new(1.0, 2.0, 1.0)));
/// assert!(!skew.is_isotropic(DVec3::X, 3) && !skew.is_passive(DVec3::X, 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skew(pub DMat3);

/// What is wrong with a matrix of flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SkewError {
    /// An entry is no number.
    #[error("has entries that are not finite")]
    NotFinite,
    /// It is not its own transpose.
    #[error("is not symmetric")]
    NotSymmetric,
    /// It couples the normal with the tangents.
    #[error("does not have the normal as an eigenvector")]
    Coupled,
    /// It turns some velocities around.
    #[error("is not positive definite")]
    NotPositive,
}

impl Skew {
    /// The associated flow.
    pub const IDENTITY: Self = Self(DMat3::IDENTITY);

    /// The same across the normal in all directions: `h_T/h_n = ratio`, which is tan ψ/μ.
    pub fn dilating(normal: DVec3, ratio: f64) -> Self {
        let along = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        Self(along + ratio * (DMat3::IDENTITY - along))
    }

    /// With two rows nothing leaves the plane.
    fn planar(&self, rows: usize) -> DMat3 {
        match rows {
            2 => DMat3::from_cols(
                self.0.x_axis.with_z(0.0),
                self.0.y_axis.with_z(0.0),
                DVec3::ZERO,
            ),
            _ => self.0,
        }
    }

    /// h_n, and the mean eigenvalue h_T across the normal.
    fn means(&self, normal: DVec3, rows: usize) -> [f64; 2] {
        let h = self.planar(rows);
        let along = normal.dot(h * normal);
        let trace = h.x_axis.x + h.y_axis.y + h.z_axis.z;
        [along, (trace - along) / (rows.max(2) - 1) as f64]
    }

    /// The smallest and the largest eigenvalue across the normal.
    fn range(&self, normal: DVec3, rows: usize) -> [f64; 2] {
        if rows == 2 {
            let [_, across] = self.means(normal, rows);
            return [across; 2];
        }
        let (one, two) = normal.any_orthonormal_pair();
        let (a, b) = (one.dot(self.0 * one), two.dot(self.0 * two));
        let spread = (0.5 * (a - b)).hypot(one.dot(self.0 * two));
        [0.5 * (a + b) - spread, 0.5 * (a + b) + spread]
    }

    /// h_T/h_n, the mean over the directions across the normal: tan ψ/μ.
    pub fn ratio(&self, normal: DVec3, rows: usize) -> f64 {
        let [along, across] = self.means(normal, rows);
        across / along
    }

    /// Whether all directions across the normal are alike, up to rounding.
    pub fn is_isotropic(&self, normal: DVec3, rows: usize) -> bool {
        let [along, _] = self.means(normal, rows);
        let [least, most] = self.range(normal, rows);
        most - least <= EXACT * most + 16.0 * f64::EPSILON * along
    }

    /// Whether the contact never adds energy.
    pub fn is_passive(&self, normal: DVec3, rows: usize) -> bool {
        let [along, _] = self.means(normal, rows);
        self.range(normal, rows)[1] <= (1.0 + EXACT) * along
    }

    /// H with h_n h_T = 1: neither its opening nor its slip is out of proportion.
    #[cfg(feature = "second-order")]
    pub(crate) fn balanced(&self, normal: DVec3, rows: usize) -> DMat3 {
        let [along, across] = self.means(normal, rows);
        let mut h = self.planar(rows);
        if rows == 2 {
            h.z_axis.z = across;
        }
        h * (1.0 / (along * across).sqrt())
    }

    /// ŵ of a velocity w, m/s.
    pub fn corrected(&self, w: DVec3, set: AdmissibleSet, normal: DVec3, rows: usize) -> DVec3 {
        let [along, across] = self.means(normal, rows);
        let turned = self.planar(rows) * w / across;
        let slip = turned - turned.dot(normal) * normal;
        let opening = (1.0 - across / along) * set.dilation_of_force(slip, normal);
        slip + (w.dot(normal) + opening) * normal
    }

    /// What is wrong with it, if anything.
    pub fn validate(&self, normal: DVec3, rows: usize) -> Result<(), SkewError> {
        let h = self.planar(rows);
        let size = h
            .to_cols_array()
            .iter()
            .fold(0.0, |m: f64, x| m.max(x.abs()));
        if h.to_cols_array().iter().any(|x| !x.is_finite()) {
            return Err(SkewError::NotFinite);
        }
        let difference = (h - h.transpose()).to_cols_array();
        if difference.iter().any(|x| x.abs() > EXACT * size) {
            return Err(SkewError::NotSymmetric);
        }
        let [along, _] = self.means(normal, rows);
        if (h * normal - along * normal).length() > EXACT * size {
            return Err(SkewError::Coupled);
        }
        // What is smaller than rounding of the largest is zero.
        let least = along.min(self.range(normal, rows)[0]);
        match least > f64::EPSILON * size {
            true => Ok(()),
            false => Err(SkewError::NotPositive),
        }
    }
}

impl ContactProblem {
    /// The problem with a matrix of flow for each contact.
    ///
    /// ```
    /// use granule::law::Flow;
    /// use granule::math::DVec3;
    /// use granule::problem::{Assembled, ContactProblem, Sets, Skew};
    /// let w = Assembled::from_dense(3, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
    /// let friction = ContactProblem {
    ///     sets: Sets::uniform_cone(0.5, 1),
    ///     ..ContactProblem::explicit(w, vec![-1.0, 2.0, 0.0])?
    /// };
    /// let skewed = friction.with_skew(vec![Skew::dilating(DVec3::X, 0.4)])?;
    /// assert_eq!(skewed.flow, Flow::Skewed);
    /// # Ok::<(), granule::problem::ProblemError>(())
    /// ```
    pub fn with_skew(mut self, skew: Vec<Skew>) -> Result<Self, ProblemError> {
        self.flow = Flow::Skewed;
        self.skew = skew;
        self.check_skew()?;
        Ok(self)
    }

    /// Whether there is a matrix for each contact if the flow is skewed, and none otherwise; matrices of flow belong
    /// to contacts with friction and without moments, in a cone that does not yield.
    pub(super) fn check_skew(&self) -> Result<(), ProblemError> {
        let (contacts, rows) = (self.contact_count(), self.rows());
        let needed = match self.flow {
            Flow::Skewed if rows > 1 => contacts,
            Flow::Skewed | Flow::Associated | Flow::Exact => 0,
        };
        super::error::check_length("matrices of flow", needed, self.skew.len())?;
        if needed > 0 && self.kind().is_undefined() {
            return Err(ProblemError::SkewKind);
        }
        for (contact, skew) in self.skew.iter().enumerate() {
            let checked = skew.validate(self.delassus.normal(contact), rows);
            checked.map_err(|why| ProblemError::Skew { contact, why })?;
        }
        Ok(())
    }

    /// The factor of de Saxcé's correction in the corrected velocity: zero for an associated flow, one for exact
    /// friction and 1 - h_T/h_n for a skewed one.
    #[inline(always)]
    pub(crate) fn dilating(&self, contact: usize) -> f64 {
        match self.flow {
            Flow::Associated => 0.0,
            Flow::Exact => 1.0,
            Flow::Skewed => self.skew.get(contact).map_or(0.0, |skew| {
                1.0 - skew.ratio(self.delassus.normal(contact), self.rows())
            }),
        }
    }

    /// Whether some contact does not flow alike in all directions across its normal.
    pub(super) fn is_anisotropic(&self) -> bool {
        let normal = |k: usize| self.delassus.normal(k);
        let mut skew = self.skew.iter().enumerate();
        skew.any(|(k, skew)| !skew.is_isotropic(normal(k), self.rows()))
    }
}
