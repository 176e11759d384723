"""What the builder of the book is told beside mkdocs.yml, so that pages read as well in the repository as in the book.

- Headings have the anchors that repositories show.
- What stands after the language of a block (how the tests run it) is not shown.
- Files outside of docs/ that pages link to are in the book, under source/.
- `[tag, eq. (1)]` leads to its entry of references.bib, from which the page of references is made.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# A link or a picture: [text](target "title").
LINK = re.compile(r'(\]\()([^)\s"]+)((?:\s+"[^"]*")?\))')
FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(\w*)[^\n]*$")
# Where outside files are in the book.
OUTSIDE = "source/"
REFERENCES = "references.md"


def anchor(text, separator="-"):
    """The anchor of a heading, as repositories make it."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config):
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor
    return config


def of_prose(markdown, change):
    """A page with what is not in blocks or in `code` changed, line by line."""
    lines, fence = [], None
    for line in markdown.split("\n"):
        found = FENCE.match(line)
        if fence:
            fence = None if found and found[2].startswith(fence) and not found[3] else fence
        elif found:
            fence = found[2]
            line = f"{found[1]}{found[2]}{found[3]}"
        else:
            line = change(line)
        lines.append(line)
    return "\n".join(lines)


def place(page):
    """The path in the repository of a page of the book."""
    if page.startswith(OUTSIDE):
        return page.removeprefix(OUTSIDE)
    return f"docs/{page}"


def target(page, link):
    """The path in the repository of what a page links to; nothing for what is elsewhere."""
    path = link.split("#")[0]
    if not path or re.match(r"[a-z]+:", path):
        return None
    found = posixpath.normpath(posixpath.join(posixpath.dirname(place(page)), path))
    if (ROOT / found).is_dir():
        found = posixpath.join(found, "README.md")
    return found


def page_of(found):
    """The path in the book of a file of the repository."""
    if found == "docs/references.bib":
        return REFERENCES
    if found.startswith("docs/"):
        return found.removeprefix("docs/")
    return OUTSIDE + found


def text_of(found):
    """A file of the repository; for the README that a folder has not, a list of the files there. Nothing for what is not there."""
    path = ROOT / found
    if path.is_file():
        return path.read_text() if path.suffix == ".md" else ""
    if path.name != "README.md" or not path.parent.is_dir():
        return None
    names = sorted(file.name for file in path.parent.iterdir() if file.is_file())
    return "\n".join([f"# {path.parent.relative_to(ROOT)}", "", *(f"- [{name}]({name})" for name in names), ""])


def links(markdown):
    """The targets of all links of a page."""
    found = []
    of_prose(markdown, lambda line: (found.extend(m[2] for m in LINK.finditer(line)), line)[1])
    return found


def on_files(files, config):
    files.append(File.generated(config, REFERENCES, content=references()))
    waiting = [file.src_uri for file in files if file.src_uri.endswith(".md") and file.src_uri != REFERENCES]
    known = {place(file) for file in waiting}
    while waiting:
        page = waiting.pop()
        for link in links(text_of(place(page))):
            found = target(page, link)
            if not found or found.startswith("docs/") or found in known or text_of(found) is None:
                continue
            known.add(found)
            if (ROOT / found).is_file():
                files.append(File.generated(config, page_of(found), abs_src_path=str(ROOT / found)))
            else:
                files.append(File.generated(config, page_of(found), content=text_of(found)))
            if found.endswith(".md"):
                waiting.append(page_of(found))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    if here == REFERENCES:
        return markdown
    tags = {entry["tag"] for entry in entries()}
    away = posixpath.relpath(".", posixpath.dirname(here) or ".")

    def link(match):
        found = target(here, match[2])
        if not found:
            return match[0]
        end = match[2].partition("#")
        to = posixpath.relpath(page_of(found), posixpath.dirname(here) or ".")
        return match[1] + to + end[1] + end[2] + match[3]

    def citation(match):
        if match[1] not in tags:
            return match[0]
        return f"[\\[{match[1]}{match[2]}\\]]({posixpath.join(away, REFERENCES)}#{match[1]})"

    def line(text):
        # `[`crate::law`]` and `[laws](crate::law)` are links where the code is documented, and words here.
        text = re.sub(r"\[(`[^`\]]+`)\](?![(\[])", r"\1", text)
        text = re.sub(r"\[([^\]]+)\]\(crate::[^)]*\)", r"\1", text)
        pieces = re.split(r"(`[^`]*`)", LINK.sub(link, text))
        cited = re.compile(r"\[(\w+)((?:, [^\]\[]*)?)\](?!\()")
        return "".join(p if p.startswith("`") else cited.sub(citation, p) for p in pieces)

    return of_prose(markdown, line)


def entries():
    """The entries of references.bib: a dictionary for each, with its tag and its fields."""
    found = []
    for match in re.finditer(r"@(\w+)\{(\w+),(.*?)\n\}", (ROOT / "docs/references.bib").read_text(), re.DOTALL):
        fields = re.findall(r"(\w+)\s*=\s*\{(.*?)\},?\s*$", match[3], re.MULTILINE)
        found.append({"tag": match[2], **{key.lower(): plain(value) for key, value in fields}})
    return found


ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "~": "\u0303", "^": "\u0302", "v": "\u030c", "H": "\u030b"}


def plain(text):
    """BibTeX as text."""
    text = re.sub(
        r"\{?\\(['`\"~^]|[vH](?=[ {]))\s*\{?\\?(\w)\}*", lambda m: m[2].replace("ı", "i") + ACCENTS[m[1]], text
    )
    text = re.sub(r"\{?\\ss\}?", "ß", text)
    return re.sub(r"[{}]", "", text).replace("--", "–")


def references():
    """The page of references."""
    lines = ["# References", "", "What is cited as `[tag]` in the book and in the code (docs/references.bib).", ""]
    for entry in sorted(entries(), key=lambda entry: entry["tag"]):
        authors = [" ".join(reversed(name.split(", "))) for name in entry["author"].split(" and ")]
        parts = [", ".join(authors), f"*{entry['title']}*", entry.get("journal") or entry.get("booktitle")]
        parts += [entry.get("publisher") or entry.get("institution") or entry.get("howpublished"), entry.get("volume"), entry.get("pages")]
        text = ". ".join(part for part in parts[:2]) + ". " + ", ".join(part for part in parts[2:] + [entry["year"]] if part)
        if "doi" in entry:
            text += f", [doi:{entry['doi']}](https://doi.org/{entry['doi']})"
        if "eprint" in entry:
            text += f", arXiv:{entry['eprint']}"
        lines += [f'<p id="{entry["tag"]}"><strong>{entry["tag"]}</strong></p>', "", text + ".", ""]
    return "\n".join(lines)
