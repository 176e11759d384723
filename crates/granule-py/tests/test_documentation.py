"""What the page about Python says is so, and everything is documented."""

import inspect
import re

import pytest
from conftest import ROOT

import granule

PAGE = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    for package in ("matplotlib", "tqdm"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 5
    # As one would type them, one after the other.
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "docs/PYTHON.md", "exec"), names)
    assert names["run"].status == names["windy"].folder.status == "completed" and len(names["table"]) == 2


def test_the_page_names_all_examples():
    examples = {path.name for path in (ROOT / "crates" / "granule-py" / "examples").glob("*.py")}
    assert examples == set(re.findall(r"^\| `(\w+\.py)` \|", PAGE, re.MULTILINE))


def test_all_that_is_public_is_documented():
    undocumented = []
    for name in granule.__all__:
        public = getattr(granule, name)
        if inspect.isclass(public) or inspect.isfunction(public):
            if not inspect.getdoc(public):
                undocumented.append(name)
        if inspect.isclass(public) and public.__module__.startswith("granule"):
            for own, member in vars(public).items():
                is_public = not own.startswith("_") and (callable(member) or isinstance(member, property))
                if is_public and not inspect.getdoc(member):
                    undocumented.append(f"{name}.{own}")
    assert undocumented == []
