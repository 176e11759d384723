//! Impulses of impacts by the time step: those of RATTLE converge, those of SHAKE do not
//! [kleinert2017, §3.2].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use crate::plot::{Chart, Curve, Stroke};
use granule::cases::{Impact, floor_impulse};
use granule::math::DVec3;
use granule::scheme::{SchemeConfig, SchemeName};
use granule::simulation::{Settings, Simulation, StepSize, World};

/// The time steps of the point, s.
const POINT_STEPS: [f64; 5] = [0.3, 0.07, 0.03, 0.011, 0.0037];
/// Impulses above this are those of the impact, N s.
const SEEN: f64 = 1e-9;
/// From where the ball and the pyramid fall, m.
const HEIGHTS: [f64; 2] = [1.0, 0.1];
/// Each time step over the one before.
const RATIO: f64 = 0.7;
/// Time steps for one fall.
const COUNT: usize = 12;
/// How often the longest goes into the time of the fall: not a whole number, or the impact would fall
/// on the end of a step.
const LONGEST: f64 = 18.3;
/// Of the solves of the point, and of the falls, whose errors are above 1e-4.
const TOLERANCES: [f64; 2] = [1e-12, 1e-6];
/// The shortest of them, for which SHAKE still must not converge.
const FINE: usize = 6;

fn steps_of(scheme: SchemeName, step: f64, end: f64, tolerance: f64) -> Settings {
    let mut settings = Settings::new(StepSize::Fixed(step), end);
    settings.scheme = SchemeConfig::named(scheme);
    settings.solver.tolerance = tolerance;
    settings
}

/// The impulses of the floor, step by step.
fn impulses(world: World, settings: Settings) -> Result<Vec<f64>, Error> {
    let mut simulation = Simulation::new(world, settings)?;
    let mut impulses = Vec::new();
    while !simulation.finished() {
        simulation.step()?;
        impulses.push(floor_impulse(&simulation));
    }
    Ok(impulses)
}

/// A mass that meets the ground at 1 m/s after 1 s, without gravity.
fn point(published: &Published) -> Result<Vec<Row>, Error> {
    let exact = published.tolerance("point")?;
    let mut rows = Vec::new();
    for step in POINT_STEPS {
        let first = |scheme| -> Result<f64, Error> {
            let mut world = Impact::Ball.world(1.0);
            world.gravity = DVec3::ZERO;
            world.bodies.velocity.fill(-DVec3::Z);
            let impulses = impulses(
                world,
                steps_of(scheme, step, 1.0 + 2.0 * step, TOLERANCES[0]),
            )?;
            Ok(impulses.into_iter().find(|x| *x > SEEN).unwrap_or(0.0))
        };
        let number = published.get(&format!("point-shake-{step}"))?;
        let shake = first(SchemeName::Shake)?;
        let close = |x: f64, want: f64| Verdict::matches(exact.allows((x - want).abs()));
        let quantity = format!("point, h = {step}: first of the two impulses of SHAKE");
        rows.push(number.row(quantity, shake, close(shake, number.float()?)));
        let number = published.get("point-rattle")?;
        let rattle = first(SchemeName::Rattle)?;
        let quantity = format!("point, h = {step}: impulse of RATTLE");
        rows.push(number.row(quantity, rattle, close(rattle, number.float()?)));
    }
    let within = |row: Row| row.note(exact.note("within"));
    Ok(rows.into_iter().map(within).collect())
}

/// What falls, with the largest impulse of a step by the length of steps.
struct Fall {
    name: &'static str,
    /// The impulse of the impact, N s.
    limit: f64,
    /// Time of the fall, s.
    duration: f64,
    /// h (s), and the largest impulse of SHAKE and of RATTLE, N s.
    lines: Vec<[f64; 3]>,
}

impl Fall {
    fn new(
        impact: Impact,
        name: &'static str,
        height: f64,
        options: &Options,
    ) -> Result<Self, Error> {
        options.say(format!("{name} falls with {COUNT} time steps"));
        let (world, settings) = impact.at_floor(height);
        let mut at_floor = Simulation::new(world, settings)?;
        at_floor.step()?;
        let limit = floor_impulse(&at_floor);
        let gravity = impact.world(height).gravity.length();
        let duration = (2.0 * height / gravity).sqrt();
        let mut lines = Vec::new();
        for k in 0..COUNT {
            let step = duration / LONGEST * RATIO.powi(k as i32);
            // Until the impact is over, and before anything could come back.
            let end = duration + 4.0 * step;
            let largest = |scheme| -> Result<f64, Error> {
                let all = impulses(
                    impact.world(height),
                    steps_of(scheme, step, end, TOLERANCES[1]),
                )?;
                Ok(all.into_iter().fold(0.0, f64::max))
            };
            lines.push([
                step,
                largest(SchemeName::Shake)?,
                largest(SchemeName::Rattle)?,
            ]);
        }
        Ok(Self {
            name,
            limit,
            duration,
            lines,
        })
    }

    /// h and the relative distance of an impulse (1: SHAKE, 2: RATTLE) from the limit.
    fn errors(&self, of: usize) -> Vec<(f64, f64)> {
        let error = |line: &[f64; 3]| (line[0], (line[of] / self.limit - 1.0).abs());
        self.lines.iter().map(error).collect()
    }

    /// RATTLE's error over h/T, T the time of the fall: bounded if it is of first order.
    fn rows(&self, published: &Published) -> Result<Vec<Row>, Error> {
        let name = self.name;
        let mut rows = Vec::new();
        for [step, shake, rattle] in self.lines.iter().step_by(4) {
            for (scheme, impulse) in [("SHAKE", shake), ("RATTLE", rattle)] {
                let quantity = format!("{name}, h = {step:.2e}: largest impulse of {scheme}");
                let row = Row::unpublished(quantity, *impulse).unit("N s");
                rows.push(row.note(format!("the impact's is {:.6}", self.limit)));
            }
        }
        let over_step = |(step, error): &(f64, f64)| error * self.duration / step;
        let worst = self.errors(2).iter().map(over_step).fold(0.0, f64::max);
        let quantity = format!("{name}: largest error of RATTLE, over h/T");
        let first_order = published.tolerance("rattle-order")?;
        let verdict = Verdict::matches(first_order.allows(worst));
        let row = published
            .get("rattle-converges")?
            .row(quantity, worst, verdict);
        rows.push(row.note(format!(
            "relative to the impulse of the impact, T the time of the fall; for all h from T/{LONGEST} down to T/{:.0}; {}",
            self.duration / self.lines[COUNT - 1][0],
            first_order.note("at most")
        )));
        let fine = &self.lines[COUNT - FINE..];
        let shares = fine.iter().map(|line| line[1] / self.limit);
        let (low, high) = shares.fold((1.0f64, 0.0f64), |(low, high), share| {
            (low.min(share), high.max(share))
        });
        let quantity =
            format!("{name}: range of SHAKE's largest impulse over the {FINE} shortest steps");
        let spread = published.tolerance("shake-spread")?;
        let verdict = Verdict::matches(high - low > spread.most());
        let row = published
            .get("shake-converges")?
            .row(quantity, high - low, verdict);
        let row = row.note("share of the impulse of the impact");
        rows.push(row.note(spread.note("above")));
        Ok(rows)
    }
}

/// The point, a ball and a pyramid.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let mut rows = point(published)?;
    let falls = [
        Fall::new(Impact::Ball, "ball", HEIGHTS[0], options)?,
        Fall::new(
            Impact::Pyramid(5),
            "pyramid of 55 spheres",
            HEIGHTS[1],
            options,
        )?,
    ];
    let number = published.get("ball-rattle")?;
    let finest = falls[0].lines[COUNT - 1][2];
    let near = published.tolerance("ball-rattle")?;
    let close = near.allows((finest / number.float()? - 1.0).abs());
    let quantity = "ball: impulse of RATTLE with the shortest step";
    rows.push(
        number
            .row(quantity, finest, Verdict::matches(close))
            .note(near.note("within a share of")),
    );
    for fall in &falls {
        rows.extend(fall.rows(published)?);
    }
    draw(&falls, options)?;
    Ok(rows)
}

fn draw(falls: &[Fall], options: &Options) -> Result<(), Error> {
    let mut chart = Chart {
        title: "The largest impulse of a step in an impact: distance from the limit".to_owned(),
        x: "time step, s",
        y: "relative error",
        logarithmic: true,
        curves: Vec::new(),
    };
    let header = ["step[s]", "shake[N s]", "rattle[N s]"].map(str::to_owned);
    for (place, (fall, file)) in falls.iter().zip(["ball", "pyramid"]).enumerate() {
        let lines: Vec<Vec<f64>> = fall.lines.iter().map(|line| line.to_vec()).collect();
        options.curve(&format!("kleinert-impulses-{file}"), &header, &lines)?;
        let color = |of: usize| 2 * place + of - 1;
        for (of, scheme) in [(1, "shake"), (2, "rattle")] {
            chart.curves.push(Curve {
                label: format!("{scheme}, {}", fall.name),
                color: color(of),
                stroke: Stroke::Both,
                points: fall.errors(of),
            });
        }
        let bound = |line: &[f64; 3]| (line[0], 0.5 * line[0] / fall.duration);
        chart.curves.push(Curve {
            label: format!("h/2T, {}", fall.name),
            color: color(2),
            stroke: Stroke::Line,
            points: fall.lines.iter().map(bound).collect(),
        });
    }
    options.chart("kleinert-impulses", &chart)
}
