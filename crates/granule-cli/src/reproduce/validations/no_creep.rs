//! Validation 1: what friction holds does not creep. A sphere lies on a slope of 20° that it would
//! neither slide (μ > tan α) nor roll down (δ > R tan α); a block on one of 30° sticks if μ > tan α and slides if not.

use crate::reproduce::published::Published;
use crate::reproduce::{Error, Options, Row, Verdict};
use granule::cases::sphere_on_plane;
use granule::law::{Friction, Law};
use granule::simulation::{Settings, Simulation, StepSize};

/// rad.
const SLOPE: f64 = std::f64::consts::PI / 9.0;
/// m.
const RADII: [f64; 3] = [1.0, 0.1, 1e-3];
/// s.
const STEP: f64 = 1e-3;
const STEPS: u64 = 10_000;
const TOLERANCE: f64 = 1e-10;

/// The drift in 10⁴ steps at three scales.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let number = published.get("no-creep")?;
    let still = published.tolerance("no-creep")?;
    let mut rows = Vec::new();
    for radius in RADII {
        options.say(format!("a sphere of {radius} m on a slope"));
        let law = Law::Coulomb(Friction {
            sliding: 1.1 * SLOPE.tan(),
            rolling: 1.1 * radius * SLOPE.tan(),
            spinning: 0.0,
        });
        let world = sphere_on_plane(radius, SLOPE, law);
        let start = world.bodies.position[0];
        let mut settings = Settings::new(StepSize::Fixed(STEP), STEP * STEPS as f64);
        settings.solver.tolerance = TOLERANCE;
        let mut simulation = Simulation::new(world, settings)?;
        let mut uncertified = 0;
        while simulation.world().steps < STEPS {
            uncertified += usize::from(!simulation.step()?.certified);
        }
        let drift = simulation.world().bodies.position[0].distance(start);
        let quantity = format!("1: drift in 10⁴ steps on a slope, sphere of radius {radius} m");
        let verdict = Verdict::matches(still.allows(drift));
        rows.push(number.row(quantity, drift, verdict).note(format!(
            "μ and δ/R are 1.1 tan 20°, exact law, tolerance {TOLERANCE:e}, dt = {STEP} s; {uncertified} steps not certified; {}",
            still.note("at most")
        )));
    }
    rows.extend(super::blocks::on_slope(published, options)?);
    Ok(rows)
}
