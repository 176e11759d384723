"""Simulations: scenes that are stepped, looked at, and acted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _granule, _toml
from ._granule import Certificate, StepReport
from .bodies import Body, Contacts, Floats, Ids, Joints, Vector, WallLoad
from .errors import StepError
from .scene import Scene, SceneLike, scene_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from . import parts
    from .problem import Problem

Watch = Callable[["Simulation", StepReport], object]

# How long the engine works before Python gets a look at Ctrl-C and progress, s.
_PATIENCE = 0.05


def _rows(name: str, value: npt.ArrayLike, count: int, columns: int = 3) -> Vector:
    """A row for each body, from as many or from one for all."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((columns,), (1, columns), (count, columns)):
        rows = f"of the shape ({count}, {columns}), a row for each body, or ({columns},) for all" if count > 1 else f"{columns} numbers"
        raise ValueError(f"`{name}` must be {rows}, not of the shape {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, (count, columns)))


def _numbers(name: str, value: npt.ArrayLike, count: int) -> Floats:
    """A number for each body, from as many or from one for all."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in ((), (1,), (count,)):
        raise ValueError(f"`{name}` must be {count} numbers, one for each body, or one for all, not of the shape {array.shape}")
    return np.broadcast_to(array, (count,))


class Simulation:
    """A scene being simulated, in memory. See :class:`granule.Run` for one that writes a folder.

    Arrays of bodies are in the order of their ids, whatever comes and goes. They are copies, and cannot be written to: the
    engine puts bodies into another order in memory as they move, so there is no array of it that could be looked at. To set
    something, use :meth:`set`.

    While steps are taken Python's lock is free. One thread at a time uses a simulation; others wait for the end of its step.

    Args:
        scene: The scene, a dictionary of its sections, or its file.
        end: The time to stop at, s, instead of the scene's.
        threads: Threads; one for each core if not given. The result does not depend on it.

    Example::

        simulation = granule.Simulation(granule.Scene.load("scenes/pile.toml"))
        while not simulation.finished:
            report = simulation.step()
        print(simulation.positions[:, 2].max())
    """

    def __init__(self, scene: SceneLike, *, end: float | None = None, threads: int | None = None) -> None:
        self.scene = scene_of(scene)
        self._start(_granule.Engine.free(self.scene._engine, end, threads))

    def _start(self, engine: _granule.Engine) -> None:
        self._engine = engine
        self._report: StepReport | None = None
        self._names: dict[str, int] | None = None

    # Steps

    def step(self) -> StepReport:
        """Takes a step.

        Raises:
            StepError: If it cannot be taken, or the end is reached; the state is then as before.
        """
        _, report = self._engine.advance(1, None, float("inf"))
        if report is None:
            raise StepError(f"the end, {self.end} s, is reached; ask `finished` before each step, or set a later end")
        self._report = report
        return report

    def run(
        self, until: float | None = None, *, steps: int | None = None, watch: Watch | None = None, progress: bool = False
    ) -> StepReport | None:
        """Takes steps up to the end, a time, or a number.

        Ctrl-C stops it, also within a step, which then counts as not taken: the state is that of the last one.

        Args:
            until: A time to stop at, s.
            steps: How many steps to take at most.
            watch: Called after each step with the simulation and the report; if it gives ``False``, no more steps are taken.
            progress: Whether to show a bar (with tqdm where that is installed).

        Returns:
            The report on the last step; ``None`` if there was nothing to do.
        """
        last = None
        for last in self._reports(until, steps, 1 if watch else None, progress):
            if watch is not None and watch(self, last) is False:
                break
        return last

    def _reports(
        self, until: float | None, steps: int | None, at_once: int | None, progress: bool
    ) -> Iterator[StepReport]:
        from ._progress import bar

        left = steps
        goal = self.end if until is None else min(until, self.end)
        with bar(self.scene.name, self.time, goal, progress) as tell:
            while (left is None or left > 0) and not self._engine.stopped:
                most = left if at_once is None else at_once
                taken, report = self._engine.advance(most, until, _PATIENCE)
                if report is None:
                    break
                self._report = report
                left = None if left is None else left - taken
                tell(report)
                yield report

    def __iter__(self) -> Iterator[StepReport]:
        """Takes a step each time: ``for report in simulation``."""
        return self._reports(None, None, 1, False)

    @property
    def time(self) -> float:
        """The time reached, s."""
        return self._engine.time

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        return self._engine.steps

    @property
    def end(self) -> float:
        """The time to stop at, s."""
        return self._engine.end

    @property
    def step_size(self) -> float:
        """The length of the last step, s; zero before the first."""
        return self._engine.step_size

    @property
    def finished(self) -> bool:
        """Whether the end is reached."""
        return self._engine.finished

    @property
    def threads(self) -> int:
        """How many threads it works on."""
        return self._engine.threads

    @property
    def report(self) -> StepReport | None:
        """The report on the last step; ``None`` before the first."""
        return self._report

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the last step; ``None`` before the first."""
        return None if self._report is None else self._report.certificate

    @property
    def infeasible(self) -> str | None:
        """Who left each other no room in the last step, where the scene says to go on all the same."""
        return self._engine.infeasible()

    @property
    def stage_seconds(self) -> dict[str, float]:
        """The time spent in each stage of the steps so far, s."""
        return dict(self._engine.stage_seconds())

    # Bodies

    def _read(self, name: str) -> npt.NDArray[Any]:
        array = self._engine.read(name)
        array.setflags(write=False)
        return array

    def _row(self, ids: Any) -> Any:
        known = self.ids
        rows = np.searchsorted(known, ids)
        if np.any(rows >= len(known)) or np.any(known[np.minimum(rows, len(known) - 1)] != ids):
            raise KeyError(f"there is no body with the id {ids}; `ids` has those that are there")
        return rows

    def _to_ids(self, ids: Ids | None) -> npt.NDArray[np.uint32]:
        if ids is None:
            return self.ids
        numbers = np.atleast_1d(np.asarray(ids))
        if numbers.dtype == bool:
            chosen: npt.NDArray[np.uint32] = self.ids[numbers]
            return chosen
        if numbers.size == 0:
            return np.zeros(0, dtype=np.uint32)
        if not np.issubdtype(numbers.dtype, np.integer) or np.any(numbers < 0):
            raise ValueError(f"ids are whole numbers from 0, not {ids}")
        return numbers.astype(np.uint32)

    @property
    def count(self) -> int:
        """How many bodies there are."""
        return self._engine.body_count()

    @property
    def ids(self) -> npt.NDArray[np.uint32]:
        """The ids of the bodies, in increasing order; the rows of all other arrays are in this order."""
        return self._read("id")

    @property
    def positions(self) -> Vector:
        """The centres of mass, m, of the shape (n, 3)."""
        return self._read("position")

    @property
    def velocities(self) -> Vector:
        """The velocities of the centres, m/s, of the shape (n, 3)."""
        return self._read("velocity")

    @property
    def angular_velocities(self) -> Vector:
        """How the bodies turn, in the world's frame, rad/s, of the shape (n, 3)."""
        return self._read("angular_velocity")

    @property
    def orientations(self) -> Vector:
        """Unit quaternions x, y, z, w, of the shape (n, 4); ``scipy.spatial.transform.Rotation.from_quat`` takes them."""
        return self._read("orientation")

    @property
    def radii(self) -> Floats:
        """Radii, m; of a body that is no sphere that of a sphere about its centre that holds it."""
        return self._read("radius")

    @property
    def masses(self) -> Floats:
        """kg."""
        return self._read("mass")

    @property
    def inertias(self) -> Vector:
        """Principal moments of inertia in the frames of the bodies, kg m², of the shape (n, 3)."""
        return self._read("inertia")

    @property
    def material_numbers(self) -> npt.NDArray[np.uint16]:
        """The materials of the bodies, as places in :attr:`materials`."""
        return self._read("material")

    @property
    def shapes(self) -> npt.NDArray[np.int64]:
        """Which shape bodies have: -1 for a sphere, -2 for what only carries walls, or else its number."""
        return self._read("shape")

    @property
    def dynamic(self) -> npt.NDArray[np.bool_]:
        """Which bodies are moved by forces and contacts; the others move as prescribed."""
        return self._read("dynamic")

    @property
    def materials(self) -> list[str]:
        """The names of the materials."""
        return self._engine.materials

    def read(self, name: str, out: Vector) -> Vector:
        """Reads an array of the bodies into one that is there, which takes no memory.

        Args:
            name: ``position``, ``velocity``, ``angular_velocity`` or ``orientation``.
            out: Where to, of the shape (n, 3), or (n, 4) for orientations.
        """
        self._engine.read_into(name, out)
        return out

    def body(self, body: int | str) -> Body:
        """One body, by its id or by its name in ``[[bodies]]``."""
        if not isinstance(body, str):
            return Body(self, body)
        if self._names is None:
            entries = self.scene.to_dict().get("bodies", [])
            ids = self._engine.body_ids()
            self._names = {entries[k]["name"]: id for k, id in ids if entries[k].get("name")}
        if body not in self._names:
            known = ", ".join(self._names) or "none"
            raise KeyError(f"there is no body `{body}`; the scene names {known}")
        return Body(self, self._names[body])

    def set(
        self,
        ids: Ids | None = None,
        *,
        positions: npt.ArrayLike | None = None,
        velocities: npt.ArrayLike | None = None,
        angular_velocities: npt.ArrayLike | None = None,
        orientations: npt.ArrayLike | None = None,
    ) -> None:
        """Sets what is given of some bodies, between two steps.

        Args:
            ids: Which bodies; all of them, in the order of ids, if not given.
            positions: m, a row for each body, or one for all.
            velocities: m/s, likewise.
            angular_velocities: rad/s, likewise.
            orientations: Quaternions x, y, z, w, likewise; they are brought to length one.

        Raises:
            SetupError: If the bodies cannot be so; then nothing changes.
        """
        chosen = self._to_ids(ids)

        def rows(name: str, value: npt.ArrayLike | None, columns: int = 3) -> Vector | None:
            return None if value is None else _rows(name, value, len(chosen), columns)

        turns = rows("orientations", orientations, 4)
        if turns is not None:
            lengths = np.linalg.norm(turns, axis=1, keepdims=True)
            if not np.all(lengths > 0):
                raise ValueError("an orientation is a quaternion x, y, z, w that is not zero")
            turns = turns / lengths
        self._engine.write(
            chosen.tolist(),
            rows("positions", positions),
            rows("velocities", velocities),
            rows("angular_velocities", angular_velocities),
            turns,
        )

    def apply_force(
        self, force: npt.ArrayLike, torque: npt.ArrayLike = (0.0, 0.0, 0.0), *, ids: Ids | None = None
    ) -> None:
        """Adds forces and torques to what acts over the coming step; after it they are forgotten.

        Args:
            force: N at the centre of mass, in the world's frame: a row for each body, or one for all.
            torque: N m, likewise.
            ids: Which bodies; all of them, in the order of ids, if not given.
        """
        chosen = self._to_ids(ids)
        self._engine.apply(chosen, _rows("force", force, len(chosen)), _rows("torque", torque, len(chosen)))

    def add_spheres(
        self,
        positions: npt.ArrayLike,
        radii: npt.ArrayLike,
        *,
        density: float | None = None,
        masses: npt.ArrayLike | None = None,
        velocities: npt.ArrayLike = (0.0, 0.0, 0.0),
        material: str | None = None,
    ) -> npt.NDArray[np.uint32]:
        """Adds spheres (disks, in a plane) between two steps.

        Args:
            positions: Centres, m, a row for each.
            radii: m, one for each, or one for all.
            density: kg/m³ (kg/m² in a plane); that of the material if neither this nor ``masses`` is given.
            masses: kg, one for each, or one for all.
            velocities: m/s, a row for each, or one for all.
            material: The name of their material; the first one if not given.

        Returns:
            Their ids.
        """
        given = np.atleast_2d(np.asarray(positions, dtype=np.float64))
        count = len(given)
        centers = _rows("positions", given, count)
        sizes = _numbers("radii", radii, count)
        name = material or self.materials[0]
        if masses is None:
            if density is None:
                density = self.scene.to_dict()["materials"][name]["density"]
            volume = {1: 2 * sizes, 2: np.pi * sizes**2}.get(self._engine.dimension, 4 / 3 * np.pi * sizes**3)
            masses = density * volume
        weights = _numbers("masses", masses, count)
        speeds = _rows("velocities", velocities, count)
        ids = self._engine.add_spheres(centers, speeds, sizes.tolist(), weights.tolist(), name)
        return np.array(ids, dtype=np.uint32)

    def add(
        self,
        *,
        bodies: Sequence[parts.Body | Mapping[str, Any]] = (),
        grains: Sequence[parts.Grains | Mapping[str, Any]] = (),
    ) -> npt.NDArray[np.uint32]:
        """Adds bodies and grains of any shape between two steps, as a scene has them.

        Args:
            bodies: Entries of ``[[bodies]]``.
            grains: Entries of ``[[grains]]``.

        Returns:
            Their ids: of the bodies, then of the grains.
        """
        own = self.scene.to_dict()
        sections: dict[str, Any] = {name: own[name] for name in ("scene", "time", "materials") if name in own}
        more: dict[str, Any] = {"bodies": list(bodies), "grains": list(grains)}
        sections.update({name: _toml.plain(entries) for name, entries in more.items() if entries})
        scene = Scene.from_dict(sections, origin=self.scene.origin)
        return np.array(self._engine.add_scene(scene._engine), dtype=np.uint32)

    def remove(self, ids: Ids) -> None:
        """Removes bodies between two steps. Their ids are not given again."""
        self._engine.remove(self._to_ids(ids).tolist())

    # What acts

    @property
    def gravity(self) -> Vector:
        """m/s²; may be set between two steps."""
        return np.array(self._engine.gravity)

    @gravity.setter
    def gravity(self, value: npt.ArrayLike) -> None:
        (pull,) = _rows("gravity", value, 1)
        self._engine.gravity = [float(part) for part in pull]

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step, with their forces."""
        return Contacts(**self._engine.contacts())

    @property
    def wall_names(self) -> list[str]:
        """The names of the walls, by their numbers; ``walls[NUMBER]`` for those without one."""
        return [name or f"walls[{k}]" for k, name in enumerate(self._engine.wall_names)]

    @property
    def wall_loads(self) -> dict[str, WallLoad]:
        """What bodies exerted on each wall over the last step, by the names of the walls."""
        loads = [WallLoad(np.array(force), np.array(torque)) for force, torque in self._engine.wall_loads()]
        return dict(zip(self.wall_names, loads, strict=True))

    @property
    def joints(self) -> Joints:
        """The joints by their names: where they are, what they carry, and what their motors are to do."""
        return Joints(self._engine)

    @property
    def energies(self) -> dict[str, float]:
        """Kinetic and potential energy as they are now, and what is stored in springs of contacts, J."""
        kinetic, potential = self._engine.energy()
        elastic = 0.0 if self._report is None else self._report.elastic_energy
        return {"kinetic": kinetic, "potential": potential, "elastic": elastic}

    @property
    def momentum(self) -> Vector:
        """kg m/s."""
        return np.array(self._engine.momentum())

    def problem(self) -> Problem:
        """The contact problem of the last step, to be solved again or written for other codes."""
        from .problem import Problem

        return Problem._of(_granule.Problem.of_step(self._engine))

    # Looks

    def copy(self) -> Simulation:
        """A simulation in memory in the same state, which goes on with the same bits."""
        other = Simulation.__new__(Simulation)
        other.scene = self.scene
        other._start(self._engine.copy())
        other._report, other._names = self._report, self._names
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("simulations cannot be pickled; their scenes can, and the folder of a `granule.Run` keeps a state to go on from")

    def profile(self, ids: Ids | None = None) -> Any:
        """The profile of the heap that the bodies make, see :func:`granule.heap_profile`."""
        from .measure import heap_profile

        chosen = slice(None) if ids is None else self._row(self._to_ids(ids))
        up = -self.gravity if np.any(self.gravity) else (0.0, 0.0, 1.0)
        return heap_profile(self.positions[chosen], self.radii[chosen], up, self._engine.dimension)

    def picture(self, width: int = 800, height: int = 600, *, color: str = "speed", view: str | None = None) -> bytes:
        """The state as a PNG picture; see :meth:`granule.Scene.picture`."""
        return self._engine.picture(width, height, color, view)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def _repr_html_(self) -> str:
        from ._display import picture_beside_table

        facts = {"time": f"{self.time:.6g} s of {self.end:.6g} s", "steps": str(self.steps), "bodies": str(self.count)}
        if self._report is not None:
            facts["contacts"] = f"{self._report.active} of {self._report.contacts} carry a force"
            facts["certified"] = f"{self._report.certified}, scaled error {self._report.certificate.scaled:.1e}"
        return picture_beside_table(f"{type(self).__name__} of {self.scene.name}", facts, self.picture(480, 360))

    def __repr__(self) -> str:
        if self._engine.closed:
            return f"{type(self).__name__}({self.scene.name!r}, closed)"
        return f"{type(self).__name__}({self.scene.name!r}, time={self.time:.6g} s of {self.end:.6g} s, {self.count} bodies)"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is to be closed in memory; a :class:`granule.Run` finishes here."""
