//! Pictures are right where one can say what right is.

use super::look::FORWARD;
use super::*;
use granule::bodies::Motion;
use granule::shapes::{Cylinder, HalfSpace, Surface};

fn sphere(center: DVec3, radius: f64) -> Body {
    Body {
        center,
        radius,
        color: [200, 60, 60],
        orientation: DQuat::IDENTITY,
        solid: None,
    }
}

fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let place = 3 * (y * image.width + x) as usize;
    [
        image.pixels[place],
        image.pixels[place + 1],
        image.pixels[place + 2],
    ]
}

fn is_red([r, g, _]: [u8; 3]) -> bool {
    i32::from(r) > i32::from(g) + 30
}

const SMALL: Options = Options {
    width: 120,
    height: 90,
    ..Options::USUAL
};

#[test]
fn a_sphere_is_in_the_middle_and_fills_the_picture() {
    for dimension in [Dimension::Space, Dimension::Plane] {
        let bodies = vec![sphere(DVec3::new(5.0, -3.0, 7.0), 2.0)];
        let image = Scene {
            bodies,
            dimension,
            ..Scene::default()
        }
        .draw(&SMALL);
        assert!(is_red(pixel(&image, 60, 45)), "{dimension:?}");
        assert!(is_red(pixel(&image, 60, 10)), "{dimension:?}");
        assert!(!is_red(pixel(&image, 60, 0)), "{dimension:?}");
        assert!(!is_red(pixel(&image, 5, 45)), "{dimension:?}");
    }
}

#[test]
fn in_a_plane_x_is_to_the_right_and_y_up() {
    let bodies = vec![
        sphere(DVec3::ZERO, 0.1),
        sphere(DVec3::new(4.0, 3.0, 0.0), 1.0),
    ];
    let image = Scene {
        bodies,
        dimension: Dimension::Plane,
        ..Scene::default()
    }
    .draw(&SMALL);
    assert!(is_red(pixel(&image, 90, 20)));
    assert!(!is_red(pixel(&image, 30, 20)) && !is_red(pixel(&image, 90, 75)));
}

#[test]
fn the_nearer_sphere_hides_the_farther() {
    let mut near = sphere(-2.0 * FORWARD, 0.5);
    near.color = [40, 60, 220];
    let far = sphere(2.0 * FORWARD, 0.3);
    for bodies in [vec![near, far], vec![far, near]] {
        let image = Scene {
            bodies,
            ..Scene::default()
        }
        .draw(&SMALL);
        assert!(!(0..90).any(|y| (0..120).any(|x| is_red(pixel(&image, x, y)))));
    }
}

#[test]
fn odd_scenes_are_drawn_too() {
    let floor = Wall::new(
        Surface::HalfSpace(HalfSpace),
        DVec3::ZERO,
        DVec3::Z,
        Motion::Fixed,
    );
    let shape = Cylinder {
        radius: 1.0,
        length: 2.0,
        bottom: true,
        top: true,
    };
    let cylinder = Wall::new(
        Surface::Cylinder(shape),
        DVec3::ZERO,
        DVec3::X,
        Motion::Fixed,
    );
    let bad = [
        sphere(DVec3::NAN, 1.0),
        sphere(DVec3::ZERO, f64::INFINITY),
        sphere(DVec3::ZERO, -1.0),
        sphere(DVec3::splat(1e300), 1.0),
        sphere(DVec3::ZERO, 1e-300),
    ];
    for dimension in [Dimension::Space, Dimension::Plane, Dimension::Line] {
        for walls in [
            vec![],
            vec![floor.clone()],
            vec![floor.clone(), cylinder.clone()],
        ] {
            for bodies in [vec![], bad.to_vec(), vec![sphere(DVec3::Z, 1.0)]] {
                let scene = Scene {
                    bodies,
                    walls: walls.clone(),
                    dimension,
                    ..Scene::default()
                };
                for (width, height) in [(1, 1), (0, 7), (40, 30)] {
                    let image = scene.draw(&Options {
                        width,
                        height,
                        ..Options::default()
                    });
                    assert_eq!(
                        image.pixels.len(),
                        (3 * image.width * image.height) as usize
                    );
                }
            }
        }
    }
}

#[test]
fn a_png_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let image = Scene {
        bodies: vec![sphere(DVec3::ZERO, 1.0)],
        ..Scene::default()
    }
    .draw(&SMALL);
    image.write_png(&path, Some(254.0)).unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, image.pixels);
    let error = image
        .write_png(&folder.path().join("no/picture.png"), None)
        .unwrap_err();
    assert!(error.to_string().contains("picture.png"));
}

#[test]
fn an_animation_keeps_its_view_and_its_colours() {
    use granule::bodies::{Bodies, Sphere};
    use granule_io::results::{BodyFrame, ContactFrame, FrameReader, FrameWriter};
    let folder = tempfile::tempdir().unwrap();
    let mut bodies = Bodies::default();
    bodies.push(&Sphere::new(DVec3::ZERO, 0.5, 1.0));
    bodies.push(&Sphere::new(DVec3::new(4.0, 0.0, 0.0), 0.5, 1.0));
    let mut writer = FrameWriter::create(folder.path(), Bounds::default()).unwrap();
    for frame in 0..3 {
        bodies.position[1].y = f64::from(frame);
        let contacts = ContactFrame::default();
        writer
            .write(
                0.1 * f64::from(frame),
                &BodyFrame::of(&bodies),
                &contacts,
                &[],
            )
            .unwrap();
    }
    let reader = FrameReader::open(folder.path()).unwrap();
    let color = ColorBy::Quantity("height".parse().unwrap());
    let record = granule_io::results::RunRecord::new("two", Dimension::Plane);
    let movie = Movie::new(&reader, &record, vec![0, 1, 2], color.into(), SMALL).unwrap();
    let images: Vec<Image> = (0..movie.frames())
        .map(|n| movie.draw(n).unwrap())
        .collect();
    // The disk at rest is where it was, and has the colour it had.
    let lower_left = |image: &Image| -> Vec<[u8; 3]> {
        (45..90)
            .flat_map(|y| (0..30).map(move |x| (x, y)))
            .map(|(x, y)| pixel(image, x, y))
            .collect()
    };
    assert_eq!(lower_left(&images[0]), lower_left(&images[2]));
    assert_ne!(images[0], images[2]);

    let path = folder.path().join("movie.gif");
    let mut done = Vec::new();
    movie
        .write_gif(&path, 10.0, |count| done.push(count))
        .unwrap();
    assert_eq!(done, [3]);
    let mut decoder = gif::Decoder::new(std::fs::File::open(&path).unwrap()).unwrap();
    let mut frames = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert_eq!((decoder.width(), decoder.height(), frames), (120, 90, 3));

    // An animated PNG has all colours: what is put over the frames before is the picture.
    let path = folder.path().join("movie.apng");
    movie.write_apng(&path, 10.0, |_| ()).unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let control = reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (3, 0));
    let mut shown = images[0].pixels.clone();
    for image in &images {
        let mut part = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut part).unwrap();
        let frame = *reader.info().frame_control().unwrap();
        assert_eq!((frame.delay_num, frame.delay_den), (100, 1000));
        for row in 0..frame.height {
            let width = 3 * frame.width as usize;
            let from = row as usize * width;
            let to = 3 * ((frame.y_offset + row) * 120 + frame.x_offset) as usize;
            shown[to..to + width].copy_from_slice(&part[from..from + width]);
        }
        assert!(shown == image.pixels);
    }
}

#[test]
fn a_legend_shows_its_scale_in_the_corner() {
    let mut scene = Scene {
        dimension: Dimension::Plane,
        ..Scene::default()
    };
    let options = Options {
        width: 400,
        height: 300,
        ..Options::default()
    };
    let plain = scene.draw(&options);
    let scale = Scale {
        range: [0.0, f64::NAN],
        beyond: [true, false],
    };
    scene.legend = Some(Legend::Scale {
        title: "speed, m/s".to_owned(),
        scale,
        palette: Palette::Sea,
    });
    let marked = scene.draw(&options);
    let changed: Vec<usize> = (0..plain.pixels.len() / 3)
        .filter(|&k| plain.pixels[3 * k..3 * k + 3] != marked.pixels[3 * k..3 * k + 3])
        .collect();
    assert!(changed.len() > 140 * 12);
    assert!(changed.iter().all(|k| k % 400 > 200 && k / 400 > 200));
}

#[test]
fn a_few_fast_grains_do_not_take_all_colours() {
    let mut speeds: Vec<f64> = (0..1000).map(|k| f64::from(k) * 1e-3).collect();
    let all = Scale::of(&speeds);
    assert_eq!((all.range, all.beyond), ([0.0, 0.999], [false, false]));
    speeds[7] = 50.0;
    let scale = Scale::of(&speeds);
    assert!(scale.range[1] < 1.0 && scale.beyond == [false, true]);
    assert_eq!(scale.joined(all).beyond, [false, false]);
    assert_eq!(Scale::of(&[f64::NAN]).range, [0.0, 1.0]);
    assert_eq!(Scale::within([0.2, 0.5], &[0.1, 0.3]).beyond, [true, false]);
}

#[test]
fn grains_that_fly_off_do_not_decide_where_one_looks() {
    let mut bodies: Vec<Body> = (0..400)
        .map(|k| sphere(DVec3::new(f64::from(k % 20), f64::from(k / 20), 0.0), 0.5))
        .collect();
    let scene = |bodies: &[Body]| Scene {
        bodies: bodies.to_vec(),
        ..Scene::default()
    };
    let before = scene(&bodies).bounds();
    for k in 0..12 {
        bodies[30 * k].center.z = -100.0 - k as f64;
    }
    assert_eq!(scene(&bodies).bounds().min.z, before.min.z);
}

#[test]
fn one_looks_from_the_side_asked_for_and_into_what_is_cut() {
    let mut blue = sphere(DVec3::new(0.0, -2.0, 0.0), 1.0);
    blue.color = [40, 60, 220];
    let red = sphere(DVec3::new(0.0, 2.0, 0.0), 1.0);
    let scene = Scene {
        bodies: vec![blue, red],
        ..Scene::default()
    };
    let red_is_seen = |options: Options| is_red(pixel(&scene.draw(&options), 60, 45));
    let from = |side: Side| Options {
        look: Look::From(side),
        ..SMALL
    };
    assert!(!red_is_seen(from(Side::Front)) && red_is_seen(from(Side::Back)));
    let at = |y: f64| Options {
        look: Look::At {
            eye: DVec3::new(0.0, y, 0.0),
            target: DVec3::ZERO,
        },
        ..SMALL
    };
    assert!(!red_is_seen(at(-10.0)) && red_is_seen(at(10.0)));
    let behind = Bounds {
        min: DVec3::new(f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY),
        max: DVec3::INFINITY,
    };
    let clip = Some(behind);
    assert!(red_is_seen(Options {
        clip,
        ..from(Side::Front)
    }));
}

#[test]
fn the_number_of_threads_does_not_change_a_picture() {
    let bodies = (0..50)
        .map(|k| {
            sphere(
                DVec3::new(
                    f64::from(k).sin(),
                    f64::from(3 * k).cos(),
                    f64::from(7 * k).sin(),
                ),
                0.1,
            )
        })
        .collect();
    let floor = Surface::HalfSpace(HalfSpace);
    let scene = Scene {
        bodies,
        walls: vec![Wall::new(floor, DVec3::NEG_Z, DVec3::Z, Motion::Fixed)],
        ..Scene::default()
    };
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| scene.draw(&SMALL))
    };
    assert!(draw(1) == draw(3));
}
