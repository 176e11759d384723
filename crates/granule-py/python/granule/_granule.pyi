"""What of the package is written in Rust; the classes of `granule` are made of it."""

import os
from collections.abc import Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "__version__",
    "Engine",
    "Folder",
    "heap_profile",
    "Problem",
    "methods",
    "Certificate",
    "Energies",
    "StepReport",
    "Scene",
    "schema",
]
__version__: str

_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]
_Path = str | os.PathLike[str]
_Entries = tuple[_Integers, _Integers, _Floats, tuple[int, int]]
_Mesh = tuple[_Floats, npt.NDArray[np.uint32], str | None]

@final
class Certificate:
    """How well impulses solve a contact problem, computed outside of the solver."""

    @property
    def residual(self) -> float:
        """The error of the worst contact, m/s."""
    @property
    def fastest(self) -> float:
        """The fastest approach before impulses, m/s."""
    @property
    def rounding(self) -> float:
        """What rounding of positions and velocities can amount to, m/s."""
    @property
    def relative(self) -> float:
        """The error of the collections of contact problems, without a unit."""
    @property
    def scaled(self) -> float:
        """The error that solvers stop on, without a unit: doing nothing has 1."""
    @property
    def max_penetration(self) -> float:
        """The deepest penetration at the end of the step, m."""
    @property
    def cone_violation(self) -> float:
        """The largest distance of an impulse from its set, N s."""
    @property
    def complementarity(self) -> float:
        """The largest product of impulse and velocity, J."""
    @property
    def bipotential(self) -> float:
        """The mean of these products, J."""
    @property
    def approach(self) -> float:
        """The mean velocity of approach that is left, m/s."""
    @property
    def dissipation(self) -> float:
        """The work that contacts take out of the motion, J."""
    @property
    def active(self) -> int:
        """How many contacts carry an impulse."""
    def to_dict(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Energies:
    """What became of the energy in a step, J."""

    @property
    def work_of_forces(self) -> float:
        """Work of forces other than gravity."""
    @property
    def work_of_walls(self) -> float:
        """Work of walls and bodies that move as prescribed."""
    @property
    def work_of_joints(self) -> float:
        """Work of joints on the bodies."""
    @property
    def work_of_recovery(self) -> float:
        """Potential energy given by taking overlaps out of the positions."""
    @property
    def work_of_scheme(self) -> float:
        """What the scheme's own treatment of gravity and of bodies that tumble adds."""
    @property
    def dissipation(self) -> float:
        """What contacts take out of the motion and do not store."""
    @property
    def elastic(self) -> float:
        """What is stored in springs of contacts, and was not before."""
    @property
    def friction(self) -> float:
        """The part of dissipation that is friction."""
    @property
    def viscous(self) -> float:
        """The part of dissipation that is in dampers."""
    @property
    def plastic(self) -> float:
        """The part of dissipation that is flow along the normal."""
    @property
    def broken(self) -> float:
        """The part of dissipation that was stored in springs that let go."""
    @property
    def remainder(self) -> float:
        """The change of kinetic and potential energy that is not accounted for."""
    def to_dict(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class StepReport:
    """What a step did."""

    @property
    def step(self) -> int:
        """Number of the step, from 1."""
    @property
    def time(self) -> float:
        """Time at its end, s."""
    @property
    def step_size(self) -> float:
        """Its length, s."""
    @property
    def contacts(self) -> int:
        """Candidate contacts."""
    @property
    def active(self) -> int:
        """Contacts that carry an impulse."""
    @property
    def bonds(self) -> int:
        """Bonds that hold after the step."""
    @property
    def iterations(self) -> int:
        """Iterations of all solves."""
    @property
    def applications(self) -> int:
        """Applications of W in all solves."""
    @property
    def convex_solves(self) -> int:
        """Convex problems solved."""
    @property
    def method(self) -> str:
        """The solver whose impulses were used."""
    @property
    def certificate(self) -> Certificate:
        """The certificate of the impulses used, the worst of all problems of the step."""
    @property
    def escalations(self) -> int:
        """Solvers tried beyond the first."""
    @property
    def certified(self) -> bool:
        """Whether the certificate meets the tolerance."""
    @property
    def infeasible(self) -> bool:
        """Whether constraints contradicted each other."""
    @property
    def repeats(self) -> int:
        """Solves repeated because a contact had been left out."""
    @property
    def normal_impulse(self) -> float:
        """The sum of the impulses along the normals, N s."""
    @property
    def given_overlap(self) -> float:
        """The deepest overlap of contacts that give, m."""
    @property
    def recovered(self) -> float:
        """The deepest overlap that was recovered by moving bodies, m."""
    @property
    def joint_error(self) -> float:
        """How far joints are open at the end of the step at most, m."""
    @property
    def kinetic_energy(self) -> float:
        """J."""
    @property
    def potential_energy(self) -> float:
        """J."""
    @property
    def elastic_energy(self) -> float:
        """What is stored in springs of contacts, J."""
    @property
    def energies(self) -> Energies:
        """What became of the energy in the step, J."""
    @property
    def momentum_error(self) -> float:
        """Momentum that came from nowhere, over all impulses and momenta."""
    def to_dict(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Scene:
    """A scene whose values have been checked."""

    @staticmethod
    def parse(text: str, origin: _Path, changes: Sequence[str]) -> Scene: ...
    @staticmethod
    def load(path: _Path, changes: Sequence[str]) -> Scene: ...
    @property
    def name(self) -> str: ...
    def to_toml(self) -> str: ...
    def to_json(self) -> str: ...
    def warnings(self) -> list[str]: ...
    def describe(self) -> list[tuple[str, str]]: ...
    def picture(self, width: int, height: int, color: str, view: str | None) -> bytes: ...

@final
class Engine:
    """A simulation, recorded in a folder or not."""

    gravity: list[float]
    @staticmethod
    def free(scene: Scene, end: float | None, threads: int | None) -> Engine: ...
    @staticmethod
    def recorded(
        scene: Scene, folder: _Path, mode: str, end: float | None, threads: int | None
    ) -> Engine: ...
    @staticmethod
    def free_folder(first: _Path) -> os.PathLike[str]: ...
    @staticmethod
    def holds_run(folder: _Path) -> bool: ...
    def advance(self, steps: int | None, until: float | None, seconds: float) -> tuple[int, StepReport | None]: ...
    def finish(self) -> str | None: ...
    def copy(self) -> Engine: ...
    @property
    def time(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def end(self) -> float: ...
    @property
    def step_size(self) -> float: ...
    @property
    def finished(self) -> bool: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    @property
    def threads(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    def picture(self, width: int, height: int, color: str, view: str | None) -> bytes: ...
    def stage_seconds(self) -> list[tuple[str, float]]: ...
    def body_count(self) -> int: ...
    def body_ids(self) -> list[tuple[int, int]]: ...
    def read(self, name: str) -> npt.NDArray[Any]: ...
    def read_into(self, name: str, out: _Floats) -> None: ...
    def write(
        self,
        ids: Sequence[int],
        position: _Floats | None,
        velocity: _Floats | None,
        angular_velocity: _Floats | None,
        orientation: _Floats | None,
    ) -> None: ...
    def apply(self, ids: npt.NDArray[np.uint32], forces: _Floats, torques: _Floats) -> None: ...
    def add_spheres(
        self, position: _Floats, velocity: _Floats, radius: Sequence[float], mass: Sequence[float], material: str
    ) -> list[int]: ...
    def add_scene(self, scene: Scene) -> list[int]: ...
    def remove(self, ids: Sequence[int]) -> None: ...
    @property
    def materials(self) -> list[str]: ...
    def energy(self) -> tuple[float, float]: ...
    def momentum(self) -> list[float]: ...
    def contacts(self) -> dict[str, npt.NDArray[Any]]: ...
    @property
    def wall_names(self) -> list[str | None]: ...
    def wall_loads(self) -> list[tuple[list[float], list[float]]]: ...
    def infeasible(self) -> str | None: ...
    @property
    def joint_names(self) -> list[str | None]: ...
    def joint_drives(self, joint: int) -> tuple[str, list[tuple[str, str]]]: ...
    def joint_state(self, joint: int) -> tuple[list[float], bool, list[float], list[float], list[float]] | None: ...
    def set_target(self, joint: int, drive: int, target: str) -> None: ...

@final
class Folder:
    """The folder of a run. Nothing is read before it is asked for."""

    def __new__(cls, path: _Path) -> Folder: ...
    def times(self) -> list[float]: ...
    def bodies(self, frame: int) -> dict[str, npt.NDArray[Any]]: ...
    def contacts(self, frame: int) -> dict[str, npt.NDArray[Any]]: ...
    def walls(self, frame: int) -> list[_Mesh]: ...
    def solids(self, sides: int) -> list[_Mesh]: ...
    def series(self) -> tuple[list[str], list[str], list[_Floats]]: ...
    def summary(self) -> str | None: ...
    def live(self) -> tuple[bool, int, float, float, float] | None: ...
    def ask(self, wish: str) -> None: ...
    def record_json(self) -> str: ...
    def checkpoints(self) -> list[int]: ...
    def picture(self, frame: int, width: int, height: int, color: str, view: str | None) -> bytes: ...

@final
class Problem:
    """A contact problem."""

    @staticmethod
    def local(
        matrix: _Entries, free: _Floats, friction: _Floats | None, rolling: _Floats, title: str | None
    ) -> Problem: ...
    @staticmethod
    def global_form(
        mass: _Entries,
        directions: _Entries,
        momentum: _Floats,
        offset: _Floats,
        friction: _Floats,
        rolling: _Floats,
        title: str | None,
    ) -> Problem: ...
    @staticmethod
    def load(path: _Path) -> Problem: ...
    @staticmethod
    def of_step(engine: Engine) -> Problem: ...
    def save(self, path: _Path) -> None: ...
    @property
    def contacts(self) -> int: ...
    @property
    def rows_a_contact(self) -> int: ...
    @property
    def form(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def friction(self) -> _Floats | None: ...
    @property
    def rolling(self) -> _Floats: ...
    def to_local(self) -> tuple[_Entries, _Floats]: ...
    def solve(
        self, solver_name: str, tolerance: float, max_iterations: int, law: str, threads: int | None
    ) -> tuple[
        _Floats,
        _Floats,
        _Floats,
        str,
        int,
        int,
        float,
        Certificate,
        float | None,
        str | None,
        list[int] | None,
    ]: ...
    def certify(self, impulses: _Floats, law: str) -> tuple[Certificate, float | None]: ...

def heap_profile(
    centers: _Floats, radii: _Floats, up: Sequence[float], dimension: int
) -> tuple[_Floats, _Floats, float, list[float], float | None, str | None] | None: ...
def methods() -> list[tuple[str, str]]: ...
def schema() -> str: ...
