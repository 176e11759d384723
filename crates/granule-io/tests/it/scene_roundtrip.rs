//! Scenes survive being written and read again, generators never overlap, and no input panics.

use granule::bodies::{Bodies, Dimension, Sphere, Wall};
use granule::math::{DQuat, DVec3};
use granule_io::results::{BodyFrame, Bounds, ContactFrame, FrameWriter, RunRecord};
use granule_io::scene::{self, Scene, Setup};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn scenes_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// The scene as run, read again from another folder.
pub(super) fn read_again(scene: &Scene) -> Scene {
    let text = scene.to_toml().unwrap();
    let again = scene::parse(&text, Path::new("/elsewhere/scene.toml"));
    again.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Equal to the last bit: the debug form of a float names its value exactly.
fn assert_same(first: &Setup, second: &Setup) {
    assert_eq!(first, second);
    assert_eq!(
        first.world.bodies.state_hash(),
        second.world.bodies.state_hash()
    );
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
}

#[test]
fn every_example_loads_builds_and_survives_being_written() {
    let examples = crate::examples::paths();
    for path in &examples {
        let scene = crate::examples::load(path).unwrap_or_else(|error| panic!("{error}"));
        let setup = scene.build().unwrap_or_else(|error| panic!("{error}"));
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert_eq!(setup.name, stem, "the name of a scene is that of its file");
        assert!(setup.describe().len() > 10);
        assert_same(&setup, &read_again(&scene).build().unwrap());
    }
    assert!(examples.len() >= 11);
}

#[test]
fn a_scene_written_twice_is_the_same_text() {
    let scene = scene::load(&scenes_folder().join("wind.toml")).unwrap();
    let text = read_again(&scene).to_toml().unwrap();
    assert_eq!(text, scene.to_toml().unwrap());
    insta::assert_snapshot!("wind_as_run", text);
}

/// A scene that comes with the program, built.
fn built(name: &str) -> Setup {
    let path = scenes_folder().join(format!("{name}.toml"));
    scene::load(&path).unwrap().build().unwrap()
}

#[test]
fn the_facts_of_a_scene_are_told() {
    let setup = built("box_drop");
    let facts: String = setup
        .describe()
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    insta::assert_snapshot!("box_drop_facts", facts);
}

#[test]
fn the_box_of_spheres_is_the_published_one() {
    let setup = built("box_drop");
    let bodies = &setup.world.bodies;
    assert_eq!(bodies.len(), 512);
    let half = 0.625;
    for k in 0..512 {
        let index = [k % 8, k / 8 % 8, k / 64];
        assert!((0.8 * half..=0.9 * half).contains(&bodies.radius[k]));
        assert!((1.0..=2.0).contains(&bodies.mass[k]));
        for (axis, &i) in index.iter().enumerate() {
            let site = (2 * i + 1) as f64 * half;
            assert!((bodies.position[k][axis] - site).abs() <= 0.05 * half + 1e-12);
        }
    }
    let mean = bodies.mass.iter().sum::<f64>() / 512.0;
    assert!((mean - 1.5).abs() < 0.05, "{mean}");
}

#[test]
fn masses_follow_from_the_density_in_every_dimension() {
    let mass = |dimension: usize, more: &str| {
        let zeros = vec!["0"; dimension].join(",");
        let text = format!(
            "[scene]\nname='m'\ndimension={dimension}\n[time]\nstep=1\nend=1\n[materials.a]\n\
             density=3\n{more}\n[[bodies]]\nsphere={{radius=0.5}}\nposition=[{zeros}]\n"
        );
        let scene = scene::parse(&text, Path::new("m.toml")).unwrap();
        scene.build().unwrap().world.bodies.mass[0]
    };
    let pi = std::f64::consts::PI;
    assert!((mass(1, "") - 3.0).abs() < 1e-15);
    assert!((mass(2, "") - 3.0 * pi * 0.25).abs() < 1e-15);
    assert!((mass(3, "") - 0.5 * pi).abs() < 1e-15);
    assert!((mass(2, "mass_from='volume'") - 0.5 * pi).abs() < 1e-15);
}

#[test]
fn a_hundred_thousand_random_grains_are_placed() {
    let text = "[scene]\nname='many'\n[time]\nstep=1\nend=1\n[[grains]]\n\
        random = { count = 100000, region = { box = { min = [0,0,0], max = [1,1,1] } } }\n\
        radius = { uniform = [0.007, 0.009] }";
    let setup = scene::parse(text, Path::new("many.toml"))
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(setup.world.bodies.len(), 100_000);
}

#[test]
fn the_schema_knows_every_section() {
    let schema = scene::schema();
    for section in [
        "scene",
        "time",
        "solver",
        "materials",
        "contacts",
        "output",
        "bodies",
    ] {
        let description = &schema["properties"][section]["description"];
        assert!(description.is_string(), "{section}: {description}");
    }
}

/// The smallest gap between two spheres, by looking at all pairs.
fn smallest_gap(setup: &Setup) -> f64 {
    let bodies = &setup.world.bodies;
    let mut smallest = f64::INFINITY;
    for a in 0..bodies.len() {
        for b in 0..a {
            let distance = bodies.position[a].distance(bodies.position[b]);
            smallest = smallest.min(distance - bodies.radius[a] - bodies.radius[b]);
        }
    }
    smallest
}

fn radius() -> impl Strategy<Value = String> {
    prop_oneof![
        (0.01..0.05).prop_map(|r: f64| format!("{r}")),
        (0.005..0.02, 0.02..0.05)
            .prop_map(|(a, b): (f64, f64)| format!("{{ uniform = [{a}, {b}] }}")),
        (0.01..0.03, 0.0..1.0).prop_map(|(median, sigma): (f64, f64)| format!(
            "{{ log-normal = {{ median = {median}, sigma = {sigma}, min = 0.003, max = 0.06 }} }}"
        )),
        (1u32..9).prop_map(|w| format!(
            "{{ histogram = {{ edges = [0.01, 0.02, 0.04], weights = [{w}, 2] }} }}"
        )),
    ]
}

fn place(dimension: usize) -> impl Strategy<Value = String> {
    let components = move |value: f64| vec![format!("{value}"); dimension].join(", ");
    let origin = vec!["0.06"; dimension].join(", ");
    // Random placement on a line stops at about 75 %: 60 grains of radius 0.06 m fill 45 % of 16 m.
    let half = if dimension == 1 { 8.0 } else { 2.0 };
    prop_oneof![
        (1u32..60, 1.0..2.0).prop_map(move |(count, side): (u32, f64)| format!(
            "random = {{ count = {count}, region = {{ box = {{ min = [{}], max = [{}] }} }} }}",
            components(-side * half),
            components(side * half)
        )),
        (1u32..5, 0.13..0.3, 0.0..0.002).prop_map(move |(n, spacing, jitter): (u32, f64, f64)| format!(
            "grid = {{ counts = [{}], spacing = {spacing}, origin = [{origin}], jitter = {jitter} }}",
            vec![n.to_string(); dimension].join(", ")
        )),
    ]
}

/// Any law that has an effect in so many dimensions.
fn law(dimension: usize) -> impl Strategy<Value = String> {
    let names = prop_oneof![
        Just("frictionless"),
        Just("coulomb"),
        Just("coulomb-convex")
    ];
    (names, 0.0..2.0, 0.0..0.01).prop_map(
        move |(name, friction, rolling): (_, f64, f64)| match name {
            _ if dimension == 1 => "law = 'frictionless'".to_owned(),
            "frictionless" => format!("law = '{name}'"),
            _ => format!(
                "law = '{name}'\nfriction = {friction}\npairs = [{{ between = ['a', 'a'], \
                 friction = 0.1, rolling_friction = {rolling} }}]"
            ),
        },
    )
}

fn any_scene() -> impl Strategy<Value = String> {
    (1usize..=3).prop_flat_map(|dimension| {
        let masses = prop_oneof![
            Just(""),
            Just("mass = 2.5"),
            Just("mass = { uniform = [1, 2] }")
        ];
        let steps = prop_oneof![
            (1e-4..1.0).prop_map(|step: f64| format!("step = {step}")),
            (0.01..1.0).prop_map(|cfl: f64| format!("cfl = {cfl}")),
        ];
        let gravity = proptest::collection::vec(-10.0..10.0, dimension);
        (
            place(dimension),
            radius(),
            masses,
            steps,
            gravity,
            0..i64::MAX as u64,
            law(dimension),
        )
            .prop_map(move |(place, radius, mass, step, gravity, seed, law)| {
                let lock = seed % 2 == 0 && !law.contains("rolling");
                format!(
                    "[scene]\nname = 'any'\ndimension = {dimension}\ngravity = {gravity:?}\n\
                     lock_rotation = {lock}\n[time]\n{step}\nend = 1.5\n[materials.a]\n\
                     [contacts]\n{law}\n[[grains]]\n{place}\nradius = {radius}\n{mass}\nseed = {seed}\n"
                )
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_scene_written_and_read_again_builds_the_same_world(text in any_scene()) {
        let scene = scene::parse(&text, Path::new("any.toml")).map_err(|error| {
            TestCaseError::fail(format!("{error}"))
        })?;
        let setup = scene.build().map_err(|error| TestCaseError::fail(format!("{error}")))?;
        assert_same(&setup, &read_again(&scene).build().unwrap());
        prop_assert!(smallest_gap(&setup) >= -1e-12);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scene.toml");
        std::fs::write(&file, &bytes).unwrap();
        let message = scene::load(&file).unwrap_err().to_string();
        prop_assert!(message.contains("help:"));
        // The same bytes as a table of grains.
        std::fs::write(folder.path().join("t.csv"), &bytes).unwrap();
        let text = "[scene]\nname='a'\n[time]\nstep=1\nend=1\n[[grains]]\ncsv={file='t.csv'}";
        let scene = scene::parse(text, &file).unwrap();
        prop_assert!(scene.build().unwrap_err().to_string().contains("help:"));
    }

    #[test]
    fn broken_scenes_never_panic(
        text in any_scene(),
        at in any::<prop::sample::Index>(),
        length in 0usize..20,
        put in "[-a-z0-9=\\[\\]{}\"'.,\n é]{0,8}",
    ) {
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        if text.is_char_boundary(start) && text.is_char_boundary(end) {
            let broken = format!("{}{put}{}", &text[..start], &text[end..]);
            // Few bodies, whatever the digits became: random grains are placed one by one.
            if let Ok(scene) = scene::parse(&broken, Path::new("broken.toml")) {
                let few = scene.sections().grains.iter().all(|grains| {
                    let grid = grains.grid.as_ref().map(|grid| grid.counts.iter().product());
                    let random = grains.random.as_ref().map(|random| random.count);
                    grid.or(random).unwrap_or(0u32) < 1000
                });
                if few && let Err(error) = scene.build() {
                    prop_assert!(error.to_string().contains("help:"));
                }
            }
        }
    }
}

#[test]
fn a_run_goes_on_from_the_last_frame_or_the_one_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut bodies = Bodies::default();
    for k in 0..3 {
        let mut sphere = Sphere::new(DVec3::new(f64::from(k), 0.0, 1.0), 0.2, 1.5);
        sphere.velocity = DVec3::new(0.1, f64::from(k), -0.3);
        sphere.angular_velocity = DVec3::new(0.0, 2.0, f64::from(k));
        sphere.orientation = DQuat::from_rotation_z(0.5);
        bodies.push(&sphere);
    }
    let run = folder.path().join("runs/first");
    let mut frames = FrameWriter::create(&run, Bounds::default()).unwrap();
    let record = RunRecord {
        materials: vec!["default".to_owned()],
        ..RunRecord::new("first", Dimension::Space)
    };
    record.write(&run).unwrap();
    for number in 0..2 {
        bodies.position[1].z = 5.0 + f64::from(number);
        let (frame, none) = (BodyFrame::of(&bodies), ContactFrame::default());
        frames.write(f64::from(number), &frame, &none, &[]).unwrap();
    }
    std::fs::create_dir(folder.path().join("scenes")).unwrap();
    let scene = |source: &str| {
        let text = format!(
            "[scene]\nname='second'\n[time]\nstep=1\nend=1\n[[grains]]\nrun = {{ {source} }}\n"
        );
        scene::parse(&text, &folder.path().join("scenes/second.toml")).unwrap()
    };
    let last = scene("folder = '../runs/first'").build().unwrap().world;
    assert_eq!(last.bodies.position, bodies.position);
    assert_eq!(last.bodies.velocity, bodies.velocity);
    assert_eq!(last.bodies.angular_velocity, bodies.angular_velocity);
    assert_eq!(last.bodies.orientation, bodies.orientation);
    assert_eq!(last.bodies.mass, bodies.mass);
    let first = scene("folder = '../runs/first', frame = 0")
        .build()
        .unwrap();
    assert_eq!(first.world.bodies.position[1].z, 5.0);

    let text = |source| scene(source).build().unwrap_err().to_string();
    let none = text("folder = '../runs/first', frame = 2");
    assert!(
        none.contains("no frame 2") && none.contains("it has 2"),
        "{none}"
    );
    let missing = text("folder = '../runs/none'");
    assert!(missing.contains("make it first"), "{missing}");
    // A scene of that name beside this one is the one to run.
    std::fs::write(folder.path().join("scenes/none.toml"), "").unwrap();
    let missing = text("folder = '../runs/none'");
    assert!(missing.contains("scenes/none.toml"), "{missing}");
}

#[test]
fn plates_and_blocks_stand_as_they_are_told() {
    let walls = |dimension: usize, shape: &str| {
        let place = vec!["0"; dimension].join(",");
        let text = format!(
            "[scene]\nname='w'\ndimension={dimension}\n[time]\nstep=1\nend=1\n[[bodies]]\n\
             sphere={{radius=0.5}}\nposition=[{place}]\n[[walls]]\n{shape}\n\
             position=[9{}]\n",
            ",0".repeat(dimension - 1)
        );
        let scene = scene::parse(&text, Path::new("w.toml")).unwrap();
        scene.build().unwrap().world.walls.remove(0)
    };
    // The corners of a plate: its middle, half its width across `up`, half its height along it.
    let distance = |wall: &Wall, point: DVec3| {
        let (position, turn) = wall.kinematics.pose(0.0);
        let local = turn.conjugate() * (point - position);
        wall.patches[0].closest_point(local).distance
    };
    let near = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-12, "{found}, {exact}");
    let blade = walls(
        3,
        "plate = { width = 0.2, height = 0.6, normal = [-2, 0, 0] }",
    );
    near(distance(&blade, DVec3::new(9.0, 0.1, -0.3)), 0.0);
    near(distance(&blade, DVec3::new(8.5, 0.0, 0.0)), 0.5);
    near(
        distance(&blade, DVec3::new(9.0, 0.15, 0.34)),
        0.05f64.hypot(0.04),
    );
    let turned = walls(
        3,
        "plate = { width = 0.2, height = 0.6, normal = [1, 0, 0], up = [3, 1, 1] }",
    );
    let along = DVec3::new(0.0, 0.5, 0.5).normalize();
    near(
        distance(&turned, DVec3::new(9.0, 0.0, 0.0) + 0.4 * along),
        0.1,
    );
    let flat = walls(
        3,
        "plate = { width = 0.2, height = 0.6, normal = [0, 0, 1] }",
    );
    near(distance(&flat, DVec3::new(9.0, 0.4, 0.0)), 0.1);
    let segment = walls(2, "plate = { width = 2.0, normal = [1, 0] }");
    near(distance(&segment, DVec3::new(9.0, 1.5, 0.0)), 0.5);

    let block = walls(3, "block = { size = [1, 2, 3] }");
    near(distance(&block, DVec3::new(9.0, 0.0, 1.0)), -0.5);
    near(distance(&block, DVec3::new(9.0, 3.0, 0.0)), 2.0);
    // Turned by 90 degrees about z.
    let block = walls(
        3,
        "block = { size = [1, 2, 3], orientation = [0, 0, 1, 1] }",
    );
    near(distance(&block, DVec3::new(9.0, 3.0, 0.0)), 2.5);
    // In a plane and on a line the directions that do not move have no faces.
    near(
        distance(
            &walls(2, "block = { size = [2, 2] }"),
            DVec3::new(9.0, 0.0, 0.0),
        ),
        -1.0,
    );
    let segment = walls(1, "block = { size = [2] }");
    let inside = segment.patches[0].closest_point(DVec3::new(0.25, 0.0, 0.0));
    assert_eq!((inside.distance, inside.normal), (-0.75, DVec3::X));
}
