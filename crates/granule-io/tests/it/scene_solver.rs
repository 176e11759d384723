//! `[solver]` of a scene: its keys are the engine's settings, each with its errors and its text.

use super::scene_roundtrip::read_again;
use granule::simulation::{Settings, Simulation};
use granule::solver::{Method, SolverConfig};
use granule_io::scene::{self, Scene};
use std::path::Path;

/// A scene with these lines in `[solver]` and `[contacts]`.
fn solved_by(solver: &str, contacts: &str) -> Scene {
    let text = format!(
        "[scene]\nname='s'\n[time]\nstep=1e-3\nend=1\n[solver]\n{solver}\n[contacts]\n{contacts}\n\
         [[bodies]]\nsphere={{radius=0.1}}\nposition=[0,0,1]\n"
    );
    scene::parse(&text, Path::new("s.toml")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_scene_as_run_names_its_method_and_the_settings_that_it_reads() {
    let rough = "law = 'coulomb'\nfriction = 0.5";
    let cases = [
        ("", "", "apgd-ar", "stop step scaling"),
        ("method = 'usual'", "", "apgd-ar", "stop step scaling"),
        ("", rough, "ags", "stop exact"),
        ("step = 0.1", "", "apgd-ar", "stop step scaling"),
        (
            "method = 'pgs'",
            rough,
            "pgs",
            "stop sweep relaxation exact",
        ),
        (
            "method = 'pgs'\nsweep = 'shuffled'",
            rough,
            "pgs",
            "stop sweep relaxation seed exact",
        ),
        ("method = 'newton'", rough, "newton", "exact"),
        ("method = 'ipm'", "", "ipm", ""),
        (
            "method = 'ipm'\nstop = 'paper'",
            rough,
            "ipm",
            "stop fixed_point_tolerance",
        ),
    ];
    for (solver, contacts, method, keys) in cases {
        let scene = solved_by(solver, contacts);
        let text = scene.to_toml().unwrap();
        let table: toml::Table = text.parse().unwrap();
        let written = table["solver"].as_table().unwrap();
        assert_eq!(written["method"].as_str(), Some(method), "{text}");
        for knob in granule::solver::Method::all_keys() {
            let listed = keys.split(' ').any(|key| key == knob);
            // A step that is not given has no value to write down.
            let expected = listed && (knob != "step" || solver.contains("step ="));
            assert_eq!(written.contains_key(knob), expected, "{knob} in {text}");
        }
        assert_eq!(read_again(&scene).to_toml().unwrap(), text);
        let setup = scene.build().unwrap();
        let facts = setup.describe();
        let (_, told) = facts.iter().find(|(name, _)| name == "solver").unwrap();
        assert!(told.starts_with(&format!("{method}, ")), "{told}");
    }
}

#[test]
fn a_scene_and_a_program_that_name_no_solver_have_the_same() {
    for contacts in [
        "",
        "law = 'coulomb'\nfriction = 0.5",
        "law = 'coulomb-convex'\nfriction = 0.5\nrolling_friction = 1e-3",
    ] {
        let setup = solved_by("", contacts).build().unwrap();
        let settings = Settings::new(setup.settings.step, setup.settings.end);
        let program = Simulation::new(setup.world.clone(), settings).unwrap();
        let scene = Simulation::new(setup.world, setup.settings).unwrap();
        assert_eq!(program.settings(), scene.settings(), "{contacts}");
        assert_ne!(program.settings().solver.method(), Method::Usual);
    }
}

#[test]
fn every_setting_of_a_solver_is_a_key_with_a_text_in_the_schema() {
    let schema = scene::schema();
    let described = |key: &str| {
        let text = &schema["$defs"]["Solver"]["properties"][key]["description"];
        text.as_str().map(str::to_owned)
    };
    let own = Method::ALL.into_iter().flat_map(Method::own_keys);
    for key in SolverConfig::KEYS.iter().copied().chain(own) {
        assert!(described(key).is_some(), "{key}");
    }
    // One key, three tables: the text says what it is in each.
    let step = described("step").unwrap();
    for words in ["gradients", "`pgj`", "`nlgs-*`"] {
        assert!(step.contains(words), "{step}");
    }
    assert!(
        described("method")
            .unwrap()
            .contains("granule list solvers")
    );
    assert!(described("own").is_none() && described("max_relative").is_none());
}

#[test]
fn a_key_is_looked_at_before_the_method_that_reads_it_is_known() {
    let wrong = |lines: &str| {
        let text = format!(
            "[scene]\nname='s'\n[time]\nstep=1e-3\nend=1\n[[bodies]]\nsphere={{radius=0.1}}\n\
             position=[0,0,1]\n[solver]\n{lines}\n"
        );
        scene::parse(&text, Path::new("s.toml")).unwrap_err()
    };
    // On the line of the key, whatever the method.
    for lines in [
        "method = 'ags'\nsweep = 3",
        "method = 'pgs'\nsweep = 'sideways'",
        "method = 'nlgs-eal'\nstep = 'long'",
        "method = 'pgd'\nscalling = 'none'",
    ] {
        assert_eq!(wrong(lines).line(), Some(11), "{lines}");
    }
    assert!(wrong("scalling = 'none'").help().contains("`scaling`"));
    // The step of a method is checked by that method's rule.
    assert_eq!(wrong("method = 'pgj'\nstep = -1.0").line(), Some(11));
}
