//! `granule export`: the contact problem of a step, for other codes.

use crate::failure::{Failure, print_out};
use clap::Args;
use granule_io::fclib::{self, FreeMotion, Info};
use granule_io::run::RunFolder;
use std::path::PathBuf;

/// Arguments of `granule export`.
#[derive(Args)]
pub struct ExportArguments {
    /// The folder of a run
    run: PathBuf,
    /// The step (counted from 1) whose contact problem is written
    #[arg(long, value_name = "STEP")]
    fclib: u64,
    /// The file: `.hdf5` for FCLib, `.dat` for Siconos' text; `RUN/step-STEP.hdf5` (or `-second.hdf5`) if not given
    #[arg(long)]
    out: Option<PathBuf>,
    /// The second problem of the step, on the velocities at its end (scheme `rattle`)
    #[arg(long)]
    second: bool,
    /// The local form (W, q) instead of the global one (M, H, f, w)
    #[arg(long)]
    local: bool,
}

/// Writes the contact problem of a step of a run.
pub fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    let step = arguments.fclib;
    let (simulation, report) = RunFolder::new(&arguments.run).replay(step)?;
    let scheme = simulation.settings().scheme.name.name();
    let solved = if arguments.second {
        simulation.second_problem().ok_or_else(|| {
            Failure::Input(format!(
                "the scheme `{scheme}` solves one problem a step: leave out --second"
            ))
        })?
    } else {
        simulation.first_problem()
    };
    let problem = solved.problem();
    let which = if arguments.second { "-second" } else { "" };
    let info = Info {
        title: Some(format!("Granule, step {step}{}", which.replace('-', ", "))),
        description: Some(format!(
            "t = {} s, h = {} s, scheme {}, flow {:?}; the solution is that of the run, scaled error \
             {:.1e}",
            report.time, report.step_size, scheme, problem.flow, report.certificate.scaled
        )),
        math_info: None,
    };
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => arguments.run.join(format!("step-{step}{which}.hdf5")),
    };
    let flawed = |flaw: fclib::Flaw| {
        Failure::Input(format!(
            "step {step} of {}: {flaw}",
            arguments.run.display()
        ))
    };
    let (linear, angular) = solved.free_velocities();
    let free = FreeMotion { linear, angular };
    let file = if arguments.local && problem.delassus.is_compliant() {
        fclib::from_step_local(problem, solved.impulses(), info)
    } else {
        let whole = fclib::from_step(problem, solved.impulses(), free, info);
        whole.and_then(|file| {
            if arguments.local {
                file.localised()
            } else {
                Ok(file)
            }
        })
    };
    let file = file.map_err(flawed)?;
    fclib::write(&out, &file).map_err(|error| Failure::Run(error.to_string()))?;
    let error = file.solution.as_ref().map_or(0.0, |solution| {
        file.community_error(problem.flow, &solution.impulses, &solution.velocities)
    });
    print_out(&format!(
        "step {step}: {} contacts of {} rows; the run's impulses have the community's error {error:.2e}; \
         written to {}\n",
        file.contact_count(),
        file.dimension,
        out.display()
    ))
}
