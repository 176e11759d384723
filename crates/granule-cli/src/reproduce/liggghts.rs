//! Debian's LIGGGHTS as a peer: a soft-sphere code, given the same spheres, springs, dampers, friction and lid.

use super::Error;
use super::tasora2013_packing::{DENSITY, Packing};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The program.
const PROGRAM: &str = "liggghts";

/// A box of spheres whose lid comes down.
pub struct Press<'a> {
    /// The spheres.
    pub packing: &'a Packing,
    /// K along the normal and across it, N/m.
    pub stiffness: [f64; 2],
    /// Damping as a multiple of the reduced mass, 1/s.
    pub mass_damping: f64,
    /// μ.
    pub friction: f64,
    /// Of the lid, m/s.
    pub speed: f64,
    /// Length of steps, s.
    pub step: f64,
    /// How many steps forces are the mean of, and how many such means there are.
    pub each: usize,
    /// How many such means there are.
    pub count: usize,
}

/// What came out.
pub struct Pressed {
    /// The force on the lid, N, over one stretch of steps after another.
    pub forces: Vec<f64>,
    /// Wall time of the whole program, one thread.
    pub seconds: f64,
}

/// Whether it is installed.
pub fn installed() -> bool {
    Command::new(PROGRAM)
        .args(["-log", "none", "-h"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// The spheres, in its format.
fn data(packing: &Packing) -> String {
    let (low, wide, high) = (
        -0.1 * packing.width,
        1.1 * packing.width,
        1.1 * packing.height,
    );
    let mut text = format!(
        "spheres\n\n{} atoms\n1 atom types\n\n{low} {wide} xlo xhi\n{low} {wide} ylo yhi\n{low} {high} zlo zhi\n\nAtoms\n\n",
        packing.grains.len()
    );
    for (k, (place, radius)) in packing.grains.iter().enumerate() {
        let _ = writeln!(
            text,
            "{} 1 {:?} {DENSITY} {:?} {:?} {:?}",
            k + 1,
            2.0 * radius,
            place.x,
            place.y,
            place.z
        );
    }
    text
}

/// The lid as two triangles that reach beyond the box by a twentieth of it.
fn lid(packing: &Packing) -> String {
    let (a, b, z) = (-0.05 * packing.width, 1.05 * packing.width, packing.height);
    let corners = [[(a, a), (a, b), (b, b)], [(a, a), (b, b), (b, a)]];
    let mut text = "solid lid\n".to_owned();
    for triangle in corners {
        text.push_str("facet normal 0 0 -1\nouter loop\n");
        for (x, y) in triangle {
            let _ = writeln!(text, "vertex {x:?} {y:?} {z:?}");
        }
        text.push_str("endloop\nendfacet\n");
    }
    text + "endsolid lid\n"
}

impl Press<'_> {
    /// Its input. Linear springs with their stiffness as given, dampers as multiples of the reduced mass, friction
    /// with a spring that slides.
    fn input(&self) -> String {
        let [normal, tangential] = self.stiffness;
        let model = "model hooke/stiffness tangential history";
        let mut walls = String::new();
        let width = self.packing.width;
        for (k, (plane, at)) in [
            ("z", 0.0),
            ("x", 0.0),
            ("x", width),
            ("y", 0.0),
            ("y", width),
        ]
        .into_iter()
        .enumerate()
        {
            let _ = writeln!(
                walls,
                "fix w{k} all wall/gran {model} primitive type 1 {plane}plane {at:?}"
            );
        }
        format!(
            "atom_style granular\n\
             atom_modify map array\n\
             boundary f f f\n\
             newton off\n\
             communicate single vel yes\n\
             units si\n\
             read_data data\n\
             neighbor 0.001 bin\n\
             neigh_modify delay 0\n\
             fix m1 all property/global kn peratomtypepair 1 {normal:?}\n\
             fix m2 all property/global kt peratomtypepair 1 {tangential:?}\n\
             fix m3 all property/global gamman peratomtypepair 1 {damping:?}\n\
             fix m4 all property/global gammat peratomtypepair 1 {damping:?}\n\
             fix m5 all property/global coefficientFriction peratomtypepair 1 {friction:?}\n\
             pair_style gran {model}\n\
             pair_coeff * *\n\
             timestep {step:?}\n\
             {walls}\
             fix lid all mesh/surface/stress file lid.stl type 1\n\
             fix press all move/mesh mesh lid linear 0. 0. {speed:?}\n\
             fix wl all wall/gran {model} mesh n_meshes 1 meshes lid\n\
             fix integ all nve/sphere\n\
             fix force all ave/time 1 {each} {each} f_lid[3] file forces\n\
             thermo {steps}\n\
             run {steps}\n",
            damping = self.mass_damping,
            friction = self.friction,
            step = self.step,
            speed = -self.speed,
            each = self.each,
            steps = self.each * self.count,
        )
    }

    /// Runs it in a folder of its own.
    pub fn run(&self) -> Result<Pressed, Error> {
        let folder = tempfile::tempdir().map_err(|error| Error::Peer(error.to_string()))?;
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(|source| Error::Write { path, source })
        };
        write("data", data(self.packing))?;
        write("lid.stl", lid(self.packing))?;
        write("in", self.input())?;
        let clock = Instant::now();
        let output = Command::new(PROGRAM)
            .args(["-in", "in"])
            .current_dir(folder.path())
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Error::Peer(error.to_string()))?;
        let seconds = clock.elapsed().as_secs_f64();
        let forces = read(&folder.path().join("forces"));
        if !output.status.success() || forces.len() < self.count {
            let said = String::from_utf8_lossy(&output.stdout);
            let last = said.lines().rev().take(3).collect::<Vec<_>>().join("; ");
            return Err(Error::Peer(format!("LIGGGHTS: {last}")));
        }
        Ok(Pressed { forces, seconds })
    }
}

/// The means in a file of `fix ave/time`: lines of step and value below comments.
fn read(path: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().nth(1)?.parse().ok())
        .collect()
}
