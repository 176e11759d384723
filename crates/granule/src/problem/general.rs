//! Contacts and joints of bodies of any shape: rows that are linear forms of the velocities of two bodies.
//!
//! A round contact needs its normal alone. Anything else is a *general block*: as many rows as a contact of the
//! problem has, each
//!
//! ```text
//! u = l·(v_a - v_b) + p·ω_a + q·ω_b
//! ```
//!
//! Contacts of rigid bodies and joints differ in how their rows are made ([`General::push_contact`],
//! [`General::push_joint`]) and in their sets, not in what is done with them.

use super::dense_block;
use super::{BodySpace, Compliance, Lever, ProblemError, round};
use crate::law::Metric;
use crate::math::{DMat3, DVec3};

/// The least ease of a block in its metric, as a share of its largest eigenvalue.
const LEAST: f64 = 0.1;

/// One row: `u = l·(v_a - v_b) + p·ω_a + q·ω_b`. Impulses along it are l on body a, -l on b, with moments p and q.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RowForm {
    /// l, without a unit.
    pub linear: DVec3,
    /// p, m.
    pub on_a: DVec3,
    /// q, m.
    pub on_b: DVec3,
}

/// A contact of two bodies of any shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidContact {
    /// The body that the impulse acts on as it is.
    pub a: u32,
    /// The body that it acts on with the opposite sign; [`BodySpace::ground`] for what does not move.
    pub b: u32,
    /// Unit normal n, from body `b` towards body `a`.
    pub normal: DVec3,
    /// From the centres of mass of both bodies to the point of contact, m.
    pub arms: [DVec3; 2],
}

/// Which bodies a block joins, and which way its set points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneralBlock {
    /// The body that impulses act on as they are.
    pub a: u32,
    /// The body that they act on with the opposite sign.
    pub b: u32,
    /// The direction of the set in the coordinates of the rows: the normal of a contact, the first row of a joint.
    pub normal: DVec3,
}

/// A body that takes part in blocks besides their two, with a share s of each along the axes: `u` is less by
/// `(l ∘ s)·v` of it. The lengths of a periodic cell under a stress are one, whose velocity is that of the lengths, and
/// s says through how many faces a contact goes.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonBody {
    /// Which body; it does not turn.
    pub body: u32,
    /// s of each block.
    pub shares: Vec<DVec3>,
}

impl CommonBody {
    /// What the impulse `x` of a block with these rows adds to its momentum.
    pub(super) fn load(&self, block: usize, forms: &[RowForm], x: &[f64]) -> DVec3 {
        let parts = forms.iter().zip(x).map(|(form, x)| *x * form.linear);
        -self.shares[block] * parts.sum::<DVec3>()
    }
}

/// The general blocks of a problem, and the inertia of bodies that are not round.
///
/// ```
/// use granule::math::DVec3;
/// use granule::problem::{BodySpace, Delassus, DelassusScratch, Lever, MatrixFree, RigidContact};
/// // A rod of 3 kg and 2 m, J = 1 kg m², is pushed down at its end: 1/m + x²/J there.
/// let mut space = BodySpace {
///     rows: 3,
///     inverse_mass: vec![1.0 / 3.0, 0.0],
///     lever: Lever::Radial { radius: vec![1.0, 0.0], inverse_inertia: vec![1.0, 0.0] },
///     ..BodySpace::default()
/// };
/// let end = RigidContact { a: 0, b: 1, normal: DVec3::Z, arms: [DVec3::X, DVec3::ZERO] };
/// space.push_rigid(&end);
/// let w = Delassus::from(MatrixFree::new(space)?);
/// let mut velocity = vec![0.0; 3];
/// w.apply(&[0.0, 0.0, 1.0], &mut DelassusScratch::default(), &mut velocity);
/// assert_eq!(velocity, [0.0, 0.0, 1.0 / 3.0 + 1.0]);
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct General {
    /// The blocks.
    pub blocks: Vec<GeneralBlock>,
    /// Their rows, as many for each as a contact of the problem has.
    pub forms: Vec<RowForm>,
    /// J⁻¹ of bodies whose moments of inertia differ, 1/(kg m²), in the coordinates of the rows; sorted by body. Such
    /// bodies have no round contacts; their [`Lever::Radial`] entries are a length and the largest eigenvalue.
    pub tensors: Vec<(u32, DMat3)>,
    /// A body that takes part in all blocks, if there is one.
    pub common: Option<CommonBody>,
    /// W_kk of each block, row by row, 1/kg, and its largest eigenvalue.
    diagonals: Vec<f64>,
    largest: Vec<f64>,
}

impl General {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Removes the blocks and tensors, and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.forms.clear();
        self.tensors.clear();
        self.common = None;
    }

    /// Adds a contact with `rows` rows; with six, moments are divided by `length` (m).
    pub(super) fn push_contact(&mut self, rows: usize, contact: &RigidContact, length: f64) {
        let RigidContact { a, b, normal, arms } = *contact;
        self.blocks.push(GeneralBlock { a, b, normal });
        let force = |linear: DVec3| RowForm {
            linear,
            on_a: arms[0].cross(linear),
            on_b: -arms[1].cross(linear),
        };
        let moment = |axis: DVec3| RowForm {
            linear: DVec3::ZERO,
            on_a: length * axis,
            on_b: -length * axis,
        };
        match rows {
            1 => self.forms.push(force(normal)),
            2 | 3 => self
                .forms
                .extend(DVec3::AXES[..rows].iter().copied().map(force)),
            _ => {
                self.forms.extend(DVec3::AXES.map(force));
                self.forms.extend(DVec3::AXES.map(moment));
            }
        }
    }

    /// Adds a joint with at most `rows` rows; those that it does not have are empty.
    pub(super) fn push_joint(
        &mut self,
        rows: usize,
        [a, b]: [u32; 2],
        forms: &[RowForm],
    ) -> Result<(), ProblemError> {
        if forms.len() > rows {
            let found = forms.len();
            return Err(ProblemError::JointRows { found, rows });
        }
        let normal = DVec3::X;
        self.blocks.push(GeneralBlock { a, b, normal });
        let missing = rows - forms.len();
        self.forms.extend_from_slice(forms);
        self.forms
            .extend(std::iter::repeat_n(RowForm::default(), missing));
        Ok(())
    }

    /// Computes the blocks W_kk + E_kk; `compliance` has an entry for each block, or none at all.
    pub(super) fn prepare(
        &mut self,
        inverse_mass: &[f64],
        lever: &Lever,
        rows: usize,
        compliance: &[Compliance],
    ) {
        self.diagonals.clear();
        self.largest.clear();
        let tensors = &self.tensors;
        let blocks = self.blocks.iter().zip(self.forms.chunks_exact(rows));
        for (k, (block, forms)) in blocks.enumerate() {
            let [a, b] = [block.a, block.b];
            let both = inverse_mass[a as usize] + inverse_mass[b as usize];
            let first = self.diagonals.len();
            for row in forms {
                let eased = ease_turning(tensors, lever, a, row.on_a);
                let other = ease_turning(tensors, lever, b, row.on_b);
                self.diagonals.extend(forms.iter().map(|column| {
                    both * row.linear.dot(column.linear)
                        + eased.dot(column.on_a)
                        + other.dot(column.on_b)
                }));
            }
            if let Some(common) = &self.common {
                let ease = inverse_mass[common.body as usize] * common.shares[k] * common.shares[k];
                let pairs = forms
                    .iter()
                    .flat_map(|row| forms.iter().map(move |c| (row, c)));
                for (entry, (row, column)) in self.diagonals[first..].iter_mut().zip(pairs) {
                    *entry += (ease * row.linear).dot(column.linear);
                }
            }
            if let Some(given) = compliance.get(k) {
                let mut unit = [0.0; 6];
                for row in 0..rows {
                    unit[row] = 1.0;
                    let line = &mut self.diagonals[first + row * rows..][..rows];
                    given.add_to(&unit[..rows], block.normal, line);
                    unit[row] = 0.0;
                }
            }
            let largest = dense_block::largest_eigenvalue(&self.diagonals[first..], rows);
            self.largest.push(largest);
        }
    }

    /// W_kk of a block, row by row.
    pub(super) fn diagonal(&self, block: usize, rows: usize) -> &[f64] {
        let area = rows * rows;
        &self.diagonals[block * area..][..area]
    }

    /// λ_max(W_kk) of a block.
    pub(super) fn largest_diagonal(&self, block: usize) -> f64 {
        self.largest[block]
    }

    /// W_kk as a metric, see [`dense_block::metric`].
    pub(super) fn metric(&self, block: usize, rows: usize) -> Metric {
        let normal = self.blocks[block].normal;
        let Metric { normal, tangential } =
            dense_block::metric(self.diagonal(block, rows), rows, normal);
        // Rows that a joint does not have must not make it look infinitely stiff.
        let least = LEAST * self.largest[block];
        Metric {
            normal: normal.max(least),
            tangential: tangential.max(least),
        }
    }
}

/// J⁻¹ of a body times a vector.
fn ease_turning(tensors: &[(u32, DMat3)], lever: &Lever, body: u32, moment: DVec3) -> DVec3 {
    match tensors.binary_search_by_key(&body, |entry| entry.0) {
        Ok(place) => tensors[place].1 * moment,
        Err(_) => match lever {
            Lever::None => DVec3::ZERO,
            Lever::Radial {
                inverse_inertia, ..
            } => inverse_inertia[body as usize] * moment,
        },
    }
}

impl BodySpace {
    /// Adds a contact of two bodies of any shape.
    pub fn push_rigid(&mut self, contact: &RigidContact) {
        let length = self.rigid_length(contact);
        self.general.push_contact(self.rows, contact, length);
    }

    /// J⁻¹ of a body times a moment: the change of its angular velocity.
    pub fn ease_turning(&self, body: u32, moment: DVec3) -> DVec3 {
        ease_turning(&self.general.tensors, &self.lever, body, moment)
    }

    /// Adds a joint between bodies `a` and `b` with at most as many rows as a contact has.
    pub fn push_joint(&mut self, bodies: [u32; 2], forms: &[RowForm]) -> Result<(), ProblemError> {
        self.general.push_joint(self.rows, bodies, forms)
    }

    /// ℓ of a rigid contact, m: the mean ease of moving its point over the mean ease of turning, as for round ones.
    fn rigid_length(&self, contact: &RigidContact) -> f64 {
        let (mut sliding, mut turning) = (0.0, 0.0);
        for (body, arm) in [contact.a, contact.b].into_iter().zip(contact.arms) {
            let ease = |moment| self.ease_turning(body, moment);
            sliding += self.inverse_mass[body as usize];
            for axis in DVec3::AXES {
                let moment = arm.cross(axis);
                sliding += ease(moment).dot(moment) / 3.0;
                turning += ease(axis).dot(axis) / 3.0;
            }
        }
        if turning > 0.0 {
            (sliding / turning).sqrt()
        } else {
            0.0
        }
    }

    /// The rows of a contact of any kind as linear forms.
    pub fn forms(&self, k: usize) -> Vec<RowForm> {
        let rows = self.rows;
        if let Some(block) = k.checked_sub(self.contacts.len()) {
            return self.general.forms[block * rows..][..rows].to_vec();
        }
        let arms = self.arms.get(k).copied().unwrap_or_default();
        let contact = &self.contacts[k];
        let (radii, lengths) = match &self.lever {
            Lever::Radial { radius, .. } if rows > 1 => {
                let radii = [radius[contact.a as usize], radius[contact.b as usize]];
                (radii, [arms[0] * radii[0], arms[1] * radii[1]])
            }
            _ => ([0.0; 2], [0.0; 2]),
        };
        let force = |linear: DVec3| {
            let twist = round::twist_of(contact.normal, linear);
            RowForm {
                linear,
                on_a: radii[0] * twist,
                on_b: radii[1] * twist,
            }
        };
        let moment = |axis: DVec3| {
            let [on_a, on_b] = round::moments(lengths, axis);
            RowForm {
                linear: DVec3::ZERO,
                on_a,
                on_b,
            }
        };
        match rows {
            1 => vec![force(contact.normal)],
            2 | 3 => DVec3::AXES[..rows].iter().copied().map(force).collect(),
            _ => (DVec3::AXES.map(force).into_iter())
                .chain(DVec3::AXES.map(moment))
                .collect(),
        }
    }
}
