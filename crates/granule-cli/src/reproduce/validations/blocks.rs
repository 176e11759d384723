//! Validations 1, 2, 6 and 12 with blocks: on a slope, sliding, in an arch, in towers and walls.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::{Arch, block_on_slope, brick_wall, dominoes, tower};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, SolverConfig};

/// rad.
const SLOPE: f64 = std::f64::consts::FRAC_PI_6;
/// m.
const SIZES: [f64; 3] = [1.0, 0.1, 1e-3];
/// m/s².
const GRAVITY: f64 = 9.81;
const TOLERANCE: f64 = 1e-8;
/// Of steps in which a block must not creep: what they allow, this times g h², adds up to 1e-11 m in 10⁴ steps of 1 ms.
const NO_CREEP: f64 = 1e-10;

/// What became of blocks.
struct Fate {
    /// How far the one went that went farthest, m.
    way: f64,
    /// The deepest overlap in any step, m.
    depth: f64,
    uncertified: usize,
    /// To which the steps were solved.
    tolerance: f64,
}

impl Fate {
    fn note(&self, step: f64, steps: u64) -> String {
        format!(
            "exact law, tolerance {:e}, {steps} steps of {step} s; {} steps not certified",
            self.tolerance, self.uncertified
        )
    }
}

fn settings(step: f64, steps: u64, method: Option<Method>) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), step * steps as f64);
    if let Some(method) = method {
        settings.solver = SolverConfig::named(method);
    }
    settings.solver.tolerance = TOLERANCE;
    settings
}

/// Lets blocks stand for so many steps (of this length, s), or until one went farther than `enough` (m).
fn fate(world: World, settings: Settings, steps: u64, enough: f64) -> Result<Fate, Error> {
    let start = world.bodies.by_id().position;
    let mut fate = Fate {
        way: 0.0,
        depth: 0.0,
        uncertified: 0,
        tolerance: settings.solver.tolerance,
    };
    let mut simulation = Simulation::new(world, settings)?;
    while simulation.world().steps < steps && fate.way <= enough {
        let report = simulation.step()?;
        fate.uncertified += usize::from(!report.certified);
        fate.depth = fate.depth.max(report.certificate.max_penetration);
        let bodies = &simulation.world().bodies;
        let ways = bodies.id.iter().zip(&bodies.position);
        fate.way = ways
            .map(|(id, position)| position.distance(start[*id as usize]))
            .fold(0.0, f64::max);
    }
    Ok(fate)
}

/// Validation 1: a block on a slope of 30° sticks or slides, at three scales.
pub fn on_slope(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let (sticks, slides) = (
        published.get("block-sticks")?,
        published.get("block-slides")?,
    );
    let (step, steps) = (1e-3, 10_000);
    let mut rows = Vec::new();
    for size in SIZES {
        options.say(format!("a block of {size} m on a slope"));
        let world = block_on_slope(size, SLOPE, 1.01 * SLOPE.tan());
        let mut still = settings(step, steps, None);
        still.solver.tolerance = NO_CREEP;
        let held = fate(world, still, steps, f64::INFINITY)?;
        let quantity = format!("1: drift of a block of {size} m in 10⁴ steps, μ = 1.01 tan α");
        let still = published.tolerance("no-creep")?;
        let verdict = Verdict::matches(still.allows(held.way));
        let note = held.note(step, steps);
        rows.push(
            (sticks.row(quantity, held.way, verdict))
                .note(format!("{note}; {}", still.note("at most")))
                .unit("m"),
        );
        let friction = 0.3;
        let short = 500;
        let world = block_on_slope(size, SLOPE, friction);
        let mut simulation = Simulation::new(world, settings(step, short, None))?;
        let mut speeds = Vec::new();
        while !simulation.finished() {
            let time = simulation.step()?.time;
            speeds.push((time, simulation.world().bodies.velocity[0].x));
        }
        let found = simulation.world().bodies.velocity[0].x / (step * short as f64);
        let expected = GRAVITY * (SLOPE.sin() - friction * SLOPE.cos());
        let same = published.tolerance("block-slides")?;
        let verdict = Verdict::matches(same.allows((found / expected - 1.0).abs()));
        let quantity = format!("1: acceleration of a block of {size} m, μ = 0.3");
        rows.push(
            slides
                .row(quantity, found, verdict)
                .note(format!("expected {expected:.5}"))
                .note(same.note("within a share of")),
        );
        if size == SIZES[0] {
            let speed = |t: f64| expected * t;
            let chart = against(
                format!("A block of {size} m slides down a slope, μ = {friction}"),
                "velocity, m/s",
                speeds,
                speed,
            );
            options.chart("validations-1-block", &chart)?;
        }
    }
    Ok(rows)
}

/// A chart of what was measured over time (s), every 25th point, and what is exact.
fn against(
    title: String,
    y: &'static str,
    points: Vec<(f64, f64)>,
    exact: impl Fn(f64) -> f64,
) -> Chart {
    let curve = |label: &str, color, stroke, points| Curve {
        label: label.to_owned(),
        color,
        stroke,
        points,
    };
    let line = points.iter().map(|(time, _)| (*time, exact(*time)));
    let line = curve("exact", 4, Stroke::Line, line.collect());
    let few = points.len().div_ceil(40);
    let points = points.into_iter().step_by(few).collect();
    Chart {
        title,
        x: "time, s",
        y,
        logarithmic: false,
        curves: vec![line, curve("measured", 0, Stroke::Circles, points)],
    }
}

/// Validation 2: a cube of 0.1 m at 6 m/s on a floor with μ = 0.5.
pub fn sliding_cube(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let (speed, friction, step) = (6.0, 0.5, 1e-4);
    options.say("a cube slides");
    let mut world = block_on_slope(0.1, 0.0, friction);
    world.bodies.velocity[0] = speed * DVec3::X;
    let mut simulation = Simulation::new(world, settings(step, 13_000, None))?;
    let (mut stopped, mut lift, mut path) = (f64::NAN, 0.0_f64, Vec::new());
    while !simulation.finished() {
        let time = simulation.step()?.time;
        let bodies = &simulation.world().bodies;
        lift = lift.max(bodies.position[0].z - 0.05);
        path.push((time, bodies.position[0].x));
        if stopped.is_nan() && bodies.velocity[0].length() < 1e-6 {
            stopped = time;
        }
    }
    let way = simulation.world().bodies.position[0].x;
    let expected = speed * speed / (2.0 * friction * GRAVITY);
    let until = speed / (friction * GRAVITY);
    let exact = |time: f64| {
        let time = time.min(until);
        (speed - 0.5 * friction * GRAVITY * time) * time
    };
    let title = format!("Way of a cube that slides at {speed} m/s, μ = {friction}");
    options.chart("validations-2", &against(title, "way, m", path, exact))?;
    let (one, two) = (
        published.tolerance("cube-way")?,
        published.tolerance("cube-time")?,
    );
    let none = published.tolerance("cube-lift")?;
    Ok(vec![
        published
            .get("cube-way")?
            .row("2: way of a sliding cube", way, {
                Verdict::matches(one.allows((way - expected).abs() / (speed * step)))
            })
            .note(format!("exact law, dt = {step} s"))
            .note(one.note("within the first step's way times")),
        published
            .get("cube-time")?
            .row("2: time until it stops", stopped, {
                Verdict::matches(two.allows((stopped - until).abs() / step))
            })
            .note(two.note("within steps")),
        published
            .get("cube-lift")?
            .row("2: lift", lift, Verdict::matches(none.allows(lift)))
            .note(none.note("at most")),
    ])
}

/// Validation 6: an arch of 27 blocks, 2 % thicker and thinner than it must be.
pub fn arch(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let reference = published.get("arch")?;
    let stood = published.tolerance("arch-stands")?;
    let fell = published.tolerance("arch-falls")?;
    let (step, steps) = (2e-3, 5000);
    let mut rows = Vec::new();
    for (multiple, wanted) in [(1.02, "stands"), (0.98, "falls")] {
        options.say(format!("an arch of {multiple} of the least thickness"));
        let arch = Arch::of_27(multiple);
        let world = arch.world();
        let caption = format!("The arch of {multiple} of the least thickness, at the start");
        options.draw(&world, &format!("validations-6-{multiple}"), caption)?;
        let settings = settings(step, steps, Some(Method::Newton));
        let fate = fate(world, settings, steps, fell.most() * arch.radius)?;
        let found = if stood.allows(fate.way / arch.radius) {
            "stands"
        } else if fate.way > fell.most() * arch.radius {
            "falls"
        } else {
            "moves"
        };
        let quantity = format!("6: an arch of {multiple} of the least thickness");
        let note = fate.note(step, steps);
        rows.push(
            reference
                .row(quantity, found, Verdict::matches(found == wanted))
                .note(format!(
                    "mean radius 10 m; a block went {:.2e} m; {note}; {}",
                    fate.way,
                    match wanted {
                        "stands" => stood.note("every block went at most"),
                        _ => fell.note("a block went more than"),
                    }
                )),
        );
    }
    Ok(rows)
}

/// Validation 12: heavy on light, and other stacks.
pub fn stacks(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let step = 1e-3;
    let mut rows = Vec::new();
    for cubes in [10, 20] {
        options.say(format!("a tower of {cubes} cubes"));
        let steps = 1000;
        let world = tower(cubes, 1e4);
        let caption = format!("A tower of {cubes} cubes, the topmost 10⁴ times as heavy");
        options.draw(&world, &format!("validations-12-tower-{cubes}"), caption)?;
        let newton = settings(step, steps, Some(Method::Newton));
        let fate = fate(world, newton, steps, f64::INFINITY)?;
        let quantity =
            format!("12: overlap in a tower of {cubes} cubes, the top 10⁴ times as heavy");
        let none = published.tolerance("tower")?;
        let verdict = Verdict::matches(none.allows(fate.depth));
        let note = fate.note(step, steps);
        rows.push(
            published
                .get("tower")?
                .row(quantity, fate.depth, verdict)
                .note(format!(
                    "{note}; a cube went {:.1e} m; {}",
                    fate.way,
                    none.note("at most")
                )),
        );
    }
    let (in_layer, layers, steps) = if options.quick {
        (4, 5, 1000)
    } else {
        (10, 20, 10_000)
    };
    options.say("a wall of bricks");
    let world = brick_wall(in_layer, layers);
    let caption = format!("A wall of {} bricks", in_layer * layers);
    options.draw(&world, "validations-12-wall", caption)?;
    // Newton's method, once it is near, leaves errors far below the tolerance, so that most steps then need none.
    let mut newton = settings(step, steps, Some(Method::Newton));
    newton.solver.tolerance = 1e-9;
    let fate = fate(world, newton, steps, f64::INFINITY)?;
    let quantity = format!(
        "12: way of {} bricks at rest in {steps} steps",
        in_layer * layers
    );
    let note = fate.note(step, steps);
    let still = published.tolerance("brick-wall")?;
    let verdict = Verdict::matches(still.allows(fate.way));
    rows.push(
        published
            .get("brick-wall")?
            .row(quantity, fate.way, verdict)
            .note(format!("{note}; {}", still.note("at most"))),
    );
    let count = if options.quick { 10 } else { 30 };
    let (mut speeds, mut curves) = (Vec::new(), Vec::new());
    for (color, step) in [2e-3, 1e-3, 5e-4].into_iter().enumerate() {
        options.say(format!("{count} dominoes with steps of {step} s"));
        let falls = domino_falls(count, step)?;
        let ((middle, from), (end, to)) = (falls[count / 2], falls[count - 1]);
        speeds.push((end - middle) / (to - from));
        curves.push(Curve {
            label: format!("steps of {} ms", 1e3 * step),
            color,
            stroke: Stroke::Both,
            points: falls,
        });
    }
    let chart = Chart {
        title: format!("When each of {count} dominoes has turned by 0.1 rad"),
        x: "place, m",
        y: "time, s",
        logarithmic: false,
        curves,
    };
    options.chart("validations-12-dominoes", &chart)?;
    let (coarse, fine) = (speeds[1] - speeds[0], speeds[2] - speeds[1]);
    let shrinks = published.tolerance("dominoes")?;
    let verdict = Verdict::matches(fine.abs() < shrinks.most() * coarse.abs());
    rows.push(
        published
            .get("dominoes")?
            .row(
                format!("12: speed of a wave through {count} dominoes"),
                speeds[2],
                verdict,
            )
            .note(format!(
                "{:.4}, {:.4}, {:.4} m/s with steps of 2, 1 and 0.5 ms; {}",
                speeds[0],
                speeds[1],
                speeds[2],
                shrinks.note("the second change over the first is below")
            ))
            .unit("m/s"),
    );
    Ok(rows)
}

/// Where each of a row of dominoes stands (m), and when it falls (s).
fn domino_falls(count: usize, step: f64) -> Result<Vec<(f64, f64)>, Error> {
    let mut settings = settings(step, (4.0 / step) as u64, None);
    settings.solver.tolerance = 1e-6;
    let mut simulation = Simulation::new(dominoes(count), settings)?;
    let places = simulation.world().bodies.by_id().position;
    let mut times = vec![f64::NAN; count];
    while times[count - 1].is_nan() && !simulation.finished() {
        let time = simulation.step()?.time;
        let bodies = &simulation.world().bodies;
        for (id, turn) in bodies.id.iter().zip(&bodies.orientation) {
            let fallen = &mut times[*id as usize];
            if fallen.is_nan() && (*turn * DVec3::Z).z < 0.1_f64.cos() {
                *fallen = time;
            }
        }
    }
    Ok(places.iter().map(|place| place.x).zip(times).collect())
}
