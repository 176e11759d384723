//! Newton's cradle: a ball hits a row of equal balls at rest, on a line.
//!
//! Balls that touch are one impact. With Newton's law in every contact three of them leave with
//! (1 - 2(1+e)/3, (1+e)/3, (1+e)/3), for e = 1 with (-1/3, 2/3, 2/3). With gaps between them the
//! impacts come one after another, and for e = 1 only the last ball leaves.

use crate::bodies::{Dimension, Sphere};
use crate::law::{Interface, Law, LawTable, Restitution};
use crate::math::DVec3;
use crate::scheme::{SchemeConfig, SchemeName};
use crate::simulation::{Settings, StepSize, World};

/// Radius of the balls, m.
const RADIUS: f64 = 0.05;

/// Balls with the given masses (kg) in a row with the given gaps (m); the first flies at 1 m/s
/// towards the others, which rest.
pub fn cradle(masses: &[f64], gap: f64, restitution: f64) -> World {
    let mut world = World::new(Dimension::Line);
    world.laws = LawTable::uniform(Interface {
        law: Law::Frictionless,
        restitution: Restitution::normal(restitution),
        ..Interface::default()
    });
    for (k, &mass) in masses.iter().enumerate() {
        let place = k as f64 * (2.0 * RADIUS + gap);
        let mut ball = Sphere::new(place * DVec3::X, RADIUS, mass);
        if k == 0 {
            ball.velocity = DVec3::X;
        }
        world.add_sphere(&ball);
    }
    world
}

/// Settings for impacts of a few bodies: `moreau-jean`, solved to rounding.
pub fn impact_settings(step: f64, end: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme = SchemeConfig::named(SchemeName::MoreauJean);
    settings.solver.tolerance = 1e-13;
    settings
}
