//! Forces in scene files: what they become, and how mistakes are told.

use granule::bodies::{Drag, Field};
use granule::math::DVec3;
use granule_io::scene::{self, Setup};
use std::path::Path;

const START: &str = "[scene]\nname = 'f'\n[time]\nstep = 1e-3\nend = 0.05\n[materials.a]\n[materials.b]\n\
    [[bodies]]\nname = 'one'\nsphere = { radius = 0.1 }\nposition = [0, 0, 0]\nmaterial = 'a'\n\
    [[bodies]]\nname = 'two'\nsphere = { radius = 0.1 }\nposition = [1, 0, 0]\nmaterial = 'b'\n[[forces]]\n";

fn built(keys: &str, folder: &Path) -> Result<Setup, String> {
    let scene = scene::parse(&format!("{START}{keys}\n"), &folder.join("force.toml"));
    scene
        .and_then(|scene| scene.build())
        .map_err(|error| error.to_string())
}

#[test]
fn forces_become_fields() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("well.csv"), "r,F\n0, 1\n2, -1\n").unwrap();
    let only = |keys: &str| {
        let setup = built(keys, place.path()).unwrap();
        assert_eq!(setup.world.fields.len(), 1, "{keys}");
        setup.world.fields[0].clone()
    };
    let drag =
        only("drag = { density = 1000, viscosity = 1e-3, flow = [1, 0, 0] }\nmaterial = 'b'");
    let water = Drag::Fluid {
        density: 1000.0,
        viscosity: 1e-3,
    };
    let flow = DVec3::X;
    assert_eq!(drag.field, Field::Drag { drag: water, flow });
    assert_eq!(drag.on.material, Some(1));
    let central = only("central = { center = [0, 0, 1], file = 'well.csv' }\nbodies = ['two']");
    let Field::Central { center, force } = central.field else {
        panic!("central")
    };
    assert_eq!((center, force.at(1.5)), (DVec3::Z, -0.5));
    assert_eq!(central.on.ids, Some(vec![1]));
    let along = only(
        "along = { axis = [0, 0, 2], places = [0], forces = [3], direction = [5, 0, 0] }\nregion = { box = { min = [0, 0, 0], max = [1, 1, 1] } }",
    );
    let Field::Along {
        direction, axis, ..
    } = along.field
    else {
        panic!("along")
    };
    assert_eq!((direction, axis), (DVec3::X, DVec3::Z));
    assert!(along.on.region.is_some());
    only("buoyancy = { density = 1000 }");
    only("spring = { point = [0, 0, 1], stiffness = 5 }");
    only("torque = { direction = [0, 0, 1], magnitude = { constant = 2 } }");
    let plain = built(
        "direction = [1, 0, 0]\nmagnitude = { constant = 2 }",
        place.path(),
    );
    assert_eq!(plain.unwrap().world.forces.len(), 1);
}

#[test]
fn mistakes_are_told_where_they_are() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("bad.csv"), "0, 1\n2; -1\n").unwrap();
    for (keys, words) in [
        ("material = 'a'", "`drag`"),
        ("direction = [1, 0, 0]", "needs `magnitude`"),
        ("drag = { linear = 1, quadratic = 2 }", "`quadratic`"),
        ("drag = { density = 1000 }", "`viscosity`"),
        ("drag = { linear = -1 }", "linear"),
        ("buoyancy = { density = 1 }\nbodies = ['tow']", "`two`"),
        (
            "central = { center = [0, 0, 0], distances = [1, 0], forces = [1, 2] }",
            "increase",
        ),
        (
            "central = { center = [0, 0, 0], distances = [1], forces = [1, 2] }",
            "one of `forces`",
        ),
        (
            "central = { center = [0, 0, 0], file = 'none.csv' }",
            "none.csv",
        ),
        (
            "central = { center = [0, 0, 0], file = 'bad.csv' }",
            "line 2",
        ),
        (
            "direction = [1, 0, 0]\nmagnitude = { constant = 2 }\nbodies = ['one']",
            "`along",
        ),
        ("spring = { point = [0, 0], stiffness = 1 }", "point"),
    ] {
        let told = built(keys, place.path()).expect_err(keys);
        assert!(told.contains(words), "{words}: {told}");
        assert!(told.contains("force.toml:"), "{told}");
    }
}
