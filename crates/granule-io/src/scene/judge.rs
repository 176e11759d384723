//! What of a scene is allowed but hardly meant: numbers in other units, steps too long for what happens in them.
//!
//! Each finding is a [`Warning`] with the key it is about, the reason with its figures, and a cure.

mod walls;

use super::key_path::{KeyPath, Segment, key_path, span_of};
use super::{Scene, Setup};
use granule::bodies::Dimension;
use granule::simulation::StepSize;
use std::fmt;
use toml::Value;

/// Coefficients of friction above this are not known of any pair of materials.
const MOST_FRICTION: f64 = 2.0;
/// Densities of solids in kg/m³, from light foams to the heaviest metals.
const DENSITIES: [f64; 2] = [100.0, 25_000.0];
/// What a wall may move in a step, in smallest radii.
const MOST_WAY: f64 = 0.5;
/// What may pass of a turn or of a period in a step.
const MOST_TURN: f64 = 0.1;
/// What a grain at rest may fall in a step, in smallest radii.
const MOST_FALL: f64 = 0.5;
/// What a periodic cell may be sheared in a step.
const MOST_STRAIN: f64 = 0.1;
/// More steps than these take weeks, whatever the scene.
const MOST_STEPS: f64 = 1e9;
/// What the solution of a step can be computed to in double precision, relative.
const LEAST_TOLERANCE: f64 = 1e-14;

/// Something that is allowed but hardly meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The keys that lead to the value, as in `walls[0].motion`.
    pub key: String,
    /// The line of the scene file, counted from 1, if the value stands there.
    pub line: Option<usize>,
    /// What is odd about it, with figures.
    pub reason: String,
    /// What to do.
    pub cure: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.key)?;
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        write!(f, ": {}; {}", self.reason, self.cure)
    }
}

impl Scene {
    /// What of the scene is hardly meant; `setup` is what was built from it.
    ///
    /// ```
    /// let text = "[scene]\nname = 'a'\n[time]\nstep = 1e-3\nend = 1\n\
    ///             [contacts]\nlaw = 'coulomb'\nfriction = 35\n\
    ///             [[bodies]]\nsphere = { radius = 0.1 }\nposition = [0, 0, 0]\n";
    /// let scene = granule_io::scene::parse(text, std::path::Path::new("a.toml"))?;
    /// let warnings = scene.judge(&scene.build()?);
    /// assert_eq!(warnings[0].key, "contacts.friction");
    /// assert_eq!(warnings[0].line, Some(8));
    /// # Ok::<(), granule_io::scene::SceneError>(())
    /// ```
    pub fn judge(&self, setup: &Setup) -> Vec<Warning> {
        let Ok(document) = Value::try_from(&self.sections) else {
            return Vec::new();
        };
        let mut judge = Judge {
            scene: self,
            step: match setup.settings.step {
                StepSize::Fixed(step) => step,
                StepSize::Cfl { longest, .. } => longest,
            },
            radius: setup.smallest_radius(),
            space: setup.world.dimension == Dimension::Space,
            warnings: Vec::new(),
        };
        if !self.names_a_law {
            judge.friction(setup);
        }
        judge.time(setup);
        judge.gravity(setup);
        judge.cell(setup);
        judge.values(&document, &key_path![]);
        judge.rims(setup);
        judge.sizes(setup);
        judge.holes(setup);
        judge.slots(setup);
        judge.warnings
    }
}

/// What values are judged by, and what was found.
struct Judge<'a> {
    scene: &'a Scene,
    /// The step, or the longest one, s.
    step: f64,
    /// The smallest of all bodies, m; infinite if none has a size.
    radius: f64,
    space: bool,
    warnings: Vec<Warning>,
}

impl Judge<'_> {
    fn warn(&mut self, path: &KeyPath, reason: String, cure: impl Into<String>) {
        let set = self.scene.changes.iter().any(|change| change.sets(path));
        let text = self.scene.text.as_deref().filter(|_| !set);
        let line = text.and_then(|text| {
            let span = span_of(text, path)?;
            Some(text.get(..span.start)?.matches('\n').count() + 1)
        });
        self.warnings.push(Warning {
            key: path.to_string(),
            line,
            reason,
            cure: cure.into(),
        });
    }

    /// Grains without friction are rare, and a scene that names no law has them.
    fn friction(&mut self, setup: &Setup) {
        let world = &setup.world;
        let several = world.bodies.len() > 1 || !world.inlets.is_empty();
        let smooth = (world.laws.interfaces()).all(|interface| interface.law.flow().is_none());
        if several && smooth && world.dimension != Dimension::Line {
            self.warn(
                &key_path!["contacts"],
                "nothing is said of a law, so that all contacts are frictionless".to_owned(),
                "write `law = \"coulomb\"` and `friction = 0.5`, or `law = \"frictionless\"` if that is meant",
            );
        }
    }

    fn time(&mut self, setup: &Setup) {
        let steps = (setup.settings.end - setup.world.time) / self.step;
        if steps > MOST_STEPS {
            self.warn(
                &key_path!["time"],
                format!("{steps:.1e} steps of {} s are to be made", self.step),
                "are `step` and `end` in seconds? A longer step is stable, too",
            );
        }
    }

    fn gravity(&mut self, setup: &Setup) {
        let (gravity, step) = (setup.world.gravity, self.step);
        let up = if self.space { gravity.z } else { gravity.y };
        let path = key_path!["scene", "gravity"];
        if up > 0.0 {
            self.warn(
                &path,
                format!("gravity points up ({up} m/s²)"),
                "what falls has a negative last number, as in `[0, 0, -9.81]`",
            );
        }
        let fall = gravity.length() * step * step;
        // Steps that follow the velocities are short enough by themselves.
        let fixed = matches!(setup.settings.step, StepSize::Fixed(_));
        if fixed && fall > MOST_FALL * self.radius {
            let radii = fall / self.radius;
            self.warn(
                &key_path!["time"],
                format!("a grain at rest falls g h² = {fall:.2e} m in a step, {radii:.2} of the smallest radius"),
                format!(
                    "take a `step` of at most {:.1e} s for that to be a tenth",
                    (0.1 * self.radius / gravity.length()).sqrt()
                ),
            );
        }
    }

    /// A cell that is sheared far in a step drags grains through each other's places.
    fn cell(&mut self, setup: &Setup) {
        let Some(cell) = &setup.world.cell else {
            return;
        };
        let rate = cell
            .prescribed_rate(setup.world.time, self.step)
            .shear
            .abs();
        let strain = rate * self.step;
        if strain > MOST_STRAIN {
            self.warn(
                &key_path!["cell", "shear", "rate"],
                format!(
                    "the cell is sheared by {strain:.2} in a step of {} s",
                    self.step
                ),
                format!(
                    "take a `step` of at most {:.1e} s for that to be 0.05",
                    0.05 / rate
                ),
            );
        }
    }

    /// Judges all values below a path by their names.
    fn values(&mut self, value: &Value, path: &KeyPath) {
        let name = match path.0.last() {
            Some(Segment::Key(key)) => key.as_str(),
            _ => "",
        };
        match (value, number(value)) {
            (_, Some(number)) => self.number(name, number, path),
            (Value::Table(motion), _) if name == "motion" => {
                for (kind, motion) in motion {
                    self.motion(kind, motion, path);
                }
            }
            (Value::Table(table), _) => {
                for (key, value) in table {
                    self.values(value, &path.join(key.as_str()));
                }
            }
            (Value::Array(values), _) => {
                for (k, value) in values.iter().enumerate() {
                    self.values(value, &path.join(k));
                }
            }
            _ => {}
        }
    }

    fn number(&mut self, name: &str, number: f64, path: &KeyPath) {
        // Joints have a friction in N m, and media of `[[forces]]` a density: air is no grain.
        let of =
            |section: &str| matches!(path.0.first(), Some(Segment::Key(key)) if key == section);
        let (of_contact, of_grain) = (of("contacts"), of("materials") && self.space);
        match name {
            "friction" if of_contact && number > MOST_FRICTION => self.warn(
                path,
                format!("a coefficient of friction of {number} is not known of any materials"),
                format!(
                    "if these are degrees, write {:.3}",
                    number.to_radians().tan()
                ),
            ),
            "density" if of_grain && number < DENSITIES[0] => self.warn(
                path,
                format!("{number} kg/m³ is lighter than any grain"),
                format!("if this is g/cm³, write {}", 1000.0 * number),
            ),
            "density" if of_grain && number > DENSITIES[1] => self.warn(
                path,
                format!("{number} kg/m³ is heavier than any metal"),
                "densities are in kg/m³: 2500 for sand, 7800 for steel",
            ),
            "rolling_friction" if number > self.radius => self.warn(
                path,
                format!(
                    "{number} m is more than the smallest radius, {} m",
                    self.radius
                ),
                format!(
                    "this is a length: for a coefficient of {number} write {:.2e}",
                    number * self.radius
                ),
            ),
            "tolerance" if number < LEAST_TOLERANCE => self.warn(
                path,
                format!("no solver can reach {number:e} in double precision"),
                "1e-8 is exact for all purposes",
            ),
            _ => {}
        }
    }

    /// Judges how far something of given motion gets in a step.
    fn motion(&mut self, kind: &str, motion: &Value, path: &KeyPath) {
        let get = |key: &str| motion.get(key).and_then(number).unwrap_or(0.0);
        let speed = match kind {
            "velocity" => motion.get("linear").map_or(0.0, length),
            "piecewise" => {
                let all = motion.get("velocities").and_then(Value::as_array);
                all.into_iter().flatten().map(length).fold(0.0, f64::max)
            }
            "oscillation" => {
                let periods = get("frequency").abs() * self.step;
                if periods > MOST_TURN {
                    self.warn(
                        path,
                        format!("{periods:.2} periods pass in a step of {} s", self.step),
                        format!(
                            "take a `step` of at most {:.1e} s",
                            self.step * 0.05 / periods
                        ),
                    );
                    return;
                }
                let amplitude = motion.get("amplitude").map_or(0.0, length);
                std::f64::consts::TAU * get("frequency").abs() * amplitude
            }
            "rotation" => {
                let turns = get("rate").abs() * self.step / std::f64::consts::TAU;
                if turns > MOST_TURN {
                    self.warn(
                        path,
                        format!(
                            "this turns by {:.0}° in a step of {} s",
                            360.0 * turns,
                            self.step
                        ),
                        format!(
                            "`rate` is in rad/s; take a `step` of at most {:.1e} s",
                            self.step * 0.02 / turns
                        ),
                    );
                }
                0.0
            }
            _ => 0.0,
        };
        let way = speed * self.step;
        if way > MOST_WAY * self.radius {
            self.warn(
                path,
                format!(
                    "this moves by {way:.2e} m in a step, {:.2} of the smallest radius",
                    way / self.radius
                ),
                format!(
                    "take a `step` of at most {:.1e} s",
                    0.25 * self.radius / speed
                ),
            );
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| Some(value.as_integer()? as f64))
}

/// The length of a vector.
fn length(vector: &Value) -> f64 {
    let numbers = vector.as_array().into_iter().flatten().filter_map(number);
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use std::path::Path;

    /// A ball of 1 cm above a plate that may move.
    const SOUND: &str = "[scene]\nname = 'a'\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 1\n\
        [solver]\ntolerance = 1e-6\n[materials.sand]\ndensity = 2500\n[contacts]\nlaw = 'coulomb'\nfriction = 0.5\n\
        [[bodies]]\nsphere = { radius = 0.01 }\nposition = [0, 0, 1]\nmaterial = 'sand'\n\
        [[walls]]\nhalf-space = { normal = [0, 0, 1] }\nmaterial = 'sand'\nmotion = 'fixed'\n";

    fn warnings(text: &str) -> Vec<String> {
        let scene = parse(text, Path::new("a.toml")).unwrap();
        let warnings = scene.judge(&scene.build().unwrap());
        warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_scene_has_no_warnings() {
        assert_eq!(warnings(SOUND), [""; 0]);
    }

    #[test]
    fn a_scene_that_says_nothing_of_friction_is_told_that_there_is_none() {
        let another =
            "[[bodies]]\nsphere = { radius = 0.01 }\nposition = [0, 0, 2]\nmaterial = 'sand'\n";
        let silent = SOUND.replace("law = 'coulomb'\nfriction = 0.5\n", "");
        let found = warnings(&format!("{silent}{another}"));
        assert!(
            found.len() == 1 && found[0].contains("friction = 0.5"),
            "{found:?}"
        );
        // One ball has nothing to say of, and what is said is meant.
        assert_eq!(warnings(&silent), [""; 0]);
        let said = silent.replace("[contacts]\n", "[contacts]\nlaw = 'frictionless'\n");
        assert_eq!(warnings(&format!("{said}{another}")), [""; 0]);
        let pair = "[contacts]\npairs = [{ between = ['sand', 'sand'], law = 'frictionless' }]\n";
        let said = silent.replace("[contacts]\n", pair);
        assert_eq!(warnings(&format!("{said}{another}")), [""; 0]);
    }

    #[test]
    fn other_densities_and_frictions_are_not_those_of_grains() {
        let others = "[[forces]]\ndrag = { density = 1.2, viscosity = 2e-5 }\n\
            [[joints]]\nkind = 'hinge'\nbetween = ['arm', 'ground']\nposition = [1, 0, 1]\nfriction = 20\n\
            [[bodies]]\nname = 'arm'\nsphere = { radius = 0.01 }\nposition = [1, 0, 1]\nmaterial = 'sand'\n";
        assert_eq!(warnings(&format!("{SOUND}{others}")), [""; 0]);
    }

    #[test]
    fn poured_grains_count_as_grains() {
        let pour = "[[inlets]]\nregion = { box = { min = [0, 0, 2], max = [1, 1, 3] } }\nradius = 1e-5\n\
            number_rate = 1\nmaterial = 'sand'\n";
        let found = warnings(&format!("{SOUND}{pour}"));
        assert!(
            found.len() == 1 && found[0].contains("smallest radius"),
            "{found:?}"
        );
    }

    #[test]
    fn what_is_hardly_meant_is_told_with_figures() {
        let cases = [
            (
                "friction = 0.5",
                "friction = 35",
                ["contacts.friction", "0.700"],
            ),
            (
                "density = 2500",
                "density = 2.5",
                ["materials.sand.density", "2500"],
            ),
            (
                "density = 2500",
                "density = 78000",
                ["materials.sand.density", "heavier"],
            ),
            (
                "friction = 0.5",
                "friction = 0.5\nrolling_friction = 0.1",
                ["rolling_friction", "1.00e-3"],
            ),
            ("1e-6", "1e-20", ["solver.tolerance", "1e-20"]),
            ("-9.81]", "9.81]", ["scene.gravity", "up"]),
            ("step = 1e-3", "step = 1e-10", ["time", "1.0e10 steps"]),
            (
                "step = 1e-3",
                "step = 0.1",
                ["time", "9.81 of the smallest radius"],
            ),
            (
                "'fixed'",
                "{ rotation = { rate = 3000 } }",
                ["walls[0].motion", "172°"],
            ),
            (
                "'fixed'",
                "{ velocity = { linear = [0, 0, 30] } }",
                ["walls[0].motion", "3.00 of"],
            ),
            (
                "'fixed'",
                "{ oscillation = { amplitude = [0, 0, 0.001], frequency = 500 } }",
                ["walls[0].motion", "0.50 periods"],
            ),
            (
                "'fixed'",
                "{ piecewise = { times = [0], velocities = [[0, 40, 0]] } }",
                ["walls[0].motion", "4.00 of"],
            ),
        ];
        for (old, new, words) in cases {
            let found = warnings(&SOUND.replacen(old, new, 1));
            assert_eq!(found.len(), 1, "{new}: {found:?}");
            for word in words {
                assert!(found[0].contains(word), "no `{word}` in {}", found[0]);
            }
            assert!(found[0].contains("line"), "{}", found[0]);
        }
    }
}
