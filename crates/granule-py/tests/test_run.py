"""Runs that write a folder, and folders that are read."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ROOT, box

import granule
from granule import ReadError, Run, RunError


def files(folder):
    """The bytes of all results that do not depend on the clock."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    clocks = ("summary.json", "checkpoint/")
    return {name: bytes for name, bytes in found.items() if not name.startswith(clocks) and name != "picture.png"}


def test_the_folder_is_that_of_the_command(tmp_path, command):
    scene = tmp_path / "scene.toml"
    scene.write_text(box().text)
    subprocess.run([command, "run", scene, "--out", tmp_path / "command", "--quiet"], check=True)
    run = granule.run(scene, tmp_path / "python")
    ours, theirs = files(tmp_path / "python"), files(tmp_path / "command")
    assert ours.keys() == theirs.keys() and len(ours) > 10
    assert ours == theirs
    other = granule.load(tmp_path / "command")
    for key in ("status", "steps", "state_hash", "simulated_time", "iterations"):
        assert run.summary[key] == other.summary[key]


def test_a_run_that_was_stopped_goes_on_with_the_same_bits(tmp_path, finished):
    with pytest.raises(RuntimeError, match="enough"):
        granule.run(box(), tmp_path, threads=1, watch=lambda run, report: report.step < 30 or raise_(RuntimeError("enough")))
    part = granule.load(tmp_path)
    assert part.status == "interrupted" and part.summary["steps"] == 30
    with pytest.raises(RunError, match="resume=True"):
        granule.run(box(), tmp_path)
    with pytest.raises(RunError, match="changed"):
        granule.run(box(count=41), tmp_path, resume=True)
    whole = granule.run(box(), tmp_path, threads=2, resume=True)
    assert whole.status == "completed"
    ours, theirs = files(tmp_path), files(finished.path)
    assert "walls.vtp" in ours and ours == theirs
    # There is nothing left to do, and that is said by doing nothing.
    again = Run(box(), tmp_path, resume=True)
    assert again.complete and again.finished and list(again) == []
    assert again.finish()["steps"] == whole.summary["steps"] and "complete" in repr(again)
    longer = granule.run(box(), tmp_path, resume=True, end=0.35, threads=1)
    assert longer.summary["simulated_time"] == pytest.approx(0.35)


def raise_(error):
    raise error


def test_runs_are_acted_on_between_steps(tmp_path, finished):
    with Run(box(), tmp_path / "a", threads=1) as run:
        assert run.count == 40
        for report in run:
            run.apply_force([0.05, 0, 0])
            if report.step == 20:
                run.remove([0, 1])
    assert run.finished and "closed" in repr(run)
    with pytest.raises(RunError, match="granule.load"):
        run.positions
    frames = run.folder.frames
    assert len(frames[0].ids) == 40 and frames[-1].ids.tolist() == list(range(2, 40))
    pushed, alone = frames[-1].positions[:, 0], finished.frames[-1].positions[2:, 0]
    assert pushed.mean() > alone.mean() + 0.004
    with pytest.raises(ValueError, match="not both"):
        Run(box(), tmp_path / "a", resume=True, overwrite=True)
    replaced = granule.run(box(end=0.05), tmp_path / "a", overwrite=True)
    assert replaced.summary["steps"] == 10


def test_a_usual_folder_that_is_taken_gets_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second = granule.run(box(end=0.01)), granule.run(box(end=0.01))
    assert os.fspath(first.path) == os.path.join("runs", "box") and second.path.name == "box-2"


def test_what_is_read_is_what_was_written(finished):
    assert finished.name == "box" and finished.dimension == 3 and finished.materials == ["default"]
    assert finished.status == "completed" and finished.gravity.tolist() == [0, 0, -9.81]
    assert finished.scene == box() and finished.wall_names == ["box"]
    frames = finished.frames
    np.testing.assert_allclose(frames.times, np.arange(7) * 0.05, atol=1e-9)
    simulation = granule.Simulation(box(), threads=1)
    start, last = frames[0], frames[-1]
    np.testing.assert_array_equal(start.positions, simulation.positions)
    simulation.run()
    np.testing.assert_array_equal(last.positions, simulation.positions)
    np.testing.assert_array_equal(last.velocities, simulation.velocities)
    np.testing.assert_array_equal(last.angular_velocities, simulation.angular_velocities)
    np.testing.assert_array_equal(last.orientations, simulation.orientations)
    np.testing.assert_array_equal(last.masses, simulation.masses)
    contacts, live = last.contacts, simulation.contacts.active
    assert len(contacts) == len(live) > 20
    order = lambda c: np.lexsort((c.point[:, 0], c.body_b, c.body_a))  # noqa: E731
    np.testing.assert_allclose(contacts.force[order(contacts)], live.force[order(live)], rtol=1e-9, atol=1e-12)
    assert [frame.number for frame in frames[2:4]] == [2, 3] and frames.at(0.12).number == 2
    assert last.walls[0].name == "box" and last.walls[0].triangles.max() < len(last.walls[0].points)
    for wrong in (7, -8):
        with pytest.raises(IndexError, match="there are 7"):
            frames[wrong]


def test_folders_and_frames_go_to_other_processes(finished):
    folder, frame = pickle.loads(pickle.dumps((finished, finished.frames[2])))
    assert folder.path == finished.path and folder.status == "completed"
    np.testing.assert_array_equal(frame.positions, finished.frames[2].positions)


def test_series_have_names_units_and_rows(finished):
    series = finished.series
    assert series.rows == 60 and series.units["kinetic_energy"] == "J"
    assert series["time"][-1] == pytest.approx(0.3)
    with pytest.raises(KeyError, match="kinetic_energy"):
        series["kinetic_enrgy"]
    pandas = pytest.importorskip("pandas")
    table = series.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == 60
    assert len(finished.frames[-1].contacts.to_pandas()) == len(finished.frames[-1].contacts)


def test_a_run_that_goes_on_is_looked_at(tmp_path):
    with Run(box(), tmp_path, threads=1) as run:
        run.run(until=0.12)
        folder = granule.load(tmp_path)
        assert folder.status == "running" and folder.summary is None
        assert folder.live.end == 0.3 and folder.live.step <= run.steps and not folder.live.paused
        run.run(until=0.2)
        # Frames are written by a thread of their own.
        assert 2 <= len(folder.frames) <= 5
    assert len(folder.frames) == 5 and folder.status == "interrupted" and folder.live is None
    assert "interrupted" in repr(folder) and "data:image/png" in folder._repr_html_()


def wait_until(happened):
    """Waits for something that happens unless the test fails."""
    begun = time.monotonic()
    while not happened():
        assert time.monotonic() < begun + 60
        time.sleep(0.01)


def test_others_pause_and_stop_a_run(tmp_path):
    seen = []
    with Run(box(end=1000.0), tmp_path, threads=1) as run:
        folder = granule.load(tmp_path)

        def ask():
            folder.pause()
            wait_until(lambda: folder.status == "paused")
            for _ in range(2):
                seen.append(folder.live.step)
                time.sleep(0.2)
            folder.go_on()
            wait_until(lambda: folder.live.step > seen[0])
            folder.stop()

        other = threading.Thread(target=ask)
        other.start()
        run.run()
        other.join()
        assert seen[0] == seen[1] < run.steps and not run.finished
        # Also who takes the steps one by one is told.
        assert list(run) == []
    assert folder.status == "interrupted" and folder.summary["steps"] == run.folder.series.rows


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_run_that_was_killed_does_not_look_alive(tmp_path):
    process = started(f"granule.run(box(end=1000.0), {str(tmp_path)!r}, threads=1)")
    wait_until((tmp_path / "frames" / "bodies_000002.vtp").exists)
    folder = granule.load(tmp_path)
    assert folder.status == "running" and folder.live.end == 1000.0
    process.kill()
    process.communicate()
    assert folder.status == "killed" and folder.live is None
    end = folder.series["time"][-1] + 0.05
    assert granule.run(box(end=1000.0), tmp_path, resume=True, end=end, threads=1).status == "completed"


def forked(run, answer):
    """What a process does that has been forked."""
    for use in (run.step, run.finish):
        try:
            use()
            answer.put(None)
        except RunError as error:
            answer.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_run_belongs_to_the_process_that_opened_it(tmp_path):
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    with Run(box(), tmp_path, threads=1) as run:
        run.step()
        process = context.Process(target=forked, args=(run, answer), daemon=True)
        process.start()
        process.join(60)
        assert process.exitcode == 0 and all("forked" in answer.get() for _ in range(2))
        run.run()
    assert run.folder.status == "completed"


def test_measures_with_files_are_read(tmp_path):
    measure = {"name": "bed", "profile": {"region": {"box": {"min": [-0.1, -0.1, 0], "max": [0.1, 0.1, 0.2]}}, "axis": [0, 0, 1], "bins": 4}}
    run = granule.run(box(end=0.05, measures=[measure]), tmp_path)
    bed = run.measures["bed"]
    assert bed.rows == 4 * 1 and bed.units["density"] == "kg/m^3" and bed["time"][-1] == pytest.approx(0.05)


def test_no_run_is_said_so(tmp_path):
    with pytest.raises(ReadError, match="no run in"):
        granule.load(tmp_path)
    assert isinstance(ReadError(""), OSError)


def started(program):
    """A program of Python that has begun."""
    head = f"import sys; sys.path.insert(0, {str(ROOT / 'crates' / 'granule-py' / 'tests')!r})\n"
    head += "import granule\nfrom conftest import box\nprint('ready', flush=True)\n"
    process = subprocess.Popen([sys.executable, "-c", head + program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def interrupted(program, ready):
    """What a program of Python says that is sent SIGINT once something is ready."""
    process = started(program)
    while process.poll() is None and not ready():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)[1]


def later(seconds, happened):
    """Whether something happened so long ago."""
    seen = []

    def ready():
        if not seen and happened():
            seen.append(time.monotonic())
        return bool(seen) and time.monotonic() > seen[0] + seconds

    return ready


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_keeps_the_results(tmp_path):
    program = f"granule.run(box(end=1000.0), {str(tmp_path)!r}, threads=1)"
    told = interrupted(program, (tmp_path / "frames" / "bodies_000002.vtp").exists)
    assert "KeyboardInterrupt" in told
    run = granule.load(tmp_path)
    assert run.status == "interrupted" and run.summary["steps"] == run.series.rows > 0
    assert run.checkpoints[-1] == run.summary["steps"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_ctrl_c_breaks_off_a_step_and_a_solve_that_take_for_ever(tmp_path):
    # Steps so short come nowhere.
    endless = "{'method': 'pgd', 'step': 1e-12, 'max_iterations': 10**15}"
    program = f"granule.run(box(solver={endless}), {str(tmp_path)!r}, threads=1)"
    told = interrupted(program, later(2, (tmp_path / "frames" / "bodies_000000.vtp").exists))
    assert "KeyboardInterrupt" in told
    run = granule.load(tmp_path)
    assert run.status == "interrupted" and run.summary["steps"] < 60

    program = """
simulation = granule.Simulation(box(), threads=1)
simulation.run(0.25)
granule.solve(simulation.problem(), "pgd", tolerance=1e-300, max_iterations=10**15, threads=1)
"""
    assert "KeyboardInterrupt" in interrupted(program, later(3, lambda: True))


def test_progress_is_shown_with_tqdm_and_without(tmp_path, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    granule.run(box(end=0.05), tmp_path / "a", progress=True)
    assert "box" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    granule.run(box(end=0.05), tmp_path / "b", progress=True)
    assert "box:" in capsys.readouterr().err
    granule.run(box(end=0.05), tmp_path / "c")
    assert capsys.readouterr().err == ""
