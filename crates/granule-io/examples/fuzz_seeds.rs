//! Writes a few small valid files of each kind into `FOLDER/<target>/`, for the fuzz targets to start
//! from: `cargo run -p granule-io --example fuzz_seeds -- FOLDER`. The scenes and tables of `scenes/`
//! are taken as they are.

use granule::bodies::{Dimension, Motion, Sphere, Wall};
use granule::law::{Friction, Law, LawTable};
use granule::math::DVec3;
use granule::shapes::{Block, BoxContainer, Cone, HalfSpace, Surface, TriangleMesh};
use granule::simulation::{Settings, Simulation, StepSize, World};
use granule_io::checkpoint::CheckpointStore;
use granule_io::fclib::{ContactFile, read_text, write_hdf5, write_text};
use granule_io::mesh::stl_bytes;
use granule_io::results::{BodyFrame, Bounds, ContactFrame, FrameWriter};
use std::error::Error;
use std::fs;
use std::path::Path;

type Outcome = Result<(), Box<dyn Error>>;

/// Contact problems in Siconos' text: dense, by blocks of one contact, and global.
const LOCAL: &str = "3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3 0  0.5";
const PLANE: &str = "2 1  0 2 2 2 2  1 0.1 0.1 1  -1 3  0.5";

/// Bodies and grains of every shape that is not in a file.
const SHAPES: &str = "[scene]\nname = 'shapes'\n[time]\nstep = 1e-3\nend = 1\n[[bodies]]\n\
    hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], rounding = 0.1 }\nposition = [9, 0, 0]\n\
    [[bodies]]\nunion = { parts = [{ box = { size = [1, 2, 3], rounding = 0.1 } }, \
    { capsule = { radius = 0.1, length = 1 }, position = [0, 0, 1], orientation = [1, 0, 0, 1] }] }\n\
    position = [-9, 0, 0]\n[[bodies]]\ncone = { bottom_radius = 1, top_radius = 0, length = 1 }\n\
    position = [0, 9, 0]\n[[grains]]\nshape = { superellipsoid = { half_axes = [0.1, 0.1, 0.2], \
    exponents = [2, 4] } }\nsize = { uniform = [0.8, 1.2] }\norientation = 'random'\n\
    random = { count = 9, region = { box = { min = [-1, -1, -1], max = [1, 1, 1] } } }\n";
const FLAT: &str = "[scene]\nname = 'flat'\ndimension = 2\n[time]\nstep = 1e-3\nend = 1\n[[bodies]]\n\
    polygon = { corners = [[0, 0], [1, 0], [0, 1]], rounding = 0.1 }\nposition = [9, 0]\n[[grains]]\n\
    shape = { ellipse = { half_axes = [0.2, 0.1], exponent = 3 } }\norientation = [0, 0, 1, 1]\n\
    grid = { counts = [2, 2], spacing = 1 }\n";

fn put(folder: &Path, target: &str, name: &str, bytes: &[u8]) -> Outcome {
    let folder = folder.join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}

/// Three spheres over walls of several shapes, some steps into their fall.
fn simulation(dimension: Dimension, law: Law) -> Result<Simulation, Box<dyn Error>> {
    let mut world = World::new(dimension);
    world.laws = LawTable::uniform(law);
    world.gravity = DVec3::new(0.0, -9.81, 0.0);
    let sway = Motion::Oscillation {
        amplitude: [0.1, 0.0, 0.0],
        frequency: 2.0,
        phase: 0.5,
    };
    let turn = Motion::Rotation {
        axis: [0.0, 0.0, 1.0],
        rate: 2.0,
        center: None,
    };
    let walls = [
        (Surface::HalfSpace(HalfSpace), DVec3::Y, sway),
        (
            Surface::Box(BoxContainer::closed([4.0; 3])),
            DVec3::Z,
            Motion::Fixed,
        ),
        (Surface::Block(Block { size: [0.5; 3] }), DVec3::Z, turn),
    ];
    for (surface, axis, motion) in walls {
        world.add_wall(Wall::new(surface, DVec3::NEG_Y, axis, motion));
    }
    let cone = Cone {
        bottom_radius: 0.5,
        top_radius: 1.0,
        length: 1.0,
        bottom: true,
        top: false,
    };
    if dimension == Dimension::Space {
        world.add_wall(Wall::new(
            Surface::Cone(cone),
            DVec3::ZERO,
            DVec3::Y,
            Motion::Fixed,
        ));
    }
    for k in 0..3 {
        let mut sphere = Sphere::new(
            DVec3::new(0.05 * f64::from(k), 0.21 * f64::from(k), 0.0),
            0.1,
            1.0,
        );
        sphere.angular_velocity = 3.0 * DVec3::Z;
        sphere.motion = (k == 2).then_some(Motion::Velocity {
            linear: [0.0, -0.5, 0.0],
        });
        world.add_sphere(&sphere);
    }
    let mut simulation = Simulation::new(world, Settings::new(StepSize::Fixed(0.01), 1.0))?;
    for _ in 0..20 {
        simulation.step()?;
    }
    Ok(simulation)
}

/// A checkpoint's payload is what the fuzz target wraps in a header of its own.
fn checkpoint(folder: &Path, name: &str, simulation: &Simulation) -> Outcome {
    let store = folder.join("checkpoint");
    fs::create_dir_all(&store)?;
    CheckpointStore::new(&store).save(&simulation.snapshot(), 20)?;
    let file = fs::read(store.join("a.bin"))?;
    fs::remove_file(store.join("a.bin"))?;
    put(folder, "checkpoint", &format!("{name}_file"), &file)?;
    put(folder, "checkpoint", name, &file[48..])
}

fn frames(folder: &Path, simulation: &Simulation) -> Outcome {
    let bodies = &simulation.world().bodies;
    let run = folder.join("vtk");
    let bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
    let mut writer = FrameWriter::create(&run, bounds)?;
    writer.write(0.5, &BodyFrame::of(bodies), &ContactFrame::default(), &[])?;
    put(
        folder,
        "series",
        "frames.pvd",
        &fs::read(run.join("frames.pvd"))?,
    )?;
    fs::rename(run.join("frames/bodies_000000.vtp"), run.join("bodies.vtp"))?;
    fs::remove_dir_all(run.join("frames"))?;
    fs::remove_file(run.join("frames.pvd"))?;
    let text = "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='2'><PointData>\
                <DataArray type='Float32' Name='r'>1 2</DataArray></PointData><Points>\
                <DataArray type='Float64' NumberOfComponents='3'>0 0 0 1 1 1</DataArray></Points>\
                </Piece></PolyData></VTKFile>";
    put(folder, "vtk", "text.vtp", text.as_bytes())
}

fn problem(folder: &Path, name: &str, file: &ContactFile) -> Outcome {
    put(folder, "siconos_text", name, write_text(file)?.as_bytes())?;
    put(folder, "fclib_hdf5", name, &write_hdf5(file)?)
}

/// A tetrahedron in each form.
fn meshes(folder: &Path) -> Outcome {
    let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mesh = TriangleMesh::new(&vertices, &triangles)?;
    put(folder, "mesh", "binary.stl", &stl_bytes(&mesh))?;
    let mut text = "solid tetrahedron\n".to_owned();
    for triangle in 0..4 {
        text += "facet normal 0 0 0\nouter loop\n";
        for corner in mesh.corners(triangle) {
            text += &format!("vertex {} {} {}\n", corner.x, corner.y, corner.z);
        }
        text += "endloop\nendfacet\n";
    }
    put(folder, "mesh", "text.stl", text.as_bytes())?;
    let obj = "# faces\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .1 .1 0\n\
               g\nf 1/1 -3//1 \\\n5 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    put(folder, "mesh", "faces.obj", obj.as_bytes())
}

fn main() -> Outcome {
    let argument = std::env::args_os()
        .nth(1)
        .ok_or("give the folder to write to")?;
    let folder = Path::new(&argument);
    let friction = Friction {
        sliding: 0.5,
        rolling: 0.01,
        spinning: 0.0,
    };
    let worlds = [
        ("rough", Dimension::Space, Law::CoulombConvex(friction)),
        ("smooth", Dimension::Space, Law::Frictionless),
        (
            "plane",
            Dimension::Plane,
            Law::Coulomb(Friction::sliding(0.5)),
        ),
    ];
    for (name, dimension, law) in worlds {
        let simulation = simulation(dimension, law)?;
        checkpoint(folder, name, &simulation)?;
        if dimension == Dimension::Space {
            frames(folder, &simulation)?;
        }
    }
    for (name, text) in [("local", LOCAL), ("plane", PLANE)] {
        put(
            folder,
            "siconos_text",
            &format!("{name}_dense"),
            text.as_bytes(),
        )?;
        problem(folder, name, &read_text(text)?)?;
    }
    meshes(folder)?;
    let series = "step[-],time[s],contacts[-]\n1,0.01,3\n2,0.02,nan\n";
    put(folder, "series", "series.csv", series.as_bytes())?;
    let table = "x,y,z,r,m,q0,q1,q2,q3,vx,vy,vz,wx,wy,wz\n# a comment\n\
                 0,0,0,0.1,1,1,0,0,0,0,0,0,0,0,0\n1,0,0,0.1,1,1,0,0,0,0,0,0,0,0,0\n";
    put(folder, "csv", "table.csv", table.as_bytes())?;
    put(folder, "scene", "shapes.toml", SHAPES.as_bytes())?;
    put(folder, "scene", "flat.toml", FLAT.as_bytes())?;
    for entry in fs::read_dir("scenes")? {
        let path = entry?.path();
        let target = match path.extension().and_then(|end| end.to_str()) {
            Some("toml") => "scene",
            Some("csv") => "csv",
            _ => continue,
        };
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        put(folder, target, &name, &fs::read(&path)?)?;
    }
    Ok(())
}
