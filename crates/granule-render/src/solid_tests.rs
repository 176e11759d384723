//! Pictures of bodies that are no spheres.

use super::look::FORWARD;
use super::*;
use granule::bodies::Motion;
use granule::math::DVec2;
use granule::shapes::{HalfSpace, Hull, Superellipsoid, Surface, TriangleMesh};
use std::sync::Arc;

const SIZE: Options = Options {
    width: 240,
    height: 180,
    ..Options::USUAL
};

fn body(center: DVec3, radius: f64, solid: Option<u32>) -> Body {
    Body {
        center,
        radius,
        color: [200, 60, 60],
        orientation: DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.7)),
        solid,
    }
}

/// How much two pictures differ: the share of pixels that do by more than a few steps, and the mean difference.
fn difference(a: &Image, b: &Image) -> (f64, f64) {
    let pairs = a.pixels.iter().zip(&b.pixels);
    let differences: Vec<f64> = pairs.map(|(a, b)| f64::from(a.abs_diff(*b))).collect();
    let many = differences.iter().filter(|d| **d > 12.0).count();
    let count = differences.len() as f64;
    (many as f64 / count, differences.iter().sum::<f64>() / count)
}

/// On a floor, so that there is a shadow.
fn scene(bodies: Vec<Body>, solids: Vec<Solid>, dimension: Dimension) -> Scene {
    let floor = Surface::HalfSpace(HalfSpace);
    let (place, up) = match dimension {
        Dimension::Space => (DVec3::new(0.0, 0.0, -1.0), DVec3::Z),
        Dimension::Plane | Dimension::Line => (DVec3::new(0.0, -1.0, 0.0), DVec3::Y),
    };
    Scene {
        bodies,
        solids,
        walls: vec![Wall::new(floor, place, up, Motion::Fixed)],
        dimension,
        ..Scene::default()
    }
}

#[test]
fn a_sphere_looks_the_same_whatever_it_is_given_as() {
    let solids = vec![
        Solid::from(Superellipsoid::sphere(0.5)),
        Solid::from(Hull::ball(0.5)),
    ];
    let draw = |solid: Option<u32>| {
        let bodies = vec![
            body(DVec3::ZERO, 0.5, solid),
            body(DVec3::new(0.7, 0.7, -0.3), 0.5, solid),
        ];
        scene(bodies, solids.clone(), Dimension::Space).draw(&SIZE)
    };
    let exact = draw(None);
    for solid in 0..2 {
        let (many, mean) = difference(&exact, &draw(Some(solid)));
        assert!(many < 0.01 && mean < 0.4, "{solid}: {many} {mean}");
    }
    // What differs is told to differ.
    let bodies = vec![body(DVec3::ZERO, 0.5, None)];
    let other = scene(bodies, Vec::new(), Dimension::Space).draw(&SIZE);
    assert!(difference(&exact, &other).0 > 0.1);
}

#[test]
fn a_disk_looks_the_same_whatever_it_is_given_as() {
    let solid = Solid::ellipse(DVec2::splat(0.5), 2.0).unwrap();
    let draw = |solid: Option<u32>, solids: Vec<Solid>| {
        let mut disk = body(DVec3::ZERO, 0.5, solid);
        disk.orientation = DQuat::from_rotation_z(0.7);
        scene(vec![disk], solids, Dimension::Plane).draw(&SIZE)
    };
    let (many, mean) = difference(&draw(None, Vec::new()), &draw(Some(0), vec![solid]));
    assert!(many < 0.01 && mean < 0.5, "{many} {mean}");
}

/// Where the picture of bodies alone is red.
fn red(bodies: Vec<Body>, solids: Vec<Solid>, dimension: Dimension) -> Vec<bool> {
    let scene = Scene {
        bodies,
        solids,
        dimension,
        ..Scene::default()
    };
    let view = Bounds {
        min: DVec3::splat(-1.0),
        max: DVec3::splat(1.0),
    };
    let image = scene.draw(&Options {
        view: Some(view),
        ..SIZE
    });
    let pixels = image.pixels.chunks(3);
    pixels
        .map(|p| i32::from(p[0]) > i32::from(p[1]) + 20)
        .collect()
}

#[test]
fn a_polygon_covers_its_area_and_turns() {
    // 0.8 by 0.4, of a view that is 2 wide and 2 high.
    let corners = [(-0.4, -0.2), (0.4, -0.2), (0.4, 0.2), (-0.4, 0.2)];
    let corners = corners.map(|(x, y)| DVec2::new(x, y));
    let (solid, frame) = Solid::polygon(&corners, 0.0).unwrap();
    let turned = |angle: f64| {
        let mut plate = body(DVec3::ZERO, 0.45, Some(0));
        plate.orientation = DQuat::from_rotation_z(angle) * frame.orientation;
        red(vec![plate], vec![solid.clone()], Dimension::Plane)
    };
    let disk = red(
        vec![body(DVec3::ZERO, 0.45, None)],
        Vec::new(),
        Dimension::Plane,
    );
    let count = |picture: &[bool]| picture.iter().filter(|red| **red).count() as f64;
    let scale = count(&disk) / (std::f64::consts::PI * 0.45 * 0.45);
    let (lying, standing) = (turned(0.0), turned(std::f64::consts::FRAC_PI_2));
    for picture in [&lying, &standing] {
        let area = count(picture) / scale;
        assert!((area / 0.32 - 1.0).abs() < 0.06, "{area}");
    }
    let width = |picture: &[bool]| {
        let columns = (0..240).filter(|x| (0..180).any(|y| picture[y * 240 + x]));
        columns.count() as f64
    };
    let ratio = width(&lying) / width(&standing);
    assert!((ratio - 2.0).abs() < 0.15, "{ratio}");
}

#[test]
fn nearer_bodies_hide_farther_ones_of_any_shape() {
    let solids = vec![Solid::from(Hull::cuboid(DVec3::splat(0.3)))];
    let radius = solids[0].bounding_radius();
    for (near, far) in [(None, Some(0)), (Some(0), None), (Some(0), Some(0))] {
        // Twice as large before the other.
        let mut before = body(-0.8 * FORWARD, 0.6, near);
        before.radius = if near.is_some() { radius } else { 0.6 };
        before.color = [40, 60, 220];
        let size = if far.is_some() { radius } else { 0.2 };
        let behind = body(0.8 * FORWARD, size, far);
        for bodies in [vec![before, behind], vec![behind, before]] {
            let picture = red(bodies, solids.clone(), Dimension::Space);
            let seen = picture.iter().filter(|red| **red).count();
            let alone = red(vec![behind], solids.clone(), Dimension::Space);
            let alone = alone.iter().filter(|red| **red).count();
            assert!(
                alone > 100 && seen < alone / 4,
                "{near:?} {far:?}: {seen} {alone}"
            );
        }
    }
}

#[test]
fn odd_solids_and_mesh_walls_are_drawn_too() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = Arc::new(TriangleMesh::new(&corners, &faces).unwrap());
    let wall = Wall::new(Surface::Mesh(mesh), DVec3::ZERO, DVec3::X, Motion::Fixed);
    let solids = vec![Solid::from(Hull::cuboid(DVec3::splat(0.3)))];
    let bodies = vec![
        body(DVec3::ZERO, 0.6, Some(7)),
        body(DVec3::NAN, 0.6, Some(0)),
        body(DVec3::ONE, 1e-300, Some(0)),
        body(DVec3::splat(1e200), 0.6, Some(0)),
        body(DVec3::X, 0.6, Some(0)),
    ];
    for dimension in [Dimension::Space, Dimension::Plane, Dimension::Line] {
        let mut scene = scene(bodies.clone(), solids.clone(), dimension);
        scene.walls.push(wall.clone());
        let image = scene.draw(&SIZE);
        assert_eq!(image.pixels.len(), 3 * 240 * 180);
    }
}

#[test]
fn the_mark_of_a_long_body_leaves_its_colour() {
    // In a plane one half of it has a mark that shows how it turned.
    let corners = [(-0.8, -0.06), (0.8, -0.06), (0.8, 0.06), (-0.8, 0.06)];
    let corners = corners.map(|(x, y)| DVec2::new(x, y));
    let (solid, frame) = Solid::polygon(&corners, 0.0).unwrap();
    let mut rod = body(DVec3::ZERO, 0.81, Some(0));
    rod.orientation = frame.orientation;
    let view = Bounds {
        min: DVec3::splat(-1.0),
        max: DVec3::splat(1.0),
    };
    let image = scene(vec![rod], vec![solid], Dimension::Plane).draw(&Options {
        view: Some(view),
        width: 480,
        height: 360,
        ..SIZE
    });
    let (pixels, _) = image.pixels.as_chunks::<3>();
    let bright = |columns: std::ops::Range<usize>| {
        let row = |y: usize| &pixels[480 * y..][columns.clone()];
        let seen = (0..360).flat_map(row);
        seen.filter(|[r, g, _]| *r > 165 && *g < 110).count() as f64
    };
    let halves = [bright(0..240), bright(240..480)];
    let [less, more] = [halves[0].min(halves[1]), halves[0].max(halves[1])];
    assert!(less > 0.6 * more && less < 0.97 * more, "{halves:?}");
}
