//! What a run starts from: a world with its settings, the names in it, and what is written.

use super::Source;
use crate::measures::Measure;
use crate::results::{JointRecord, RunRecord, WallRecord};
use granule::bodies::{BodyShape, RigidBody, Sphere};
use granule::exchange::What;
use granule::simulation::{Settings, World};
use std::path::PathBuf;

/// A scene ready to run.
///
/// [`super::Scene::build`] makes one from a file, [`Setup::new`] from a world that a program has put
/// together.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// The name of the scene.
    pub name: String,
    /// Everything that is simulated, at the start.
    pub world: World,
    /// How it is simulated.
    pub settings: Settings,
    /// What the run writes.
    pub output: OutputPlan,
    /// The names of the materials, by their index.
    pub materials: Vec<String>,
    /// The names of the walls, by their index.
    pub wall_names: Vec<Option<String>>,
    /// The names of the joints, by their index; those without one have no columns.
    pub joint_names: Vec<Option<String>>,
    /// The names of the inlets, by their index.
    pub inlet_names: Vec<String>,
    /// The names of the outlets, by their index.
    pub outlet_names: Vec<String>,
    /// What of the files that the scene names has no effect or another one, for people.
    pub notes: Vec<String>,
    /// How each body arose, in the order of the bodies of `world`; empty if a program put them there.
    pub sources: Vec<Source>,
    /// The scene file with every default filled in; `None` if a program made the world.
    pub scene: Option<String>,
}

/// What a run writes.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputPlan {
    /// The folder of results, relative to where the command runs.
    pub directory: PathBuf,
    /// s of simulated time between frames.
    pub frame_interval: f64,
    /// Whether frames hold the contacts besides the bodies.
    pub contacts: bool,
    /// s of simulated time between checkpoints.
    pub checkpoint_interval: f64,
    /// Walls whose loads are written, each with its name.
    pub forces_on: Vec<(String, usize)>,
    /// What is measured: columns of the series and files beside it.
    pub measures: Vec<Measure>,
}

impl OutputPlan {
    /// The folder `runs/NAME`, a hundred frames with contacts and ten checkpoints until `end` (s), no
    /// loads on walls and no measures.
    pub fn new(name: &str, end: f64) -> Self {
        Self {
            directory: PathBuf::from("runs").join(name),
            frame_interval: end / 100.0,
            contacts: true,
            checkpoint_interval: end / 10.0,
            forces_on: Vec::new(),
            measures: Vec::new(),
        }
    }
}

/// Names by numbers, from 1.
fn numbered(what: &str, count: usize) -> Vec<String> {
    (1..=count).map(|k| format!("{what}_{k}")).collect()
}

impl Setup {
    /// A world that a program has put together, to be run and recorded. Materials are named by their
    /// numbers and walls have no names; what is written is the usual. All of it may be changed.
    ///
    /// ```
    /// use granule::bodies::{Dimension, Sphere};
    /// use granule::math::DVec3;
    /// use granule::simulation::{Settings, StepSize, World};
    /// use granule_io::scene::Setup;
    ///
    /// let mut world = World::new(Dimension::Space);
    /// world.add_sphere(&Sphere::new(DVec3::ZERO, 0.1, 1.0));
    /// let mut setup = Setup::new("one ball", world, Settings::new(StepSize::Fixed(0.01), 2.0));
    /// setup.output.frame_interval = 0.1;
    /// assert_eq!(setup.materials, ["material 0"]);
    /// ```
    pub fn new(name: &str, world: World, settings: Settings) -> Self {
        let of_walls = world.walls.iter().map(|wall| wall.material);
        let of_bodies = world.bodies.material.iter().copied();
        let last = of_bodies.chain(of_walls).max().unwrap_or(0);
        Self {
            name: name.to_owned(),
            output: OutputPlan::new(name, settings.end),
            materials: (0..=last).map(|k| format!("material {k}")).collect(),
            wall_names: vec![None; world.walls.len()],
            joint_names: vec![None; world.joints.len()],
            inlet_names: numbered("inlet", world.inlets.len()),
            outlet_names: numbered("outlet", world.outlets.len()),
            notes: Vec::new(),
            sources: Vec::new(),
            scene: None,
            world,
            settings,
        }
    }

    /// Adds the bodies of this setup, with their shapes, to another world whose materials have these names, and gives
    /// their ids there. What else the setup has (walls, joints, laws) stays out. A material that the other world does not
    /// know is the error, in a sentence; then nothing is added. Prescribed motions count from time zero of that world.
    pub fn add_bodies_to(
        &self,
        world: &mut World,
        materials: &[String],
    ) -> Result<Vec<u32>, String> {
        let bodies = &self.world.bodies;
        if self.world.dimension != world.dimension {
            return Err("the bodies that are added move in another dimension".to_owned());
        }
        let number = |material: u16| {
            let name = &self.materials[usize::from(material)];
            let place = materials.iter().position(|known| known == name);
            place.map(|place| place as u16).ok_or_else(|| {
                let known = materials.join("`, `");
                format!("there is no material `{name}` to add bodies of; there are `{known}`")
            })
        };
        let numbers: Result<Vec<u16>, String> =
            bodies.material.iter().map(|&m| number(m)).collect();
        let numbers = numbers?;
        let first_solid = world.bodies.solids.len() as u32;
        world.bodies.solids.extend_from_slice(&bodies.solids);
        let add = |place: u32| {
            let i = place as usize;
            let body = RigidBody {
                position: bodies.position[i],
                mass: bodies.mass[i],
                inertia: bodies.inertia[i],
                orientation: bodies.orientation[i],
                velocity: bodies.velocity[i],
                angular_velocity: bodies.angular_velocity[i],
                motion: (bodies.kinematics.get(bodies.prescribed[i] as usize))
                    .map(|known| known.motion.clone()),
            };
            let (radius, material) = (bodies.radius[i], numbers[i]);
            match bodies.shape[i] {
                BodyShape::Sphere => world.bodies.push(&Sphere {
                    position: body.position,
                    radius,
                    mass: body.mass,
                    inertia: Some(body.inertia),
                    orientation: body.orientation,
                    velocity: body.velocity,
                    angular_velocity: body.angular_velocity,
                    material,
                    motion: body.motion,
                }),
                BodyShape::Walls => world.bodies.push_rigid(&body),
                BodyShape::Solid(number) => {
                    (world.bodies).push_solid(&body, first_solid + number, radius, material)
                }
            }
        };
        Ok(bodies.places().into_iter().map(add).collect())
    }

    /// The joints that have names, by their index.
    pub fn named_joints(&self) -> impl Iterator<Item = (usize, &str)> {
        let names = self.joint_names.iter().enumerate();
        names.filter_map(|(number, name)| Some((number, name.as_deref()?)))
    }

    /// The radius of the smallest body that is there or poured in, m; infinite if none has a size.
    pub(crate) fn smallest_radius(&self) -> f64 {
        let bodies = &self.world.bodies;
        let poured = self.world.inlets.iter().map(|inlet| match &inlet.what {
            What::Spheres { radius, .. } => radius.smallest(),
            What::Solids { kinds, .. } => (kinds.iter())
                .map(|(solid, _)| bodies.solids[*solid as usize].thickness())
                .fold(f64::INFINITY, f64::min),
        });
        let radii = bodies.radius.iter().copied().chain(poured);
        radii
            .filter(|radius| *radius > 0.0)
            .fold(f64::INFINITY, f64::min)
    }

    /// What frames do not say of a run of this scene.
    pub fn record(&self) -> RunRecord {
        let world = &self.world;
        let bodies = &world.bodies;
        let prescribed = (0..bodies.len()).filter(|&place| !bodies.is_dynamic(place));
        let mut prescribed: Vec<u32> = prescribed.map(|place| bodies.id[place]).collect();
        prescribed.sort_unstable();
        let walls = self.wall_names.iter().zip(&world.walls);
        RunRecord {
            gravity: world.gravity,
            frame_interval: self.output.frame_interval,
            materials: self.materials.clone(),
            prescribed,
            walls: walls
                .map(|(name, wall)| WallRecord::new(name.clone(), wall))
                .collect(),
            solids: bodies.solids.clone(),
            joints: (self.joint_names.iter().zip(&world.joints))
                .map(|(name, joint)| JointRecord::new(name.clone(), joint))
                .collect(),
            ..RunRecord::new(&self.name, world.dimension)
        }
    }

    /// What is wrong with the names and with what is to be written, if anything. A scene file is
    /// checked before; a program may write anything into the fields.
    pub(crate) fn flaw(&self) -> Option<String> {
        let (world, output) = (&self.world, &self.output);
        let intervals = [
            ("frame_interval", output.frame_interval),
            ("checkpoint_interval", output.checkpoint_interval),
        ];
        for (name, seconds) in intervals {
            if !(seconds.is_finite() && seconds > 0.0) {
                return Some(format!("`{name}` must be positive (s), not {seconds}"));
            }
        }
        let walls = world.walls.len();
        if self.wall_names.len() != walls {
            let names = self.wall_names.len();
            return Some(format!("there are {names} names for {walls} walls"));
        }
        let (joints, names) = (world.joints.len(), self.joint_names.len());
        if names != joints {
            return Some(format!("there are {names} names for {joints} joints"));
        }
        let exchange = [
            ("inlets", world.inlets.len(), self.inlet_names.len()),
            ("outlets", world.outlets.len(), self.outlet_names.len()),
        ];
        if let Some((what, count, names)) = exchange.iter().find(|(_, a, b)| a != b) {
            return Some(format!("there are {names} names for {count} {what}"));
        }
        let mut loads = output.forces_on.iter();
        if let Some((name, wall)) = loads.find(|(_, wall)| *wall >= walls) {
            return Some(format!(
                "`forces_on` asks for wall {wall} (`{name}`) where there are {walls}, counted from 0"
            ));
        }
        let measures = &output.measures;
        for (k, measure) in measures.iter().enumerate() {
            let (name, interval) = (&measure.name, measure.interval);
            if !measure.has_usable_name() {
                return Some(format!("a measure cannot be called `{name}`"));
            }
            if measures[..k].iter().any(|other| other.name == *name) {
                return Some(format!("two measures are called `{name}`"));
            }
            if !(interval.is_finite() && interval > 0.0) {
                return Some(format!(
                    "the interval of `{name}` must be positive (s), not {interval}"
                ));
            }
        }
        let mut materials = world.bodies.material.iter();
        let known = self.materials.len();
        materials
            .find(|&&material| usize::from(material) >= known)
            .map(|material| format!("a body is of material {material} where {known} have names"))
            .or_else(|| self.record().flaw())
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::parse;
    use granule::bodies::BodyShape;
    use granule::math::DVec3;
    use std::path::Path;

    fn setup(rest: &str) -> super::Setup {
        let text = format!("[scene]\nname = 'a'\n[time]\nstep = 1e-3\nend = 1\n{rest}");
        let scene = parse(&text, Path::new("a.toml")).unwrap();
        scene.build().unwrap()
    }

    #[test]
    fn bodies_of_one_setup_join_another_with_their_shapes_and_materials() {
        let (sand, iron) = (
            "[materials.sand]\ndensity = 1000\n",
            "[materials.iron]\ndensity = 8000\n",
        );
        let brick = "[[bodies]]\nbox = { size = [0.1, 0.2, 0.3] }\nposition = [0, 0, 1]\n";
        let first = setup(&format!("{sand}{iron}{brick}material = 'sand'\n"));
        let more = setup(&format!(
            "{iron}[[bodies]]\nsphere = {{ radius = 0.1 }}\nposition = [0, 0, 2]\nmotion = 'fixed'\nmaterial = 'iron'\n\
             [[bodies]]\nbox = {{ size = [0.2, 0.2, 0.2] }}\nposition = [0, 0, 3]\nvelocity = [1, 2, 3]\nmaterial = 'iron'\n"
        ));
        let mut world = first.world.clone();
        let ids = more.add_bodies_to(&mut world, &first.materials).unwrap();
        assert_eq!(ids, [1, 2]);
        let bodies = &world.bodies;
        let iron = first.materials.iter().position(|name| name == "iron");
        assert_eq!(bodies.material[1..], [iron.unwrap() as u16; 2]);
        assert_eq!(bodies.shape[1..], [BodyShape::Sphere, BodyShape::Solid(1)]);
        assert!(!bodies.is_dynamic(1) && bodies.is_dynamic(2));
        assert_eq!(bodies.velocity[2], DVec3::new(1.0, 2.0, 3.0));
        assert!((bodies.mass[2] - 8000.0 * 0.008).abs() < 1e-9);
        assert!((bodies.solid(2).unwrap().volume() - 0.008).abs() < 1e-12);
        assert_eq!(world.validate(), Ok(()));

        let before = world.clone();
        let error = more.add_bodies_to(&mut world, &["sand".to_owned()]);
        assert!(error.unwrap_err().contains("no material `iron`"));
        assert_eq!(world, before);
    }
}
