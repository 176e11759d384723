//! The targets by name.

#[cfg(feature = "second-order")]
use super::kleinert_eigenvalues;
use super::published::Published;
use super::{
    Error, Made, Options, Record, Row, Table, barboteu2017_balls, barboteu2017_table1,
    bloch2023_collapse, bloch2023_convergence, bloch2023_ellipses, bloch2023_fixedpoint,
    bloch2023_table1, bloch2023_table2, kleinert_blade, kleinert_impulses, kleinert_piles,
    maury2006_cluster, maury2006_field, maury2006_nonuniqueness, maury2006_sticky,
    tasora2013_compaction, tasora2013_laws, tasora2013_shearbox, tasora2013_stiffness,
    tasora2013_warmstart, validations,
};
use std::cell::RefCell;
use std::time::Instant;

/// A table or figure that can be regenerated.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name on the command line: the paper, or `validations`, a hyphen, the table.
    pub id: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// The published numbers of its paper.
    published: fn() -> Result<Published, Error>,
    rows: fn(&Published, &Options) -> Result<Vec<Row>, Error>,
}

/// All targets.
const TARGETS: &[Target] = &[
    Target {
        id: "maury2006-nonuniqueness",
        description: "a point under an oscillating force: two solutions, by the time step",
        published: Published::maury2006,
        rows: maury2006_nonuniqueness::rows,
    },
    Target {
        id: "maury2006-field",
        description: "a point above a floor under a force of its place and of time",
        published: Published::maury2006,
        rows: maury2006_field::rows,
    },
    Target {
        id: "maury2006-sticky",
        description: "sticky particles on a line: the same final state for any time step",
        published: Published::maury2006,
        rows: maury2006_sticky::rows,
    },
    Target {
        id: "maury2006-cluster",
        description: "a cluster of spheres hits an obstacle with steps of three diameters",
        published: Published::maury2006,
        rows: maury2006_cluster::rows,
    },
    Target {
        id: "bloch2023-table1",
        description: "iterations of five gradient solvers for a disk on a plane",
        published: Published::bloch2023,
        rows: bloch2023_table1::rows,
    },
    Target {
        id: "bloch2023-convergence",
        description: "order of convergence for a disk that falls on a plane, with and without friction",
        published: Published::bloch2023,
        rows: bloch2023_convergence::rows,
    },
    Target {
        id: "bloch2023-table2",
        description: "contacts and time of five gradient solvers for spheres that fill a box",
        published: Published::bloch2023,
        rows: bloch2023_table2::rows,
    },
    Target {
        id: "bloch2023-fixedpoint",
        description: "iterations of the fixed point for spheres that fall on a plane",
        published: Published::bloch2023,
        rows: bloch2023_fixedpoint::rows,
    },
    Target {
        id: "bloch2023-collapse",
        description: "profiles of a collapsing square of disks, convex and exact friction",
        published: Published::bloch2023,
        rows: bloch2023_collapse::rows,
    },
    Target {
        id: "bloch2023-ellipses",
        description: "a column of ellipses collapses without friction: pictures",
        published: Published::bloch2023,
        rows: bloch2023_ellipses::rows,
    },
    Target {
        id: "barboteu2017-table1",
        description: "iterations of Gauss-Seidel with five local solvers for a ball on a plane",
        published: Published::barboteu2017,
        rows: barboteu2017_table1::rows,
    },
    Target {
        id: "barboteu2017-table2",
        description: "time of five local solvers for 500 balls that settle in a box",
        published: Published::barboteu2017,
        rows: barboteu2017_balls::table2,
    },
    Target {
        id: "barboteu2017-table3",
        description: "time of five local solvers for 500 balls on a slope",
        published: Published::barboteu2017,
        rows: barboteu2017_balls::table3,
    },
    Target {
        id: "barboteu2017-fig4",
        description: "convergence of Gauss-Seidel at one step on the slope",
        published: Published::barboteu2017,
        rows: barboteu2017_balls::figure4,
    },
    Target {
        id: "barboteu2017-friction",
        description: "the five local solvers with friction, which the paper leaves open",
        published: Published::barboteu2017,
        rows: barboteu2017_balls::friction,
    },
    Target {
        id: "kleinert-impulses",
        description: "impulses of impacts by the time step: those of rattle converge, those of shake do not",
        published: Published::kleinert2017,
        rows: kleinert_impulses::rows,
    },
    Target {
        id: "kleinert-piles",
        description: "products and time of interior points and Gauss-Jacobi on piles of spheres",
        published: Published::kleinert2017,
        rows: kleinert_piles::rows,
    },
    #[cfg(feature = "second-order")]
    Target {
        id: "kleinert-eigenvalues",
        description: "eigenvalues of the linear systems of an interior point on a pile of spheres",
        published: Published::kleinert2017,
        rows: kleinert_eigenvalues::rows,
    },
    Target {
        id: "kleinert-blade",
        description: "the draft force of a blade in a trench of spheres, by the tolerance",
        published: Published::kleinert2017,
        rows: kleinert_blade::rows,
    },
    Target {
        id: "tasora2013-laws",
        description: "force against displacement of one contact that is pressed and pulled",
        published: Published::tasora2013,
        rows: tasora2013_laws::rows,
    },
    Target {
        id: "tasora2013-warmstart",
        description: "what a warm start saves, by the stiffness of contacts and the solver",
        published: Published::tasora2013,
        rows: tasora2013_warmstart::rows,
    },
    Target {
        id: "tasora2013-stiffness",
        description: "the rigid motion of a packing as the limit of stiff contacts",
        published: Published::tasora2013,
        rows: tasora2013_stiffness::rows,
    },
    Target {
        id: "tasora2013-compaction",
        description: "the stress of a compressed packing by the time step, and beside LIGGGHTS",
        published: Published::tasora2013,
        rows: tasora2013_compaction::rows,
    },
    Target {
        id: "tasora2013-shearbox",
        description: "a shear box under 100 kg: load on the floor, height of the mass, shear force",
        published: Published::tasora2013,
        rows: tasora2013_shearbox::rows,
    },
    Target {
        id: "validations-1",
        description: "what friction holds does not creep",
        published: Published::validations,
        rows: validations::no_creep::rows,
    },
    Target {
        id: "validations-2",
        description: "a sliding cube stops where and when it should, and does not lift",
        published: Published::validations,
        rows: validations::blocks::sliding_cube,
    },
    Target {
        id: "validations-3",
        description: "a bouncing ball: time of rest, heights, energy",
        published: Published::validations,
        rows: validations::bouncing_ball::rows,
    },
    Target {
        id: "validations-4",
        description: "Newton's cradle: three balls that touch, and with gaps",
        published: Published::validations,
        rows: validations::cradle::rows,
    },
    Target {
        id: "validations-5",
        description: "three cylinders and four spheres stand or fall by friction",
        published: Published::validations,
        rows: validations::stacks::rows,
    },
    Target {
        id: "validations-6",
        description: "a masonry arch stands or falls by two per cent of its thickness",
        published: Published::validations,
        rows: validations::blocks::arch,
    },
    Target {
        id: "validations-7",
        description: "spheres pressed together: how much they fill, how many touch",
        published: Published::validations,
        rows: validations::packing::rows,
    },
    Target {
        id: "validations-8",
        description: "runout of columns of disks by their aspect ratio",
        published: Published::validations,
        rows: validations::column_collapse::rows,
    },
    Target {
        id: "validations-9",
        description: "silos: the load of the floor saturates, the flow is a power of the opening",
        published: Published::validations,
        rows: validations::silo::rows,
    },
    Target {
        id: "validations-10",
        description: "the velocity profile of disks that flow down a rough slope",
        published: Published::validations,
        rows: validations::slope::rows,
    },
    Target {
        id: "validations-11",
        description: "rolling and spinning spheres slow down and stop",
        published: Published::validations,
        rows: validations::rolling::rows,
    },
    Target {
        id: "validations-12",
        description: "towers under heavy loads, a wall of bricks at rest, dominoes",
        published: Published::validations,
        rows: validations::blocks::stacks,
    },
    Target {
        id: "validations-13",
        description: "what the convexified law does to a ball that is put down at speed",
        published: Published::validations,
        rows: validations::sliding::rows,
    },
    Target {
        id: "validations-14",
        description: "mechanisms: closed loops and chains keep together, published benchmarks are met",
        published: Published::validations,
        rows: validations::mechanisms::rows,
    },
];

impl Target {
    /// Regenerates the table.
    pub fn run(&self, options: &Options) -> Result<Table, Error> {
        let published = (self.published)()?;
        let rows = (self.rows)(&published, options)?;
        Ok(Table {
            id: self.id,
            paper: published.paper,
            rows,
        })
    }

    /// Regenerates the table with its figures.
    pub fn record(&self, options: &Options) -> Result<Record, Error> {
        let (figures, start) = (RefCell::new(Vec::new()), Instant::now());
        let table = self.run(&Options {
            data: options.data.clone(),
            out: options.out.clone(),
            figures: Some(&figures),
            ..*options
        })?;
        let made = Made::now(options.command(self.id), start.elapsed());
        Ok(Record::of(&table, figures.into_inner(), made))
    }

    /// Its paper: authors, title, year.
    pub fn paper(&self) -> Result<String, Error> {
        Ok((self.published)()?.paper)
    }

    /// Whether a name on the command line means this target: its own, or its paper's.
    fn is_meant_by(&self, id: &str) -> bool {
        self.id == id
            || self
                .id
                .split_once('-')
                .is_some_and(|(paper, _)| paper == id)
    }
}

/// All targets, in the order in which they are run.
pub fn list() -> &'static [Target] {
    TARGETS
}

/// The targets that the names mean, in the order of [`list`]; all of them if there is no name. The
/// name of a paper, as `bloch2023`, means all of its targets.
pub fn select(ids: &[String]) -> Result<Vec<&'static Target>, Error> {
    for id in ids {
        if !TARGETS.iter().any(|target| target.is_meant_by(id)) {
            return Err(unknown(id));
        }
    }
    let meant = |target: &&Target| ids.is_empty() || ids.iter().any(|id| target.is_meant_by(id));
    Ok(TARGETS.iter().filter(meant).collect())
}

/// Regenerates the tables that the names mean.
pub fn run(ids: &[String], options: &Options) -> Result<Vec<Table>, Error> {
    let targets = select(ids)?;
    if let Some(data) = options.data.as_ref().filter(|data| !data.is_dir()) {
        return Err(Error::NoData(data.clone()));
    }
    targets.iter().map(|target| target.run(options)).collect()
}

fn unknown(id: &str) -> Error {
    let known: Vec<&str> = TARGETS.iter().map(|target| target.id).collect();
    let nearest = known
        .iter()
        .copied()
        .min_by_key(|name| edit_distance(id, name))
        .unwrap_or_default();
    Error::Unknown {
        id: id.to_owned(),
        nearest,
        known,
    }
}

/// How many letters must be inserted, removed or changed to make one word of the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
