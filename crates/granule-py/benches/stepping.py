"""What it costs to step from Python, beside the command: the same box of falling spheres, in processor time, in turns.

    python stepping.py GRANULE [--n 20] [--until 8] [--turns 3]

Three things are timed, each in a process of its own with one thread:

- the command: `granule bench box_drop`, which takes the steps and nothing else;
- Python, one call of `step` for each step, after which the positions are read;
- Python, one call of `run`.

All start from the same state with the same settings, and all must end in the same state, bit by bit: then they have done the same
work. Turns go forwards and backwards in order, so that whatever else the machine does hits all alike. In the end the time to
read 125 000 positions is told.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from granule import Scene, Simulation

SIDE = 10.0  # of the box, m


def start(n: int) -> str:
    """n³ spheres on a grid in the box, radii, masses and places a little at random: a table x,y,z,r,m."""
    random = np.random.default_rng(0)
    half = 0.5 * SIDE / n
    cells = np.stack(np.meshgrid(*3 * [np.arange(n)], indexing="ij"), axis=-1).reshape(-1, 3)
    places = 2 * half * (cells + 0.5) + random.uniform(-0.05 * half, 0.05 * half, cells.shape)
    radii, masses = random.uniform(0.8 * half, 0.9 * half, len(cells)), random.uniform(1, 2, len(cells))
    rows = np.column_stack([places, radii, masses]).tolist()
    return "x,y,z,r,m\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows)


def scene(folder: Path, n: int, until: float) -> Scene:
    """What `granule bench box_drop --data` makes of that table."""
    return Scene.from_dict(
        {
            "scene": {"name": "box_drop", "gravity": [0, 0, -1]},
            # No sphere moves farther than a fifth of the smallest radius, at the speed of a free fall through the box.
            "time": {"step": 0.2 * (0.8 * 0.5 * SIDE / n) / np.sqrt(2 * SIDE), "end": until},
            "solver": {"method": "apgd-ar", "tolerance": 1e-4},
            "walls": [{"box": {"size": [SIDE] * 3}, "position": [SIDE / 2] * 3}],
            "grains": [{"csv": {"file": str(folder / f"box_n{n}.csv")}}],
        }
    )


def stepped(folder: Path, n: int, until: float, each: bool) -> float:
    """Takes all steps in Python, and writes the state at the end; processor time, s."""
    simulation = Simulation(scene(folder, n, until), threads=1)
    highest = 0.0
    began = time.process_time()
    if each:
        while not simulation.finished:
            simulation.step()
            highest = max(highest, simulation.positions[:, 2].max())
    else:
        simulation.run()
    seconds = time.process_time() - began
    np.save(folder / "end.npy", np.hstack([simulation.positions, simulation.velocities]))
    return seconds


def commanded(granule: str, folder: Path, n: int, until: float) -> float:
    """The same by the command; processor time, s."""
    more = ["--n", str(n), "--until", repr(until), "--data", str(folder), "--state", str(folder / "end.csv")]
    done = subprocess.run([granule, "bench", "box_drop", "--json", *more], capture_output=True, text=True, check=True)
    found = {entry["quantity"]: entry["value"] for entry in json.loads(done.stdout)}
    return float(found["whole run, processor"])


def in_a_process(folder: Path, n: int, until: float, each: bool) -> float:
    """:func:`stepped` in another process, as fresh as the command."""
    words = [sys.executable, __file__, "--alone", str(folder), "--n", str(n), "--until", repr(until), *["--each"] * each]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def reading(count: int = 50) -> None:
    """How long it takes to read the positions of count³ spheres, s of wall time."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"box_n{count}.csv").write_text(start(count))
        simulation = Simulation(scene(folder, count, 1.0), threads=1)
    simulation.step()
    out = np.empty((simulation.count, 3))
    ways: dict[str, Callable[[], object]] = {
        "positions": lambda: simulation.positions,
        "read": lambda: simulation.read("position", out),
    }
    for name, read in ways.items():
        times = []
        for _ in range(100):
            began = time.perf_counter()
            read()
            times.append(time.perf_counter() - began)
        print(f"{name} of {simulation.count}: {1e3 * min(times):.2f} ms at best, {1e3 * float(np.median(times)):.2f} ms in the middle")


def main() -> None:
    """Takes the turns and prints the table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("granule", nargs="?", default="granule", help="the command")
    words.add_argument("--n", type=int, default=20)
    words.add_argument("--until", type=float, default=8.0)
    words.add_argument("--turns", type=int, default=3)
    words.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    words.add_argument("--each", action="store_true", help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.alone:
        print(stepped(given.alone, given.n, given.until, given.each))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"box_n{given.n}.csv").write_text(start(given.n))
        ways = {
            "granule bench box_drop": lambda: commanded(given.granule, folder, given.n, given.until),
            "Python, each step and positions": lambda: in_a_process(folder, given.n, given.until, True),
            "Python, one run": lambda: in_a_process(folder, given.n, given.until, False),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(given.turns):
            for name in list(ways)[:: -1 if turn % 2 else 1]:
                seconds[name].append(ways[name]())
                print(f"turn {turn + 1}: {name}: {seconds[name][-1]:.2f} s", flush=True)
                if name.startswith("Python"):
                    ours = np.load(folder / "end.npy")
                    if (folder / "end.csv").exists():
                        theirs = np.loadtxt(folder / "end.csv", delimiter=",", skiprows=1)[:, [0, 1, 2, 5, 6, 7]]
                        np.testing.assert_array_equal(ours, theirs)
        for name, times in seconds.items():
            # Each over the command of the same turn, so that what changes from turn to turn does not count.
            ratios = np.divide(times, seconds["granule bench box_drop"])
            print(f"{name}: {np.median(times):.2f} s, {np.median(ratios):.3f} of the command ({min(ratios):.3f} to {max(ratios):.3f})")
    reading()


if __name__ == "__main__":
    main()
