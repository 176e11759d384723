//! Text as HTML.

/// Text that stands in a page as it is.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

/// A line of Markdown: code, bold, emphasis; of links the words, pictures not at all.
pub fn inline(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(place) = rest.find(['`', '*', '[', '!']) {
        out.push_str(&escaped(&rest[..place]));
        rest = &rest[place..];
        let span = |mark: &str| {
            let inner = rest.strip_prefix(mark)?;
            let end = inner.find(mark).filter(|end| *end > 0)?;
            Some((&inner[..end], &inner[end + mark.len()..]))
        };
        let link = |text: &'static str| {
            let inner = rest.strip_prefix(text)?;
            let (words, after) = inner.split_once("](")?;
            Some((words, after.split_once(')')?.1))
        };
        if let Some((code, after)) = span("`") {
            out.push_str(&format!("<code>{}</code>", escaped(code)));
            rest = after;
        } else if let Some((bold, after)) = span("**") {
            out.push_str(&format!("<b>{}</b>", inline(bold)));
            rest = after;
        } else if let Some((stressed, after)) =
            span("*").filter(|(inner, _)| !inner.starts_with(' '))
        {
            out.push_str(&format!("<em>{}</em>", inline(stressed)));
            rest = after;
        } else if let Some((_, after)) = link("![") {
            rest = after;
        } else if let Some((words, after)) = link("[") {
            out.push_str(&inline(words));
            rest = after;
        } else {
            let first = rest.chars().next().map_or(0, char::len_utf8);
            out.push_str(&escaped(&rest[..first]));
            rest = &rest[first..];
        }
    }
    out + &escaped(rest)
}

/// Paragraphs and lists of Markdown.
pub fn blocks(text: &str) -> String {
    let (mut out, mut in_list) = (String::new(), false);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let item = line.strip_prefix("- ");
        if item.is_some() != in_list {
            out.push_str(if in_list { "</ul>\n" } else { "<ul>\n" });
            in_list = item.is_some();
        }
        match item {
            Some(item) => out.push_str(&format!("<li>{}</li>\n", inline(item))),
            None => out.push_str(&format!("<p>{}</p>\n", inline(line))),
        }
    }
    if in_list {
        out.push_str("</ul>\n");
    }
    out
}
