//! A seeded collection of random contact problems.

use crate::math::DVec3;
use crate::problem::{BodySpace, ContactGeometry, ContactProblem, Lever, MatrixFree};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// What a random problem looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomProblem {
    /// Number of bodies.
    pub bodies: usize,
    /// Contacts a body, about.
    pub density: usize,
    /// Rows a contact: 1, 2 or 3.
    pub rows: usize,
    /// All normals in a plane.
    pub planar: bool,
    /// Largest over smallest mass.
    pub mass_ratio: f64,
    /// Share of contacts that stand twice, which makes W singular.
    pub redundant: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// The problem of the given kind: random pairs (a tenth of them with the ground) with random
/// normals; free velocities that approach, leave, and hover.
pub fn random_problem(kind: &RandomProblem) -> ContactProblem {
    let mut random = Pcg64::seed_from_u64(kind.seed);
    let ground = kind.bodies as u32;
    let direction = |random: &mut Pcg64| loop {
        let z = if kind.planar {
            0.0
        } else {
            random.random_range(-1.0..1.0)
        };
        let v = DVec3::new(
            random.random_range(-1.0..1.0),
            random.random_range(-1.0..1.0),
            z,
        );
        if (0.01..1.0).contains(&v.length_squared()) {
            break v.normalize();
        }
    };
    let mut contacts = Vec::new();
    for _ in 0..kind.bodies * kind.density {
        let a = random.random_range(0..ground);
        let other = random.random_range(0..ground);
        let b = if other == a || random.random_bool(0.1) {
            ground
        } else {
            other
        };
        let contact = ContactGeometry {
            normal: direction(&mut random),
            a: a.min(b),
            b: a.max(b),
        };
        contacts.push(contact);
        if random.random_bool(kind.redundant) {
            contacts.push(contact);
        }
    }
    contacts.sort_by_key(|c| (c.a, c.b));
    let mut inverse_mass: Vec<f64> = (0..kind.bodies)
        .map(|_| kind.mass_ratio.powf(-random.random_range(0.0..1.0)))
        .collect();
    inverse_mass.push(0.0);
    let lever = if kind.rows == 1 {
        Lever::None
    } else {
        let mut radius: Vec<f64> = (0..kind.bodies)
            .map(|_| random.random_range(0.5..1.5))
            .collect();
        radius.push(0.0);
        let inverse_inertia = inverse_mass
            .iter()
            .zip(&radius)
            .map(|(m, r)| if *r > 0.0 { 2.5 * m / (r * r) } else { 0.0 })
            .collect();
        Lever::Radial {
            radius,
            inverse_inertia,
        }
    };
    let space = BodySpace {
        rows: kind.rows,
        inverse_mass,
        lever,
        contacts,
    };
    let mut bias: Vec<f64> = (0..space.contacts.len() * kind.rows)
        .map(|_| random.random_range(-1.0..0.6))
        .collect();
    // Contacts that stand twice must ask for the same.
    for k in 1..space.contacts.len() {
        if space.contacts[k] == space.contacts[k - 1] {
            let (before, now) = bias.split_at_mut(k * kind.rows);
            now[..kind.rows].copy_from_slice(&before[(k - 1) * kind.rows..]);
        }
    }
    ContactProblem::explicit(MatrixFree::new(space), bias)
}

/// The collection that solvers must agree on: planar and spatial, mass ratios up to 10⁴, with and
/// without redundant contacts, from one contact to some hundreds.
pub fn random_problems(rows: usize) -> Vec<RandomProblem> {
    let mut kinds = Vec::new();
    for (bodies, density) in [(1, 1), (2, 2), (10, 2), (60, 3), (150, 4)] {
        for planar in [false, true] {
            for mass_ratio in [1.0, 1e2, 1e4] {
                for redundant in [0.0, 0.3] {
                    let seed = kinds.len() as u64 + 1;
                    kinds.push(RandomProblem {
                        bodies,
                        density,
                        rows,
                        planar,
                        mass_ratio,
                        redundant,
                        seed,
                    });
                }
            }
        }
    }
    kinds
}
