//! Forces that depend on where bodies are and how they move.

use granule::bodies::{
    Dimension, Drag, Field, ForceField, Profile, Selection, Sphere, TimeFunction,
};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::shapes::Region;
use granule::simulation::{Settings, Simulation, StepSize, World};
use std::f64::consts::PI;

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn ball(gravity: DVec3, fields: Vec<ForceField>) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = gravity;
    world.add_sphere(&Sphere::new(DVec3::ZERO, 1e-3, mass(2500.0)));
    world.fields = fields;
    world
}

/// Of a sphere of 1 mm with this density, kg.
fn mass(density: f64) -> f64 {
    density * 4.0 / 3.0 * PI * 1e-9
}

fn run(world: World, step: f64, end: f64, scheme: SchemeName) -> World {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme.name = scheme;
    let mut simulation = Simulation::new(world, settings).unwrap();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        let energy = &report.energy;
        assert!(
            energy.remainder.abs() <= 1e-9 * energy.turned_over + 1e-14 * report.kinetic_energy,
            "{energy:?}"
        );
    }
    simulation.world().clone()
}

#[test]
fn a_sphere_falls_in_water_at_its_terminal_speed() {
    let (density, viscosity) = (1000.0, 1e-3);
    let drag = Drag::Fluid { density, viscosity };
    let flow = DVec3::ZERO;
    let fields = || {
        vec![
            ForceField::on_all(Field::Buoyancy { density }),
            ForceField::on_all(Field::Drag { drag, flow }),
        ]
    };
    // (ρ_s - ρ) V g = ½ ρ C(Re) A v², solved by bisection.
    let weight = mass(2500.0 - density) * 9.81;
    let resistance = |v: f64| {
        let reynolds = density * v * 2e-3 / viscosity;
        let c = 24.0 / reynolds * (1.0 + 0.15 * reynolds.powf(0.687));
        0.5 * density * c * PI * 1e-6 * v * v
    };
    let (mut low, mut high) = (1e-6, 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if resistance(middle) < weight {
            low = middle;
        } else {
            high = middle;
        }
    }
    // Also with steps far longer than the time that the sphere needs to slow down.
    for (step, scheme) in [
        (1e-3, SchemeName::Maury),
        (0.1, SchemeName::Maury),
        (1e-3, SchemeName::MoreauJean),
        (1e-3, SchemeName::Shake),
        (1e-3, SchemeName::Rattle),
    ] {
        let speed = -run(ball(GRAVITY, fields()), step, 20.0, scheme)
            .bodies
            .velocity[0]
            .z;
        assert!(
            (speed - low).abs() < 1e-6 * low,
            "{step} {scheme:?}: {speed} {low}"
        );
    }
}

#[test]
fn springs_are_of_order_one_and_stable_for_any_step() {
    let spring = Field::Spring {
        point: DVec3::ZERO,
        stiffness: 4.0,
        damping: 0.4,
    };
    // x'' + 0.4 x' + 4 x = 0 from x = 1 at rest.
    let rate = (4.0_f64 - 0.04).sqrt();
    let exact = |t: f64| (-0.2 * t).exp() * ((rate * t).cos() + 0.2 / rate * (rate * t).sin());
    let error = |step: f64| {
        let mut world = World::new(Dimension::Space);
        world.add_sphere(&Sphere::new(DVec3::X, 0.1, 1.0));
        world.fields = vec![ForceField::on_all(spring.clone())];
        let end = run(world, step, 2.0, SchemeName::Maury).bodies.position[0].x;
        (end - exact(2.0)).abs()
    };
    let order = (error(2e-3) / error(1e-3)).log2();
    assert!((order - 1.0).abs() < 0.1, "{order}");
    assert!(error(1e-3) < 2e-3);
    let stiff = Field::Spring {
        point: DVec3::ZERO,
        stiffness: 1e9,
        damping: 0.0,
    };
    let world = run(
        ball(GRAVITY, vec![ForceField::on_all(stiff)]),
        0.1,
        5.0,
        SchemeName::Maury,
    );
    assert!(world.bodies.position[0].length() < 1e-9);
}

#[test]
fn a_body_runs_round_a_centre_that_draws_it() {
    // F = -m ω² r, a circle with ω = 2; the profile is a straight line.
    let force = Profile {
        places: vec![0.0, 2.0],
        values: vec![0.0, -8.0],
    };
    let center = DVec3::new(1.0, 0.0, 0.0);
    let mut world = World::new(Dimension::Space);
    let mut planet = Sphere::new(center + DVec3::X, 0.1, 1.0);
    planet.velocity = DVec3::new(0.0, 2.0, 0.0);
    world.add_sphere(&planet);
    world.fields = vec![ForceField::on_all(Field::Central { center, force })];
    let world = run(world, 1e-4, PI, SchemeName::Shake);
    let place = world.bodies.position[0] - center;
    assert!((place - DVec3::X).length() < 2e-3, "{place}");
}

#[test]
fn fields_act_on_those_that_are_chosen() {
    let push = |on: Selection| ForceField {
        field: Field::Along {
            direction: DVec3::Y,
            axis: DVec3::X,
            value: Profile {
                places: vec![0.0, 1.0],
                values: vec![1.0, 3.0],
            },
        },
        on,
    };
    let moved = |on: Selection| {
        let mut world = World::new(Dimension::Space);
        for k in 0..4 {
            let mut sphere = Sphere::new(DVec3::X * f64::from(k), 0.1, 1.0);
            sphere.material = k as u16 % 2;
            world.add_sphere(&sphere);
        }
        world.fields = vec![push(on)];
        let bodies = run(world, 0.5, 1.0, SchemeName::Maury).bodies.by_id();
        bodies.velocity.iter().map(|v| v.y).collect::<Vec<f64>>()
    };
    assert_eq!(moved(Selection::default()), [1.0, 3.0, 3.0, 3.0]);
    let material = Selection {
        material: Some(1),
        ..Selection::default()
    };
    assert_eq!(moved(material), [0.0, 3.0, 0.0, 3.0]);
    let ids = Selection {
        ids: Some(vec![0, 2]),
        ..Selection::default()
    };
    assert_eq!(moved(ids), [1.0, 0.0, 3.0, 0.0]);
    let region = Selection {
        region: Some(Region::cuboid(DVec3::splat(-0.5), DVec3::splat(1.5))),
        ..Selection::default()
    };
    assert_eq!(moved(region), [1.0, 3.0, 0.0, 0.0]);
}

#[test]
fn torques_turn_by_their_integral() {
    let torque = Field::Torque {
        direction: DVec3::Z,
        magnitude: TimeFunction::Linear {
            times: vec![0.0, 1.0],
            values: vec![0.0, 2.0],
        },
    };
    let mut world = World::new(Dimension::Space);
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.5, 4.0));
    world.fields = vec![ForceField::on_all(torque)];
    // J = 2/5 m r² = 0.4; ∫ 2 t = 1.
    let world = run(world, 0.01, 1.0, SchemeName::Maury);
    assert!((world.bodies.angular_velocity[0].z - 2.5).abs() < 1e-12);
}

#[test]
fn bad_fields_are_refused() {
    let refused = |field: Field| {
        let made = Simulation::new(
            ball(GRAVITY, vec![ForceField::on_all(field)]),
            Settings::new(StepSize::Fixed(1e-3), 1.0),
        );
        made.err().expect("refused").to_string()
    };
    let told = refused(Field::Buoyancy { density: f64::NAN });
    assert!(
        told.contains("field 0") && told.contains("density"),
        "{told}"
    );
    let drag = Drag::Linear { coefficient: -1.0 };
    let flow = DVec3::ZERO;
    assert!(refused(Field::Drag { drag, flow }).contains("coefficient"));
    let force = Profile {
        places: vec![1.0, 0.0],
        values: vec![0.0, 0.0],
    };
    let center = DVec3::ZERO;
    assert!(refused(Field::Central { center, force }).contains("increase"));
}
