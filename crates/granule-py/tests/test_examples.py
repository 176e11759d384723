"""The examples do what they say, small enough for a moment each."""

import warnings

import numpy as np
import pytest


def test_a_hopper_runs_faster_through_a_larger_opening(tmp_path):
    import hopper_study

    table = hopper_study.main(openings=(0.009, 0.0115), count=300, end=0.5, out=tmp_path)
    small, large = table["flow"]
    # Beverloo: (17.4 / 12.4)^2.5 = 2.3; a few hundred grains are rough.
    assert small > 0 and 1.3 < large / small < 3.5


def test_balls_fall_as_drag_lets_them():
    import drag

    found, exact = drag.main(step=2e-3, end=1.0)
    np.testing.assert_allclose(found, exact, rtol=5e-3)
    finer, exact = drag.main(step=1e-3, end=1.0)
    # Of first order in the step.
    assert np.all(np.abs(finer - exact) < 0.6 * np.abs(found - exact))


def test_the_friction_of_a_heap_is_found_again():
    pytest.importorskip("scipy")
    import calibrate_repose

    friction, slope, wanted = calibrate_repose.main(seeds=(1, 2), count=50, tries=7)
    assert abs(slope - wanted) < 0.5 and 0.02 < friction < 0.4
    assert calibrate_repose.slopes(0.02, (1,), 50)[0] < wanted - 1.5


def test_solvers_agree_on_problems_of_files(tmp_path):
    import compare_problems

    files = []
    for k, problem in enumerate(compare_problems.own_problems(count=30, steps=(20, 40))):
        files.append(str(tmp_path / f"{k}.hdf5"))
        problem.save(files[-1])
    table = compare_problems.main(files)
    assert table["solved"] == [2] * 4 and max(table["worst error"]) <= 1e-6
    assert min(table["median time over the fastest"]) >= 1


def test_a_plot_is_drawn_while_the_run_goes_on(tmp_path):
    pytest.importorskip("matplotlib")
    import live_plot

    drawn = live_plot.main(str(tmp_path / "live.png"), count=40, end=0.2)
    assert drawn.drawn == 5 and len(drawn.times) == 100
    assert (tmp_path / "live.png").read_bytes().startswith(b"\x89PNG")


def test_a_controller_keeps_the_speed_of_a_stirrer():
    import machine

    speeds, moments = machine.main(count=80, end=2.4)
    # Grains jam and give way: means over 0.16 s lie between 3.4 and 4.3 rad/s.
    late = slice(-800, None)
    assert np.mean(speeds[late]) == pytest.approx(4.0, rel=0.1)
    # Grains resist: it takes a moment to go on.
    assert np.mean(moments[late]) > 0.05


def test_the_digger_is_an_environment():
    import digger_env

    env = digger_env.DiggerEnv(grains=150, episode=0.2)
    first, _ = env.reset()
    assert first.shape == (13,) and np.all(np.isfinite(first))
    rewards, angles, over = [], [], False
    while not over:
        seen, reward, ended, over, info = env.step([1.0, 0.0, 0.0])
        rewards.append(reward)
        angles.append(info["angles"][0])
        assert seen[0] == pytest.approx(np.sin(angles[-1]), rel=1e-6)
        assert not ended
    assert len(rewards) == 4 and info["time"] == pytest.approx(0.5)
    # Once it has that speed, the boom goes down as it was told to, at 1 rad/s.
    np.testing.assert_allclose(np.diff(angles), 0.05, rtol=1e-3)
    again, _ = env.reset()
    np.testing.assert_array_equal(again, first)
    for reward in rewards:
        assert env.step([1.0, 0.0, 0.0])[1] == reward
    pytest.importorskip("matplotlib")
    assert env.render().shape == (360, 480, 3)


def test_gymnasium_has_nothing_to_say_against_the_digger():
    pytest.importorskip("gymnasium")
    pytest.importorskip("matplotlib")
    import digger_env
    from gymnasium.utils.env_checker import check_env

    env = digger_env.DiggerEnv(grains=100, interval=0.01, episode=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Only environments that are registered have their other ways of drawing tried.
        warnings.filterwarnings("ignore", message=".*alternative render modes")
        check_env(env)
    # Agents of any kind act at random first.
    env.reset(seed=7)
    over = False
    while not over:
        seen, reward, _, over, _ = env.step(env.action_space.sample())
        assert env.observation_space.contains(seen) and np.isfinite(reward)
    assert digger_env.DiggerEnv(grains=100, render_mode=None).render() is None
