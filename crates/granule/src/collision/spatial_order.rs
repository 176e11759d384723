//! An order of bodies that keeps neighbours near in memory.

use crate::math::DVec3;

/// The Morton (Z-curve) order of `positions`: the body at `order[k]` belongs at place k. Ties
/// are broken by `ids`, so the order follows from the state alone.
pub fn spatial_order(positions: &[DVec3], ids: &[u32]) -> Vec<u32> {
    let (low, high) = positions
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| {
            (l.min(*p), h.max(*p))
        });
    let extent = (high - low).max_element().max(f64::MIN_POSITIVE);
    let scale = ((1u64 << 21) - 1) as f64 / extent;
    let mut keys: Vec<(u64, u32, u32)> = positions
        .iter()
        .enumerate()
        .map(|(place, p)| {
            let cell = (*p - low) * scale;
            let key =
                spread(cell.x as u64) | spread(cell.y as u64) << 1 | spread(cell.z as u64) << 2;
            (key, ids[place], place as u32)
        })
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, _, place)| place).collect()
}

/// The low 21 bits of x with two zero bits between each.
fn spread(x: u64) -> u64 {
    let x = x & 0x1f_ffff;
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_by_three() {
        for x in [0u64, 1, 5, 0x15_5555, 0x1f_ffff] {
            let want = (0..21).fold(0, |sum, bit| sum | ((x >> bit & 1) << (3 * bit)));
            assert_eq!(spread(x), want);
        }
    }

    #[test]
    fn neighbours_come_near() {
        let n = 16;
        let positions: Vec<DVec3> = (0..n * n * n)
            .map(|k| DVec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64))
            .collect();
        let ids: Vec<u32> = (0..positions.len() as u32).collect();
        let order = spatial_order(&positions, &ids);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ids);
        let step: f64 = order
            .windows(2)
            .map(|w| positions[w[0] as usize].distance(positions[w[1] as usize]))
            .sum::<f64>()
            / order.len() as f64;
        assert!(step < 2.0, "mean distance of consecutive bodies {step}");
    }
}
