//! The rows of measures that have a file of their own.

use super::meters::add_stress;
use super::{Kind, Measure};
use granule::measure::{ForceDistribution, Moment, Stress};

impl Measure {
    /// The rows of its file for a moment, without step and time; none if it has no file.
    pub fn table(&self, moment: &Moment) -> Vec<Vec<f64>> {
        let count = moment.dimension.count();
        match &self.kind {
            Kind::StressField(grid) => {
                let cells = Stress::on_grid(moment, grid).into_iter().enumerate();
                let row = |(cell, stress): (usize, Stress)| {
                    let mut row = grid.middle(cell).to_array()[..count].to_vec();
                    add_stress(&stress, moment.dimension, &mut row);
                    row
                };
                cells.map(row).collect()
            }
            Kind::Profile(slices) => (slices.of(moment).iter())
                .map(|slice| {
                    let mut row = vec![
                        slice.middle,
                        slice.number,
                        slice.solid_fraction,
                        slice.density,
                    ];
                    row.extend(&slice.velocity.to_array()[..count]);
                    row.push(slice.temperature);
                    row
                })
                .collect(),
            Kind::ForceDistribution { region, bins, end } => {
                let found = ForceDistribution::of(moment, region, *bins, *end);
                let densities = found.density.iter().enumerate();
                densities
                    .map(|(bin, density)| vec![(bin as f64 + 0.5) * found.width, *density])
                    .collect()
            }
            Kind::Flow(_)
            | Kind::Stress(_)
            | Kind::SolidFraction(_)
            | Kind::Coordination(_)
            | Kind::Mixing { .. }
            | Kind::Repose { .. }
            | Kind::Displacement
            | Kind::Expression { .. } => Vec::new(),
        }
    }

    /// Whether rows of its file are due after a step between these times (s): at every multiple of the interval.
    pub fn is_due(&self, before: f64, time: f64) -> bool {
        // A row that is due within rounding of this time is due.
        let passed = |time: f64| (time / self.interval + 1e-9).floor();
        passed(time) > passed(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_due_once_an_interval() {
        let measure = Measure {
            interval: 0.1,
            ..Measure::new("way", Kind::Displacement)
        };
        let step = 0.01;
        let due = |k: u32| measure.is_due(step * f64::from(k - 1), step * f64::from(k));
        let steps: Vec<u32> = (1..=50).filter(|&k| due(k)).collect();
        assert_eq!(steps, [10, 20, 30, 40, 50]);
        // Steps longer than the interval have one each.
        assert!(measure.is_due(0.0, 0.35) && measure.is_due(0.35, 0.7));
    }
}
