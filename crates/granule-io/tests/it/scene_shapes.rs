//! Bodies of any shape from scenes: where they are, what they weigh, and how grains of them are placed.

use crate::scene_roundtrip::read_again;
use granule::math::{DQuat, DVec3};
use granule::shapes::Solid;
use granule_io::scene::{self, Scene, Setup};
use std::f64::consts::PI;
use std::path::Path;

/// A scene with one material of density 3.
fn scene(dimension: usize, lines: &str, origin: &Path) -> Scene {
    let text = format!(
        "[scene]\nname='shapes'\ndimension={dimension}\n[time]\nstep=1e-3\nend=1\n[materials.a]\ndensity=3\n{lines}\n"
    );
    scene::parse(&text, origin).unwrap_or_else(|error| panic!("{error}"))
}

fn built(dimension: usize, lines: &str) -> Setup {
    let scene = scene(dimension, lines, Path::new("shapes.toml"));
    let setup = scene.build().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(setup, read_again(&scene).build().unwrap());
    setup
}

/// One body of a shape, its frame at the origin.
fn body(dimension: usize, shape: &str) -> Setup {
    let place = vec!["0"; dimension].join(",");
    built(
        dimension,
        &format!("[[bodies]]\n{shape}\nposition=[{place}]"),
    )
}

/// Mass and moments of inertia as expected, to rounding; the moments in any order if `sorted`.
fn assert_matter(setup: &Setup, mass: f64, moments: [f64; 3], sorted: bool) {
    let bodies = &setup.world.bodies;
    let near = |found: f64, exact: f64| {
        assert!(
            (found - exact).abs() <= 1e-12 * exact.abs(),
            "{found} for {exact}"
        );
    };
    near(bodies.mass[0], mass);
    let (mut found, mut moments) = (bodies.inertia[0].to_array(), moments);
    if sorted {
        found.sort_by(f64::total_cmp);
        moments.sort_by(f64::total_cmp);
    }
    found.into_iter().zip(moments).for_each(|(f, m)| near(f, m));
}

/// How far the body at a place reaches in a direction of the world, m.
fn reach(setup: &Setup, place: usize, direction: DVec3) -> f64 {
    let bodies = &setup.world.bodies;
    let solid = bodies.solid(place).expect("a solid");
    let turn = bodies.orientation[place];
    let local = turn.conjugate() * direction;
    (bodies.position[place] + turn * solid.support(local)).dot(direction)
}

#[test]
fn masses_and_moments_are_those_of_closed_forms() {
    let density = 3.0;
    let (a, b, c) = (0.2, 0.3, 0.5);
    let over = |m: f64, n: f64, x: f64, y: f64, z: f64| {
        [
            m * (y * y + z * z) / n,
            m * (x * x + z * z) / n,
            m * (x * x + y * y) / n,
        ]
    };
    let m = density * 4.0 / 3.0 * PI * a * b * c;
    let ellipsoid = body(3, "ellipsoid = { half_axes = [0.2, 0.3, 0.5] }");
    assert_matter(&ellipsoid, m, over(m, 5.0, a, b, c), false);
    let same = body(
        3,
        "superellipsoid = { half_axes = [0.2, 0.3, 0.5], exponents = [2, 2] }",
    );
    assert_matter(&same, m, over(m, 5.0, a, b, c), false);

    let m = density * a * b * c;
    let cuboid = body(3, "box = { size = [0.2, 0.3, 0.5] }");
    assert_matter(&cuboid, m, over(m, 12.0, a, b, c), false);

    // Cylinder and two half balls, each 3/8 r from its plane.
    let (r, length) = (0.1, 0.4);
    let (rod, ends) = (
        density * PI * r * r * length,
        density * 4.0 / 3.0 * PI * r * r * r,
    );
    let along = 0.5 * rod * r * r + 0.4 * ends * r * r;
    let across = rod * (length * length / 12.0 + r * r / 4.0)
        + ends * (0.4 * r * r + length * length / 4.0 + 0.375 * length * r);
    let capsule = body(3, "capsule = { radius = 0.1, length = 0.4 }");
    assert_matter(&capsule, rod + ends, [across, across, along], false);

    let cylinder = body(3, "cylinder = { radius = 0.1, length = 0.4 }");
    let across = rod * (3.0 * r * r + length * length) / 12.0;
    assert_matter(&cylinder, rod, [across, across, 0.5 * rod * r * r], false);

    let m = rod / 3.0;
    let across = 3.0 / 80.0 * m * (4.0 * r * r + length * length);
    let cone = body(
        3,
        "cone = { bottom_radius = 0.1, top_radius = 0, length = 0.4 }",
    );
    assert_matter(&cone, m, [across, across, 0.3 * m * r * r], false);

    // A corner of a cube: J is 1/16 m a² across its diagonal and 1/10 m a² about it.
    let m = density / 6.0;
    let corner = body(
        3,
        "hull = { points = [[0,0,0], [1,0,0], [0,1,0], [0,0,1], [0.1,0.1,0.1]] }",
    );
    assert_matter(&corner, m, [m / 16.0, m / 16.0, m / 10.0], true);

    // Two balls of radius r, each d from the middle.
    let (r, d) = (0.1, 0.3);
    let m = density * 4.0 / 3.0 * PI * r * r * r;
    let dumbbell = body(
        3,
        "union = { parts = [{ sphere = { radius = 0.1 }, position = [0.3, 0, 0] }, \
         { sphere = { radius = 0.1 }, position = [-0.3, 0, 0] }] }",
    );
    let own = 0.8 * m * r * r;
    let arm = 2.0 * m * d * d;
    assert_matter(&dumbbell, 2.0 * m, [own, own + arm, own + arm], false);
}

#[test]
fn round_edges_and_exponents_count_in_the_volume() {
    let density = 3.0;
    // Steiner's formula for a box with edges x, y, z and all within r of it.
    let (x, y, z, r) = (0.1, 0.2, 0.4, 0.05);
    let volume = x * y * z
        + 2.0 * r * (x * y + y * z + z * x)
        + PI * r * r * (x + y + z)
        + 4.0 / 3.0 * PI * r * r * r;
    let rounded = body(3, "box = { size = [0.2, 0.3, 0.5], rounding = 0.05 }");
    let mass = rounded.world.bodies.mass[0];
    assert!((mass - density * volume).abs() < 1e-12 * mass, "{mass}");
    assert!((reach(&rounded, 0, DVec3::Z) - 0.25).abs() < 1e-15);

    // |x/a|^p + |y/b|^p + |z/c|^p ≤ 1 has 8 abc Γ(1 + 1/p)³/Γ(1 + 3/p).
    let p = 4.0;
    let gamma = |x: f64| libm::tgamma(x);
    let volume = 8.0 * 0.2 * 0.3 * 0.5 * gamma(1.0 + 1.0 / p).powi(3) / gamma(1.0 + 3.0 / p);
    let bulge = body(
        3,
        "superellipsoid = { half_axes = [0.2, 0.3, 0.5], exponents = [4, 4] }",
    );
    let mass = bulge.world.bodies.mass[0];
    assert!((mass - density * volume).abs() < 1e-12 * mass, "{mass}");
}

#[test]
fn flat_shapes_have_areas_and_moments_of_plates() {
    let density = 3.0;
    let moment = |setup: &Setup| setup.world.bodies.inertia[0].z;
    let near =
        |found: f64, exact: f64| assert!((found - exact).abs() < 1e-12 * exact, "{found} {exact}");
    let ellipse = body(2, "ellipse = { half_axes = [0.2, 0.1] }");
    let m = density * PI * 0.02;
    near(ellipse.world.bodies.mass[0], m);
    near(moment(&ellipse), m * 0.05 / 4.0);
    let rectangle = body(2, "box = { size = [0.4, 0.3] }");
    let m = density * 0.12;
    near(rectangle.world.bodies.mass[0], m);
    near(moment(&rectangle), m * 0.25 / 12.0);
    // A right triangle with legs a, b: m (a² + b²)/18, its centre a third of the legs from the corner.
    let triangle = body(2, "polygon = { corners = [[0, 0], [0.3, 0], [0, 0.6]] }");
    let m = density * 0.09;
    near(triangle.world.bodies.mass[0], m);
    near(moment(&triangle), m * 0.45 / 18.0);
    let center = triangle.world.bodies.position[0];
    assert!(
        (center - DVec3::new(0.1, 0.2, 0.0)).length() < 1e-15,
        "{center}"
    );
    // In the plane: turned about z only.
    let turn = triangle.world.bodies.orientation[0];
    assert_eq!((turn.x, turn.y), (0.0, 0.0));
    let pair = body(
        2,
        "union = { parts = [{ sphere = { radius = 0.1 }, position = [0.2, 0] }, \
         { box = { size = [0.1, 0.2] }, position = [-0.2, 0], orientation = [0, 0, 1, 1] }] }",
    );
    let (disk, plate) = (density * PI * 0.01, density * 0.02);
    let middle = 0.2 * (disk - plate) / (disk + plate);
    near(pair.world.bodies.mass[0], disk + plate);
    assert!((pair.world.bodies.position[0].x - middle).abs() < 1e-15);
    let about = |m: f64, own: f64, x: f64| m * (own + (x - middle).powi(2));
    near(
        moment(&pair),
        about(disk, 0.005, 0.2) + about(plate, 0.05 / 12.0, -0.2),
    );
}

#[test]
fn the_frame_of_a_shape_is_where_the_scene_says() {
    // Its points stand there, whatever its centre and axes are.
    let points = [
        [0.1, 0.2, 0.3],
        [1.1, 0.2, 0.3],
        [0.1, 0.9, 0.3],
        [0.2, 0.3, 1.3],
        [0.5, 0.4, 0.1],
    ];
    let turn = DQuat::from_xyzw(0.1, -0.3, 0.5, 0.8).normalize();
    let [x, y, z, w] = turn.to_array();
    let hull = built(
        3,
        &format!(
            "[[bodies]]\nhull = {{ points = {points:?} }}\nposition = [3, -1, 2]\norientation = [{x}, {y}, {z}, {w}]\n\
             velocity = [1, 0, 0]"
        ),
    );
    let placed = points.map(|p| DVec3::new(3.0, -1.0, 2.0) + turn * DVec3::from_array(p));
    for k in 0..200 {
        let k = f64::from(k);
        let direction = DVec3::new((1.7 * k).sin(), (2.9 * k).cos(), (0.6 * k).sin()).normalize();
        let exact = placed
            .iter()
            .map(|p| p.dot(direction))
            .fold(f64::NEG_INFINITY, f64::max);
        assert!((reach(&hull, 0, direction) - exact).abs() < 1e-14);
    }
    // The centre of a cone is a quarter of its length above its base.
    let cone = body(
        3,
        "cone = { bottom_radius = 0.1, top_radius = 0, length = 0.4 }",
    );
    let center = cone.world.bodies.position[0];
    assert!(
        (center - DVec3::new(0.0, 0.0, -0.1)).length() < 1e-15,
        "{center}"
    );
    assert!((reach(&cone, 0, DVec3::Z) - 0.2).abs() < 1e-15);
}

#[test]
fn mass_and_moments_that_are_given_stand() {
    let given = body(
        3,
        "box = { size = [1, 1, 1] }\nmass = 7\ninertia = [1, 2, 3]",
    );
    assert_eq!(given.world.bodies.mass[0], 7.0);
    assert_eq!(given.world.bodies.inertia[0], DVec3::new(1.0, 2.0, 3.0));
    let heavy = body(3, "box = { size = [1, 1, 1] }\nmass = 12");
    assert!((heavy.world.bodies.inertia[0] - DVec3::splat(2.0)).length() < 1e-12);
}

/// A cube of edge 2 with a corner at the origin, in millimetres, as text in STL; without a face, or turned inside out.
fn cube(faces: usize, inverted: bool) -> String {
    let corner = |k: usize| [2.0 * (k & 1) as f64, (k & 2) as f64, 0.5 * (k & 4) as f64];
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let mut text = "solid cube\n".to_owned();
    for [a, b, c, d] in quads.into_iter().take(faces) {
        for [p, q, r] in [[a, b, c], [a, c, d]] {
            let triangle = if inverted { [p, r, q] } else { [p, q, r] };
            text += "facet normal 0 0 0\nouter loop\n";
            for [x, y, z] in triangle.map(corner) {
                text += &format!("vertex {x} {y} {z}\n");
            }
            text += "endloop\nendfacet\n";
        }
    }
    text + "endsolid cube\n"
}

#[test]
fn a_solid_from_a_file_is_the_one_from_numbers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cube.stl"), cube(6, false)).unwrap();
    let origin = folder.path().join("shapes.toml");
    let text = |parts: &str| {
        format!(
            "[[bodies]]\nmesh = {{ file = 'cube.stl', scale = 1e-3, parts = '{parts}' }}\nposition = [0, 0, 0]"
        )
    };
    for parts in ["convex-hull", "decomposition"] {
        let scene = scene(3, &text(parts), &origin);
        let setup = scene.build().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(setup, read_again(&scene).build().unwrap());
        let m = 3.0 * 8e-9;
        assert_matter(&setup, m, [m * 8e-6 / 12.0; 3], false);
        assert!((setup.world.bodies.position[0] - DVec3::splat(1e-3)).length() < 1e-18);
        assert!((reach(&setup, 0, DVec3::X) - 2e-3).abs() < 1e-15);
        assert!((reach(&setup, 0, DVec3::NEG_Z)).abs() < 1e-15);
    }
}

#[test]
fn walls_from_files_stand_where_the_scene_says() {
    let folder = tempfile::tempdir().unwrap();
    // Without its lid.
    std::fs::write(folder.path().join("tub.stl"), cube(5, false)).unwrap();
    let lines = "[[bodies]]\nsphere = { radius = 0.5 }\nposition = [-4, 1, 5.5]\n[[walls]]\n\
        mesh = { file = 'tub.stl', scale = 2, orientation = [0, 0, 1, 1] }\nposition = [-2, 0, 5]\nname = 'tub'\n\
        motion = { velocity = { linear = [0, 0, 1] } }";
    let scene = scene(3, lines, &folder.path().join("shapes.toml"));
    let setup = scene.build().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(setup, read_again(&scene).build().unwrap());
    let wall = &setup.world.walls[0];
    // Turned by 90° about z the tub reaches from x = -6 to -2, y = 0 to 4, z = 5 to 9.
    let distance = |x: f64, y: f64, z: f64| {
        let (position, turn) = wall.kinematics.pose(0.0);
        let local = turn.conjugate() * (DVec3::new(x, y, z) - position);
        wall.patches[0].closest_point(local).distance
    };
    for (point, exact) in [
        ([-4.0, 2.0, 5.5], 0.5),
        ([-6.3, 2.0, 7.0], 0.3),
        ([-2.4, 2.0, 7.0], 0.4),
    ] {
        let [x, y, z] = point;
        assert!((distance(x, y, z) - exact).abs() < 1e-6, "{point:?}");
    }
    // The lid is open: the nearest point is the rim.
    assert!((distance(-4.0, 2.0, 9.0) - 2.0).abs() < 1e-6);
    assert!(
        setup
            .name_of(granule::simulation::Party::Wall(0))
            .contains("tub")
    );
}

#[test]
fn files_that_enclose_no_solid_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("open.stl"), cube(5, false)).unwrap();
    std::fs::write(folder.path().join("inverted.stl"), cube(6, true)).unwrap();
    std::fs::write(folder.path().join("cut.stl"), &cube(6, false)[..300]).unwrap();
    std::fs::write(folder.path().join("nothing.obj"), "# no faces\n").unwrap();
    let origin = folder.path().join("bad.toml");
    for (name, file) in [
        ("mesh_open", "open.stl"),
        ("mesh_inverted", "inverted.stl"),
        ("mesh_cut_off", "cut.stl"),
        ("mesh_without_faces", "nothing.obj"),
        ("mesh_missing", "nowhere.stl"),
        ("mesh_of_another_kind", "cube.ply"),
    ] {
        let lines = format!(
            "[[bodies]]\nmesh = {{ file = '{file}', parts = 'convex-hull' }}\nposition = [0, 0, 0]"
        );
        let message = scene(3, &lines, &origin).build().unwrap_err().to_string();
        assert!(
            message.contains("help:") && message.contains("bad.toml:"),
            "{message}"
        );
        let message = message.replace(&format!("{}/", folder.path().display()), "");
        insta::assert_snapshot!(name, message);
    }
}

/// Shapes whose own frames are those of their bodies, and whether a point (m) is inside by more than rounding.
type Inside = fn(DVec3) -> bool;
const SOLIDS: [(&str, Inside); 6] = [
    ("ellipsoid = { half_axes = [0.02, 0.04, 0.08] }", |p| {
        (p / DVec3::new(0.02, 0.04, 0.08)).length_squared() < 1.0 - 1e-9
    }),
    (
        "superellipsoid = { half_axes = [0.03, 0.03, 0.08], exponents = [4, 6] }",
        |p| {
            let q = (p / DVec3::new(0.03, 0.03, 0.08)).abs();
            (q.x.powi(4) + q.y.powi(4)).powf(1.5) + q.z.powi(6) < 1.0 - 1e-9
        },
    ),
    ("box = { size = [0.02, 0.06, 0.16] }", |p| {
        (p.abs() - DVec3::new(0.01, 0.03, 0.08)).max_element() < -1e-11
    }),
    (
        "box = { size = [0.04, 0.06, 0.16], rounding = 0.01 }",
        |p| {
            let beyond = (p.abs() - DVec3::new(0.01, 0.02, 0.07)).max(DVec3::ZERO);
            beyond.length() < 0.01 - 1e-11
        },
    ),
    ("capsule = { radius = 0.02, length = 0.14 }", |p| {
        (p - DVec3::Z * p.z.clamp(-0.07, 0.07)).length() < 0.02 - 1e-11
    }),
    ("cylinder = { radius = 0.03, length = 0.14 }", |p| {
        p.truncate().length() < 0.03 - 1e-11 && p.z.abs() < 0.07 - 1e-11
    }),
];

/// Grains of a random packing.
const COUNT: usize = 40;

/// Points of the surface of a solid in the frame of its body, m.
fn surface(solid: &Solid) -> Vec<DVec3> {
    let golden = PI * (3.0 - 5f64.sqrt());
    let directions = (0..400).map(|k| {
        let k = f64::from(k);
        let z = 1.0 - 2.0 * (k + 0.5) / 400.0;
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * (golden * k).cos(), across * (golden * k).sin(), z)
    });
    directions
        .map(|direction| solid.support(direction))
        .collect()
}

#[test]
fn random_packings_of_each_shape_do_not_overlap() {
    for (number, (shape, inside)) in SOLIDS.into_iter().enumerate() {
        let lines = format!(
            "[[walls]]\nbox = {{ size = [0.5, 0.5, 0.5] }}\n[[grains]]\nshape = {{ {shape} }}\nseed = {number}\n\
             random = {{ count = {COUNT}, region = {{ box = {{ min = [-0.25, -0.25, -0.25], max = [0.25, 0.25, 0.25] }} }} }}"
        );
        let setup = built(3, &lines);
        let bodies = &setup.world.bodies;
        assert_eq!((bodies.len(), bodies.solids.len()), (COUNT, 1));
        let points = surface(&bodies.solids[0]);
        let mut near = 0;
        for a in 0..COUNT {
            let placed = points
                .iter()
                .map(|p| bodies.position[a] + bodies.orientation[a] * *p);
            let placed: Vec<DVec3> = placed.collect();
            for p in &placed {
                assert!(p.abs().max_element() <= 0.25 + 1e-12, "{shape}: {p}");
            }
            for b in (0..COUNT).filter(|&b| b != a) {
                let local =
                    |p: &DVec3| bodies.orientation[b].conjugate() * (p - bodies.position[b]);
                assert!(
                    !placed.iter().any(|p| inside(local(p))),
                    "{shape}: {a} in {b}"
                );
                near += usize::from(
                    bodies.position[a].distance(bodies.position[b]) < 2.0 * bodies.radius[a],
                );
            }
        }
        // Nearer than the spheres around them would allow.
        assert!(near > 20, "{shape}: {near}");
    }
}

#[test]
fn flat_packings_do_not_overlap() {
    for shape in [
        "ellipse = { half_axes = [0.08, 0.02] }",
        "box = { size = [0.16, 0.04] }",
    ] {
        let lines = format!(
            "[[grains]]\nshape = {{ {shape} }}\nrandom = {{ count = {COUNT}, region = {{ cylinder = {{ center = [0, 0], \
             radius = 0.7 }} }} }}"
        );
        let setup = built(2, &lines);
        let bodies = &setup.world.bodies;
        let inside = |p: DVec3| match shape.starts_with("box") {
            true => p.x.abs() < 0.08 - 1e-11 && p.y.abs() < 0.02 - 1e-11,
            false => (p.x / 0.08).hypot(p.y / 0.02) < 1.0 - 1e-9,
        };
        let rim = (0..400).map(|k| {
            let angle = PI * f64::from(k) / 200.0;
            let out = DVec3::new(angle.cos(), angle.sin(), 0.0);
            (bodies.solids[0].support(out) * DVec3::new(1.0, 1.0, 0.0)).with_z(0.0)
        });
        let rim: Vec<DVec3> = rim.collect();
        for a in 0..COUNT {
            assert_eq!(
                (
                    bodies.position[a].z,
                    bodies.orientation[a].x,
                    bodies.orientation[a].y
                ),
                (0.0, 0.0, 0.0)
            );
            for p in rim
                .iter()
                .map(|p| bodies.position[a] + bodies.orientation[a] * *p)
            {
                assert!(p.length() <= 0.7 + 1e-12, "{shape}: {p}");
                for b in (0..COUNT).filter(|&b| b != a) {
                    let local = bodies.orientation[b].conjugate() * (p - bodies.position[b]);
                    assert!(!inside(local), "{shape}: {a} in {b}");
                }
            }
        }
    }
}

#[test]
fn a_dense_region_takes_long_grains_that_their_spheres_would_not_fit() {
    // The spheres around these needles would fill the region three times over.
    let lines = "[[grains]]\nshape = { capsule = { radius = 0.01, length = 0.3 } }\norientation = 'aligned'\n\
        random = { count = 300, region = { box = { min = [0, 0, 0], max = [0.5, 0.5, 0.5] } } }";
    let setup = built(3, lines);
    let spheres = 300.0 * 4.0 / 3.0 * PI * 0.16f64.powi(3);
    assert!(spheres > 3.0 * 0.125);
    assert!(
        setup
            .world
            .bodies
            .orientation
            .iter()
            .all(|turn| *turn == DQuat::IDENTITY)
    );
}

#[test]
fn sizes_multiply_all_lengths() {
    let lines = |size: &str| {
        format!(
            "[[grains]]\nshape = {{ cone = {{ bottom_radius = 0.1, top_radius = 0, length = 0.4 }} }}\n{size}\n\
             orientation = 'aligned'\ngrid = {{ counts = [3, 2, 2], spacing = 2 }}"
        )
    };
    let whole = built(3, &lines(""));
    let half = built(3, &lines("size = 0.5"));
    assert_eq!(half.world.bodies.solids.len(), 1);
    let (one, other) = (&whole.world.bodies, &half.world.bodies);
    assert!((one.mass[0] - 8.0 * other.mass[0]).abs() < 1e-15);
    assert!((one.inertia[0] - 32.0 * other.inertia[0]).length() < 1e-15);
    assert!((one.radius[0] - 2.0 * other.radius[0]).abs() < 1e-15);
    // Centres of mass stand on the grid.
    assert_eq!(one.position[1], DVec3::new(2.0, 0.0, 0.0));
    assert_eq!(other.position[1], DVec3::new(2.0, 0.0, 0.0));
    let drawn = built(3, &lines("size = { uniform = [0.8, 1.2] }"));
    let bodies = &drawn.world.bodies;
    assert_eq!(bodies.solids.len(), 12);
    for k in 0..12 {
        let factor = bodies.radius[k] / one.radius[0];
        assert!((0.8..=1.2).contains(&factor));
        assert!((bodies.mass[k] - factor.powi(3) * one.mass[0]).abs() < 1e-14);
    }
    // Another seed, other sizes.
    let other = built(
        3,
        &(lines("size = { uniform = [0.8, 1.2] }") + "\nseed = 1"),
    );
    assert_ne!(other.world.bodies.radius, bodies.radius);
}

#[test]
fn bodies_and_grains_of_one_shape_share_it() {
    let lines = "[[bodies]]\nbox = { size = [0.1, 0.1, 0.2] }\nposition = [0, 0, 5]\n[[bodies]]\n\
        box = { size = [0.1, 0.1, 0.2] }\nposition = [0, 0, 6]\n[[grains]]\nshape = { box = { size = [0.1, 0.1, 0.2] } }\n\
        grid = { counts = [2, 2, 2], spacing = 1 }\n[[grains]]\nshape = { sphere = { radius = 0.2 } }\nsize = 2\n\
        grid = { counts = [2, 2, 1], spacing = 1, origin = [0, 0, -3] }";
    let setup = built(3, lines);
    let bodies = &setup.world.bodies;
    assert_eq!((bodies.len(), bodies.solids.len()), (14, 1));
    assert!(bodies.is_sphere(13) && bodies.radius[13] == 0.4);
    let facts = setup.describe();
    let fact = |name: &str| facts.iter().find(|(key, _)| key == name).unwrap().1.clone();
    assert_eq!(fact("shapes"), "4 spheres, 10 bodies of 1 other shape");
    assert_eq!(fact("radii"), "0.400000 to 0.400000 m");
    assert_eq!(
        fact("reach"),
        "0.122474 to 0.122474 m from the centres of other shapes"
    );
}

#[test]
fn grains_are_turned_as_the_entry_says() {
    let grains = |orientation: &str| {
        let lines = format!(
            "[[grains]]\nshape = {{ box = {{ size = [0.1, 0.1, 0.2] }} }}\n{orientation}\n\
             grid = {{ counts = [5, 5, 5], spacing = 1 }}"
        );
        built(3, &lines).world.bodies.orientation.clone()
    };
    let random = grains("");
    assert_eq!(random, grains("orientation = 'random'"));
    assert!(random.windows(2).all(|pair| pair[0] != pair[1]));
    let given = grains("orientation = [0, 0, 1, 1]");
    let quarter = DQuat::from_rotation_z(PI / 2.0);
    assert!(
        given
            .iter()
            .all(|turn| turn.dot(quarter).abs() > 1.0 - 1e-15)
    );
}

#[test]
fn tables_give_sizes_and_orientations() {
    let folder = tempfile::tempdir().unwrap();
    let table = "x,y,z,s,q0,q1,q2,q3\n0,0,0,1,1,0,0,0\n1,0,0,2,0,1,0,0\n";
    std::fs::write(folder.path().join("t.csv"), table).unwrap();
    let lines = "[[grains]]\nshape = { cone = { bottom_radius = 0.1, top_radius = 0, length = 0.4 } }\n\
        csv = { file = 't.csv' }";
    let scene = scene(3, lines, &folder.path().join("shapes.toml"));
    let setup = scene.build().unwrap_or_else(|error| panic!("{error}"));
    let bodies = &setup.world.bodies;
    // The frame of the shape stands at the place of the table; the second is turned upside down.
    assert!((bodies.position[0] - DVec3::new(0.0, 0.0, -0.1)).length() < 1e-15);
    assert!((bodies.position[1] - DVec3::new(1.0, 0.0, 0.2)).length() < 1e-15);
    assert!((bodies.mass[1] - 8.0 * bodies.mass[0]).abs() < 1e-15);
    assert!((reach(&setup, 1, DVec3::NEG_Z) - 0.4).abs() < 1e-15);
}

#[test]
fn solids_may_touch_at_the_start_but_not_overlap() {
    let stack = |height: f64| {
        let lines = format!(
            "[[walls]]\nhalf-space = {{ normal = [0, 0, 1] }}\n[[bodies]]\nbox = {{ size = [0.3, 0.3, 0.1] }}\n\
             position = [0, 0, 0.05]\n[[bodies]]\nbox = {{ size = [0.3, 0.3, 0.1] }}\nposition = [0, 0, {height}]\n\
             [[bodies]]\nsphere = {{ radius = 0.1 }}\nposition = [0, 0, 0.3]\n"
        );
        scene(3, &lines, Path::new("stack.toml")).build()
    };
    assert!(stack(0.15).is_ok());
    let message = stack(0.149).unwrap_err().to_string();
    assert!(
        message.contains("bodies 0 and 1 overlap by 1.0000e-3 m"),
        "{message}"
    );
    let message = stack(0.16).unwrap_err().to_string();
    assert!(
        message.contains("bodies 1 and 2 overlap by 1.0000e-2 m"),
        "{message}"
    );
    let sunk = "[[walls]]\nhalf-space = { normal = [0, 0, 1] }\n[[bodies]]\n\
        ellipsoid = { half_axes = [0.3, 0.2, 0.1] }\nposition = [0, 0, 0.08]\n";
    let message = scene(3, sunk, Path::new("sunk.toml"))
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("body 0 is 2.0000e-2 m inside a wall"),
        "{message}"
    );
    // The spheres around them overlap, they do not.
    let crossed = "[[bodies]]\ncapsule = { radius = 0.1, length = 2 }\nposition = [0, 0, 0]\n[[bodies]]\n\
        capsule = { radius = 0.1, length = 2 }\nposition = [0.25, 0, 0]\norientation = [1, 0, 0, 1]\n";
    assert!(scene(3, crossed, Path::new("crossed.toml")).build().is_ok());
}
