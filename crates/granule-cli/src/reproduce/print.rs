//! A table for people.

use super::{Row, Table};
use std::fmt::Write;

/// The table as text: published beside measured, notes below.
pub fn print(table: &Table) -> String {
    let notes = notes_of(&table.rows);
    let head = [
        "quantity",
        "published",
        "measured",
        "unit",
        "verdict",
        "note",
    ]
    .map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(head)
        .chain(table.rows.iter().map(|row| cells(row, &notes)))
        .collect();
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| line[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = format!("{}\n{}\n\n", table.id, table.paper);
    for (place, line) in lines.iter().enumerate() {
        let mut out = String::new();
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            // Numbers to the right, words to the left.
            let _ = match column {
                1 | 2 => write!(out, "{cell:>width$}  "),
                _ => write!(out, "{cell:<width$}  "),
            };
        }
        let _ = writeln!(text, "  {}", out.trim_end());
        if place == 0 {
            let rule = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
            let _ = writeln!(text, "  {}", "-".repeat(rule));
        }
    }
    text.push('\n');
    for (place, note) in notes.iter().enumerate() {
        let _ = writeln!(text, "  [{}] {note}", place + 1);
    }
    text
}

/// The different notes, in the order of their first use.
fn notes_of(rows: &[Row]) -> Vec<&str> {
    let mut notes = Vec::new();
    for row in rows {
        if !row.note.is_empty() && !notes.contains(&row.note.as_str()) {
            notes.push(row.note.as_str());
        }
    }
    notes
}

fn cells(row: &Row, notes: &[&str]) -> [String; 6] {
    let note = notes.iter().position(|note| *note == row.note);
    [
        row.quantity.clone(),
        row.published
            .as_ref()
            .map_or("-".to_owned(), ToString::to_string),
        row.measured.to_string(),
        row.unit.clone(),
        row.verdict.name().to_owned(),
        note.map_or(String::new(), |place| format!("[{}]", place + 1)),
    ]
}
