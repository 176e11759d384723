//! Siconos' text files: words between spaces, without any names.

use super::{ContactFile, Flaw, Form, GlobalForm, Place, SparseMatrix};

/// The words of a text, with their numbers and lines.
#[derive(Clone)]
struct Words<'a> {
    rest: &'a str,
    number: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            number: 0,
            line: 1,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let start = self.rest.find(|c: char| !c.is_whitespace())?;
        self.line += self.rest[..start].matches('\n').count();
        let rest = &self.rest[start..];
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.rest = &rest[end..];
        self.number += 1;
        Some(&rest[..end])
    }

    /// The rest of the line after the last word.
    fn skip_line(&mut self) {
        match self.rest.find('\n') {
            Some(end) => self.rest = &self.rest[end..],
            None => self.rest = "",
        }
    }

    /// The whole line after the current one.
    fn next_line(&mut self) -> &'a str {
        let rest = self.rest.strip_prefix('\n').unwrap_or(self.rest);
        let end = rest.find('\n').unwrap_or(rest.len());
        self.line += 1;
        self.rest = &rest[end..];
        self.number += rest[..end].split_whitespace().count();
        &rest[..end]
    }

    fn count(&self) -> usize {
        self.rest.split_whitespace().count()
    }

    fn flaw(&self, what: String, mend: &str) -> Flaw {
        Flaw {
            place: Place::Token {
                number: self.number,
                line: self.line,
            },
            what,
            mend: mend.to_owned(),
        }
    }

    fn word(&mut self, what: &str) -> Result<&'a str, Flaw> {
        self.next().ok_or_else(|| {
            self.flaw(
                format!("the file ends where {what} should be"),
                "it is cut short, or not a contact problem; get it again",
            )
        })
    }

    fn size(&mut self, what: &str) -> Result<usize, Flaw> {
        let word = self.word(what)?;
        word.parse().map_err(|_| {
            self.flaw(
                format!("`{word}` where {what} should be"),
                "it must be a whole number, not negative",
            )
        })
    }

    fn number(&mut self, what: &str) -> Result<f64, Flaw> {
        let word = self.word(what)?;
        let value = word.parse::<f64>().ok().filter(|x| x.is_finite());
        value.ok_or_else(|| {
            self.flaw(
                format!("`{word}` where {what} should be"),
                "it must be a finite number",
            )
        })
    }

    fn expect(&mut self, want: &str) -> Result<(), Flaw> {
        let word = self.word(&format!("`{want}`"))?;
        if word == want {
            return Ok(());
        }
        Err(self.flaw(
            format!("`{word}` where `{want}` should be"),
            "a sparse matrix is listed as CSparse prints it, in full",
        ))
    }

    /// Refuses to read more words than the file can hold, before memory is taken for them.
    fn check_room(&self, count: Option<usize>, what: &str) -> Result<usize, Flaw> {
        let room = self.rest.len() / 2 + 1;
        match count {
            Some(count) if count <= room => Ok(count),
            _ => Err(self.flaw(
                format!("{what} would take more numbers than the file has"),
                "the sizes before it are wrong, or the file is cut short",
            )),
        }
    }

    fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>, Flaw> {
        let count = self.check_room(Some(count), what)?;
        (0..count).map(|_| self.number(what)).collect()
    }

    fn sizes(&mut self, count: usize, what: &str) -> Result<Vec<usize>, Flaw> {
        let count = self.check_room(Some(count), what)?;
        (0..count).map(|_| self.size(what)).collect()
    }
}

type Entries = Vec<(usize, usize, f64)>;

/// `storage rows columns body`.
fn matrix(words: &mut Words, name: &str) -> Result<SparseMatrix, Flaw> {
    let storage = words.size(&format!("the storage of {name}"))?;
    let rows = words.size(&format!("the number of rows of {name}"))?;
    let columns = words.size(&format!("the number of columns of {name}"))?;
    let entries = match storage {
        0 => dense(words, rows, columns, name)?,
        1 => blocks(words, rows, columns, name)?,
        2 => sparse(words, rows, columns, name)?,
        other => {
            return Err(words.flaw(
                format!("{name} has the storage {other}"),
                "it must be 0 (dense), 1 (blocks) or 2 (sparse); is this a contact problem?",
            ));
        }
    };
    SparseMatrix::from_entries(rows, columns, entries)
        .map_err(|flaw| words.flaw(format!("{name}: {}", flaw.what), &flaw.mend))
}

fn check_repeated(
    words: &Words,
    found: [usize; 2],
    want: [usize; 2],
    name: &str,
) -> Result<(), Flaw> {
    if found == want {
        return Ok(());
    }
    Err(words.flaw(
        format!(
            "{name} is {} by {} here and {} by {} before",
            found[0], found[1], want[0], want[1]
        ),
        "the sizes are repeated and must agree",
    ))
}

/// By columns.
fn dense(words: &mut Words, rows: usize, columns: usize, name: &str) -> Result<Entries, Flaw> {
    let again = [
        words.size("the number of rows again")?,
        words.size("the number of columns again")?,
    ];
    check_repeated(words, again, [rows, columns], name)?;
    words.check_room(rows.checked_mul(columns), name)?;
    let mut entries = Vec::new();
    for column in 0..columns {
        for row in 0..rows {
            let value = words.number(name)?;
            if value != 0.0 {
                entries.push((row, column, value));
            }
        }
    }
    Ok(entries)
}

/// Where each block begins and ends, from the ends.
fn ranges(
    words: &mut Words,
    count: usize,
    total: usize,
    name: &str,
) -> Result<Vec<(usize, usize)>, Flaw> {
    let mut start = 0;
    let mut found = Vec::new();
    for end in words.sizes(count, name)? {
        if end < start || end > total {
            return Err(words.flaw(
                format!("a block of {name} goes from {start} to {end} of {total}"),
                "the sizes of blocks are listed as their ends, which must rise",
            ));
        }
        found.push((start, end));
        start = end;
    }
    Ok(found)
}

/// Blocks in compressed rows, each by columns.
fn blocks(words: &mut Words, rows: usize, columns: usize, name: &str) -> Result<Entries, Flaw> {
    let count = words.size("the number of blocks")?;
    let block_rows = words.size("the number of rows of blocks")?;
    let block_columns = words.size("the number of columns of blocks")?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let row_ranges = ranges(words, block_rows, rows, name)?;
    let column_ranges = ranges(words, block_columns, columns, name)?;
    let start_count = words.size("the number of starts")?;
    let index_count = words.size("the number of indices")?;
    let starts = words.sizes(start_count, "the starts of the rows of blocks")?;
    let indices = words.sizes(index_count, "the columns of the blocks")?;
    let rising = starts.is_sorted() && starts.first().is_none_or(|first| *first == 0);
    if starts.len() > block_rows + 1 || !rising || starts.last().is_some_and(|end| *end > count) {
        return Err(words.flaw(
            format!("the starts of the rows of blocks of {name} make no sense"),
            "there is one more than rows of blocks; they begin with 0, rise, and end with the number \
             of blocks",
        ));
    }
    let mut entries = Vec::new();
    for (row, pair) in starts.windows(2).enumerate() {
        for block in pair[0]..pair[1] {
            let column = indices.get(block).and_then(|c| column_ranges.get(*c));
            let Some(&(left, right)) = column else {
                return Err(words.flaw(
                    format!("block {block} of {name} has no column"),
                    "the columns of blocks are listed before the blocks, from 0",
                ));
            };
            let number = words.size("the number of the block")?;
            if number != block {
                return Err(words.flaw(
                    format!("block {number} of {name} where block {block} should be"),
                    "each block is preceded by its number",
                ));
            }
            let (top, bottom) = row_ranges[row];
            words.check_room((bottom - top).checked_mul(right - left), name)?;
            for j in left..right {
                for i in top..bottom {
                    entries.push((i, j, words.number(name)?));
                }
            }
        }
    }
    Ok(entries)
}

/// `R-by-C`, perhaps with a comma.
fn shape(word: &str) -> Option<[usize; 2]> {
    let (rows, columns) = word.trim_end_matches(',').split_once("-by-")?;
    Some([rows.parse().ok()?, columns.parse().ok()?])
}

/// As CSparse prints it.
fn sparse(words: &mut Words, rows: usize, columns: usize, name: &str) -> Result<Entries, Flaw> {
    words.size("the origin of a sparse matrix")?;
    words.skip_line();
    let banner = words.next_line();
    let line = words.next_line();
    let header: Vec<&str> = line.split_whitespace().collect();
    let kind = header.first().filter(|word| word.ends_with(':')).copied();
    let sizes = header.get(usize::from(kind.is_some()));
    let after = |label: &str| {
        let place = header.iter().position(|word| *word == label)?;
        header.get(place + 1)?.trim_end_matches(',').parse().ok()
    };
    let (Some(found), Some(count)) = (sizes.and_then(|word| shape(word)), after("nnz:")) else {
        return Err(words.flaw(
            format!("`{banner}` and `{line}` where CSparse's two lines before {name} should be"),
            "a sparse matrix is listed as CSparse prints it",
        ));
    };
    check_repeated(words, found, [rows, columns], name)?;
    let count: usize = words.check_room(Some(count), name)?;
    let mut entries = Vec::new();
    let compressed = match kind {
        Some("triplet:") => {
            for _ in 0..count {
                let (row, column) = (words.size("a row")?, words.size("a column")?);
                words.expect(":")?;
                entries.push((row, column, words.number(name)?));
            }
            return Ok(entries);
        }
        Some("csr:") => ("row", rows),
        None => ("col", columns),
        Some(other) => {
            return Err(words.flaw(
                format!("{name} is listed as `{other}`"),
                "known are `triplet:`, `csr:` and by columns",
            ));
        }
    };
    let (label, lines) = compressed;
    for line in 0..lines {
        words.expect(label)?;
        let number = words.size("the number of the line")?;
        words.expect(":")?;
        words.expect("locations")?;
        let from = words.size("where the line begins")?;
        words.expect("to")?;
        // One before the beginning where there is nothing, so it may be -1.
        let to = words.word("where the line ends")?;
        let end = to.parse::<i64>().ok().and_then(|to| to.checked_add(1));
        let length = end.and_then(|end| usize::try_from(end).ok()?.checked_sub(from));
        let Some(length) = length.filter(|_| number == line) else {
            return Err(words.flaw(
                format!("{label} {number} of {name} goes from {from} to {to}"),
                "the lines must follow each other, each from its beginning to its end",
            ));
        };
        for _ in 0..words.check_room(Some(length), name)? {
            let index = words.size("an index")?;
            words.expect(":")?;
            let value = words.number(name)?;
            entries.push(match label {
                "row" => (line, index, value),
                _ => (index, line, value),
            });
        }
    }
    Ok(entries)
}

/// A contact problem from Siconos' text. Nothing in it says whether the form is local or global: it is
/// local if what follows the first matrix is as long as it must be then. Words after the end are
/// ignored.
pub fn read_text(text: &str) -> Result<ContactFile, Flaw> {
    let mut words = Words::new(text);
    let dimension = words.size("the number of rows a contact")?;
    if !matches!(dimension, 2 | 3 | 5) {
        return Err(words.flaw(
            format!("{dimension} rows a contact"),
            "a contact has 2 rows in a plane, 3 in space, 5 with rolling; is this a contact problem?",
        ));
    }
    let contacts = words.size("the number of contacts")?;
    let contacts = words.check_room(Some(contacts), "the coefficients of friction")?;
    let rows = dimension * contacts;
    let first = matrix(&mut words, "the first matrix")?;
    let coefficients = if dimension == 5 {
        2 * contacts
    } else {
        contacts
    };
    let left = words.count();
    let short = first.columns().saturating_add(coefficients);
    let local = first.rows() == rows && (left == short || left == short.saturating_add(1));
    let form = if local {
        Form::Local {
            free: words.numbers(first.columns(), "q")?,
            matrix: first,
        }
    } else {
        let directions = matrix(&mut words, "H").map_err(|flaw| Flaw {
            what: format!(
                "{} (read as a global problem: a local one with {rows} rows has {short} numbers after \
                 its {} by {} matrix, here are {left})",
                flaw.what,
                first.rows(),
                first.columns()
            ),
            ..flaw
        })?;
        let momentum = words.numbers(first.columns(), "f")?;
        let offset = words.numbers(directions.columns(), "w")?;
        Form::Global(GlobalForm {
            mass: first,
            directions,
            momentum,
            offset,
        })
    };
    let friction = words.numbers(contacts, "mu")?;
    let rolling = if dimension == 5 {
        words.numbers(contacts, "mu_r")?
    } else {
        Vec::new()
    };
    let file = ContactFile {
        dimension,
        form,
        friction,
        rolling,
        ..ContactFile::default()
    };
    file.check()?;
    Ok(file)
}
