//! Bodies and joints of mechanisms in the world.

use super::lump::Lumped;
use super::read::{self, JointType};
use super::shapes::Folders;
use super::xml::turn;
use super::{Fault, Lumps, Robot, Tree};
use crate::scene::check::joints::{drivable, same_name};
use crate::scene::diagnose::suggestion;
use crate::scene::error::Problem;
use crate::scene::generate::{Source, material_index};
use crate::scene::grammar::{Mechanism, Sections};
use crate::scene::key_path::{KeyPath, key_path};
use crate::scene::{convert, machines};
use granule::bodies::{Motion, RigidBody, TimeFunction};
use granule::joints::{Along, Anchor, Drive, Effect, Joint, Kind};
use granule::math::{DQuat, DVec3, Pose};
use granule::simulation::World;
use std::path::Path;

/// What is to be known of the mechanisms of a scene once they are in the world.
#[derive(Debug, Default)]
pub(crate) struct Mechanisms {
    /// The names of their joints, which are the first of the world.
    pub(crate) joint_names: Vec<Option<String>>,
    /// What of the files has no effect.
    pub(crate) notes: Vec<String>,
}

/// Adds the mechanisms of a scene to a world that has no joints yet; names of files are relative to `folder`.
pub(crate) fn add(
    sections: &Sections,
    folder: &Path,
    world: &mut World,
    sources: &mut Vec<Source>,
) -> Result<Mechanisms, Problem> {
    let mut made = Mechanisms::default();
    for (number, mechanism) in sections.mechanisms.iter().enumerate() {
        let path = key_path!["mechanisms", number];
        let file = folder.join(&mechanism.urdf.file);
        let in_file = |fault: Fault| fault.in_file(&file, &path.join("urdf"));
        let text = std::fs::read_to_string(&file).map_err(|error| {
            in_file(Fault::whole(
                format!("cannot read the robot description: {error}"),
                "names are relative to the folder of the scene file; check the spelling",
            ))
        })?;
        let robot = Robot::read(&text).map_err(in_file)?;
        let tree = Tree::of(&robot).map_err(in_file)?;
        let own = file.parent().unwrap_or(Path::new(""));
        let packages = mechanism.urdf.packages.as_ref();
        let packages = packages.map_or(own.to_owned(), |packages| folder.join(packages));
        let folders = Folders {
            own,
            packages: &packages,
        };
        let lumps = Lumps::of(&robot, &tree, &folders, &mut made.notes).map_err(in_file)?;
        let mut maker = Maker {
            sections,
            mechanism,
            path: &path,
            robot: &robot,
            tree: &tree,
            lumps: &lumps,
            placed: Vec::new(),
        };
        maker.known_joints()?;
        maker.bodies(number, world, sources).map_err(in_file)?;
        maker.joints(world, &mut made)?;
        if !mechanism.self_collide {
            maker.keep_apart(world);
        }
        made.joint_names.resize(world.joints.len(), None);
    }
    Ok(made)
}

/// A lump in the world.
struct Placed {
    /// The body; none for the ground.
    id: Option<u32>,
    /// The frame of the lump in the world at the start.
    pose: Pose,
    /// The frame of the body (of the ground that of the world) in that of the lump.
    frame: Pose,
}

/// Makes the bodies and joints of one mechanism.
struct Maker<'a> {
    sections: &'a Sections,
    mechanism: &'a Mechanism,
    path: &'a KeyPath,
    robot: &'a Robot,
    tree: &'a Tree,
    lumps: &'a Lumps,
    placed: Vec<Placed>,
}

impl Maker<'_> {
    /// Every joint that `pose` names is there, and can be moved.
    fn known_joints(&self) -> Result<(), Problem> {
        let joints = self.robot.joints.iter();
        let known = joints.filter(|joint| kind(joint).is_some());
        let known: Vec<&str> = known.map(|joint| joint.name.as_str()).collect();
        let mut names = self.mechanism.pose.keys();
        match names.find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Problem::new(
                self.path.join("pose").join(name.as_str()),
                format!("the file has no joint `{name}` that moves"),
                "not a joint that turns or slides",
            )
            .help(suggestion(name, &known, "joint"))),
        }
    }

    /// Where a joint stands at the start, rad or m.
    fn start(&self, joint: &read::Joint) -> f64 {
        self.mechanism.pose.get(&joint.name).copied().unwrap_or(0.0)
    }

    /// Where the frame of a lump is at the start.
    fn pose(&self, first: usize) -> Pose {
        let Some(above) = self.tree.above[first] else {
            let urdf = &self.mechanism.urdf;
            let position = convert::vector_or_zero(urdf.position.as_ref());
            return Pose::new(position, convert::quaternion(urdf.orientation));
        };
        let joint = &self.robot.joints[above.joint];
        let (lump, link) = &self.lumps.of_link[above.link];
        let at = self.placed[*lump].pose.then(link).then(&joint.origin);
        let start = self.start(joint);
        let moved = match joint.kind {
            JointType::Hinge => Pose::new(DVec3::ZERO, turn(joint.axis, start)),
            JointType::Slider => Pose::new(start * joint.axis, DQuat::IDENTITY),
            JointType::Fixed | JointType::Floating => Pose::IDENTITY,
        };
        at.then(&moved)
    }

    fn bodies(
        &mut self,
        number: usize,
        world: &mut World,
        sources: &mut Vec<Source>,
    ) -> Result<(), Fault> {
        let material = material_index(self.sections, self.mechanism.material.as_deref());
        for lump in &self.lumps.lumps {
            let pose = self.pose(lump.first);
            let fixed = self.mechanism.urdf.fixed && self.tree.above[lump.first].is_none();
            let made = match fixed {
                true => lump.fixed(self.robot)?,
                false => Some(lump.moving(self.robot)?),
            };
            let Some(Lumped {
                mass,
                inertia,
                frame,
                solid,
            }) = made
            else {
                self.placed.push(Placed {
                    id: None,
                    pose,
                    frame: pose.local_pose(&Pose::IDENTITY),
                });
                continue;
            };
            let at = pose.then(&frame);
            let body = RigidBody {
                orientation: at.orientation.normalize(),
                motion: fixed.then_some(Motion::Fixed),
                ..RigidBody::new(at.position, mass, inertia)
            };
            let id = match solid {
                Some(solid) => {
                    let shape = world.add_shape(solid);
                    world.add_solid(&body, shape, material)
                }
                None => world.add_body(&body),
            };
            let link = lump.first;
            sources.push(Source::Link {
                mechanism: number,
                link,
            });
            self.placed.push(Placed {
                id: Some(id),
                pose,
                frame,
            });
        }
        Ok(())
    }

    fn joints(&self, world: &mut World, made: &mut Mechanisms) -> Result<(), Problem> {
        for (number, lump) in self.lumps.lumps.iter().enumerate() {
            let Some(above) = self.tree.above[lump.first] else {
                continue;
            };
            let given = &self.robot.joints[above.joint];
            let Some(kind) = kind(given) else { continue };
            self.within_stops(given)?;
            let name = self.name_of(given);
            same_name(self.sections, &made.joint_names, &name, self.path)?;
            if let Some(leader) = &given.mimic {
                made.notes.push(format!(
                    "joint `{}`: it should follow `{leader}` (`mimic`), but moves by itself",
                    given.name
                ));
            }
            let align = Pose::new(
                DVec3::ZERO,
                Anchor::along(DVec3::ZERO, given.axis).orientation,
            );
            let (parent, link) = &self.lumps.of_link[above.link];
            let ends = [&self.placed[number], &self.placed[*parent]];
            let frames = [align, link.then(&given.origin).then(&align)];
            let anchors = [0, 1].map(|end| {
                let local = ends[end].frame.local_pose(&frames[end]);
                Anchor {
                    position: local.position,
                    orientation: local.orientation.normalize(),
                }
            });
            let mut joint = Joint::new(kind, ends.map(|end| end.id), anchors);
            joint.drives = self.drives(given, kind, &name)?;
            world.joints.push(joint);
            made.joint_names.push(Some(name));
        }
        Ok(())
    }

    /// The name of a joint outside of the file.
    fn name_of(&self, joint: &read::Joint) -> String {
        let usual = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let name = joint.name.chars().map(|c| if usual(c) { c } else { '_' });
        let prefix = self.mechanism.name.iter();
        let prefix: String = prefix.flat_map(|name| [name.as_str(), "_"]).collect();
        prefix + &name.collect::<String>()
    }

    /// A joint stands between its stops at the start, and its angle within half a turn.
    fn within_stops(&self, joint: &read::Joint) -> Result<(), Problem> {
        let (name, start) = (&joint.name, self.start(joint));
        let path = self.path.join("pose").join(name.as_str());
        if joint.kind == JointType::Hinge && start.abs() > std::f64::consts::PI {
            return Err(Problem::new(
                path,
                format!("the joint `{name}` starts more than half a turn away from zero"),
                format!("{start} rad"),
            )
            .help("give an angle between -π and π, in rad"));
        }
        match joint.limits {
            Some([lower, upper]) if start < lower - 1e-9 || start > upper + 1e-9 => {
                Err(Problem::new(
                    path,
                    format!(
                        "the joint `{name}` starts at {start}, outside of its stops, {lower} and {upper}"
                    ),
                    "starts beyond a stop",
                )
                .help(format!(
                    "say where it starts: `pose = {{ {name} = {} }}`",
                    (0.5e6 * (lower + upper)).round() / 1e6
                )))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What acts on a joint.
    fn drives(&self, joint: &read::Joint, kind: Kind, name: &str) -> Result<Vec<Drive>, Problem> {
        let along = kind.coordinates()[0];
        let mut drives = Vec::new();
        let mut act = |along: Along, effect: Effect| drives.push(Drive { along, effect });
        if let Some([least, most]) = joint.limits {
            let (least, most) = (Some(least), Some(most));
            act(along, Effect::Limits { least, most });
        }
        if joint.damping > 0.0 {
            let effect = Effect::Spring {
                stiffness: 0.0,
                damping: joint.damping,
                rest: TimeFunction::Constant(0.0),
            };
            act(along, effect);
        }
        if joint.friction > 0.0 {
            let strength = joint.friction;
            act(along, Effect::Friction { strength });
        }
        for (k, motor) in self.sections.motors.iter().enumerate() {
            if motor.joint == name {
                let along = drivable(kind, motor, &key_path!["motors", k])?;
                let strength = motor.strength.or(joint.effort);
                if let Some(effect) = machines::motor_effect(motor, strength) {
                    act(along, effect);
                }
            }
        }
        Ok(drives)
    }

    /// Switches off contacts between the bodies of the mechanism: joints that hold nothing, between those that no other joins.
    fn keep_apart(&self, world: &mut World) {
        let bodies = &world.bodies;
        let ids = self.placed.iter().filter_map(|placed| placed.id);
        let shaped = |id: &u32| {
            bodies
                .place_of(*id)
                .is_some_and(|k| bodies.solid(k).is_some())
        };
        let ids: Vec<u32> = ids.filter(shaped).collect();
        let center = Anchor::along(DVec3::ZERO, DVec3::Z);
        for (k, &a) in ids.iter().enumerate() {
            for &b in &ids[k + 1..] {
                let pair = [Some(a), Some(b)];
                let joined =
                    |joint: &Joint| joint.bodies == pair || joint.bodies == [pair[1], pair[0]];
                if !world.joints.iter().any(joined) {
                    world.joints.push(Joint::new(Kind::Link, pair, [center; 2]));
                }
            }
        }
    }
}

/// The engine's kind of a joint that turns or slides.
fn kind(joint: &read::Joint) -> Option<Kind> {
    match joint.kind {
        JointType::Hinge => Some(Kind::Hinge),
        JointType::Slider => Some(Kind::Slider),
        JointType::Fixed | JointType::Floating => None,
    }
}
