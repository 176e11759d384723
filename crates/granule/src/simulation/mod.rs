//! The simulation: a world, how it is simulated, and the step as a list of named stages.

mod settings;
mod world;

pub use settings::{Settings, StepSize};
pub use world::{Dimension, LawTable, World};
