//! What is remembered of the pairs of a list, laid out for the start of the next solve.

use super::{ContactMemory, LawMemory};
use crate::math::{DVec3, Screw};

/// Eight numbers that the start of a solve reads: one line of a cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    normal: DVec3,
    /// When the pair was remembered; it is a contact of the last step if that is `now`.
    when: u64,
    /// N s.
    impulse: DVec3,
    /// ℓ, m; zero where the contact has no moment.
    length: f64,
}

/// What only frames show.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    point: DVec3,
    gap: f64,
}

/// What is remembered of each pair of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Memories {
    lines: Vec<Line>,
    places: Vec<Place>,
    /// The moments over ℓ, N s; empty where no contact had one.
    moments: Vec<DVec3>,
    /// What laws remember; empty where none does.
    laws: Vec<LawMemory>,
    /// The pairs that were contacts of the last step, in their order once they are all there.
    live: Vec<u32>,
    /// Grows whenever something is forgotten.
    now: u64,
}

/// The impulse that a solve starts from.
pub(super) struct Start {
    normal: DVec3,
    impulse: Screw,
}

impl Start {
    /// Writes the impulse, `scale` times as large, into the rows of the same contact with another normal:
    /// the normal part follows the normal, and what is left across it stays tangential.
    #[inline]
    pub(super) fn write(&self, scale: f64, normal: DVec3, rows: &mut [f64]) {
        let impulse = scale * self.impulse;
        let along = impulse.linear.dot(self.normal);
        if let [row] = rows {
            *row = along;
            return;
        }
        let across = impulse.linear - along * self.normal;
        let linear = along * normal + (across - across.dot(normal) * normal);
        // Known lengths, so that no call is made for a copy of a few numbers.
        match rows {
            [x, y] => [*x, *y] = [linear.x, linear.y],
            [x, y, z] => [*x, *y, *z] = linear.to_array(),
            _ => {
                linear.write_to_slice(rows);
                impulse.angular.write_to_slice(&mut rows[3..]);
            }
        }
    }
}

impl From<&ContactMemory> for Start {
    fn from(memory: &ContactMemory) -> Self {
        Self {
            normal: memory.normal,
            impulse: memory.impulse,
        }
    }
}

impl Memories {
    /// Makes room for so many pairs, of which nothing is remembered; `other` is a list that it may take over
    /// from.
    pub(super) fn reset(&mut self, pairs: usize, other: &Self) {
        // What is there stays, and is older than now.
        self.lines.resize(pairs, Line::default());
        self.places.resize(pairs, Place::default());
        self.moments.clear();
        self.laws.clear();
        self.now = self.now.max(other.now);
        self.forget();
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.now += 1;
        self.live.clear();
    }

    /// The pairs that were contacts of the last step, in their order.
    pub(super) fn live(&self) -> impl Iterator<Item = usize> {
        self.live.iter().map(|&entry| entry as usize)
    }

    /// Puts them into their order, after all were set.
    pub(super) fn finish(&mut self) {
        if !self.live.is_sorted() {
            self.live.sort_unstable();
        }
    }

    /// Whether a pair was a contact of the last step.
    #[inline]
    fn is_live(&self, entry: usize) -> bool {
        // Before anything is remembered, lines are as old as the list.
        self.now > 0 && self.lines[entry].when == self.now
    }

    /// What the law of a pair remembers, if it does, and the normal that the pair had.
    pub(super) fn law(&self, entry: usize) -> Option<(LawMemory, DVec3)> {
        let law = self.laws.get(entry)?;
        (law.holds && self.is_live(entry)).then(|| (*law, self.lines[entry].normal))
    }

    fn moment(&self, entry: usize) -> DVec3 {
        self.moments.get(entry).copied().unwrap_or(DVec3::ZERO)
    }

    /// What is remembered of a pair, if it was a contact of the last step.
    pub(super) fn get(&self, entry: usize) -> Option<ContactMemory> {
        self.is_live(entry).then(|| {
            let (line, place) = (&self.lines[entry], &self.places[entry]);
            ContactMemory {
                point: place.point,
                normal: line.normal,
                gap: place.gap,
                impulse: Screw {
                    linear: line.impulse,
                    angular: self.moment(entry),
                },
                length: line.length,
                law: self.laws.get(entry).copied().unwrap_or_default(),
            }
        })
    }

    /// What of it a solve starts from, with its moment or without.
    #[inline]
    pub(super) fn start(&self, entry: usize, with_moment: bool) -> Option<Start> {
        self.is_live(entry).then(|| {
            let line = &self.lines[entry];
            let angular = if with_moment {
                self.moment(entry)
            } else {
                DVec3::ZERO
            };
            Start {
                normal: line.normal,
                impulse: Screw {
                    linear: line.impulse,
                    angular,
                },
            }
        })
    }

    /// Remembers a pair that nothing was remembered of.
    #[inline(always)]
    pub(super) fn set(&mut self, entry: usize, memory: &ContactMemory) {
        self.live.push(entry as u32);
        self.write(entry, memory);
    }

    /// Remembers a pair differently.
    #[inline(always)]
    pub(super) fn write(&mut self, entry: usize, memory: &ContactMemory) {
        self.lines[entry] = Line {
            normal: memory.normal,
            when: self.now,
            impulse: memory.impulse.linear,
            length: memory.length,
        };
        self.places[entry] = Place {
            point: memory.point,
            gap: memory.gap,
        };
        if memory.impulse.angular != DVec3::ZERO && self.moments.is_empty() {
            self.moments.resize(self.lines.len(), DVec3::ZERO);
        }
        if let Some(moment) = self.moments.get_mut(entry) {
            *moment = memory.impulse.angular;
        }
        if memory.law != LawMemory::default() && self.laws.is_empty() {
            self.laws.resize(self.lines.len(), LawMemory::default());
        }
        if let Some(law) = self.laws.get_mut(entry) {
            *law = memory.law;
        }
    }

    /// Remembers a pair as another list did.
    pub(super) fn take_over(&mut self, entry: usize, other: &Self, from: usize) {
        if let Some(memory) = other.get(from) {
            self.set(entry, &memory);
        }
    }
}
