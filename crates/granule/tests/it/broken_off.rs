//! A step that is broken off inside a solve leaves everything as it was.

use granule::bodies::{Dimension, Motion, Wall};
use granule::exchange::{Inlet, Matter, OnExit, Outlet, Rate, What, Zone};
use granule::law::{Friction, Law, LawTable};
use granule::math::{DVec3, Distribution};
use granule::shapes::{Plate, Region, Surface};
use granule::simulation::{Settings, Simulation, StepError, StepSize, World};
use granule::solver::{Method, Watch};

/// Grains rain on a plate, run over its rim and are taken out below: bodies come and go in most steps.
fn rain() -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.3)));
    let plate = Surface::Plate(Plate {
        width: 0.1,
        height: 0.1,
    });
    world.add_wall(Wall::new(plate, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let region = Region::cuboid(DVec3::new(-0.05, -0.05, 0.05), DVec3::new(0.05, 0.05, 0.11));
    let what = What::Spheres {
        radius: Distribution::Uniform([8e-3, 12e-3]),
        matter: Matter::Density(2500.0),
    };
    world.inlets.push(Inlet {
        velocity: DVec3::new(0.0, 0.0, -2.0),
        ..Inlet::new(region, what, Rate::Number(900.0))
    });
    let below = Zone::Beyond {
        point: DVec3::new(0.0, 0.0, -0.1),
        direction: -DVec3::Z,
    };
    world.outlets.push(Outlet::new(below, OnExit::Remove));
    world
}

fn simulation(method: Method) -> Simulation {
    let mut settings = Settings::new(StepSize::Fixed(2e-3), 0.5);
    settings.solver.own = method.into();
    Simulation::new(rain(), settings).unwrap()
}

/// Takes a step that is broken off if it solves anything; tells whether it was.
fn broken_off(simulation: &mut Simulation) -> bool {
    let watch = Watch::default();
    watch.stop();
    simulation.set_watch(watch);
    let (steps, time) = (simulation.world().steps, simulation.world().time);
    match simulation.step() {
        Ok(_) => false,
        Err(StepError::Interrupted { step, .. }) => {
            assert_eq!(step, steps + 1);
            assert_eq!(
                (simulation.world().steps, simulation.world().time),
                (steps, time)
            );
            true
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_step_that_was_broken_off_is_taken_again_with_the_same_bits() {
    for method in [Method::Ags, Method::ApgdAr] {
        let mut whole = simulation(method);
        let mut broken = simulation(method);
        let mut times = 0;
        while !whole.finished() {
            let expected = whole.step().unwrap();
            // Twice, and once from a snapshot.
            if broken_off(&mut broken) {
                times += 1;
                broken_off(&mut broken);
                if times % 3 == 0 {
                    broken = Simulation::restore(broken.snapshot()).unwrap();
                }
                broken.set_watch(Watch::default());
                assert_eq!(broken.step().unwrap(), expected);
            }
            assert_eq!(broken.snapshot(), whole.snapshot(), "{method:?}");
        }
        assert!(times > 50, "{times} with {method:?}");
        assert!(whole.world().outlets[0].gone.count > 20);
    }
}

#[test]
fn one_who_looks_on_sees_the_iterations() {
    let mut simulation = simulation(Method::Ags);
    let watch = Watch::default();
    simulation.set_watch(watch.clone());
    let mut sum = 0;
    while !simulation.finished() {
        sum += simulation.step().unwrap().iterations;
    }
    assert!(sum > 100);
    assert_eq!(watch.iterations(), sum);
}
