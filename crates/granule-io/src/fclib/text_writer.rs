//! Siconos' text files, matrices in blocks and every number in full.

use super::{ContactFile, Flaw, Form, SparseMatrix};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Numbers with 17 significant digits, which give back every bit.
fn push_numbers(text: &mut String, values: &[f64]) {
    for value in values {
        let _ = write!(text, "{value:.16e} ");
    }
    text.push('\n');
}

fn push_sizes(text: &mut String, values: impl IntoIterator<Item = usize>) {
    for value in values {
        let _ = write!(text, "{value} ");
    }
    text.push('\n');
}

/// A matrix in blocks of the given rows and columns, which divide it.
fn push_matrix(text: &mut String, matrix: &SparseMatrix, height: usize, width: usize) {
    let (block_rows, block_columns) = (matrix.rows() / height, matrix.columns() / width);
    let mut blocks: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    if matrix.rows() == matrix.columns() && height == width {
        // Solvers look for the blocks on the diagonal.
        for k in 0..block_rows {
            blocks.insert((k, k), vec![0.0; height * width]);
        }
    }
    for (row, column, value) in matrix.entries() {
        let block = blocks
            .entry((row / height, column / width))
            .or_insert_with(|| vec![0.0; height * width]);
        block[row % height + height * (column % width)] = value;
    }
    push_sizes(text, [1, matrix.rows(), matrix.columns()]);
    push_sizes(text, [blocks.len(), block_rows, block_columns]);
    if blocks.is_empty() {
        return;
    }
    push_sizes(text, (1..=block_rows).map(|k| k * height));
    push_sizes(text, (1..=block_columns).map(|k| k * width));
    push_sizes(text, [block_rows + 1, blocks.len()]);
    let mut starts = vec![0; block_rows + 1];
    for (row, _) in blocks.keys() {
        starts[row + 1] += 1;
    }
    for k in 0..block_rows {
        starts[k + 1] += starts[k];
    }
    push_sizes(text, starts);
    push_sizes(text, blocks.keys().map(|(_, column)| *column));
    for (k, block) in blocks.values().enumerate() {
        push_sizes(text, [k]);
        push_numbers(text, block);
    }
}

/// The size of the blocks of M: that of a body if it divides the matrix.
fn mass_block(dimension: usize, freedoms: usize) -> usize {
    let body = if dimension == 2 { 3 } else { 6 };
    [body, 3, 2]
        .into_iter()
        .find(|size| freedoms.is_multiple_of(*size))
        .unwrap_or(1)
}

/// A contact problem as Siconos' text; words, guesses and the solution have no place in it.
pub fn write_text(file: &ContactFile) -> Result<String, Flaw> {
    file.check()?;
    let dimension = file.dimension;
    let mut text = String::new();
    push_sizes(&mut text, [dimension]);
    push_sizes(&mut text, [file.contact_count()]);
    match &file.form {
        Form::Local { matrix, free } => {
            push_matrix(&mut text, matrix, dimension, dimension);
            push_numbers(&mut text, free);
        }
        Form::Global(global) => {
            let size = mass_block(dimension, global.mass.rows());
            push_matrix(&mut text, &global.mass, size, size);
            push_matrix(&mut text, &global.directions, size, dimension);
            push_numbers(&mut text, &global.momentum);
            push_numbers(&mut text, &global.offset);
        }
    }
    push_numbers(&mut text, &file.friction);
    if dimension == 5 {
        push_numbers(&mut text, &file.rolling);
    }
    Ok(text)
}
