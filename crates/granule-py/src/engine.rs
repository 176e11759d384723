//! A simulation, recorded in a folder or not.

use crate::contacts::contact_states;
use crate::failure::Failure;
use crate::gate::{Gate, Turn};
use crate::report::StepReport;
use crate::scene::{Scene, color_by, options, picture};
use crate::threads;
use granule::bodies::Bodies;
use granule::simulation::{self, Simulation, World};
use granule::solver::Watch;
use granule_io::run::{Run, RunFolder};
use granule_io::scene::Setup;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of a step, how far the time may miss where it was to go: what rounding adds up to.
const ROUNDING: f64 = 1e-6;

/// How far to go.
struct Aim {
    /// Steps.
    most: u64,
    /// s of simulated time.
    until: f64,
    /// Of the clock on the wall.
    patience: Duration,
}

/// How far it went.
struct Advanced {
    taken: u64,
    last: Option<simulation::StepReport>,
    stopped: bool,
}

/// What is simulated.
enum Core {
    /// In memory alone.
    Free {
        simulation: Box<Simulation>,
        setup: Box<Setup>,
    },
    /// With a folder of results.
    Recorded(Box<Run>),
    /// The folder is complete.
    Closed,
}

/// What one thread of Python at a time may use.
pub struct State {
    core: Core,
    /// The places of the bodies in the order of ids, as they were last.
    order: Vec<u32>,
    /// Whether others have asked the run to end.
    stopped: bool,
}

/// A simulation, recorded in a folder or not.
#[pyclass(frozen, module = "granule._granule")]
pub struct Engine {
    gate: Gate<State>,
    threads: usize,
    /// The process that made it.
    process: u32,
}

impl Core {
    fn step(&mut self) -> Result<simulation::StepReport, Failure> {
        match self {
            Self::Free { simulation, setup } => (simulation.step())
                .map_err(|error| Failure::of_step(&error, |party| setup.name_of(party))),
            Self::Recorded(run) => Ok(run.step()?),
            Self::Closed => Err(closed()),
        }
    }

    /// Does what others ask of a run; gives whether it is to end.
    fn obey(&mut self, watch: &Watch) -> Result<bool, Failure> {
        let Self::Recorded(run) = self else {
            return Ok(false);
        };
        let asked = run.obey(|_| match watch.is_stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
        Ok(asked.is_break() && !watch.is_stopped())
    }

    /// Takes steps up to an aim; gives how many, the report on the last, and whether others want the run to end.
    fn advance(&mut self, aim: &Aim, watch: &Watch) -> Result<Advanced, Failure> {
        let clock = Instant::now();
        let (mut taken, mut last, mut stopped) = (0, None, false);
        while taken < aim.most && !stopped {
            let simulation = self.simulation()?;
            let slack = ROUNDING * simulation.last_step_size();
            if simulation.finished() || simulation.world().time >= aim.until - slack {
                break;
            }
            last = Some(self.step()?);
            taken += 1;
            stopped = self.obey(watch)?;
            if clock.elapsed() >= aim.patience {
                break;
            }
        }
        Ok(Advanced {
            taken,
            last,
            stopped,
        })
    }

    fn simulation(&self) -> Result<&Simulation, Failure> {
        match self {
            Self::Free { simulation, .. } => Ok(simulation),
            Self::Recorded(run) => Ok(run.simulation()),
            Self::Closed => Err(closed()),
        }
    }
}

fn closed() -> Failure {
    Failure::Run("the run is closed; read it with `granule.load`".to_owned())
}

/// Whether these are the places of all bodies in the order of their ids.
fn in_order(ids: &[u32], order: &[u32]) -> bool {
    let mut last = None;
    let increases = |place: &u32| match ids.get(*place as usize) {
        Some(id) if last.is_none_or(|last| last < *id) => {
            last = Some(*id);
            true
        }
        _ => false,
    };
    order.len() == ids.len() && order.iter().all(increases)
}

impl State {
    pub(crate) fn simulation(&self) -> Result<&Simulation, Failure> {
        self.core.simulation()
    }

    pub(crate) fn simulation_mut(&mut self) -> Result<&mut Simulation, Failure> {
        match &mut self.core {
            Core::Free { simulation, .. } => Ok(simulation),
            Core::Recorded(run) => Ok(run.simulation_mut()),
            Core::Closed => Err(closed()),
        }
    }

    pub(crate) fn setup(&self) -> Result<&Setup, Failure> {
        match &self.core {
            Core::Free { setup, .. } => Ok(setup),
            Core::Recorded(run) => Ok(run.setup()),
            Core::Closed => Err(closed()),
        }
    }

    /// The bodies, and their places in the order of ids.
    pub(crate) fn ordered(&mut self) -> Result<(&Bodies, &[u32]), Failure> {
        let Self { core, order, .. } = self;
        let bodies = &core.simulation()?.world().bodies;
        // Places change rarely; to see that they have not takes much less than to sort.
        if !in_order(&bodies.id, order) {
            *order = bodies.places();
        }
        Ok((bodies, order))
    }

    /// Changes the world between two steps.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut World) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut outcome = None;
        let simulation = self.simulation_mut()?;
        // What is refused half-way must not stay: the old world is put back.
        let before = simulation.world().clone();
        simulation.change_world(|world| {
            let done = change(world);
            if done.is_err() {
                *world = before;
            }
            outcome = Some(done);
        })?;
        outcome.unwrap_or_else(|| Err(closed()))
    }
}

impl Engine {
    fn new(core: Core, threads: usize) -> Self {
        let state = State {
            core,
            order: Vec::new(),
            stopped: false,
        };
        Self {
            gate: Gate::new(state),
            threads,
            process: std::process::id(),
        }
    }

    /// Waits until no other thread uses it.
    pub(crate) fn enter(&self, py: Python<'_>) -> PyResult<Turn<'_, State>> {
        self.gate.enter(py)
    }

    /// [`Engine::enter`], for what writes a run's folder: a process that was forked has no thread that writes its frames.
    fn enter_to_record(&self, py: Python<'_>) -> PyResult<Turn<'_, State>> {
        let engine = self.enter(py)?;
        if matches!(engine.core, Core::Recorded(_)) && self.process != std::process::id() {
            let words = "the run belongs to the process that opened it, and this one was forked from it: open a run here";
            return Err(Failure::Run(words.to_owned()).into());
        }
        Ok(engine)
    }

    fn pool(&self) -> Result<Arc<ThreadPool>, Failure> {
        threads::pool(Some(self.threads))
    }
}

#[pymethods]
impl Engine {
    /// A simulation in memory, until another end (s) if one is given.
    #[staticmethod]
    fn free(
        py: Python<'_>,
        scene: &Scene,
        end: Option<f64>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let setup = Box::new(scene.setup(end)?);
        let pool = threads::pool(threads)?;
        let simulation =
            py.detach(|| pool.install(|| Simulation::new(setup.world.clone(), setup.settings)));
        let simulation = Box::new(simulation.map_err(Failure::from)?);
        let core = Core::Free { simulation, setup };
        Ok(Self::new(core, pool.current_num_threads()))
    }

    /// A run in a folder; closed if the one to resume is complete.
    #[staticmethod]
    fn recorded(
        py: Python<'_>,
        scene: &Scene,
        folder: PathBuf,
        mode: &str,
        end: Option<f64>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let setup = scene.setup(end)?;
        let pool = threads::pool(threads)?;
        let run = py.detach(|| {
            pool.install(|| match mode {
                "resume" => Run::resume(&folder, setup),
                "replace" => Run::replace(&folder, setup).map(Some),
                _ => Run::create(&folder, setup).map(Some),
            })
        });
        let run = run.map_err(Failure::from)?;
        let core = run.map_or(Core::Closed, |run| Core::Recorded(Box::new(run)));
        Ok(Self::new(core, pool.current_num_threads()))
    }

    /// The first folder of `runs/NAME`, `runs/NAME-2`, … that holds no run.
    #[staticmethod]
    fn free_folder(first: PathBuf) -> PathBuf {
        RunFolder::free(&first).path().to_owned()
    }

    /// Whether a run has been started in the folder.
    #[staticmethod]
    fn holds_run(folder: PathBuf) -> bool {
        RunFolder::new(&folder).holds_run()
    }

    /// Takes steps: at most so many, until a time (s), and for about so many seconds; gives how many were taken and the
    /// report on the last one. Python's lock is free meanwhile; a signal that Python answers by an exception breaks off the
    /// step that is being taken.
    fn advance(
        &self,
        py: Python<'_>,
        steps: Option<u64>,
        until: Option<f64>,
        seconds: f64,
    ) -> PyResult<(u64, Option<StepReport>)> {
        let mut engine = self.enter_to_record(py)?;
        let pool = self.pool()?;
        let watch = Watch::default();
        engine.simulation_mut()?.set_watch(watch.clone());
        let core = &mut engine.core;
        let aim = Aim {
            most: steps.unwrap_or(u64::MAX),
            until: until.unwrap_or(f64::INFINITY),
            patience: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        };
        let advanced = threads::watched(py, &pool, &watch, || core.advance(&aim, &watch))?;
        let advanced = advanced.map_err(|failure: Failure| PyErr::from(failure))?;
        engine.stopped |= advanced.stopped;
        Ok((advanced.taken, advanced.last.map(StepReport)))
    }

    /// Writes the last checkpoint and the summary of a recorded run and closes it; gives the summary as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let mut engine = self.enter_to_record(py)?;
        let pool = self.pool()?;
        match std::mem::replace(&mut engine.core, Core::Closed) {
            Core::Recorded(run) => {
                let summary = py.detach(|| pool.install(|| run.finish()));
                let summary = summary.map_err(Failure::from)?;
                Ok(serde_json::to_string(&summary).ok())
            }
            Core::Free { .. } | Core::Closed => Ok(None),
        }
    }

    /// A simulation in memory in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let engine = self.enter(py)?;
        let setup = Box::new(engine.setup()?.clone());
        let snapshot = engine.simulation()?.snapshot();
        let pool = self.pool()?;
        let simulation = py.detach(|| pool.install(|| Simulation::restore(snapshot)));
        let simulation = Box::new(simulation.map_err(Failure::from)?);
        Ok(Self::new(Core::Free { simulation, setup }, self.threads))
    }

    /// The time reached, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.world().time)
    }

    /// Steps taken so far.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.world().steps)
    }

    /// The time to stop at, s.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<f64> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.settings().end)
    }

    /// The length of the last step, s; zero before the first.
    #[getter]
    fn step_size(&self, py: Python<'_>) -> PyResult<f64> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.last_step_size())
    }

    /// Whether the end is reached.
    #[getter]
    fn finished(&self, py: Python<'_>) -> PyResult<bool> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.finished())
    }

    /// Whether others have asked the run to end, as the viewer does.
    #[getter]
    fn stopped(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.enter(py)?.stopped)
    }

    /// Whether the run is closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        let engine = self.enter(py)?;
        Ok(matches!(engine.core, Core::Closed))
    }

    /// How many threads it works on.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// 1, 2 or 3.
    #[getter]
    fn dimension(&self, py: Python<'_>) -> PyResult<usize> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.world().dimension.count())
    }

    /// m/s².
    #[getter]
    fn gravity(&self, py: Python<'_>) -> PyResult<[f64; 3]> {
        let engine = self.enter(py)?;
        Ok(engine.simulation()?.world().gravity.to_array())
    }

    #[setter]
    fn set_gravity(&self, py: Python<'_>, gravity: [f64; 3]) -> PyResult<()> {
        let mut engine = self.enter(py)?;
        let change = |world: &mut World| {
            world.gravity = gravity.into();
            Ok(())
        };
        Ok(engine.change(change)?)
    }

    /// The bytes of a PNG picture.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        width: u32,
        height: u32,
        color: &str,
        view: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let engine = self.enter(py)?;
        let (options, color) = (options(width, height, view)?, color_by(color)?);
        let simulation = engine.simulation()?;
        let (world, contacts) = (
            simulation.world().clone(),
            contact_states(simulation, false),
        );
        let pool = self.pool()?;
        let setup = engine.setup()?;
        let draw = || picture(setup, &world, &contacts, &color, &options);
        let png = py.detach(|| pool.install(draw));
        Ok(PyBytes::new(py, &png))
    }

    /// The time (s) spent in each stage so far, by its name.
    fn stage_seconds(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, f64)>> {
        let engine = self.enter(py)?;
        let times = engine.simulation()?.times();
        let stages = simulation::Stage::ALL.into_iter();
        Ok(stages
            .map(|stage| (stage.name(), times.get(stage).as_secs_f64()))
            .collect())
    }
}
