//! The shear box of [tasora2013, §11]: the load on the floor, the height of the mass and the shear force over time and
//! displacement, with other compliances and frictions.
//!
//! It is the scene `shear_box`, whose upper half goes back in the end. The paper gives no numbers for what is seen but that
//! the floor comes to carry about 1000 N; it does not say where the box is cut, how rough its sides are, and how fast it is
//! shifted: ours is cut at half the height of the grains, has smooth sides, so that the floor carries the whole weight, and
//! goes 10 mm/s. The mass is given half a second to come to rest before that, where the paper gives it a tenth.

use super::news::News;
use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::TimeFunction;
use granule::simulation::Simulation;
use granule_io::scene::grammar::{InTime, Sections};
use granule_io::scene::{Scene, Setup, parse};
use std::path::Path;

const SCENE: &str = include_str!("../../../../scenes/shear_box.toml");
/// The place of the floor among the walls, and those of the upper half and of the mass among the joints.
const FLOOR: usize = 0;
const DRAWER: usize = 0;
const LOAD: usize = 1;
/// When the box sets out, goes at full speed, turns, and goes back, s.
const TIMES: [f64; 4] = [1.1, 1.15, 1.45, 1.5];
/// The end, and with `--quick`, s.
const END: [f64; 2] = [1.7, 1.25];
/// The step with `--quick`, s, twice that of the scene.
const QUICK_STEP: f64 = 1e-3;
/// How fast the box is shifted, m/s.
const SPEED: f64 = 0.01;
/// The time before the shift over which the floor is watched, s.
const WATCHED: f64 = 0.1;
/// Compliances, m/N, and coefficients of friction; those of the paper come first.
const CASES: [(f64, f64); 5] = [
    (0.9e-7, 0.5),
    (0.9e-6, 0.5),
    (0.9e-5, 0.5),
    (0.9e-7, 0.3),
    (0.9e-7, 0.7),
];
/// m/s².
const GRAVITY: f64 = 9.81;

/// What is seen at a time.
struct Moment {
    time: f64,
    /// Height of the mass above its start, m.
    height: f64,
    /// Load on the floor, N.
    floor: f64,
    /// Way of the upper half, m, and force of its motor, N.
    way: f64,
    shear: f64,
}

/// A run.
struct Run {
    moments: Vec<Moment>,
    /// Length of the steps, s.
    step: f64,
    /// What the grains and the mass weigh, N.
    weight: f64,
    uncertified: usize,
    /// The largest error of a joint, m.
    joint_error: f64,
}

impl Run {
    /// The mean of what is seen between two times (s).
    fn mean(&self, from: f64, to: f64, of: impl Fn(&Moment) -> f64) -> f64 {
        let within = self
            .moments
            .iter()
            .filter(|m| m.time > from && m.time <= to);
        let (sum, count) = within.fold((0.0, 0), |(sum, count), m| (sum + of(m), count + 1));
        sum / f64::from(count)
    }

    fn curve(&self, label: String, color: usize, of: impl Fn(&Moment) -> (f64, f64)) -> Curve {
        Curve {
            label,
            color,
            stroke: Stroke::Line,
            points: self.moments.iter().map(of).collect(),
        }
    }
}

fn setup((compliance, friction): (f64, f64), end: f64, quick: bool) -> Result<Setup, Error> {
    let wrong = |error: granule_io::scene::SceneError| Error::Data(error.to_string());
    let path = Path::new("shear_box.toml");
    let mut sections: Sections = parse(SCENE, path).map_err(wrong)?.sections().clone();
    let stiffness = Some(1.0 / compliance);
    sections.time.end = end;
    if quick {
        sections.time.step = Some(QUICK_STEP);
    }
    sections.contacts.friction = Some(friction);
    sections.contacts.stiffness = stiffness;
    sections.contacts.tangential_stiffness = stiffness;
    for pair in &mut sections.contacts.pairs {
        pair.stiffness = stiffness;
        pair.tangential_stiffness = stiffness;
    }
    let there_and_back = TimeFunction::Linear {
        times: TIMES.to_vec(),
        values: vec![0.0, SPEED, SPEED, -SPEED],
    };
    sections.motors[DRAWER].speed = Some(InTime::Function(there_and_back));
    let scene = Scene::new(sections, path).map_err(wrong)?;
    scene.build().map_err(wrong)
}

fn run(case: (f64, f64), end: f64, options: &Options) -> Result<Run, Error> {
    let setup = setup(case, end, options.quick)?;
    let bodies = &setup.world.bodies;
    let carriers = (0..bodies.len()).filter(|k| bodies.radius[*k] > 0.0);
    let grains: f64 = carriers.map(|k| bodies.mass[k]).sum();
    let mass = setup.world.joints[LOAD].bodies[0].and_then(|id| bodies.place_of(id));
    let mass = mass.map_or(0.0, |place| bodies.mass[place]);
    let mut simulation = Simulation::new(setup.world, setup.settings)?;
    let mut run = Run {
        moments: Vec::new(),
        step: 0.0,
        weight: GRAVITY * (grains + mass),
        uncertified: 0,
        joint_error: 0.0,
    };
    let what = format!("shear box, {:e} m/N, μ = {}", case.0, case.1);
    let mut news = News::start(options, &what);
    while !simulation.finished() {
        let report = simulation.step()?;
        run.step = report.step_size;
        run.uncertified += usize::from(!report.certified);
        run.joint_error = run.joint_error.max(report.joint_error);
        let loads = simulation.joint_loads();
        run.moments.push(Moment {
            time: report.time,
            height: loads[LOAD].coordinates[0],
            floor: -simulation.wall_loads()[FLOOR].force.z,
            way: loads[DRAWER].coordinates[0],
            shear: loads[DRAWER].drives[0],
        });
        news.tell(report.time, end);
    }
    if case == CASES[0] {
        options.draw(
            simulation.world(),
            "tasora2013-shearbox",
            "The box while it is sheared, coloured by speed (figures 8, 12 and 13)",
        )?;
    }
    Ok(run)
}

/// What of the shear force is seen.
struct Shear {
    before: f64,
    shifted: f64,
    back: f64,
}

impl Shear {
    /// Means (N) before the shift, over the second half of its way, and after it has turned.
    fn of(run: &Run, end: f64) -> Self {
        let turn = TIMES[2].min(end);
        let mean = |from, to| run.mean(from, to, |m| m.shear);
        Self {
            before: mean(TIMES[0] - WATCHED, TIMES[0]),
            shifted: mean(0.5 * (TIMES[1] + turn), turn),
            back: mean(0.5 * (TIMES[3] + end), end),
        }
    }
}

/// Loads and forces.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let end = END[usize::from(options.quick)];
    let cases = if options.quick { &CASES[..1] } else { &CASES };
    let mut runs = Vec::new();
    for case in cases {
        runs.push((*case, run(*case, end, options)?));
    }
    let (_, first) = &runs[0];
    let mut rows = Vec::new();
    let from = TIMES[0] - WATCHED;
    let floor = first.mean(from, TIMES[0], |m| m.floor);
    let watched = first.moments.iter();
    let watched = watched.filter(|m| m.time > from && m.time <= TIMES[0]);
    let off = watched.fold(0.0_f64, |most, m| most.max((m.floor - first.weight).abs()));
    let number = published.get("shearbox-floor")?;
    let near = published.tolerance("shearbox-floor")?;
    let verdict = Verdict::matches(near.allows(off / first.weight));
    rows.push(
        number
            .row("load on the floor at rest", floor, verdict)
            .unit("N")
            .note(format!(
                "expected {:.1} N, mass and grains; mean over {WATCHED} s; at most {:.2} % off at any step; {} steps not certified, joints open by at most {:.0e} m",
                first.weight,
                100.0 * off / first.weight,
                first.uncertified,
                first.joint_error
            ))
            .note(near.note("at no step off by more than a share of")),
    );
    let highest = first.moments.iter().map(|m| m.floor).fold(0.0, f64::max);
    rows.push(
        Row::unpublished("highest load on the floor, as the mass comes down", highest).unit("N"),
    );
    let sunk = first.mean(from, TIMES[0], |m| m.height);
    rows.push(Row::unpublished("height of the mass at rest, from its start", sunk).unit("m"));
    let shear = Shear::of(first, end);
    let number = published.get("shearbox-rises")?;
    let least = published.tolerance("shearbox-rises")?;
    let rises = shear.shifted - shear.before >= least.most() * first.weight;
    let seen = if rises { "rises" } else { "does not rise" };
    rows.push(
        number
            .row(
                "shear force as the box is shifted",
                seen,
                Verdict::matches(rises),
            )
            .note(format!(
                "{:.0} N before, {:.0} N over the second half of the way; steps of {:e} s",
                shear.before, shear.shifted, first.step
            ))
            .note(least.note("the difference is at least, as a share of the weight,")),
    );
    if !options.quick {
        let number = published.get("shearbox-reversed")?;
        let lets_go = published.tolerance("shearbox-reversed")?;
        let falls = shear.back < lets_go.most() * shear.shifted;
        let seen = if falls {
            "falls back"
        } else {
            "does not fall back"
        };
        rows.push(
            number
                .row(
                    "shear force after the box has turned",
                    seen,
                    Verdict::matches(falls),
                )
                .note(format!("{:.0} N", shear.back))
                .note(lets_go.note("less, of the force before, than")),
        );
    }
    for ((compliance, friction), run) in &runs[1..] {
        let Shear { shifted, .. } = Shear::of(run, end);
        let quantity = format!(
            "shear force over the second half of the way, {compliance:e} m/N, μ = {friction}"
        );
        rows.push(Row::unpublished(quantity, shifted).unit("N").note(format!(
            "{:.0} N with the paper's numbers; {} steps not certified",
            shear.shifted, run.uncertified
        )));
    }
    draw(&runs, options)?;
    Ok(rows)
}

/// Figures 9, 10 and 11, and the shear force over the way.
fn draw(runs: &[((f64, f64), Run)], options: &Options) -> Result<(), Error> {
    let (_, first) = &runs[0];
    let header = ["time[s]", "height[m]", "floor[N]", "way[m]", "shear[N]"].map(str::to_owned);
    let lines: Vec<Vec<f64>> = (first.moments.iter())
        .map(|m| vec![m.time, m.height, m.floor, m.way, m.shear])
        .collect();
    options.curve("tasora2013-shearbox", &header, &lines)?;
    let chart = |name: &str, title: &str, x: &'static str, y: &'static str, curves: Vec<Curve>| {
        let chart = Chart {
            title: title.to_owned(),
            x,
            y,
            logarithmic: false,
            curves,
        };
        options.chart(name, &chart)
    };
    let label = |(compliance, friction): (f64, f64)| format!("{compliance:e} m/N, μ = {friction}");
    let all = |of: fn(&Moment) -> (f64, f64)| -> Vec<Curve> {
        let runs = runs.iter().enumerate();
        runs.map(|(k, (case, run))| run.curve(label(*case), k, of))
            .collect()
    };
    chart(
        "tasora2013-shearbox-height",
        "Height of the mass (figure 9)",
        "time, s",
        "height from the start, mm",
        all(|m| (m.time, 1e3 * m.height)),
    )?;
    chart(
        "tasora2013-shearbox-floor",
        "Load on the floor (figure 10)",
        "time, s",
        "load, N",
        vec![first.curve(label(runs[0].0), 0, |m| (m.time, m.floor))],
    )?;
    chart(
        "tasora2013-shearbox-shear",
        "Force on the upper half (figure 11)",
        "time, s",
        "force, N",
        vec![first.curve(label(runs[0].0), 0, |m| (m.time, m.shear))],
    )?;
    chart(
        "tasora2013-shearbox-way",
        "Shear force over displacement",
        "displacement, mm",
        "force, N",
        all(|m| (1e3 * m.way, m.shear)),
    )
}
