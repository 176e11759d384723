//! Granule: an engine for nonsmooth contact dynamics, the motion of many rigid bodies that
//! touch, slide, stack and flow.

pub mod bodies;
pub mod cases;
pub mod certify;
pub mod collision;
pub mod law;
pub mod math;
pub mod measure;
pub mod parallel;
pub mod problem;
pub mod scheme;
pub mod shapes;
pub mod simulation;
pub mod solver;
