//! Dᵀ: the relative velocities at contacts that those of bodies make.

use super::MatrixFree;
use crate::parallel::{CONTACT_CHUNK, Kernel, Lanes, run};
use crate::problem::by_rows;
use crate::problem::delassus::map_contacts;
use crate::problem::general_lines::velocities_of;
use crate::problem::lines::{BodyLines, relative, relative_spin};

impl MatrixFree {
    /// Dᵀ of the velocities, chunk by chunk: see [`Delassus::map_image`].
    pub(in crate::problem) fn map_image<P, F>(
        &self,
        lines: &BodyLines,
        out: &mut [f64],
        memory: &mut [f64],
        partials: &mut [P],
        then: F,
    ) where
        P: Send,
        F: Fn(usize, &mut [f64], &mut [f64]) -> P + Sync,
    {
        let both = [out, memory];
        by_rows!(self.space.rows, <ROWS, B> self.gather::<ROWS, P, _>(lines, both, partials, then));
    }

    fn gather<const ROWS: usize, P, F>(
        &self,
        lines: &BodyLines,
        [out, memory]: [&mut [f64]; 2],
        partials: &mut [P],
        then: F,
    ) where
        P: Send,
        F: Fn(usize, &mut [f64], &mut [f64]) -> P + Sync,
    {
        let round = self.space.contacts.len();
        map_contacts(ROWS, out, memory, partials, |chunk, rows, memory| {
            let first = chunk * CONTACT_CHUNK;
            let (contacts, _) = rows.as_chunks_mut::<ROWS>();
            let split = contacts.len().min(round.saturating_sub(first));
            let (spheres, others) = contacts.split_at_mut(split);
            run(Gather {
                operator: self,
                lines,
                first,
                out: spheres,
            });
            for (k, w) in others.iter_mut().enumerate() {
                self.general_rows(lines, first + split + k - round, w);
            }
            then(chunk, rows, memory)
        });
    }

    /// The rows of contact `k` of Dᵀ times velocities.
    #[inline(always)]
    pub(in crate::problem) fn rows_of(&self, lines: &BodyLines, k: usize, w: &mut [f64]) {
        match k.checked_sub(self.space.contacts.len()) {
            None => self.round_rows(lines, k, w),
            Some(block) => self.general_rows(lines, block, w),
        }
    }

    #[inline(always)]
    fn round_rows(&self, lines: &BodyLines, k: usize, w: &mut [f64]) {
        let contact = &self.space.contacts[k];
        match w.len() {
            1 if self.turns() => {
                let (va, vb) = (
                    &lines.eight[contact.a as usize],
                    &lines.eight[contact.b as usize],
                );
                w[0] = contact.normal.x * (va[0] - vb[0])
                    + contact.normal.y * (va[1] - vb[1])
                    + contact.normal.z * (va[2] - vb[2]);
            }
            1 => {
                let bodies = &lines.four[..];
                let (va, vb) = (&bodies[contact.a as usize], &bodies[contact.b as usize]);
                w[0] = contact.normal.x * (va[0] - vb[0])
                    + contact.normal.y * (va[1] - vb[1])
                    + contact.normal.z * (va[2] - vb[2]);
            }
            6 => {
                let u = relative(&lines.eight, contact);
                let spin = relative_spin(&lines.eight, contact, self.space.arms[k]);
                w.copy_from_slice(&[u.x, u.y, u.z, spin.x, spin.y, spin.z]);
            }
            rows => {
                let u = relative(&lines.eight, contact).to_array();
                w.copy_from_slice(&u[..rows]);
            }
        }
    }

    fn general_rows(&self, lines: &BodyLines, block: usize, w: &mut [f64]) {
        let of = |body: u32| velocities_of(&lines.eight[body as usize]);
        self.general.velocity(&self.space, block, of, w);
    }
}

/// Dᵀ of velocities for round contacts one after the other.
struct Gather<'a, const ROWS: usize> {
    operator: &'a MatrixFree,
    lines: &'a BodyLines,
    first: usize,
    out: &'a mut [[f64; ROWS]],
}

impl<const ROWS: usize> Kernel for Gather<'_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, _: L) {
        for (k, w) in self.out.iter_mut().enumerate() {
            self.operator.round_rows(self.lines, self.first + k, w);
        }
    }
}
