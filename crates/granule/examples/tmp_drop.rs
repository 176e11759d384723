//! tmp
use granule::cases::*;
use granule::simulation::*;
use granule::solver::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let method = Method::ALL.into_iter().find(|m| m.name() == a[2]).unwrap();
    let threads: usize = a[3].parse().unwrap();
    let tol: f64 = a[4].parse().unwrap();
    let end: f64 = a[5].parse().unwrap();
    let mut s = box_drop_settings(n);
    s.end = end;
    s.solver.method = method;
    s.solver.tolerance = tol;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let t0 = std::time::Instant::now();
        let mut sim = Simulation::new(box_drop(n, 0), s).unwrap();
        let (mut its, mut apps, mut reps, mut esc, mut maxit) = (0, 0, 0, 0, 0);
        let mut rec = 0; let mut nc = 0; let mut fails=0; let mut worst: f64 = 0.0; let mut pen: f64 = 0.0;
        while !sim.finished() {
            let r = sim.step().unwrap();
            its += r.iterations; apps += r.applications; reps += r.repeats; esc += r.escalations; maxit = maxit.max(r.iterations);
            rec += (r.recovered > 0.0) as usize; nc += r.contacts; fails += !r.certified as usize; worst = worst.max(r.certificate.residual);
            pen = pen.max(r.certificate.max_penetration);
            if r.step.is_multiple_of(50) && a.len() > 6 { println!("{} t={:.3} c={} act={} it={} app={} scaled={:.1e} res={:.1e} rep={} ke={:.3} rec={:.1e}", r.step, r.time, r.contacts, r.active, r.iterations, r.applications, r.certificate.scaled, r.certificate.residual, r.repeats, r.kinetic_energy, r.recovered); }
        }
        let w = t0.elapsed().as_secs_f64();
        println!("wall {w:.2} steps {} its {its} max {maxit} apps {apps} reps {reps} esc {esc} rec {rec} fails {fails} contacts {} worst {worst:.2e} pen {pen:.2e} builds {}", sim.world().steps, nc / sim.world().steps as usize, sim.neighbour_builds());
        for st in Stage::ALL { print!("{} {:.2}  ", st.name(), sim.times().get(st).as_secs_f64()); }
        println!("ns/contact/app {:.1} hash {:016x}", sim.times().get(Stage::Solve).as_secs_f64()*1e9/(apps as f64)/(nc as f64/sim.world().steps as f64), sim.world().bodies.state_hash());
    });
}
