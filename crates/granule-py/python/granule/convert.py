"""Conversion to and from the meshes of other packages: trimesh, meshio, pyvista. Each is asked for only when it is used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .bodies import Vector

if TYPE_CHECKING:
    from .folder import Frame, Mesh
    from .parts import Body
    from .scene import PathLike


def rotated(points: Vector, orientation: Vector) -> Vector:
    """Points turned by a unit quaternion x, y, z, w."""
    axis, scalar = orientation[:3], orientation[3]
    twice = 2.0 * np.cross(axis, points)
    turned: Vector = points + scalar * twice + np.cross(axis, twice)
    return turned


def _solids(frame: Frame) -> list[tuple[int, Mesh, Vector]]:
    """Rows of the bodies that have a shape of their own, with the shape, and its points where they are."""
    solids = frame.run.solids
    found = []
    for row in np.flatnonzero(frame.shapes >= 0):
        mesh = solids[frame.shapes[row]]
        found.append((int(row), mesh, rotated(mesh.points, frame.orientations[row]) + frame.positions[row]))
    return found


def to_trimesh(frame: Frame, *, walls: bool = False, subdivisions: int = 2) -> Any:
    """The bodies of a frame as a ``trimesh.Scene``, each under the name ``body_ID``.

    Args:
        frame: The frame.
        walls: Whether the walls are in it, too.
        subdivisions: How fine spheres are: 0 has 20 triangles, each more four times as many.
    """
    import trimesh

    scene = trimesh.Scene()
    ball = trimesh.creation.icosphere(subdivisions=subdivisions, radius=1.0)
    for row in np.flatnonzero(frame.shapes == -1):
        pose = np.eye(4)
        pose[:3, :3] *= frame.radii[row]
        pose[:3, 3] = frame.positions[row]
        scene.add_geometry(ball, geom_name="sphere", node_name=f"body_{frame.ids[row]}", transform=pose)
    for number, mesh, points in _solids(frame):
        body = trimesh.Trimesh(points, mesh.triangles, process=False)
        scene.add_geometry(body, node_name=f"body_{frame.ids[number]}")
    if walls:
        for place, wall in enumerate(frame.walls):
            scene.add_geometry(trimesh.Trimesh(wall.points, wall.triangles, process=False), node_name=f"wall_{place}")
    return scene


def from_trimesh(
    mesh: Any, *, hull: bool = False, file: PathLike | None = None, parts: str = "convex-hull", **body: Any
) -> Body:
    """A ``trimesh.Trimesh`` as a body of a scene.

    Args:
        mesh: A closed surface, in m.
        hull: Whether the body is the convex hull of its points, which needs no file.
        file: The STL file to write it to, which the scene then names; needed unless ``hull``.
        parts: How it touches others: ``convex-hull`` or ``decomposition``.
        body: Other keys of :class:`granule.parts.Body`, as ``position`` and ``name``. The body's frame has its origin in the
            centre of mass, as all bodies of scenes.

    Returns:
        The body.
    """
    from .parts import Body, HullSolid, MeshSolid

    if hull:
        return Body(hull=HullSolid(points=np.asarray(mesh.convex_hull.vertices).tolist()), **body)
    if file is None:
        raise ValueError("name the STL `file` to write the surface to, or take its convex hull: hull=True")
    mesh.export(os.fspath(file), file_type="stl")
    return Body(mesh=MeshSolid(file=os.path.abspath(file), parts=parts), **body)  # type: ignore[arg-type]


def to_meshio(frame: Frame) -> Any:
    """The centres of the bodies of a frame as a ``meshio.Mesh`` of vertices with the arrays of the bodies; its ``write`` knows
    VTK, XDMF and many others."""
    import meshio

    count = len(frame.ids)
    return meshio.Mesh(
        np.array(frame.positions),
        [("vertex", np.arange(count).reshape(count, 1))],
        point_data={
            "id": frame.ids,
            "radius": frame.radii,
            "mass": frame.masses,
            "material": frame.material_numbers.astype(np.int32),
            "velocity": frame.velocities,
            "angular_velocity": frame.angular_velocities,
            "orientation": frame.orientations,
        },
    )


def from_meshio(mesh: Any, *, radius: float | None = None) -> tuple[Vector, Any]:
    """Points of a ``meshio.Mesh`` as spheres for :meth:`granule.Simulation.add_spheres`.

    Args:
        mesh: The mesh.
        radius: m; the array ``radius`` of the points if not given.

    Returns:
        Positions (m, of the shape (n, 3)) and radii (m).
    """
    positions = np.zeros((len(mesh.points), 3))
    positions[:, : mesh.points.shape[1]] = mesh.points
    if radius is not None:
        return positions, np.full(len(positions), float(radius))
    if "radius" not in mesh.point_data:
        raise ValueError("the points have no array `radius`: give `radius`, m")
    return positions, np.asarray(mesh.point_data["radius"], dtype=np.float64).reshape(len(positions))


def to_pyvista(frame: Frame, *, walls: bool = True, resolution: int = 16) -> Any:
    """A frame as a ``pyvista.MultiBlock`` with the blocks ``spheres``, ``solids`` and ``walls``, as far as there are any; show it
    with its ``plot()``. Spheres and solids carry ``id``, ``speed`` (m/s) and ``material``.

    Args:
        frame: The frame.
        walls: Whether the walls are in it.
        resolution: How many sides a sphere has around.
    """
    import pyvista

    blocks = pyvista.MultiBlock()
    speed = np.linalg.norm(frame.velocities, axis=1)
    balls = np.flatnonzero(frame.shapes == -1)
    if len(balls):
        centers = pyvista.PolyData(np.array(frame.positions[balls]))
        centers["radius"] = frame.radii[balls]
        centers["id"] = frame.ids[balls]
        centers["speed"] = speed[balls]
        centers["material"] = frame.material_numbers[balls]
        ball = pyvista.Sphere(radius=1.0, theta_resolution=resolution, phi_resolution=resolution)
        blocks["spheres"] = centers.glyph(geom=ball, scale="radius", orient=False, factor=1.0)
    solids = _solids(frame)
    if solids:
        surfaces = []
        for row, mesh, points in solids:
            surface = _surface(points, mesh.triangles)
            for name, value in (("id", frame.ids[row]), ("speed", speed[row]), ("material", frame.material_numbers[row])):
                surface[name] = np.full(surface.n_points, value)
            surfaces.append(surface)
        blocks["solids"] = surfaces[0].merge(surfaces[1:]) if len(surfaces) > 1 else surfaces[0]
    if walls and frame.walls:
        surfaces = [_surface(wall.points, wall.triangles) for wall in frame.walls if len(wall.points)]
        if surfaces:
            blocks["walls"] = surfaces[0].merge(surfaces[1:]) if len(surfaces) > 1 else surfaces[0]
    return blocks


def _surface(points: Vector, triangles: Any) -> Any:
    import pyvista

    corners = np.column_stack([np.full(len(triangles), 3), triangles]).ravel()
    return pyvista.PolyData(np.array(points), corners)
