"""A live plot: the energy of a run, and where its grains are, drawn while it goes on.

    python live_plot.py             # a window
    python live_plot.py energy.png  # a file that is written again and again

In a notebook call `main()`; the figure is shown anew in its cell.
"""

from __future__ import annotations

import sys

import matplotlib
import matplotlib.pyplot as plt

from granule import Scene, Simulation, StepReport, parts


def scene(count: int = 150, end: float = 1.0) -> Scene:
    """Disks fall into a tray."""
    return Scene(
        scene=parts.General(name="tray", dimension=2, gravity=[0, -9.81]),
        time=parts.Time(step=2e-3, end=end),
        solver=parts.Solver(tolerance=1e-3),
        contacts=parts.Contacts(law="coulomb", friction=0.4),
        walls=[parts.Wall(box=parts.BoxShape(size=[1.0, 2.0], open=["+y"]), position=[0, 1.0])],
        grains=[
            parts.Grains(
                random=parts.Random(count=count, region={"box": parts.BoxRegion(min=[-0.5, 0.0], max=[0.5, 1.8])}),
                radius={"uniform": [0.02, 0.03]},
            )
        ],
    )


class LivePlot:
    """Draws a simulation every so many steps; give it to `run` as `watch`."""

    def __init__(self, every: int = 20, file: str | None = None) -> None:
        self.every = every
        self.file = file
        self.drawn = 0
        self.times: list[float] = []
        self.kinetic: list[float] = []
        self.figure, (self.curve, self.place) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        (self.line,) = self.curve.plot([], [])
        self.curve.set_xlabel("time, s")
        self.curve.set_ylabel("kinetic energy, J")
        self.place.set_aspect("equal")

    def __call__(self, simulation: Simulation, report: StepReport) -> None:
        """Notes the energy; draws if it is time to."""
        self.times.append(report.time)
        self.kinetic.append(report.kinetic_energy)
        if report.step % self.every:
            return
        self.line.set_data(self.times, self.kinetic)
        self.curve.relim()
        self.curve.autoscale_view()
        self.place.clear()
        x = simulation.positions
        self.place.scatter(x[:, 0], x[:, 1], s=8, c=simulation.velocities[:, 1])
        self.place.set_title(f"t = {report.time:.2f} s")
        self.drawn += 1
        if self.file:
            self.figure.savefig(self.file)
        elif matplotlib.is_interactive() or "inline" in matplotlib.get_backend():
            from IPython.display import clear_output, display

            clear_output(wait=True)
            display(self.figure)
        else:
            plt.pause(0.001)


def main(file: str | None = None, count: int = 150, end: float = 1.0) -> LivePlot:
    """Runs the tray and draws it."""
    if file:
        matplotlib.use("Agg")
    plot = LivePlot(file=file)
    Simulation(scene(count, end), threads=1).run(watch=plot)
    return plot


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
