"""Bodies, contacts and joints of a simulation, by their ids and names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _granule, _toml

if TYPE_CHECKING:
    from .simulation import Simulation

Vector = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Ids = int | Sequence[int] | npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Contacts:
    """Contacts of one moment; all arrays have the same length.

    Points, normals and gaps are those of the time where contacts were looked for (with most schemes the start of the step).

    Attributes:
        body_a: Ids of the first bodies.
        body_b: Ids of the second ones, or ``-1 - w`` for the wall with the number ``w``.
        point: Points on the surface of ``body_a``, m, of the shape (n, 3).
        normal: Unit normals, towards ``body_a``.
        gap: Distances of the surfaces, m; negative where they overlap.
        force: Mean forces over the step on ``body_a``, N.
        moment: Mean moments of rolling and spinning friction over the step on ``body_a``, N m.
    """

    body_a: Integers
    body_b: Integers
    point: Vector
    normal: Vector
    gap: Floats
    force: Vector
    moment: Vector

    @property
    def normal_force(self) -> Floats:
        """The forces along the normals, N."""
        along: Floats = np.einsum("ij,ij->i", self.force, self.normal)
        return along

    @property
    def tangential_force(self) -> Vector:
        """The forces across the normals, N, of the shape (n, 3)."""
        return self.force - self.normal_force[:, None] * self.normal

    @property
    def active(self) -> Contacts:
        """Those that carry a force."""
        return self[np.any(self.force != 0, axis=1)]

    def __getitem__(self, which: Any) -> Contacts:
        return Contacts(**{name: array[which] for name, array in vars(self).items()})

    def __len__(self) -> int:
        return len(self.gap)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``, vectors in three columns each."""
        import pandas

        columns: dict[str, Any] = {}
        for name, array in vars(self).items():
            if array.ndim == 1:
                columns[name] = array
            else:
                columns.update({f"{name}_{axis}": array[:, k] for k, axis in enumerate("xyz")})
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        return f"Contacts({len(self)}, {int(np.count_nonzero(np.any(self.force != 0, axis=1)))} carry a force)"


class Body:
    """One body of a simulation, by its id. What is read is as it is now; what is set counts from the coming step on."""

    def __init__(self, simulation: Simulation, id: int) -> None:
        self._simulation = simulation
        self.id = int(id)
        simulation._row(self.id)

    def _get(self, name: str) -> Any:
        return self._simulation._read(name)[self._simulation._row(self.id)]

    @property
    def position(self) -> Vector:
        """The centre of mass, m."""
        return np.array(self._get("position"))

    @position.setter
    def position(self, value: npt.ArrayLike) -> None:
        self._simulation.set(self.id, positions=np.array([value]))

    @property
    def velocity(self) -> Vector:
        """The velocity of the centre, m/s."""
        return np.array(self._get("velocity"))

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        self._simulation.set(self.id, velocities=np.array([value]))

    @property
    def angular_velocity(self) -> Vector:
        """How it turns, in the world's frame, rad/s."""
        return np.array(self._get("angular_velocity"))

    @angular_velocity.setter
    def angular_velocity(self, value: npt.ArrayLike) -> None:
        self._simulation.set(self.id, angular_velocities=np.array([value]))

    @property
    def orientation(self) -> Vector:
        """The orientation as a unit quaternion x, y, z, w."""
        return np.array(self._get("orientation"))

    @orientation.setter
    def orientation(self, value: npt.ArrayLike) -> None:
        self._simulation.set(self.id, orientations=np.array([value]))

    @property
    def radius(self) -> float:
        """The radius, m; of a body that is no sphere that of a sphere about its centre that holds it."""
        return float(self._get("radius"))

    @property
    def mass(self) -> float:
        """kg."""
        return float(self._get("mass"))

    @property
    def inertia(self) -> Vector:
        """The principal moments of inertia in the frame of the body, kg m²."""
        return np.array(self._get("inertia"))

    @property
    def material(self) -> str:
        """The name of the material."""
        return self._simulation.materials[int(self._get("material"))]

    @property
    def dynamic(self) -> bool:
        """Whether forces and contacts move it."""
        return bool(self._get("dynamic"))

    def apply_force(self, force: npt.ArrayLike, torque: npt.ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Adds a force (N) at the centre and a torque (N m) to what acts over the coming step; then they are forgotten."""
        self._simulation.apply_force(force, torque, ids=self.id)

    def __repr__(self) -> str:
        x, v = self.position, self.velocity
        return f"Body(id={self.id}, position={np.round(x, 6).tolist()} m, velocity={np.round(v, 6).tolist()} m/s)"


@dataclass(frozen=True)
class WallLoad:
    """What bodies exert on a wall, as means over the last step.

    Attributes:
        force: N.
        torque: N m, about the position of the wall.
    """

    force: Vector
    torque: Vector


_MOTORS = ("speed", "position", "force")


class Joint:
    """A joint of a simulation, with what drives it."""

    def __init__(self, engine: _granule.Engine, number: int, name: str) -> None:
        self._engine = engine
        self._number = number
        self.name = name
        self.kind, self._drives = engine.joint_drives(number)

    def _state(self) -> tuple[list[float], bool, list[float], list[float], list[float]]:
        state = self._engine.joint_state(self._number)
        if state is None:
            zero = [0.0, 0.0, 0.0]
            return [float("nan")], False, zero, zero, [0.0] * len(self._drives)
        return state

    @property
    def coordinate(self) -> float:
        """The angle (rad, with whole turns) or the way (m) that the joint leaves free; NaN before the first step."""
        coordinates = self._state()[0]
        return coordinates[0] if coordinates else float("nan")

    @property
    def coordinates(self) -> list[float]:
        """All coordinates: a ``cylindrical`` joint has an angle (rad) and a way (m)."""
        return self._state()[0]

    @property
    def broken(self) -> bool:
        """Whether it broke."""
        return self._state()[1]

    @property
    def force(self) -> Vector:
        """The mean force over the last step on the first body, N."""
        return np.array(self._state()[2])

    @property
    def torque(self) -> Vector:
        """The mean torque over the last step on the first body about the joint, N m."""
        return np.array(self._state()[3])

    @property
    def effort(self) -> float:
        """What the motor exerted over the last step: N m on an angle, N on a way."""
        return self._state()[4][self._motor()]

    @property
    def drives(self) -> list[str]:
        """What acts on it: ``speed``, ``position`` and ``force`` are motors; ``spring``, ``limits``, ``friction``."""
        return [kind for _, kind in self._drives]

    def _motor(self) -> int:
        for number, kind in enumerate(self.drives):
            if kind in _MOTORS:
                return number
        raise ValueError(f"the joint `{self.name}` has no motor: give it one of `[[motors]]` in the scene")

    def drive(self, target: float | Mapping[str, Any]) -> None:
        """Gives the motor another target from the coming step on.

        Args:
            target: A speed (rad/s, m/s), a position (rad, m) or a force (N m, N), as the motor of the scene is one of speed,
                position or force; a number, or a function of time as in a scene: ``{"linear": {"times": …, "values": …}}``.
        """
        function = {"constant": float(target)} if not isinstance(target, Mapping) else _toml.plain(target)
        self._engine.set_target(self._number, self._motor(), json.dumps(function))

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.kind}, coordinate={self.coordinate:.6g}, drives={self.drives})"


class Joints(Mapping[str, Joint]):
    """The joints of a simulation by their names; those without one by ``joints[NUMBER]``."""

    def __init__(self, engine: _granule.Engine) -> None:
        names = engine.joint_names
        self._joints = {}
        for number, name in enumerate(names):
            key = name or f"joints[{number}]"
            self._joints[key] = Joint(engine, number, key)

    def __getitem__(self, name: str) -> Joint:
        if name not in self._joints:
            known = ", ".join(self._joints) or "none"
            raise KeyError(f"there is no joint `{name}`; there are {known}")
        return self._joints[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._joints)

    def __len__(self) -> int:
        return len(self._joints)

    def __repr__(self) -> str:
        return f"Joints({list(self._joints.values())})"
