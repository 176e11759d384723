//! The values of measures, from one moment to the next.

use super::columns::components;
use super::{Formula, Kind, Mark, Measure};
use granule::bodies::Dimension;
use granule::math::DMat3;
use granule::measure::{
    Coordination, ForceDistribution, Grain, HeapProfile, Moment, Origins, Stress, mixing,
    solid_fraction,
};
use serde::{Deserialize, Serialize};

/// What measures remember from one moment to the next, besides the last moment itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// For each measure what has been added up.
    totals: Vec<f64>,
    origins: Origins,
}

/// A formula, with the places of its names in the row.
#[derive(Debug, Clone)]
struct Placed {
    formula: Formula,
    places: Vec<usize>,
}

/// Takes measures of moments that follow each other.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::measure::{Moment, Region};
/// use granule_io::measures::{Kind, Measure, Memory, Meters};
/// let measures = vec![Measure::new("filled", Kind::SolidFraction(Region::Everywhere))];
/// let nothing = |time| Moment::new(Dimension::Space, time, Vec::new());
/// let mut meters = Meters::new(measures, &["time[s]".to_owned()], nothing(0.0), Memory::default())?;
/// let mut row = vec![1.0];
/// meters.add_to_row(nothing(1.0), &mut row);
/// assert_eq!(row, [1.0, 0.0]);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone)]
pub struct Meters {
    measures: Vec<Measure>,
    formulas: Vec<Option<Placed>>,
    memory: Memory,
    last: Moment,
    wants_origins: bool,
}

impl Meters {
    /// Takes measures from this moment on, with what an earlier part of the run remembers of them. A row has these
    /// columns (`name[unit]`) before those of the measures. The reason, if a formula cannot be.
    pub fn new(
        measures: Vec<Measure>,
        columns: &[String],
        start: Moment,
        mut memory: Memory,
    ) -> Result<Self, String> {
        let base = |column: &String| column.split('[').next().unwrap_or_default().to_owned();
        let mut names: Vec<String> = columns.iter().map(base).collect();
        let mut formulas = Vec::with_capacity(measures.len());
        for measure in &measures {
            formulas.push(match &measure.kind {
                Kind::Expression { formula, .. } => Some(Placed::new(formula, &names)?),
                _ => None,
            });
            names.extend(measure.columns(start.dimension).iter().map(base));
        }
        memory.totals.resize(measures.len(), 0.0);
        let displacement = |measure: &Measure| measure.kind == Kind::Displacement;
        let wants_origins = measures.iter().any(displacement);
        if wants_origins {
            memory.origins.note(&start);
        }
        Ok(Self {
            measures,
            formulas,
            memory,
            last: start,
            wants_origins,
        })
    }

    /// What is measured.
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.measures.is_empty()
    }

    /// Whether a measure looks at contacts.
    pub fn needs_contacts(&self) -> bool {
        self.measures.iter().any(Measure::needs_contacts)
    }

    /// What it remembers.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The last moment.
    pub fn last(&self) -> &Moment {
        &self.last
    }

    /// Adds the values of a moment, which becomes the last one, to a row that holds the columns before them.
    pub fn add_to_row(&mut self, moment: Moment, row: &mut Vec<f64>) {
        if self.wants_origins {
            self.memory.origins.note(&moment);
        }
        for k in 0..self.measures.len() {
            self.add(k, &moment, row);
        }
        self.last = moment;
    }

    fn add(&mut self, k: usize, moment: &Moment, row: &mut Vec<f64>) {
        match &self.measures[k].kind {
            Kind::Flow(gate) => {
                let crossed = gate.crossed(&self.last, moment);
                let total = &mut self.memory.totals[k];
                *total += crossed.mass;
                let seconds = moment.time - self.last.time;
                let rate = if seconds > 0.0 {
                    crossed.mass / seconds
                } else {
                    0.0
                };
                row.extend([crossed.mass, crossed.number, rate, *total]);
            }
            Kind::Stress(region) => add_stress(&Stress::of(moment, region), moment.dimension, row),
            Kind::SolidFraction(region) => row.push(solid_fraction(moment, region)),
            Kind::Coordination(region) => {
                let found = Coordination::of(moment, region);
                row.extend([found.all, found.mechanical, found.rattlers]);
            }
            Kind::StressField(_) | Kind::Profile(_) => {}
            Kind::Mixing { grid, mark } => {
                let marked = |grain: &Grain| mark.holds(grain, moment.dimension);
                row.push(mixing(moment, grid, marked).unwrap_or(f64::NAN));
            }
            Kind::ForceDistribution { region, .. } => {
                let found = ForceDistribution::of(moment, region, 1, 1.0);
                row.extend([found.mean, found.largest]);
            }
            Kind::Repose { up } => {
                let grains = moment.grains.iter();
                let balls = grains.map(|g| (g.position, moment.dimension.ball_radius(g.volume)));
                let (centers, radii): (Vec<_>, Vec<_>) = balls.unzip();
                let heap = HeapProfile::of(&centers, &radii, *up, moment.dimension);
                let angle = heap.as_ref().and_then(HeapProfile::angle_of_repose);
                let height = heap.as_ref().map_or(0.0, HeapProfile::top);
                row.extend([angle.unwrap_or(f64::NAN), height]);
            }
            Kind::Displacement => row.push(self.memory.origins.mean_square_displacement(moment)),
            Kind::Expression { .. } => {
                let value = self.formulas[k].as_ref().map(|placed| placed.value(row));
                row.push(value.unwrap_or(f64::NAN));
            }
        }
    }
}

impl Placed {
    fn new(text: &str, names: &[String]) -> Result<Self, String> {
        let formula = Formula::parse(text)?;
        let place = |name: &String| {
            let found = names.iter().position(|other| other == name);
            found.ok_or_else(|| format!("there is no column `{name}` for the formula `{text}`"))
        };
        let places = formula
            .names()
            .iter()
            .map(place)
            .collect::<Result<_, _>>()?;
        Ok(Self { formula, places })
    }

    fn value(&self, row: &[f64]) -> f64 {
        let numbers = self.places.iter().map(|&place| row.get(place).copied());
        let numbers: Vec<f64> = numbers.map(|number| number.unwrap_or(f64::NAN)).collect();
        self.formula.value(&numbers)
    }
}

impl Mark {
    fn holds(self, grain: &Grain, dimension: Dimension) -> bool {
        match self {
            Self::Material(material) => grain.material == material,
            Self::LargerThan(radius) => dimension.ball_radius(grain.volume) > radius,
        }
    }
}

/// Adds the columns of a stress.
pub(super) fn add_stress(stress: &Stress, dimension: Dimension, row: &mut Vec<f64>) {
    let total: DMat3 = stress.total();
    let parts = components(dimension).iter();
    row.extend(parts.map(|&(i, j)| 0.5 * (total.col(j)[i] + total.col(i)[j])));
    row.push(stress.pressure(dimension));
}
