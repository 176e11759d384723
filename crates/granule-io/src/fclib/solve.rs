//! A contact problem of a file, solved to both certificates.

use super::{ContactFile, EngineProblem, Solution};
use granule::certify::{Certificate, Limits, certify};
use granule::law::Flow;
use granule::solver::{Ask, ContactSolver, SolveReport, Status};
use std::time::Instant;

/// How much more is asked of a solver than what seems to be missing.
const SHARPER: f64 = 0.5;
/// The smallest scaled error that is asked for: below it is rounding.
const SHARPEST: f64 = 1e-15;

/// What came out of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What the solver did.
    pub report: SolveReport,
    /// The certificate of the impulses.
    pub certificate: Certificate,
    /// The error of the collections of contact problems ([`ContactFile::community_error`]).
    pub community: f64,
    /// Time taken by the solver, s.
    pub seconds: f64,
    /// Impulses and velocities, in the rows of the file.
    pub solution: Solution,
}

/// Solves a problem of a file with a method that supports it; where the errors that solvers stop on are met and the community's is not (its global form is
/// another), they go on to a smaller one.
///
/// ```
/// use granule::law::Flow;
/// use granule::solver::{SolverConfig, solver};
/// use granule_io::fclib;
/// // One contact of three rows: W = 1, q = (-1, 3, 0), μ = 0.5.
/// let file = fclib::read_text("3 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  -1 3 0  0.5").unwrap();
/// let engine = file.engine_problem(Flow::Exact)?;
/// let config = SolverConfig { tolerance: 1e-10, ..SolverConfig::default() };
/// let mut method = solver(&config);
/// let answer = fclib::solve(&file, &engine, Flow::Exact, &config.ask(), method.as_mut());
/// assert!(answer.community <= 1e-10 && answer.certificate.scaled <= 1e-10);
/// assert!((answer.solution.impulses[1] + 0.5).abs() < 1e-9);
/// # Ok::<(), fclib::Flaw>(())
/// ```
pub fn solve(
    file: &ContactFile,
    engine: &EngineProblem,
    flow: Flow,
    ask: &Ask,
    method: &mut dyn ContactSolver,
) -> Answer {
    let mut impulses = vec![0.0; engine.problem.len()];
    let (mut iterations, mut applications, mut seconds) = (0, 0, 0.0);
    let mut finished_by = None;
    let asked = ask.limits.scaled;
    let mut tolerance = asked;
    loop {
        let left = ask.iterations - iterations;
        let limits = Limits {
            scaled: tolerance,
            ..ask.limits
        };
        let sharper = Ask {
            limits,
            ..ask.at_most(left)
        };
        let clock = Instant::now();
        let mut report = method.solve(&engine.problem, &mut impulses, &sharper);
        seconds += clock.elapsed().as_secs_f64();
        iterations += report.iterations.min(left);
        applications += report.applications;
        finished_by = report.finished_by.or(finished_by);
        let solution = engine.solution(file, &impulses);
        let community = file.community_error(flow, &solution.impulses, &solution.velocities);
        tolerance *= SHARPER * (asked / community).min(1.0);
        let over = community <= asked
            || report.status != Status::Converged
            || iterations >= ask.iterations
            || tolerance < SHARPEST;
        if over {
            report.iterations = iterations;
            report.applications = applications;
            report.finished_by = finished_by;
            return Answer {
                certificate: certify(&engine.problem, &impulses),
                community,
                report,
                seconds,
                solution,
            };
        }
    }
}
