//! After a warm-up a steady step allocates nothing.

#![allow(
    unsafe_code,
    reason = "counting allocations takes an allocator of one's own"
)]

use granule::cases;
use granule::law::{Friction, Law, LawTable};
use granule::scheme::{SchemeConfig, SchemeName};
use granule::simulation::Simulation;
use granule::solver::Method;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, with a count for each thread.
struct Counting;

impl Counting {
    fn count() {
        // A thread that is ending has no count any more, and needs none.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> usize {
    ALLOCATIONS.with(Cell::get)
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    let boxed = std::hint::black_box(Box::new(1));
    assert_eq!(allocations() - before, *boxed);
}

#[test]
fn a_steady_step_allocates_nothing() {
    steady(Method::ApgdAr, Law::Frictionless, SchemeName::Maury);
}

#[test]
fn a_steady_step_with_friction_allocates_nothing() {
    let law = Law::Coulomb(Friction::sliding(0.5));
    steady(Method::Ags, law, SchemeName::Maury);
}

#[test]
fn a_steady_step_with_constraints_on_velocities_allocates_nothing() {
    steady(Method::ApgdAr, Law::Frictionless, SchemeName::MoreauJean);
}

#[test]
fn a_steady_step_with_two_problems_allocates_nothing() {
    let law = Law::Coulomb(Friction::sliding(0.5));
    steady(Method::Ags, law, SchemeName::Rattle);
}

fn steady(method: Method, law: Law, scheme: SchemeName) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        let mut settings = cases::box_drop_settings(8);
        settings.end = 1e9;
        settings.solver.own = method.into();
        settings.scheme = SchemeConfig::named(scheme);
        let mut world = cases::box_drop(8, 0);
        world.laws = LawTable::uniform(law);
        let mut simulation = Simulation::new(world, settings).unwrap();
        // The spheres have come to rest at the bottom.
        while simulation.world().time < 14.0 {
            simulation.step().unwrap();
        }
        let (mut steady, mut loaded) = (0, 0);
        while steady < 60 {
            let builds = simulation.neighbour_builds();
            // Every hundredth step puts the bodies into order again.
            let reorders = simulation.world().steps.is_multiple_of(100);
            let before = allocations();
            let report = simulation.step().unwrap();
            let made = allocations() - before;
            if !reorders && simulation.neighbour_builds() == builds {
                assert_eq!(
                    made, 0,
                    "step {} with {} contacts",
                    report.step, report.contacts
                );
                steady += 1;
                loaded += usize::from(report.active > 400 && report.iterations > 0);
            }
            assert!(report.step < 20_000, "never steady");
        }
        assert!(
            loaded > 20,
            "{loaded} of {steady} steps had something to solve"
        );
    });
}
