//! `granule plot`: a run as pages.

use crate::failure::{Failure, print_out, tell};
use crate::pictures::frame_number;
use crate::plot::{
    self, ColumnsPage, ForcesPage, MotorsPage, Page, PlotError, ProfilePage, RunPage,
};
use clap::{Args, ValueEnum};
use granule::bodies::{BodyShape, Dimension};
use granule::math::DVec3;
use granule::measure::HeapProfile;
use granule_io::measures::moment_of_frame;
use granule_io::results::{BodyStates, RunRecord, Series};
use granule_io::run::RunFolder;
use granule_render::short;
use std::path::{Path, PathBuf};

/// What a page shows.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Energies, contacts, iterations and residuals over time
    Series,
    /// All of the run on one page for print: its certificate, all columns of the series, and of the last frame the
    /// distribution of forces, contacts of grains, and profiles of density and speed
    Page,
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
    /// The page to write, .svg or .png; `plot.svg`, `page.svg`, `forces.svg`, `motors.svg` or
    /// `profile.svg` in the folder if not given
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Columns of `series.csv` to plot instead; those with the same unit share a panel
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    y: Vec<String>,
    /// Plot running means over so many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    smooth: Option<f64>,
    /// Print numbers of what is plotted as JSON: of a heap its shape, of each other column its mean and ends
    #[arg(long)]
    json: bool,
}

/// Draws the series of a run, the loads on its walls, or the height profile of a frame.
pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let folder = RunFolder::with_results(&arguments.folder)?;
    let usual = match arguments.what {
        What::Series => "plot.svg",
        What::Page => "page.svg",
        What::Forces => "forces.svg",
        What::Motors => "motors.svg",
        What::Profile => "profile.svg",
    };
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| arguments.folder.join(usual));
    if arguments.what == What::Profile {
        if arguments.smooth.is_some() || !arguments.y.is_empty() {
            return Err(Failure::Input(
                "--y and --smooth are for columns of series.csv: leave out `--what profile`"
                    .to_owned(),
            ));
        }
        let (heap, time) = profile(&folder, arguments.frame)?;
        write_page(&ProfilePage { heap: &heap, time }, &output)?;
        match arguments.json {
            true => print_json(&shape_json(&heap, time))?,
            false => print_out(&shape(&heap, time))?,
        }
    } else {
        if arguments.frame.is_some() {
            return Err(Failure::Input(
                "--frame has a meaning only with `--what profile`".to_owned(),
            ));
        }
        plot_series(arguments, &folder, &output)?;
    }
    tell(format_args!("wrote {}", output.display()));
    Ok(())
}

/// Draws a page of columns of the series.
fn plot_series(
    arguments: &PlotArguments,
    folder: &RunFolder,
    output: &Path,
) -> Result<(), Failure> {
    let mut series = folder.series()?;
    if let Some(seconds) = arguments.smooth {
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(Failure::Input(format!(
                "--smooth must be a positive time (s), not {seconds}"
            )));
        }
        plot::smooth(&mut series, seconds);
    }
    let missing = |what: &str, cure: &str| {
        let folder = folder.path().display();
        Failure::Input(format!(
            "{folder} has no {what}: {cure}, and run the scene again"
        ))
    };
    let columns: Vec<String> = match arguments.what {
        _ if !arguments.y.is_empty() => {
            let page = ColumnsPage::of(&series, &arguments.y).map_err(|name| {
                let known = series.names.join(", ");
                Failure::Input(format!(
                    "there is no column `{name}`; the columns are {known}"
                ))
            })?;
            write_page(&page, output)?;
            arguments.y.clone()
        }
        What::Forces => {
            let page = ForcesPage::of(&series).ok_or_else(|| {
                missing(
                    "forces on walls or joints",
                    "give a wall a `name` and list it in `forces_on` of `[output]`, or give a joint a `name`",
                )
            })?;
            write_page(&page, output)?;
            let loads = |name: &&String| name.contains("_force_") || name.contains("_torque_");
            series.names.iter().filter(loads).cloned().collect()
        }
        What::Motors => {
            let page = MotorsPage::of(&series).ok_or_else(|| {
                missing(
                    "motors",
                    "give a joint a `name`, add `[[motors]]` or `[[servos]]`",
                )
            })?;
            write_page(&page, output)?;
            series.names.clone()
        }
        What::Page => {
            whole_page(folder, &series, output)?;
            series.names.clone()
        }
        What::Series | What::Profile => {
            write_page(&series, output)?;
            series.names.clone()
        }
    };
    if arguments.json {
        let numbers = columns.iter().filter_map(|name| {
            let values = series.column(name)?;
            let ends = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let numbers = serde_json::json!({
                "mean": mean,
                "min": ends(f64::min),
                "max": ends(f64::max),
                "last": values.last(),
            });
            Some((name.clone(), numbers))
        });
        print_json(&serde_json::Value::Object(numbers.collect()))?;
    }
    Ok(())
}

/// Draws all of a run.
fn whole_page(folder: &RunFolder, series: &Series, output: &Path) -> Result<(), Failure> {
    let (reader, record) = (folder.frames()?, folder.record()?);
    let last = frame_number(&reader, folder.path(), None)?;
    let page = RunPage {
        name: &record.scene,
        verdict: verdict(folder),
        series,
        moment: &moment_of_frame(&reader, &record, last)?,
        up: up(&record),
    };
    write_page(&page, output)
}

/// A sentence on the steps of a run; a run that is not over has no summary yet.
fn verdict(folder: &RunFolder) -> String {
    let Ok(summary) = folder.summary() else {
        return "not ended".to_owned();
    };
    let certified = match summary.failed_steps {
        0 => "all certified".to_owned(),
        failed => format!("{failed} NOT certified"),
    };
    format!(
        "{} bodies, {} steps to t = {} s, {certified}; worst residual {:.1e} m/s, deepest penetration {:.1e} m; {}, {}, {}",
        summary.bodies,
        summary.steps,
        short(summary.simulated_time),
        summary.certificate.worst_residual,
        summary.certificate.worst_penetration,
        summary.scheme,
        summary.law,
        summary.solver
    )
}

/// The direction against gravity.
fn up(record: &RunRecord) -> DVec3 {
    match record.gravity.try_normalize() {
        Some(down) => -down,
        None if record.dimension == Dimension::Space => DVec3::Z,
        None => DVec3::Y,
    }
}

fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_out(&format!("{value:#}\n"))
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
    let up = up(&record);
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
    let angle = match heap.measured_angle() {
        Ok(angle) => format!("{angle:.2} degrees"),
        Err(reason) => format!("none: {reason}"),
    };
    let flanks = heap.flanks();
    let sides = match &flanks[..] {
        [left, right] => format!(" (left {:.2}, right {:.2})", left.angle, right.angle),
        _ => String::new(),
    };
    let measured: String = flanks
        .iter()
        .map(|flank| {
            let [from, to] = flank.between.map(short);
            let [high, low] = flank.height.map(short);
            format!("flank            {from} m to {to} m from the axis, {high} m to {low} m high\n")
        })
        .collect();
    let [left, right] = heap.fronts();
    format!(
        "time             {} s\n\
         angle of repose  {angle}{sides}\n\
         {measured}\
         height           {} m\n\
         fronts           {} m to {} m from the axis\n",
        short(time),
        short(heap.top()),
        short(left),
        short(right)
    )
}

/// The numbers of a profile by their names.
fn shape_json(heap: &HeapProfile, time: f64) -> serde_json::Value {
    let flanks: Vec<serde_json::Value> = (heap.flanks().iter())
        .map(|flank| {
            serde_json::json!({
                "angle": flank.angle,
                "between": flank.between,
                "height": flank.height,
            })
        })
        .collect();
    serde_json::json!({
        "time": time,
        "angle_of_repose": heap.angle_of_repose(),
        "no_angle": heap.measured_angle().err().map(|reason| reason.to_string()),
        "flanks": flanks,
        "height": heap.top(),
        "fronts": heap.fronts(),
    })
}
