//! The files of a run as it goes.

use crate::failure::Failure;
use granule::collision::Partner;
use granule::math::DVec3;
use granule::simulation::{Simulation, StepReport};
use granule_io::results::{
    BodyFrame, Bounds, ContactFrame, FrameWriter, SeriesWriter, Summary, WriteError,
    truncate_after, write_file,
};
use granule_io::scene::Setup;
use std::io;
use std::path::{Path, PathBuf};

/// A column of `series.csv`.
pub struct Column {
    /// Name with unit.
    pub name: &'static str,
    /// What it is.
    pub note: &'static str,
    value: fn(&StepReport) -> f64,
}

const fn column(name: &'static str, note: &'static str, value: fn(&StepReport) -> f64) -> Column {
    Column { name, note, value }
}

/// The columns of `series.csv` that every run has.
pub const COLUMNS: [Column; 29] = [
    column("step[-]", "number of the step, from 1", |r| r.step as f64),
    column("time[s]", "time at its end", |r| r.time),
    column("step_size[s]", "its length", |r| r.step_size),
    column("contacts[-]", "candidate contacts", |r| r.contacts as f64),
    column("active[-]", "contacts that carry an impulse", |r| {
        r.active as f64
    }),
    column(
        "iterations[-]",
        "iterations of all solves of the step",
        |r| r.iterations as f64,
    ),
    column(
        "applications[-]",
        "applications of W in all solves of the step",
        |r| r.applications as f64,
    ),
    column(
        "residual[m/s]",
        "certified error of the worst contact",
        |r| r.certificate.residual,
    ),
    column(
        "relative[-]",
        "the error as collections of contact problems define it",
        |r| r.certificate.relative,
    ),
    column(
        "scaled[-]",
        "the error that solvers stop on; doing nothing has 1",
        |r| r.certificate.scaled,
    ),
    column(
        "fastest[m/s]",
        "fastest approach before impulses, which the residual is compared with",
        |r| r.certificate.fastest,
    ),
    column(
        "penetration[m]",
        "deepest overlap at the positions reached",
        |r| r.certificate.max_penetration,
    ),
    column("kinetic_energy[J]", "of all dynamic bodies", |r| {
        r.kinetic_energy
    }),
    column(
        "potential_energy[J]",
        "of all dynamic bodies, zero at the origin",
        |r| r.potential_energy,
    ),
    column(
        "dissipation[J]",
        "energy taken out of the motion by contacts in the step",
        |r| r.energy.dissipation,
    ),
    column(
        "work_of_walls[J]",
        "work of walls and bodies that move as prescribed",
        |r| r.energy.work_of_walls,
    ),
    column(
        "work_of_forces[J]",
        "work of forces other than gravity",
        |r| r.energy.work_of_forces,
    ),
    column(
        "work_of_recovery[J]",
        "potential energy given by undoing overlaps",
        |r| r.energy.work_of_recovery,
    ),
    column(
        "work_of_scheme[J]",
        "what the scheme's own treatment of gravity adds; does not grow with time",
        |r| r.energy.work_of_scheme,
    ),
    column(
        "energy_remainder[J]",
        "change of energy that these do not account for",
        |r| r.energy.remainder,
    ),
    column(
        "recovered[m]",
        "deepest overlap undone by moving bodies",
        |r| r.recovered,
    ),
    column("escalations[-]", "stronger solvers called", |r| {
        r.escalations as f64
    }),
    column(
        "certified[-]",
        "1 if the certificates of the step meet the limits",
        |r| f64::from(u8::from(r.certified)),
    ),
    column(
        "infeasible[-]",
        "1 if constraints contradicted each other",
        |r| f64::from(u8::from(r.infeasible)),
    ),
    column(
        "momentum_error[-]",
        "momentum from nowhere, over the sum of all impulses and momenta",
        |r| r.momentum_error,
    ),
    column(
        "bipotential[J]",
        "mean over contacts of the bipotential |w·λ + μ λ_n |w_t||, with w = v⁺ + e v⁻",
        |r| r.certificate.bipotential,
    ),
    column(
        "approach[m/s]",
        "mean over contacts of the velocity of approach that is left, of the same w",
        |r| r.certificate.approach,
    ),
    column(
        "normal_impulse[N s]",
        "sum over contacts of the impulses along the normals",
        |r| r.normal_impulse,
    ),
    column(
        "normal_impulse_at_end[N s]",
        "what of it the second problem of `rattle` gave",
        |r| r.normal_impulse_at_end,
    ),
];

/// What the columns of a load are called after the name of the wall, and what they are.
pub const LOAD_COLUMNS: [(&str, &str); 6] = [
    (
        "_force_x[N]",
        "force that bodies exert on the wall, mean over the step",
    ),
    ("_force_y[N]", "the same along y"),
    ("_force_z[N]", "the same along z"),
    ("_torque_x[N m]", "torque on the wall about its position"),
    ("_torque_y[N m]", "the same about y"),
    ("_torque_z[N m]", "the same about z"),
];

/// The columns of a run: those that all have, then the loads on the walls that are asked for.
fn columns(setup: &Setup) -> Vec<String> {
    let loads = setup.output.forces_on.iter().flat_map(|(name, _)| {
        let ends = LOAD_COLUMNS.iter();
        ends.map(move |(end, _)| format!("{name}{end}"))
    });
    let usual = COLUMNS.iter().map(|column| column.name.to_owned());
    usual.chain(loads).collect()
}

/// Makes a run's folder.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|source| refused(folder, source))
}

/// Writes `scene.toml`.
pub fn write_scene(folder: &Path, text: &str) -> Result<(), Failure> {
    Ok(write_file(&folder.join("scene.toml"), text.as_bytes())?)
}

/// Takes the summary of an earlier part or run away: it says nothing about the run that starts.
pub fn remove_summary(folder: &Path) -> Result<(), Failure> {
    let path = folder.join("summary.json");
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(refused(&path, error)),
        _ => Ok(()),
    }
}

fn refused(path: &Path, source: io::Error) -> Failure {
    let path = path.to_owned();
    WriteError::Io { path, source }.into()
}

/// Writes the files of a run.
pub struct Recorder {
    folder: PathBuf,
    series: SeriesWriter,
    frames: FrameWriter,
    frame_interval: f64,
    next_frame: f64,
    last_frame: f64,
    with_contacts: bool,
    /// Indices of the walls whose loads are written.
    loaded_walls: Vec<usize>,
    row: Vec<f64>,
}

impl Recorder {
    /// Opens the files in the run's folder at the state of the simulation: later rows and frames
    /// are forgotten. `next_frame` is when the next frame is due, s.
    pub fn open(
        folder: &Path,
        setup: &Setup,
        simulation: &Simulation,
        next_frame: f64,
    ) -> Result<Self, Failure> {
        let world = simulation.world();
        let bodies = &setup.world.bodies;
        let bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
        let path = folder.join("series.csv");
        let columns = columns(setup);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let (frames, series) = if world.steps == 0 {
            let frames = FrameWriter::create(folder, bounds)?;
            (frames, SeriesWriter::create(&path, &columns)?)
        } else {
            truncate_after(&path, world.steps)?;
            let frames = FrameWriter::resume(folder, bounds, world.time)?;
            (frames, SeriesWriter::append(&path, &columns)?)
        };
        let last_frame = frames.last_time().unwrap_or(f64::NEG_INFINITY);
        Ok(Self {
            folder: folder.to_owned(),
            series,
            frames,
            frame_interval: setup.output.frame_interval,
            next_frame,
            last_frame,
            with_contacts: setup.output.contacts,
            loaded_walls: (setup.output.forces_on.iter().map(|(_, wall)| *wall)).collect(),
            row: Vec::new(),
        })
    }

    /// When the next frame is due, s.
    pub fn next_frame(&self) -> f64 {
        self.next_frame
    }

    /// Adds the row of the last step of the simulation.
    pub fn row(&mut self, report: &StepReport, simulation: &Simulation) -> Result<(), Failure> {
        self.row.clear();
        self.row
            .extend(COLUMNS.iter().map(|column| (column.value)(report)));
        if !self.loaded_walls.is_empty() {
            let loads = simulation.wall_loads();
            for load in self.loaded_walls.iter().map(|&wall| loads[wall]) {
                self.row.extend(load.force.to_array());
                self.row.extend(load.torque.to_array());
            }
        }
        Ok(self.series.row(&self.row)?)
    }

    /// Writes a frame if its time has come.
    pub fn frame_if_due(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let time = simulation.world().time;
        // A frame that is due within rounding of this time is due.
        if time < self.next_frame - 1e-9 * self.frame_interval {
            return Ok(());
        }
        while self.next_frame <= time + 1e-9 * self.frame_interval {
            self.next_frame += self.frame_interval;
        }
        self.frame(simulation)
    }

    /// Writes the last frame, unless it is there.
    pub fn last_frame(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        if self.last_frame < simulation.world().time {
            self.frame(simulation)?;
        }
        Ok(())
    }

    fn frame(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let world = simulation.world();
        let loaded = Loaded::of(simulation, self.with_contacts);
        let contacts = ContactFrame {
            point: &loaded.point,
            normal: &loaded.normal,
            force: &loaded.force,
            moment: &loaded.moment,
            gap: &loaded.gap,
            body_a: &loaded.body_a,
            body_b: &loaded.body_b,
        };
        self.frames.write(
            world.time,
            &BodyFrame::of(&world.bodies),
            &contacts,
            &world.walls,
        )?;
        self.last_frame = world.time;
        Ok(())
    }

    /// Hands everything to the operating system.
    pub fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.series.flush()?)
    }

    /// Closes the files and writes the summary, each whether or not the other can be done.
    pub fn finish(self, summary: &Summary) -> Result<(), Failure> {
        let series = self.series.finish();
        summary.write(&self.folder.join("summary.json"))?;
        Ok(series?)
    }
}

/// The contacts that carry an impulse, for a frame.
#[derive(Default)]
struct Loaded {
    point: Vec<DVec3>,
    normal: Vec<DVec3>,
    force: Vec<DVec3>,
    /// Empty if no law has moments.
    moment: Vec<DVec3>,
    gap: Vec<f64>,
    body_a: Vec<i64>,
    body_b: Vec<i64>,
}

impl Loaded {
    fn of(simulation: &Simulation, wanted: bool) -> Self {
        let mut loaded = Self::default();
        let bodies = &simulation.world().bodies;
        let step = simulation.last_step_size();
        if !wanted || step == 0.0 {
            return loaded;
        }
        let contacts = simulation.contacts().iter().enumerate();
        for (k, contact) in contacts.filter(|(_, c)| c.normal_impulse() > 0.0) {
            loaded.point.push(contact.point);
            loaded.normal.push(contact.normal);
            loaded.force.push(contact.impulse.linear / step);
            let moment = |length: f64| length / step * contact.impulse.angular;
            loaded
                .moment
                .extend(simulation.moment_length(k).map(moment));
            loaded.gap.push(contact.gap);
            loaded.body_a.push(i64::from(bodies.id[contact.a as usize]));
            loaded.body_b.push(match contact.partner {
                Partner::Body(b) => i64::from(bodies.id[b as usize]),
                Partner::Patch(patch) => -1 - simulation.wall_of(patch) as i64,
            });
        }
        loaded
    }
}
