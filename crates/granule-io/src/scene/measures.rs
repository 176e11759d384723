//! From the words of `[[measures]]` to what is measured.

use super::grammar::{GridSpec, MeasureRegion, MeasureSpec, Sections};
use super::{convert, generate};
use crate::measures::{Kind, Mark, Measure};
use granule::bodies::Dimension;
use granule::math::DVec3;
use granule::measure::{Gate, Grid, Region, Slices};

/// Everything that a scene measures, in the order of the file. Its values have been checked.
pub(super) fn all(sections: &Sections) -> Vec<Measure> {
    let given = sections.measures.iter();
    given.filter_map(|spec| one(sections, spec)).collect()
}

/// A measure; `None` if it is none of those that there are.
pub(super) fn one(sections: &Sections, spec: &MeasureSpec) -> Option<Measure> {
    let dimension = convert::dimension(sections.scene.dimension);
    let usual = sections.output.frame_interval;
    Some(Measure {
        name: spec.name.clone(),
        interval: spec.interval.or(usual).unwrap_or(sections.time.end),
        kind: kind(sections, spec, dimension)?,
    })
}

fn kind(sections: &Sections, spec: &MeasureSpec, dimension: Dimension) -> Option<Kind> {
    let region = |given: Option<&MeasureRegion>| {
        given.map_or(Region::Everywhere, |given| region(given, dimension))
    };
    if let Some(flow) = &spec.flow {
        return Some(Kind::Flow(Gate {
            point: convert::vector(&flow.point),
            normal: convert::direction(&flow.normal).normalize(),
            within: region(flow.within.as_ref()),
        }));
    }
    if let Some(stress) = &spec.stress {
        return Some(Kind::Stress(region(stress.region.as_ref())));
    }
    if let Some(field) = &spec.stress_field {
        return Some(Kind::StressField(grid(field, dimension)));
    }
    if let Some(fraction) = &spec.solid_fraction {
        return Some(Kind::SolidFraction(region(fraction.region.as_ref())));
    }
    if let Some(coordination) = &spec.coordination {
        return Some(Kind::Coordination(region(coordination.region.as_ref())));
    }
    if let Some(profile) = &spec.profile {
        let axis = convert::direction(&profile.axis).normalize();
        let slices = Slices::new(
            region(Some(&profile.region)),
            axis,
            profile.bins as usize,
            dimension,
        );
        return slices.map(Kind::Profile);
    }
    if let Some(mixing) = &spec.mixing {
        let mark = match (&mixing.material, mixing.larger_than) {
            (Some(name), _) => Mark::Material(generate::material_index(sections, Some(name))),
            (None, radius) => Mark::LargerThan(radius?),
        };
        return Some(Kind::Mixing {
            grid: grid(&mixing.grid, dimension),
            mark,
        });
    }
    if let Some(forces) = &spec.force_distribution {
        return Some(Kind::ForceDistribution {
            region: region(forces.region.as_ref()),
            bins: forces.bins as usize,
            end: forces.end,
        });
    }
    if spec.repose.is_some() {
        let up = -convert::vector_or_zero(sections.scene.gravity.as_ref());
        let usual = match dimension {
            Dimension::Space => DVec3::Z,
            Dimension::Line | Dimension::Plane => DVec3::Y,
        };
        let up = up.try_normalize().unwrap_or(usual);
        return Some(Kind::Repose { up });
    }
    if spec.displacement.is_some() {
        return Some(Kind::Displacement);
    }
    Some(Kind::Expression {
        formula: spec.expression.clone()?,
        unit: spec.unit.clone().unwrap_or_else(|| "-".to_owned()),
    })
}

fn region(given: &MeasureRegion, dimension: Dimension) -> Region {
    match given {
        MeasureRegion::Box(given) => Region::rectangle(
            convert::vector(&given.min),
            convert::vector(&given.max),
            dimension,
        ),
        MeasureRegion::Sphere(given) => Region::Sphere {
            center: convert::vector(&given.center),
            radius: given.radius,
        },
        MeasureRegion::Cylinder(given) => {
            let (center, radius) = (convert::vector(&given.center), given.radius);
            let axis = given.axis.as_ref().map_or(DVec3::Z, convert::direction);
            match given.length {
                Some(length) if dimension == Dimension::Space => Region::Cylinder {
                    center,
                    axis: axis.normalize(),
                    radius,
                    length,
                },
                _ => Region::Sphere { center, radius },
            }
        }
    }
}

fn grid(given: &GridSpec, dimension: Dimension) -> Grid {
    let (mut min, mut max) = (convert::vector(&given.min), convert::vector(&given.max));
    let mut counts = [1; 3];
    for axis in 0..3 {
        if axis < dimension.count() {
            counts[axis] = given.counts.get(axis).map_or(1, |&count| count as usize);
        } else {
            (min[axis], max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    Grid::new(min, max, counts)
}
