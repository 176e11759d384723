//! How deep spheres of a state overlap: one judge for all engines.

use std::collections::HashMap;

/// Side of the box [0, L]³, m.
const SIDE: f64 = 10.0;

/// A sphere: its centre and radius, m.
#[derive(Debug, Clone, Copy)]
pub struct Ball {
    pub centre: [f64; 3],
    pub radius: f64,
}

/// The spheres of a state `x,y,z,r,…` with a line of names; `None` if it is not one.
pub fn read(text: &str) -> Option<Vec<Ball>> {
    let ball = |line: &str| {
        let numbers = line.split(',').take(4).map(str::parse::<f64>);
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().ok()?;
        let [x, y, z, radius] = numbers[..] else {
            return None;
        };
        let finite = numbers.iter().all(|number| number.is_finite());
        let centre = [x, y, z];
        (finite && radius > 0.0).then_some(Ball { centre, radius })
    };
    text.lines().skip(1).map(ball).collect()
}

/// The deepest overlap: of two spheres over the smaller radius, of a sphere and a wall of the box over its radius.
pub fn deepest(balls: &[Ball]) -> f64 {
    let widest = 2.0 * balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
    let cell = |ball: &Ball| ball.centre.map(|x| (x / widest).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (k, ball) in balls.iter().enumerate() {
        cells.entry(cell(ball)).or_default().push(k);
    }
    let mut deepest = 0.0f64;
    for (k, ball) in balls.iter().enumerate() {
        for x in ball.centre {
            let overlap = ball.radius - x.min(SIDE - x);
            deepest = deepest.max(overlap / ball.radius);
        }
        let [i, j, l] = cell(ball);
        for number in 0..27 {
            let near = [
                i - 1 + number / 9,
                j - 1 + number / 3 % 3,
                l - 1 + number % 3,
            ];
            let others = cells.get(&near).into_iter().flatten();
            for other in others
                .filter(|other| **other > k)
                .map(|other| &balls[*other])
            {
                let apart = ball.centre.iter().zip(other.centre);
                let distance = apart.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                let overlap = ball.radius + other.radius - distance;
                deepest = deepest.max(overlap / ball.radius.min(other.radius));
            }
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(x: f64, y: f64, z: f64, radius: f64) -> Ball {
        let centre = [x, y, z];
        Ball { centre, radius }
    }

    #[test]
    fn overlaps_are_counted_in_the_smaller_radius() {
        // 1 and 0.5 at a distance of 1.4 overlap by 0.1.
        let pair = [ball(5.0, 5.0, 5.0, 1.0), ball(5.0, 6.4, 5.0, 0.5)];
        assert!((deepest(&pair) - 0.2).abs() < 1e-12);
        let apart = [ball(5.0, 5.0, 5.0, 1.0), ball(5.0, 6.6, 5.0, 0.5)];
        assert_eq!(deepest(&apart), 0.0);
        // Through a wall by 0.1 of 0.5.
        assert!((deepest(&[ball(9.6, 5.0, 5.0, 0.5)]) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn no_pair_is_missed_between_cells() {
        let mut balls = Vec::new();
        for k in 0..1000u32 {
            let place = |step: u32| 0.5 + 9.0 * f64::from(k * step % 997) / 997.0;
            balls.push(ball(place(1), place(7), place(31), 0.3));
        }
        let mut expected = 0.0f64;
        for (k, a) in balls.iter().enumerate() {
            for b in &balls[..k] {
                let square: f64 = (0..3).map(|i| (a.centre[i] - b.centre[i]).powi(2)).sum();
                expected = expected.max((0.6 - square.sqrt()) / 0.3);
            }
        }
        assert!((deepest(&balls) - expected).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_state_is_none() {
        assert!(read("x,y,z,r,m\n1,2,3,0.5,1\n").is_some_and(|balls| balls.len() == 1));
        assert!(read("x,y,z,r,m\n1,2,nan,0.5,1\n").is_none());
        assert!(read("x,y,z,r,m\n1,2\n").is_none());
    }
}
