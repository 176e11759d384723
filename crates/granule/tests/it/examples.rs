//! The examples run, and what they say is true.

/// A test for each example.
macro_rules! examples {
    ($($name:ident: $path:literal,)*) => {
        $(
            #[path = $path]
            mod $name;

            #[test]
            fn $name() {
                $name::main().unwrap();
            }
        )*
    };
}

examples! {
    contact_problem: "../../examples/contact_problem.rs",
    control: "../../examples/control.rs",
    coulomb: "../../examples/coulomb.rs",
    coulomb_convex: "../../examples/coulomb_convex.rs",
    custom_force: "../../examples/custom_force.rs",
    frictionless: "../../examples/frictionless.rs",
    maury: "../../examples/maury.rs",
    moreau_jean: "../../examples/moreau_jean.rs",
    shake_and_rattle: "../../examples/shake_and_rattle.rs",
}
