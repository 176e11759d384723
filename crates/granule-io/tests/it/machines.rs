//! Joints, motors and servos in scene files: what they become, what is written of them, and how mistakes are told.

use granule::joints::Effect;
use granule_io::run::Run;
use granule_io::scene::{self, Setup};
use std::ops::ControlFlow;
use std::path::Path;

const START: &str =
    "[scene]\nname = 'm'\n[time]\nstep = 1e-3\nend = 0.05\n[solver]\ntolerance = 1e-8\n";
const ARM: &str =
    "[[bodies]]\nname = 'arm'\nbox = { size = [1, 0.1, 0.1] }\nposition = [0.5, 0, 0]\n";
const HAND: &str = "[[bodies]]\nname = 'hand'\nsphere = { radius = 0.1 }\nposition = [1.2, 0, 0]\n";
const HINGE: &str = "[[joints]]\nname = 'elbow'\nkind = 'hinge'\nbetween = ['arm', 'ground']\nposition = [0, 0, 0]\naxis = [0, 1, 0]\n";
const LID: &str =
    "[[walls]]\nname = 'lid'\nhalf-space = { normal = [0, 0, -1] }\nposition = [0, 0, 3]\n";

fn built(text: &str) -> Result<Setup, String> {
    let scene = scene::parse(text, Path::new("machine.toml"));
    scene
        .and_then(|scene| scene.build())
        .map_err(|error| error.to_string())
}

fn joint(keys: &str) -> String {
    format!("{START}{ARM}{HAND}[[joints]]\n{keys}\n")
}

fn with_motor(keys: &str) -> String {
    format!("{START}{ARM}{HINGE}[[motors]]\n{keys}\n")
}

fn with_servo(keys: &str) -> String {
    format!("{START}{HAND}{LID}[[servos]]\n{keys}\n")
}

/// Each mistake, where it is told to be, and a word of what is said.
fn mistakes() -> Vec<(String, &'static str, &'static str)> {
    let ball = "kind = 'ball'\nposition = [1, 0, 0]\n";
    vec![
        (
            joint(&format!("{ball}between = ['arm', 'hnad']")),
            "'hnad'",
            "there is no body `hnad`",
        ),
        (
            joint(&format!("{ball}between = ['arm', 'arm']")),
            "between",
            "not joined to itself",
        ),
        (
            joint("kind = 'ball'\nbetween = ['arm', 'hand']"),
            "[[joints]]",
            "no `position`",
        ),
        (
            joint(
                "kind = 'ball'\nbetween = ['arm', 'hand']\nanchors = [[0.5, 0, 0], [-0.1, 0, 0]]",
            ),
            "anchors",
            "do not meet",
        ),
        (
            joint(&format!(
                "{ball}between = ['arm', 'hand']\naxis = [0, 0, 1]"
            )),
            "axis",
            "has no axis",
        ),
        (
            joint(&format!(
                "{ball}between = ['arm', 'hand']\nlimits = {{ least = 0 }}"
            )),
            "[[joints]]",
            "friction alone",
        ),
        (
            joint(&format!("{ball}between = ['arm', 'hand']\nlength = 2")),
            "length",
            "no effect",
        ),
        (
            joint(&format!(
                "{ball}between = ['arm', 'hand']\nbreak_force = -2"
            )),
            "break_force",
            "positive",
        ),
        (
            joint("kind = 'gear'\nbetween = ['arm', 'hand']"),
            "[[joints]]",
            "no `ratio`",
        ),
        (
            joint("kind = 'distance'\nbetween = ['arm', 'hand']\nposition = [1, 0, 0]"),
            "[[joints]]",
            "no `to`",
        ),
        (
            joint(
                "kind = 'distance'\nbetween = ['arm', 'hand']\nposition = [1, 0, 0]\nto = [1.2, 0, 0]\nlength = 0.3",
            ),
            "length",
            "do not have this distance",
        ),
        (
            joint("kind = 'hing'\nbetween = ['arm', 'hand']"),
            "'hing'",
            "hing",
        ),
        (
            joint(
                "kind = 'hinge'\nbetween = ['arm', 'hand']\nposition = [1, 0, 0]\nlimits = { least = 1, most = 0 }",
            ),
            "[[joints]]",
            "above the upper",
        ),
        (
            format!("{START}{}", ARM.replace("'arm'", "'ground'")),
            "name",
            "does not move",
        ),
        (
            format!("{START}{ARM}{HINGE}{HINGE}"),
            "name",
            "two joints are called",
        ),
        (
            with_motor("joint = 'elbo'\nspeed = 1"),
            "'elbo'",
            "there is no joint `elbo`",
        ),
        (
            with_motor("joint = 'elbow'"),
            "[[motors]]",
            "what the motor holds",
        ),
        (
            with_motor("joint = 'elbow'\nspeed = 1\nforce = 2"),
            "force",
            "more than once",
        ),
        (
            with_motor("joint = 'elbow'\nspeed = 'fast'"),
            "'fast'",
            "function of time",
        ),
        (
            with_motor("joint = 'elbow'\nspeed = { linear = { times = [1, 0], values = [1, 2] } }"),
            "speed",
            "must increase",
        ),
        (
            with_motor("joint = 'elbow'\nforce = 1\nstrength = 2"),
            "strength",
            "no effect",
        ),
        (
            with_motor("joint = 'elbow'\nalong = 'slide'\nspeed = 1"),
            "along",
            "motor could drive",
        ),
        (
            with_servo("wall = 'lit'\ndirection = [0, 0, -1]\nforce = 1"),
            "'lit'",
            "there is no wall `lit`",
        ),
        (
            with_servo("wall = 'lid'\ndirection = [0, 0, 0]\nforce = 1"),
            "direction",
            "zero",
        ),
        (
            with_servo("wall = 'lid'\ndirection = [0, 0, -1]\nstress = 1"),
            "[[servos]]",
            "2 pair(s) of walls",
        ),
        (
            with_servo("wall = 'lid'\ndirection = [0, 0, -1]\nstress = 1\nwithin = 'lid'"),
            "within",
            "no cylinder",
        ),
        (
            with_servo("wall = 'lid'\ndirection = [0, 0, -1]\nforce = 1\nwithin = 'lid'"),
            "within",
            "no effect",
        ),
        (
            with_servo("wall = 'lid'\ndirection = [0, 0, -1]\nforce = 1\nmass = 0"),
            "mass",
            "positive",
        ),
        (
            format!("{START}{HAND}{}body = 'hand'\n", LID),
            "body",
            "has a shape of its own",
        ),
    ]
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (text, place, words) in mistakes() {
        let Err(message) = built(&text) else {
            panic!("accepted:\n{text}");
        };
        assert!(message.contains(words), "{words}: not in\n{message}");
        // The line that is shown holds the place.
        let shown = message
            .lines()
            .any(|line| line.contains('|') && line.contains(place));
        assert!(shown, "{place}: not shown in\n{message}");
    }
}

#[test]
fn anchors_in_bodies_and_points_in_the_world_are_the_same_joint() {
    let turned = "[[bodies]]\nname = 'arm'\nbox = { size = [1, 0.1, 0.1] }\nposition = [0, 0, 0.5]\norientation = [0, -0.7071067811865476, 0, 0.7071067811865476]\n";
    let head = "[[joints]]\nkind = 'ball'\nbetween = ['arm', 'ground']\n";
    let world = built(&format!("{START}{turned}{head}position = [0, 0, 1]\n")).unwrap();
    let local = built(&format!(
        "{START}{turned}{head}anchors = [[0.5, 0, 0], [0, 0, 1]]\n"
    ))
    .unwrap();
    let [a, b] = [&world, &local].map(|setup| setup.world.joints[0].anchors[0].position);
    assert!(a.distance(b) < 1e-12, "{a} {b}");
}

#[test]
fn loops_that_hold_something_twice_are_told_by_name() {
    let door = format!(
        "{START}{ARM}{HINGE}{}",
        HINGE
            .replace("elbow", "second")
            .replace("position = [0, 0, 0]", "position = [0, 1, 0]")
    );
    let warnings = built(&door).unwrap().warnings();
    assert_eq!(warnings.len(), 1);
    let told = &warnings[0];
    assert!(
        told.contains("`elbow`, `second`") && told.contains("5 directions"),
        "{told}"
    );
    let open = format!("{START}{ARM}{HINGE}");
    assert!(built(&open).unwrap().warnings().is_empty());
}

#[test]
fn joints_with_names_have_columns() {
    let motor = "[[motors]]\njoint = 'elbow'\nspeed = { linear = { times = [0, 0.05], values = [0, 1] } }\n";
    let servo = "[[servos]]\nwall = 'lid'\ndirection = [0, 0, -1]\nforce = 7\nmass = 1\n";
    let setup = built(&format!("{START}{ARM}{HINGE}{motor}{LID}{servo}")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = Run::create(&path, setup).unwrap();
    run.to_end(|_, _| ControlFlow::Continue(())).unwrap();
    let series = granule_io::run::RunFolder::new(&path).series().unwrap();
    let last = |name: &str| {
        *series
            .column(name)
            .unwrap_or_else(|| panic!("{name}"))
            .last()
            .unwrap()
    };
    // Half of 0.05 s at 1 rad/s in the end, and a rod of 25 kg (its density 2500 kg/m³) that is sped up and held.
    assert!(
        (last("elbow_turn") - 0.025).abs() < 1e-9,
        "{}",
        last("elbow_turn")
    );
    let inertia = 25.0 / 12.0 * (1.0 + 0.01) + 25.0 * 0.25;
    let weight = 25.0 * 9.81 * 0.5 * 0.025_f64.cos();
    let moment = inertia * 20.0 - weight;
    let found = last("elbow_turn_motor");
    assert!((found - moment).abs() < 0.01 * weight, "{found} {moment}");
    assert!((last("lid_servo_slide_motor") - 7.0).abs() < 1e-9);
    assert!(last("lid_servo_slide") > 0.0);
    assert!(last("joint_error") < 1e-9);
}

#[test]
fn a_stress_in_a_pipe_acts_on_its_cross_section() {
    let pipe = "[[walls]]\nname = 'pipe'\ncylinder = { radius = 0.2, length = 4 }\n";
    let force = |servo: &str| {
        let keys = "wall = 'lid'\ndirection = [0, 0, -1]\nmass = 1\n";
        let setup = built(&format!(
            "{START}{HAND}{LID}{pipe}[[servos]]\n{keys}{servo}\n"
        ))
        .unwrap();
        let drive = setup.world.joints[0].drives[0].clone();
        match drive.effect {
            Effect::Force { target, spans, .. } if spans.is_empty() => target,
            other => panic!("{other:?}"),
        }
    };
    // π 0.2² of 500 Pa are 62.83 N.
    let area = std::f64::consts::PI * 0.04;
    let constant = force("stress = 500\nwithin = 'pipe'");
    assert!((constant.at(1.0) - 500.0 * area).abs() < 1e-9);
    let ramp =
        force("stress = { linear = { times = [0, 2], values = [0, 100] } }\nwithin = 'pipe'");
    assert!((ramp.at(1.0) - 50.0 * area).abs() < 1e-9);
}
