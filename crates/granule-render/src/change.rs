//! Which part of a picture differs from the one before.

use std::ops::Range;

/// Nothing yet: what is added takes the least start and the greatest end.
pub const NOTHING: Range<usize> = Range {
    start: usize::MAX,
    end: 0,
};

/// The rows and columns with changes between two pictures of so many columns, whose pixels have so many bytes; one pixel
/// at least, since a picture must have some.
pub fn changed(before: &[u8], now: &[u8], width: usize, bytes: usize) -> [Range<usize>; 2] {
    let (mut rows, mut columns) = (NOTHING, NOTHING);
    let lines = before
        .chunks_exact(width * bytes)
        .zip(now.chunks_exact(width * bytes));
    for (row, (before, now)) in lines.enumerate() {
        if before == now {
            continue;
        }
        rows = rows.start.min(row)..row + 1;
        let differs = || before.iter().zip(now).map(|(before, now)| before != now);
        let first = differs().position(|differs| differs).unwrap_or(0);
        let last = differs().rposition(|differs| differs).unwrap_or(0);
        columns = columns.start.min(first / bytes)..columns.end.max(last / bytes + 1);
    }
    match rows.is_empty() {
        true => [0..1, 0..1],
        false => [rows, columns],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_around_changes_is_found() {
        let before = vec![0; 3 * 5 * 4];
        assert_eq!(changed(&before, &before, 5, 3), [0..1, 0..1]);
        let mut now = before.clone();
        // Row 1, column 3, and row 2, column 0.
        now[3 * (5 + 3) + 2] = 1;
        assert_eq!(changed(&before, &now, 5, 3), [1..2, 3..4]);
        now[3 * 10] = 1;
        assert_eq!(changed(&before, &now, 5, 3), [1..3, 0..4]);
    }
}
