//! Velocities of bodies in the layout of the kernels, and D of round contacts on them.

use super::{ContactGeometry, round};
use crate::math::DVec3;
use crate::parallel::{self, BODY_CHUNK};

/// Velocity of a body that only translates: [vx, vy, vz, unused].
pub(super) type Line4 = [f64; 4];
/// Velocity of a body that also turns: [vx, vy, vz, unused, r ωx, r ωy, r ωz, unused].
pub(super) type Line8 = [f64; 8];

/// Velocities of the bodies, in the layout of the kernels: only one of the two is used.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyLines {
    pub(super) four: Vec<Line4>,
    pub(super) eight: Vec<Line8>,
}

impl BodyLines {
    /// `self = next + β (next - current)`.
    pub(super) fn extrapolate(&mut self, next: &Self, current: &Self, beta: f64) {
        fn combine<const N: usize>(
            target: &mut Vec<[f64; N]>,
            next: &[[f64; N]],
            current: &[[f64; N]],
            beta: f64,
        ) {
            target.resize(next.len(), [0.0; N]);
            parallel::chunks_mut(target, BODY_CHUNK, |chunk, target| {
                let range = chunk * BODY_CHUNK..chunk * BODY_CHUNK + target.len();
                let (next, current) = (&next[range.clone()], &current[range]);
                for ((y, z), x) in target.iter_mut().zip(next).zip(current) {
                    for k in 0..N {
                        y[k] = z[k] + beta * (z[k] - x[k]);
                    }
                }
            });
        }
        combine(&mut self.four, &next.four, &current.four, beta);
        combine(&mut self.eight, &next.eight, &current.eight, beta);
    }

    /// `self = next + β (next - self)`.
    pub(super) fn extrapolate_from(&mut self, next: &Self, beta: f64) {
        fn combine<const N: usize>(target: &mut [[f64; N]], next: &[[f64; N]], beta: f64) {
            for (x, z) in target
                .as_flattened_mut()
                .iter_mut()
                .zip(next.as_flattened())
            {
                *x = z + beta * (z - *x);
            }
        }
        combine(&mut self.four, &next.four, beta);
        combine(&mut self.eight, &next.eight, beta);
    }
}

/// u = v_a - v_b + n × (r_a ω_a + r_b ω_b).
#[inline(always)]
pub(super) fn relative(bodies: &[Line8], contact: &ContactGeometry) -> DVec3 {
    let (a, b) = (&bodies[contact.a as usize], &bodies[contact.b as usize]);
    let linear = DVec3::new(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    let surface = DVec3::new(a[4] + b[4], a[5] + b[5], a[6] + b[6]);
    round::relative_velocity(contact.normal, linear, surface)
}

/// ℓ (ω_a - ω_b).
#[inline(always)]
pub(super) fn relative_spin(bodies: &[Line8], contact: &ContactGeometry, arms: [f64; 2]) -> DVec3 {
    let (a, b) = (&bodies[contact.a as usize], &bodies[contact.b as usize]);
    let surface = |line: &Line8| DVec3::new(line[4], line[5], line[6]);
    round::relative_spin(arms, [surface(a), surface(b)])
}

/// What a contact adds to its two bodies.
pub(super) trait Load<const N: usize> {
    /// To body `a`.
    fn on_a(&self) -> [f64; N];
    /// To body `b`.
    fn on_b(&self) -> [f64; N];
}

/// A force at the contact: body `b` gets the opposite impulse, but the same twist, since both the
/// arm and the impulse change sign.
impl<const N: usize> Load<N> for [f64; N] {
    #[inline(always)]
    fn on_a(&self) -> [f64; N] {
        *self
    }
    #[inline(always)]
    fn on_b(&self) -> [f64; N] {
        let mut line = *self;
        for value in &mut line[..3] {
            *value = -*value;
        }
        line
    }
}

/// A force with a moment: what it adds to each body, since their arms differ.
pub(super) struct TwoLines(pub(super) [Line8; 2]);

impl Load<8> for TwoLines {
    #[inline(always)]
    fn on_a(&self) -> Line8 {
        self.0[0]
    }
    #[inline(always)]
    fn on_b(&self) -> Line8 {
        self.0[1]
    }
}
