//! Checks of `[materials]` and `[contacts]`: which law holds between which materials.

use super::bonds::bond;
use super::springs::springs;
use super::values::{positive, positive_if_given};
use super::{Check, Rules};
use crate::scene::error::Problem;
use crate::scene::grammar::{BondSpec, Contacts, Sections, SpringKeys};
use crate::scene::key_path::{KeyPath, key_path};
use granule::law::{Bond, Friction, Interface, LawName, LawTable, Restitution};
use granule::scheme::SchemeName;

/// The keys of the coefficients, as [`Contacts::coefficients`] gives them.
const KEYS: [&str; 3] = ["friction", "rolling_friction", "spinning_friction"];
/// The keys of the restitution, as [`Contacts::restitution`] gives them.
const RESTITUTION: [&str; 2] = ["restitution", "tangential_restitution"];

/// A law as it is given in `[contacts]` or in a pair.
struct Given {
    law: LawName,
    coefficients: [Option<f64>; 3],
    restitution: [Option<f64>; 2],
    springs: SpringKeys,
    /// What holds with them.
    interface: Interface,
    bond: Option<BondSpec>,
    /// Where the coefficients are.
    path: KeyPath,
    /// Where the law is named.
    named: KeyPath,
}

pub(super) fn materials(sections: &Sections) -> Check {
    for (name, material) in &sections.materials {
        let path = key_path!["materials", name.as_str()];
        positive(material.density, &path.join("density"))?;
    }
    if sections.materials.len() > usize::from(u16::MAX) {
        return Err(
            Problem::new(key_path!["materials"], "too many materials", "above 65535")
                .help("give bodies that touch in the same way the same material"),
        );
    }
    Ok(())
}

pub(super) fn contacts(rules: &Rules, sections: &Sections) -> Check {
    let contacts = &sections.contacts;
    let path = key_path!["contacts", "candidate_distance"];
    positive_if_given(contacts.candidate_distance, &path)?;
    if contacts.candidate_distance.is_some() && sections.time.scheme == SchemeName::MoreauJean {
        return Err(Problem::new(
            path,
            "`candidate_distance` has no effect with `moreau-jean`",
            "only contacts that are closed take part",
        )
        .help("leave it out"));
    }
    pairs(rules, contacts)?;
    let laws = laws(contacts);
    for given in &laws {
        coefficients(given)?;
        effect(rules, sections.scene.lock_rotation, given)?;
        restitution(sections.time.scheme, given)?;
        convexified(sections.time.scheme, given)?;
        let [_, rolling, spinning] = given.coefficients.map(Option::unwrap_or_default);
        let held = given.bond.map(Bond::from);
        let kinds = [
            given.law != LawName::Frictionless || held.is_some_and(|bond| bond.shear > 0.0),
            rolling + spinning > 0.0 || held.is_some_and(|bond| bond.has_moments()),
        ];
        springs(&given.springs, &given.path, kinds)?;
        bond(rules, sections, given.bond, &given.springs, &given.path)?;
        yielding(given)?;
        given_back(given)?;
    }
    unmixed(&laws)?;
    dilatancy(contacts, sections.time.scheme, &laws)?;
    inertia(rules, sections)
}

/// Every law of the scene with where it is given.
fn laws(contacts: &Contacts) -> Vec<Given> {
    let path = key_path!["contacts"];
    let named = path.join("law");
    let mut laws = vec![Given {
        law: contacts.name(),
        coefficients: contacts.coefficients(),
        restitution: contacts.restitution(),
        springs: contacts.springs(),
        interface: contacts.default_interface(),
        bond: contacts.bond,
        path,
        named: named.clone(),
    }];
    laws.extend(contacts.pairs.iter().enumerate().map(|(k, pair)| {
        let path = key_path!["contacts", "pairs", k];
        Given {
            law: contacts.name_of(pair),
            coefficients: pair.coefficients(),
            restitution: pair.restitution(),
            springs: pair.springs(),
            interface: contacts.interface_of(pair),
            bond: pair.bond,
            named: match pair.law {
                Some(_) => path.join("law"),
                None => named.clone(),
            },
            path,
        }
    }));
    laws
}

/// Materials exist, and no pair is given twice.
fn pairs(rules: &Rules, contacts: &Contacts) -> Check {
    for (k, pair) in contacts.pairs.iter().enumerate() {
        let path = key_path!["contacts", "pairs", k];
        for (side, name) in pair.between.iter().enumerate() {
            rules.material(Some(name), &path.join("between").join(side))?;
        }
        let [a, b] = &pair.between;
        let same = |other: &[String; 2]| {
            (&other[0], &other[1]) == (a, b) || (&other[1], &other[0]) == (a, b)
        };
        if let Some(first) = contacts.pairs[..k]
            .iter()
            .position(|other| same(&other.between))
        {
            return Err(Problem::new(
                path,
                format!("the law between `{a}` and `{b}` is given twice"),
                "again here",
            )
            .also(key_path!["contacts", "pairs", first], "first here")
            .help("keep one of the two"));
        }
    }
    Ok(())
}

/// Laws with friction have coefficients that make sense, the others none.
fn coefficients(given: &Given) -> Check {
    if given.law == LawName::Frictionless {
        let Some(k) = given.coefficients.iter().position(Option::is_some) else {
            return Ok(());
        };
        return Err(Problem::new(
            given.path.join(KEYS[k]),
            format!("`{}` needs a law with friction", KEYS[k]),
            "the law is `frictionless`",
        )
        .help("set `law = \"coulomb\"` beside it, or leave it out"));
    }
    let [sliding, rolling, spinning] = given.coefficients.map(Option::unwrap_or_default);
    let friction = Friction {
        sliding,
        rolling,
        spinning,
    };
    if let Err((key, reason)) = friction.validate() {
        let help = match key {
            "friction" => "dry grains have `friction` between 0.2 and 0.8",
            _ => "a length (m), usually some hundredths of a radius; leave it out for none",
        };
        return Err(Problem::new(
            given.path.join(key),
            format!("`{key}` {reason}"),
            "out of range",
        )
        .help(help));
    }
    if given.coefficients[0].is_some() {
        return Ok(());
    }
    let problem = |path: &KeyPath| {
        let reason = format!("`{}` needs the coefficient of friction μ", given.law.name());
        Problem::new(path.clone(), reason, "`friction` is missing")
    };
    Err(if given.named == given.path.join("law") {
        problem(&given.named).help("add `friction = 0.5`, or use `law = \"frictionless\"`")
    } else {
        problem(&given.path)
            .also(given.named.clone(), "the law of pairs that name none")
            .help(
                "add `friction = 0.5` or `law = \"frictionless\"` to the pair: it takes the law of \
                 `[contacts]`, not its coefficients",
            )
    })
}

/// What is given has an effect: there is something to slide, roll or spin.
fn effect(rules: &Rules, locked: bool, given: &Given) -> Check {
    let useless = |k: usize, reason: &str, label: &str| {
        let reason = format!("`{}` has no effect: {reason}", KEYS[k]);
        let help = format!("leave `{}` out", KEYS[k]);
        Err(Problem::new(given.path.join(KEYS[k]), reason, label).help(help))
    };
    let positive = |k: usize| given.coefficients[k].is_some_and(|value| value > 0.0);
    if rules.dimension == 1 && given.law != LawName::Frictionless {
        return Err(Problem::new(
            given.path.join(KEYS[0]),
            "bodies on a line do not slide past each other",
            "friction has no effect in 1D",
        )
        .help("use `law = \"frictionless\"`, or set `dimension = 2`"));
    }
    if let Some(k) = (1..KEYS.len()).find(|&k| locked && positive(k)) {
        return useless(k, "bodies do not turn", "not used with `lock_rotation`");
    }
    if rules.dimension == 2 && positive(2) {
        return useless(2, "disks do not turn about a normal", "not used in 2D");
    }
    Ok(())
}

/// Restitution is in its range, and scheme and law know it.
fn restitution(scheme: SchemeName, given: &Given) -> Check {
    let [normal, tangential] = given.restitution.map(Option::unwrap_or_default);
    let problem = |key: &str, reason: String, label: &str| {
        Problem::new(given.path.join(key), format!("`{key}` {reason}"), label)
    };
    if let Err((key, reason)) = (Restitution { normal, tangential }).validate() {
        return Err(problem(key, reason, "out of range")
            .help("0 for impacts that stop, 1 for those that lose nothing"));
    }
    if let Some(k) = [normal, tangential].iter().position(|e| *e > 0.0)
        && !scheme.rebounds()
    {
        let reason = format!(
            "needs a scheme with impacts; those of `{}` are inelastic",
            scheme.name()
        );
        return Err(problem(RESTITUTION[k], reason, "cannot be given back")
            .help("set `scheme = \"moreau-jean\"` in `[time]`, or leave it out"));
    }
    if tangential > 0.0 && given.coefficients[0].unwrap_or_default() == 0.0 {
        let reason = "has no effect: without friction nothing acts across the normal".to_owned();
        return Err(problem(RESTITUTION[1], reason, "not used")
            .help("leave it out, or add `law = \"coulomb\"` and `friction`"));
    }
    Ok(())
}

/// Exact friction knows no rounded or capped cones.
fn yielding(given: &Given) -> Check {
    match given.springs.yields() {
        Some(key) if given.law == LawName::Coulomb => Err(Problem::new(
            given.path.join(key),
            format!("`{key}` does not go with exact friction"),
            "not with `coulomb`",
        )
        .also(given.named.clone(), "the law is named here")
        .help("use `law = \"coulomb-convex\"` or `law = \"frictionless\"`")),
        _ => Ok(()),
    }
}

/// What a contact that gives or holds gives back follows from its springs.
fn given_back(given: &Given) -> Check {
    let keys = &given.springs;
    let springs = [
        keys.stiffness,
        keys.young,
        keys.cohesion,
        keys.rounding,
        keys.cap,
    ];
    let remembers = springs.iter().any(Option::is_some) || given.bond.is_some();
    match given.restitution.iter().position(Option::is_some) {
        Some(k) if remembers => Err(Problem::new(
            given.path.join(RESTITUTION[k]),
            format!(
                "`{}` does not go with contacts that give or hold: what they give back follows from \
                 stiffness and damping",
                RESTITUTION[k]
            ),
            "given twice",
        )
        .help("leave it out; a smaller `damping` gives back more")),
        _ => Ok(()),
    }
}

/// Not every scheme goes with a convexified law.
fn convexified(scheme: SchemeName, given: &Given) -> Check {
    match scheme.refuses_convexified() {
        Some([why, instead]) if given.law == LawName::CoulombConvex => Err(Problem::new(
            given.named.clone(),
            format!(
                "`coulomb-convex` does not go with `{}`: {why}",
                scheme.name()
            ),
            format!("not with `{}`", scheme.name()),
        )
        .help(format!("use {instead}"))),
        _ => Ok(()),
    }
}

/// A step is one convex problem or one exact one.
fn unmixed(laws: &[Given]) -> Check {
    let mut rough = laws.iter().filter(|g| g.law != LawName::Frictionless);
    let Some(first) = rough.next() else {
        return Ok(());
    };
    let Some(other) = rough.find(|other| other.law != first.law) else {
        return Ok(());
    };
    Err(Problem::new(
        other.named.clone(),
        "`coulomb` and `coulomb-convex` do not mix",
        format!("`{}` here", other.law.name()),
    )
    .also(first.named.clone(), format!("`{}` here", first.law.name()))
    .help(
        "use the same of the two for all pairs with friction: a step is one convex problem or one \
         exact one",
    ))
}

/// A dilatancy is that of a law and of a scheme that know it.
fn dilatancy(contacts: &Contacts, scheme: SchemeName, laws: &[Given]) -> Check {
    const KEY: &str = "dilatancy";
    let mut with = laws
        .iter()
        .filter(|given| given.interface.dilatancy.is_some());
    let wrong = |table: LawTable| table.validate().err().filter(|(key, _)| *key == KEY);
    let alone = |given: &&Given| wrong(LawTable::uniform(given.interface)).is_some();
    let Some(first) = with.clone().find(alone).or_else(|| with.next()) else {
        return Ok(());
    };
    let own = wrong(LawTable::uniform(first.interface));
    let help = match (first.law, first.interface.dilatancy) {
        _ if own.is_none() => "leave out `dilatancy`, or what it does not go with",
        (LawName::CoulombConvex, Some(0.0)) => "set `law = \"coulomb\"` and leave `dilatancy` out",
        (LawName::CoulombConvex, _) => {
            "a tangent between 0 and `friction`, for instance a third of that; leave it out for `friction` itself"
        }
        (LawName::Coulomb | LawName::Frictionless, _) => {
            "set `law = \"coulomb-convex\"` and a `friction`, or leave `dilatancy` out"
        }
    };
    if let Some((_, reason)) = own.or_else(|| wrong(contacts.table(|_| 0))) {
        return Err(Problem::new(
            first.path.join(KEY),
            format!("`{KEY}` {reason}"),
            "not possible",
        )
        .help(help));
    }
    match scheme.refuses_dilatancy() {
        None => Ok(()),
        Some([why, instead]) => Err(Problem::new(
            first.path.join(KEY),
            format!("`{KEY}` does not go with `{}`: {why}", scheme.name()),
            format!("not with `{}`", scheme.name()),
        )
        .help(format!("use {instead}"))),
    }
}

/// Friction turns spheres about any axis with one moment of inertia.
fn inertia(rules: &Rules, sections: &Sections) -> Check {
    let contacts = &sections.contacts;
    let rough = contacts
        .table(|_| 0)
        .laws()
        .any(|law| law.friction() != Friction::default());
    if !rough || rules.dimension != 3 || sections.scene.lock_rotation {
        return Ok(());
    }
    for (k, body) in sections.bodies.iter().enumerate() {
        if let (Some(_), Some([x, y, z]), None) = (&body.sphere, body.inertia, &body.motion)
            && (x != z || y != z)
        {
            return Err(Problem::new(
                key_path!["bodies", k, "inertia"],
                "friction needs equal moments of inertia of a sphere",
                "not all equal",
            )
            .help(
                "leave `inertia` out, give the same number three times, or use \
                 `law = \"frictionless\"`",
            ));
        }
    }
    Ok(())
}
