//! Links and joints of a robot description, as the file has them.

use super::Fault;
use super::xml::{Element, line};
use granule::math::{DMat3, DVec3, Pose, principal_axes};
use granule::shapes::MassProperties;
use roxmltree::Document;

/// Links and joints.
#[derive(Debug, Clone)]
pub(super) struct Robot {
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
}

/// A link.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) line: u32,
    /// Mass (in place of the volume, kg), centre and inertia in the frame of the link; none for a link without mass.
    pub(super) mass: Option<MassProperties>,
    pub(super) collisions: Vec<Collision>,
}

/// A collision shape of a link.
#[derive(Debug, Clone)]
pub(super) struct Collision {
    pub(super) line: u32,
    /// In the frame of the link.
    pub(super) pose: Pose,
    pub(super) geometry: Geometry,
}

/// What a collision shape is; lengths in m.
#[derive(Debug, Clone)]
pub(super) enum Geometry {
    Box(DVec3),
    /// About z.
    Cylinder {
        radius: f64,
        length: f64,
    },
    Sphere(f64),
    /// About z; the length is that between the centres of its ends.
    Capsule {
        radius: f64,
        length: f64,
    },
    Mesh {
        file: String,
        scale: DVec3,
    },
}

/// What a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JointType {
    /// Turns about the axis.
    Hinge,
    /// Slides along the axis.
    Slider,
    /// Nothing.
    Fixed,
    /// Everything.
    Floating,
}

/// A joint.
#[derive(Debug, Clone)]
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) kind: JointType,
    /// The names of links.
    pub(super) parent: String,
    pub(super) child: String,
    /// The frame of the child in that of the parent, in the zero pose.
    pub(super) origin: Pose,
    /// In the frame of the child, a unit vector.
    pub(super) axis: DVec3,
    /// Stops, rad or m.
    pub(super) limits: Option<[f64; 2]>,
    /// The most that a motor takes, N m or N.
    pub(super) effort: Option<f64>,
    /// N m s/rad or N s/m.
    pub(super) damping: f64,
    /// N m or N.
    pub(super) friction: f64,
    /// The joint that it should follow.
    pub(super) mimic: Option<String>,
}

impl Robot {
    /// Reads the text of a file.
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|error| {
            Fault::at(
                error.pos().row,
                format!("not XML: {error}"),
                "give a robot description (URDF), a text in XML",
            )
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "robot" {
            return Err(Fault::at(
                line(root),
                format!("`<{}>` where `<robot>` is expected", root.tag_name().name()),
                "give a robot description (URDF); those of other formats are to be converted first",
            ));
        }
        let (mut links, mut joints) = (Vec::<Link>::new(), Vec::<Joint>::new());
        for node in root.children().filter(roxmltree::Node::is_element) {
            let tag = node.tag_name();
            if tag.namespace().is_some_and(|uri| uri.contains("xacro")) {
                return Err(Fault::at(
                    line(node),
                    format!("`<xacro:{}>`: macros are not expanded", tag.name()),
                    "expand the file first: `xacro robot.urdf.xacro > robot.urdf`",
                ));
            }
            let what = tag.name();
            if what != "link" && what != "joint" {
                continue;
            }
            let name = node.attribute("name").unwrap_or_default();
            if name.is_empty() {
                return Err(Fault::at(
                    line(node),
                    format!("a {what} without a name"),
                    "add `name=\"…\"`",
                ));
            }
            let owner = format!("{what} `{name}`");
            let element = Element::new(node, &owner);
            let known = match what {
                "link" => links.iter().find(|link| link.name == name).map(|l| l.line),
                _ => joints
                    .iter()
                    .find(|joint| joint.name == name)
                    .map(|j| j.line),
            };
            if let Some(first) = known {
                let reason = format!("the name is that of the one in line {first}, too");
                return Err(element.fault(reason, format!("give each {what} a name of its own")));
            }
            match what {
                "link" => links.push(Link::read(element, name)?),
                _ => joints.push(Joint::read(element, name)?),
            }
        }
        if links.is_empty() {
            return Err(Fault::whole(
                "the robot has no links",
                "add `<link name=\"base\">…</link>` inside `<robot>`",
            ));
        }
        Ok(Self { links, joints })
    }
}

impl Link {
    fn read(element: Element<'_>, name: &str) -> Result<Self, Fault> {
        let collisions = element
            .children()
            .filter(|child| child.tag() == "collision");
        Ok(Self {
            name: name.to_owned(),
            line: element.line(),
            mass: match element.child("inertial") {
                Some(inertial) => mass(inertial)?,
                None => None,
            },
            collisions: collisions.map(Collision::read).collect::<Result<_, _>>()?,
        })
    }
}

/// Mass and inertia of a link; a mass of zero is none.
fn mass(inertial: Element<'_>) -> Result<Option<MassProperties>, Fault> {
    let mass = inertial.need("mass", "<mass value=\"1.5\"/>")?;
    let value = mass.need_number("value")?;
    if value < 0.0 {
        let reason = format!("the mass is {value} kg");
        return Err(mass.fault(reason, "give a mass above zero, in kg"));
    }
    if value == 0.0 {
        return Ok(None);
    }
    let example = "<inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
    let given = inertial.need("inertia", example)?;
    let [xx, yy, zz] = ["ixx", "iyy", "izz"].map(|name| given.need_number(name));
    let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(|name| given.number(name));
    let (xx, yy, zz) = (xx?, yy?, zz?);
    let (xy, xz, yz) = (xy?.unwrap_or(0.0), xz?.unwrap_or(0.0), yz?.unwrap_or(0.0));
    let inertia = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let (moments, _) = principal_axes(inertia);
    // Zero on one axis or on all may become more where links are lumped.
    if moments.min_element() < -1e-9 * moments.max_element().abs() || moments.max_element() < 0.0 {
        let reason = format!(
            "the inertia is not positive definite: its principal moments are {:.3e}, {:.3e} and {:.3e} kg m²",
            moments.x, moments.y, moments.z
        );
        return Err(given.fault(
            reason,
            "check the six numbers: they are about the centre of mass, in kg m², and products have the sign of -∫ x y dm",
        ));
    }
    let here = MassProperties {
        volume: value,
        centroid: DVec3::ZERO,
        inertia,
    };
    Ok(Some(here.moved(&inertial.origin()?)))
}

impl Collision {
    fn read(element: Element<'_>) -> Result<Self, Fault> {
        let example = "<geometry><sphere radius=\"0.1\"/></geometry>";
        let geometry = element.need("geometry", example)?;
        let help = "give a `box`, `cylinder`, `sphere`, `capsule` or `mesh`";
        let Some(shape) = geometry.children().next() else {
            return Err(geometry.fault("`<geometry>` is empty", help));
        };
        let geometry = match shape.tag() {
            "box" => {
                shape.need_text("size")?;
                let size = shape.vector("size")?.unwrap_or(DVec3::ZERO);
                if size.min_element() <= 0.0 {
                    let reason = format!("the box has the size {}, {}, {}", size.x, size.y, size.z);
                    return Err(shape.fault(reason, "give three lengths above zero, in m"));
                }
                Geometry::Box(size)
            }
            "cylinder" => Geometry::Cylinder {
                radius: shape.need_length("radius")?,
                length: shape.need_length("length")?,
            },
            "sphere" => Geometry::Sphere(shape.need_length("radius")?),
            "capsule" => Geometry::Capsule {
                radius: shape.need_length("radius")?,
                length: shape.need_length("length")?,
            },
            "mesh" => Geometry::Mesh {
                file: shape.need_text("filename")?.to_owned(),
                scale: shape.vector("scale")?.unwrap_or(DVec3::ONE),
            },
            other => {
                let reason = format!("`<{other}>` is no known shape");
                return Err(shape.fault(reason, help));
            }
        };
        Ok(Self {
            line: shape.line(),
            pose: element.origin()?,
            geometry,
        })
    }
}

impl Joint {
    fn read(element: Element<'_>, name: &str) -> Result<Self, Fault> {
        let kind = joint_type(element)?;
        let link = |tag: &str| -> Result<String, Fault> {
            let end = element.need(tag, &format!("<{tag} link=\"base\"/>"))?;
            Ok(end.need_text("link")?.to_owned())
        };
        let mut axis = DVec3::X;
        if let Some(given) = element.child("axis").filter(|_| moves(kind)) {
            axis = given.vector("xyz")?.unwrap_or(axis);
            if axis == DVec3::ZERO {
                return Err(
                    given.fault("the axis has no direction", "as in `<axis xyz=\"0 0 1\"/>`")
                );
            }
            axis = (axis / axis.abs().max_element()).normalize();
        }
        let (limits, effort) = match element.child("limit") {
            Some(limit) if moves(kind) => limits(element, limit)?,
            Some(_) | None => (None, None),
        };
        let (mut damping, mut friction) = (0.0, 0.0);
        if let Some(dynamics) = element.child("dynamics") {
            for (value, name) in [(&mut damping, "damping"), (&mut friction, "friction")] {
                *value = dynamics.number(name)?.unwrap_or(0.0);
                if *value < 0.0 {
                    let reason = format!("`{name}` is {value}");
                    return Err(dynamics.fault(reason, "give zero or more"));
                }
            }
        }
        let mimic = element.child("mimic");
        Ok(Self {
            name: name.to_owned(),
            line: element.line(),
            kind,
            parent: link("parent")?,
            child: link("child")?,
            origin: element.origin()?,
            axis,
            limits,
            effort,
            damping,
            friction,
            mimic: match mimic {
                Some(mimic) => Some(mimic.need_text("joint")?.to_owned()),
                None => None,
            },
        })
    }
}

fn moves(kind: JointType) -> bool {
    matches!(kind, JointType::Hinge | JointType::Slider)
}

fn joint_type(element: Element<'_>) -> Result<JointType, Fault> {
    match element.need_text("type")? {
        "revolute" | "continuous" => Ok(JointType::Hinge),
        "prismatic" => Ok(JointType::Slider),
        "fixed" => Ok(JointType::Fixed),
        "floating" => Ok(JointType::Floating),
        "planar" => Err(element.fault(
            "`planar` joints are not known here",
            "put two `prismatic` joints and a `continuous` one in its place, with light links between",
        )),
        other => Err(element.fault(
            format!("`{other}` is no type of joint"),
            "use `revolute`, `continuous`, `prismatic`, `fixed` or `floating`",
        )),
    }
}

/// Stops and the strength of motors. A continuous joint, and one without a lower and an upper limit, has no stops.
fn limits(
    joint: Element<'_>,
    limit: Element<'_>,
) -> Result<(Option<[f64; 2]>, Option<f64>), Fault> {
    let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
    let effort = limit.number("effort")?.filter(|effort| *effort > 0.0);
    let continuous = joint.text("type") == Some("continuous");
    if continuous || (lower.is_none() && upper.is_none()) {
        return Ok((None, effort));
    }
    let stops = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
    if stops[0] > stops[1] {
        let [lower, upper] = stops;
        let reason = format!("the lower limit, {lower}, is above the upper one, {upper}");
        return Err(limit.fault(
            reason,
            "swap them; a joint without stops is `continuous`, or has a `<limit>` without `lower` and `upper`",
        ));
    }
    Ok((Some(stops), effort))
}
