//! Every kind of bad scene gets a message with the file, the line, the reason and a remedy.

use granule_io::scene;
use std::path::Path;

const HEAD: &str = "[scene]\nname = 'bad'\n[time]\nstep = 1e-3\nend = 1.0\n";
const BALL: &str = "[[bodies]]\nsphere = { radius = 0.1 }\nposition = [0, 0, 1]\n";

/// A sound scene and then some.
fn with(more: &str) -> String {
    format!("{HEAD}{BALL}{more}")
}

/// A body with these lines instead of a sound one.
fn body(lines: &str) -> String {
    format!("{HEAD}[[bodies]]\n{lines}\n")
}

/// A sound scene with other lines in `[time]`.
fn time(lines: &str) -> String {
    format!("[scene]\nname = 'bad'\n[time]\n{lines}\n{BALL}")
}

/// A sound scene with more lines in `[scene]`.
fn general(lines: &str) -> String {
    format!("[scene]\nname = 'bad'\n{lines}\n[time]\nstep = 1e-3\nend = 1.0\n{BALL}")
}

/// A sound scene with materials `a` and `b`, these lines in `[contacts]` and these pairs.
fn contacts(lines: &str, pairs: &[&str]) -> String {
    let pairs = pairs.join(",\n");
    with(&format!(
        "material = 'a'\n[materials.a]\n[materials.b]\n[contacts]\n{lines}\npairs = [\n{pairs}]\n"
    ))
}

/// A sound scene with impacts and these lines in `[contacts]`.
fn impacts(lines: &str) -> String {
    time("step = 1e-3\nend = 1.0\nscheme = 'moreau-jean'") + &format!("[contacts]\n{lines}\n")
}

const ROUGH: &str = "law = 'coulomb'\nfriction = 0.5";

/// With these lines in `[solver]` and `[contacts]`.
fn solver(lines: &str, contacts: &str) -> String {
    with(&format!("[solver]\n{lines}\n[contacts]\n{contacts}\n"))
}

/// Grains and nothing else.
fn grains(lines: &str) -> String {
    format!("{HEAD}[[grains]]\n{lines}\n")
}

/// A sound scene with a measure of these lines.
fn measure(lines: &str) -> String {
    with(&format!("[[measures]]\n{lines}\n"))
}

/// A body with these lines in a plane.
fn flat(lines: &str) -> String {
    let text = general("dimension = 2").replace(BALL, "");
    text + &format!("[[bodies]]\nposition = [0, 0]\n{lines}\n")
}

fn line(bodies: &[(f64, f64)]) -> String {
    let mut text = general("dimension = 1").replace(BALL, "");
    for (x, radius) in bodies {
        text +=
            &format!("[[bodies]]\nsphere = {{ radius = {radius} }}\nposition = [{x}]\nmass = 1\n");
    }
    text
}

/// Two spheres of 0.1 m called `left` and `right`, so far apart (m), with these lines after them.
fn two_bodies(distance: f64, lines: &str) -> String {
    let sphere = |name: &str, x: f64| {
        format!(
            "[[bodies]]\nname = '{name}'\nsphere = {{ radius = 0.1 }}\nposition = [{x}, 0, 1]\n"
        )
    };
    let bodies = sphere("left", 0.0) + &sphere("right", distance);
    format!("{HEAD}[contacts]\nbond = {{ pull = 1 }}\n{bodies}{lines}")
}

fn bad_scenes() -> Vec<(&'static str, String)> {
    let grid = "grid = { counts = [2, 2, 2], spacing = 1 }";
    let sphere = "sphere = { radius = 0.1 }";
    vec![
        // Measures.
        ("measure_of_nothing", measure("name = 'a'")),
        ("measure_of_two_things", measure("name = 'a'\nrepose = {}\ndisplacement = {}")),
        ("measure_with_a_bad_name", measure("name = 'a-b'\nrepose = {}")),
        ("measure_with_the_name_of_a_function", measure("name = 'sin'\ndisplacement = {}")),
        ("measures_with_one_name", measure("name = 'a'\nrepose = {}\n[[measures]]\nname = 'a'\nstress = {}")),
        ("measure_that_names_a_column_twice", measure("name = 'time'\ndisplacement = {}")),
        ("measure_in_an_empty_box", measure("name = 'a'\nstress = { region = { box = { min = [0, 0, 1], max = [1, 1, 0] } } }")),
        ("measure_of_flow_without_direction", measure("name = 'a'\nflow = { point = [0, 0, 0], normal = [0, 0, 0] }")),
        ("measure_of_slices_askew", measure("name = 'a'\nprofile = { region = { box = { min = [0, 0, 0], max = [1, 1, 1] } }, axis = [1, 1, 0], bins = 5 }")),
        ("measure_with_no_bins", measure("name = 'a'\nforce-distribution = { bins = 0 }")),
        ("measure_on_a_grid_of_wrong_length", measure("name = 'a'\nstress-field = { min = [0, 0, 0], max = [1, 1, 1], counts = [2, 2] }")),
        ("measure_of_mixing_of_one_kind", measure("name = 'a'\nmixing = { grid = { min = [0, 0, 0], max = [1, 1, 1], counts = [2, 2, 2] } }")),
        ("measure_of_an_unknown_material", measure("name = 'a'\nmixing = { material = 'x', grid = { min = [0, 0, 0], max = [1, 1, 1], counts = [2, 2, 2] } }")),
        ("measure_with_an_idle_interval", measure("name = 'a'\nrepose = {}\ninterval = 0.1")),
        ("measure_with_an_idle_unit", measure("name = 'a'\nrepose = {}\nunit = 'm'")),
        ("measure_by_no_formula", measure("name = 'a'\nexpression = '1 +'")),
        ("measure_by_a_formula_of_nothing", measure("name = 'a'\nexpression = '2 * kinetic_enrgy'")),
        // Values of the wrong sign or kind.
        ("negative_radius", body("sphere = { radius = -0.1 }\nposition = [0, 0, 1]")),
        ("zero_radius_in_3d", body("sphere = { radius = 0 }\nposition = [0, 0, 1]")),
        ("zero_mass", with("mass = 0\n")),
        ("negative_inertia", with("inertia = [1, -1, 1]\n")),
        ("nan_radius", body("sphere = { radius = nan }\nposition = [0, 0, 1]")),
        ("infinite_mass", with("mass = inf\n")),
        ("nan_position", body(&format!("{sphere}\nposition = [0, nan, 1]"))),
        ("huge_number", with("mass = 1e200\n")),
        ("zero_quaternion", with("orientation = [0, 0, 0, 0]\n")),
        ("wrong_type", with("mass = 'heavy'\n")),
        ("number_instead_of_table", body("sphere = 3\nposition = [0, 0, 1]")),
        ("zero_density", with("[materials.steel]\ndensity = 0\n")),
        // Words.
        ("unknown_key", with("postion = [0, 0, 2]\n")),
        ("unknown_section", with("[tmie]\nstep = 1\n")),
        ("unknown_method", with("[solver]\nmethod = 'apgd-sa'\n")),
        ("unknown_scheme", time("step = 1e-3\nend = 1\nscheme = 'euler'")),
        ("unknown_law", with("[contacts]\nlaw = 'frictionles'\n")),
        ("unknown_coefficient", with("[contacts]\nlaw = 'frictionless'\nmu = 0.5\n")),
        ("key_with_a_typo_in_an_inline_table", body("sphere = { raduis = 1 }\nposition = [0, 0, 1]")),
        ("unknown_motion", with("motion = 'fix'\n")),
        ("bad_name", general("").replace("'bad'", "'../bad'")),
        // Time.
        ("missing_time", format!("[scene]\nname = 'bad'\n{BALL}")),
        ("missing_end", time("step = 1e-3")),
        ("missing_step", time("end = 1.0")),
        ("step_and_cfl", time("step = 1e-3\ncfl = 0.2\nend = 1.0")),
        ("negative_step", time("step = -1e-3\nend = 1.0")),
        ("step_longer_than_end", time("step = 2.0\nend = 1.0")),
        ("too_many_steps", time("step = 1e-20\nend = 1.0")),
        ("max_step_without_cfl", time("step = 1e-3\nmax_step = 1\nend = 1.0")),
        ("negative_end", time("step = 1e-3\nend = -1.0")),
        // The solver.
        ("zero_tolerance", with("[solver]\ntolerance = 0\n")),
        ("tolerance_above_one", with("[solver]\ntolerance = 2.0\n")),
        ("no_iterations", with("[solver]\nmax_iterations = 0\n")),
        ("negative_iterations", with("[solver]\nmax_iterations = -5\n")),
        ("unknown_on_failure", with("[solver]\non_failure = 'ignore'\n")),
        // Dimensions.
        ("dimension_four", general("dimension = 4")),
        ("gravity_too_short", general("gravity = [0, -9.81]")),
        ("position_too_long", body(&format!("{sphere}\nposition = [0, 0, 1, 2]"))),
        ("gravity_out_of_the_plane", general("dimension = 2\ngravity = [0, 0, -9.81]")),
        ("spin_out_of_the_plane", general("dimension = 2").replace(BALL, "[[bodies]]\nsphere = { radius = 1 }\nposition = [0, 0]\nangular_velocity = [1, 0, 0]\n")),
        ("unordered_on_a_line", line(&[(1.0, 0.1), (0.0, 0.1)])),
        ("overlap_on_a_line", line(&[(0.0, 0.5), (0.6, 0.5)])),
        ("point_without_mass", line(&[(0.0, 0.0)]).replace("mass = 1\n", "")),
        ("cfl_with_points", line(&[(0.0, 0.0), (1.0, 0.0)]).replace("step = 1e-3", "cfl = 0.2")),
        ("cylinder_on_a_line", line(&[(0.0, 0.1)]) + "[[walls]]\ncylinder = { radius = 1, length = 1 }\n"),
        // Starts.
        ("no_bodies", HEAD.to_owned()),
        ("overlapping_bodies", with("[[bodies]]\nsphere = { radius = 0.2 }\nposition = [0.1, 0, 1]\n")),
        ("overlapping_grains", grains("grid = { counts = [3, 3, 3], spacing = 0.9 }\nradius = 0.5")),
        ("body_in_wall", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nposition = [0, 0, 0.95]\n")),
        ("velocity_and_motion", with("velocity = [1, 0, 0]\nmotion = 'fixed'\n")),
        // Materials.
        ("unknown_material", with("material = 'stele'\n[materials.steel]\n")),
        ("material_not_chosen", with("[materials.steel]\n[materials.sand]\n")),
        ("unknown_material_in_pair", with("[contacts]\npairs = [{ between = ['default', 'sand'], law = 'frictionless' }]\n")),
        ("pair_given_twice", with("[contacts]\npairs = [\n{ between = ['default', 'default'], law = 'frictionless' },\n{ between = ['default', 'default'], law = 'frictionless' }]\n")),
        ("negative_candidate_distance", with("[contacts]\ncandidate_distance = -1\n")),
        // Friction.
        ("friction_negative", with("[contacts]\nlaw = 'coulomb'\nfriction = -0.1\n")),
        ("friction_nan", with("[contacts]\nlaw = 'coulomb'\nfriction = nan\n")),
        ("friction_too_large", with("[contacts]\nlaw = 'coulomb'\nfriction = 1e13\n")),
        ("friction_missing", with("[contacts]\nlaw = 'coulomb-convex'\n")),
        ("friction_missing_in_pair", contacts("", &["{ between = ['a', 'b'], law = 'coulomb' }"])),
        ("friction_not_inherited_by_pair", contacts("law = 'coulomb'\nfriction = 0.5", &["{ between = ['a', 'b'] }"])),
        ("friction_with_frictionless", with("[contacts]\nlaw = 'frictionless'\nfriction = 0.5\n")),
        ("friction_without_a_law", with("[contacts]\nfriction = 0.5\n")),
        ("friction_with_frictionless_in_pair", contacts("", &["{ between = ['a', 'b'], friction = 0.5 }"])),
        ("friction_on_a_line", line(&[(0.0, 0.1), (1.0, 0.1)]) + "[contacts]\nlaw = 'coulomb'\nfriction = 0.5\n"),
        ("rolling_friction_negative", with("[contacts]\nlaw = 'coulomb'\nfriction = 0.5\nrolling_friction = -1e-3\n")),
        ("rolling_friction_in_pair_on_a_line", line(&[(0.0, 0.1), (1.0, 0.1)]) + "[contacts]\npairs = [{ between = ['default', 'default'], law = 'coulomb', friction = 0.0, rolling_friction = 1e-3 }]\n"),
        ("rolling_friction_without_rotation", general("lock_rotation = true") + "[contacts]\nlaw = 'coulomb'\nfriction = 0.5\nrolling_friction = 1e-3\n"),
        ("spinning_friction_in_a_plane", general("dimension = 2").replace("[0, 0, 1]", "[0, 1]") + "[contacts]\nlaw = 'coulomb'\nfriction = 0.5\nspinning_friction = 1e-3\n"),
        ("laws_mixed", contacts("law = 'coulomb'\nfriction = 0.5", &["{ between = ['a', 'b'], law = 'coulomb-convex', friction = 0.3 }"])),
        ("laws_mixed_in_pairs", contacts("", &["{ between = ['a', 'a'], law = 'coulomb-convex', friction = 0.3 }", "{ between = ['a', 'b'], law = 'coulomb', friction = 0.3 }"])),
        ("dilatancy_zero", with("[contacts]\nlaw = 'coulomb-convex'\nfriction = 0.5\ndilatancy = 0\n")),
        ("dilatancy_negative", with("[contacts]\nlaw = 'coulomb-convex'\nfriction = 0.5\ndilatancy = -0.1\n")),
        ("dilatancy_nan", with("[contacts]\nlaw = 'coulomb-convex'\nfriction = 0.5\ndilatancy = nan\n")),
        ("dilatancy_above_friction", with("[contacts]\nlaw = 'coulomb-convex'\nfriction = 0.5\ndilatancy = 0.6\n")),
        ("dilatancy_without_friction", with("[contacts]\nlaw = 'coulomb-convex'\nfriction = 0\ndilatancy = 0.1\n")),
        ("dilatancy_with_coulomb", with("[contacts]\nlaw = 'coulomb'\nfriction = 0.5\ndilatancy = 0.1\n")),
        ("dilatancy_with_frictionless", with("[contacts]\ndilatancy = 0.1\n")),
        ("dilatancy_with_rolling_in_a_pair", contacts("law = 'coulomb-convex'\nfriction = 0.5\ndilatancy = 0.1", &["{ between = ['a', 'b'], friction = 0.3, rolling_friction = 1e-3 }"])),
        ("dilatancy_with_rattle", time("step = 1e-3\nend = 1.0\nscheme = 'rattle'") + "[contacts]\nlaw = 'coulomb-convex'\nfriction = 0.5\ndilatancy = 0.1\n"),
        ("dilatancy_with_a_solver_that_cannot", solver("method = 'nlgs-cases'", "law = 'coulomb-convex'\nfriction = 0.5\ndilatancy = 0.1")),
        ("unknown_law_in_pair", contacts("", &["{ between = ['a', 'b'], law = 'columb', friction = 0.3 }"])),
        ("unequal_inertia_with_friction", with("inertia = [1, 1, 2]\n[contacts]\nlaw = 'coulomb'\nfriction = 0.5\n")),
        ("unknown_exact", with("[solver]\nexact = 'fixpoint'\n")),
        ("zero_fixed_point_tolerance", with("[solver]\nfixed_point_tolerance = 0\n")),
        ("negative_fixed_point_tolerance", with("[solver]\nfixed_point_tolerance = -1e-2\n")),
        // Settings that nothing reads.
        ("settings_of_other_sweeps_with_ags", solver("method = 'ags'\nsweep = 'coloured'\nrelaxation = 1.7\nseed = 3", ROUGH)),
        ("scaling_with_the_usual_method", solver("scaling = 'none'", ROUGH)),
        ("step_with_a_method_without_steps", solver("method = 'nlgs-cases'\nstep = 0.5", ROUGH)),
        ("scaling_with_pgj", solver("method = 'pgj'\nscaling = 'diagonal'", ROUGH)),
        ("seed_without_shuffling", solver("method = 'pgs'\nseed = 3", ROUGH)),
        ("relaxation_without_friction", solver("relaxation = 1.2", "")),
        ("exact_without_friction", solver("exact = 'fixed-point'", "")),
        ("exact_with_the_convex_law", solver("exact = 'fixed-point'", "law = 'coulomb-convex'\nfriction = 0.5")),
        ("exact_with_ipm", solver("method = 'ipm'\nexact = 'projection'", ROUGH)),
        ("paper_test_with_newton", solver("method = 'newton'\nstop = 'paper'", ROUGH)),
        ("paper_test_with_ipm_and_no_fixed_point", solver("method = 'ipm'\nstop = 'paper'", "")),
        ("fixed_point_tolerance_without_a_fixed_point", solver("stop = 'paper'\nfixed_point_tolerance = 1e-3", ROUGH)),
        ("fixed_point_tolerance_with_the_certificate", solver("exact = 'fixed-point'\nfixed_point_tolerance = 1e-3", ROUGH)),
        // Schemes and restitution.
        ("theta_below_a_half", time("step = 1e-3\nend = 1.0\nscheme = 'moreau-jean'\ntheta = 0.4")),
        ("theta_above_one", time("step = 1e-3\nend = 1.0\nscheme = 'moreau-jean'\ntheta = 1.5")),
        ("theta_with_maury", time("step = 1e-3\nend = 1.0\ntheta = 0.5")),
        ("theta_with_rattle", time("step = 1e-3\nend = 1.0\nscheme = 'rattle'\ntheta = 0.5")),
        ("recovery_none_with_shake", time("step = 1e-3\nend = 1.0\nscheme = 'shake'\nrecovery = 'none'")),
        ("restitution_with_rattle", time("step = 1e-3\nend = 1.0\nscheme = 'rattle'\n[contacts]\nrestitution = 0.5")),
        ("recovery_none_with_maury", time("step = 1e-3\nend = 1.0\nrecovery = 'none'")),
        ("recovery_velocity_with_impacts", time("step = 1e-3\nend = 1.0\nscheme = 'moreau-jean'\nrecovery = 'velocity'")),
        ("restitution_with_maury", with("[contacts]\nrestitution = 0.5\n")),
        ("restitution_in_pair_with_maury", contacts("", &["{ between = ['a', 'b'], restitution = 0.5 }"])),
        ("restitution_above_one", impacts("restitution = 1.2")),
        ("restitution_negative", impacts("restitution = -0.1")),
        ("tangential_restitution_above_one", impacts("law = 'coulomb'\nfriction = 0.5\ntangential_restitution = 2.0")),
        ("tangential_restitution_without_friction", impacts("restitution = 0.5\ntangential_restitution = 0.5")),
        ("candidate_distance_with_impacts", impacts("candidate_distance = 0.1")),
        // Bonds.
        ("bond_without_pull", with("[contacts]\nbond = { shear = 1, within = 0 }\n")),
        ("bond_with_zero_pull", with("[contacts]\nbond = { pull = 0, within = 0 }\n")),
        ("bond_with_negative_shear", with("[contacts]\nbond = { pull = 1, shear = -1, within = 0 }\n")),
        ("bond_with_nan", with("[contacts]\nbond = { pull = 1, opening = nan, within = 0 }\n")),
        ("bond_that_nothing_makes", with("[contacts]\nbond = { pull = 1 }\n")),
        ("bond_with_unknown_key", with("[contacts]\nbond = { pull = 1, tension = 2, within = 0 }\n")),
        ("bond_beside_a_cap", with("[contacts]\ncap = 5\nbond = { pull = 1, within = 0 }\n")),
        ("bond_with_restitution", impacts("restitution = 0.5\nbond = { pull = 1, within = 0 }")),
        ("bond_with_slip_but_no_shear", with("[contacts]\nbond = { pull = 1, slip = 1e-3, within = 0 }\n")),
        ("bond_with_torsion_in_a_plane", flat("sphere = { radius = 1 }\n[contacts]\nbond = { pull = 1, torsion = 1, within = 0 }")),
        ("bond_with_shear_on_a_line", line(&[(0.0, 0.1)]) + "[contacts]\nbond = { pull = 1, shear = 1, within = 0 }\n"),
        ("bonds_of_other_shapes", body("box = { size = [1, 1, 1] }\nposition = [0, 0, 1]\n[contacts]\nbond = { pull = 1, within = 0 }")),
        ("bond_between_unknown_bodies", two_bodies(0.2, "[[bonds]]\nbetween = ['left', 'rigth']\n")),
        ("bond_of_a_body_with_itself", two_bodies(0.2, "[[bonds]]\nbetween = ['left', 'left']\n")),
        ("bond_across_a_wide_gap", two_bodies(0.31, "[[bonds]]\nbetween = ['left', 'right']\n")),
        ("bond_without_strength", two_bodies(0.2, "[[bonds]]\nbetween = ['left', 'right']\n").replace("bond = { pull = 1 }", "")),
        ("bodies_with_the_same_name", two_bodies(0.2, "").replace("'right'", "'left'")),
        // Walls.
        ("wall_with_two_shapes", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nbox = { size = [1, 1, 1] }\n")),
        ("wall_without_shape", with("[[walls]]\nposition = [0, 0, 0]\n")),
        ("zero_normal", with("[[walls]]\nhalf-space = { normal = [0, 0, 0] }\n")),
        ("negative_cylinder_radius", with("[[walls]]\ncylinder = { radius = -1, length = 1 }\n")),
        ("cone_without_radius", with("[[walls]]\ncone = { bottom_radius = 0, top_radius = 0, length = 1 }\n")),
        ("unknown_face", with("[[walls]]\nbox = { size = [1, 1, 1], open = ['z+'] }\n")),
        ("flat_box", with("[[walls]]\nbox = { size = [1, 0, 1] }\n")),
        ("flat_block", with("[[walls]]\nblock = { size = [1, 1, -0.2] }\n")),
        ("block_of_wrong_length", with("[[walls]]\nblock = { size = [1] }\n")),
        ("block_with_zero_quaternion", with("[[walls]]\nblock = { size = [1, 1, 1], orientation = [0, 0, 0, 0] }\n")),
        ("narrow_plate", with("[[walls]]\nplate = { width = 0, height = 1, normal = [1, 0, 0] }\n")),
        ("plate_without_height", with("[[walls]]\nplate = { width = 1, normal = [1, 0, 0] }\n")),
        ("plate_with_up_along_its_normal", with("[[walls]]\nplate = { width = 1, height = 1, normal = [0, 1, 0], up = [0, -3, 0] }\n")),
        ("plate_with_height_in_a_plane", general("dimension = 2").replace("[0, 0, 1]", "[0, 1]") + "[[walls]]\nplate = { width = 1, height = 1, normal = [1, 0] }\n"),
        ("plate_on_a_line", line(&[(0.0, 0.1)]) + "[[walls]]\nplate = { width = 1, normal = [1] }\n"),
        ("wall_with_a_bad_name", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nname = 'my floor'\n")),
        ("walls_with_the_same_name", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nname = 'a'\n[[walls]]\nhalf-space = { normal = [1, 0, 0] }\nposition = [-1, 0, 0]\nname = 'a'\n")),
        ("body_in_block", with("[[walls]]\nblock = { size = [1, 1, 1] }\nposition = [0, 0, 1.2]\n")),
        ("box_of_wrong_length", with("[[walls]]\nbox = { size = [1, 1] }\n")),
        // Shapes.
        ("body_without_shape", body("position = [0, 0, 1]")),
        ("body_with_two_shapes", body(&format!("{sphere}\nbox = {{ size = [1, 1, 1] }}\nposition = [0, 0, 1]"))),
        ("polygon_in_3d", body("polygon = { corners = [[0, 0], [1, 0], [0, 1]] }\nposition = [0, 0, 1]")),
        ("cylinder_in_a_plane", flat("cylinder = { radius = 1, length = 1 }")),
        ("box_as_body_on_a_line", line(&[]) + "[[bodies]]\nbox = { size = [1] }\nposition = [0]\n"),
        ("ellipsoid_with_two_axes", body("ellipsoid = { half_axes = [1, 2] }\nposition = [0, 0, 1]")),
        ("ellipsoid_with_negative_axis", body("ellipsoid = { half_axes = [1, -2, 1] }\nposition = [0, 0, 1]")),
        ("exponent_below_two", body("superellipsoid = { half_axes = [1, 2, 1], exponents = [1.5, 2] }\nposition = [0, 0, 1]")),
        ("solid_box_of_wrong_length", body("box = { size = [1, 2] }\nposition = [0, 0, 1]")),
        ("box_too_round", body("box = { size = [1, 2, 1], rounding = 0.5 }\nposition = [0, 0, 1]")),
        ("capsule_without_length", body("capsule = { radius = 1 }\nposition = [0, 0, 1]")),
        ("solid_cone_without_radius", body("cone = { bottom_radius = 0, top_radius = 0, length = 1 }\nposition = [0, 0, 1]")),
        ("hull_in_a_plane", body("hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }\nposition = [0, 0, 1]")),
        ("hull_of_three_points", body("hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }\nposition = [0, 0, 1]")),
        ("polygon_not_convex", flat("polygon = { corners = [[0, 0], [1, 1], [0, 0.5], [-1, 1]] }")),
        ("polygon_of_two_corners", flat("polygon = { corners = [[0, 0], [1, 1]] }")),
        ("union_without_parts", body("union = { parts = [] }\nposition = [0, 0, 1]")),
        ("union_with_a_part_without_shape", body("union = { parts = [{ sphere = { radius = 1 } }, { position = [0, 0, 1] }] }\nposition = [0, 0, 1]")),
        ("union_with_a_bad_part", body("union = { parts = [{ sphere = { radius = 1 } }, { box = { size = [1, 1, 0] } }] }\nposition = [0, 0, 1]")),
        ("union_in_union", body("union = { parts = [{ union = { parts = [] } }] }\nposition = [0, 0, 1]")),
        ("mesh_without_parts", body("mesh = { file = 'a.stl' }\nposition = [0, 0, 1]")),
        ("mesh_with_unknown_parts", body("mesh = { file = 'a.stl', parts = 'hull' }\nposition = [0, 0, 1]")),
        ("solid_turned_out_of_the_plane", flat("box = { size = [1, 1] }\norientation = [1, 0, 0, 1]")),
        ("solid_without_its_measure", flat("box = { size = [1, 1] }\n[materials.a]\nmass_from = 'volume'")),
        ("overlapping_solids", body("box = { size = [1, 1, 1] }\nposition = [0, 0, 1]\n[[bodies]]\ncylinder = { radius = 0.5, length = 1 }\nposition = [0, 0.8, 1]")),
        ("solid_in_wall", body("box = { size = [1, 1, 1] }\nposition = [0, 0, 1]\norientation = [1, 0, 0, 2]\n[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nposition = [0, 0, 0.6]")),
        ("wall_from_a_file_in_a_plane", flat("sphere = { radius = 1 }\n[[walls]]\nmesh = { file = 'a.stl' }")),
        ("wall_from_a_missing_file", with("[[walls]]\nmesh = { file = 'nowhere.stl' }\n")),
        ("radius_besides_shape", grains(&format!("{grid}\nshape = {{ box = {{ size = [1, 1, 1] }} }}\nradius = 0.1"))),
        ("size_without_shape", grains(&format!("{grid}\nradius = 0.1\nsize = 2"))),
        ("negative_size", grains(&format!("{grid}\nshape = {{ box = {{ size = [1, 1, 1] }} }}\nsize = -2"))),
        ("orientation_of_unknown_kind", grains(&format!("{grid}\nshape = {{ box = {{ size = [1, 1, 1] }} }}\norientation = 'radom'"))),
        ("grains_with_two_shapes", grains(&format!("{grid}\nshape = {{ box = {{ size = [1, 1, 1] }}, sphere = {{ radius = 1 }} }}"))),
        ("random_solids_do_not_fit", grains("random = { count = 1000, region = { box = { min = [0, 0, 0], max = [1, 1, 1] } } }\nshape = { box = { size = [0.3, 0.3, 0.3] } }")),
        // Motions and forces.
        ("piecewise_motion_lengths", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nmotion = { piecewise = { times = [0, 1], velocities = [[0, 0, 1]] } }\n")),
        ("motion_without_axis", with("motion = { rotation = { rate = 1, axis = [0, 0, 0] } }\n")),
        ("time_function_lengths", with("[[forces]]\ndirection = [1, 0, 0]\nmagnitude = { piecewise = { times = [0, 1], values = [1, 2] } }\n")),
        ("time_function_unknown", with("[[forces]]\ndirection = [1, 0, 0]\nmagnitude = { cosine = 1.0 }\n")),
        // Grains.
        ("grains_without_source", grains("radius = 0.1")),
        ("grains_with_two_sources", grains(&format!("{grid}\ncsv = {{ file = 'a.csv' }}\nradius = 0.1"))),
        ("grains_without_radius", grains(grid)),
        ("random_does_not_fit", grains("random = { count = 1000, region = { box = { min = [0, 0, 0], max = [1, 1, 1] } } }\nradius = 0.1")),
        ("random_in_another_unit", grains("random = { count = 10, region = { box = { min = [0, 0, 0], max = [1, 1, 1] } } }\nradius = 4")),
        ("empty_region", grains("random = { count = 10, region = { box = { min = [0, 0, 0], max = [1, 0, 1] } } }\nradius = 0.1")),
        ("uniform_min_above_max", grains(&format!("{grid}\nradius = {{ uniform = [0.2, 0.1] }}"))),
        ("histogram_lengths", grains(&format!("{grid}\nradius = {{ histogram = {{ edges = [0.1, 0.2], weights = [1, 2] }} }}"))),
        ("log_normal_median_outside", grains(&format!("{grid}\nradius = {{ log-normal = {{ median = 1, sigma = 1, min = 0.1, max = 0.5 }} }}"))),
        ("unknown_distribution", grains(&format!("{grid}\nradius = {{ gauss = [0.2, 0.1] }}"))),
        ("radius_of_wrong_type", grains(&format!("{grid}\nradius = 'small'"))),
        ("too_many_grains", grains("grid = { counts = [4000, 4000, 4000], spacing = 1 }\nradius = 0.1")),
        ("counts_of_wrong_length", grains("grid = { counts = [4, 4], spacing = 1 }\nradius = 0.1")),
        ("missing_csv", grains("csv = { file = 'nowhere.csv' }")),
        ("missing_vtk", grains("vtk = { file = 'nowhere.vtp', radius = 'radius' }")),
        ("missing_run", grains("run = { folder = 'runs/nowhere' }")),
        ("radius_besides_a_run", grains("run = { folder = 'runs/nowhere' }\nradius = 0.1")),
        // Output.
        ("forces_on_an_unknown_wall", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nname = 'floor'\n[output]\nforces_on = ['flor']\n")),
        ("forces_twice_on_a_wall", with("[[walls]]\nhalf-space = { normal = [0, 0, 1] }\nname = 'floor'\n[output]\nforces_on = ['floor', 'floor']\n")),
        ("negative_frame_interval", with("[output]\nframe_interval = -1\n")),
        // Not TOML.
        ("syntax_error", with("[solver\nmethod = 'apgd'\n")),
        ("value_without_quotes", with("[solver]\nmethod = apgd\n")),
        ("duplicate_key", with("mass = 1\nmass = 2\n")),
        ("duplicate_section", with("[time]\nstep = 1\n")),
        ("empty_file", String::new()),
    ]
}

fn message(text: &str, file: &str) -> String {
    match scene::parse(text, Path::new(file)).and_then(|scene| scene.build()) {
        Ok(_) => panic!("a bad scene was accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_bad_scene_is_explained() {
    for (name, text) in bad_scenes() {
        let message = message(&text, "bad.toml");
        assert!(message.contains("help:"), "{name}: no remedy in\n{message}");
        assert!(
            message.contains("bad.toml"),
            "{name}: no file in\n{message}"
        );
        assert!(
            message.contains("bad.toml:"),
            "{name}: no line in\n{message}"
        );
        insta::assert_snapshot!(name, message);
    }
}

#[test]
fn bad_tables_are_explained_in_the_table() {
    let tables = [
        ("csv_missing_column", "x,y,r\n0,0,1\n"),
        ("csv_without_radius", "x,y,z\n0,0,1\n"),
        ("csv_bad_number", "x,y,z,r\n0,0,0,0.1\n1,0,0.O,0.1\n"),
        ("csv_infinite", "x,y,z,r\n0,0,inf,0.1\n"),
        ("csv_truncated_row", "x,y,z,r,m\n0,0,0,0.1,1\n1,0,0\n"),
        ("csv_unknown_column", "x,y,z,rad\n0,0,0,0.1\n"),
        ("csv_column_twice", "x,y,z,r,x\n0,0,0,0.1,1\n"),
        ("csv_negative_radius", "x,y,z,r\n0,0,0,-0.1\n"),
        ("csv_zero_mass", "x,y,z,r,m\n0,0,0,0.1,0\n"),
        (
            "csv_zero_quaternion",
            "x,y,z,r,q0,q1,q2,q3\n0,0,0,0.1,0,0,0,0\n",
        ),
        ("csv_with_sizes_of_spheres", "x,y,z,s\n0,0,0,1\n"),
        ("csv_empty", ""),
        ("csv_header_only", "x,y,z,r\n"),
    ];
    for (name, table) in tables {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("table.csv"), table).unwrap();
        let file = folder.path().join("bad.toml");
        let message = message(
            &grains("csv = { file = 'table.csv' }"),
            file.to_str().unwrap(),
        );
        assert!(message.contains("help:"), "{name}: no remedy in\n{message}");
        let message = message.replace(&format!("{}/", folder.path().display()), "");
        insta::assert_snapshot!(name, message);
    }
}

#[test]
fn files_that_cannot_be_read_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("latin1.toml"),
        b"[scene]\nname = 'gr\xfc\xdfe'\n",
    )
    .unwrap();
    for (name, file) in [
        ("not_utf8", "latin1.toml"),
        ("a_folder", ""),
        ("no_such_file", "nowhere.toml"),
    ] {
        let path = folder.path().join(file);
        let error = scene::load(&path).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("help:") && message.contains(path.to_str().unwrap()),
            "{message}"
        );
        let message = message.replace(folder.path().to_str().unwrap(), "FOLDER");
        insta::assert_snapshot!(name, message);
    }
}

#[test]
fn an_error_can_be_taken_apart_and_coloured() {
    let text = body("sphere = { radius = -0.1 }\nposition = [0, 0, 1]");
    let error = scene::parse(&text, Path::new("bad.toml")).unwrap_err();
    assert_eq!(error.line(), Some(7));
    assert_eq!(error.file(), Path::new("bad.toml"));
    assert!(error.reason().contains("radius") && !error.help().is_empty());
    assert!(error.render(true).contains("\u{1b}["));
    assert!(!error.render(false).contains("\u{1b}["));
}
