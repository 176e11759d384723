"""What notebooks show."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping


def table(facts: Mapping[str, object]) -> str:
    """Facts as a table of HTML."""
    rows = (
        f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(str(value))}</td></tr>"
        for name, value in facts.items()
    )
    return "<table>" + "".join(rows) + "</table>"


def picture_beside_table(title: str, facts: Mapping[str, object], png: bytes) -> str:
    """A picture with facts beside it."""
    picture = base64.b64encode(png).decode("ascii")
    return (
        f"<div><b>{html.escape(title)}</b><div style='display:flex;gap:1em;align-items:flex-start'>"
        f"<img alt='{html.escape(title)}' src='data:image/png;base64,{picture}'/>{table(facts)}</div></div>"
    )
