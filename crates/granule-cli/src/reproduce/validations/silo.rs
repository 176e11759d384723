//! Validation 9: what a silo's floor carries (Janssen), and how fast it runs out (Beverloo), in a plane.
//!
//! Janssen: walls carry what exceeds a mass M∞, so that the floor feels `M∞ (1 - exp(-M/M∞))`. The floor goes down
//! slowly, so that friction at the walls is spent. Beverloo: the flow through an opening D goes with
//! `(D - k d)^p`, p = 3/2 in a plane.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::fit::exponent;
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, OnFailure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Mean diameter (m), gravity (m/s²), kg of a disk of that size: the unit of time √(d/g) is a second.
const DIAMETER: f64 = 1.0;
const GRAVITY: f64 = 1.0;
/// Radii differ by up to this share of their mean.
const SPREAD: f64 = 0.2;
const FRICTION: f64 = 0.5;
const STEP: f64 = 0.02;

/// Janssen: width of the silo in d; heights of fill over it, and with `--quick`.
const WIDTH: usize = 10;
const FILLS: [&[usize]; 2] = [&[1, 2, 3, 4, 6, 8], &[1, 2, 3]];
/// How fast the floor goes down, m/s, and for how long, s.
const DOWN: f64 = 0.02;
const LOWERED: f64 = 60.0;

/// Beverloo: width and height of the silo in d, openings, and with `--quick`.
const SILO: [[usize; 2]; 2] = [[40, 60], [20, 16]];
const OPENINGS: [&[f64]; 2] = [&[6.0, 8.0, 11.0, 15.0, 20.0], &[6.0, 9.0]];
/// k d is what an opening loses at its rim; the field finds 1 to 2, of which 1.4 is the usual one.
const RIM: f64 = 1.4;

/// Disks above each other between two walls, about to fall; the floor is the third wall.
fn fill(width: f64, layers: usize, seed: u64) -> World {
    let mut world = World::new(Dimension::Plane);
    world.gravity = -GRAVITY * DVec3::Y;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(FRICTION)));
    let plane = Surface::HalfSpace(HalfSpace);
    for (place, axis) in [
        (DVec3::ZERO, DVec3::X),
        (width * DVec3::X, DVec3::NEG_X),
        (DVec3::ZERO, DVec3::Y),
    ] {
        world.add_wall(Wall::new(plane.clone(), place, axis, Motion::Fixed));
    }
    let mut random = Pcg64::seed_from_u64(seed);
    let across = (width / (1.22 * DIAMETER)).floor();
    for k in 0..layers * across as usize {
        let (row, place) = ((k / across as usize) as f64, (k % across as usize) as f64);
        let gap = width / across;
        let jitter = random.random_range(-0.5..0.5) * (gap - DIAMETER * (1.0 + SPREAD));
        let radius = 0.5 * DIAMETER * random.random_range(1.0 - SPREAD..1.0 + SPREAD);
        let center = DVec3::new(
            gap * (place + 0.5) + jitter,
            1.22 * DIAMETER * (row + 0.5),
            0.0,
        );
        world.add_sphere(&Sphere::new(
            center,
            radius,
            (2.0 * radius / DIAMETER).powi(2),
        ));
    }
    world
}

fn settings(end: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(STEP), end);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-4;
    settings.solver.on_failure = OnFailure::Warn;
    settings
}

/// At rest after a fall.
fn settled(world: World, time: f64, what: &str, options: &Options) -> Result<World, Error> {
    let settings = settings(time);
    let mut simulation = Simulation::new(world, settings)?;
    let mut news = News::start(options, what);
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, time);
    }
    let mut world = simulation.world().clone();
    (world.time, world.steps) = (0.0, 0);
    Ok(world)
}

/// The mass of a fill, and what the floor carries of it while it goes down, as a mass.
fn carried(height: usize, options: &Options) -> Result<(f64, f64), Error> {
    let loose = fill(WIDTH as f64 * DIAMETER, height * WIDTH, 3);
    let mass: f64 = loose.bodies.mass.iter().sum();
    let what = format!("a silo {height} times as high as wide");
    let time = 4.0 * (2.0 * (height * WIDTH) as f64 / GRAVITY).sqrt() + 20.0;
    let mut world = settled(loose, time, &what, options)?;
    world.walls[2].kinematics.motion = Motion::Velocity {
        linear: [0.0, -DOWN, 0.0],
    };
    let mut simulation = Simulation::new(world, settings(LOWERED))?;
    let (mut force, mut steps) = (0.0, 0.0);
    while !simulation.finished() {
        let report = simulation.step()?;
        if report.time > 0.5 * LOWERED {
            force -= simulation.wall_loads()[2].force.y;
            steps += 1.0;
        }
    }
    if height == 4 || options.quick {
        let caption = format!("A silo {height} times as high as wide, its floor going down");
        options.draw(
            simulation.world(),
            &format!("validations-9-silo-{height}"),
            caption,
        )?;
    }
    Ok((mass, force / steps / GRAVITY))
}

/// M∞ of the curve through points with the least squares, and R².
fn saturation(points: &[(f64, f64)]) -> (f64, f64) {
    let curve = |limit: f64, mass: f64| limit * (1.0 - (-mass / limit).exp());
    let misses = |limit: f64| {
        points
            .iter()
            .map(|(m, c)| (c - curve(limit, *m)).powi(2))
            .sum::<f64>()
    };
    let most = points.iter().fold(0.0f64, |most, p| most.max(p.0));
    let tried = (1..=4000).map(|k| most * f64::from(k) / 1000.0);
    let limit = tried
        .min_by(|a, b| misses(*a).total_cmp(&misses(*b)))
        .unwrap_or(most);
    let mean = points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64;
    let spread: f64 = points.iter().map(|p| (p.1 - mean).powi(2)).sum();
    (limit, 1.0 - misses(limit) / spread)
}

fn janssen(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let fills = FILLS[usize::from(options.quick)];
    let points = fills.iter().map(|&height| carried(height, options));
    let points = points.collect::<Result<Vec<_>, _>>()?;
    let (limit, fit) = saturation(&points);
    let number = published.get("janssen")?;
    let least = published.tolerance("janssen")?;
    let verdict = match options.quick {
        true => Verdict::NoReference,
        false => Verdict::matches(fit > least.most()),
    };
    let mut rows = vec![
        number
            .row("9: R² of the saturation M∞ (1 - exp(-M/M∞)) of the floor's load", fit, verdict)
            .note(format!("M∞ is {limit:.0} d²; silos {WIDTH} d wide, disks with μ = {FRICTION} between them and at the walls, the floor going down at {DOWN} √(g d); {}", least.note("above"))),
    ];
    for ((mass, load), height) in points.iter().zip(fills) {
        rows.push(Row::unpublished(
            format!("9: share of the mass on the floor, {height} times as high as wide"),
            load / mass,
        ));
    }
    let most = points.iter().fold(0.0f64, |most, p| most.max(p.0));
    let masses = (0..=100).map(|k| most * f64::from(k) / 100.0);
    let chart = Chart {
        title: "What the floor of a silo carries".to_owned(),
        x: "mass in the silo, mean disks",
        y: "mass on the floor, mean disks",
        logarithmic: false,
        curves: vec![
            Curve {
                label: "measured".to_owned(),
                color: 0,
                stroke: Stroke::Circles,
                points,
            },
            Curve {
                label: format!("Janssen, M∞ = {limit:.0}"),
                color: 1,
                stroke: Stroke::Line,
                points: masses
                    .map(|m| (m, limit * (1.0 - (-m / limit).exp())))
                    .collect(),
            },
            Curve {
                label: "no friction".to_owned(),
                color: 4,
                stroke: Stroke::Line,
                points: vec![(0.0, 0.0), (0.5 * most, 0.5 * most)],
            },
        ],
    };
    options.chart("validations-9-janssen", &chart)?;
    Ok(rows)
}

/// Disks a second through an opening of a filled silo, while it is at least half full.
fn flow(settled: &World, width: f64, opening: f64, options: &Options) -> Result<f64, Error> {
    let mut world = settled.clone();
    world.walls.truncate(2);
    // A floor of small fixed disks on both sides of the opening, whose rims are disks too.
    let [left, right] = [0.5 * (width - opening), 0.5 * (width + opening)];
    let small = 0.25 * DIAMETER;
    for (from, to) in [(0.0, left), (right, width)] {
        let count = ((to - from) / small).ceil().max(1.0);
        for k in 0..count as usize {
            let share = (k as f64 + 0.5) / count;
            let mut disk = Sphere::new(
                DVec3::new(from + (to - from) * share, -small, 0.0),
                small,
                1.0,
            );
            disk.motion = Some(Motion::Fixed);
            world.add_sphere(&disk);
        }
    }
    let moving: Vec<usize> = (0..world.bodies.len())
        .filter(|&k| world.bodies.is_dynamic(k))
        .collect();
    let total: f64 = moving.iter().map(|&k| world.bodies.mass[k]).sum();
    let gone = |world: &World| -> f64 {
        let below = moving
            .iter()
            .filter(|&&k| world.bodies.position[k].y < -2.0 * small);
        below.map(|&k| world.bodies.mass[k]).sum()
    };
    let mut simulation = Simulation::new(world, settings(400.0))?;
    let mut news = News::start(options, format!("an opening of {opening} d"));
    // Between a tenth and two fifths of the mass: steady, and far from empty.
    let mut start = None;
    while !simulation.finished() {
        let report = simulation.step()?;
        let out = gone(simulation.world()) / total;
        news.tell(report.time, 400.0);
        if out >= 0.1 && start.is_none() {
            start = Some((report.time, out));
        }
        if let Some((time, before)) = start.filter(|_| out >= 0.4) {
            if opening == OPENINGS[usize::from(options.quick)][1] {
                let caption = format!("A silo runs out through an opening of {opening} d");
                options.draw(simulation.world(), "validations-9-flow", caption)?;
            }
            return Ok(total * (out - before) / (report.time - time));
        }
    }
    Ok(0.0)
}

fn beverloo(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let size = usize::from(options.quick);
    let [width, height] = SILO[size];
    let silo = width as f64 * DIAMETER;
    let time = 2.0 * (2.0 * height as f64 / GRAVITY).sqrt() + 20.0;
    let settled = settled(fill(silo, height, 5), time, "a silo is filled", options)?;
    let mut points = Vec::new();
    for &opening in OPENINGS[size] {
        points.push((opening - RIM, flow(&settled, silo, opening, options)?));
    }
    let exponent = exponent(&points);
    let number = published.get("beverloo-plane")?;
    let range = published.tolerance("beverloo-plane")?;
    let verdict = match options.quick {
        true => Verdict::NoReference,
        false => Verdict::matches(range.allows(exponent)),
    };
    let mut rows = vec![
        number
            .row(
                "9: exponent of the flow through an opening, in a plane",
                exponent,
                verdict,
            )
            .note(format!(
                "{} disks, over D - {RIM} d, the value of the field, not fitted; {}",
                settled.bodies.len(),
                range.note("from")
            )),
    ];
    for ((_, flow), opening) in points.iter().zip(OPENINGS[size]) {
        rows.push(
            Row::unpublished(format!("9: flow through an opening of {opening} d"), *flow)
                .unit("disks √(g/d)"),
        );
    }
    let middle = points[points.len() / 2];
    let law = |x: f64| middle.1 * (x / middle.0).powf(1.5);
    let chart = Chart {
        title: "Flow out of a silo in a plane".to_owned(),
        x: "opening less 1.4 d, d",
        y: "mean disks in √(d/g)",
        logarithmic: true,
        curves: vec![
            Curve {
                label: format!("measured, exponent {exponent:.2}"),
                color: 0,
                stroke: Stroke::Both,
                points: points.clone(),
            },
            Curve {
                label: "exponent 1.5".to_owned(),
                color: 1,
                stroke: Stroke::Line,
                points: points.iter().map(|(x, _)| (*x, law(*x))).collect(),
            },
        ],
    };
    options.chart("validations-9-beverloo", &chart)?;
    Ok(rows)
}

/// Janssen's load and Beverloo's flow.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut rows = janssen(published, options)?;
    rows.extend(beverloo(published, options)?);
    Ok(rows)
}
