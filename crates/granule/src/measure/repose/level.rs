//! Whether grains lie on a level floor.

use std::collections::BTreeMap;

/// What is higher than so many mean diameters above the lowest grain does not lie on its floor.
const RAISED: f64 = 2.0;

/// Of the columns of one mean diameter square that hold grains, the part in which even the lowest of them is raised
/// above the floor: none of a heap, much of what lies in a drum, in a funnel or on a slope. Grains are given by their
/// places across the floor, their lowest points above it and their radii, all in mean diameters.
pub(super) fn raised(grains: impl Iterator<Item = ([f64; 2], f64, f64)>) -> f64 {
    let mut lowest: BTreeMap<[i64; 2], f64> = BTreeMap::new();
    for (place, bottom, radius) in grains {
        // A large grain reaches over several columns.
        let ends = |x: f64| {
            let [low, high] = [x - radius + 0.5, x + radius - 0.5].map(|end| end.round() as i64);
            low.min(x.round() as i64)..=high.max(x.round() as i64)
        };
        for x in ends(place[0]) {
            for y in ends(place[1]) {
                let known = lowest.entry([x, y]).or_insert(bottom);
                *known = known.min(bottom);
            }
        }
    }
    let raised = lowest.values().filter(|bottom| **bottom > RAISED).count();
    raised as f64 / lowest.len().max(1) as f64
}
