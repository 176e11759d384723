//! Meshes from files and to files.

use granule::math::DVec3;
use granule::shapes::TriangleMesh;
use granule_io::mesh::{read_mesh, stl_bytes, write_stl};
use std::fs;

/// The error or the mesh of a file with these contents.
fn read(name: &str, bytes: &[u8], scale: f64) -> Result<TriangleMesh, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    read_mesh(&path, scale).map_err(|error| {
        let text = error.to_string();
        // Every error names the file.
        let start = format!("{}: ", path.display());
        text.strip_prefix(&start)
            .unwrap_or_else(|| panic!("{text}"))
            .to_owned()
    })
}

fn octahedron() -> TriangleMesh {
    let vertices = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::NEG_Z,
    ];
    let triangles = [
        [0, 1, 2],
        [1, 3, 2],
        [3, 4, 2],
        [4, 0, 2],
        [1, 0, 5],
        [3, 1, 5],
        [4, 3, 5],
        [0, 4, 5],
    ];
    TriangleMesh::new(&vertices, &triangles).unwrap()
}

/// A mesh as text, as other programs write it.
fn stl_text(mesh: &TriangleMesh) -> String {
    let mut text = "solid an octahedron, facet by facet\r\n".to_owned();
    for triangle in 0..mesh.triangles().len() as u32 {
        text += "  facet normal 0.0e+0 nan -1\r\n    OUTER loop\n";
        for corner in mesh.corners(triangle) {
            text += &format!("\tvertex {:e} {:+.9} {}\n", corner.x, corner.y, corner.z);
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid an octahedron, facet by facet\n"
}

/// The corners of all triangles.
fn corners(mesh: &TriangleMesh) -> Vec<[DVec3; 3]> {
    (0..mesh.triangles().len() as u32)
        .map(|t| mesh.corners(t))
        .collect()
}

#[test]
fn stl_keeps_triangles_in_both_forms() {
    let mesh = octahedron();
    let bytes = stl_bytes(&mesh);
    assert_eq!(bytes.len(), 84 + 50 * 8);
    for contents in [bytes, stl_text(&mesh).into_bytes()] {
        let back = read("mesh.STL", &contents, 1.0).unwrap();
        assert_eq!(corners(&back), corners(&mesh));
        assert_eq!(back.vertices().len(), 6);
        assert!(back.is_watertight());
        // In millimetres.
        let small = read("mesh.stl", &contents, 1e-3).unwrap();
        let volume = small.mass_properties().unwrap().volume;
        assert!((volume - 4.0 / 3.0 * 1e-9).abs() < 1e-24);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.stl");
    write_stl(&path, &mesh).unwrap();
    assert_eq!(corners(&read_mesh(&path, 1.0).unwrap()), corners(&mesh));
    // Normals are written for programs that read them.
    let normal =
        |k: usize| f32::from_le_bytes(stl_bytes(&mesh)[84 + 4 * k..][..4].try_into().unwrap());
    assert!((0..3).all(|k| (normal(k) - 1.0 / 3_f32.sqrt()).abs() < 1e-7));
}

#[test]
fn stl_in_binary_that_begins_as_text_does_is_binary() {
    let mesh = octahedron();
    let mut bytes = stl_bytes(&mesh);
    bytes[..20].copy_from_slice(b"solid facet endsolid");
    assert_eq!(
        corners(&read("mesh.stl", &bytes, 1.0).unwrap()),
        corners(&mesh)
    );
}

#[test]
fn obj_is_read_with_its_ways_to_write_faces() {
    let cube = "\u{feff}v 0 0 0 1.0\nv 1 0 0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\n\
        vn 0 0 1\nvt 0 0\no object\ng group\nusemtl none\n  f 4 3 2 1 # below\n\
        v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\ns off\n\
        f -4 -3 -2\nf 5/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 \\\n 7/1/1 6/1/1\n\
        l 1 2\nf 3 4 8 7\nf 4 1 5 8\n";
    let mesh = read("cube.obj", cube.as_bytes(), 2.0).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    let solid = mesh.mass_properties().unwrap();
    assert!((solid.volume - 8.0).abs() < 1e-14);
    assert!(solid.centroid.distance(DVec3::ONE) < 1e-14);
}

#[test]
fn obj_faces_that_are_not_convex_are_covered_once() {
    // A prism over an L.
    let outline = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]];
    let mut text = String::new();
    for z in [0, 1] {
        for [x, y] in outline {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    text += "f 6 5 4 3 2 1\nf 9 10 11 12 7 8\n";
    for k in 0..6 {
        let next = (k + 1) % 6;
        text += &format!("f {} {} {} {}\n", k + 1, next + 1, next + 7, k + 7);
    }
    let solid = read("l.obj", text.as_bytes(), 1.0)
        .unwrap()
        .mass_properties();
    assert!((solid.unwrap().volume - 4.0).abs() < 1e-14);
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let bytes = stl_bytes(&octahedron());
    let mut nan = bytes.clone();
    nan[84 + 50 + 16..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut many = bytes.clone();
    many[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut longer = bytes.clone();
    longer.extend([0; 7]);
    let mut none = bytes[..84].to_vec();
    none[80..84].fill(0);
    let text = stl_text(&octahedron());
    let cut = &text[..text.find("endfacet").unwrap() - 20];
    let stl: [(&[u8], &str); 13] = [
        (
            b"",
            "it is no STL: it does not begin with `solid`, and 0 bytes are too few for a binary one",
        ),
        (
            b"hello",
            "it is no STL: it does not begin with `solid`, and 5 bytes are too few for a binary one",
        ),
        (
            &bytes[..400],
            "it is cut short, or no STL: 8 triangles take 484 bytes, but it has 400",
        ),
        (
            &many,
            "it is cut short, or no STL: 4294967295 triangles take 214748364834 bytes, but it has 484",
        ),
        (
            &longer,
            "it has 7 bytes more than its 8 triangles take: is it an STL?",
        ),
        (
            &nan,
            "triangle 1 (counted from 0) has a corner at [0, NaN, 0], which is no place",
        ),
        (&none, "the mesh has no triangles"),
        (b"solid\nendsolid\n", "the mesh has no triangles"),
        (
            cut.as_bytes(),
            "it is cut short: it ends within a facet, on line 6",
        ),
        (
            b"solid\nfacet normal 0 0 0\nouter loop\nvertex 0 x 0",
            "line 4: `x` is no coordinate",
        ),
        (
            b"solid\nfacet normal 0 0 0\nouter loop\nvertex 0 inf 0",
            "line 4: `inf` is no coordinate",
        ),
        (
            b"solid\nfacet normal 0 0 0 inner loop",
            "line 2: `outer` is expected, not `inner`",
        ),
        (
            b"solid\nfacets\n",
            "line 2: `facet` is expected, not `facets`",
        ),
    ];
    for (contents, expected) in stl {
        assert_eq!(read("mesh.stl", contents, 1.0).unwrap_err(), expected);
    }
    let start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let obj = [
        (
            "",
            "it has no faces (lines that begin with `f`): is it an OBJ?",
        ),
        ("v 0 0\n", "line 1: a vertex needs x, y and z"),
        ("v 0 0 nan\n", "line 1: `nan` is no coordinate"),
        (
            "f 1 2\n",
            "line 4: a face needs three corners or more, not 2",
        ),
        ("f 1 2 4\n", "line 4: vertex 4 does not exist: there are 3"),
        (
            "f 1 2 0\n",
            "line 4: `0` is no corner: vertices are counted from 1, or back from -1",
        ),
        (
            "f 1 2 -4\n",
            "line 4: `-4` is no corner: vertices are counted from 1, or back from -1",
        ),
        (
            "f 1 2 x/1\n",
            "line 4: `x/1` is no corner: vertices are counted from 1, or back from -1",
        ),
        (
            "f 1 2 2\n",
            "all 1 triangles of the mesh are degenerate: their corners coincide or lie on a line",
        ),
    ];
    for (contents, expected) in obj {
        let contents = if contents.starts_with('f') {
            start.to_owned() + contents
        } else {
            contents.to_owned()
        };
        assert_eq!(
            read("mesh.obj", contents.as_bytes(), 1.0).unwrap_err(),
            expected
        );
    }
    assert_eq!(
        read("mesh.ply", b"ply", 1.0).unwrap_err(),
        "its name must end in .stl or .obj"
    );
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = read("mesh.stl", &bytes, scale).unwrap_err();
        assert!(
            error.starts_with("the scale must be positive and finite"),
            "{error}"
        );
    }
    let error = read("mesh.stl", &bytes, 1e300).unwrap_err();
    assert!(error.contains("coordinates must be finite"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let error = read_mesh(&folder.path().join("none.stl"), 1.0)
        .unwrap_err()
        .to_string();
    assert!(error.contains("none.stl: cannot read it: "), "{error}");
}
