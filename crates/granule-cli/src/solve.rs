//! `granule solve`: a contact problem from a file.

use crate::failure::{Failure, print_out};
use crate::names::parse_method;
use clap::{Args, ValueEnum};
use granule::law::Flow;
use granule::solver::{Method, SolverConfig, solver};
use granule_io::fclib::{self, Answer, ContactFile, Form};
use granule_io::results::write_file;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Arguments of `granule solve`.
#[derive(Args)]
pub struct SolveArguments {
    /// The contact problem: FCLib's HDF5 or Siconos' text, told apart by their contents
    file: PathBuf,
    /// The solver, see `granule list solvers`
    #[arg(long, value_parser = parse_method, default_value = "auto")]
    solver: Method,
    /// Both the certificate's scaled error and the community's must be below it
    #[arg(long, default_value_t = 1e-8, allow_negative_numbers = true)]
    tolerance: f64,
    /// Exact Coulomb friction, or its convex relative
    #[arg(long, value_enum, default_value_t = FileLaw::Exact)]
    law: FileLaw,
    /// The most iterations
    #[arg(long, default_value_t = 20_000)]
    max_iterations: usize,
    /// Write the solution: `.json`, or `.hdf5` with the problem
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How friction is taken.
#[derive(Clone, Copy, ValueEnum)]
enum FileLaw {
    /// Coulomb's law, as the files mean it
    Exact,
    /// Convexified: sliding contacts open
    Convex,
}

/// Solves a contact problem of a file.
pub fn solve(arguments: &SolveArguments) -> Result<(), Failure> {
    let flow = match arguments.law {
        FileLaw::Exact => Flow::Exact,
        FileLaw::Convex => Flow::Associated,
    };
    let config = SolverConfig {
        tolerance: arguments.tolerance,
        max_relative: Some(arguments.tolerance),
        max_iterations: arguments.max_iterations,
        ..SolverConfig::named(arguments.solver)
    };
    config.validate().map_err(|(name, reason)| {
        Failure::Input(format!("--{} {reason}", name.replace('_', "-")))
    })?;
    if let Some(out) = &arguments.out
        && out.extension().is_some_and(|end| end == "dat")
    {
        return Err(Failure::Input(format!(
            "{}: Siconos' text has no room for a solution; give a name that ends in .hdf5 or .json",
            out.display()
        )));
    }
    let file = fclib::read(&arguments.file).map_err(|error| Failure::Input(error.to_string()))?;
    let flawed =
        |flaw: fclib::Flaw| Failure::Input(format!("{}: {flaw}", arguments.file.display()));
    let engine = file.engine_problem(flow).map_err(flawed)?;
    let mut method = solver(&config);
    method
        .supports(&engine.problem.kind())
        .map_err(|reason| Failure::Input(reason.to_string()))?;
    let answer = fclib::solve(&file, &engine, flow, &config.ask(), method.as_mut());
    if let Some(out) = &arguments.out {
        write_answer(out, &file, &answer, arguments)?;
    }
    let text = if arguments.json {
        let facts = facts(&file, &answer, arguments);
        format!("{facts:#}\n")
    } else {
        words(&file, &answer, arguments)
    };
    print_out(&text)?;
    let tolerance = arguments.tolerance;
    if answer.certificate.scaled <= tolerance && answer.community <= tolerance {
        return Ok(());
    }
    Err(Failure::Run(format!(
        "not solved to {tolerance:e}: scaled error {:.2e}, community's error {:.2e}; allow more \
         --max-iterations, or try another --solver",
        answer.certificate.scaled, answer.community
    )))
}

fn range(values: &[f64]) -> [f64; 2] {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    [low.min(high), high]
}

/// The name of the matrix whose symmetry matters, and how far it is from it.
fn asymmetry(file: &ContactFile) -> (&'static str, f64) {
    match &file.form {
        Form::Local { matrix, .. } => ("W", matrix.asymmetry()),
        Form::Global(global) => ("M", global.mass.asymmetry()),
    }
}

/// All about a solve, for programs.
fn facts(file: &ContactFile, answer: &Answer, arguments: &SolveArguments) -> Value {
    let (matrix, asymmetry) = asymmetry(file);
    json!({
        "file": arguments.file.display().to_string(),
        "title": file.info.title,
        "form": if file.freedom_count() > 0 { "global" } else { "local" },
        "rows_a_contact": file.dimension,
        "contacts": file.contact_count(),
        "rows": file.row_count(),
        "degrees_of_freedom": file.freedom_count(),
        "friction": range(&file.friction),
        "rolling": if file.dimension == 5 { json!(range(&file.rolling)) } else { Value::Null },
        "asymmetry": { "matrix": matrix, "relative": asymmetry },
        "law": match arguments.law {
            FileLaw::Exact => "exact",
            FileLaw::Convex => "convex",
        },
        "solver": arguments.solver.name(),
        "tolerance": arguments.tolerance,
        "status": answer.report.status,
        "iterations": answer.report.iterations,
        "applications": answer.report.applications,
        "finished_by": answer.report.finished_by.map(|method| method.name()),
        "seconds": answer.seconds,
        "certificate": answer.certificate,
        "community_error": answer.community,
    })
}

/// All about a solve, for people.
fn words(file: &ContactFile, answer: &Answer, arguments: &SolveArguments) -> String {
    let (matrix, asymmetry) = asymmetry(file);
    // To four digits, without zeros that say nothing.
    let short = |x: f64| format!("{x:.3e}").parse::<f64>().unwrap_or(x);
    let span = |values: &[f64]| match range(values).map(short) {
        [low, high] if low == high => format!("{low}"),
        [low, high] => format!("{low} to {high}"),
    };
    let mut friction = span(&file.friction);
    if file.dimension == 5 {
        friction += &format!(", rolling {}", span(&file.rolling));
    }
    let mut size = format!(
        "{} contacts of {} rows: {} rows",
        file.contact_count(),
        file.dimension,
        file.row_count()
    );
    if file.freedom_count() > 0 {
        size += &format!(
            ", {} degrees of freedom (global form)",
            file.freedom_count()
        );
    }
    let status = serde_json::to_value(answer.report.status).unwrap_or_default();
    let finisher = match answer.report.finished_by {
        Some(method) => format!(", finished by {}", method.name()),
        None => String::new(),
    };
    let lines = [
        ("problem", arguments.file.display().to_string()),
        ("size", size),
        ("friction", friction),
        ("asymmetry", format!("{asymmetry:.1e} of {matrix}")),
        (
            "solver",
            format!(
                "{}: {} after {} iterations{finisher}, {:.3} s",
                arguments.solver.name(),
                status.as_str().unwrap_or("?"),
                answer.report.iterations,
                answer.seconds
            ),
        ),
        ("scaled error", format!("{:.3e}", answer.certificate.scaled)),
        ("community's", format!("{:.3e}", answer.community)),
        (
            "worst contact",
            format!("{:.3e} (velocity)", answer.certificate.residual),
        ),
    ];
    lines
        .iter()
        .map(|(name, value)| format!("{name:13}  {value}\n"))
        .collect()
}

fn write_answer(
    out: &Path,
    file: &ContactFile,
    answer: &Answer,
    arguments: &SolveArguments,
) -> Result<(), Failure> {
    if out.extension().is_some_and(|end| end == "json") {
        let mut facts = facts(file, answer, arguments);
        facts["solution"] = json!({
            "r": answer.solution.impulses,
            "u": answer.solution.relative,
            "v": answer.solution.velocities,
        });
        return Ok(write_file(out, format!("{facts:#}\n").as_bytes())?);
    }
    let solved = ContactFile {
        solution: Some(answer.solution.clone()),
        ..file.clone()
    };
    fclib::write(out, &solved).map_err(|error| Failure::Run(error.to_string()))
}
