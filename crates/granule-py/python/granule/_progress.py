"""A bar while a long call works: tqdm's, in terminals and notebooks, or a plain line where tqdm is not installed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ._granule import StepReport

_EVERY = 0.2  # s between two lines


@contextmanager
def bar(name: str, start: float, end: float, wanted: bool) -> Iterator[Callable[[StepReport], None]]:
    """Gives a function to be told the reports of steps; the bar counts simulated time, s."""
    if not wanted:
        yield lambda report: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield from _plain(name, start, end)
        return
    with tqdm(total=end - start, desc=name, unit="s", bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}{postfix}]") as shown:

        def tell(report: StepReport) -> None:
            shown.set_postfix_str(f"{report.active} contacts, {report.iterations} iterations", refresh=False)
            shown.update(min(report.time, end) - start - shown.n)

        yield tell


def _plain(name: str, start: float, end: float) -> Iterator[Callable[[StepReport], None]]:
    last = 0.0
    tty = sys.stderr.isatty()

    def tell(report: StepReport) -> None:
        nonlocal last
        now = time.monotonic()
        if tty and now - last >= _EVERY:
            last = now
            share = (report.time - start) / (end - start)
            sys.stderr.write(f"\r{name}: {share:4.0%}, t = {report.time:.4g} s, {report.active} contacts  ")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if tty:
            sys.stderr.write("\n")
