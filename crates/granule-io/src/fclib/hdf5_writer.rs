//! FCLib's HDF5 files: contiguous arrays, 32-bit integers, matrices by columns.

use super::{ContactFile, Flaw, Form, Solution, SparseMatrix};
use hdf5_pure::{FileBuilder, GroupBuilder};

/// FCLib's integers have 32 bits.
fn short(part: &'static str, value: usize) -> Result<i32, Flaw> {
    i32::try_from(value).map_err(|_| {
        Flaw::of(
            part,
            format!("{value} is too large for FCLib's files"),
            "they count up to 2147483647; write a smaller problem, or text",
        )
    })
}

fn put_integers(group: &mut GroupBuilder, name: &str, values: &[i32]) {
    group
        .create_dataset(name)
        .with_i32_data(values)
        .with_shape(&[values.len() as u64]);
}

fn put_numbers(group: &mut GroupBuilder, name: &str, values: &[f64]) {
    group
        .create_dataset(name)
        .with_f64_data(values)
        .with_shape(&[values.len() as u64]);
}

/// Fixed length with a zero at the end, as C reads them.
fn put_words(group: &mut GroupBuilder, name: &str, words: &str) -> Result<(), Flaw> {
    let too_long =
        |error: hdf5_pure::FormatError| Flaw::of("info", error.to_string(), "use fewer words");
    let width = u32::try_from(words.len() + 1).unwrap_or(u32::MAX);
    let dataset = group.create_dataset(name);
    let dataset = if words.is_ascii() {
        dataset.with_ascii_strings_sized(&[words], width)
    } else {
        dataset.with_strings_sized(&[words], width)
    };
    dataset.map_err(too_long)?.with_shape(&[]);
    Ok(())
}

fn put_matrix(
    parent: &mut GroupBuilder,
    name: &'static str,
    matrix: &SparseMatrix,
) -> Result<(), Flaw> {
    let (rows, columns) = (short(name, matrix.rows())?, short(name, matrix.columns())?);
    let count = short(name, matrix.entry_count())?;
    let mut starts = vec![0; matrix.columns() + 1];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for (row, column, value) in matrix.entries() {
        starts[column + 1] += 1;
        indices.push(row as i32);
        values.push(value);
    }
    for column in 0..matrix.columns() {
        starts[column + 1] += starts[column];
    }
    let mut group = parent.create_group(name);
    put_integers(&mut group, "m", &[rows]);
    put_integers(&mut group, "n", &[columns]);
    put_integers(&mut group, "nz", &[-1]);
    put_integers(&mut group, "nzmax", &[count]);
    put_integers(&mut group, "p", &starts);
    put_integers(&mut group, "i", &indices);
    put_numbers(&mut group, "x", &values);
    parent.add_group(group.finish());
    Ok(())
}

fn put_solution(group: &mut GroupBuilder, solution: &Solution) {
    let parts = [
        ("r", &solution.impulses),
        ("u", &solution.relative),
        ("v", &solution.velocities),
    ];
    for (name, values) in parts {
        if !values.is_empty() {
            put_numbers(group, name, values);
        }
    }
}

/// A contact problem as the bytes of an HDF5 file. FCLib has no local form with rolling; that is written
/// as `fclib_local_rolling`, named like its global one.
pub fn write_hdf5(file: &ContactFile) -> Result<Vec<u8>, Flaw> {
    file.check()?;
    let mut builder = FileBuilder::new();
    let rolling = file.dimension == 5;
    let name = match (&file.form, rolling) {
        (Form::Local { .. }, false) => "fclib_local",
        (Form::Global(_), false) => "fclib_global",
        (Form::Local { .. }, true) => "fclib_local_rolling",
        (Form::Global(_), true) => "fclib_global_rolling",
    };
    let mut problem = builder.create_group(name);
    put_integers(
        &mut problem,
        "spacedim",
        &[short("dimension", file.dimension)?],
    );
    let mut vectors = problem.create_group("vectors");
    match &file.form {
        Form::Local { matrix, free } => {
            put_matrix(&mut problem, "W", matrix)?;
            put_numbers(&mut vectors, "q", free);
        }
        Form::Global(global) => {
            put_matrix(&mut problem, "M", &global.mass)?;
            put_matrix(&mut problem, "H", &global.directions)?;
            put_numbers(&mut vectors, "f", &global.momentum);
            put_numbers(&mut vectors, "w", &global.offset);
        }
    }
    put_numbers(&mut vectors, "mu", &file.friction);
    if rolling {
        put_numbers(&mut vectors, "mu_r", &file.rolling);
    }
    problem.add_group(vectors.finish());
    let words = [
        ("title", &file.info.title),
        ("description", &file.info.description),
        ("math_info", &file.info.math_info),
    ];
    if words.iter().any(|(_, words)| words.is_some()) {
        let mut info = problem.create_group("info");
        for (name, words) in words {
            if let Some(words) = words {
                put_words(&mut info, name, words)?;
            }
        }
        problem.add_group(info.finish());
    }
    builder.add_group(problem.finish());
    if let Some(solution) = &file.solution {
        let mut group = builder.create_group("solution");
        put_solution(&mut group, solution);
        builder.add_group(group.finish());
    }
    if !file.guesses.is_empty() {
        let mut group = builder.create_group("guesses");
        put_integers(
            &mut group,
            "number_of_guesses",
            &[short("guesses", file.guesses.len())?],
        );
        for (k, guess) in file.guesses.iter().enumerate() {
            let mut one = group.create_group(&(k + 1).to_string());
            put_solution(&mut one, guess);
            group.add_group(one.finish());
        }
        builder.add_group(group.finish());
    }
    let mend = "write text instead, or report it";
    builder
        .finish()
        .map_err(|error| Flaw::of("HDF5", error.to_string(), mend))
}
