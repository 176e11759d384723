//! What is measured of a run: columns of `series.csv`, and small files beside it.
//!
//! A [`Measure`] says what is measured and what it is called; `[[measures]]` of a scene become a list of them. [`Meters`]
//! takes the values from one moment to the next: while a run goes on after every step, and of a finished run from its
//! frames ([`measure_run`]).
//!
//! ```
//! use granule::bodies::{Dimension, Sphere};
//! use granule::math::DVec3;
//! use granule::measure::Region;
//! use granule::simulation::{Settings, StepSize, World};
//! use granule_io::measures::{Kind, Measure};
//! use granule_io::run::{Run, RunFolder};
//! use granule_io::scene::Setup;
//! use std::ops::ControlFlow;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let folder = place.path().join("throw");
//! let mut world = World::new(Dimension::Space);
//! let ball = Sphere::new(DVec3::ZERO, 0.1, 1.0);
//! world.add_sphere(&Sphere { velocity: DVec3::X, ..ball });
//! let mut setup = Setup::new("throw", world, Settings::new(StepSize::Fixed(0.01), 0.5));
//! setup.output.measures.push(Measure::new("way", Kind::Displacement));
//! Run::create(&folder, setup)?.to_end(|_, _| ControlFlow::Continue(()))?;
//! let series = RunFolder::new(&folder).series()?;
//! assert!((series.column("way").unwrap()[49] - 0.25).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```

mod columns;
mod formula;
mod meters;
mod of_run;
mod tables;

pub use columns::MEASURE_NOTES;
pub use formula::Formula;
pub use meters::{Memory, Meters};
pub use of_run::{Measured, MeasuredTable, measure_run, moment_of_frame};

use granule::math::DVec3;
use granule::measure::{Gate, Grid, Region, Slices};

/// Something that is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What its columns or its file are called.
    pub name: String,
    /// What is measured.
    pub kind: Kind,
    /// s of simulated time between the rows of its file, if it has one.
    pub interval: f64,
}

/// What is measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// What goes through a plane.
    Flow(Gate),
    /// The mean stress in a region.
    Stress(Region),
    /// The mean stress in the cells of a grid.
    StressField(Grid),
    /// The part of a region that is filled.
    SolidFraction(Region),
    /// Contacts of the grains in a region.
    Coordination(Region),
    /// Density and velocity in slices.
    Profile(Slices),
    /// How well two kinds of grains are mixed.
    Mixing {
        /// Cells in which they are counted.
        grid: Grid,
        /// What tells them apart.
        mark: Mark,
    },
    /// How normal forces are distributed.
    ForceDistribution {
        /// Contacts in here count.
        region: Region,
        /// Number of bins.
        bins: usize,
        /// Where the last one ends, in means of the force.
        end: f64,
    },
    /// The angle of repose of a heap.
    Repose {
        /// Unit vector against gravity.
        up: DVec3,
    },
    /// The mean square displacement.
    Displacement,
    /// A formula of other columns.
    Expression {
        /// The formula, see [`Formula`].
        formula: String,
        /// Its unit.
        unit: String,
    },
}

/// What tells two kinds of grains apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// Those of a material, by its index.
    Material(u16),
    /// Those with a larger radius (m) than this; a body that is no sphere has that of a ball of its volume.
    LargerThan(f64),
}

impl Measure {
    /// A measure; a file of its own has a row a second.
    pub fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            interval: 1.0,
        }
    }

    /// Whether it can name columns and files, and stand in formulas: letters, digits and `_`, a letter first, and no
    /// name of a function or a constant.
    pub(crate) fn has_usable_name(&self) -> bool {
        is_usable(&self.name)
    }

    /// Whether it looks at contacts.
    pub fn needs_contacts(&self) -> bool {
        match self.kind {
            Kind::Stress(_)
            | Kind::StressField(_)
            | Kind::Coordination(_)
            | Kind::ForceDistribution { .. } => true,
            Kind::Flow(_)
            | Kind::SolidFraction(_)
            | Kind::Profile(_)
            | Kind::Mixing { .. }
            | Kind::Repose { .. }
            | Kind::Displacement
            | Kind::Expression { .. } => false,
        }
    }
}

/// Whether a measure may have this name.
pub(crate) fn is_usable(name: &str) -> bool {
    let usual = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(usual);
    // In formulas the name of a function is no number.
    word && Formula::parse(name).is_ok_and(|formula| formula.names() == [name])
}
