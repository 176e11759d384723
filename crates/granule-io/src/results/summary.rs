//! `summary.json`: what happened, in one page.

use super::atomic::write_atomically;
use super::{ReadError, WriteError};
use granule::simulation::EnergyAccount;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// It reached its end.
    Completed,
    /// It was asked to stop; it can be resumed.
    Interrupted,
    /// It could not go on.
    Failed,
}

/// Numbers of contacts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactSummary {
    /// Most candidates in a step.
    pub max: u64,
    /// Mean number of candidates a step.
    #[serde(with = "nullable")]
    pub mean: f64,
    /// Candidates in the last step.
    #[serde(rename = "final")]
    pub last: u64,
    /// Contacts that carry load in the last step.
    pub active_final: u64,
}

/// Numbers of bonds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BondSummary {
    /// Made at the start.
    pub start: u64,
    /// Left at the end.
    pub end: u64,
}

/// Iterations of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IterationSummary {
    /// Of all steps together.
    pub total: u64,
    /// Most in a step.
    pub max: u64,
}

/// What came through an inlet or went through an outlet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeSummary {
    /// The name of the inlet or outlet.
    pub name: String,
    /// Bodies.
    pub number: u64,
    /// kg.
    pub mass: f64,
    /// Of an outlet where bodies stay, the most that were outside at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<u64>,
    /// Of an inlet, steps in which a grain was due and found no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<u64>,
}

/// The worst certificate of the run. NaN is written as `null`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateSummary {
    /// Largest certified residual, m/s.
    #[serde(with = "nullable")]
    pub worst_residual: f64,
    /// Largest residual by the community's definition, dimensionless.
    #[serde(with = "nullable")]
    pub worst_relative: f64,
    /// Deepest penetration, m.
    #[serde(with = "nullable")]
    pub worst_penetration: f64,
    /// The same over the smallest radius.
    #[serde(default, with = "nullable")]
    pub worst_overlap: f64,
}

/// What `summary.json` holds; the names of the fields are the keys of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// How the run ended.
    pub status: RunStatus,
    /// Version of the program.
    pub version: String,
    /// Name of the scene.
    pub scene: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Name of the law, or of the laws.
    pub law: String,
    /// Name of the solver.
    pub solver: String,
    /// Number of threads.
    pub threads: usize,
    /// Number of bodies.
    pub bodies: usize,
    /// Steps taken, over all resumed parts.
    pub steps: u64,
    /// Time reached in the scene, s.
    pub simulated_time: f64,
    /// Time taken by the run, s.
    pub wall_seconds: f64,
    /// Time taken by each stage of the step, s.
    pub stage_seconds: BTreeMap<String, f64>,
    /// Numbers of contacts.
    pub contacts: ContactSummary,
    /// Numbers of bonds.
    #[serde(default)]
    pub bonds: BondSummary,
    /// What came in while the run went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlets: Vec<ExchangeSummary>,
    /// What left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlets: Vec<ExchangeSummary>,
    /// Iterations of the solver.
    pub iterations: IterationSummary,
    /// Applications of W, in total.
    pub applications: u64,
    /// The worst certificate.
    pub certificate: CertificateSummary,
    /// Steps in which a stronger solver was called.
    pub escalations: u64,
    /// Steps whose certificate failed in the end.
    pub failed_steps: u64,
    /// The longest way of a body in one step, over its radius (of another shape, of a sphere around it).
    #[serde(default, with = "nullable")]
    pub longest_way: f64,
    /// The deepest overlap of contacts that give, over the smallest radius; none where all are rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_overlap: Option<f64>,
    /// Steps whose constraints contradicted each other.
    #[serde(default)]
    pub infeasible_steps: u64,
    /// What the first of these was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_infeasible: Option<String>,
    /// Where the flow is skewed (`dilatancy`): whether the problem of the last step must have a solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existence: Option<String>,
    /// What became of the energy, J.
    #[serde(default)]
    pub energy: EnergyAccount,
    /// Largest memory in use, bytes.
    pub max_rss_bytes: u64,
    /// Hash of the final positions and velocities; 16 hexadecimal digits in the file.
    #[serde(with = "hexadecimal")]
    pub state_hash: u64,
}

impl Summary {
    /// Writes the file, under a temporary name first.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| WriteError::io(path, std::io::Error::other(error)))?;
        write_atomically(path, &[text.as_bytes(), b"\n"])
    }

    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let text = std::fs::read_to_string(path).map_err(|source| ReadError::io(path, source))?;
        serde_json::from_str(&text).map_err(|error| ReadError::malformed(path, error.to_string()))
    }
}

/// JSON has no NaN: it is `null` there.
mod nullable {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            to.serialize_f64(*value)
        } else {
            to.serialize_none()
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
    }
}

/// 64 bits do not fit into the numbers of JSON, so they are text.
mod hexadecimal {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(value: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{value:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_comes_back_and_has_the_keys_of_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.json");
        let summary = Summary {
            status: RunStatus::Interrupted,
            version: "0.1.0".to_owned(),
            scene: "hourglass".to_owned(),
            scheme: "maury".to_owned(),
            law: "frictionless".to_owned(),
            solver: "apgd".to_owned(),
            threads: 2,
            bodies: 1000,
            steps: 12,
            simulated_time: 0.1 + 0.2,
            wall_seconds: 1.5,
            stage_seconds: BTreeMap::from([("solve".to_owned(), 1.25)]),
            contacts: ContactSummary {
                max: 9,
                mean: 4.5,
                last: 8,
                active_final: 7,
            },
            bonds: BondSummary { start: 6, end: 5 },
            inlets: Vec::new(),
            outlets: Vec::new(),
            iterations: IterationSummary {
                total: 100,
                max: 20,
            },
            applications: 230,
            certificate: CertificateSummary {
                worst_residual: 1e-9,
                worst_relative: f64::NAN,
                worst_penetration: 2e-12,
                worst_overlap: 2e-9,
            },
            escalations: 1,
            infeasible_steps: 0,
            first_infeasible: None,
            existence: None,
            energy: EnergyAccount::default(),
            failed_steps: 0,
            longest_way: 0.1,
            given_overlap: None,
            max_rss_bytes: 1 << 30,
            state_hash: 0x00ab_cdef_0123_4567,
        };
        summary.write(&path).unwrap();
        let back = Summary::read(&path).unwrap();
        assert!(back.certificate.worst_relative.is_nan());
        let certificate = summary.certificate;
        assert_eq!(
            Summary {
                certificate,
                ..back.clone()
            }
            .simulated_time,
            0.1 + 0.2
        );
        assert_eq!(back.state_hash, summary.state_hash);

        let text = std::fs::read_to_string(&path).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let mut expected = vec![
            "status",
            "version",
            "scene",
            "scheme",
            "law",
            "solver",
            "threads",
            "bodies",
            "bonds",
            "steps",
            "simulated_time",
            "wall_seconds",
            "stage_seconds",
            "contacts",
            "iterations",
            "applications",
            "certificate",
            "escalations",
            "failed_steps",
            "longest_way",
            "infeasible_steps",
            "energy",
            "max_rss_bytes",
            "state_hash",
        ];
        let mut found = keys(&json);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(json["status"], "interrupted");
        assert_eq!(json["state_hash"], "00abcdef01234567");
        assert_eq!(json["contacts"]["final"], 8);
        assert_eq!(json["contacts"]["active_final"], 7);
        assert!(json["certificate"]["worst_relative"].is_null());
    }
}
