//! Which bodies and walls contradict each other.

use super::Simulation;
use crate::certify::Contradiction;
use crate::collision::{Contact, Partner};
use crate::scheme::JointRows;
use std::fmt;

/// Bodies, walls and joints with less than this share of what the first has are not named.
const NAMED: f64 = 0.05;

/// How many are named at most.
const MOST_NAMED: usize = 8;

/// One of those that leave each other no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// The body with this id.
    Body(u32),
    /// The wall of this number, from 0.
    Wall(usize),
    /// The joint of this number, from 0, or its motor.
    Joint(usize),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Body(id) => write!(f, "body {id}"),
            Self::Wall(number) => write!(f, "wall {number}"),
            Self::Joint(number) => write!(f, "joint {number}"),
        }
    }
}

/// What cannot be satisfied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// That contacts do not approach.
    Contacts,
    /// That overlaps at the start of the step are undone.
    Overlaps,
}

/// Constraints of a step that contradict each other.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Infeasible {
    /// Number of the step.
    pub step: u64,
    /// Time at its start, s.
    pub time: f64,
    /// What cannot be satisfied.
    pub demand: Demand,
    /// Whatever the impulses, some contact errs by this at least, m/s.
    pub approach: f64,
    /// Those that leave each other no room, the most concerned first.
    pub parties: Vec<Party>,
    /// How many more there are.
    pub others: usize,
}

impl Infeasible {
    /// What happened, with the parties as `name` calls them.
    pub fn describe(&self, name: impl Fn(Party) -> String) -> String {
        let mut names: Vec<String> = self.parties.iter().map(|party| name(*party)).collect();
        if self.others > 0 {
            names.push(format!("{} more", self.others));
        }
        let list = match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => names.concat(),
        };
        let Self {
            step,
            time,
            approach,
            ..
        } = self;
        match self.demand {
            Demand::Contacts => format!(
                "step {step} at t = {time} s is infeasible: {list} leave each other no room, and approach at \
                 {approach:.3e} m/s at least whatever the contact forces"
            ),
            Demand::Overlaps => format!(
                "step {step} at t = {time} s is infeasible: {list} overlap and leave each other no room to come apart"
            ),
        }
    }

    /// What can be done about it.
    pub fn remedy(&self) -> &'static str {
        match self.demand {
            Demand::Contacts => {
                "stop or slow the wall before it crushes what it presses on, limit the `strength` of a motor, make room, or use a softer law; \
                 with `on_failure = \"warn\"` the contacts give way and the run goes on"
            }
            Demand::Overlaps => {
                "remove the overlap or make room; unless `on_failure` is \"stop\" the run goes on with it"
            }
        }
    }
}

impl fmt::Display for Infeasible {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{}; {}",
            self.describe(|party| party.to_string()),
            self.remedy()
        )
    }
}

impl Simulation {
    /// Who is behind a contradiction between these contacts and joints.
    pub(super) fn infeasible(
        &self,
        demand: Demand,
        (contacts, joints): (&[Contact], &JointRows),
        rows: usize,
        proof: &Contradiction,
    ) -> Infeasible {
        let mut shares: Vec<(Party, f64)> = Vec::new();
        let mut blocks = proof.shares(rows);
        for (contact, share) in contacts.iter().zip(&mut blocks) {
            let body = |place: u32| Party::Body(self.world.bodies.id[place as usize]);
            let other = match contact.key.partner {
                Partner::Body(place) => body(place),
                Partner::Wall(number) => Party::Wall(number as usize),
            };
            shares.push((body(contact.key.a), share));
            shares.push((other, share));
        }
        let joined = |(joint, share)| (Party::Joint(joint), share);
        match demand {
            Demand::Contacts => shares.extend(joints.owners().zip(blocks).map(joined)),
            // Of joints only what they hold has a say there.
            Demand::Overlaps => shares.extend(joints.owners_of_held().zip(blocks).map(joined)),
        }
        shares.sort_by_key(|(party, _)| *party);
        shares.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let least = shares.first().map_or(0.0, |(_, share)| NAMED * share);
        shares.retain(|(_, share)| *share > least);
        let others = shares.len().saturating_sub(MOST_NAMED);
        shares.truncate(MOST_NAMED);
        Infeasible {
            step: self.world.steps + 1,
            time: self.world.time,
            demand,
            approach: proof.approach,
            parties: shares.into_iter().map(|(party, _)| party).collect(),
            others,
        }
    }
}
