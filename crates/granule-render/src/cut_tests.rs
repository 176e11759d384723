//! Pictures of bodies that are cut.

use super::*;
use granule::shapes::{Hull, Superellipsoid};

const SIZE: Options = Options {
    width: 240,
    height: 180,
    look: Look::From(Side::Front),
    lens: Lens {
        parallel: true,
        ..Lens::USUAL
    },
    ..Options::USUAL
};

/// A ball of radius 1, as a sphere or as a solid.
fn ball(solid: Option<u32>, clip: [f64; 2]) -> Image {
    let body = Body {
        center: DVec3::ZERO,
        radius: 1.0,
        color: [200, 60, 60],
        orientation: DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.7)),
        solid,
    };
    let scene = Scene {
        bodies: vec![body],
        solids: vec![
            Solid::from(Superellipsoid::sphere(1.0)),
            Solid::from(Hull::ball(1.0)),
        ],
        dimension: Dimension::Space,
        ..Scene::default()
    };
    let [low, high] = clip;
    let clip = Bounds {
        min: DVec3::NEG_INFINITY.with_y(low),
        max: DVec3::INFINITY.with_y(high),
    };
    cut(&scene, clip)
}

fn cut(scene: &Scene, clip: Bounds) -> Image {
    let around = Bounds::of(&[DVec3::splat(-1.0), DVec3::splat(1.0)]);
    scene.draw(&Options {
        view: Some(around),
        clip: Some(clip),
        ..SIZE
    })
}

fn red(image: &Image) -> Vec<[u8; 3]> {
    let (pixels, _) = image.pixels.as_chunks::<3>();
    let red = pixels.iter().filter(|[r, g, _]| *r > g.saturating_add(30));
    red.copied().collect()
}

const FAR: f64 = f64::INFINITY;

#[test]
fn what_is_left_of_a_ball_is_as_large_as_its_circle() {
    for solid in [None, Some(0), Some(1)] {
        let seen = |clip: [f64; 2]| red(&ball(solid, clip)).len() as f64;
        let whole = seen([-FAR, FAR]);
        // The viewer looks along y: a cut at y shows a circle, whichever side is left.
        for y in [0.3, 0.6, 0.9] {
            let circle = (1.0 - y * y) * whole;
            for clip in [[y, FAR], [-FAR, -y], [y, y + 0.05]] {
                let error = (seen(clip) - circle).abs() / whole;
                assert!(error < 0.02, "{solid:?} {clip:?}: {error}");
            }
            // The wider part hides or holds the circle.
            for clip in [[-y, FAR], [-FAR, y]] {
                assert!(
                    (seen(clip) - whole).abs() / whole < 0.01,
                    "{solid:?} {clip:?}"
                );
            }
        }
        assert_eq!(seen([1.1, FAR]), 0.0, "{solid:?}");
    }
}

#[test]
fn a_cut_is_flat() {
    // How much the brightness of what is seen varies, but for its rim.
    let varies = |solid: Option<u32>, clip: [f64; 2]| {
        let mut bright: Vec<u8> = red(&ball(solid, clip)).iter().map(|[r, ..]| *r).collect();
        bright.sort_unstable();
        bright[bright.len() * 4 / 5] - bright[bright.len() / 5]
    };
    for solid in [None, Some(0), Some(1)] {
        assert!(varies(solid, [0.2, FAR]) <= 1, "{solid:?}");
        assert!(varies(solid, [-FAR, -0.2]) > 8, "{solid:?}");
    }
}

#[test]
fn what_is_left_of_a_tube_is_as_large_as_it_should_be() {
    let (half, thickness) = (0.7, 0.2);
    let tube = Tube {
        ends: [DVec3::new(-half, 0.0, 0.0), DVec3::new(half, 0.0, 0.0)],
        radius: thickness,
        color: [200, 60, 60],
    };
    let scene = Scene {
        tubes: vec![tube],
        dimension: Dimension::Space,
        ..Scene::default()
    };
    let all = Bounds {
        min: DVec3::NEG_INFINITY,
        max: DVec3::INFINITY,
    };
    let seen = |clip: Bounds| red(&cut(&scene, clip)).len() as f64;
    let whole = seen(all);
    // The outline of all within a radius of the line.
    let area = |half: f64, radius: f64| 4.0 * half * radius + std::f64::consts::PI * radius.powi(2);
    let pixels = whole / area(half, thickness);
    // Across the tube: a piece with one round end, wherever its middle is.
    for x in [-0.4, 0.0, 0.3] {
        let left = 2.0 * thickness * (x + half) + 0.5 * std::f64::consts::PI * thickness.powi(2);
        let max = DVec3::INFINITY.with_x(x);
        let error = (seen(Bounds { max, ..all }) / pixels - left).abs();
        assert!(error < 0.02 * area(half, thickness), "{x}: {error}");
    }
    // Along it: what is seen is its inside.
    for y in [0.05_f64, 0.1, 0.15] {
        let inside = area(half, (thickness * thickness - y * y).sqrt());
        let min = DVec3::NEG_INFINITY.with_y(y);
        let error = (seen(Bounds { min, ..all }) / pixels - inside).abs();
        assert!(error < 0.02 * area(half, thickness), "{y}: {error}");
    }
}
