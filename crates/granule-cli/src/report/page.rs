//! The page.

use super::Section;
use super::html::{blocks, escaped, inline};
use super::items::{Items, Paper};
use super::marks::{different, letters, split};
use super::notes::Notes;
use crate::reproduce::{Drawn, Figure, Gate, Made, Record, Row, Verdict};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

const VERDICTS: [Verdict; 4] = [
    Verdict::Match,
    Verdict::Better,
    Verdict::Worse,
    Verdict::NoReference,
];

/// All that a page is made of.
struct Page<'a> {
    sections: &'a [Section],
    items: &'a Items,
    notes: &'a Notes,
    gate: &'a Gate,
    text: String,
}

/// The page of all sections, as HTML that needs nothing else.
pub fn page(sections: &[Section], items: &Items, notes: &Notes, gate: &Gate) -> String {
    let mut page = Page {
        sections,
        items,
        notes,
        gate,
        text: String::new(),
    };
    page.push("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push("<title>Granule: the papers' tables and figures</title>\n<style>\n");
    page.push(include_str!("style.css"));
    page.push("</style>\n</head>\n<body>\n");
    page.summary();
    page.contents();
    for paper in &items.papers {
        page.paper(paper);
    }
    page.push("</body>\n</html>\n");
    page.text
}

impl Section {
    /// The tables that are shown: what is kept, and what came out now.
    fn shown(&self) -> impl Iterator<Item = &Record> {
        self.kept.iter().chain(&self.fresh)
    }
}

impl Page<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn summary(&mut self) {
        self.push("<h1>The papers' tables and figures, published beside measured</h1>\n");
        let rows = || {
            self.sections
                .iter()
                .flat_map(Section::shown)
                .flat_map(|r| &r.rows)
        };
        let count = |verdict| rows().filter(|row| row.verdict == verdict).count();
        let counts: Vec<String> = VERDICTS
            .iter()
            .map(|&verdict| format!("<td>{} {}</td>", badge(verdict), count(verdict)))
            .collect();
        let failed = self.sections.iter().filter(|s| s.fresh.is_err()).count();
        let failed = match failed {
            0 => String::new(),
            count => format!("<p class=\"failed\">{count} targets ended with an error.</p>\n"),
        };
        let text = format!(
            "<p>Each target of <code>granule reproduce</code> regenerates a table or a figure of one of five papers, or a \
             case whose outcome is known from elsewhere. What takes long was made once and is kept in the \
             repository, with the day and the command; all else was made for this page, at the size that takes \
             seconds. A number that cannot be compared with a like one has no verdict.</p>\n\
             <table class=\"counts\"><tr>{}</tr></table>\n\
             <dl><dt>{}</dt><dd>the same, within what the note says</dd><dt>{}</dt><dd>less of a cost, or more of what is \
             wanted</dd><dt>{}</dt><dd>worse, or different where the two should agree; each is below with its \
             reason</dd><dt>{}</dt><dd>nothing was published to compare with</dd></dl>\n{failed}",
            counts.concat(),
            badge(Verdict::Match),
            badge(Verdict::Better),
            badge(Verdict::Worse),
            badge(Verdict::NoReference),
        );
        self.push(&text);
        self.worse();
    }

    /// All that is worse, with reasons.
    fn worse(&mut self) {
        let mut lines = String::new();
        for section in self.sections {
            let id = section.target.id;
            let mut groups: Vec<(&str, Vec<(&str, &Row)>)> = Vec::new();
            let kept = section.kept.iter().map(|record| ("kept", record));
            let fresh = section.fresh.iter().map(|record| ("quick", record));
            let rows = kept.chain(fresh).flat_map(|(size, record)| {
                let rows = record.rows.iter().map(move |row| (size, row));
                rows.filter(|(_, row)| row.verdict == Verdict::Worse)
            });
            for (size, row) in rows {
                let why = self.gate.reason(id, &row.quantity);
                let why = why.unwrap_or("no reason is known");
                match groups.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, rows)) => rows.push((size, row)),
                    None => groups.push((why, vec![(size, row)])),
                }
            }
            for (why, rows) in groups {
                let cells = |of: &dyn Fn(&str, &Row) -> String| -> String {
                    let cells = rows.iter().map(|(size, row)| of(size, row));
                    cells.collect::<Vec<_>>().join("<br>")
                };
                let _ = writeln!(
                    lines,
                    "<tr><td><a href=\"#{id}\">{id}</a></td><td>{}</td><td>{}</td><td class=\"number\">{}</td>\
                     <td class=\"number\">{}</td><td>{}</td></tr>",
                    cells(&|size, _| size.to_owned()),
                    cells(&|_, row| escaped(&row.quantity)),
                    cells(&|_, row| published(row)),
                    cells(&|_, row| measured(row)),
                    inline(why),
                );
            }
        }
        if !lines.is_empty() {
            self.push("<h2>What is worse, and why</h2>\n<table class=\"why-table\">\n<thead><tr><th>target</th><th>size</th><th>quantity</th>");
            self.push("<th class=\"number\">published</th><th class=\"number\">measured</th><th>why</th></tr></thead>\n");
            self.push(&lines);
            self.push("</table>\n");
        }
    }

    /// Every table and figure of the papers, with where it is.
    fn contents(&mut self) {
        self.push("<h2>Where each table and figure is</h2>\n");
        for paper in &self.items.papers {
            let mut text = format!(
                "<h4><a href=\"#{}\">{}</a></h4>\n<table class=\"contents\">\n",
                paper.tag,
                escaped(&paper.title)
            );
            for item in &paper.items {
                let places: Vec<String> = (item.targets.iter())
                    .map(|id| format!("<a href=\"#{id}\">{id}</a>"))
                    .collect();
                let mut place = places.join(", ");
                if !item.without.is_empty() {
                    if !place.is_empty() {
                        place.push_str("; ");
                    }
                    place.push_str(&format!("<i>{}</i>", inline(&item.without)));
                }
                let _ = writeln!(
                    text,
                    "<tr><td>{}</td><td>{}</td><td>{place}</td></tr>",
                    escaped(&item.item),
                    inline(&item.shows)
                );
            }
            text.push_str("</table>\n");
            self.push(&text);
        }
    }

    fn paper(&mut self, paper: &Paper) {
        let prefix = format!("{}-", paper.tag);
        let own: Vec<&Section> = (self.sections.iter())
            .filter(|section| section.target.id.starts_with(&prefix))
            .collect();
        if own.is_empty() {
            return;
        }
        let cited = own[0].target.paper().unwrap_or_default();
        let head = format!(
            "<h2 class=\"paper\" id=\"{}\">{}</h2>\n<p class=\"cited\">{}</p>\n",
            paper.tag,
            escaped(&paper.title),
            escaped(&cited)
        );
        self.push(&head);
        if let Some(misprints) = self.notes.misprints(&paper.author) {
            self.push("<h4>Known misprints of the paper</h4>\n");
            self.push(&blocks(misprints));
        }
        for section in own {
            self.section(section, paper);
        }
    }

    fn section(&mut self, section: &Section, paper: &Paper) {
        let id = section.target.id;
        let items: Vec<String> = (paper.items.iter())
            .filter(|item| item.targets.iter().any(|target| target == id))
            .map(|item| escaped(&item.item))
            .collect();
        let description = capitalised(section.target.description);
        let head = format!(
            "<section id=\"{id}\">\n<h3>{}</h3>\n<p class=\"id\"><code>granule reproduce {id}</code> · {}</p>\n",
            escaped(&description),
            items.join(", ")
        );
        self.push(&head);
        if let Some(notes) = self.notes.of(id) {
            self.push(&blocks(notes));
        }
        for kept in &section.kept {
            let line = format!("<p class=\"made\">Kept: {}</p>\n", made(&kept.made));
            self.push(&line);
            self.record(id, kept, &[]);
        }
        match &section.fresh {
            Ok(fresh) => {
                // What is kept of the same is enough on paper.
                let (head, end) = match section.kept.iter().any(|kept| !kept.made.is_full()) {
                    true => (
                        "<details>\n<summary class=\"made\">At the quick size, for this page: ",
                        "</summary>",
                    ),
                    false => ("<p class=\"made\">For this page: ", "</p>"),
                };
                let line = format!("{head}{}{end}\n", made(&fresh.made));
                self.push(&line);
                // What is kept was drawn at the paper's size.
                let kept = section.kept.iter().flat_map(|kept| &kept.figures);
                self.record(id, fresh, &kept.collect::<Vec<_>>());
                if end == "</summary>" {
                    self.push("</details>\n");
                }
            }
            Err(error) => {
                let line = format!("<p class=\"failed\">{}</p>\n", escaped(&error.to_string()));
                self.push(&line);
            }
        }
        self.push("</section>\n");
    }

    /// A table and its figures but those that are already shown.
    fn record(&mut self, id: &str, record: &Record, shown: &[&Figure]) {
        let parts: Vec<(String, &str)> = record.rows.iter().map(|row| split(&row.note)).collect();
        let notes = different(parts.iter().map(|(note, _)| note.as_str()));
        let matches = different(parts.iter().map(|(_, how)| *how));
        self.push("<table class=\"rows\">\n<thead><tr><th>quantity</th><th class=\"number\">published</th>");
        self.push("<th class=\"number\">measured</th><th>unit</th><th>verdict</th><th>note</th></tr></thead>\n");
        for (row, (note, how)) in record.rows.iter().zip(&parts) {
            let place = notes.iter().position(|known| known == note);
            let letter = matches.iter().position(|known| known == how);
            let marks = place.map(|place| (place + 1).to_string());
            let marks = marks.into_iter().chain(letter.map(letters));
            let line = format!(
                "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escaped(&row.quantity),
                published(row),
                measured(row),
                escaped(&row.unit),
                badge(row.verdict),
                marks.collect::<Vec<_>>().join(" "),
            );
            self.push(&line);
        }
        self.push("</table>\n");
        for (kind, list) in [("1", &notes), ("a", &matches)] {
            if list.is_empty() {
                continue;
            }
            let head = format!("<ol class=\"notes\" type=\"{kind}\">\n");
            self.push(&head);
            for note in list {
                let line = format!("<li>{}</li>\n", inline(note));
                self.push(&line);
            }
            self.push("</ol>\n");
        }
        let worse = |row: &&Row| row.verdict == Verdict::Worse;
        let mut reasons: Vec<&str> = Vec::new();
        for row in record.rows.iter().filter(worse) {
            let why = self.gate.reason(id, &row.quantity);
            if let Some(why) = why.filter(|why| !reasons.contains(why)) {
                reasons.push(why);
            }
        }
        for why in reasons {
            let line = format!(
                "<p class=\"why\">{} {}</p>\n",
                badge(Verdict::Worse),
                inline(why)
            );
            self.push(&line);
        }
        let new = |figure: &&Figure| shown.iter().all(|known| known.name != figure.name);
        let figures: Vec<String> = record.figures.iter().filter(new).map(figure).collect();
        if !figures.is_empty() {
            self.push("<div class=\"figures\">\n");
            self.push(&figures.concat());
            self.push("</div>\n");
        }
    }
}

fn figure(figure: &Figure) -> String {
    let (class, drawn) = match &figure.drawn {
        Drawn::Chart(svg) => ("chart", svg.clone()),
        Drawn::Picture(png) => (
            "picture",
            format!(
                "<img alt=\"{}\" src=\"data:image/png;base64,{}\">",
                escaped(&figure.caption),
                STANDARD.encode(png)
            ),
        ),
    };
    format!(
        "<figure class=\"{class}\">\n{drawn}\n<figcaption>{} <code>{}</code></figcaption>\n</figure>\n",
        escaped(&figure.caption),
        escaped(&figure.name)
    )
}

fn made(made: &Made) -> String {
    let mut text = format!(
        "<code>{}</code>, {}, version {}, {}",
        escaped(&made.command),
        escaped(&made.date),
        escaped(&made.version),
        duration(made.seconds)
    );
    if !made.remark.is_empty() {
        let _ = write!(text, "; {}", inline(&made.remark));
    }
    text
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "less than a second".to_owned(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Digits that a reader compares; the record has all.
const DIGITS: usize = 5;

fn published(row: &Row) -> String {
    let published = row.published.as_ref();
    let published = published.map(|value| format!("{value:.DIGITS$}"));
    escaped(&published.unwrap_or_else(|| "–".to_owned()))
}

fn measured(row: &Row) -> String {
    escaped(&format!("{:.DIGITS$}", row.measured))
}

fn badge(verdict: Verdict) -> String {
    let name = verdict.name();
    format!("<span class=\"verdict {name}\">{name}</span>")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}
