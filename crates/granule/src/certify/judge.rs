//! A certificate that is asked for twice is computed once.

use super::{Certificate, CertifyWorkspace, certify_with};
use crate::problem::ContactProblem;
use std::sync::{Arc, Mutex, PoisonError};

/// Judges impulses, and remembers what it judged last.
///
/// A solver that looks at its impulses before it ends them asks the same as whoever judges what it gives. Nobody has to
/// take the solver's word for it: the certificate is the judge's own, of the problem that whoever called the solver has
/// [begun](Judge::begin), and given again only for the same impulses to the last bit. Clones are the same judge.
///
/// ```
/// use granule::certify::{CertifyWorkspace, Judge, certify};
/// use granule::problem::{Assembled, ContactProblem};
/// let w = Assembled::from_dense(1, &[[2.0, -1.0], [-1.0, 2.0]])?;
/// let problem = ContactProblem::explicit(w, vec![-1.0, -1.0])?;
/// let (judge, mut memory) = (Judge::default(), CertifyWorkspace::default());
/// judge.begin(&problem);
/// for impulses in [[1.0, 0.5], [1.0, 1.0], [1.0, 1.0]] {
///     assert_eq!(judge.certify(&problem, &impulses, &mut memory), certify(&problem, &impulses));
/// }
/// # Ok::<(), granule::problem::ProblemError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Judge(Arc<Mutex<Judged>>);

#[derive(Debug, Default)]
struct Judged {
    /// Where the problem is that was begun.
    problem: Option<usize>,
    impulses: Vec<f64>,
    certificate: Option<Certificate>,
}

/// Two are equal if they are the same.
impl PartialEq for Judge {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

fn place(problem: &ContactProblem) -> usize {
    std::ptr::from_ref(problem).addr()
}

/// Whether all bits are the same; without a way out of the loop, so that many are compared at a time.
fn are_same(one: &[f64], other: &[f64]) -> bool {
    let bits = one
        .iter()
        .zip(other)
        .map(|(a, b)| a.to_bits() ^ b.to_bits());
    one.len() == other.len() && bits.fold(0, |all, bits| all | bits) == 0
}

impl Judge {
    /// Forgets what was judged. From now on certificates of this problem, which must stay as and where it is, are
    /// remembered, and no others.
    pub fn begin(&self, problem: &ContactProblem) {
        let mut judged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        judged.problem = Some(place(problem));
        judged.certificate = None;
        judged.impulses.clear();
        judged.impulses.reserve(problem.len());
    }

    /// [`certify_with`], unless that is what was judged last.
    pub fn certify(
        &self,
        problem: &ContactProblem,
        impulses: &[f64],
        workspace: &mut CertifyWorkspace,
    ) -> Certificate {
        let mut judged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if judged.problem != Some(place(problem)) {
            return certify_with(problem, impulses, workspace);
        }
        if let Some(certificate) = judged.certificate
            && are_same(&judged.impulses, impulses)
        {
            return certificate;
        }
        let certificate = certify_with(problem, impulses, workspace);
        judged.impulses.clear();
        judged.impulses.extend_from_slice(impulses);
        judged.certificate = Some(certificate);
        certificate
    }

    /// Ends what was begun: nothing is remembered until another problem is.
    pub fn end(&self) {
        let mut judged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (judged.problem, judged.certificate) = (None, None);
    }
}
