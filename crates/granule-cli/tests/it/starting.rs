//! What helps to begin: scenes to start from, and completions of shells.

use crate::common::{Place, files};
use granule_io::scene;
use std::process::Command;

/// The kinds of scenes, and a column that each of them is about.
const KINDS: [(&str, &str); 4] = [
    ("heap", "heap_angle"),
    ("silo", "outlet_total"),
    ("drum", "mixing"),
    ("machine", "axle_turn"),
];

#[test]
fn a_new_scene_runs_under_its_name_and_has_friction() {
    let place = Place::new();
    for (kind, column) in KINDS {
        let name = format!("my-{kind}_2.1");
        let file = format!("{name}.toml");
        let told = place.call(&["new", &name, "--kind", kind]).with_code(0);
        let text = std::fs::read_to_string(place.path(&file)).unwrap();
        assert!(!text.contains("NAME"), "{text}");
        let comments = text.lines().filter(|line| line.contains('#')).count();
        assert!(comments > 15, "{kind} has few comments: {comments}");

        let sections = scene::load(&place.path(&file)).unwrap();
        let setup = sections.build().unwrap();
        assert_eq!(setup.name, name);
        assert!(sections.judge(&setup).is_empty(), "{kind}");
        let check = place.call(&["check", &file]).with_code(0);
        assert!(check.out.contains("coulomb (μ = "), "{}", check.out);
        assert_eq!(check.err, "");

        // Its folder, and the page that its columns make, are those that were told.
        place
            .call(&["run", &file, "--until", "0.05", "--quiet"])
            .with_code(0);
        let plot = told.out.lines().last().unwrap().trim();
        let words: Vec<&str> = plot.split_whitespace().skip(1).collect();
        assert_eq!(words[..2], ["plot", &format!("runs/{name}")]);
        if kind != "heap" {
            place.call(&words).with_code(0);
        }
        let series = std::fs::read_to_string(place.path(&format!("runs/{name}/series.csv")));
        let series = series.unwrap();
        let header = series.lines().next().unwrap();
        assert!(header.contains(column), "no {column} in {header}");
    }
    // The usual one, with the ending given, in a folder that is there.
    std::fs::create_dir(place.path("inner")).unwrap();
    place.call(&["new", "inner/one.toml"]).with_code(0);
    let heap = std::fs::read_to_string(place.path("my-heap_2.1.toml")).unwrap();
    let one = std::fs::read_to_string(place.path("inner/one.toml")).unwrap();
    assert_eq!(one, heap.replace("my-heap_2.1", "one"));
}

#[test]
fn a_new_scene_replaces_nothing() {
    let place = Place::new();
    place.write("mine.toml", "# mine");
    let before = files(&place.path(""));
    let refused = |name: &str, words: &[&str]| {
        let told = place.call(&["new", name]).with_code(2).saying(words);
        assert_eq!(told.out, "");
        assert!(before == files(&place.path("")), "{name}");
    };
    refused("mine", &["mine.toml is there already"]);
    refused("mine.toml", &["mine.toml is there already"]);
    refused("nowhere/mine", &["no such folder"]);
    for name in [".toml", "..", "a\"b", "a b", "a\nb", "-x/-y", "x/"] {
        let call = place.call(&["new", "--", name]).with_code(2);
        call.saying(&["cannot be the name of a scene"]);
    }
    let unknown = ["new", "one", "--kind", "castle"];
    place.call(&unknown).with_code(2).saying(&["heap", "silo"]);
    assert!(before == files(&place.path("")));
}

#[test]
fn completions_complete() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.call(&["completions", shell]).with_code(0).out;
        for word in ["study", "reproduce", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    place
        .call(&["completions", "tcl"])
        .with_code(2)
        .saying(&["bash"]);

    let script = place.call(&["completions", "bash"]).out;
    place.write("granule.bash", &script);
    let complete = |line: &[&str]| {
        let at = line.len() - 1;
        let (word, before) = (line[at], line[at - 1]);
        let line = line.join(" ");
        let program = format!(
            "source granule.bash; COMP_WORDS=({line}); COMP_CWORD={at}; \
             _granule granule '{word}' '{before}'; echo ${{COMPREPLY[@]}}"
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &program])
            .current_dir(place.path(""))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(complete(&["granule", "stu"]), "study");
    assert_eq!(complete(&["granule", "new", "x", "--ki"]), "--kind");
    let kinds = complete(&["granule", "new", "x", "--kind", "m"]);
    assert_eq!(kinds, "machine");
}
