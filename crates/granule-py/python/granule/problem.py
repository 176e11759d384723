"""Contact problems: given as arrays, sparse matrices or files, solved by any solver, judged by the certificate."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _granule
from ._granule import Certificate
from .bodies import Floats
from .scene import PathLike

_Entries = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats, tuple[int, int]]


def _entries(matrix: Any, name: str) -> _Entries:
    """Rows, columns and values of a dense or sparse matrix."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        rows, columns, values, shape = sparse.row, sparse.col, sparse.data, sparse.shape
    else:
        dense = np.asarray(matrix, dtype=np.float64)
        if dense.ndim != 2:
            raise ValueError(f"`{name}` must be a matrix, not an array of {dense.ndim} dimensions")
        rows, columns = np.nonzero(dense)
        values, shape = dense[rows, columns], dense.shape
    return (
        np.ascontiguousarray(rows, dtype=np.int64),
        np.ascontiguousarray(columns, dtype=np.int64),
        np.ascontiguousarray(values, dtype=np.float64),
        (int(shape[0]), int(shape[1])),
    )


def _vector(values: npt.ArrayLike, name: str) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"`{name}` must have one dimension, not {array.ndim}")
    return array


def _friction(values: npt.ArrayLike, rows: int) -> Floats:
    """One number for each contact; one number alone holds for all contacts, of three rows."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0:
        return np.full(max(rows // 3, 1), float(array))
    return _vector(array, "friction")


class Problem:
    """A contact problem ``u = W r + q``: impulses ``r`` in the cone of friction, velocities ``u`` against it.

    Each contact has 1 row (no friction), 2 (in a plane), 3, or 5 (with rolling): the normal first, then the tangents, then the
    axes of rolling. Units are those of the problem; with SI ``W`` is in 1/kg, ``q`` in m/s and ``r`` in N s.

    Args:
        W: The matrix, dense or of ``scipy.sparse``.
        q: The relative velocities without impulses, one entry a row.
        friction: The coefficient of each contact, or one for all (then with three rows each); without it contacts have one row.
        rolling: The coefficient of rolling friction of each contact, in the unit of moment over force; only with five rows.
        title: What it is called.

    Raises:
        ProblemError: If the parts do not belong together.

    Example::

        # 2 kg that come down at 1 m/s and slide at 3 m/s, with friction 0.5.
        problem = granule.Problem(np.eye(3) / 2, [-1.0, 3.0, 0.0], friction=[0.5])
        granule.solve(problem).impulses    # [2, -1, 0] N s
    """

    def __init__(
        self,
        W: Any,
        q: npt.ArrayLike,
        friction: npt.ArrayLike | None = None,
        *,
        rolling: npt.ArrayLike = (),
        title: str | None = None,
    ) -> None:
        free = _vector(q, "q")
        mu = None if friction is None else _friction(friction, len(free))
        self._engine = _granule.Problem.local(_entries(W, "W"), free, mu, _vector(rolling, "rolling"), title)

    @classmethod
    def _of(cls, engine: _granule.Problem) -> Problem:
        problem = cls.__new__(cls)
        problem._engine = engine
        return problem

    @classmethod
    def from_dynamics(
        cls,
        M: Any,
        H: Any,
        f: npt.ArrayLike,
        w: npt.ArrayLike,
        friction: npt.ArrayLike,
        *,
        rolling: npt.ArrayLike = (),
        title: str | None = None,
    ) -> Problem:
        """A problem with the velocities ``v`` of bodies: ``M v = H r + f``, ``u = Hᵀ v + w`` (the global form).

        Args:
            M: The mass, dense or sparse, one row a degree of freedom.
            H: The directions of contacts, one row a degree of freedom and one column a row of a contact.
            f: The momentum without contacts.
            w: What is added to the relative velocities.
            friction: As for the class.
            rolling: As for the class.
            title: What it is called.
        """
        offset = _vector(w, "w")
        mu = _friction(friction, len(offset))
        turning = _vector(rolling, "rolling")
        engine = _granule.Problem.global_form(
            _entries(M, "M"), _entries(H, "H"), _vector(f, "f"), offset, mu, turning, title
        )
        return cls._of(engine)

    @classmethod
    def load(cls, path: PathLike) -> Problem:
        """Reads FCLib's HDF5 or Siconos' text, told apart by their contents."""
        return cls._of(_granule.Problem.load(os.fspath(path)))

    def save(self, path: PathLike) -> None:
        """Writes FCLib's HDF5, or Siconos' text where the name ends in ``.dat``."""
        self._engine.save(os.fspath(path))

    @property
    def contacts(self) -> int:
        """How many contacts there are."""
        return self._engine.contacts

    @property
    def rows_a_contact(self) -> int:
        """1, 2, 3, or 5 with rolling."""
        return self._engine.rows_a_contact

    @property
    def form(self) -> str:
        """``local`` (W and q) or ``global`` (M, H, f and w)."""
        return self._engine.form

    @property
    def title(self) -> str | None:
        """What it is called."""
        return self._engine.title

    @property
    def friction(self) -> Floats | None:
        """The coefficient of friction of each contact."""
        return self._engine.friction

    def to_local(self) -> tuple[Any, Floats]:
        """``W`` (of ``scipy.sparse``) and ``q``; a problem in the global form is condensed."""
        from scipy.sparse import coo_matrix

        (rows, columns, values, shape), free = self._engine.to_local()
        return coo_matrix((values, (rows, columns)), shape=shape).tocsr(), free

    def certify(self, impulses: npt.ArrayLike, *, law: str = "exact") -> tuple[Certificate, float | None]:
        """Judges impulses, whoever found them.

        Args:
            impulses: One entry a row.
            law: ``exact`` or ``convex``, see :func:`solve`.

        Returns:
            The certificate, and the error of the collections of contact problems (``None`` without friction).
        """
        return self._engine.certify(_vector(impulses, "impulses"), law)

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        return f"Problem({title}{self.contacts} contacts of {self.rows_a_contact} rows, {self.form} form)"

    def __reduce__(self) -> tuple[Any, ...]:
        (rows, columns, values, shape), free = self._engine.to_local()
        friction, rolling = self._engine.friction, self._engine.rolling
        return _rebuilt, ((rows, columns, values, shape), free, friction, rolling, self.title)


def _rebuilt(entries: _Entries, free: Floats, friction: Floats | None, rolling: Floats, title: str | None) -> Problem:
    return Problem._of(_granule.Problem.local(entries, free, friction, rolling, title))


@dataclass(frozen=True)
class Solution:
    """What a solver found, and what the certificate says of it.

    Attributes:
        impulses: ``r``, one entry a row.
        velocities: ``u``, the relative velocities with these impulses, one entry a row.
        body_velocities: ``v``, one entry a degree of freedom; empty in the local form.
        certificate: The certificate, computed outside of the solver.
        community_error: The error of the collections of contact problems; ``None`` without friction.
        converged: Whether all errors are below the tolerance.
        status: How the solver ended: ``converged``, ``max-iterations``, ``stalled``, ``infeasible``, ``numerical-failure``.
        solver: The solver that was asked.
        finished_by: The solver that gave the answer, where that is another one.
        iterations: Iterations.
        applications: How often ``W`` was applied.
        seconds: Time taken by the solver, s.
        contradiction: Where there is no solution, the contacts that contradict each other.
    """

    impulses: Floats
    velocities: Floats
    body_velocities: Floats
    certificate: Certificate
    community_error: float | None
    converged: bool
    status: str
    solver: str
    finished_by: str | None
    iterations: int
    applications: int
    seconds: float
    contradiction: list[int] | None = field(default=None)

    def __repr__(self) -> str:
        community = "" if self.community_error is None else f", community_error={self.community_error:.1e}"
        return (
            f"Solution({self.solver}: {self.status} after {self.iterations} iterations, "
            f"scaled={self.certificate.scaled:.1e}{community}, {self.seconds:.3g} s)"
        )


def solve(
    problem: Problem | PathLike,
    solver: str = "auto",
    *,
    tolerance: float = 1e-8,
    max_iterations: int = 20_000,
    law: str = "exact",
    threads: int | None = None,
) -> Solution:
    """Solves a contact problem and certifies the answer.

    Args:
        problem: The problem, or its file.
        solver: Its name; :func:`solvers` has them.
        tolerance: What the certificate's scaled error and the community's must both be below.
        max_iterations: The most iterations.
        law: ``exact`` for Coulomb's friction, ``convex`` for its convex relative.
        threads: Threads; one for each core if not given. The result does not depend on it.

    Returns:
        The solution; whether it is one tells its ``converged``. Not converging is no exception.

    Raises:
        ProblemError: If the problem is flawed, or the solver cannot solve its kind.
    """
    if not isinstance(problem, (Problem, str, os.PathLike)):
        raise TypeError(f"give a `granule.Problem(W, q, friction)`, or the name of its file, and no {type(problem).__name__}")
    given = problem if isinstance(problem, Problem) else Problem.load(problem)
    (
        impulses,
        velocities,
        bodies,
        status,
        iterations,
        applications,
        seconds,
        certificate,
        community,
        finished_by,
        contradiction,
    ) = given._engine.solve(solver, tolerance, max_iterations, law, threads)
    met = certificate.scaled <= tolerance and (community is None or community <= tolerance)
    return Solution(
        impulses,
        velocities,
        bodies,
        certificate,
        community,
        met,
        status,
        solver,
        finished_by,
        iterations,
        applications,
        seconds,
        contradiction,
    )


def solvers() -> dict[str, str]:
    """The names of all solvers, each with a line about it."""
    return dict(_granule.methods())
