"""Scenes: what is simulated, from Python objects, a dictionary, or TOML."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _granule, _toml

if TYPE_CHECKING:
    from .parts import (
        Body,
        BondPair,
        Cell,
        Contacts,
        Domain,
        Force,
        General,
        Grains,
        Inlet,
        Joint,
        Material,
        Measure,
        Mechanism,
        Motor,
        Outlet,
        Output,
        Servo,
        Solver,
        Time,
        Wall,
    )

PathLike = str | os.PathLike[str]
Changes = Mapping[str, Any]
SceneLike = Union["Scene", Mapping[str, Any], str, "os.PathLike[str]"]


class Scene:
    """A scene whose values have been checked, defaults filled in.

    A scene is made of sections, which are those of scene files (``docs/KEYS.md``); all units are SI. Each section is an
    object of :mod:`granule.parts`, or a dictionary with the same keys::

        from granule import Scene, parts

        scene = Scene(
            scene=parts.General(name="drop"),
            time=parts.Time(step=2e-3, end=1.0),
            contacts=parts.Contacts(law="coulomb", friction=0.5),
            walls=[parts.Wall(half_space=parts.HalfSpaceShape(normal=[0, 0, 1]))],
            bodies=[parts.Body(sphere=parts.SphereShape(radius=0.1), position=[0, 0, 0.5])],
        )

    Scenes do not change: :meth:`changed` gives another one. They can be pickled.

    Raises:
        SceneError: If something is wrong; with the line of the text, which is written from the sections where there is no file.
    """

    def __init__(
        self,
        *,
        scene: General | Mapping[str, Any],
        time: Time | Mapping[str, Any],
        solver: Solver | Mapping[str, Any] | None = None,
        materials: Mapping[str, Material | Mapping[str, Any]] | None = None,
        contacts: Contacts | Mapping[str, Any] | None = None,
        cell: Cell | Mapping[str, Any] | None = None,
        domain: Domain | Mapping[str, Any] | None = None,
        walls: Sequence[Wall | Mapping[str, Any]] | None = None,
        bodies: Sequence[Body | Mapping[str, Any]] | None = None,
        grains: Sequence[Grains | Mapping[str, Any]] | None = None,
        bonds: Sequence[BondPair | Mapping[str, Any]] | None = None,
        joints: Sequence[Joint | Mapping[str, Any]] | None = None,
        motors: Sequence[Motor | Mapping[str, Any]] | None = None,
        servos: Sequence[Servo | Mapping[str, Any]] | None = None,
        mechanisms: Sequence[Mechanism | Mapping[str, Any]] | None = None,
        forces: Sequence[Force | Mapping[str, Any]] | None = None,
        inlets: Sequence[Inlet | Mapping[str, Any]] | None = None,
        outlets: Sequence[Outlet | Mapping[str, Any]] | None = None,
        measures: Sequence[Measure | Mapping[str, Any]] | None = None,
        output: Output | Mapping[str, Any] | None = None,
    ) -> None:
        sections = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        self._set(_toml.document(_toml.plain(sections)), "scene.toml", [])

    def _set(self, text: str, origin: str, changes: list[str]) -> None:
        self._state = (text, origin, changes)
        self._engine = _granule.Scene.parse(text, origin, changes)

    @classmethod
    def from_dict(cls, sections: Mapping[str, Any], changes: Changes | None = None, *, origin: PathLike = "scene.toml") -> Scene:
        """A scene from a dictionary of its sections.

        Args:
            sections: The sections, as a TOML reader would give them; numpy arrays and numbers are welcome.
            changes: Values to change before anything is checked, as in ``{"contacts.friction": 0.3}``.
            origin: A file that the names of other files are relative to; it need not be there.
        """
        return cls.from_toml(_toml.document(_toml.plain(sections)), changes, origin=origin)

    @classmethod
    def from_toml(cls, text: str, changes: Changes | None = None, *, origin: PathLike = "scene.toml") -> Scene:
        """A scene from a text of TOML; see :meth:`from_dict` for the rest."""
        scene = cls.__new__(cls)
        scene._set(text, os.fspath(origin), [_toml.change(key, value) for key, value in (changes or {}).items()])
        return scene

    @classmethod
    def load(cls, path: PathLike, changes: Changes | None = None) -> Scene:
        """A scene from a TOML file; see :meth:`from_dict` for ``changes``."""
        scene = cls.__new__(cls)
        words = [_toml.change(key, value) for key, value in (changes or {}).items()]
        scene._engine = _granule.Scene.load(path, words)
        scene._state = (Path(path).read_text(encoding="utf-8"), os.fspath(path), words)
        return scene

    def changed(self, changes: Changes) -> Scene:
        """The same scene with other values.

        Args:
            changes: Values by their keys with dots, as in ``{"contacts.friction": 0.3, "grains.0.random.count": 2000}``;
                entries of lists are counted from 0.
        """
        text, origin, before = self._state
        scene = type(self).__new__(type(self))
        scene._set(text, origin, before + [_toml.change(key, value) for key, value in changes.items()])
        return scene

    @property
    def name(self) -> str:
        """The name of the scene."""
        return self._engine.name

    @property
    def origin(self) -> Path:
        """The file that the scene came from, or what stands for it."""
        return Path(self._state[1])

    @property
    def text(self) -> str:
        """The text that the scene came from, without the changes; see :meth:`to_toml`."""
        return self._state[0]

    def to_toml(self) -> str:
        """The scene as it is run: every default filled in, and other files named in full."""
        return self._engine.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The sections, every default filled in."""
        sections: dict[str, Any] = json.loads(self._engine.to_json())
        return sections

    def warnings(self) -> list[str]:
        """What of it is allowed but hardly meant, each in a sentence."""
        return self._engine.warnings()

    def describe(self) -> dict[str, str]:
        """The facts of it for people: bodies, masses, steps, laws."""
        return dict(self._engine.describe())

    def picture(self, width: int = 800, height: int = 600, *, color: str = "id", view: str | None = None) -> bytes:
        """The start as a PNG picture.

        Args:
            width: Pixels.
            height: Pixels.
            color: What colours show: ``id``, ``material``, ``plain``, or a number of ``granule render --color``, such as ``speed``,
                ``velocity_z``, ``radius``, ``force`` or ``contacts``.
            view: From which side: ``front``, ``back``, ``side``, ``left``, ``top`` or ``bottom``.
        """
        return self._engine.picture(width, height, color, view)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def _repr_html_(self) -> str:
        from ._display import picture_beside_table

        return picture_beside_table(f"Scene {self.name}", self.describe(), self.picture(480, 360))

    def __repr__(self) -> str:
        changes = f", {len(self._state[2])} changes" if self._state[2] else ""
        return f"Scene({self.name!r}, from {str(self.origin)!r}{changes})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __getstate__(self) -> tuple[str, str, list[str]]:
        return self._state

    def __setstate__(self, state: tuple[str, str, list[str]]) -> None:
        self._set(*state)


def scene_of(given: SceneLike) -> Scene:
    """A scene from what stands for one: itself, its sections, or its file."""
    if isinstance(given, Scene):
        return given
    if isinstance(given, Mapping):
        return Scene.from_dict(given)
    if isinstance(given, (str, os.PathLike)):
        return Scene.load(given)
    raise TypeError(f"a scene is a `granule.Scene`, a dictionary of its sections, or the name of its file, and no {type(given).__name__}")


def schema() -> dict[str, Any]:
    """The JSON schema of scene files."""
    found: dict[str, Any] = json.loads(_granule.schema())
    return found
