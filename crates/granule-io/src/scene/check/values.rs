//! Rules that many keys share.

use super::Check;
use crate::scene::convert;
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::grammar::{Distribution, MotionSpec, Quantity, Sections, Vector};
use crate::scene::key_path::KeyPath;

/// What the rules depend on.
pub(crate) struct Rules {
    /// 1, 2 or 3.
    pub dimension: usize,
    /// The names of all materials.
    pub materials: Vec<String>,
    /// Whether there is a periodic cell.
    pub periodic: bool,
}

impl Rules {
    pub(crate) fn new(sections: &Sections) -> Self {
        Self {
            dimension: usize::from(sections.scene.dimension),
            materials: sections.materials.keys().cloned().collect(),
            periodic: sections.cell.is_some(),
        }
    }

    /// As many numbers as dimensions, or three with zeros where nothing moves.
    pub(crate) fn vector(&self, vector: &Vector, path: &KeyPath) -> Check {
        let length = vector.0.len();
        let name = path.name();
        if length != self.dimension && length != 3 {
            let (n, dimension) = (length, self.dimension);
            let plural = if n == 1 { "" } else { "s" };
            return Err(Problem::new(
                path.clone(),
                format!("`{name}` must have {dimension} components in {dimension}D"),
                format!("{n} number{plural}"),
            )
            .help(match dimension {
                1 => format!("write one number in brackets, as in `{name} = [0.5]`"),
                2 => format!("write x and y, as in `{name} = [0.5, 0.0]`"),
                _ if n > 3 => format!("write x, y and z, as in `{name} = [0.5, 0.0, 0.0]`"),
                _ => format!(
                    "write x, y and z, as in `{name} = [0.5, 0.0, 0.0]`, or set `dimension = {}`",
                    n.max(1)
                ),
            }));
        }
        if vector.0.iter().skip(self.dimension).any(|&x| x != 0.0) {
            return Err(Problem::new(
                path.clone(),
                format!(
                    "`{name}` leaves the {}",
                    ["", "line", "plane"][self.dimension % 3]
                ),
                "the components beyond it must be zero",
            )
            .help(format!(
                "give {} components, or set `dimension = 3`",
                self.dimension
            )));
        }
        Ok(())
    }

    /// A vector that is not zero.
    pub(crate) fn direction(&self, vector: &Vector, path: &KeyPath) -> Check {
        self.vector(vector, path)?;
        nonzero(&vector.0, path)
    }

    /// Three numbers whatever the dimension, not all zero.
    pub(crate) fn axis(&self, vector: &Vector, path: &KeyPath) -> Check {
        if self.dimension == 2 && vector.0.len() == 2 {
            return nonzero(&vector.0, path);
        }
        if vector.0.len() != 3 {
            return Err(Problem::new(
                path.clone(),
                format!("`{}` must have 3 components", path.name()),
                format!("{} given", vector.0.len()),
            )
            .help(format!(
                "write x, y and z, as in `{} = [0, 0, 1]`",
                path.name()
            )));
        }
        nonzero(&vector.0, path)
    }

    /// An angular velocity: about z only in a plane, none on a line.
    pub(crate) fn spin(&self, vector: Option<&Vector>, path: &KeyPath) -> Check {
        let Some(vector) = vector else { return Ok(()) };
        let length = vector.0.len();
        let wrong = |reason: &str, help: &str| {
            let label = format!("{length} number{}", if length == 1 { "" } else { "s" });
            Err(Problem::new(path.clone(), reason, label).help(help))
        };
        match self.dimension {
            1 => wrong("bodies on a line do not turn", "remove `angular_velocity`"),
            2 if length == 1 => Ok(()),
            2 if length == 3 && vector.0[0] == 0.0 && vector.0[1] == 0.0 => Ok(()),
            2 => wrong(
                "disks turn about z only",
                "give one number, as in `angular_velocity = [2.0]` (rad/s)",
            ),
            _ if length == 3 => Ok(()),
            _ => wrong(
                "`angular_velocity` must have 3 components in 3D",
                "write the components about x, y and z, in rad/s",
            ),
        }
    }

    /// The `size` of what `path` leads to: positive lengths, as many as dimensions.
    pub(crate) fn size(&self, size: &Vector, path: &KeyPath) -> Check {
        let size_path = path.join("size");
        let (given, dimension) = (size.0.len(), self.dimension);
        if given != dimension {
            return Err(Problem::new(
                size_path,
                format!("`size` must have {dimension} components in {dimension}D"),
                format!("{given} given"),
            )
            .help(format!(
                "give the full length of the {} along each direction, in m",
                path.name()
            )));
        }
        let mut lengths = size.0.iter().enumerate();
        lengths.try_for_each(|(k, &length)| positive(length, &size_path.join(k)))
    }

    /// An orientation that stays in the line or plane of the scene.
    pub(crate) fn turned(&self, orientation: Option<[f64; 4]>, path: &KeyPath) -> Check {
        let (path, dimension) = (path.join("orientation"), self.dimension);
        quaternion(orientation, &path)?;
        if let Some([x, y, ..]) = orientation
            && (dimension == 1 || (dimension == 2 && (x != 0.0 || y != 0.0)))
        {
            return Err(Problem::new(
                path,
                "`orientation` turns out of the line or plane of the scene",
                "not a turn about z",
            )
            .help("use `[0, 0, sin(a/2), cos(a/2)]` to turn by the angle a in 2D; nothing in 1D"));
        }
        Ok(())
    }

    /// A material that exists.
    pub(crate) fn material(&self, name: Option<&str>, path: &KeyPath) -> Check {
        let known: Vec<&str> = self.materials.iter().map(String::as_str).collect();
        match name {
            None => Err(Problem::new(
                path.clone(),
                "there are several materials, and none is chosen here",
                "`material` is not given",
            )
            .help(format!(
                "add `material = \"{}\"`, or name one of the materials `default`",
                known.first().copied().unwrap_or("default")
            ))),
            Some(name) if known.contains(&name) => Ok(()),
            Some(name) => Err(Problem::new(
                path.clone(),
                format!("there is no material `{name}`"),
                "not among `[materials]`",
            )
            .help(format!(
                "{}; or add a section `[materials.{name}]`",
                suggestion(name, &known, "material")
            ))),
        }
    }

    /// A motion within the dimension whose numbers make sense.
    pub(crate) fn motion(&self, motion: &MotionSpec, path: &KeyPath) -> Check {
        match motion {
            MotionSpec::Fixed => {}
            MotionSpec::Velocity { linear } => {
                self.vector(linear, &path.join("velocity").join("linear"))?;
            }
            MotionSpec::Rotation { axis, center, .. } => {
                let path = path.join("rotation");
                if self.dimension == 1 {
                    return Err(
                        Problem::new(path, "nothing turns on a line", "a rotation in 1D")
                            .help("use `velocity`, `oscillation` or `piecewise`"),
                    );
                }
                if let Some(axis) = axis {
                    let path = path.join("axis");
                    self.axis(axis, &path)?;
                    if self.dimension == 2 && !convert::is_along_z(axis) {
                        return Err(Problem::new(path, "in 2D all turns are about z", "not z")
                            .help("remove `axis`; the sign of `rate` gives the sense"));
                    }
                }
                if let Some(center) = center {
                    self.vector(center, &path.join("center"))?;
                }
            }
            MotionSpec::Oscillation { amplitude, .. } => {
                self.vector(amplitude, &path.join("oscillation").join("amplitude"))?;
            }
            MotionSpec::Piecewise { velocities, .. } => {
                let path = path.join("piecewise").join("velocities");
                for (k, velocity) in velocities.iter().enumerate() {
                    self.vector(velocity, &path.join(k))?;
                }
            }
        }
        convert::motion(motion).validate().map_err(|reason| {
            Problem::new(path.clone(), "this motion cannot be followed", reason)
                .help(motion_help(motion))
        })
    }
}

fn motion_help(motion: &MotionSpec) -> &'static str {
    match motion {
        MotionSpec::Piecewise { .. } => {
            "give a velocity for each time: `velocities[k]` holds from `times[k]` to the next time"
        }
        MotionSpec::Rotation { .. } => "give an `axis` that is not zero and a `rate` in rad/s",
        _ => "give finite numbers, in m, s and rad",
    }
}

fn nonzero(vector: &[f64], path: &KeyPath) -> Check {
    // Below this the length of the vector would underflow.
    if vector.iter().all(|x| x.abs() < 1e-30) {
        let name = path.name();
        return Err(Problem::new(
            path.clone(),
            format!("`{name}` must not be zero"),
            "no direction",
        )
        .help(format!(
            "give a vector that points somewhere; its length does not matter: {}",
            crate::scene::error::hint(path)
        )));
    }
    Ok(())
}

/// Positive, and not so small that its powers vanish.
pub(crate) fn positive(value: f64, path: &KeyPath) -> Check {
    let name = path.name();
    if value <= 0.0 {
        let reason = format!("`{name}` must be positive");
        return Err(Problem::new(
            path.clone(),
            reason,
            format!("{value} is not"),
        ));
    }
    if value < 1e-30 {
        let reason = format!("`{name}` is too small to compute with");
        return Err(Problem::new(path.clone(), reason, "below 1e-30"));
    }
    Ok(())
}

/// [`positive`], if given.
pub(crate) fn positive_if_given(value: Option<f64>, path: &KeyPath) -> Check {
    value.map_or(Ok(()), |value| positive(value, path))
}

/// Zero or positive.
pub(crate) fn not_negative(value: f64, path: &KeyPath) -> Check {
    if value == 0.0 {
        Ok(())
    } else {
        positive(value, path)
    }
}

/// A quaternion that can be brought to unit length.
pub(crate) fn quaternion(value: Option<[f64; 4]>, path: &KeyPath) -> Check {
    value.map_or(Ok(()), |value| nonzero(&value, path))
}

/// A number or distribution whose values are all positive (or zero too, if `zero` says so).
pub(crate) fn quantity(quantity: &Quantity, zero: bool, path: &KeyPath) -> Check {
    let sign = |value, path: &KeyPath| {
        if zero {
            not_negative(value, path)
        } else {
            positive(value, path)
        }
    };
    match quantity {
        Quantity::Constant(value) => sign(*value, path),
        Quantity::Drawn(Distribution::Uniform([min, max])) => {
            let path = path.join("uniform");
            sign(*min, &path.join(0))?;
            if min > max {
                return Err(Problem::new(
                    path,
                    "the smallest value is larger than the largest",
                    format!("{min} > {max}"),
                )
                .help(format!("swap them: `uniform = [{max}, {min}]`")));
            }
            Ok(())
        }
        Quantity::Drawn(Distribution::LogNormal(shape)) => {
            let path = path.join("log-normal");
            positive(shape.min, &path.join("min"))?;
            not_negative(shape.sigma, &path.join("sigma"))?;
            if shape.sigma > 100.0 {
                return Err(Problem::new(
                    path.join("sigma"),
                    "`sigma` is too wide",
                    "above 100",
                ));
            }
            if shape.min <= shape.median && shape.median <= shape.max {
                return Ok(());
            }
            Err(Problem::new(
                path,
                "`median` must lie between `min` and `max`",
                format!("{} is not in [{}, {}]", shape.median, shape.min, shape.max),
            )
            .help("give min <= median <= max"))
        }
        Quantity::Drawn(Distribution::Histogram(shape)) => {
            let path = path.join("histogram");
            let (edges, weights) = (&shape.edges, &shape.weights);
            if edges.len() < 2 || weights.len() + 1 != edges.len() {
                return Err(Problem::new(
                    path,
                    "`weights` must have one entry fewer than `edges`",
                    format!("{} weights for {} edges", weights.len(), edges.len()),
                )
                .help("each weight belongs to the interval between two neighbouring edges"));
            }
            sign(edges[0], &path.join("edges").join(0))?;
            if !edges.windows(2).all(|pair| pair[0] < pair[1]) {
                return Err(Problem::new(
                    path.join("edges"),
                    "`edges` must increase",
                    "out of order",
                )
                .help("sort the edges, and the weights with them"));
            }
            let sum: f64 = weights.iter().sum();
            if weights.iter().any(|&weight| weight < 0.0) || sum <= 0.0 {
                return Err(Problem::new(
                    path.join("weights"),
                    "`weights` must not be negative, nor all zero",
                    "not a share of the grains",
                )
                .help("give the number of grains in each interval; any scale will do"));
            }
            Ok(())
        }
    }
}

/// Exactly one of several keys.
pub(crate) fn exactly_one(given: &[(&str, bool)], what: &str, path: &KeyPath) -> Check {
    let list = given
        .iter()
        .map(|(name, _)| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let chosen: Vec<&str> = given
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| *name)
        .collect();
    match chosen[..] {
        [_] => Ok(()),
        [] => Err(
            Problem::new(path.clone(), format!("{what} is missing"), "none is given")
                .help(format!("give one of {list}")),
        ),
        [first, second, ..] => Err(Problem::new(
            path.join(second),
            format!("{what} is given more than once"),
            format!("a second one, besides `{first}`"),
        )
        .help(format!(
            "keep one of {list}; write another entry for the other"
        ))),
    }
}

/// A name that can be part of a column's.
pub(super) fn usable_name(name: &str, what: &str, path: &KeyPath) -> Check {
    let usual = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(usual) {
        return Ok(());
    }
    Err(Problem::new(
        path.clone(),
        format!("`name` of a {what} cannot name columns of `series.csv`"),
        "other characters than letters, digits, `-` and `_`",
    )
    .help("use letters, digits, `-` and `_`, as in `name = \"blade\"`"))
}
