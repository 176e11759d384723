"""Writes python/granule/parts.py from the schema of scene files: python generate_parts.py [--check]

Needs the package granule installed. With --check nothing is written; the exit code is 1 if the file is not as it should be.
"""

from __future__ import annotations

import keyword
import pathlib
import sys
import textwrap
from typing import Any

import granule

TARGET = pathlib.Path(__file__).parent / "python" / "granule" / "parts.py"
WIDTH = 116

HEAD = '''"""The parts of a scene as objects: a class for each table of scene files, with the same keys.

This file is written by ``generate_parts.py`` from the types that read scene files. Lengths are in m, all units are SI. A value
of ``None`` is left out: the default of the scene file holds. Keys with a hyphen have an underscore here (``half_space``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias


@dataclass
class Part:
    """A table of a scene file."""

    _keys: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """The keys of the table that are given."""
        values = {self._keys.get(field.name, field.name): getattr(self, field.name) for field in fields(self)}
        return {key: _plain(value) for key, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value
'''

# Classes have the names of the types without what only tells types apart.
ENDINGS = ("Spec",)


def class_name(name: str) -> str:
    for ending in ENDINGS:
        short = name.removesuffix(ending)
        # `Part` is the class of them all.
        name = name if short in DEFINITIONS or short == "Part" else short
    return name


def field_name(key: str) -> str:
    name = key.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def words(text: str) -> str:
    return " ".join(text.replace("[`", "`").replace("`]", "`").split()).replace("\\", "\\\\")


def annotation(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return class_name(schema["$ref"].rsplit("/", 1)[1])
    if "const" in schema:
        return f"Literal[{schema['const']!r}]".replace("'", '"')
    if "enum" in schema:
        return "Literal[" + ", ".join(f'"{value}"' for value in schema["enum"]) + "]"
    for alternatives in ("anyOf", "oneOf"):
        if alternatives in schema:
            found = [annotation(one) for one in schema[alternatives]]
            return " | ".join(dict.fromkeys(one for one in found if one != "None"))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " | ".join(dict.fromkeys(annotation({**schema, "type": kind}) for kind in kinds if kind != "null"))
    if kinds == "array":
        items = schema.get("items", True)
        return f"Sequence[{annotation(items) if isinstance(items, dict) else 'Any'}]"
    if kinds == "object":
        inner = schema.get("additionalProperties")
        return f"Mapping[str, {annotation(inner) if isinstance(inner, dict) else 'Any'}]"
    return {"number": "float", "integer": "int", "string": "str", "boolean": "bool", "null": "None"}.get(str(kinds), "Any")


def wrapped(text: str, indent: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH - len(indent), initial_indent=indent, subsequent_indent=indent))


def described(text: str) -> str:
    text = words(text)
    if text and not text.endswith((".", ":", "`")):
        text += "."
    return text


def one_class(name: str, schema: dict[str, Any]) -> str:
    properties: dict[str, Any] = schema.get("properties", {})
    required = [key for key in properties if key in schema.get("required", [])]
    order = required + [key for key in properties if key not in required]
    lines = ["@dataclass(kw_only=True)", f"class {class_name(name)}(Part):"]
    text = described(schema.get("description", "A table of a scene."))
    lines.append(wrapped('"""' + text, "    ").rstrip())
    if order:
        lines += ["", "    Attributes:"]
        for key in order:
            about = described(properties[key].get("description", "")) or "See the class of its type."
            body = textwrap.wrap(f"{field_name(key)}: {about}", WIDTH - 12)
            lines.append("        " + body[0])
            lines += ["            " + line for line in body[1:]]
        lines.append('    """')
    else:
        lines[-1] += '"""'
    renamed = {field_name(key): key for key in order if field_name(key) != key}
    if renamed:
        lines.append("")
        pairs = ", ".join(f'"{name}": "{key}"' for name, key in renamed.items())
        lines.append(f"    _keys: ClassVar[Mapping[str, str]] = {{{pairs}}}")
    if order:
        lines.append("")
    for key in order:
        kind = annotation(properties[key])
        # A table may always be given as a dictionary, too.
        if kind != "Any" and "Mapping[str, Any]" not in kind and holds_table(properties[key]):
            kind += " | Mapping[str, Any]"
        lines.append(f"    {field_name(key)}: {kind}" if key in required else f"    {field_name(key)}: {kind} | None = None")
    return "\n".join(lines)


def holds_table(schema: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return is_table(DEFINITIONS[schema["$ref"].rsplit("/", 1)[1]])
    return any(holds_table(one) for name in ("anyOf", "oneOf") for one in schema.get(name, []))


def is_table(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object"


def alias(name: str, schema: dict[str, Any]) -> str:
    choices = schema.get("oneOf", schema.get("anyOf", [schema]))
    if all("const" in choice for choice in choices):
        kind = "Literal[" + ", ".join(f'"{choice["const"]}"' for choice in choices) + "]"
    else:
        kind = annotation(schema)
    about = wrapped("# " + described(schema.get("description", "")), "").replace("\n", "\n# ")
    keys = [key for choice in choices for key in choice.get("properties", {})]
    if keys:
        about += "\n# One of the keys " + ", ".join(f"`{key}`" for key in keys) + "."
    text = f"{class_name(name)}: TypeAlias = {kind!r}"
    return f"{about}\n{text}".replace("TypeAlias = '", "TypeAlias = '")


SCHEMA = granule.schema()
DEFINITIONS: dict[str, Any] = SCHEMA["$defs"]


def text() -> str:
    parts = [HEAD]
    for name, schema in DEFINITIONS.items():
        if not is_table(schema):
            parts.append(alias(name, schema) + "\n")
    for name, schema in DEFINITIONS.items():
        if is_table(schema):
            parts.append("\n" + one_class(name, schema) + "\n")
    return "\n".join(parts)


def main() -> int:
    wanted = text()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(wanted, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{TARGET} is not what the types of scenes say: run python {__file__}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
