//! All that is needed to go on as if nothing had happened.

use super::{Exchanged, Settings, World};
use crate::bodies::Load;
use crate::collision::RememberedContact;
use crate::joints::JointState;
use serde::{Deserialize, Serialize};

/// The state between two steps: a simulation restored from it goes on with the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The world.
    pub world: World,
    /// How it is simulated.
    pub settings: Settings,
    /// The contacts of the last step, for the warm start, sorted by key.
    pub contacts: Vec<RememberedContact>,
    /// What is remembered of the joints; empty before the first step.
    pub joints: Vec<JointState>,
    /// Length of the last step, s.
    pub last_step: f64,
    /// The penetration that the last certificate allowed, m.
    pub allowed: f64,
    /// What is stored in springs of contacts, J.
    pub elastic_energy: f64,
    /// The loads on bodies in the coming step, by their places; empty if there are none.
    pub loads: Vec<Load>,
    /// What came and went at the start of the coming step already, since that was begun and could not be ended.
    pub exchanged: Option<Exchanged>,
}

impl Snapshot {
    /// The state before the first step.
    pub fn start(world: World, settings: Settings) -> Self {
        Self {
            world,
            settings,
            contacts: Vec::new(),
            joints: Vec::new(),
            last_step: 0.0,
            allowed: 0.0,
            elastic_energy: 0.0,
            loads: Vec::new(),
            exchanged: None,
        }
    }
}
