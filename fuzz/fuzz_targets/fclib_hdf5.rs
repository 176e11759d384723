//! A contact problem in FCLib's HDF5.
#![no_main]

use granule_io::fclib::read_hdf5;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match read_hdf5(bytes.to_vec()) {
        Ok(file) => file.check().expect("what is read has been checked"),
        Err(flaw) => drop(flaw.to_string()),
    }
});
