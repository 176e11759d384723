//! The files of a run as it goes.

use super::columns::{self, COLUMNS, LOAD_COLUMNS};
use super::frame_thread::FrameThread;
use super::measured::MeasureFiles;
use super::{RunError, RunFolder};
use crate::measures::Memory;
use crate::results::{
    Bounds, FrameWriter, RunRecord, SeriesWriter, Summary, WriteError, truncate_after,
};
use crate::scene::Setup;
use granule::simulation::{Simulation, StepReport};

/// Writes the files of a run.
pub(super) struct Recorder {
    folder: RunFolder,
    series: SeriesWriter,
    frames: FrameThread,
    /// What `run.json` says.
    record: RunRecord,
    frame_interval: f64,
    next_frame: f64,
    last_frame: f64,
    /// Indices of the walls whose loads are written.
    loaded_walls: Vec<usize>,
    /// Indices of the joints that have columns.
    joints: Vec<usize>,
    measured: MeasureFiles,
    row: Vec<f64>,
}

/// Intervals that a step is longer than at most: whoever asks for more frames than that gets one a step.
const MANY: f64 = 1e6;

impl Recorder {
    /// Opens the files in the run's folder. A run that goes on knows when its next frame is due (s) and what its
    /// measures remember, and rows and frames later than the state of the simulation are forgotten; otherwise all are.
    pub(super) fn open(
        folder: &RunFolder,
        setup: &Setup,
        simulation: &Simulation,
        earlier: Option<(f64, Memory)>,
    ) -> Result<Self, RunError> {
        let world = simulation.world();
        let bodies = &setup.world.bodies;
        let mut bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
        for inlet in &setup.world.inlets {
            let (center, radius) = inlet.region.bounding_sphere();
            bounds.include(center - radius);
            bounds.include(center + radius);
        }
        let path = folder.series_file();
        let (next_frame, memory) = earlier.unzip();
        let mut columns = columns::names(setup);
        let measured = MeasureFiles::open(folder, setup, simulation, &columns, memory)?;
        columns.extend(measured.columns(world.dimension));
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let (frames, series) = if next_frame.is_none() {
            let frames = FrameWriter::create(folder.path(), bounds)?;
            (frames, SeriesWriter::create(&path, &columns)?)
        } else {
            truncate_after(&path, world.steps)?;
            let frames = FrameWriter::resume(folder.path(), bounds, world.time)?;
            (frames, SeriesWriter::append(&path, &columns)?)
        };
        let frames = frames.in_dimension(world.dimension);
        let last_frame = frames.last_time().unwrap_or(f64::NEG_INFINITY);
        let frames = FrameThread::start(frames, setup.output.contacts)
            .map_err(|source| WriteError::io(folder.path(), source))?;
        Ok(Self {
            folder: folder.clone(),
            series,
            frames,
            record: setup.record(),
            frame_interval: setup.output.frame_interval,
            next_frame: next_frame.unwrap_or(world.time),
            last_frame,
            loaded_walls: (setup.output.forces_on.iter().map(|(_, wall)| *wall)).collect(),
            joints: setup.named_joints().map(|(number, _)| number).collect(),
            measured,
            row: Vec::new(),
        })
    }

    /// When the next frame is due, s.
    pub(super) fn next_frame(&self) -> f64 {
        self.next_frame
    }

    /// What measures remember.
    pub(super) fn memory(&self) -> &Memory {
        self.measured.memory()
    }

    /// Adds the row of the last step of the simulation. An error may also be that of the last frame.
    pub(super) fn row(
        &mut self,
        report: &StepReport,
        simulation: &Simulation,
    ) -> Result<(), RunError> {
        self.row.clear();
        self.row
            .extend(COLUMNS.iter().map(|column| (column.value)(report)));
        if !self.loaded_walls.is_empty() {
            let loads = simulation.wall_loads();
            for load in self.loaded_walls.iter().map(|&wall| &loads[wall]) {
                let values = LOAD_COLUMNS.iter().map(|column| (column.value)(load));
                self.row.extend(values);
            }
        }
        let loads = simulation.joint_loads();
        for &number in &self.joints {
            let joint = &simulation.world().joints[number];
            columns::of_joint(joint, &loads[number], |_, value| self.row.push(value));
        }
        columns::of_exchange(simulation.world(), report, |value| self.row.push(value));
        columns::of_cell(simulation.world(), |value| self.row.push(value));
        self.measured
            .add_to_row(report, simulation, &mut self.row)?;
        self.series.row(&self.row)?;
        Ok(self.frames.look()?)
    }

    /// Has a frame written if its time has come. An error may also be that of the frame before.
    pub(super) fn frame_if_due(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        let time = simulation.world().time;
        // A frame that is due within rounding of this time is due.
        if time < self.next_frame - 1e-9 * self.frame_interval {
            return Ok(());
        }
        if time - self.next_frame > MANY * self.frame_interval {
            // An interval that vanishes beside the step: a frame a step.
            self.next_frame = time.next_up();
        } else {
            while self.next_frame <= time + 1e-9 * self.frame_interval {
                let next = self.next_frame + self.frame_interval;
                self.next_frame = next.max(self.next_frame.next_up());
            }
        }
        self.frame(simulation)
    }

    /// Has the last frame written, unless it is there or on its way.
    pub(super) fn last_frame(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        if self.last_frame < simulation.world().time {
            self.frame(simulation)?;
        }
        Ok(())
    }

    fn frame(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        let world = simulation.world();
        if self.record.solids != world.bodies.solids {
            // A program has added bodies of new shapes, which the frame is about to name.
            self.record.solids.clone_from(&world.bodies.solids);
            self.record.write(self.folder.path())?;
        }
        self.frames.write(simulation)?;
        self.last_frame = world.time;
        Ok(())
    }

    /// Hands everything to the operating system, and waits for the frame that is being written.
    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        self.frames.wait()?;
        self.measured.flush()?;
        Ok(self.series.flush()?)
    }

    /// Closes the files and writes the summary, each whether or not the other can be done.
    pub(super) fn finish(mut self, summary: &Summary) -> Result<(), RunError> {
        let frames = self.frames.wait();
        let measured = self.measured.finish();
        let series = self.series.finish();
        summary.write(&self.folder.summary_file())?;
        frames?;
        series?;
        measured
    }
}
