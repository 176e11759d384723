//! What is wrong with a problem that is none.

/// Why a problem, an operator or a matrix cannot be made of what was given.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// Contacts have 1, 2, 3 or 6 rows.
    #[error("contacts have 1, 2, 3 or 6 rows, not {rows}")]
    Rows {
        /// As given.
        rows: usize,
    },
    /// A list is too short or too long.
    #[error("there are {found} entries of {what}, but {expected} are needed")]
    Length {
        /// Of which list.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A number is not finite.
    #[error("{what} {place} is not a finite number")]
    NotFinite {
        /// Of which list.
        what: &'static str,
        /// Where in it.
        place: usize,
    },
    /// A number is negative that must not be.
    #[error("{what} {place} is negative: {value}")]
    Negative {
        /// Of which list.
        what: &'static str,
        /// Where in it.
        place: usize,
        /// What it is.
        value: f64,
    },
    /// Round contacts are to be sorted by their first body.
    #[error("contact {contact} comes after one with a larger first body: sort the contacts by `a`")]
    Unsorted {
        /// The first that is out of order.
        contact: usize,
    },
    /// A contact joins a body that does not exist, or one body with itself.
    #[error("contact {contact} joins bodies {a} and {b}, which must differ and be below {bodies}")]
    Bodies {
        /// The contact or joint.
        contact: usize,
        /// Its first body.
        a: u32,
        /// Its second body.
        b: u32,
        /// The number of bodies, with the ground.
        bodies: usize,
    },
    /// Tensors of inertia are to be sorted by body, one a body, none for what does not exist or is no sphere's size.
    #[error("the tensor of inertia of body {body} is out of order, or the body has no radius")]
    Tensor {
        /// The body.
        body: u32,
    },
    /// A round contact has a body whose moments of inertia differ.
    #[error(
        "contact {contact} is round, but body {body} has a tensor of inertia: make it a rigid one"
    )]
    RoundOnTensor {
        /// The contact.
        contact: usize,
        /// The body.
        body: u32,
    },
    /// A normal is not of length one.
    #[error("the normal of contact {contact} has the length {length}, not 1")]
    Normal {
        /// The contact.
        contact: usize,
        /// |n|.
        length: f64,
    },
    /// An entry of a matrix lies outside of it.
    #[error("entry ({row}, {column}) lies outside of a matrix of {size} rows")]
    Outside {
        /// Of the entry.
        row: usize,
        /// Of the entry.
        column: usize,
        /// Rows of the matrix.
        size: usize,
    },
    /// Exact friction is asked for at a contact for which it is not defined.
    #[error(
        "contact {contact} yields in a rounded or capped cone, for which exact friction is not defined: \
         use the associated flow, that of `coulomb-convex`"
    )]
    ExactYield {
        /// The contact.
        contact: usize,
    },
    /// A matrix of flow is none.
    #[error("the matrix of flow of contact {contact} {why}")]
    Skew {
        /// The contact.
        contact: usize,
        /// What is wrong with it.
        why: super::SkewError,
    },
    /// A skewed flow is asked for where it is not defined.
    #[error(
        "a skewed flow is defined for cones of friction: not for contacts with moments, nor for those that yield"
    )]
    SkewKind,
    /// A joint has more rows than a contact of the problem.
    #[error("a joint has {found} rows, but a contact of this problem {rows}: make it of several")]
    JointRows {
        /// Rows of the joint.
        found: usize,
        /// Rows of a contact.
        rows: usize,
    },
}

/// Of a list with the right length.
pub(super) fn check_length(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), ProblemError> {
    if expected == found {
        Ok(())
    } else {
        Err(ProblemError::Length {
            what,
            expected,
            found,
        })
    }
}

/// Of a list that may be left out.
pub(super) fn check_optional(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), ProblemError> {
    if found == 0 {
        Ok(())
    } else {
        check_length(what, expected, found)
    }
}

/// Of numbers that are finite.
pub(super) fn check_finite(
    what: &'static str,
    values: impl IntoIterator<Item = f64>,
) -> Result<(), ProblemError> {
    match values.into_iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(place) => Err(ProblemError::NotFinite { what, place }),
    }
}

/// Of numbers that are finite and not negative.
pub(super) fn check_positive(
    what: &'static str,
    values: impl IntoIterator<Item = f64>,
) -> Result<(), ProblemError> {
    for (place, value) in values.into_iter().enumerate() {
        if !value.is_finite() {
            return Err(ProblemError::NotFinite { what, place });
        }
        if value < 0.0 {
            return Err(ProblemError::Negative { what, place, value });
        }
    }
    Ok(())
}
