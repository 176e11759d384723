//! `[solver]`: how the contact impulses are found.
//!
//! The keys are the settings of the engine, which are written down once, in its tables
//! ([`SolverConfig::KEYS`], [`Method::own_keys`]): those of all methods and those of each stand side by side
//! in a scene file.

use granule::problem::ProblemKind;
use granule::solver::{Method, MethodSettings, SolverConfig};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt;
use toml::{Table, Value};

const METHOD: &str = "method";
const METHOD_TEXT: &str = "The solver, see `granule list solvers`, which also names the keys below that each \
    reads; the others are refused. Default `\"usual\"`: `\"ags\"` with friction, `\"apgd-ar\"` without.";

/// How the contact impulses are found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solver {
    /// The settings; a key that the method does not read has left no trace in them.
    pub config: SolverConfig,
    /// The keys that the scene gives, whether they have an effect or not; once defaults are filled in, also those
    /// that have one.
    given: Vec<&'static str>,
}

impl Solver {
    /// All keys, those of methods first.
    fn keys() -> Vec<&'static str> {
        let mut keys = vec![METHOD];
        let own = Method::ALL.into_iter().flat_map(Method::own_keys);
        for key in own.chain(SolverConfig::KEYS.iter().copied()) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// The settings that keys give; keys that the method does not read change nothing.
    fn read(values: &Table) -> Result<SolverConfig, toml::de::Error> {
        let method = match values.get(METHOD) {
            Some(name) => Method::deserialize(name.clone())?,
            None => Method::default(),
        };
        let only = |keys: &[&str]| {
            let kept = keys.iter().filter_map(|key| values.get_key_value(*key));
            Value::Table(
                kept.map(|(key, value)| (key.clone(), value.clone()))
                    .collect(),
            )
        };
        Ok(SolverConfig {
            own: MethodSettings::read(method, only)?,
            ..SolverConfig::deserialize(only(SolverConfig::KEYS))?
        })
    }

    /// Whether a value is of the type of its key, whatever the method.
    fn accepts(key: &str, value: &Value) -> Result<(), toml::de::Error> {
        let mut values = Table::new();
        let reader = Method::ALL
            .into_iter()
            .find(|method| method.own_keys().contains(&key));
        if let Some(reader) = reader {
            values.insert(METHOD.to_owned(), reader.name().into());
        }
        values.insert(key.to_owned(), value.clone());
        Self::read(&values).map(drop)
    }

    /// The value of every key that has one.
    fn values(&self) -> Result<Table, toml::ser::Error> {
        let mut values = Table::try_from(self.config)?;
        // An enum is written as a table with one entry, the tables of its variant.
        if let Some(Value::Table(variant)) = values.remove("own") {
            for tables in variant.into_iter().map(|(_, tables)| tables) {
                let tables = match tables {
                    Value::Array(tables) => tables,
                    table => vec![table],
                };
                let tables = tables.into_iter().filter_map(|table| table.try_into().ok());
                values.extend(tables.flat_map(|table: Table| table));
            }
        }
        values.insert(METHOD.to_owned(), self.config.method().name().into());
        Ok(values)
    }

    /// Keys that not every method reads and that the scene gives.
    pub(crate) fn given_keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = Method::all_keys().into_iter();
        keys.filter(|key| self.given.contains(key))
    }

    /// Names the method and writes down the defaults of the keys that it reads, for problems of this
    /// kind.
    pub(crate) fn fill(&mut self, kind: &ProblemKind) {
        self.config.own = self.config.own.named(kind);
        for key in Self::keys() {
            if self.config.idle(key, kind).is_none() && !self.given.contains(&key) {
                self.given.push(key);
            }
        }
    }
}

/// One of the keys.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let found = String::deserialize(deserializer)?;
        let known = Solver::keys();
        known
            .iter()
            .copied()
            .find(|key| *key == found)
            .ok_or_else(|| {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                let known = known.join(", ");
                D::Error::custom(format!("unknown field `{found}`, expected one of {known}"))
            })
    }
}

/// The value of a key. That it is looked at here, and not with all others at the end, gives errors their place.
struct ValueOf(&'static str);

impl<'de> DeserializeSeed<'de> for ValueOf {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match Solver::accepts(self.0, &value) {
            Ok(()) => Ok(value),
            Err(error) => Err(D::Error::custom(error.message())),
        }
    }
}

/// The whole section.
struct Section;

impl<'de> Visitor<'de> for Section {
    type Value = Solver;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("struct Solver")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Solver, A::Error> {
        let (mut values, mut given) = (Table::new(), Vec::new());
        while let Some(key) = map.next_key_seed(Key)? {
            values.insert(key.to_owned(), map.next_value_seed(ValueOf(key))?);
            given.push(key);
        }
        let config = Solver::read(&values).map_err(|error| A::Error::custom(error.message()))?;
        Ok(Solver { config, given })
    }
}

impl<'de> Deserialize<'de> for Solver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Section)
    }
}

impl Serialize for Solver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.values().map_err(S::Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        for key in Self::keys() {
            if let (true, Some(value)) = (self.given.contains(&key), values.get(key)) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

impl JsonSchema for Solver {
    fn schema_name() -> Cow<'static, str> {
        "Solver".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut method = generator.subschema_for::<Method>();
        method.insert("description".to_owned(), METHOD_TEXT.into());
        let mut tables = vec![SolverConfig::json_schema(generator)];
        tables.extend(MethodSettings::schemas(generator));
        let mut properties = serde_json::Map::new();
        properties.insert(METHOD.to_owned(), method.to_value());
        for (key, property) in tables.into_iter().flat_map(entries) {
            match properties.get_mut(&key) {
                Some(known) => add_text(known, &property),
                None => drop(properties.insert(key, property)),
            }
        }
        schemars::json_schema!({
            "type": "object",
            "description": "How the contact impulses are found.",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

/// The keys that the schema of a table describes.
fn entries(mut table: Schema) -> serde_json::Map<String, Json> {
    match table.remove("properties") {
        Some(Json::Object(properties)) => properties,
        _ => serde_json::Map::new(),
    }
}

/// Adds what another table says about the same key, unless it says the same; its default is then one of several.
fn add_text(known: &mut Json, other: &Json) {
    let text = |schema: &Json| Some(schema.get("description")?.as_str()?.to_owned());
    let (Some(has), Some(more)) = (text(known), text(other)) else {
        return;
    };
    if !has.contains(&more) {
        known["description"] = format!("{has} {more}").into();
        if let Some(known) = known.as_object_mut() {
            known.remove("default");
        }
    }
}
