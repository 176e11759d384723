//! What the page must hold.

use super::html::{blocks, inline};
use super::*;
use crate::reproduce::select;

#[test]
fn markdown_becomes_html_and_text_stays_text() {
    assert_eq!(
        inline("a < b, `x*y*z`, **bold *and* more**, 2 * 3 * 4, [words](there.md)![p](q.png)."),
        "a &lt; b, <code>x*y*z</code>, <b>bold <em>and</em> more</b>, 2 * 3 * 4, words."
    );
    assert_eq!(
        blocks("one\n- two\n- three\n\nfour"),
        "<p>one</p>\n<ul>\n<li>two</li>\n<li>three</li>\n</ul>\n<p>four</p>\n"
    );
}

#[test]
fn the_page_has_each_row_each_figure_and_every_item_and_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let ids = ["maury2006-nonuniqueness", "bloch2023-table1"].map(str::to_owned);
    let options = Options {
        quick: true,
        ..Options::default()
    };
    let sections: Vec<Section> = (select(&ids).unwrap().into_iter())
        .map(|target| Section::of(target, &options).unwrap())
        .collect();
    write(&sections, folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join(PAGE)).unwrap();
    for section in &sections {
        let record = section.fresh.as_ref().unwrap();
        for row in &record.rows {
            assert!(text.contains(&html::escaped(&row.quantity)), "{row:?}");
        }
        for figure in &record.figures {
            assert!(text.contains(&figure.name), "{}", figure.name);
        }
    }
    assert!(text.matches("<svg").count() >= 2);
    for paper in &Items::kept().unwrap().papers {
        for item in &paper.items {
            assert!(text.contains(&html::escaped(&item.item)), "{item:?}");
        }
    }
    for outside in ["src=\"http", "href=\"http", "<script", "<link"] {
        assert!(!text.contains(outside), "{outside}");
    }
}

#[test]
fn an_error_of_a_target_stands_on_the_page() {
    let ids = ["bloch2023-table1".to_owned()];
    let section = Section {
        target: select(&ids).unwrap()[0],
        kept: Vec::new(),
        fresh: Err(Error::Peer("it is <not> there".to_owned())),
    };
    let folder = tempfile::tempdir().unwrap();
    write(&[section], folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join(PAGE)).unwrap();
    assert!(text.contains("it is &lt;not&gt; there"));
    assert!(text.contains("1 targets ended with an error"));
}

#[test]
fn what_is_worse_in_a_record_has_its_reason_in_the_list() {
    let gate = Gate::kept().unwrap();
    for target in crate::reproduce::list() {
        let records = Record::kept(target.id).unwrap();
        for row in records.into_iter().flat_map(|record| record.rows) {
            if row.verdict == crate::reproduce::Verdict::Worse {
                let why = gate.reason(target.id, &row.quantity);
                assert!(why.is_some(), "{}: {}", target.id, row.quantity);
            }
        }
    }
}

#[test]
fn the_quick_run_is_folded_away_where_the_same_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let ids = ["bloch2023-ellipses", "maury2006-sticky"].map(str::to_owned);
    let options = Options {
        quick: true,
        ..Options::default()
    };
    let sections: Vec<Section> = (select(&ids).unwrap().into_iter())
        .map(|target| Section::of(target, &options).unwrap())
        .collect();
    write(&sections, folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join(PAGE)).unwrap();
    let [details, end] = ["<details>", "</details>"].map(|tag| text.find(tag).unwrap());
    assert_eq!(text.matches("<details>").count(), 1);
    let folded = &text[details..end];
    assert!(folded.contains("25 ellipses: ") && !folded.contains("100 ellipses: "));
}
