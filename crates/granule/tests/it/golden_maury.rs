//! The scheme gives the golden numbers of paper 002 and of the frictionless part of paper 004.

use crate::golden_files::{Vector, load, numbers};
use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::cases;
use granule::math::DVec3;
use granule::measure;
use granule::scheme::Recovery;
use granule::shapes::{HalfSpace, Surface};
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, SolverConfig};
use serde_json::Value;

fn settings(step: f64, end: f64, tolerance: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.solver = SolverConfig {
        own: Method::ApgdAsr.into(),
        tolerance,
        max_iterations: 100_000,
        ..settings.solver
    };
    settings
}

fn floor(normal: DVec3) -> Wall {
    Wall::new(
        Surface::HalfSpace(HalfSpace),
        DVec3::ZERO,
        normal,
        Motion::Fixed,
    )
}

/// Bodies in the order of ids.
fn by_id(world: &World) -> Vec<usize> {
    world
        .bodies
        .places()
        .into_iter()
        .map(|p| p as usize)
        .collect()
}

#[test]
fn the_oscillating_force_gives_the_two_solutions() {
    for exponent in [6, 8, 9, 11] {
        let id = format!("002-6.1-h2e-{exponent}");
        let Vector {
            inputs, outputs, ..
        } = load("g002_maury.json", &id);
        let step = 2f64.powi(-exponent);
        let world = cases::non_uniqueness(step * 1e-15);
        let mut simulation = Simulation::new(world, settings(step, 4.0, 1e-13)).unwrap();
        let mut reaction = 0.0;
        let times = numbers(&inputs["times"]);
        let (q, u) = (numbers(&outputs["q"]), numbers(&outputs["u"]));
        let mut next = 0;
        while !simulation.finished() {
            let report = simulation.step().unwrap();
            reaction += simulation
                .contacts()
                .map(|c| c.normal_impulse())
                .sum::<f64>();
            if next < times.len() && (report.time - times[next]).abs() < 1e-9 {
                let bodies = &simulation.world().bodies;
                assert!(
                    (bodies.position[0].x - q[next]).abs() < 1e-12,
                    "{id} t={}",
                    times[next]
                );
                assert!(
                    (bodies.velocity[0].x - u[next]).abs() < 1e-12,
                    "{id} t={}",
                    times[next]
                );
                next += 1;
            }
        }
        assert_eq!(next, times.len());
        let want = outputs["total_reaction_impulse"].as_f64().unwrap();
        assert!((reaction - want).abs() < 1e-9, "{id}: {reaction} {want}");
    }
}

#[test]
fn the_two_limits_are_approached_at_first_order() {
    let Vector {
        inputs, outputs, ..
    } = load("g002_maury.json", "002-6.1-limits");
    let times = numbers(&inputs["times"]);
    for (exponent, name) in [(12, "A_even"), (13, "B_odd")] {
        let step = 2f64.powi(-exponent);
        let world = cases::non_uniqueness(step * 1e-15);
        let mut simulation = Simulation::new(world, settings(step, 4.0, 1e-12)).unwrap();
        for (time, want) in times.iter().zip(numbers(&outputs[name])) {
            while simulation.world().time < time - 1e-9 {
                simulation.step().unwrap();
            }
            let q = simulation.world().bodies.position[0].x;
            assert!((q - want).abs() < 2e-4, "{name} t={time}: {q} {want}");
        }
    }
}

#[test]
fn sticky_particles_end_in_the_same_state_for_any_step() {
    let Vector { outputs, .. } = load("g002_maury.json", "002-6.2-sticky-eq");
    for step in [0.01, 0.5, 1.5] {
        let mut simulation = Simulation::new(cases::sticky(), settings(step, 3.0, 1e-13)).unwrap();
        let momentum = measure::momentum(&simulation.world().bodies).x;
        let mut energies = vec![measure::kinetic_energy(&simulation.world().bodies)];
        while !simulation.finished() {
            energies.push(simulation.step().unwrap().kinetic_energy);
            if step == 0.5 && energies.len() == 2 {
                let bodies = &simulation.world().bodies;
                for (i, q) in numbers(&outputs["q_after_one_step_h_0_5"])
                    .iter()
                    .enumerate()
                {
                    assert!((bodies.position[i].x - q).abs() < 1e-9);
                }
                for (i, u) in numbers(&outputs["u_after_one_step_h_0_5"])
                    .iter()
                    .enumerate()
                {
                    assert!((bodies.velocity[i].x - u).abs() < 1e-9);
                }
            }
        }
        let bodies = &simulation.world().bodies;
        let (q, u) = cases::sticky_aggregate(3.0);
        assert!((q - outputs["q_final"].as_f64().unwrap()).abs() < 1e-14);
        for i in 0..bodies.len() {
            assert!((bodies.position[i].x - q).abs() < 1e-9, "h={step}");
            assert!((bodies.velocity[i].x - u).abs() < 1e-9, "h={step}");
        }
        assert!((measure::momentum(bodies).x - momentum).abs() < 1e-13);
        assert!(energies.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)));
        let golden = numbers(&outputs["per_h"][format!("{step}")]["KE_first5"]);
        for (ours, want) in energies.iter().zip(golden) {
            assert!((ours - want).abs() < 1e-9, "h={step}: {ours} {want}");
        }
    }
}

#[test]
fn a_constant_force_moves_the_centre_of_mass_as_remark_11_says() {
    let Vector { outputs, .. } = load("g002_maury.json", "002-remark11");
    let mut world = World::new(Dimension::Line);
    world.gravity = DVec3::X;
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.0, 1.0));
    let mut simulation = Simulation::new(world, settings(0.1, 1.0, 1e-12)).unwrap();
    while !simulation.finished() {
        simulation.step().unwrap();
    }
    let bodies = &simulation.world().bodies;
    assert_eq!(simulation.world().steps, 10);
    assert!((bodies.velocity[0].x - outputs["u"].as_f64().unwrap()).abs() < 1e-12);
    assert!((bodies.position[0].x - outputs["q"].as_f64().unwrap()).abs() < 1e-12);
}

#[test]
fn collisions_project_in_the_metric_of_the_masses() {
    let Vector { outputs, .. } = load("g002_maury.json", "002-collision-metric");
    let mut world = World::new(Dimension::Line);
    let mut first = Sphere::new(DVec3::ZERO, 0.0, 1.0);
    first.velocity = DVec3::X;
    world.add_sphere(&first);
    world.add_sphere(&Sphere::new(DVec3::ZERO, 0.0, 3.0));
    let mut simulation = Simulation::new(world, settings(0.1, 1.0, 1e-13)).unwrap();
    simulation.step().unwrap();
    for (i, want) in numbers(&outputs["u_plus"]).into_iter().enumerate() {
        assert!((simulation.world().bodies.velocity[i].x - want).abs() < 1e-12);
    }
}

#[test]
fn a_small_cluster_hits_the_floor_like_the_reference_quadratic_program() {
    let Vector {
        inputs, outputs, ..
    } = load("g002_maury.json", "002-6.3-cluster-4x3");
    let (nx, ny) = (4, 3);
    let r0 = inputs["r0"].as_f64().unwrap();
    let mut world = World::new(Dimension::Plane);
    world.add_wall(floor(DVec3::Y));
    for k in 0..nx * ny {
        let (i, j) = ((k % nx) as f64, (k / nx) as f64);
        let phase = k as f64;
        let x = 2.6 * r0 * (i + 0.5 * (j % 2.0)) + 0.3 * r0 * (7.1 * phase + 1.0).sin();
        let z = 0.05 + 2.6 * r0 * j + 0.3 * r0 * (3.3 * phase).cos();
        let r = r0 * (1.0 + 0.2 * (5.7 * phase + 0.4).sin());
        let mut disk = Sphere::new(DVec3::new(x, z, 0.0), r, (r / r0).powi(3));
        disk.velocity = DVec3::NEG_Y;
        world.add_sphere(&disk);
    }
    let mut simulation = Simulation::new(world, settings(0.1, 0.9, 1e-12)).unwrap();
    for want in numbers(&outputs["KE_per_step"]) {
        let report = simulation.step().unwrap();
        assert!(
            (report.kinetic_energy - want).abs() < 1e-6,
            "{} {want}",
            report.kinetic_energy
        );
        let bodies = &simulation.world().bodies;
        for i in 0..bodies.len() {
            assert!(bodies.position[i].y - bodies.radius[i] > -1e-9);
            for j in 0..i {
                let gap = bodies.position[i].distance(bodies.position[j])
                    - bodies.radius[i]
                    - bodies.radius[j];
                assert!(gap > -1e-9, "{gap}");
            }
        }
    }
    assert!(simulation.finished());
    let bodies = &simulation.world().bodies;
    for (place, want) in by_id(simulation.world())
        .into_iter()
        .zip(outputs["q_final"].as_array().unwrap())
    {
        let want = numbers(want);
        let found = bodies.position[place];
        assert!((found.x - want[0]).abs() < 1e-6 && (found.y - want[1]).abs() < 1e-6);
    }
}

/// The first step of a few touching spheres: the frictionless velocities of [bloch2023, eq. (11)].
fn first_step(id: &str) {
    let Vector {
        inputs, outputs, ..
    } = load("g004_bloch.json", id);
    let planar = inputs["dim"] == 2;
    let vector = |v: &Value| {
        let v = numbers(v);
        DVec3::new(v[0], v[1], if planar { 0.0 } else { v[2] })
    };
    let mut world = World::new(if planar {
        Dimension::Plane
    } else {
        Dimension::Space
    });
    let up = if planar { DVec3::Y } else { DVec3::Z };
    world.gravity = -inputs["g"].as_f64().unwrap() * up;
    world.add_wall(floor(up));
    let (radii, masses) = (numbers(&inputs["radii"]), numbers(&inputs["masses"]));
    for i in 0..radii.len() {
        let mut sphere = Sphere::new(vector(&inputs["centres"][i]), radii[i], masses[i]);
        let velocity = numbers(&inputs["velocities_lin_then_ang"][i]);
        sphere.velocity = vector(&inputs["velocities_lin_then_ang"][i]);
        sphere.angular_velocity = if planar {
            DVec3::new(0.0, 0.0, velocity[2])
        } else {
            DVec3::from_slice(&velocity[3..])
        };
        world.add_sphere(&sphere);
    }
    let step = inputs["dt"].as_f64().unwrap();
    let mut settings = settings(step, step, 1e-12);
    // The golden step undoes an initial overlap by the velocity, as printed.
    settings.scheme.recovery = Recovery::Velocity;
    let mut simulation = Simulation::new(world, settings).unwrap();
    simulation.step().unwrap();
    let want = numbers(&outputs["u_frictionless"]);
    let each = want.len() / radii.len();
    let bodies = &simulation.world().bodies;
    for (id, place) in by_id(simulation.world()).into_iter().enumerate() {
        let (v, w) = (bodies.velocity[place], bodies.angular_velocity[place]);
        let found = if planar {
            vec![v.x, v.y, w.z]
        } else {
            [v.to_array(), w.to_array()].concat()
        };
        for (x, y) in found.iter().zip(&want[id * each..]) {
            assert!((x - y).abs() < 1e-6, "body {id}: {x} {y}");
        }
    }
}

#[test]
fn first_steps_of_touching_spheres_agree_with_the_reference() {
    for id in ["004-ccp-2d", "004-ccp-2d-mu005", "004-ccp-3d"] {
        first_step(id);
    }
}

#[test]
fn a_disk_falling_on_an_incline_has_the_reference_errors() {
    let Vector {
        inputs, outputs, ..
    } = load("g004_bloch.json", "004-3.2-frictionless-mu0.0");
    let errors = numbers(&outputs["e_x"]);
    for (k, step) in numbers(&inputs["dt"]).into_iter().enumerate() {
        let mut simulation =
            Simulation::new(cases::disk_on_incline(), settings(step, 10.0, 1e-13)).unwrap();
        let mut sum = 0.0;
        while !simulation.finished() {
            let t = simulation.step().unwrap().time;
            let position = simulation.world().bodies.position[0];
            let (down, gap) = cases::exact_frictionless(t);
            sum += step * ((position.x - down).powi(2) + (position.y - 1.0 - gap).powi(2));
        }
        assert!(
            (sum.sqrt() / errors[k] - 1.0).abs() < 1e-6,
            "h={step}: {} {}",
            sum.sqrt(),
            errors[k]
        );
        let bodies = &simulation.world().bodies;
        let last = &outputs["final_state_sT_gap_theta_vT_vn_omega"][k];
        assert!((bodies.position[0].x - last[0].as_f64().unwrap()).abs() < 1e-8);
        assert!((bodies.velocity[0].x - last[3].as_f64().unwrap()).abs() < 1e-8);
    }
}
