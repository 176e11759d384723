//! One step of a few bodies with friction has the velocities of an independent prototype, with every
//! solver (golden vectors of paper 004).

use crate::golden_files::{Vector, load, numbers};
use granule::law::Flow;
use granule::math::DVec3;
use granule::problem::{
    Assembled, BodySpace, ContactGeometry, ContactProblem, Delassus, Lever, MatrixFree, Sets,
};
use granule::solver::{ExactBy, Method, SolverConfig, Status, solver};
use serde_json::Value;

fn accurate(method: Method, tolerance: f64) -> SolverConfig {
    SolverConfig {
        tolerance,
        exact: ExactBy::FixedPoint,
        max_iterations: 1_000_000,
        ..SolverConfig::named(method)
    }
}

#[test]
fn one_contact_has_the_closed_form() {
    let Vector {
        inputs, outputs, ..
    } = load("g004_bloch.json", "004-local");
    let rows = inputs["rows"].as_array().unwrap();
    let answers = outputs["fn_fT"].as_array().unwrap();
    assert!(rows.len() == 7 && answers.len() == 7);
    for (row, answer) in rows.iter().zip(answers) {
        let [gap, normal, tangential, step, friction, slip] = numbers(row).try_into().unwrap();
        let matrix = Assembled::from_dense(2, &[vec![1.0, 0.0], vec![0.0, 3.0]]).unwrap();
        let bias = vec![normal + gap / step + friction * slip, tangential];
        let problem = ContactProblem {
            sets: Sets::uniform_cone(friction, 1),
            step,
            ..ContactProblem::explicit(matrix, bias).unwrap()
        };
        for (method, tolerance) in [
            (Method::Pgd, 1e-14),
            (Method::ApgdAr, 1e-14),
            (Method::ApgdAsr, 1e-14),
            (Method::Ags, 1e-14),
            (Method::Spg, 1e-14),
            (Method::Clarabel, 1e-10),
        ] {
            let mut impulses = [0.0; 2];
            let config = accurate(method, tolerance);
            let report = solver(&config).solve(&problem, &mut impulses, &config.ask());
            for (impulse, force) in impulses.iter().zip(numbers(answer)) {
                let error = (impulse / step - force).abs();
                let allowed = 1e2 * tolerance * (1.0 + force.abs());
                assert!(error <= allowed, "{} {row}: {report:?}", method.name());
            }
        }
    }
}

/// The bodies of a vector and one step of them.
struct Scene {
    step: f64,
    friction: f64,
    /// 2 or 3.
    dimension: usize,
    space: BodySpace,
    /// Signed distances, as `space.contacts`.
    gaps: Vec<f64>,
    /// Velocities and spins after the step without contacts.
    free: Vec<(DVec3, DVec3)>,
}

/// The first `dimension` numbers as a vector.
fn vector(values: &[f64], dimension: usize) -> DVec3 {
    DVec3::new(
        values[0],
        values[1],
        if dimension == 3 { values[2] } else { 0.0 },
    )
}

/// The velocities of all bodies as (linear, angular); in a plane the spin is one number.
fn velocities(values: &[f64], dimension: usize) -> Vec<(DVec3, DVec3)> {
    let spin = if dimension == 3 { 3 } else { 1 };
    values
        .chunks_exact(dimension + spin)
        .map(|one| {
            let angular = match dimension {
                3 => vector(&one[3..], 3),
                _ => DVec3::new(0.0, 0.0, one[2]),
            };
            (vector(one, dimension), angular)
        })
        .collect()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

impl Scene {
    fn read(inputs: &Value) -> Self {
        let number = |name: &str| inputs[name].as_f64().unwrap();
        let dimension = number("dim") as usize;
        let centres: Vec<DVec3> = matrix(&inputs["centres"])
            .iter()
            .map(|x| vector(x, dimension))
            .collect();
        let mut radius = numbers(&inputs["radii"]);
        let masses = numbers(&inputs["masses"]);
        let bodies = centres.len();
        let up = if dimension == 2 { DVec3::Y } else { DVec3::Z };
        let mut found = Vec::new();
        for a in 0..bodies {
            for b in a + 1..bodies {
                let apart = centres[a] - centres[b];
                let normal = apart.normalize();
                let (a, b) = (a as u32, b as u32);
                let gap = apart.length() - radius[a as usize] - radius[b as usize];
                found.push((ContactGeometry { normal, a, b }, gap));
            }
        }
        for body in numbers(&inputs["floor_contacts"]) {
            let (a, b) = (body as u32, bodies as u32);
            let gap = centres[a as usize].dot(up) - radius[a as usize];
            found.push((ContactGeometry { normal: up, a, b }, gap));
        }
        found.sort_by_key(|(contact, _)| contact.a);
        let share = if dimension == 2 { 0.5 } else { 0.4 };
        let mut inverse_inertia: Vec<f64> = masses
            .iter()
            .zip(&radius)
            .map(|(m, r)| 1.0 / (share * m * r * r))
            .collect();
        let mut inverse_mass: Vec<f64> = masses.iter().map(|m| 1.0 / m).collect();
        for list in [&mut radius, &mut inverse_inertia, &mut inverse_mass] {
            list.push(0.0);
        }
        let step = number("dt");
        let start = matrix(&inputs["velocities_lin_then_ang"]).concat();
        let mut free = velocities(&start, dimension);
        for (linear, _) in &mut free {
            *linear -= step * number("g") * up;
        }
        let (contacts, gaps) = found.into_iter().unzip();
        Self {
            step,
            friction: number("mu"),
            dimension,
            space: BodySpace {
                rows: dimension,
                inverse_mass,
                lever: Lever::Radial {
                    radius,
                    inverse_inertia,
                },
                contacts,
                ..BodySpace::default()
            },
            gaps,
            free,
        }
    }

    fn levers(&self) -> (&[f64], &[f64]) {
        match &self.space.lever {
            Lever::Radial {
                radius,
                inverse_inertia,
            } => (radius, inverse_inertia),
            Lever::None => panic!("the bodies turn"),
        }
    }

    fn problem(&self, sets: Sets, flow: Flow, assembled: bool) -> ContactProblem {
        let (radius, _) = self.levers();
        let body = |i: u32| self.free.get(i as usize).copied().unwrap_or_default();
        let mut bias = Vec::new();
        for (contact, gap) in self.space.contacts.iter().zip(&self.gaps) {
            let ((v_a, spin_a), (v_b, spin_b)) = (body(contact.a), body(contact.b));
            // Velocities of the two points that touch: arms -r n and r n from the centres.
            let n = contact.normal;
            let point_a = v_a + spin_a.cross(-radius[contact.a as usize] * n);
            let point_b = v_b + spin_b.cross(radius[contact.b as usize] * n);
            let relative = point_a - point_b + gap / self.step * n;
            bias.extend_from_slice(&relative.to_array()[..self.dimension]);
        }
        let operator: Delassus = if assembled {
            Assembled::from_space(&self.space).into()
        } else {
            MatrixFree::new(self.space.clone()).unwrap().into()
        };
        ContactProblem {
            sets,
            flow,
            step: self.step,
            ..ContactProblem::explicit(operator, bias).unwrap()
        }
    }

    /// The velocities that impulses leave.
    fn after(&self, impulses: &[f64]) -> Vec<(DVec3, DVec3)> {
        let (radius, inverse_inertia) = self.levers();
        let mut velocities = self.free.clone();
        let contacts = self.space.contacts.iter();
        for (contact, impulse) in contacts.zip(impulses.chunks_exact(self.dimension)) {
            let f = vector(impulse, self.dimension);
            for (body, sign, arm) in [(contact.a, 1.0, -1.0), (contact.b, -1.0, 1.0)] {
                let i = body as usize;
                let Some((linear, angular)) = velocities.get_mut(i) else {
                    continue;
                };
                *linear += sign * self.space.inverse_mass[i] * f;
                let point = arm * radius[i] * contact.normal;
                *angular += inverse_inertia[i] * point.cross(sign * f);
            }
        }
        velocities
    }
}

#[test]
fn a_step_of_a_few_bodies_has_the_velocities_of_the_prototype() {
    for id in ["004-ccp-2d", "004-ccp-2d-mu005", "004-ccp-3d"] {
        let golden = load("g004_bloch.json", id);
        let scene = Scene::read(&golden.inputs);
        let allowed = golden.tolerance["u_abs"].as_f64().unwrap();
        let contacts = scene.gaps.len();
        let cone = |friction| Sets::uniform_cone(friction, contacts);
        for (law, sets, flow) in [
            ("u_frictionless", Sets::HalfLine, Flow::Associated),
            ("u_frictionless", cone(0.0), Flow::Associated),
            ("u_frictionless", cone(0.0), Flow::Exact),
            ("u_convex", cone(scene.friction), Flow::Associated),
            ("u_fixed_point", cone(scene.friction), Flow::Exact),
        ] {
            let want = velocities(&numbers(&golden.outputs[law]), scene.dimension);
            assert_eq!(want.len(), scene.free.len());
            for method in [
                Method::Clarabel,
                Method::ApgdAr,
                Method::ApgdAsr,
                Method::Ags,
                Method::Spg,
            ] {
                for assembled in [false, true] {
                    let problem = scene.problem(sets.clone(), flow, assembled);
                    let mut impulses = vec![0.0; problem.len()];
                    let config = accurate(method, 1e-10);
                    let report = solver(&config).solve(&problem, &mut impulses, &config.ask());
                    let name = format!("{id} {law} {} {assembled}", method.name());
                    assert_eq!(report.status, Status::Converged, "{name}: {report:?}");
                    for ((v, spin), (v_want, spin_want)) in
                        scene.after(&impulses).into_iter().zip(&want)
                    {
                        let error = (v - v_want).length().max((spin - spin_want).length());
                        assert!(error <= allowed, "{name}: {error:e}, {report:?}");
                    }
                }
            }
        }
    }
}
