"""A digger as an environment in the manner of Gymnasium: reset, step, observation, reward.

    python digger_env.py

The boom, arm and bucket of `scenes/digger.toml` dig in a box of grains. An action is three speeds; an observation is how the joints
are turned, what their motors exert, where the bucket is, and how much is in it; the reward is what the bucket lifts. The class needs
no package but this one: with gymnasium installed, `gymnasium.Env` is its base and its spaces are there, so that agents can be trained.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from granule import Scene, Simulation

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment]

JOINTS = ("boom", "arm", "bucket")
FASTEST = np.array([1.0, 1.2, 2.0])  # rad/s
STRENGTH = np.array([6000.0, 3000.0, 1500.0])  # N m
REACH = 4.0  # m from the origin, which no part of the machine gets to
HEAVIEST = 0.25  # kg, which no grain has
SCENE = Path(__file__).resolve().parents[3] / "scenes" / "digger.toml"


class DiggerEnv(gymnasium.Env if gymnasium else object):  # type: ignore[misc]
    """A digger in grains.

    Args:
        grains: How many grains there are.
        interval: Simulated time between two actions, s.
        episode: Simulated time of an episode, s.
        threads: Threads; one for each core if not given.
        render_mode: ``rgb_array``, or ``None`` where no pictures are wanted.

    An observation has 13 numbers: the sines of the three angles, their cosines, the motors' moments over their strengths, the
    position of the bucket (m), and what is in it (kg). ``info`` has the angles (rad), the time (s), and the load of the bucket (kg).
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        grains: int = 2500,
        interval: float = 0.05,
        episode: float = 3.0,
        threads: int | None = 1,
        render_mode: str | None = "rgb_array",
    ) -> None:
        self.interval, self.episode, self.threads, self.render_mode = interval, episode, threads, render_mode
        # The box is as deep as the grains need; motors hold speeds, which actions set.
        self.scene = Scene.load(
            SCENE,
            {
                "grains.0.random.count": grains,
                "motors": [{"joint": j, "speed": 0.0, "strength": float(s)} for j, s in zip(JOINTS, STRENGTH)],
                "time.end": 0.3 + 2 * episode,
                "time.step": 2.5e-3,
            },
        )
        self.settled: Simulation | None = None
        self.simulation: Simulation | None = None
        if gymnasium:
            self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
            high = np.concatenate([np.ones(9), np.full(3, REACH), [HEAVIEST * grains]]).astype(np.float32)
            low = np.append(-high[:-1], np.float32(0.0))
            self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Starts again from grains at rest; another seed lets other grains fall."""
        if gymnasium:
            super().reset(seed=seed)
        if self.settled is None or seed is not None:
            scene = self.scene if seed is None else self.scene.changed({"grains.0.seed": int(seed)})
            self.settled = Simulation(scene, threads=self.threads)
            self.settled.run(0.3)
        # The same state each time: a copy goes on with the same bits.
        self.simulation = self.settled.copy()
        self._started = self.simulation.time
        names = [self.simulation.body(name).id for name in JOINTS]
        self._grains = ~np.isin(self.simulation.ids, names)
        self._bucket = self.simulation.body("bucket")
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Drives the joints at speeds from -1 to 1 of the fastest ones for an interval."""
        simulation = self._running()
        before = self._lifted()
        speeds = FASTEST * np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        for name, speed in zip(JOINTS, speeds, strict=True):
            simulation.joints[name].drive(float(speed))
        simulation.run(simulation.time + self.interval)
        reward = self._lifted() - before
        over = simulation.time - self._started >= self.episode - 1e-9
        return self._observe(), reward, False, over, self._info()

    def _running(self) -> Simulation:
        if self.simulation is None:
            raise RuntimeError("call `reset` before `step`")
        return self.simulation

    def _inside(self) -> np.ndarray:
        """Which grains are in the bucket: near its middle, which hangs below its hinge in its own frame."""
        simulation = self._running()
        x, y, z, w = self._bucket.orientation
        down = -np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        middle = self._bucket.position + 0.02 * down
        near = np.linalg.norm(simulation.positions[self._grains] - middle, axis=1) < 0.17
        inside: np.ndarray = near
        return inside

    def _load(self) -> float:
        """What is in the bucket, kg."""
        return float(self._running().masses[self._grains][self._inside()].sum())

    def _lifted(self) -> float:
        """What the bucket holds times its height above the floor, kg m."""
        return self._load() * float(self._bucket.position[2])

    def _angles(self) -> np.ndarray:
        # Before its first step a simulation does not tell; the motors have held the joints where they were.
        return np.nan_to_num([self._running().joints[name].coordinate for name in JOINTS])

    def _info(self) -> dict[str, Any]:
        return {"time": self._running().time, "in_bucket": self._load(), "angles": self._angles()}

    def _observe(self) -> np.ndarray:
        angles = self._angles()
        # To the tolerance of a step a motor may exert more than its strength.
        efforts = np.clip([self._running().joints[name].effort / most for name, most in zip(JOINTS, STRENGTH)], -1.0, 1.0)
        seen = [np.sin(angles), np.cos(angles), efforts, self._bucket.position, [self._load()]]
        return np.concatenate(seen).astype(np.float32)

    def render(self) -> np.ndarray | None:
        """A picture as an array of bytes, of the shape (height, width, 3); nothing without a ``render_mode``."""
        if self.render_mode is None:
            return None
        import io

        from matplotlib.image import imread

        picture: np.ndarray = imread(io.BytesIO(self._running().picture(480, 360)), format="png")
        return (255 * picture[..., :3]).astype(np.uint8)


def dig(time: float) -> np.ndarray:
    """Speeds of a simple plan: down into the grains, towards the machine, up with a full bucket."""
    if time < 0.9:
        return np.array([0.57, 0.0, 0.0])
    if time < 1.5:
        return np.array([-0.2, 0.83, 0.42])
    return np.array([-0.67, 0.0, 1.0]) if time < 1.9 else np.array([-0.67, 0.0, 0.0])


def main(grains: int = 2500, episode: float = 1.9) -> tuple[float, list[float]]:
    """Digs once by plan; gives the sum of rewards and the loads of the bucket (kg)."""
    env = DiggerEnv(grains, episode=episode, threads=None)
    env.reset()
    total, loads, over = 0.0, [], False
    time = 0.3
    while not over:
        _, reward, _, over, info = env.step(dig(time))
        total, time = total + reward, info["time"]
        loads.append(info["in_bucket"])
    print(f"reward {total:.2f} kg m; {loads[-1]:.2f} kg in the bucket at {time:.2f} s, {max(loads):.2f} kg at most")
    return total, loads


if __name__ == "__main__":
    main()
