//! The engines that are compared: where they are, how they are called, and at which settings.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Who simulates, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// This program
    Granule,
    /// Rapier, in single and in double precision
    Rapier,
    /// LIGGGHTS: soft spheres, Hertz' law
    Liggghts,
    /// YADE: soft spheres, linear springs
    Yade,
    /// MuJoCo: convex contacts that give
    Mujoco,
    /// Pinocchio's solver of contact problems (ADMM), in a loop of Python
    Pinocchio,
}

/// Python for the packages of PyPI, in the folder of peers.
const PYTHON: &str = "environment/bin/python";

/// A run that is compared with others: an engine at one of its settings.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Who simulates.
    pub engine: Engine,
    /// The engine, and which of its kinds: one curve of the plot.
    pub kind: &'static str,
    /// What is set.
    pub setting: &'static str,
    /// The arguments that set it.
    options: &'static [&'static str],
}

/// The step that Rapier takes as shipped, s.
const RAPIERS: &str = "0.016666666666666666";

impl Contender {
    const fn new(
        engine: Engine,
        kind: &'static str,
        setting: &'static str,
        options: &'static [&'static str],
    ) -> Self {
        Self {
            engine,
            kind,
            setting,
            options,
        }
    }

    /// Everyone, the most careless setting of each kind first.
    pub fn all() -> Vec<Self> {
        use Engine::{Granule, Liggghts, Mujoco, Pinocchio, Rapier, Yade};
        const CONVEX: &str = "Granule, convexified";
        const EXACT: &str = "Granule, exact";
        const LONG: &str = "Granule, convexified, h = 1/60 s";
        const LONG_EXACT: &str = "Granule, exact, h = 1/60 s";
        let entry = Self::new;
        vec![
            entry(Granule, CONVEX, "to 1e-2", &["coulomb-convex", "1e-2"]),
            entry(Granule, CONVEX, "to 1e-3", &["coulomb-convex", "1e-3"]),
            entry(Granule, CONVEX, "to 1e-4", &["coulomb-convex", "1e-4"]),
            entry(Granule, EXACT, "to 1e-2", &["coulomb", "1e-2"]),
            entry(Granule, EXACT, "to 1e-3", &["coulomb", "1e-3"]),
            entry(Granule, EXACT, "to 1e-4", &["coulomb", "1e-4"]),
            entry(
                Granule,
                LONG,
                "to 1e-2",
                &["coulomb-convex", "1e-2", RAPIERS],
            ),
            entry(
                Granule,
                LONG,
                "to 3e-3",
                &["coulomb-convex", "3e-3", RAPIERS],
            ),
            entry(
                Granule,
                LONG,
                "to 1e-3",
                &["coulomb-convex", "1e-3", RAPIERS],
            ),
            entry(
                Granule,
                LONG_EXACT,
                "to 1e-3",
                &["coulomb", "1e-3", RAPIERS],
            ),
            entry(
                Granule,
                LONG_EXACT,
                "to 1e-4",
                &["coulomb", "1e-4", RAPIERS],
            ),
            entry(Rapier, "Rapier f32", "as shipped", &[]),
            entry(Rapier, "Rapier f64", "as shipped", &[]),
            entry(
                Rapier,
                "Rapier f64",
                "h = 10 ms, 8 iterations, 120 Hz, contacts found anew",
                &["step=0.01", "iterations=8", "frequency=120", "recycling=0"],
            ),
            entry(
                Rapier,
                "Rapier f64",
                "h = 5 ms, 16 iterations, 240 Hz, contacts found anew",
                &[
                    "step=0.005",
                    "iterations=16",
                    "frequency=240",
                    "recycling=0",
                ],
            ),
            entry(Liggghts, "LIGGGHTS", "E = 5e5 Pa", &["young=5e5"]),
            entry(Liggghts, "LIGGGHTS", "E = 5e6 Pa", &["young=5e6"]),
            entry(Liggghts, "LIGGGHTS", "E = 5e7 Pa", &["young=5e7"]),
            entry(Yade, "YADE", "k = 1e4 N/m", &["stiffness=1e4"]),
            entry(Yade, "YADE", "k = 1e5 N/m", &["stiffness=1e5"]),
            entry(Yade, "YADE", "k = 1e6 N/m", &["stiffness=1e6"]),
            entry(
                Mujoco,
                "MuJoCo, CG",
                "h = 10 ms",
                &["step=0.01", "reference=0.02"],
            ),
            entry(
                Mujoco,
                "MuJoCo, CG",
                "h = 5 ms",
                &["step=0.005", "reference=0.01"],
            ),
            entry(Pinocchio, "Pinocchio, ADMM", "to 1e-4", &["tolerance=1e-4"]),
        ]
    }

    /// The program that takes a start state to its end state; `peers` is the folder of the peers.
    pub fn command(&self, peers: &Path, run: &Start<'_>) -> Result<Command, String> {
        let Start { start, end, n, .. } = *run;
        if self.engine == Engine::Granule {
            let own = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(own);
            let folder = start.parent().unwrap_or(Path::new("."));
            command.args(["bench", "box_drop", "--json", "--solver", "usual"]);
            command.arg("--n").arg(n.to_string());
            command.arg("--data").arg(folder).arg("--state").arg(end);
            for (key, value) in ["--law", "--tolerance", "--step"].iter().zip(self.options) {
                command.arg(key).arg(value);
            }
            return Ok(command);
        }
        let mut words = self.program(peers);
        words.extend([
            start.to_owned(),
            run.friction.to_string().into(),
            end.to_owned(),
        ]);
        words.extend(self.options.iter().map(PathBuf::from));
        let mut command = Command::new("timeout");
        command.arg("--foreground").arg(run.limit.to_string());
        command.args(words);
        for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
            command.env(threads, "1");
        }
        Ok(command)
    }

    /// The words that call an engine of the folder of peers.
    fn program(&self, peers: &Path) -> Vec<PathBuf> {
        let script = |name: &str| peers.join(name);
        match self.engine {
            Engine::Granule => Vec::new(),
            Engine::Rapier => {
                let precision = self.kind.rsplit(' ').next().unwrap_or_default();
                let built = format!("rapier/target/{precision}/release/peer-rapier");
                vec![peers.join(built)]
            }
            Engine::Liggghts => vec!["python3".into(), script("liggghts_box.py")],
            Engine::Yade => {
                let mut words: Vec<PathBuf> = ["yade", "-x", "-n", "-j1"].map(Into::into).into();
                words.push(script("yade_box.py"));
                words
            }
            Engine::Mujoco => vec![peers.join(PYTHON), script("mujoco_box.py")],
            Engine::Pinocchio => vec![peers.join(PYTHON), script("pinocchio_box.py")],
        }
    }
}

/// One run from a start state.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The state to start from, `box_nN.csv`.
    pub start: &'a Path,
    /// Where the state at the end goes.
    pub end: &'a Path,
    /// Spheres along a side.
    pub n: usize,
    /// μ.
    pub friction: f64,
    /// A run that takes longer is ended, s.
    pub limit: u64,
}

impl Engine {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Granule => "granule",
            Self::Rapier => "rapier",
            Self::Liggghts => "liggghts",
            Self::Yade => "yade",
            Self::Mujoco => "mujoco",
            Self::Pinocchio => "pinocchio",
        }
    }

    /// Whether it can be called from here.
    pub fn is_here(self, peers: &Path) -> bool {
        let python = peers.join(PYTHON);
        match self {
            Self::Granule => true,
            Self::Rapier => ["f32", "f64"].iter().all(|precision| {
                let built = format!("rapier/target/{precision}/release/peer-rapier");
                peers.join(built).exists()
            }),
            // Its help ends with an error.
            Self::Liggghts => status(Command::new("liggghts").args(["-log", "none", "-h"])).is_ok(),
            Self::Yade => answers(Command::new("yade").arg("--version")),
            Self::Mujoco => answers(Command::new(python).args(["-c", "import mujoco"])),
            Self::Pinocchio => {
                answers(Command::new(python).args(["-c", "import pinocchio, scipy"]))
            }
        }
    }

    /// Where it comes from.
    pub fn source(self) -> &'static str {
        match self {
            Self::Granule => "",
            Self::Rapier => "built from the package rapier3d",
            Self::Liggghts => "Debian's package liggghts",
            Self::Yade => "Debian's package yade",
            Self::Mujoco => "PyPI's package mujoco",
            Self::Pinocchio => "PyPI's packages pin and scipy",
        }
    }
}

/// How a program that nobody listens to ended.
fn status(command: &mut Command) -> std::io::Result<ExitStatus> {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status()
}

/// Whether a program starts and ends well.
fn answers(command: &mut Command) -> bool {
    status(command).is_ok_and(|status| status.success())
}
