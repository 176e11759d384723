//! Granule: an engine for nonsmooth contact dynamics, the motion of many rigid bodies that
//! touch, slide, stack and flow.
//!
//! # One problem
//!
//! In each time step of length h, with the velocities `v` of all bodies, their mass `M`, and the map
//! `D` from contact impulses `λ` to impulses on bodies:
//!
//! ```text
//! v = v_free + M⁻¹ D λ             dynamics
//! w = Dᵀ v + E λ + s               relative velocity, as the law sees it; E is what contacts give
//! λ ∈ K,  -w ∈ N_K(λ)              law
//! ```
//!
//! so with `W = Dᵀ M⁻¹ D + E` and `b = Dᵀ v_free + s`: **find λ ∈ K with -(W λ + b) ∈ N_K(λ)**. All else
//! exists to build this problem ([`problem::ContactProblem`]), to solve it, to judge the answer, and
//! to move the bodies with it.
//!
//! Three choices are made freely of each other, and a judge stands outside them:
//!
//! | choice | decides | where |
//! |---|---|---|
//! | **scheme** | `v_free`, `s`, where contacts are looked for | [`scheme`] |
//! | **law** | `K` | [`law`] |
//! | **solver** | how λ is found | [`solver`] |
//! | **certificate** | whether λ is good enough | [`certify`] |
//!
//! # One step
//!
//! [`simulation::Simulation::step`] goes through the stages of [`simulation::Stage`]:
//!
//! ```text
//!  bodies, walls, forces                                     positions, velocities
//!        │                                                             ▲
//!        ▼                                                             │
//!    Predict ──► Detect ──► Assemble ──► WarmStart ──► Solve ──► Certify ──► Advance ──► Measure
//!    v_free,     pairs      W, b, K      λ of the      λ         residual,    v, q        energies
//!    where       that may                last step               escalation,
//!    walls are   touch                                           recovery
//!                   ▲                                                │
//!                   └──────────── a contact had been left out ───────┘
//! ```
//!
//! `Record`, the last stage, belongs to whoever writes files. After a warm-up a step allocates
//! nothing; its result does not depend on the number of threads, to the last bit.
//!
//! # Quick start
//!
//! ```
//! use granule::bodies::{Dimension, Motion, Sphere, Wall};
//! use granule::math::DVec3;
//! use granule::shapes::{HalfSpace, Surface};
//! use granule::simulation::{Settings, Simulation, StepSize, World};
//!
//! // Three spheres above a floor.
//! let mut world = World::new(Dimension::Space);
//! world.gravity = DVec3::new(0.0, 0.0, -9.81);
//! let floor = Surface::HalfSpace(HalfSpace);
//! world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
//! for k in 0..3 {
//!     let center = DVec3::new(0.001 * f64::from(k), 0.0, 0.3 + 0.25 * f64::from(k));
//!     world.add_sphere(&Sphere::new(center, 0.1, 1.0));
//! }
//!
//! // A hundred steps of 5 ms.
//! let settings = Settings::new(StepSize::Fixed(0.005), 0.5);
//! let mut simulation = Simulation::new(world, settings)?;
//! while !simulation.finished() {
//!     let report = simulation.step()?;
//!     assert!(report.certified);
//!     // What the step may get wrong in position, m.
//!     assert!(report.step_size * report.certificate.residual < 1e-5);
//! }
//! // Bodies change their places in the arrays; ids do not change.
//! let bodies = &simulation.world().bodies;
//! let lowest = bodies.places()[0] as usize;
//! assert!(bodies.position[lowest].z > 0.0999);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A contact problem can be solved without any bodies: see [`solver::solver`].
//!
//! # Features
//!
//! | feature | brings |
//! |---|---|
//! | `second-order` | the solvers `ipm`, `ipm-mf`, `newton` and `auto`, which factorise sparse matrices |
//! | `clarabel` | the solver `clarabel` |
//! | `cases` | the module `cases`: scenes and problems with known answers |
//! | `schema` | JSON schemas of the settings |
//!
//! None is on by default. A solver that a build is without refuses every problem, and says how to get it.

#![forbid(unsafe_code)]

pub mod bodies;
#[cfg(feature = "cases")]
pub mod cases;
pub mod certify;
pub mod collision;
pub mod exchange;
pub mod joints;
pub mod law;
pub mod math;
pub mod measure;
pub mod parallel;
pub mod problem;
pub mod scheme;
pub mod shapes;
pub mod simulation;
pub mod solver;
