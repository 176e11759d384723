//! Grains in periodic cells: what happens does not depend on where the cell is cut out of the world.

use granule::bodies::{Cell, Dimension, Faces, Shear, Sphere, TimeFunction};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::measure::{Region, Stress, solid_fraction};
use granule::scheme::SchemeName;
use granule::simulation::{Settings, SetupError, Simulation, StepSize, World};
use granule::solver::{Method, MethodSettings};

/// Numbers that look random and are always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Grains on a shaken grid in a cell of `count`³ places.
fn shaken(count: usize, dimension: Dimension) -> World {
    let mut numbers = Numbers(7);
    let mut world = World::new(dimension);
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(0.4)));
    let space = dimension == Dimension::Space;
    let (width, spacing) = (count as f64 * 0.0226, 0.0226);
    let flat = if space {
        DVec3::ONE
    } else {
        DVec3::new(1.0, 1.0, 0.0)
    };
    for k in 0..count.pow(dimension.count() as u32) {
        let place = [k % count, k / count % count, k / count / count].map(|k| k as f64 + 0.5);
        let shake = 5e-4 * (numbers.vector() - 0.5);
        let position = (spacing * DVec3::from_array(place) - 0.5 * width + shake) * flat;
        world.add_sphere(&Sphere {
            velocity: 0.3 * (numbers.vector() - 0.5) * flat,
            ..Sphere::new(position, 0.009 + 0.002 * numbers.next(), 0.01)
        });
    }
    world.cell = Some(Cell::new(DVec3::ZERO, width * flat));
    world
}

fn sheared(mut world: World, rate: f64) -> World {
    let cell = world.cell.as_mut().unwrap();
    cell.shear = Some(Shear {
        flow: 0,
        gradient: 1,
        rate: TimeFunction::Constant(rate),
    });
    world
}

fn simulate(world: World, scheme: SchemeName, steps: usize) -> Simulation {
    let mut settings = Settings::new(StepSize::Fixed(1e-3), 1.0);
    settings.scheme.name = scheme;
    settings.solver.tolerance = 1e-10;
    let mut simulation = Simulation::new(world, settings).unwrap();
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        assert!(report.momentum_error < 1e-9, "{report:?}");
        let energy = report.energy;
        assert!(
            energy.remainder.abs() <= 1e-9 * energy.turned_over + 1e-12 * report.kinetic_energy,
            "{energy:?}"
        );
    }
    simulation
}

/// How far bodies of two worlds are from each other's nearest images (m), and their velocities (m/s).
fn difference(one: &World, two: &World, shift: DVec3) -> [f64; 2] {
    let (a, b) = (one.bodies.by_id(), two.bodies.by_id());
    let cell = one.cell.as_ref().unwrap();
    let lattice = cell.lattice();
    let (mut apart, mut faster) = (0.0f64, 0.0f64);
    // What is elsewhere in the flow has gone on with it, by the same way for all.
    let flow = lattice.flow() * shift;
    let way = b.position[0] - a.position[0];
    let shift = way - lattice.shift(lattice.nearest(way - shift - one.time * flow));
    for i in 0..a.len() {
        let way = b.position[i] - shift - a.position[i];
        let image = lattice.nearest(way);
        apart = apart.max((way - lattice.shift(image)).length());
        let change = b.velocity[i] - flow - a.velocity[i] - lattice.velocity(image);
        faster = faster.max(change.length());
    }
    [apart, faster]
}

#[test]
fn where_the_cell_is_cut_does_not_matter() {
    for dimension in [Dimension::Plane, Dimension::Space] {
        for scheme in [
            SchemeName::Maury,
            SchemeName::MoreauJean,
            SchemeName::Shake,
            SchemeName::Rattle,
        ] {
            let world = sheared(shaken(6, dimension), 8.0);
            let shift = DVec3::new(0.031, -0.043, 0.0);
            // The same grains, cut out of the world elsewhere.
            let mut other = world.clone();
            for x in &mut other.bodies.position {
                *x += shift;
            }
            let lattice = world.cell.as_ref().unwrap().lattice();
            for x in &mut other.bodies.position {
                *x -= lattice.shift(lattice.nearest(*x));
            }
            let (one, two) = (simulate(world, scheme, 20), simulate(other, scheme, 20));
            let [apart, faster] = difference(one.world(), two.world(), shift);
            let count = one.contacts().count();
            assert!(count > 8, "{count}");
            assert!(
                apart < 1e-11 && faster < 1e-9,
                "{dimension:?} {scheme:?}: {apart} m, {faster} m/s"
            );
        }
    }
}

/// Pressed from all sides.
fn pressed(mut world: World, stress: f64) -> World {
    let axes = world.dimension.count();
    let cell = world.cell.as_mut().unwrap();
    for faces in &mut cell.faces[..axes] {
        *faces = Faces::Pressed(TimeFunction::Constant(stress));
    }
    world
}

#[test]
fn a_cell_shrinks_until_grains_press_back() {
    let [maury, others] = [
        &[SchemeName::Maury][..],
        &[
            SchemeName::Maury,
            SchemeName::MoreauJean,
            SchemeName::Rattle,
        ][..],
    ];
    let cases = [
        (Dimension::Plane, 6, 150, others),
        (Dimension::Space, 4, 350, maury),
    ];
    for (dimension, count, steps, schemes) in cases {
        for &scheme in schemes {
            let world = pressed(shaken(count, dimension), 100.0);
            let start = world.cell.as_ref().unwrap().volume();
            let mut settings = Settings::new(StepSize::Fixed(2e-3), 10.0);
            settings.scheme.name = scheme;
            settings.solver.tolerance = 1e-4;
            let mut simulation = Simulation::new(world, settings).unwrap();
            for _ in 0..steps {
                let report = simulation.step().unwrap();
                assert!(report.certified, "{report:?}");
            }
            let cell = simulation.world().cell.as_ref().unwrap();
            assert!(cell.volume() < 0.8 * start, "{} of {start}", cell.volume());
            assert!(
                cell.rate.size.length() < 5e-3,
                "{:?} {}",
                scheme,
                cell.rate.size
            );
            let stress = Stress::of(&simulation.moment(), &Region::Everywhere);
            for axis in 0..dimension.count() {
                let found = stress.contacts.col(axis)[axis];
                assert!(
                    (found / 100.0 - 1.0).abs() < 0.02,
                    "{dimension:?} {scheme:?} {axis}: {found}"
                );
            }
        }
    }
}

#[test]
fn solvers_agree_on_how_a_cell_gives() {
    // So far that contacts go through the faces.
    let start = pressed(shaken(4, Dimension::Space), 100.0);
    let mut settings = Settings::new(StepSize::Fixed(2e-3), 10.0);
    settings.solver.tolerance = 1e-10;
    let mut simulation = Simulation::new(start, settings).unwrap();
    for _ in 0..25 {
        simulation.step().unwrap();
    }
    let world = simulation.world();
    let rate = |own: MethodSettings| {
        let mut settings = settings;
        settings.solver.own = own;
        let mut simulation = Simulation::new(world.clone(), settings)?;
        let report = simulation.step().unwrap();
        assert!(report.certified && report.contacts > 50, "{report:?}");
        Ok::<_, SetupError>(simulation.world().cell.as_ref().unwrap().rate.size)
    };
    let sweeps = rate(Method::Ags.into()).unwrap();
    for method in [Method::Newton, Method::ApgdAr] {
        let other = rate(method.into()).unwrap();
        assert!(
            (other - sweeps).length() < 1e-6,
            "{method:?}: {other} {sweeps}"
        );
    }
    for method in [Method::Ipm, Method::NlgsEbp] {
        let refused = rate(method.into()).unwrap_err().to_string();
        assert!(refused.contains("two bodies"), "{refused}");
    }
}

#[test]
fn shear_makes_a_linear_profile_and_the_same_stress_wherever_it_is_cut() {
    let world = sheared(shaken(8, Dimension::Plane), 6.0);
    let mut other = world.clone();
    let lattice = world.cell.as_ref().unwrap().lattice();
    for x in &mut other.bodies.position {
        *x += DVec3::new(0.05, 0.07, 0.0);
        *x -= lattice.shift(lattice.nearest(*x));
    }
    let (one, two) = (
        simulate(world, SchemeName::Maury, 40),
        simulate(other, SchemeName::Maury, 40),
    );
    let (a, b) = (one.moment(), two.moment());
    let [first, second] = [&a, &b].map(|moment| Stress::of(moment, &Region::Everywhere));
    for (one, two) in [
        (first.contacts, second.contacts),
        (first.kinetic, second.kinetic),
    ] {
        let size = one
            .abs()
            .to_cols_array()
            .iter()
            .copied()
            .fold(0.0, f64::max);
        let change = (one - two)
            .abs()
            .to_cols_array()
            .iter()
            .copied()
            .fold(0.0, f64::max);
        assert!(size > 0.0 && change < 1e-7 * size, "{one} {two}");
    }
    // The whole cell as a box has the same stress as everything in it, and the same fraction.
    let half = 0.5 * lattice.size();
    let whole = Region::rectangle(-half, half, Dimension::Plane);
    let boxed = Stress::of(&a, &whole).contacts;
    let change = (boxed - first.contacts)
        .abs()
        .to_cols_array()
        .iter()
        .copied()
        .fold(0.0, f64::max);
    assert!(
        change
            < 1e-9
                * boxed
                    .abs()
                    .to_cols_array()
                    .iter()
                    .copied()
                    .fold(0.0, f64::max),
        "{boxed}"
    );
    let fractions = [Region::Everywhere, whole].map(|region| solid_fraction(&a, &region));
    assert!((fractions[0] - fractions[1]).abs() < 1e-3, "{fractions:?}");
}
