"""Simulations: stepped, looked at, acted on."""

import copy
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time

import numpy as np
import pytest
from conftest import box, drop

import granule
from granule import SetupError, Simulation, StepError, parts


def test_a_ball_falls_as_it_should_and_lies_on_the_floor():
    simulation = Simulation(drop(end=2.0), threads=1)
    reports = []
    for report in simulation:
        reports.append(report)
        if report.step == 10:
            # Free fall in steps of h: v = -g t, z = z0 - g h² n (n + 1) / 2.
            assert simulation.velocities[0, 2] == pytest.approx(-1.0)
            assert simulation.positions[0, 2] == pytest.approx(0.5 - 10 * 1e-4 * 55)
    assert simulation.finished and simulation.time == pytest.approx(2.0) and simulation.steps == len(reports) == 200
    assert all(report.certified for report in reports)
    assert simulation.positions[0, 2] == pytest.approx(0.1, abs=1e-6)
    contact = simulation.contacts.active
    assert len(contact) == 1 and contact.body_b[0] == -1
    # It weighs 20 N.
    assert contact.normal_force[0] == pytest.approx(20, rel=1e-3)
    np.testing.assert_allclose(contact.tangential_force, 0, atol=1e-6)
    assert simulation.wall_loads["floor"].force[2] == pytest.approx(-20, rel=1e-3)
    assert simulation.certificate.scaled < 1e-4 and simulation.report == reports[-1]
    with pytest.raises(StepError, match="the end, 2.0 s, is reached"):
        simulation.step()


def test_energies_add_up():
    simulation = Simulation(drop(end=0.4), threads=1)
    start = simulation.energies
    assert start["kinetic"] == 0 and start["potential"] == pytest.approx(2 * 10 * 0.5)
    lost = 0.0
    for report in simulation:
        lost += report.energies.dissipation - report.energies.work_of_scheme - report.energies.work_of_recovery
        assert abs(report.energies.remainder) < 1e-9
    end = simulation.energies
    assert end["kinetic"] + end["potential"] == pytest.approx(10 - lost, abs=1e-9)
    assert simulation.report.to_dict()["energies"].to_dict()["friction"] == simulation.report.energies.friction


def test_arrays_are_in_the_order_of_ids_and_cannot_be_written_to():
    simulation = Simulation(box(), threads=1)
    simulation.run(steps=3)
    # After the first step the engine has other places than ids.
    start = Simulation(box(), threads=1)
    assert simulation.ids.tolist() == list(range(40))
    np.testing.assert_array_equal(simulation.radii, start.radii)
    np.testing.assert_array_equal(simulation.masses, start.masses)
    # None has met another one yet: v = -g t, z = z0 - g h² n (n + 1) / 2.
    fallen = [0, 0, -9.81 * 5e-3**2 * 6]
    np.testing.assert_allclose(simulation.positions - start.positions, np.tile(fallen, (40, 1)), atol=1e-12)
    assert simulation.positions.shape == (40, 3) and simulation.orientations.shape == (40, 4)
    np.testing.assert_allclose(simulation.inertias[:, 0], 0.4 * simulation.masses * simulation.radii**2)
    with pytest.raises(ValueError, match="read-only"):
        simulation.positions[0] = 0
    out = np.empty((40, 3))
    assert simulation.read("position", out) is out
    np.testing.assert_array_equal(out, simulation.positions)
    simulation.read("velocity", out)
    np.testing.assert_array_equal(out, simulation.velocities)
    with pytest.raises(ValueError, match=r"\(40, 3\)"):
        simulation.read("position", np.empty((39, 3)))
    with pytest.raises(ValueError, match=r"order of C"):
        simulation.read("position", np.empty((3, 40)).T)


def test_bodies_are_set_by_their_ids():
    simulation = Simulation(box(), threads=1)
    simulation.run(steps=2)
    before = simulation.positions, simulation.velocities
    simulation.set([5, 3], velocities=[[1, 2, 3], [4, 5, 6]], angular_velocities=[0, 0, 7])
    assert simulation.velocities[5].tolist() == [1, 2, 3] and simulation.velocities[3].tolist() == [4, 5, 6]
    assert simulation.angular_velocities[3].tolist() == simulation.angular_velocities[5].tolist() == [0, 0, 7]
    others = ~np.isin(simulation.ids, [3, 5])
    np.testing.assert_array_equal(simulation.velocities[others], before[1][others])
    np.testing.assert_array_equal(simulation.positions, before[0])
    simulation.set(velocities=2 * before[1], positions=before[0] + [0, 0, 0.01])
    np.testing.assert_array_equal(simulation.velocities, 2 * before[1])
    simulation.set(7, orientations=[0, 0, 3, 3])
    np.testing.assert_allclose(simulation.orientations[7], [0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    body = simulation.body(7)
    body.velocity = [0, 0, 1]
    assert body.velocity.tolist() == [0, 0, 1] and simulation.velocities[7, 2] == 1
    assert body.material == "default" and body.dynamic and body.mass == simulation.masses[7]
    for wrong in (99, [1, 99]):
        with pytest.raises(SetupError, match="99"):
            simulation.set(wrong, velocities=[0, 0, 0])
    with pytest.raises(KeyError, match="99"):
        simulation.body(99)
    with pytest.raises(ValueError, match="whole numbers"):
        simulation.set(-1, velocities=[0, 0, 0])
    before = simulation.velocities
    with pytest.raises(SetupError):
        simulation.set(3, velocities=[np.nan, 0, 0])
    np.testing.assert_array_equal(simulation.velocities, before)
    with pytest.raises(ValueError):
        simulation.set([1, 2], velocities=np.zeros((3, 3)))


def test_arrays_of_wrong_shapes_say_what_is_wanted():
    simulation = Simulation(box(), threads=1)
    before = simulation.positions, simulation.velocities
    several = r"a row for each body, or \(3,\) for all, not of the shape \(5, 3\)"
    for wrong, words in (
        (lambda: simulation.set(velocities=np.zeros((5, 3))), rf"`velocities` must be of the shape \(40, 3\), {several}"),
        (lambda: simulation.set(3, positions=[1, 2]), r"`positions` must be 3 numbers, not of the shape \(2,\)"),
        (lambda: simulation.set([1, 2], orientations=np.zeros((2, 3))), r"`orientations` .*\(2, 4\)"),
        (lambda: simulation.apply_force(np.zeros((5, 3))), rf"`force` .*{several}"),
        (lambda: simulation.apply_force(1.0), r"`force` .*not of the shape \(\)"),
        (lambda: simulation.apply_force([0, 0, 1], [1.0]), r"`torque` .*not of the shape \(1,\)"),
        (lambda: simulation.add_spheres([0, 0], 0.1), r"`positions` must be 3 numbers"),
        (lambda: simulation.add_spheres([[0, 0, 9]], [0.1, 0.2]), r"`radii` must be 1 numbers"),
        (lambda: setattr(simulation, "gravity", -9.81), r"`gravity` must be 3 numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            wrong()
    np.testing.assert_array_equal(simulation.positions, before[0])
    np.testing.assert_array_equal(simulation.velocities, before[1])
    assert simulation.gravity.tolist() == [0, 0, -9.81]


def test_forces_act_over_one_step():
    scene = drop(walls=[], scene=parts.General(name="a", gravity=[0, 0, 0]))
    simulation = Simulation(scene, threads=1)
    ball = simulation.body("ball")
    ball.apply_force([1, 2, 3])
    simulation.apply_force([[1, 2, 3]], [0, 0, 0.016], ids=[ball.id])
    simulation.step()
    np.testing.assert_allclose(ball.velocity, np.array([1, 2, 3]) * 2 * 0.01 / 2)
    np.testing.assert_allclose(ball.angular_velocity, [0, 0, 0.016 * 0.01 / (0.4 * 2 * 0.01)])
    before = ball.velocity
    simulation.step()
    np.testing.assert_array_equal(ball.velocity, before)
    with pytest.raises(ValueError, match="finite"):
        ball.apply_force([np.inf, 0, 0])
    with pytest.raises(KeyError, match="no body `plate`; the scene names ball"):
        simulation.body("plate")
    simulation.gravity = [0, 0, -5]
    simulation.step()
    assert ball.velocity[2] == pytest.approx(before[2] - 0.05)


def test_bodies_come_and_go():
    simulation = Simulation(drop(end=3.0), threads=1)
    first = simulation.add_spheres([[1, 0, 0.1], [2, 0, 0.1]], 0.1, masses=[1.0, 3.0])
    assert first.tolist() == [1, 2]
    brick = simulation.add(
        bodies=[parts.Body(box=parts.BoxSolid(size=[0.2, 0.2, 0.1]), position=[3, 0, 0.05], mass=4.0)]
    )
    assert brick.tolist() == [3] and simulation.shapes.tolist() == [-1, -1, -1, 0]
    simulation.run(1.0)
    assert simulation.wall_loads["floor"].force[2] == pytest.approx(-100, rel=1e-3)
    simulation.remove([1, 3])
    assert simulation.ids.tolist() == [0, 2] and simulation.count == 2
    simulation.run(1.5)
    assert simulation.wall_loads["floor"].force[2] == pytest.approx(-50, rel=1e-3)
    assert simulation.add_spheres([[5, 0, 1]], 0.1, density=10).tolist() == [4]
    assert simulation.masses[-1] == pytest.approx(10 * 4 / 3 * np.pi * 1e-3)
    for wrong in (lambda: simulation.remove(1), lambda: simulation.add_spheres([[0, 0, 5]], 0.1, material="gold", density=1)):
        with pytest.raises(SetupError):
            wrong()
    assert simulation.ids.tolist() == [0, 2, 4]


def test_copies_go_on_with_the_same_bits():
    simulation = Simulation(box(), threads=1)
    simulation.run(0.1)
    other = simulation.copy()
    simulation.run()
    other.run()
    np.testing.assert_array_equal(simulation.positions, other.positions)
    two = Simulation(box(), threads=2)
    two.run()
    np.testing.assert_array_equal(simulation.positions, two.positions)
    start = Simulation(box(), threads=1)
    for twin in (copy.copy(start), copy.deepcopy({"a": start})["a"]):
        twin.step()
        assert (start.steps, twin.steps) == (0, 1)
    with pytest.raises(TypeError, match="their scenes can"):
        pickle.dumps(start)


def test_watchers_see_each_step_and_can_stop():
    simulation = Simulation(box(), threads=1)
    seen = []

    def watch(watched, report):
        assert watched is simulation and watched.time == report.time
        seen.append(report.step)
        return report.step < 7

    assert simulation.run(watch=watch).step == 7
    assert seen == list(range(1, 8)) and simulation.steps == 7
    assert simulation.run(steps=3).step == 10
    assert simulation.run(until=0.1).time == pytest.approx(0.1)
    assert simulation.run(until=0.05) is None

    def fail(watched, report):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        simulation.run(watch=fail)


def test_other_threads_of_python_go_on_while_steps_are_taken():
    simulation = Simulation(box(count=60, end=1e4), threads=1)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(1e-3)

    other = threading.Thread(target=count)
    # One call that takes many steps.
    other.start()
    taken, _ = simulation._engine.advance(None, None, 0.5)
    stop.set()
    other.join()
    assert taken > 1 and counted[0] > 20


def test_other_threads_of_python_have_their_turn():
    simulation = Simulation(box(count=60, end=1e4), threads=1)
    seen, errors, stop = [], [], threading.Event()

    def look():
        try:
            while not stop.is_set():
                seen.append((simulation.time, simulation.positions))
        except Exception as error:
            errors.append(error)

    others = [threading.Thread(target=look) for _ in range(2)]
    for other in others:
        other.start()
    # Each of these calls takes steps for a while. Who waits is not passed by the next one.
    for _ in range(10):
        simulation._engine.advance(None, None, 0.02)
    stop.set()
    for other in others:
        other.join()
    assert not errors and len(seen) >= 10
    assert simulation.steps > 10 and all(np.isfinite(positions).all() for _, positions in seen)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_handler_of_signals_is_told_that_a_step_goes_on():
    simulation = Simulation(box(count=60, end=1e4), threads=1)
    told = []

    def handle(*_):
        with pytest.raises(granule.BusyError, match="in `watch`") as error:
            simulation.positions
        told.append(error.value)

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        simulation._engine.advance(None, None, 0.5)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(told) == 1 and isinstance(told[0], RuntimeError)


def forked(simulation, answer):
    """What a process does that has been forked."""
    simulation.run()
    answer.put((simulation.positions, granule.solve(granule.Problem([[1.0]], [-1.0]), "pgs").impulses))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_that_are_forked_have_threads_of_their_own():
    simulation = Simulation(box(), threads=2)
    simulation.step()
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    process = context.Process(target=forked, args=(simulation, answer), daemon=True)
    process.start()
    process.join(60)
    assert process.exitcode == 0
    positions, impulses = answer.get()
    simulation.run()
    np.testing.assert_array_equal(positions, simulation.positions)
    np.testing.assert_allclose(impulses, [1.0])


def test_infeasible_steps_name_who_is_concerned():
    scene = drop(
        end=1.0,
        walls=[
            parts.Wall(half_space=parts.HalfSpaceShape(normal=[0, 0, 1]), name="floor"),
            parts.Wall(
                half_space=parts.HalfSpaceShape(normal=[0, 0, -1]),
                position=[0, 0, 0.7],
                motion={"velocity": {"linear": [0, 0, -1]}},
                name="press",
            ),
        ],
    )
    simulation = Simulation(scene, threads=1)
    with pytest.raises(granule.InfeasibleError, match="press"):
        simulation.run()
    time = simulation.time
    assert 0.4 < time < 0.6
    # The state before the step that failed is still there.
    assert simulation.positions[0, 2] == pytest.approx(0.1, abs=0.02)


def test_joints_are_read_and_driven():
    scene = drop(
        end=1.0,
        walls=[],
        scene=parts.General(name="wheel", gravity=[0, 0, 0]),
        joints=[parts.Joint(name="axle", kind="hinge", between=["ball", "ground"], position=[0, 0, 0.5], axis=[0, 1, 0])],
        motors=[parts.Motor(joint="axle", speed=2.0, strength=50.0)],
    )
    simulation = Simulation(scene, threads=1)
    axle = simulation.joints["axle"]
    assert list(simulation.joints) == ["axle"] and axle.kind == "hinge" and axle.drives == ["speed"]
    assert np.isnan(axle.coordinate)
    simulation.run(0.1)
    assert axle.coordinate == pytest.approx(0.2, abs=0.021)
    axle.drive(-3.0)
    simulation.step()
    assert simulation.body("ball").angular_velocity[1] == pytest.approx(-3.0)
    # From 2 to -3 rad/s in a step.
    assert axle.effort == pytest.approx(-5 / 0.01 * 0.4 * 2 * 0.01, rel=1e-6)
    axle.drive({"linear": {"times": [0, 10], "values": [0, 10]}})
    simulation.step()
    assert simulation.body("ball").angular_velocity[1] == pytest.approx(simulation.time - 0.005, rel=1e-4)
    with pytest.raises(ValueError, match="linear"):
        axle.drive({"constantly": 1})
    with pytest.raises(KeyError, match="axle"):
        simulation.joints["shaft"]
    assert "axle" in repr(axle) and not axle.broken


def test_what_notebooks_show():
    simulation = Simulation(box(), threads=1)
    assert "box" in repr(simulation) and "40 bodies" in repr(simulation)
    simulation.step()
    page = simulation._repr_html_()
    assert "data:image/png" in page and "certified" in page
    assert simulation.picture(60, 40, view="top").startswith(b"\x89PNG")
    assert "step=1" in repr(simulation.report) and "scaled" in repr(simulation.certificate)
    assert set(simulation.stage_seconds) > {"predict", "solve"}
    with Simulation(drop()) as opened:
        opened.step()
