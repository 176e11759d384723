//! The rows of what drives joints, in a step.

use super::{Level, Moment, Prediction};
use crate::joints::{Along, Drive, Effect, PlacedJoint};
use crate::law::AdmissibleSet;
use crate::problem::RowForm;

/// How a row moved at the start of the step, and how easily it moves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowMotion {
    /// m/s.
    pub(super) velocity: f64,
    /// The velocity that a unit impulse gives it where nothing else holds the two bodies, 1/kg.
    pub(super) ease: f64,
}

/// What the rows of a drive are made of.
pub(super) struct DriveRows<'a> {
    pub(super) placed: &'a PlacedJoint,
    pub(super) drive: &'a Drive,
    /// The row of the coordinate, and what a unit of the coordinate is in it (m/rad or 1).
    pub(super) form: RowForm,
    pub(super) unit: f64,
    /// The coordinate where the step looks, rad or m.
    pub(super) coordinate: f64,
    pub(super) prediction: &'a Prediction,
    pub(super) moment: Moment<'a>,
}

impl DriveRows<'_> {
    /// Gives each row with its offset (m/s), its set and its ease (1/kg); `motion` tells how a row moves.
    pub(super) fn each(
        &self,
        motion: impl Fn(&RowForm) -> RowMotion,
        mut give: impl FnMut(RowForm, f64, AdmissibleSet, f64),
    ) {
        let (step, start) = (self.prediction.step, self.prediction.contact_time);
        let (form, unit, x) = (self.form, self.unit, self.coordinate);
        let set = |strength: Option<f64>| match strength {
            None => AdmissibleSet::Free,
            Some(strength) => AdmissibleSet::Segment {
                limit: step * strength / unit,
            },
        };
        let end = matches!(self.moment, Moment::End);
        match &self.drive.effect {
            Effect::Limits { least, most } => {
                let sides = [(*least, 1.0), (*most, -1.0)];
                for (limit, side) in sides {
                    let Some(limit) = limit else { continue };
                    let room = unit * side * (x - limit);
                    let offset = match self.moment {
                        Moment::Step {
                            level: Level::Position,
                            ..
                        } => room / step,
                        Moment::Step { .. } => room.max(0.0) / step,
                        // What has arrived is stopped.
                        Moment::End if room <= 1e-9 * unit => 0.0,
                        Moment::End => continue,
                    };
                    let form = turned_about(&form, side);
                    give(form, offset, AdmissibleSet::HalfLine, 0.0);
                }
            }
            Effect::Speed { target, strength } => {
                let wanted = unit * target.mean(start, step);
                if !end || strength.is_none() {
                    give(form, -wanted, set(*strength), 0.0);
                }
            }
            Effect::Position { target, strength } => {
                let left = unit * (x - target.at(start + step));
                if !end {
                    give(form, left / step, set(*strength), 0.0);
                }
            }
            // At its latest [tasora2013, eq. (50), (51)], at its earliest Newmark's method with β = ¼ [newmark1959].
            Effect::Spring {
                stiffness,
                damping,
                rest,
            } => {
                let (late, before) = match self.moment {
                    Moment::End => return,
                    Moment::Step { centred: false, .. } => (1.0, 0.0),
                    Moment::Step { centred: true, .. } => {
                        let RowMotion { velocity, ease } = motion(&form);
                        let stiff = step * (step * stiffness + damping) * ease / (unit * unit);
                        (lateness(stiff), velocity)
                    }
                };
                let both =
                    0.25 * (1.0 + 3.0 * late) * step * stiffness + 0.5 * (1.0 + late) * damping;
                let known = 0.25 * (1.0 - late) * step * stiffness - 0.5 * (1.0 - late) * damping;
                let open = unit * stiffness * (x - rest.at(start + late * step));
                let ease = unit * unit / (step * both);
                let offset = (open - known * before) / both;
                give(form, offset, AdmissibleSet::Free, ease);
            }
            Effect::Force {
                target, fastest, ..
            } => {
                // The force is a load on the bodies; what holds it back is a row.
                if let (Some(fastest), false) = (fastest, end) {
                    let side = -target.mean(start, step).signum();
                    let form = turned_about(&form, side);
                    give(form, unit * fastest, AdmissibleSet::HalfLine, 0.0);
                }
            }
            Effect::Friction { .. } if end => {}
            Effect::Friction { strength } if self.drive.along == Along::Swivel => {
                for form in self.placed.swivel_rows() {
                    give(form, 0.0, set(Some(*strength)), 0.0);
                }
            }
            Effect::Friction { strength } => give(form, 0.0, set(Some(*strength)), 0.0),
        }
    }
}

/// When in a step, from 0 at its start to 1 at its end, a spring of this stiffness `h (h K + R)/m` acts where velocities are
/// those of the middles of steps: at the start, as second order asks, as long as steps resolve its motion, and at the end,
/// which damps it, where they do not.
fn lateness(stiff: f64) -> f64 {
    let square = stiff * stiff;
    if square.is_finite() {
        square / (1.0 + square)
    } else {
        1.0
    }
}

/// `side` times the row.
fn turned_about(form: &RowForm, side: f64) -> RowForm {
    RowForm {
        linear: side * form.linear,
        on_a: side * form.on_a,
        on_b: side * form.on_b,
    }
}
