#![doc = include_str!("README.md")]

mod accept;
mod account;
mod advance;
mod contacts;
mod control;
mod detect;
mod end_problem;
mod infeasible;
mod load;
mod order;
mod predict;
mod recover;
mod report;
mod settings;
mod setup;
mod snapshot;
mod solvers;
mod stage;
mod step;
mod step_problem;
mod validate;
mod world;

pub use crate::bodies::Dimension;
pub use account::EnergyAccount;
pub use contacts::ContactImpulse;
pub use infeasible::{Demand, Infeasible, Party};
pub use load::WallLoad;
pub use report::{StepError, StepReport};
pub use settings::{Settings, StepSize};
pub use setup::SetupError;
pub use snapshot::Snapshot;
pub use stage::{Stage, StageTimes};
pub use step::Simulation;
pub use step_problem::StepProblem;
pub use validate::Item;
pub use world::World;
