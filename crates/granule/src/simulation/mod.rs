#![doc = include_str!("README.md")]

mod account;
mod advance;
mod detect;
mod infeasible;
mod load;
mod recover;
mod report;
mod second;
mod settings;
mod snapshot;
mod solve;
mod solvers;
mod stage;
mod step;
mod validate;
mod world;

pub use crate::bodies::Dimension;
pub use account::EnergyAccount;
pub use infeasible::{Demand, Infeasible, Party};
pub use load::WallLoad;
pub use report::{StepError, StepReport};
pub use second::StepProblem;
pub use settings::{Settings, StepSize};
pub use snapshot::{ContactImpulse, Snapshot};
pub use stage::{Stage, StageTimes};
pub use step::{SetupError, Simulation};
pub use validate::Item;
pub use world::World;
