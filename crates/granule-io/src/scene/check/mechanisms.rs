//! Checks of `[[mechanisms]]`; what their files hold is checked where they are read.

use super::values::{quaternion, usable_name};
use super::{Check, Rules};
use crate::scene::error::Problem;
use crate::scene::grammar::Sections;
use crate::scene::key_path::key_path;

pub(super) fn all(rules: &Rules, sections: &Sections) -> Check {
    for (k, mechanism) in sections.mechanisms.iter().enumerate() {
        let path = key_path!["mechanisms", k];
        if rules.dimension != 3 {
            let dimension = rules.dimension;
            return Err(Problem::new(
                path,
                format!("there are no mechanisms in {dimension}D"),
                "for 3D alone",
            )
            .help("set `dimension = 3` in `[scene]`, or join `[[bodies]]` by `[[joints]]`"));
        }
        if let Some(name) = &mechanism.name {
            usable_name(name, "mechanism", &path.join("name"))?;
        }
        let urdf = path.join("urdf");
        if let Some(position) = &mechanism.urdf.position {
            rules.vector(position, &urdf.join("position"))?;
        }
        quaternion(mechanism.urdf.orientation, &urdf.join("orientation"))?;
        rules.material(mechanism.material.as_deref(), &path.join("material"))?;
    }
    Ok(())
}
