//! Bodies in blocks, and who sweeps which contacts.
//!
//! Bodies are in spatial order. Cut into blocks of a fixed size, and these into halves again and again, they are the
//! leaves of a tree. A contact belongs to the smallest part of the tree that holds all of its bodies that move, and
//! the contacts of a part are swept after those of its halves. The halves share nothing, so two threads may sweep them
//! at the same time: the result depends on the blocks, never on who works on them.
//!
//! Lines of velocities are in the order of the bodies, with one more behind each block for all that does not move.

use super::batches::{Batch, Batches, Ends, Lane};
use super::momentum::Pace;
use super::passive::{LOOK_CHUNK, Passive};
use super::precision::Precision;
use crate::parallel;
use crate::solver::monitor::StepSums;

/// Bodies in a block.
const BLOCK: usize = 1024;
/// Lines of a block.
const LINES: usize = BLOCK + 1;
/// Batches below which a part is swept by one thread: less is over before another has taken it up. Tests share all.
const SHARED: usize = if cfg!(test) { 400 } else { 1_000 };

/// Blocks of bodies that follow each other.
#[derive(Debug, Clone, Copy)]
struct Blocks {
    first: usize,
    end: usize,
}

impl Blocks {
    fn middle(&self) -> usize {
        self.first.midpoint(self.end)
    }

    fn halves(&self) -> Option<[Self; 2]> {
        let middle = self.middle();
        (middle > self.first).then_some([
            Self {
                end: middle,
                ..*self
            },
            Self {
                first: middle,
                ..*self
            },
        ])
    }

    /// Parts of the tree of these blocks; of its parts it is the last, after those of its halves.
    fn parts(&self) -> usize {
        2 * (self.end - self.first) - 1
    }

    fn lines(&self) -> usize {
        LINES * (self.end - self.first)
    }
}

/// The place of a body among the lines.
#[inline(always)]
pub(super) fn line_of(body: usize) -> usize {
    body + body / BLOCK
}

/// The contacts of each part, and the velocities of bodies.
#[derive(Debug, Clone)]
pub(super) struct Parts<P: Precision> {
    /// In each part places are counted from the first line of its blocks.
    pub(super) batches: Vec<Batches<P>>,
    /// M⁻¹ D y, and M⁻¹ D of the last λ.
    pub(super) lines: Vec<P::Line>,
    pub(super) before: Vec<P::Line>,
    /// Contacts that are not swept.
    pub(super) passive: Passive<P>,
    blocks: usize,
    /// The part of each block by itself.
    own: Vec<u32>,
}

impl<P: Precision> Default for Parts<P> {
    fn default() -> Self {
        Self {
            batches: Vec::new(),
            lines: Vec::new(),
            before: Vec::new(),
            passive: Passive::default(),
            blocks: 0,
            own: Vec::new(),
        }
    }
}

/// The smallest part of the tree of `blocks` that holds two of them, the lower first, and the first block of that part.
fn part_of(mut blocks: Blocks, [low, high]: [usize; 2]) -> (usize, usize) {
    let mut part = 0;
    while let Some([left, right]) = blocks.halves() {
        if high < left.end {
            blocks = left;
        } else if low >= right.first {
            part += left.parts();
            blocks = right;
        } else {
            break;
        }
    }
    (part + blocks.parts() - 1, blocks.first)
}

impl<P: Precision> Parts<P> {
    fn all(&self) -> Blocks {
        Blocks {
            first: 0,
            end: self.blocks,
        }
    }

    /// Makes room for so many bodies and contacts; no part has contacts. A block has room for its share of them, so that
    /// those which begin to matter from step to step find theirs.
    pub(super) fn clear(&mut self, bodies: usize, contacts: usize) {
        fn clear<P: Precision>(parts: &mut [Batches<P>], blocks: Blocks, share: usize) {
            let Some((own, rest)) = parts.split_last_mut() else {
                return;
            };
            match blocks.halves() {
                None => own.clear(blocks.lines(), share),
                Some([left, right]) => {
                    own.clear(blocks.lines(), 0);
                    let (first, second) = rest.split_at_mut(left.parts());
                    clear(first, left, share);
                    clear(second, right, share);
                }
            }
        }
        let blocks = bodies.div_ceil(BLOCK).max(1);
        if self.blocks != blocks {
            self.blocks = blocks;
            let own = (0..blocks).map(|block| part_of(self.all(), [block; 2]).0 as u32);
            self.own = own.collect();
        }
        let all = self.all();
        self.batches.resize_with(all.parts(), Batches::default);
        clear(&mut self.batches, all, contacts.div_ceil(blocks));
        self.lines.resize(all.lines(), P::Line::default());
        self.before.resize(all.lines(), P::Line::default());
        self.passive.clear(contacts);
    }

    /// Lets a contact wait to be put into a batch of its part.
    pub(super) fn wait(&mut self, contact: u32, bodies: [u32; 2], moves: [bool; 2]) {
        let block = |body: u32| body as usize / BLOCK;
        let [a, b] = match moves {
            [true, true] => bodies.map(block),
            [_, false] => [block(bodies[0]); 2],
            [false, true] => [block(bodies[1]); 2],
        };
        let (part, first) = if a == b {
            (self.own[a] as usize, a)
        } else {
            part_of(self.all(), [a.min(b), a.max(b)])
        };
        let first = first * LINES;
        let place = |end: usize| match moves[end] {
            true => (line_of(bodies[end] as usize) - first) as u32,
            // The line behind the block that does not move.
            false => (a * LINES + BLOCK - first) as u32,
        };
        let places = [place(0), place(1)];
        self.batches[part]
            .waiting
            .push((contact, Ends { places, moves }));
    }

    /// Puts the contacts that wait into batches; `lane` tells what each brings.
    pub(super) fn fill(&mut self, lane: impl Fn(u32) -> Lane + Sync) {
        // The line behind the first block of a part.
        parallel::each_mut(&mut self.batches, |_, part| {
            if !part.waiting.is_empty() {
                part.fill(BLOCK as u32, &lane);
            }
        });
    }

    /// Contacts are swept in y = λ + β (λ - λ before).
    pub(super) fn sweep<const EXACT: bool, const AT_ONCE: bool>(&mut self, pace: Pace) -> StepSums {
        let all = self.all();
        let lines = (&mut self.lines[..], &mut self.before[..]);
        sweep::<P, EXACT, AT_ONCE>(&mut self.batches, lines, all, pace)
    }

    /// Looks at the passive contacts, and wakes those that want an impulse.
    pub(super) fn look(&mut self, exact: bool) {
        let Passive { list, woken, .. } = &mut self.passive;
        let (lines, chunks) = (&self.lines[..], list.len().div_ceil(LOOK_CHUNK));
        let (found, none) = woken.split_at_mut(chunks);
        none.iter_mut().for_each(Vec::clear);
        let sizes = [LOOK_CHUNK, 1];
        let nothing = &mut vec![(); chunks];
        parallel::chunks_map2(list, found, sizes, nothing, |_, list, woken| {
            woken[0].clear();
            P::look(list, lines, exact, &mut woken[0]);
        });
    }

    /// Calls `each` with all batches.
    pub(super) fn each_batch(&self, mut each: impl FnMut(&Batch<P>)) {
        for part in &self.batches {
            part.list.iter().for_each(&mut each);
        }
    }
}

/// Sweeps the contacts of a part of the tree, after all within it.
fn sweep<P: Precision, const EXACT: bool, const AT_ONCE: bool>(
    parts: &mut [Batches<P>],
    (lines, before): (&mut [P::Line], &mut [P::Line]),
    blocks: Blocks,
    pace: Pace,
) -> StepSums {
    let Some((own, rest)) = parts.split_last_mut() else {
        return StepSums::default();
    };
    let mut sums = StepSums::default();
    match blocks.halves() {
        None => P::extrapolate(lines, before, pace.beta),
        Some([left, right]) => {
            let batches: usize = rest.iter().map(|part| part.list.len()).sum();
            let (first, second) = rest.split_at_mut(left.parts());
            let (lines, more_lines) = lines.split_at_mut(left.lines());
            let (before, more_before) = before.split_at_mut(left.lines());
            let mut left = || sweep::<P, EXACT, AT_ONCE>(first, (lines, before), left, pace);
            let mut right =
                || sweep::<P, EXACT, AT_ONCE>(second, (more_lines, more_before), right, pace);
            let (one, other) = match batches > SHARED {
                true => parallel::both(left, right),
                false => (left(), right()),
            };
            sums = one.merge(other);
        }
    }
    sums.merge(P::sweep::<EXACT, AT_ONCE>(own, lines, pace))
}
