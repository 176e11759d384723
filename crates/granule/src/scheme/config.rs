//! What a user may ask of a scheme.

use serde::{Deserialize, Serialize};

/// A time-stepping scheme by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SchemeName {
    /// Maury's linearised gap.
    #[default]
    Maury,
    /// Moreau and Jean's θ-method with impacts.
    MoreauJean,
    /// SHAKE: the linearised gap with velocities between the points of time.
    Shake,
    /// RATTLE: SHAKE with a second problem, so that the impulses of steps converge.
    Rattle,
}

impl SchemeName {
    /// Every scheme.
    pub const ALL: [Self; 4] = [Self::Maury, Self::MoreauJean, Self::Shake, Self::Rattle];

    /// The name used in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maury => "maury",
            Self::MoreauJean => "moreau-jean",
            Self::Shake => "shake",
            Self::Rattle => "rattle",
        }
    }

    /// One line for people.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Maury => {
                "gap linearised over the step, inelastic: feasible and stable for any step"
            }
            Self::MoreauJean => {
                "θ-method with impacts: Newton's restitution, velocities constrained where bodies touch"
            }
            Self::Shake => {
                "gap linearised over the step, velocities at half steps, inelastic: an impact takes two steps"
            }
            Self::Rattle => {
                "shake and a second problem at the end of the step: impulses of impacts converge"
            }
        }
    }

    /// Whether the scheme knows impacts that give velocity back.
    pub fn rebounds(self) -> bool {
        match self {
            Self::Maury | Self::Shake | Self::Rattle => false,
            Self::MoreauJean => true,
        }
    }

    /// Why a convexified law of friction does not go with the scheme, and what to use instead; `None`
    /// if it does.
    pub fn refuses_convexified(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Maury | Self::Shake | Self::Rattle => None,
            Self::MoreauJean => Some([
                "a convexified contact opens with μ times its slip, and where velocities are constrained \
                 no gap ends that: what slides would hop for ever, whatever the step",
                "law `coulomb`, or scheme `maury`",
            ]),
        }
    }

    /// Why a dilatancy other than that of the law does not go with the scheme, and what to use instead; `None` if it
    /// does, or no convexified law does.
    pub fn refuses_dilatancy(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Maury | Self::Shake | Self::MoreauJean => None,
            Self::Rattle => Some([
                "its second problem takes back what sliding opens, so that nothing is left of it",
                "scheme `maury` or `shake`, or leave `dilatancy` out",
            ]),
        }
    }

    /// The ways of undoing penetrations that the scheme has.
    pub fn recoveries(self) -> [Recovery; 2] {
        match self {
            Self::Maury | Self::Shake | Self::Rattle => [Recovery::Position, Recovery::Velocity],
            Self::MoreauJean => [Recovery::Position, Recovery::None],
        }
    }
}

/// How a penetration that is there at the start of a step is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// By moving the bodies apart without giving them velocity: what the last certificate
    /// allowed is undone by the velocity, anything deeper (curved walls, overlapping starts) by a
    /// displacement of its own, so that no energy goes into the motion.
    #[default]
    Position,
    /// By the velocity alone, as the papers print it: a penetration d gives the velocity d/h. Not
    /// with `moreau-jean`.
    Velocity,
    /// Not at all: bodies sink into each other by what the steps leave. Only with `moreau-jean`.
    None,
}

impl Recovery {
    /// The name used in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::None => "none",
        }
    }
}

/// A scheme with its knobs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SchemeConfig {
    /// Which scheme.
    pub name: SchemeName,
    /// How penetrations are undone.
    pub recovery: Recovery,
    /// θ of `moreau-jean`, ½ to 1: the weight of the end of the step.
    pub theta: f64,
}

impl Default for SchemeConfig {
    fn default() -> Self {
        Self {
            name: SchemeName::default(),
            recovery: Recovery::default(),
            theta: 0.5,
        }
    }
}

impl SchemeConfig {
    /// The scheme of this name, with the defaults of its knobs.
    pub fn named(name: SchemeName) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// What is wrong with the knobs, if anything: the name of the setting and the reason.
    pub fn validate(&self) -> Result<(), (&'static str, String)> {
        let allowed = self.name.recoveries();
        if !allowed.contains(&self.recovery) {
            let [one, other] = allowed.map(Recovery::name);
            let reason = format!(
                "is \"{}\", but `{}` knows \"{one}\" and \"{other}\"",
                self.recovery.name(),
                self.name.name()
            );
            return Err(("recovery", reason));
        }
        if !(0.5..=1.0).contains(&self.theta) {
            return Err((
                "theta",
                format!("must be between 0.5 and 1, not {}", self.theta),
            ));
        }
        Ok(())
    }
}
