//! What makes bodies, contacts, sets and vectors a problem.

use super::error::{check_finite, check_length, check_optional, check_positive};
use super::{BodySpace, Compliance, ContactProblem, Lever, ProblemError, Sets};
use crate::law::AdmissibleSet;

/// How far the square of the length of a normal may be from one.
const UNIT: f64 = 1e-6;

impl BodySpace {
    /// Whether there are as many entries of everything as contacts and bodies need, the round contacts are sorted by
    /// `a`, and all bodies exist: what operators rely on. One pass over the contacts, made whenever an operator is.
    pub(super) fn check_structure(&self) -> Result<(), ProblemError> {
        if !matches!(self.rows, 1 | 2 | 3 | 6) {
            return Err(ProblemError::Rows { rows: self.rows });
        }
        let bodies = self.inverse_mass.len();
        check_length("masses with the ground", bodies.max(1), bodies)?;
        if let Lever::Radial {
            radius,
            inverse_inertia,
        } = &self.lever
        {
            check_length("radii", bodies, radius.len())?;
            check_length("moments of inertia", bodies, inverse_inertia.len())?;
        }
        let arms = if self.rows == 6 {
            self.contacts.len()
        } else {
            0
        };
        check_length("arms", arms, self.arms.len())?;
        let forms = self.rows * self.general.blocks.len();
        check_length("rows of general blocks", forms, self.general.forms.len())?;
        if let Some(common) = &self.general.common {
            let blocks = self.general.blocks.len();
            check_length("shares of the common body", blocks, common.shares.len())?;
            check_length(
                "masses with the common body",
                bodies.max(common.body as usize + 2),
                bodies,
            )?;
        }
        check_optional("compliance", self.contact_count(), self.compliance.len())?;
        // Without a way out of the loop, so that several contacts are looked at side by side.
        let (mut good, mut last) = (true, 0);
        for contact in &self.contacts {
            let inside = ((contact.a as usize) < bodies) & ((contact.b as usize) < bodies);
            good &= inside & (contact.a != contact.b) & (last <= contact.a);
            last = contact.a;
        }
        let ends = |k: usize| (k, self.ends(k));
        if !good {
            let order = self.contacts.is_sorted_by_key(|c| c.a);
            if !order {
                let pairs = self
                    .contacts
                    .windows(2)
                    .position(|pair| pair[0].a > pair[1].a);
                let contact = pairs.map_or(0, |place| place + 1);
                return Err(ProblemError::Unsorted { contact });
            }
            (0..self.contacts.len())
                .map(ends)
                .try_for_each(|k| self.check_ends(k))?;
        }
        let blocks = self.contacts.len()..self.contact_count();
        blocks.map(ends).try_for_each(|k| self.check_ends(k))?;
        self.check_tensors()
    }

    fn check_ends(&self, (contact, [a, b]): (usize, [u32; 2])) -> Result<(), ProblemError> {
        let bodies = self.inverse_mass.len();
        if a == b || a.max(b) as usize >= bodies {
            return Err(ProblemError::Bodies {
                contact,
                a,
                b,
                bodies,
            });
        }
        Ok(())
    }

    /// Tensors are sorted, belong to bodies with a radius, and these have no round contacts.
    fn check_tensors(&self) -> Result<(), ProblemError> {
        let tensors = &self.general.tensors;
        if tensors.is_empty() {
            return Ok(());
        }
        let radius = |body: u32| match &self.lever {
            Lever::None => 0.0,
            Lever::Radial { radius, .. } => radius.get(body as usize).copied().unwrap_or(0.0),
        };
        for (place, (body, _)) in tensors.iter().enumerate() {
            let sorted = place == 0 || tensors[place - 1].0 < *body;
            if !sorted || radius(*body) <= 0.0 {
                return Err(ProblemError::Tensor { body: *body });
            }
        }
        let has_tensor = |body: &u32| tensors.binary_search_by_key(body, |entry| entry.0).is_ok();
        for (contact, geometry) in self.contacts.iter().enumerate() {
            if let Some(body) = [geometry.a, geometry.b].into_iter().find(has_tensor) {
                return Err(ProblemError::RoundOnTensor { contact, body });
            }
        }
        Ok(())
    }

    /// Tells what is wrong, if anything is: lengths, the order of contacts, bodies that do not exist, numbers that are
    /// not finite, masses, inertia and compliance that are negative, normals that are no unit vectors.
    ///
    /// ```
    /// use granule::math::DVec3;
    /// use granule::problem::{BodySpace, ContactGeometry, ProblemError};
    /// let mut space = BodySpace { inverse_mass: vec![1.0, 0.0], ..BodySpace::default() };
    /// space.contacts.push(ContactGeometry { normal: DVec3::Z, a: 0, b: 7 });
    /// let error = space.validate().unwrap_err();
    /// assert_eq!(error, ProblemError::Bodies { contact: 0, a: 0, b: 7, bodies: 2 });
    /// ```
    pub fn validate(&self) -> Result<(), ProblemError> {
        self.check_structure()?;
        check_positive("inverse mass", self.inverse_mass.iter().copied())?;
        if let Lever::Radial {
            radius,
            inverse_inertia,
        } = &self.lever
        {
            check_positive("radius", radius.iter().copied())?;
            check_positive("inverse inertia", inverse_inertia.iter().copied())?;
        }
        for contact in 0..self.contact_count() {
            let length = self.normal(contact).length();
            let unit = (length * length - 1.0).abs() < UNIT;
            if !unit {
                return Err(ProblemError::Normal { contact, length });
            }
        }
        let forms = self.general.forms.iter();
        let numbers = forms.flat_map(|form| [form.linear, form.on_a, form.on_b]);
        check_finite("row of general blocks", numbers.map(|v| v.element_sum()))?;
        let tensors = self.general.tensors.iter();
        check_finite(
            "tensor of inertia",
            tensors.map(|(_, tensor)| tensor.to_cols_array().iter().sum()),
        )?;
        let given = self.compliance.iter();
        let all = |e: &Compliance| [e.normal, e.tangential, e.rolling, e.spinning];
        check_positive("compliance", given.flat_map(all))
    }
}

/// The numbers of a set, none of them negative.
fn coefficients(set: AdmissibleSet) -> [f64; 3] {
    match set {
        AdmissibleSet::Free | AdmissibleSet::HalfLine => [0.0; 3],
        AdmissibleSet::Segment { limit } => [limit, 0.0, 0.0],
        AdmissibleSet::Cone { friction } => [friction, 0.0, 0.0],
        AdmissibleSet::RollingCone {
            friction,
            rolling,
            spinning,
        } => [friction, rolling, spinning],
        AdmissibleSet::Yield {
            friction,
            rounding,
            cap,
        } => {
            // There need not be a cap.
            let cap = if cap == f64::INFINITY { 0.0 } else { cap };
            [friction, rounding, cap]
        }
    }
}

impl ContactProblem {
    /// Tells what is wrong, if anything is: vectors and sets of other lengths than the contacts need, numbers that are
    /// not finite, a step or coefficients that are negative, flows where they are not defined, and what
    /// [`BodySpace::validate`] looks for. Solvers take it for granted.
    ///
    /// ```
    /// use granule::problem::{Assembled, ContactProblem, ProblemError, Sets};
    /// let w = Assembled::from_dense(3, &[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])?;
    /// let problem = ContactProblem {
    ///     sets: Sets::uniform_cone(f64::NAN, 1),
    ///     ..ContactProblem::explicit(w, vec![-1.0, 0.0, 0.0])?
    /// };
    /// assert_eq!(problem.validate(), Err(ProblemError::NotFinite { what: "coefficient", place: 0 }));
    /// # Ok::<(), ProblemError>(())
    /// ```
    pub fn validate(&self) -> Result<(), ProblemError> {
        let (contacts, rows) = (self.contact_count(), self.delassus.len());
        match &self.delassus {
            super::Delassus::MatrixFree(operator) => operator.space.validate()?,
            super::Delassus::Assembled(matrix) => {
                check_finite("entry of W", matrix.values().iter().copied())?;
            }
        }
        check_length("b", rows, self.bias.len())?;
        check_optional("s", rows, self.offset.len())?;
        check_optional("restitution", contacts, self.restitution.len())?;
        let round = self.delassus.round_count();
        match &self.sets {
            Sets::HalfLine => {}
            Sets::Cone(list) => check_length("sets", round, list.len())?,
            Sets::RollingCone(list) => check_length("sets", round, list.len())?,
            Sets::Mixed(list) => check_length("sets", round, list.len())?,
        }
        let others = contacts - round;
        check_length("sets of general blocks", others, self.general_sets.len())?;
        check_optional("shift", contacts, self.shift.along.len())?;
        check_optional("W times the shift", rows, self.shift.velocity.len())?;
        check_positive("step", [self.step])?;
        check_finite("b", self.bias.iter().copied())?;
        check_finite("s", self.offset.iter().copied())?;
        check_finite("shift", self.shift.along.iter().copied())?;
        let sets = (0..contacts).map(|k| self.set(k));
        check_positive("coefficient", sets.flat_map(coefficients))?;
        self.check_skew()?;
        let yields = |k: &usize| matches!(self.set(*k), AdmissibleSet::Yield { .. });
        match (0..contacts).find(yields) {
            Some(contact) if self.kind().is_undefined() => {
                Err(ProblemError::ExactYield { contact })
            }
            Some(_) | None => Ok(()),
        }
    }
}
