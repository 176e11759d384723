//! From where one looks, and what is cut away.

use super::camera::Camera;
use glam::{DQuat, DVec3};

/// A direction to look in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Side {
    /// From the front, along y
    Front,
    /// From behind, against y
    Back,
    /// From the right, against x
    Side,
    /// From the left, along x
    Left,
    /// From above, against z
    Top,
    /// From below, along z
    Bottom,
}

impl Side {
    /// The direction, and what is up in the picture.
    fn directions(self) -> (DVec3, DVec3) {
        match self {
            Self::Front => (DVec3::Y, DVec3::Z),
            Self::Back => (DVec3::NEG_Y, DVec3::Z),
            Self::Side => (DVec3::NEG_X, DVec3::Z),
            Self::Left => (DVec3::X, DVec3::Z),
            Self::Top => (DVec3::NEG_Z, DVec3::Y),
            Self::Bottom => (DVec3::Z, DVec3::Y),
        }
    }
}

/// From where a scene in space is looked at; in a plane one always looks along z.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Look {
    /// From the front, somewhat from the right and above, as far away as needed to see all.
    #[default]
    Usual,
    /// From a side, as far away as needed.
    From(Side),
    /// From a place (m) towards another one.
    At {
        /// Where the viewer is, m.
        eye: DVec3,
        /// What is in the middle of the picture, m.
        target: DVec3,
    },
}

/// How a scene is looked at from a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lens {
    /// How far the viewer has gone around the vertical, degrees, counted against the clock from above.
    pub turn: f64,
    /// How many times larger all is drawn than what fits the picture.
    pub zoom: f64,
    /// Whether lines that are parallel in space are so in the picture.
    pub parallel: bool,
}

impl Lens {
    /// All fits, in perspective.
    pub const USUAL: Self = Self {
        turn: 0.0,
        zoom: 1.0,
        parallel: false,
    };
}

/// From the front, somewhat from the right and above.
pub const FORWARD: DVec3 = DVec3::new(-0.45, 1.0, -0.42);

impl Look {
    /// A camera for a picture of so many samples; `framed` are the spheres (centre, radius, m) that shall be seen.
    pub(super) fn camera(&self, framed: &[(DVec3, f64)], lens: &Lens, size: [f64; 2]) -> Camera {
        let around = DQuat::from_rotation_z(lens.turn.to_radians());
        let framing = |forward: DVec3, up: DVec3| {
            let (forward, up) = (around * forward, around * up);
            Camera::framing(framed.iter().copied(), forward, up, !lens.parallel, size)
        };
        let camera = match *self {
            Self::Usual => framing(FORWARD, DVec3::Z),
            Self::From(side) => {
                let (forward, up) = side.directions();
                framing(forward, up)
            }
            Self::At { eye, target } => match (target - eye).try_normalize() {
                Some(forward) => {
                    let level = forward.cross(DVec3::Z).length() > 1e-9;
                    let up = if level { DVec3::Z } else { DVec3::Y };
                    framing(forward, up).moved_to(target + around * (eye - target))
                }
                None => framing(FORWARD, DVec3::Z),
            },
        };
        camera.zoomed(lens.zoom)
    }
}
