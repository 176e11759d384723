//! What a step did.

use super::{EnergyAccount, Exchanged, Infeasible};
use crate::certify::{Certificate, Limits};
use crate::solver::Method;
use serde::{Deserialize, Serialize};

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at the end of the step, s.
    pub time: f64,
    /// Length of the step, s.
    pub step_size: f64,
    /// Candidate contacts.
    pub contacts: usize,
    /// Contacts that carry an impulse.
    pub active: usize,
    /// Bonds that hold after the step.
    pub bonds: usize,
    /// Iterations of all solves of the step.
    pub iterations: usize,
    /// Applications of W in all solves of the step.
    pub applications: usize,
    /// Convex problems solved: more than one where exact friction is found by a fixed point.
    pub convex_solves: usize,
    /// The solver whose impulses were used.
    pub method: Method,
    /// The certificate of the impulses used, the worst of all problems of the step.
    pub certificate: Certificate,
    /// Solvers tried beyond the first.
    pub escalations: usize,
    /// Whether every problem of the step has a certificate that meets the limits of the settings:
    /// contacts, recovery of overlaps, and the second problem of `rattle`.
    pub certified: bool,
    /// Whether constraints contradicted each other; see [`super::Simulation::last_infeasible`].
    pub infeasible: bool,
    /// Solves repeated because a contact had been left out.
    pub repeats: usize,
    /// The sum over contacts of their impulses along the normals, N s.
    pub normal_impulse: f64,
    /// What of it the second problem gave, at the end of the step; zero but with `rattle`, N s.
    pub normal_impulse_at_end: f64,
    /// The deepest overlap of contacts that give, where contacts were looked for, m; the certificate leaves them out.
    pub given_overlap: f64,
    /// The deepest overlap that was recovered by moving bodies (with `moreau-jean` in part), m.
    pub recovered: f64,
    /// How far joints are open at the end of the step at most, m; angles times a length of the joint.
    pub joint_error: f64,
    /// J.
    pub kinetic_energy: f64,
    /// J.
    pub potential_energy: f64,
    /// What is stored in springs of contacts, J.
    pub elastic_energy: f64,
    /// What became of the energy in the step.
    pub energy: EnergyAccount,
    /// The momentum of all bodies that came from nowhere, from their velocities before and after the
    /// step, over the sum of all impulses and momenta.
    pub momentum_error: f64,
    /// What came and went at the start of the step.
    pub exchanged: Exchanged,
}

/// Why a step could not be taken. The world is as it was before the step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// There is nothing left to simulate.
    #[error("the end, {end} s, is reached; ask `finished` before each step, or set a later end")]
    Finished {
        /// The end, s.
        end: f64,
    },
    /// The solver did not reach the tolerance and the settings say to stop.
    #[error(
        "step {step} at t = {time} s: after {iterations} iterations {method} {}, or set `on_failure = \"escalate\"`",
        missed(certificate, limits)
    )]
    NotConverged {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
        /// Name of the solver.
        method: &'static str,
        /// The errors.
        certificate: Box<Certificate>,
        /// What they may be at most.
        limits: Limits,
        /// Iterations done.
        iterations: usize,
    },
    /// The solve was broken off by [`crate::solver::Watch::stop`]; the step can be taken again.
    #[error("step {step} at t = {time} s was broken off")]
    Interrupted {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
    },
    /// Constraints contradict each other and the settings do not say to go on.
    #[error("{0}")]
    Infeasible(Infeasible),
    /// A body left through an outlet that ends the run.
    #[error(
        "step {step} at t = {time} s: body {id} has left the domain (outlet {outlet}); close the walls, or let it go with `on_exit = \"remove\"`"
    )]
    Left {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
        /// Which body.
        id: u32,
        /// The number of the outlet, from 0.
        outlet: usize,
    },
    /// A periodic cell has become so short that a body would meet two images of another.
    #[error(
        "step {step} at t = {time} s: the periodic cell is only {length} m long along {axis}, and needs {least} m, two \
         diameters and some room; take more grains, or stop its strain earlier"
    )]
    SmallCell {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
        /// "x", "y" or "z".
        axis: &'static str,
        /// m.
        length: f64,
        /// m.
        least: f64,
    },
    /// A position or velocity is no longer a number.
    #[error(
        "step {step} at t = {time} s: the {quantity} of body {id} is not finite; shorten the time step or look for forces without bound"
    )]
    NotFinite {
        /// Number of the step.
        step: u64,
        /// Time at its start, s.
        time: f64,
        /// Which body.
        id: u32,
        /// "position" or "velocity".
        quantity: &'static str,
    },
}

/// Which limits were missed, by how much, and how to mend it. None is missed where the test of a paper
/// was asked for.
fn missed(certificate: &Certificate, limits: &Limits) -> String {
    let Certificate {
        scaled,
        residual,
        relative,
        ..
    } = *certificate;
    let share = limits.share.map(|share| share * certificate.fastest);
    let tests = [
        ("tolerance", scaled, Some(limits.scaled), ""),
        ("max_share", residual, share, " m/s"),
        ("max_residual", residual, limits.residual, " m/s"),
        ("max_relative", relative, limits.relative, ""),
    ];
    let (mut errors, mut names) = (Vec::new(), Vec::new());
    for (name, error, limit, unit) in tests {
        // An error that is not a number misses every limit.
        if let Some(limit) = limit.filter(|limit| error > *limit || error.is_nan()) {
            errors.push(format!(
                "{error:.3e}{unit} where `{name}` allows {limit:.1e}{unit}"
            ));
            names.push(format!("`{name}`"));
        }
    }
    if errors.is_empty() {
        return "had not passed the test of its paper; raise `max_iterations`, loosen `tolerance`"
            .to_owned();
    }
    format!(
        "had an error of {}; raise `max_iterations`, loosen {}",
        errors.join(" and of "),
        names.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_that_was_missed_is_told_with_its_unit() {
        let told = |scaled: f64, residual: f64, most: Option<f64>| {
            StepError::NotConverged {
                step: 3,
                time: 0.5,
                method: "ags",
                certificate: Box::new(Certificate {
                    scaled,
                    residual,
                    fastest: 0.2,
                    ..Certificate::default()
                }),
                limits: Limits {
                    scaled: 1e-4,
                    residual: most,
                    share: Some(0.5),
                    relative: None,
                },
                iterations: 20,
            }
            .to_string()
        };
        let message = told(2e-3, 0.01, None);
        assert!(
            message.contains("2.000e-3 where `tolerance` allows 1.0e-4;"),
            "{message}"
        );
        assert!(!message.contains("m/s"), "{message}");
        let message = told(1e-5, 2e-3, Some(1e-3));
        let words = "2.000e-3 m/s where `max_residual` allows 1.0e-3 m/s;";
        assert!(
            message.contains(words) && message.contains("loosen `max_residual`,"),
            "{message}"
        );
        assert!(!message.contains("`tolerance`"), "{message}");
        let message = told(2e-3, 2e-3, Some(1e-3));
        assert!(
            message.contains("loosen `tolerance` and `max_residual`"),
            "{message}"
        );
        let message = told(1e-5, 0.3, None);
        assert!(
            message.contains("3.000e-1 m/s where `max_share` allows 1.0e-1 m/s;"),
            "{message}"
        );
        assert!(told(f64::NAN, 0.0, None).contains("NaN where `tolerance`"));
        assert!(told(1e-5, 0.0, None).contains("test of its paper"));
    }
}
