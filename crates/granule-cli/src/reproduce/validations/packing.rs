//! Validation 7: spheres that are pressed together from a gas, without friction and with much of it.
//!
//! Spheres of one size in a cell that is periodic along all axes and pressed with the same stress from all sides,
//! without gravity. Without friction they end in random close packing, in which as many contacts carry a force as
//! there are velocities to be held; with much friction they stop earlier, with fewer contacts.

use crate::plot::{Chart, Curve, Stroke};
use crate::reproduce::news::News;
use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::bodies::{Cell, Dimension, Faces, Sphere, TimeFunction};
use granule::collision::Partner;
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::OnFailure;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;
use std::f64::consts::PI;

/// Spheres, and with `--quick`.
const COUNTS: [usize; 2] = [500, 120];
/// m, kg/m³ and Pa: the time 2 R √(ρ/p), in which a sphere is moved by its diameter, is 2 s.
const RADIUS: f64 = 1.0;
const DENSITY: f64 = 1.0;
const STRESS: f64 = 1.0;
/// The share of the cell that the gas fills.
const GAS: f64 = 0.25;
/// s, without friction and with it; the gas is together after a few seconds. Without friction it takes a hundred more
/// until nothing moves, and before that fewer contacts carry a force than at rest.
const END: [[f64; 2]; 2] = [[200.0, 20.0], [8.0, 8.0]];
/// Of the solves without friction: with 1e-4 spheres never come to rest.
const TOLERANCE: [f64; 2] = [1e-6, 1e-4];
const STEP: f64 = 0.05;
/// Of the mean: a force that counts.
const FORCE: f64 = 1e-3;
const MUCH: f64 = 10.0;
/// The most iterations a step with it; the notes say how many steps end there.
const PATIENCE: usize = 2000;

/// What became of a gas.
struct Packing {
    /// The share of the cell that is filled.
    filled: f64,
    /// Mean number of contacts with a force of spheres that hold something up.
    neighbours: f64,
    /// Contacts with a force, and velocities of those spheres that they hold.
    loaded: usize,
    held: usize,
    rattlers: usize,
    missed: usize,
    steps: usize,
    /// Time and filled share.
    history: Vec<(f64, f64)>,
}

/// Spheres at random in a periodic cell, none of which touch.
fn gas(count: usize, seed: u64) -> World {
    let volume = count as f64 * 4.0 / 3.0 * PI * RADIUS.powi(3);
    let side = (volume / GAS).cbrt();
    let mut world = World::new(Dimension::Space);
    let mut cell = Cell::new(DVec3::ZERO, DVec3::splat(side));
    cell.faces = std::array::from_fn(|_| Faces::Pressed(TimeFunction::Constant(STRESS)));
    world.cell = Some(cell);
    let mut random = Pcg64::seed_from_u64(seed);
    let mut places: Vec<DVec3> = Vec::new();
    while places.len() < count {
        let mut along = || random.random_range(-0.5 * side..0.5 * side);
        let place = DVec3::new(along(), along(), along());
        let free = places.iter().all(|other| {
            let apart = place - *other;
            (apart - side * (apart / side).round()).length() > 2.01 * RADIUS
        });
        if free {
            places.push(place);
        }
    }
    let mass = DENSITY * volume / count as f64;
    for place in places {
        world.add_sphere(&Sphere::new(place, RADIUS, mass));
    }
    world
}

fn press(friction: f64, options: &Options) -> Result<Packing, Error> {
    let size = usize::from(options.quick);
    let (count, end) = (COUNTS[size], END[size][usize::from(friction > 0.0)]);
    let mut world = gas(count, 1);
    let law = match friction {
        0.0 => Law::Frictionless,
        friction => Law::Coulomb(Friction::sliding(friction)),
    };
    world.laws = LawTable::uniform(law);
    let mut settings = Settings::new(StepSize::Fixed(STEP), end);
    settings.solver.tolerance = TOLERANCE[size];
    if friction > 0.0 {
        // So much friction is what no solver here takes lightly.
        settings.solver.tolerance = 1e-3;
        settings.solver.max_iterations = PATIENCE;
    }
    settings.solver.on_failure = OnFailure::Warn;
    let mut simulation = Simulation::new(world, settings)?;
    let mut news = News::start(
        options,
        format!("{count} spheres are pressed together, μ = {friction}"),
    );
    let (mut history, mut missed, mut steps) = (Vec::new(), 0, 0);
    while !simulation.finished() {
        let report = simulation.step()?;
        news.tell(report.time, end);
        missed += usize::from(!report.certified);
        steps += 1;
        history.push((report.time, filled(simulation.world())));
    }
    let caption = format!("{count} spheres pressed together, μ = {friction}");
    options.draw(
        simulation.world(),
        &format!("validations-7-mu{friction}"),
        caption,
    )?;
    Ok(counted(&simulation, friction, missed, steps, history))
}

fn filled(world: &World) -> f64 {
    let volume = world.cell.as_ref().map_or(f64::NAN, Cell::volume);
    let spheres = world
        .bodies
        .radius
        .iter()
        .map(|r| 4.0 / 3.0 * PI * r.powi(3));
    spheres.sum::<f64>() / volume
}

/// The contacts of the spheres that hold something up: without friction those with four at least, with friction two;
/// those that have fewer, once such are gone, are left out.
fn counted(
    simulation: &Simulation,
    friction: f64,
    missed: usize,
    steps: usize,
    history: Vec<(f64, f64)>,
) -> Packing {
    let bodies = &simulation.world().bodies;
    let place = |id: u32| bodies.id.iter().position(|known| *known == id);
    let all: Vec<_> = simulation.contacts().collect();
    let mean = all.iter().map(|c| c.impulse.length()).sum::<f64>() / all.len().max(1) as f64;
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for contact in all.iter().filter(|c| c.impulse.length() > FORCE * mean) {
        let (a, b) = simulation.contact_ids(contact);
        if let (Some(a), Some(b), Partner::Body(_)) = (place(a), b.and_then(place), contact.partner)
        {
            pairs.insert((a.min(b), a.max(b)));
        }
    }
    let least = if friction == 0.0 { 4 } else { 2 };
    let mut holds = vec![true; bodies.len()];
    loop {
        let mut counts = vec![0; bodies.len()];
        for &(a, b) in pairs.iter().filter(|(a, b)| holds[*a] && holds[*b]) {
            counts[a] += 1;
            counts[b] += 1;
        }
        let gone: Vec<usize> = (0..bodies.len())
            .filter(|&k| holds[k] && counts[k] < least)
            .collect();
        if gone.is_empty() {
            break;
        }
        gone.into_iter().for_each(|k| holds[k] = false);
    }
    let loaded = pairs.iter().filter(|(a, b)| holds[*a] && holds[*b]).count();
    let spheres = holds.iter().filter(|h| **h).count();
    Packing {
        filled: filled(simulation.world()),
        neighbours: 2.0 * loaded as f64 / spheres.max(1) as f64,
        loaded,
        held: spheres * if friction == 0.0 { 3 } else { 6 },
        rattlers: bodies.len() - spheres,
        missed,
        steps,
        history,
    }
}

/// What is filled, how many neighbours there are, and that no more contacts carry a force than can be told apart.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let size = usize::from(options.quick);
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    let ranges = [
        (
            0.0,
            published.tolerance("packing-filled-mu0")?,
            published.tolerance("packing-neighbours-mu0")?,
        ),
        (
            MUCH,
            published.tolerance("packing-filled-mu10")?,
            published.tolerance("packing-neighbours-mu10")?,
        ),
    ];
    for (color, (friction, filled, neighbours)) in ranges.into_iter().enumerate() {
        let packing = press(friction, options)?;
        let of = |what: &str| format!("7: μ = {friction}: {what}");
        let note = format!(
            "{} spheres, {} of them hold nothing up; {} of {} steps not certified",
            COUNTS[size], packing.rattlers, packing.missed, packing.steps
        );
        // So few in a cell that is five of them wide show that it runs, not what the limit is.
        let judged = |inside| match options.quick {
            true => Verdict::NoReference,
            false => Verdict::matches(inside),
        };
        let number = published.get(&format!("packing-filled-mu{friction}"))?;
        let verdict = judged(filled.allows(packing.filled));
        rows.push(
            number
                .row(
                    of("share of the volume that is filled"),
                    packing.filled,
                    verdict,
                )
                .note(&note)
                .note(filled.note("from")),
        );
        let number = published.get(&format!("packing-neighbours-mu{friction}"))?;
        let verdict = judged(neighbours.allows(packing.neighbours));
        let quantity = of("contacts with a force of a sphere that holds something up");
        rows.push(
            number
                .row(quantity, packing.neighbours, verdict)
                .note(&note)
                .note(neighbours.note("from")),
        );
        if friction == 0.0 {
            // Three ways of the whole, which no contact holds; three lengths of the cell, which contacts hold.
            let surplus = packing.loaded as f64 - packing.held as f64;
            let number = published.get("packing-isostatic")?;
            // Where nothing carries a force nothing is too much.
            let verdict = judged(packing.loaded > 0 && surplus <= 0.0);
            let quantity = of("contacts with a force above the velocities that they hold");
            rows.push(number.row(quantity, surplus, verdict).note(format!(
                "{} contacts with more than {FORCE} of the mean force, {} velocities; match: none",
                packing.loaded, packing.held
            )));
        }
        curves.push(Curve {
            label: format!("μ = {friction}"),
            color,
            stroke: Stroke::Line,
            points: packing.history,
        });
    }
    for (color, (label, level)) in [
        (4, ("reference, μ = 0: 0.625 to 0.645", 0.625)),
        (4, ("", 0.645)),
        (5, ("reference, μ = 10: 0.54 to 0.57", 0.54)),
        (5, ("", 0.57)),
    ] {
        curves.push(Curve {
            label: label.to_owned(),
            color,
            stroke: Stroke::Line,
            points: vec![(0.0, level), (END[size][0], level)],
        });
    }
    let chart = Chart {
        title: format!("{} spheres pressed together from all sides", COUNTS[size]),
        x: "time, s",
        y: "share of the volume that is filled",
        logarithmic: false,
        curves,
    };
    options.chart("validations-7", &chart)?;
    Ok(rows)
}
