//! D of general blocks on the lines of bodies: what [`super::MatrixFree`] does with contacts that are not round.

use super::{BodySpace, Lever, RowForm};
use crate::math::{DMat3, DVec3};

/// How a body whose moments of inertia differ answers to moments.
#[derive(Debug, Clone, PartialEq)]
struct Tensor {
    body: u32,
    /// r² J⁻¹, 1/kg.
    ease: DMat3,
    /// Its inverse, kg.
    resistance: DMat3,
}

/// General blocks, ready to be applied.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct GeneralLines {
    rows: usize,
    /// l, p/r_a and q/r_b of each row: forms of the velocities v and r ω in lines.
    forms: Vec<RowForm>,
    /// Which blocks the bodies of a range take part in: twice the number of the block, and one more as body `b`.
    /// Those of range i are `visits[start[i]..start[i + 1]]`.
    visits: Vec<u32>,
    start: Vec<u32>,
    /// Sorted by body.
    tensors: Vec<Tensor>,
}

fn linear(line: &[f64]) -> DVec3 {
    DVec3::from_slice(&line[..3])
}

fn surface(line: &[f64]) -> DVec3 {
    DVec3::from_slice(&line[4..7])
}

impl GeneralLines {
    /// Takes the blocks of a space whose bodies are cut into ranges of a given length.
    pub(super) fn prepare(&mut self, space: &BodySpace, range: usize) {
        let general = &space.general;
        self.rows = space.rows;
        self.forms.clear();
        self.tensors.clear();
        self.visits.clear();
        self.start.clear();
        if general.is_empty() && general.tensors.is_empty() {
            return;
        }
        let per_radius = |body: u32| match &space.lever {
            Lever::Radial { radius, .. } if radius[body as usize] > 0.0 => {
                1.0 / radius[body as usize]
            }
            _ => 0.0,
        };
        for (block, forms) in general
            .blocks
            .iter()
            .zip(general.forms.chunks_exact(space.rows))
        {
            let (a, b) = (per_radius(block.a), per_radius(block.b));
            self.forms.extend(forms.iter().map(|form| RowForm {
                linear: form.linear,
                on_a: a * form.on_a,
                on_b: b * form.on_b,
            }));
        }
        self.tensors
            .extend(general.tensors.iter().map(|(body, inverse_inertia)| {
                let radius = 1.0 / per_radius(*body);
                let ease = radius * radius * *inverse_inertia;
                Tensor {
                    body: *body,
                    ease,
                    resistance: ease.inverse(),
                }
            }));
        let ranges = space.inverse_mass.len().div_ceil(range);
        let ends = || {
            let blocks = general.blocks.iter().enumerate();
            blocks.flat_map(|(k, block)| [(2 * k as u32, block.a), (2 * k as u32 + 1, block.b)])
        };
        self.start.resize(ranges + 1, 0);
        for (_, body) in ends() {
            self.start[body as usize / range + 1] += 1;
        }
        for i in 0..ranges {
            self.start[i + 1] += self.start[i];
        }
        let mut next = self.start.clone();
        self.visits.resize(2 * general.blocks.len(), 0);
        for (visit, body) in ends() {
            let place = &mut next[body as usize / range];
            self.visits[*place as usize] = visit;
            *place += 1;
        }
    }

    fn tensor(&self, body: u32) -> Option<&Tensor> {
        let place = self.tensors.binary_search_by_key(&body, |t| t.body).ok()?;
        Some(&self.tensors[place])
    }

    /// r² J⁻¹ of a body with a tensor, and its inverse.
    #[cfg(feature = "second-order")]
    pub(super) fn tensor_of(&self, body: u32) -> Option<[DMat3; 2]> {
        self.tensor(body)
            .map(|tensor| [tensor.ease, tensor.resistance])
    }

    /// The rows of a block as forms of (v, r ω).
    pub(super) fn forms_of(&self, block: usize) -> &[RowForm] {
        &self.forms[block * self.rows..][..self.rows]
    }

    /// What the impulse `x` of a block adds to the momenta of its body `a` or `b`, the second over the radius.
    pub(super) fn load(&self, block: usize, second: bool, x: &[f64]) -> [DVec3; 2] {
        let mut load = [DVec3::ZERO; 2];
        for (form, x) in self.forms_of(block).iter().zip(x) {
            load[0] += *x * form.linear;
            load[1] += *x * if second { form.on_b } else { form.on_a };
        }
        if second {
            load[0] = -load[0];
        }
        load
    }

    /// Adds the impulses `x` of all blocks to the lines of a range of bodies that begins with `base`, and turns the
    /// moments on bodies with tensors into velocities.
    pub(super) fn add<const N: usize>(
        &self,
        space: &BodySpace,
        range: usize,
        base: usize,
        lines: &mut [[f64; N]],
        x: &[f64],
    ) {
        if self.start.is_empty() {
            return;
        }
        for &visit in &self.visits[self.start[range] as usize..self.start[range + 1] as usize] {
            let (block, second) = ((visit / 2) as usize, visit % 2 == 1);
            let ends = &space.general.blocks[block];
            let body = if second { ends.b } else { ends.a } as usize;
            let [force, moment] = self.load(block, second, &x[block * self.rows..][..self.rows]);
            let line = &mut lines[body - base];
            for axis in 0..3 {
                line[axis] += force[axis];
                line[4 + axis] += moment[axis];
            }
        }
        self.add_common(space, base, lines, x);
        for tensor in self.tensors_within(base, lines.len()) {
            let line = &mut lines[tensor.body as usize - base];
            let turned = tensor.ease * surface(line);
            line[4..7].copy_from_slice(&turned.to_array());
        }
    }

    /// The same for the body that takes part in all blocks, if it is in the range.
    fn add_common<const N: usize>(
        &self,
        space: &BodySpace,
        base: usize,
        lines: &mut [[f64; N]],
        x: &[f64],
    ) {
        let Some(common) = &space.general.common else {
            return;
        };
        let Some(line) = lines.get_mut((common.body as usize).wrapping_sub(base)) else {
            return;
        };
        for (block, x) in x.chunks_exact(self.rows).enumerate() {
            let load = common.load(block, self.forms_of(block), x);
            for axis in 0..3 {
                line[axis] += load[axis];
            }
        }
    }

    fn tensors_within(&self, base: usize, count: usize) -> &[Tensor] {
        let place = |body: usize| self.tensors.partition_point(|t| (t.body as usize) < body);
        &self.tensors[place(base)..place(base + count)]
    }

    /// Twice the energy with which bodies with tensors turn, from the differences of two lists of lines that begin
    /// with body `base`.
    pub(super) fn turning_energy<const N: usize>(
        &self,
        base: usize,
        first: &[[f64; N]],
        second: &[[f64; N]],
    ) -> f64 {
        let tensors = self.tensors_within(base, first.len()).iter();
        let parts = tensors.map(|tensor| {
            let place = tensor.body as usize - base;
            let difference = surface(&first[place]) - surface(&second[place]);
            difference.dot(tensor.resistance * difference)
        });
        parts.sum()
    }

    /// The rows of a block of Dᵀ times the velocities (v, r ω) that `of` gives for its bodies.
    pub(super) fn velocity(
        &self,
        space: &BodySpace,
        block: usize,
        of: impl Fn(u32) -> [DVec3; 2],
        out: &mut [f64],
    ) {
        let ends = &space.general.blocks[block];
        let (a, b) = (of(ends.a), of(ends.b));
        let mut apart = a[0] - b[0];
        if let Some(common) = &space.general.common {
            apart -= common.shares[block] * of(common.body)[0];
        }
        for (form, out) in self.forms_of(block).iter().zip(out) {
            *out = form.linear.dot(apart) + form.on_a.dot(a[1]) + form.on_b.dot(b[1]);
        }
    }

    /// The changes of the velocities (v, r ω) of all its bodies by an impulse at a block.
    pub(super) fn change(
        &self,
        space: &BodySpace,
        block: usize,
        x: &[f64],
    ) -> impl Iterator<Item = (u32, [DVec3; 2])> {
        let common = space.general.common.as_ref().map(|common| {
            let load = common.load(block, self.forms_of(block), x);
            let velocity = space.inverse_mass[common.body as usize] * load;
            (common.body, [velocity, DVec3::ZERO])
        });
        (self.change_of_ends(space, block, x).into_iter()).chain(common)
    }

    /// The same of its two.
    fn change_of_ends(&self, space: &BodySpace, block: usize, x: &[f64]) -> [(u32, [DVec3; 2]); 2] {
        let ends = &space.general.blocks[block];
        [(ends.a, false), (ends.b, true)].map(|(body, second)| {
            let [force, moment] = self.load(block, second, x);
            let turned = match self.tensor(body) {
                Some(tensor) => tensor.ease * moment,
                None => space.turning(body as usize) * moment,
            };
            let velocity = space.inverse_mass[body as usize] * force;
            (body, [velocity, turned])
        })
    }

    /// The traces of W_kk that come from bodies `a` and `b`, 1/kg.
    pub(super) fn ease(&self, space: &BodySpace, block: usize) -> [f64; 2] {
        let mut ease = [0.0; 2];
        let mut unit = [0.0; 6];
        for (row, form) in self.forms_of(block).iter().enumerate() {
            unit[row] = 1.0;
            let changes = self.change_of_ends(space, block, &unit[..self.rows]);
            let [(_, [va, sa]), (_, [vb, sb])] = changes;
            ease[0] += form.linear.dot(va) + form.on_a.dot(sa);
            ease[1] += form.on_b.dot(sb) - form.linear.dot(vb);
            unit[row] = 0.0;
        }
        ease
    }
}

impl BodySpace {
    /// The trace of W_kk of a general block that comes from the body that takes part in all, 1/kg.
    pub(super) fn ease_of_common(&self, block: usize) -> f64 {
        let Some(common) = &self.general.common else {
            return 0.0;
        };
        let forms = self.general.forms[block * self.rows..][..self.rows].iter();
        let parts = forms.map(|form| (common.shares[block] * form.linear).length_squared());
        self.inverse_mass[common.body as usize] * parts.sum::<f64>()
    }
}

/// v and r ω of a line.
pub(super) fn velocities_of(line: &[f64]) -> [DVec3; 2] {
    [linear(line), surface(line)]
}
