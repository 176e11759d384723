//! `granule render`: a run as pictures.

use crate::colors::Asked;
use crate::failure::{Failure, tell};
use crate::threads;
use clap::Args;
use granule::math::DVec3;
use granule_io::results::{Bounds, FrameReader, RunRecord};
use granule_io::run::RunFolder;
use granule_render::{ColorBy, Coloring, Lens, Look, Movie, Options, RenderError, Scene, Side};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The height of letters in print, points.
const LETTERS: f64 = 9.0;

/// Arguments of `granule render`.
#[derive(Args)]
pub struct RenderArguments {
    /// The folder of a run
    folder: PathBuf,
    /// Which frame, counted from 0; the last one if not given
    #[arg(long, allow_negative_numbers = true, conflicts_with_all = ["every", "from", "to"])]
    frame: Option<usize>,
    /// The file to write: .png for a picture; .mp4, .gif or .apng (all colours) for an animation; a name with a number in it
    /// (`frames_%04d.png`) or a folder (one that is there, or `NAME/`) for a picture of each frame. Films as .mp4 want a program
    /// that was built with `--features mp4`
    #[arg(short, long)]
    output: PathBuf,
    /// What the colours show: `id`, `material`, `plain`; a quantity of bodies: `speed`, `height`, `radius`, `mass`,
    /// `kinetic_energy`, `spin`, `force`, `pressure`, `contacts`, `shape`, `velocity_z` (also `position`,
    /// `angular_velocity`, `through`, each with `_x`, `_y`, `_z` or alone for its length); or `MEASURE:COLUMN` for what a
    /// measure with a file of its own says of the place
    #[arg(long, default_value = "speed")]
    color: Asked,
    /// Draw contacts as tubes between the centres of what touches, as thick and dark as the normal force is large;
    /// grains are a veil before them
    #[arg(long, conflicts_with = "color")]
    chains: bool,
    /// The numbers at the ends of the scale of colours, `0:0.5`; if not given those of the grains or contacts, but for a
    /// hundredth that is far from the others
    #[arg(long, value_name = "MIN:MAX", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<[f64; 2]>,
    /// Width of the picture, pixels
    #[arg(long, default_value_t = 1200, value_parser = clap::value_parser!(u32).range(1..=8192))]
    width: u32,
    /// Height of the picture, pixels
    #[arg(long, default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=8192))]
    height: u32,
    /// From which side
    #[arg(long, value_enum, conflicts_with = "camera")]
    view: Option<Side>,
    /// Where the viewer is, m: `0.5,-1,0.3`
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    camera: Option<DVec3>,
    /// What the viewer looks at, m; the middle of the scene if not given
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "camera")]
    target: Option<DVec3>,
    /// Draw all so many times larger than what fits
    #[arg(long, default_value_t = 1.0, value_parser = parse_positive)]
    zoom: f64,
    /// Without perspective: lines that are parallel in space are so in the picture
    #[arg(long)]
    parallel: bool,
    /// Turn the viewer around the vertical by so many degrees; over an animation from the first frame to the last
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, value_parser = number, allow_negative_numbers = true)]
    orbit: f64,
    /// Cut bodies along a plane and draw only one side, `y>0` or `z<0.05`, or the inside of a box, `X,Y,Z:X,Y,Z`; may be given
    /// several times
    #[arg(long, value_name = "SIDE", value_parser = parse_clip, allow_hyphen_values = true)]
    clip: Vec<Bounds>,
    /// Write the time into the upper left corner
    #[arg(long)]
    time_stamp: bool,
    /// White behind all, as paper is
    #[arg(long)]
    white: bool,
    /// Sixteen samples a pixel instead of four: smoother edges for four times the work
    #[arg(long)]
    fine: bool,
    /// Pixels an inch of the printed picture: stands in the .png, and letters become 9 points high
    #[arg(long, value_parser = parse_positive)]
    dpi: Option<f64>,
    /// Of an animation only every N-th frame
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Of an animation only frames from this time on, s
    #[arg(long, allow_negative_numbers = true)]
    from: Option<f64>,
    /// Of an animation only frames up to this time, s
    #[arg(long, allow_negative_numbers = true)]
    to: Option<f64>,
    /// Pictures a second of an animation
    #[arg(long, default_value_t = 25.0, allow_negative_numbers = true)]
    rate: f64,
    /// Threads; as many as there are cores if not given. The pictures do not depend on it
    #[arg(long, allow_negative_numbers = true)]
    threads: Option<usize>,
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>();
    let number = number.ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let found = number(text)?;
    match found > 0.0 {
        true => Ok(found),
        false => Err("it must be positive".to_owned()),
    }
}

fn parse_point(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text.split(',').map(number).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err("a point is three numbers with commas, as in `0.5,-1,0.3`".to_owned()),
    }
}

fn parse_range(text: &str) -> Result<[f64; 2], String> {
    let (low, high) =
        (text.split_once(':')).ok_or("a range is two numbers with a colon, as in `0:0.5`")?;
    let range = [number(low)?, number(high)?];
    match range[0] < range[1] {
        true => Ok(range),
        false => Err("the first number must be below the second".to_owned()),
    }
}

/// A half-space, as a box with sides that are infinitely far away, or a box.
fn parse_clip(text: &str) -> Result<Bounds, String> {
    if let Some((low, high)) = text.split_once(':') {
        let (a, b) = (parse_point(low)?, parse_point(high)?);
        return Ok(Bounds::of(&[a, b]));
    }
    let Some(place) = text.find(['<', '>']) else {
        return Err("give one side of a plane, `y>0`, or a box, `X,Y,Z:X,Y,Z`".to_owned());
    };
    let axis = match text[..place].trim() {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        other => return Err(format!("`{other}` is none of x, y and z")),
    };
    let mut bounds = Bounds {
        min: DVec3::NEG_INFINITY,
        max: DVec3::INFINITY,
    };
    let end = number(&text[place + 1..])?;
    match &text[place..=place] {
        "<" => bounds.max[axis] = end,
        _ => bounds.min[axis] = end,
    }
    Ok(bounds)
}

/// The format of an animation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gif,
    Apng,
    #[cfg(feature = "mp4")]
    Mp4,
}

/// What is to be written.
enum Output {
    Picture,
    Animation(Kind),
    /// A picture a frame: what stands before and after the number, and how many digits it has at least.
    Sequence {
        before: String,
        after: String,
        digits: usize,
    },
}

impl Output {
    fn of(path: &Path) -> Result<Self, Failure> {
        let text = path.to_string_lossy();
        match path.extension().and_then(|extension| extension.to_str()) {
            // A name alone may be one whose ending was forgotten.
            _ if path.is_dir() || text.ends_with('/') => Ok(Self::Sequence {
                before: format!("{}/frame_", text.trim_end_matches('/')),
                after: ".png".to_owned(),
                digits: 4,
            }),
            Some("gif") => Ok(Self::Animation(Kind::Gif)),
            Some("apng") => Ok(Self::Animation(Kind::Apng)),
            #[cfg(feature = "mp4")]
            Some("mp4") => Ok(Self::Animation(Kind::Mp4)),
            #[cfg(not(feature = "mp4"))]
            Some("mp4") => Err(Failure::Input(format!(
                "cannot write {}: this program was built without the feature `mp4`; with a C++ compiler, `cargo install --path crates/granule-cli --features mp4` builds one with it. Animations as .gif and .apng are always there",
                path.display()
            ))),
            Some("png") => match Self::numbered(&text) {
                Some(sequence) => Ok(sequence),
                None => Ok(Self::Picture),
            },
            _ => Err(Failure::Input(format!(
                "cannot write {}: a picture ends in .png, an animation in .gif, .apng or .mp4; `frames_%04d.png` or a folder is a picture of each frame",
                path.display()
            ))),
        }
    }

    /// A name with `%d`, or with digits as in `%04d`.
    fn numbered(text: &str) -> Option<Self> {
        let (before, rest) = text.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = if digits.is_empty() {
            Ok(1)
        } else {
            digits.parse()
        };
        Some(Self::Sequence {
            before: before.to_owned(),
            after: after.to_owned(),
            digits: digits.ok()?,
        })
    }
}

/// The number of the frame that is asked for, of the last one if none is.
pub fn frame_number(
    reader: &FrameReader,
    folder: &Path,
    asked: Option<usize>,
) -> Result<usize, Failure> {
    let count = reader.frames().len();
    let number = asked.unwrap_or(count.saturating_sub(1));
    if number < count {
        return Ok(number);
    }
    Err(Failure::Input(format!(
        "there is no frame {number}: {} has {count}, counted from 0",
        folder.display()
    )))
}

/// The frames of an animation.
fn frame_numbers(reader: &FrameReader, arguments: &RenderArguments) -> Result<Vec<usize>, Failure> {
    let (from, to) = (arguments.from, arguments.to);
    // Times of frames are sums of steps: one at the limit shall not fall out by rounding.
    let slack = 1e-9 * reader.frames().last().map_or(0.0, |frame| frame.time.abs());
    let within = |time: f64| {
        from.is_none_or(|from| time >= from - slack) && to.is_none_or(|to| time <= to + slack)
    };
    let all = reader.frames().iter().enumerate();
    let numbers = all.filter(|(_, frame)| within(frame.time)).map(|(k, _)| k);
    let numbers: Vec<usize> = numbers.step_by(arguments.every as usize).collect();
    match (
        numbers.is_empty(),
        reader.frames().first(),
        reader.frames().last(),
    ) {
        (true, Some(first), Some(last)) => Err(Failure::Input(format!(
            "there is no frame in that time: they are from {} s to {} s",
            first.time, last.time
        ))),
        _ => Ok(numbers),
    }
}

/// Draws a frame, or several.
pub fn render(arguments: &RenderArguments) -> Result<(), Failure> {
    let output = Output::of(&arguments.output)?;
    if !(arguments.rate.is_finite() && arguments.rate > 0.0) {
        return Err(Failure::Input(format!(
            "--rate must be positive, not {}",
            arguments.rate
        )));
    }
    threads::pool(arguments.threads)?.install(|| draw(arguments, &output))
}

fn draw(arguments: &RenderArguments, output: &Output) -> Result<(), Failure> {
    let folder = RunFolder::with_results(&arguments.folder)?;
    let reader = folder.frames()?;
    let record = folder.record()?;
    let number = frame_number(&reader, folder.path(), arguments.frame)?;
    let coloring = Coloring {
        by: arguments.color.of_run(&folder)?,
        chains: arguments.chains,
        range: arguments.range,
    };
    let options = options((arguments, output), &reader, &record, number)?;
    if let Output::Picture = output {
        if arguments.every > 1 || arguments.from.is_some() || arguments.to.is_some() {
            return Err(Failure::Input(
                "--every, --from and --to are for animations: write a .gif, `frames_%04d.png` or a folder, or choose by --frame".to_owned(),
            ));
        }
        draw_frame(
            &reader,
            number,
            &record,
            &coloring,
            &options,
            (&arguments.output, arguments.dpi),
        )?;
    } else {
        let frames = match arguments.frame {
            Some(_) => vec![number],
            None => frame_numbers(&reader, arguments)?,
        };
        let count = frames.len() as u64;
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
        let movie = Movie::new(&reader, &record, frames, coloring, options).map_err(failed)?;
        let movie = movie.orbiting(arguments.orbit);
        let progress = |done: usize| bar.set_position(done as u64);
        let written = match output {
            Output::Sequence {
                before,
                after,
                digits,
            } => {
                let path =
                    |number: usize| PathBuf::from(format!("{before}{number:0digits$}{after}"));
                make_folder_of(&path(0))?;
                movie.write_pngs(path, progress)
            }
            Output::Animation(Kind::Apng) => {
                movie.write_apng(&arguments.output, arguments.rate, progress)
            }
            #[cfg(feature = "mp4")]
            Output::Animation(Kind::Mp4) => {
                movie.write_mp4(&arguments.output, arguments.rate, progress)
            }
            _ => movie.write_gif(&arguments.output, arguments.rate, progress),
        };
        bar.finish_and_clear();
        written.map_err(failed)?;
    }
    tell(format_args!("wrote {}", arguments.output.display()));
    Ok(())
}

fn failed(error: RenderError) -> Failure {
    match error {
        RenderError::Read(error) => Failure::from(error),
        RenderError::Image(error) if error.source.kind() == ErrorKind::InvalidInput => {
            Failure::Input(error.to_string())
        }
        RenderError::Image(error) => Failure::Run(error.to_string()),
    }
}

fn make_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::Run(format!(
            "cannot make the folder {}: {error}",
            folder.display()
        ))
    })
}

/// How pictures are drawn; a camera without a target looks at the middle of the frame with the given number.
fn options(
    (arguments, output): (&RenderArguments, &Output),
    reader: &FrameReader,
    record: &RunRecord,
    number: usize,
) -> Result<Options, Failure> {
    let look = match (arguments.camera, arguments.target, arguments.view) {
        (Some(eye), Some(target), _) => Look::At { eye, target },
        (Some(eye), None, _) => {
            let scene = Scene::of_frame(reader, number, record, &ColorBy::Plain.into())?;
            let target = scene.bounds().center();
            Look::At { eye, target }
        }
        (None, _, Some(side)) => Look::From(side),
        (None, _, None) => Look::Usual,
    };
    let both = |a: Bounds, b: Bounds| Bounds {
        min: a.min.max(b.min),
        max: a.max.min(b.max),
    };
    Ok(Options {
        width: arguments.width,
        height: arguments.height,
        look,
        clip: arguments.clip.iter().copied().reduce(both),
        lens: Lens {
            turn: match output {
                Output::Picture => arguments.orbit,
                Output::Animation(_) | Output::Sequence { .. } => 0.0,
            },
            zoom: arguments.zoom,
            parallel: arguments.parallel,
        },
        time_stamp: arguments.time_stamp,
        white: arguments.white,
        letters: match arguments.dpi {
            Some(dpi) => (LETTERS / 72.0 * dpi) as f32,
            None => Options::USUAL.letters,
        },
        fine: arguments.fine,
        ..Options::USUAL
    })
}

/// Draws one frame of a run, to be printed with so many pixels an inch.
pub fn draw_frame(
    reader: &FrameReader,
    number: usize,
    record: &RunRecord,
    coloring: &Coloring,
    options: &Options,
    (output, per_inch): (&Path, Option<f64>),
) -> Result<(), Failure> {
    Scene::of_frame(reader, number, record, coloring)?
        .draw(options)
        .write_png(output, per_inch)
        .map_err(|error| Failure::Run(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_planes_and_boxes_are_understood() {
        let half = parse_clip("z < -0.5").unwrap();
        assert_eq!(half.max, DVec3::new(f64::INFINITY, f64::INFINITY, -0.5));
        let inside = parse_clip("1,2,3:0,0,5").unwrap();
        assert_eq!(
            (inside.min, inside.max),
            (DVec3::new(0.0, 0.0, 3.0), DVec3::new(1.0, 2.0, 5.0))
        );
        for bad in ["", "z", "w>1", "x>", "1,2:3,4,5", "é<1"] {
            assert!(parse_clip(bad).is_err(), "{bad}");
        }
        assert!(parse_range("1:0").is_err() && parse_range("-1:0").is_ok());
    }

    #[test]
    fn names_with_numbers_are_sequences() {
        let of = |text: &str| Output::of(Path::new(text));
        assert!(matches!(of("a.png"), Ok(Output::Picture)));
        assert!(matches!(
            of("a_%d.png"),
            Ok(Output::Sequence { digits: 1, .. })
        ));
        assert!(matches!(
            of("a_%04d.png"),
            Ok(Output::Sequence { digits: 4, .. })
        ));
        assert!(matches!(
            of("frames/"),
            Ok(Output::Sequence { digits: 4, .. })
        ));
        assert!(matches!(of("a.gif"), Ok(Output::Animation(Kind::Gif))));
        assert!(matches!(of("a.apng"), Ok(Output::Animation(Kind::Apng))));
        assert_eq!(of("a.mp4").is_ok(), cfg!(feature = "mp4"));
        assert!(of("a.avi").is_err() && of("a").is_err());
    }
}
