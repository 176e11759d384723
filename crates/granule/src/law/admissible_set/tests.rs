use super::*;
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = DVec3> {
    (-10.0..10.0f64, -10.0..10.0f64, -10.0..10.0f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn unit() -> impl Strategy<Value = DVec3> {
    vector().prop_filter_map("not zero", |v| v.try_normalize())
}

fn screw() -> impl Strategy<Value = Screw> {
    (vector(), vector()).prop_map(|(linear, angular)| Screw { linear, angular })
}

fn coefficient() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1e-9), 0.01..2.0f64, Just(1e3), Just(1e12)]
}

/// Limits of the size of the impulses, much smaller, and none.
fn extent() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1e-9), 0.01..5.0f64]
}

fn yielding() -> impl Strategy<Value = AdmissibleSet> {
    let cap = prop_oneof![extent(), Just(f64::INFINITY)];
    (coefficient(), extent(), cap).prop_map(|(friction, rounding, cap)| AdmissibleSet::Yield {
        friction,
        rounding,
        cap,
    })
}

/// All sets, with an impulse that has a moment only where the set allows one.
fn set_and_points() -> impl Strategy<Value = (AdmissibleSet, [Screw; 2])> {
    let sets = prop_oneof![
        Just(AdmissibleSet::Free),
        Just(AdmissibleSet::HalfLine),
        coefficient().prop_map(|limit| AdmissibleSet::Segment { limit }),
        coefficient().prop_map(|friction| AdmissibleSet::Cone { friction }),
        (coefficient(), coefficient(), coefficient()).prop_map(|(friction, rolling, spinning)| {
            AdmissibleSet::RollingCone {
                friction,
                rolling,
                spinning,
            }
        }),
        yielding(),
    ];
    (sets, screw(), screw()).prop_map(|(set, a, b)| {
        (
            set,
            [a, b].map(|x| {
                if moments(set) {
                    x
                } else {
                    Screw::linear(x.linear)
                }
            }),
        )
    })
}

fn moments(set: AdmissibleSet) -> bool {
    match set {
        AdmissibleSet::Free | AdmissibleSet::RollingCone { .. } => true,
        AdmissibleSet::HalfLine
        | AdmissibleSet::Segment { .. }
        | AdmissibleSet::Cone { .. }
        | AdmissibleSet::Yield { .. } => false,
    }
}

fn weighted(x: Screw, normal: DVec3, metric: Metric) -> f64 {
    let along = x.linear.dot(normal);
    metric.tangential * (x.length_squared() - along * along) + metric.normal * along * along
}

/// Whether an impulse satisfies the inequalities of the set, to rounding.
fn inside(set: AdmissibleSet, x: Screw, normal: DVec3) -> bool {
    let parts = Parts::of(x, normal);
    let slack = 1e-12 * (1.0 + x.length());
    let within = |limits: [f64; 3]| {
        (0..3).all(|i| parts.lengths[i] <= limits[i] * (parts.along + slack) + slack)
    };
    match set {
        AdmissibleSet::Free => true,
        AdmissibleSet::Segment { limit } => parts.along.abs() <= limit + slack && within([0.0; 3]),
        AdmissibleSet::HalfLine => parts.along >= -slack && within([0.0; 3]),
        AdmissibleSet::Cone { friction } => parts.along >= -slack && within([friction, 0.0, 0.0]),
        AdmissibleSet::RollingCone {
            friction,
            rolling,
            spinning,
        } => parts.along >= -slack && within([friction, rolling, spinning]),
        // By definition: no farther from the cone than d, and not beyond the cap.
        AdmissibleSet::Yield {
            friction,
            rounding,
            cap,
        } => {
            let cone = AdmissibleSet::Cone { friction };
            parts.along <= cap + slack && cone.distance(x, normal) <= rounding + slack
        }
    }
}

/// The member of a rounded and capped cone that gives most in the direction of w: one of the ball or of the rim.
fn farthest(set: AdmissibleSet, w: Screw, normal: DVec3) -> Screw {
    let AdmissibleSet::Yield {
        friction,
        rounding,
        cap,
    } = set
    else {
        panic!("a set that yields")
    };
    let across = split(w.linear, normal).1.normalize_or_zero();
    let reach = friction * cap + rounding * friction.hypot(1.0);
    let rim = cap.is_finite().then(|| cap * normal + reach * across);
    let ball = rounding * w.linear.normalize_or_zero();
    let candidates = rim.into_iter().chain([ball]).map(Screw::linear);
    let members = candidates.filter(|x| inside(set, *x, normal));
    let best = members.max_by(|a, b| w.dot(*a).total_cmp(&w.dot(*b)));
    best.expect("one of them is a member")
}

proptest! {
    #[test]
    fn projection_is_idempotent_and_non_expansive((set, [a, b]) in set_and_points(), n in unit()) {
        let (pa, pb) = (set.project_screw(a, n), set.project_screw(b, n));
        prop_assert!(inside(set, pa, n));
        prop_assert!((set.project_screw(pa, n) - pa).length() < 1e-12 * (1.0 + pa.length()));
        prop_assert!((pa - pb).length() <= (a - b).length() + 1e-12);
    }

    #[test]
    fn the_support_function_is_the_most_that_members_give((set, [w, b]) in set_and_points(), n in unit(), t in 0.0..1e6f64) {
        let support = set.support(w, n);
        // No member gives more, however large.
        let member = set.project_screw(t * b, n);
        let size = 1.0 + w.length() * member.length();
        prop_assert!(w.dot(member) <= support + 1e-12 * size, "{support} {member:?}");
        // Some give as much: for w outside the polar the nearest member and its multiples, otherwise zero, an end of the
        // segment, or the farthest of arc and rim.
        let nearest = set.project_screw(w, n);
        if support == f64::INFINITY {
            let cone = set.recession();
            prop_assert!(cone.is_some_and(|cone| w.dot(cone.project_screw(w, n)) >= 0.0));
        } else {
            let best = match set {
                AdmissibleSet::Segment { limit } => Screw::linear(limit.copysign(w.linear.dot(n)) * n),
                AdmissibleSet::Yield { .. } => farthest(set, w, n),
                AdmissibleSet::Free
                | AdmissibleSet::HalfLine
                | AdmissibleSet::Cone { .. }
                | AdmissibleSet::RollingCone { .. } => Screw::default(),
            };
            prop_assert!(inside(set, best, n));
            let tolerance = 1e-12 * (1.0 + w.length() * best.length());
            prop_assert!((w.dot(best) - support).abs() <= tolerance, "{support} {best:?}");
        }
        // w - P_K(w) lies in the normal cone there.
        let outwards = w - nearest;
        let more = outwards.dot(member - nearest);
        prop_assert!(more <= 1e-12 * (1.0 + w.length() * (member.length() + nearest.length())), "{more}");
    }

    #[test]
    fn the_distance_is_that_of_the_nearest_member((set, [a, b]) in set_and_points(), n in unit()) {
        let member = set.project_screw(b, n);
        let distance = set.distance(a, n);
        prop_assert!(distance <= (a - member).length() + 1e-12 * (1.0 + a.length()));
        prop_assert!(set.distance(member, n) <= 1e-12 * (1.0 + member.length()));
        let along = a.linear.dot(n);
        prop_assert!((set.distance_scalar(along) - set.distance(Screw::linear(along * n), n)).abs() <= 1e-12 * (1.0 + along.abs()));
    }

    #[test]
    fn moreau_decomposition((set, [a, b]) in set_and_points(), n in unit()) {
        prop_assume!(set.is_cone());
        // a = P_K(a) + P_K°(a) with orthogonal parts; K° = -K*.
        let inside = set.project_screw(a, n);
        let polar = -set.project_dual(-a, n);
        prop_assert!((inside + polar - a).length() < 1e-12 * (1.0 + a.length()));
        prop_assert!(inside.dot(polar).abs() < 1e-11 * (1.0 + a.length_squared()));
        // The dual part makes no acute angle with any other member of K.
        prop_assert!(polar.dot(set.project_screw(b, n)) < 1e-10 * (1.0 + b.length_squared() + a.length_squared()));
    }

    #[test]
    fn no_member_of_the_set_is_nearer(
        (set, [a, b]) in set_and_points(),
        n in unit(),
        (normal, tangential) in (0.1..10.0f64, 0.1..10.0f64),
        t in 0.0..1.0f64,
    ) {
        // In any metric: the distance does not fall on the way to any other member.
        let metric = Metric { normal, tangential };
        let nearest = set.project_screw_in(a, n, metric);
        prop_assert!(inside(set, nearest, n));
        let other = nearest + t * (set.project_screw(b, n) - nearest);
        let (best, others) = (weighted(a - nearest, n, metric), weighted(a - other, n, metric));
        prop_assert!(best <= others + 1e-10 * (1.0 + others));
    }

    #[test]
    fn the_rest_of_a_projection_points_away_from_all_members(
        (set, [a, b]) in set_and_points(),
        n in unit(),
        (normal, tangential) in (-3.0..3.0f64, -3.0..3.0f64),
    ) {
        // The variational inequality in any metric, and that projections bring nothing apart in it.
        let metric = Metric { normal: normal.exp2(), tangential: tangential.exp2() };
        let product = |x: Screw, y: Screw| {
            let along = x.linear.dot(n) * y.linear.dot(n);
            metric.tangential * (x.dot(y) - along) + metric.normal * along
        };
        let [pa, pb] = [a, b].map(|x| set.project_screw_in(x, n, metric));
        let scale = 1e-11 * (1.0 + product(a, a) + product(b, b));
        for member in [pb, set.project_screw(b, n), Screw::default()] {
            prop_assert!(product(a - pa, member - pa) <= scale, "{:?} {member:?}", (set, pa));
        }
        prop_assert!(product(pa - pb, pa - pb) <= product(a - b, a - b) + scale);
        // The normal cone knows no metric: with the weighted rest added, the plain projection goes back to the same.
        let (along, across) = split((a - pa).linear, n);
        let rest = Screw {
            linear: metric.normal * along * n + metric.tangential * across,
            angular: metric.tangential * (a - pa).angular,
        };
        let again = set.project_screw(pa + rest, n);
        prop_assert!((again - pa).length() < 1e-11 * (1.0 + a.length()), "{:?} {again:?}", (set, pa));
    }

    #[test]
    fn members_and_velocities_go_together_where_the_support_function_says(
        set in yielding(), (x, w) in (vector(), vector()), n in unit(),
    ) {
        // -w ∈ N_K(λ) if and only if λ ∈ K and σ(-w) + λ·w = 0; for other members it is more.
        let member = set.project(x, n);
        let back = Screw::linear(member - x);
        let gap = set.most_work(back, n) + member.dot(back.linear);
        // What is lost in the digits of a velocity counts as often as the set is wide.
        let AdmissibleSet::Yield { friction, rounding, cap } = set else { panic!("a set that yields") };
        let reach = if cap.is_finite() { friction * cap + rounding * friction.hypot(1.0) } else { 0.0 };
        let lost = 1e-12 + 4.0 * f64::EPSILON * reach;
        prop_assert!(gap.abs() < lost * (1.0 + x.length_squared()), "{gap}");
        let any = set.support(Screw::linear(-w), n) + member.dot(w);
        prop_assert!(any >= -lost * (1.0 + x.length() * w.length()), "{any}");
        if any > 1e3 * lost * (1.0 + member.length()) * (1.0 + w.length()) {
            prop_assert!((set.project(member - w, n) - member).length() > 0.0);
        }
    }

    #[test]
    fn limits_of_the_rounded_and_capped_cone(
        x in vector(), n in unit(), friction in coefficient(), (d, r) in (0.01..3.0f64, 0.01..3.0f64), kappa in 0.2..5.0f64,
    ) {
        let metric = Metric { normal: 1.0, tangential: kappa };
        let of = |friction: f64, rounding: f64, cap: f64| {
            AdmissibleSet::Yield { friction, rounding, cap }.project_in(x, n, metric)
        };
        // Neither rounded nor capped it is the cone.
        let cone = AdmissibleSet::Cone { friction };
        let plain = cone.project_in(x, n, metric);
        prop_assert!((of(friction, 0.0, f64::INFINITY) - plain).length() < 1e-12 * (1.0 + x.length()));
        // Members of the cone and of the ball are members, whatever is not capped.
        let ball = x.clamp_length_max(d);
        let sum = plain + ball;
        let round = AdmissibleSet::Yield { friction, rounding: d, cap: f64::INFINITY };
        prop_assert!(round.distance(Screw::linear(sum), n) < 1e-12 * (1.0 + sum.length()));
        // Without friction a capsule; half of one is a ball.
        let along = x.dot(n).clamp(0.0, r);
        let capsule = of(0.0, 0.0, r);
        prop_assert!((capsule - along * n).length() < 1e-12);
        if kappa == 1.0 || x.dot(n) > 0.0 {
            let across = (x - x.dot(n) * n).clamp_length_max(d);
            let open = of(0.0, d, f64::INFINITY);
            prop_assert!((open - (x.dot(n).max(0.0) * n + across)).length() < 1e-12 * (1.0 + x.length()));
        }
    }

    #[test]
    fn the_vector_form_is_the_one_with_zero_moment(
        x in vector(), n in unit(), friction in coefficient(), kappa in 0.2..5.0f64,
    ) {
        let metric = Metric { normal: 1.0, tangential: kappa };
        let cone = AdmissibleSet::Cone { friction };
        let rolling = AdmissibleSet::RollingCone { friction, rolling: 0.3, spinning: 0.1 };
        let vector = cone.project_in(x, n, metric);
        let screw = rolling.project_screw_in(Screw::linear(x), n, metric);
        prop_assert!((screw.linear - vector).length() < 1e-11 * (1.0 + x.length()));
        prop_assert!(screw.angular == DVec3::ZERO);
        let answers = (cone.augmented_projection(x, n), rolling.augmented_projection_screw(Screw::linear(x), n).linear);
        prop_assert!((answers.0 - answers.1).length() < 1e-12 * (1.0 + x.length()));
    }

    #[test]
    fn the_scalar_form_is_the_vector_form_along_the_normal(x in -10.0..10.0f64, n in unit(), friction in coefficient()) {
        let capped = AdmissibleSet::Yield { friction, rounding: 0.7, cap: 2.0 };
        for set in [AdmissibleSet::HalfLine, AdmissibleSet::Cone { friction }, capped] {
            let vector = set.project(x * n, n);
            prop_assert!((vector.dot(n) - set.project_scalar(x)).abs() < 1e-13 * (1.0 + x.abs()));
        }
    }

    #[test]
    fn without_friction_the_cone_is_the_half_line(x in vector(), n in unit()) {
        let cone = AdmissibleSet::Cone { friction: 0.0 };
        let difference = cone.project(x, n) - AdmissibleSet::HalfLine.project(x, n);
        prop_assert!(difference.length() < 1e-13);
    }

    #[test]
    fn with_very_large_friction_the_cone_is_a_half_space(x in vector(), n in unit()) {
        let cone = AdmissibleSet::Cone { friction: 1e12 };
        let along = x.dot(n);
        let expected = if along > 0.0 { x } else { x - along * n };
        prop_assert!((cone.project(x, n) - expected).length() < 1e-10);
    }

    #[test]
    fn the_derivative_is_that_of_finite_differences((set, [a, d]) in set_and_points(), n in unit()) {
        let step = 1e-6;
        let (before, after) = (set.project_screw(a - step * d, n), set.project_screw(a + step * d, n));
        let difference = 0.5 / step * (after - before);
        // Across a kink the two sides differ: only smooth points are compared.
        let forward = 1.0 / step * (after - set.project_screw(a, n));
        prop_assume!((forward - difference).length() < 1e-3 * (1.0 + d.length()));
        let exact = set.derivative(a, d, n);
        prop_assert!((exact - difference).length() < 1e-3 * (1.0 + d.length()), "{exact:?} {difference:?}");
    }

    #[test]
    fn the_derivative_of_the_augmented_projection_is_that_of_differences(
        (set, [a, d]) in set_and_points(), n in unit(),
    ) {
        let step = 1e-6;
        let answer = |t: f64| set.augmented_projection_screw(a + t * d, n);
        let difference = 0.5 / step * (answer(step) - answer(-step));
        // Across a kink the two sides differ: only smooth points are compared.
        let forward = 1.0 / step * (answer(step) - answer(0.0));
        prop_assume!((forward - difference).length() < 1e-3 * (1.0 + d.length()));
        let exact = set.augmented_projection_derivative(a, d, n);
        prop_assert!((exact - difference).length() < 1e-3 * (1.0 + d.length()), "{exact:?} {difference:?}");
    }

    #[test]
    fn the_augmented_projection_of_one_contact_is_exact_friction(
        q in screw(), n in unit(), friction in 0.0..2.0f64, (normal, tangential) in (0.1..10.0f64, 0.1..10.0f64),
    ) {
        // w = W (λ - q) with W the metric: Signorini's condition and Coulomb's law hold.
        let set = AdmissibleSet::RollingCone { friction, rolling: 0.2, spinning: 0.1 };
        let answer = set.augmented_projection_screw(q, n);
        let (along, rest) = split((answer - q).linear, n);
        let velocity = Screw { linear: normal * along * n + tangential * rest, angular: tangential * (answer - q).angular };
        prop_assert!(inside(set, answer, n));
        prop_assert!(velocity.linear.dot(n) >= -1e-12);
        let dilation = set.dilation(velocity, n);
        let corrected = velocity + Screw::linear(dilation * n);
        prop_assert!((set.project_dual(corrected, n) - corrected).length() < 1e-10);
        prop_assert!(corrected.dot(answer).abs() < 1e-10 * (1.0 + q.length_squared()));
    }
}

#[test]
fn planar_cones_stay_in_the_plane() {
    let cone = AdmissibleSet::Cone { friction: 0.3 };
    let projected = cone.project(DVec3::new(4.0, 1.0, 0.0), DVec3::Y);
    assert_eq!(projected.z, 0.0);
    assert!((projected.x - 0.3 * projected.y).abs() < 1e-15);
}
