//! The papers' tables, regenerated: published numbers beside ours. And cases with a reference outside
//! the papers.
//!
//! The published numbers are data, in the folder `reproduce` at the root of the repository; its
//! README says what each target does and which printed numbers are known to be wrong.

mod at_once;
mod barboteu2017_balls;
mod barboteu2017_table1;
mod bloch2023_collapse;
mod bloch2023_convergence;
mod bloch2023_ellipses;
mod bloch2023_fixedpoint;
mod bloch2023_table1;
mod bloch2023_table2;
mod box_drop;
mod error;
mod figure;
mod fit;
mod gate;
mod kleinert_blade;
#[cfg(feature = "second-order")]
mod kleinert_eigenvalues;
mod kleinert_impulses;
mod kleinert_piles;
mod liggghts;
mod maury2006_cluster;
mod maury2006_field;
mod maury2006_nonuniqueness;
mod maury2006_sticky;
mod news;
mod options;
mod print;
mod published;
mod record;
mod row;
mod target;
mod tasora2013_compaction;
mod tasora2013_laws;
mod tasora2013_packing;
mod tasora2013_shearbox;
mod tasora2013_stiffness;
mod tasora2013_warmstart;
mod validations;

pub use at_once::at_once;
pub use error::Error;
pub use figure::{Drawn, Figure};
pub use gate::Gate;
pub use options::Options;
pub use print::print;
pub use record::{Made, Record};
pub use row::{Row, Table, Value, Verdict};
pub use target::{Target, list, run, select};

#[cfg(test)]
mod tests;
