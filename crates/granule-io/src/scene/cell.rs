//! The periodic cell of a scene.

use super::convert;
use super::error::Problem;
use super::grammar::{CellSpec, Sections};
use super::key_path::key_path;
use granule::bodies::{Cell, Faces, Shear};
use granule::math::DVec3;
use granule::shapes::Region;
use granule::simulation::{Item, SetupError, World};

/// The cell, if there is one.
pub(crate) fn cell(sections: &Sections) -> Option<Cell> {
    let spec = sections.cell.as_ref()?;
    let dimension = usize::from(sections.scene.dimension);
    let [min, max] = [&spec.min, &spec.max].map(convert::vector);
    let mut size = max - min;
    for axis in (0..3).filter(|&axis| !spec.is_periodic(axis, dimension)) {
        size[axis] = 0.0;
    }
    let mut cell = Cell::new(0.5 * (min + max), size);
    cell.shear = spec.shear.as_ref().map(|shear| Shear {
        flow: shear.flow.index(),
        gradient: shear.gradient.index(),
        rate: (&shear.rate).into(),
    });
    for axis in 0..3 {
        let strain = spec
            .strain_rate
            .as_ref()
            .and_then(|given| given.all()[axis]);
        let stress = spec.stress.as_ref().and_then(|given| given.all()[axis]);
        cell.faces[axis] = match (strain, stress) {
            (Some(rate), _) => Faces::Strained(rate.into()),
            (None, Some(stress)) => Faces::Pressed(stress.into()),
            (None, None) => Faces::Held,
        };
    }
    cell.mass = spec.mass;
    Some(cell)
}

/// Where the centres of grains of this radius (m) may be that lie in the cell, as a region that grains of that radius lie
/// wholly in.
pub(crate) fn room(spec: &CellSpec, radius: f64, dimension: usize) -> Region {
    let [mut min, mut max] = [&spec.min, &spec.max].map(convert::vector);
    for axis in (0..dimension).filter(|&axis| spec.is_periodic(axis, dimension)) {
        min[axis] -= radius;
        max[axis] += radius;
    }
    Region::cuboid(min, max)
}

/// Whether all that is in the world goes with its cell.
pub(crate) fn check(world: &World) -> Result<(), Problem> {
    match world.validate() {
        Err(SetupError::World {
            item: Item::Cell,
            reason,
        }) => Err(Problem::new(key_path!["cell"], reason, "this cell")
            .help("see `[cell]` in docs/KEYS.md, and the scene `periodic_shear`")),
        _ => Ok(()),
    }
}

/// The image of a place (m) that is in the cell, if there is one.
pub(crate) fn inside(cell: Option<&Cell>, place: DVec3) -> DVec3 {
    cell.map_or(place, |cell| cell.lattice().inside(place))
}

/// Calls `visit` with the image of a place (m) in the cell, and with those that are within `margin` (m) of the cell.
pub(crate) fn each_place(
    cell: Option<&Cell>,
    place: DVec3,
    margin: f64,
    mut visit: impl FnMut(DVec3),
) {
    let Some(cell) = cell else {
        visit(place);
        return;
    };
    let lattice = cell.lattice();
    let place = lattice.inside(place);
    visit(place);
    lattice.each_image(place - cell.center, margin, |image| {
        visit(place + lattice.shift(image))
    });
}
