"""Whether the book is true: every block of its pages is run, every link of what is built from them leads somewhere.

    book.py run GRANULE [PAGE...]     runs the blocks of all pages, or of some, with that command
    book.py links SITE                looks at the links of the book that mkdocs has built

Each page is a session in a folder of its own, beside a copy of scenes/: its blocks are taken in their order. What happens with
a block follows from the words after its opening fence, which readers do not see:

    toml file=NAME            a scene: written, and `granule check` must take it
    toml fragment-of=NAME     a piece of the scene NAME, of this page or of scenes/: put into it and checked
    toml part-of=NAME         lines that stand so in the scene NAME
    console                   lines that begin with `$ ` are run and must succeed; the others are what they print (below)
    sh                        run by bash, which must succeed
    python                    run, with what earlier blocks of the page have defined
    rust                      left to cargo: the documentation tests of granule-io have the page
    csv, json, ... file=NAME  written
    text                      no code
    within=PART               numbers that are printed may be off by this part of the larger one, in place of a tenth
    fails                     the command must fail, or the scene be refused; what it prints is compared
    short="ARGUMENTS"         for each `granule run`, `granule study` of the block, each `--set KEY=…` in place of that with the
                              same key; nothing it prints is compared
    skip="REASON"             not run, though written if it has a file; the test lists it

What is printed may hold more lines where the book has a line `...`, and any text where a line has `…`; numbers agree to a
tenth of the larger one (what solvers do last is not for ever). Blocks in Python that import what is not installed are listed
as skipped, with those after them on the page.
"""

import concurrent.futures
import html.parser
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# s, for one command.
PATIENCE = 600
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Wrong(Exception):
    """A block that is not true."""


@dataclass
class Block:
    page: str
    line: int
    language: str
    words: dict
    text: str

    def __str__(self):
        return f"{self.page}:{self.line}"


def pages():
    """The pages of the book, and those that lead to it."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(path):
    """The fenced blocks of a page."""
    page = str(path.relative_to(ROOT))
    found, fence, indent = [], None, 0
    for number, line in enumerate(path.read_text().split("\n"), 1):
        match = re.match(r"^(\s*)(`{3,}|~{3,})\s*(.*)$", line)
        if fence is None and match:
            fence, indent = match[2], len(match[1])
            language, _, rest = match[3].partition(" ")
            words = dict((*word.split("=", 1), True)[:2] for word in shlex.split(rest))
            found.append(Block(page, number, language, words, ""))
        elif fence and match and match[2].startswith(fence) and not match[3]:
            fence = None
        elif fence:
            found[-1].text += line[min(indent, len(line) - len(line.lstrip())) :] + "\n"
    if fence:
        raise Wrong(f"{page}: a block has no end")
    return found


def merged(base, fragment, top=True):
    """A scene with a piece put into it: tables are merged, lists of tables grow, all else is replaced."""
    result = dict(base)
    for key, value in fragment.items():
        old = result.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            result[key] = merged(old, value, False)
        elif top and isinstance(value, list) and isinstance(old, list):
            result[key] = old + value
        else:
            result[key] = value
    return result


def alike(expected, got, within):
    """Whether a line is as expected: numbers to a part of the larger one, and anything for `…`."""
    pattern, numbers = "", []
    for part in re.split(rf"(…|{NUMBER.pattern})", " ".join(expected.split())):
        if NUMBER.fullmatch(part):
            pattern += f"({NUMBER.pattern})"
            numbers.append(float(part))
        else:
            pattern += ".*?" if part == "…" else re.escape(part)
    found = re.fullmatch(pattern, " ".join(got.split()))
    pairs = zip(numbers, map(float, found.groups())) if found else []
    return found is not None and all(abs(a - b) <= within * max(abs(a), abs(b)) for a, b in pairs)


def compare(expected, got, within):
    """The first line of what is printed that is not as the book has it; nothing if all are."""
    got = [line for line in got if line.strip()]
    at, free = 0, False
    for line in (line for line in expected if line.strip()):
        if line.strip() == "...":
            free = True
            continue
        places = range(at, len(got)) if free else range(at, min(at + 1, len(got)))
        found = next((k for k in places if alike(line, got[k], within)), None)
        if found is None:
            return line
        at, free = found + 1, False
    return None if free or at == len(got) else f"(no more lines, but there is) {got[at]}"


@dataclass
class Session:
    """The blocks of a page, run in their order in a folder."""

    granule: Path
    folder: Path
    environment: dict
    done: int = 0
    skipped: list = field(default_factory=list)
    python: subprocess.Popen | None = None
    without: str | None = None

    def run(self, block):
        if name := block.words.get("file"):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        if reason := block.words.get("skip"):
            self.skipped.append(f"{block}: {reason}")
            return
        if block.language == "text":
            return
        match block.language:
            case "toml":
                self.scene(block)
            case "console":
                self.console(block)
            case "sh":
                self.shell(block)
            case "python":
                self.program(block)
            case "rust":
                listed = f'include_str!("../../../{block.page}")'
                if listed not in (ROOT / "crates/granule-io/src/book.rs").read_text():
                    raise Wrong(f"{block}: add {listed} to crates/granule-io/src/book.rs, or no one compiles it")
            case _ if not block.words.get("file"):
                raise Wrong(f"{block}: a block of `{block.language}` wants file=NAME or skip=\"REASON\"; prose is `text`")
        self.done += 1

    def scene(self, block):
        if whole := block.words.get("part-of"):
            if block.text not in self.named(block, whole).read_text():
                raise Wrong(f"{block}: {whole} has no such lines")
            return
        if base := block.words.get("fragment-of"):
            import tomli_w

            path = self.named(block, base)
            file = path.with_name("fragment-" + path.name)
            whole = merged(tomllib.loads(path.read_text()), tomllib.loads(block.text))
            file.write_text(tomli_w.dumps(whole))
        elif name := block.words.get("file"):
            file = self.folder / name
        else:
            raise Wrong(f"{block}: a scene wants file=NAME, a piece of one fragment-of=NAME or part-of=NAME")
        self.call(block, f"granule check {shlex.quote(str(file.relative_to(self.folder)))}", None, fails="fails" in block.words)

    def named(self, block, name):
        """A scene of the page, or of scenes/."""
        for path in (self.folder / name, self.folder / "scenes" / name):
            if path.exists():
                return path
        raise Wrong(f"{block}: there is no scene {name}")

    def console(self, block):
        calls = []
        for line in block.text.split("\n"):
            if line.startswith("$ "):
                calls.append((line[2:], []))
            elif calls and calls[-1][0].endswith("\\") and not calls[-1][1]:
                calls[-1] = (calls[-1][0] + "\n" + line, [])
            elif calls:
                calls[-1][1].append(line)
            elif line.strip():
                raise Wrong(f"{block}: a command begins with `$ `")
        for command, expected in calls:
            shown = [line for line in expected if line.strip()]
            self.call(block, command, shown or None, fails="fails" in block.words)

    def shell(self, block):
        self.call(block, block.text, None, fails="fails" in block.words)

    def call(self, block, command, expected, fails):
        """Runs a command, and compares what it prints."""
        short = block.words.get("short")
        command = command.replace("cargo run --release -- ", "granule ")
        if short:
            for key in re.findall(r"--set ([\w.]+)=", short):
                command = re.sub(rf" --set {re.escape(key)}=\S+", "", command)
            command = re.sub(r"\bgranule (run|study)\b(?=.*\.toml)", rf"granule \1 {short}", command)
        called = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=PATIENCE,
        )
        if (called.returncode != 0) != fails:
            raise Wrong(f"{block}: `{command}` ended with {called.returncode}\n{called.stdout}")
        if expected and not short:
            line = compare(expected, called.stdout.split("\n"), float(block.words.get("within", 0.1)))
            if line is not None:
                raise Wrong(f"{block}: `{command}` does not print\n{line}\nbut\n{called.stdout}")

    def program(self, block):
        if self.without:
            self.skipped.append(f"{block}: no {self.without}")
            return
        if self.python is None:
            self.python = subprocess.Popen(
                [sys.executable, "-c", DRIVER],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        json.dump([str(block), block.text], self.python.stdin)
        self.python.stdin.write("\n")
        self.python.stdin.flush()
        answer = json.loads(self.python.stdout.readline() or '{"error": "Python ended"}')
        if missing := answer.get("missing"):
            self.without = f"package {missing} in .venv"
            self.skipped.append(f"{block}: no {self.without}")
        elif error := answer.get("error"):
            raise Wrong(f"{block}:\n{error}")

    def end(self):
        if self.python:
            self.python.stdin.close()
            self.python.wait()


# Runs programs of a page one after the other with the same names, and answers with what went wrong.
DRIVER = """
import contextlib, json, os, sys, traceback
answers, names = os.fdopen(os.dup(1), "w"), {"__name__": "__main__"}
os.dup2(2, 1)
for line in sys.stdin:
    place, text = json.loads(line)
    answer = {}
    try:
        with contextlib.redirect_stdout(open(os.devnull, "w")):
            exec(compile(text, place, "exec"), names)
    except ModuleNotFoundError as error:
        answer["missing"] = error.name
    except BaseException:
        answer["error"] = traceback.format_exc()
    answers.write(json.dumps(answer) + "\\n")
    answers.flush()
"""


def session(granule, path, folder):
    """What came of a page: how many blocks were run, which were skipped, what is wrong."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "scenes", folder / "scenes")
    commands = folder.parent / "bin"
    environment = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "MPLBACKEND": "Agg",
        # Pages go side by side.
        "RAYON_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    run = Session(granule, folder, environment)
    wrong = None
    try:
        for block in blocks(path):
            run.run(block)
    except (Wrong, subprocess.TimeoutExpired, tomllib.TOMLDecodeError) as error:
        wrong = f"{path.relative_to(ROOT)}: {error}" if not isinstance(error, Wrong) else str(error)
    finally:
        run.end()
    return run.done, run.skipped, wrong


def cited():
    """Citations of the book whose tags are not in references.bib."""
    known = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "docs/references.bib").read_text(), re.MULTILINE))
    for path in pages():
        for number, line in enumerate(path.read_text().split("\n"), 1):
            for tag in re.findall(r"\[([a-z]+[0-9]{4}[a-z]?)(?:, [^\]]*)?\](?!\()", line):
                if tag not in known:
                    yield f"{path.relative_to(ROOT)}:{number}: [{tag}] is not in docs/references.bib"


def run(granule, chosen):
    """Runs the pages, two at a time."""
    paths = [path for path in pages() if not chosen or any(name in str(path) for name in chosen)]
    with tempfile.TemporaryDirectory() as scratch:
        commands = Path(scratch) / "bin"
        commands.mkdir()
        (commands / "granule").symlink_to(granule.resolve())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            # Those with the most to do first.
            paths.sort(key=lambda path: -len(path.read_text()) if path.name != "KEYS.md" else 0)
            folders = [Path(scratch) / f"{k:03}" for k in range(len(paths))]
            results = list(pool.map(session, itertools.repeat(granule), paths, folders))
    done = sum(result[0] for result in results)
    skipped = sorted(itertools.chain.from_iterable(result[1] for result in results))
    wrong = [result[2] for result in results if result[2]] + list(cited())
    if listing := os.environ.get("GRANULE_SKIPPED"):
        with open(listing, "a") as file:
            file.writelines(f"book: {line}\n" for line in skipped)
    else:
        print(*(f"skipped {line}" for line in skipped), sep="\n")
    print(*wrong, sep="\n")
    print(f"{done} blocks of {len(paths)} pages run, {len(skipped)} skipped, {len(wrong)} wrong")
    return bool(wrong) or done == 0


class Page(html.parser.HTMLParser):
    """The links of a page of the site, and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def links(site):
    """Looks at all links of a site that stay in it."""
    found = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    wrong, count, leads = [], 0, {}
    for path, page in found.items():
        leads[path] = set()
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data") or (path.name == "404.html" and link.startswith("/")):
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            leads[path].add(target)
            if not target.is_file() or not target.is_relative_to(site.resolve()):
                wrong.append(f"{path.relative_to(site)}: nothing is at {link}")
            elif target in found and urllib.parse.unquote(parts.fragment) not in found[target].anchors:
                wrong.append(f"{path.relative_to(site)}: {link} has no such heading")
    reached, waiting = set(), [site / "index.html", site / "404.html"]
    while waiting:
        path = waiting.pop()
        if path in found and path not in reached:
            reached.add(path)
            waiting.extend(leads[path])
    lost = sorted(found.keys() - reached)
    wrong += [f"{path.relative_to(site)}: no page leads here; name it in mkdocs.yml, or in a page" for path in lost]
    print(*wrong, sep="\n")
    print(f"{count} links of {len(found)} pages followed, {len(wrong)} wrong")
    return bool(wrong) or count == 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", granule, *chosen]:
            sys.exit(run(Path(granule), chosen))
        case ["links", site]:
            sys.exit(links(Path(site).resolve()))
        case _:
            sys.exit(__doc__)
