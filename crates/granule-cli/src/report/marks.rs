//! What rows of a table say beside their numbers, listed once below it: notes by numbers, what counts as a match by letters.

/// The different ones of texts that are not empty, in the order of their first use.
pub fn different<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known
}

/// A note without what counts as a match, and that.
pub fn split(note: &str) -> (String, &str) {
    let Some(start) = note.find("match: ") else {
        return (note.to_owned(), "");
    };
    let mut depth = 0;
    let ends = |letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ';' && depth == 0
    };
    let end = note[start..]
        .find(ends)
        .map_or(note.len(), |end| start + end);
    let rest = [&note[..start], &note[end..]].map(|part| part.trim_matches([';', ' ']));
    let rest = rest.into_iter().filter(|part| !part.is_empty());
    (rest.collect::<Vec<_>>().join("; "), &note[start..end])
}

/// a, b, … z, aa, ab, …
pub fn letters(place: usize) -> String {
    let letter = char::from(b'a' + (place % 26) as u8);
    match place / 26 {
        0 => letter.to_string(),
        more => letters(more - 1) + &letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_as_a_match_is_taken_out_of_a_note() {
        let of = |note: &'static str| {
            let (rest, how) = split(note);
            (rest, how.to_owned())
        };
        let parts = |rest: &str, how: &str| (rest.to_owned(), how.to_owned());
        assert_eq!(of("Table 2"), parts("Table 2", ""));
        assert_eq!(
            of("Table 2; match: within 0.1 (a; b (c)); 3 steps"),
            parts("Table 2; 3 steps", "match: within 0.1 (a; b (c))")
        );
        assert_eq!(of("match: none"), parts("", "match: none"));
    }

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 25, 26, 53].map(letters), ["a", "z", "aa", "bb"]);
    }
}
