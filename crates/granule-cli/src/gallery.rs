//! `granule gallery`: pictures of many scenes by one command, after short runs, on one page.

use crate::failure::{Failure, tell};
use crate::{interrupt, pictures, threads};
use clap::Args;
use granule::simulation::StepSize;
use granule_io::results::{RunStatus, write_file};
use granule_io::run::{Run, RunFolder};
use granule_io::scene;
use granule_render::{ColorBy, Options};
use std::path::{Path, PathBuf};

/// Arguments of `granule gallery`.
#[derive(Args)]
pub struct GalleryArguments {
    /// Scene files; all of the folder `scenes` if not given
    scenes: Vec<PathBuf>,
    /// The folder of the pictures and of `index.html`
    #[arg(short, long, default_value = "gallery")]
    output: PathBuf,
    /// Steps of each run at most
    #[arg(long, default_value_t = 400)]
    steps: u64,
    /// Scenes with more bodies than this are left out
    #[arg(long, default_value_t = 3000)]
    bodies: usize,
    /// Threads; as many as there are cores if not given. The pictures do not depend on it
    #[arg(long, allow_negative_numbers = true)]
    threads: Option<usize>,
}

/// A scene and what became of it.
struct Shown {
    file: PathBuf,
    name: String,
    what: Result<Drawn, String>,
}

/// A picture, and when it was taken.
struct Drawn {
    picture: String,
    /// What the scene says of itself.
    description: String,
    bodies: usize,
    steps: u64,
    time: f64,
}

/// Runs scenes for a short while and draws them.
pub fn gallery(arguments: &GalleryArguments) -> Result<(), Failure> {
    let files = match arguments.scenes.is_empty() {
        true => scenes_here()?,
        false => arguments.scenes.clone(),
    };
    interrupt::watch()?;
    let pool = threads::pool(arguments.threads)?;
    std::fs::create_dir_all(&arguments.output).map_err(|error| {
        Failure::Run(format!(
            "cannot make the folder {}: {error}",
            arguments.output.display()
        ))
    })?;
    let mut shown = Vec::new();
    for file in files {
        if interrupt::flow().is_break() {
            break;
        }
        let one = pool.install(|| one(arguments, file));
        match &one.what {
            Ok(drawn) => tell(format_args!("{}: t = {:.3} s", one.name, drawn.time)),
            Err(why) => tell(format_args!("{}: left out, {why}", one.name)),
        }
        shown.push(one);
    }
    let index = arguments.output.join("index.html");
    write_file(&index, page(&shown).as_bytes())?;
    tell(format_args!("wrote {}", index.display()));
    match interrupt::flow().is_break() {
        true => Err(Failure::Interrupted),
        false => Ok(()),
    }
}

/// The scene files of the folder `scenes`, by their names.
fn scenes_here() -> Result<Vec<PathBuf>, Failure> {
    let folder = Path::new("scenes");
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::Input(format!(
            "cannot read the folder `scenes`: {error}; name scene files, or call this beside that folder"
        ))
    })?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    Ok(files)
}

fn one(arguments: &GalleryArguments, file: PathBuf) -> Shown {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let what = draw(arguments, &file, &name);
    Shown { file, name, what }
}

/// Runs a scene in a folder that is gone afterwards, and draws its end.
fn draw(arguments: &GalleryArguments, file: &Path, name: &str) -> Result<Drawn, String> {
    let scene = scene::load(file).map_err(|error| said(&error))?;
    let mut setup = scene.build().map_err(|error| said(&error))?;
    let bodies = setup.world.bodies.len();
    if bodies > arguments.bodies {
        return Err(format!(
            "it has {bodies} bodies, more than `--bodies {}`",
            arguments.bodies
        ));
    }
    let step = match setup.settings.step {
        StepSize::Fixed(step) => step,
        StepSize::Cfl { longest, .. } => longest,
    };
    let settings = &mut setup.settings;
    settings.end = (settings.end).min(setup.world.time + arguments.steps as f64 * step);
    let place = tempfile::tempdir().map_err(|error| said(&error))?;
    let folder = RunFolder::new(&place.path().join("run"));
    let mut run = Run::create(folder.path(), setup).map_err(|error| said(&error))?;
    run.simulation_mut().set_watch(interrupt::seen());
    let summary = run
        .to_end(|_, _| interrupt::flow())
        .map_err(|error| said(&error))?;
    if summary.status == RunStatus::Interrupted {
        return Err("interrupted".to_owned());
    }
    let picture = format!("{name}.png");
    let drawn = || -> Result<(), Failure> {
        let (frames, record) = (folder.frames()?, folder.record()?);
        let last = frames.frames().len().saturating_sub(1);
        let to = arguments.output.join(&picture);
        let (coloring, options) = (ColorBy::Id.into(), Options::USUAL);
        pictures::draw_frame(&frames, last, &record, &coloring, &options, (&to, None))
    };
    drawn().map_err(|failure| format!("{failure:?}"))?;
    Ok(Drawn {
        picture,
        description: scene.description().unwrap_or_default().to_owned(),
        bodies: summary.bodies,
        steps: summary.steps,
        time: summary.simulated_time,
    })
}

/// The first line of what is told of a failure.
fn said(failure: &dyn std::fmt::Display) -> String {
    let text = failure.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

/// The page with all pictures.
fn page(shown: &[Shown]) -> String {
    let mut text = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Scenes of Granule</title>\n<style>\n\
         :root { color-scheme: light dark }\n\
         body { font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1500px; padding: 0 1rem }\n\
         h1, h2 { font-weight: 600 } h2 { margin-top: 2.5rem } main { display: grid; gap: 1.75rem 1.5rem }\n\
         main { grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)) }\n\
         figure { margin: 0 } img { display: block; width: 100%; height: auto; border-radius: 6px }\n\
         figcaption { padding-top: 0.5rem } figcaption small { display: block; opacity: 0.7 }\n</style>\n\
         <h1>Scenes of Granule</h1>\n<main>\n",
    );
    let mut left_out = String::new();
    for Shown { file, name, what } in shown {
        let (name, file) = (escaped(name), escaped(&file.display().to_string()));
        match what {
            Ok(drawn) => {
                text += &format!(
                    "<figure><a href=\"{picture}\"><img src=\"{picture}\" alt=\"{name} after {time:.3} s\" width=\"1200\" \
                     height=\"900\" loading=\"lazy\"></a><figcaption><b>{name}</b><br>{description}<small>{bodies} {word}, {steps} \
                     steps, {time:.3} s · <code>{file}</code></small></figcaption></figure>\n",
                    picture = escaped(&drawn.picture),
                    description = escaped(&drawn.description),
                    bodies = drawn.bodies,
                    word = if drawn.bodies == 1 { "body" } else { "bodies" },
                    steps = drawn.steps,
                    time = drawn.time,
                );
            }
            Err(why) => {
                left_out += &format!(
                    "<li><b>{name}</b> (<code>{file}</code>): {}</li>\n",
                    escaped(why)
                );
            }
        }
    }
    text += "</main>\n";
    if !left_out.is_empty() {
        text += &format!("<h2>Left out</h2>\n<ul>\n{left_out}</ul>\n");
    }
    text + "</html>\n"
}

/// Text as HTML has it, also between quotes.
fn escaped(text: &str) -> String {
    let pairs = [
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("\"", "&quot;"),
    ];
    pairs
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        let shown = Shown {
            file: PathBuf::from("a<b>.toml"),
            name: "a<b>".to_owned(),
            what: Err("\"<script>\"".to_owned()),
        };
        let text = page(&[shown]);
        assert!(!text.contains("<b>.toml") && !text.contains("<script"));
    }
}
