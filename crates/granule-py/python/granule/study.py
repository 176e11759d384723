"""Parameter studies: one scene with many values, over processes, as a table."""

from __future__ import annotations

import csv
import html
import io
import itertools
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

from .errors import GranuleError, RunError
from .folder import RunFolder
from .run import Run
from .scene import PathLike, Scene, SceneLike, scene_of

Measured = Callable[[RunFolder], Mapping[str, Any]]


class Table(Sequence[dict[str, Any]]):
    """Rows of named values: a sequence of dictionaries that pandas, csv and notebooks take.

    Attributes:
        columns: The names, in their order.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]
        self.columns = list(dict.fromkeys(name for row in self._rows for name in row))

    def __getitem__(self, which: Any) -> Any:
        """A row by its number, or a column by its name."""
        if isinstance(which, str):
            if which not in self.columns:
                raise KeyError(f"there is no column `{which}`; there are {', '.join(self.columns)}")
            return [row.get(which) for row in self._rows]
        return self._rows[which]

    def __len__(self) -> int:
        return len(self._rows)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self._rows, columns=self.columns)

    def to_csv(self, path: PathLike | None = None) -> str:
        """The table as text with commas, also into a file if one is given."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._rows)
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        return text.getvalue()

    def _cells(self) -> Iterator[list[str]]:
        for row in self._rows:
            values = [row.get(name, "") for name in self.columns]
            yield [f"{value:.6g}" if isinstance(value, float) else str(value) for value in values]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>" for cells in self._cells()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        lines = [self.columns, *self._cells()]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.columns))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)


def _one(scene: Scene, folder: Path, end: float | None) -> dict[str, Any]:
    """One run of a study, in a process of its own, gone on with where it was stopped."""
    try:
        recorded = Run(scene, folder, resume=True, end=end, threads=1)
    except RunError as error:
        raise RunError(f"{error} (a study goes on with what is in its folder; `out` gives it another one)") from None
    with recorded:
        recorded.run()
    found = recorded.folder
    summary, series = recorded.finish(), found.series
    row: dict[str, Any] = {
        "steps": summary["steps"],
        "wall_seconds": summary["wall_seconds"],
        "failed_steps": summary["failed_steps"],
        "worst_penetration": summary["certificate"]["worst_penetration"],
    }
    row.update({name: float(series[name][-1]) for name in series if series.rows})
    return row


def _quiet() -> None:
    """Ctrl-C is for the process that asked; the others are told by it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def study(
    scene: SceneLike,
    values: Mapping[str, Sequence[Any]],
    *,
    out: PathLike | None = None,
    together: bool = False,
    measure: Measured | None = None,
    end: float | None = None,
    processes: int | None = None,
    progress: bool = False,
) -> Table:
    """Runs a scene with all combinations of some values, each in a process of its own with one thread.

    The runs are in ``out/001``, ``out/002``, …; runs that are there from an earlier call are not run again, and go on where they
    were stopped. Ctrl-C stops it: what is done is in ``out/study.csv``, and the same call does the rest. Processes are started
    afresh (*spawn*): in a script call it below ``if __name__ == "__main__":``.

    Args:
        scene: The scene, a dictionary of its sections, or its file.
        values: The values of each key, as in ``{"contacts.friction": [0.2, 0.4], "time.step": [1e-3, 2e-3]}``.
        out: The folder; ``studies/NAME`` if not given.
        together: Whether the keys change together (all with as many values) instead of in all combinations.
        measure: Called with the folder of each run that is done, in this process, so that it may be a function of a notebook;
            what it gives is added to the row.
        end: The time to stop at, s, instead of the scene's.
        processes: How many runs at once; as many as there are cores if not given.
        progress: Whether to tell what is done.

    Returns:
        A table with a row for each run: the values that were set, ``steps``, ``wall_seconds``, ``failed_steps``,
        ``worst_penetration`` (m), the last value of each column of its series, and what ``measure`` gave.

    Raises:
        GranuleError: The first error of a run, after all others are done and in ``out/study.csv``.
    """
    base = scene_of(scene)
    keys = list(values)
    if not keys:
        raise ValueError('a study needs values to change, as in {"contacts.friction": [0.2, 0.4]}')
    for key, choices in values.items():
        if isinstance(choices, (str, bytes)) or not hasattr(choices, "__len__") or len(choices) == 0:
            raise ValueError(f"`{key}` needs a list of the values to try, as in {{{key!r}: [0.2, 0.4]}}, and not {choices!r}")
    counts = {len(values[key]) for key in keys}
    if together and len(counts) > 1:
        raise ValueError("keys that change together need as many values each")
    combined = zip(*values.values(), strict=True) if together else itertools.product(*values.values())
    cases = [dict(zip(keys, case, strict=True)) for case in combined]
    # A mistake in any of them is told before the first one is run.
    scenes = [base.changed(case) for case in cases]
    folder = Path(out) if out is not None else Path("studies") / base.name
    folder.mkdir(parents=True, exist_ok=True)
    at_once = min(processes or os.cpu_count() or 1, len(cases))
    done: dict[int, dict[str, Any]] = {}
    failures: list[GranuleError] = []
    pool = ProcessPoolExecutor(at_once, mp_context=multiprocessing.get_context("spawn"), initializer=_quiet)
    try:
        jobs: dict[Future[dict[str, Any]], int] = {
            pool.submit(_one, each, folder / f"{k + 1:03}", end): k for k, each in enumerate(scenes)
        }
        left = set(jobs)
        while left:
            finished, left = wait(left, return_when=FIRST_COMPLETED)
            for job in finished:
                place = jobs[job]
                try:
                    row = job.result()
                    if measure is not None:
                        row.update(measure(RunFolder(folder / f"{place + 1:03}")))
                    done[place] = row
                except GranuleError as error:
                    # The others are run all the same; the first failure is told in the end.
                    failures.append(error)
                if progress:
                    print(f"{len(cases) - len(left)} of {len(cases)}: {cases[place]}", flush=True)
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        table = Table([{**cases[k], **done[k]} for k in sorted(done)])
        if done:
            table.to_csv(folder / "study.csv")
    if failures:
        raise failures[0]
    return table
