//! Grains from a frame of an earlier run.

use super::vtk::{Point, find, from_points};
use super::{Cast, Context, Failure, Grain, Mould};
use crate::results::{FrameFiles, FrameReader, PointCloud, ReadError, RunRecord, read_points};
use crate::scene::convert;
use crate::scene::error::Problem;
use crate::scene::grammar::{Clock, RunSource, Sections, VtkSource};
use crate::scene::key_path::{KeyPath, key_path};
use granule::math::{DQuat, DVec3};
use std::io;
use std::path::{Path, PathBuf};

/// What frames say in the place of a shape of bodies that only carry walls.
const CARRIER: f64 = -2.0;

/// The largest id that is taken over; bodies of the scene get ids beyond it.
const LARGEST_ID: f64 = (1u32 << 31) as f64;

/// What is taken over from a run.
pub(super) struct Taken {
    /// In the order of their ids.
    pub grains: Vec<Grain>,
    /// How many of them moved as prescribed.
    pub prescribed: usize,
}

/// The time at which a run of the scene starts (s): that of the frame which it goes on from, else zero.
pub(crate) fn start_time(sections: &Sections, context: &Context<'_>) -> Result<f64, Problem> {
    let mut found: Option<(f64, KeyPath)> = None;
    for (set, grains) in sections.grains.iter().enumerate() {
        let going_on = |source: &&RunSource| source.time == Clock::Continue;
        let Some(source) = grains.run.as_ref().filter(going_on) else {
            continue;
        };
        let path = key_path!["grains", set, "run"];
        let time = frame(source, context, &path)?.1.time;
        match &found {
            Some((other, first)) if *other != time => {
                return Err(Problem::new(
                    path.join("time"),
                    "a run cannot go on at two times",
                    format!("{time} s"),
                )
                .also(first.join("time"), format!("{other} s"))
                .help("keep one of them, or choose frames of the same time by `frame`"));
            }
            _ => found = Some((time, path)),
        }
    }
    match found {
        Some((time, path)) if time >= sections.time.end => Err(Problem::new(
            key_path!["time", "end"],
            format!("the run goes on at {time} s, and `end` is not later"),
            "on the clock of the earlier run",
        )
        .also(path.join("time"), "asked for here")
        .help("make `end` later: it is a time, not a duration; or leave out `time = \"continue\"` to start at zero")),
        found => Ok(found.map_or(0.0, |(time, _)| time)),
    }
}

/// The folder of the run and its frame.
fn frame(
    source: &RunSource,
    context: &Context<'_>,
    path: &KeyPath,
) -> Result<(PathBuf, FrameFiles), Problem> {
    let folder = context.folder.join(&source.folder);
    let reader = FrameReader::open(&folder)
        .map_err(|error| unreadable(&error, &folder, context.folder, path))?;
    let count = reader.frames().len();
    let number = source.frame.unwrap_or(count.saturating_sub(1));
    match reader.frames().get(number) {
        Some(frame) => Ok((folder, frame.clone())),
        None => Err(Problem::new(
            path.join(if source.frame.is_some() {
                "frame"
            } else {
                "folder"
            }),
            format!("the run has no frame {number}"),
            format!("it has {count}, counted from 0"),
        )
        .help("leave `frame` out for the last one; a run without frames must be started again")),
    }
}

/// All bodies of the frame but those that only carry walls; with their materials unless the scene names another.
pub(super) fn generate(
    source: &RunSource,
    other_material: bool,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Taken, Failure> {
    let path = path.join("run");
    let (folder, frame) = frame(source, context, &path)?;
    let refused = |error: ReadError| unreadable(&error, &folder, context.folder, &path);
    let cloud = with_shapes(&read_points(&frame.bodies).map_err(refused)?);
    let record = RunRecord::read(&folder).map_err(refused)?;
    let arrays = VtkSource {
        file: frame.bodies.clone(),
        radius: Some("radius".to_owned()),
        mass: Some("mass".to_owned()),
        velocity: Some("velocity".to_owned()),
    };
    let points = from_points(&arrays, &cloud, context.dimension, false, &path)?;
    let array = |name, width| {
        let found = find(&cloud, Some(name), width, &path);
        found.map(Option::unwrap_or_default)
    };
    let (spins, turns) = (array("angular_velocity", 3)?, array("orientation", 4)?);
    let (spins, turns) = (spins.as_chunks::<3>().0, turns.as_chunks::<4>().0);
    let ids = ids(array("id", 1)?, &path)?;
    let materials = match other_material {
        true => Vec::new(),
        false => materials(array("material", 1)?, &record, context, &path)?,
    };
    let prescribed = ids.iter().filter(|id| record.is_prescribed(**id)).count();
    let shapes = shapes(&cloud, record, context, mould, &path)?;
    let grain = |k: usize, point: Point| {
        // Brought to unit length again, the last bits would change.
        let same = Some(DQuat::from_array(turns[k])).filter(|turn| turn.is_normalized());
        let orientation = same.or(Some(convert::quaternion(Some(turns[k]))));
        let cast = Cast {
            solid: shapes.get(k).copied().flatten(),
            ..Cast::sphere(point.radius.unwrap_or(0.0), orientation)
        };
        Grain {
            mass: point.mass,
            velocity: point.velocity,
            angular_velocity: Some(DVec3::from_array(spins[k])),
            material: materials.get(k).copied(),
            id: Some(ids[k]),
            ..Grain::new(point.position, cast)
        }
    };
    let points = points.into_iter().enumerate();
    Ok(Taken {
        grains: points.map(|(k, point)| grain(k, point)).collect(),
        prescribed,
    })
}

/// The bodies that touch others with a shape of their own.
fn with_shapes(cloud: &PointCloud) -> PointCloud {
    let shapes = cloud.arrays.get("shape").map(|(_, numbers)| numbers);
    let carries = |k: &usize| shapes.and_then(|numbers| numbers.get(*k)) == Some(&CARRIER);
    let kept: Vec<usize> = (0..cloud.points.len()).filter(|k| !carries(k)).collect();
    let array = |(width, values): &(usize, Vec<f64>)| {
        let of_point = |k: &usize| values.get(k * width..(k + 1) * width);
        let values = kept.iter().filter_map(of_point).flatten();
        (*width, values.copied().collect())
    };
    let arrays = cloud.arrays.iter();
    PointCloud {
        points: kept.iter().map(|&k| cloud.points[k]).collect(),
        arrays: arrays
            .map(|(name, values)| (name.clone(), array(values)))
            .collect(),
    }
}

/// The ids of the bodies of a frame.
fn ids(numbers: &[f64], path: &KeyPath) -> Result<Vec<u32>, Problem> {
    let usable = |id: &f64| (0.0..=LARGEST_ID).contains(id) && id.fract() == 0.0;
    match numbers.iter().position(|id| !usable(id)) {
        None => Ok(numbers.iter().map(|&id| id as u32).collect()),
        Some(k) => Err(Problem::new(
            path.join("folder"),
            format!("a body of the frame has the id {}", numbers[k]),
            "this run",
        )
        .help("the run may be damaged: make it again")),
    }
}

/// The numbers that the materials of the bodies of a frame have in this scene.
fn materials(
    numbers: &[f64],
    record: &RunRecord,
    context: &Context<'_>,
    path: &KeyPath,
) -> Result<Vec<u16>, Problem> {
    let here: Vec<Option<u16>> = (record.materials.iter())
        .map(|name| {
            context
                .materials
                .iter()
                .zip(0..)
                .find(|(known, _)| *known == name)
        })
        .map(|found| found.map(|(_, number)| number))
        .collect();
    let number = |&of_run: &f64| match here.get(of_run as usize).copied().flatten() {
        Some(number) => Ok(number),
        None => {
            let name = record.materials.get(of_run as usize);
            let name = name.map_or("?", String::as_str);
            Err(Problem::new(
                path.join("folder"),
                format!("grains of this run are of the material `{name}`, which the scene does not have"),
                "this run",
            )
            .help(format!(
                "add a section `[materials.{name}]`, or give all grains of this entry one of the materials {} by \
                 `material = \"…\"`",
                context.materials.join(", ")
            )))
        }
    };
    numbers.iter().map(number).collect()
}

/// The number of each body's shape in the world, which takes over those of the run; `None` for spheres. Empty if all
/// are.
fn shapes(
    cloud: &PointCloud,
    record: RunRecord,
    context: &Context<'_>,
    mould: &mut Mould<'_>,
    path: &KeyPath,
) -> Result<Vec<Option<u32>>, Problem> {
    let known = cloud.arrays.contains_key("shape");
    let numbers = find(cloud, known.then_some("shape"), 1, path)?.unwrap_or_default();
    if numbers.iter().all(|&number| number == -1.0) {
        return Ok(Vec::new());
    }
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
            "the run may be damaged: make it again",
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
