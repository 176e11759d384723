"""Reads a run's frames with VTK itself: python tests/python/read_vtk.py RUNFOLDER

Needs the package vtk. Prints 'N passed, M failed'; the exit code is 0 if nothing failed.
"""

import math
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkFeatureEdges
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

BODY_ARRAYS = {
    "id": 1,
    "radius": 1,
    "velocity": 3,
    "angular_velocity": 3,
    "orientation": 4,
    "material": 1,
    "mass": 1,
    "shape": 1,
}
CONTACT_ARRAYS = {
    "normal": 3,
    "force": 3,
    "normal_force": 1,
    "gap": 1,
    "body_a": 1,
    "body_b": 1,
}
# Only where a law resists rolling or spinning.
MOMENT_ARRAYS = {"moment": 3}


class Checks:
    """Counts what holds and prints what does not."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, condition, claim):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {claim}")


def read(path):
    """The poly data of a file, or None if VTK cannot read it."""
    reader = vtkXMLPolyDataReader()
    if not reader.CanReadFile(str(path)):
        return None
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput() if reader.GetErrorCode() == 0 else None


def array(data, name):
    values = data.GetArray(name)
    return None if values is None else vtk_to_numpy(values)


def check_time(checks, data, time, file):
    value = array(data.GetFieldData(), "TimeValue")
    checks.check(value is not None and value[0] == time, f"{file}: TimeValue is {time}")


def check_arrays(checks, data, expected, file):
    """Every array is there with a value for each point."""
    count = data.GetNumberOfPoints()
    arrays = {}
    for name, components in expected.items():
        values = array(data.GetPointData(), name)
        shape = (count,) if components == 1 else (count, components)
        fits = values is not None and values.shape == shape
        checks.check(fits, f"{file}: array {name} has shape {shape}")
        if fits:
            arrays[name] = values
    cells = data.GetNumberOfVerts()
    checks.check(cells == count, f"{file}: {count} points make as many vertices")
    return arrays


def check_bodies(checks, data, file):
    """Gives the centres and radii of the bodies that are no spheres, by their ids."""
    arrays = check_arrays(checks, data, BODY_ARRAYS, file)
    if len(arrays) < len(BODY_ARRAYS) or data.GetNumberOfPoints() == 0:
        return {}
    ids = arrays["id"]
    checks.check((ids[1:] > ids[:-1]).all(), f"{file}: bodies are in the order of ids")
    checks.check((arrays["radius"] >= 0).all(), f"{file}: radii are not negative")
    checks.check((arrays["mass"] > 0).all(), f"{file}: masses are positive")
    lengths = (arrays["orientation"] ** 2).sum(axis=1)
    checks.check((abs(lengths - 1) < 1e-9).all(), f"{file}: quaternions have unit length")
    checks.check((arrays["shape"] >= -2).all(), f"{file}: every body has a shape")
    return {
        int(i): (point, radius)
        for i, point, radius, shape in zip(
            ids, vtk_to_numpy(data.GetPoints().GetData()), arrays["radius"], arrays["shape"]
        )
        if shape >= 0
    }


def check_shapes(checks, data, solids, file):
    """Every solid has a closed surface around its centre, within its radius."""
    triangles = data.GetNumberOfPolys()
    ids = array(data.GetCellData(), "id")
    velocities = array(data.GetCellData(), "velocity")
    materials = array(data.GetCellData(), "material")
    checks.check(
        ids is not None and ids.shape == (triangles,) and materials.shape == (triangles,),
        f"{file}: each triangle names its body and its material",
    )
    checks.check(
        velocities is not None and velocities.shape == (triangles, 3),
        f"{file}: each triangle has the velocity of its body",
    )
    checks.check(
        ids is not None and set(ids.tolist()) == set(solids),
        f"{file}: the bodies with a shape are there, and no other",
    )
    edges = vtkFeatureEdges()
    edges.SetInputData(data)
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    open_edges = edges.GetOutput().GetNumberOfCells()
    flat = data.GetBounds()[4] == data.GetBounds()[5]
    checks.check(flat or open_edges == 0, f"{file}: surfaces are closed")
    points = vtk_to_numpy(data.GetPoints().GetData())
    corners = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    for body, (center, radius) in solids.items():
        own = points[corners[ids == body].ravel()]
        far = ((own - center) ** 2).sum(axis=1).max() ** 0.5 if len(own) else math.inf
        checks.check(
            0.3 * radius < far <= radius * (1 + 1e-3), f"{file}: body {body} is within its radius"
        )


def check_contacts(checks, data, bodies, walls, file):
    expected = dict(CONTACT_ARRAYS)
    if data.GetPointData().HasArray("moment"):
        expected |= MOMENT_ARRAYS
    arrays = check_arrays(checks, data, expected, file)
    if len(arrays) < len(expected) or data.GetNumberOfPoints() == 0:
        return
    lengths = (arrays["normal"] ** 2).sum(axis=1)
    checks.check((abs(lengths - 1) < 1e-9).all(), f"{file}: normals have unit length")
    along = (arrays["force"] * arrays["normal"]).sum(axis=1)
    close = abs(along - arrays["normal_force"]) <= 1e-9 * abs(along).max()
    checks.check(close.all(), f"{file}: normal_force is the force along the normal")
    checks.check((along > 0).all(), f"{file}: contacts push")
    first, second = arrays["body_a"], arrays["body_b"]
    checks.check(
        ((first >= 0) & (first < bodies)).all(), f"{file}: body_a is the id of a body"
    )
    checks.check(
        ((second >= -walls) & (second < bodies)).all(),
        f"{file}: body_b is the id of a body or a wall",
    )


def check_walls(checks, data, file):
    triangles = data.GetNumberOfPolys()
    checks.check(triangles > 0, f"{file}: there are triangles")
    indices = array(data.GetCellData(), "wall")
    checks.check(
        indices is not None and indices.shape == (triangles,),
        f"{file}: each triangle names its wall",
    )
    points = vtk_to_numpy(data.GetPoints().GetData())
    checks.check(
        all(math.isfinite(x) for x in points.ravel()), f"{file}: all corners are finite"
    )
    return 0 if indices is None or triangles == 0 else int(indices.max()) + 1


def check_folder(folder):
    checks = Checks()
    entries = ElementTree.parse(folder / "frames.pvd").getroot().findall("Collection/DataSet")
    checks.check(len(entries) > 0, "frames.pvd lists at least one file")
    bodies = walls = 0
    solids = {}
    times = []
    for entry in entries:
        file, part = entry.get("file"), entry.get("part")
        time = float(entry.get("timestep"))
        data = read(folder / file)
        checks.check(data is not None, f"{file}: VTK can read it")
        if data is None:
            continue
        if part == "0":
            times.append(time)
            bodies = data.GetNumberOfPoints()
            check_time(checks, data, time, file)
            solids = check_bodies(checks, data, file)
        elif part == "1":
            walls = check_walls(checks, data, file)
        elif part == "3":
            check_time(checks, data, time, file)
            check_shapes(checks, data, solids, file)
        else:
            check_time(checks, data, time, file)
            check_contacts(checks, data, bodies, walls, file)
    checks.check(times == sorted(times), "frames are in the order of time")
    return checks


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    checks = check_folder(pathlib.Path(sys.argv[1]))
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 0 if checks.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
