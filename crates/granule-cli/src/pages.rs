//! `granule plot`: a run as pages.

use crate::failure::{Failure, print_out, tell};
use crate::pictures::frame_number;
use crate::plot::{self, ForcesPage, MotorsPage, Page, PlotError, ProfilePage};
use clap::{Args, ValueEnum};
use granule::bodies::{BodyShape, Dimension};
use granule::math::DVec3;
use granule::measure::HeapProfile;
use granule_io::results::{BodyStates, RunRecord};
use granule_io::run::RunFolder;
use granule_render::short;
use std::path::{Path, PathBuf};

/// What a page shows.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Energies, contacts, iterations and residuals over time
    Series,
    /// The force and torque that bodies exert on the walls of `forces_on`, and those of joints with names, over time
    Forces,
    /// What motors and servos drive and what they exert, over time
    Motors,
    /// The height of a heap over the distance from its axis; prints its angle of repose
    Profile,
}

/// Arguments of `granule plot`.
#[derive(Args)]
pub struct PlotArguments {
    /// The folder of a run
    folder: PathBuf,
    /// What the page shows
    #[arg(long, value_enum, default_value_t = What::Series)]
    what: What,
    /// Which frame `profile` shows, counted from 0; the last one if not given
    #[arg(long, allow_negative_numbers = true)]
    frame: Option<usize>,
    /// The page to write, .svg or .png; `plot.svg`, `forces.svg`, `motors.svg` or `profile.svg` in the
    /// folder if not given
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Draws the series of a run, the loads on its walls, or the height profile of a frame.
pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let folder = RunFolder::new(&arguments.folder);
    let usual = match arguments.what {
        What::Series => "plot.svg",
        What::Forces => "forces.svg",
        What::Motors => "motors.svg",
        What::Profile => "profile.svg",
    };
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| arguments.folder.join(usual));
    match arguments.what {
        What::Series | What::Forces | What::Motors if arguments.frame.is_some() => {
            return Err(Failure::Input(
                "--frame has a meaning only with `--what profile`".to_owned(),
            ));
        }
        What::Series => {
            let series = folder.series()?;
            write_page(&series, &output)?;
        }
        What::Forces => {
            let series = folder.series()?;
            let page = ForcesPage::of(&series).ok_or_else(|| {
                Failure::Input(format!(
                    "{} has no forces on walls or joints: give a wall a `name` and list it in `forces_on` of `[output]`, or give a joint a `name`, and run the scene again",
                    arguments.folder.display()
                ))
            })?;
            write_page(&page, &output)?;
        }
        What::Motors => {
            let series = folder.series()?;
            let page = MotorsPage::of(&series).ok_or_else(|| {
                Failure::Input(format!(
                    "{} has no motors: give a joint a `name`, add `[[motors]]` or `[[servos]]`, and run the scene again",
                    arguments.folder.display()
                ))
            })?;
            write_page(&page, &output)?;
        }
        What::Profile => {
            let (heap, time) = profile(&folder, arguments.frame)?;
            write_page(&ProfilePage { heap: &heap, time }, &output)?;
            print_out(&shape(&heap, time))?;
        }
    }
    tell(format_args!("wrote {}", output.display()));
    Ok(())
}

fn write_page(page: &impl Page, output: &Path) -> Result<(), Failure> {
    plot::plot(page, output).map_err(|error| match error {
        PlotError::Kind { .. } => Failure::Input(error.to_string()),
        _ => Failure::Run(error.to_string()),
    })
}

/// The profile of the bodies that move, and its time, s.
fn profile(folder: &RunFolder, frame: Option<usize>) -> Result<(HeapProfile, f64), Failure> {
    let reader = folder.frames()?;
    let number = frame_number(&reader, folder.path(), frame)?;
    let record = folder.record()?;
    let bodies = reader.bodies(number)?;
    let moving = (0..bodies.id.len()).filter(|&k| !record.is_prescribed(bodies.id[k]));
    let up = match record.gravity.try_normalize() {
        Some(down) => -down,
        None if record.dimension == Dimension::Space => DVec3::Z,
        None => DVec3::Y,
    };
    let (centers, radii): (Vec<_>, Vec<_>) =
        moving.map(|k| as_sphere(&bodies, k, &record, up)).unzip();
    let heap = HeapProfile::of(&centers, &radii, up, record.dimension).ok_or_else(|| {
        Failure::Input(format!(
            "{} has no heap to measure: it needs bodies with a size that move in a plane or in space",
            folder.path().display()
        ))
    })?;
    Ok((heap, reader.frames()[number].time))
}

/// A sphere (centre and radius, m) that is as high as a body: from the lowest point of a solid to its highest.
fn as_sphere(bodies: &BodyStates, k: usize, record: &RunRecord, up: DVec3) -> (DVec3, f64) {
    let (center, radius) = (bodies.position[k], bodies.radius[k]);
    let solid = match bodies.shape[k] {
        BodyShape::Solid(number) => record.solids.get(number as usize),
        BodyShape::Sphere | BodyShape::Walls => None,
    };
    let Some(solid) = solid else {
        return (center, radius);
    };
    let local = bodies.orientation[k].conjugate() * up;
    let (top, bottom) = (solid.support(local), solid.support(-local));
    let (top, bottom) = (local.dot(top), local.dot(bottom));
    (center + 0.5 * (top + bottom) * up, 0.5 * (top - bottom))
}

/// The numbers of a profile, a line each.
fn shape(heap: &HeapProfile, time: f64) -> String {
    let angle = match heap.angle_of_repose() {
        Some(angle) => format!("{angle:.2} degrees"),
        None => "none: there is no flank to measure".to_owned(),
    };
    let flanks = heap.flanks();
    let sides = match &flanks[..] {
        [left, right] => format!(" (left {:.2}, right {:.2})", left.angle, right.angle),
        _ => String::new(),
    };
    let [left, right] = heap.fronts();
    format!(
        "time             {} s\n\
         angle of repose  {angle}{sides}\n\
         height           {} m\n\
         fronts           {} m to {} m from the axis\n",
        short(time),
        short(heap.top()),
        short(left),
        short(right)
    )
}
