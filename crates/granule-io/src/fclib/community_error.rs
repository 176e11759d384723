//! The error by which the community of contact problem collections compares solvers, in exactly its
//! definition and from the data of the file alone.

use super::{ContactFile, Form};
use granule::law::Flow;

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The error over a size, unless that is zero.
fn relative(error: f64, size: f64) -> f64 {
    if size > f64::EPSILON {
        error / size
    } else {
        error
    }
}

/// The point of `{ |x_T| ≤ μ x_N, |x_M| ≤ μ_r x_N }` nearest to x, the parts of which are given with
/// their coefficients.
fn project(x: &mut [f64], friction: f64, rolling: Option<f64>) {
    let split = if rolling.is_some() { 3 } else { x.len() };
    let (head, moment) = x.split_at_mut(split);
    let (normal, tangent) = head.split_at_mut(1);
    let mut bounds = [
        (friction, norm(tangent), true),
        (rolling.unwrap_or(0.0), norm(moment), true),
    ];
    // With too many parts on their bound x_N is too small; those that do not reach it are let go.
    let along = loop {
        let (mut sum, mut weight) = (normal[0], 1.0);
        for (limit, length, bound) in bounds {
            if bound {
                sum += limit * length;
                weight += limit * limit;
            }
        }
        let along = sum / weight;
        let inside = |(limit, length, bound): (f64, f64, bool)| bound && length <= limit * along;
        if along <= 0.0 || !bounds.into_iter().any(inside) {
            break along;
        }
        for bound in &mut bounds {
            bound.2 &= !inside(*bound);
        }
    };
    if along <= 0.0 {
        x.fill(0.0);
        return;
    }
    normal[0] = along;
    for (part, (limit, length, bound)) in [tangent, moment].into_iter().zip(bounds) {
        if bound && length > 0.0 {
            part.iter_mut().for_each(|x| *x *= limit * along / length);
        }
    }
}

impl ContactFile {
    /// The natural map with ρ = 1 of all contacts: `r - P_K(r - û)`, where for exact friction
    /// `û_N = u_N + μ |u_T| + μ_r |ω|`.
    fn natural_map(&self, flow: Flow, impulses: &[f64], relative: &[f64]) -> Vec<f64> {
        let mut errors = Vec::with_capacity(impulses.len());
        for k in 0..self.contact_count() {
            let (friction, rolling) = (self.friction[k], self.rolling.get(k).copied());
            let range = k * self.dimension..(k + 1) * self.dimension;
            let (r, u) = (&impulses[range.clone()], &relative[range]);
            let split = if rolling.is_some() { 3 } else { r.len() };
            let correction = match flow {
                // Files know no matrices of flow.
                Flow::Associated | Flow::Skewed => 0.0,
                Flow::Exact => {
                    friction * norm(&u[1..split]) + rolling.unwrap_or(0.0) * norm(&u[split..])
                }
            };
            let mut nearest: Vec<f64> = r.iter().zip(u).map(|(r, u)| r - u).collect();
            nearest[0] -= correction;
            project(&mut nearest, friction, rolling);
            errors.extend(r.iter().zip(&nearest).map(|(r, p)| r - p));
        }
        errors
    }

    /// The community's error of impulses r and, with the global form, velocities v.
    ///
    /// ```text
    /// local   ‖e‖ / max(‖q‖, ‖r‖, ‖u‖)                                      e: the natural map, ρ = 1
    /// global  ‖M v - H r - f‖ / max(‖f‖, ‖M v‖, ‖H r‖)  +  ‖e‖ / max(‖u‖, ‖r‖)
    /// ```
    ///
    /// with `u = W r + q` or `u = Hᵀ v + w`. It adds impulses and velocities, so it depends on units:
    /// good for comparing with others, not for stopping. For [`Flow::Associated`] the same without
    /// de Saxcé's correction. Panics if r or v have the wrong length.
    pub fn community_error(&self, flow: Flow, impulses: &[f64], velocities: &[f64]) -> f64 {
        assert_eq!(impulses.len(), self.row_count(), "one impulse for each row");
        assert!(
            self.freedom_count() == 0 || velocities.len() == self.freedom_count(),
            "one velocity for each degree of freedom"
        );
        let u = self.relative_velocities(impulses, velocities);
        let error = norm(&self.natural_map(flow, impulses, &u));
        let size = norm(&u).max(norm(impulses));
        match &self.form {
            Form::Local { free, .. } => relative(error, size.max(norm(free))),
            Form::Global(global) => {
                let momentum = &global.momentum;
                let moved = global.mass.multiply(velocities);
                let pushed = global.directions.multiply(impulses);
                let left: Vec<f64> = (0..moved.len())
                    .map(|i| moved[i] - pushed[i] - momentum[i])
                    .collect();
                let scale = norm(momentum).max(norm(&moved)).max(norm(&pushed));
                relative(norm(&left), scale) + relative(error, size)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest of many points of the cone.
    fn by_search(x: &[f64], friction: f64, rolling: Option<f64>) -> f64 {
        let split = if rolling.is_some() { 3 } else { x.len() };
        let (t, m) = (norm(&x[1..split]), norm(&x[split..]));
        (0..=400_000)
            .map(|i| {
                let along = f64::from(i) * 1e-5;
                let over = |length: f64, limit: f64| (length - limit * along).max(0.0).powi(2);
                (x[0] - along).powi(2) + over(t, friction) + over(m, rolling.unwrap_or(0.0))
            })
            .fold(f64::INFINITY, f64::min)
            .sqrt()
    }

    #[test]
    fn projections_are_nearest_points() {
        let cases: [(&[f64], f64, Option<f64>); 10] = [
            (&[1.0, 0.2], 0.5, None),
            (&[1.0, -0.8], 0.5, None),
            (&[-1.0, 0.8], 0.5, None),
            (&[-0.1, 0.8, 0.3], 0.5, None),
            (&[-0.1, 0.8, 0.3], 0.0, None),
            (&[1.0, 0.8, 0.3, 0.01, 0.02], 0.5, Some(0.1)),
            (&[1.0, 0.1, 0.3, 0.5, 0.2], 0.5, Some(0.1)),
            (&[1.0, 0.8, 0.9, 0.5, 0.2], 0.5, Some(0.1)),
            (&[-0.3, 0.8, 0.9, 0.5, 0.2], 0.5, Some(0.7)),
            (&[-2.0, 0.8, 0.9, 0.5, 0.2], 0.5, Some(0.7)),
        ];
        for (x, friction, rolling) in cases {
            let mut nearest = x.to_vec();
            project(&mut nearest, friction, rolling);
            let split = if rolling.is_some() { 3 } else { x.len() };
            assert!(norm(&nearest[1..split]) <= friction * nearest[0] + 1e-15);
            assert!(norm(&nearest[split..]) <= rolling.unwrap_or(0.0) * nearest[0] + 1e-15);
            let away: Vec<f64> = x.iter().zip(&nearest).map(|(a, b)| a - b).collect();
            assert!(
                (norm(&away) - by_search(x, friction, rolling)).abs() < 1e-8,
                "{x:?}"
            );
        }
    }
}
