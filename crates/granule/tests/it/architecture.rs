//! The sources keep to the design: imports point one way, citations name a reference, files stay
//! short, and what would make results depend on the machine is kept out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each folder may import from the rest of the crate.
const MAY_SEE: [(&str, &[&str]); 15] = [
    ("math", &[]),
    ("parallel", &[]),
    ("shapes", &["math"]),
    ("bodies", &["math", "shapes"]),
    ("collision", &["math", "shapes", "bodies", "parallel"]),
    ("exchange", &["math", "shapes", "bodies", "collision"]),
    ("law", &["math"]),
    ("problem", &["math", "law", "parallel"]),
    ("joints", &["math", "bodies", "problem"]),
    ("certify", &["math", "law", "problem", "parallel"]),
    ("solver", &["math", "law", "problem", "certify", "parallel"]),
    (
        "scheme",
        &[
            "math",
            "bodies",
            "collision",
            "joints",
            "law",
            "problem",
            "parallel",
        ],
    ),
    ("measure", &["math", "bodies", "parallel"]),
    ("simulation", ALL),
    ("cases", ALL),
];

const ALL: &[&str] = &[
    "math",
    "parallel",
    "shapes",
    "bodies",
    "collision",
    "exchange",
    "joints",
    "law",
    "problem",
    "certify",
    "solver",
    "scheme",
    "measure",
    "simulation",
    "cases",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file below `folder` with one of the given endings, with its text.
fn files(folder: &Path, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if endings
            .iter()
            .any(|e| path.extension().is_some_and(|x| x == *e))
        {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// The part of a line that is code.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap()
}

/// The folders of the crate that a text of code names after `crate::`.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| code(line).to_owned() + "\n")
        .collect();
    let mut found = BTreeSet::new();
    for part in code.split("crate::").skip(1) {
        // `crate::{a::X, b::Y}` names several.
        let names: Vec<&str> = match part.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap().split(',').collect(),
            None => vec![part],
        };
        for name in names {
            let word: String = name
                .trim()
                .chars()
                .take_while(|c| c.is_ascii_lowercase() || *c == '_')
                .collect();
            if !word.is_empty() {
                found.insert(word);
            }
        }
    }
    found
}

#[test]
fn imports_point_one_way() {
    let mut wrong = Vec::new();
    for (path, text) in files(&root(), &["rs"]) {
        let inside = path.strip_prefix(root()).unwrap();
        let folder = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        if folder == "lib.rs" {
            continue;
        }
        let Some((_, allowed)) = MAY_SEE.iter().find(|(name, _)| *name == folder) else {
            wrong.push(format!("{folder} is not in the table of folders"));
            continue;
        };
        for import in imports(&text) {
            if import != folder && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{} imports {import}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    let text = "use crate::math::DVec3;\nuse crate::{law::Law, problem};\n\
                // use crate::cases::x;\nlet x = crate::solver::solver(&c);";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(found, ["law", "math", "problem", "solver"]);
}

#[test]
fn the_table_of_folders_is_that_of_the_sources() {
    let mut folders: Vec<String> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut table: Vec<&str> = MAY_SEE.iter().map(|(name, _)| *name).collect();
    table.sort_unstable();
    assert_eq!(folders, table);
}

/// The tags of citations like `[author2006, eq. (1)]`, `[author2006]` or `**author2006**`.
fn citations(text: &str) -> Vec<String> {
    let bracketed = text.split('[').skip(1).filter_map(|part| {
        let end = part.find([',', ']', ';'])?;
        Some(part[..end].trim())
    });
    bracketed
        .chain(text.split("**"))
        .filter(|tag| {
            let name = tag.trim_end_matches(|c: char| c.is_ascii_digit());
            let letters = name.len() >= 3 && name.chars().all(|c| c.is_ascii_lowercase());
            letters && tag.len() == name.len() + 4
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_citation_names_a_reference() {
    let bib = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/references.bib");
    let bib = fs::read_to_string(bib).unwrap();
    let known: BTreeSet<&str> = bib
        .lines()
        .filter(|line| line.starts_with('@'))
        .map(|line| line.split(['{', ',']).nth(1).unwrap().trim())
        .collect();
    assert!(known.contains("maury2006"), "{known:?}");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut count = 0;
    let mut unknown = Vec::new();
    let sources = files(&root(), &["rs", "md"]).into_iter();
    for (path, text) in sources.chain(files(&tests, &["rs"])) {
        if path.ends_with("tests/it/architecture.rs") {
            continue;
        }
        for tag in citations(&text) {
            count += 1;
            if !known.contains(tag.as_str()) {
                unknown.push(format!("{}: [{tag}]", path.display()));
            }
        }
    }
    assert!(
        unknown.is_empty(),
        "not in references.bib:\n{}",
        unknown.join("\n")
    );
    assert!(count > 15, "only {count} citations found");
    assert_eq!(
        citations("[abc2006, §1] and [`x`], [0, 1], [xyz1999] **uvw2001**, **bold** [maury2006,\n"),
        ["abc2006", "xyz1999", "maury2006", "uvw2001"]
    );
}

#[test]
fn files_stay_short() {
    for (path, text) in files(&root(), &["rs", "md"]) {
        let lines = text.lines().count();
        assert!(lines <= 800, "{} has {lines} lines", path.display());
    }
}

#[test]
fn nothing_in_the_solve_depends_on_the_machine_or_the_hash_seed() {
    for folder in [
        "solver",
        "problem",
        "parallel",
        "certify",
        "scheme",
        "collision",
    ] {
        for (path, text) in files(&root().join(folder), &["rs"]) {
            for word in ["mul_add", "HashMap", "HashSet", "Instant", "par_iter().sum"] {
                let found = text.lines().position(|line| code(line).contains(word));
                assert!(
                    found.is_none(),
                    "{}:{}: {word}",
                    path.display(),
                    found.unwrap_or(0) + 1
                );
            }
        }
    }
}
