#![doc = include_str!("README.md")]

mod config;

pub use config::{Method, OnFailure, Scaling, SolverConfig, Stop, WarmStart};
