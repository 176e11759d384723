//! From a scene to a world that can be run.

use super::error::{Problem, SceneError};
use super::generate::{self, Context, Failure};
use super::grammar::Sections;
use super::key_path::key_path;
use super::meshes::Meshes;
use super::overlap::Placed;
use super::{
    OutputPlan, Scene, Setup, Source, cell, check, convert, exchange, forces, ids, machines,
    overlap, urdf,
};
use granule::bodies::{BodyShape, Dimension};
use granule::simulation::{Settings, StepSize, World};

pub(crate) fn build(scene: &Scene) -> Result<Setup, SceneError> {
    let sections = &scene.sections;
    let mut world = World::new(convert::dimension(sections.scene.dimension));
    world.lock_rotation = sections.scene.lock_rotation;
    world.cell = cell::cell(sections);
    world.gravity = convert::vector_or_zero(sections.scene.gravity.as_ref());
    let context = Context {
        dimension: usize::from(sections.scene.dimension),
        folder: scene.folder(),
        materials: sections.materials.keys().map(String::as_str).collect(),
        cell: sections.cell.as_ref(),
    };
    world.time =
        generate::start_time(sections, &context).map_err(|problem| scene.error(problem))?;
    let material = |name: Option<&str>| generate::material_index(sections, name);
    let mut meshes = Meshes::new(scene.folder());
    for (k, wall) in sections.walls.iter().enumerate() {
        let number = material(wall.material.as_deref());
        let wall = convert::wall(wall, number, &mut meshes, &key_path!["walls", k]);
        if let Some(wall) = wall.map_err(|problem| scene.error(problem))? {
            world.add_wall(wall);
        }
    }
    forces::add(sections, scene.folder(), &mut world).map_err(|problem| scene.error(problem))?;
    world.laws = sections.contacts.table(|name| material(Some(name)));

    let failed = |failure| match failure {
        Failure::Scene(problem) => scene.error(problem),
        Failure::File(error) => error,
    };
    let sources = generate::bodies(sections, &mut meshes, &mut world);
    let mut sources = sources.map_err(|problem| scene.error(problem))?;
    let mechanisms = urdf::add(sections, scene.folder(), &mut world, &mut sources)
        .and_then(|made| check::joints::driven(sections, &made.joint_names).map(|()| made))
        .map_err(|problem| scene.error(problem))?;
    let brought = generate::grains(sections, &context, &mut meshes, &mut world, &mut sources);
    let brought = brought.map_err(failed)?;
    exchange::add_inlets(sections, &mut meshes, &mut world)
        .map_err(|problem| scene.error(problem))?;
    exchange::add_outlets(sections, &mut world);
    world.bonds = listed_bonds(sections);
    let joints = machines::joints(sections, &world);
    world.joints.extend(joints);
    let mut carried = walls_on_bodies(sections);
    for (k, servo) in sections.servos.iter().enumerate() {
        if let Some(pair) = machines::add_servo(sections, servo, &mut world) {
            carried.push(pair);
            sources.push(Source::Servo(k));
        }
    }
    let of_runs = sections.grains.iter().map(|grains| grains.run.is_some());
    let placed = Placed {
        world: &world,
        sources: &sources,
        carried: &carried,
        of_runs: &of_runs.collect::<Vec<_>>(),
    };
    sound(sections, &placed).map_err(|problem| scene.error(problem))?;
    for (wall, id) in carried {
        machines::mount(&mut world, wall, id);
    }
    ids::keep(&mut world, &brought.ids);

    Ok(Setup {
        name: sections.scene.name.clone(),
        settings: settings(sections),
        output: output(sections),
        materials: sections.materials.keys().cloned().collect(),
        wall_names: sections
            .walls
            .iter()
            .map(|wall| wall.name.clone())
            .collect(),
        joint_names: joint_names(sections, mechanisms.joint_names),
        inlet_names: exchange::inlet_names(sections),
        outlet_names: exchange::outlet_names(sections),
        notes: [mechanisms.notes, brought.notes].concat(),
        sources,
        scene: Some(scene.to_toml()?),
        world,
    })
}

fn sound(sections: &Sections, placed: &Placed<'_>) -> Result<(), Problem> {
    let bodies = &placed.world.bodies;
    if bodies.is_empty() && sections.inlets.is_empty() {
        return Err(Problem::new(
            key_path!["scene"],
            "the scene has no bodies",
            "nothing to run",
        )
        .help("the files of `[[grains]]` are empty: add rows to them"));
    }
    if placed.world.dimension == Dimension::Line {
        overlap::check_order(placed)?;
    }
    let shaped = (0..bodies.len()).filter(|k| bodies.shape[*k] != BodyShape::Walls);
    let smallest = shaped.fold(f64::INFINITY, |least, k| least.min(bodies.radius[k]));
    if sections.time.cfl.is_some() && smallest == 0.0 {
        return Err(Problem::new(
            key_path!["time", "cfl"],
            "`cfl` measures steps by the smallest radius, which is zero here",
            "steps would have no length",
        )
        .help("give `step` (s) instead of `cfl`"));
    }
    check_bonded(placed)?;
    cell::check(placed.world)?;
    if sections.scene.allow_overlap {
        Ok(())
    } else {
        overlap::check(placed)
    }
}

/// The ids of the bodies that `[[bonds]]` name: those of `[[bodies]]` come first.
fn listed_bonds(sections: &Sections) -> Vec<[u32; 2]> {
    let id = |name: &String| {
        let mut bodies = sections.bodies.iter();
        let place = bodies.position(|body| body.name.as_ref() == Some(name));
        place.map(|place| place as u32)
    };
    let pairs = sections.bonds.iter().map(|pair| &pair.between);
    pairs.filter_map(|[a, b]| Some([id(a)?, id(b)?])).collect()
}

/// The walls that bodies carry, each with the id of the body.
fn walls_on_bodies(sections: &Sections) -> Vec<(usize, u32)> {
    let walls = sections.walls.iter().enumerate();
    let on = walls.filter_map(|(number, wall)| {
        let (place, _) = machines::body(sections, wall.body.as_ref()?)?;
        Some((number, place as u32))
    });
    on.collect()
}

/// The names of the joints of the world, after those of mechanisms; that of a servo is its wall's with `_servo`.
fn joint_names(sections: &Sections, mechanisms: Vec<Option<String>>) -> Vec<Option<String>> {
    let named = sections.joints.iter().map(|joint| joint.name.clone());
    let servos = sections.servos.iter();
    let servos = servos.map(|servo| Some(format!("{}_servo", servo.wall)));
    mechanisms.into_iter().chain(named).chain(servos).collect()
}

/// Bonds that are made between all that is near join spheres alone.
fn check_bonded(placed: &Placed<'_>) -> Result<(), Problem> {
    let (bodies, laws) = (&placed.world.bodies, &placed.world.laws);
    let bonded = |a: u16, b: u16| {
        laws.between(a, b)
            .bond
            .is_some_and(|bond| bond.within.is_some())
    };
    let near = |material: u16| bodies.material.iter().any(|&other| bonded(material, other));
    let solid = (0..bodies.len()).find(|&k| !bodies.is_sphere(k) && near(bodies.material[k]));
    match solid.and_then(|place| placed.sources.get(place)) {
        None => Ok(()),
        Some(source) => Err(Problem::new(
            match *source {
                Source::Body(k) => key_path!["bodies", k],
                Source::Grain { set, .. } => key_path!["grains", set],
                Source::Servo(k) => key_path!["servos", k],
                Source::Link { mechanism, .. } => key_path!["mechanisms", mechanism],
            },
            "bonds join spheres (in 2D, disks)",
            "another shape, of a material that is bonded",
        )
        .help("give it a material of its own, and no `bond` to pairs with that")),
    }
}

fn settings(sections: &Sections) -> Settings {
    let time = &sections.time;
    let longest = time.max_step.unwrap_or(time.end / 100.0);
    Settings {
        step: match (time.step, time.cfl) {
            (Some(step), _) => StepSize::Fixed(step),
            (None, fraction) => StepSize::Cfl {
                fraction: fraction.unwrap_or(0.2),
                longest,
            },
        },
        end: time.end,
        scheme: time.into(),
        solver: sections.solver.config,
        candidate_distance: sections.contacts.candidate_distance,
    }
}

fn output(sections: &Sections) -> OutputPlan {
    let output = &sections.output;
    let usual = OutputPlan::new(&sections.scene.name, sections.time.end);
    OutputPlan {
        directory: output.directory.clone().unwrap_or(usual.directory),
        frame_interval: output.frame_interval.unwrap_or(usual.frame_interval),
        contacts: output.contacts.unwrap_or(usual.contacts),
        checkpoint_interval: output
            .checkpoint_interval
            .unwrap_or(usual.checkpoint_interval),
        forces_on: named_walls(sections),
        measures: super::measures::all(sections),
    }
}

/// The walls that `forces_on` names, in its order.
fn named_walls(sections: &Sections) -> Vec<(String, usize)> {
    let place = |name: &String| {
        let mut walls = sections.walls.iter();
        walls.position(|wall| wall.name.as_ref() == Some(name))
    };
    let asked = sections.output.forces_on.iter().flatten();
    asked
        .filter_map(|name| Some((name.clone(), place(name)?)))
        .collect()
}
