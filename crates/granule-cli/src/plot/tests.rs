//! Whatever a series holds, there is a page.

use super::*;
use granule::bodies::Dimension;
use granule::math::DVec3;
use granule::measure::HeapProfile;
use granule_io::results::Series;

fn series(columns: &[(&str, Vec<f64>)]) -> Series {
    Series {
        names: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
        units: columns.iter().map(|_| "-".to_owned()).collect(),
        columns: columns.iter().map(|(_, values)| values.clone()).collect(),
    }
}

#[test]
fn any_series_gives_a_page() {
    let odd = vec![
        f64::NAN,
        f64::INFINITY,
        -1e308,
        1e308,
        0.0,
        -0.0,
        5e-324,
        1.0,
    ];
    let times: Vec<f64> = (0..8).map(f64::from).collect();
    let full = |rows: usize, values: &[f64]| {
        let column = |name| (name, values[..rows].to_vec());
        series(&[
            ("time", times[..rows].to_vec()),
            column("kinetic_energy"),
            column("potential_energy"),
            column("contacts"),
            column("active"),
            column("iterations"),
            column("residual"),
        ])
    };
    let cases = [
        Series::default(),
        full(0, &odd),
        full(1, &[3.0]),
        full(1, &[0.0]),
        full(8, &odd),
        full(8, &[0.0; 8]),
        series(&[("step", times.clone()), ("residual", vec![1e-9; 8])]),
        series(&[("residual", vec![1e-300; 8])]),
        series(&[("time", odd.clone()), ("contacts", odd.clone())]),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (number, case) in cases.iter().enumerate() {
        plot(case, &folder.path().join(format!("{number}.svg"))).unwrap();
    }
    plot(&cases[4], &folder.path().join("page.png")).unwrap();
    let text = std::fs::read_to_string(folder.path().join("2.svg")).unwrap();
    assert!(text.contains("Certified residual") && text.contains("potential"));
    let empty = std::fs::read_to_string(folder.path().join("0.svg")).unwrap();
    assert_eq!(empty.matches("no data").count(), 4);
}

#[test]
fn loads_on_walls_have_a_row_of_panels_each() {
    let numbers = vec![1.0, -2.0, f64::NAN];
    let column = |name| (name, numbers.clone());
    let none = series(&[("time", vec![0.0, 1.0, 2.0]), column("kinetic_energy")]);
    assert!(ForcesPage::of(&none).is_none());
    let some = series(&[
        ("time", vec![0.0, 1.0, 2.0]),
        column("blade_force_x"),
        column("blade_force_y"),
        column("blade_force_z"),
        column("blade_torque_x"),
        column("my-floor_force_x"),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("forces.svg");
    plot(&ForcesPage::of(&some).unwrap(), &out).unwrap();
    let text = std::fs::read_to_string(out).unwrap();
    for title in [
        "Force on blade, N",
        "Torque on blade, N m",
        "Force on my-floor, N",
    ] {
        assert!(text.contains(title), "no {title}");
    }
    assert_eq!(text.matches("no data").count(), 1, "no torque on the floor");
}

#[test]
fn any_heap_gives_a_page() {
    let triangle = (0..12).flat_map(|row| (0..12 - row).map(move |k| (row, k)));
    let heap: Vec<DVec3> = triangle
        .map(|(row, k)| DVec3::new(f64::from(2 * k + row), 1.7 * f64::from(row), 0.0))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let page = |centers: &[DVec3]| {
        let radii = vec![1.0; centers.len()];
        let heap = HeapProfile::of(centers, &radii, DVec3::Y, Dimension::Plane).unwrap();
        let out = folder.path().join("page.svg");
        plot(
            &ProfilePage {
                heap: &heap,
                time: 0.5,
            },
            &out,
        )
        .unwrap();
        std::fs::read_to_string(out).unwrap()
    };
    let text = page(&heap);
    assert!(text.contains("angle of repose") && text.contains("flanks"));
    // A single grain has a height and no angle.
    let text = page(&[DVec3::ZERO]);
    assert!(text.contains("Height at 0.5 s") && !text.contains("angle of repose"));
}

#[test]
fn errors_name_the_file() {
    let error = plot(&Series::default(), Path::new("page.pdf"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("page.pdf") && error.contains(".svg or .png"),
        "{error}"
    );
    let error = plot(&Series::default(), Path::new("no/such/page.svg"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no/such/page.svg"), "{error}");
}

#[test]
fn running_means_keep_lines_and_flatten_jumps() {
    let time: Vec<f64> = (0..100).map(|k| 0.01 * f64::from(k)).collect();
    let jumps = (0..100).map(|k| f64::from(k % 2)).collect();
    let mut series = series(&[
        ("time", time.clone()),
        ("line", time.clone()),
        ("jumps", jumps),
    ]);
    smooth(&mut series, 0.2);
    assert_eq!(series.columns[0], time);
    for (row, time) in time.iter().enumerate().take(80).skip(20) {
        assert!((series.columns[1][row] - time).abs() < 1e-12);
        assert!((series.columns[2][row] - 0.5).abs() < 0.03);
    }
}
