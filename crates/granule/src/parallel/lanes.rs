//! Four numbers side by side.
//!
//! [`Quad`] holds them in memory, [`Four`] while something is computed with them. A kind of [`Lanes`] says by which
//! instructions: those of AVX2, or those that every processor has. The operations and their order are the same for both,
//! each is rounded for itself, and so the numbers are the same to the last bit.

use std::ops::{Add, AddAssign, BitAnd, Div, Mul, Sub};

/// Numbers side by side.
pub(crate) const LANES: usize = 4;

/// Four numbers in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Quad(pub(crate) [f64; LANES]);

impl Quad {
    /// Four numbers of several times four.
    #[inline(always)]
    pub(crate) fn part<const N: usize>(line: &[f64; N], part: usize) -> Self {
        Self(line.as_chunks::<LANES>().0[part])
    }

    /// Puts them there.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(self, line: &mut [f64; N], part: usize) {
        line.as_chunks_mut::<LANES>().0[part] = self.0;
    }
}

/// How four numbers are computed with.
pub(crate) trait Lanes: Copy {
    /// Four numbers.
    type Numbers: Copy;
    /// Four truths.
    type Truths: Copy;

    /// From memory.
    fn load(self, numbers: Quad) -> Self::Numbers;
    /// To memory.
    fn store(self, numbers: Self::Numbers) -> Quad;
    /// a + b.
    fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// a - b.
    fn subtract(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// a b.
    fn multiply(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// a / b.
    fn divide(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// √a.
    fn root(self, a: Self::Numbers) -> Self::Numbers;
    /// a if a > b, otherwise b.
    fn larger(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// a > b.
    fn above(self, a: Self::Numbers, b: Self::Numbers) -> Self::Truths;
    /// a ≤ b.
    fn at_most(self, a: Self::Numbers, b: Self::Numbers) -> Self::Truths;
    /// Whether both are true.
    fn both(self, a: Self::Truths, b: Self::Truths) -> Self::Truths;
    /// The number of `yes` where it is true, that of `no` elsewhere.
    fn choose(self, truths: Self::Truths, yes: Self::Numbers, no: Self::Numbers) -> Self::Numbers;
    /// Rows become columns.
    fn transpose(self, rows: [Self::Numbers; LANES]) -> [Self::Numbers; LANES];
}

/// Instructions that every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

#[inline(always)]
fn each<T>(value: impl Fn(usize) -> T) -> [T; LANES] {
    [value(0), value(1), value(2), value(3)]
}

impl Lanes for Plain {
    type Numbers = [f64; LANES];
    type Truths = [bool; LANES];

    #[inline(always)]
    fn load(self, numbers: Quad) -> [f64; LANES] {
        numbers.0
    }
    #[inline(always)]
    fn store(self, numbers: [f64; LANES]) -> Quad {
        Quad(numbers)
    }
    #[inline(always)]
    fn add(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(|k| a[k] + b[k])
    }
    #[inline(always)]
    fn subtract(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(|k| a[k] - b[k])
    }
    #[inline(always)]
    fn multiply(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(|k| a[k] * b[k])
    }
    #[inline(always)]
    fn divide(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(|k| a[k] / b[k])
    }
    #[inline(always)]
    fn root(self, a: [f64; LANES]) -> [f64; LANES] {
        each(|k| a[k].sqrt())
    }
    #[inline(always)]
    fn larger(self, a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        each(|k| if a[k] > b[k] { a[k] } else { b[k] })
    }
    #[inline(always)]
    fn above(self, a: [f64; LANES], b: [f64; LANES]) -> [bool; LANES] {
        each(|k| a[k] > b[k])
    }
    #[inline(always)]
    fn at_most(self, a: [f64; LANES], b: [f64; LANES]) -> [bool; LANES] {
        each(|k| a[k] <= b[k])
    }
    #[inline(always)]
    fn both(self, a: [bool; LANES], b: [bool; LANES]) -> [bool; LANES] {
        each(|k| a[k] & b[k])
    }
    #[inline(always)]
    fn choose(self, truths: [bool; LANES], yes: [f64; LANES], no: [f64; LANES]) -> [f64; LANES] {
        each(|k| if truths[k] { yes[k] } else { no[k] })
    }
    #[inline(always)]
    fn transpose(self, rows: [[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
        each(|column| each(|row| rows[row][column]))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{LANES, Lanes, Quad};
    use core::arch::x86_64::{__m256d, _CMP_GT_OQ, _CMP_LE_OQ};
    use pulp::x86::V3;

    impl Lanes for V3 {
        type Numbers = __m256d;
        type Truths = __m256d;

        #[inline(always)]
        fn load(self, numbers: Quad) -> __m256d {
            pulp::cast(numbers.0)
        }
        #[inline(always)]
        fn store(self, numbers: __m256d) -> Quad {
            Quad(pulp::cast(numbers))
        }
        #[inline(always)]
        fn add(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_add_pd(a, b)
        }
        #[inline(always)]
        fn subtract(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_sub_pd(a, b)
        }
        #[inline(always)]
        fn multiply(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_mul_pd(a, b)
        }
        #[inline(always)]
        fn divide(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_div_pd(a, b)
        }
        #[inline(always)]
        fn root(self, a: __m256d) -> __m256d {
            self.avx._mm256_sqrt_pd(a)
        }
        #[inline(always)]
        fn larger(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_max_pd(a, b)
        }
        #[inline(always)]
        fn above(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_cmp_pd::<_CMP_GT_OQ>(a, b)
        }
        #[inline(always)]
        fn at_most(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_cmp_pd::<_CMP_LE_OQ>(a, b)
        }
        #[inline(always)]
        fn both(self, a: __m256d, b: __m256d) -> __m256d {
            self.avx._mm256_and_pd(a, b)
        }
        #[inline(always)]
        fn choose(self, truths: __m256d, yes: __m256d, no: __m256d) -> __m256d {
            self.avx._mm256_blendv_pd(no, yes, truths)
        }
        #[inline(always)]
        fn transpose(self, [a, b, c, d]: [__m256d; LANES]) -> [__m256d; LANES] {
            let avx = self.avx;
            // Pairs of a and b, and of c and d; then the halves of these.
            let (first, second) = (avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b));
            let (third, fourth) = (avx._mm256_unpacklo_pd(c, d), avx._mm256_unpackhi_pd(c, d));
            [
                avx._mm256_permute2f128_pd::<0x20>(first, third),
                avx._mm256_permute2f128_pd::<0x20>(second, fourth),
                avx._mm256_permute2f128_pd::<0x31>(first, third),
                avx._mm256_permute2f128_pd::<0x31>(second, fourth),
            ]
        }
    }
}

/// Four numbers that are computed with.
#[derive(Clone, Copy)]
pub(crate) struct Four<L: Lanes> {
    lanes: L,
    numbers: L::Numbers,
}

/// Four truths.
#[derive(Clone, Copy)]
pub(crate) struct Truths<L: Lanes> {
    lanes: L,
    truths: L::Truths,
}

impl<L: Lanes> Four<L> {
    #[inline(always)]
    pub(crate) fn load(lanes: L, numbers: Quad) -> Self {
        Self {
            lanes,
            numbers: lanes.load(numbers),
        }
    }

    #[inline(always)]
    pub(crate) fn splat(lanes: L, number: f64) -> Self {
        Self::load(lanes, Quad([number; LANES]))
    }

    #[inline(always)]
    pub(crate) fn store(self) -> Quad {
        self.lanes.store(self.numbers)
    }

    #[inline(always)]
    fn with(self, numbers: L::Numbers) -> Self {
        Self { numbers, ..self }
    }

    #[inline(always)]
    fn truths(self, truths: L::Truths) -> Truths<L> {
        Truths {
            lanes: self.lanes,
            truths,
        }
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        self.with(self.lanes.root(self.numbers))
    }

    /// self > other.
    #[inline(always)]
    pub(crate) fn above(self, other: Self) -> Truths<L> {
        self.truths(self.lanes.above(self.numbers, other.numbers))
    }

    /// self ≤ other.
    #[inline(always)]
    pub(crate) fn at_most(self, other: Self) -> Truths<L> {
        self.truths(self.lanes.at_most(self.numbers, other.numbers))
    }

    /// self if self > other, otherwise other.
    #[inline(always)]
    pub(crate) fn larger(self, other: Self) -> Self {
        self.with(self.lanes.larger(self.numbers, other.numbers))
    }

    /// The sum of the four.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        let Quad([a, b, c, d]) = self.store();
        (a + c) + (b + d)
    }

    /// Rows become columns.
    #[inline(always)]
    pub(crate) fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        let lanes = rows[0].lanes;
        (lanes.transpose(rows.map(|row| row.numbers))).map(|numbers| Self { lanes, numbers })
    }
}

impl<L: Lanes> Truths<L> {
    /// `yes` where it is true, `no` elsewhere.
    #[inline(always)]
    pub(crate) fn choose(self, yes: Four<L>, no: Four<L>) -> Four<L> {
        yes.with(self.lanes.choose(self.truths, yes.numbers, no.numbers))
    }
}

impl<L: Lanes> BitAnd for Truths<L> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let truths = self.lanes.both(self.truths, other.truths);
        Self { truths, ..self }
    }
}

macro_rules! operators {
    ($($operator:ident::$name:ident by $instruction:ident),*) => {
        $(impl<L: Lanes> $operator for Four<L> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.with(self.lanes.$instruction(self.numbers, other.numbers))
            }
        })*
    };
}
operators!(Add::add by add, Sub::sub by subtract, Mul::mul by multiply, Div::div by divide);

impl<L: Lanes> AddAssign for Four<L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::{Kernel, run};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// All operations on two times four numbers.
    struct All([Quad; 2]);

    impl Kernel for All {
        type Output = Vec<u64>;

        #[inline(always)]
        fn work<L: Lanes>(self, lanes: L) -> Vec<u64> {
            let [a, b] = self.0.map(|quad| Four::load(lanes, quad));
            let above = a.above(b);
            let at_most = b.at_most(a);
            let mut sum = a;
            sum += b;
            let mut results = vec![
                a + b,
                a - b,
                a * b,
                a / b,
                a.sqrt(),
                a.larger(b),
                b.larger(a),
                above.choose(a, b),
                (above & at_most).choose(b, a),
                Four::splat(lanes, a.sum()),
                // Rounded twice: fused into one operation it would have other bits.
                a * b + a,
                sum,
            ];
            results.extend(Four::transpose([a, b, a * a, b + b]));
            let numbers = results.into_iter().flat_map(|four| four.store().0);
            // Which of its bits a NaN has, nothing depends on.
            let bits = numbers.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() });
            bits.collect()
        }
    }

    #[test]
    fn every_operation_has_the_same_bits_on_all_processors() {
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            f64::MIN_POSITIVE / 8.0,
            f64::MAX,
        ];
        let mut random = Pcg64::seed_from_u64(0);
        let mut number = || {
            if random.random_bool(0.3) {
                special[random.random_range(0..special.len())]
            } else {
                random.random_range(-2.0..2.0)
            }
        };
        for _ in 0..2000 {
            let mut quad = || Quad(std::array::from_fn(|_| number()));
            let both = [quad(), quad()];
            assert_eq!(run(All(both)), All(both).work(Plain), "{both:?}");
        }
    }
}
