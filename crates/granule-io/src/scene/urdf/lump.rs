//! Links that fixed joints hold together, as one.

use super::read::JointType;
use super::shapes::Folders;
use super::{Fault, Robot, Tree};
use granule::math::{DQuat, DVec3, Pose, principal_axes};
use granule::shapes::{MassProperties, Part, Solid};

/// Links that move as one, in the frame of the first of them.
#[derive(Debug, Clone)]
pub(super) struct Lump {
    /// The place of the first link.
    pub(super) first: usize,
    /// With the mass (kg) in place of the volume.
    mass: MassProperties,
    parts: Vec<Part>,
}

/// All links of a robot, lumped.
#[derive(Debug, Clone)]
pub(super) struct Lumps {
    /// Parents before children.
    pub(super) lumps: Vec<Lump>,
    /// The lump that each link belongs to and the frame of the link there, by the places of links.
    pub(super) of_link: Vec<(usize, Pose)>,
}

/// A lump as a body: its mass (kg), its principal moments of inertia (kg m²), its frame in that of the lump, and its shape.
#[derive(Debug, Clone)]
pub(super) struct Lumped {
    pub(super) mass: f64,
    pub(super) inertia: DVec3,
    pub(super) frame: Pose,
    pub(super) solid: Option<Solid>,
}

impl Lumps {
    /// The lumps of a robot.
    pub(super) fn of(
        robot: &Robot,
        tree: &Tree,
        folders: &Folders<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Self, Fault> {
        let mut lumps: Vec<Lump> = Vec::new();
        let mut of_link = vec![(0, Pose::IDENTITY); robot.links.len()];
        for &place in &tree.order {
            let held = tree.above[place]
                .map(|above| (above.link, &robot.joints[above.joint]))
                .filter(|(_, joint)| joint.kind == JointType::Fixed);
            of_link[place] = match held {
                Some((parent, joint)) => {
                    let (lump, pose) = &of_link[parent];
                    (*lump, pose.then(&joint.origin))
                }
                None => {
                    lumps.push(Lump {
                        first: place,
                        mass: MassProperties::NONE,
                        parts: Vec::new(),
                    });
                    (lumps.len() - 1, Pose::IDENTITY)
                }
            };
            let (number, pose) = &of_link[place];
            let (lump, link) = (&mut lumps[*number], &robot.links[place]);
            if let Some(mass) = &link.mass {
                lump.mass = lump.mass.joined(&mass.moved(pose));
            }
            lump.parts.extend(folders.parts(link, pose, notes)?);
        }
        Ok(Self { lumps, of_link })
    }
}

impl Lump {
    /// What does not move: its mass has no effect. None if it has no shape.
    pub(super) fn fixed(&self, robot: &Robot) -> Result<Option<Lumped>, Fault> {
        if self.parts.is_empty() {
            return Ok(None);
        }
        let (solid, frame) =
            Solid::joined(self.parts.clone()).map_err(|reason| self.fault(robot, &reason))?;
        let mass = if self.mass.volume > 0.0 {
            self.mass.volume
        } else {
            1.0
        };
        Ok(Some(Lumped {
            mass,
            inertia: solid.inertia(mass),
            frame,
            solid: Some(solid),
        }))
    }

    /// What moves: in the frame of the principal axes of the inertia that is given.
    pub(super) fn moving(&self, robot: &Robot) -> Result<Lumped, Fault> {
        let mass = self.mass.volume;
        if mass == 0.0 {
            let link = &robot.links[self.first];
            return Err(Fault::at(
                link.line,
                format!("link `{}` moves and has no mass", link.name),
                "add `<inertial>` with `<mass>` and `<inertia>` to it, or hold it by a `fixed` joint to a link that has a mass",
            ));
        }
        let (moments, axes) = principal_axes(self.mass.inertia);
        let least = moments.min_element();
        if !(least > 1e-12 * moments.max_element() && least.is_normal()) {
            return Err(self.fault(
                robot,
                &format!(
                    "the inertia is not positive definite: its principal moments are {:.3e}, {:.3e} and {:.3e} kg m²",
                    moments.x, moments.y, moments.z
                ),
            ));
        }
        let volume = self
            .parts
            .iter()
            .map(|part| part.shape.mass_properties().volume);
        let volume: f64 = volume.sum();
        if self.parts.is_empty() {
            let frame = Pose::new(self.mass.centroid, axes);
            return Ok(Lumped {
                mass,
                inertia: moments,
                frame,
                solid: None,
            });
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(self.fault(robot, &format!("its shapes have a volume of {volume} m³")));
        }
        let whole = MassProperties {
            volume,
            inertia: self.mass.inertia * (volume / mass),
            ..self.mass
        };
        let (solid, frame) = Solid::with_mass(self.parts.clone(), &whole);
        Ok(Lumped {
            mass,
            inertia: solid.inertia(mass),
            frame: Pose::new(frame.position, DQuat::normalize(frame.orientation)),
            solid: Some(solid),
        })
    }

    fn fault(&self, robot: &Robot, reason: &str) -> Fault {
        let link = &robot.links[self.first];
        Fault::at(
            link.line,
            format!("link `{}`: {reason}", link.name),
            "check mass, inertia and shapes of the link and of those that `fixed` joints hold to it",
        )
    }
}
