"""Takes measures of a run again, by plain loops over its frames: python tests/python/measures.py RUNFOLDER

Needs the packages vtk and numpy. Of the scenes measures_box.toml and measures_cell.toml beside this file. Prints
'N passed, M failed'; the exit code is 0 if nothing failed.
"""

import csv
import itertools
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

# Corners of the boxes of the measure `corner`, m.
CORNER = {
    "measures_cell": ([-0.015, -0.01, -0.015], [0, 0.005, 0.01]),
    "measures_box": ([-0.02, -0.02, 0], [0, 0.01, 0.01]),
}
# The box of the measure `packing`, m; none for the whole cell.
PACKING = {"measures_cell": None, "measures_box": ([-0.03, -0.03, -0.01], [0.03, 0.03, 0.01])}


def read(path):
    """Points and arrays of a file."""
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    points = data.GetPointData()
    arrays = {points.GetArrayName(k): vtk_to_numpy(points.GetArray(k)) for k in range(points.GetNumberOfArrays())}
    if data.GetNumberOfPoints() == 0:
        return np.zeros((0, 3)), arrays
    return vtk_to_numpy(data.GetPoints().GetData()), arrays


def frames(folder):
    """Times, and the files of each part at that time."""
    root = ElementTree.parse(folder / "frames.pvd").getroot()
    found = {}
    for entry in root.iter("DataSet"):
        file = entry.get("file")
        part = pathlib.Path(file).stem.split("_")[0]
        found.setdefault(float(entry.get("timestep")), {})[part] = folder / file
    return sorted(found.items())


class Cell:
    """A periodic cell, from its corners."""

    def __init__(self, path):
        corners, arrays = read(path)
        self.edges = np.array([corners[k] - corners[0] for k in (1, 2, 4)])
        self.center = 0.5 * (corners[0] + corners[7])
        velocity = arrays["velocity"]
        rates = np.array([velocity[k] - velocity[0] for k in (1, 2, 4)])
        # L with rates = L edges.
        self.flow = np.linalg.solve(self.edges, rates).T
        self.volume = abs(np.linalg.det(self.edges))
        shifts = [np.array(n) @ self.edges for n in itertools.product((-2, -1, 0, 1, 2), repeat=3)]
        self.shifts = np.array(shifts)

    def nearest(self, way):
        """The shortest way to an image, by trying them all."""
        ways = way - self.shifts
        return ways[np.argmin(np.einsum("ij,ij->i", ways, ways))]


def share(start, way, low, high):
    """The part of a line that is in a box."""
    begin, end = 0.0, 1.0
    for k in range(3):
        if way[k] == 0:
            if not low[k] <= start[k] < high[k]:
                return 0.0
            continue
        one, other = sorted(((low[k] - start[k]) / way[k], (high[k] - start[k]) / way[k]))
        begin, end = max(begin, one), min(end, other)
    return max(end - begin, 0.0)


def inside(points, low, high):
    return np.all((points >= low) & (points < high), axis=1)


def ball_below(height, radius):
    """The volume of a ball below a plane at this height above its centre."""
    h = np.clip(height, -radius, radius) + radius
    return np.pi * h**2 * (radius - h / 3)


def measure(name, files, start):
    """All numbers of a frame."""
    position, bodies = read(files["bodies"])
    _, contacts = read(files["contacts"])
    points, _ = read(files["contacts"])
    cell = Cell(files["cell"]) if "cell" in files else None
    place = {int(body): k for k, body in enumerate(bodies["id"])}
    velocity, radius, mass = bodies["velocity"], bodies["radius"], bodies["mass"]
    peculiar = velocity - (position - cell.center) @ cell.flow.T if cell else velocity
    if cell:
        volume = cell.volume
    else:
        volume = np.prod((position + radius[:, None]).max(0) - (position - radius[:, None]).min(0))
    low, high = map(np.array, CORNER[name])
    whole, corner = np.zeros((3, 3)), np.zeros((3, 3))
    touches = np.zeros(len(position))
    for k in range(len(points)):
        if contacts["normal_force"][k] == 0:
            continue
        a, b = int(contacts["body_a"][k]), int(contacts["body_b"][k])
        own = position[place[a]]
        touches[place[a]] += 1
        if b >= 0:
            touches[place[b]] += 1
        way = own - (position[place[b]] if b >= 0 else points[k])
        if cell:
            way = cell.nearest(way)
        outer = np.outer(contacts["force"][k], way)
        whole += outer
        for shift in cell.shifts if cell else np.zeros((1, 3)):
            corner += outer * share(own - way + shift, way, low, high)

    def kinetic(of):
        mean = np.average(peculiar[of], axis=0, weights=mass[of])
        about = peculiar[of] - mean
        return np.einsum("i,ij,ik->jk", mass[of], about, about)

    whole = (whole + kinetic(np.ones(len(position), bool))) / volume
    corner = (corner + kinetic(inside(position, low, high))) / np.prod(high - low)
    balls = 4 / 3 * np.pi * radius**3
    if PACKING[name] is None:
        packing = balls.sum() / volume
    else:
        low, high = map(np.array, PACKING[name])
        # Grains lie between the walls, so that only the upper face cuts them.
        packing = ball_below(high[2] - position[:, 2], radius).sum() / np.prod(high - low)
    unfolded = position + bodies.get("through", 0.0)
    spread = 0.0 if start is None else np.mean(np.sum((unfolded - start) ** 2, axis=1))
    found = {"packing": packing, "touches": touches.mean(), "spread": spread}
    for label, tensor in [("stress", whole), ("corner", corner)]:
        for i, j in itertools.product(range(3), repeat=2):
            # Columns hold the symmetric part.
            found[f"{label}_{'xyz'[i]}{'xyz'[j]}"] = 0.5 * (tensor[i, j] + tensor[j, i])
    return found, unfolded


def main(folder):
    folder = pathlib.Path(folder)
    name = folder.name
    with open(folder / "series.csv") as file:
        rows = list(csv.reader(file))
    columns = [head.split("[")[0] for head in rows[0]]
    values = np.array(rows[1:], float)
    times = values[:, columns.index("time")]
    passed, failed, start = 0, 0, None
    for number, (time, files) in enumerate(frames(folder)):
        found, unfolded = measure(name, files, start)
        if number == 0:
            start = unfolded
            continue
        row = values[np.argmin(abs(times - time))]
        for key, value in found.items():
            if key not in columns:
                continue
            column = values[:, columns.index(key)]
            own = row[columns.index(key)]
            if abs(own - value) <= 1e-8 * max(abs(column).max(), 1e-300):
                passed += 1
            else:
                failed += 1
                print(f"FAILED: {key} at {time} s: {own} in series.csv, {value} from the frame")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
