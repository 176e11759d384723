//! `granule plot` and `granule render`: a run as pictures.

use crate::failure::{Failure, tell};
use crate::plot::{self, PlotError};
use crate::render::movie::RenderError;
use crate::render::{ColorBy, Movie, Options};
use clap::Args;
use granule_io::results::{FrameReader, read_series};
use granule_io::scene::{self, Setup};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::path::{Path, PathBuf};

/// Arguments of `granule plot`.
#[derive(Args)]
pub struct PlotArguments {
    /// The folder of a run
    folder: PathBuf,
    /// The page to write, .svg or .png; `plot.svg` in the folder if not given
    #[arg(short, long)]
    output: Option<PathBuf>,
}

/// Draws the series of a run.
pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let series = read_series(&arguments.folder.join("series.csv"))?;
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| arguments.folder.join("plot.svg"));
    plot::plot(&series, &output).map_err(|error| match error {
        PlotError::Kind { .. } => Failure::Input(error.to_string()),
        _ => Failure::Run(error.to_string()),
    })?;
    tell(format_args!("wrote {}", output.display()));
    Ok(())
}

/// Arguments of `granule render`.
#[derive(Args)]
pub struct RenderArguments {
    /// The folder of a run
    folder: PathBuf,
    /// Which frame, counted from 0; the last one if not given
    #[arg(long, allow_negative_numbers = true)]
    frame: Option<usize>,
    /// The file to write: .png for a picture, .gif for an animation of all frames
    #[arg(short, long)]
    output: PathBuf,
    /// What the colours show
    #[arg(long, value_enum, default_value_t = ColorBy::Speed)]
    color: ColorBy,
    /// Width of the picture, pixels
    #[arg(long, default_value_t = 1200, allow_negative_numbers = true)]
    width: u32,
    /// Height of the picture, pixels
    #[arg(long, default_value_t = 900, allow_negative_numbers = true)]
    height: u32,
    /// Pictures a second of an animation
    #[arg(long, default_value_t = 25.0, allow_negative_numbers = true)]
    rate: f64,
}

/// The scene that a run's folder was made from.
fn setup_of(folder: &Path) -> Result<Setup, Failure> {
    Ok(scene::load(&folder.join("scene.toml"))?.build()?)
}

/// Draws a frame, or all of them.
pub fn render(arguments: &RenderArguments) -> Result<(), Failure> {
    let extension = arguments
        .output
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    if !["png", "gif"].contains(&extension) {
        return Err(Failure::Input(format!(
            "cannot write {}: a picture ends in .png, an animation in .gif",
            arguments.output.display()
        )));
    }
    if !(arguments.rate.is_finite() && arguments.rate > 0.0) {
        return Err(Failure::Input(format!(
            "--rate must be positive, not {}",
            arguments.rate
        )));
    }
    let reader = FrameReader::open(&arguments.folder)?;
    let count = reader.frames().len();
    let number = arguments.frame.unwrap_or(count.saturating_sub(1));
    if number >= count {
        return Err(Failure::Input(format!(
            "there is no frame {number}: {} has {count}, counted from 0",
            arguments.folder.display()
        )));
    }
    let setup = setup_of(&arguments.folder)?;
    let options = Options {
        width: arguments.width,
        height: arguments.height,
        ..Options::default()
    };
    let drawing = |error: RenderError| match error {
        RenderError::Read(error) => Failure::from(error),
        RenderError::Image(error) => Failure::Run(error.to_string()),
    };
    let walls = &setup.world.walls;
    let dimension = setup.world.dimension;
    if extension == "gif" {
        let movie =
            Movie::new(&reader, walls, dimension, arguments.color, options).map_err(drawing)?;
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr());
        movie
            .write_gif(&arguments.output, arguments.rate, |done| {
                bar.set_position(done as u64)
            })
            .map_err(drawing)?;
        bar.finish_and_clear();
    } else {
        draw_frame(
            &reader,
            number,
            &setup,
            arguments.color,
            options,
            &arguments.output,
        )?;
    }
    tell(format_args!("wrote {}", arguments.output.display()));
    Ok(())
}

/// Draws one frame of a run.
pub fn draw_frame(
    reader: &FrameReader,
    number: usize,
    setup: &Setup,
    color: ColorBy,
    options: Options,
    output: &Path,
) -> Result<(), Failure> {
    let bodies = reader.bodies(number)?;
    let time = reader.frames()[number].time;
    let world = &setup.world;
    let scene =
        crate::render::Scene::of_frame(&bodies, &world.walls, time, world.dimension, color, None);
    scene
        .draw(&options)
        .write_png(output)
        .map_err(|error| Failure::Run(error.to_string()))
}
