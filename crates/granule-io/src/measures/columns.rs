//! What the columns of measures are called.

use super::{Kind, Measure};
use granule::bodies::Dimension;

/// The columns of measures, each with what it is; NAME is the name of the measure.
pub const MEASURE_NOTES: [(&str, &str); 18] = [
    (
        "NAME_mass[kg]",
        "`flow`: mass that goes through a plane in the step, forwards less backwards",
    ),
    ("NAME_number[-]", "the number of these grains"),
    ("NAME_rate[kg/s]", "that mass over the length of the step"),
    ("NAME_total[kg]", "that mass since the start"),
    (
        "NAME_xx[Pa] …",
        "`stress`: mean stress in a region, compression positive, its symmetric part",
    ),
    ("NAME_pressure[Pa]", "the mean of its diagonal"),
    (
        "NAME[-]",
        "`solid-fraction`: volume of grains over that of a region",
    ),
    (
        "NAME[-]",
        "`coordination`: mean number of contacts of a grain",
    ),
    (
        "NAME_mechanical[-]",
        "the same without grains that have fewer than two",
    ),
    ("NAME_rattlers[-]", "the part of these grains"),
    (
        "NAME[-]",
        "`mixing`: Lacey's index, 0 kept apart, 1 mixed at random",
    ),
    (
        "NAME_mean[N]",
        "`force-distribution`: mean normal force of contacts",
    ),
    ("NAME_largest[N]", "the largest one"),
    ("NAME_angle[deg]", "`repose`: angle of repose of a heap"),
    ("NAME_height[m]", "its height"),
    (
        "NAME[m^2]",
        "`displacement`: mean square of the ways of grains since the start",
    ),
    ("NAME[UNIT]", "`expression`: a formula of other columns"),
    (
        "measures/NAME.csv",
        "`stress-field`, `profile` and `force-distribution`: a file with rows for the cells, slices or bins of a moment",
    ),
];

/// The symmetric components of a tensor that a scene of this dimension has, by row and column.
pub(super) fn components(dimension: Dimension) -> &'static [(usize, usize)] {
    match dimension {
        Dimension::Line => &[(0, 0)],
        Dimension::Plane => &[(0, 0), (1, 1), (0, 1)],
        Dimension::Space => &[(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)],
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The names of the columns of a stress, each after `start`.
fn of_stress(start: &str, dimension: Dimension) -> Vec<String> {
    let unit = ["N", "N/m", "Pa"][dimension.count() - 1];
    let parts = components(dimension).iter();
    let mut columns: Vec<String> = parts
        .map(|&(row, column)| format!("{start}{}{}[{unit}]", AXES[row], AXES[column]))
        .collect();
    columns.push(format!("{start}pressure[{unit}]"));
    columns
}

/// `NAME` followed by each of these.
fn named(name: &str, ends: &[&str]) -> Vec<String> {
    ends.iter().map(|end| format!("{name}{end}")).collect()
}

impl Measure {
    /// Its columns of `series.csv`, each `name[unit]`; none if it has only a file.
    pub fn columns(&self, dimension: Dimension) -> Vec<String> {
        let name = &self.name;
        match &self.kind {
            Kind::Flow(_) => named(
                name,
                &["_mass[kg]", "_number[-]", "_rate[kg/s]", "_total[kg]"],
            ),
            Kind::Stress(_) => of_stress(&format!("{name}_"), dimension),
            Kind::SolidFraction(_) | Kind::Mixing { .. } => named(name, &["[-]"]),
            Kind::Coordination(_) => named(name, &["[-]", "_mechanical[-]", "_rattlers[-]"]),
            Kind::StressField(_) | Kind::Profile(_) => Vec::new(),
            Kind::ForceDistribution { .. } => named(name, &["_mean[N]", "_largest[N]"]),
            Kind::Repose { .. } => named(name, &["_angle[deg]", "_height[m]"]),
            Kind::Displacement => named(name, &["[m^2]"]),
            Kind::Expression { unit, .. } => vec![format!("{name}[{unit}]")],
        }
    }

    /// The columns of its file, after step and time; `None` if it has none.
    pub fn table_columns(&self, dimension: Dimension) -> Option<Vec<String>> {
        let count = dimension.count();
        let along = |start: &str, unit: &str| -> Vec<String> {
            let axes = AXES[..count].iter();
            axes.map(|axis| format!("{start}{axis}[{unit}]")).collect()
        };
        match &self.kind {
            Kind::StressField(_) => Some([along("", "m"), of_stress("", dimension)].concat()),
            Kind::Profile(_) => {
                let density = ["kg/m", "kg/m^2", "kg/m^3"][count - 1];
                let first = ["place[m]", "number[-]", "solid_fraction[-]"].map(str::to_owned);
                let density = vec![format!("density[{density}]")];
                let last = vec!["temperature[m^2/s^2]".to_owned()];
                Some([first.to_vec(), density, along("velocity_", "m/s"), last].concat())
            }
            Kind::ForceDistribution { .. } => {
                Some(["force[-]", "density[-]"].map(str::to_owned).to_vec())
            }
            Kind::Flow(_)
            | Kind::Stress(_)
            | Kind::SolidFraction(_)
            | Kind::Coordination(_)
            | Kind::Mixing { .. }
            | Kind::Repose { .. }
            | Kind::Displacement
            | Kind::Expression { .. } => None,
        }
    }
}
