"""Runs: simulations that write a folder of results as they go, the same as the command's."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _granule
from ._granule import StepReport
from .errors import RunError
from .folder import RunFolder
from .scene import PathLike, SceneLike, scene_of
from .simulation import Simulation, Watch


class Run(Simulation):
    """A simulation that writes a folder: frames, ``series.csv``, checkpoints, and ``summary.json`` at its end.

    The folder is the one that ``granule run`` writes. A run that was stopped goes on with ``resume=True``, with the same bits
    as if it had not been stopped; what a program did to it between steps is in its state, and what it was to do later is not.

    While it goes on it is seen by others (:attr:`granule.RunFolder.live`, the viewer), who may pause and stop it: :meth:`run` and the
    iteration then end early, and it can be resumed.

    Use it as a context manager, so that the folder is finished whatever happens::

        with granule.Run(scene, "runs/drop") as run:
            for report in run:
                run.apply_force(-0.1 * run.velocities)
        run.folder.series["kinetic_energy"]

    Args:
        scene: The scene, a dictionary of its sections, or its file.
        out: The folder; ``runs/NAME`` if not given, with a number where that is taken.
        resume: Whether to go on with the run that is there; a new one is started if there is none.
        overwrite: Whether to replace a run that is there.
        end: The time to stop at, s, instead of the scene's.
        threads: Threads; one for each core if not given. The result does not depend on it.

    Attributes:
        path: The folder.
        complete: Whether the run that was to be resumed had nothing left to do.

    Raises:
        RunError: If the folder holds a run that is neither to be resumed nor to be replaced, or was started from another scene.
    """

    def __init__(
        self,
        scene: SceneLike,
        out: PathLike | None = None,
        *,
        resume: bool = False,
        overwrite: bool = False,
        end: float | None = None,
        threads: int | None = None,
    ) -> None:
        made = scene_of(scene)
        if resume and overwrite:
            raise ValueError("a run is resumed or replaced, not both: give `resume` or `overwrite`")
        usual = Path(out) if out is not None else Path(made.to_dict()["output"]["directory"])
        holds = _granule.Engine.holds_run(usual)
        if out is None and not (resume or overwrite):
            usual, holds = Path(_granule.Engine.free_folder(usual)), False
        if holds and not (resume or overwrite):
            raise RunError(
                f"{usual} already holds a run: go on with it by resume=True, replace it by overwrite=True, or give another folder"
            )
        self.scene = made
        self.path = usual
        self._summary: dict[str, Any] | None = None
        mode = "replace" if overwrite else "resume" if resume and holds else "create"
        engine = _granule.Engine.recorded(made._engine, os.fspath(usual), mode, end, threads)
        self._start(engine)
        self.complete = engine.closed
        if self.complete:
            # Nothing is left to do; what it came to is in the folder.
            self._summary = self.folder.summary

    @property
    def folder(self) -> RunFolder:
        """The folder, to be read."""
        return RunFolder(self.path)

    @property
    def finished(self) -> bool:
        """Whether the end is reached."""
        return self._engine.closed or self._engine.finished

    def _reports(self, until: float | None, steps: int | None, at_once: int | None, progress: bool) -> Any:
        if self._engine.closed:
            return iter(())
        return super()._reports(until, steps, at_once, progress)

    def finish(self) -> dict[str, Any]:
        """Writes the last frame, the last checkpoint and the summary, and closes the folder.

        Returns:
            The summary; its ``status`` is ``completed``, or ``interrupted`` where the end is not reached.
        """
        if self._summary is None:
            words = self._engine.finish()
            self._summary = json.loads(words) if words else {}
        return self._summary

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.finish()
            return
        try:
            self.finish()
        except Exception as second:  # The first error is the one to tell.
            warnings.warn(f"the run could not be finished either: {second}", RuntimeWarning, stacklevel=2)

    def __repr__(self) -> str:
        if self.complete:
            return f"Run({self.scene.name!r} in {str(self.path)!r}, complete)"
        if self._engine.closed:
            return f"Run({self.scene.name!r} in {str(self.path)!r}, closed)"
        return f"Run({self.scene.name!r} in {str(self.path)!r}, time={self.time:.6g} s of {self.end:.6g} s, {self.count} bodies)"


def run(
    scene: SceneLike,
    out: PathLike | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    end: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    watch: Watch | None = None,
) -> RunFolder:
    """Runs a scene to its end and writes a folder, as ``granule run`` does.

    Ctrl-C stops it, also within a step, which then counts as not taken: what was reached is kept, ``resume=True`` goes on, and
    ``KeyboardInterrupt`` is raised. Python's lock is free while steps are taken.

    Args:
        scene: The scene, a dictionary of its sections, or its file.
        out: The folder; ``runs/NAME`` if not given, with a number where that is taken.
        resume: Whether to go on with the run that is there; a new one is started if there is none.
        overwrite: Whether to replace a run that is there.
        end: The time to stop at, s, instead of the scene's.
        threads: Threads; one for each core if not given. The result does not depend on it.
        progress: Whether to show a bar (with tqdm where that is installed).
        watch: Called after each step with the run and the report on the step; if it gives ``False`` the run stops, to be resumed.

    Returns:
        The folder, to be read.
    """
    with Run(scene, out, resume=resume, overwrite=overwrite, end=end, threads=threads) as recorded:
        recorded.run(watch=watch, progress=progress)
    return recorded.folder


__all__ = ["Run", "StepReport", "run"]
