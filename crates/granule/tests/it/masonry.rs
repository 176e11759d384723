//! Blocks on blocks: an arch that stands or falls by two per cent of its thickness, bricks that do not creep, a tower
//! under a heavy load, dominoes.

use granule::cases::{Arch, brick_wall, dominoes, tower};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule::solver::{Method, SolverConfig};

fn simulation(world: World, step: f64, method: Option<Method>) -> Simulation {
    let mut settings = Settings::new(StepSize::Fixed(step), 1e3);
    if let Some(method) = method {
        settings.solver = SolverConfig::named(method);
    }
    settings.solver.tolerance = 1e-8;
    Simulation::new(world, settings).unwrap()
}

/// How far the body that went farthest is from where it was, m.
fn farthest(before: &World, after: &World) -> f64 {
    let (before, after) = (before.bodies.by_id(), after.bodies.by_id());
    let ways = before.position.iter().zip(&after.position);
    ways.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// How far blocks go in so many certified steps, m.
fn way(world: World, step: f64, steps: usize, method: Option<Method>) -> f64 {
    let before = world.clone();
    let mut simulation = simulation(world, step, method);
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
    }
    farthest(&before, simulation.world())
}

#[test]
fn an_arch_stands_if_it_is_thick_enough_and_falls_if_not() {
    let stands = way(Arch::of_27(1.02).world(), 2e-3, 500, Some(Method::Newton));
    assert!(stands < 1e-7, "{stands}");
    let falls = way(Arch::of_27(0.98).world(), 2e-3, 500, Some(Method::Newton));
    assert!(falls > 0.05, "{falls}");
}

#[test]
fn bricks_at_rest_do_not_creep() {
    let way = way(brick_wall(4, 5), 1e-3, 1000, Some(Method::Newton));
    assert!(way < 1e-9, "{way}");
}

#[test]
fn a_tower_carries_ten_thousand_times_the_mass_of_its_blocks() {
    let world = tower(20, 1e4);
    let before = world.clone();
    let mut simulation = simulation(world, 1e-3, Some(Method::Newton));
    for _ in 0..200 {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        assert!(report.certificate.max_penetration < 1e-6 * 0.1);
    }
    let way = farthest(&before, simulation.world());
    assert!(way < 1e-7, "{way}");
}

/// When each domino has turned by 0.1 rad, s.
fn times_of_fall(count: usize, step: f64) -> Vec<f64> {
    let mut simulation = simulation(dominoes(count), step, None);
    let mut times = vec![f64::NAN; count];
    while times.iter().any(|time| time.is_nan()) && simulation.world().time < 3.0 {
        assert!(simulation.step().unwrap().certified);
        let bodies = &simulation.world().bodies;
        for (place, turn) in bodies.orientation.iter().enumerate() {
            let time = &mut times[bodies.id[place] as usize];
            if time.is_nan() && (*turn * DVec3::Z).z < 0.1_f64.cos() {
                *time = simulation.world().time;
            }
        }
    }
    times
}

#[test]
fn dominoes_fall_one_after_the_other_at_a_speed_that_converges() {
    let count = 10;
    let last: Vec<f64> = [2e-3, 1e-3, 5e-4]
        .iter()
        .map(|&step| {
            let times = times_of_fall(count, step);
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
            times[count - 1] - times[2]
        })
        .collect();
    let (coarse, fine) = ((last[0] - last[2]).abs(), (last[1] - last[2]).abs());
    assert!(fine < coarse, "{last:?}");
    assert!(fine < 0.05 * last[2], "{last:?}");
}
