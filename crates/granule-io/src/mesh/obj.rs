//! Wavefront's OBJ: of it the vertices (`v`) and faces (`f`).

use super::{Triangles, polygon};
use glam::DVec3;

/// What some programs begin every text with.
const MARK: char = '\u{feff}';

/// The triangles of a file, or what is wrong with it.
///
/// Groups, objects, materials, lines, textures and normals are passed over; so is what comes after x, y and z
/// of a vertex.
pub(super) fn parse(bytes: &[u8]) -> Result<Triangles, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for (line, text) in lines(text.trim_start_matches(MARK)) {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(vertex(line, words)?),
            Some("f") => {
                let corners = words.map(|word| corner(line, word, vertices.len()));
                faces.push((line, corners.collect::<Result<Vec<u32>, String>>()?));
            }
            Some(_) | None => {}
        }
    }
    if faces.is_empty() {
        return Err("it has no faces (lines that begin with `f`): is it an OBJ?".to_owned());
    }
    let mut found = Triangles {
        vertices,
        triangles: Vec::new(),
    };
    for (line, corners) in &faces {
        let count = found.vertices.len();
        if let Some(bad) = corners.iter().find(|&&k| k as usize >= count) {
            let bad = u64::from(*bad) + 1;
            return Err(format!(
                "line {line}: vertex {bad} does not exist: there are {count}"
            ));
        }
        let triangles = polygon::triangles(&found.vertices, corners);
        found
            .triangles
            .extend(triangles.map_err(|what| format!("line {line}: {what}"))?);
    }
    Ok(found)
}

/// The lines with their numbers, counted from 1, without comments; those that end in a backslash go on in the
/// next.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let (line, next_goes_on) = match line.strip_suffix('\\') {
            Some(start) => (start, true),
            None => (line, false),
        };
        match lines.last_mut() {
            Some((_, last)) if goes_on => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push((number, line.to_owned())),
        }
        goes_on = next_goes_on;
    }
    lines
}

fn vertex<'a>(line: usize, mut words: impl Iterator<Item = &'a str>) -> Result<DVec3, String> {
    let mut next = || {
        let word = words
            .next()
            .ok_or_else(|| format!("line {line}: a vertex needs x, y and z"))?;
        let value = word.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| format!("line {line}: `{word}` is no coordinate"))
    };
    Ok(DVec3::new(next()?, next()?, next()?))
}

/// The place of a corner among the vertices: `7`, `7/1`, `7//3`, or `-1` for the last of the `count` so far.
fn corner(line: usize, word: &str, count: usize) -> Result<u32, String> {
    let number = word.split('/').next().unwrap_or_default();
    let place = match number.parse::<i64>() {
        Ok(number) if number > 0 => u32::try_from(number - 1).ok(),
        Ok(number) if number < 0 => {
            let place = (count as i64).checked_add(number);
            place.and_then(|place| u32::try_from(place).ok())
        }
        Ok(_) | Err(_) => None,
    };
    place.ok_or_else(|| {
        format!("line {line}: `{word}` is no corner: vertices are counted from 1, or back from -1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_go_on_are_joined() {
        let text = "a \\\nb # not \\\nc\\\n\\\nd";
        let joined = lines(text);
        let words: Vec<(usize, Vec<&str>)> = joined
            .iter()
            .map(|(line, text)| (*line, text.split_whitespace().collect()))
            .collect();
        assert_eq!(words, [(1, vec!["a", "b"]), (3, vec!["c", "d"])]);
    }
}
