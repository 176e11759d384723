"""What tests share: scenes small enough to run in a moment, made of objects."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys

import pytest

import granule
from granule import parts

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "crates" / "granule-py" / "examples"))


def drop(end: float = 0.2, **more: object) -> granule.Scene:
    """A ball of 2 kg, 0.5 m above a floor."""
    sections: dict[str, object] = {
        "scene": parts.General(name="drop", gravity=[0, 0, -10]),
        "time": parts.Time(step=0.01, end=end),
        "contacts": parts.Contacts(law="coulomb", friction=0.5),
        "walls": [parts.Wall(half_space=parts.HalfSpaceShape(normal=[0, 0, 1]), name="floor")],
        "bodies": [parts.Body(sphere=parts.SphereShape(radius=0.1), position=[0, 0, 0.5], mass=2.0, name="ball")],
    }
    return granule.Scene(**{**sections, **more})  # type: ignore[arg-type]


def box(count: int = 40, end: float = 0.3, **more: object) -> granule.Scene:
    """Spheres that fall into a box."""
    sections: dict[str, object] = {
        "scene": parts.General(name="box"),
        "time": parts.Time(step=5e-3, end=end),
        "contacts": parts.Contacts(law="coulomb", friction=0.5),
        "walls": [
            parts.Wall(box=parts.BoxShape(size=[0.2, 0.2, 0.4], open=["+z"]), position=[0, 0, 0.2], name="box")
        ],
        "grains": [
            parts.Grains(
                random=parts.Random(
                    count=count, region={"box": parts.BoxRegion(min=[-0.1, -0.1, 0], max=[0.1, 0.1, 0.3])}
                ),
                radius={"uniform": [0.015, 0.02]},
                seed=4,
            )
        ],
        "output": parts.Output(frame_interval=0.05, checkpoint_interval=0.1, forces_on=["box"]),
    }
    return granule.Scene(**{**sections, **more})  # type: ignore[arg-type]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What is skipped is told at the end of `./test`, as by the other tests."""
    told = os.environ.get("GRANULE_SKIPPED")
    if report.skipped and told:
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        with open(told, "a", encoding="utf-8") as file:
            file.write(f"Python, {report.nodeid.partition('::')[2]}: {why}\n")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> granule.RunFolder:
    """A finished run of the box."""
    return granule.run(box(), tmp_path_factory.mktemp("runs") / "box", threads=1)


@pytest.fixture(scope="session")
def command() -> str:
    """The command `granule`, where it is built."""
    named = os.environ.get("GRANULE")
    found = named or shutil.which("granule")
    if not found:
        pytest.skip("the command is not there: name it by GRANULE")
    return found
