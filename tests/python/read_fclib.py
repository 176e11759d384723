"""Reads an exported contact problem with h5py: python tests/python/read_fclib.py FILE

Needs the packages h5py and numpy. The run's solution must fulfil M v = H r + f and u = H' v + w. Prints
'N passed, M failed'; the exit code is 0 if nothing failed.
"""

import sys

import h5py
import numpy as np


def columns(group):
    """The matrix of a group, by columns, as a dense array."""
    rows, count = int(group["m"][0]), int(group["n"][0])
    assert group["nz"][0] == -1
    dense = np.zeros((rows, count))
    start, row, value = group["p"][()], group["i"][()], group["x"][()]
    for j in range(count):
        part = slice(start[j], start[j + 1])
        dense[row[part], j] = value[part]
    return dense


file = h5py.File(sys.argv[1], "r")
problem = next(file[name] for name in ("fclib_global", "fclib_global_rolling") if name in file)
mass, directions = columns(problem["M"]), columns(problem["H"])
momentum, offset, friction = (problem["vectors"][name][()] for name in ("f", "w", "mu"))
impulses, relative, velocities = (file["solution"][name][()] for name in ("r", "u", "v"))
size = np.abs(momentum).max() + np.abs(directions @ impulses).max()
checks = {
    "dynamics": np.abs(mass @ velocities - directions @ impulses - momentum).max() <= 1e-13 * size,
    "velocities": np.abs(directions.T @ velocities + offset - relative).max() <= 1e-12,
    "sizes": friction.size * problem["spacedim"][0] == impulses.size,
    "words": isinstance(problem["info/title"][()], bytes),
}
for name, passed in checks.items():
    if not passed:
        print(f"failed: {name}")
failed = sum(not passed for passed in checks.values())
print(f"{len(checks) - failed} passed, {failed} failed")
sys.exit(failed > 0)
