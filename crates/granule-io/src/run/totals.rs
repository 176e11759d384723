//! What is added up over a run.

use crate::results::{
    BondSummary, CertificateSummary, ContactSummary, ExchangeSummary, IterationSummary, RunStatus,
    Summary,
};
use crate::scene::Setup;
use granule::bodies::Bodies;
use granule::exchange::OnExit;
use granule::law::Flow;
use granule::simulation::{EnergyAccount, Simulation, Stage, StepReport};
use granule::solver::existence;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Sums and extremes over the steps, over all resumed parts of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    steps: u64,
    contacts: u64,
    most_contacts: u64,
    last_contacts: u64,
    last_active: u64,
    bonds_at_start: u64,
    iterations: u64,
    most_iterations: u64,
    applications: u64,
    worst_residual: f64,
    worst_relative: f64,
    worst_penetration: f64,
    escalations: u64,
    failed: u64,
    infeasible: u64,
    first_infeasible: Option<String>,
    energy: EnergyAccount,
    /// Time taken by the parts of the run that are over, s.
    wall_seconds: f64,
    /// The same for each stage, in the order of [`Stage::ALL`].
    stage_seconds: [f64; Stage::ALL.len()],
    /// Time that the run waited for files, s; frames are written meanwhile.
    pub(super) record_seconds: f64,
    /// The longest way of a body in a step, in its radii.
    longest_way: f64,
    /// Of contacts that give, m.
    #[serde(default)]
    given_overlap: f64,
}

impl Totals {
    /// Of a run that starts with this simulation.
    pub(super) fn starting(simulation: &Simulation) -> Self {
        Self {
            bonds_at_start: simulation.bonds() as u64,
            ..Self::default()
        }
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &StepReport, bodies: &Bodies) {
        let way = |i: usize| report.step_size * bodies.velocity[i].length() / bodies.radius[i];
        let ways = (0..bodies.len()).filter(|&i| bodies.is_dynamic(i) && bodies.radius[i] > 0.0);
        self.longest_way = ways.map(way).fold(self.longest_way, f64::max);
        let contacts = report.contacts as u64;
        self.steps += 1;
        self.contacts += contacts;
        self.most_contacts = self.most_contacts.max(contacts);
        self.last_contacts = contacts;
        self.last_active = report.active as u64;
        self.iterations += report.iterations as u64;
        self.most_iterations = self.most_iterations.max(report.iterations as u64);
        self.applications += report.applications as u64;
        self.worst_residual = self.worst_residual.max(report.certificate.residual);
        self.worst_relative = self.worst_relative.max(report.certificate.relative);
        self.given_overlap = self.given_overlap.max(report.given_overlap);
        self.worst_penetration = self
            .worst_penetration
            .max(report.certificate.max_penetration);
        self.escalations += u64::from(report.escalations > 0);
        self.failed += u64::from(!report.certified);
        self.infeasible += u64::from(report.infeasible);
        self.energy.add(&report.energy);
    }

    /// Keeps what the first infeasible step was about.
    pub(super) fn note_infeasible(&mut self, what: impl FnOnce() -> String) {
        self.first_infeasible.get_or_insert_with(what);
    }

    /// The totals with the time that the part of the run that is going on has taken so far.
    pub(super) fn with_times(&self, simulation: &Simulation, elapsed: Duration) -> Self {
        let mut totals = self.clone();
        totals.wall_seconds += elapsed.as_secs_f64();
        for (sum, stage) in totals.stage_seconds.iter_mut().zip(Stage::ALL) {
            *sum += simulation.times().get(stage).as_secs_f64();
        }
        totals
    }

    /// The summary of the run as it stands; see [`Totals::with_times`].
    pub(super) fn summary(
        &self,
        status: RunStatus,
        setup: &Setup,
        simulation: &Simulation,
    ) -> Summary {
        let world = simulation.world();
        let mut stage_seconds: std::collections::BTreeMap<String, f64> = Stage::ALL
            .iter()
            .zip(self.stage_seconds)
            .map(|(stage, seconds)| (stage.name().to_owned(), seconds))
            .collect();
        stage_seconds.insert(Stage::Record.name().to_owned(), self.record_seconds);
        Summary {
            status,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: setup.name.clone(),
            scheme: setup.settings.scheme.name.name().to_owned(),
            law: world.laws.default.law.name().to_owned(),
            solver: setup.settings.solver.method().name().to_owned(),
            threads: granule::parallel::threads(),
            bodies: world.bodies.len(),
            steps: world.steps,
            simulated_time: world.time,
            wall_seconds: self.wall_seconds,
            stage_seconds,
            contacts: ContactSummary {
                max: self.most_contacts,
                mean: self.contacts as f64 / self.steps.max(1) as f64,
                last: self.last_contacts,
                active_final: self.last_active,
            },
            bonds: BondSummary {
                start: self.bonds_at_start,
                end: simulation.bonds() as u64,
            },
            inlets: (setup.inlet_names.iter().zip(&world.inlets))
                .map(|(name, inlet)| ExchangeSummary {
                    name: name.clone(),
                    number: inlet.poured.count,
                    mass: inlet.poured.mass,
                    outside: None,
                    waits: Some(inlet.poured.waits),
                })
                .collect(),
            outlets: (setup.outlet_names.iter().zip(&world.outlets))
                .map(|(name, outlet)| {
                    let stay = outlet.on_exit == OnExit::Warn;
                    ExchangeSummary {
                        name: name.clone(),
                        number: if stay { 0 } else { outlet.gone.count },
                        mass: outlet.gone.mass,
                        outside: stay.then_some(outlet.gone.count),
                        waits: None,
                    }
                })
                .collect(),
            iterations: IterationSummary {
                total: self.iterations,
                max: self.most_iterations,
            },
            applications: self.applications,
            certificate: CertificateSummary {
                worst_residual: self.worst_residual,
                worst_relative: self.worst_relative,
                worst_penetration: self.worst_penetration,
                worst_overlap: self.worst_penetration / setup.smallest_radius(),
            },
            escalations: self.escalations,
            failed_steps: self.failed,
            longest_way: self.longest_way,
            given_overlap: (self.given_overlap > 0.0)
                .then(|| self.given_overlap / setup.smallest_radius()),
            infeasible_steps: self.infeasible,
            first_infeasible: self.first_infeasible.clone(),
            existence: (world.laws.flow() == Flow::Skewed)
                .then(|| existence(simulation.first_problem().problem()).summary()),
            energy: self.energy,
            max_rss_bytes: peak_memory(),
            state_hash: world.bodies.state_hash(),
        }
    }
}

/// The most memory that this process has had in use, bytes; zero where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
