"""A machine in grains with a controller in Python: a paddle on a hinge stirs a box of grains at a wanted speed.

    python machine.py

The motor is one of force (a moment, N m); a PI controller in Python sets it before each step from the speed that it reads. The
grains resist, and the controller learns what moment it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granule import Scene, Simulation, parts


def scene(count: int = 250, end: float = 2.0) -> Scene:
    """A paddle in a box of grains, on a hinge along z."""
    return Scene(
        scene=parts.General(name="stirrer"),
        time=parts.Time(step=2e-3, end=end),
        solver=parts.Solver(tolerance=1e-3),
        materials={"grain": parts.Material(density=1500), "steel": parts.Material(density=7800)},
        contacts=parts.Contacts(law="coulomb", friction=0.4),
        walls=[
            parts.Wall(box=parts.BoxShape(size=[0.3, 0.3, 0.3], open=["+z"]), position=[0, 0, 0.15], material="grain")
        ],
        grains=[
            parts.Grains(
                random=parts.Random(
                    count=count, region={"box": parts.BoxRegion(min=[-0.15, -0.15, 0.02], max=[0.15, 0.15, 0.28])}
                ),
                radius={"uniform": [0.012, 0.016]},
                material="grain",
                seed=3,
            )
        ],
        bodies=[
            parts.Body(
                name="paddle", box=parts.BoxSolid(size=[0.2, 0.01, 0.06]), position=[0, 0, 0.04], material="steel"
            )
        ],
        joints=[
            parts.Joint(name="shaft", kind="hinge", between=["paddle", "ground"], position=[0, 0, 0.04], axis=[0, 0, 1])
        ],
        motors=[parts.Motor(joint="shaft", force=0.0)],
    )


@dataclass
class Controller:
    """Sets the moment for a speed: a part in proportion to what is missing, and one to its sum over time."""

    proportional: float = 0.3  # N m s/rad
    integral: float = 3.0  # N m/rad
    most: float = 5.0  # N m
    missed: float = 0.0  # rad

    def __call__(self, wanted: float, found: float, step: float) -> float:
        """The moment, N m, for the speeds, rad/s."""
        self.missed += (wanted - found) * step
        moment = self.proportional * (wanted - found) + self.integral * self.missed
        return float(np.clip(moment, -self.most, self.most))


def main(count: int = 250, end: float = 2.0, wanted: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    """Stirs; gives the speeds (rad/s) and moments (N m) of all steps."""
    simulation = Simulation(scene(count, end), threads=1)
    paddle, shaft, control = simulation.body("paddle"), simulation.joints["shaft"], Controller()
    speeds, moments = [], []
    while not simulation.finished:
        speed = paddle.angular_velocity[2]
        moment = control(wanted, speed, 2e-3)
        shaft.drive(moment)
        simulation.step()
        speeds.append(speed)
        moments.append(moment)
    late = slice(-len(speeds) // 4, None)
    print(f"{np.mean(speeds[late]):.3f} rad/s where {wanted} is wanted, with {np.mean(moments[late]):.3f} N m")
    return np.array(speeds), np.array(moments)


if __name__ == "__main__":
    main()
