//! What is wrong with a scene, where, and how to mend it.

use super::key_path::{KeyPath, path_at, span_of};
use super::{Change, schema};
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a scene cannot be run: printed in the look of the Rust compiler, with the file, the line,
/// the text underlined, the reason and a remedy.
///
/// ```
/// use std::path::Path;
/// let error = granule_io::scene::parse("[scene]\nnam = 'x'", Path::new("a.toml")).unwrap_err();
/// assert!(error.to_string().contains("a.toml:2"));
/// assert!(error.help().contains("`name`"));
/// ```
#[derive(Debug, Clone)]
pub struct SceneError(Box<Diagnosis>);

#[derive(Debug, Clone)]
struct Diagnosis {
    file: PathBuf,
    reason: String,
    text: Option<String>,
    /// Bytes of `text` with what to write under them; the first is the main one.
    marks: Vec<(Range<usize>, String)>,
    notes: Vec<String>,
    help: String,
}

impl SceneError {
    /// An error about a file as a whole.
    pub(crate) fn about_file(
        file: &Path,
        reason: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self(Box::new(Diagnosis {
            file: file.to_owned(),
            reason: reason.into(),
            text: None,
            marks: Vec::new(),
            notes: Vec::new(),
            help: help.into(),
        }))
    }

    /// Shows `text`, the content of the file, with the given bytes underlined.
    pub(crate) fn at(mut self, text: &str, span: Range<usize>, label: impl Into<String>) -> Self {
        self.0.text.get_or_insert_with(|| text.to_owned());
        self.0.marks.push((span, label.into()));
        self
    }

    /// The same of a text as it was before some values were changed.
    pub(crate) fn before_changes(mut self, original: &str, changes: &[Change]) -> Self {
        let text = self.0.text.take().unwrap_or_default();
        for (span, label) in std::mem::take(&mut self.0.marks) {
            self = self.marked(original, &path_at(&text, &span), label, changes);
        }
        self
    }

    /// Underlines the value at a path in the text of the file, or tells that a change has set it.
    fn marked(self, text: &str, path: &KeyPath, label: String, changes: &[Change]) -> Self {
        if let Some(change) = changes.iter().rev().find(|change| change.sets(path)) {
            return self.note(format!("{label}: `{path}` is set by --set {change}"));
        }
        match span_of(text, path) {
            Some(span) => self.at(text, span, label),
            None => self,
        }
    }

    /// Adds a `note:` line.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    /// The file that the error is about.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// The line that the error is about, counted from 1, if there is one.
    pub fn line(&self) -> Option<usize> {
        let (span, _) = self.0.marks.first()?;
        Some(Excerpt::of(self.0.text.as_deref()?, span).line)
    }

    /// The reason, in a sentence.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// How to mend it.
    pub fn help(&self) -> &str {
        &self.0.help
    }

    /// The whole message, with colours for a terminal if asked for.
    pub fn render(&self, colour: bool) -> String {
        let diagnosis = &*self.0;
        let file = diagnosis.file.display().to_string();
        let mut group = Level::ERROR
            .primary_title(printable(&diagnosis.reason))
            .elements(Vec::<annotate_snippets::Message<'_>>::new());
        match &diagnosis.text {
            Some(text) if !diagnosis.marks.is_empty() => {
                for (k, (span, label)) in diagnosis.marks.iter().enumerate() {
                    let excerpt = Excerpt::of(text, span);
                    let kind = if k == 0 {
                        AnnotationKind::Primary
                    } else {
                        AnnotationKind::Context
                    };
                    let mark = kind.span(excerpt.span).label(printable(label));
                    group = group.element(
                        Snippet::source(excerpt.text)
                            .line_start(excerpt.line)
                            .path(file.clone())
                            .annotation(mark),
                    );
                }
            }
            _ => group = group.element(Origin::path(file)),
        }
        for note in &diagnosis.notes {
            group = group.element(Level::NOTE.message(printable(note)));
        }
        group = group.element(Level::HELP.message(printable(&diagnosis.help)));
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&[group])
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for SceneError {}

/// Without control characters, which would garble the layout.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// The first line of a marked piece of text.
struct Excerpt {
    text: String,
    line: usize,
    span: Range<usize>,
}

impl Excerpt {
    fn of(text: &str, span: &Range<usize>) -> Self {
        let start = floor_boundary(text, span.start);
        let end = floor_boundary(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
        let line = text[..start].matches('\n').count() + 1;
        // Each control character and its replacement may differ in length, so that the bytes are
        // counted anew.
        let before = printable(&text[line_start..start]);
        let marked = printable(&text[start..end.min(line_end)]);
        let after = printable(text[end.min(line_end)..line_end].trim_end_matches('\r'));
        let span = before.len()..before.len() + marked.len();
        Self {
            text: before + &marked + &after,
            line,
            span,
        }
    }
}

fn floor_boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// Something wrong with a value of a scene, by the keys that lead to it; becomes a [`SceneError`]
/// where the file is known.
#[derive(Debug, Clone)]
pub(crate) struct Problem(Box<Fault>);

#[derive(Debug, Clone)]
struct Fault {
    path: KeyPath,
    reason: String,
    label: String,
    help: Option<String>,
    notes: Vec<String>,
    also: Vec<(KeyPath, String)>,
}

impl Problem {
    /// `reason` is a sentence; `label` stands below the value.
    pub(crate) fn new(path: KeyPath, reason: impl Into<String>, label: impl Into<String>) -> Self {
        Self(Box::new(Fault {
            path,
            reason: reason.into(),
            label: label.into(),
            help: None,
            notes: Vec::new(),
            also: Vec::new(),
        }))
    }

    /// The remedy; without one the documentation of the key is quoted.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Adds a `note:` line.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.0.notes.push(note.into());
        self
    }

    /// Another value that has to do with it.
    pub(crate) fn also(mut self, path: KeyPath, label: impl Into<String>) -> Self {
        self.0.also.push((path, label.into()));
        self
    }

    /// The error, with the text of the scene file if there is one, and with what was changed of it.
    pub(crate) fn in_scene(
        self,
        file: &Path,
        text: Option<&str>,
        changes: &[Change],
    ) -> SceneError {
        let fault = *self.0;
        let help = fault.help.unwrap_or_else(|| hint(&fault.path));
        let mut reason = fault.reason;
        if text.is_none() {
            reason = format!("{reason} (at `{}`: {})", fault.path, fault.label);
        }
        let mut error = SceneError::about_file(file, reason, help);
        if let Some(text) = text {
            let marks = std::iter::once((fault.path, fault.label)).chain(fault.also);
            for (path, label) in marks {
                error = error.marked(text, &path, label, changes);
            }
        }
        fault.notes.into_iter().fold(error, SceneError::note)
    }
}

/// What the documentation says about a key, or where to read it.
pub(crate) fn hint(path: &KeyPath) -> String {
    match schema::description(path) {
        Some(text) => format!("`{}`: {text}", path.name()),
        None => "`granule schema` prints the grammar of scene files".to_owned(),
    }
}
