//! Mechanisms from robot descriptions.

use granule::math::{DMat3, DQuat, DVec3, principal_axes};
use granule::simulation::Simulation;
use granule_io::scene::{self, Setup};
use std::path::Path;

const HEAD: &str = "[scene]\nname = 'mechanism'\n[time]\nstep = 1e-3\nend = 0.5\n";

/// A scene with this text after its head, beside a robot description.
fn built(lines: &str, urdf: &str) -> Result<Setup, scene::SceneError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robot.urdf"), urdf).unwrap();
    let text = format!("{HEAD}{lines}");
    scene::parse(&text, &folder.path().join("scene.toml"))?.build()
}

/// A mechanism with these lines, and no others.
fn mechanism(lines: &str, urdf: &str) -> Setup {
    let lines = format!("[[mechanisms]]\nurdf = {{ file = 'robot.urdf' }}\n{lines}\n");
    built(&lines, urdf).unwrap_or_else(|error| panic!("{error}"))
}

/// `<inertial>` of a mass (kg) with these moments (kg m²) at a place (m).
fn inertial(mass: f64, place: DVec3, moments: DVec3) -> String {
    let DVec3 { x, y, z } = place;
    let (a, b, c) = (moments.x, moments.y, moments.z);
    format!(
        "<inertial><origin xyz='{x} {y} {z}'/><mass value='{mass}'/>\
         <inertia ixx='{a}' iyy='{b}' izz='{c}' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
}

fn run(setup: Setup, mut each: impl FnMut(&Simulation)) {
    let mut simulation = Simulation::new(setup.world, setup.settings).unwrap();
    while !simulation.finished() {
        let report = simulation.step().unwrap();
        assert!(report.certified, "{report:?}");
        each(&simulation);
    }
}

/// Two rods of 1 m and 0.8 m that hang on each other, 0.3 and -0.5 rad off; the first joint is damped and the second has
/// friction.
fn double_pendulum() -> String {
    let one = inertial(2.0, DVec3::new(0.0, 0.0, -0.5), DVec3::new(0.2, 0.19, 0.01));
    let two = inertial(1.5, DVec3::new(0.0, 0.0, -0.4), DVec3::new(0.1, 0.09, 0.01));
    format!(
        "<robot name='pendulum'>
         <link name='base'/>
         <link name='one'>{one}<collision><origin xyz='0 0 -0.5'/><geometry><box size='0.1 0.1 1'/></geometry></collision></link>
         <link name='two'>{two}</link>
         <joint name='a' type='continuous'><parent link='base'/><child link='one'/><origin xyz='0 0 2'/><axis xyz='0 1 0'/>
           <dynamics damping='0.1'/></joint>
         <joint name='b' type='revolute'><parent link='one'/><child link='two'/><origin xyz='0 0 -1'/><axis xyz='0 1 0'/>
           <limit lower='-0.8' upper='0.7' effort='10' velocity='1'/><dynamics friction='0.05'/></joint>
         </robot>"
    )
}

#[test]
fn a_double_pendulum_moves_as_one_of_bodies_and_joints() {
    let from_file = mechanism("pose = { a = 0.3, b = -0.5 }", &double_pendulum());
    assert_eq!(from_file.joint_names, [Some("a".into()), Some("b".into())]);
    // The same, in the world.
    let turn = |angle: f64| DQuat::from_rotation_y(angle);
    let elbow = DVec3::new(0.0, 0.0, 2.0) + turn(0.3) * DVec3::new(0.0, 0.0, -1.0);
    let one = DVec3::new(0.0, 0.0, 2.0) + turn(0.3) * DVec3::new(0.0, 0.0, -0.5);
    let two = elbow + turn(-0.2) * DVec3::new(0.0, 0.0, -0.4);
    let by_hand = format!(
        "[[bodies]]\nname = 'one'\nmass = 2\ninertia = [0.2, 0.19, 0.01]\nposition = {:?}\norientation = {:?}\n\
         box = {{ size = [0.1, 0.1, 1] }}\n\
         [[bodies]]\nname = 'two'\nmass = 1.5\ninertia = [0.1, 0.09, 0.01]\nposition = {:?}\norientation = {:?}\n\
         [[joints]]\nkind = 'hinge'\nbetween = ['one', 'ground']\nposition = [0, 0, 2]\naxis = [0, 1, 0]\n\
         spring = {{ damping = 0.1 }}\n\
         [[joints]]\nkind = 'hinge'\nbetween = ['two', 'one']\nposition = {:?}\naxis = [0, 1, 0]\nfriction = 0.05\n\
         limits = {{ least = -0.3, most = 1.2 }}\n",
        one.to_array(),
        turn(0.3).to_array(),
        two.to_array(),
        turn(-0.2).to_array(),
        elbow.to_array(),
    );
    let by_hand = built(&by_hand, "").unwrap_or_else(|error| panic!("{error}"));
    let track = |setup: Setup| {
        let mut places = Vec::new();
        run(setup, |simulation| {
            let bodies = simulation.world().bodies.by_id();
            places.extend(bodies.position.iter().copied());
        });
        places
    };
    let (file, hand) = (track(from_file), track(by_hand));
    assert_eq!((file.len(), hand.len()), (1000, 1000));
    let apart = file.iter().zip(&hand).map(|(a, b)| a.distance(*b));
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart}");
    assert!(file[0].distance(file[998]) > 0.1);
}

#[test]
fn fixed_joints_lump_masses_and_shapes() {
    // Two bricks of 1 and 2 kg, the second turned by a quarter and 1 m away, and a tip without mass.
    let brick = |mass: f64, a: f64, b: f64, c: f64| {
        mass / 12.0 * DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b)
    };
    let (one, two) = (brick(1.0, 0.4, 0.2, 0.1), brick(2.0, 0.6, 0.1, 0.3));
    let urdf = format!(
        "<robot name='lump'><link name='root'>{}<collision><geometry><box size='0.4 0.2 0.1'/></geometry></collision></link>
         <link name='arm'>{}<collision><origin xyz='0.1 0 0'/><geometry><box size='0.6 0.1 0.3'/></geometry></collision></link>
         <link name='tip'><collision><geometry><sphere radius='0.05'/></geometry></collision></link>
         <joint name='weld' type='fixed'><parent link='root'/><child link='arm'/>
           <origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/></joint>
         <joint name='end' type='fixed'><parent link='arm'/><child link='tip'/><origin xyz='0.5 0 0.2'/></joint></robot>",
        inertial(1.0, DVec3::ZERO, one),
        inertial(2.0, DVec3::new(0.1, 0.0, 0.0), two),
    );
    let lines =
        "[[mechanisms]]\nurdf = { file = 'robot.urdf', fixed = false, position = [0, 0, 3] }\n";
    let setup = built(lines, &urdf).unwrap_or_else(|error| panic!("{error}"));
    let bodies = &setup.world.bodies;
    assert_eq!((bodies.len(), bodies.mass[0]), (1, 3.0));
    // In the frame of the root the second is at (1, 0.1, 0), with x and y swapped.
    let center = 2.0 / 3.0 * DVec3::new(1.0, 0.1, 0.0);
    assert!((bodies.position[0] - center - 3.0 * DVec3::Z).length() < 1e-14);
    let swapped = DVec3::new(two.y, two.x, two.z);
    let point = |mass: f64, r: DVec3| {
        let outer = DMat3::from_cols(r.x * r, r.y * r, r.z * r);
        mass * (r.length_squared() * DMat3::IDENTITY - outer)
    };
    let whole = DMat3::from_diagonal(one + swapped)
        + point(1.0, -center)
        + point(2.0, DVec3::new(1.0, 0.1, 0.0) - center);
    let (moments, axes) = principal_axes(whole);
    assert!((bodies.inertia[0] - moments).length() < 1e-14);
    assert!((bodies.orientation[0] * axes.conjugate()).w.abs() > 1.0 - 1e-14);
    // Shapes stand where the file says: the tip at (1, 0.5, 0.2), which is above all else.
    let solid = bodies.solid(0).unwrap();
    assert_eq!(solid.parts().len(), 3);
    let up = bodies.orientation[0].conjugate() * DVec3::Z;
    let top = bodies.position[0] + bodies.orientation[0] * solid.support(up);
    assert!((top - DVec3::new(1.0, 0.5, 3.25)).length() < 1e-14, "{top}");
}

/// A ball whose mass is not where its shape is rolls back and forth like the pendulum that it is: energy is kept, and the
/// ball stays on the floor.
#[test]
fn a_shape_beside_its_centre_of_mass_rolls_about_it() {
    let urdf = format!(
        "<robot name='ball'><link name='ball'>{}<collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>",
        inertial(1.0, DVec3::new(0.0, 0.0, -0.05), DVec3::splat(0.003)),
    );
    // Turned by a right angle: the centre of mass is beside that of the ball.
    let lines = "[contacts]\nlaw = 'coulomb'\nfriction = 5\n[[walls]]\nhalf-space = { normal = [0, 0, 1] }\n[[mechanisms]]\n\
                 urdf = { file = 'robot.urdf', fixed = false, position = [0, 0, 0.1], orientation = [0, 1, 0, 1] }\n";
    let setup = built(lines, &urdf).unwrap_or_else(|error| panic!("{error}"));
    let bodies = &setup.world.bodies;
    assert!((bodies.position[0] - DVec3::new(-0.05, 0.0, 0.1)).length() < 1e-14);
    let energy = |simulation: &Simulation| {
        let bodies = &simulation.world().bodies;
        let (v, w) = (bodies.velocity[0], bodies.angular_velocity[0]);
        0.5 * v.length_squared() + 0.5 * 0.003 * w.length_squared() + 9.81 * bodies.position[0].z
    };
    let (mut lowest, mut worst, mut lift) = (f64::INFINITY, 0.0_f64, 0.0_f64);
    run(setup, |simulation| {
        let bodies = &simulation.world().bodies;
        let middle = bodies.position[0] + bodies.orientation[0] * DVec3::new(0.0, 0.0, 0.05);
        lowest = lowest.min(bodies.position[0].z);
        lift = lift.max((middle.z - 0.1).abs());
        worst = worst.max((energy(simulation) - 0.981).abs());
    });
    assert!((lowest - 0.05).abs() < 1e-3, "{lowest}");
    assert!(lift < 1e-4, "{lift}");
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn joints_are_driven_by_their_names_with_the_effort_of_the_file() {
    let motor = "[[motors]]\njoint = 'left_b'\nposition = { linear = { times = [0, 0.3], values = [0, 0.2] } }\n";
    let setup = mechanism(&format!("name = 'left'\n{motor}"), &double_pendulum());
    assert_eq!(
        setup.joint_names,
        [Some("left_a".into()), Some("left_b".into())]
    );
    use granule::joints::Effect;
    let motor = setup.world.joints[1].drives.last().unwrap();
    let Effect::Position { strength, .. } = motor.effect else {
        panic!("{motor:?}")
    };
    assert_eq!(strength, Some(10.0));
    let mut turn = 0.0;
    run(setup, |simulation| turn = simulation.joint_states()[1].turn);
    assert!((turn - 0.2).abs() < 1e-6, "{turn}");
}

/// A ball of 1 m radius as a fine mesh, in a package: its hull has few corners and is nearly as large.
#[test]
fn fine_meshes_of_packages_have_hulls_of_few_corners() {
    use std::f64::consts::{PI, TAU};
    let (rings, around) = (24, 48);
    let mut mesh = String::new();
    for (ring, k) in (0..rings).flat_map(|ring| (0..around).map(move |k| (ring, k))) {
        let (height, turn) = (
            PI * (f64::from(ring) + 0.5) / f64::from(rings),
            TAU * f64::from(k) / f64::from(around),
        );
        let (across, z) = height.sin_cos();
        mesh += &format!("v {} {} {z}\n", across * turn.cos(), across * turn.sin());
    }
    for (ring, k) in (1..rings).flat_map(|ring| (0..around).map(move |k| (ring, k))) {
        let corner = |ring: i32, k: i32| ring * around + k % around + 1;
        let (a, b) = (corner(ring - 1, k), corner(ring - 1, k + 1));
        mesh += &format!("f {a} {} {} {b}\n", corner(ring, k), corner(ring, k + 1));
    }
    let urdf = format!(
        "<robot name='ball'><link name='ball'>{}<collision><geometry>\
         <mesh filename='package://balls/fine.obj' scale='0.1 0.1 0.1'/></geometry></collision></link></robot>",
        inertial(1.0, DVec3::ZERO, DVec3::splat(0.004)),
    );
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("packages/balls");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("fine.obj"), mesh).unwrap();
    std::fs::write(folder.path().join("robot.urdf"), urdf).unwrap();
    let text = format!(
        "{HEAD}[[mechanisms]]\nurdf = {{ file = 'robot.urdf', fixed = false, packages = 'packages' }}\n"
    );
    let scene = scene::parse(&text, &folder.path().join("scene.toml")).unwrap();
    let setup = scene.build().unwrap_or_else(|error| panic!("{error}"));
    let solid = setup.world.bodies.solid(0).unwrap();
    let granule::shapes::Convex::Hull(hull) = &solid.parts()[0].shape else {
        panic!("{solid:?}")
    };
    assert!((100..=256).contains(&hull.vertices.len()));
    assert!((solid.bounding_radius() - 0.1).abs() < 1e-6);
    let volume = solid.volume() / (4.0 / 3.0 * PI * 1e-3);
    assert!((0.93..1.0).contains(&volume), "{volume}");
}

/// What the fields of a link and of a joint of a sound robot are replaced by, and the name of the message.
fn bad_files() -> Vec<(&'static str, String)> {
    let sound = double_pendulum();
    let replaced = |from: &str, to: &str| {
        assert!(sound.contains(from), "{from}");
        sound.replacen(from, to, 1)
    };
    let ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
    vec![
        ("urdf_not_xml", "<robot name='a'>\n<link name='b'>".into()),
        ("urdf_another_format", "<sdf version='1.6'/>".into()),
        (
            "urdf_with_macros",
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro' name='a'><xacro:arm/></robot>"
                .into(),
        ),
        ("urdf_no_links", "<robot name='a'/>".into()),
        (
            "urdf_two_roots",
            replaced(
                "<link name='base'/>",
                "<link name='base'/><link name='spare'/>",
            ),
        ),
        (
            "urdf_loop",
            "<robot name='a'><link name='b'/><link name='c'/>\
            <joint name='d' type='fixed'><parent link='b'/><child link='c'/></joint>\
            <joint name='e' type='fixed'><parent link='c'/><child link='b'/></joint></robot>"
                .into(),
        ),
        (
            "urdf_two_parents",
            replaced(
                "</robot>",
                "<joint name='c' type='fixed'><parent link='base'/><child link='two'/></joint></robot>",
            ),
        ),
        (
            "urdf_unknown_parent",
            replaced("<parent link='base'/>", "<parent link='bse'/>"),
        ),
        (
            "urdf_negative_mass",
            replaced("<mass value='2'/>", "<mass value='-2'/>"),
        ),
        ("urdf_indefinite_inertia", replaced("ixy='0'", "ixy='0.3'")),
        (
            "urdf_no_inertia",
            replaced("ixx='0.1' iyy='0.09' izz='0.01'", "ixx='0' iyy='0' izz='0'"),
        ),
        ("urdf_nan", replaced("ixx='0.2'", "ixx='nan'")),
        (
            "urdf_no_mass",
            sound.replace(
                &inertial(1.5, DVec3::new(0.0, 0.0, -0.4), DVec3::new(0.1, 0.09, 0.01)),
                "",
            ),
        ),
        (
            "urdf_unknown_mesh",
            replaced(
                "<box size='0.1 0.1 1'/>",
                "<mesh filename='package://arm/one.stl'/>",
            ),
        ),
        (
            "urdf_unknown_shape",
            replaced("<box size='0.1 0.1 1'/>", "<cone radius='1'/>"),
        ),
        (
            "urdf_negative_radius",
            replaced(
                "<link name='base'/>",
                &format!("<link name='base'>{}</link>", ball.replace("0.1", "-0.1")),
            ),
        ),
        (
            "urdf_planar_joint",
            replaced("type='continuous'", "type='planar'"),
        ),
        (
            "urdf_unknown_joint_type",
            replaced("type='continuous'", "type='hinge'"),
        ),
        (
            "urdf_axis_of_no_length",
            replaced("<axis xyz='0 1 0'/>", "<axis xyz='0 0 0'/>"),
        ),
        (
            "urdf_stops_in_wrong_order",
            replaced("lower='-0.8'", "lower='0.8'"),
        ),
        (
            "urdf_starts_beyond_a_stop",
            replaced("lower='-0.8'", "lower='0.1'"),
        ),
        (
            "urdf_negative_damping",
            replaced("damping='0.1'", "damping='-0.1'"),
        ),
        (
            "urdf_link_twice",
            replaced(
                "<link name='base'/>",
                "<link name='base'/><link name='one'/>",
            ),
        ),
    ]
}

fn message(lines: &str, urdf: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    if let Some(urdf) = urdf {
        std::fs::write(folder.path().join("robot.urdf"), urdf).unwrap();
    }
    let text = format!("{HEAD}{lines}");
    let made = scene::parse(&text, &folder.path().join("bad.toml")).and_then(|scene| scene.build());
    let message = made.expect_err(lines).to_string();
    assert!(
        message.contains("help:") && message.contains("bad.toml:"),
        "{message}"
    );
    message.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn bad_descriptions_are_explained() {
    for (name, urdf) in bad_files() {
        let lines = "[[mechanisms]]\nurdf = { file = 'robot.urdf' }\n";
        insta::assert_snapshot!(name, message(lines, Some(&urdf)));
    }
}

#[test]
fn bad_mechanisms_are_explained() {
    let sound = "[[mechanisms]]\nurdf = { file = 'robot.urdf' }\n";
    let with = |lines: &str| format!("{sound}{lines}");
    let bad = [
        (
            "mechanism_missing_file",
            "[[mechanisms]]\nurdf = { file = 'nowhere.urdf' }\n".into(),
        ),
        (
            "mechanism_unknown_joint_in_pose",
            with("pose = { c = 1 }\n"),
        ),
        (
            "mechanism_more_than_half_a_turn",
            with("pose = { a = 4 }\n"),
        ),
        (
            "mechanism_motor_on_nothing",
            with("[[motors]]\njoint = 'c'\nspeed = 1\n"),
        ),
        (
            "mechanism_motor_along_nothing",
            with("[[motors]]\njoint = 'a'\nalong = 'slide'\nspeed = 1\n"),
        ),
        ("mechanism_twice_the_same_names", with(sound)),
        ("mechanism_bad_name", with("name = 'a b'\n")),
        (
            "mechanism_of_unknown_material",
            with("material = 'steel'\n"),
        ),
        (
            "mechanism_in_a_wall",
            with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nposition = [0, 0, 1.5]\n"),
        ),
    ];
    for (name, lines) in bad {
        insta::assert_snapshot!(name, message(&lines, Some(&double_pendulum())));
    }
    let flat = HEAD.replace("'mechanism'\n", "'mechanism'\ndimension = 2\n") + sound;
    let error = scene::parse(&flat, Path::new("bad.toml")).unwrap_err();
    insta::assert_snapshot!("mechanism_in_a_plane", error.to_string());
}

#[test]
fn what_has_no_effect_is_told() {
    let urdf = double_pendulum()
        .replace("<dynamics damping='0.1'/>", "<mimic joint='b'/>")
        .replace("<box size='0.1 0.1 1'/>", "<mesh filename='one.dae'/>");
    let notes = mechanism("", &urdf).notes;
    assert_eq!(notes.len(), 2);
    assert!(
        notes[0].contains("`one.dae`") && notes[1].contains("mimic"),
        "{notes:?}"
    );
}

#[test]
fn links_of_a_mechanism_touch_each_other_only_if_asked() {
    // Three links in a chain, the last of which overlaps the first.
    let link = |name: &str| {
        let mass = inertial(1.0, DVec3::ZERO, DVec3::splat(0.01));
        format!(
            "<link name='{name}'>{mass}<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/><origin xyz='{x} 0 0'/></joint>"
        )
    };
    let urdf = format!(
        "<robot name='chain'>{}{}{}{}{}</robot>",
        link("one"),
        link("two"),
        link("three"),
        joint("a", "one", "two", 0.3),
        joint("b", "two", "three", -0.15)
    );
    let setup = mechanism("", &urdf);
    assert_eq!(
        setup.joint_names,
        [Some("a".into()), Some("b".into()), None]
    );
    run(setup, |simulation| {
        assert_eq!(simulation.contacts().count(), 0)
    });
    let lines = "[[mechanisms]]\nurdf = { file = 'robot.urdf' }\nself_collide = true\n";
    let message = message(lines, Some(&urdf));
    insta::assert_snapshot!("mechanism_overlaps_itself", message);
}

/// The words of a description are changed one by one: each ends in a scene or in an error.
#[test]
fn damaged_descriptions_never_panic() {
    let sound = double_pendulum();
    let pieces: Vec<&str> = sound.split_inclusive(['\'', '>', ' ']).collect();
    for k in 0..pieces.len() {
        for other in [
            "",
            "nan'",
            "1e300'",
            "-1'",
            "0 0 0'",
            "<link name='",
            "one'",
        ] {
            let mut changed = pieces.clone();
            changed[k] = other;
            let lines = "[[mechanisms]]\nurdf = { file = 'robot.urdf' }\n";
            if let Ok(setup) = built(lines, &changed.concat()) {
                let _ = Simulation::new(setup.world, setup.settings);
            }
        }
    }
}
