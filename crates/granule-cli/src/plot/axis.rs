//! Ranges, labels and lines: what is drawn, before it is drawn.

use granule_render::short;
use std::ops::Range;

/// How numbers are laid out along the vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero if all are positive.
    Linear,
    /// By their powers of ten.
    Logarithmic,
}

impl Scale {
    /// Where a number is drawn; `None` if it cannot be.
    pub fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear => value,
            Self::Logarithmic if value > 0.0 => value.log10(),
            Self::Logarithmic => return None,
        };
        // Beyond this, differences of coordinates would overflow.
        (place.is_finite() && place.abs() < 1e150).then_some(place)
    }

    /// The range of an axis on which all places are seen; by powers of ten, all but a few far below the others (the
    /// first steps of a run, in which nothing touches, have residuals that are rounding).
    pub fn range(self, places: impl Iterator<Item = f64>) -> Range<f64> {
        let places: Vec<f64> = places.collect();
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = (places.iter()).fold(ends, |(low, high), &place| {
            (low.min(place), high.max(place))
        });
        if low > high {
            return 0.0..1.0;
        }
        match self {
            Self::Logarithmic => {
                let usual = low_end(places);
                let low = if usual - low > FAR { usual } else { low };
                low.floor()..(high.floor() + 1.0)
            }
            Self::Linear if low >= 0.0 && high > 0.0 => 0.0..1.06 * high,
            Self::Linear => {
                let spread = if high > low {
                    high - low
                } else {
                    low.abs().max(1.0)
                };
                low - 0.06 * spread..high + 0.06 * spread
            }
        }
    }

    /// The text at a place of an axis of such a length.
    pub fn label(self, place: f64, length: f64) -> String {
        match self {
            // What is left of zero after rounding.
            Self::Linear if place.abs() < 1e-9 * length => "0".to_owned(),
            Self::Linear => short(place),
            Self::Logarithmic if (place - place.round()).abs() < 1e-6 => {
                format!("1e{}", place.round())
            }
            Self::Logarithmic => String::new(),
        }
    }
}

/// So many powers of ten below the others is far.
const FAR: f64 = 3.0;

/// The place that a tenth of all are below.
fn low_end(mut places: Vec<f64>) -> f64 {
    let rank = places.len() / 10;
    *places.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// The range of the horizontal axis.
pub fn horizontal(values: &[f64]) -> Range<f64> {
    let places = values
        .iter()
        .filter_map(|&value| Scale::Linear.place(value));
    let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Less) => low..high,
        Some(std::cmp::Ordering::Equal) => {
            low - 0.5 * low.abs().max(1.0)..low + 0.5 * low.abs().max(1.0)
        }
        _ => 0.0..1.0,
    }
}

/// More points than this in a line cannot be told apart in a picture.
const MOST: usize = 2400;

/// The unbroken pieces of a line through the points whose coordinates can be drawn. Long pieces
/// are thinned out: of each stretch the lowest and the highest point remain.
pub fn pieces(x: &[f64], y: &[f64], scale: Scale) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = vec![Vec::new()];
    for (&x, &y) in x.iter().zip(y) {
        match (Scale::Linear.place(x), scale.place(y), pieces.last_mut()) {
            (Some(x), Some(y), Some(piece)) => piece.push((x, y)),
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    let stretch = (2 * x.len()).div_ceil(MOST);
    if stretch > 2 {
        pieces
            .iter_mut()
            .for_each(|piece| *piece = thinned(piece, stretch));
    }
    pieces
}

fn thinned(piece: &[(f64, f64)], stretch: usize) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for points in piece.chunks(stretch) {
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let ends = [
            points.iter().min_by(by_height),
            points.iter().max_by(by_height),
        ];
        let mut ends: Vec<(f64, f64)> = ends.into_iter().flatten().copied().collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        ends.dedup();
        kept.extend(ends);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        assert_eq!(Scale::Linear.label(0.1 + 0.2, 1.0), "0.3");
        assert_eq!(Scale::Linear.label(-1.388e-17, 0.2), "0");
        assert_eq!(Scale::Logarithmic.label(-6.0, 1.0), "1e-6");
    }

    #[test]
    fn a_few_tiny_residuals_do_not_stretch_the_axis() {
        let mut places = vec![-4.5; 100];
        assert_eq!(Scale::Logarithmic.range(places.iter().copied()), -5.0..-4.0);
        places[0] = -15.0;
        assert_eq!(Scale::Logarithmic.range(places.iter().copied()), -5.0..-4.0);
        places[..50].fill(-15.0);
        assert_eq!(Scale::Logarithmic.range(places.into_iter()), -15.0..-4.0);
    }

    #[test]
    fn lines_break_where_there_is_nothing_to_draw() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0];
        let y = [1.0, 0.0, 10.0, f64::NAN, 100.0];
        let linear = pieces(&x, &y, Scale::Linear);
        assert_eq!(linear.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
        let logarithmic = pieces(&x, &y, Scale::Logarithmic);
        assert_eq!(logarithmic, [[(0.0, 0.0)], [(2.0, 1.0)], [(4.0, 2.0)]]);
    }

    #[test]
    fn long_lines_keep_their_peaks() {
        let x: Vec<f64> = (0..100_000).map(f64::from).collect();
        let mut y = vec![1.0; x.len()];
        y[54_321] = 7.0;
        y[54_323] = -7.0;
        let [piece] = &pieces(&x, &y, Scale::Linear)[..] else {
            panic!("one piece")
        };
        assert!(piece.len() < 2 * MOST);
        assert!(piece.contains(&(54_321.0, 7.0)) && piece.contains(&(54_323.0, -7.0)));
    }
}
