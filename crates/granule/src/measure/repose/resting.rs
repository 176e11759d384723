//! What of all grains lies on the heap.

use crate::math::DVec3;
use std::collections::BTreeMap;

/// Grains nearer to each other than so many mean diameters lie on each other.
const TOUCHING: f64 = 0.1;

/// The grains (centres and radii, m) that lie on the floor at a height (m), or on others that do.
pub(super) fn resting(
    grains: &[(DVec3, f64)],
    floor: f64,
    up: DVec3,
    width: f64,
) -> Vec<(DVec3, f64)> {
    let gap = TOUCHING * width;
    let reach = 2.0 * grains.iter().map(|(_, radius)| *radius).fold(0.0, f64::max) + gap;
    let cell_of = |center: DVec3| (center / reach).floor().to_array().map(|x| x as i64);
    let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (k, (center, _)) in grains.iter().enumerate() {
        cells.entry(cell_of(*center)).or_default().push(k);
    }
    let low = |(center, radius): &(DVec3, f64)| up.dot(*center) - radius < floor + 0.5 * width;
    let mut rests: Vec<bool> = grains.iter().map(low).collect();
    let mut new: Vec<usize> = (0..grains.len()).filter(|&k| rests[k]).collect();
    while let Some(k) = new.pop() {
        let (center, radius) = grains[k];
        let [x, y, z] = cell_of(center);
        let [x, y, z] = [x, y, z].map(|place| place.saturating_sub(1)..=place.saturating_add(1));
        for cell in x.flat_map(|x| {
            let (y, z) = (y.clone(), z.clone());
            y.flat_map(move |y| z.clone().map(move |z| [x, y, z]))
        }) {
            for &other in cells.get(&cell).into_iter().flatten() {
                let (place, size) = grains[other];
                if !rests[other] && place.distance(center) <= radius + size + gap {
                    rests[other] = true;
                    new.push(other);
                }
            }
        }
    }
    let kept = grains.iter().zip(rests).filter(|(_, rests)| *rests);
    kept.map(|(grain, _)| *grain).collect()
}
