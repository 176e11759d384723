//! What would be run, for people.

use super::Setup;
use super::openings::openings;
use granule::bodies::{Bodies, BodyShape, Dimension};
use granule::law::{Interface, Stiffness};
use granule::scheme::{SchemeConfig, SchemeName};
use granule::shapes::Surface;
use granule::simulation::{Simulation, StepSize};

impl Setup {
    /// The facts of the scene as (name, value), for `granule check` and reports.
    pub fn describe(&self) -> Vec<(String, String)> {
        let (world, settings) = (&self.world, &self.settings);
        let bodies = &world.bodies;
        let dynamic = (0..bodies.len()).filter(|&k| bodies.is_dynamic(k)).count();
        let mass: f64 = (0..bodies.len())
            .filter(|&k| bodies.is_dynamic(k))
            .map(|k| bodies.mass[k])
            .sum();
        let moved = |count: usize| match bodies.len() - count {
            0 => format!("{count}"),
            prescribed => format!("{} ({prescribed} with prescribed motion)", bodies.len()),
        };
        let duration = settings.end - world.time;
        let (step, steps) = match settings.step {
            StepSize::Fixed(step) => {
                // A last step that is a rounding error long is not a step.
                let steps = (duration / step * (1.0 - 1e-12)).ceil();
                (format!("{step} s"), format!("{steps}"))
            }
            StepSize::Cfl { fraction, longest } => (
                format!("at most {fraction} of the smallest radius, at most {longest} s"),
                format!("at least {}", (duration / longest * (1.0 - 1e-12)).ceil()),
            ),
        };
        let dimension = match world.dimension {
            Dimension::Line => "1, along x",
            Dimension::Plane => "2, the plane z = 0",
            Dimension::Space => "3",
        };
        let mut names: Vec<String> = world.laws.interfaces().map(describe_interface).collect();
        names.dedup();
        let g = world.gravity;
        let contacts = if self.output.contacts {
            "with contacts"
        } else {
            "without contacts"
        };
        let mut facts: Vec<(&str, String)> = vec![
            ("scene", self.name.clone()),
            ("dimension", dimension.to_owned()),
            ("gravity", format!("({}, {}, {}) m/s²", g.x, g.y, g.z)),
            ("bodies", moved(dynamic)),
            ("walls", world.walls.len().to_string()),
            ("materials", self.materials.join(", ")),
            ("total mass", format!("{mass:.6} kg")),
        ];
        let openings = wide_openings(self);
        if !openings.is_empty() {
            facts.push(("openings", openings.join(", ")));
        }
        if !world.joints.is_empty() {
            facts.push(("joints", world.joints.len().to_string()));
        }
        if !self.inlet_names.is_empty() {
            facts.push(("inlets", self.inlet_names.join(", ")));
        }
        if !self.outlet_names.is_empty() {
            facts.push(("outlets", self.outlet_names.join(", ")));
        }
        if !self.output.measures.is_empty() {
            let names = self.output.measures.iter().map(|measure| &*measure.name);
            facts.push(("measures", names.collect::<Vec<_>>().join(", ")));
        }
        facts.extend(sizes(bodies));
        if world.laws.bonds().next().is_some() {
            let made = Simulation::new(world.clone(), *settings);
            let made = made.map_or_else(|error| error.to_string(), |s| s.bonds().to_string());
            facts.push(("bonds", made));
        }
        facts.extend([
            ("time", format!("{} to {} s", world.time, settings.end)),
            ("step", step),
            ("steps", steps),
            ("scheme", describe_scheme(&settings.scheme)),
            ("law", names.join(", ")),
            (
                "solver",
                format!(
                    "{}, tolerance {:e}, at most {} iterations",
                    settings.solver.method().name(),
                    settings.solver.tolerance,
                    settings.solver.max_iterations
                ),
            ),
            (
                "output",
                format!(
                    "{}, a frame every {} s {contacts}, a checkpoint every {} s",
                    self.output.directory.display(),
                    self.output.frame_interval,
                    self.output.checkpoint_interval
                ),
            ),
        ]);
        if !self.output.forces_on.is_empty() {
            let names: Vec<&str> = (self.output.forces_on.iter())
                .map(|(name, _)| name.as_str())
                .collect();
            facts.push(("forces on", names.join(", ")));
        }
        facts
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

/// How many openings of meshes the smallest body passes, by walls.
fn wide_openings(setup: &Setup) -> Vec<String> {
    let smallest = 2.0 * setup.smallest_radius();
    let walls = setup.world.walls.iter().enumerate();
    let told = walls.filter_map(|(number, wall)| {
        let Surface::Mesh(mesh) = &wall.surface else {
            return None;
        };
        let mut widths: Vec<f64> = openings(mesh).iter().map(|opening| opening.width).collect();
        widths.retain(|width| *width > smallest);
        let widest = widths.iter().copied().reduce(f64::max)?;
        let count = widths.len();
        Some(format!(
            "{count} of walls[{number}], up to {widest:.4} m wide"
        ))
    });
    told.collect()
}

/// The radii of spheres, and how many other shapes there are and how far they reach.
fn sizes(bodies: &Bodies) -> Vec<(&'static str, String)> {
    let range = |values: &[f64]| {
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(0.0, f64::max);
        format!("{smallest:.6} to {largest:.6} m")
    };
    let carriers = (bodies.shape.iter()).filter(|shape| **shape == BodyShape::Walls);
    let carriers = carriers.count();
    let others = (0..bodies.len()).filter(|&k| matches!(bodies.shape[k], BodyShape::Solid(_)));
    let others: Vec<f64> = others.map(|k| bodies.radius[k]).collect();
    let radii: Vec<f64> = bodies.sphere_radii().collect();
    let mut facts = Vec::new();
    if !others.is_empty() {
        let (count, kinds) = (others.len(), bodies.solids.len());
        let shapes = if kinds == 1 { "shape" } else { "shapes" };
        facts.push((
            "shapes",
            format!(
                "{} spheres, {count} bodies of {kinds} other {shapes}",
                radii.len()
            ),
        ));
    }
    if carriers > 0 {
        facts.push((
            "carriers",
            format!("{carriers} bodies without a shape of their own"),
        ));
    }
    if !radii.is_empty() {
        facts.push(("radii", range(&radii)));
    }
    if !others.is_empty() {
        facts.push((
            "reach",
            format!("{} from the centres of other shapes", range(&others)),
        ));
    }
    facts
}

/// A scheme with its θ.
fn describe_scheme(scheme: &SchemeConfig) -> String {
    match scheme.name {
        SchemeName::Maury | SchemeName::Shake | SchemeName::Rattle => scheme.name.name().to_owned(),
        SchemeName::MoreauJean => format!("{} (θ = {})", scheme.name.name(), scheme.theta),
    }
}

/// A law with its coefficients.
fn describe_interface(interface: &Interface) -> String {
    let Interface {
        law,
        restitution,
        elasticity,
        cohesion,
        strength,
        dilatancy,
        bond,
    } = *interface;
    let friction = law.friction();
    let mut facts = Vec::new();
    if law.flow().is_some() {
        facts.push(format!("μ = {}", friction.sliding));
        if friction.resists_rolling() {
            facts.push(format!("rolling {} m", friction.rolling));
            facts.push(format!("spinning {} m", friction.spinning));
        }
        if let Some(tangent) = dilatancy {
            facts.push(format!("tan ψ = {tangent}"));
        }
    }
    if !restitution.is_none() {
        facts.push(format!("e = {}", restitution.normal));
    }
    if restitution.tangential > 0.0 {
        facts.push(format!("e_T = {}", restitution.tangential));
    }
    match elasticity.stiffness {
        Stiffness::Rigid => {}
        Stiffness::Springs { normal, .. } => facts.push(format!("K = {normal:e} N/m")),
        Stiffness::Spheres { young, poisson, .. } => {
            facts.push(format!("E = {young:e} Pa, ν = {poisson}"));
        }
    }
    if elasticity.damping > 0.0 {
        facts.push(format!("α_K = {} s", elasticity.damping));
    }
    if cohesion.holds() {
        facts.push(format!("cohesion {} N", cohesion.strength));
    }
    if strength.rounding > 0.0 {
        facts.push(format!("rounded by {} N", strength.rounding));
    }
    if let Some(cap) = strength.cap {
        facts.push(format!("capped at {cap} N"));
    }
    if let Some(bond) = bond {
        facts.push(format!("bonds that hold {} N", bond.pull));
    }
    if facts.is_empty() {
        law.name().to_owned()
    } else {
        format!("{} ({})", law.name(), facts.join(", "))
    }
}
