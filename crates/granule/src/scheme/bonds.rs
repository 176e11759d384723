//! Bonds over a step: how far they are sheared and wound, how they flow, and whether they break.

use super::{Prediction, Spring, Surroundings};
use crate::collision::{BondMemory, Contact, LawMemory, Partner};
use crate::law::{Bond, Flow};
use crate::math::{DQuat, DVec3, Screw};
use crate::problem::ContactProblem;

/// Of the largest pull: what an impulse would have to be changed by at least for its bond to have yielded. Impulses are
/// known to the tolerance of the solver, which is far above this; it only keeps rounding from breaking bonds that carry
/// exactly what they hold.
const YIELD: f64 = 1e-9;

/// Position (m) and orientation of body `a` of a contact, and of the body or the wall that it touches.
pub(super) type Frames = [(DVec3, DQuat); 2];

/// A bond in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BondedContact {
    law: Bond,
    /// With anchors wherever the problem has rows for them.
    memory: BondMemory,
    /// ℓ, m.
    length: f64,
}

/// dy_P/dt of a bond in its parts, m/s; zero where it does not flow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BondFlow {
    /// Along the normal.
    opening: f64,
    /// Across it.
    slip: DVec3,
    /// ℓ times the angular velocity across the normal.
    rolling: DVec3,
    /// ℓ times that about it.
    spinning: DVec3,
}

impl BondFlow {
    /// All of it.
    fn screw(&self, normal: DVec3) -> Screw {
        Screw {
            linear: self.opening * normal + self.slip,
            angular: self.rolling + self.spinning,
        }
    }
}

/// The rotation vector of a quaternion, rad.
fn rotation_vector(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    let factor = if sine > 0.0 {
        2.0 * sine.atan2(turn.w) / sine
    } else {
        2.0
    };
    factor * turn.xyz()
}

/// What of a vector is across a normal.
fn across(vector: DVec3, normal: DVec3) -> DVec3 {
    vector - vector.dot(normal) * normal
}

impl Surroundings<'_> {
    /// Where the two of a contact are, and how they are turned.
    pub(super) fn frames(&self, contact: &Contact, prediction: &Prediction) -> Frames {
        let of = |i: u32| {
            let i = i as usize;
            (prediction.position[i], prediction.orientation[i])
        };
        let other = match contact.key.partner {
            Partner::Body(b) => {
                let (position, orientation) = of(b);
                (
                    position + prediction.image_shift(contact.image),
                    orientation,
                )
            }
            Partner::Wall(wall) => self.patches.pose(wall as usize),
        };
        [of(contact.key.a), other]
    }
}

impl BondedContact {
    /// The bond of a contact with so many rows of which the law remembers this, with its two in these frames and the
    /// length ℓ (m) of its moments. Anchors that it has not are taken from what is remembered of its springs.
    pub(super) fn new(
        law: Bond,
        remembered: LawMemory,
        contact: &Contact,
        [(center, turn), (other_center, other_turn)]: Frames,
        length: f64,
        rows: usize,
    ) -> Self {
        let mut memory = remembered.bond.unwrap_or_default();
        let elastic = remembered.elastic;
        if rows > 1 && memory.anchors.is_none() {
            let [middle, _] = contact.points();
            let own = middle + across(elastic.linear, contact.normal);
            memory.anchors = Some([
                turn.conjugate() * (own - center),
                other_turn.conjugate() * (middle - other_center),
            ]);
        }
        if length > 0.0 && memory.rest.is_none() {
            let wound = DQuat::from_scaled_axis(elastic.angular / length);
            memory.rest = Some((turn.conjugate() * wound * other_turn).normalize());
        }
        Self {
            law,
            memory,
            length,
        }
    }

    /// c, N: the largest pull.
    pub fn pull(&self) -> f64 {
        self.law.pull
    }

    /// y_E across the normal and ℓ times the angle that it is wound by, m, with its two in these frames.
    pub(super) fn strain(
        &self,
        normal: DVec3,
        [(center, turn), (other_center, other_turn)]: Frames,
    ) -> Screw {
        let sheared = self.memory.anchors.map(|[own, other]| {
            let apart = center + turn * own - (other_center + other_turn * other);
            across(apart, normal)
        });
        let wound = self
            .memory
            .rest
            .map(|rest| rotation_vector(turn * rest * other_turn.conjugate()));
        Screw {
            linear: sheared.unwrap_or_default(),
            angular: self.length * wound.unwrap_or_default(),
        }
    }

    /// dy_P/dt, m/s, of contact `k` of a problem with the impulse λ (N s) and the relative velocity w (m/s): with
    /// `λ' = λ + c n` and `x = λ' - ρ w` it is `(P_K(x) - x)/ρ`, so that what is inside of its set does not flow, whatever
    /// the solver left in w.
    pub fn flow(
        &self,
        problem: &ContactProblem,
        k: usize,
        impulse: Screw,
        velocity: Screw,
        normal: DVec3,
    ) -> BondFlow {
        let strength = problem.step * self.law.pull;
        let set = problem.set(k);
        let opens = match problem.flow {
            Flow::Associated | Flow::Skewed => 0.0,
            Flow::Exact => set.dilation(velocity, normal),
        };
        let ease = problem.delassus.largest_diagonal(k);
        if ease <= 0.0 {
            return BondFlow::default();
        }
        let seen = velocity + Screw::linear(opens * normal);
        let trial = impulse + Screw::linear(strength * normal) - (1.0 / ease) * seen;
        let held = set.project_screw(trial, normal);
        // Each part for itself: a hinge that turns has not slipped.
        let counts = |part: DVec3| {
            let flows = part.length() > YIELD * strength;
            if flows { ease * part } else { DVec3::ZERO }
        };
        let beyond = held - trial;
        let along = beyond.linear.dot(normal);
        let parts = match problem.flow {
            Flow::Associated | Flow::Skewed => true,
            // What slides under exact friction does not open, up to the tolerance of the solver.
            Flow::Exact => held == Screw::default(),
        };
        BondFlow {
            opening: if parts && along.abs() > YIELD * strength {
                ease * along - opens
            } else {
                0.0
            },
            slip: counts(across(beyond.linear, normal)),
            rolling: counts(across(beyond.angular, normal)),
            spinning: counts(beyond.angular.dot(normal) * normal),
        }
    }

    /// The bond after a step of this length (s) with this flow (m/s); `None` if it broke.
    fn after(&self, flow: BondFlow, step: f64) -> Option<BondMemory> {
        let Bond {
            shear,
            bending,
            torsion,
            ..
        } = self.law;
        let counted = |strength: f64, part: DVec3| if strength > 0.0 { part.length() } else { 0.0 };
        let turns = counted(bending, flow.rolling).hypot(counted(torsion, flow.spinning));
        let turns = if self.length > 0.0 {
            turns / self.length
        } else {
            0.0
        };
        let wound = flow.rolling + flow.spinning;
        // What rolls goes on in other points of the two.
        let stays = flow.slip == DVec3::ZERO && flow.rolling == DVec3::ZERO;
        let memory = BondMemory {
            anchors: self.memory.anchors.filter(|_| stays),
            rest: self.memory.rest.filter(|_| wound == DVec3::ZERO),
            opened: self.memory.opened + step * flow.opening.max(0.0),
            slipped: self.memory.slipped + step * counted(shear, flow.slip),
            turned: self.memory.turned + step * turns,
        };
        let holds = memory.opened <= self.law.opening
            && memory.slipped <= self.law.slip
            && memory.turned <= self.law.turn;
        holds.then_some(memory)
    }
}

impl Spring {
    /// What the law remembers of a bond after a step of this length (s) with the impulse λ (N s), the relative velocity w
    /// (m/s) and this flow (m/s). What the solver left in w is strain. A bond that breaks while it is pressed leaves its
    /// springs to the contact if it `goes_on` as one that remembers. Springs turn by the `spin` (rad).
    pub fn bond_after(
        &self,
        bond: &BondedContact,
        impulse: Screw,
        (velocity, flow): (Screw, BondFlow),
        (step, normal): (f64, DVec3),
        spin: f64,
        goes_on: bool,
    ) -> LawMemory {
        let error = step * (velocity - flow.screw(normal));
        let elastic = self.elastic_after(impulse, step, normal) + error;
        let turn = DQuat::from_axis_angle(normal, spin);
        let elastic = Screw {
            linear: turn * across(elastic.linear, normal),
            angular: turn * elastic.angular,
        };
        match bond.after(flow, step) {
            Some(memory) => LawMemory {
                elastic,
                plastic: self.plastic + step * flow.opening,
                holds: true,
                bond: Some(memory),
            },
            None if goes_on && impulse.linear.dot(normal) > 0.0 => LawMemory {
                elastic,
                plastic: 0.0,
                holds: true,
                bond: None,
            },
            None => LawMemory::default(),
        }
    }
}
