//! Colours for bodies.

use super::field::Field;
use super::quantity::{Quantity, Shot};
use super::{Color, chains};
use std::str::FromStr;
use std::sync::Arc;

/// What the colour of a body shows.
///
/// ```
/// use granule_render::{ColorBy, Quantity};
/// assert_eq!("speed".parse(), Ok(ColorBy::Quantity(Quantity::SPEED)));
/// assert_eq!("material".parse(), Ok(ColorBy::Material));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ColorBy {
    /// Its id: every body keeps its colour throughout a run.
    #[default]
    Id,
    /// Its material.
    Material,
    /// Nothing: all are pale.
    Plain,
    /// A number of it.
    Quantity(Quantity),
    /// A number of the place where it is.
    Field(Arc<Field>),
}

impl ColorBy {
    /// Name and unit of the number that is shown; `None` if it is not a number.
    pub fn title(&self) -> Option<String> {
        match self {
            Self::Id | Self::Material | Self::Plain => None,
            Self::Quantity(quantity) => Some(quantity.title()),
            Self::Field(field) => Some(field.title.clone()),
        }
    }

    /// The numbers of bodies; none if it is not a number.
    pub(super) fn values(&self, shot: &Shot<'_>) -> Vec<f64> {
        match self {
            Self::Id | Self::Material | Self::Plain => Vec::new(),
            Self::Quantity(quantity) => quantity.values(shot),
            Self::Field(field) => field.values(shot),
        }
    }
}

impl FromStr for ColorBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "id" => Ok(Self::Id),
            "material" => Ok(Self::Material),
            "plain" => Ok(Self::Plain),
            _ => text
                .parse()
                .map(Self::Quantity)
                .map_err(|error| format!("{error}; or `id`, `material` and `plain`")),
        }
    }
}

/// The colour of bodies that show nothing.
pub const PLAIN: Color = [196, 190, 181];

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

/// Pale sand to black through red, of steadily falling lightness: what is large stands out from a light background.
const FIRE: [Color; 6] = [
    [232, 216, 184],
    [240, 178, 112],
    [232, 124, 68],
    [200, 66, 48],
    [140, 24, 42],
    [66, 8, 30],
];

/// Colours for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Of bodies.
    Sea,
    /// Of forces.
    Fire,
}

impl Palette {
    /// The colour of a number between 0 and 1; numbers outside are cut off, NaN is grey.
    pub fn of_fraction(self, fraction: f64) -> Color {
        if fraction.is_nan() {
            return [128, 128, 128];
        }
        let colors: &[Color] = match self {
            Self::Sea => &SCALE,
            Self::Fire => &FIRE,
        };
        let place = fraction.clamp(0.0, 1.0) * (colors.len() - 1) as f64;
        let low = (place as usize).min(colors.len() - 2);
        let weight = place - low as f64;
        std::array::from_fn(|k| {
            let (a, b) = (f64::from(colors[low][k]), f64::from(colors[low + 1][k]));
            (a + weight * (b - a)).round() as u8
        })
    }

    /// The colour of a number in a range.
    pub fn of_value(self, value: f64, [low, high]: [f64; 2]) -> Color {
        let width = high - low;
        self.of_fraction(if width > 0.0 {
            (value - low) / width
        } else {
            0.5
        })
    }
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

    /// A scale for all of some numbers, from zero if it begins near that, but without the hundredth at each end if that is far from the others:
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
        let low = if inner_low - low > far {
            inner_low
        } else {
            low
        };
        let high = if high - inner_high > far {
            inner_high
        } else {
            high
        };
        // Zero is easier to read than what is almost zero beside the other end.
        let rounded = |end: f64, other: f64| match end / other {
            0.0..NEGLIGIBLE => 0.0,
            _ => end,
        };
        Self::within([rounded(low, high), rounded(high, low)], values)
    }

    /// From zero to what a hundredth of some forces is above.
    fn of_forces(values: &[f64]) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let rank = sorted.len().saturating_sub(1 + sorted.len() / 100);
        let most = sorted.get(rank).copied().unwrap_or(1.0);
        Self::within([0.0, most.max(f64::MIN_POSITIVE)], values)
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

/// An end of a scale that is so small beside the other is taken for zero.
const NEGLIGIBLE: f64 = 0.05;

/// What the colours of a picture show, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coloring {
    /// What those of bodies show.
    pub by: ColorBy,
    /// Whether contacts are drawn as tubes, whose thickness and colour show the normal force; the scale is theirs then.
    pub chains: bool,
    /// The numbers at the ends of the scale; those of the bodies or contacts if not given.
    pub range: Option<[f64; 2]>,
}

impl Coloring {
    /// The numbers that the scale is of.
    pub(super) fn values(&self, shot: &Shot<'_>) -> Vec<f64> {
        match self.chains {
            true => chains::forces(shot).collect(),
            false => self.by.values(shot),
        }
    }

    /// Whether contacts must be known.
    pub fn needs_contacts(&self) -> bool {
        let of_contacts = |quantity: &Quantity| quantity.needs_contacts();
        self.chains || matches!(&self.by, ColorBy::Quantity(quantity) if of_contacts(quantity))
    }

    /// The scale for some numbers.
    pub(super) fn scale(&self, values: &[f64]) -> Scale {
        match self.range {
            Some(range) => Scale::within(range, values),
            None if self.chains => Scale::of_forces(values),
            None => Scale::of(values),
        }
    }
}

impl From<ColorBy> for Coloring {
    fn from(by: ColorBy) -> Self {
        Self {
            by,
            ..Self::default()
        }
    }
}
