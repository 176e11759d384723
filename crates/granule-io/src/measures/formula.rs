//! Formulas of columns.

use exmex::{Express, FlatEx, FloatOpsFactory, MatchLiteral};

/// The longest formula, in bytes.
const LONGEST: usize = 1000;

/// A formula of named numbers, as `"outlet_total / time"`.
///
/// ```
/// use granule_io::measures::Formula;
/// let formula = Formula::parse("2 * (a_b - c)^2")?;
/// assert_eq!(formula.names(), ["a_b", "c"]);
/// assert_eq!(formula.value(&[5.0, 2.0]), 18.0);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone)]
pub struct Formula(FlatEx<f64, FloatOpsFactory<f64>, Number>);

/// Numbers as in scene files: with `1e-3`, where formulas by themselves would see the constant e.
#[derive(Debug, Clone)]
struct Number;

impl Number {
    /// Whether a text ends with a number up to the `e` of its power, as `2.5e`.
    fn ends_with_exponent(text: &str) -> bool {
        let Some(before) = text.strip_suffix(['e', 'E']) else {
            return false;
        };
        let word = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let number = &before[word.len()..];
        number.parse::<f64>().is_ok() && number.ends_with(|c: char| c.is_ascii_digit() || c == '.')
    }
}

impl MatchLiteral for Number {
    fn is_literal(text: &str) -> Option<&str> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mantissa = match text.as_bytes().get(digits(text)) {
            Some(b'.') => digits(text) + 1 + digits(&text[digits(text) + 1..]),
            _ => digits(text),
        };
        if !text[..mantissa].contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let after = text[mantissa..].strip_prefix(['e', 'E']);
        let power = after.map_or("", |power| power.strip_prefix(['-', '+']).unwrap_or(power));
        let end = match digits(power) {
            0 => mantissa,
            count => text.len() - power.len() + count,
        };
        Some(&text[..end])
    }
}

impl Formula {
    /// Reads a formula; the reason if it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} characters"));
        }
        let read = FlatEx::parse(&subtracted(text)?);
        read.map(Self).map_err(|error| error.to_string())
    }

    /// The names in it, in the order of the alphabet.
    pub fn names(&self) -> &[String] {
        self.0.var_names()
    }

    /// Its value with these numbers for the names, in the order of [`Formula::names`]; NaN if there are not as many.
    pub fn value(&self, numbers: &[f64]) -> f64 {
        self.0.eval(numbers).unwrap_or(f64::NAN)
    }
}

/// The formula with a 0 before each sign that has nothing to its left: by itself such a sign would be taken before a
/// power, and `-x^2` be the square of -x. One that follows an operator is refused, since it could mean either.
fn subtracted(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut last = None;
    for (place, c) in text.char_indices() {
        let in_number = || Number::ends_with_exponent(&text[..place]);
        if matches!(c, '-' | '+') && !in_number() {
            match last {
                None | Some('(' | ',') => plain.push('0'),
                Some('+' | '-' | '*' | '/' | '^' | '%') => {
                    return Err(format!(
                        "the `{c}` after an operator needs brackets, as in `2 * (-x)`"
                    ));
                }
                Some(_) => {}
            }
        }
        plain.push(c);
        if !c.is_whitespace() {
            last = Some(c);
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str, numbers: &[f64]) -> f64 {
        Formula::parse(text).unwrap().value(numbers)
    }

    #[test]
    fn formulas_have_the_values_that_they_say() {
        assert_eq!(value("1 - 2 - 3", &[]), -4.0);
        assert_eq!(value("2^3 / 4", &[]), 2.0);
        assert_eq!(value("-x^2 + max(x, 10)", &[3.0]), 1.0);
        assert_eq!(value("2 * (-x^2) - 1e-0", &[3.0]), -19.0);
        assert_eq!(value("2^(-x) + max(-x^2, -20)", &[1.0]), -0.5);
        assert_eq!(value("line-3", &[5.0]), 2.0);
        assert_eq!(value("sqrt(a) * 1.5e-1", &[4.0]), 0.3);
        assert_eq!(value("1e3 + .5 - 2.E+1*x", &[1.0]), 980.5);
        assert!((value("2*e", &[]) - 2.0 * std::f64::consts::E).abs() < 1e-15);
        assert!(value("1 / z", &[0.0]).is_infinite());
        assert!(value("x + y", &[1.0]).is_nan());
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in [
            "",
            "1 +",
            "(a",
            "a b",
            "a $ b",
            "2 * -x",
            "2^-x",
            &"(".repeat(2000),
        ] {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-+*/^()a-z0-9., ]{0,40}") {
            if let Ok(formula) = Formula::parse(&text) {
                let numbers = vec![1.5; formula.names().len()];
                formula.value(&numbers);
            }
        }
    }
}
