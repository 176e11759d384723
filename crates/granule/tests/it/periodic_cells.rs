//! Grains in periodic cells: what happens does not depend on where the cell is cut out of the world.

use granule::bodies::{
    Cell, Dimension, Faces, Motion, RigidBody, Shear, Sphere, TimeFunction, Wall,
};
use granule::law::{Bond, Friction, Interface, Law, LawTable};
use granule::math::{DQuat, DVec3};
use granule::measure::{Region, Stress, solid_fraction};
use granule::scheme::SchemeName;
use granule::shapes::{HalfSpace, Hull, Solid, Surface};
use granule::simulation::{Settings, SetupError, Simulation, StepError, StepSize, World};
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
        (Dimension::Space, 4, 600, maury),
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
fn the_stress_of_a_shear_is_the_same_wherever_it_is_cut() {
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

/// The same world, cut out elsewhere.
fn cut_elsewhere(world: &World, shift: DVec3) -> World {
    let mut other = world.clone();
    let lattice = world.cell.as_ref().unwrap().lattice();
    for x in &mut other.bodies.position {
        *x += shift;
        *x -= lattice.shift(lattice.nearest(*x));
    }
    other
}

#[test]
fn bricks_touch_through_faces_as_they_do_inside() {
    let mut world = World::new(Dimension::Space);
    world.laws = LawTable::uniform(Law::CoulombConvex(Friction::sliding(0.4)));
    let brick = Solid::from(Hull::cuboid(DVec3::new(0.011, 0.009, 0.008)));
    let shape = world.add_shape(brick.clone());
    let (mut numbers, count, spacing) = (Numbers(3), 4, 0.03);
    let width = count as f64 * spacing;
    for k in 0..count * count * count {
        let place = [k % count, k / count % count, k / count / count].map(|k| k as f64 + 0.5);
        let turn = DQuat::from_scaled_axis(6.0 * numbers.vector());
        let position = spacing * DVec3::from_array(place) - 0.5 * width;
        let body = RigidBody {
            orientation: turn.normalize(),
            velocity: 1.5 * (numbers.vector() - 0.5),
            ..RigidBody::of_shape(&brick, position, 0.02)
        };
        world.add_solid(&body, shape, 0);
    }
    world.cell = Some(Cell::new(DVec3::ZERO, DVec3::splat(width)));
    let world = sheared(world, 5.0);
    let shift = DVec3::new(0.05, -0.03, 0.02);
    let other = cut_elsewhere(&world, shift);
    let [one, two] = [world, other].map(|world| simulate(world, SchemeName::Maury, 15));
    let [apart, faster] = difference(one.world(), two.world(), shift);
    assert!(one.contacts().count() > 20, "{}", one.contacts().count());
    assert!(apart < 1e-9 && faster < 1e-6, "{apart} m, {faster} m/s");
}

#[test]
fn a_bond_through_a_face_holds_as_one_inside() {
    let bonded = |x: f64| {
        let mut world = World::new(Dimension::Space);
        let bond = Bond {
            shear: 100.0,
            bending: 0.5,
            torsion: 0.5,
            ..Bond::pulled(100.0)
        };
        world.laws = LawTable::uniform(Interface {
            bond: Some(bond),
            ..Interface::default()
        });
        world.cell = Some(Cell::new(DVec3::ZERO, DVec3::splat(0.2)));
        for (k, velocity) in [DVec3::Y, -DVec3::Y].into_iter().enumerate() {
            world.add_sphere(&Sphere {
                velocity: 0.5 * velocity,
                ..Sphere::new(DVec3::new(x + 0.02 * k as f64, 0.0, 0.0), 0.01, 0.01)
            });
        }
        let mut settings = Settings::new(StepSize::Fixed(1e-3), 1.0);
        settings.solver.tolerance = 1e-12;
        let mut simulation = Simulation::new(world, settings).unwrap();
        simulation.bond(0, 1).unwrap();
        for _ in 0..50 {
            simulation.step().unwrap();
        }
        assert_eq!(simulation.bonds(), 1);
        simulation
    };
    let (inside, through) = (bonded(-0.01), bonded(0.09));
    let [apart, faster] = difference(inside.world(), through.world(), DVec3::new(0.1, 0.0, 0.0));
    // The two turn about each other.
    let (a, b) = (
        inside.world().bodies.by_id(),
        through.world().bodies.by_id(),
    );
    assert!(a.velocity[0].distance(DVec3::new(0.0, 0.5, 0.0)) > 0.1);
    assert!(b.velocity[0].distance(a.velocity[0]) < 1e-9);
    assert!(apart < 1e-9 && faster < 1e-9, "{apart} {faster}");
}

#[test]
fn grains_slide_down_a_periodic_slope_as_theory_says() {
    // Without friction on a slope everything goes with g sin α, however often it leaves the cell.
    let angle: f64 = 0.4;
    let mut world = World::new(Dimension::Space);
    world.gravity = 9.81 * DVec3::new(angle.sin(), 0.0, -angle.cos());
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    for k in 0..4 {
        let position = DVec3::new(0.025 * f64::from(k), 0.0, 0.01);
        world.add_sphere(&Sphere::new(position, 0.01, 0.01));
    }
    let mut cell = Cell::new(DVec3::ZERO, DVec3::new(0.1, 0.1, 0.0));
    cell.center.x = 0.05;
    world.cell = Some(cell);
    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 1.0)).unwrap();
    for _ in 0..500 {
        assert!(simulation.step().unwrap().certified);
    }
    let world = simulation.world();
    let bodies = world.bodies.by_id();
    let cell = world.cell.as_ref().unwrap();
    for k in 0..4 {
        assert!((bodies.velocity[k].x - 0.5 * 9.81 * angle.sin()).abs() < 1e-9);
        assert!((0.0..0.1).contains(&bodies.position[k].x));
        let way = bodies.position[k] + cell.way_through(bodies.crossed[k]);
        let gone = way.x - 0.025 * k as f64;
        // Of first order in the step: half of g h t.
        let expected = 0.5 * 9.81 * angle.sin() * 0.5 * (0.5 + 1e-3);
        assert!((gone - expected).abs() < 1e-9, "{gone} {expected}");
    }
}

#[test]
fn strain_carries_free_grains_along_and_a_cell_that_became_too_short_is_an_error() {
    let mut world = World::new(Dimension::Space);
    for x in [-0.04, 0.0, 0.03] {
        world.add_sphere(&Sphere::new(DVec3::new(x, 0.3 * x, -0.2 * x), 0.001, 0.01));
    }
    let mut cell = Cell::new(DVec3::ZERO, DVec3::splat(0.1));
    cell.faces[0] = Faces::Strained(TimeFunction::Constant(-2.0));
    world.cell = Some(cell);
    let start = world.bodies.position.clone();
    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(1e-3), 9.0)).unwrap();
    let mut end = None;
    for step in 0..4000 {
        match simulation.step() {
            Ok(report) => assert!(report.certified),
            Err(error) => {
                end = Some(error);
                break;
            }
        }
        if step < 100 {
            let cell = simulation.world().cell.as_ref().unwrap();
            let stretch = cell.size / 0.1;
            let bodies = simulation.world().bodies.by_id();
            for (now, before) in bodies.position.iter().zip(&start) {
                assert!(now.distance(*before * stretch) < 1e-12, "{now} {before}");
            }
        }
    }
    let error = end.unwrap();
    assert!(
        matches!(error, StepError::SmallCell { axis: "x", .. }),
        "{error}"
    );
}

#[test]
fn a_steady_shear_under_a_stress_has_a_linear_profile() {
    let mut world = sheared(shaken(8, Dimension::Plane), 6.0);
    let cell = world.cell.as_mut().unwrap();
    cell.faces[1] = Faces::Pressed(TimeFunction::Constant(50.0));
    let mut settings = Settings::new(StepSize::Fixed(2e-3), 10.0);
    settings.solver.tolerance = 1e-4;
    let mut simulation = Simulation::new(world, settings).unwrap();
    // Mass, momentum and stress in quarters of the height, while the flow is steady. So few disks slide in layers now here,
    // now there, for some tenths of a second: over 1.6 s quarters differ by a fifth.
    let (mut mass, mut momentum, mut pressure) = ([0.0; 4], [0.0; 4], 0.0);
    for step in 0..4400 {
        assert!(simulation.step().unwrap().certified);
        if step < 400 {
            continue;
        }
        let world = simulation.world();
        let cell = world.cell.as_ref().unwrap();
        for (x, v) in world.bodies.position.iter().zip(&world.bodies.velocity) {
            let quarter = (4.0 * (x.y / cell.size.y + 0.5)).clamp(0.0, 3.0) as usize;
            mass[quarter] += 1.0;
            momentum[quarter] += v.x / cell.size.y;
        }
        let stress = Stress::of(&simulation.moment(), &Region::Everywhere).contacts;
        pressure += stress.y_axis.y / 4000.0;
    }
    assert!((pressure / 50.0 - 1.0).abs() < 0.05, "{pressure}");
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| momentum[k] / mass[k]);
    // From the middle of a quarter to the next it is a quarter of the height.
    for change in [b - a, c - b, d - c, a + 6.0 - d] {
        assert!((change / 1.5 - 1.0).abs() < 0.15, "{a} {b} {c} {d}");
    }
}
