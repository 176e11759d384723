//! How the links of a robot hang together.

use super::{Fault, Robot};

/// The links of a robot as a tree.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// The places of the links, parents before children; the root is the first.
    pub(super) order: Vec<usize>,
    /// The place of the parent of each link and of the joint between them, by the places of links; none for the root.
    pub(super) above: Vec<Option<Above>>,
}

/// What a link hangs on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Above {
    /// The place of the link.
    pub(super) link: usize,
    /// The place of the joint.
    pub(super) joint: usize,
}

impl Tree {
    /// The tree of a robot, whose joints must name links that are there, and leave one of them without a parent.
    pub(super) fn of(robot: &Robot) -> Result<Self, Fault> {
        let place = |joint: usize, end: &str, name: &str| {
            let found = robot.links.iter().position(|link| link.name == name);
            let joint = &robot.joints[joint];
            found.ok_or_else(|| {
                Fault::at(
                    joint.line,
                    format!(
                        "joint `{}`: there is no link `{name}`, its {end}",
                        joint.name
                    ),
                    format!("check the name, or add `<link name=\"{name}\"/>`"),
                )
            })
        };
        let mut above: Vec<Option<Above>> = vec![None; robot.links.len()];
        for (number, joint) in robot.joints.iter().enumerate() {
            let link = place(number, "parent", &joint.parent)?;
            let child = place(number, "child", &joint.child)?;
            if let Some(first) = above[child] {
                return Err(Fault::at(
                    joint.line,
                    format!(
                        "link `{}` is the child of two joints, `{}` and `{}`: a loop is no tree",
                        joint.child, robot.joints[first.joint].name, joint.name
                    ),
                    "leave one of the joints out of the file; links that should close a loop are joined by `[[joints]]` between `[[bodies]]`",
                ));
            }
            above[child] = Some(Above {
                link,
                joint: number,
            });
        }
        let mut roots = (0..above.len()).filter(|&link| above[link].is_none());
        let Some(root) = roots.next() else {
            return Err(in_a_loop(robot, 0));
        };
        if let Some(second) = roots.next() {
            let (one, other) = (&robot.links[root], &robot.links[second]);
            return Err(Fault::at(
                other.line,
                format!(
                    "two links have no parent: `{}` and `{}`",
                    one.name, other.name
                ),
                "join one to the other; a link that hangs on nothing has a joint of the type `floating`",
            ));
        }
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&parent) = order.get(next) {
            let children =
                (0..above.len()).filter(|&k| above[k].is_some_and(|up| up.link == parent));
            order.extend(children);
            next += 1;
        }
        match (0..above.len()).find(|link| !order.contains(link)) {
            Some(link) => Err(in_a_loop(robot, link)),
            None => Ok(Self { order, above }),
        }
    }
}

/// The fault of a link that hangs on itself, by way of others.
fn in_a_loop(robot: &Robot, link: usize) -> Fault {
    let link = &robot.links[link];
    Fault::at(
        link.line,
        format!(
            "link `{}` hangs on a loop of joints, not on a root",
            link.name
        ),
        "one link of the file must be the child of no joint, and all others its descendants",
    )
}
