//! What the system tests share: small scenes, calls of the command, and readings of a run's folder.

use granule_io::results::{RunStatus, Summary};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// s, the step of [`heap`].
pub const STEP: f64 = 2e-3;

/// A hundred balls fall in a box. A frame every 10 steps, a checkpoint every `checkpoint` seconds.
/// It would go on for millions of steps: `--until` says how far it goes.
pub fn heap(checkpoint: f64) -> String {
    format!(
        r#"
[scene]
name = "heap"
description = "Balls fall in a box"
[time]
step = {STEP}
end = 1e4
[solver]
tolerance = 1e-6
[contacts]
law = "frictionless"
[output]
frame_interval = 0.02
checkpoint_interval = {checkpoint}
[[walls]]
box = {{ size = [0.5, 0.5, 2], open = ["+z"] }}
position = [0, 0, 1]
[[grains]]
grid = {{ counts = [5, 5, 4], spacing = 0.1, origin = [-0.2, -0.2, 0.06], jitter = 0.004 }}
radius = {{ uniform = [0.04, 0.045] }}
seed = 3
"#
    )
}

/// A time after so many steps, for `--until`.
pub fn after(steps: u64) -> String {
    format!("{:?}", steps as f64 * STEP)
}

/// How a call ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// The call, if it ended with this code and without a panic.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    /// The call, if what it told people holds all of these.
    #[track_caller]
    pub fn saying(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "no `{word}` in: {}", self.err);
        }
        self
    }
}

/// A folder of its own for a test, with a scene in it.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a scene file `scene.toml`.
    pub fn with_scene(text: &str) -> Self {
        let place = Self::new();
        place.write("scene.toml", text);
        place
    }

    /// With a copy of all scenes that come with the program.
    pub fn with_all_scenes() -> Self {
        let place = Self::new();
        let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        copy(&scenes, &place.path("scenes"));
        // A million spheres are too many for tests.
        let million = place.path("scenes/million.toml");
        let text = std::fs::read_to_string(&million).unwrap();
        let few = text.replace("counts = [100, 100, 100]", "counts = [6, 6, 6]");
        assert!(few != text);
        std::fs::write(&million, few).unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The command, called from this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_granule"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    pub fn call(&self, arguments: &[&str]) -> Outcome {
        let output = self.command(arguments).output().unwrap();
        Outcome {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs `scene.toml` to its folder `out`.
    pub fn run(&self, out: &str, more: &[&str]) -> Outcome {
        let start = ["run", "scene.toml", "--out", out, "--threads", "1"];
        self.call(&[&start, more].concat())
    }

    /// Starts `scene.toml` and lets it go on.
    pub fn start(&self, out: &str, more: &[&str]) -> Child {
        let start = ["run", "scene.toml", "--out", out, "--threads", "1"];
        self.command(&[&start, more].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    pub fn summary(&self, out: &str) -> Summary {
        Summary::read(&self.path(out).join("summary.json")).unwrap()
    }

    /// What must not depend on how a run came about.
    pub fn results(&self, out: &str) -> Results {
        Results::of(&self.path(out))
    }
}

/// The results of a completed run, bit by bit.
#[derive(PartialEq)]
pub struct Results {
    hash: u64,
    steps: u64,
    series: String,
    frames: BTreeMap<String, Vec<u8>>,
}

impl Results {
    pub fn of(folder: &Path) -> Self {
        let summary = Summary::read(&folder.join("summary.json")).unwrap();
        assert_eq!(summary.status, RunStatus::Completed);
        let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
        assert_eq!(series.lines().count() as u64, summary.steps + 1);
        let mut frames = files(&folder.join("frames"));
        let list = std::fs::read(folder.join("frames.pvd")).unwrap();
        frames.insert("frames.pvd".to_owned(), list);
        if let Ok(walls) = std::fs::read(folder.join("walls.vtp")) {
            frames.insert("walls.vtp".to_owned(), walls);
        }
        if folder.join("measures").exists() {
            frames.extend(files(&folder.join("measures")));
        }
        Self {
            hash: summary.state_hash,
            steps: summary.steps,
            series,
            frames,
        }
    }

    /// Fails with the first difference.
    #[track_caller]
    pub fn assert_same(&self, other: &Self, what: &str) {
        assert_eq!(self.steps, other.steps, "{what}: steps");
        let rows = self.series.lines().zip(other.series.lines());
        for (mine, theirs) in rows {
            assert_eq!(mine, theirs, "{what}: rows of series.csv");
        }
        assert_eq!(self.series, other.series, "{what}: series.csv");
        let names = |results: &Self| results.frames.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(self), names(other), "{what}: files of frames");
        for (name, bytes) in &self.frames {
            assert!(bytes == &other.frames[name], "{what}: {name}");
        }
        assert_eq!(self.hash, other.hash, "{what}: state_hash");
    }
}

/// All files in a folder and below it, with their content.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = files(&path).into_iter();
            found.extend(inner.map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}

/// Copies a folder with all that is below it.
pub fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// A checkpoint file of a run, by its header.
pub struct CheckpointFile {
    pub generation: u64,
    pub step: u64,
    pub path: PathBuf,
}

/// The newest checkpoint of a run.
pub fn newest_checkpoint(folder: &Path) -> Option<CheckpointFile> {
    let read = |name: &str| {
        let path = folder.join("checkpoint").join(name);
        let bytes = std::fs::read(&path).ok()?;
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(CheckpointFile {
            generation: number(16)?,
            step: number(24)?,
            path,
        })
    };
    let found = ["a.bin", "b.bin"].into_iter().filter_map(read);
    found.max_by_key(|file| file.generation)
}

/// Waits until the checkpoints of a run have been counted up to `generation`.
pub fn wait_for_checkpoint(child: &mut Child, folder: &Path, generation: u64) {
    wait(child, || {
        newest_checkpoint(folder).is_some_and(|file| file.generation >= generation)
    });
}

/// Waits until a run that is going on has come to a point.
pub fn wait(child: &mut Child, mut reached: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(300);
    while !reached() {
        if let Some(status) = child.try_wait().unwrap() {
            panic!("the run ended before it should: {status}");
        }
        assert!(Instant::now() < patience, "the run does not get anywhere");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends a run as a lost power line would.
pub fn kill(mut child: Child) {
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), None, "{status}");
}

/// The keys of an object.
pub fn keys(value: &serde_json::Value) -> std::collections::BTreeSet<&str> {
    let object = value.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

/// A scene up to its grains.
pub fn without_grains(scene: &str) -> String {
    scene.split("[[grains]]").next().unwrap().to_owned()
}
