#![doc = include_str!("README.md")]

mod config;

pub use config::{Recovery, SchemeConfig, SchemeName};
