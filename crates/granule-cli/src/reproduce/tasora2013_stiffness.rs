//! Rigid contacts are the limit of stiff ones [tasora2013, §5.1]: a packing whose wall is drawn back moves as one of rigid
//! spheres does, the nearer the stiffer its contacts are.

use super::published::Published;
use super::tasora2013_packing::Packing;
use super::{Error, Options, Row, Verdict, fit};
use crate::plot::{Chart, Curve, Stroke};
use granule::bodies::Motion;
use granule::law::{Elasticity, Friction, Interface, Law};
use granule::math::DVec3;
use granule::simulation::{Settings, Simulation, StepSize};

/// Spheres along an edge, and with `--quick`.
const EDGE: [usize; 2] = [8, 4];
/// K, N/m. With the next decade the solves would count: they leave 1e-10 m.
const STIFFNESS: [f64; 5] = [1e6, 1e7, 1e8, 1e9, 1e10];
/// How many of the stiffest the order is taken of: the last decade.
const STIFFEST: usize = 2;
/// Length of steps, s, and after how many of them the motions are compared.
const STEP: f64 = 1e-3;
const AFTER: [usize; 4] = [5, 10, 20, 40];
/// Of the wall that is drawn back, m/s.
const SPEED: f64 = 0.1;
/// Of the solves.
const TOLERANCE: f64 = 1e-8;

/// Where the spheres are after each of the times, and how many steps were not certified.
fn run(
    packing: &Packing,
    law: Law,
    elasticity: Elasticity,
) -> Result<(Vec<Vec<DVec3>>, usize), Error> {
    let interface = Interface {
        elasticity,
        ..law.into()
    };
    let drawer = Motion::Velocity {
        linear: [SPEED, 0.0, 0.0],
    };
    let mut settings = Settings::new(StepSize::Fixed(STEP), 1.0);
    settings.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(packing.loaded(interface, drawer), settings)?;
    let (mut places, mut uncertified) = (Vec::new(), 0);
    for step in 1..=AFTER[AFTER.len() - 1] {
        uncertified += usize::from(!simulation.step()?.certified);
        if AFTER.contains(&step) {
            let mut all = simulation.world().bodies.by_id().position;
            all.truncate(packing.grains.len());
            places.push(all);
        }
    }
    Ok((places, uncertified))
}

/// The root mean square of distances, m.
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

/// The order of convergence to the rigid motion.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let packing = Packing::settle(EDGE[usize::from(options.quick)], options)?;
    let friction = Law::CoulombConvex(Friction::sliding(0.3));
    let mut rows = Vec::new();
    for law in [Law::Frictionless, friction] {
        rows.extend(limit(&packing, law, published, options)?);
    }
    Ok(rows)
}

/// The limit of stiff springs with this law.
fn limit(
    packing: &Packing,
    law: Law,
    published: &Published,
    options: &Options,
) -> Result<Vec<Row>, Error> {
    let name = law.name();
    options.say(format!("the limit of stiff springs, {name}"));
    let start: Vec<DVec3> = packing.grains.iter().map(|grain| grain.0).collect();
    let (rigid, mut uncertified) = run(packing, law, Elasticity::default())?;
    let mut points = vec![Vec::new(); AFTER.len()];
    for stiffness in STIFFNESS {
        let (soft, missed) = run(packing, law, Elasticity::springs(stiffness, stiffness))?;
        uncertified += missed;
        for (k, points) in points.iter_mut().enumerate() {
            points.push((stiffness, apart(&soft[k], &rigid[k])));
        }
    }
    let stiffest = &STIFFNESS[STIFFNESS.len() - STIFFEST..];
    let mut rows = Vec::new();
    let mut curves = Vec::new();
    for (k, (steps, points)) in AFTER.iter().zip(&points).enumerate() {
        let order = -fit::exponent(&points[STIFFNESS.len() - STIFFEST..]);
        let number = published.get("stiffness-order")?;
        let near = published.tolerance("stiffness-order")?;
        let same = near.allows((order - number.float()?).abs());
        let way = apart(&rigid[k], &start);
        let nearest = points[STIFFNESS.len() - 1].1 / way;
        rows.push(
            number
                .row(
                    format!("order of convergence in 1/K, {name}, after {steps} steps"),
                    order,
                    Verdict::matches(same),
                )
                .note(format!(
                    "of the root mean square distance from the rigid motion, K from {:e} to {:e} N/m",
                    stiffest[0],
                    stiffest[STIFFEST - 1],
                ))
                .note(near.note("within")),
        );
        let quantity = format!("distance over the way gone, {name}, after {steps} steps");
        rows.push(Row::unpublished(quantity, nearest).note("at the stiffest"));
        curves.push(Curve {
            label: format!("after {steps} steps, order {order:.2}"),
            color: k,
            stroke: Stroke::Both,
            points: points.clone(),
        });
    }
    rows.push(Row::unpublished(
        format!("steps not certified, {name}"),
        uncertified,
    ));
    let last = points[0][STIFFNESS.len() - 1];
    curves.push(Curve {
        label: "order 1".to_owned(),
        color: AFTER.len(),
        stroke: Stroke::Line,
        points: STIFFNESS.map(|k| (k, last.0 * last.1 / k)).to_vec(),
    });
    let header: Vec<String> = std::iter::once("stiffness[N/m]".to_owned())
        .chain(AFTER.map(|steps| format!("distance_{steps}[m]")))
        .collect();
    let line = |i: usize| -> Vec<f64> {
        let distances = points.iter().map(|points| points[i].1);
        std::iter::once(STIFFNESS[i]).chain(distances).collect()
    };
    let lines: Vec<Vec<f64>> = (0..STIFFNESS.len()).map(line).collect();
    let file = format!("tasora2013-stiffness-{name}");
    options.curve(&file, &header, &lines)?;
    let chart = Chart {
        title: format!(
            "{} spheres, {name}: distance of the soft from the rigid motion",
            start.len()
        ),
        x: "stiffness K, N/m",
        y: "root mean square distance, m",
        logarithmic: true,
        curves,
    };
    options.chart(&file, &chart)?;
    Ok(rows)
}
