//! Rigid contacts are the limit of stiff ones [tasora2013, §3]: a packing whose wall is drawn back moves as one of rigid
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
/// K, N/m.
const STIFFNESS: [f64; 6] = [1e6, 1e7, 1e8, 1e9, 1e10, 1e11];
/// How many of the stiffest the order is taken of.
const STIFFEST: usize = 4;
/// Length (s) and number of steps.
const STEP: f64 = 1e-3;
const COUNT: usize = 40;
/// Of the wall that is drawn back, m/s.
const SPEED: f64 = 0.1;
/// Of the solves.
const TOLERANCE: f64 = 1e-8;
/// An order within this of the expected is a match.
const SAME: f64 = 0.1;

/// Where the spheres are in the end, and how many steps were not certified.
fn end(packing: &Packing, law: Law, elasticity: Elasticity) -> Result<(Vec<DVec3>, usize), Error> {
    let interface = Interface {
        elasticity,
        ..law.into()
    };
    let drawer = Motion::Velocity {
        linear: [SPEED, 0.0, 0.0],
    };
    let mut settings = Settings::new(StepSize::Fixed(STEP), COUNT as f64 * STEP);
    settings.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(packing.loaded(interface, drawer), settings)?;
    let mut uncertified = 0;
    for _ in 0..COUNT {
        uncertified += usize::from(!simulation.step()?.certified);
    }
    let mut places = simulation.world().bodies.by_id().position;
    places.truncate(packing.grains.len());
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
    let start: Vec<DVec3> = packing.grains.iter().map(|grain| grain.0).collect();
    let mut chart = Chart {
        title: format!(
            "{} spheres: distance of the soft from the rigid motion",
            start.len()
        ),
        x: "stiffness K, N/m",
        y: "root mean square distance, m",
        logarithmic: true,
        curves: Vec::new(),
    };
    let mut rows = Vec::new();
    let friction = Law::CoulombConvex(Friction::sliding(0.3));
    for (place, law) in [Law::Frictionless, friction].into_iter().enumerate() {
        options.say(format!("the limit of stiff springs, {}", law.name()));
        let (rigid, missed) = end(&packing, law, Elasticity::default())?;
        let mut uncertified = missed;
        let mut points = Vec::new();
        for stiffness in STIFFNESS {
            let springs = Elasticity::springs(stiffness, stiffness);
            let (soft, missed) = end(&packing, law, springs)?;
            uncertified += missed;
            points.push((stiffness, apart(&soft, &rigid)));
        }
        let order = -fit::exponent(&points[STIFFNESS.len() - STIFFEST..]);
        let number = published.get("stiffness-order")?;
        let same = (order - number.float()?).abs() <= SAME;
        rows.push(
            number
                .row(
                    format!("order of convergence in 1/K, {}", law.name()),
                    order,
                    Verdict::matches(same),
                )
                .note(format!(
                    "of the root mean square distance after {COUNT} steps, K from {:e} to {:e} N/m; match: within {SAME}",
                    STIFFNESS[STIFFNESS.len() - STIFFEST],
                    STIFFNESS[STIFFNESS.len() - 1],
                )),
        );
        let way = apart(&rigid, &start);
        let nearest = points[STIFFNESS.len() - 1].1 / way;
        let quantity = format!("distance at the stiffest over the way gone, {}", law.name());
        rows.push(Row::unpublished(quantity, nearest));
        let quantity = format!("steps not certified, {}", law.name());
        rows.push(Row::unpublished(quantity, uncertified));
        let header = ["stiffness[N/m]", "distance[m]"].map(str::to_owned);
        let lines: Vec<Vec<f64>> = points.iter().map(|&(k, d)| vec![k, d]).collect();
        let name = format!("tasora2013-stiffness-{}", law.name());
        options.curve(&name, &header, &lines)?;
        let slope: Vec<(f64, f64)> = points
            .iter()
            .map(|p| {
                (
                    p.0,
                    points[STIFFNESS.len() - 1].1 * STIFFNESS[STIFFNESS.len() - 1] / p.0,
                )
            })
            .collect();
        for (label, stroke, points) in [
            (
                format!("{}, order {order:.2}", law.name()),
                Stroke::Both,
                points,
            ),
            ("order 1".to_owned(), Stroke::Line, slope),
        ] {
            let color = if stroke == Stroke::Line { 4 } else { place };
            chart.curves.push(Curve {
                label,
                color,
                stroke,
                points,
            });
        }
    }
    options.chart("tasora2013-stiffness", &chart)?;
    Ok(rows)
}
