"""Plots, and conversion to and from the meshes of other packages."""

import numpy as np
import pytest
from conftest import ROOT, box, drop

import granule
from granule import Scene, convert, parts, plot


@pytest.fixture(scope="module")
def bricks(tmp_path_factory):
    """A run with a turned brick, a ball, and a floor."""
    brick = parts.Body(
        box=parts.BoxSolid(size=[0.4, 0.2, 0.1]), position=[1, 2, 3], orientation=[0, 0, np.sqrt(0.5), np.sqrt(0.5)], mass=1.0
    )
    ball = parts.Body(sphere=parts.SphereShape(radius=0.1), position=[0, 0, 0.5], mass=2.0)
    return granule.run(drop(end=0.02, bodies=[ball, brick]), tmp_path_factory.mktemp("looks") / "a")


def test_plots_show_the_numbers_of_the_run(finished):
    plt = pytest.importorskip("matplotlib.pyplot")
    series = finished.series
    axes = series.plot("kinetic_energy")
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), series["kinetic_energy"])
    assert axes.get_ylabel() == "kinetic energy, J"
    lines = {line.get_label(): line.get_ydata() for line in plot.energy(finished).lines}
    # What is lost is what contacts have dissipated, but for what the scheme adds.
    total = lines["kinetic energy, J"] + lines["potential energy, J"]
    added = np.cumsum(series["work_of_scheme"] + series["work_of_recovery"])
    np.testing.assert_allclose(np.diff(total), np.diff(added - lines["dissipated so far, J"]), atol=1e-12)
    # As with other packages, whoever asks for the figures that are open gets it.
    assert plt.fignum_exists(axes.figure.number)
    plt.close("all")
    force = plot.forces(finished, "box").lines[0].get_ydata()
    assert force[-1] == pytest.approx(np.linalg.norm([series[f"box_force_{axis}"][-1] for axis in "xyz"]))
    with pytest.raises(KeyError, match="box"):
        plot.forces(finished, "lid")
    assert plot.as_png(axes).startswith(b"\x89PNG") and series._repr_png_().startswith(b"\x89PNG")


def test_force_networks_have_a_line_for_each_contact(finished):
    pytest.importorskip("matplotlib")
    frame = finished.frames[-1]
    axes = plot.force_network(frame, plane="xz")
    lines = axes.collections[-1]
    contacts = frame.contacts
    assert len(lines.get_segments()) == len(contacts.active)
    strongest = contacts[np.argmax(contacts.normal_force)]
    start = frame.positions[np.flatnonzero(frame.ids == strongest.body_a)[0]]
    np.testing.assert_allclose(lines.get_segments()[-1][0], start[[0, 2]])
    assert max(lines.get_linewidths()) == pytest.approx(6.0)
    with pytest.raises(ValueError, match="plane"):
        plot.force_network(frame, plane="xx")
    simulation = granule.Simulation(box(), threads=1)
    assert plot.force_network(simulation) is not None


def test_profiles_measure_a_heap():
    # Disks in rows, each with one disk less than that below: a triangle of 60 degrees.
    radius, base = 0.01, 31
    disks = np.array([(2 * radius * (k + row / 2), radius * (1 + row * np.sqrt(3)), 0) for row in range(base) for k in range(base - row)])
    found = granule.heap_profile(disks, np.full(len(disks), radius), (0, 1, 0), 2)
    assert found.angle == pytest.approx(60, abs=1) and "angle=60" in repr(found)
    assert found.height.max() == pytest.approx(radius * (2 + (base - 1) * np.sqrt(3)))
    assert found.foot[0] == pytest.approx(radius * (base - 1))
    pytest.importorskip("matplotlib")
    assert "Angle of repose" in found.plot().get_title()
    flat = granule.heap_profile([[0, 0, 0.01]], [0.01])
    assert flat is None or flat.angle is None


def test_a_frame_goes_to_trimesh_and_a_mesh_becomes_a_body(bricks, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    frame = bricks.frames[0]
    scene = frame.to_trimesh()
    meshes = scene.dump()
    brick = next(mesh for mesh in meshes if len(mesh.faces) == 12)
    assert brick.volume == pytest.approx(0.4 * 0.2 * 0.1) and brick.is_watertight
    # It is turned by a right angle about z.
    np.testing.assert_allclose(brick.extents, [0.2, 0.4, 0.1], atol=1e-12)
    np.testing.assert_allclose(brick.centroid, [1, 2, 3], atol=1e-12)
    ball = next(mesh for mesh in meshes if len(mesh.faces) > 12)
    np.testing.assert_allclose(ball.centroid, [0, 0, 0.5], atol=1e-9)
    assert 0.95 < ball.volume / (4 / 3 * np.pi * 1e-3) < 1

    wedge = trimesh.creation.box((0.2, 0.1, 0.1))
    for body in (
        convert.from_trimesh(wedge, hull=True, position=[0, 0, 1]),
        convert.from_trimesh(wedge, file=tmp_path / "wedge.stl", position=[0, 0, 1], name="wedge"),
    ):
        simulation = granule.Simulation(drop(bodies=[body], materials={"a": {"density": 1000}}))
        assert simulation.masses[0] == pytest.approx(2.0, rel=1e-5)
    with pytest.raises(ValueError, match="hull=True"):
        convert.from_trimesh(wedge)


def test_a_frame_goes_through_meshio(finished, tmp_path):
    meshio = pytest.importorskip("meshio")
    frame = finished.frames[-1]
    frame.to_meshio().write(tmp_path / "a.vtu")
    again = meshio.read(tmp_path / "a.vtu")
    np.testing.assert_array_equal(again.points, frame.positions)
    np.testing.assert_array_equal(again.point_data["velocity"], frame.velocities)
    positions, radii = convert.from_meshio(again)
    np.testing.assert_array_equal(radii, frame.radii)
    simulation = granule.Simulation(drop(), threads=1)
    ids = simulation.add_spheres(positions + [5, 0, 0], radii, density=1000)
    np.testing.assert_array_equal(simulation.positions[1:], positions + [5, 0, 0])
    assert len(ids) == 40
    with pytest.raises(ValueError, match="radius"):
        convert.from_meshio(meshio.Mesh(np.zeros((1, 3)), []))


def test_a_frame_goes_to_pyvista(bricks):
    pytest.importorskip("pyvista")
    blocks = bricks.frames[0].to_pyvista()
    assert set(blocks.keys()) == {"spheres", "solids", "walls"}
    np.testing.assert_allclose(blocks["solids"].bounds, [0.9, 1.1, 1.8, 2.2, 2.95, 3.05], atol=1e-6)
    np.testing.assert_allclose(blocks["spheres"].bounds, [-0.1, 0.1, -0.1, 0.1, 0.4, 0.6], atol=1e-3)
    assert set(np.unique(blocks["solids"]["id"])) == {1}


def test_frames_have_pictures(bricks):
    frame = bricks.frames[-1]
    assert frame.picture(60, 40).startswith(b"\x89PNG") and frame._repr_png_().startswith(b"\x89PNG")
    assert Scene.load(ROOT / "scenes" / "arch.toml").picture(60, 40).startswith(b"\x89PNG")
