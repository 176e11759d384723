//! Grains from a frame of an earlier run.

use super::vtk::{Point, find, from_points};
use super::{Cast, Context, Failure, Grain, Mould};
use crate::results::{FrameReader, PointCloud, ReadError, RunRecord, read_points};
use crate::scene::convert;
use crate::scene::error::Problem;
use crate::scene::grammar::{RunSource, VtkSource};
use crate::scene::key_path::KeyPath;
use granule::math::{DQuat, DVec3};
use std::io;
use std::path::Path;

/// All bodies of the frame, in the order of their ids.
pub(super) fn generate(
    source: &RunSource,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Vec<Grain>, Failure> {
    let path = path.join("run");
    let folder = context.folder.join(&source.folder);
    let reader = FrameReader::open(&folder)
        .map_err(|error| unreadable(&error, &folder, context.folder, &path))?;
    let count = reader.frames().len();
    let number = source.frame.unwrap_or(count.saturating_sub(1));
    let Some(frame) = reader.frames().get(number) else {
        return Err(Problem::new(
            path.join(if source.frame.is_some() {
                "frame"
            } else {
                "folder"
            }),
            format!("the run has no frame {number}"),
            format!("it has {count}, counted from 0"),
        )
        .help("leave `frame` out for the last one; a run without frames must be started again")
        .into());
    };
    let cloud = read_points(&frame.bodies)
        .map_err(|error| unreadable(&error, &folder, context.folder, &path))?;
    let arrays = VtkSource {
        file: frame.bodies.clone(),
        radius: Some("radius".to_owned()),
        mass: Some("mass".to_owned()),
        velocity: Some("velocity".to_owned()),
    };
    let points = from_points(&arrays, &cloud, context.dimension, false, &path)?;
    let spins = find(&cloud, Some("angular_velocity"), 3, &path)?.unwrap_or_default();
    let turns = find(&cloud, Some("orientation"), 4, &path)?.unwrap_or_default();
    let shapes = shapes(&cloud, &folder, context, mould, &path)?;
    let (spins, turns) = (spins.as_chunks::<3>().0, turns.as_chunks::<4>().0);
    let grain = |k: usize, point: Point, spin: &[f64; 3], turn: &[f64; 4]| {
        // Brought to unit length again, the last bits would change.
        let same = Some(DQuat::from_array(*turn)).filter(|turn| turn.is_normalized());
        let orientation = same.or(Some(convert::quaternion(Some(*turn))));
        let cast = Cast {
            solid: shapes.get(k).copied().flatten(),
            ..Cast::sphere(point.radius.unwrap_or(0.0), orientation)
        };
        Grain {
            mass: point.mass,
            velocity: point.velocity,
            angular_velocity: Some(DVec3::from_array(*spin)),
            ..Grain::new(point.position, cast)
        }
    };
    let states = points.into_iter().zip(spins.iter().zip(turns)).enumerate();
    Ok(states
        .map(|(k, (point, (spin, turn)))| grain(k, point, spin, turn))
        .collect())
}

/// The number of each body's shape in the world, which takes over those of the run; `None` for spheres. Empty if all
/// are.
fn shapes(
    cloud: &PointCloud,
    folder: &Path,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Vec<Option<u32>>, Problem> {
    let known = cloud.arrays.contains_key("shape");
    let numbers = find(cloud, known.then_some("shape"), 1, path)?.unwrap_or_default();
    if numbers.iter().all(|&number| number == -1.0) {
        return Ok(Vec::new());
    }
    let record = RunRecord::read(folder);
    let record = record.map_err(|error| unreadable(&error, folder, context.folder, path))?;
    let (of_run, here) = (record.dimension.count(), context.dimension);
    let wrong = |reason: String, help: &str| {
        Err(Problem::new(path.join("folder"), reason, "this run").help(help))
    };
    if of_run != here {
        return wrong(
            format!("shapes of a run in {of_run}D cannot move in {here}D"),
            "set `dimension` in `[scene]` to that of the run",
        );
    }
    let solids = record.solids.len();
    let is_known = |number: f64| number == -1.0 || (number >= 0.0 && number < solids as f64);
    if let Some(k) = numbers.iter().position(|&number| !is_known(number)) {
        return wrong(
            format!("body {k} of the frame has a shape that cannot be taken over"),
            "only spheres and bodies with a shape of their own can; the run may be damaged: make it again",
        );
    }
    let first = mould.adopt(record.solids);
    let number = |number: &f64| (*number >= 0.0).then_some(first + *number as u32);
    Ok(numbers.iter().map(number).collect())
}

/// Most often the run has not been made yet.
fn unreadable(error: &ReadError, folder: &Path, scenes: &Path, path: &KeyPath) -> Problem {
    let missing =
        matches!(error, ReadError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound);
    if !missing {
        return Problem::new(path.join("folder"), error.to_string(), "this run")
            .help("run its scene again with --overwrite");
    }
    let mut scene = scenes.join(folder.file_name().unwrap_or_default());
    scene.set_extension("toml");
    let command = if scene.exists() {
        format!("`granule run {}`", scene.display())
    } else {
        "`granule run` on the scene that it comes from".to_owned()
    };
    Problem::new(
        path.join("folder"),
        format!("there is no run in {}", folder.display()),
        "no `frames.pvd` in this folder",
    )
    .help(format!(
        "make it first: {command}; `folder` is relative to the folder of the scene file"
    ))
}
