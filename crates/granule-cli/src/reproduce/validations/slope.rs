//! Validation 10: a layer of disks that flows down a rough slope has the velocities of Bagnold.
//!
//! Where stress goes with the square of the rate of shear, a layer of height H that flows steadily has
//! `1 - u/u_s = (1 - z/H)^(3/2)` with u_s the velocity of its surface. Disks of unequal size on a floor of fixed
//! ones, periodic along the slope.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::fit::exponent;
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::bodies::{Cell, Dimension, Motion, Sphere};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, OnFailure};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Mean diameter (m) and gravity (m/s²): the unit of time √(d/g) is a second.
const DIAMETER: f64 = 1.0;
const GRAVITY: f64 = 1.0;
/// Radii differ by up to this share of their mean, or disks would stand in rows.
const SPREAD: f64 = 0.2;
const FRICTION: f64 = 0.5;
/// Of the slope, degrees: between where a layer this high stops and where it speeds up for ever.
const ANGLE: f64 = 21.0;
const LENGTH: usize = 20;
/// Layers, and with `--quick`.
const LAYERS: [usize; 2] = [25, 12];
/// When the flow is measured, s.
const MEASURED: [[f64; 2]; 2] = [[1500.0, 2000.0], [30.0, 40.0]];
const STEP: f64 = 0.05;
/// Shares of the height between which the exponent is taken: at the floor slip counts, at the top few disks do.
const FITTED: [f64; 2] = [0.1, 0.8];

/// A layer on its slope; x down the slope, y away from it.
fn layer(layers: usize) -> World {
    let mut world = World::new(Dimension::Plane);
    let slope = ANGLE.to_radians();
    world.gravity = GRAVITY * DVec3::new(slope.sin(), -slope.cos(), 0.0);
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(FRICTION)));
    let length = LENGTH as f64 * DIAMETER;
    world.cell = Some(Cell::new(0.5 * length * DVec3::X, length * DVec3::X));
    let mut random = Pcg64::seed_from_u64(1);
    let mut radius = || 0.5 * DIAMETER * random.random_range(1.0 - SPREAD..1.0 + SPREAD);
    for k in 0..LENGTH {
        let place = DIAMETER * (k as f64 + 0.5) * DVec3::X;
        let mut disk = Sphere::new(place, radius(), 1.0);
        disk.motion = Some(Motion::Fixed);
        world.add_sphere(&disk);
    }
    // In rows that are shifted against each other, with room for the largest disks.
    let across = LENGTH - 4;
    for k in 0..across * layers {
        let (row, place) = (k / across, k % across);
        let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
        let x = length * (place as f64 + shift) / across as f64;
        let y = 1.25 * DIAMETER * (row as f64 + 1.0);
        let radius = radius();
        let mass = (2.0 * radius / DIAMETER).powi(2);
        world.add_sphere(&Sphere::new(DVec3::new(x, y, 0.0), radius, mass));
    }
    world
}

/// Mean velocity along the slope by height.
struct Profile {
    /// Sums of velocity and count in bins of half a diameter.
    bins: Vec<(f64, f64)>,
}

impl Profile {
    const WIDTH: f64 = 0.5 * DIAMETER;

    fn add(&mut self, world: &World) {
        let bodies = &world.bodies;
        for k in (0..bodies.len()).filter(|&k| bodies.is_dynamic(k)) {
            let bin = (bodies.position[k].y / Self::WIDTH).max(0.0) as usize;
            if self.bins.len() <= bin {
                self.bins.resize(bin + 1, (0.0, 0.0));
            }
            self.bins[bin].0 += bodies.velocity[k].x;
            self.bins[bin].1 += 1.0;
        }
    }

    /// Height (m) and mean velocity (m/s) of bins that were hardly ever empty.
    fn points(&self) -> Vec<(f64, f64)> {
        let most = self.bins.iter().fold(0.0f64, |most, bin| most.max(bin.1));
        let bins = self.bins.iter().enumerate();
        bins.filter(|(_, bin)| bin.1 > 0.3 * most)
            .map(|(k, bin)| ((k as f64 + 0.5) * Self::WIDTH, bin.0 / bin.1))
            .collect()
    }
}

/// The exponent of the profile, and how steady the flow is.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let size = usize::from(options.quick);
    let [from, end] = MEASURED[size];
    let mut settings = Settings::new(StepSize::Fixed(STEP), end);
    settings.solver.own = Method::Ags.into();
    settings.solver.tolerance = 1e-3;
    settings.solver.on_failure = OnFailure::Warn;
    let mut simulation = Simulation::new(layer(LAYERS[size]), settings)?;
    let mut news = News::start(
        options,
        format!("{} layers of disks on a slope", LAYERS[size]),
    );
    let mut profiles = [Profile { bins: Vec::new() }, Profile { bins: Vec::new() }];
    let (mut missed, mut steps) = (0, 0);
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, end);
        missed += usize::from(!report.certified);
        steps += 1;
        if report.time > from {
            let half = usize::from(report.time > 0.5 * (from + end));
            profiles[half].add(simulation.world());
        }
    }
    let caption = format!(
        "{} layers of disks flow down a slope of {ANGLE}°",
        LAYERS[size]
    );
    options.draw(simulation.world(), "validations-10", caption)?;
    let halves = profiles.each_ref().map(Profile::points);
    let surface = halves
        .each_ref()
        .map(|points| points.last().map_or(0.0, |p| p.1));
    let points = &halves[1];
    let (height, fastest) = points.last().copied().unwrap_or((1.0, 1.0));
    let height = height + 0.5 * Profile::WIDTH;
    let part = |(z, u): &(f64, f64)| (1.0 - z / height, 1.0 - u / fastest);
    let fitted: Vec<(f64, f64)> = points
        .iter()
        .filter(|(z, _)| (FITTED[0]..=FITTED[1]).contains(&(z / height)))
        .map(part)
        .filter(|(_, rest)| *rest > 0.0)
        .collect();
    let exponent = exponent(&fitted);
    let number = published.get("slope-exponent")?;
    let range = published.tolerance("slope-exponent")?;
    let verdict = match options.quick {
        true => Verdict::NoReference,
        false => Verdict::matches(range.allows(exponent)),
    };
    let rows = vec![
        number.row("10: exponent of the velocity profile", exponent, verdict).note(format!(
            "{} disks, μ = {FRICTION}, {ANGLE}°, mean from {:.0} to {end} √(d/g), between {} and {} of the height; {}; {missed} of {steps} steps not certified",
            LAYERS[size] * (LENGTH - 4), 0.5 * (from + end), FITTED[0], FITTED[1], range.note("from")
        )),
        Row::unpublished("10: velocity of the surface", fastest)
            .unit("√(g d)")
            .note(format!("{:.2} in the half before", surface[0])),
        Row::unpublished("10: height of the layer", height).unit("d"),
    ];
    let bagnold = points.iter().map(|(z, _)| {
        (
            *z,
            fastest * (1.0 - (1.0 - (z / height).min(1.0)).powf(1.5)),
        )
    });
    let chart = Chart {
        title: format!("Disks on a rough slope of {ANGLE}°: velocity over the height"),
        x: "height, d",
        y: "velocity, √(g d)",
        logarithmic: false,
        curves: vec![
            Curve {
                label: "measured".to_owned(),
                color: 0,
                stroke: Stroke::Circles,
                points: points.clone(),
            },
            Curve {
                label: "Bagnold: u/u_s = 1 - (1 - z/H)^1.5".to_owned(),
                color: 1,
                stroke: Stroke::Line,
                points: bagnold.collect(),
            },
        ],
    };
    options.chart("validations-10", &chart)?;
    Ok(rows)
}
