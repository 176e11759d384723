//! Mechanisms with a reference: chains, closed loops, a slider-crank, Andrews' mechanism.

use granule::bodies::{Dimension, TimeFunction};
use granule::cases::{
    SliderCrank, andrews, andrews_angles, bennett, chain, four_bar, half_a_step_back,
    mechanism_settings,
};
use granule::joints::{Along, Effect};
use granule::math::DVec3;
use granule::scheme::SchemeName;
use granule::simulation::{Simulation, StepReport, World};

/// With their orders.
const SCHEMES: [(SchemeName, f64); 4] = [
    (SchemeName::Maury, 1.0),
    (SchemeName::MoreauJean, 1.0),
    (SchemeName::Shake, 2.0),
    (SchemeName::Rattle, 2.0),
];

fn is_centred(scheme: SchemeName) -> bool {
    matches!(scheme, SchemeName::Shake | SchemeName::Rattle)
}

/// Runs a world with the velocities that the scheme starts with.
fn run(
    world: World,
    scheme: SchemeName,
    (step, steps): (f64, usize),
    mut look: impl FnMut(&StepReport),
) -> Simulation {
    let world = match is_centred(scheme) {
        true => half_a_step_back(world, step),
        false => world,
    };
    let settings = mechanism_settings(scheme, step, 1e9, 1e-9);
    let mut simulation = Simulation::new(world, settings).unwrap();
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{scheme:?} {report:?}");
        assert!(report.joint_error < 1e-8, "{scheme:?} {report:?}");
        look(&report);
    }
    simulation
}

/// The energies of the steps but the first, J: for velocities at the middles of steps with the mean of the potential
/// energies of both ends.
fn energies(world: World, scheme: SchemeName, time: (f64, usize)) -> Vec<f64> {
    let (mut list, mut before) = (Vec::new(), None);
    run(world, scheme, time, |report| {
        let now = report.potential_energy;
        if let Some(then) = before.replace(now) {
            let potential = if is_centred(scheme) {
                0.5 * (now + then)
            } else {
                now
            };
            list.push(report.kinetic_energy + potential);
        }
    });
    list
}

fn range(list: &[f64]) -> f64 {
    let most = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - list.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn a_swinging_chain_stays_together_and_accounts_for_its_energy() {
    for (scheme, _) in SCHEMES {
        let (mut least, mut most, mut accounts) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
        run(chain(10, 1.0, DVec3::X), scheme, (1e-3, 1500), |report| {
            let energy = report.kinetic_energy + report.potential_energy;
            (least, most) = (least.min(energy), most.max(energy));
            let account = &report.energy;
            accounts = accounts.max(account.remainder.abs() / account.turned_over);
        });
        assert!(accounts < 1e-9, "{scheme:?} {accounts}");
        // Of some 450 J that go to and fro; the potential energy is that of the end of the step, the kinetic energy
        // that of half a step earlier, so that they differ by up to h times the power.
        if is_centred(scheme) {
            assert!(most - least < 3.0, "{least} {most}");
        }
    }
}

#[test]
fn closed_loops_stay_closed_and_keep_their_energy_to_the_order_of_the_scheme() {
    for dimension in [Dimension::Plane, Dimension::Space] {
        for (scheme, order) in SCHEMES {
            let ranges = [1, 2].map(|k| {
                let time = (2e-3 / k as f64, 500 * k);
                range(&energies(four_bar(dimension), scheme, time))
            });
            let found = (ranges[0] / ranges[1]).log2();
            assert!(
                (found - order).abs() < 0.15,
                "{scheme:?} {found} {ranges:?}"
            );
        }
    }
}

/// Three rows of its four hinges follow from the others, and their remainders do not.
#[test]
fn a_spatial_loop_moves_although_it_holds_more_than_its_bodies_can() {
    for (scheme, order) in SCHEMES {
        let mut iterations = 0;
        let simulation = run(bennett(), scheme, (1e-3, 1000), |report| {
            iterations += report.iterations;
        });
        assert!(iterations < 25_000, "{scheme:?} {iterations}");
        let turned = simulation.joint_states()[1].turn;
        assert!(turned.abs() > 0.5, "{scheme:?} {turned}");
        if order == 2.0 {
            let list = energies(bennett(), scheme, (1e-3, 1000));
            assert!(range(&list) < 1e-3, "{scheme:?} {}", range(&list));
        }
    }
}

const CRANK: SliderCrank = SliderCrank {
    dimension: Dimension::Plane,
    crank: 0.5,
    rod: 1.5,
    masses: [1.0, 2.0, 1.0],
    speed: 12.0,
};

#[test]
fn a_free_slider_crank_turns_as_its_equation_of_motion_says() {
    let end = 0.5;
    let exact = CRANK.free_angle(end, 20_000);
    for (scheme, order) in SCHEMES {
        let errors = [250, 500].map(|steps| {
            let simulation = run(CRANK.world(), scheme, (end / steps as f64, steps), |_| {});
            (simulation.joint_states()[0].turn - exact).abs()
        });
        let found = (errors[0] / errors[1]).log2();
        assert!(
            (found - order).abs() < 0.15,
            "{scheme:?} {found} {errors:?}"
        );
    }
}

#[test]
fn a_driven_slider_crank_is_where_kinematics_says() {
    let motor = Effect::Speed {
        target: TimeFunction::Constant(CRANK.speed),
        strength: None,
    };
    // `moreau-jean` closes joints by moving bodies, which turns the crank, too.
    for scheme in [SchemeName::Maury, SchemeName::Shake, SchemeName::Rattle] {
        for dimension in [Dimension::Plane, Dimension::Space] {
            let mut world = SliderCrank { dimension, ..CRANK }.world();
            world.joints[0] = world.joints[0].clone().with(Along::Turn, motor.clone());
            let settings = mechanism_settings(scheme, 1e-3, 0.5, 1e-9);
            let mut simulation = Simulation::new(world, settings).unwrap();
            while !simulation.finished() {
                let time = simulation.step().unwrap().time;
                let bodies = &simulation.world().bodies;
                let piston = bodies.position[bodies.place_of(2).unwrap()].x;
                let off = (piston - CRANK.piston(CRANK.speed * time)).abs();
                assert!(off < 1e-8, "{scheme:?} {dimension:?} {time} {off}");
            }
        }
    }
}

#[test]
fn andrews_mechanism_ends_where_it_is_known_to() {
    let exact = [
        15.810_771_196_299_04,
        -15.756_371_059_842_98,
        0.040_822_240_130_731_01,
        -0.534_730_116_322_694_8,
        0.524_409_965_880_530_4,
        0.534_730_116_322_694_8,
        1.048_080_741_042_263,
    ];
    for (scheme, order) in SCHEMES {
        let errors = [750, 1500].map(|steps| {
            let simulation = run(andrews(), scheme, (0.03 / steps as f64, steps), |_| {});
            let angles = andrews_angles(&simulation);
            let errors = angles.iter().zip(exact).map(|(x, y)| (x - y).abs());
            errors.fold(0.0, f64::max)
        });
        let found = (errors[0] / errors[1]).log2();
        assert!((found - order).abs() < 0.2, "{scheme:?} {found} {errors:?}");
        if order == 2.0 {
            assert!(errors[1] < 1e-3, "{scheme:?} {errors:?}");
        }
    }
}

#[test]
fn a_chain_with_a_heavy_load_is_solved_at_once() {
    for (direction, hangs) in [(-DVec3::Z, true), (DVec3::X, false)] {
        let mut efforts = Vec::new();
        for load in [1.0, 1e4] {
            let mut iterations = 0;
            let world = chain(100, load, direction);
            let simulation = run(world, SchemeName::Maury, (1e-3, 20), |report| {
                iterations += report.iterations;
            });
            // The uppermost joint carries everything.
            let carried = simulation.joint_loads()[0].force;
            let weight = (99.0 + load) * 9.81;
            if hangs {
                assert!(
                    (carried.z / weight - 1.0).abs() < 1e-6,
                    "{carried} {weight}"
                );
            }
            efforts.push(iterations);
        }
        assert!(efforts[1] <= 3 * efforts[0], "{efforts:?}");
    }
}
