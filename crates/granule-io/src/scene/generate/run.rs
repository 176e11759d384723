//! Grains from a frame of an earlier run.

use super::vtk::{find, from_points};
use super::{Context, Failure, Grain};
use crate::results::{FrameReader, ReadError, read_points};
use crate::scene::convert;
use crate::scene::error::Problem;
use crate::scene::grammar::{Grains, RunSource, VtkSource};
use crate::scene::key_path::KeyPath;
use granule::math::{DQuat, DVec3};
use std::io;
use std::path::Path;

/// All bodies of the frame, in the order of their ids.
pub(super) fn generate(
    grains: &Grains,
    source: &RunSource,
    context: &Context<'_>,
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
    let mut made = from_points(grains, &arrays, &cloud, context.dimension, &path)?;
    let spins = find(&cloud, Some("angular_velocity"), 3, &path)?.unwrap_or_default();
    let turns = find(&cloud, Some("orientation"), 4, &path)?.unwrap_or_default();
    let states = spins
        .as_chunks::<3>()
        .0
        .iter()
        .zip(turns.as_chunks::<4>().0);
    for (grain, (spin, turn)) in made.iter_mut().zip(states) {
        grain.angular_velocity = Some(DVec3::from_array(*spin));
        // Brought to unit length again, the last bits would change.
        let same = Some(DQuat::from_array(*turn)).filter(|turn| turn.is_normalized());
        grain.orientation = same.or(Some(convert::quaternion(Some(*turn))));
    }
    Ok(made)
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
