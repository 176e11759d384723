//! What the tables must hold.

use super::{Error, Figure, Options, Table, Verdict, at_once, list, print, run, select};
use std::cell::RefCell;

#[path = "../../../../tests/rust/skip.rs"]
mod skip;

fn table(id: &str) -> Table {
    let options = Options {
        quick: true,
        ..Options::default()
    };
    run(&[id.to_owned()], &options).unwrap().remove(0)
}

fn assert_all_match(id: &str) {
    let table = table(id);
    assert!(!table.rows.is_empty());
    for row in &table.rows {
        assert_eq!(row.verdict, Verdict::Match, "{row:?}");
    }
}

#[test]
fn the_two_solutions_are_exact() {
    assert_all_match("maury2006-nonuniqueness");
}

#[test]
fn sticky_particles_end_in_the_same_state() {
    assert_all_match("maury2006-sticky");
}

#[test]
fn table_1_of_bloch2023_is_regenerated() {
    assert_all_match("bloch2023-table1");
}

#[test]
fn table_1_of_barboteu2017_is_regenerated_within_one_iteration() {
    let rows = table("barboteu2017-table1").rows;
    let (judged, rest): (Vec<_>, Vec<_>) =
        (rows.iter()).partition(|row| row.verdict != Verdict::NoReference);
    // Three methods, and the linear convergence of the two others.
    assert_eq!(judged.len(), 4);
    for row in judged {
        assert_eq!(row.verdict, Verdict::Match, "{row:?}");
    }
    // The interval in which 18 iterations come out: 9.81e-4 (1 - ρ W)^18 is 1e-7 at its lower end.
    let sbp = rest
        .iter()
        .find(|row| row.quantity.contains("nlgs-sbp, ρ W"))
        .unwrap();
    assert_eq!(sbp.measured.to_string(), "0.400 to 0.417");
}

#[test]
fn every_order_gap_and_count_of_a_disk_on_a_plane_is_the_published_one() {
    let rows = table("bloch2023-convergence").rows;
    let (judged, rest): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.published.is_some());
    // Five curves of positions and four of angles, two gaps, two counts.
    assert_eq!(judged.len(), 9 + 2 + 2);
    for row in judged {
        assert_eq!(row.verdict, Verdict::Match, "{row:?}");
    }
    assert!(rest.iter().all(|row| row.verdict == Verdict::NoReference));
}

#[test]
fn balls_bounce_and_share_impacts_as_they_must() {
    for id in ["validations-3", "validations-4"] {
        assert_all_match(id);
    }
}

#[test]
fn friction_holds_what_it_should_and_slows_what_rolls_and_spins() {
    for id in ["validations-1", "validations-5", "validations-11"] {
        assert_all_match(id);
    }
}

#[test]
fn one_contact_goes_along_the_curves_of_all_laws_but_the_nonlinear_one() {
    let rows = table("tasora2013-laws").rows;
    assert_eq!(rows.len(), 7);
    let (secant, rest) = rows.split_last().unwrap();
    for row in rest {
        assert_eq!(row.verdict, Verdict::Match, "{row:?}");
    }
    // The secant of x^(3/2) is off by 4/27 at x = 4/9.
    let off = secant.measured.number().unwrap();
    assert!((off - 4.0 / 27.0).abs() < 1e-4, "{secant:?}");
}

#[test]
fn stress_does_not_depend_on_the_step_and_is_that_of_soft_spheres() {
    for row in table("tasora2013-compaction").rows {
        assert_ne!(row.verdict, Verdict::Worse, "{row:?}");
        if row.measured == "skipped".into() {
            skip::skip(&row.note);
        }
        if row.quantity.starts_with("steps not certified") {
            assert_eq!(row.measured.number(), Some(0.0), "{row:?}");
        }
    }
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let json = serde_json::to_value(vec![table("bloch2023-table1")]).unwrap();
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&json[0]), ["id", "paper", "rows"]);
    let row = &json[0]["rows"][0];
    assert_eq!(
        keys(row),
        [
            "measured",
            "note",
            "published",
            "quantity",
            "unit",
            "verdict"
        ]
    );
    assert_eq!(row["published"], 206);
    assert_eq!(row["measured"], 206);
    assert_eq!(row["verdict"], "match");
}

#[test]
fn targets_at_once_give_what_they_give_one_by_one() {
    let ids = ["validations-4", "maury2006-sticky", "bloch2023-table1"].map(str::to_owned);
    let (told, targets) = (RefCell::new(Vec::new()), select(&ids).unwrap());
    let progress = |message: &str| told.borrow_mut().push(message.to_owned());
    let options = Options {
        quick: true,
        progress: &progress,
        ..Options::default()
    };
    let together = at_once(&targets, &options, |target, options| {
        target.run(options).unwrap()
    });
    let one_by_one = run(&ids, &options).unwrap();
    assert_eq!(together.unwrap(), one_by_one);
    let told = told.into_inner();
    let cradle = told.iter().filter(|message| *message == "Newton's cradle");
    assert_eq!(cradle.count(), 2);
}

#[test]
fn an_unknown_target_is_answered_with_the_known_ones() {
    let error = run(&["bloch2023-tabel1".to_owned()], &Options::default()).unwrap_err();
    assert!(error.is_usage());
    let text = error.to_string();
    assert!(text.contains("did you mean `bloch2023-table1`"), "{text}");
    for target in list() {
        assert!(text.contains(target.id), "{text}");
    }
}

#[test]
fn a_paper_means_all_its_targets_and_nothing_means_all() {
    let ids = |names: &[&str]| -> Vec<&str> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        select(&names)
            .unwrap()
            .iter()
            .map(|target| target.id)
            .collect()
    };
    assert_eq!(ids(&[]).len(), list().len());
    assert!(
        ids(&["maury2006"])
            .iter()
            .all(|id| id.starts_with("maury2006-"))
    );
    assert_eq!(ids(&["maury2006"]).len(), 4);
    assert_eq!(ids(&["maury2006-sticky"]), ["maury2006-sticky"]);
    assert!(ids(&["validations"]).contains(&"validations-5"));
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let options = Options {
        data: Some("no/such/folder".into()),
        ..Options::default()
    };
    let error = run(&["bloch2023-table1".to_owned()], &options).unwrap_err();
    assert!(matches!(error, Error::NoData(_)));
}

#[test]
fn curves_pictures_and_progress_reach_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let (said, drawn) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let progress = |message: &str| said.borrow_mut().push(message.to_owned());
    let options = Options {
        full: false,
        sitting: None,
        quick: true,
        data: None,
        out: Some(folder.path().join("curves")),
        progress: &progress,
        figures: Some(&drawn),
    };
    let ids = ["maury2006-nonuniqueness", "maury2006-cluster"].map(str::to_owned);
    let tables = run(&ids, &options).unwrap();
    assert!(!said.borrow().is_empty());
    let names = [0, 3, 6, 9].map(|step| format!("maury2006-cluster-2000-step{step}.png"));
    let files: Vec<String> = drawn.borrow().iter().map(Figure::file).collect();
    for name in names {
        assert!(files.contains(&name), "{files:?}");
        let picture = std::fs::read(folder.path().join("curves").join(name)).unwrap();
        assert_eq!(&picture[1..4], b"PNG");
    }
    let curve = folder
        .path()
        .join("curves/maury2006-nonuniqueness-h2e-8.csv");
    assert_eq!(
        std::fs::read_to_string(curve).unwrap().lines().count(),
        1 + 1025
    );
    let feasible = |table: &Table| table.rows[..2].iter().all(|r| r.verdict == Verdict::Match);
    assert!(feasible(&tables[1]), "{}", print(&tables[1]));
}

#[test]
fn charts_are_drawn_beside_the_curves() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        quick: true,
        out: Some(folder.path().to_owned()),
        ..Options::default()
    };
    run(&["bloch2023-convergence".to_owned()], &options).unwrap();
    for name in ["bloch2023-convergence", "bloch2023-convergence-angle"] {
        let picture = std::fs::read(folder.path().join(format!("{name}.png"))).unwrap();
        assert_eq!(&picture[1..4], b"PNG");
    }
    for curve in [
        "frictionless",
        "convex-mu0.1",
        "convex-mu1",
        "fixedpoint-mu0.1",
        "fixedpoint-mu1",
    ] {
        let path = folder
            .path()
            .join(format!("bloch2023-convergence-{curve}.csv"));
        assert_eq!(
            std::fs::read_to_string(path).unwrap().lines().count(),
            1 + 5
        );
    }
}
