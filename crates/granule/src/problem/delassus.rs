//! W as solvers see it.

use super::compliance::{elastic_distance, give};
use super::lines::BodyLines;
use super::{Assembled, BodySpace, Compliance, MatrixFree, ProblemError, dense_block};
use crate::law::Metric;
use crate::math::{DMat3, DVec3};
use crate::parallel::{self, CONTACT_CHUNK};
use std::borrow::Cow;

/// The Delassus operator W, in one of its forms.
///
/// Rows are numbered contact by contact. Loops over contacts go in chunks of
/// [`CONTACT_CHUNK`] contacts.
#[expect(
    clippy::large_enum_variant,
    reason = "a problem has one of these, and nearly always the large one"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum Delassus {
    /// Dᵀ M⁻¹ D, applied through the bodies.
    MatrixFree(MatrixFree),
    /// A sparse matrix.
    Assembled(Assembled),
}

impl Default for Delassus {
    fn default() -> Self {
        Self::MatrixFree(MatrixFree::default())
    }
}

/// Half of a product with W: for a matrix-free operator the velocities M⁻¹ D x that impulses make, and E x where
/// contacts give; for a matrix W x itself. It is linear in x, so extrapolated impulses need no product of
/// their own.
#[derive(Debug, Clone, Default)]
pub struct Image {
    pub(super) lines: BodyLines,
    rows: Vec<f64>,
}

impl Image {
    /// `self = next + β (next - current)`.
    pub fn extrapolate(&mut self, next: &Self, current: &Self, beta: f64) {
        self.lines.extrapolate(&next.lines, &current.lines, beta);
        self.rows.resize(next.rows.len(), 0.0);
        for ((y, z), x) in self.rows.iter_mut().zip(&next.rows).zip(&current.rows) {
            *y = z + beta * (z - x);
        }
    }

    /// `self = next + β (next - self)`.
    pub fn extrapolate_from(&mut self, next: &Self, beta: f64) {
        self.lines.extrapolate_from(&next.lines, beta);
        for (x, z) in self.rows.iter_mut().zip(&next.rows) {
            *x = z + beta * (z - *x);
        }
    }
}

/// Scratch memory for applying W; reused from solve to solve.
#[derive(Debug, Clone, Default)]
pub struct DelassusScratch {
    pub(super) image: Image,
    sums: Vec<f64>,
}

/// Calls `work` for each chunk of contacts with its rows and its part of `memory`, which has one entry
/// a contact or none at all.
pub(super) fn map_contacts<P, F>(
    rows: usize,
    out: &mut [f64],
    memory: &mut [f64],
    partials: &mut [P],
    work: F,
) where
    P: Send,
    F: Fn(usize, &mut [f64], &mut [f64]) -> P + Sync,
{
    let size = CONTACT_CHUNK * rows;
    if memory.is_empty() {
        parallel::chunks_map(out, size, partials, |chunk, w| work(chunk, w, &mut []));
    } else {
        parallel::chunks_map2(out, memory, [size, CONTACT_CHUNK], partials, work);
    }
}

impl Delassus {
    /// The bodies and contacts that W is made of; `None` for a matrix.
    pub fn space(&self) -> Option<&BodySpace> {
        match self {
            Self::MatrixFree(operator) => Some(&operator.space),
            Self::Assembled(_) => None,
        }
    }

    /// Makes W anew from the bodies and contacts that `fill` puts into a space, whose memory is used
    /// again; see [`MatrixFree::rebuild`].
    pub fn rebuild(&mut self, fill: impl FnOnce(&mut BodySpace)) -> Result<(), ProblemError> {
        if !matches!(self, Self::MatrixFree(_)) {
            *self = Self::default();
        }
        match self {
            Self::MatrixFree(operator) => operator.rebuild(fill),
            Self::Assembled(_) => unreachable!("made matrix-free above"),
        }
    }

    /// The velocity changes M⁻¹ D x of all bodies that impulses make: `each(body, linear, angular)` in m/s
    /// and rad/s; nothing for a matrix, which knows no bodies.
    pub fn body_velocities(
        &self,
        x: &[f64],
        scratch: &mut DelassusScratch,
        each: impl FnMut(usize, DVec3, DVec3),
    ) {
        if let Self::MatrixFree(operator) = self {
            operator.velocities(x, scratch, each);
        }
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        match self {
            Self::MatrixFree(operator) => operator.space.contact_count(),
            Self::Assembled(matrix) => matrix.contact_count(),
        }
    }

    /// Rows a contact: 1, 2, 3 or 6.
    pub fn rows(&self) -> usize {
        match self {
            Self::MatrixFree(operator) => operator.space.rows,
            Self::Assembled(matrix) => matrix.rows(),
        }
    }

    /// W as a matrix, formed if it is not.
    pub fn matrix(&self) -> Cow<'_, Assembled> {
        match self {
            Self::MatrixFree(operator) => Cow::Owned(Assembled::from_space(&operator.space)),
            Self::Assembled(matrix) => Cow::Borrowed(matrix),
        }
    }

    /// Length of impulse vectors.
    pub fn len(&self) -> usize {
        self.contact_count() * self.rows()
    }

    /// Whether there is no contact.
    pub fn is_empty(&self) -> bool {
        self.contact_count() == 0
    }

    /// Number of chunks that loops over contacts are cut into.
    pub fn chunk_count(&self) -> usize {
        self.contact_count().div_ceil(CONTACT_CHUNK)
    }

    /// How many contacts, the first ones, are round; all of a matrix count as such.
    #[inline]
    pub fn round_count(&self) -> usize {
        match self {
            Self::MatrixFree(operator) => operator.space.contacts.len(),
            Self::Assembled(matrix) => matrix.contact_count(),
        }
    }

    /// Whether some contact gives.
    pub fn is_compliant(&self) -> bool {
        matches!(self, Self::MatrixFree(operator) if !operator.space.compliance.is_empty())
    }

    /// Unit normal of a contact in the coordinates of its block.
    #[inline]
    pub fn normal(&self, contact: usize) -> DVec3 {
        match self {
            Self::MatrixFree(operator) => operator.space.normal(contact),
            Self::Assembled(matrix) => matrix.normal(contact),
        }
    }

    /// The length ℓ (m) by which the moment of a contact is divided; zero where it has none, or where
    /// the bodies are not known.
    pub fn contact_length(&self, contact: usize) -> f64 {
        match self {
            Self::MatrixFree(operator) if operator.space.rows == 6 => {
                operator.space.length_of(contact)
            }
            _ => 0.0,
        }
    }

    /// λ_max(W_kk), 1/kg.
    pub fn largest_diagonal(&self, contact: usize) -> f64 {
        match self {
            Self::MatrixFree(operator) => operator.space.largest_diagonal(contact),
            Self::Assembled(matrix) => matrix.largest_diagonal(contact),
        }
    }

    /// The diagonal block W_kk as a matrix of vectors, 1/kg; with six rows the part of it for forces.
    pub fn diagonal_block(&self, contact: usize) -> DMat3 {
        match self {
            Self::MatrixFree(operator) => {
                let space = &operator.space;
                let n = space.normal(contact);
                if let Some(block) = contact.checked_sub(space.contacts.len()) {
                    let diagonal = space.general.diagonal(block, space.rows);
                    return dense_block::matrix(diagonal, space.rows, n);
                }
                let Metric { normal, tangential } = self.metric(contact);
                let along = normal;
                let across = if space.rows == 1 { 0.0 } else { tangential };
                let normals = DMat3::from_cols(n.x * n, n.y * n, n.z * n);
                (along - across) * normals + across * DMat3::IDENTITY
            }
            Self::Assembled(matrix) => matrix.diagonal_block(contact),
        }
    }

    /// The diagonal block W_kk of what is not round, or of a matrix, row by row, 1/kg.
    ///
    /// # Panics
    /// For a round contact, whose block is its [`Delassus::metric`].
    pub(crate) fn dense_diagonal(&self, contact: usize) -> &[f64] {
        match self {
            Self::MatrixFree(operator) => {
                let space = &operator.space;
                let block = contact - space.contacts.len();
                space.general.diagonal(block, space.rows)
            }
            Self::Assembled(matrix) => matrix.diagonal(contact),
        }
    }

    /// The diagonal block W_kk seen as a metric, 1/kg: exact for spheres, for a matrix its normal
    /// entry and the mean of the others.
    pub fn metric(&self, contact: usize) -> Metric {
        match self {
            Self::MatrixFree(operator) => {
                let space = &operator.space;
                if let Some(block) = contact.checked_sub(space.contacts.len()) {
                    return space.general.metric(block, space.rows);
                }
                let (normal, tangential) = space.diagonal(&space.contacts[contact]);
                let given = space.compliance(contact);
                Metric {
                    normal: normal + given.normal,
                    tangential: tangential + given.tangential,
                }
            }
            Self::Assembled(matrix) => matrix.metric(contact),
        }
    }

    /// A metric that lies above the diagonal block W_kk, 1/kg: the block itself for spheres without
    /// moments.
    pub fn majorant(&self, contact: usize) -> Metric {
        let largest = self.largest_diagonal(contact);
        match self {
            Self::MatrixFree(operator) if contact < operator.space.contacts.len() => {
                let Metric { normal, tangential } = self.metric(contact);
                Metric {
                    normal,
                    tangential: match operator.space.rows {
                        2 | 3 => tangential,
                        _ => largest,
                    },
                }
            }
            _ => Metric {
                normal: largest,
                tangential: largest,
            },
        }
    }

    /// `out = W x`.
    pub fn apply(&self, x: &[f64], scratch: &mut DelassusScratch, out: &mut [f64]) {
        // Unit partial results take no memory, so this vector never allocates.
        let mut partials = vec![(); self.chunk_count()];
        self.image(x, &mut scratch.image);
        self.map_image(&scratch.image, out, &mut [], &mut partials, |_, _, _| ());
    }

    /// The first half of a product: the image of x.
    pub fn image(&self, x: &[f64], image: &mut Image) {
        assert_eq!(x.len(), self.len());
        match self {
            Self::MatrixFree(operator) => {
                operator.image(x, &mut image.lines);
                image.rows.clear();
                if self.is_compliant() {
                    give(&operator.space, x, &mut image.rows);
                }
            }
            Self::Assembled(matrix) => matrix.image(x, &mut image.rows),
        }
    }

    /// The second half: computes W x from the image of x, chunk by chunk, and, while a chunk is
    /// still in the cache, lets `then(chunk, w, memory)` replace the chunk of W x by what belongs in
    /// `out`. `memory` has one entry a contact that `then` may change, or is empty. What `then` gives
    /// is kept in `partials`, one entry a chunk, for sums in a fixed order.
    pub fn map_image<P, F>(
        &self,
        image: &Image,
        out: &mut [f64],
        memory: &mut [f64],
        partials: &mut [P],
        then: F,
    ) where
        P: Send,
        F: Fn(usize, &mut [f64], &mut [f64]) -> P + Sync,
    {
        assert_eq!(out.len(), self.len());
        match self {
            Self::MatrixFree(operator) if self.is_compliant() => {
                let size = CONTACT_CHUNK * operator.space.rows;
                let with_given = |chunk: usize, w: &mut [f64], memory: &mut [f64]| {
                    let given = &image.rows[chunk * size..][..w.len()];
                    w.iter_mut().zip(given).for_each(|(w, given)| *w += given);
                    then(chunk, w, memory)
                };
                operator.map_image(&image.lines, out, memory, partials, with_given);
            }
            Self::MatrixFree(operator) => {
                operator.map_image(&image.lines, out, memory, partials, then);
            }
            Self::Assembled(matrix) => {
                let rows = matrix.rows();
                map_contacts(rows, out, memory, partials, |chunk, w, memory| {
                    w.copy_from_slice(&image.rows[chunk * CONTACT_CHUNK * rows..][..w.len()]);
                    then(chunk, w, memory)
                });
            }
        }
    }

    /// The rows of contact `k` of W x, from the image of x.
    #[inline(always)]
    pub fn rows_of(&self, image: &Image, k: usize, rows: &mut [f64]) {
        match self {
            Self::MatrixFree(operator) => {
                operator.rows_of(&image.lines, k, rows);
                if !image.rows.is_empty() {
                    let given = &image.rows[k * rows.len()..][..rows.len()];
                    rows.iter_mut()
                        .zip(given)
                        .for_each(|(w, given)| *w += given);
                }
            }
            Self::Assembled(matrix) => {
                let count = matrix.rows();
                rows.copy_from_slice(&image.rows[count * k..][..count]);
            }
        }
    }

    /// Makes the image of x that of x with `change` added at contact `k`.
    #[inline(always)]
    pub fn change_image(&self, image: &mut Image, k: usize, change: &[f64]) {
        match self {
            Self::MatrixFree(operator) => {
                operator.change_image(&mut image.lines, k, change);
                if !image.rows.is_empty() {
                    let given = &mut image.rows[k * change.len()..][..change.len()];
                    let normal = operator.space.normal(k);
                    operator.space.compliance[k].add_to(change, normal, given);
                }
            }
            Self::Assembled(matrix) => matrix.add_column(k, change, &mut image.rows),
        }
    }

    /// The image of x into `next`; then `extrapolated` becomes the image of x + β (x - current): one
    /// pass over the bodies instead of three. Gives (x - y)·W (x - y) for the y whose image
    /// `extrapolated` was before; `rows_of_y` writes the rows of that y where they are needed.
    pub fn advance_image(
        &self,
        x: &[f64],
        beta: f64,
        current: &Image,
        [next, extrapolated]: [&mut Image; 2],
        scratch: &mut DelassusScratch,
        rows_of_y: impl FnOnce(&mut Vec<f64>),
    ) -> f64 {
        match self {
            Self::MatrixFree(operator) => {
                let bend = operator.advance_image(
                    x,
                    beta,
                    &current.lines,
                    [&mut next.lines, &mut extrapolated.lines],
                    &mut scratch.sums,
                );
                if !self.is_compliant() {
                    return bend;
                }
                give(&operator.space, x, &mut next.rows);
                let bend = bend + elastic_distance(&operator.space, &next.rows, &extrapolated.rows);
                let rows = extrapolated.rows.iter_mut().zip(&next.rows);
                for ((y, z), x) in rows.zip(&current.rows) {
                    *y = z + beta * (z - x);
                }
                bend
            }
            Self::Assembled(matrix) => {
                matrix.image(x, &mut next.rows);
                scratch.sums.clear();
                rows_of_y(&mut scratch.sums);
                let images = next.rows.iter().zip(&extrapolated.rows);
                let bend = x
                    .iter()
                    .zip(&scratch.sums)
                    .zip(images)
                    .map(|((x, y), (wx, wy))| (x - y) * (wx - wy))
                    .sum();
                extrapolated.extrapolate(next, current, beta);
                bend
            }
        }
    }

    /// (x - y)·W (x - y), from x, y and their images.
    pub fn distance_squared(
        &self,
        (x, image_x): (&[f64], &Image),
        (y, image_y): (&[f64], &Image),
        scratch: &mut DelassusScratch,
    ) -> f64 {
        match self {
            Self::MatrixFree(operator) => {
                let distance =
                    operator.distance_squared(&image_x.lines, &image_y.lines, &mut scratch.sums);
                if self.is_compliant() {
                    return distance
                        + elastic_distance(&operator.space, &image_x.rows, &image_y.rows);
                }
                distance
            }
            Self::Assembled(_) => {
                let images = image_x.rows.iter().zip(&image_y.rows);
                x.iter()
                    .zip(y)
                    .zip(images)
                    .map(|((x, y), (wx, wy))| (x - y) * (wx - wy))
                    .sum()
            }
        }
    }

    /// An upper bound for λ_max(S^½ W S^½), S⁻¹ the metric of each contact, without iterating.
    pub fn spectral_bound(
        &self,
        metric: impl Fn(usize) -> Metric,
        scratch: &mut DelassusScratch,
    ) -> f64 {
        match self {
            Self::MatrixFree(operator) => {
                let space = &operator.space;
                let given = |(k, given): (usize, &Compliance)| {
                    let Metric { normal, tangential } = metric(k);
                    given.largest(space.rows) / normal.min(tangential)
                };
                let most = (space.compliance.iter().enumerate()).map(given);
                let most = most.fold(0.0, f64::max);
                operator.spectral_bound(&metric, &mut scratch.sums) + most
            }
            Self::Assembled(matrix) => matrix.spectral_bound(|k| {
                let Metric { normal, tangential } = metric(k);
                1.0 / normal.min(tangential)
            }),
        }
    }
}
