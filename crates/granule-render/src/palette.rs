//! Colours for bodies.

use super::Color;

/// What the colour of a body shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ColorBy {
    /// Its id: every body keeps its colour throughout a run.
    #[default]
    Id,
    /// The magnitude of its velocity, m/s.
    Speed,
    /// Its height (z, or y in a plane), m.
    Height,
    /// Its radius, m; of a body that is no sphere that of a sphere about its centre that holds it.
    Radius,
    /// Its material.
    Material,
}

impl ColorBy {
    /// Name and unit of the number that is shown; `None` if it is not a number.
    pub fn quantity(self) -> Option<&'static str> {
        match self {
            Self::Id | Self::Material => None,
            Self::Speed => Some("speed, m/s"),
            Self::Height => Some("height, m"),
            Self::Radius => Some("radius, m"),
        }
    }
}

/// Sand, clay and slate with a little glaze: calm beside each other, yet told apart.
const GRAINS: [Color; 10] = [
    [214, 174, 112],
    [193, 120, 84],
    [110, 151, 168],
    [231, 205, 158],
    [143, 164, 117],
    [169, 101, 96],
    [86, 119, 150],
    [222, 156, 96],
    [178, 160, 144],
    [121, 137, 141],
];

/// Colours of materials: clearly different ones.
const MATERIALS: [Color; 6] = [
    [209, 168, 104],
    [76, 124, 165],
    [176, 82, 72],
    [108, 153, 96],
    [138, 107, 160],
    [120, 120, 120],
];

/// Blue to yellow through green, of steadily growing lightness; not so dark at its lower end that
/// shading would be lost.
const SCALE: [Color; 9] = [
    [74, 74, 146],
    [62, 99, 164],
    [50, 126, 170],
    [44, 152, 163],
    [68, 177, 146],
    [120, 199, 121],
    [180, 215, 100],
    [228, 222, 98],
    [252, 234, 140],
];

/// The colour of a body by its id.
pub fn of_id(id: u32) -> Color {
    // Neighbours in the order of creation shall not form a pattern.
    let mixed = id
        .wrapping_mul(0x9e37_79b1)
        .rotate_left(15)
        .wrapping_mul(0x85eb_ca6b);
    GRAINS[(mixed >> 16) as usize % GRAINS.len()]
}

/// The colour of a body by its material.
pub fn of_material(material: u16) -> Color {
    MATERIALS[usize::from(material) % MATERIALS.len()]
}

/// The colour of a number between 0 and 1; numbers outside are cut off, NaN is grey.
pub fn of_fraction(fraction: f64) -> Color {
    if fraction.is_nan() {
        return [128, 128, 128];
    }
    let place = fraction.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let low = (place as usize).min(SCALE.len() - 2);
    let weight = place - low as f64;
    std::array::from_fn(|k| {
        let (a, b) = (f64::from(SCALE[low][k]), f64::from(SCALE[low + 1][k]));
        (a + weight * (b - a)).round() as u8
    })
}

/// The numbers that a scale of colours stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Those at its ends.
    pub range: [f64; 2],
    /// Whether there are numbers below and above them, which have the colours of the ends.
    pub beyond: [bool; 2],
}

impl Scale {
    /// A scale with given ends for some numbers.
    pub fn within(range: [f64; 2], values: &[f64]) -> Self {
        // Not for the sake of rounding.
        let slack = 1e-9 * (range[1] - range[0]).abs();
        Self {
            range,
            beyond: [
                values.iter().any(|value| *value < range[0] - slack),
                values.iter().any(|value| *value > range[1] + slack),
            ],
        }
    }

    /// A scale for all of some numbers, but without the hundredth at each end if that is far from the others:
    /// a few grains that fly off shall not take the colours of all. From 0 to 1 if no number is finite.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let Some((&low, &high)) = sorted.first().zip(sorted.last()) else {
            return Self::within([0.0, 1.0], &[]);
        };
        let hundredth = sorted.len().div_ceil(100);
        let (inner_low, inner_high) = match sorted.len() {
            0..20 => (low, high),
            count => (sorted[hundredth], sorted[count - 1 - hundredth]),
        };
        let far = 0.5 * (inner_high - inner_low);
        let range = [
            if inner_low - low > far {
                inner_low
            } else {
                low
            },
            if high - inner_high > far {
                inner_high
            } else {
                high
            },
        ];
        Self::within(range, values)
    }

    /// A scale that holds both.
    pub fn joined(self, other: Self) -> Self {
        let [a, b] = [self.range, other.range];
        let range = [a[0].min(b[0]), a[1].max(b[1])];
        let beyond = |k: usize| {
            (self.beyond[k] && range[k] == a[k]) || (other.beyond[k] && range[k] == b[k])
        };
        Self {
            range,
            beyond: [beyond(0), beyond(1)],
        }
    }
}

/// What the colours of bodies show, and how.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coloring {
    /// What they show.
    pub by: ColorBy,
    /// The numbers at the ends of the scale; those of the bodies if not given.
    pub range: Option<[f64; 2]>,
}

impl Coloring {
    /// The scale for some numbers.
    pub(super) fn scale(&self, values: &[f64]) -> Scale {
        match self.range {
            Some(range) => Scale::within(range, values),
            None => Scale::of(values),
        }
    }
}

impl From<ColorBy> for Coloring {
    fn from(by: ColorBy) -> Self {
        Self { by, range: None }
    }
}

/// The colour of a number in a range.
pub fn of_value(value: f64, [low, high]: [f64; 2]) -> Color {
    let width = high - low;
    of_fraction(if width > 0.0 {
        (value - low) / width
    } else {
        0.5
    })
}
