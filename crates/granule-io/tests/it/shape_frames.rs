//! Bodies of any shape in frames, records and checkpoints.

use granule::bodies::{Bodies, BodyShape, Dimension, Motion, RigidBody, Sphere, Wall};
use granule::math::{DQuat, DVec2, DVec3, Pose};
use granule::shapes::{Hull, Solid, Superellipsoid, Surface, TriangleMesh};
use granule::simulation::{Settings, Snapshot, StepSize, World};
use granule_io::checkpoint::CheckpointStore;
use granule_io::results::{
    BodyFrame, Bounds, ContactFrame, FrameReader, FrameWriter, RunRecord, WallRecord, read_points,
    tessellate_solid,
};
use std::path::Path;
use std::sync::Arc;

/// A sphere, a plate's body and two bodies of one shape, not in the order of ids.
fn bodies() -> Bodies {
    let mut world = World::new(Dimension::Space);
    let brick = Solid::from(Hull::cuboid(DVec3::new(0.1, 0.05, 0.03)));
    let egg = Superellipsoid::ellipsoid(DVec3::new(0.1, 0.08, 0.08));
    world.add_shape(egg.into());
    let number = world.add_shape(brick.clone());
    world.add_sphere(&Sphere::new(DVec3::X, 0.1, 2.0));
    let mut body = RigidBody::of_shape(&brick, DVec3::new(0.0, 3.0, 0.2), 2.0);
    body.orientation = DQuat::from_rotation_x(0.3);
    body.velocity = DVec3::new(0.0, 0.0, -2.0);
    world.add_solid(&body, number, 1);
    world.add_body(&RigidBody::new(DVec3::Z, 3.0, DVec3::ONE));
    body.position.x = 1.0 / 3.0;
    world.add_solid(&body, number, 0);
    world.bodies.reorder(&[3, 2, 0, 1]);
    world.bodies
}

fn write(writer: &mut FrameWriter, time: f64, bodies: &Bodies) {
    let frame = BodyFrame::of(bodies);
    let contacts = ContactFrame::default();
    writer.write(time, &frame, &contacts, &[]).unwrap();
}

fn mesh() -> TriangleMesh {
    let (count, step) = (40u32, 0.1);
    let grid = (0..count * count).map(|k| (f64::from(k % count), f64::from(k / count)));
    let height = |x: f64, y: f64| 0.1 * (x * y / 3.0).sin();
    let points: Vec<DVec3> = grid
        .map(|(x, y)| DVec3::new(step * x, step * y, height(x, y)))
        .collect();
    let cells = (0..count - 1).flat_map(|y| (0..count - 1).map(move |x| y * count + x));
    let triangles: Vec<[u32; 3]> = cells
        .flat_map(|k| [[k, k + 1, k + count + 1], [k, k + count + 1, k + count]])
        .collect();
    TriangleMesh::new(&points, &triangles).unwrap()
}

#[test]
fn shapes_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = bodies();
    let mut writer = FrameWriter::create(folder.path(), Bounds::default()).unwrap();
    write(&mut writer, 0.5, &bodies);
    let reader = FrameReader::open(folder.path()).unwrap();
    let solid = BodyShape::Solid(1);
    let expected = [BodyShape::Sphere, solid, BodyShape::Walls, solid];
    assert_eq!(reader.bodies(0).unwrap().shape, expected);

    // The surfaces are where the bodies are, one after the other in the order of ids.
    let file = reader.frames()[0].shapes.clone().unwrap();
    assert_eq!(file, folder.path().join("frames/shapes_000000.vtp"));
    let found = read_points(&file).unwrap().points;
    let mesh = tessellate_solid(&bodies.solids[1], Dimension::Space, 8).welded();
    let places = [3, 0].map(|k| Pose::new(bodies.position[k], bodies.orientation[k]));
    let expected: Vec<[f64; 3]> = places
        .iter()
        .flat_map(|pose| mesh.points.iter().map(|p| pose.point(*p).to_array()))
        .map(|point| point.map(|x| f64::from(x as f32)))
        .collect();
    assert_eq!(found, expected);

    // A run that starts again leaves no file of the one before.
    FrameWriter::create(folder.path(), Bounds::default()).unwrap();
    assert!(!file.exists());
}

#[test]
fn spheres_alone_have_no_file_of_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let mut bodies = Bodies::default();
    bodies.push(&Sphere::new(DVec3::X, 0.1, 2.0));
    let mut writer = FrameWriter::create(folder.path(), Bounds::default()).unwrap();
    write(&mut writer, 0.5, &bodies);
    let reader = FrameReader::open(folder.path()).unwrap();
    assert_eq!(reader.frames()[0].shapes, None);
    assert_eq!(reader.bodies(0).unwrap().shape, [BodyShape::Sphere]);
    assert_eq!(folder.path().join("frames").read_dir().unwrap().count(), 2);
}

#[test]
fn in_a_plane_surfaces_are_flat() {
    let folder = tempfile::tempdir().unwrap();
    let mut world = World::new(Dimension::Plane);
    let corners = [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2)].map(|(x, y)| DVec2::new(x, y));
    let (triangle, _) = Solid::polygon(&corners, 0.0).unwrap();
    let body = RigidBody::of_shape(&triangle, DVec3::new(1.0, 2.0, 0.0), 2.0);
    let number = world.add_shape(triangle);
    world.add_solid(&body, number, 0);
    let writer = FrameWriter::create(folder.path(), Bounds::default()).unwrap();
    write(
        &mut writer.in_dimension(Dimension::Plane),
        0.0,
        &world.bodies,
    );
    let points = read_points(&folder.path().join("frames/shapes_000000.vtp"));
    let points = points.unwrap().points;
    assert_eq!(points.len(), 4);
    assert!(points.iter().all(|[.., z]| z.abs() < 1e-12));
}

/// A file of one body with these point arrays, as text.
fn body_file(folder: &Path, shape: &str) {
    std::fs::create_dir_all(folder.join("frames")).unwrap();
    let array = |name: &str, components: usize, values: &str| {
        format!(
            "<DataArray type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
             format=\"ascii\">{values}</DataArray>"
        )
    };
    let arrays = [
        array("id", 1, "0"),
        array("radius", 1, "0.1"),
        array("velocity", 3, "0 0 0"),
        array("angular_velocity", 3, "0 0 0"),
        array("orientation", 4, "0 0 0 1"),
        array("material", 1, "0"),
        array("mass", 1, "2"),
        shape.to_owned(),
    ];
    let points = array("Points", 3, "1 2 3");
    let text = format!(
        "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"1\"><PointData>{}\
         </PointData><Points>{points}</Points></Piece></PolyData></VTKFile>",
        arrays.concat()
    );
    std::fs::write(folder.join("frames/bodies_000000.vtp"), text).unwrap();
    let list = "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"0.0\" part=\"0\" \
                file=\"frames/bodies_000000.vtp\"/></Collection></VTKFile>";
    std::fs::write(folder.join("frames.pvd"), list).unwrap();
}

#[test]
fn bodies_of_earlier_versions_are_spheres_and_wrong_shapes_errors() {
    let folder = tempfile::tempdir().unwrap();
    body_file(folder.path(), "");
    let bodies = FrameReader::open(folder.path()).unwrap().bodies(0).unwrap();
    assert_eq!(bodies.shape, [BodyShape::Sphere]);
    assert_eq!(bodies.mass, [2.0]);

    let shape = "<DataArray type=\"Int64\" Name=\"shape\" format=\"ascii\">-3</DataArray>";
    body_file(folder.path(), shape);
    let reader = FrameReader::open(folder.path()).unwrap();
    let told = reader.bodies(0).unwrap_err().to_string();
    assert!(told.contains("no shape of number -3"), "{told}");
}

#[test]
fn a_record_holds_shapes_and_meshes_once_and_compactly() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, bodies) = (mesh(), bodies());
    let vertices = mesh.vertices().len();
    let surface = Surface::Mesh(Arc::new(mesh));
    let wall = Wall::new(surface, DVec3::Y, DVec3::X, Motion::Fixed);
    let record = RunRecord {
        materials: vec!["sand".to_owned()],
        walls: vec![WallRecord::new(None, &wall)],
        solids: bodies.solids.clone(),
        ..RunRecord::new("terrain", Dimension::Space)
    };
    record.write(folder.path()).unwrap();
    let back = RunRecord::read(folder.path()).unwrap();
    assert_eq!(back, record);
    assert_eq!(back.walls(), [wall]);
    assert_eq!(format!("{:?}", back.solids), format!("{:?}", record.solids));
    let text = std::fs::read_to_string(folder.path().join("run.json")).unwrap();
    assert!(text.lines().count() < 50, "{}", text.lines().count());
    // Of the mesh and of the brick.
    assert_eq!(text.matches("vertices").count(), 2);
    // Three numbers a vertex and twice three indices.
    assert!(text.len() < 120 * vertices, "{}", text.len());
}

#[test]
fn a_shape_that_cannot_be_is_an_error_that_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let record = RunRecord {
        solids: bodies().solids,
        ..RunRecord::new("eggs", Dimension::Space)
    };
    record.write(folder.path()).unwrap();
    let path = folder.path().join("run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    *whole.pointer_mut("/solids/1/volume").unwrap() = serde_json::json!(-1.0);
    std::fs::write(&path, whole.to_string()).unwrap();
    let told = RunRecord::read(folder.path()).unwrap_err().to_string();
    assert!(told.contains("solid 1 cannot be"), "{told}");
}

#[test]
fn a_checkpoint_holds_shapes_and_a_mesh_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = CheckpointStore::new(folder.path());
    let mut world = World::new(Dimension::Space);
    world.bodies = bodies();
    let settings = Settings::new(StepSize::Fixed(1e-3), 1.0);
    let size = |store: &mut CheckpointStore, world: &World| {
        store.clear().unwrap();
        let snapshot = Snapshot::start(world.clone(), settings);
        store.save(&snapshot, 1).unwrap();
        let (back, _) = store.load_latest::<Snapshot>().unwrap().unwrap();
        assert_eq!(back.world, *world);
        std::fs::metadata(folder.path().join("a.bin"))
            .unwrap()
            .len()
    };
    let plain = size(&mut store, &world);
    let mesh = mesh();
    // Three numbers a vertex; an index is one or two bytes here.
    let (vertices, indices) = (mesh.vertices().len(), 3 * mesh.triangles().len());
    let own = [24 * vertices + indices, 24 * vertices + 2 * indices];
    let surface = Surface::Mesh(Arc::new(mesh));
    world.add_wall(Wall::new(surface, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    let more = size(&mut store, &world) - plain;
    let more = more as usize;
    assert!(own[0] < more && more < own[1] + 500, "{more} of {own:?}");
}

#[test]
fn a_checkpoint_of_an_earlier_layout_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = CheckpointStore::new(folder.path());
    store.save(&vec![1.0], 1).unwrap();
    let path = folder.path().join("a.bin");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 3;
    std::fs::write(&path, bytes).unwrap();
    let told = store.load_latest::<Vec<f64>>().unwrap_err().to_string();
    for word in ["version 3, and 11 is read", "start the run afresh"] {
        assert!(told.contains(word), "no `{word}` in: {told}");
    }
}
