//! The command `granule`.

#![forbid(unsafe_code)]

mod bench;
mod check;
mod colors;
mod completions;
mod convergence;
mod export;
mod failure;
mod gallery;
mod interrupt;
mod list;
mod measure;
mod names;
mod new;
mod pages;
mod pictures;
mod plot;
mod report;
mod reproduce;
mod run;
mod solve;
mod study;
mod tables;
mod threads;
mod view;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::process::ExitCode;

/// Nonsmooth contact dynamics: the motion of many rigid bodies that touch, slide, stack and flow.
///
/// Exit codes: 0 done; 1 the run failed; 2 bad input or usage; 130 interrupted (results kept).
#[derive(Parser)]
#[command(name = "granule", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write a commented scene to start from
    New(new::NewArguments),
    /// Simulate a scene
    Run(run::RunArguments),
    /// Validate a scene and print what would be run; changes nothing
    Check(check::CheckArguments),
    /// What there is: schemes, laws, solvers, shapes, scenes, combinations
    List {
        /// Which list
        what: list::What,
    },
    /// Print the JSON schema of scene files
    Schema {
        /// Print a page of all keys for people instead, as Markdown
        #[arg(long)]
        page: bool,
    },
    /// Solve a contact problem of a file: FCLib's HDF5 or Siconos' text
    Solve(solve::SolveArguments),
    /// Write the contact problem of a step of a run for other codes
    Export(export::ExportArguments),
    /// Measure a finished run from its frames: flow, stress, density, mixing and what else `[[measures]]` say
    Measure(measure::MeasureArguments),
    /// Run a scene with all combinations of some values, and put what came out into a table
    Study(study::StudyArguments),
    /// A run as pages: its energies, contacts, iterations and residuals; all of it; forces on walls; or a heap
    Plot(pages::PlotArguments),
    /// A picture or an animation of a run, without a browser
    Render(pictures::RenderArguments),
    /// Runs in the browser, finished or going on: to look at, to follow, to pause and stop
    View(view::ViewArguments),
    /// Pictures of many scenes after short runs, on one page
    Gallery(gallery::GalleryArguments),
    /// The papers' tables, published beside measured
    Reproduce(tables::TableArguments),
    /// Speed: nanoseconds a contact, ratios, time a stage
    Bench(bench::BenchArguments),
    /// Print a script by which a shell completes the words of this command
    Completions {
        /// The shell
        shell: Shell,
    },
}

fn main() -> ExitCode {
    // Clap itself ends with code 2 on wrong usage.
    let result = match Arguments::parse().command {
        Command::New(arguments) => new::new(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::List { what } => list::list(what),
        Command::Schema { page } => list::schema(page),
        Command::Solve(arguments) => solve::solve(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Measure(arguments) => measure::measure(&arguments),
        Command::Study(arguments) => study::study(&arguments),
        Command::Plot(arguments) => pages::plot(&arguments),
        Command::Render(arguments) => pictures::render(&arguments),
        Command::View(arguments) => view::view(&arguments),
        Command::Gallery(arguments) => gallery::gallery(&arguments),
        Command::Reproduce(arguments) => tables::tables(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Completions { shell } => completions::completions(Arguments::command(), shell),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code())
        }
    }
}
