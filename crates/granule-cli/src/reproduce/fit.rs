//! Power laws through measured points.

/// The exponent of the power law y ~ x^k through points, by least squares of the logarithms.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|p| p.1).sum::<f64>() / count;
    let moment: f64 = logarithms
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    moment
        / logarithms
            .iter()
            .map(|p| (p.0 - mean_x).powi(2))
            .sum::<f64>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_power_law_has_its_exponent() {
        let points = [1.0, 2.0, 5.0].map(|x: f64| (x, 3.0 * x.powf(0.7)));
        assert!((super::exponent(&points) - 0.7).abs() < 1e-14);
    }
}
