//! Charts and pictures that targets make, for folders and for the report.

use crate::plot::{Chart, plot_svg};
use granule::simulation::World;
use granule_io::results::{BodyStates, ContactStates, RunRecord, WallRecord};
use granule_render::{ColorBy, Image, Options as Drawing, Quantity, Scene, Shot};

/// Pixels of a picture.
const SIZE: [u32; 2] = [900, 675];

/// What a figure is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Drawn {
    /// A chart, as the text of an SVG file.
    Chart(String),
    /// A picture, as the bytes of a PNG file.
    Picture(Vec<u8>),
}

/// A figure of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its name in files, without ending.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// How it looks.
    pub drawn: Drawn,
}

impl Figure {
    /// A chart; its title is the caption, which stands below it. The error is what the plotting library says.
    pub fn chart(name: &str, chart: &Chart) -> Result<Self, String> {
        let untitled = Chart {
            title: String::new(),
            ..chart.clone()
        };
        Ok(Self {
            name: name.to_owned(),
            caption: chart.title.clone(),
            drawn: Drawn::Chart(plot_svg(&untitled)?),
        })
    }

    /// A picture.
    pub fn picture(name: &str, caption: &str, image: &Image) -> Self {
        Self {
            name: name.to_owned(),
            caption: caption.to_owned(),
            drawn: Drawn::Picture(image.to_png()),
        }
    }

    /// The name of the file that it is kept in.
    pub fn file(&self) -> String {
        let ending = match self.drawn {
            Drawn::Chart(_) => "svg",
            Drawn::Picture(_) => "png",
        };
        format!("{}.{ending}", self.name)
    }

    /// The bytes of that file.
    pub fn bytes(&self) -> &[u8] {
        match &self.drawn {
            Drawn::Chart(text) => text.as_bytes(),
            Drawn::Picture(bytes) => bytes,
        }
    }
}

/// A world as it is, coloured by speed.
pub fn picture_of(world: &World) -> Image {
    let walls = world.walls.iter().map(|wall| WallRecord::new(None, wall));
    let record = RunRecord {
        solids: world.bodies.solids.clone(),
        walls: walls.collect(),
        ..RunRecord::new("", world.dimension)
    };
    let bodies = BodyStates::of(&world.bodies);
    let shot = Shot {
        bodies: &bodies,
        contacts: &ContactStates::default(),
        time: world.time,
        record: &record,
    };
    let scene = Scene::of(&shot, &ColorBy::Quantity(Quantity::SPEED).into());
    let [width, height] = SIZE;
    scene.draw(&Drawing {
        width,
        height,
        ..Drawing::default()
    })
}
