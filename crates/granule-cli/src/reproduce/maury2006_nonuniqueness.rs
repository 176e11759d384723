//! Two solutions of one problem, by the time step [maury2006, §6.1, figures 3 and 4].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases;
use granule::simulation::{Settings, Simulation, StepSize};

/// q(1), q(2), q(3), q(4) for h = 2⁻⁸ and h = 2⁻⁹.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for exponent in [8, 9] {
        options.say(format!(
            "a point under an oscillating force, h = 2^-{exponent}"
        ));
        let step = 2f64.powi(-exponent);
        let mut settings = Settings::new(StepSize::Fixed(step), 4.0);
        settings.solver.tolerance = 1e-14;
        // Changes of the force before 1e-15 of the first step are below rounding.
        let mut simulation = Simulation::new(cases::non_uniqueness(1e-15 * step), settings)?;
        let mut curve = vec![vec![0.0, 0.0, 0.0]];
        for time in 1..=4 {
            while simulation.world().time < f64::from(time) - 0.5 * step {
                let report = simulation.step()?;
                let bodies = &simulation.world().bodies;
                curve.push(vec![
                    report.time,
                    bodies.position[0].x,
                    bodies.velocity[0].x,
                ]);
            }
            let q = simulation.world().bodies.position[0].x;
            let number = published.get(&format!("nonuniqueness-h2e-{exponent}-q{time}"))?;
            let exact = published.tolerance("nonuniqueness")?;
            let verdict = Verdict::matches(exact.allows((q - number.float()?).abs()));
            let row = number.row(format!("q({time}), h = 2^-{exponent}"), q, verdict);
            rows.push(row.note(exact.note("within")));
        }
        let header = ["time[s]", "position[m]", "velocity[m/s]"].map(str::to_owned);
        let name = format!("maury2006-nonuniqueness-h2e-{exponent}");
        options.curve(&name, &header, &curve)?;
        let figure = exponent - 5;
        let chart = Chart {
            title: format!("The point under the force, h = 2^-{exponent} (figure {figure})"),
            x: "time, s",
            y: "position, m",
            logarithmic: false,
            curves: vec![Curve {
                label: String::new(),
                color: 0,
                stroke: Stroke::Line,
                points: curve.iter().map(|line| (line[0], line[1])).collect(),
            }],
        };
        options.chart(&name, &chart)?;
    }
    draw_force(options)?;
    Ok(rows)
}

/// The force over the time.
fn draw_force(options: &Options) -> Result<(), Error> {
    let world = cases::non_uniqueness(1e-3);
    let force = &world.forces[0].magnitude;
    let samples = 4000;
    let time = |k: i32| (f64::from(k) + 0.5) * 4.0 / f64::from(samples);
    let points = (0..samples).map(|k| (time(k), force.at(time(k)))).collect();
    let chart = Chart {
        title: "The force, which changes its sign ever faster towards zero (figure 2)".to_owned(),
        x: "time, s",
        y: "force, N",
        logarithmic: false,
        curves: vec![Curve {
            label: String::new(),
            color: 1,
            stroke: Stroke::Line,
            points,
        }],
    };
    options.chart("maury2006-nonuniqueness-force", &chart)
}
