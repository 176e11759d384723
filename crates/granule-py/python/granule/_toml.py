"""Values of Python as TOML, written as a person would write a scene."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from .parts import Part

_BARE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def plain(value: Any) -> Any:
    """Dictionaries, lists, texts and numbers alone, without what is ``None``."""
    if isinstance(value, Part):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a scene holds dictionaries, lists, texts and numbers, and no {type(value).__name__}: {value!r}")


def _key(name: str) -> str:
    return name if name and set(name) <= _BARE else json.dumps(name)


def inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(inline(entry) for entry in value) + "]"
    entries = ", ".join(f"{_key(key)} = {inline(entry)}" for key, entry in value.items())
    return "{ " + entries + " }" if entries else "{}"


def _table(header: str, table: Mapping[str, Any]) -> str:
    return header + "\n" + "".join(f"{_key(key)} = {inline(entry)}\n" for key, entry in table.items())


def document(sections: Mapping[str, Any]) -> str:
    """A scene as a text: a table for each section, one for each entry of a list of tables."""
    top, parts = [], []
    for name, section in sections.items():
        key = _key(name)
        if isinstance(section, list) and section and all(isinstance(entry, dict) for entry in section):
            parts += [_table(f"[[{key}]]", entry) for entry in section]
        elif isinstance(section, dict) and section and all(isinstance(entry, dict) for entry in section.values()):
            parts += [_table(f"[{key}.{_key(own)}]", entry) for own, entry in section.items()]
        elif isinstance(section, dict):
            parts.append(_table(f"[{key}]", section))
        else:
            top.append(f"{key} = {inline(section)}\n")
    return "\n".join(["".join(top), *parts] if top else parts)


def change(key: str, value: Any) -> str:
    """A change as ``--set`` of the command takes it."""
    return f"{key}={inline(plain(value))}"
