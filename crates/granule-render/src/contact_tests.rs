//! Contacts as tubes, and numbers of bodies, where one can say what right is.

use super::*;
use granule::bodies::BodyShape;
use granule_io::results::{BodyStates, ContactStates, RunRecord};

const SMALL: Options = Options {
    width: 120,
    height: 90,
    ..Options::USUAL
};

/// Two balls of radius 1 on each other, pressed together with 6 N; the lower one pressed on a wall with 9 N.
fn pile() -> (BodyStates, ContactStates) {
    let bodies = BodyStates {
        id: vec![4, 9],
        position: vec![DVec3::ZERO, 2.0 * DVec3::Z],
        radius: vec![1.0; 2],
        velocity: vec![DVec3::new(3.0, 0.0, -4.0), DVec3::ZERO],
        angular_velocity: vec![DVec3::Y; 2],
        orientation: vec![DQuat::IDENTITY; 2],
        material: vec![0; 2],
        mass: vec![2.0; 2],
        shape: vec![BodyShape::Sphere; 2],
        through: vec![DVec3::ZERO; 2],
    };
    let contacts = ContactStates {
        point: vec![DVec3::Z, DVec3::NEG_Z],
        normal: vec![DVec3::Z; 2],
        force: vec![DVec3::new(1.0, 0.0, 6.0), 9.0 * DVec3::Z],
        moment: vec![DVec3::ZERO; 2],
        gap: vec![0.0; 2],
        body_a: vec![9, 4],
        body_b: vec![4, -1],
        bonded: vec![false; 2],
    };
    (bodies, contacts)
}

fn with_shot<T>(then: impl FnOnce(&Shot<'_>) -> T) -> T {
    let ((bodies, contacts), record) = (pile(), RunRecord::new("a", Dimension::Space));
    then(&Shot {
        bodies: &bodies,
        contacts: &contacts,
        time: 0.5,
        record: &record,
    })
}

#[test]
fn numbers_of_bodies_are_what_they_say() {
    let of = |name: &str| {
        let quantity: Quantity = name.parse().unwrap();
        assert_eq!(quantity.to_string(), name);
        with_shot(|shot| quantity.values(shot))
    };
    assert_eq!(of("speed"), [5.0, 0.0]);
    assert_eq!(of("velocity"), [5.0, 0.0]);
    assert_eq!(of("velocity_z"), [-4.0, 0.0]);
    assert_eq!(of("kinetic_energy"), [25.0, 0.0]);
    assert_eq!(of("height"), [0.0, 2.0]);
    assert_eq!(of("contacts"), [2.0, 1.0]);
    assert_eq!(of("force"), [15.0, 6.0]);
    // Σ r·f / 3V with arms of 1 m.
    let volume = Dimension::Space.ball_volume(1.0);
    assert_eq!(of("pressure"), [15.0, 6.0].map(|sum| sum / (3.0 * volume)));
    assert!(
        "velocity_w"
            .parse::<Quantity>()
            .unwrap_err()
            .contains("velocity_x")
    );
    for name in Quantity::names() {
        assert_eq!(of(&name).len(), 2);
    }
}

#[test]
fn a_field_gives_bodies_the_number_of_the_nearest_place_of_their_time() {
    let places = |lower: f64| vec![(DVec3::NEG_Z, lower), (3.0 * DVec3::Z, lower + 1.0)];
    let field = Field {
        title: "a".to_owned(),
        moments: vec![
            (0.0, places(10.0)),
            (0.5, places(20.0)),
            (1.0, places(30.0)),
        ],
    };
    assert_eq!(with_shot(|shot| field.values(shot)), [20.0, 21.0]);
}

/// The red and dark red pixels of a picture.
fn red(image: &Image) -> Vec<(u32, u32)> {
    let is_red = |p: &[u8]| p[0] > p[1].saturating_add(25) && p[1] < 120;
    let pixels = image.pixels.chunks(3).enumerate();
    let red = pixels.filter(|(_, p)| is_red(p));
    red.map(|(k, _)| (k as u32 % image.width, k as u32 / image.width))
        .collect()
}

#[test]
fn contacts_are_tubes_between_the_centres_of_what_touches() {
    let coloring = Coloring {
        chains: true,
        range: Some([0.0, 9.0]),
        ..Coloring::default()
    };
    let scene = with_shot(|shot| Scene::of(shot, &coloring));
    let ends: Vec<[DVec3; 2]> = scene.tubes.iter().map(|tube| tube.ends).collect();
    assert_eq!(
        ends,
        [
            [2.0 * DVec3::Z, DVec3::Z],
            [DVec3::ZERO, DVec3::Z],
            [DVec3::ZERO, DVec3::NEG_Z],
        ]
    );
    // Twice the force in thickness and a half.
    assert!((scene.tubes[2].radius / scene.tubes[0].radius - 1.5).abs() < 1e-12);
    let options = Options {
        look: Look::From(Side::Front),
        ..SMALL
    };
    let image = scene.draw(&options);
    let found = red(&image);
    assert!(found.len() > 60, "{}", found.len());
    // From the centre of the upper ball to the foot of the lower one, and nowhere else.
    let (low, high) = (
        found.iter().map(|p| p.1).min(),
        found.iter().map(|p| p.1).max(),
    );
    assert!(low > Some(18) && low < Some(36), "{low:?}");
    assert!(high > Some(75), "{high:?}");
    assert!(found.iter().all(|(x, _)| (48..72).contains(x)));
    // Bodies before them are a veil.
    let bare = Scene {
        tubes: Vec::new(),
        ..scene.clone()
    };
    assert!(red(&bare.draw(&options)).is_empty());
    assert_ne!(bare.draw(&options), image);
}

#[test]
fn a_tube_that_one_looks_along_is_round() {
    let tube = Tube {
        ends: [DVec3::NEG_Y, DVec3::Y],
        radius: 0.5,
        color: [200, 30, 30],
    };
    let frame = Body {
        center: DVec3::ZERO,
        radius: 1.0,
        color: [200; 3],
        orientation: DQuat::IDENTITY,
        solid: None,
    };
    let scene = Scene {
        bodies: vec![frame],
        tubes: vec![tube],
        ..Scene::default()
    };
    let options = Options {
        look: Look::From(Side::Front),
        lens: Lens {
            parallel: true,
            ..Lens::USUAL
        },
        ..SMALL
    };
    let found = red(&scene.draw(&options));
    // A disk of half the radius of the ball, which fills 92 % of 90 rows.
    let expected = std::f64::consts::PI * (0.5 * 0.5 * 0.92 * 90.0f64).powi(2);
    assert!(
        (found.len() as f64 / expected - 1.0).abs() < 0.15,
        "{} {expected}",
        found.len()
    );
}

#[test]
fn white_is_white_and_fine_pictures_have_softer_edges() {
    let scene = Scene {
        bodies: vec![Body {
            center: DVec3::ZERO,
            radius: 1.0,
            color: [20, 20, 20],
            orientation: DQuat::IDENTITY,
            solid: None,
        }],
        ..Scene::default()
    };
    let drawn = |fine: bool| {
        scene.draw(&Options {
            white: true,
            fine,
            ..SMALL
        })
    };
    let shades = |image: &Image| {
        let mut found: Vec<u8> = image.pixels.iter().copied().filter(|p| *p > 120).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let (plain, fine) = (drawn(false), drawn(true));
    assert_eq!(plain.pixels[..3], [255; 3]);
    assert_eq!((fine.width, fine.height), (120, 90));
    assert!(
        shades(&fine) > shades(&plain),
        "{} {}",
        shades(&fine),
        shades(&plain)
    );
}

#[test]
fn turning_the_viewer_half_around_shows_the_other_side() {
    let ball = |y: f64, color| Body {
        center: DVec3::new(0.0, y, 0.0),
        radius: 1.0,
        color,
        orientation: DQuat::IDENTITY,
        solid: None,
    };
    let scene = Scene {
        bodies: vec![ball(-2.0, [30, 30, 220]), ball(2.0, [220, 30, 30])],
        ..Scene::default()
    };
    let seen = |turn: f64| {
        let image = scene.draw(&Options {
            look: Look::From(Side::Front),
            lens: Lens {
                turn,
                ..Lens::USUAL
            },
            ..SMALL
        });
        red(&image).len()
    };
    assert_eq!(seen(0.0), 0);
    assert!(seen(180.0) > 1000);
}
