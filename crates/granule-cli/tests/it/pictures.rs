//! Pages, pictures and animations of a run.

use crate::common::{Place, heap};
use granule_io::results::{read_points, read_series};
use std::path::Path;

#[test]
fn forces_on_walls_are_columns_and_a_page() {
    let text = heap(1.0).replace("[output]", "[output]\nforces_on = ['box']");
    let text = text.replace("position = [0, 0, 1]", "position = [0, 0, 1]\nname = 'box'");
    let place = Place::with_scene(&text);
    place
        .run("out", &["--until", "1.0", "--quiet"])
        .with_code(0);
    let series = read_series(&place.path("out/series.csv")).unwrap();
    let names = &series.names[series.names.len() - 6..];
    let wanted = [
        "force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z",
    ];
    assert_eq!(names, wanted.map(|name| format!("box_{name}")));
    // At rest the box carries the weight of a hundred balls.
    let bodies = read_points(&place.path("out/frames/bodies_000000.vtp")).unwrap();
    let weight = 9.81 * bodies.arrays["mass"].1.iter().sum::<f64>();
    let force = *series.column("box_force_z").unwrap().last().unwrap();
    assert!(
        (force + weight).abs() < 1e-2 * weight,
        "{force} for {weight}"
    );
    let plot = ["plot", "out", "--what", "forces"];
    place.call(&plot).with_code(0).saying(&["forces.svg"]);
    let page = std::fs::read_to_string(place.path("out/forces.svg")).unwrap();
    assert!(page.contains("Force on box, N"));

    let place = Place::with_scene(&heap(1.0));
    place.run("out", &["--until", "0.01"]).with_code(0);
    place.call(&plot).with_code(2).saying(&["forces_on", "out"]);
}

#[test]
fn plots_are_pages() {
    let place = Place::with_scene(&heap(1.0));
    place.run("out", &["--until", "0.1"]).with_code(0);
    place
        .call(&["plot", "out"])
        .with_code(0)
        .saying(&["plot.svg"]);
    let svg = std::fs::read_to_string(place.path("out/plot.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    place.call(&["plot", "out", "-o", "a.png"]).with_code(0);
    assert_eq!(size_of_png(&place.path("a.png")), (1200, 900));
    // A run that has not made a step yet has a page, too.
    let header = std::fs::read_to_string(place.path("out/series.csv")).unwrap();
    let header = header.split_inclusive('\n').next().unwrap();
    std::fs::write(place.path("out/series.csv"), header).unwrap();
    place.call(&["plot", "out"]).with_code(0);
}

#[test]
fn the_profile_of_a_heap_is_told_and_drawn() {
    // Disks as a triangle with flanks of 60°, held in place: nothing moves without gravity.
    let mut text = "[scene]\nname = 'triangle'\ndimension = 2\ngravity = [0, 0]\n\
                    [time]\nstep = 1e-3\nend = 2e-3\n"
        .to_owned();
    for row in 0..16 {
        let (x, y) = (f64::from(row), 1.75 * f64::from(row));
        let count = 16 - row;
        text += &format!(
            "[[grains]]\ngrid = {{ counts = [{count}, 1], spacing = 2, origin = [{x}, {y}] }}\n\
             radius = 0.99\n"
        );
    }
    let place = Place::with_scene(&text);
    place.run("out", &[]).with_code(0);
    let told = place.call(&["plot", "out", "--what", "profile"]);
    let told = told.with_code(0);
    let line = told.out.lines().find(|l| l.starts_with("angle of repose"));
    let angle: f64 = line
        .and_then(|line| line.split_whitespace().nth(3))
        .and_then(|number| number.parse().ok())
        .unwrap();
    assert!((angle - 1.75f64.atan().to_degrees()).abs() < 1.0, "{angle}");
    for word in ["left", "right", "height", "fronts"] {
        assert!(told.out.contains(word), "no `{word}` in: {}", told.out);
    }
    let svg = std::fs::read_to_string(place.path("out/profile.svg")).unwrap();
    assert!(svg.contains("angle of repose"));
    let first = ["plot", "out", "--what", "profile", "--frame", "0"];
    let first = place.call(&[&first[..], &["-o", "a.png"]].concat());
    assert!(first.with_code(0).out.contains("time             0 s"));
    assert_eq!(size_of_png(&place.path("a.png")), (1200, 900));
}

fn size_of_png(path: &Path) -> (u32, u32) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert!(pixels.iter().any(|&byte| byte != pixels[0]), "one colour");
    (info.width, info.height)
}

#[test]
fn pictures_and_animations_have_the_size_asked_for() {
    let place = Place::with_scene(&heap(1.0));
    place
        .run("out", &["--until", "0.1", "--quiet"])
        .with_code(0);
    let size = ["--width", "64", "--height", "48"];
    let render = |output, more: &[&str]| {
        let start = ["render", "out", "-o", output];
        place.call(&[&start[..], &size, more].concat()).with_code(0);
    };
    render("last.png", &[]);
    assert_eq!(size_of_png(&place.path("last.png")), (64, 48));
    render("first.png", &["--frame", "0"]);
    render("fifth.png", &["--frame", "5"]);
    let bytes = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert!(bytes("last.png") == bytes("fifth.png"));
    assert!(bytes("last.png") != bytes("first.png"));

    render("all.gif", &["--rate", "10"]);
    let file = std::fs::File::open(place.path("all.gif")).unwrap();
    let mut movie = gif::DecodeOptions::new().read_info(file).unwrap();
    assert_eq!((movie.width(), movie.height()), (64, 48));
    let mut frames = 0;
    while let Some(frame) = movie.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 10);
        frames += 1;
    }
    assert_eq!(frames, 6);
}
