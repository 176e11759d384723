//! Files that are either there as a whole or not at all.

use super::WriteError;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name a file has while it is being written, in the same folder.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    path.with_file_name(name)
}

/// Writes `parts` one after the other to `path`: under a temporary name first, then renamed.
///
/// An error leaves an earlier file of that name as it was.
pub(super) fn write_atomically(path: &Path, parts: &[&[u8]]) -> Result<(), WriteError> {
    let temporary = temporary_name(path);
    let written = File::create(&temporary).and_then(|mut file| {
        parts.iter().try_for_each(|part| file.write_all(part))?;
        file.flush()
    });
    written
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|source| {
            // The half-written file takes space that is scarce by now; it may also not exist.
            let _ = fs::remove_file(&temporary);
            WriteError::io(path, source)
        })
}

/// Makes a folder and those above it, if they are not there yet.
pub(super) fn make_folder(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|source| WriteError::io(path, source))
}

/// Writes a whole file under a temporary name and renames it, so that no reader ever meets half of
/// it.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    write_atomically(path, &[contents])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_noticed_and_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        write_atomically(&path, &[b"old"]).unwrap();
        std::os::unix::fs::symlink("/dev/full", temporary_name(&path)).unwrap();
        let error = write_atomically(&path, &[b"new"]).unwrap_err().to_string();
        assert!(error.contains("No space left on device"), "{error}");
        assert!(error.contains("are intact"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        // Once there is space again, writing works.
        write_atomically(&path, &[b"n", b"ew"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
