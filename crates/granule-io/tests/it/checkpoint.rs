//! A checkpoint survives whatever happens while the next one is written.

use granule::bodies::{Bodies, Sphere};
use granule::math::DVec3;
use granule_io::checkpoint::{CheckpointError, CheckpointStore};
use proptest::prelude::*;
use std::fs;

#[test]
fn bodies_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = CheckpointStore::new(folder.path());
    let mut bodies = Bodies::default();
    bodies.push(&Sphere::new(DVec3::new(0.1 + 0.2, -0.0, 5e-324), 0.1, 2.0));
    bodies.push(&Sphere::new(
        DVec3::new(f64::from_bits(0x7ff8_dead_beef_0001), 1e300, 0.0),
        0.1,
        2.0,
    ));
    store.save(&bodies, 7).unwrap();
    let (back, step) = store.load_latest::<Bodies>().unwrap().unwrap();
    assert_eq!(step, 7);
    assert_eq!(back.state_hash(), bodies.state_hash());
    assert_eq!(back.position[1].x.to_bits(), 0x7ff8_dead_beef_0001);
    assert!(back.position[0].y.is_sign_negative());
}

#[test]
fn a_file_cut_at_any_length_gives_way_to_the_other_generation() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]);
    let mut store = CheckpointStore::new(folder.path());
    store.save(&old, 1).unwrap();
    store.save(&new, 2).unwrap();
    let newer = folder.path().join("b.bin");
    let whole = fs::read(&newer).unwrap();
    for length in 0..whole.len() {
        fs::write(&newer, &whole[..length]).unwrap();
        let mut store = CheckpointStore::new(folder.path());
        assert_eq!(
            store.load_latest::<Vec<f64>>().unwrap(),
            Some((old.clone(), 1))
        );
    }
    for position in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[position] ^= 0x10;
        fs::write(&newer, &bytes).unwrap();
        let mut store = CheckpointStore::new(folder.path());
        assert_eq!(
            store.load_latest::<Vec<f64>>().unwrap(),
            Some((old.clone(), 1))
        );
    }
    // A run that goes on overwrites the torn file, not the whole one.
    let mut store = CheckpointStore::new(folder.path());
    store.save(&new, 3).unwrap();
    assert_eq!(store.load_latest::<Vec<f64>>().unwrap(), Some((new, 3)));
    fs::remove_file(&newer).unwrap();
    let mut store = CheckpointStore::new(folder.path());
    assert_eq!(store.load_latest::<Vec<f64>>().unwrap(), Some((old, 1)));
}

#[test]
fn the_newest_of_many_is_loaded_and_clearing_forgets_them() {
    let folder = tempfile::tempdir().unwrap();
    for step in [10, 20, 30, 5, 6] {
        // A new store each time: the generations are found on disk.
        CheckpointStore::new(folder.path())
            .save(&step, step)
            .unwrap();
        let mut store = CheckpointStore::new(folder.path());
        assert_eq!(store.load_latest::<u64>().unwrap(), Some((step, step)));
    }
    let mut store = CheckpointStore::new(folder.path());
    store.clear().unwrap();
    assert!(store.load_latest::<u64>().unwrap().is_none());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = CheckpointStore::new(folder.path());
    store.save(&vec![1.0; 100], 1).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path().join("b.bin.tmp")).unwrap();
    let error = store.save(&vec![2.0; 100], 2).unwrap_err();
    assert!(matches!(
        error,
        CheckpointError::Write { last: Some(1), .. }
    ));
    let text = error.to_string();
    assert!(text.contains("No space left on device"), "{text}");
    assert!(text.contains("(step 1) is intact"), "{text}");
    assert_eq!(
        store.load_latest::<Vec<f64>>().unwrap(),
        Some((vec![1.0; 100], 1))
    );
    store.save(&vec![3.0; 100], 3).unwrap();
    assert_eq!(
        store.load_latest::<Vec<f64>>().unwrap(),
        Some((vec![3.0; 100], 3))
    );
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let mut store = CheckpointStore::new(&file.join("checkpoint"));
    let text = store.save(&1u64, 1).unwrap_err().to_string();
    assert!(text.contains("there is no earlier checkpoint"), "{text}");
}

#[test]
fn another_type_is_an_error_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = CheckpointStore::new(folder.path());
    store.save(&vec![1.0, 2.0], 1).unwrap();
    let text = store
        .load_latest::<(String, u64)>()
        .unwrap_err()
        .to_string();
    assert!(text.contains("another version"), "{text}");
    assert!(text.contains("start the run afresh"), "{text}");
}

proptest! {
    #[test]
    fn random_bytes_never_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        with_magic in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut file = if with_magic { b"GRANCKPT\x01\0\0\0\0\0\0\0".to_vec() } else { Vec::new() };
        file.extend(bytes);
        fs::write(folder.path().join("a.bin"), &file).unwrap();
        let mut store = CheckpointStore::new(folder.path());
        prop_assert!(store.load_latest::<Vec<Vec<f64>>>().is_err());
        store.save(&1u64, 1).unwrap();
        prop_assert_eq!(store.load_latest::<u64>().unwrap(), Some((1, 1)));
    }

    #[test]
    fn numbers_survive_bit_for_bit(bits in proptest::collection::vec(any::<u64>(), 0..50)) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = CheckpointStore::new(folder.path());
        let values: Vec<f64> = bits.iter().map(|&b| f64::from_bits(b)).collect();
        store.save(&values, 1).unwrap();
        let (back, _) = store.load_latest::<Vec<f64>>().unwrap().unwrap();
        let back: Vec<u64> = back.into_iter().map(f64::to_bits).collect();
        prop_assert_eq!(back, bits);
    }
}
