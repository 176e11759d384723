//! The only builder of contact problems from bodies and contacts.

use super::surroundings::{PointMotion, Touched};
use super::{Gap, JointRows, Prediction, Spring, Surroundings};
use crate::bodies::{Bodies, Dimension};
use crate::collision::{Contact, LawMemory, Partner};
use crate::law::{AdmissibleSet, Flow, Friction, Interface, Restitution};
use crate::math::{DMat3, DVec3};
use crate::problem::round::relative_velocity;
use crate::problem::{
    BodySpace, CommonBody, Compliance, ContactGeometry, ContactProblem, Lever, RigidContact, Sets,
    Skew,
};

/// What a scheme and the laws add to the velocities of contacts.
pub struct Offset<F, M> {
    /// What the gap of a rigid contact adds, m/s.
    pub of_gap: F,
    /// What the law of a contact remembers.
    pub remembered: M,
    /// Gaps and overlaps of contacts that are not round count as none up to this, m.
    pub slack: f64,
    /// Whether under a convexified law contacts count as open by what their slip at the start of the
    /// step asks for (see [`super::Rattle`]).
    pub slip_opens: bool,
}

impl Surroundings<'_> {
    /// Masses and levers of the bodies into `space`, the ground last; `turn` where impulses turn them.
    pub(super) fn masses(&self, rows: usize, turn: bool, space: &mut BodySpace) {
        let bodies = self.bodies;
        space.rows = rows;
        space.inverse_mass.clear();
        space
            .inverse_mass
            .extend((0..bodies.len()).map(|i| bodies.inverse_mass(i)));
        space
            .inverse_mass
            .extend(self.pressed.map(|faces| 1.0 / faces.mass));
        space.inverse_mass.push(0.0);
        if turn {
            self.levers(space);
        } else {
            // Impulses pass through the centres of spheres.
            space.lever = Lever::None;
        }
    }

    /// Radii and moments of inertia of the bodies into `space`.
    fn levers(&self, space: &mut BodySpace) {
        let bodies = self.bodies;
        let (mut radius, mut inverse_inertia) =
            match std::mem::replace(&mut space.lever, Lever::None) {
                Lever::Radial {
                    radius,
                    inverse_inertia,
                } => (radius, inverse_inertia),
                Lever::None => Default::default(),
            };
        // Faces of a cell and the ground do not turn.
        let others = 1 + usize::from(self.pressed.is_some());
        radius.clone_from(&bodies.radius);
        radius.resize(bodies.len() + others, 0.0);
        inverse_inertia.clear();
        inverse_inertia.extend((0..bodies.len()).map(|i| {
            let turns = bodies.is_dynamic(i) && !self.lock_rotation;
            if !turns || (bodies.is_sphere(i) && bodies.radius[i] == 0.0) {
                0.0
            } else {
                1.0 / bodies.inertia[i].z
            }
        }));
        inverse_inertia.resize(bodies.len() + others, 0.0);
        for i in (0..bodies.len()).filter(|&i| !bodies.is_sphere(i) && bodies.is_dynamic(i)) {
            // A length for what has no radius: that of gyration.
            let inertia = bodies.inertia[i];
            radius[i] = (inertia.max_element() / bodies.mass[i]).sqrt();
            if inverse_inertia[i] > 0.0 && self.dimension == Dimension::Space {
                inverse_inertia[i] = 1.0 / inertia.min_element();
            }
        }
        space.lever = Lever::Radial {
            radius,
            inverse_inertia,
        };
    }

    /// The contacts that need more than their normals into `space`, whose masses are known, and the
    /// inverse tensors of inertia of bodies that are no spheres. Where there are joints, they are to follow.
    pub(super) fn rigid_pool(
        &self,
        contacts: &[Contact],
        prediction: &Prediction,
        space: &mut BodySpace,
    ) {
        space.general.clear();
        if contacts.is_empty() && self.joints.is_empty() {
            return;
        }
        self.levers(space);
        let bodies = self.bodies;
        if self.dimension == Dimension::Space && !self.lock_rotation {
            let turning =
                (0..bodies.len()).filter(|&i| !bodies.is_sphere(i) && bodies.is_dynamic(i));
            space.general.tensors.extend(turning.map(|i| {
                let turn = DMat3::from_quat(prediction.orientation[i]);
                let ease = DMat3::from_diagonal(1.0 / bodies.inertia[i]);
                (i as u32, turn * ease * turn.transpose())
            }));
        }
        for contact in contacts {
            let touched = self.touched(contact, prediction);
            let other = match touched {
                Touched::OnBody(_, arm) => arm,
                // What is prescribed is not moved by contacts.
                Touched::Sphere(_) | Touched::Wall(_) => DVec3::ZERO,
            };
            let own = self.own_arm(contact, prediction, space.rows);
            space.push_rigid(&RigidContact {
                a: contact.key.a,
                b: self.place_of(touched),
                normal: contact.normal,
                arms: [own, other],
            });
        }
        if let (Some(faces), Some(lattice)) = (self.pressed, &prediction.lattice) {
            let share = |contact: &Contact| faces.axes * lattice.cells(contact.image);
            space.general.common = Some(CommonBody {
                body: bodies.len() as u32,
                shares: contacts.iter().map(share).collect(),
            });
        }
    }

    /// From the centre of mass of body `a` to the contact, m.
    fn own_arm(&self, contact: &Contact, prediction: &Prediction, rows: usize) -> DVec3 {
        let a = contact.key.a as usize;
        if self.bodies.is_sphere(a) && rows == 1 {
            // Without friction, impulses go through the centre of a sphere.
            DVec3::ZERO
        } else if contact.bonded || !self.bodies.is_sphere(a) {
            contact.points()[0] - prediction.position[a]
        } else {
            -self.bodies.radius[a] * contact.normal
        }
    }

    /// The place in the body space of what a contact touches.
    fn place_of(&self, touched: Touched) -> u32 {
        match touched {
            Touched::Sphere(b) | Touched::OnBody(b, _) => b,
            Touched::Wall(_) => (self.bodies.len() + usize::from(self.pressed.is_some())) as u32,
        }
    }
}

/// Builds the problem of a step into `problem`, reusing its memory. Of the contacts those come first that
/// need no more than their normals (see [`Surroundings::is_rigid`]), sorted by their first bodies.
///
/// W = Dᵀ M⁻¹ D, b = Dᵀ v_free - (the wall's own velocity) + s, with s from the gap and the
/// restitution, and K from the laws. Joints stand after the contacts.
pub fn assemble(
    surroundings: &Surroundings,
    (contacts, joints): (&[Contact], &JointRows),
    prediction: &Prediction,
    offset: Offset<impl Fn(&Gap) -> f64, impl Fn(&Contact) -> Option<LawMemory>>,
    springs: &mut Vec<Spring>,
    problem: &mut ContactProblem,
) {
    springs.clear();
    let rows = surroundings.laws.rows(surroundings.dimension.count());
    let round = contacts.partition_point(|c| !surroundings.is_rigid(c));
    let built = problem.delassus.rebuild(|space| {
        surroundings.masses(rows, rows > 1, space);
        space.contacts.clear();
        space
            .contacts
            .extend(contacts[..round].iter().map(|contact| ContactGeometry {
                normal: contact.normal,
                a: contact.key.a,
                b: match contact.key.partner {
                    Partner::Body(b) => b,
                    Partner::Wall(_) => {
                        surroundings.place_of(surroundings.touched(contact, prediction))
                    }
                },
            }));
        space.arms.clear();
        if rows == 6 {
            space.set_arms();
        }
        surroundings.rigid_pool(&contacts[round..], prediction, space);
        joints.add_to(surroundings.joint_places, space);
        space.compliance.clear();
        if surroundings.laws.remember() {
            springs.extend(contacts.iter().enumerate().map(|(k, contact)| {
                let memory = (offset.remembered)(contact);
                let interface = surroundings.interface(contact);
                let length = space.length_of(k);
                let spring = Spring::new(contact, memory, interface, surroundings.bodies, length);
                match interface.bond.filter(|_| contact.bonded) {
                    Some(bond) => {
                        let frames = surroundings.frames(contact, prediction);
                        spring.bonded(
                            bond,
                            memory.unwrap_or_default(),
                            contact,
                            frames,
                            (length, rows),
                        )
                    }
                    None => spring,
                }
            }));
        }
        if surroundings.laws.give() {
            let given = springs.iter().map(|s| s.compliance(prediction.step));
            space.compliance.extend(given);
        } else if joints.gives() {
            (space.compliance).resize(contacts.len(), Compliance::default());
        }
        if surroundings.laws.give() || joints.gives() {
            space.compliance.extend(joints.compliance());
        }
    });
    built.expect("contacts are found in order, between bodies that exist");
    problem.step = prediction.step;
    problem.flow = surroundings.laws.flow();
    fill_rows(surroundings, contacts, prediction, offset, springs, problem);
    fill_joints(surroundings, joints, prediction, problem);
}

/// b, s and K of the joints, after those of the contacts.
fn fill_joints(
    surroundings: &Surroundings,
    joints: &JointRows,
    prediction: &Prediction,
    problem: &mut ContactProblem,
) {
    if joints.is_empty() {
        return;
    }
    let rows = problem.rows();
    let free = (&prediction.linear[..], &prediction.angular[..]);
    joints.each(surroundings, free, rows, |set, offset, bias| {
        problem.general_sets.push(set);
        problem.offset.extend_from_slice(offset);
        problem.bias.extend_from_slice(bias);
    });
    if !problem.restitution.is_empty() {
        (problem.restitution).resize(problem.contact_count(), Restitution::default());
    }
    let mut largest = Largest::default();
    for place in surroundings.joint_places.iter().flat_map(|p| p.bodies) {
        if let Some(position) = prediction.position.get(place as usize) {
            let place = place as usize;
            largest.add_body(
                position.abs().max_element(),
                prediction.linear[place],
                surroundings.bodies.radius[place] * prediction.angular[place],
            );
        }
    }
    let rounding = largest.rounding(prediction.step);
    problem.rounding = problem.rounding.max(rounding);
}

/// b, s, K and the restitution of all contacts, whose W is known.
fn fill_rows(
    surroundings: &Surroundings,
    contacts: &[Contact],
    prediction: &Prediction,
    offset: Offset<impl Fn(&Gap) -> f64, impl Fn(&Contact) -> Option<LawMemory>>,
    springs: &[Spring],
    problem: &mut ContactProblem,
) {
    let rows = problem.rows();
    let round = problem.delassus.round_count();
    problem.bias.clear();
    problem.offset.clear();
    problem.restitution.clear();
    problem.general_sets.clear();
    problem.shift.clear();
    problem.skew.clear();
    let skewed = problem.flow == Flow::Skewed && rows > 1;
    let slip_opens = offset.slip_opens && problem.flow == Flow::Associated;
    let elastic = !surroundings.laws.is_inelastic();
    let mut largest = Largest::default();
    let yields = surroundings.laws.yield_somewhere();
    let mut sets = SetsBuilder::new(rows, yields, std::mem::take(&mut problem.sets));
    let free = |i: usize| (prediction.linear[i], prediction.angular[i]);
    // Whether nothing but gap and velocities matters where two spheres touch, which most contacts do.
    let plain = matches!(rows, 2 | 3)
        && springs.is_empty()
        && prediction.lattice.is_none()
        && !(elastic || slip_opens || skewed);
    for list in [&mut problem.offset, &mut problem.bias] {
        list.reserve(rows * contacts.len());
    }
    for (k, contact) in contacts.iter().enumerate() {
        let normal = contact.normal;
        if let (true, Partner::Body(b)) = (plain && k < round, contact.key.partner) {
            let interface = surroundings.interface(contact);
            let gap = Gap {
                distance: contact.gap,
                slack: 0.0,
                interface,
            };
            let [own, other] = [contact.key.a, b].map(|body| {
                let body = body as usize;
                let spin = prediction.angular[body];
                PointMotion {
                    velocity: prediction.linear[body],
                    surface: surroundings.bodies.radius[body] * spin,
                    spin,
                }
            });
            largest.add(prediction, contact, &other, surroundings.bodies);
            sets.push(interface, false, 0.0, prediction.step);
            let offset = (offset.of_gap)(&gap) * normal;
            let relative = own.velocity - other.velocity;
            let surface = own.surface + other.surface;
            let velocity = relative_velocity(normal, relative, surface) + offset;
            push_rows(rows, offset, &mut problem.offset);
            push_rows(rows, velocity, &mut problem.bias);
            continue;
        }
        let start = prediction.contact_time;
        let own = surroundings.own_motion(contact, prediction, free);
        let other = surroundings.touched_motion(contact, prediction, start, free);
        largest.add(prediction, contact, &other, surroundings.bodies);
        let interface = surroundings.interface(contact);
        let (along, across) = surroundings.rebound(interface.restitution, contact, prediction);
        if elastic {
            problem.restitution.push(interface.restitution);
        }
        let gap = Gap {
            distance: contact.gap,
            slack: if k < round { 0.0 } else { offset.slack },
            interface,
        };
        let spring = springs.get(k).filter(|spring| spring.remembers);
        let holds = spring.is_some_and(|spring| spring.holds);
        let spring = spring.map(|spring| spring.offset(prediction.step, normal));
        let (along, across) = match spring {
            Some(given) => {
                let along = given.linear.dot(normal);
                (along, given.linear - along * normal)
            }
            None => ((offset.of_gap)(&gap) + along, across),
        };
        let relative = own.velocity - other.velocity;
        let length = if rows == 6 {
            problem.delassus.contact_length(k)
        } else {
            0.0
        };
        if k < round {
            sets.push(interface, holds, length, prediction.step);
        } else {
            let set = match interface.bond.filter(|_| contact.bonded) {
                Some(bond) => cone_of(rows, over_length(bond.slopes(), length)),
                None => set_of(rows, interface, holds, length, prediction.step),
            };
            problem.general_sets.push(set);
        }
        if skewed {
            problem
                .skew
                .push(Skew::dilating(normal, interface.skewness()));
        }
        if rows == 1 {
            problem.offset.push(along);
            problem.bias.push(normal.dot(relative) + along);
            continue;
        }
        let along = if slip_opens && spring.is_none() {
            let opening = surroundings.opening_at_start(contact, prediction);
            // Where there is room already it counts; an overlap stays one.
            along.min(0.0) + along.max(opening)
        } else {
            along
        };
        let offset = along * normal + across;
        let surface = own.surface + other.surface;
        let velocity = relative_velocity(normal, relative, surface) + offset;
        push_rows(rows, offset, &mut problem.offset);
        push_rows(rows, velocity, &mut problem.bias);
        if rows == 6 {
            let spin = length * (own.spin - other.spin);
            let wound = spring.map_or(DVec3::ZERO, |given| given.angular);
            problem.offset.extend(wound.to_array());
            problem.bias.extend((spin + wound).to_array());
        }
    }
    problem.sets = sets.finish();
    problem.rounding = largest.rounding(prediction.step);
}

/// Adds the rows of a vector in a plane or in space: known numbers of them, so that no call is made for a copy of a few.
#[inline(always)]
fn push_rows(rows: usize, vector: DVec3, list: &mut Vec<f64>) {
    match rows {
        2 => list.extend([vector.x, vector.y]),
        _ => list.extend(vector.to_array()),
    }
}

/// Rounding of a velocity or position as a multiple of its size: of the sums that it takes part in,
/// and of the steps that made it.
const UNITS: f64 = 16.0 * f64::EPSILON;

/// The largest positions and velocities behind a problem.
#[derive(Default)]
struct Largest {
    /// m.
    position: f64,
    /// Squares of velocities of bodies and walls, and of those of their surfaces by turning, m²/s².
    velocity: f64,
    surface: f64,
}

impl Largest {
    #[inline(always)]
    fn add(
        &mut self,
        prediction: &Prediction,
        contact: &Contact,
        other: &PointMotion,
        bodies: &Bodies,
    ) {
        let a = contact.key.a as usize;
        let radius = bodies.radius[a];
        let velocity = prediction.linear[a].length_squared();
        let surface = radius * radius * prediction.angular[a].length_squared();
        let velocity = velocity.max(other.velocity.length_squared());
        self.velocity = self.velocity.max(velocity);
        self.surface = (self.surface.max(surface)).max(other.surface.length_squared());
        let position = prediction.position[a].abs().max_element() + radius;
        self.position = self.position.max(position);
    }

    /// A body this far out (m) with this velocity, and that of its surface by turning (m/s).
    fn add_body(&mut self, position: f64, velocity: DVec3, surface: DVec3) {
        self.position = self.position.max(position);
        self.velocity = self.velocity.max(velocity.length_squared());
        self.surface = self.surface.max(surface.length_squared());
    }

    /// What their rounding can amount to in the velocity of a contact, m/s.
    fn rounding(&self, step: f64) -> f64 {
        let relative = 2.0 * (self.velocity.sqrt() + self.surface.sqrt());
        UNITS * (relative + self.position / step)
    }
}

/// μ, δ and σ of a contact with the length ℓ (m); δ and σ as multiples of it.
fn coefficients(friction: Friction, length: f64) -> [f64; 3] {
    over_length(
        [friction.sliding, friction.rolling, friction.spinning],
        length,
    )
}

/// The slopes μ, δ (m) and σ (m) of a cone, the latter two as multiples of the length ℓ (m).
fn over_length([sliding, rolling, spinning]: [f64; 3], length: f64) -> [f64; 3] {
    // Where nothing turns there is no moment either.
    let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
    [sliding, rolling * inverse, spinning * inverse]
}

/// The cone of a contact with so many rows.
fn cone_of(rows: usize, [friction, rolling, spinning]: [f64; 3]) -> AdmissibleSet {
    match rows {
        1 => AdmissibleSet::HalfLine,
        6 => AdmissibleSet::RollingCone {
            friction,
            rolling,
            spinning,
        },
        _ => AdmissibleSet::Cone { friction },
    }
}

/// The set of a contact that is not bonded, with so many rows and the length ℓ (m), in a step of length h (s), before the
/// cohesion of one that `holds` shifts it.
fn set_of(
    rows: usize,
    interface: &Interface,
    holds: bool,
    length: f64,
    step: f64,
) -> AdmissibleSet {
    let slopes = coefficients(interface.law.friction(), length);
    let strength = interface.strength;
    if strength.yields() {
        // The cap limits the force itself: it is not to be lower for the shift.
        let held = match holds {
            true => interface.cohesion.strength,
            false => 0.0,
        };
        let cap = |cap| step * (cap + held);
        return AdmissibleSet::Yield {
            friction: slopes[0],
            rounding: step * strength.rounding,
            cap: strength.cap.map_or(f64::INFINITY, cap),
        };
    }
    cone_of(rows, slopes)
}

/// Fills the sets of a problem in memory that is used again.
struct SetsBuilder {
    rows: usize,
    sets: Sets,
}

impl SetsBuilder {
    fn new(rows: usize, yields: bool, old: Sets) -> Self {
        let sets = match (rows, old) {
            (_, Sets::Mixed(mut list)) if yields => {
                list.clear();
                Sets::Mixed(list)
            }
            _ if yields => Sets::Mixed(Vec::new()),
            (1, _) => Sets::HalfLine,
            (6, Sets::RollingCone(mut list)) => {
                list.clear();
                Sets::RollingCone(list)
            }
            (6, _) => Sets::RollingCone(Vec::new()),
            (_, Sets::Cone(mut list)) => {
                list.clear();
                Sets::Cone(list)
            }
            (_, _) => Sets::Cone(Vec::new()),
        };
        Self { rows, sets }
    }

    /// Adds a contact with the length ℓ (m).
    fn push(&mut self, interface: &Interface, holds: bool, length: f64, step: f64) {
        let friction = interface.law.friction();
        match &mut self.sets {
            Sets::HalfLine => {}
            Sets::Mixed(list) => list.push(set_of(self.rows, interface, holds, length, step)),
            Sets::Cone(list) => list.push(friction.sliding),
            Sets::RollingCone(list) => list.push(coefficients(friction, length)),
        }
    }

    fn finish(self) -> Sets {
        self.sets
    }
}
