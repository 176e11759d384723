"""A hopper over a parameter: how fast it runs empty depends on its opening, as Beverloo's law says.

    python hopper_study.py

Each run is a process of its own. Beverloo: the flow grows as (D - k d) to the power 2.5, with the opening D and the grains' d.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import granule
from granule import RunFolder, Scene, Table, parts

RADIUS = 0.02  # of the silo, m
GRAIN = 2e-3  # radius of a grain, m


def scene(count: int = 700, end: float = 0.8) -> Scene:
    """A silo with a hole in its floor, through which grains leave; its half-width is `walls.1.cone.bottom_radius`."""
    return Scene(
        scene=parts.General(name="hopper"),
        time=parts.Time(step=2e-3, end=end),
        solver=parts.Solver(tolerance=1e-3),
        contacts=parts.Contacts(law="coulomb", friction=0.4),
        walls=[
            parts.Wall(cylinder=parts.CylinderShape(radius=RADIUS, length=0.2), position=[0, 0, 0.1]),
            parts.Wall(
                cone=parts.ConeShape(bottom_radius=0.009, top_radius=RADIUS, length=1e-4), position=[0, 0, 0.5e-4]
            ),
        ],
        grains=[
            parts.Grains(
                random=parts.Random(
                    count=count,
                    region={"cylinder": parts.CylinderRegion(center=[0, 0, 0.05], radius=RADIUS, length=0.1)},
                ),
                radius={"uniform": [0.9 * GRAIN, 1.1 * GRAIN]},
                seed=5,
            )
        ],
        outlets=[parts.Outlet(name="out", beyond=parts.Plane(point=[0, 0, -0.02], direction=[0, 0, -1]))],
    )


def flow(run: RunFolder) -> dict[str, float]:
    """The mass flow while from a tenth to a third of the grains left, kg/s; NaN if so many did not."""
    time, gone = run.series["time"], run.series["out_mass"]
    first, last = np.array([0.1, 1 / 3]) * run.frames[0].masses.sum()
    if gone[-1] < last:
        return {"flow": float("nan")}
    began, ended = np.interp([first, last], gone, time)
    return {"flow": float((last - first) / (ended - began))}


def main(
    openings: Sequence[float] = (0.0095, 0.011, 0.0125), count: int = 700, end: float = 0.8, out: Path | None = None
) -> Table:
    """Runs the silo with several openings (half-widths, m) and prints what flows."""
    with tempfile.TemporaryDirectory() as folder:
        table = granule.study(
            scene(count, end),
            {"walls.1.cone.bottom_radius": list(openings)},
            out=out or folder,
            measure=flow,
        )
    for opening, rate in zip(table["walls.1.cone.bottom_radius"], table["flow"], strict=True):
        share = rate / (2 * opening - 1.4 * 2 * GRAIN) ** 2.5
        print(f"opening {2e3 * opening:.0f} mm: {1e3 * rate:.1f} g/s, over (D - k d)^2.5: {share:.0f}")
    return table


if __name__ == "__main__":
    main()
