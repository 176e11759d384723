//! The order in which contacts are visited.

use crate::problem::{BodySpace, ContactProblem, Delassus};
use crate::solver::{SweepOrder, Sweeps};
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

/// Colours that may be shared. A contact whose neighbours have all of them is visited by itself.
const COLOURS: usize = u128::BITS as usize;

/// The contacts of a problem in the order that was asked for.
#[derive(Debug, Default)]
pub(super) struct VisitOrder {
    kind: SweepOrder,
    list: Vec<u32>,
    /// Ends of the colours in `list`.
    ends: Vec<usize>,
    /// Whether the next sweep goes backwards.
    backwards: bool,
    random: Option<Pcg64>,
    /// Scratch: the colours that the contacts of a body have, and that of each contact.
    taken: Vec<u128>,
    colour: Vec<u32>,
}

impl VisitOrder {
    /// Takes the contacts of a problem.
    pub(super) fn prepare(&mut self, sweeps: &Sweeps, problem: &ContactProblem) {
        self.kind = sweeps.sweep;
        self.backwards = false;
        self.random =
            (self.kind == SweepOrder::Shuffled).then(|| Pcg64::seed_from_u64(sweeps.seed));
        self.list.clear();
        self.list.extend(0..problem.contact_count() as u32);
        if self.kind == SweepOrder::Coloured {
            match &problem.delassus {
                Delassus::MatrixFree(operator) => self.colour_bodies(&operator.space),
                Delassus::Assembled(matrix) => {
                    self.colour_contacts(matrix.contact_count(), |k| matrix.row(k).map(|(l, _)| l));
                }
            }
            self.sort_by_colour();
        }
    }

    /// The contacts of the next sweep.
    pub(super) fn next_sweep(&mut self) -> impl Iterator<Item = usize> + use<> {
        if let Some(random) = &mut self.random {
            self.list.shuffle(random);
        }
        let backwards = self.backwards;
        self.backwards = self.kind == SweepOrder::Symmetric && !backwards;
        // Only a shuffled order needs its list, and a copy of it; the others are numbers in a row.
        let list = (self.kind == SweepOrder::Shuffled).then(|| self.list.clone());
        let count = self.list.len();
        (0..count).map(move |place| match &list {
            Some(list) => list[place] as usize,
            None if backwards => count - 1 - place,
            None => place,
        })
    }

    /// Lists of contacts that may be visited in parallel, if that was asked for.
    pub(super) fn colours(&self) -> Option<impl Iterator<Item = &[u32]>> {
        (self.kind == SweepOrder::Coloured).then(|| {
            let starts = std::iter::once(0).chain(self.ends.iter().copied());
            starts
                .zip(&self.ends)
                .map(|(start, &end)| &self.list[start..end])
        })
    }

    /// Gives the next contact the first colour that is not `used` and tells it; where all are, the contact gets a colour
    /// of its own.
    fn give_colour(&mut self, used: u128) -> Option<u32> {
        let (next, own) = (used.trailing_ones(), self.colour.len() + COLOURS);
        let colour = ((next as usize) < COLOURS).then_some(next);
        self.colour.push(colour.unwrap_or(own as u32));
        colour
    }

    /// The first colour that no contact of either body has.
    fn colour_bodies(&mut self, space: &BodySpace) {
        self.taken.clear();
        self.taken.resize(space.inverse_mass.len(), 0);
        self.colour.clear();
        for contact in 0..space.contact_count() {
            let bodies = space.ends(contact).map(|body| body as usize);
            let moving = bodies
                .into_iter()
                .filter(|&body| space.inverse_mass[body] > 0.0);
            let used = moving.clone().fold(0, |used, body| used | self.taken[body]);
            if let Some(colour) = self.give_colour(used) {
                moving.for_each(|body| self.taken[body] |= 1 << colour);
            }
        }
    }

    /// The first colour that no neighbour before has.
    fn colour_contacts<N: Iterator<Item = usize>>(
        &mut self,
        count: usize,
        neighbours: impl Fn(usize) -> N,
    ) {
        self.colour.clear();
        for k in 0..count {
            let colours = neighbours(k).filter(|&l| l < k).map(|l| self.colour[l]);
            let used = colours
                .filter(|&colour| (colour as usize) < COLOURS)
                .fold(0u128, |used, colour| used | 1 << colour);
            self.give_colour(used);
        }
    }

    fn sort_by_colour(&mut self) {
        let colour = &self.colour;
        self.list.sort_by_key(|&k| colour[k as usize]);
        self.ends.clear();
        let ends = (1..=self.list.len()).filter(|&end| {
            end == self.list.len()
                || colour[self.list[end] as usize] != colour[self.list[end - 1] as usize]
        });
        self.ends.extend(ends);
    }
}
