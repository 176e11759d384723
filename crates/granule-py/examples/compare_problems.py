"""Contact problems of other codes: the same problems for several solvers, judged by one certificate.

    python compare_problems.py [FILE.hdf5 ...]

Without files it takes problems of its own: those of some steps of a pile of spheres. Prints a table: for each solver how many
problems it solved, its time over that of the fastest, and the worst error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

import granule
from granule import Problem, Scene, Simulation, Table, parts

SOLVERS = ("ags", "nlgs-cases", "newton", "auto")


def own_problems(count: int = 60, steps: Sequence[int] = (20, 40, 60)) -> list[Problem]:
    """The problems of some steps in which spheres fall into a box."""
    scene = Scene(
        scene=parts.General(name="pile"),
        time=parts.Time(step=5e-3, end=1.0),
        contacts=parts.Contacts(law="coulomb", friction=0.5),
        walls=[parts.Wall(box=parts.BoxShape(size=[0.2, 0.2, 0.4], open=["+z"]), position=[0, 0, 0.2])],
        grains=[
            parts.Grains(
                random=parts.Random(count=count, region={"box": parts.BoxRegion(min=[-0.1, -0.1, 0], max=[0.1, 0.1, 0.3])}),
                radius={"uniform": [0.015, 0.02]},
            )
        ],
    )
    simulation = Simulation(scene, threads=1)
    problems = []
    for report in simulation:
        if report.step in steps:
            problems.append(simulation.problem())
        if report.step >= max(steps):
            break
    return problems


def main(
    files: Sequence[str] = (), solvers: Sequence[str] = SOLVERS, tolerance: float = 1e-6, count: int = 60
) -> Table:
    """Solves all problems with all solvers."""
    problems = [Problem.load(file) for file in files] or own_problems(count)
    seconds = np.full((len(solvers), len(problems)), np.inf)
    errors = np.zeros_like(seconds)
    for row, solver in enumerate(solvers):
        for column, problem in enumerate(problems):
            solution = granule.solve(problem, solver, tolerance=tolerance, threads=1)
            errors[row, column] = solution.community_error or 0.0
            if solution.converged:
                seconds[row, column] = solution.seconds
    fastest = seconds.min(axis=0)
    table = Table(
        [
            {
                "solver": solver,
                "solved": int(np.isfinite(seconds[row]).sum()),
                "of": len(problems),
                "median time over the fastest": float(np.median(seconds[row] / fastest)),
                "worst error": float(errors[row].max()),
            }
            for row, solver in enumerate(solvers)
        ]
    )
    print(table)
    return table


if __name__ == "__main__":
    main(sys.argv[1:])
