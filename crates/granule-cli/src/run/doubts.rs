//! Whether what came out of a run may depend on its step, as far as one run can tell.

use granule_io::results::Summary;

/// A body that goes farther in a step than this part of its radius may pass others by, or meet them late.
const LONG_WAY: f64 = 0.5;
/// Overlaps beyond this part of the smallest radius show in densities and forces.
const DEEP_OVERLAP: f64 = 0.01;
/// Contacts that give overlap by this part of the smallest radius, and grains are no longer what they were.
const SOFT_OVERLAP: f64 = 0.1;
/// More steps than this part without a certificate are not exceptions.
const MANY_FAILED: f64 = 0.01;

/// A sentence with the figures that are too large; nothing if none is.
pub fn of_step(summary: &Summary) -> Option<String> {
    let (way, overlap) = (summary.longest_way, summary.certificate.worst_overlap);
    let failed = summary.failed_steps as f64 / summary.steps.max(1) as f64;
    let mut figures = Vec::new();
    if way > LONG_WAY {
        figures.push(format!("a body went {way:.2} of its radius in one step"));
    }
    if overlap > DEEP_OVERLAP {
        let percent = 100.0 * overlap;
        figures.push(format!(
            "overlaps reached {percent:.1} % of the smallest radius"
        ));
    }
    if failed > MANY_FAILED {
        let percent = 100.0 * failed;
        figures.push(format!("{percent:.0} % of the steps have no certificate"));
    }
    (!figures.is_empty()).then(|| {
        let figures = figures.join(", ");
        format!("the step may matter: {figures}; `granule check --convergence` on the scene tells how much")
    })
}

/// What is told of contacts that give more than they are meant to.
pub fn of_softness(summary: &Summary) -> Option<String> {
    let overlap = summary
        .given_overlap
        .filter(|overlap| *overlap > SOFT_OVERLAP)?;
    Some(format!(
        "contacts are very soft: they overlap by up to {:.0} % of the smallest radius; raise `young` or `stiffness` (is it \
         in the right unit?), or see that a reference overlap fits",
        100.0 * overlap
    ))
}
