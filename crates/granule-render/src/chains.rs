//! Chains of forces: contacts as tubes between the centres of what touches.

use super::palette::{Palette, Scale};
use super::quantity::{Shot, arm};
use glam::DVec3;
use std::collections::HashMap;

/// A tube between two points with round ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tube {
    /// m.
    pub ends: [DVec3; 2],
    /// m.
    pub radius: f64,
    /// Its colour.
    pub color: super::Color,
}

impl Tube {
    /// Whether it has a place and a size.
    pub(super) fn is_drawable(&self) -> bool {
        let [a, b] = self.ends;
        a.is_finite() && b.is_finite() && self.radius > 0.0 && self.radius.is_finite()
    }
}

/// The thickness of a tube at the upper end of the scale, in median radii of bodies.
const THICKEST: f64 = 0.42;
/// No tube is thinner than this, in the same.
const THINNEST: f64 = 0.02;
/// What pulls is blue.
const PULL: super::Color = [52, 98, 178];

/// The normal forces of all contacts, N; of those that pull how much they do.
pub fn forces(shot: &Shot<'_>) -> impl Iterator<Item = f64> {
    let contacts = shot.contacts;
    let pairs = contacts.force.iter().zip(&contacts.normal);
    pairs.map(|(force, normal)| force.dot(*normal).abs())
}

/// The tubes of all contacts, from the centres of the bodies to the contact points, by a scale of forces.
pub fn tubes(shot: &Shot<'_>, scale: Scale) -> Vec<Tube> {
    let (bodies, contacts) = (shot.bodies, shot.contacts);
    let mut places = HashMap::new();
    for (place, id) in bodies.id.iter().enumerate() {
        // Images come after the bodies themselves.
        places.entry(i64::from(*id)).or_insert(place);
    }
    let mut radii: Vec<f64> = bodies.radius.clone();
    radii.sort_by(f64::total_cmp);
    let median = radii.get(radii.len() / 2).copied().unwrap_or(0.0);
    let mut tubes = Vec::new();
    for k in 0..contacts.point.len() {
        let (point, normal) = (contacts.point[k], contacts.normal[k]);
        let force = contacts.force[k].dot(normal);
        let share = (force.abs() / scale.range[1]).clamp(0.0, 1.0);
        let radius = median * (THICKEST * share).max(THINNEST);
        let color = match force < 0.0 {
            true => PULL,
            false => Palette::Fire.of_value(force, scale.range),
        };
        let sides = [(contacts.body_a[k], normal), (contacts.body_b[k], -normal)];
        for (body, inwards) in sides {
            if let Some(&place) = places.get(&body) {
                let center = point - arm(shot, place, point, inwards);
                tubes.push(Tube {
                    ends: [center, point],
                    radius,
                    color,
                });
            }
        }
    }
    tubes
}
