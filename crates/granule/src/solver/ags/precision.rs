//! In which precision contacts are swept, and how many side by side: four in double, eight in single.
//!
//! A body's velocity is eight numbers, `[v, 1/m]` and `[r ω, r²/J]`: a line of a cache in double precision, half of one in
//! single.

use super::batches::Batches;
use super::cone_kernel::{Sweep, sweep_all};
use super::momentum::Pace;
use super::passive::{Look, Onlookers, Woken, look_at_all};
use crate::math::DVec3;
use crate::parallel::{
    Eight, Four, Kernel, LANES, Lanes, Memory, Octet, Quad, SINGLES, Width, run,
};
use crate::solver::lanes::Vectors;
use crate::solver::monitor::StepSums;
use std::fmt::Debug;

/// A number of contacts side by side, in memory.
pub(super) trait Precision: Memory + Send + Sync {
    /// The velocity of a body.
    type Line: Copy + Default + Debug + PartialEq + Send + Sync;
    /// One place for each contact.
    type Places: Copy + Default + Debug + Send + Sync + AsRef<[u32]> + AsMut<[u32]>;

    /// The velocity v and the surface velocity r ω of a body, with 1/m and r²/J.
    fn line(motion: [DVec3; 2], ease: [f64; 2]) -> Self::Line;

    /// v and r ω.
    fn motion(line: &Self::Line) -> [DVec3; 2];

    /// Adds to v and r ω.
    fn push(line: &mut Self::Line, change: [DVec3; 2]);

    /// v_a - v_b and r_a ω_a + r_b ω_b of the bodies of contacts.
    fn relative<L: Lanes + Width<Self>>(
        lanes: L,
        lines: &[Self::Line],
        bodies: [&Self::Places; 2],
    ) -> [Vectors<L, Self>; 2];

    /// Adds what impulses d with twists t change to the bodies of contacts.
    fn add<L: Lanes + Width<Self>>(
        lanes: L,
        lines: &mut [Self::Line],
        bodies: [&Self::Places; 2],
        d: &Vectors<L, Self>,
        t: &Vectors<L, Self>,
    );

    /// The velocities of y = λ + β (λ - λ before) from those of λ, which become the ones before.
    fn extrapolate(lines: &mut [Self::Line], before: &mut [Self::Line], beta: f64);

    /// A sweep over batches, with the convexified law or exact friction, and that with a slip that follows or at once.
    fn sweep<const EXACT: bool, const AT_ONCE: bool>(
        batches: &mut Batches<Self>,
        lines: &mut [Self::Line],
        pace: Pace,
    ) -> StepSums;

    /// Looks at contacts that carry nothing, with exact friction or not; those that want an impulse are woken.
    fn look(
        list: &mut [Onlookers<Self>],
        lines: &[Self::Line],
        exact: bool,
        woken: &mut Vec<Woken>,
    );
}

/// Velocity of a body in double precision: [v, 1/m] and [r ω, r²/J].
pub(super) type QuadLine = [Quad; 2];

impl Precision for Quad {
    type Line = QuadLine;
    type Places = [u32; LANES];

    fn line([v, surface]: [DVec3; 2], [ease, turning]: [f64; 2]) -> QuadLine {
        [
            Quad([v.x, v.y, v.z, ease]),
            Quad([surface.x, surface.y, surface.z, turning]),
        ]
    }

    #[inline(always)]
    fn motion(line: &QuadLine) -> [DVec3; 2] {
        line.map(|Quad([x, y, z, _])| DVec3::new(x, y, z))
    }

    #[inline(always)]
    fn push(line: &mut QuadLine, change: [DVec3; 2]) {
        for (part, change) in line.iter_mut().zip(change) {
            for (entry, x) in part.0.iter_mut().zip(change.to_array()) {
                *entry += x;
            }
        }
    }

    #[inline(always)]
    fn relative<L: Lanes + Width<Self>>(
        lanes: L,
        lines: &[QuadLine],
        [a, b]: [&Self::Places; 2],
    ) -> [Vectors<L, Self>; 2] {
        let number = |quad: Quad| Four::load(lanes, quad);
        let pairs: [[Four<L>; 2]; LANES] = std::array::from_fn(|lane| {
            let a = lines[a[lane] as usize].map(number);
            let b = lines[b[lane] as usize].map(number);
            [a[0] - b[0], a[1] + b[1]]
        });
        let [vx, vy, vz, _] = Four::transpose(pairs.map(|[linear, _]| linear));
        let [sx, sy, sz, _] = Four::transpose(pairs.map(|[_, surface]| surface));
        [[vx, vy, vz], [sx, sy, sz]]
    }

    #[inline(always)]
    fn add<L: Lanes + Width<Self>>(
        lanes: L,
        lines: &mut [QuadLine],
        [a, b]: [&Self::Places; 2],
        d: &Vectors<L, Self>,
        t: &Vectors<L, Self>,
    ) {
        let zero = Four::splat(lanes, 0.0);
        let pushes = Four::transpose([d[0], d[1], d[2], zero]);
        let twists = Four::transpose([t[0], t[1], t[2], zero]);
        // The last entries of pushes and twists are zero, so those of the lines stay.
        let parts = |line: &QuadLine, lane: usize| {
            let [ease, turning] = line.map(|part| Four::splat(lanes, part.0[3]));
            let now = line.map(|part| Four::load(lanes, part));
            (now, pushes[lane] * ease, twists[lane] * turning)
        };
        for lane in 0..LANES {
            let line = &mut lines[a[lane] as usize];
            let ([linear, surface], push, twist) = parts(line, lane);
            *line = [(linear + push).store(), (surface + twist).store()];
            let line = &mut lines[b[lane] as usize];
            let ([linear, surface], push, twist) = parts(line, lane);
            *line = [(linear - push).store(), (surface + twist).store()];
        }
    }

    fn extrapolate(lines: &mut [QuadLine], before: &mut [QuadLine], beta: f64) {
        run(Extrapolation::<Self> {
            lines,
            before,
            beta,
        });
    }

    fn sweep<const EXACT: bool, const AT_ONCE: bool>(
        batches: &mut Batches<Self>,
        lines: &mut [QuadLine],
        pace: Pace,
    ) -> StepSums {
        run(Sweep::<Self, EXACT, AT_ONCE> {
            batches,
            lines,
            pace,
        })
    }

    fn look(list: &mut [Onlookers<Self>], lines: &[QuadLine], exact: bool, woken: &mut Vec<Woken>) {
        run(Look::<Self> {
            list,
            lines,
            exact,
            woken,
        });
    }
}

/// Of the velocities of b those of the centres are subtracted, those of the surfaces added.
const OPPOSITE: Octet = Octet([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0]);

impl Precision for Octet {
    type Line = Octet;
    type Places = [u32; SINGLES];

    fn line([v, surface]: [DVec3; 2], [ease, turning]: [f64; 2]) -> Octet {
        let numbers = [
            v.x, v.y, v.z, ease, surface.x, surface.y, surface.z, turning,
        ];
        Octet(numbers.map(|x| x as f32))
    }

    #[inline(always)]
    fn motion(line: &Octet) -> [DVec3; 2] {
        let [a, b, c, _, d, e, f, _] = line.0.map(f64::from);
        [DVec3::new(a, b, c), DVec3::new(d, e, f)]
    }

    #[inline(always)]
    fn push(line: &mut Octet, change: [DVec3; 2]) {
        for (part, change) in line.0.chunks_exact_mut(4).zip(change) {
            for (entry, x) in part.iter_mut().zip(change.to_array()) {
                *entry += x as f32;
            }
        }
    }

    #[inline(always)]
    fn relative<L: Lanes + Width<Self>>(
        lanes: L,
        lines: &[Octet],
        [a, b]: [&Self::Places; 2],
    ) -> [Vectors<L, Self>; 2] {
        let opposite = Eight::load(lanes, OPPOSITE);
        let mut rows = [opposite; SINGLES];
        for (lane, row) in rows.iter_mut().enumerate() {
            let a = Eight::load(lanes, lines[a[lane] as usize]);
            let b = Eight::load(lanes, lines[b[lane] as usize]);
            *row = a + opposite * b;
        }
        let [vx, vy, vz, _, sx, sy, sz, _] = Eight::transpose_eight(rows);
        [[vx, vy, vz], [sx, sy, sz]]
    }

    #[inline(always)]
    fn add<L: Lanes + Width<Self>>(
        lanes: L,
        lines: &mut [Octet],
        [a, b]: [&Self::Places; 2],
        d: &Vectors<L, Self>,
        t: &Vectors<L, Self>,
    ) {
        let opposite = Eight::load(lanes, OPPOSITE);
        let zero = Eight::splat(lanes, 0.0);
        // The last entries of each half are zero, so those of the lines stay.
        let loads = Eight::transpose_eight([d[0], d[1], d[2], zero, t[0], t[1], t[2], zero]);
        for lane in 0..SINGLES {
            let line = &mut lines[a[lane] as usize];
            let now = Eight::load(lanes, *line);
            *line = (now + loads[lane] * now.spread_last()).store();
            let line = &mut lines[b[lane] as usize];
            let now = Eight::load(lanes, *line);
            *line = (now + opposite * loads[lane] * now.spread_last()).store();
        }
    }

    fn extrapolate(lines: &mut [Octet], before: &mut [Octet], beta: f64) {
        run(Extrapolation::<Self> {
            lines,
            before,
            beta,
        });
    }

    fn sweep<const EXACT: bool, const AT_ONCE: bool>(
        batches: &mut Batches<Self>,
        lines: &mut [Octet],
        pace: Pace,
    ) -> StepSums {
        run(Sweep::<Self, EXACT, AT_ONCE> {
            batches,
            lines,
            pace,
        })
    }

    fn look(list: &mut [Onlookers<Self>], lines: &[Octet], exact: bool, woken: &mut Vec<Woken>) {
        run(Look::<Self> {
            list,
            lines,
            exact,
            woken,
        });
    }
}

impl<const EXACT: bool, const AT_ONCE: bool> Kernel for Sweep<'_, Quad, EXACT, AT_ONCE> {
    type Output = StepSums;

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) -> StepSums {
        sweep_all(lanes, self)
    }
}

impl<const EXACT: bool, const AT_ONCE: bool> Kernel for Sweep<'_, Octet, EXACT, AT_ONCE> {
    type Output = StepSums;

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) -> StepSums {
        sweep_all(lanes, self)
    }
}

impl Kernel for Look<'_, Quad> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) {
        look_at_all(lanes, self);
    }
}

impl Kernel for Look<'_, Octet> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) {
        look_at_all(lanes, self);
    }
}

/// The velocities of y = λ + β (λ - λ before) from those of λ, which become the ones before.
struct Extrapolation<'a, P: Precision> {
    lines: &'a mut [P::Line],
    before: &'a mut [P::Line],
    beta: f64,
}

impl Kernel for Extrapolation<'_, Quad> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) {
        let beta = Four::splat(lanes, self.beta);
        for (line, before) in self.lines.iter_mut().zip(self.before) {
            let now = *line;
            for k in 0..2 {
                let (new, old) = (Four::load(lanes, now[k]), Four::load(lanes, before[k]));
                line[k] = (new + beta * (new - old)).store();
            }
            *before = now;
        }
    }
}

impl Kernel for Extrapolation<'_, Octet> {
    type Output = ();

    #[inline(always)]
    fn work<L: Lanes>(self, lanes: L) {
        let beta = Eight::splat(lanes, self.beta);
        for (line, before) in self.lines.iter_mut().zip(self.before) {
            let now = *line;
            let (new, old) = (Eight::load(lanes, now), Eight::load(lanes, *before));
            *line = (new + beta * (new - old)).store();
            *before = now;
        }
    }
}
