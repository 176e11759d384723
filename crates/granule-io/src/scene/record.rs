//! What a run's folder says of the scene, so that nobody has to build it again.

use super::Setup;
use crate::results::{RunRecord, WallRecord};

impl Setup {
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
            ..RunRecord::new(&self.name, world.dimension)
        }
    }
}
