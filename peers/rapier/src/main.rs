//! Rapier on a start state of `granule bench peers`.
//!
//! usage: peer-rapier START.csv FRICTION END.csv KEY=VALUE...
//!
//! Spheres `x,y,z,r,m` fall in the box [0, 10]³ under gravity 1 to t = 8 and are written as they lie then. Keys:
//! `step` (s), `iterations`, `frequency` (Hz, of the springs in contacts), `recycling` (0 or 1, whether contacts of the
//! last step are used again). Everything else, and what is not given, is as shipped. One line of JSON says what the
//! steps took.

#[cfg(all(feature = "f32", not(feature = "f64")))]
use rapier3d as rapier;
#[cfg(feature = "f64")]
use rapier3d_f64 as rapier;

use rapier::prelude::*;
use std::error::Error;
use std::fmt::Write as _;

/// Side of the box, m.
const SIDE: Real = 10.0;
/// Half the thickness of its walls, m.
const THICK: Real = 1.0;
/// The time of the end, s.
const END: f64 = 8.0;

/// Processor time of this process so far, s; counted in hundredths of a second.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The fields after the name, which is in brackets.
    let fields = stat.rsplit_once(')').ok_or("no fields")?.1;
    let ticks: f64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<f64>())
        .sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [start, friction, end, options @ ..] = &arguments[..] else {
        return Err("usage: peer-rapier START.csv FRICTION END.csv KEY=VALUE...".into());
    };
    let option = |key: &str| {
        let named = |text: &String| Some(text.strip_prefix(key)?.strip_prefix('=')?.to_owned());
        options.iter().find_map(named)
    };
    let friction: Real = friction.parse()?;
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -1.0);
    if let Some(step) = option("step") {
        world.integration_parameters.dt = step.parse()?;
    }
    if let Some(iterations) = option("iterations") {
        world.integration_parameters.num_solver_iterations = iterations.parse()?;
    }
    if let Some(recycling) = option("recycling") {
        world.integration_parameters.contact_recycling = recycling != "0";
    }
    if let Some(frequency) = option("frequency") {
        let frequency: Real = frequency.parse()?;
        let parameters = &mut world.integration_parameters;
        parameters.contact_softness.natural_frequency = frequency;
        parameters.static_contact_softness.natural_frequency = 2.0 * frequency;
    }
    for axis in 0..3 {
        for centre in [-THICK, SIDE + THICK] {
            let mut half = [SIDE / 2.0 + 2.0 * THICK; 3];
            half[axis] = THICK;
            let mut place = [SIDE / 2.0; 3];
            place[axis] = centre;
            let [x, y, z] = place;
            let wall = ColliderBuilder::cuboid(half[0], half[1], half[2]).friction(friction);
            let body = RigidBodyBuilder::fixed().translation(Vector::new(x, y, z));
            world.insert(body, wall.restitution(0.0));
        }
    }
    let text = std::fs::read_to_string(start)?;
    let mut spheres = Vec::new();
    for line in text.lines().skip(1) {
        let row = line.split(',').map(str::parse::<Real>);
        let row = row.collect::<Result<Vec<Real>, _>>()?;
        let [x, y, z, radius, mass, ..] = row[..] else {
            return Err(format!("{start}: `{line}` has too few numbers").into());
        };
        let ball = ColliderBuilder::ball(radius).mass(mass).friction(friction);
        let body = RigidBodyBuilder::dynamic().translation(Vector::new(x, y, z));
        spheres.push((world.insert(body, ball.restitution(0.0)).0, line));
    }
    let step = f64::from(world.integration_parameters.dt);
    let steps = (END / step).round() as usize;
    let before = processor_seconds()?;
    for _ in 0..steps {
        world.step();
    }
    let seconds = processor_seconds()? - before;
    let mut state = "x,y,z,r,m\n".to_owned();
    for (handle, line) in spheres {
        let place = world.bodies[handle].translation();
        let own: Vec<&str> = line.split(',').skip(3).take(2).collect();
        let (x, y, z) = (place.x, place.y, place.z);
        writeln!(state, "{x:e},{y:e},{z:e},{}", own.join(","))?;
    }
    std::fs::write(end, state)?;
    println!("{{\"seconds\": {seconds}, \"steps\": {steps}, \"step\": {step}}}");
    Ok(())
}
