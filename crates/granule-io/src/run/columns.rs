//! The columns of `series.csv`: what each is called, what it is, and where it comes from.

use crate::scene::Setup;
use granule::bodies::Cell;
use granule::exchange::{Inlet, Outlet};
use granule::joints::{Along, Effect, Joint};
use granule::simulation::{JointLoad, StepReport, WallLoad, World};

/// A column of `series.csv`.
pub struct Column<T> {
    /// Name with unit; for a load what follows the name of the wall.
    pub name: &'static str,
    /// What it is.
    pub note: &'static str,
    /// Its value.
    pub value: fn(&T) -> f64,
}

const fn column<T>(name: &'static str, note: &'static str, value: fn(&T) -> f64) -> Column<T> {
    Column { name, note, value }
}

/// The columns of `series.csv` that every run has.
pub const COLUMNS: [Column<StepReport>; 37] = [
    column("step[-]", "number of the step, from 1", |r| r.step as f64),
    column("time[s]", "time at its end", |r| r.time),
    column("step_size[s]", "its length", |r| r.step_size),
    column("contacts[-]", "candidate contacts", |r| r.contacts as f64),
    column("active[-]", "contacts that carry an impulse", |r| {
        r.active as f64
    }),
    column(
        "iterations[-]",
        "iterations of all solves of the step",
        |r| r.iterations as f64,
    ),
    column(
        "applications[-]",
        "applications of W in all solves of the step",
        |r| r.applications as f64,
    ),
    column(
        "residual[m/s]",
        "certified error of the worst contact",
        |r| r.certificate.residual,
    ),
    column(
        "relative[-]",
        "the error as collections of contact problems define it",
        |r| r.certificate.relative,
    ),
    column(
        "scaled[-]",
        "the error that solvers stop on; doing nothing has 1",
        |r| r.certificate.scaled,
    ),
    column(
        "fastest[m/s]",
        "fastest approach before impulses, which the residual is compared with",
        |r| r.certificate.fastest,
    ),
    column(
        "penetration[m]",
        "deepest overlap at the positions reached",
        |r| r.certificate.max_penetration,
    ),
    column("kinetic_energy[J]", "of all dynamic bodies", |r| {
        r.kinetic_energy
    }),
    column(
        "potential_energy[J]",
        "of all dynamic bodies, zero at the origin",
        |r| r.potential_energy,
    ),
    column(
        "dissipation[J]",
        "energy taken out of the motion by contacts in the step",
        |r| r.energy.dissipation,
    ),
    column(
        "work_of_walls[J]",
        "work of walls and bodies that move as prescribed",
        |r| r.energy.work_of_walls,
    ),
    column(
        "work_of_joints[J]",
        "work of motors, springs, brakes and stops of joints, and what the scheme makes of what is held",
        |r| r.energy.work_of_joints,
    ),
    column(
        "joint_error[m]",
        "how far joints are open at the end",
        |r| r.joint_error,
    ),
    column(
        "work_of_forces[J]",
        "work of forces other than gravity",
        |r| r.energy.work_of_forces,
    ),
    column(
        "work_of_recovery[J]",
        "potential energy given by undoing overlaps",
        |r| r.energy.work_of_recovery,
    ),
    column(
        "work_of_scheme[J]",
        "what the scheme's own treatment of gravity adds; does not grow with time",
        |r| r.energy.work_of_scheme,
    ),
    column(
        "energy_remainder[J]",
        "change of energy that these do not account for",
        |r| r.energy.remainder,
    ),
    column(
        "recovered[m]",
        "deepest overlap undone by moving bodies",
        |r| r.recovered,
    ),
    column("escalations[-]", "stronger solvers called", |r| {
        r.escalations as f64
    }),
    column(
        "certified[-]",
        "1 if the certificates of the step meet the limits",
        |r| f64::from(u8::from(r.certified)),
    ),
    column(
        "infeasible[-]",
        "1 if constraints contradicted each other",
        |r| f64::from(u8::from(r.infeasible)),
    ),
    column(
        "momentum_error[-]",
        "momentum from nowhere, over the sum of all impulses and momenta",
        |r| r.momentum_error,
    ),
    column(
        "bipotential[J]",
        "mean over contacts of the bipotential |w·λ + μ λ_n |w_t||, with w = v⁺ + e v⁻",
        |r| r.certificate.bipotential,
    ),
    column(
        "approach[m/s]",
        "mean over contacts of the velocity of approach that is left, of the same w",
        |r| r.certificate.approach,
    ),
    column("elastic_energy[J]", "stored in springs of contacts", |r| {
        r.elastic_energy
    }),
    column(
        "friction[J]",
        "the part of dissipation that is sliding, rolling and spinning",
        |r| r.energy.friction,
    ),
    column(
        "viscous[J]",
        "the part of dissipation in dampers of contacts",
        |r| r.energy.viscous,
    ),
    column(
        "plastic[J]",
        "the part of dissipation that is flow along the normal, against cohesion and under a cap",
        |r| r.energy.plastic,
    ),
    column(
        "broken[J]",
        "the part of dissipation that was stored in contacts that let go",
        |r| r.energy.broken,
    ),
    column("bonds[-]", "bonds that hold after the step", |r| {
        r.bonds as f64
    }),
    column(
        "normal_impulse[N s]",
        "sum over contacts of the impulses along the normals",
        |r| r.normal_impulse,
    ),
    column(
        "normal_impulse_at_end[N s]",
        "what of it the second problem of `rattle` gave",
        |r| r.normal_impulse_at_end,
    ),
];

/// The columns of the load on a wall; their names follow that of the wall.
pub const LOAD_COLUMNS: [Column<WallLoad>; 6] = [
    column(
        "_force_x[N]",
        "force that bodies exert on the wall, mean over the step",
        |load| load.force.x,
    ),
    column("_force_y[N]", "the same along y", |load| load.force.y),
    column("_force_z[N]", "the same along z", |load| load.force.z),
    column(
        "_torque_x[N m]",
        "torque on the wall about its position",
        |load| load.torque.x,
    ),
    column("_torque_y[N m]", "the same about y", |load| load.torque.y),
    column("_torque_z[N m]", "the same about z", |load| load.torque.z),
];

/// The columns of what a joint carries; their names follow that of the joint.
pub const JOINT_COLUMNS: [Column<JointLoad>; 6] = [
    column(
        "_force_x[N]",
        "force of the joint on its first body, mean over the step, with all that acts along the joint",
        |load| load.force.x,
    ),
    column("_force_y[N]", "the same along y", |load| load.force.y),
    column("_force_z[N]", "the same along z", |load| load.force.z),
    column(
        "_torque_x[N m]",
        "torque of the joint on its first body about the joint",
        |load| load.torque.x,
    ),
    column("_torque_y[N m]", "the same about y", |load| load.torque.y),
    column("_torque_z[N m]", "the same about z", |load| load.torque.z),
];

/// The columns of a run whose bodies come and go.
pub const EXCHANGE_COLUMNS: [Column<StepReport>; 2] = [
    column("bodies[-]", "bodies that took part in the step", |r| {
        r.exchanged.bodies as f64
    }),
    column(
        "exchanged[J]",
        "kinetic and potential energy of bodies that came at its start, less that of those that left",
        |r| r.exchanged.energy,
    ),
];

/// The columns of an inlet; their names follow that of the inlet.
pub const INLET_COLUMNS: [Column<Inlet>; 3] = [
    column("_number[-]", "grains that have come so far", |inlet| {
        inlet.poured.count as f64
    }),
    column("_mass[kg]", "mass of these", |inlet| inlet.poured.mass),
    column(
        "_waits[-]",
        "steps so far in which a grain was due and found no room",
        |inlet| inlet.poured.waits as f64,
    ),
];

/// The columns of an outlet; their names follow that of the outlet.
pub const OUTLET_COLUMNS: [Column<Outlet>; 2] = [
    column(
        "_number[-]",
        "bodies that have left so far; where they stay, the most that were outside at once",
        |outlet| outlet.gone.count as f64,
    ),
    column("_mass[kg]", "mass of those that were taken out", |outlet| {
        outlet.gone.mass
    }),
];

/// The columns of a periodic cell.
pub const CELL_COLUMNS: [Column<Cell>; 4] = [
    column(
        "cell_x[m]",
        "length of the cell along x, zero where it is not periodic",
        |cell| cell.size.x,
    ),
    column("cell_y[m]", "the same along y", |cell| cell.size.y),
    column("cell_z[m]", "the same along z", |cell| cell.size.z),
    column(
        "shear_strain[-]",
        "how far it is sheared",
        Cell::shear_strain,
    ),
];

/// What is said of a coordinate of a joint: the end of the column's name, and what it is.
pub const COORDINATE_NOTES: [(&str, &str); 6] = [
    (
        "_turn[rad]",
        "angle of a joint that turns, zero at the start",
    ),
    ("_turn_motor[N m]", "what its motors exert on that"),
    ("_slide[m]", "way of a joint that slides, zero at the start"),
    ("_slide_motor[N]", "what its motors exert on that"),
    ("_length[m]", "distance of the points of a link"),
    ("_length_motor[N]", "what its motors exert on that"),
];

/// The ends of the names for a coordinate and for what motors exert on it.
fn coordinate_columns(along: Along) -> Option<[&'static str; 2]> {
    let first = match along {
        Along::Turn => 0,
        Along::Slide => 2,
        Along::Length => 4,
        Along::Swivel => return None,
    };
    Some([COORDINATE_NOTES[first].0, COORDINATE_NOTES[first + 1].0])
}

fn is_motor(effect: &Effect) -> bool {
    match effect {
        Effect::Speed { .. } | Effect::Position { .. } | Effect::Force { .. } => true,
        Effect::Limits { .. } | Effect::Spring { .. } | Effect::Friction { .. } => false,
    }
}

/// Gives the end of the name and the value of each column of a joint that carries this; of one that has not taken a step
/// everything is zero.
pub(super) fn of_joint(joint: &Joint, load: &JointLoad, mut give: impl FnMut(&'static str, f64)) {
    for column in &JOINT_COLUMNS {
        give(column.name, (column.value)(load));
    }
    for (k, along) in joint.kind.coordinates().iter().enumerate() {
        let Some([place, motor]) = coordinate_columns(*along) else {
            continue;
        };
        give(place, load.coordinates.get(k).copied().unwrap_or(0.0));
        let mut motors = (joint.drives.iter().enumerate())
            .filter(|(_, drive)| drive.along == *along && is_motor(&drive.effect))
            .peekable();
        if motors.peek().is_some() {
            let efforts = motors.map(|(k, _)| load.drives.get(k).copied().unwrap_or(0.0));
            give(motor, efforts.sum());
        }
    }
}

/// Gives the value of each column of what came and went.
pub(super) fn of_exchange(world: &World, report: &StepReport, mut give: impl FnMut(f64)) {
    if world.inlets.is_empty() && world.outlets.is_empty() {
        return;
    }
    EXCHANGE_COLUMNS
        .iter()
        .for_each(|column| give((column.value)(report)));
    for inlet in &world.inlets {
        INLET_COLUMNS
            .iter()
            .for_each(|column| give((column.value)(inlet)));
    }
    for outlet in &world.outlets {
        OUTLET_COLUMNS
            .iter()
            .for_each(|column| give((column.value)(outlet)));
    }
}

/// Gives the value of each column of a periodic cell.
pub(super) fn of_cell(world: &World, mut give: impl FnMut(f64)) {
    if let Some(cell) = &world.cell {
        CELL_COLUMNS
            .iter()
            .for_each(|column| give((column.value)(cell)));
    }
}

/// The names of the columns of what comes and goes through inlets and outlets with these names.
pub(crate) fn exchange_names(inlets: &[String], outlets: &[String]) -> Vec<String> {
    if inlets.is_empty() && outlets.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<String> = (EXCHANGE_COLUMNS.iter())
        .map(|column| column.name.to_owned())
        .collect();
    for inlet in inlets {
        let ends = INLET_COLUMNS.iter();
        names.extend(ends.map(|column| format!("{inlet}{}", column.name)));
    }
    for outlet in outlets {
        let ends = OUTLET_COLUMNS.iter();
        names.extend(ends.map(|column| format!("{outlet}{}", column.name)));
    }
    names
}

/// The names of the columns of a run: those that all have, then the loads on the walls that are asked
/// for, then what joints with names carry, then what came and went, then the cell.
pub(super) fn names(setup: &Setup) -> Vec<String> {
    let loads = setup.output.forces_on.iter().flat_map(|(name, _)| {
        let ends = LOAD_COLUMNS.iter();
        ends.map(move |column| format!("{name}{}", column.name))
    });
    let usual = COLUMNS.iter().map(|column| column.name.to_owned());
    let mut names: Vec<String> = usual.chain(loads).collect();
    for (number, name) in setup.named_joints() {
        of_joint(
            &setup.world.joints[number],
            &JointLoad::default(),
            |end, _| {
                names.push(format!("{name}{end}"));
            },
        );
    }
    names.extend(exchange_names(&setup.inlet_names, &setup.outlet_names));
    if setup.world.cell.is_some() {
        names.extend(CELL_COLUMNS.iter().map(|column| column.name.to_owned()));
    }
    names
}
