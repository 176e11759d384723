//! What of walls is hardly meant: rims that turn too fast for the step, holes, and slots between pipes.

use super::{Judge, MOST_WAY};
use crate::results::{Bounds, tessellate};
use crate::scene::grammar::{JointSpec, MotorSpec};
use crate::scene::key_path::{KeyPath, key_path};
use crate::scene::openings::{Opening, openings};
use crate::scene::{Setup, Source};
use granule::bodies::{Kinematics, Motion, Wall};
use granule::joints::{Along, Effect, Joint};
use granule::math::DVec3;
use granule::shapes::Surface;
use granule::simulation::World;

/// Two rims on one axis belong together if they are nearer than this part of the smaller one's radius.
const NEAR: f64 = 0.2;
/// What the surface of a round wall that stays where it is, or what a motor turns, may go in a step, in smallest radii.
const MOST_DRAG: f64 = 1.0;
/// A mesh so many times as large as all else is hardly in metres.
const MOST_SIZE: f64 = 100.0;
/// Nor is one that is so many times as large as the smallest grain: ten times what a large machine is beside sand.
const MOST_GRAINS: f64 = 20_000.0;
/// Directions and places that differ by less than this, relative, are the same.
const SAME: f64 = 1e-6;

impl Judge<'_> {
    /// How far walls and bodies that turn get in a step where they are farthest from their axis.
    pub(super) fn rims(&mut self, setup: &Setup) {
        let bodies = &setup.world.bodies;
        let bounds = Bounds::of_spheres(&bodies.position, &bodies.radius);
        for (number, wall) in setup.world.walls.iter().enumerate() {
            let (position, turn) = wall.kinematics.pose(setup.world.time);
            let pieces = wall.patches.iter();
            let corners =
                pieces.flat_map(|patch| tessellate(patch, position, turn, &bounds).points);
            let farthest = corners.map(|corner| arm(&wall.kinematics, corner));
            let farthest = farthest.fold(0.0, f64::max);
            let speed = wall.kinematics.motion.angular_velocity().length() * farthest;
            // What stays where it is drags grains along, but pushes none.
            let most = match is_turned_about_itself(wall) {
                true => MOST_DRAG,
                false => MOST_WAY,
            };
            self.rim(
                [speed, farthest, most],
                &key_path!["walls", number, "motion"],
            );
        }
        let mut of_sets: Vec<(KeyPath, &Kinematics, f64)> = Vec::new();
        for (place, source) in setup.sources.iter().enumerate() {
            let path = match *source {
                Source::Body(k) => key_path!["bodies", k, "motion"],
                Source::Grain { set, .. } => key_path!["grains", set, "motion"],
                Source::Servo(_) | Source::Link { .. } => continue,
            };
            let Some(kinematics) = bodies.kinematics.get(bodies.prescribed[place] as usize) else {
                continue;
            };
            let farthest = arm(kinematics, bodies.position[place]) + bodies.radius[place];
            match of_sets.last_mut().filter(|(last, ..)| *last == path) {
                Some((.., most)) => *most = most.max(farthest),
                None => of_sets.push((path, kinematics, farthest)),
            }
        }
        for (path, kinematics, farthest) in of_sets {
            let speed = kinematics.motion.angular_velocity().length() * farthest;
            self.rim([speed, farthest, MOST_WAY], &path);
        }
        self.motors(setup, &bounds);
    }

    /// How far what motors turn about an axis that stands gets in a step.
    fn motors(&mut self, setup: &Setup, bounds: &Bounds) {
        let sections = &self.scene.sections;
        let motors: Vec<_> = (sections.motors.iter().enumerate())
            .filter_map(|(k, motor)| {
                let named = |joint: &&_| of_motor(motor, joint);
                let number = sections.joints.iter().position(|joint| named(&joint))?;
                Some((k, setup.world.joints.get(number)?))
            })
            .collect();
        for (k, joint) in motors {
            let turning = joint
                .drives
                .iter()
                .filter(|drive| drive.along == Along::Turn);
            let speeds = turning.filter_map(|drive| match &drive.effect {
                Effect::Speed { target, .. } => Some(target.most()),
                _ => None,
            });
            let speed = speeds.fold(0.0, f64::max);
            if let Some(farthest) = driven_arm(&setup.world, joint, bounds) {
                self.rim(
                    [speed * farthest, farthest, MOST_DRAG],
                    &key_path!["motors", k, "speed"],
                );
            }
        }
    }

    /// Warns of a rim of such a speed (m/s) and distance from its axis (m) if it goes farther in a step than so many of the
    /// smallest radii.
    fn rim(&mut self, [speed, farthest, most]: [f64; 3], path: &KeyPath) {
        let way = speed * self.step;
        let warned = self
            .warnings
            .iter()
            .any(|other| other.key == path.to_string());
        if way > most * self.radius && !warned {
            self.warn(
                path,
                format!(
                    "{farthest:.2e} m from its axis this turns by {way:.2e} m in a step, {:.2} of the smallest radius",
                    way / self.radius
                ),
                format!("take a `step` of at most {:.1e} s", 0.25 * self.radius / speed),
            );
        }
    }

    /// Meshes that are so large beside all else, or so large or small beside the grains, that their files are hardly in
    /// metres.
    pub(super) fn sizes(&mut self, setup: &Setup) {
        let bodies = &setup.world.bodies;
        let mut others = Bounds::of_spheres(&bodies.position, &bodies.radius);
        let mut meshes = Vec::new();
        for (number, wall) in setup.world.walls.iter().enumerate() {
            let (position, turn) = wall.kinematics.pose(setup.world.time);
            match &wall.surface {
                // It has no size.
                Surface::HalfSpace(_) => {}
                Surface::Mesh(mesh) => {
                    meshes.push((number, Bounds::of(mesh.vertices()).diagonal()));
                }
                _ => {
                    let near = others;
                    for patch in &wall.patches {
                        let corners = tessellate(patch, position, turn, &near).points;
                        corners
                            .into_iter()
                            .for_each(|corner| others.include(corner));
                    }
                }
            }
        }
        for (number, size) in meshes {
            let (ratio, grain) = (size / others.diagonal(), 2.0 * self.radius);
            let path = key_path!["walls", number, "mesh"];
            let given = self.scene.sections.walls.get(number);
            let Some(given) = given.and_then(|wall| wall.mesh.as_ref()) else {
                continue;
            };
            let smaller = 1e-3 * given.scale;
            if ratio >= MOST_SIZE && ratio.is_finite() {
                self.warn(
                    &path,
                    format!(
                        "the surface is {size:.3} m across, {ratio:.0} times all else in the scene"
                    ),
                    format!("if the file is in millimetres, write `scale = {smaller:e}`"),
                );
            } else if size >= MOST_GRAINS * grain {
                let grains = size / grain;
                self.warn(
                    &path,
                    format!(
                        "the surface is {size:.3} m across, {grains:.0} times the smallest grain"
                    ),
                    format!("if the file is in millimetres, write `scale = {smaller:e}`"),
                );
            } else if size < grain && grain.is_finite() {
                self.warn(
                    &path,
                    format!(
                        "the surface is {size:.2e} m across, less than the smallest grain, {grain:.2e} m"
                    ),
                    "`scale` is the length in m of 1 in the file: 1 for metres, 1e-3 for millimetres",
                );
            }
        }
    }

    /// Meshes that lack a triangle through which the smallest grain passes. Larger openings may be meant, and are among
    /// the facts of a scene.
    pub(super) fn holes(&mut self, setup: &Setup) {
        for (number, wall) in setup.world.walls.iter().enumerate() {
            let Surface::Mesh(mesh) = &wall.surface else {
                continue;
            };
            let missing = |opening: &&_| is_missing_triangle(opening, self.radius);
            let found = openings(mesh);
            let holes: Vec<_> = found.iter().filter(missing).collect();
            if let Some(first) = holes.first() {
                let place = first.place;
                self.warn(
                    &key_path!["walls", number, "mesh"],
                    format!(
                        "grains fall through {} places where the surface lacks a triangle, the first at {place} of its frame",
                        holes.len()
                    ),
                    "close the holes in the program that made the file",
                );
            }
        }
    }

    /// Pipes and cones on one axis whose rims nearly meet, but leave a slot that the smallest grain passes.
    pub(super) fn slots(&mut self, setup: &Setup) {
        let walls = setup.world.walls.iter().enumerate();
        let rims: Vec<Rim> = walls
            .flat_map(|(number, wall)| rims_of(number, wall))
            .collect();
        for (k, rim) in rims.iter().enumerate() {
            let others = rims
                .iter()
                .enumerate()
                .filter(|(_, other)| other.wall != rim.wall);
            let slots = others.filter_map(|(j, other)| Some((rim.slot_to(other)?, j)));
            let Some((slot, j)) = slots.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                continue;
            };
            let smaller = rim.radius.min(rims[j].radius);
            if k < j && slot > 2.0 * self.radius && slot < NEAR * smaller {
                let [a, b] = [rim.wall, rims[j].wall];
                self.warn(
                    &key_path!["walls", b],
                    format!(
                        "between its rim and that of walls[{a}] is a slot of {slot:.2e} m, and the smallest grain is {:.2e} m wide",
                        2.0 * self.radius
                    ),
                    "let the rims have the same radius and place if nothing is to fall through",
                );
            }
        }
    }
}

/// Whether a motor drives a joint.
fn of_motor(motor: &MotorSpec, joint: &JointSpec) -> bool {
    joint.name.as_ref() == Some(&motor.joint)
}

/// How far the body of a joint to the ground, or a wall on it, reaches from the axis of the joint, m.
fn driven_arm(world: &World, joint: &Joint, bounds: &Bounds) -> Option<f64> {
    let (id, ground) = match joint.bodies {
        [Some(id), None] => (id, &joint.anchors[1]),
        [None, Some(id)] => (id, &joint.anchors[0]),
        _ => return None,
    };
    let place = world.bodies.place_of(id)?;
    let axis = ground.orientation * DVec3::Z;
    let arm = |point: DVec3| {
        let from = point - ground.position;
        from.reject_from_normalized(axis).length()
    };
    let (center, turn) = (
        world.bodies.position[place],
        world.bodies.orientation[place],
    );
    let mut farthest = arm(center) + world.bodies.radius[place];
    for wall in world.walls.iter().filter(|wall| wall.carrier == Some(id)) {
        let wall = wall.placed(world.time, |_| Some((center, turn)));
        let (position, turn) = wall.kinematics.pose(world.time);
        for patch in &wall.patches {
            let corners = tessellate(patch, position, turn, bounds).points;
            farthest = corners.into_iter().map(arm).fold(farthest, f64::max);
        }
    }
    Some(farthest)
}

/// Whether an opening is a triangle that is missing, and wide enough for a sphere of this radius (m).
fn is_missing_triangle(opening: &Opening, radius: f64) -> bool {
    opening.edges == 3 && opening.width > 2.0 * radius
}

/// How far a point is from the axis that something turns about, m; zero if it does not turn.
fn arm(kinematics: &Kinematics, point: DVec3) -> f64 {
    match &kinematics.motion {
        Motion::Rotation { axis, center, .. } => {
            let center = center.map_or(kinematics.start_position, DVec3::from_array);
            let axis = DVec3::from_array(*axis).normalize();
            (point - center).reject_from_normalized(axis).length()
        }
        _ => 0.0,
    }
}

/// Whether a wall is round about the axis that it turns about, so that it stays where it is.
fn is_turned_about_itself(wall: &Wall) -> bool {
    let round = matches!(wall.surface, Surface::Cylinder(_) | Surface::Cone(_));
    let Motion::Rotation { axis, .. } = &wall.kinematics.motion else {
        return false;
    };
    let own = wall.kinematics.start_orientation * DVec3::Z;
    let axis = DVec3::from_array(*axis).normalize();
    let aside = arm(&wall.kinematics, wall.kinematics.start_position);
    let size = wall.kinematics.start_position.length();
    round && own.cross(axis).length() < SAME && aside <= SAME * size
}

/// The open end of a pipe or a cone that stands still.
struct Rim {
    wall: usize,
    center: DVec3,
    /// A unit vector.
    axis: DVec3,
    /// m.
    radius: f64,
}

impl Rim {
    /// How wide the slot to another rim on the same axis is, m.
    fn slot_to(&self, other: &Self) -> Option<f64> {
        let between = other.center - self.center;
        let aside = between.reject_from_normalized(self.axis).length();
        let smaller = self.radius.min(other.radius);
        let coaxial = self.axis.cross(other.axis).length() < SAME && aside < SAME * smaller;
        coaxial.then(|| {
            let along = between.dot(self.axis);
            along.hypot(other.radius - self.radius)
        })
    }
}

fn rims_of(number: usize, wall: &Wall) -> Vec<Rim> {
    let (length, ends) = match &wall.surface {
        _ if !wall.is_fixed() => return Vec::new(),
        Surface::Cylinder(shape) => {
            let radius = shape.radius;
            (shape.length, [(shape.bottom, radius), (shape.top, radius)])
        }
        Surface::Cone(shape) => {
            let (bottom, top) = (shape.bottom_radius, shape.top_radius);
            (shape.length, [(shape.bottom, bottom), (shape.top, top)])
        }
        _ => return Vec::new(),
    };
    let (position, turn) = wall.kinematics.pose(0.0);
    let axis = turn * DVec3::Z;
    let ends = ends.into_iter().zip([-0.5, 0.5]);
    ends.filter(|((closed, radius), _)| !closed && *radius > 0.0)
        .map(|((_, radius), side)| Rim {
            wall: number,
            center: position + side * length * axis,
            axis,
            radius,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::scene::parse;
    use std::path::Path;

    fn warnings(folder: &Path, walls: &str) -> Vec<String> {
        let text = format!(
            "[scene]\nname = 'a'\n[time]\nstep = 1e-3\nend = 1\n[contacts]\nlaw = 'frictionless'\n\
             [[bodies]]\nsphere = {{ radius = 0.01 }}\nposition = [0, 0, 9]\n{walls}"
        );
        let scene = parse(&text, &folder.join("a.toml")).unwrap();
        let warnings = scene.judge(&scene.build().unwrap());
        warnings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rims_that_turn_fast_are_told_but_not_those_of_drums() {
        let here = Path::new("");
        let turn = "motion = { rotation = { axis = [0, 0, 1], rate = 20 } }\n";
        let paddle = "[[walls]]\nblock = { size = [1, 0.1, 0.1] }\n";
        let found = warnings(here, &format!("{paddle}{turn}"));
        // Half of the length and of the width, times 0.02 rad.
        assert!(
            found.len() == 1 && found[0].contains("1.00 of the smallest radius"),
            "{found:?}"
        );
        assert!(found[0].contains("walls[0].motion"), "{found:?}");
        let short = paddle.replace("size = [1,", "size = [0.3,");
        assert_eq!(warnings(here, &format!("{short}{turn}")), [""; 0]);
        let drum = "[[walls]]\ncylinder = { radius = 1, length = 1 }\n";
        // The rim of a drum goes 2 radii in a step, then 0.8: it pushes nothing.
        let found = warnings(here, &format!("{drum}{turn}"));
        assert!(
            found.len() == 1 && found[0].contains("2.00 of the smallest radius"),
            "{found:?}"
        );
        let slow = turn.replace("rate = 20", "rate = 8");
        assert_eq!(warnings(here, &format!("{drum}{slow}")), [""; 0]);
        let aside = turn.replace("rate", "center = [3, 0, 0], rate");
        assert_eq!(warnings(here, &format!("{drum}{aside}")).len(), 1);
        let ball = "[[bodies]]\nsphere = { radius = 0.1 }\nposition = [1, 0, 3]\n";
        let orbit = turn.replace("rate", "center = [0, 0, 0], rate");
        let found = warnings(here, &format!("{ball}{orbit}"));
        assert!(
            found.len() == 1 && found[0].contains("bodies[1].motion"),
            "{found:?}"
        );
    }

    #[test]
    fn what_motors_turn_too_fast_is_told() {
        let driven = |speed: &str| {
            let body =
                "[[bodies]]\nname = 'drum'\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0]\n";
            let walls = "[[walls]]\ncylinder = { radius = 1, length = 1 }\nbody = 'drum'\n";
            let hinge = "[[joints]]\nname = 'axle'\nkind = 'hinge'\nbetween = ['drum', 'ground']\nposition = [0, 0, 0]\n";
            let motor = format!("[[motors]]\njoint = 'axle'\nspeed = {speed}\n");
            warnings(Path::new(""), &format!("{body}{walls}{hinge}{motor}"))
        };
        assert_eq!(driven("8"), [""; 0]);
        for fast in ["-20", "{ linear = { times = [0, 1], values = [0, 20] } }"] {
            let found = driven(fast);
            assert!(
                found.len() == 1
                    && found[0].contains("motors[0].speed")
                    && found[0].contains("2.00 of the smallest radius"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_mesh_in_millimetres_is_asked_about() {
        let folder = tempfile::tempdir().unwrap();
        let file = "v 0 0 0\nv 300 0 0\nv 300 400 0\nv 0 400 0\nf 1 2 3\nf 1 3 4\n";
        std::fs::write(folder.path().join("a.obj"), file).unwrap();
        let chute = |scale: &str| {
            let plate = "[[walls]]\nplate = { width = 0.3, height = 0.4, normal = [0, 0, 1] }\nposition = [0, 0, 9.2]\n";
            warnings(
                folder.path(),
                &format!("{plate}[[walls]]\nmesh = {{ file = 'a.obj'{scale} }}\n"),
            )
        };
        // 500 m across beside a plate of 0.5 m.
        let found = chute("");
        assert!(
            found.len() == 1
                && found[0].contains("walls[1].mesh")
                && found[0].contains("scale = 1e-3"),
            "{found:?}"
        );
        assert_eq!(chute(", scale = 1e-3"), [""; 0]);
    }

    #[test]
    fn a_mesh_is_asked_about_beside_the_grains_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = "v 0 0 0\nv 300 0 0\nv 300 400 0\nv 0 400 0\nf 1 2 3\nf 1 3 4\n";
        std::fs::write(folder.path().join("a.obj"), file).unwrap();
        // A plate of 10 m is not so much smaller than the mesh.
        let plate = "[[walls]]\nplate = { width = 10, height = 10, normal = [0, 0, 1] }\n";
        let inlet = "[[inlets]]\nname = 'feed'\nface = { center = [0, 0, 90], normal = [0, 0, -1], radius = 0.05 }\n\
            radius = 0.005\nnumber_rate = 10\n";
        let chute = |scale: &str| {
            let wall =
                format!("[[walls]]\nmesh = {{ file = 'a.obj'{scale} }}\nposition = [0, 0, -9]\n");
            warnings(folder.path(), &format!("{inlet}{plate}{wall}"))
        };
        let found = chute("");
        assert!(
            found.len() == 1
                && found[0].contains("times the smallest grain")
                && found[0].contains("scale = 1e-3"),
            "{found:?}"
        );
        assert_eq!(chute(", scale = 1e-3"), [""; 0]);
        let found = chute(", scale = 1e-6");
        assert!(
            found.len() == 1 && found[0].contains("less than the smallest grain"),
            "{found:?}"
        );
    }

    #[test]
    fn slots_between_pipes_are_told() {
        let walls = |z: f64| {
            format!(
                "[[walls]]\ncone = {{ bottom_radius = 0.5, top_radius = 1, length = 1 }}\nposition = [0, 0, 1]\n\
                 [[walls]]\ncylinder = {{ radius = 0.5, length = 0.2 }}\nposition = [0, 0, {z}]\n"
            )
        };
        let here = Path::new("");
        // The rim of the cone is at 0.5, that of the pipe 0.1 above its middle.
        assert_eq!(warnings(here, &walls(0.4)), [""; 0]);
        let found = warnings(here, &walls(0.35));
        assert!(
            found.len() == 1 && found[0].contains("5.00e-2 m"),
            "{found:?}"
        );
        // Too narrow for a grain, or a gap that must be meant.
        assert_eq!(warnings(here, &walls(0.385)), [""; 0]);
        assert_eq!(warnings(here, &walls(0.1)), [""; 0]);
    }

    #[test]
    fn a_triangle_that_a_mesh_lacks_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let vertices =
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0.4 0.4 0\nv 0.6 0.4 0\nv 0.5 0.6 0\n";
        let ring = "f 1 2 6\nf 1 6 5\nf 2 4 6\nf 4 7 6\nf 4 3 7\nf 3 5 7\nf 3 1 5\n";
        let wall = "[[walls]]\nmesh = { file = 'a.obj', scale = 1 }\n";
        let write = |faces: &str| {
            std::fs::write(
                folder.path().join("a.obj"),
                format!("{vertices}{ring}{faces}"),
            )
            .unwrap();
        };
        write("");
        let found = warnings(folder.path(), wall);
        assert!(
            found.len() == 1 && found[0].contains("through 1 places"),
            "{found:?}"
        );
        write("f 5 6 7\n");
        assert_eq!(warnings(folder.path(), wall), [""; 0]);
    }
}
