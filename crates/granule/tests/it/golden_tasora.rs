//! Contacts that give, hold and slide, against an independent prototype and closed forms (golden vectors of paper 003).

use crate::golden_files::{Vector, load, numbers};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Cohesion, Elasticity, Friction, Interface, Law, LawTable, Strength};
use granule::math::DVec3;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};

/// m: small, so that gaps, which are differences of lengths, are exact.
const RADIUS: f64 = 1e-3;

fn vector(id: &str) -> Vector {
    load("g003_tasora.json", id)
}

/// A sphere of 1 mm above a floor, at this gap (m) and with this velocity (m/s) upwards.
fn sphere_on_floor(
    (mass, gravity): (f64, f64),
    (gap, velocity): (f64, f64),
    interface: Interface,
    step: f64,
) -> Simulation {
    let mut world = World::new(Dimension::Space);
    world.gravity = gravity * DVec3::Z;
    world.lock_rotation = true;
    world.laws = LawTable::uniform(interface);
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let mut ball = Sphere::new((RADIUS + gap) * DVec3::Z, RADIUS, mass);
    ball.velocity = velocity * DVec3::Z;
    world.add_sphere(&ball);
    let mut settings = Settings::new(StepSize::Fixed(step), 1e3);
    settings.solver.tolerance = 1e-13;
    Simulation::new(world, settings).unwrap()
}

fn springs(stiffness: f64, damping: f64) -> Elasticity {
    Elasticity {
        damping,
        ..Elasticity::springs(stiffness, stiffness)
    }
}

/// Gap (m), velocity (m/s) upwards, y_P (m) and impulse (N s) of the sphere.
fn state(simulation: &Simulation) -> [f64; 4] {
    let bodies = &simulation.world().bodies;
    let memory = simulation
        .contacts()
        .next()
        .map(|c| (c.law.plastic, c.normal_impulse()));
    let (plastic, impulse) = memory.unwrap_or_default();
    [
        bodies.position[0].z - RADIUS,
        bodies.velocity[0].z,
        plastic,
        impulse,
    ]
}

fn close(found: f64, expected: f64, relative: f64, absolute: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= relative * expected.abs() + absolute,
        "{found} is not {expected}"
    );
}

/// Held so firmly that it never yields, a contact is a spring and a damper; the error falls with the step.
#[test]
fn a_contact_that_never_yields_is_a_damped_oscillator_of_first_order() {
    let golden = vector("003-vep-oscillator");
    let number = |name: &str| golden.inputs[name].as_f64().unwrap();
    let steps = numbers(&golden.inputs["h"]);
    let interface = Interface {
        elasticity: springs(number("K"), number("alpha_K")),
        cohesion: Cohesion {
            strength: 100.0,
            range: 1e3,
        },
        ..Interface::default()
    };
    let exact = golden.outputs["y_exact"].as_f64().unwrap();
    let mut errors = Vec::new();
    for (k, &step) in steps.iter().enumerate() {
        let mass = number("m");
        let start = (number("y0"), number("v0"));
        let mut simulation = sphere_on_floor((mass, number("f") / mass), start, interface, step);
        for _ in 0..(number("T") / step).round() as usize {
            assert!(simulation.step().unwrap().certified);
        }
        let [gap, velocity, plastic, impulse] = state(&simulation);
        let expected = |name: &str| numbers(&golden.outputs[name])[k];
        close(gap, expected("y"), 1e-10, 0.0);
        close(velocity, expected("v"), 1e-10, 0.0);
        close(impulse / step, expected("force"), 1e-9, 0.0);
        close(plastic, 0.0, 0.0, 1e-12);
        errors.push((gap - exact).abs());
    }
    // h, h/2, h/4: the error is halved.
    for pair in errors[..4].windows(2) {
        assert!((pair[0] / pair[1] - 2.0).abs() < 0.1, "{errors:?}");
    }
}

/// A step load below the cohesion overshoots, yields for a moment, and holds.
#[test]
fn a_pull_below_the_cohesion_holds() {
    let golden = vector("003-cohesion-pull-0.9");
    let number = |name: &str| golden.inputs[name].as_f64().unwrap();
    let interface = Interface {
        elasticity: springs(number("K"), number("alpha_K")),
        cohesion: Cohesion {
            strength: number("c"),
            range: 1.0,
        },
        ..Interface::default()
    };
    let (mass, step) = (number("m"), number("h"));
    let mut simulation = sphere_on_floor((mass, number("F") / mass), (0.0, 0.0), interface, step);
    let states = golden.outputs["states"].as_object().unwrap();
    for number in 1..=1000 {
        simulation.step().unwrap();
        if let Some(expected) = states.get(&number.to_string()) {
            for (found, expected) in state(&simulation).into_iter().zip(numbers(expected)) {
                close(found, expected, 1e-8, 1e-12);
            }
        }
    }
}

/// The pull grows, to below the cohesion or above it.
#[test]
fn a_pull_above_the_cohesion_flows() {
    for id in [
        "003-cohesion-ramp-0.4",
        "003-cohesion-ramp-0.9",
        "003-cohesion-ramp-1.5",
    ] {
        let golden = vector(id);
        let number = |name: &str| golden.inputs[name].as_f64().unwrap();
        let interface = Interface {
            elasticity: springs(number("K"), number("alpha_K")),
            cohesion: Cohesion {
                strength: number("c"),
                range: 1.0,
            },
            ..Interface::default()
        };
        let step = number("h");
        let mut simulation = sphere_on_floor((number("m"), 0.0), (0.0, 0.0), interface, step);
        for k in 1..=1000 {
            let time = step * f64::from(k);
            let ramp = number("ramp");
            let share = if ramp > 0.0 {
                (time / ramp).min(1.0)
            } else {
                1.0
            };
            let ball = simulation.world().bodies.id[0];
            simulation.apply_force(ball, share * number("F") * DVec3::Z, DVec3::ZERO);
            simulation.step().unwrap();
            if k == 500 {
                let [_, _, plastic, impulse] = state(&simulation);
                let expected = |name: &str| golden.outputs[name].as_f64().unwrap();
                close(plastic, expected("yP_step500"), 1e-8, 1e-12);
                close(impulse / step, expected("force_step500"), 1e-8, 1e-12);
            }
        }
        let [gap, velocity, plastic, impulse] = state(&simulation);
        let expected = |name: &str| golden.outputs[name].as_f64().unwrap();
        close(gap, expected("y"), 1e-8, 1e-12);
        close(velocity, expected("v"), 1e-8, 1e-12);
        close(plastic, expected("yP"), 1e-8, 1e-12);
        close(impulse / step, expected("force"), 1e-8, 1e-12);
    }
}

/// Pressed by less than its cap a contact is a spring; by more, it is crushed under the constant force of the cap.
#[test]
fn a_contact_is_crushed_where_it_is_pressed_by_more_than_its_cap() {
    let golden = vector("003-cap-crush-0.8");
    let number = |name: &str| golden.inputs[name].as_f64().unwrap();
    let interface = Interface {
        elasticity: springs(number("K"), number("alpha_K")),
        strength: Strength {
            cap: Some(number("cap")),
            ..Strength::default()
        },
        ..Interface::default()
    };
    let step = number("h");
    let press = |force: f64| {
        let mut simulation = sphere_on_floor((number("m"), 0.0), (0.0, 0.0), interface, step);
        for k in 1..=1000 {
            let share = (step * f64::from(k) / number("ramp")).min(1.0);
            let ball = simulation.world().bodies.id[0];
            simulation.apply_force(ball, -share * force * DVec3::Z, DVec3::ZERO);
            simulation.step().unwrap();
        }
        state(&simulation)
    };
    let [gap, velocity, plastic, impulse] = press(number("F"));
    let expected = |name: &str| golden.outputs[name].as_f64().unwrap();
    close(gap, expected("y"), 1e-8, 1e-12);
    close(velocity, expected("v"), 1e-8, 1e-12);
    close(plastic, expected("yP"), 1e-8, 1e-12);
    close(impulse / step, expected("force"), 1e-8, 1e-12);
    // 1.5 N on what bears 1 N: from 1/3 s on it yields, with the acceleration 3 t - 1 up to 0.5 s and 0.5 after.
    let [gap, velocity, plastic, impulse] = press(1.5);
    close(impulse / step, 1.0, 1e-12, 0.0);
    let speed = 1.5 * (0.5_f64 - 1.0 / 3.0).powi(2) + 0.5 * 0.5;
    close(velocity, -speed, 5e-3, 0.0);
    close(gap - plastic, -1.0 / number("K"), 1e-9, 1e-12);
    assert!(plastic < -0.05);
}

/// A ball that falls on a stiffer and stiffer floor ends as on a rigid one, m g/K below.
#[test]
fn stiff_contacts_become_rigid_ones() {
    let golden = vector("003-rigid-limit");
    let number = |name: &str| golden.inputs[name].as_f64().unwrap();
    let (mass, step) = (number("m"), number("h"));
    for (k, stiffness) in numbers(&golden.inputs["K"]).into_iter().enumerate() {
        let interface = Interface {
            elasticity: springs(stiffness, 0.0),
            ..Interface::default()
        };
        let start = (number("y0"), number("v0"));
        let mut simulation = sphere_on_floor((mass, -number("g")), start, interface, step);
        for _ in 0..30 {
            simulation.step().unwrap();
        }
        let [gap, _, _, impulse] = state(&simulation);
        // The gap is a difference of lengths.
        close(gap, numbers(&golden.outputs["y"])[k], 1e-9, 1e-15);
        close(impulse, numbers(&golden.outputs["gamma"])[k], 1e-9, 0.0);
    }
}

/// Pushed sideways below the limit of friction a block goes as far as its tangential spring lets it.
#[test]
fn a_block_that_is_pushed_sticks_to_its_spring() {
    let golden = vector("003-tangential-stick");
    let number = |name: &str| golden.inputs[name].as_f64().unwrap();
    let interface = Interface {
        law: Law::CoulombConvex(Friction::sliding(number("mu"))),
        elasticity: springs(number("K"), number("alpha_K")),
        ..Interface::default()
    };
    let (mass, step) = (number("m"), number("h"));
    let start = (numbers(&golden.inputs["y0"])[0], 0.0);
    let mut simulation = sphere_on_floor((mass, -number("g")), start, interface, step);
    for _ in 0..300 {
        let ball = simulation.world().bodies.id[0];
        simulation.apply_force(ball, number("fx") * DVec3::X, DVec3::ZERO);
        simulation.step().unwrap();
    }
    let expected = numbers(&golden.outputs["y"]);
    let position = simulation.world().bodies.position[0];
    close(position.z - RADIUS, expected[0], 1e-8, 1e-12);
    close(position.x, expected[1], 1e-8, 1e-12);
    let force = numbers(&golden.outputs["force"]);
    let contact = simulation.contacts().next().unwrap();
    close(contact.impulse.z / step, force[0], 1e-8, 0.0);
    close(contact.impulse.x / step, force[1], 1e-8, 0.0);
}
