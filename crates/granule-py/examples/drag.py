"""A force of one's own: drag on falling balls, worked out in Python between steps.

    python drag.py

A ball of mass m under gravity g with the drag c v² falls at sqrt(m g / c) in the end, and at sqrt(m g / c) tanh(t sqrt(c g / m))
on the way.
"""

from __future__ import annotations

import numpy as np

from granule import Scene, Simulation, parts

DRAG = 0.02  # c, kg/m
GRAVITY = 9.81  # m/s²


def scene(step: float, end: float) -> Scene:
    """Balls of three sizes beside each other in the air."""
    return Scene(
        scene=parts.General(name="drag", gravity=[0, 0, -GRAVITY]),
        time=parts.Time(step=step, end=end),
        materials={"wood": parts.Material(density=600)},
        contacts=parts.Contacts(law="frictionless"),
        bodies=[
            parts.Body(sphere=parts.SphereShape(radius=radius), position=[x, 0, 100])
            for x, radius in [(-1, 0.03), (0, 0.05), (1, 0.07)]
        ],
    )


def main(step: float = 1e-3, end: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Lets them fall; gives their speeds and the exact ones, m/s."""
    simulation = Simulation(scene(step, end), threads=1)
    while not simulation.finished:
        velocities = simulation.velocities
        speeds = np.linalg.norm(velocities, axis=1, keepdims=True)
        simulation.apply_force(-DRAG * speeds * velocities)
        simulation.step()
    mass = simulation.masses
    last = np.sqrt(mass * GRAVITY / DRAG)
    exact = last * np.tanh(simulation.time * np.sqrt(DRAG * GRAVITY / mass))
    found = -simulation.velocities[:, 2]
    for one, other in zip(found, exact, strict=True):
        print(f"{one:.4f} m/s, exact {other:.4f} m/s")
    return found, exact


if __name__ == "__main__":
    main()
