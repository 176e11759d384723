//! Sweeps several at a time against sweeps one by one, in both precisions, by any number of threads.

use super::ProblemSweeps;
use super::batches::NONE;
use super::cone_kernel::{Sweep, sweep_all};
use super::cone_sweep::ConeSweep;
use super::momentum::{Pace, Slip};
use super::partition::Parts;
use super::precision::Precision;
use super::visit::Fixed;
use crate::law::Flow;
use crate::math::DVec3;
use crate::parallel::{Octet, Plain, Quad, Width};
use crate::problem::test_problems::row_of_spheres;
use crate::problem::{Block, ContactProblem, Image};
use crate::solver::joint_factor::JointFactor;
use crate::solver::monitor::StepSums;
use crate::solver::test_problems::{capped, mixed};

/// The contacts in the order in which they are swept.
fn order<P: Precision>(parts: &Parts<P>) -> Vec<usize> {
    let mut order = Vec::new();
    parts.each_batch(|batch| {
        let contacts = batch.contact.as_ref().iter().filter(|&&k| k != NONE);
        order.extend(contacts.map(|&k| k as usize));
    });
    order
}

/// Sweeps one by one, in a given order, and then over the joints at once.
struct OneByOne {
    order: Vec<usize>,
    impulses: Vec<f64>,
    earlier: Vec<f64>,
    slips: Vec<f64>,
    images: [Image; 2],
    joints: JointFactor,
}

impl OneByOne {
    fn new(problem: &ContactProblem, start: &[f64], mut order: Vec<usize>) -> Self {
        order.extend(problem.delassus.round_count()..problem.contact_count());
        let mut images = [Image::default(), Image::default()];
        for image in &mut images {
            problem.delassus.image(start, image);
        }
        let mut joints = JointFactor::default();
        joints.prepare(problem);
        Self {
            order,
            impulses: start.to_vec(),
            earlier: start.to_vec(),
            slips: vec![0.0; problem.contact_count()],
            images,
            joints,
        }
    }

    fn sweep(&mut self, problem: &ContactProblem, pace: Pace) -> StepSums {
        let [image, before] = &mut self.images;
        std::mem::swap(image, before);
        image.extrapolate_from(before, pace.beta);
        let mut sums = StepSums::default();
        let mut rows = [0.0; 3];
        let velocity = |image: &Image, k: usize| {
            let mut rows = [0.0; 3];
            problem.delassus.rows_of(image, k, &mut rows);
            DVec3::from_array(rows) + DVec3::from_slice(&problem.bias[3 * k..][..3])
        };
        for &k in &self.order {
            let fixed = Fixed::new(problem, k);
            if fixed.set == crate::law::AdmissibleSet::Free {
                continue;
            }
            let places = [
                &mut self.impulses[3 * k..][..3],
                &mut self.earlier[3 * k..][..3],
            ];
            let way = (problem.flow, pace);
            let d = fixed.visit(
                way,
                velocity(image, k),
                places,
                &mut self.slips[k],
                &mut sums,
            );
            d.store(&mut rows);
            problem.delassus.change_image(image, k, &rows);
        }
        for n in 0..self.joints.len() {
            let k = self.joints.number(n);
            self.joints.set_velocity(n, &velocity(image, k).to_array());
        }
        self.joints.solve();
        for n in 0..self.joints.len() {
            let k = self.joints.number(n);
            let places: [&mut [f64]; 2] = [
                &mut self.impulses[3 * k..][..3],
                &mut self.earlier[3 * k..][..3],
            ];
            rows = [0.0; 3];
            self.joints.take(n, pace.beta, places, &mut rows, &mut sums);
            problem.delassus.change_image(image, k, &rows);
        }
        sums
    }
}

#[test]
fn several_at_a_time_is_one_by_one() {
    for (gives, single) in [(false, false), (true, false), (false, true), (true, true)] {
        for (flow, slip, caps) in [
            (Flow::Associated, Slip::Follows, false),
            (Flow::Associated, Slip::Follows, true),
            (Flow::Exact, Slip::Follows, false),
            (Flow::Exact, Slip::AtOnce, false),
        ] {
            let mut problem = mixed(gives, 1);
            if caps {
                problem = capped(problem);
            }
            problem.flow = flow;
            // All contacts carry something, so that none is left out.
            let normals = (0..problem.contact_count()).map(|k| problem.delassus.normal(k));
            let start: Vec<f64> = normals.flat_map(|n| (0.3 * n).to_array()).collect();
            let mut cones = ConeSweep::default();
            cones.prepare(&problem, &start, single);
            let order = match single {
                true => order(cones.parts().0),
                false => order(cones.parts().1),
            };
            let mut all = order.clone();
            all.sort_unstable();
            let round: Vec<usize> = (0..problem.delassus.round_count()).collect();
            assert_eq!(all, round, "each contact once");
            let mut plain = OneByOne::new(&problem, &start, order);
            let (limit, mut largest) = (if single { 2e-5 } else { 1e-12 }, 0.0);
            let mut found = Vec::new();
            for beta in [0.0, 0.5, 0.9, 0.9, 0.2] {
                let pace = Pace {
                    beta,
                    slip,
                    share: 1.0,
                };
                let sums = [cones.sweep(&problem, pace), plain.sweep(&problem, pace)];
                cones.write_impulses(&mut found, &problem);
                for (a, b) in found.iter().zip(&plain.impulses) {
                    largest = f64::max(largest, b.abs());
                    let what = format!("{gives} {single} {flow:?} {slip:?} {caps}");
                    assert!((a - b).abs() < limit, "{what}: {a} {b}");
                }
                for of in [
                    |sums: &StepSums| sums.step_squared,
                    |sums: &StepSums| sums.impulse_squared,
                    |sums: &StepSums| sums.step_velocity_squared,
                    |sums: &StepSums| sums.impulse_velocity_squared,
                ] {
                    let [a, b] = [of(&sums[0]), of(&sums[1])];
                    assert!((a - b).abs() < 100.0 * limit * (1.0 + b), "{a} {b}");
                }
            }
            assert!(largest > 0.1);
        }
    }
}

/// Compares all that sweeps leave, digit by digit.
fn bits_agree<P: Precision, const EXACT: bool, const AT_ONCE: bool>(start: &Parts<P>)
where
    Plain: Width<P>,
{
    let [mut one, mut other] = [start.clone(), start.clone()];
    for _ in 0..5 {
        let pace = Pace::exact(Slip::Follows, 0.25, 0.7);
        let first = P::sweep::<EXACT, AT_ONCE>(&mut one.batches[0], &mut one.lines, pace);
        let second = sweep_all(
            Plain,
            Sweep::<P, EXACT, AT_ONCE> {
                batches: &mut other.batches[0],
                lines: &mut other.lines,
                pace,
            },
        );
        let [one, other] = [&one, &other].map(|parts| (&parts.batches[0].list, &parts.lines));
        assert_eq!(
            format!("{first:?} {one:?}"),
            format!("{second:?} {other:?}")
        );
    }
    assert_ne!(format!("{:?}", one.lines), format!("{:?}", start.lines));
}

#[test]
fn a_sweep_has_the_same_bits_on_all_processors() {
    fn all<P: Precision>(parts: &Parts<P>)
    where
        Plain: Width<P>,
    {
        bits_agree::<P, false, false>(parts);
        bits_agree::<P, true, false>(parts);
        bits_agree::<P, true, true>(parts);
    }
    for (gives, caps) in [(false, false), (true, false), (false, true)] {
        let mut problem = mixed(gives, 1);
        problem.bias.iter_mut().for_each(|b| *b -= 1.0);
        if caps {
            problem = capped(problem);
        }
        let mut cones = ConeSweep::default();
        for single in [true, false] {
            cones.prepare(&problem, &vec![0.0; problem.len()], single);
        }
        let (eight, four): (&Parts<Octet>, &Parts<Quad>) = cones.parts();
        assert!(!eight.batches[0].list.is_empty() && !four.batches[0].list.is_empty());
        assert_eq!(eight.batches[0].given.is_empty(), !gives);
        assert_eq!(four.batches[0].caps.is_empty(), !caps);
        all(eight);
        all(four);
    }
}

#[test]
fn contacts_of_a_batch_share_no_body_that_moves() {
    let problem = row_of_spheres(5000);
    let space = problem.delassus.space().unwrap();
    let mut cones = ConeSweep::default();
    cones.prepare(&problem, &vec![1.0; problem.len()], true);
    let (mut seen, mut batches) = (vec![0; space.contacts.len()], 0);
    cones.parts().0.each_batch(|batch| {
        let mut bodies = Vec::new();
        for &k in batch.contact.as_ref().iter().filter(|&&k| k != NONE) {
            seen[k as usize] += 1;
            let ends = [space.contacts[k as usize].a, space.contacts[k as usize].b];
            bodies.extend(ends.into_iter().filter(|&body| body != space.ground()));
        }
        batches += 1;
        let count = bodies.len();
        bodies.sort_unstable();
        bodies.dedup();
        assert_eq!(bodies.len(), count);
    });
    assert!(seen.iter().all(|&times| times == 1));
    // Hardly a lane is empty.
    assert!(
        8 * batches < 11 * seen.len() / 10,
        "{batches} for {}",
        seen.len()
    );
}

#[test]
fn who_wants_an_impulse_is_woken_and_nobody_else() {
    for (flow, single) in [
        (Flow::Exact, true),
        (Flow::Exact, false),
        (Flow::Associated, true),
        (Flow::Associated, false),
    ] {
        let mut problem = row_of_spheres(2000);
        problem.flow = flow;
        // Most contacts open at first, some of them so slowly that what the others do closes them.
        problem.bias.iter_mut().for_each(|b| *b += 0.4);
        let round = problem.delassus.round_count();
        let mut cones = ConeSweep::default();
        cones.prepare(&problem, &vec![0.0; problem.len()], single);
        let swept = |cones: &ConeSweep| match single {
            true => order(cones.parts().0),
            false => order(cones.parts().1),
        };
        let mut awake = vec![false; round];
        swept(&cones).into_iter().for_each(|k| awake[k] = true);
        let (mut impulses, mut image, mut rows) = (Vec::new(), Image::default(), [0.0; 3]);
        let mut woken = 0;
        for (sweep, beta) in [(1, 0.0), (2, 0.6), (3, 0.9)] {
            cones.sweep(&problem, Pace::exact(Slip::Follows, 0.5, beta));
            cones.maintain(&problem, sweep, false);
            cones.write_impulses(&mut impulses, &problem);
            problem.delassus.image(&impulses, &mut image);
            let mut now = vec![false; round];
            swept(&cones).into_iter().for_each(|k| now[k] = true);
            for k in 0..round {
                problem.delassus.rows_of(&image, k, &mut rows);
                let bias = DVec3::from_slice(&problem.bias[3 * k..][..3]);
                let (w, n) = (DVec3::from_array(rows) + bias, problem.delassus.normal(k));
                let slide = (w - w.dot(n) * n).length();
                let dilates = flow == Flow::Associated;
                let spare = w.dot(n) - if dilates { 0.4 * slide } else { 0.0 };
                if spare.abs() > 1e-4 {
                    let expected = awake[k] || spare < 0.0;
                    assert_eq!(now[k], expected, "{flow:?} {single} {sweep} {k} {spare}");
                }
            }
            woken += now
                .iter()
                .zip(&awake)
                .filter(|(now, was)| **now && !**was)
                .count();
            awake = now;
        }
        let asleep = awake.iter().filter(|awake| !**awake).count();
        assert!(woken > 50 && asleep > 50, "{woken} woken, {asleep} asleep");
    }
}

#[test]
fn threads_change_no_bit() {
    let problem = row_of_spheres(20_000);
    let sweeps = |threads: usize, single: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut cones = ConeSweep::default();
            cones.prepare(&problem, &vec![0.0; problem.len()], single);
            let mut sums = Vec::new();
            for (sweep, beta) in [0.0, 0.5, 0.8, 0.8].into_iter().enumerate() {
                let pace = Pace::exact(Slip::Follows, 0.5, beta);
                sums.push(format!("{:?}", cones.sweep(&problem, pace)));
                cones.maintain(&problem, sweep + 1, sweep == 2);
            }
            let mut impulses = Vec::new();
            cones.write_impulses(&mut impulses, &problem);
            let bits: Vec<u64> = impulses.iter().map(|x| x.to_bits()).collect();
            (sums, bits)
        })
    };
    for single in [true, false] {
        let one = sweeps(1, single);
        assert!(one.1.iter().any(|x| *x != 0));
        for threads in [2, 3, 7] {
            assert_eq!(one, sweeps(threads, single), "{threads} threads");
        }
    }
}
