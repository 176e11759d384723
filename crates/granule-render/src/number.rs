//! Numbers beside axes and colours.

/// A number with as few characters as an axis needs.
pub fn short(value: f64) -> String {
    if value.abs() < 1e-300 {
        return "0".to_owned();
    }
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (1e-3..1e6).contains(&value.abs()) {
        return trim(&format!("{value:.5}"));
    }
    let text = format!("{value:.3e}");
    match text.split_once('e') {
        Some((digits, power)) => format!("{}e{power}", trim(digits)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let labels = [0.0, 0.1 + 0.2, -2.5, 1200.0, 1e6, 2.5e-7, -0.004].map(short);
        assert_eq!(
            labels,
            ["0", "0.3", "-2.5", "1200", "1e6", "2.5e-7", "-0.004"]
        );
    }
}
