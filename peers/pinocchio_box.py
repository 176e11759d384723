"""Pinocchio's solver of contact problems (PyPI's packages `pin` and `scipy`) on a start state of `granule bench peers`.

usage: pinocchio_box.py START.csv FRICTION END.csv tolerance=1e-4 [iterations=1000]

Pinocchio has no world of spheres: contacts are found and steps are taken here, as this engine's scheme `maury` does,
each with the length of `granule bench box_drop`. What counts is the time of Pinocchio alone: its factorisations of the
sparse Delassus matrix and its ADMM with exact friction, from the impulses of the last step, to a relative and an
absolute `tolerance` (m/s).
"""

import math

import numpy as np
import pinocchio
import scipy.sparse
from scipy.spatial import cKDTree

from common import END, SIDE, arguments, processor_seconds, read, tell, write

start, friction, end, options = arguments(__doc__.splitlines()[2][7:])
tolerance = float(options.get("tolerance", 1e-4))
iterations = int(options.get("iterations", 1000))

spheres = np.array(read(start))
count = len(spheres)
place, radius, mass = spheres[:, :3].copy(), spheres[:, 3], spheres[:, 4]
velocity, spin = np.zeros((count, 3)), np.zeros((count, 3))
gravity = np.array([0.0, 0.0, -1.0])
side = round(count ** (1 / 3))
step = 0.2 * (0.8 * 0.5 * SIDE / side) / math.sqrt(2 * SIDE)
steps = math.ceil(END / step - 1e-9)
# Each body has the velocities x, y, z of its centre and of its rotation.
inverse_mass = np.repeat(np.column_stack([1 / mass, 1 / (0.4 * mass * radius**2)]), 3, axis=1).ravel()

model = pinocchio.Model()
settings = pinocchio.ADMMSolverSettings()
settings.max_iterations = iterations
for kind in ("absolute", "relative"):
    setattr(settings, f"{kind}_feasibility_tol", tolerance)
    setattr(settings, f"{kind}_complementarity_tol", tolerance)
known = {}


def contacts():
    """Bodies (the second -1 for a wall), normals towards the first, gaps (m) and names of what may touch in a step."""
    reach = 0.1 * radius.mean()
    pairs = cKDTree(place).query_pairs(2 * radius.max() + reach, output_type="ndarray")
    first, second = pairs[:, 0], pairs[:, 1]
    apart = place[first] - place[second]
    distance = np.linalg.norm(apart, axis=1)
    gap = distance - radius[first] - radius[second]
    near = gap < reach
    parts = [(first[near], second[near], (apart / distance[:, None])[near], gap[near], first[near] * count + second[near])]
    for axis in range(3):
        for number, normal in enumerate((1.0, -1.0)):
            gap = (place[:, axis] if normal > 0 else SIDE - place[:, axis]) - radius
            (near,) = np.nonzero(gap < reach)
            normals = np.zeros((len(near), 3))
            normals[:, axis] = normal
            names = -1 - near * 6 - 2 * axis - number
            parts.append((near, np.full(len(near), -1), normals, gap[near], names))
    return [np.concatenate(column) for column in zip(*parts)]


def jacobian(first, second, normals):
    """Velocities of contacts, two tangents and the normal each, from those of bodies."""
    helper = np.where(np.abs(normals[:, :1]) < 0.6, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    tangent = np.cross(normals, helper)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    axes = np.stack([tangent, np.cross(normals, tangent), normals], axis=1)
    rows, columns, values = [], [], []
    number = np.arange(3 * len(first)).reshape(-1, 3)
    for bodies, sign in ((first, 1.0), (second, -1.0)):
        there = bodies >= 0
        body, axis, row = bodies[there], axes[there], number[there]
        # The contact is at -r n of the first body and at r n of the second.
        arm = -sign * radius[body][:, None] * normals[there]
        turning = np.cross(arm[:, None, :], axis)
        values.append((sign * np.concatenate([axis, turning], axis=2)).ravel())
        rows.append(np.repeat(row.ravel(), 6))
        columns.append(np.repeat(6 * body[:, None] + np.arange(6), 3, axis=0).ravel())
    shape = (3 * len(first), 6 * count)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return scipy.sparse.csr_matrix(entries, shape=shape)


seconds, unsolved = 0.0, 0
solver, result = pinocchio.ADMMConstraintSolver(), pinocchio.ADMMSolverResult()
for _ in range(steps):
    moving = np.concatenate([velocity + step * gravity, spin], axis=1).ravel()
    first, second, normals, gap, names = contacts()
    if len(first):
        matrix = jacobian(first, second, normals)
        free = matrix @ moving
        free[2::3] += gap / step
        delassus = (matrix @ scipy.sparse.diags(inverse_mass) @ matrix.T).tocsc()
        delassus.sort_indices()
        models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
        for _ in range(len(first)):
            one = pinocchio.PointContactConstraintModel(model, 0)
            one.setFriction(friction)
            models.append(pinocchio.ConstraintModel(one))
            datas.append(pinocchio.ConstraintData(one.createData()))
        guess = np.array([known.get(name, (0.0, 0.0, 0.0)) for name in names.tolist()]).ravel()
        result = pinocchio.ADMMSolverResult()
        result.setConstraintImpulseGuess(guess)
        before = processor_seconds()
        operator = pinocchio.DelassusOperatorSparse(delassus)
        solver.solve(operator, free, models, datas, settings, result)
        seconds += processor_seconds() - before
        unsolved += not result.converged
        impulses = np.array(result.retrieveConstraintImpulses())
        known = dict(zip(names.tolist(), impulses.reshape(-1, 3).tolist()))
        moving = moving + inverse_mass * (matrix.T @ impulses)
    moving = moving.reshape(-1, 6)
    velocity, spin = moving[:, :3], moving[:, 3:]
    place = place + step * velocity
write(end, spheres, place)
tell(seconds, steps, step, unsolved=unsolved, version=pinocchio.__version__)
