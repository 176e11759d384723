//! Values with more than one way to write them.

use granule::bodies::TimeFunction;
use granule::math;
pub use granule::math::{Histogram, LogNormal};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A vector: as many numbers as the scene has dimensions, or three.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vector(pub Vec<f64>);

/// A number that is the same for all grains, or drawn for each.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// The same for all: `0.01`.
    Constant(f64),
    /// Drawn for each.
    Drawn(Distribution),
}

impl From<&Quantity> for math::Distribution {
    fn from(given: &Quantity) -> Self {
        match given {
            Quantity::Constant(value) => Self::Constant(*value),
            Quantity::Drawn(Distribution::Uniform(ends)) => Self::Uniform(*ends),
            Quantity::Drawn(Distribution::LogNormal(shape)) => Self::LogNormal(*shape),
            Quantity::Drawn(Distribution::Histogram(shape)) => Self::Histogram(shape.clone()),
        }
    }
}

/// A number that is the same always, or a function of time.
#[derive(Debug, Clone, PartialEq)]
pub enum InTime {
    /// The same always: `3.0`.
    Constant(f64),
    /// For instance `{ linear = { times = [0, 1], values = [0, 5] } }`.
    Function(TimeFunction),
}

impl From<&InTime> for TimeFunction {
    fn from(given: &InTime) -> Self {
        match given {
            InTime::Constant(value) => Self::Constant(*value),
            InTime::Function(function) => function.clone(),
        }
    }
}

/// How a number is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// `{ uniform = [min, max] }`.
    Uniform([f64; 2]),
    /// `{ log-normal = { median, sigma, min, max } }`.
    LogNormal(LogNormal),
    /// `{ histogram = { edges = […], weights = […] } }`.
    Histogram(Histogram),
}

/// A distance that is the same in all directions, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub enum Spacing {
    /// The same in all directions: `0.1`.
    Same(f64),
    /// One for each direction: `[0.1, 0.2]`.
    Each(Vec<f64>),
}

/// How grains are turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OrientationSpec {
    /// `"random"`: all ways equally likely.
    Random,
    /// `"aligned"`: as the shape is given.
    Aligned,
    /// A quaternion `[x, y, z, w]`.
    Given([f64; 4]),
}

/// Reads and writes a type that is a number or a table.
macro_rules! number_or_table {
    ($name:ident, $number:ident, $table:ident($inner:ty), $expecting:literal, $about:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    Self::$number(value) => serializer.serialize_f64(*value),
                    Self::$table(inner) => inner.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Either;
                impl<'de> Visitor<'de> for Either {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    fn visit_f64<E>(self, value: f64) -> Result<$name, E> {
                        Ok($name::$number(value))
                    }
                    fn visit_i64<E>(self, value: i64) -> Result<$name, E> {
                        Ok($name::$number(value as f64))
                    }
                    fn visit_u64<E>(self, value: u64) -> Result<$name, E> {
                        Ok($name::$number(value as f64))
                    }
                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        <$inner>::deserialize(MapAccessDeserializer::new(map)).map($name::$table)
                    }
                }
                deserializer.deserialize_any(Either)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let table = generator.subschema_for::<$inner>();
                json_schema!({
                    "description": $about,
                    "anyOf": [{ "type": "number" }, table],
                })
            }
        }
    };
}

number_or_table!(
    Quantity,
    Constant,
    Drawn(Distribution),
    "a number or a distribution such as `{ uniform = [1.0, 2.0] }`",
    "A number that is the same for all grains, or drawn for each: `{ uniform = [min, max] }`, `{ log-normal = { median, sigma, min, max } }` or `{ histogram = { edges, weights } }`."
);

number_or_table!(
    InTime,
    Constant,
    Function(TimeFunction),
    "a number or a function of time such as `{ linear = { times = [0, 1], values = [0, 5] } }`",
    "A number that is the same always, or a function of time: `{ linear = { times, values } }`, `{ piecewise = { times, values } }` or `{ sine = { amplitude, frequency, phase } }`."
);

impl Serialize for Spacing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Same(value) => serializer.serialize_f64(*value),
            Self::Each(values) => values.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Spacing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpacingVisitor;
        impl<'de> Visitor<'de> for SpacingVisitor {
            type Value = Spacing;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or an array with one for each direction")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Spacing, E> {
                Ok(Spacing::Same(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Spacing, E> {
                Ok(Spacing::Same(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Spacing, E> {
                Ok(Spacing::Same(value as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Spacing, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Spacing::Each)
            }
        }
        deserializer.deserialize_any(SpacingVisitor)
    }
}

impl JsonSchema for Spacing {
    fn schema_name() -> Cow<'static, str> {
        "Spacing".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A distance that is the same in all directions, or one for each.",
            "anyOf": [
                { "type": "number" },
                { "type": "array", "items": { "type": "number" } },
            ],
        })
    }
}

impl Serialize for OrientationSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Random => serializer.serialize_str("random"),
            Self::Aligned => serializer.serialize_str("aligned"),
            Self::Given(quaternion) => quaternion.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for OrientationSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrientationVisitor;
        impl<'de> Visitor<'de> for OrientationVisitor {
            type Value = OrientationSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`\"random\"`, `\"aligned\"` or a quaternion `[x, y, z, w]`")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<OrientationSpec, E> {
                match word {
                    "random" => Ok(OrientationSpec::Random),
                    "aligned" => Ok(OrientationSpec::Aligned),
                    _ => Err(E::unknown_variant(word, &["random", "aligned"])),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OrientationSpec, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(seq))
                    .map(OrientationSpec::Given)
            }
        }
        deserializer.deserialize_any(OrientationVisitor)
    }
}

impl JsonSchema for OrientationSpec {
    fn schema_name() -> Cow<'static, str> {
        "OrientationSpec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "How grains are turned.",
            "anyOf": [
                { "type": "string", "enum": ["random", "aligned"] },
                { "type": "array", "items": { "type": "number" }, "minItems": 4, "maxItems": 4 },
            ],
        })
    }
}
