"""Calibration: which friction makes a heap of disks as steep as one that was measured?

    python calibrate_repose.py

A column of disks collapses on a rough floor; the slope of the heap that is left grows with the friction between the disks. An
optimiser of scipy finds the friction. One heap of a few hundred disks is a noisy thing to optimise, so the slope is a mean over a
few heaps that differ in their random numbers, always the same ones. How much they scatter says how well the friction is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar

from granule import Scene, Simulation, parts

RADIUS = 0.01  # m


def scene(friction: float, seed: int, count: int = 150) -> Scene:
    """A column of disks on a floor to which its lowest disks hold."""
    return Scene(
        scene=parts.General(name="repose", dimension=2, gravity=[0, -9.81]),
        time=parts.Time(step=4e-3, end=1.2),
        solver=parts.Solver(method="ags", tolerance=1e-3),
        materials={"disk": parts.Material(density=1000), "floor": parts.Material(density=1000)},
        contacts=parts.Contacts(
            law="coulomb",
            friction=friction,
            rolling_friction=0.05 * RADIUS,
            pairs=[parts.Pair(between=["disk", "floor"], friction=0.9, rolling_friction=0.3 * RADIUS)],
        ),
        walls=[parts.Wall(half_space=parts.HalfSpaceShape(normal=[0, 1]), material="floor")],
        grains=[
            parts.Grains(
                random=parts.Random(
                    count=count,
                    region={"box": parts.BoxRegion(min=[-8 * RADIUS, 0], max=[8 * RADIUS, 0.34 * count * RADIUS])},
                ),
                radius={"uniform": [0.8 * RADIUS, RADIUS]},
                material="disk",
                seed=seed,
            )
        ],
    )


SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)


def slopes(friction: float, seeds: Sequence[int] = SEEDS, count: int = 150) -> np.ndarray:
    """The slopes of heaps, degrees: of each twice its height over its width, of the disks that lie together."""
    found = []
    for seed in seeds:
        simulation = Simulation(scene(friction, seed, count), threads=1)
        simulation.run()
        x, y = simulation.positions[:, 0], simulation.positions[:, 1]
        # A heap that is a triangle has its centre of mass at a third of its height, and the mean of |x| at a third of its half-width.
        found.append(math.degrees(math.atan(np.mean(y - RADIUS) / np.mean(np.abs(x - np.mean(x))))))
    return np.array(found)


def main(
    target: float | None = None, seeds: Sequence[int] = SEEDS, count: int = 150, tries: int = 12
) -> tuple[float, float, float]:
    """Finds the friction for a slope (degrees); without one the slope is that of heaps with friction 0.15, to be found again."""
    wanted = float(np.mean(slopes(0.15, seeds, count))) if target is None else target
    tried: dict[float, float] = {}

    def miss(friction: float) -> float:
        tried[friction] = float(np.mean(slopes(friction, seeds, count)))
        print(f"friction {friction:.4f}: {tried[friction]:.2f}°, wanted {wanted:.2f}°")
        return (tried[friction] - wanted) ** 2

    minimize_scalar(miss, bounds=(0.02, 0.4), method="bounded", options={"maxiter": tries, "xatol": 5e-3})
    best = min(tried, key=lambda friction: abs(tried[friction] - wanted))
    error = float(np.std(slopes(best, seeds, count)) / np.sqrt(len(seeds)))
    print(f"friction {best:.3f} makes {tried[best]:.2f}°; a mean of {len(seeds)} heaps is known to {error:.2f}°")
    return best, tried[best], wanted


if __name__ == "__main__":
    main()
