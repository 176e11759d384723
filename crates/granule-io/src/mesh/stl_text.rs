//! STL as text: `solid`, then `facet normal … outer loop vertex … endloop endfacet` for each triangle.

use super::Triangles;
use glam::DVec3;
use std::iter::Peekable;

/// How far to look for the first facet.
const LOOK: usize = 2048;

/// Whether a file begins as text does.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOK)]).to_lowercase();
    start.trim_start().starts_with("solid")
        && (start.contains("facet") || start.contains("endsolid"))
}

/// The words of a file with the numbers of their lines, counted from 1.
struct Words<'a, I: Iterator<Item = (usize, &'a str)>> {
    words: Peekable<I>,
    /// Of the last word.
    line: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Words<'a, I> {
    fn next(&mut self) -> Option<&'a str> {
        let (line, word) = self.words.next()?;
        self.line = line;
        Some(word)
    }

    /// Goes past the words that must come here.
    fn expect(&mut self, expected: &[&str]) -> Result<(), String> {
        for wanted in expected {
            let word = self.next();
            self.is(word, wanted)?;
        }
        Ok(())
    }

    fn is(&self, word: Option<&str>, wanted: &str) -> Result<(), String> {
        match word {
            Some(word) if word.eq_ignore_ascii_case(wanted) => Ok(()),
            Some(word) => Err(format!(
                "line {}: `{wanted}` is expected, not `{word}`",
                self.line
            )),
            None => Err(self.cut_short()),
        }
    }

    fn cut_short(&self) -> String {
        format!(
            "it is cut short: it ends within a facet, on line {}",
            self.line
        )
    }

    fn coordinate(&mut self) -> Result<f64, String> {
        let word = self.next().ok_or_else(|| self.cut_short())?;
        let value = word.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| format!("line {}: `{word}` is no coordinate", self.line))
    }

    /// Goes to the next line: what follows `solid` is a name.
    fn skip_line(&mut self) {
        let line = self.line;
        while self.words.next_if(|(at, _)| *at == line).is_some() {}
    }
}

/// The triangles of a file, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Triangles, String> {
    let lines = (1..).zip(text.lines());
    let words =
        lines.flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)));
    let mut words = Words {
        words: words.peekable(),
        line: 0,
    };
    let mut found = Triangles::default();
    while let Some(word) = words.next() {
        if word.eq_ignore_ascii_case("facet") {
            words.expect(&["normal"])?;
            // The normal follows from the corners.
            for _ in 0..3 {
                words.next().ok_or_else(|| words.cut_short())?;
            }
            words.expect(&["outer", "loop"])?;
            let mut corners = [DVec3::ZERO; 3];
            for corner in &mut corners {
                words.expect(&["vertex"])?;
                *corner = DVec3::new(
                    words.coordinate()?,
                    words.coordinate()?,
                    words.coordinate()?,
                );
            }
            words.expect(&["endloop", "endfacet"])?;
            found.push(corners);
        } else if word.eq_ignore_ascii_case("solid") || word.eq_ignore_ascii_case("endsolid") {
            words.skip_line();
        } else {
            words.is(Some(word), "facet")?;
        }
    }
    Ok(found)
}
