#![doc = include_str!("README.md")]

mod assembled;
mod block;
mod body_space;
mod compliance;
mod contact_problem;
mod delassus;
mod dense_block;
mod error;
mod general;
mod general_lines;
mod lines;
mod matrix_free;
pub(crate) mod round;
mod rows;
mod sets;
mod shift;
mod skew;
#[cfg(test)]
pub(crate) mod test_problems;
mod validate;

pub use assembled::Assembled;
pub use block::Block;
pub use body_space::{BodySpace, ContactGeometry, Lever};
pub use compliance::Compliance;
pub use contact_problem::{ContactProblem, ProblemKind, Scale, SetKinds};
pub use delassus::{Delassus, DelassusScratch, Image};
pub use error::ProblemError;
pub use general::{CommonBody, General, GeneralBlock, RigidContact, RowForm};
pub use matrix_free::MatrixFree;
pub(crate) use rows::{by_rows, no_such_rows};
pub use sets::Sets;
pub use shift::Shift;
pub use skew::{Skew, SkewError};
