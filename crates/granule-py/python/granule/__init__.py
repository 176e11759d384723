"""Nonsmooth contact dynamics: many rigid bodies that touch, slide, stack and flow, each step certified.

The way through the package::

    import granule

    scene = granule.Scene.load("scenes/hourglass.toml")     # or from objects, or from a dictionary
    run = granule.run(scene, "runs/hourglass", progress=True)
    run.series.plot("kinetic_energy")
    run.frames[-1].positions                                # m, of the shape (n, 3)

    simulation = granule.Simulation(scene)                  # in memory, step by step
    simulation.step()

    granule.solve("problem.hdf5", "ags")                    # a contact problem of another code
    granule.study(scene, {"contacts.friction": [0.2, 0.4]}) # many runs over processes

All units are SI.
"""

from . import convert, errors, parts, plot
from ._granule import Certificate, Energies, StepReport, __version__
from .bodies import Body, Contacts, Joint, Joints, WallLoad
from .errors import (
    BusyError,
    GranuleError,
    InfeasibleError,
    ProblemError,
    ReadError,
    RunError,
    SceneError,
    SetupError,
    StepError,
)
from .folder import Frame, Frames, Live, Mesh, RunFolder, Series, load
from .measure import HeapProfile, heap_profile
from .problem import Problem, Solution, solve, solvers
from .run import Run, run
from .scene import Scene, schema
from .simulation import Simulation
from .study import Table, study

__all__ = [
    "Body",
    "BusyError",
    "Certificate",
    "Contacts",
    "Energies",
    "Frame",
    "Frames",
    "GranuleError",
    "HeapProfile",
    "InfeasibleError",
    "Joint",
    "Joints",
    "Live",
    "Mesh",
    "Problem",
    "ProblemError",
    "ReadError",
    "Run",
    "RunError",
    "RunFolder",
    "Scene",
    "SceneError",
    "Series",
    "SetupError",
    "Simulation",
    "Solution",
    "StepError",
    "StepReport",
    "Table",
    "WallLoad",
    "__version__",
    "convert",
    "errors",
    "heap_profile",
    "load",
    "parts",
    "plot",
    "run",
    "schema",
    "solve",
    "solvers",
    "study",
]
