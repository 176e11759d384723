//! Meshes in STL and OBJ, and what can be asked of them.
#![no_main]

use granule_io::mesh::{read_mesh, write_stl};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILES: LazyLock<([PathBuf; 2], PathBuf, tempfile::TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the files");
    let path = |name| folder.path().join(name);
    ([path("mesh.stl"), path("mesh.obj")], path("again.stl"), folder)
});

fuzz_target!(|bytes: &[u8]| {
    let (paths, again, _) = &*FILES;
    for path in paths {
        std::fs::write(path, bytes).expect("room for the file");
        let mesh = match read_mesh(path, 1e-3) {
            Ok(mesh) => mesh,
            Err(error) => {
                drop(error.to_string());
                continue;
            }
        };
        assert!((0..mesh.triangles().len() as u32).all(|t| mesh.facet_normal(t).is_normalized()));
        match mesh.mass_properties() {
            Ok(solid) => assert!(solid.volume > 0.0 && solid.centroid.is_finite()),
            Err(error) => drop(error.to_string()),
        }
        let [min, max] = mesh.bounds();
        let mut contacts = Vec::new();
        for center in [min, max, 0.5 * (min + max), mesh.vertices()[0]] {
            let reach = min.distance(max);
            mesh.ball_contacts(center, reach, &mut contacts);
            assert!(!contacts.is_empty());
            assert!(contacts.iter().all(|c| c.normal.is_normalized() && c.distance <= reach));
        }
        write_stl(again, &mesh).expect("room for the file");
        if let Err(error) = read_mesh(again, 1.0) {
            drop(error.to_string());
        }
    }
});
