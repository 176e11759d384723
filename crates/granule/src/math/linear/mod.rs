//! Linear systems: small dense ones in place, and large sparse ones by factors and by iterations.

#[cfg(feature = "second-order")]
mod cholesky;
#[cfg(feature = "second-order")]
mod eigenvalues;
#[cfg(feature = "second-order")]
mod factor;
#[cfg(feature = "second-order")]
mod fill;
#[cfg(feature = "second-order")]
mod krylov;
#[cfg(feature = "second-order")]
mod lu;
mod skyline;
mod small;

#[cfg(feature = "second-order")]
pub use factor::SparseFactor;
pub(crate) use skyline::Skyline;
pub(crate) use small::{Matrix, dot, inverse, product, solve, times};
#[cfg(feature = "second-order")]
pub(crate) use {
    cholesky::BlockMatrix,
    eigenvalues::symmetric_eigenvalues,
    fill::elimination_operations,
    krylov::{Enough, Krylov, LinearOperator, dot_fields},
    lu::RowMatrix,
};
