"""What can go wrong. Every error says what, where, and how to mend it, in the words of the command ``granule``."""

from __future__ import annotations


class GranuleError(Exception):
    """The base of all errors of this package."""


class SceneError(GranuleError, ValueError):
    """A scene is wrong. Its text shows the line, as the command does.

    Attributes:
        file: The file of the scene, or what stands for it.
        line: The line in it, counted from 1; ``None`` where the mistake stands in no line.
        reason: The reason, in a sentence.
        help: How to mend it.
    """

    def __init__(self, message: str, file: str = "", line: int | None = None, reason: str = "", help: str = "") -> None:
        super().__init__(message, file, line, reason, help)
        self.message = message
        self.file = file
        self.line = line
        self.reason = reason
        self.help = help

    def __str__(self) -> str:
        return self.message


class SetupError(GranuleError, ValueError):
    """A world, its settings, or a change of it cannot be simulated."""


class StepError(GranuleError, RuntimeError):
    """A step could not be taken. The simulation is as it was before the step."""


class BusyError(GranuleError, RuntimeError):
    """The simulation is in the middle of a step, and what asks is called from there, as a handler of signals is."""


class InfeasibleError(StepError):
    """The constraints of a step contradict each other: walls leave grains no room. The text names those concerned."""


class RunError(GranuleError, RuntimeError):
    """A run could not be started, gone on with, or recorded."""


class ReadError(GranuleError, OSError):
    """A result could not be read."""


class ProblemError(GranuleError, ValueError):
    """A contact problem is flawed, or the solver that is asked for cannot solve its kind."""
