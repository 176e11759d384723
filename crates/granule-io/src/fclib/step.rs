//! The contact problem of a step of a simulation, as others can read it.

use super::{ContactFile, Flaw, Form, GlobalForm, Info, Solution, SparseMatrix};
use glam::DVec3;
use granule::problem::{BodySpace, ContactGeometry, ContactProblem, Delassus, Lever, Sets};

/// The velocities of all bodies without contacts.
#[derive(Debug, Clone, Copy)]
pub struct FreeMotion<'a> {
    /// v_free, m/s.
    pub linear: &'a [DVec3],
    /// ω_free, rad/s.
    pub angular: &'a [DVec3],
}

/// One row of a contact: a direction of force or an axis of a moment.
enum Axis {
    Force(DVec3),
    Moment(DVec3),
    /// Only there to fill the format.
    Nothing,
}

/// The degrees of freedom of the bodies.
struct Freedoms {
    /// Where those of each body begin: of its motion, and of its turning.
    first: Vec<[Option<usize>; 2]>,
    mass: Vec<f64>,
    momentum: Vec<f64>,
    planar: bool,
}

impl Freedoms {
    fn new(space: &BodySpace, free: FreeMotion, planar: bool) -> Self {
        let mut all = Self {
            first: Vec::new(),
            mass: Vec::new(),
            momentum: Vec::new(),
            planar,
        };
        for i in 0..space.body_count() {
            let turning = match &space.lever {
                Lever::Radial {
                    inverse_inertia, ..
                } if space.rows > 1 => inverse_inertia[i],
                _ => 0.0,
            };
            let count = if planar { 2 } else { 3 };
            let linear = all.add(space.inverse_mass[i], &free.linear[i].to_array()[..count]);
            let axes = if planar { 2..3 } else { 0..3 };
            let angular = all.add(turning, &free.angular[i].to_array()[axes]);
            all.first.push([linear, angular]);
        }
        // The ground.
        all.first.push([None, None]);
        all
    }

    /// Adds degrees of freedom with the same inertia, if it is finite.
    fn add(&mut self, inverse: f64, velocities: &[f64]) -> Option<usize> {
        if inverse <= 0.0 {
            return None;
        }
        let first = self.mass.len();
        for velocity in velocities {
            self.mass.push(1.0 / inverse);
            self.momentum.push(velocity / inverse);
        }
        Some(first)
    }

    /// Adds a column of H: the directions in which an impulse moves and turns a body.
    fn push(
        &self,
        entries: &mut Vec<(usize, usize, f64)>,
        body: u32,
        column: usize,
        [linear, angular]: [DVec3; 2],
    ) {
        let [moves, turns] = self.first[body as usize];
        if let Some(first) = moves {
            let count = if self.planar { 2 } else { 3 };
            entries.extend((0..count).map(|k| (first + k, column, linear[k])));
        }
        if let Some(first) = turns {
            if self.planar {
                entries.push((first, column, angular.z));
            } else {
                entries.extend((0..3).map(|k| (first + k, column, angular[k])));
            }
        }
    }
}

/// The rows of a contact in the file: normal, tangents, axes of rolling.
fn axes(space: &BodySpace, contact: &ContactGeometry) -> Vec<Axis> {
    let normal = contact.normal;
    if space.rows == 2 {
        let tangent = DVec3::new(-normal.y, normal.x, 0.0);
        return vec![Axis::Force(normal), Axis::Force(tangent)];
    }
    let (first, second) = normal.any_orthonormal_pair();
    match space.rows {
        1 => vec![Axis::Force(normal), Axis::Nothing, Axis::Nothing],
        3 => vec![Axis::Force(normal), Axis::Force(first), Axis::Force(second)],
        _ => vec![
            Axis::Force(normal),
            Axis::Force(first),
            Axis::Force(second),
            Axis::Moment(first),
            Axis::Moment(second),
        ],
    }
}

/// The force and the moment of a contact from rows of the engine.
fn vectors(rows: &[f64], normal: DVec3) -> [DVec3; 2] {
    match rows {
        [along] => [*along * normal, DVec3::ZERO],
        [x, y] => [DVec3::new(*x, *y, 0.0), DVec3::ZERO],
        [x, y, z] => [DVec3::new(*x, *y, *z), DVec3::ZERO],
        _ => [DVec3::from_slice(&rows[..3]), DVec3::from_slice(&rows[3..])],
    }
}

fn coefficients(sets: &Sets, contacts: usize) -> Result<(Vec<f64>, Vec<f64>), Flaw> {
    match sets {
        Sets::HalfLine => Ok((vec![0.0; contacts], Vec::new())),
        Sets::Cone(friction) => Ok((friction.clone(), Vec::new())),
        Sets::RollingCone(all) if all.iter().any(|[_, _, spinning]| *spinning > 0.0) => {
            Err(Flaw::of(
                "spinning resistance",
                "contact problems in files have none".to_owned(),
                "export a run without spinning resistance",
            ))
        }
        Sets::RollingCone(all) => Ok((
            all.iter().map(|[friction, _, _]| *friction).collect(),
            all.iter().map(|[_, rolling, _]| *rolling).collect(),
        )),
        Sets::Mixed(_) => Err(Flaw::of(
            "joints",
            "contacts of files all have cones".to_owned(),
            "export a run without joints",
        )),
    }
}

/// The contact problem of a step with the impulses that were found, in the global form: masses in kg
/// and kg m², velocities in m/s and rad/s. As in the engine, moments are divided by the length ℓ of their
/// contact ([`BodySpace`]) and turning is multiplied by it, so that all rows have the units N s and m/s, and
/// coefficients of rolling have none.
///
/// What scheme, walls and restitution add to relative velocities is in w. A problem without friction
/// gets tangents on which nothing acts.
pub fn from_step(
    problem: &ContactProblem,
    impulses: &[f64],
    free: FreeMotion,
    info: Info,
) -> Result<ContactFile, Flaw> {
    let Delassus::MatrixFree(operator) = &problem.delassus else {
        return Err(Flaw::of(
            "W",
            "it is given as a matrix, and the bodies are not known".to_owned(),
            "export the problem of a simulation",
        ));
    };
    let space = &operator.space;
    if !(space.general.is_empty() && space.compliance.is_empty()) {
        return Err(Flaw::of(
            "H",
            "there are contacts that are not round, or that give".to_owned(),
            "export a step of rigid spheres or disks",
        ));
    }
    let (rows, contacts) = (space.rows, space.contacts.len());
    let freedoms = Freedoms::new(space, free, rows == 2);
    let lengths: Vec<f64> = space
        .contacts
        .iter()
        .map(|c| space.contact_length(c))
        .collect();
    let (friction, rolling) = coefficients(&problem.sets, contacts)?;
    let radius = |body: u32| match &space.lever {
        Lever::None => 0.0,
        Lever::Radial { radius, .. } => radius[body as usize],
    };
    let mut entries = Vec::new();
    let (mut offset, mut found) = (Vec::new(), Vec::new());
    let mut column = 0;
    for (k, contact) in space.contacts.iter().enumerate() {
        let [bias, turning] = vectors(&problem.bias[k * rows..][..rows], contact.normal);
        let [impulse, moment] = vectors(&impulses[k * rows..][..rows], contact.normal);
        for axis in axes(space, contact) {
            match axis {
                Axis::Force(direction) => {
                    let twist = direction.cross(contact.normal);
                    let (a, b) = (contact.a, contact.b);
                    freedoms.push(&mut entries, a, column, [direction, radius(a) * twist]);
                    freedoms.push(&mut entries, b, column, [-direction, radius(b) * twist]);
                    offset.push(direction.dot(bias));
                    found.push(direction.dot(impulse));
                }
                Axis::Moment(direction) => {
                    let lever = lengths[k] * direction;
                    freedoms.push(&mut entries, contact.a, column, [DVec3::ZERO, lever]);
                    freedoms.push(&mut entries, contact.b, column, [DVec3::ZERO, -lever]);
                    offset.push(direction.dot(turning));
                    found.push(direction.dot(moment));
                }
                Axis::Nothing => {
                    offset.push(0.0);
                    found.push(0.0);
                }
            }
            column += 1;
        }
    }
    let size = freedoms.mass.len();
    let directions = SparseMatrix::from_entries(size, column, entries)?;
    let diagonal = freedoms.mass.iter().enumerate();
    let mass = SparseMatrix::from_entries(
        size,
        size,
        diagonal.map(|(k, mass)| (k, k, *mass)).collect(),
    )?;
    let over_mass = |momentum: &[f64]| -> Vec<f64> {
        let pairs = momentum.iter().zip(&freedoms.mass);
        pairs.map(|(p, m)| p / m).collect()
    };
    // b = Hᵀ v_free + w.
    let made = directions.multiply_transposed(&over_mass(&freedoms.momentum));
    offset.iter_mut().zip(&made).for_each(|(w, u)| *w -= u);
    let mut total = directions.multiply(&found);
    total
        .iter_mut()
        .zip(&freedoms.momentum)
        .for_each(|(t, f)| *t += f);
    let velocities = over_mass(&total);
    let mut file = ContactFile {
        dimension: match rows {
            2 => 2,
            6 => 5,
            _ => 3,
        },
        form: Form::Global(GlobalForm {
            mass,
            directions,
            momentum: freedoms.momentum,
            offset,
        }),
        friction,
        rolling,
        info,
        guesses: Vec::new(),
        solution: None,
    };
    file.solution = Some(Solution {
        relative: file.relative_velocities(&found, &velocities),
        impulses: found,
        velocities,
    });
    debug_assert_eq!(file.contact_count(), contacts);
    file.check()?;
    Ok(file)
}
