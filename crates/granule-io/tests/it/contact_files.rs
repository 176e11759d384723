//! Contact problems survive every format to the last bit, damaged files are refused in words, and the
//! engine solves what the file says.

use granule::certify::certify;
use granule::law::Flow;
use granule_io::fclib::{
    ContactFile, Form, GlobalForm, Info, Solution, SparseMatrix, read_bytes, read_text, write_hdf5,
    write_text,
};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// How many cases of each property: files are small, so these are seconds.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig::with_cases(count)
}

fn vector(random: &mut Pcg64, length: usize) -> Vec<f64> {
    (0..length)
        .map(|_| random.random_range(-1.0..1.0) * 10f64.powi(random.random_range(-12..12)))
        .collect()
}

fn sparse(random: &mut Pcg64, rows: usize, columns: usize, share: f64) -> Vec<(usize, usize, f64)> {
    let mut entries = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if random.random_bool(share) {
                entries.push((row, column, random.random_range(-1.0..1.0)));
            }
        }
    }
    entries
}

fn matrix(rows: usize, columns: usize, entries: Vec<(usize, usize, f64)>) -> SparseMatrix {
    SparseMatrix::from_entries(rows, columns, entries).unwrap()
}

/// A symmetric positive matrix whose blocks of `size` are not coupled.
fn mass(random: &mut Pcg64, count: usize, size: usize) -> SparseMatrix {
    let mut entries = Vec::new();
    for start in (0..count).step_by(size) {
        let end = count.min(start + size);
        for i in start..end {
            entries.push((i, i, random.random_range(3.0..4.0)));
            for j in start..i {
                let value = random.random_range(-0.5..0.5);
                entries.extend([(i, j, value), (j, i, value)]);
            }
        }
    }
    matrix(count, count, entries)
}

/// A problem with positive diagonal blocks, W not quite symmetric if it is local.
fn random_file(seed: u64, dimension: usize, contacts: usize, global: bool) -> ContactFile {
    let random = &mut Pcg64::seed_from_u64(seed);
    let rows = dimension * contacts;
    let form = if global {
        let freedoms = 2 + random.random_range(0..20) + rows / 2;
        Form::Global(GlobalForm {
            mass: mass(random, freedoms, 4),
            directions: {
                let mut entries = sparse(random, freedoms, rows, 0.2);
                entries.extend((0..rows).map(|k| (k % freedoms, k, 1.0)));
                matrix(freedoms, rows, entries)
            },
            momentum: vector(random, freedoms),
            offset: vector(random, rows),
        })
    } else {
        let mut entries = sparse(random, rows, rows, 0.2);
        entries.extend((0..rows).map(|k| (k, k, 3.0)));
        Form::Local {
            matrix: matrix(rows, rows, entries),
            free: vector(random, rows),
        }
    };
    let coefficients = |random: &mut Pcg64| -> Vec<f64> {
        (0..contacts)
            .map(|_| random.random_range(0.0..1.5))
            .collect()
    };
    ContactFile {
        dimension,
        form,
        friction: coefficients(random),
        rolling: if dimension == 5 {
            coefficients(random)
        } else {
            Vec::new()
        },
        ..ContactFile::default()
    }
}

fn any_file() -> impl Strategy<Value = ContactFile> {
    let shape = (
        any::<u64>(),
        prop_oneof![Just(2), Just(3), Just(5)],
        0usize..6,
        any::<bool>(),
    );
    shape.prop_map(|(seed, dimension, contacts, global)| {
        random_file(seed, dimension, contacts, global)
    })
}

/// With words, a guess and a solution, which HDF5 has room for.
fn decorated(file: &ContactFile) -> ContactFile {
    let random = &mut Pcg64::seed_from_u64(5);
    let solution = |random: &mut Pcg64| Solution {
        impulses: vector(random, file.row_count()),
        relative: vector(random, file.row_count()),
        velocities: vector(random, file.freedom_count()),
    };
    ContactFile {
        info: Info {
            title: Some("a heap".to_owned()),
            description: Some("über alles\nin two lines".to_owned()),
            math_info: Some(String::new()),
        },
        guesses: vec![solution(random), solution(random)],
        solution: Some(solution(random)),
        ..file.clone()
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn text_gives_back_every_bit(file in any_file()) {
        let text = write_text(&file).unwrap();
        prop_assert_eq!(&read_text(&text).unwrap(), &file);
        // Words after the end are ignored, up to the one that some codes write.
        prop_assert_eq!(&read_text(&(text + " 1")).unwrap(), &file);
    }

    #[test]
    fn hdf5_gives_back_every_bit(file in any_file()) {
        let file = decorated(&file);
        let bytes = write_hdf5(&file).unwrap();
        let back = read_bytes(bytes).unwrap();
        // A solution without rows is written as none.
        if file.contact_count() > 0 {
            prop_assert_eq!(&back, &file);
        } else {
            prop_assert_eq!(&back.form, &file.form);
        }
    }

    #[test]
    fn the_community_s_error_is_the_certificate_s(
        seed in any::<u64>(),
        dimension in prop_oneof![Just(2), Just(3), Just(5)],
        contacts in 1usize..8,
        exact in any::<bool>(),
    ) {
        let mut file = random_file(seed, dimension, contacts, false);
        let random = &mut Pcg64::seed_from_u64(seed);
        if let Form::Local { free, .. } = &mut file.form {
            free.iter_mut().for_each(|q| *q = random.random_range(-1.0..1.0));
        }
        let flow = if exact { Flow::Exact } else { Flow::Associated };
        let engine = file.engine_problem(flow).unwrap();
        let r: Vec<f64> = (0..file.row_count()).map(|_| random.random_range(-1.0..1.0)).collect();
        let own = certify(&engine.problem, &engine.engine_impulses(&r)).relative;
        let theirs = file.community_error(flow, &r, &[]);
        prop_assert!((own - theirs).abs() <= 1e-13 * theirs.max(1.0), "{own} {theirs}");
    }

    #[test]
    fn condensation_is_that_of_dense_matrices(
        seed in any::<u64>(),
        contacts in 1usize..6,
        symmetric in any::<bool>(),
    ) {
        let mut file = random_file(seed, 3, contacts, true);
        let Form::Global(GlobalForm { mass, directions, momentum, offset }) = &mut file.form else {
            panic!("a global problem was asked for");
        };
        if !symmetric {
            let mut entries: Vec<_> = mass.entries().collect();
            entries.iter_mut().filter(|e| e.0 > e.1).for_each(|e| e.2 *= -0.5);
            *mass = matrix(mass.rows(), mass.rows(), entries);
        }
        momentum.iter_mut().for_each(|f| *f = f.signum());
        offset.iter_mut().for_each(|w| *w = w.signum());
        let (mass, directions, momentum, offset) =
            (mass.clone(), directions.clone(), momentum.clone(), offset.clone());
        let local = file.condense().unwrap();
        let random = &mut Pcg64::seed_from_u64(seed);
        let r: Vec<f64> = (0..3 * contacts).map(|_| random.random_range(-1.0..1.0)).collect();
        // v by plain elimination, then u = Hᵀ v + w.
        let mut right = directions.multiply(&r);
        right.iter_mut().zip(&momentum).for_each(|(t, f)| *t += f);
        let v = eliminate(&mass, right.clone());
        let mut u = directions.multiply_transposed(&v);
        u.iter_mut().zip(&offset).for_each(|(u, w)| *u += w);
        let mut found = local.matrix.multiply(&r);
        found.iter_mut().zip(&local.free).for_each(|(u, q)| *u += q);
        for (a, b) in u.iter().zip(&found) {
            prop_assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
        prop_assert_eq!(local.matrix.asymmetry() == 0.0, symmetric || mass.asymmetry() == 0.0);
        for (a, b) in v.iter().zip(&local.dynamics.unwrap().solve(&right)) {
            prop_assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
    }

    #[test]
    fn any_bytes_are_refused_or_make_sense(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_bytes(bytes.clone());
        let mut hdf5 = b"\x89HDF\r\n\x1a\n".to_vec();
        hdf5.extend(bytes);
        prop_assert!(read_bytes(hdf5).is_err());
    }

    #[test]
    fn any_words_are_refused_or_make_sense(
        words in prop::collection::vec(
            prop_oneof![
                (0i64..7).prop_map(|k| k.to_string()),
                Just("99999999999999".to_owned()),
                Just("-1".to_owned()),
                Just("1e300".to_owned()),
                Just("nan".to_owned()),
                Just("\n".to_owned()),
                Just(":".to_owned()),
                Just("triplet: 3-by-3, nzmax: 9 nnz: 4000000000".to_owned()),
            ],
            0..60,
        ),
    ) {
        if let Ok(file) = read_text(&words.join(" ")) {
            file.check().unwrap();
        }
    }
}

/// Gaussian elimination with a plain search of the pivot.
fn eliminate(matrix: &SparseMatrix, mut right: Vec<f64>) -> Vec<f64> {
    let size = matrix.rows();
    let mut a = vec![vec![0.0; size]; size];
    matrix.entries().for_each(|(i, j, x)| a[i][j] = x);
    for k in 0..size {
        let pivot = (k..size)
            .max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))
            .unwrap();
        a.swap(k, pivot);
        right.swap(k, pivot);
        let (above, below) = a.split_at_mut(k + 1);
        let line = &above[k];
        for (i, other) in below.iter_mut().enumerate() {
            let factor = other[k] / line[k];
            for (x, y) in other[k..].iter_mut().zip(&line[k..]) {
                *x -= factor * y;
            }
            right[k + 1 + i] -= factor * right[k];
        }
    }
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|j| a[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / a[k][k];
    }
    right
}

/// Valid files of every kind.
fn specimens() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (k, dimension) in [2, 3, 5].into_iter().enumerate() {
        for global in [false, true] {
            let file = random_file(k as u64, dimension, 3, global);
            all.push(write_text(&file).unwrap().into_bytes());
            all.push(write_hdf5(&decorated(&file)).unwrap());
        }
    }
    all.push(b"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 3 0 0.5".to_vec());
    all.push(TRIPLET.as_bytes().to_vec());
    all.push(COLUMNS.as_bytes().to_vec());
    all
}

#[test]
fn damaged_files_are_refused_or_make_sense() {
    let mut random = Pcg64::seed_from_u64(9);
    for bytes in specimens() {
        for _ in 0..300 {
            let mut broken = bytes.clone();
            match random.random_range(0..3) {
                0 => broken.truncate(random.random_range(0..bytes.len())),
                1 => {
                    for _ in 0..random.random_range(1..5) {
                        let place = random.random_range(0..bytes.len());
                        broken[place] = random.next_u32() as u8;
                    }
                }
                _ => {
                    let place = random.random_range(0..bytes.len());
                    let end = bytes.len().min(place + random.random_range(1..9));
                    broken[place..end].fill(0xff);
                }
            }
            if let Ok(file) = read_bytes(broken) {
                file.check().unwrap();
            }
        }
    }
}

#[test]
fn a_text_that_is_cut_short_is_never_read() {
    let file = random_file(1, 3, 2, false);
    let text = write_text(&file).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    for count in 0..words.len() {
        let error = read_text(&words[..count].join(" "))
            .unwrap_err()
            .to_string();
        assert!(error.contains("word") && error.contains(';'), "{error}");
    }
}

const TRIPLET: &str = "2\n1\n2\n2\n2\n1\nCSparse Version 3.1.9, May 4, 2016.  Copyright (c)\n\
    triplet: 2-by-2, nzmax: 8 nnz: 3\n    0 0 : 1.5\n    1 1 : 2\n    0 0 : 0.5\n -1 0.25\n0.3\n";
const COLUMNS: &str = "2\n1\n2\n2\n2\n2\nCSparse Version 3.1.9, May 4, 2016.  Copyright (c)\n\
    2-by-2, nzmax: 8 nnz: 2, 1-norm: 3\n    col 0 : locations 0 to 1\n      0 : 2\n      1 : 3\n\
    col 1 : locations 2 to 1\n -1 0.25\n0.3\n1\n";

#[test]
fn sparse_listings_are_read_as_csparse_prints_them() {
    let local = |text: &str| match read_text(text).unwrap().form {
        Form::Local { matrix, .. } => matrix.entries().collect::<Vec<_>>(),
        Form::Global(_) => panic!("it is local"),
    };
    assert_eq!(local(TRIPLET), [(0, 0, 2.0), (1, 1, 2.0)]);
    assert_eq!(local(COLUMNS), [(0, 0, 2.0), (1, 0, 3.0)]);
    let rows = COLUMNS
        .replace("2-by-2, nzmax", "csr: 2-by-2, nzmax")
        .replace("col ", "row ");
    assert_eq!(local(&rows), [(0, 0, 2.0), (0, 1, 3.0)]);
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_how_to_mend_it() {
    let said = |text: &str| read_text(text).unwrap_err().to_string();
    let cases = [
        (
            "",
            "word 0 (line 1): the file ends where the number of rows a contact",
        ),
        (
            "4 1",
            "word 1 (line 1): 4 rows a contact; a contact has 2 rows in a plane",
        ),
        (
            "3\n1\n7 3 3",
            "word 5 (line 3): the first matrix has the storage 7",
        ),
        ("3 999999999999", "more numbers than the file has"),
        ("3 1 0 3 3 3 4", "is 3 by 4 here and 3 by 3 before"),
        (
            "3 1 0 90000 90000 90000 90000 1",
            "would take more numbers than the file has",
        ),
        (
            "3 1 0 3 3 3 3  1 0 0 0 x 0 0 0 1  -1 3 0 0.5",
            "`x` where the first matrix should be",
        ),
        (
            "3 1 0 3 3 3 3  1 0 0 0 nan 0 0 0 1  -1 3 0 0.5",
            "it must be a finite number",
        ),
        (
            "3 1 0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3 0 -0.5",
            "mu: contact 0 has the coefficient -0.5",
        ),
        (
            "3 1 0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3",
            "read as a global problem",
        ),
        (
            "3 1 1 3 3 1 1 1 3 3 2 1 0 9 0 1",
            "the starts of the rows of blocks",
        ),
    ];
    for (text, want) in cases {
        let found = said(text);
        assert!(found.contains(want), "{text}: {found}");
    }
    let outside = TRIPLET.replace("1 1 : 2", "1 7 : 2");
    assert!(said(&outside).contains("entry (1, 7) lies outside"));
    let missing = granule_io::fclib::read("no/such/file".as_ref())
        .unwrap_err()
        .to_string();
    assert!(missing.contains("no/such/file"), "{missing}");
}

#[test]
fn a_mass_that_has_no_inverse_is_refused() {
    let whole = random_file(1, 3, 2, true);
    // One degree of freedom without mass; and two that are coupled so that they move as one.
    let coupled = [(0, 0, 1.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0)];
    for own in [&[][..], &coupled[..]] {
        let mut file = whole.clone();
        let Form::Global(GlobalForm { mass, .. }) = &mut file.form else {
            panic!("it is global");
        };
        let mut entries: Vec<_> = mass.entries().filter(|e| e.0 > 1 && e.1 > 1).collect();
        entries.extend(own);
        *mass = matrix(mass.rows(), mass.rows(), entries);
        let error = file.engine_problem(Flow::Exact).unwrap_err().to_string();
        assert!(error.contains("no inverse"), "{error}");
    }
}

#[test]
fn half_a_mass_matrix_is_completed() {
    let mut file = random_file(2, 3, 2, true);
    let whole = file.clone();
    let Form::Global(GlobalForm { mass, .. }) = &mut file.form else {
        panic!("it is global");
    };
    *mass = matrix(
        mass.rows(),
        mass.rows(),
        mass.entries().filter(|e| e.0 <= e.1).collect(),
    );
    let back = read_bytes(write_hdf5(&file).unwrap()).unwrap();
    assert_eq!(back.form, whole.form);
}
