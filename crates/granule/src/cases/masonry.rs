//! Blocks that stand on each other: a masonry arch, a wall of bricks, a tower, a row of dominoes.

use crate::bodies::{Dimension, Motion, RigidBody, Wall};
use crate::law::{Friction, Law, LawTable};
use crate::math::{DVec2, DVec3};
use crate::shapes::{HalfSpace, Hull, Solid, Surface};
use crate::simulation::World;
use std::f64::consts::PI;

const GRAVITY: f64 = 9.81;
/// kg/m³.
const DENSITY: f64 = 2000.0;

/// A half circle of wedge-shaped blocks in a plane, on a floor, with radial joints.
///
/// With so much friction that no block slides it stands if its thickness over its mean radius is at least that
/// of the thrust line that touches inner and outer edge: 0.10678 for 27 blocks (about 0.1075 for very many
/// [cocchetti2011, introduction]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arch {
    /// Number of blocks.
    pub blocks: usize,
    /// Mean radius, m.
    pub radius: f64,
    /// Thickness over mean radius.
    pub thickness: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Arch {
    /// The least thickness over mean radius with which 27 blocks stand.
    pub const LEAST: f64 = 0.10678;

    /// 27 blocks of mean radius 10 m and this multiple of the least thickness.
    pub fn of_27(multiple: f64) -> Self {
        Self {
            blocks: 27,
            radius: 10.0,
            thickness: multiple * Self::LEAST,
            friction: 0.8,
        }
    }

    /// The world, with the blocks from right to left.
    pub fn world(&self) -> World {
        let mut world = World::new(Dimension::Plane);
        world.gravity = -GRAVITY * DVec3::Y;
        world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(self.friction)));
        let floor = Surface::HalfSpace(HalfSpace);
        world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Y, Motion::Fixed));
        let half = 0.5 * self.thickness * self.radius;
        let corner = |radius: f64, joint: usize| {
            let angle = PI * joint as f64 / self.blocks as f64;
            radius * DVec2::new(angle.cos(), angle.sin())
        };
        for block in 0..self.blocks {
            let (inner, outer) = (self.radius - half, self.radius + half);
            let corners = [
                corner(inner, block),
                corner(outer, block),
                corner(outer, block + 1),
                corner(inner, block + 1),
            ];
            let (solid, frame) =
                Solid::polygon(&corners, 0.0).expect("a wedge is a convex polygon");
            let mut body = RigidBody::of_shape(&solid, frame.position, DENSITY * solid.volume());
            body.orientation = frame.orientation;
            let shape = world.add_shape(solid);
            world.add_solid(&body, shape, 0);
        }
        world
    }
}

/// A world in space with a floor and exact friction.
fn on_floor(friction: f64) -> World {
    let mut world = World::new(Dimension::Space);
    world.gravity = -GRAVITY * DVec3::Z;
    world.laws = LawTable::uniform(Law::Coulomb(Friction::sliding(friction)));
    let floor = Surface::HalfSpace(HalfSpace);
    world.add_wall(Wall::new(floor, DVec3::ZERO, DVec3::Z, Motion::Fixed));
    world
}

/// A wall of bricks (0.2 × 0.1 × 0.06 m) in running bond, so many in a layer and so many layers, with μ = 0.6.
pub fn brick_wall(in_layer: usize, layers: usize) -> World {
    let half = DVec3::new(0.1, 0.05, 0.03);
    let mut world = on_floor(0.6);
    let brick = Solid::from(Hull::cuboid(half));
    let mass = DENSITY * brick.volume();
    let shape = world.add_shape(brick.clone());
    for layer in 0..layers {
        // Every other layer is moved by half a brick.
        let shift = if layer % 2 == 0 { 0.0 } else { half.x };
        for place in 0..in_layer {
            let x = 2.0 * half.x * place as f64 + shift;
            let z = half.z * (2.0 * layer as f64 + 1.0);
            let body = RigidBody::of_shape(&brick, DVec3::new(x, 0.0, z), mass);
            world.add_solid(&body, shape, 0);
        }
    }
    world
}

/// A tower of cubes of 0.1 m on a floor, the topmost `ratio` times as heavy as the others, with μ = 0.5.
pub fn tower(cubes: usize, ratio: f64) -> World {
    let mut world = on_floor(0.5);
    let cube = Solid::from(Hull::cuboid(DVec3::splat(0.05)));
    let shape = world.add_shape(cube.clone());
    for k in 0..cubes {
        let mass = if k + 1 == cubes { ratio } else { 1.0 };
        let position = DVec3::new(0.0, 0.0, 0.05 + 0.1 * k as f64);
        world.add_solid(&RigidBody::of_shape(&cube, position, mass), shape, 0);
    }
    world
}

/// How fast the first domino is pushed over, rad/s: enough for it to fall.
const PUSH: f64 = 6.0;

/// A row of so many dominoes (8 × 24 × 48 mm, 24 mm from middle to middle) along x; the first is pushed. μ = 0.2.
pub fn dominoes(count: usize) -> World {
    let half = DVec3::new(0.004, 0.012, 0.024);
    let mut world = on_floor(0.2);
    let domino = Solid::from(Hull::cuboid(half));
    let mass = 1000.0 * domino.volume();
    let shape = world.add_shape(domino.clone());
    for k in 0..count {
        let position = DVec3::new(0.024 * k as f64, 0.0, half.z);
        let mut body = RigidBody::of_shape(&domino, position, mass);
        if k == 0 {
            // It turns about its lower edge in front.
            body.angular_velocity = PUSH * DVec3::Y;
            body.velocity = body
                .angular_velocity
                .cross(DVec3::new(-half.x, 0.0, half.z));
        }
        world.add_solid(&body, shape, 0);
    }
    world
}

/// A cube of this size (m) at rest on a plane inclined by `slope` (rad), with friction μ. The coordinates are those of
/// the plane: x down the slope, z normal to it.
pub fn block_on_slope(size: f64, slope: f64, friction: f64) -> World {
    let mut world = on_floor(friction);
    world.gravity = GRAVITY * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let cube = Solid::from(Hull::cuboid(DVec3::splat(0.5 * size)));
    let body = RigidBody::of_shape(&cube, 0.5 * size * DVec3::Z, DENSITY * cube.volume());
    let shape = world.add_shape(cube);
    world.add_solid(&body, shape, 0);
    world
}
