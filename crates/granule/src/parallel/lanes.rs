//! Numbers side by side: four in double precision, eight in single.
//!
//! [`Quad`] and [`Octet`] hold them in memory, [`Side`] while something is computed with them. A kind of [`Lanes`] says by
//! which instructions: those of AVX2, or those that every processor has. The operations and their order are the same for
//! both, each is rounded for itself, and so the numbers are the same to the last bit.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, Div, Mul, Sub};

/// Numbers in double precision side by side.
pub(crate) const LANES: usize = 4;

/// Numbers in single precision side by side.
pub(crate) const SINGLES: usize = 8;

/// Four numbers in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Quad(pub(crate) [f64; LANES]);

/// Eight numbers of single precision in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Octet(pub(crate) [f32; SINGLES]);

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

/// Numbers side by side in memory.
pub(crate) trait Memory: Copy + Default + Debug {
    /// How many.
    const COUNT: usize;

    /// The same number everywhere.
    fn splat(number: f64) -> Self;
    /// The number of a lane.
    fn get(&self, lane: usize) -> f64;
    /// Puts a number into a lane.
    fn set(&mut self, lane: usize, number: f64);
    /// The sum of all.
    fn sum(&self) -> f64;
}

impl Memory for Quad {
    const COUNT: usize = LANES;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self([number; LANES])
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> f64 {
        self.0[lane]
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, number: f64) {
        self.0[lane] = number;
    }
    #[inline(always)]
    fn sum(&self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }
}

impl Memory for Octet {
    const COUNT: usize = SINGLES;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self([number as f32; SINGLES])
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> f64 {
        f64::from(self.0[lane])
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, number: f64) {
        self.0[lane] = number as f32;
    }
    #[inline(always)]
    fn sum(&self) -> f64 {
        self.0.iter().fold(0.0, |sum, x| sum + f64::from(*x))
    }
}

/// How numbers side by side are computed with that are an `M` in memory.
pub(crate) trait Width<M>: Copy {
    /// Numbers.
    type Numbers: Copy;
    /// Truths.
    type Truths: Copy;

    /// From memory.
    fn load(self, numbers: M) -> Self::Numbers;
    /// To memory.
    fn store(self, numbers: Self::Numbers) -> M;
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
}

/// The numbers of an `M`, computed with by `L`.
type Numbers<L, M> = <L as Width<M>>::Numbers;

/// How numbers of both precisions are computed with.
pub(crate) trait Lanes: Width<Quad> + Width<Octet> {
    /// Rows become columns.
    fn transpose_four(self, rows: [Numbers<Self, Quad>; LANES]) -> [Numbers<Self, Quad>; LANES];
    /// Rows become columns.
    fn transpose_eight(
        self,
        rows: [Numbers<Self, Octet>; SINGLES],
    ) -> [Numbers<Self, Octet>; SINGLES];
    /// The last number of each half, in all places of that half.
    fn spread_last(self, numbers: Numbers<Self, Octet>) -> Numbers<Self, Octet>;
}

/// Instructions that every processor has.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

macro_rules! plain {
    ($memory:ident, $number:ty, $count:expr) => {
        impl Width<$memory> for Plain {
            type Numbers = [$number; $count];
            type Truths = [bool; $count];

            #[inline(always)]
            fn load(self, numbers: $memory) -> Self::Numbers {
                numbers.0
            }
            #[inline(always)]
            fn store(self, numbers: Self::Numbers) -> $memory {
                $memory(numbers)
            }
            #[inline(always)]
            fn add(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
                std::array::from_fn(|k| a[k] + b[k])
            }
            #[inline(always)]
            fn subtract(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
                std::array::from_fn(|k| a[k] - b[k])
            }
            #[inline(always)]
            fn multiply(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
                std::array::from_fn(|k| a[k] * b[k])
            }
            #[inline(always)]
            fn divide(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
                std::array::from_fn(|k| a[k] / b[k])
            }
            #[inline(always)]
            fn root(self, a: Self::Numbers) -> Self::Numbers {
                a.map(|x| x.sqrt())
            }
            #[inline(always)]
            fn larger(self, a: Self::Numbers, b: Self::Numbers) -> Self::Numbers {
                std::array::from_fn(|k| if a[k] > b[k] { a[k] } else { b[k] })
            }
            #[inline(always)]
            fn above(self, a: Self::Numbers, b: Self::Numbers) -> Self::Truths {
                std::array::from_fn(|k| a[k] > b[k])
            }
            #[inline(always)]
            fn at_most(self, a: Self::Numbers, b: Self::Numbers) -> Self::Truths {
                std::array::from_fn(|k| a[k] <= b[k])
            }
            #[inline(always)]
            fn both(self, a: Self::Truths, b: Self::Truths) -> Self::Truths {
                std::array::from_fn(|k| a[k] & b[k])
            }
            #[inline(always)]
            fn choose(
                self,
                truths: Self::Truths,
                yes: Self::Numbers,
                no: Self::Numbers,
            ) -> Self::Numbers {
                std::array::from_fn(|k| if truths[k] { yes[k] } else { no[k] })
            }
        }
    };
}
plain!(Quad, f64, LANES);
plain!(Octet, f32, SINGLES);

#[inline(always)]
fn transposed<T: Copy, const N: usize>(rows: [[T; N]; N]) -> [[T; N]; N] {
    std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column]))
}

impl Lanes for Plain {
    #[inline(always)]
    fn transpose_four(self, rows: [[f64; LANES]; LANES]) -> [[f64; LANES]; LANES] {
        transposed(rows)
    }
    #[inline(always)]
    fn transpose_eight(self, rows: [[f32; SINGLES]; SINGLES]) -> [[f32; SINGLES]; SINGLES] {
        transposed(rows)
    }
    #[inline(always)]
    fn spread_last(self, numbers: [f32; SINGLES]) -> [f32; SINGLES] {
        std::array::from_fn(|k| numbers[k | 3])
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{LANES, Lanes, Octet, Quad, SINGLES, Width};
    use core::arch::x86_64::{__m256, __m256d, _CMP_GT_OQ, _CMP_LE_OQ};
    use pulp::x86::V3;

    macro_rules! wide {
        ($memory:ident, $register:ty, $add:ident, $subtract:ident, $multiply:ident, $divide:ident, $root:ident,
         $larger:ident, $compare:ident, $both:ident, $choose:ident) => {
            impl Width<$memory> for V3 {
                type Numbers = $register;
                type Truths = $register;

                #[inline(always)]
                fn load(self, numbers: $memory) -> $register {
                    pulp::cast(numbers.0)
                }
                #[inline(always)]
                fn store(self, numbers: $register) -> $memory {
                    $memory(pulp::cast(numbers))
                }
                #[inline(always)]
                fn add(self, a: $register, b: $register) -> $register {
                    self.avx.$add(a, b)
                }
                #[inline(always)]
                fn subtract(self, a: $register, b: $register) -> $register {
                    self.avx.$subtract(a, b)
                }
                #[inline(always)]
                fn multiply(self, a: $register, b: $register) -> $register {
                    self.avx.$multiply(a, b)
                }
                #[inline(always)]
                fn divide(self, a: $register, b: $register) -> $register {
                    self.avx.$divide(a, b)
                }
                #[inline(always)]
                fn root(self, a: $register) -> $register {
                    self.avx.$root(a)
                }
                #[inline(always)]
                fn larger(self, a: $register, b: $register) -> $register {
                    self.avx.$larger(a, b)
                }
                #[inline(always)]
                fn above(self, a: $register, b: $register) -> $register {
                    self.avx.$compare::<_CMP_GT_OQ>(a, b)
                }
                #[inline(always)]
                fn at_most(self, a: $register, b: $register) -> $register {
                    self.avx.$compare::<_CMP_LE_OQ>(a, b)
                }
                #[inline(always)]
                fn both(self, a: $register, b: $register) -> $register {
                    self.avx.$both(a, b)
                }
                #[inline(always)]
                fn choose(self, truths: $register, yes: $register, no: $register) -> $register {
                    self.avx.$choose(no, yes, truths)
                }
            }
        };
    }
    wide!(
        Quad,
        __m256d,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_div_pd,
        _mm256_sqrt_pd,
        _mm256_max_pd,
        _mm256_cmp_pd,
        _mm256_and_pd,
        _mm256_blendv_pd
    );
    wide!(
        Octet,
        __m256,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_div_ps,
        _mm256_sqrt_ps,
        _mm256_max_ps,
        _mm256_cmp_ps,
        _mm256_and_ps,
        _mm256_blendv_ps
    );

    impl Lanes for V3 {
        #[inline(always)]
        fn transpose_four(self, [a, b, c, d]: [__m256d; LANES]) -> [__m256d; LANES] {
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

        #[inline(always)]
        fn transpose_eight(self, rows: [__m256; SINGLES]) -> [__m256; SINGLES] {
            let avx = self.avx;
            let mut halves = rows;
            // Within each half of the registers four rows are transposed; then halves change places.
            for first in [0, 4] {
                let (a, b, c, d) = (
                    rows[first],
                    rows[first + 1],
                    rows[first + 2],
                    rows[first + 3],
                );
                let (ab, cd) = (avx._mm256_unpacklo_ps(a, b), avx._mm256_unpacklo_ps(c, d));
                let (ab_high, cd_high) =
                    (avx._mm256_unpackhi_ps(a, b), avx._mm256_unpackhi_ps(c, d));
                halves[first] = avx._mm256_shuffle_ps::<0x44>(ab, cd);
                halves[first + 1] = avx._mm256_shuffle_ps::<0xee>(ab, cd);
                halves[first + 2] = avx._mm256_shuffle_ps::<0x44>(ab_high, cd_high);
                halves[first + 3] = avx._mm256_shuffle_ps::<0xee>(ab_high, cd_high);
            }
            let mut columns = halves;
            for k in 0..4 {
                let (upper, lower) = (halves[k], halves[k + 4]);
                columns[k] = avx._mm256_permute2f128_ps::<0x20>(upper, lower);
                columns[k + 4] = avx._mm256_permute2f128_ps::<0x31>(upper, lower);
            }
            columns
        }

        #[inline(always)]
        fn spread_last(self, numbers: __m256) -> __m256 {
            self.avx._mm256_permute_ps::<0xff>(numbers)
        }
    }
}

/// Numbers side by side that are computed with, an `M` in memory.
#[derive(Clone, Copy)]
pub(crate) struct Side<L: Width<M>, M> {
    lanes: L,
    numbers: L::Numbers,
}

/// Four numbers that are computed with.
pub(crate) type Four<L> = Side<L, Quad>;

/// Eight numbers of single precision that are computed with.
pub(crate) type Eight<L> = Side<L, Octet>;

/// Truths side by side.
#[derive(Clone, Copy)]
pub(crate) struct Truths<L: Width<M>, M> {
    lanes: L,
    truths: L::Truths,
}

impl<L: Width<M>, M: Memory> Side<L, M> {
    #[inline(always)]
    pub(crate) fn load(lanes: L, numbers: M) -> Self {
        Self {
            lanes,
            numbers: lanes.load(numbers),
        }
    }

    #[inline(always)]
    pub(crate) fn splat(lanes: L, number: f64) -> Self {
        Self::load(lanes, M::splat(number))
    }

    #[inline(always)]
    pub(crate) fn store(self) -> M {
        self.lanes.store(self.numbers)
    }

    #[inline(always)]
    fn with(self, numbers: L::Numbers) -> Self {
        Self { numbers, ..self }
    }

    #[inline(always)]
    fn truths(self, truths: L::Truths) -> Truths<L, M> {
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
    pub(crate) fn above(self, other: Self) -> Truths<L, M> {
        self.truths(self.lanes.above(self.numbers, other.numbers))
    }

    /// self ≤ other.
    #[inline(always)]
    pub(crate) fn at_most(self, other: Self) -> Truths<L, M> {
        self.truths(self.lanes.at_most(self.numbers, other.numbers))
    }

    /// self if self > other, otherwise other.
    #[inline(always)]
    pub(crate) fn larger(self, other: Self) -> Self {
        self.with(self.lanes.larger(self.numbers, other.numbers))
    }

    /// The sum of all.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        self.store().sum()
    }
}

impl<L: Lanes> Four<L> {
    /// Rows become columns.
    #[inline(always)]
    pub(crate) fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        let lanes = rows[0].lanes;
        (lanes.transpose_four(rows.map(|row| row.numbers))).map(|numbers| Self { lanes, numbers })
    }
}

impl<L: Lanes> Eight<L> {
    /// Rows become columns.
    #[inline(always)]
    pub(crate) fn transpose_eight(rows: [Self; SINGLES]) -> [Self; SINGLES] {
        // Plain loops: what is done by closures for eight is not copied into a kernel.
        let lanes = rows[0].lanes;
        let mut numbers = [rows[0].numbers; SINGLES];
        for (numbers, row) in numbers.iter_mut().zip(rows) {
            *numbers = row.numbers;
        }
        let mut columns = rows;
        for (column, numbers) in columns.iter_mut().zip(lanes.transpose_eight(numbers)) {
            column.numbers = numbers;
        }
        columns
    }

    /// The last number of each half, in all places of that half.
    #[inline(always)]
    pub(crate) fn spread_last(self) -> Self {
        self.with(self.lanes.spread_last(self.numbers))
    }
}

impl<L: Width<M>, M: Memory> Truths<L, M> {
    /// `yes` where it is true, `no` elsewhere.
    #[inline(always)]
    pub(crate) fn choose(self, yes: Side<L, M>, no: Side<L, M>) -> Side<L, M> {
        yes.with(self.lanes.choose(self.truths, yes.numbers, no.numbers))
    }
}

impl<L: Width<M>, M> BitAnd for Truths<L, M> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let truths = self.lanes.both(self.truths, other.truths);
        Self { truths, ..self }
    }
}

macro_rules! operators {
    ($($operator:ident::$name:ident by $instruction:ident),*) => {
        $(impl<L: Width<M>, M: Memory> $operator for Side<L, M> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.with(self.lanes.$instruction(self.numbers, other.numbers))
            }
        })*
    };
}
operators!(Add::add by add, Sub::sub by subtract, Mul::mul by multiply, Div::div by divide);

impl<L: Width<M>, M: Memory> AddAssign for Side<L, M> {
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

    /// All operations that both precisions have.
    #[inline(always)]
    fn all<L: Width<M>, M: Memory>(lanes: L, a: Side<L, M>, b: Side<L, M>) -> Vec<Side<L, M>> {
        let above = a.above(b);
        let at_most = b.at_most(a);
        let mut sum = a;
        sum += b;
        vec![
            a + b,
            a - b,
            a * b,
            a / b,
            a.sqrt(),
            a.larger(b),
            b.larger(a),
            above.choose(a, b),
            (above & at_most).choose(b, a),
            Side::splat(lanes, a.sum()),
            // Rounded twice: fused into one operation it would have other bits.
            a * b + a,
            sum,
        ]
    }

    /// All operations on two times four numbers, and on the same in single precision.
    struct All([Quad; 2]);

    impl Kernel for All {
        type Output = Vec<u64>;

        #[inline(always)]
        fn work<L: Lanes>(self, lanes: L) -> Vec<u64> {
            let [a, b] = self.0.map(|quad| Four::load(lanes, quad));
            let mut results = all(lanes, a, b);
            results.extend(Four::transpose([a, b, a * a, b + b]));
            let four = results.into_iter().map(|four| four.store());
            let single = |first: Quad, second: Quad| {
                Octet(std::array::from_fn(|k| match k {
                    0..4 => first.0[k] as f32,
                    _ => second.0[k - 4] as f32,
                }))
            };
            let [a, b] = [single(self.0[0], self.0[1]), single(self.0[1], self.0[0])];
            let [a, b] = [a, b].map(|octet| Eight::load(lanes, octet));
            let mut results = all(lanes, a, b);
            let rows = [a, b, a * a, b + b, a - b, b - a, a * b, a];
            results.extend(Eight::transpose_eight(rows));
            results.push(a.spread_last());
            let eight = results.into_iter().map(|eight| eight.store());
            let numbers = four.flat_map(|quad| quad.0);
            let numbers = numbers.chain(eight.flat_map(|octet| octet.0.map(f64::from)));
            // Which of its bits a NaN has, nothing depends on.
            let bits = numbers.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() });
            bits.collect()
        }
    }

    #[test]
    fn rows_become_columns() {
        let rows: [Octet; SINGLES] =
            std::array::from_fn(|row| Octet(std::array::from_fn(|k| (10 * row + k) as f32)));
        let columns = Eight::transpose_eight(rows.map(|row| Eight::load(Plain, row)));
        for (k, column) in columns.into_iter().enumerate() {
            let expected = std::array::from_fn(|row| (10 * row + k) as f32);
            assert_eq!(column.store(), Octet(expected));
        }
        let spread = Eight::load(Plain, rows[0]).spread_last().store();
        assert_eq!(spread.0, [3.0, 3.0, 3.0, 3.0, 7.0, 7.0, 7.0, 7.0]);
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
