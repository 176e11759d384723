//! The examples run, and what they say is true. Their `main` looks at the words of the command line, so
//! it is not called here.

#[allow(dead_code)]
#[path = "../../examples/read_run.rs"]
mod read_run;
#[allow(dead_code)]
#[path = "../../examples/record_run.rs"]
mod record_run;
#[allow(dead_code)]
#[path = "../../examples/shapes.rs"]
mod shapes;

#[test]
fn a_program_records_its_own_world() {
    let place = tempfile::tempdir().unwrap();
    record_run::record(place.path()).unwrap();
    read_run::read(&place.path().join("whole")).unwrap();
}

#[test]
fn a_program_reads_a_run() {
    let place = tempfile::tempdir().unwrap();
    assert!(read_run::read(place.path()).is_err());
    read_run::make(place.path()).unwrap();
    read_run::read(place.path()).unwrap();
}

#[test]
fn a_program_records_bodies_of_every_shape() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("shapes");
    shapes::record(&folder, 2, 0.2).unwrap();
    read_run::read(&folder).unwrap();
}
