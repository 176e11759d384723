//! What is served is what the run has written.

use crate::common::Place;
use granule_io::run::RunFolder;

#[test]
fn frames_are_those_of_the_run() {
    let place = Place::finished();
    let folder = RunFolder::new(&place.run());
    let reader = folder.frames().unwrap();
    let state = place.json("runs/0/state?frames=8");
    assert_eq!(state["state"], "completed");
    assert_eq!(state["frames"], 11);
    // Only the times that are asked for.
    assert_eq!(state["times"].as_array().unwrap().len(), 3);
    let number = 10;
    let frame = place.get(&format!("runs/0/frames/{number}"));
    let bodies = reader.bodies(number).unwrap();
    let head = frame.head_of_message();
    let origin: Vec<f64> = head["origin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect();
    let place_of = frame.floats("position");
    for (k, at) in bodies.position.iter().enumerate() {
        for axis in 0..3 {
            let shown = f64::from(place_of[3 * k + axis]) + origin[axis];
            assert!((shown - at[axis]).abs() < 1e-7);
        }
    }
    assert_eq!(frame.floats("radius"), [0.1, 0.1]);
    // The floor and where it is: from the origin, not turned.
    let wall = frame.floats("walls");
    assert_eq!(wall.len(), 7);
    assert!((f64::from(wall[2]) + origin[2]).abs() < 1e-6);
    assert_eq!(wall[3..], [0.0, 0.0, 0.0, 1.0]);
    // What the asker knows is not sent again.
    let still = head["still"].as_u64().unwrap();
    let again = place.get(&format!("runs/0/frames/{number}?still={still}"));
    assert!(!again.has_array("radius") && again.has_array("position"));
}

#[test]
fn forces_make_the_pressure_that_weights_make() {
    let place = Place::finished();
    let at = |name: &str| place.get(&format!("runs/0/frames/10/quantity/{name}"));
    // At rest the lower ball bears both: 3 kg on the floor, 2 kg on top.
    let force = at("force").floats("values");
    let weight = |mass: f32| 9.81 * mass;
    assert!(
        (force[0] - weight(5.0)).abs() < 0.02 * weight(5.0),
        "{force:?}"
    );
    assert!(
        (force[1] - weight(2.0)).abs() < 0.02 * weight(2.0),
        "{force:?}"
    );
    assert_eq!(at("contacts").floats("values"), [2.0, 1.0]);
    // tr σ / 3 with arms of one radius.
    let volume = 4.0 / 3.0 * std::f32::consts::PI * 1e-3;
    let expected = weight(5.0) * 0.1 / (3.0 * volume);
    let pressure = at("pressure").floats("values");
    assert!(
        (pressure[0] - expected).abs() < 0.02 * expected,
        "{pressure:?} {expected}"
    );
    let fell = at("displacement").floats("values");
    assert!(
        (fell[0] - 0.05).abs() < 1e-3 && (fell[1] - 0.1).abs() < 1e-3,
        "{fell:?}"
    );
    assert_eq!(place.get("runs/0/frames/10/quantity/nonsense").status, 404);
}

#[test]
fn a_body_knows_what_it_touches() {
    let place = Place::finished();
    let body = place.json("runs/0/frames/10/body/0");
    let contacts = body["contacts"].as_array().unwrap();
    let on_floor = contacts
        .iter()
        .find(|contact| contact["other"] == -1)
        .unwrap();
    assert!((on_floor["normal_force"].as_f64().unwrap() - 29.43).abs() < 0.5);
    assert_eq!(on_floor["wall"], "wall 0");
    assert_eq!(contacts.len(), 2);
    let trail = place.json("runs/0/trail/1?from=9&to=1000000");
    assert_eq!(trail["places"].as_array().unwrap().len(), 2);
    assert!(place.json("runs/0/trail/9?from=0&to=1")["places"][0].is_null());
}

#[test]
fn the_series_and_walls_are_there() {
    let place = Place::finished();
    let about = place.json("runs/0");
    let columns = about["columns"].as_array().unwrap();
    let time = columns
        .iter()
        .position(|column| column["name"] == "time")
        .unwrap();
    let series = place.get(&format!("runs/0/series?columns={time},77777"));
    assert_eq!(series.head_of_message()["rows"], 100);
    let times = series.floats(&time.to_string());
    assert_eq!(times.len(), 200);
    assert_eq!(times[198], 1.0);
    let walls = place.get("runs/0/walls/0");
    assert_eq!(
        walls.head_of_message()["walls"].as_array().unwrap().len(),
        1
    );
    assert!(
        walls
            .floats("points")
            .chunks(3)
            .all(|point| point[2].abs() < 1e-6)
    );
}
