//! Elements, attributes and numbers of a robot description.

use super::Fault;
use granule::math::{DQuat, DVec3, Pose};
use roxmltree::Node;

/// Beyond this numbers overflow once squared and multiplied.
const LARGEST: f64 = 1e30;

/// An element with what it belongs to, as `link `arm``, for messages.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    owner: &'a str,
}

impl<'a> Element<'a> {
    /// An element of what `owner` calls it.
    pub(super) fn new(node: Node<'a, 'a>, owner: &'a str) -> Self {
        Self { node, owner }
    }

    /// Its line in the file, counted from 1.
    pub(super) fn line(self) -> u32 {
        line(self.node)
    }

    /// The name of its tag.
    pub(super) fn tag(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// A fault of it.
    pub(super) fn fault(self, reason: impl std::fmt::Display, help: impl Into<String>) -> Fault {
        Fault::at(self.line(), format!("{}: {reason}", self.owner), help)
    }

    /// The elements inside.
    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let elements = self.node.children().filter(Node::is_element);
        elements.map(move |node| Self::new(node, self.owner))
    }

    /// The first element inside with this tag.
    pub(super) fn child(self, tag: &str) -> Option<Self> {
        self.children().find(|child| child.tag() == tag)
    }

    /// The element inside with this tag, which must be there.
    pub(super) fn need(self, tag: &str, example: &str) -> Result<Self, Fault> {
        self.child(tag).ok_or_else(|| {
            let reason = format!("`<{}>` has no `<{tag}>`", self.tag());
            self.fault(reason, format!("add one, as in `{example}`"))
        })
    }

    /// The text of an attribute.
    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// The text of an attribute that must be there.
    pub(super) fn need_text(self, name: &str) -> Result<&'a str, Fault> {
        self.text(name).ok_or_else(|| {
            let reason = format!("`<{}>` has no attribute `{name}`", self.tag());
            self.fault(reason, format!("add `{name}=\"…\"`"))
        })
    }

    /// A number, if the attribute is there.
    pub(super) fn number(self, name: &str) -> Result<Option<f64>, Fault> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        match usable(text.trim()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.no_number(name, text, "a finite number")),
        }
    }

    /// A number that must be there.
    pub(super) fn need_number(self, name: &str) -> Result<f64, Fault> {
        self.need_text(name)?;
        Ok(self.number(name)?.unwrap_or(0.0))
    }

    /// A length that must be there, m.
    pub(super) fn need_length(self, name: &str) -> Result<f64, Fault> {
        let length = self.need_number(name)?;
        if length > 0.0 {
            return Ok(length);
        }
        let reason = format!("`{name}` of a {} is {length}", self.tag());
        Err(self.fault(reason, "give a length above zero, in m"))
    }

    /// Three numbers, if the attribute is there.
    pub(super) fn vector(self, name: &str) -> Result<Option<DVec3>, Fault> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(usable).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(Some(DVec3::new(x, y, z))),
            _ => Err(self.no_number(name, text, "three finite numbers")),
        }
    }

    fn no_number(self, name: &str, text: &str, what: &str) -> Fault {
        let reason = format!("`{name}=\"{text}\"` of `<{}>` is not {what}", self.tag());
        self.fault(reason, format!("give {what}; units are m, kg, s and rad"))
    }

    /// The pose that its `<origin>` gives: turned about x, then y, then z of the outer frame by `rpy` (rad).
    pub(super) fn origin(self) -> Result<Pose, Fault> {
        let Some(origin) = self.child("origin") else {
            return Ok(Pose::IDENTITY);
        };
        let position = origin.vector("xyz")?.unwrap_or(DVec3::ZERO);
        let angles = origin.vector("rpy")?.unwrap_or(DVec3::ZERO);
        let orientation =
            turn(DVec3::Z, angles.z) * turn(DVec3::Y, angles.y) * turn(DVec3::X, angles.x);
        Ok(Pose::new(position, orientation.normalize()))
    }
}

/// The line of a node, counted from 1.
pub(super) fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

fn usable(text: &str) -> Option<f64> {
    let number = text.parse::<f64>().ok();
    number.filter(|number| number.abs() <= LARGEST)
}

/// A turn about a unit axis by an angle (rad), the same bits on every machine.
pub(super) fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(sin * axis.x, sin * axis.y, sin * axis.z, cos)
}
