//! The matrix-free and the assembled operator are Dᵀ M⁻¹ D, and their bounds are bounds.

use crate::dense_reference::{
    delassus, dot, largest_eigenvalue, largest_eigenvalue_of_block, multiply, space,
};
use granule::cases::{random_problem, random_problems};
use granule::certify::certify;
use granule::law::Metric;
use granule::problem::{Assembled, ContactProblem, Delassus, DelassusScratch, Image, MatrixFree};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Every problem of the collection: its dense matrix and its two operators.
fn each(mut check: impl FnMut(&str, &[Vec<f64>], &Delassus)) {
    for rows in [1, 2, 3, 6] {
        for kind in random_problems(rows).iter().filter(|k| k.bodies <= 10) {
            if rows == 2 && !kind.planar {
                continue;
            }
            let problem = random_problem(kind);
            let matrix = delassus(space(&problem));
            let formed = Delassus::from(Assembled::from_space(space(&problem)));
            let dense = Delassus::from(Assembled::from_dense(rows, &matrix).unwrap());
            check(&format!("matrix-free {kind:?}"), &matrix, &problem.delassus);
            check(&format!("assembled {kind:?}"), &matrix, &formed);
            check(&format!("from dense {kind:?}"), &matrix, &dense);
        }
    }
}

fn vector(random: &mut Pcg64, length: usize) -> Vec<f64> {
    (0..length)
        .map(|_| random.random_range(-1.0..1.0))
        .collect()
}

fn apply(operator: &Delassus, x: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; x.len()];
    operator.apply(x, &mut DelassusScratch::default(), &mut out);
    out
}

fn assert_near(found: &[f64], want: &[f64], scale: f64, name: &str) {
    for (x, y) in found.iter().zip(want) {
        assert!((x - y).abs() <= 1e-13 * scale, "{name}: {x} {y}");
    }
}

#[test]
fn products_are_those_of_the_dense_matrix() {
    let mut random = Pcg64::seed_from_u64(1);
    each(|name, matrix, operator| {
        let x = vector(&mut random, operator.len());
        let want = multiply(matrix, &x);
        let size = largest_eigenvalue(matrix, &vec![1.0; x.len()]) * dot(&x, &x).sqrt();
        assert_near(&apply(operator, &x), &want, size, name);
    });
}

#[test]
fn the_operator_is_symmetric_and_never_negative() {
    let mut random = Pcg64::seed_from_u64(2);
    each(|name, _, operator| {
        let (x, y) = (
            vector(&mut random, operator.len()),
            vector(&mut random, operator.len()),
        );
        let (forth, back) = (dot(&x, &apply(operator, &y)), dot(&y, &apply(operator, &x)));
        let size = dot(&x, &apply(operator, &x)) + dot(&y, &apply(operator, &y));
        assert!((forth - back).abs() <= 1e-12 * size.max(1e-12), "{name}");
        assert!(size >= 0.0, "{name}");
    });
}

#[test]
fn bounds_of_the_spectrum_are_above_it_and_not_far() {
    each(|name, matrix, operator| {
        let rho: Vec<f64> = (0..operator.contact_count())
            .map(|k| 1.0 / operator.largest_diagonal(k))
            .collect();
        let metric = |weight| Metric {
            normal: weight,
            tangential: weight,
        };
        for scale in [rho.clone(), vec![1.0; rho.len()]] {
            let rows: Vec<f64> = scale
                .iter()
                .flat_map(|s| vec![*s; operator.rows()])
                .collect();
            let largest = largest_eigenvalue(matrix, &rows);
            let bound = operator
                .spectral_bound(|k| metric(1.0 / scale[k]), &mut DelassusScratch::default());
            assert!(
                bound >= largest * (1.0 - 1e-12),
                "{name}: {bound} {largest}"
            );
            assert!(bound <= 12.0 * largest, "{name}: {bound} {largest}");
        }
    });
}

#[test]
fn diagonal_blocks_have_the_largest_eigenvalue_they_claim() {
    each(|name, matrix, operator| {
        let rows = operator.rows();
        for k in 0..operator.contact_count() {
            let block: Vec<Vec<f64>> = (0..rows)
                .map(|i| matrix[k * rows + i][k * rows..(k + 1) * rows].to_vec())
                .collect();
            let want = largest_eigenvalue_of_block(&block);
            let found = operator.largest_diagonal(k);
            // The formula for three rows loses half of the digits where two eigenvalues are equal.
            let digits = if rows == 3 { 1e-7 } else { 1e-12 };
            assert!(
                (found - want).abs() <= digits * want,
                "{name}: {found} {want}"
            );
        }
    });
}

#[test]
fn the_certificate_multiplies_by_the_dense_matrix_too() {
    let mut random = Pcg64::seed_from_u64(8);
    for rows in [1, 2, 3, 6] {
        for kind in random_problems(rows).iter().filter(|k| k.bodies <= 10) {
            if rows == 2 && !kind.planar {
                continue;
            }
            let free = random_problem(kind);
            let matrix = delassus(space(&free));
            let x = vector(&mut random, free.len());
            // With b = -W x the velocities are zero.
            let bias: Vec<f64> = multiply(&matrix, &x).iter().map(|w| -w).collect();
            for operator in [
                free.delassus.clone(),
                Assembled::from_space(space(&free)).into(),
            ] {
                let problem = ContactProblem::explicit(operator, bias.clone()).unwrap();
                let size = largest_eigenvalue(&matrix, &vec![1.0; x.len()]) * dot(&x, &x).sqrt();
                let certificate = certify(&problem, &x);
                assert!(certificate.complementarity <= 1e-12 * size, "{kind:?}");
                assert!(certificate.max_penetration <= 1e-12 * size, "{kind:?}");
            }
        }
    }
}

#[test]
fn images_are_linear_and_measure_distances() {
    let mut random = Pcg64::seed_from_u64(3);
    each(|name, matrix, operator| {
        let (x, y) = (
            vector(&mut random, operator.len()),
            vector(&mut random, operator.len()),
        );
        let (mut image_x, mut image_y) = (Image::default(), Image::default());
        operator.image(&x, &mut image_x);
        operator.image(&y, &mut image_y);
        let scratch = &mut DelassusScratch::default();
        let found = operator.distance_squared((&x, &image_x), (&y, &image_y), scratch);
        let d: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        let want = dot(&d, &multiply(matrix, &d));
        assert!(
            (found - want).abs() <= 1e-12 * want,
            "{name}: {found} {want}"
        );

        let beta = 0.7;
        let mut beyond = Image::default();
        beyond.extrapolate(&image_x, &image_y, beta);
        let (mut out, mut partials) = (vec![f64::NAN; x.len()], vec![0; operator.chunk_count()]);
        operator.map_image(&beyond, &mut out, &mut [], &mut partials, |chunk, _, _| {
            chunk
        });
        let point: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + beta * d).collect();
        let size = largest_eigenvalue(matrix, &vec![1.0; x.len()]) * dot(&point, &point).sqrt();
        assert_near(&out, &multiply(matrix, &point), 4.0 * size, name);
        assert!(partials.iter().enumerate().all(|(k, chunk)| k == *chunk));
    });
}

#[test]
fn products_are_right_over_many_blocks_and_after_reuse() {
    let mut random = Pcg64::seed_from_u64(4);
    for rows in [1, 2, 3, 6] {
        // Many bodies, so that there are several blocks and visitors between them.
        let kind = granule::cases::RandomProblem {
            bodies: 3000,
            density: 2,
            rows,
            planar: rows == 2,
            mass_ratio: 100.0,
            redundant: 0.1,
            seed: 5,
        };
        let problem = random_problem(&kind);
        let formed = Delassus::from(Assembled::from_space(space(&problem)));
        assert!(problem.delassus.chunk_count() > 4);
        let x = vector(&mut random, problem.len());
        let want = apply(&formed, &x);
        assert_near(&apply(&problem.delassus, &x), &want, 100.0, "many blocks");
    }
    // An operator used before for a larger problem forgets it.
    let large = random_problem(&random_problems(3)[40]);
    let mut reused = MatrixFree::new(space(&large).clone()).unwrap();
    let small = random_problem(&random_problems(1)[20]);
    reused
        .rebuild(|target| target.clone_from(space(&small)))
        .unwrap();
    let y = vector(&mut random, small.len());
    assert_eq!(
        apply(&Delassus::from(reused), &y),
        apply(&small.delassus, &y)
    );
}

#[test]
fn advancing_an_image_is_the_same_as_its_parts() {
    let mut random = Pcg64::seed_from_u64(7);
    each(|name, matrix, operator| {
        let mut vectors = || vector(&mut random, operator.len());
        let (x, y, current) = (vectors(), vectors(), vectors());
        let beta = 0.7;
        let image = |x: &[f64]| {
            let mut image = Image::default();
            operator.image(x, &mut image);
            image
        };
        let (mut next, mut extrapolated) = (Image::default(), image(&y));
        let bend = operator.advance_image(
            &x,
            beta,
            &image(&current),
            [&mut next, &mut extrapolated],
            &mut DelassusScratch::default(),
            |rows| rows.extend_from_slice(&y),
        );
        let difference: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
        let want = dot(&difference, &multiply(matrix, &difference));
        let size = largest_eigenvalue(matrix, &vec![1.0; x.len()]) * x.len() as f64;
        assert!((bend - want).abs() <= 1e-13 * size, "{name}: {bend} {want}");
        let gather = |image: &Image| {
            let mut out = vec![f64::NAN; operator.len()];
            let mut partials = vec![(); operator.chunk_count()];
            operator.map_image(image, &mut out, &mut [], &mut partials, |_, _, _| ());
            out
        };
        assert_near(&gather(&next), &multiply(matrix, &x), size, name);
        let ahead: Vec<f64> = x
            .iter()
            .zip(&current)
            .map(|(x, c)| x + beta * (x - c))
            .collect();
        assert_near(
            &gather(&extrapolated),
            &multiply(matrix, &ahead),
            2.0 * size,
            name,
        );
    });
}

/// A matrix of blocks with a random pattern that is symmetric neither in its pattern nor in its values.
fn lopsided(random: &mut Pcg64, rows: usize, contacts: usize) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; rows * contacts]; rows * contacts];
    for k in 0..contacts {
        for l in 0..contacts {
            if k != l && random.random_range(0..3) > 0 {
                continue;
            }
            for i in 0..rows {
                for j in 0..rows {
                    let own = if k == l && i == j { 3.0 } else { 0.0 };
                    matrix[rows * k + i][rows * l + j] = own + random.random_range(-1.0..1.0);
                }
            }
        }
    }
    matrix
}

#[test]
fn a_matrix_that_is_not_symmetric_is_kept_as_given() {
    let mut random = Pcg64::seed_from_u64(7);
    for rows in [1, 2, 3, 6] {
        for contacts in [1, 2, 5, 9] {
            let matrix = lopsided(&mut random, rows, contacts);
            let assembled = Assembled::from_dense(rows, &matrix).unwrap();
            let x = vector(&mut random, rows * contacts);
            let want = multiply(&matrix, &x);
            let name = format!("{rows} rows, {contacts} contacts");
            let operator = Delassus::from(assembled.clone());
            assert_near(&apply(&operator, &x), &want, 10.0, &name);

            // Column by column, as sweeps do.
            let mut image = Image::default();
            operator.image(&vec![0.0; x.len()], &mut image);
            for (k, part) in x.chunks_exact(rows).enumerate() {
                operator.change_image(&mut image, k, part);
            }
            let mut found = vec![0.0; rows];
            for k in 0..contacts {
                operator.rows_of(&image, k, &mut found);
                assert_near(&found, &want[rows * k..], 10.0, &name);
            }

            // The certificate multiplies by loops of its own.
            if rows == 1 {
                let opposite: Vec<f64> = want.iter().map(|w| -w).collect();
                let problem = ContactProblem::explicit(assembled, opposite).unwrap();
                let worst = x.iter().fold(0.0, |worst: f64, x| worst.max(-x));
                let certificate = certify(&problem, &x);
                assert!((certificate.cone_violation - worst).abs() < 1e-15);
                assert!(certificate.complementarity < 1e-12, "{name}");
            }
        }
    }
}

#[test]
fn the_largest_eigenvalue_of_a_block_is_that_of_its_symmetric_part() {
    let mut random = Pcg64::seed_from_u64(8);
    for rows in [1, 2, 3, 6] {
        for _ in 0..20 {
            let matrix = lopsided(&mut random, rows, 1);
            let even: Vec<Vec<f64>> = (0..rows)
                .map(|i| {
                    let mean = |j: usize| 0.5 * (matrix[i][j] + matrix[j][i]);
                    (0..rows).map(mean).collect()
                })
                .collect();
            let largest =
                |m: &[Vec<f64>]| Assembled::from_dense(rows, m).unwrap().largest_diagonal(0);
            let reference = largest_eigenvalue(&even, &vec![1.0; rows]);
            assert!((largest(&matrix) - largest(&even)).abs() < 1e-12);
            assert!(
                (largest(&matrix) - reference).abs() < 1e-6 * reference,
                "{rows}"
            );
        }
    }
}
