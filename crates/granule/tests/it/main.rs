//! The tests of the engine from outside, in one program.

mod architecture;
mod bad_problems_are_refused;
mod bad_worlds_are_refused;
mod blocks_and_plates;
mod certified_means_right;
mod control;
mod dense_reference;
mod determinism;
mod escalation;
mod examples;
mod friction_solvers_agree;
mod golden_files;
mod golden_friction;
mod golden_gauss_seidel;
mod golden_gradient_methods;
mod golden_incline;
mod golden_kleinert;
mod golden_maury;
mod golden_piles;
mod hostile_worlds;
mod impacts;
mod impacts_converge;
mod infeasible_problems;
mod interior_point;
mod joints;
mod motion_is_right;
mod no_contact_is_missed;
mod operators_are_the_delassus_matrix;
mod pools;
mod random_worlds;
mod scheme_properties;
mod settings_without_effect;
mod shake_and_rattle;
mod shifted_sets;
mod solvers_agree;
mod validations;
mod velocity_level;
mod walls_on_bodies;

#[path = "../../../../tests/rust/extent.rs"]
mod extent;
