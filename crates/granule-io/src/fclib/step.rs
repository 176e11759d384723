//! The contact problem of a step of a simulation, as others can read it.

use super::{ContactFile, Flaw, Form, GlobalForm, Info, Solution, SparseMatrix};
use glam::{DMat3, DVec3};
use granule::law::AdmissibleSet;
use granule::problem::{BodySpace, ContactProblem, Delassus, Lever, RowForm};

/// The velocities of all bodies without contacts.
#[derive(Debug, Clone, Copy)]
pub struct FreeMotion<'a> {
    /// v_free, m/s.
    pub linear: &'a [DVec3],
    /// ω_free, rad/s.
    pub angular: &'a [DVec3],
}

/// The degrees of freedom of the bodies.
struct Freedoms {
    /// Where those of each body begin: of its motion, and of its turning.
    first: Vec<[Option<usize>; 2]>,
    /// The diagonal of M, as far as there is nothing beside it.
    mass: Vec<f64>,
    /// J and J⁻¹ of bodies whose moments of inertia differ, with the first of their degrees of freedom.
    tensors: Vec<(usize, [DMat3; 2])>,
    momentum: Vec<f64>,
    planar: bool,
}

impl Freedoms {
    fn new(space: &BodySpace, free: FreeMotion) -> Self {
        let planar = space.rows == 2;
        let mut all = Self {
            first: Vec::new(),
            mass: Vec::new(),
            tensors: Vec::new(),
            momentum: Vec::new(),
            planar,
        };
        let turns = space.rows > 1 || !space.general.is_empty();
        let tensors = &space.general.tensors;
        for i in 0..space.body_count() {
            let turning = match &space.lever {
                Lever::Radial {
                    inverse_inertia, ..
                } if turns => inverse_inertia[i],
                _ => 0.0,
            };
            let count = if planar { 2 } else { 3 };
            let linear = all.add(space.inverse_mass[i], &free.linear[i].to_array()[..count]);
            let axes = if planar { 2..3 } else { 0..3 };
            let angular = all.add(turning, &free.angular[i].to_array()[axes]);
            let tensor = tensors.binary_search_by_key(&(i as u32), |entry| entry.0);
            if let (Some(first), Ok(place)) = (angular, tensor) {
                let ease = tensors[place].1;
                let inertia = ease.inverse();
                all.tensors.push((first, [inertia, ease]));
                let momentum = (inertia * free.angular[i]).to_array();
                all.momentum[first..].copy_from_slice(&momentum);
            }
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
        let (linear, angular) = (linear.to_array(), angular.to_array());
        let parts = if self.planar {
            [(moves, &linear[..2]), (turns, &angular[2..])]
        } else {
            [(moves, &linear[..]), (turns, &angular[..])]
        };
        for (first, values) in parts {
            let Some(first) = first else { continue };
            let rows = values.iter().enumerate().filter(|(_, x)| **x != 0.0);
            entries.extend(rows.map(|(k, x)| (first + k, column, *x)));
        }
    }

    /// M.
    fn matrix(&self) -> Result<SparseMatrix, Flaw> {
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        let mut tensors = self.tensors.iter().peekable();
        let mut k = 0;
        while k < self.mass.len() {
            if let Some((first, [inertia, _])) = tensors.next_if(|entry| entry.0 == k) {
                let columns = inertia.to_cols_array_2d();
                for (column, values) in columns.iter().enumerate() {
                    let rows = values.iter().enumerate();
                    entries.extend(rows.map(|(row, x)| (first + row, first + column, *x)));
                }
                k += 3;
            } else {
                entries.push((k, k, self.mass[k]));
                k += 1;
            }
        }
        SparseMatrix::from_entries(self.mass.len(), self.mass.len(), entries)
    }

    /// M⁻¹ p.
    fn velocities(&self, momentum: &[f64]) -> Vec<f64> {
        let pairs = momentum.iter().zip(&self.mass);
        let mut velocities: Vec<f64> = pairs.map(|(p, m)| p / m).collect();
        for (first, [_, ease]) in &self.tensors {
            let turned = *ease * DVec3::from_slice(&momentum[*first..]);
            turned.write_to_slice(&mut velocities[*first..]);
        }
        velocities
    }
}

/// A row of a file as a combination of the rows that the contact has in the engine.
type Combination = [f64; 6];

/// The rows of a contact in the file: normal, tangents, axes of rolling. Zero where a row is only there to fill the
/// format.
fn file_rows(space: &BodySpace, contact: usize) -> Vec<Combination> {
    let normal = space.normal(contact);
    let force = |v: DVec3| [v.x, v.y, v.z, 0.0, 0.0, 0.0];
    let moment = |v: DVec3| [0.0, 0.0, 0.0, v.x, v.y, v.z];
    if space.rows == 2 {
        let tangent = DVec3::new(-normal.y, normal.x, 0.0);
        return vec![force(normal), force(tangent)];
    }
    let (first, second) = normal.any_orthonormal_pair();
    match space.rows {
        1 => vec![force(DVec3::X), [0.0; 6], [0.0; 6]],
        3 => [normal, first, second].map(force).to_vec(),
        _ => (([normal, first, second].map(force)).into_iter())
            .chain([first, second].map(moment))
            .collect(),
    }
}

/// A combination of the rows of a contact.
fn combined(combination: &Combination, rows: &[f64]) -> f64 {
    combination.iter().zip(rows).map(|(c, x)| c * x).sum()
}

/// A combination of rows as a form.
fn combined_form(combination: &Combination, forms: &[RowForm]) -> RowForm {
    let mut sum = RowForm::default();
    for (c, form) in combination.iter().zip(forms) {
        sum.linear += *c * form.linear;
        sum.on_a += *c * form.on_a;
        sum.on_b += *c * form.on_b;
    }
    sum
}

/// Rows a contact in the file.
fn dimension(space: &BodySpace) -> usize {
    match space.rows {
        2 => 2,
        6 => 5,
        _ => 3,
    }
}

/// μ and μ_r of all contacts.
fn coefficients(problem: &ContactProblem) -> Result<(Vec<f64>, Vec<f64>), Flaw> {
    let (mut friction, mut rolling) = (Vec::new(), Vec::new());
    if !problem.skew.is_empty() {
        return Err(Flaw::of(
            "dilatancy",
            "contact problems in files have none of their own".to_owned(),
            "export a run without `dilatancy`",
        ));
    }
    for k in 0..problem.contact_count() {
        let [sliding, turning] = match problem.set(k) {
            AdmissibleSet::HalfLine => [0.0; 2],
            AdmissibleSet::Cone { friction } => [friction, 0.0],
            AdmissibleSet::RollingCone { spinning, .. } if spinning > 0.0 => {
                return Err(Flaw::of(
                    "spinning resistance",
                    "contact problems in files have none".to_owned(),
                    "export a run without spinning resistance",
                ));
            }
            AdmissibleSet::RollingCone {
                friction, rolling, ..
            } => [friction, rolling],
            AdmissibleSet::Free => {
                return Err(Flaw::of(
                    "joints",
                    format!(
                        "{k} is one: contacts of files have cones, and equations beside them are not written"
                    ),
                    "export a step without joints",
                ));
            }
            AdmissibleSet::Segment { .. } => {
                return Err(Flaw::of(
                    "motors",
                    format!("{k} is one of limited strength: contacts of files have cones"),
                    "export a step without motors",
                ));
            }
            AdmissibleSet::Yield { .. } => {
                return Err(Flaw::of(
                    "contacts that yield",
                    format!(
                        "the cone of {k} is rounded or capped: contacts of files have plain ones"
                    ),
                    "export a step without limits of yielding",
                ));
            }
        };
        friction.push(sliding);
        rolling.push(turning);
    }
    if problem.rows() != 6 {
        rolling.clear();
    }
    Ok((friction, rolling))
}

/// The bodies and contacts of a problem.
fn space_of(problem: &ContactProblem) -> Result<&BodySpace, Flaw> {
    match &problem.delassus {
        Delassus::MatrixFree(operator) if operator.space().general.common.is_some() => {
            Err(Flaw::of(
                "W",
                "contacts through the faces of a cell under a stress move three bodies".to_owned(),
                "export a step of a cell without a stress",
            ))
        }
        Delassus::MatrixFree(operator) => Ok(operator.space()),
        Delassus::Assembled(_) => Err(Flaw::of(
            "W",
            "it is given as a matrix, and the bodies are not known".to_owned(),
            "export the problem of a simulation",
        )),
    }
}

/// The contact problem of a step with the impulses that were found, in the global form: masses in kg
/// and kg m², velocities in m/s and rad/s. As in the engine, moments are divided by the length ℓ of their
/// contact ([`BodySpace`]) and turning is multiplied by it, so that all rows have the units N s and m/s, and
/// coefficients of rolling have none.
///
/// What scheme, walls and restitution add to relative velocities is in w. A problem without friction
/// gets tangents on which nothing acts. Where sets are shifted ([`ContactProblem::with_shift`]) the file has the
/// problem that solvers see. Contacts that give have no place in this form ([`from_step_local`]), joints in none.
pub fn from_step(
    problem: &ContactProblem,
    impulses: &[f64],
    free: FreeMotion,
    info: Info,
) -> Result<ContactFile, Flaw> {
    let space = space_of(problem)?;
    if !space.compliance.is_empty() {
        return Err(Flaw::of(
            "compliance",
            "contacts give, and M, H, f and w have no place for that".to_owned(),
            "export the local form, whose W has it",
        ));
    }
    let rows = space.rows;
    let freedoms = Freedoms::new(space, free);
    let (friction, rolling) = coefficients(problem)?;
    let mut entries = Vec::new();
    let (mut offset, mut found) = (Vec::new(), Vec::new());
    for k in 0..problem.contact_count() {
        let ([a, b], forms) = (space.ends(k), space.forms(k));
        for combination in file_rows(space, k) {
            let form = combined_form(&combination, &forms);
            let column = offset.len();
            freedoms.push(&mut entries, a, column, [form.linear, form.on_a]);
            freedoms.push(&mut entries, b, column, [-form.linear, form.on_b]);
            offset.push(combined(&combination, &problem.bias[k * rows..][..rows]));
            found.push(combined(&combination, &impulses[k * rows..][..rows]));
        }
    }
    let directions = SparseMatrix::from_entries(freedoms.mass.len(), offset.len(), entries)?;
    // b = Hᵀ v_free + w.
    let made = directions.multiply_transposed(&freedoms.velocities(&freedoms.momentum));
    offset.iter_mut().zip(&made).for_each(|(w, u)| *w -= u);
    let mut total = directions.multiply(&found);
    total
        .iter_mut()
        .zip(&freedoms.momentum)
        .for_each(|(t, f)| *t += f);
    let velocities = freedoms.velocities(&total);
    let form = Form::Global(GlobalForm {
        mass: freedoms.matrix()?,
        directions,
        momentum: freedoms.momentum,
        offset,
    });
    let file = ContactFile {
        dimension: dimension(space),
        form,
        friction,
        rolling,
        info,
        guesses: Vec::new(),
        solution: None,
    };
    solved(file, found, velocities)
}

/// The contact problem of a step with the impulses that were found, in the local form: W + E as a matrix in 1/kg,
/// where E is what contacts give, and the relative velocities without impulses in m/s. Units of rows as in
/// [`from_step`].
pub fn from_step_local(
    problem: &ContactProblem,
    impulses: &[f64],
    info: Info,
) -> Result<ContactFile, Flaw> {
    let space = space_of(problem)?;
    let (friction, rolling) = coefficients(problem)?;
    let (rows, dimension) = (space.rows, dimension(space));
    let contacts = problem.contact_count();
    let formed = problem.delassus.matrix();
    let all: Vec<Vec<Combination>> = (0..contacts).map(|k| file_rows(space, k)).collect();
    let mut entries = Vec::new();
    let (mut free, mut found) = (Vec::new(), Vec::new());
    for k in 0..contacts {
        for (column, block) in formed.row(k) {
            for (i, left) in all[k].iter().enumerate() {
                for (j, right) in all[column].iter().enumerate() {
                    let lines = block.chunks_exact(rows).zip(left);
                    let value: f64 = lines.map(|(line, c)| c * combined(right, line)).sum();
                    entries.push((k * dimension + i, column * dimension + j, value));
                }
            }
        }
        for combination in &all[k] {
            free.push(combined(combination, &problem.bias[k * rows..][..rows]));
            found.push(combined(combination, &impulses[k * rows..][..rows]));
        }
    }
    let size = free.len();
    let file = ContactFile {
        dimension,
        form: Form::Local {
            matrix: SparseMatrix::from_entries(size, size, entries)?,
            free,
        },
        friction,
        rolling,
        info,
        guesses: Vec::new(),
        solution: None,
    };
    solved(file, found, Vec::new())
}

/// A file with its solution, if all fits together.
fn solved(
    mut file: ContactFile,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
) -> Result<ContactFile, Flaw> {
    file.solution = Some(Solution {
        relative: file.relative_velocities(&impulses, &velocities),
        impulses,
        velocities,
    });
    file.check()?;
    Ok(file)
}
