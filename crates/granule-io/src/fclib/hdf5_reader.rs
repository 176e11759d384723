//! FCLib's HDF5 files.

use super::{ContactFile, Flaw, Form, GlobalForm, Info, Solution, SparseMatrix};
use hdf5_pure::{Dataset, File, Group};

/// Compression takes at most about this factor off the size of data (deflate).
const COMPRESSION: u64 = 1100;

const NOT_A_PROBLEM: &str = "it is damaged, or not one of FCLib; get it again";

/// A group with its path and the size of the file, which bounds what may be read from it.
struct Node {
    group: Group,
    path: String,
    file_size: u64,
}

/// The bytes that so many elements of a size take; `None` beyond all memory.
fn bytes(shape: &[u64], element: u64) -> Option<u64> {
    let mut lengths = shape.iter();
    lengths.try_fold(element, |bytes: u64, length| bytes.checked_mul(*length))
}

impl Node {
    fn flaw(&self, name: &str, what: String, mend: &str) -> Flaw {
        Flaw::in_dataset(&format!("{}/{name}", self.path), what, mend)
    }

    fn has_group(&self, name: &str) -> bool {
        self.group.group(name).is_ok()
    }

    fn child(&self, name: &str) -> Result<Self, Flaw> {
        match self.group.group(name) {
            Ok(group) => Ok(Self {
                group,
                path: format!("{}/{name}", self.path),
                file_size: self.file_size,
            }),
            Err(error) => Err(self.flaw(name, error.to_string(), NOT_A_PROBLEM)),
        }
    }

    /// A dataset that is not larger than its file allows, nor made of chunks that are.
    fn dataset(&self, name: &str) -> Result<Dataset, Flaw> {
        let damaged = |error: hdf5_pure::Error| self.flaw(name, error.to_string(), NOT_A_PROBLEM);
        let dataset = self.group.dataset(name).map_err(damaged)?;
        let shape = dataset.shape().map_err(damaged)?;
        let element = dataset.element_size().map_err(damaged)?;
        let too_large = |what: String| {
            let what = format!("{what} is larger than the file");
            Err(self.flaw(name, what, NOT_A_PROBLEM))
        };
        if !dataset.is_chunked() {
            return match bytes(&shape, element) {
                Some(bytes) if bytes <= self.file_size => Ok(dataset),
                _ => too_large(format!("its shape {shape:?}")),
            };
        }
        let limit = self.file_size.saturating_mul(COMPRESSION);
        let chunk = dataset.chunk_shape().map_err(damaged)?.unwrap_or_default();
        for (what, sizes) in [("its shape", &shape), ("its chunks of", &chunk)] {
            if bytes(sizes, element).is_none_or(|bytes| bytes > limit) {
                return too_large(format!("{what} {sizes:?}"));
            }
        }
        // Each chunk has an entry in an index of the file.
        let sizes = shape.iter().zip(&chunk);
        let count = sizes.fold(1u64, |count, (length, part)| {
            count.saturating_mul(length.div_ceil((*part).max(1)))
        });
        if count > self.file_size {
            return too_large(format!("its index of {count} chunks"));
        }
        let stored = dataset.chunks().map_err(damaged)?;
        if let Some(chunk) = stored.iter().find(|c| c.storage_size > self.file_size) {
            return too_large(format!("a chunk of {} bytes", chunk.storage_size));
        }
        Ok(dataset)
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, Flaw> {
        let read = self.dataset(name)?.read_i64();
        read.map_err(|error| self.flaw(name, error.to_string(), "it must hold whole numbers"))
    }

    fn integer(&self, name: &str) -> Result<i64, Flaw> {
        let values = self.integers(name)?;
        values
            .first()
            .copied()
            .ok_or_else(|| self.flaw(name, "it is empty".to_owned(), "it must hold one number"))
    }

    fn size(&self, name: &str) -> Result<usize, Flaw> {
        let value = self.integer(name)?;
        usize::try_from(value).map_err(|_| {
            self.flaw(
                name,
                format!("it is {value}"),
                "a size must not be negative",
            )
        })
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, Flaw> {
        let read = self.dataset(name)?.read_f64();
        read.map_err(|error| self.flaw(name, error.to_string(), "it must hold numbers"))
    }

    /// Numbers that may be left out.
    fn optional_numbers(&self, name: &str) -> Result<Vec<f64>, Flaw> {
        match self.group.dataset(name) {
            Ok(_) => self.numbers(name),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Words that may be left out, or be in any encoding.
    fn words(&self, name: &str) -> Option<String> {
        let words = self.dataset(name).ok()?.read_string().ok()?;
        words.into_iter().next()
    }

    fn matrix(&self, name: &str) -> Result<SparseMatrix, Flaw> {
        self.child(name)?.own_matrix()
    }

    /// The matrix that this group is.
    fn own_matrix(&self) -> Result<SparseMatrix, Flaw> {
        let (rows, columns) = (self.size("m")?, self.size("n")?);
        let (storage, starts, indices, values) = (
            self.integer("nz")?,
            self.integers("p")?,
            self.integers("i")?,
            self.numbers("x")?,
        );
        let entries = match storage {
            -1 => self.compressed(columns, &starts, &indices, &values)?,
            -2 => {
                let mut entries = self.compressed(rows, &starts, &indices, &values)?;
                entries
                    .iter_mut()
                    .for_each(|entry| (entry.0, entry.1) = (entry.1, entry.0));
                entries
            }
            // The comment in FCLib's header has rows and columns the other way round; the files
            // follow CSparse.
            0.. => {
                let count = usize::try_from(storage).unwrap_or(usize::MAX);
                if [starts.len(), indices.len(), values.len()]
                    .iter()
                    .any(|length| *length < count)
                {
                    return Err(self.flaw(
                        "nz",
                        format!("there are fewer than {count} entries"),
                        "`p`, `i` and `x` must have at least `nz` entries",
                    ));
                }
                let places = indices.iter().zip(&starts).zip(&values).take(count);
                places
                    .map(|((row, column), value)| {
                        Ok((self.index("i", *row)?, self.index("p", *column)?, *value))
                    })
                    .collect::<Result<_, Flaw>>()?
            }
            other => {
                return Err(self.flaw(
                    "nz",
                    format!("it is {other}"),
                    "it must be -1 (by columns), -2 (by rows) or the number of entries",
                ));
            }
        };
        SparseMatrix::from_entries(rows, columns, entries)
            .map_err(|flaw| Flaw::in_dataset(&self.path, flaw.what, &flaw.mend))
    }

    fn index(&self, name: &str, value: i64) -> Result<usize, Flaw> {
        usize::try_from(value).map_err(|_| {
            self.flaw(
                name,
                format!("{value} is not an index"),
                "indices count from 0",
            )
        })
    }

    /// (index, line, value) of lines that are compressed.
    fn compressed(
        &self,
        lines: usize,
        starts: &[i64],
        indices: &[i64],
        values: &[f64],
    ) -> Result<Vec<(usize, usize, f64)>, Flaw> {
        let wrong = |what: String| {
            self.flaw(
                "p",
                what,
                "it has one number more than there are lines; they begin with 0 and rise to at most \
                 the lengths of `i` and `x`",
            )
        };
        if starts.len() != lines.saturating_add(1) || starts[0] != 0 {
            return Err(wrong(format!(
                "it has {} numbers for {lines} lines",
                starts.len()
            )));
        }
        let mut entries = Vec::with_capacity(values.len());
        for (line, pair) in starts.windows(2).enumerate() {
            let (Ok(from), Ok(to)) = (usize::try_from(pair[0]), usize::try_from(pair[1])) else {
                return Err(wrong(format!("line {line} begins before 0")));
            };
            let (Some(indices), Some(values)) = (indices.get(from..to), values.get(from..to))
            else {
                return Err(wrong(format!("line {line} goes from {from} to {to}")));
            };
            for (index, value) in indices.iter().zip(values) {
                entries.push((self.index("i", *index)?, line, *value));
            }
        }
        Ok(entries)
    }

    fn solution(&self) -> Result<Solution, Flaw> {
        Ok(Solution {
            impulses: self.optional_numbers("r")?,
            relative: self.optional_numbers("u")?,
            velocities: self.optional_numbers("v")?,
        })
    }

    /// Equality constraints are not part of what can be solved here.
    fn refuse_constraints(&self) -> Result<(), Flaw> {
        for name in ["G", "V", "R"] {
            if self.has_group(name) && self.matrix(name)?.entry_count() > 0 {
                return Err(self.flaw(
                    name,
                    "the problem has equality constraints, which are not supported".to_owned(),
                    "eliminate them, or leave them out",
                ));
            }
        }
        Ok(())
    }
}

/// The groups that a problem may be in, and whether it is global and has rolling.
const GROUPS: [(&str, bool, bool); 4] = [
    ("fclib_local", false, false),
    ("fclib_global", true, false),
    ("fclib_local_rolling", false, true),
    ("fclib_global_rolling", true, true),
];

/// A contact problem from the bytes of an HDF5 file. A mass matrix of which there is only the upper
/// triangle is completed: some codes write half of it, and nothing in the file says so.
pub fn read_hdf5(bytes: Vec<u8>) -> Result<ContactFile, Flaw> {
    let file_size = bytes.len() as u64;
    let damaged = |error: hdf5_pure::Error| Flaw::in_dataset("/", error.to_string(), NOT_A_PROBLEM);
    let file = File::from_bytes(bytes).map_err(damaged)?;
    let root = Node {
        group: file.root(),
        path: String::new(),
        file_size,
    };
    let Some((name, global, rolling)) = GROUPS.into_iter().find(|g| root.has_group(g.0)) else {
        return Err(Flaw::in_dataset(
            "/",
            "there is no contact problem in it".to_owned(),
            "FCLib's files have a group `fclib_local`, `fclib_global` or `fclib_global_rolling`",
        ));
    };
    let node = root.child(name)?;
    node.refuse_constraints()?;
    let vectors = node.child("vectors")?;
    let form = if global {
        Form::Global(GlobalForm {
            mass: node.matrix("M")?.completed(),
            directions: node.matrix("H")?,
            momentum: vectors.numbers("f")?,
            offset: vectors.numbers("w")?,
        })
    } else {
        Form::Local {
            matrix: node.matrix("W")?,
            free: vectors.numbers("q")?,
        }
    };
    let info = match node.child("info") {
        Ok(info) => Info {
            title: info.words("title"),
            description: info.words("description"),
            math_info: info.words("math_info"),
        },
        Err(_) => Info::default(),
    };
    let mut guesses = Vec::new();
    if let Ok(node) = root.child("guesses") {
        // Their number is not taken on trust.
        while let Ok(guess) = node.child(&(guesses.len() + 1).to_string()) {
            guesses.push(guess.solution()?);
        }
    }
    let solution = match root.child("solution") {
        Ok(node) => Some(node.solution()?),
        Err(_) => None,
    };
    let file = ContactFile {
        dimension: node.size("spacedim")?,
        form,
        friction: vectors.numbers("mu")?,
        rolling: if rolling {
            vectors.numbers("mu_r")?
        } else {
            Vec::new()
        },
        info,
        guesses,
        solution,
    };
    file.check()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files in HDF5's oldest layout, without checksums.
    const OLD: [&[u8]; 3] = [
        include_bytes!("../../../../fuzz/seeds/fclib_hdf5/old_local"),
        include_bytes!("../../../../fuzz/seeds/fclib_hdf5/old_chunked"),
        include_bytes!("../../../../fuzz/seeds/fclib_hdf5/old_global"),
    ];

    #[test]
    fn files_in_the_oldest_layout_are_read() {
        let [local, chunked, global] = OLD.map(|bytes| read_hdf5(bytes.to_vec()).unwrap());
        assert_eq!(local, chunked);
        assert_eq!((local.dimension, local.friction), (3, vec![0.5]));
        assert_eq!((global.dimension, global.freedom_count()), (2, 2));
    }

    #[test]
    fn chunks_larger_than_the_file_are_refused() {
        let mut bytes = OLD[1].to_vec();
        // A chunk that is said to take 1.2 GB in the file, and as much memory before it is looked at.
        for (place, byte) in [(6662, 0x10), (6878, 0xfc), (14739, 0x48)] {
            bytes[place] = byte;
        }
        let flaw = read_hdf5(bytes).unwrap_err().to_string();
        assert!(flaw.contains("larger than the file"), "{flaw}");
    }
}
