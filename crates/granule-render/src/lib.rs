//! Pictures without a graphics card: bodies, contacts and walls, shaded, as PNG, GIF, APNG and MP4.
//!
//! Spheres are cast exactly (no meshes), other bodies as triangles with normals in between, into a depth map of
//! twice the picture's size; light, shadow and the darkness of gaps are computed from it; containers are drawn over it as thin
//! glass with outlines. The same scene gives the same picture, whatever the number of threads.

mod animation;
mod apng;
mod body;
mod camera;
mod canvas;
mod chains;
mod change;
mod field;
mod flat;
mod gaps;
mod glass;
mod ground;
mod image;
mod legend;
mod lines;
mod look;
mod lzw;
mod movie;
#[cfg(feature = "mp4")]
mod mp4;
mod number;
mod palette;
mod quantity;
mod raster;
mod shade;
mod shadow;
mod text;
mod wide;

pub use chains::Tube;
pub use field::Field;
pub use image::{Image, ImageError};
pub use legend::Legend;
pub use look::{Lens, Look, Side};
pub use movie::{Movie, RenderError};
pub use number::short;
pub use palette::{ColorBy, Coloring, Palette, Scale};
pub use quantity::{Quantity, Shot};

use body::Things;
use camera::Camera;
use flat::Plan;
use gaps::Gaps;
use glam::{DQuat, DVec3};
use glass::Glass;
use granule::bodies::{BodyShape, Wall};
use granule::shapes::{Patch, Solid};
use granule::simulation::Dimension;
use granule_io::results::{Bounds, PatchMesh, placed_walls, tessellate};
use ground::Ground;
use lines::Lines;
use raster::{Cut, Raster};
use shade::{Shader, Surfaces};
use shadow::ShadowMap;
use text::Letters;

/// Red, green, blue (sRGB).
pub type Color = [u8; 3];

/// How much of the bodies is seen before the tubes of contacts.
const VEIL: f32 = 0.22;

/// Half-spaces that are nearer than so many times the size of all bodies are in the picture.
const FOOT: f64 = 2.0;

/// Samples along a side of a pixel.
const SAMPLES: usize = 2;

/// A body to be drawn: a sphere (a disk, in a plane) or a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// m.
    pub center: DVec3,
    /// m; of a solid that of a sphere that holds it.
    pub radius: f64,
    /// Its colour.
    pub color: Color,
    /// Its orientation, shown by a spoke in a plane.
    pub orientation: DQuat,
    /// Which of the scene's solids it is; none for a sphere.
    pub solid: Option<u32>,
}

/// What a picture shows.
///
/// ```
/// use granule::bodies::Dimension;
/// use granule::math::{DQuat, DVec3};
/// use granule_render::{Body, Options, Scene};
/// let ball = Body {
///     center: DVec3::ZERO,
///     radius: 0.1,
///     color: [200, 60, 40],
///     orientation: DQuat::IDENTITY,
///     solid: None,
/// };
/// let scene = Scene { bodies: vec![ball], dimension: Dimension::Space, ..Scene::default() };
/// let image = scene.draw(&Options { width: 80, height: 60, ..Options::default() });
/// assert_eq!(image.pixels.len(), 3 * 80 * 60);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Contacts that are drawn; bodies are seen through then.
    pub tubes: Vec<Tube>,
    /// Their shapes, if they are no spheres.
    pub solids: Vec<Solid>,
    /// The walls.
    pub walls: Vec<Wall>,
    /// When, s; decides where moving walls are.
    pub time: f64,
    /// In a plane (or on a line) one looks along z, with y up; in space, z is up.
    pub dimension: Dimension,
    /// What the colours mean, if they show a number.
    pub legend: Option<Legend>,
}

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The box that is looked at; `None` for all walls and almost all bodies: a few that flew off are left out.
    pub view: Option<Bounds>,
    /// From where.
    pub look: Look,
    /// Only what is in this box (m) is drawn of bodies, and of tubes those whose middles are, so that one sees the inside of
    /// a bed. Its sides may be infinitely far away.
    pub clip: Option<Bounds>,
    /// How it is looked at from there.
    pub lens: Lens,
    /// Whether the time stands in the upper left corner.
    pub time_stamp: bool,
    /// Whether it is white behind all, as paper is, rather than like a sky.
    pub white: bool,
    /// The height of letters, pixels.
    pub letters: f32,
    /// Whether pixels are the means of sixteen samples instead of four: lines and edges are smoother, for four times the
    /// work.
    pub fine: bool,
}

impl Options {
    /// A picture of 1200 by 900 pixels of all that there is.
    pub const USUAL: Self = Self {
        width: 1200,
        height: 900,
        view: None,
        look: Look::Usual,
        clip: None,
        lens: Lens::USUAL,
        time_stamp: false,
        white: false,
        letters: 19.0,
        fine: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Options {
    /// Width and height, kept between 1 and 8192.
    fn size(&self) -> [u32; 2] {
        [self.width, self.height].map(|pixels| pixels.clamp(1, 8192))
    }
}

impl Scene {
    /// The scene of a moment of a run.
    pub fn of(shot: &Shot<'_>, coloring: &Coloring) -> Self {
        let scale = coloring.scale(&coloring.values(shot));
        Self::colored(shot, coloring, scale)
    }

    fn colored(shot: &Shot<'_>, coloring: &Coloring, scale: Scale) -> Self {
        let Shot { bodies, record, .. } = *shot;
        let colors: Vec<Color> = match &coloring.by {
            _ if coloring.chains => vec![palette::PLAIN; bodies.id.len()],
            ColorBy::Plain => vec![palette::PLAIN; bodies.id.len()],
            ColorBy::Id => bodies.id.iter().map(|&id| palette::of_id(id)).collect(),
            ColorBy::Material => bodies
                .material
                .iter()
                .map(|&m| palette::of_material(m))
                .collect(),
            by => (by.values(shot).iter())
                .map(|&value| Palette::Sea.of_value(value, scale.range))
                .collect(),
        };
        // Points have no size; a dot stands for them.
        let dot = 8e-3 * Bounds::of_spheres(&bodies.position, &bodies.radius).diagonal();
        let names = (0..).zip(&record.materials);
        let names = names.map(|(k, name)| (name.clone(), palette::of_material(k)));
        let legend = match (&coloring.by, coloring.by.title()) {
            _ if coloring.chains => Some(Legend::Scale {
                title: "contact force, N".to_owned(),
                scale,
                palette: Palette::Fire,
            }),
            (_, Some(title)) => Some(Legend::Scale {
                title,
                scale,
                palette: Palette::Sea,
            }),
            (ColorBy::Material, None) => Some(Legend::Names(names.collect())),
            (_, None) => None,
        };
        let drawn = (0..bodies.id.len()).filter_map(|k| {
            let solid = match bodies.shape[k] {
                BodyShape::Sphere => None,
                BodyShape::Solid(number) => Some(number),
                // It is where its walls are.
                BodyShape::Walls => return None,
            };
            let radius = bodies.radius[k];
            Some(Body {
                center: bodies.position[k],
                radius: if radius > 0.0 { radius } else { dot },
                color: colors[k],
                orientation: bodies.orientation[k],
                solid,
            })
        });
        Self {
            bodies: drawn.collect(),
            tubes: match coloring.chains {
                true => chains::tubes(shot, scale),
                false => Vec::new(),
            },
            solids: record.solids.clone(),
            walls: placed_walls(
                &record.walls(),
                shot.time,
                &bodies.id,
                &bodies.position,
                &bodies.orientation,
            ),
            time: shot.time,
            dimension: record.dimension,
            legend,
        }
    }

    /// The box that is looked at if no other is asked for.
    pub fn bounds(&self) -> Bounds {
        let visible = self.visible();
        let mut bounds = bounds_of(&together(&visible));
        for (_, mesh) in self.meshes(&bounds) {
            mesh.points
                .iter()
                .for_each(|&corner| bounds.include(corner));
        }
        self.feet(bounds)
            .into_iter()
            .for_each(|foot| bounds.include(foot));
        bounds
    }

    /// The points of half-spaces below the middle of a box, so that one sees what a body is above. Those far away would
    /// make all small.
    fn feet(&self, bounds: Bounds) -> Vec<DVec3> {
        let (middle, far) = (bounds.center(), FOOT * bounds.diagonal());
        let heights = self.planes().into_iter().map(|(place, normal)| {
            let height = normal.dot(middle - place);
            (height, middle - height * normal)
        });
        let near = heights.filter(|(height, _)| (0.0..far).contains(height));
        near.map(|(_, foot)| foot).collect()
    }

    /// The bodies that have a place and a size.
    fn visible(&self) -> Vec<&Body> {
        let drawable = |s: &&Body| s.center.is_finite() && s.radius > 0.0 && s.radius.is_finite();
        self.bodies.iter().filter(drawable).collect()
    }

    /// Draws the scene.
    pub fn draw(&self, options: &Options) -> Image {
        let mut image = match options.fine {
            false => self.shaded(options),
            true => {
                let [width, height] = options.size().map(|pixels| 2 * pixels);
                let large = Options {
                    width,
                    height,
                    ..*options
                };
                self.shaded(&large).halved()
            }
        };
        let letters = Letters(options.letters);
        if let Some(legend) = &self.legend {
            legend.draw(&mut image, letters);
        }
        if options.time_stamp {
            let margin = letters.margin() as f32;
            let words = format!("t = {:.3} s", self.time);
            text::write(
                &mut image,
                &words,
                [margin, margin + 0.8 * letters.0],
                letters,
            );
        }
        image
    }

    /// The scene without words. Where contacts are drawn, bodies are a veil before them.
    fn shaded(&self, options: &Options) -> Image {
        if self.tubes.is_empty() {
            return self.solid(options, [true, false]);
        }
        // In a plane there is nothing before them.
        if self.dimension != Dimension::Space {
            return self.solid(options, [true, true]);
        }
        let tubes = self.solid(options, [false, true]);
        tubes.veiled(&self.solid(options, [true, false]), VEIL)
    }

    /// The scene with or without bodies, and with or without tubes.
    fn solid(&self, options: &Options, [with_bodies, with_tubes]: [bool; 2]) -> Image {
        let [across, down] = [options.width, options.height].map(|pixels| pixels.max(1) as usize);
        let size = [SAMPLES * across, SAMPLES * down];
        let flat = self.dimension != Dimension::Space;
        let mut visible = self.visible();
        let together = together(&visible);
        let mut bounds = bounds_of(&together);
        let glass = self.meshes(&bounds);
        let corners = glass
            .iter()
            .flat_map(|(_, mesh)| mesh.points.iter().copied());
        let feet = self.feet(bounds);
        let corners = corners.chain(feet.iter().copied());
        corners.clone().for_each(|corner| bounds.include(corner));

        let framed: Vec<(DVec3, f64)> = match options.view {
            Some(view) => {
                bounds = view;
                view.corners().iter().map(|&corner| (corner, 0.0)).collect()
            }
            None => {
                let spheres = together.iter().map(|s| (s.center, s.radius));
                spheres.chain(corners.map(|corner| (corner, 0.0))).collect()
            }
        };
        let size_f64 = size.map(|pixels| pixels as f64);
        let camera = if flat {
            let (forward, up) = (DVec3::NEG_Z, DVec3::Y);
            Camera::framing(framed.into_iter(), forward, up, false, size_f64)
                .zoomed(options.lens.zoom)
        } else {
            options.look.camera(&framed, &options.lens, size_f64)
        };

        let reach = gaps::reach(&visible);
        let cut = Cut::new(options.clip, &camera, flat);
        visible.retain(|body| with_bodies && cut.meets(camera.view(body.center), body.radius));
        let tubes = self.tubes.iter().filter(|tube| {
            let [a, b] = tube.ends;
            let reach = 0.5 * a.distance(b) + tube.radius;
            let is_left = || cut.meets(camera.view(0.5 * (a + b)), reach);
            with_tubes && tube.is_drawable() && is_left()
        });
        let things = Things::new(
            visible,
            tubes.collect(),
            &self.solids,
            self.dimension,
            &camera,
        );
        let views = things.seen(&camera);
        let planes = self.planes();
        // Rims of bodies in a plane, and edges of solids, are looked for some samples away.
        let halo = match flat {
            true => flat::RIM,
            false => usize::from(!self.solids.is_empty()),
        };
        let raster = Raster::new(&camera, &views, &cut, size, halo);
        let lines = Lines::new(&camera, &glass, flat);
        if flat {
            let breadths: Vec<f64> = views.iter().map(body::Seen::breadth).collect();
            let plan = Plan {
                camera: &camera,
                things: &things,
                views: &views,
                breadths: &breadths,
                planes: &planes,
            };
            let look = |band, map: &mut _| raster.cast(band, map);
            canvas::paint(size, raster.rows, options.white, look, |band| {
                plan.draw(band);
                lines.draw(band);
            })
        } else {
            let ground = Ground::new(&camera, &planes, &bounds);
            let light = shade::light(&camera);
            let shadow = ShadowMap::new(&things, (&bounds, options.clip), light, &camera, across);
            let rounds: Vec<_> = views.iter().map(body::Seen::round).collect();
            // Gaps are looked for in a map with a sample a pixel.
            let rough = camera.every(SAMPLES);
            let mut map = Raster::new(&rough, &views, &cut, [across, down], 0).whole();
            ground.cast(&rough, &mut map);
            let pixels = Surfaces::new(&rough, &views, &rounds, &ground, &cut);
            let gaps = Gaps::new(&pixels, &map, reach);
            let surfaces = Surfaces::new(&camera, &views, &rounds, &ground, &cut);
            let shader = Shader::new(&surfaces, &gaps, things.colors(), &shadow, light);
            let glass = Glass::new(&camera, &glass, &shadow, light);
            let look = |band, map: &mut _| {
                raster.cast(band, map);
                ground.cast(&camera, map);
            };
            canvas::paint(size, raster.rows, options.white, look, |band| {
                shader.draw(band);
                glass.draw(band);
                lines.draw(band);
            })
        }
    }

    /// The walls that end somewhere, as triangles; each with the middle of its wall.
    fn meshes(&self, bounds: &Bounds) -> Vec<(DVec3, PatchMesh)> {
        let mut meshes = Vec::new();
        for wall in &self.walls {
            let (position, turn) = wall.kinematics.pose(self.time);
            for patch in &wall.patches {
                let mesh = tessellate(patch, position, turn, bounds);
                match patch {
                    Patch::Plane => {}
                    Patch::Mesh(_) => meshes.push((Bounds::of(&mesh.points).center(), mesh)),
                    Patch::Revolved { .. } | Patch::Rectangle { .. } | Patch::Block { .. } => {
                        meshes.push((position, mesh));
                    }
                }
            }
        }
        meshes
    }

    /// The half-spaces: a point and the upward normal.
    fn planes(&self) -> Vec<(DVec3, DVec3)> {
        let half_spaces = self
            .walls
            .iter()
            .filter(|wall| wall.patches.contains(&Patch::Plane));
        half_spaces
            .map(|wall| {
                let (position, turn) = wall.kinematics.pose(self.time);
                (position, turn * DVec3::Z)
            })
            .filter(|(position, normal)| position.is_finite() && normal.is_finite())
            .collect()
    }
}

fn bounds_of(bodies: &[&Body]) -> Bounds {
    let centers: Vec<DVec3> = bodies.iter().map(|s| s.center).collect();
    let radii: Vec<f64> = bodies.iter().map(|s| s.radius).collect();
    Bounds::of_spheres(&centers, &radii)
}

/// Without the few bodies that flew off: those much farther from the middle than 99 % are, or many times as far as
/// 90 %. They shall not decide where one looks.
fn together<'a>(bodies: &[&'a Body]) -> Vec<&'a Body> {
    let count = bodies.len();
    if count < 20 {
        return bodies.to_vec();
    }
    let ranked =
        |mut values: Vec<f64>, rank: usize| *values.select_nth_unstable_by(rank, f64::total_cmp).1;
    let coordinate = |axis: usize| bodies.iter().map(|s| s.center[axis]).collect();
    let middle = [0, 1, 2].map(|axis| ranked(coordinate(axis), count / 2));
    let distance = |body: &Body| (body.center - DVec3::from_array(middle)).length();
    let distances: Vec<f64> = bodies.iter().map(|s| distance(s)).collect();
    let rank = |percent: usize| ranked(distances.clone(), (count * percent / 100).min(count - 1));
    let limit = (1.5 * rank(99)).min(4.0 * rank(90));
    let near = |s: &&Body| distance(s) <= limit + s.radius;
    bodies.iter().copied().filter(near).collect()
}

#[cfg(test)]
mod contact_tests;
#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod solid_tests;
#[cfg(test)]
mod tests;
