//! The factor of a symmetric matrix of a few hundred rows whose entries stand near the diagonal once its rows are put in
//! a good order: mechanisms, which are mostly chains and trees.

/// Of the entry on the diagonal before elimination: a pivot below it is rounding, and its row follows from the others.
const REDUNDANT: f64 = 1e-9;

/// The same for a pivot that may be rounding, depending on the order of the rows. A chain of a hundred links under a load of
/// 1e4 of them has none.
const DOUBTFUL: f64 = 1e-5;

/// A matrix with doubtful pivots and at most so many rows is eliminated by the largest pivots first.
const MOST_PIVOTED: usize = 300;

/// L D Lᵀ of a symmetric matrix that is never negative, row by row from the first entry that is not zero. Rows that
/// follow from those before them get zero, so that a system with redundant rows that agree is solved.
///
/// Rows are ordered by breadth from an outermost one, backwards (Cuthill and McKee's order), which keeps chains and trees
/// near the diagonal; where some seem to be redundant, by their pivots. All by the same operations in the same order on every machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skyline {
    /// The place of each row in the order, and the row at each place.
    place: Vec<usize>,
    row: Vec<usize>,
    /// The first column of each row, and where its entries start.
    first: Vec<usize>,
    start: Vec<usize>,
    values: Vec<f64>,
    /// 1/D; zero for redundant rows.
    inverse: Vec<f64>,
    scratch: Vec<f64>,
}

impl Skyline {
    /// Factorises the matrix with `size` rows whose entries (row, column, value) are given on and below the diagonal or
    /// above it, each pair of places once.
    pub(crate) fn factorise(&mut self, size: usize, entries: &[(usize, usize, f64)]) {
        self.order(size, entries);
        if self.eliminate(size, entries) && size <= MOST_PIVOTED {
            self.order_by_pivots(size, entries);
            self.eliminate(size, entries);
        }
    }

    /// Puts the entries into the order of the rows.
    fn fill(&mut self, size: usize, entries: &[(usize, usize, f64)]) {
        self.first.clear();
        self.first.extend(0..size);
        for (i, j, _) in entries {
            let (i, j) = (self.place[*i], self.place[*j]);
            let (low, high) = (i.min(j), i.max(j));
            self.first[high] = self.first[high].min(low);
        }
        self.start.clear();
        let mut total = 0;
        for (i, first) in self.first.iter().enumerate() {
            self.start.push(total);
            total += i - first + 1;
        }
        self.values.clear();
        self.values.resize(total, 0.0);
        for (i, j, value) in entries {
            let (i, j) = (self.place[*i], self.place[*j]);
            let (low, high) = (i.min(j), i.max(j));
            self.values[self.start[high] + low - self.first[high]] += value;
        }
    }

    /// Eliminates row after row; tells whether some pivot is doubtful.
    fn eliminate(&mut self, size: usize, entries: &[(usize, usize, f64)]) -> bool {
        self.fill(size, entries);
        let mut doubtful = false;
        self.inverse.clear();
        for i in 0..size {
            let (first, start) = (self.first[i], self.start[i]);
            let (above, own) = self.values.split_at_mut(start);
            let diagonal = own[i - first];
            // Row i of L times D, column by column.
            for j in first..i {
                let (other, from) = (self.first[j], first.max(self.first[j]));
                let line = &above[self.start[j]..][..j - other];
                let known: f64 = (from..j).map(|k| own[k - first] * line[k - other]).sum();
                own[j - first] -= known;
            }
            let mut pivot = diagonal;
            for j in first..i {
                let scaled = own[j - first] * self.inverse[j];
                pivot -= own[j - first] * scaled;
                own[j - first] = scaled;
            }
            // What is no number is redundant, too.
            let above = |part: f64| pivot > part * diagonal;
            doubtful |= !above(DOUBTFUL);
            let holds = above(REDUNDANT);
            self.inverse.push(if holds { 1.0 / pivot } else { 0.0 });
        }
        doubtful
    }

    /// Puts the rows into the order of the largest pivots, as parts of what stood on the diagonal: what rounding leaves of
    /// redundant rows is then not multiplied by the inverse of small pivots before them.
    fn order_by_pivots(&mut self, size: usize, entries: &[(usize, usize, f64)]) {
        let mut matrix = vec![0.0; size * size];
        for (i, j, value) in entries {
            matrix[i * size + j] += value;
            if i != j {
                matrix[j * size + i] += value;
            }
        }
        let diagonal: Vec<f64> = (0..size).map(|i| matrix[i * size + i]).collect();
        let mut rest: Vec<usize> = (0..size).collect();
        self.row.clear();
        while !rest.is_empty() {
            let part = |i: usize| matrix[i * size + i] / diagonal[i];
            let largest = (1..rest.len()).fold(0, |best, k| {
                if part(rest[k]) > part(rest[best]) {
                    k
                } else {
                    best
                }
            });
            let next = rest.remove(largest);
            self.row.push(next);
            let pivot = matrix[next * size + next];
            if pivot > REDUNDANT * diagonal[next] {
                for i in &rest {
                    let factor = matrix[i * size + next] / pivot;
                    for j in &rest {
                        matrix[i * size + j] -= factor * matrix[next * size + j];
                    }
                }
            }
        }
        for (place, row) in self.row.iter().enumerate() {
            self.place[*row] = place;
        }
    }

    /// `x ← A⁻¹ x`.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let size = self.row.len();
        self.scratch.clear();
        self.scratch.extend(self.row.iter().map(|row| x[*row]));
        let y = &mut self.scratch;
        for i in 0..size {
            let first = self.first[i];
            let line = &self.values[self.start[i]..][..i - first];
            let known: f64 = line.iter().zip(&y[first..i]).map(|(l, y)| l * y).sum();
            y[i] -= known;
        }
        for (y, inverse) in y.iter_mut().zip(&self.inverse) {
            *y *= inverse;
        }
        for i in (0..size).rev() {
            let first = self.first[i];
            let line = &self.values[self.start[i]..][..i - first];
            let known = y[i];
            for (l, y) in line.iter().zip(&mut y[first..i]) {
                *y -= l * known;
            }
        }
        for (place, y) in self.scratch.iter().enumerate() {
            x[self.row[place]] = *y;
        }
    }

    /// What of the rows says nothing new: orthogonal unit vectors n with A n = 0, one for each redundant row.
    pub(crate) fn dependencies(&self) -> Vec<Vec<f64>> {
        let mut found: Vec<Vec<f64>> = Vec::new();
        for redundant in (0..self.inverse.len()).filter(|i| self.inverse[*i] == 0.0) {
            // Lᵀ n is one in the redundant row, and zero in all others.
            let mut y = vec![0.0; redundant + 1];
            y[redundant] = 1.0;
            for i in (0..=redundant).rev() {
                let first = self.first[i];
                let line = &self.values[self.start[i]..][..i - first];
                let known = y[i];
                for (l, y) in line.iter().zip(&mut y[first..i]) {
                    *y -= l * known;
                }
            }
            let mut n = vec![0.0; self.row.len()];
            for (row, y) in self.row.iter().zip(y) {
                n[*row] = y;
            }
            // Once more for what rounding has left.
            for _ in 0..2 {
                found.iter().for_each(|other| take_out(other, &mut n));
                let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
                n.iter_mut().for_each(|x| *x /= size);
            }
            found.push(n);
        }
        found
    }

    /// Puts the rows into their order.
    fn order(&mut self, size: usize, entries: &[(usize, usize, f64)]) {
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); size];
        for (i, j, _) in entries {
            if i != j {
                near[*i].push(*j);
                near[*j].push(*i);
            }
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let mut seen = vec![false; size];
        self.row.clear();
        for start in 0..size {
            if seen[start] {
                continue;
            }
            let outermost = last_of_breadth(&near, start);
            let from = self.row.len();
            self.row.push(outermost);
            seen[outermost] = true;
            let mut next = from;
            while next < self.row.len() {
                let row = self.row[next];
                next += 1;
                let mut fresh: Vec<usize> =
                    near[row].iter().copied().filter(|r| !seen[*r]).collect();
                fresh.sort_by_key(|r| (near[*r].len(), *r));
                for row in fresh {
                    seen[row] = true;
                    self.row.push(row);
                }
            }
            self.row[from..].reverse();
        }
        self.place.clear();
        self.place.resize(size, 0);
        for (place, row) in self.row.iter().enumerate() {
            self.place[*row] = place;
        }
    }
}

/// Takes what is along the unit vector n out of x.
fn take_out(n: &[f64], x: &mut [f64]) {
    let along: f64 = n.iter().zip(&*x).map(|(n, x)| n * x).sum();
    for (x, n) in x.iter_mut().zip(n) {
        *x -= along * n;
    }
}

/// The row that a search by breadth from `start` comes to last.
fn last_of_breadth(near: &[Vec<usize>], start: usize) -> usize {
    let mut seen = vec![false; near.len()];
    let mut list = vec![start];
    seen[start] = true;
    let mut next = 0;
    while next < list.len() {
        for row in &near[list[next]] {
            if !seen[*row] {
                seen[*row] = true;
                list.push(*row);
            }
        }
        next += 1;
    }
    list[list.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(matrix: &[Vec<f64>]) -> Vec<(usize, usize, f64)> {
        let mut list = Vec::new();
        for (i, line) in matrix.iter().enumerate() {
            for (j, value) in line.iter().enumerate().take(i + 1) {
                if *value != 0.0 {
                    list.push((i, j, *value));
                }
            }
        }
        list
    }

    fn times(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
        let row = |line: &Vec<f64>| line.iter().zip(x).map(|(a, x)| a * x).sum();
        matrix.iter().map(row).collect()
    }

    /// A tree whose rows stand in no good order.
    fn tree(size: usize) -> Vec<Vec<f64>> {
        let mut matrix = vec![vec![0.0; size]; size];
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] = 4.0 + i as f64;
        }
        for (child, parent) in (1..size).map(|i| (i, (i * 7 + 3) % i)) {
            matrix[child][parent] = -1.0;
            matrix[parent][child] = -1.0;
        }
        matrix
    }

    #[test]
    fn systems_are_solved() {
        let matrix = tree(40);
        let wanted: Vec<f64> = (0..40).map(|i| (i as f64).sin()).collect();
        let mut x = times(&matrix, &wanted);
        let mut factor = Skyline::default();
        factor.factorise(40, &entries(&matrix));
        factor.solve(&mut x);
        for (x, wanted) in x.iter().zip(&wanted) {
            assert!((x - wanted).abs() < 1e-13, "{x} {wanted}");
        }
    }

    #[test]
    fn rows_that_follow_from_others_do_not_matter() {
        // The third row is the sum of the first two.
        let matrix = vec![
            vec![2.0, 1.0, 3.0],
            vec![1.0, 5.0, 6.0],
            vec![3.0, 6.0, 9.0],
        ];
        let right = times(&matrix, &[1.0, -2.0, 0.5]);
        let mut x = right.clone();
        let mut factor = Skyline::default();
        factor.factorise(3, &entries(&matrix));
        factor.solve(&mut x);
        for (made, right) in times(&matrix, &x).iter().zip(&right) {
            assert!((made - right).abs() < 1e-13, "{x:?}");
        }
        let found = factor.dependencies();
        assert_eq!(found.len(), 1);
        let expected = [1.0, 1.0, -1.0].map(|x| found[0][0].signum() * x / 3f64.sqrt());
        for (n, expected) in found[0].iter().zip(expected) {
            assert!((n - expected).abs() < 1e-13, "{found:?}");
        }
    }

    #[test]
    fn a_chain_stays_near_the_diagonal() {
        let size = 200;
        // A chain whose links are numbered by turns from both ends.
        let number = |k: usize| {
            if k.is_multiple_of(2) {
                k / 2
            } else {
                size - 1 - k / 2
            }
        };
        let mut list: Vec<(usize, usize, f64)> = (0..size).map(|i| (i, i, 2.0)).collect();
        list.extend((1..size).map(|k| (number(k - 1), number(k), -1.0)));
        let mut factor = Skyline::default();
        factor.factorise(size, &list);
        assert_eq!(factor.values.len(), 2 * size - 1);
    }
}
