//! Sticky particles end in the same state for any time step [maury2006, §6.2, figures 5 to 7].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases;
use granule::simulation::{Settings, Simulation, StepSize};
use granule::solver::Method;

/// The end of the paper's figures, s.
const END: f64 = 3.0;

/// The distance of all points from the exact aggregate, and their velocity's, for three steps.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let (position, velocity) = cases::sticky_aggregate(END);
    let mut rows = Vec::new();
    for (step, figure) in [(0.01, 5), (0.5, 6), (1.5, 7)] {
        options.say(format!("sticky particles, h = {step}"));
        let mut settings = Settings::new(StepSize::Fixed(step), END);
        settings.solver.own = Method::ApgdAsr.into();
        settings.solver.tolerance = 1e-15;
        settings.solver.max_iterations = 100_000;
        let mut simulation = Simulation::new(cases::sticky(), settings)?;
        let state = |simulation: &Simulation| {
            let world = simulation.world();
            let along = world.bodies.position.iter().map(|q| q.x);
            std::iter::once(world.time).chain(along).collect::<Vec<_>>()
        };
        let mut paths = vec![state(&simulation)];
        while !simulation.finished() {
            simulation.step()?;
            paths.push(state(&simulation));
        }
        let bodies = &simulation.world().bodies;
        let worst =
            |errors: &mut dyn Iterator<Item = f64>| errors.map(f64::abs).fold(0.0, f64::max);
        let away = worst(&mut bodies.position.iter().map(|q| q.x - position));
        let faster = worst(&mut bodies.velocity.iter().map(|u| u.x - velocity));
        for (what, error, unit) in [("position", away, "m"), ("velocity", faster, "m/s")] {
            let number = published.get("sticky-difference")?;
            let same = published.tolerance("sticky")?;
            let quantity = format!("largest {what} error at t = {END}, h = {step}");
            let row = number.row(quantity, error, Verdict::matches(same.allows(error)));
            let row = row
                .unit(unit)
                .note("all 20 points against the centre of mass");
            rows.push(row.note(same.note("at most")));
        }
        let points = (0..bodies.len()).map(|point| format!("q{point}[m]"));
        let header: Vec<String> = std::iter::once("time[s]".to_owned())
            .chain(points)
            .collect();
        let name = format!("maury2006-sticky-h{step}");
        options.curve(&name, &header, &paths)?;
        let path = |point: usize| Curve {
            label: String::new(),
            color: point,
            stroke: Stroke::Line,
            points: paths
                .iter()
                .map(|line| (line[0], line[1 + point]))
                .collect(),
        };
        let chart = Chart {
            title: format!("Paths of sticky particles, h = {step} (figure {figure})"),
            x: "time, s",
            y: "position, m",
            logarithmic: false,
            curves: (0..bodies.len()).map(path).collect(),
        };
        options.chart(&name, &chart)?;
    }
    Ok(rows)
}
