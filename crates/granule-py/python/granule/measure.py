"""What is measured of a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _granule
from .bodies import Floats, Vector


@dataclass(frozen=True)
class HeapProfile:
    """The height of a heap over the distance from its axis (in a plane: over x).

    Attributes:
        distance: The middles of the bins, m.
        height: The height of the surface in each of them, m.
        width: The width of a bin, m.
        foot: The point on the ground below the middle of the heap, m.
        angle: The angle of repose, degrees; ``None`` where there is no flank to measure.
        no_angle: Why there is none, in a sentence.
    """

    distance: Floats
    height: Floats
    width: float
    foot: Vector
    angle: float | None
    no_angle: str | None

    def plot(self, ax: Any = None) -> Any:
        """Draws it with matplotlib, see :func:`granule.plot.profile`."""
        from .plot import profile

        return profile(self, ax=ax)

    def __repr__(self) -> str:
        angle = f"angle={self.angle:.1f}°" if self.angle is not None else f"no angle: {self.no_angle}"
        return f"HeapProfile({len(self.distance)} bins of {self.width:.4g} m, {angle})"


def heap_profile(
    positions: npt.ArrayLike, radii: npt.ArrayLike, up: npt.ArrayLike = (0.0, 0.0, 1.0), dimension: int = 3
) -> HeapProfile | None:
    """The profile of the heap that spheres make, and its angle of repose.

    Args:
        positions: Their centres, m, a row for each.
        radii: m.
        up: The direction against gravity.
        dimension: 3, or 2 for a heap of disks in the plane z = 0.

    Returns:
        The profile; ``None`` where there are no spheres to make one.
    """
    x, y, z = (float(part) for part in np.asarray(up, dtype=np.float64))
    found = _granule.heap_profile(
        np.atleast_2d(np.asarray(positions, dtype=np.float64)),
        np.atleast_1d(np.asarray(radii, dtype=np.float64)),
        [x, y, z],
        dimension,
    )
    if found is None:
        return None
    distance, height, width, foot, angle, no_angle = found
    return HeapProfile(distance, height, width, np.array(foot), angle, no_angle)
