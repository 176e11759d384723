//! A column of ellipses that collapses without friction [bloch2023, §3.3.3, figure 13].

use super::published::Published;
use super::{Error, Options, Row, Verdict};
use granule::cases::{ELLIPSE_HEIGHT, ellipse_collapse};
use granule::simulation::{Settings, Simulation, StepSize};
use granule::solver::{Method, SolverConfig};

/// s, as printed.
const STEP: f64 = 0.01;
/// s.
const END: f64 = 5.0;
/// When pictures are drawn, s; the paper's figure has no times.
const SHOWN: [f64; 4] = [0.0, 1.0, 2.5, 5.0];

/// All steps of the collapse, with pictures.
pub fn rows(published: &Published, options: &Options) -> Result<Vec<Row>, Error> {
    let side = if options.quick { 5 } else { 10 };
    let mut settings = Settings::new(StepSize::Fixed(STEP), END);
    settings.solver = SolverConfig::named(Method::ApgdAr);
    settings.solver.tolerance = published.get("ellipses-tolerance")?.float()?;
    let gained = published.tolerance("ellipses-energy")?;
    let mut simulation = Simulation::new(ellipse_collapse(side, 1), settings)?;
    let (mut depth, mut uncertified, mut contacts, mut grew) = (0.0_f64, 0, 0, 0);
    let mut shown = SHOWN.iter().peekable();
    loop {
        let time = simulation.world().time;
        if let Some(at) = shown.next_if(|at| time >= **at - 1e-9) {
            options.draw(
                simulation.world(),
                &format!("bloch2023-ellipses-{at}"),
                format!("{} ellipses at t = {at} s (figure 13)", side * side),
            )?;
        }
        if simulation.finished() {
            break;
        }
        let report = simulation.step()?;
        options.say(format!(
            "{} ellipses, t = {time:.2} s of {END}",
            side * side
        ));
        depth = depth.max(report.certificate.max_penetration);
        uncertified += usize::from(!report.certified);
        contacts = contacts.max(report.contacts);
        let lost = report.energy.dissipation;
        grew += usize::from(lost < -gained.most() * report.energy.turned_over);
    }
    let count = side * side;
    let of = |what: &str| format!("{count} ellipses: {what}");
    Ok(vec![
        Row::unpublished(of("deepest overlap / half height"), depth / ELLIPSE_HEIGHT)
            .note("the gap is linear in the step, bodies turn: of second order in the step"),
        published
            .get("ellipses-energy")?
            .row(
                of("steps in which contacts gave energy"),
                grew,
                Verdict::matches(grew == 0),
            )
            .note(gained.note("no step by more, as a share of the energy turned over, than")),
        Row::unpublished(of("steps not certified"), uncertified).note(format!(
            "of {}, to {:e}, with `apgd-ar`",
            (END / STEP).round(),
            settings.solver.tolerance
        )),
        Row::unpublished(of("most contacts in a step"), contacts),
    ])
}
