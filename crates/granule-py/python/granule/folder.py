"""The folder of a run, read: nothing before it is asked for, so that a run that is going on can be looked at."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _granule
from .bodies import Contacts, Floats, Vector
from .measure import HeapProfile, heap_profile
from .scene import PathLike, Scene


class Series(Mapping[str, Floats]):
    """Columns of numbers by their names, with their units.

    Attributes:
        units: The unit of each column, SI.
    """

    def __init__(self, names: Sequence[str], units: Sequence[str], columns: Sequence[npt.NDArray[Any]]) -> None:
        self._columns = dict(zip(names, columns, strict=True))
        self.units = dict(zip(names, units, strict=True))

    def __getitem__(self, name: str) -> Floats:
        if name not in self._columns:
            raise KeyError(f"there is no column `{name}`; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self._columns.values()), []))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with a column for each."""
        import pandas

        return pandas.DataFrame(self._columns)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws columns over time with matplotlib, see :func:`granule.plot.series`."""
        from .plot import series

        return series(self, *names, ax=ax)

    def _repr_png_(self) -> bytes | None:
        from .plot import overview

        return overview(self) if "kinetic_energy" in self and self.rows else None

    def __repr__(self) -> str:
        return f"Series({self.rows} rows of {', '.join(self._columns)})"


@dataclass(frozen=True)
class Mesh:
    """A surface of triangles.

    Attributes:
        points: m, of the shape (n, 3).
        triangles: Indices of points, of the shape (m, 3).
        name: What the scene calls it.
    """

    points: Vector
    triangles: npt.NDArray[np.uint32]
    name: str | None = None


@dataclass(frozen=True)
class Live:
    """How far a run is that is going on.

    Attributes:
        paused: Whether it waits because it was asked to.
        step: Steps taken.
        time: Where it is, s.
        start: Where it began, s.
        end: Where it will end, s.
    """

    paused: bool
    step: int
    time: float
    start: float
    end: float


class Frame:
    """One frame of a run: bodies in the order of their ids, contacts, walls. It is read when it is first asked for."""

    def __init__(self, run: RunFolder, number: int, time: float) -> None:
        self.run = run
        self.number = number
        self.time = time

    @cached_property
    def _bodies(self) -> dict[str, npt.NDArray[Any]]:
        return self.run._folder.bodies(self.number)

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """The ids of the bodies, in increasing order."""
        return self._bodies["id"]

    @property
    def positions(self) -> Vector:
        """The centres of mass, m, of the shape (n, 3)."""
        return self._bodies["position"]

    @property
    def velocities(self) -> Vector:
        """m/s, of the shape (n, 3)."""
        return self._bodies["velocity"]

    @property
    def angular_velocities(self) -> Vector:
        """In the world's frame, rad/s, of the shape (n, 3)."""
        return self._bodies["angular_velocity"]

    @property
    def orientations(self) -> Vector:
        """Unit quaternions x, y, z, w, of the shape (n, 4)."""
        return self._bodies["orientation"]

    @property
    def radii(self) -> Floats:
        """m; of a body that is no sphere that of a sphere about its centre that holds it."""
        return self._bodies["radius"]

    @property
    def masses(self) -> Floats:
        """kg."""
        return self._bodies["mass"]

    @property
    def material_numbers(self) -> npt.NDArray[np.uint16]:
        """The materials, as places in :attr:`RunFolder.materials`."""
        return self._bodies["material"]

    @property
    def shapes(self) -> npt.NDArray[np.int64]:
        """-1 for a sphere, -2 for what only carries walls, or else a place in :attr:`RunFolder.solids`."""
        return self._bodies["shape"]

    @property
    def through(self) -> Vector:
        """How far bodies have come through the faces of a periodic cell, m; zero without one."""
        return self._bodies["through"]

    @cached_property
    def contacts(self) -> Contacts:
        """The contacts that carry a force."""
        return Contacts(**self.run._folder.contacts(self.number))

    @cached_property
    def walls(self) -> list[Mesh]:
        """The walls where they are then, as triangles."""
        return [Mesh(*wall) for wall in self.run._folder.walls(self.number)]

    def profile(self, which: Any = slice(None)) -> HeapProfile | None:
        """The profile of the heap, see :func:`granule.heap_profile`.

        Args:
            which: Which bodies, as an index into the arrays.
        """
        gravity = self.run.gravity
        up = -gravity if np.any(gravity) else np.array([0.0, 0.0, 1.0])
        return heap_profile(self.positions[which], self.radii[which], up, self.run.dimension)

    def picture(self, width: int = 800, height: int = 600, *, color: str = "speed", view: str | None = None) -> bytes:
        """The frame as a PNG picture; see :meth:`granule.Scene.picture`."""
        return self.run._folder.picture(self.number, width, height, color, view)

    def to_pyvista(self) -> Any:
        """A ``pyvista.MultiBlock``, see :func:`granule.convert.to_pyvista`."""
        from .convert import to_pyvista

        return to_pyvista(self)

    def to_meshio(self) -> Any:
        """A ``meshio.Mesh``, see :func:`granule.convert.to_meshio`."""
        from .convert import to_meshio

        return to_meshio(self)

    def to_trimesh(self) -> Any:
        """A ``trimesh.Scene``, see :func:`granule.convert.to_trimesh`."""
        from .convert import to_trimesh

        return to_trimesh(self)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def __repr__(self) -> str:
        return f"Frame({self.number} at {self.time:.6g} s of {str(self.run.path)!r})"


class Frames(Sequence[Frame]):
    """The frames of a run, in the order of time."""

    def __init__(self, run: RunFolder, times: Sequence[float]) -> None:
        self._run = run
        self.times: Floats = np.array(times, dtype=np.float64)

    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[Frame]: ...
    def __getitem__(self, number: int | slice) -> Frame | list[Frame]:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"there is no frame {number}: there are {len(self)}, counted from 0")
        return Frame(self._run, place, float(self.times[place]))

    def __len__(self) -> int:
        return len(self.times)

    def at(self, time: float) -> Frame:
        """The frame nearest to a time, s."""
        if not len(self):
            raise IndexError("there is no frame yet")
        return self[int(np.argmin(np.abs(self.times - time)))]

    def __repr__(self) -> str:
        span = f" from {self.times[0]:.4g} s to {self.times[-1]:.4g} s" if len(self) else ""
        return f"Frames({len(self)}{span})"


class RunFolder:
    """The folder of a run, finished or going on. See :func:`granule.load`."""

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        self._folder = _granule.Folder(self.path)

    @property
    def frames(self) -> Frames:
        """The frames that there are now; each is read when it is looked at."""
        return Frames(self, self._folder.times())

    @property
    def series(self) -> Series:
        """The numbers of every step so far."""
        return Series(*self._folder.series())

    @property
    def summary(self) -> dict[str, Any] | None:
        """What happened; ``None`` while the run goes on, and after one that was killed."""
        words = self._folder.summary()
        return None if words is None else json.loads(words)

    @property
    def status(self) -> str:
        """``completed``, ``interrupted`` or ``failed``; ``running`` or ``paused`` while it goes on; ``killed`` where it came to no end."""
        summary = self.summary
        if summary is not None:
            return str(summary["status"])
        live = self.live
        if live is None:
            # It may have ended just now.
            summary = self.summary
            return "killed" if summary is None else str(summary["status"])
        return "paused" if live.paused else "running"

    @property
    def live(self) -> Live | None:
        """How far the run is, while it goes on in this or another program; ``None`` if it does not."""
        live = self._folder.live()
        return None if live is None else Live(*live)

    def pause(self) -> None:
        """Asks the run that goes on here to wait; :meth:`go_on` ends that."""
        self._folder.ask("pause")

    def go_on(self) -> None:
        """Asks the run that waits here to go on."""
        self._folder.ask("go on")

    def stop(self) -> None:
        """Asks the run that goes on here to end after the step that it is in: results are kept, and it can be resumed."""
        self._folder.ask("stop")

    @property
    def scene(self) -> Scene:
        """The scene as it was run, defaults filled in."""
        return Scene.load(self.path / "scene.toml")

    @cached_property
    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self._folder.record_json())
        return record

    @property
    def name(self) -> str:
        """The name of the scene."""
        return str(self._record["scene"])

    @property
    def dimension(self) -> int:
        """1, 2 or 3."""
        return int(self._record["dimension"])

    @property
    def gravity(self) -> Vector:
        """m/s²."""
        return np.array(self._record["gravity"], dtype=np.float64)

    @property
    def materials(self) -> list[str]:
        """The names of the materials."""
        return list(self._record["materials"])

    @property
    def wall_names(self) -> list[str]:
        """The names of the walls, by their numbers; ``walls[NUMBER]`` for those without one."""
        return [wall["name"] or f"walls[{k}]" for k, wall in enumerate(self._record["walls"])]

    @cached_property
    def solids(self) -> list[Mesh]:
        """The shapes of bodies that are no spheres, in their own frames, as triangles."""
        return [Mesh(*solid) for solid in self._folder.solids(24)]

    @property
    def measures(self) -> dict[str, Series]:
        """The measures that have files of their own, by their names."""
        return {path.stem: _read_csv(path) for path in sorted((self.path / "measures").glob("*.csv"))}

    @property
    def checkpoints(self) -> list[int]:
        """The steps after which there is a checkpoint."""
        return self._folder.checkpoints()

    def __reduce__(self) -> tuple[Any, ...]:
        return RunFolder, (self.path,)

    def _repr_html_(self) -> str:
        from ._display import picture_beside_table

        facts: dict[str, object] = {"folder": self.path, "status": self.status}
        summary = self.summary
        if summary is not None:
            facts["steps"] = summary["steps"]
            facts["time"] = f"{summary['simulated_time']:.6g} s in {summary['wall_seconds']:.3g} s"
            facts["bodies"] = summary["bodies"]
            facts["not certified"] = f"{summary['failed_steps']} of {summary['steps']} steps"
            facts["worst residual"] = f"{summary['certificate']['worst_residual']:.2e} m/s"
        frames = self.frames
        if not len(frames):
            from ._display import table

            return table(facts)
        return picture_beside_table(f"Run of {self.name}", facts, frames[-1].picture(480, 360))

    def __repr__(self) -> str:
        return f"RunFolder({str(self.path)!r}, {self.name}, {self.status}, {len(self.frames)} frames)"


def _read_csv(path: Path) -> Series:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if not rows:
        return Series([], [], [])
    heads = [head.partition("[") for head in rows[0]]

    def number(cell: str) -> float:
        return float(cell) if cell else float("nan")

    columns = [np.array([number(row[k]) for row in rows[1:]]) for k in range(len(heads))]
    return Series([head[0] for head in heads], [head[2].rstrip("]") for head in heads], columns)


def load(path: PathLike) -> RunFolder:
    """Opens the folder of a run, finished or going on, of this package or of the command. Nothing is read yet.

    Args:
        path: The folder.

    Raises:
        ReadError: If there is no run in it.
    """
    return RunFolder(path)
