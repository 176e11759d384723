//! The blocks in Rust of the book, which are run as documentation tests. They need both crates, and so stand here.

#[doc = include_str!("../../../docs/from-rust.md")]
mod from_rust {}
