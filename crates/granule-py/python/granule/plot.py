"""Pictures with matplotlib. Each function draws into ``ax``, or into axes of its own, and gives the axes.

Axes of their own belong to a figure of ``matplotlib.pyplot``, as those of other packages: notebooks show it, in a script
``pyplot.show()`` does, and ``axes.figure.savefig(FILE)`` writes it.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .bodies import Contacts
    from .folder import Frame, RunFolder, Series
    from .measure import HeapProfile
    from .simulation import Simulation
    from .study import Table

_ENERGIES = ("kinetic_energy", "potential_energy", "elastic_energy")
_AXES = {"x": 0, "y": 1, "z": 2}


def _axes(ax: Any, **size: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.figure(figsize=size.get("figsize", (7.0, 4.0)), layout="constrained").add_subplot()


def as_png(ax: Any) -> bytes:
    """The figure of some axes as the bytes of a PNG file."""
    stream = io.BytesIO()
    ax.figure.savefig(stream, format="png", dpi=100)
    return stream.getvalue()


def _label(name: str, unit: str) -> str:
    words = name.replace("_", " ")
    return words if unit in ("", "-") else f"{words}, {unit}"


def series(series: Series, *names: str, ax: Any = None) -> Any:
    """Columns of a series over time.

    Args:
        series: The series of a run.
        names: Which columns; their units should agree.
        ax: The axes; new ones if not given.
    """
    ax = _axes(ax)
    for name in names:
        ax.plot(series["time"], series[name], label=_label(name, series.units[name]))
    ax.set_xlabel("time, s")
    if len(names) == 1:
        ax.set_ylabel(_label(names[0], series.units[names[0]]))
    elif names:
        units = {series.units[name] for name in names}
        if len(units) == 1 and units != {"-"}:
            ax.set_ylabel(units.pop())
        ax.legend(frameon=False)
    return ax


def overview(columns: Series) -> bytes:
    """Energies and contacts of a series over time, side by side, as the bytes of a PNG file."""
    from matplotlib.figure import Figure

    # What a notebook shows is in no list of open figures.
    left, right = Figure(figsize=(10.0, 3.5), layout="constrained").subplots(1, 2)
    for ax, names in ((left, _ENERGIES[:2]), (right, ("contacts", "active"))):
        series(columns, *(name for name in names if name in columns), ax=ax)
    return as_png(left)


def energy(run: RunFolder, ax: Any = None) -> Any:
    """The energies of a run over time, and what contacts have dissipated so far, J."""
    columns = run.series
    # Where nothing is stored in contacts there is no line for it.
    names = [name for name in _ENERGIES if name in columns and np.any(columns[name] != 0)]
    ax = series(columns, *names, ax=ax)
    if "dissipation" in columns:
        ax.plot(columns["time"], np.cumsum(columns["dissipation"]), label="dissipated so far, J")
        ax.legend(frameon=False)
    ax.set_ylabel("energy, J")
    ax.set_title(f"Energy of {run.name}")
    return ax


def forces(run: RunFolder, *walls: str, ax: Any = None) -> Any:
    """The force on walls over time, N: on those that the scene records (``forces_on`` of ``[output]``).

    Args:
        run: The run.
        walls: Which of them; all that are recorded if not given.
        ax: The axes; new ones if not given.
    """
    columns = run.series
    ends = ("_force_x", "_force_y", "_force_z")
    recorded = list(dict.fromkeys(name.removesuffix(ends[0]) for name in columns if name.endswith(ends[0])))
    chosen = list(walls) or recorded
    if not chosen:
        raise ValueError('the run records no force: name walls in `forces_on` of `[output]` of the scene')
    ax = _axes(ax)
    for wall in chosen:
        if wall not in recorded:
            raise KeyError(f"there is no force on `{wall}`; there are those on {', '.join(recorded) or 'none'}")
        parts = [columns[wall + end] for end in ends if wall + end in columns]
        ax.plot(columns["time"], np.sqrt(sum(part**2 for part in parts)), label=wall)
    ax.set_xlabel("time, s")
    ax.set_ylabel("force, N")
    ax.legend(frameon=False)
    ax.set_title(f"Forces of {run.name}")
    return ax


def profile(profile: HeapProfile, ax: Any = None) -> Any:
    """The height of a heap over the distance from its axis, m, to scale."""
    ax = _axes(ax)
    ax.plot(profile.distance, profile.height, drawstyle="steps-mid")
    ax.set_aspect("equal")
    ax.set_xlabel("distance from the axis, m")
    ax.set_ylabel("height, m")
    ax.set_title(f"Angle of repose {profile.angle:.1f}°" if profile.angle is not None else "No flank to measure")
    return ax


def _along(plane: str) -> tuple[int, int]:
    if len(plane) != 2 or plane[0] == plane[1] or not set(plane) <= set(_AXES):
        raise ValueError(f"`plane` is two of x, y and z, as in `xz`, not `{plane}`")
    return _AXES[plane[0]], _AXES[plane[1]]


def force_network(
    state: Simulation | Frame, ax: Any = None, *, plane: str | None = None, width: float = 6.0, bodies: bool = True
) -> Any:
    """The network of normal forces: a line for each contact, as wide as its force, from body to body or to the wall.

    Args:
        state: A simulation after a step, or a frame of a run with contacts.
        ax: The axes; new ones if not given.
        plane: What is looked at: ``xz`` in space, ``xy`` in a plane if not given.
        width: The width of the largest force, points.
        bodies: Whether outlines of the bodies are drawn.
    """
    from matplotlib.collections import EllipseCollection, LineCollection

    contacts: Contacts = state.contacts.active
    positions, radii, ids = state.positions, state.radii, state.ids
    flat = not np.any(positions[:, 2])
    across, up = _along(plane or ("xy" if flat else "xz"))
    ax = _axes(ax, figsize=(7.0, 6.0))
    if bodies and len(radii):
        sizes = 2 * radii
        outlines = EllipseCollection(
            sizes, sizes, np.zeros_like(sizes), units="xy", offsets=positions[:, [across, up]],
            transOffset=ax.transData, facecolors="none", edgecolors="0.8", linewidths=0.5,
        )  # fmt: skip
        ax.add_collection(outlines)
    starts = positions[np.searchsorted(ids, contacts.body_a)]
    ends = np.array(contacts.point)
    between = contacts.body_b >= 0
    ends[between] = positions[np.searchsorted(ids, contacts.body_b[between])]
    force = contacts.normal_force
    if len(force):
        lines = np.stack([starts[:, [across, up]], ends[:, [across, up]]], axis=1)
        weakest_first = np.argsort(force)
        drawn = LineCollection(
            list(lines[weakest_first]),
            linewidths=width * np.abs(force[weakest_first]) / np.abs(force).max(),
            array=force[weakest_first],
            cmap="inferno_r",
            capstyle="round",
        )
        ax.add_collection(drawn)
        ax.figure.colorbar(drawn, ax=ax, label="normal force, N", shrink=0.8)
    if len(radii):
        low = (positions - radii[:, None]).min(axis=0)
        high = (positions + radii[:, None]).max(axis=0)
        margin = 0.02 * float(np.max(high - low))
        ax.set_xlim(low[across] - margin, high[across] + margin)
        ax.set_ylim(low[up] - margin, high[up] + margin)
    ax.set_aspect("equal")
    ax.set_xlabel(f"{'xyz'[across]}, m")
    ax.set_ylabel(f"{'xyz'[up]}, m")
    return ax


def table(table: Table, x: str, y: str, ax: Any = None) -> Any:
    """One column of a study over another.

    Args:
        table: The table of the study.
        x: The name of the column across.
        y: The name of the column up.
        ax: The axes; new ones if not given.
    """
    ax = _axes(ax)
    points = sorted(zip(table[x], table[y], strict=True))
    ax.plot([point[0] for point in points], [point[1] for point in points], "o-")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax
