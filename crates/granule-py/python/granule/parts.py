"""The parts of a scene as objects: a class for each table of scene files, with the same keys.

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

# On which coordinate of a joint something acts.
Along: TypeAlias = 'Literal["turn", "slide", "length"]'

# An axis.
AxisName: TypeAlias = 'Literal["x", "y", "z"]'

# The time at the start of a run that goes on from another one.
Clock: TypeAlias = 'Literal["zero", "continue"]'

# How a number is drawn.
# One of the keys `uniform`, `log-normal`, `histogram`.
Distribution: TypeAlias = 'Mapping[str, Any]'

# How exact Coulomb friction is found by solvers of convex problems.
ExactBy: TypeAlias = 'Literal["projection", "fixed-point"]'

# A face of a box.
Face: TypeAlias = 'Literal["-x", "+x", "-y", "+y", "-z", "+z"]'

# A number that is the same always, or a function of time: `{ linear = { times, values } }`, `{ piecewise = { times,
# values } }` or `{ sine = { amplitude, frequency, phase } }`.
InTime: TypeAlias = 'float | TimeFunction'

# What a joint leaves free.
JointKind: TypeAlias = 'Literal["ball", "hinge", "slider", "cylindrical", "universal", "fixed", "distance", "point-on-line", "gear", "link"]'

# The kind of lattice.
Lattice: TypeAlias = 'Literal["square", "hexagonal"]'

# A contact law as users and files name it.
LawName: TypeAlias = 'Literal["frictionless", "coulomb-convex", "coulomb"]'

# What a density is multiplied by.
MassFrom: TypeAlias = 'Literal["volume", "area", "length"]'

# A part of space.
# One of the keys `box`, `cylinder`, `sphere`.
MeasureRegion: TypeAlias = 'Mapping[str, Any]'

# What of a solid from a file touches others.
MeshParts: TypeAlias = 'Literal["convex-hull", "decomposition"]'

# A solver by name.
Method: TypeAlias = 'Literal["auto", "pgd", "pgj", "apgd", "apgd-as", "apgd-ar", "apgd-asr", "ags", "pgs", "nlgs-sbp", "nlgs-sal", "nlgs-ebp", "nlgs-eal", "nlgs-pdas", "nlgs-cases", "spg", "ipm", "ipm-mf", "newton", "clarabel", "usual"]'

# How a wall or a body moves as a function of time: the engine's `granule::bodies::Motion` in the words of a scene
# file.
# One of the keys `velocity`, `rotation`, `oscillation`, `piecewise`.
Motion: TypeAlias = 'Literal["fixed"] | Mapping[str, Any]'

# What becomes of bodies that leave.
OnExit: TypeAlias = 'Literal["remove", "warn", "stop"]'

# What happens when a step's certificate fails.
OnFailure: TypeAlias = 'Literal["escalate", "warn", "stop"]'

# How grains are turned.
Orientation: TypeAlias = 'Literal["random", "aligned"] | Sequence[float]'

# A number that is the same for all grains, or drawn for each: `{ uniform = [min, max] }`, `{ log-normal = { median,
# sigma, min, max } }` or `{ histogram = { edges, weights } }`.
Quantity: TypeAlias = 'float | Distribution'

# How a penetration that is there at the start of a step is undone.
Recovery: TypeAlias = 'Literal["position", "velocity", "none"]'

# A part of space to fill.
# One of the keys `box`, `cylinder`, `cone`.
Region: TypeAlias = 'Mapping[str, Any]'

# The metric that gradient steps are taken in.
Scaling: TypeAlias = 'Literal["diagonal", "none"]'

# A time-stepping scheme by name.
SchemeName: TypeAlias = 'Literal["maury", "moreau-jean", "shake", "rattle"]'

# A distance that is the same in all directions, or one for each.
Spacing: TypeAlias = 'float | Sequence[float]'

# When a solve ends.
Stop: TypeAlias = 'Literal["certificate", "paper"]'

# The order in which Gauss-Seidel visits contacts.
SweepOrder: TypeAlias = 'Literal["forward", "symmetric", "shuffled", "coloured"]'

# A scalar function of time with an exact integral.
# One of the keys `constant`, `piecewise`, `linear`, `sine`.
TimeFunction: TypeAlias = 'Mapping[str, Any]'

# A vector: as many numbers as the scene has dimensions, or three.
Vector: TypeAlias = 'Sequence[float]'

# What a solve starts from.
WarmStart: TypeAlias = 'Literal["previous", "zero"]'


@dataclass(kw_only=True)
class AlongAxes(Part):
    """Numbers along some of the axes.

    Attributes:
        x: Along x: a number, or a function of time. Default: none.
        y: Along y. Default: none.
        z: Along z. Default: none.
    """

    x: InTime | None = None
    y: InTime | None = None
    z: InTime | None = None


@dataclass(kw_only=True)
class AlongAxis(Part):
    """A force that depends on the place along an axis. Give `places` and `forces`, or `file`.

    Attributes:
        axis: The place is the way along this direction from the origin, m; any length but zero.
        direction: Of the force; any length but zero. Default: that of `axis`.
        file: A table with two columns, place (m) and force (N), separated by commas; a first line of names is
            left out.
        forces: N, one for each place.
        places: m, increasing. Between them the force is straight, beyond them that of the nearest.
    """

    axis: Vector
    direction: Vector | None = None
    file: str | None = None
    forces: Sequence[float] | None = None
    places: Sequence[float] | None = None


@dataclass(kw_only=True)
class BlockShape(Part):
    """A solid box that bodies touch from outside.

    Attributes:
        size: m, the full lengths of the edges, as many numbers as dimensions.
        orientation: A quaternion `[x, y, z, w]` that turns the block, brought to unit length; only about z in
            2D. Default `[0, 0, 0, 1]`.
    """

    size: Vector
    orientation: Sequence[float] | None = None


@dataclass(kw_only=True)
class Body(Part):
    """One body. Give exactly one shape: `sphere`, `box` or `union`; in 3D also `ellipsoid`, `superellipsoid`,
    `capsule`, `cylinder`, `cone`, `hull` or `mesh`; in 2D also `ellipse` or `polygon`. In 1D bodies are
    spheres. A body with `mass` and `inertia` may have no shape: then it touches others with the walls that it
    carries.

    Attributes:
        position: m, where the frame of the shape is, as many numbers as dimensions: the centre of a sphere, the
            place of `[0, 0, 0]` among the points of a hull.
        angular_velocity: rad/s, three numbers in 3D, one (about z) in 2D. Default zero.
        box: A box (a rectangle in 2D): `{ size, rounding }`.
        capsule: 3D: a cylinder with round ends, along z: `{ radius, length }`.
        cone: 3D: a cone along z, whole or cut off: `{ bottom_radius, top_radius, length }`.
        cylinder: 3D: a cylinder along z, `{ radius, length }`.
        ellipse: 2D: an ellipse, `{ half_axes = [a, b], exponent }`.
        ellipsoid: 3D: an ellipsoid, `{ half_axes = [a, b, c] }`.
        hull: 3D: the convex hull of points, `{ points = [[x, y, z], …], rounding }`.
        inertia: kg m², the three moments of inertia about the principal axes of the shape, each named by the
            axis x, y, z of the shape that is nearest. Default: those of a homogeneous body; in 2D of a plate.
        mass: kg. Default: from the density of the material.
        material: The name of the material. Default: `default`, or the only one there is.
        mesh: 3D: a solid from an STL or OBJ file, `{ file, scale, parts }`.
        motion: A prescribed motion, `"fixed"` for none at all: contacts do not move such a body. Default: the
            body moves by forces and contacts.
        name: A name, by which `[[bonds]]`, `[[joints]]` and `[[walls]]` know the body. Default none.
        orientation: A quaternion `[x, y, z, w]` that turns the frame of the shape, brought to unit length; only
            about z in 2D. Default `[0, 0, 0, 1]`.
        polygon: 2D: a convex polygon, `{ corners = [[x, y], …], rounding }`.
        sphere: A sphere (a disk in 2D, a segment of length 2r in 1D): `{ radius }`.
        superellipsoid: 3D: an ellipsoid that is nearly a box or a cylinder, `{ half_axes = [a, b, c], exponents
            = [m, n] }`.
        union: Convex shapes joined rigidly: `{ parts = [{ sphere = { radius }, position, orientation }, …] }`.
        velocity: m/s, of the centre of mass. Default zero; a body with a `motion` has none of its own.
    """

    position: Vector
    angular_velocity: Vector | None = None
    box: BoxSolid | Mapping[str, Any] | None = None
    capsule: CapsuleSolid | Mapping[str, Any] | None = None
    cone: ConeSolid | Mapping[str, Any] | None = None
    cylinder: CylinderSolid | Mapping[str, Any] | None = None
    ellipse: EllipseSolid | Mapping[str, Any] | None = None
    ellipsoid: EllipsoidSolid | Mapping[str, Any] | None = None
    hull: HullSolid | Mapping[str, Any] | None = None
    inertia: Sequence[float] | None = None
    mass: float | None = None
    material: str | None = None
    mesh: MeshSolid | Mapping[str, Any] | None = None
    motion: Motion | None = None
    name: str | None = None
    orientation: Sequence[float] | None = None
    polygon: PolygonSolid | Mapping[str, Any] | None = None
    sphere: SphereShape | Mapping[str, Any] | None = None
    superellipsoid: SuperellipsoidSolid | Mapping[str, Any] | None = None
    union: UnionSolid | Mapping[str, Any] | None = None
    velocity: Vector | None = None


@dataclass(kw_only=True)
class BondPair(Part):
    """A bond between two spheres of `[[bodies]]`, as strong as the `bond` between their materials.

    Attributes:
        between: The names of the two bodies. The gap between them is at most the smaller radius.
    """

    between: Sequence[str]


@dataclass(kw_only=True)
class Bond(Part):
    """How strong bonds are. A bond holds until it breaks, and then never again.

    Attributes:
        pull: N. The largest pull.
        bending: N m. The largest bending moment without load. Default 0: a hinge.
        opening: m. How far it may flow apart under its largest pull before it breaks. Default 0: brittle.
        shear: N. The largest shear without load; under compression more, under tension less. Default 0: it
            slides freely.
        slip: m. How far it may slip under its largest shear before it breaks. Default 0.
        torsion: N m. The largest moment about the normal without load; 3D only. Default 0: it spins freely.
        turn: rad. How far it may turn under its largest moments before it breaks. Default 0.
        within: m. All pairs with a gap of at most this at the start are bonded. By default only those of
            `[[bonds]]` are.
    """

    pull: float
    bending: float | None = None
    opening: float | None = None
    shear: float | None = None
    slip: float | None = None
    torsion: float | None = None
    turn: float | None = None
    within: float | None = None


@dataclass(kw_only=True)
class BoxRegion(Part):
    """A box along the axes.

    Attributes:
        max: m, the corner with the largest coordinates.
        min: m, the corner with the smallest coordinates.
    """

    max: Vector
    min: Vector


@dataclass(kw_only=True)
class BoxShape(Part):
    """A box, any of its faces left open.

    Attributes:
        size: m, the full lengths of the edges, as many numbers as dimensions.
        open: The faces that are not there, for instance `["+z"]` for a box without a lid. Default none.
        orientation: A quaternion `[x, y, z, w]` that turns the box, brought to unit length; only about z in 2D.
            Default `[0, 0, 0, 1]`.
    """

    size: Vector
    open: Sequence[Face] | None = None
    orientation: Sequence[float] | None = None


@dataclass(kw_only=True)
class BoxSolid(Part):
    """A box about the origin of its frame (a rectangle in 2D).

    Attributes:
        size: m, positive: the full lengths, rounded edges included, as many numbers as dimensions.
        rounding: m, the radius of edges and corners; less than half of the shortest length. Default 0: sharp.
    """

    size: Vector
    rounding: float | None = None


@dataclass(kw_only=True)
class Buoyancy(Part):
    """A medium that bodies are wholly in.

    Attributes:
        density: kg/m³; in 2D kg/m².
    """

    density: float


@dataclass(kw_only=True)
class CapsuleSolid(Part):
    """All points within `radius` of a segment along z about the origin of its frame.

    Attributes:
        length: m, positive: the length of the straight part; the whole is longer by two radii.
        radius: m, positive.
    """

    length: float
    radius: float


@dataclass(kw_only=True)
class Cell(Part):
    """A periodic cell: a grain that leaves it through one face comes in through the opposite one, and grains at
    opposite faces touch each other. Walls in it are half-spaces along its periodic axes. Regions of measures
    count inside the cell as it is at the time: keep them within a cell that shrinks.

    Attributes:
        max: m, the corner with the largest coordinates.
        min: m, the corner with the smallest coordinates.
        mass: kg, what moves with faces under a stress. Default: the mass of all grains.
        periodic: The axes along which it is periodic, such as `["x", "y"]`. Default: all. Along others grains
            may leave the box.
        shear: A shear of all that is in it (Lees and Edwards), such as `{ flow = "x", gradient = "y", rate =
            2.0 }`. Default: none.
        strain_rate: 1/s: the cell grows along these axes at this rate of strain, negative where it shrinks,
            such as `{ z = -0.1 }`. Default: none.
        stress: Pa (in 2D N/m), compression positive: the cell shrinks or grows along these axes until contacts
            press back with it, such as `{ y = 1000.0 }`. Needs a cell that is periodic along all axes. Default:
            none.
    """

    max: Vector
    min: Vector
    mass: float | None = None
    periodic: Sequence[AxisName] | None = None
    shear: Shear | Mapping[str, Any] | None = None
    strain_rate: AlongAxes | Mapping[str, Any] | None = None
    stress: AlongAxes | Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Central(Part):
    """A force away from a point. Give `distances` and `forces`, or `file`.

    Attributes:
        center: m.
        distances: m, increasing. Between them the force is straight, beyond them that of the nearest.
        file: A table with two columns, distance (m) and force (N), separated by commas; a first line of names
            is left out.
        forces: N, one for each distance.
    """

    center: Vector
    distances: Sequence[float] | None = None
    file: str | None = None
    forces: Sequence[float] | None = None


@dataclass(kw_only=True)
class ConeRegion(Part):
    """A truncated cone, described as a wall of that shape is.

    Attributes:
        bottom_radius: m, zero for a tip.
        center: m, the middle of its axis.
        length: m, positive.
        top_radius: m, zero for a tip.
        axis: From the bottom to the top; any length but zero. Default `[0, 0, 1]`.
    """

    bottom_radius: float
    center: Vector
    length: float
    top_radius: float
    axis: Vector | None = None


@dataclass(kw_only=True)
class ConeShape(Part):
    """A conical shell, for instance a funnel; bodies may be inside or outside.

    Attributes:
        bottom_radius: m, the radius at the bottom; zero for a tip.
        length: m, positive: the cone reaches half of it to either side of `position`.
        top_radius: m, the radius at the top; zero for a tip.
        axis: Direction from the bottom to the top; any length but zero. Default `[0, 0, 1]` in 3D, `[0, 1]` in
            2D.
        bottom: Whether a disk closes the bottom. Default false.
        top: Whether a disk closes the top. Default false.
    """

    bottom_radius: float
    length: float
    top_radius: float
    axis: Vector | None = None
    bottom: bool | None = None
    top: bool | None = None


@dataclass(kw_only=True)
class ConeSolid(Part):
    """A solid cone along z, whole or cut off, from `-length/2` to `length/2`.

    Attributes:
        bottom_radius: m, the radius at `-length/2`; zero for a tip.
        length: m, positive.
        top_radius: m, the radius at `length/2`; zero for a tip.
    """

    bottom_radius: float
    length: float
    top_radius: float


@dataclass(kw_only=True)
class Contacts(Part):
    """Which law holds between bodies that touch.

    Attributes:
        bond: How strong bonds are, which break for good: `{ pull, shear, bending, torsion, opening, slip, turn,
            within }`. Default: there are none.
        candidate_distance: m. Pairs nearer than this are candidates for contact, whatever their velocities. By
            default the distance follows from the velocities; no contact is missed in either case.
        cap: N. The largest compression: pressed harder, a contact is crushed under this force; for `coulomb-
            convex` and `frictionless`. Default none.
        cohesion: N. The pull that a contact holds once its bodies have touched. Default 0.
        cohesion_range: m. How far a contact flows apart under a larger pull before it lets go; needed with
            `cohesion`.
        damping: s. Damping as a multiple of the stiffness, α_K. Default 0.
        dilatancy: tan ψ, above 0 and at most `friction`: a contact that slides opens by this times its slip, in
            place of `friction` times; for `coulomb-convex`. Default `friction`.
        friction: Coefficient of sliding friction μ; needed by the laws with friction.
        law: The law where no pair says otherwise. Default `"frictionless"`.
        mass_damping: 1/s. Damping as a multiple of the reduced mass of the two bodies, α_M. Default 0.
        pairs: Laws between two materials: `[{ between = ["a", "b"], friction = 0.3 }]`. Default none.
        poisson: Poisson's ratio, with `young`. Default 0.
        reference_overlap: The overlap, as a part of the reduced radius, at which a sphere of `young` carries
            what Hertz' law says. Default 0.01.
        restitution: Coefficient of restitution e, 0 to 1: the velocity of departure over that of approach; not
            zero only with `scheme = "moreau-jean"`. Default 0.
        rolling_friction: m. Rolling resistance: the moment against rolling over the normal force. Default 0.
        rolling_stiffness: N m/rad. How stiff contacts are against rolling. Rigid if it is not given.
        rounding: N. Rounds the cone of friction: the radius of a ball that is added to it, so that a contact
            also holds this pull; for `coulomb-convex` and `frictionless`. Default 0.
        spinning_friction: m. Spinning resistance: the moment against spinning about the normal over the normal
            force. Default 0.
        spinning_stiffness: N m/rad. How stiff contacts are against spinning about the normal. Rigid if it is
            not given.
        stiffness: N/m. How stiff contacts are along the normal; the overlap under a force F is F over this.
            Rigid if it is not given.
        tangential_restitution: The same across the normal, 0 to 1; for laws with friction. Default 0.
        tangential_stiffness: N/m. The same across the normal. Default: as along it.
        young: Pa. Young's modulus of spheres, in place of `stiffness`: the secant of Hertz' law up to
            `reference_overlap`.
    """

    bond: Bond | Mapping[str, Any] | None = None
    candidate_distance: float | None = None
    cap: float | None = None
    cohesion: float | None = None
    cohesion_range: float | None = None
    damping: float | None = None
    dilatancy: float | None = None
    friction: float | None = None
    law: LawName | None = None
    mass_damping: float | None = None
    pairs: Sequence[Pair] | None = None
    poisson: float | None = None
    reference_overlap: float | None = None
    restitution: float | None = None
    rolling_friction: float | None = None
    rolling_stiffness: float | None = None
    rounding: float | None = None
    spinning_friction: float | None = None
    spinning_stiffness: float | None = None
    stiffness: float | None = None
    tangential_restitution: float | None = None
    tangential_stiffness: float | None = None
    young: float | None = None


@dataclass(kw_only=True)
class CsvSource(Part):
    """A table with a header. Columns: `x, y, z` (m), `r` (m), `m` (kg), `q0, q1, q2, q3` (the orientation as a
    quaternion w, x, y, z), `vx, vy, vz` (m/s), `wx, wy, wz` (rad/s). Only the coordinates are needed (and `r`
    unless `radius` is given). Grains with a `shape` have a column `s` in the place of `r`: what its lengths are
    multiplied by. Their place and orientation are those of the frame of the shape.

    Attributes:
        file: The file, relative to the folder of the scene file.
    """

    file: str


@dataclass(kw_only=True)
class CylinderRegion(Part):
    """A cylinder.

    Attributes:
        center: m, the middle.
        radius: m, positive.
        axis: Any length but zero. Default `[0, 0, 1]`, the only one in 2D.
        length: m, positive; needed in 3D, without meaning in 2D.
    """

    center: Vector
    radius: float
    axis: Vector | None = None
    length: float | None = None


@dataclass(kw_only=True)
class CylinderShape(Part):
    """A cylindrical shell; bodies may be inside or outside.

    Attributes:
        length: m, positive: the cylinder reaches half of it to either side of `position`.
        radius: m, positive.
        axis: Direction from the bottom to the top; any length but zero. Default `[0, 0, 1]`, which in 2D gives
            a circle.
        bottom: Whether a disk closes the bottom. Default false.
        top: Whether a disk closes the top. Default false.
    """

    length: float
    radius: float
    axis: Vector | None = None
    bottom: bool | None = None
    top: bool | None = None


@dataclass(kw_only=True)
class CylinderSolid(Part):
    """A solid cylinder along z about the origin of its frame.

    Attributes:
        length: m, positive.
        radius: m, positive.
    """

    length: float
    radius: float


@dataclass(kw_only=True)
class Domain(Part):
    """The bounds of the scene, `[domain]`: what becomes of bodies whose centres are outside a box.

    Attributes:
        max: m, the corner with the largest coordinates.
        min: m, the corner with the smallest coordinates.
        on_exit: As for `[[outlets]]`: `"remove"`, `"warn"` or `"stop"`. Default `"remove"`. Its columns are
            called `domain`.
    """

    max: Vector
    min: Vector
    on_exit: OnExit | None = None


@dataclass(kw_only=True)
class Drag(Part):
    """What a medium does to bodies that move through it with the velocity u. Give `linear`, `quadratic`, or
    `density` and `viscosity`.

    Attributes:
        density: kg/m³, of a fluid, with `viscosity`: the drag of spheres (Schiller and Naumann); other shapes
            count as spheres of their volume. Only in 3D.
        flow: m/s, the velocity of the medium. Default zero.
        linear: c of `-c u`, kg/s.
        quadratic: c of `-c |u| u`, kg/m.
        viscosity: Pa s.
    """

    density: float | None = None
    flow: Vector | None = None
    linear: float | None = None
    quadratic: float | None = None
    viscosity: float | None = None


@dataclass(kw_only=True)
class EllipseSolid(Part):
    """`|x/a|^m + |y/b|^m ≤ 1`.

    Attributes:
        half_axes: m, positive: half the lengths along x and y.
        exponent: m, at least 2: 2 for an ellipse, 8 for nearly a rectangle. Default 2.
    """

    half_axes: Sequence[float]
    exponent: float | None = None


@dataclass(kw_only=True)
class EllipsoidSolid(Part):
    """`(x/a)² + (y/b)² + (z/c)² ≤ 1`.

    Attributes:
        half_axes: m, positive: half the lengths along x, y and z.
    """

    half_axes: Sequence[float]


@dataclass(kw_only=True)
class FaceSpec(Part):
    """A flat face.

    Attributes:
        center: m, the middle.
        normal: The side on which grains appear; any length but zero.
        radius: m, of a round face; only in 3D. Give this or `size`.
        size: m, width and height of a rectangular face in 3D, `[width]` in 2D. With a normal along z they are
            along x and y; otherwise these directions are turned with the normal the shortest way.
    """

    center: Vector
    normal: Vector
    radius: float | None = None
    size: Vector | None = None


@dataclass(kw_only=True)
class Flow(Part):
    """A plane that grains go through.

    Attributes:
        normal: Forwards: normal to the plane, any length but zero.
        point: m, a point of the plane.
        within: Only what crosses the plane in here counts. Default: the whole plane.
    """

    normal: Vector
    point: Vector
    within: MeasureRegion | None = None


@dataclass(kw_only=True)
class Force(Part):
    """A force on bodies that move freely: on all of them, or on those that `material`, `bodies` and `region`
    choose. Give exactly one kind: `direction` with `magnitude`, `drag`, `buoyancy`, `spring`, `central`,
    `along` or `torque`. No step is too long for drag and springs; what depends on the place alone is that of
    the start of each step.

    Attributes:
        along: By the place along an axis: `{ axis, places, forces, direction }` or `{ axis, file, direction }`.
        bodies: Only on those of `[[bodies]]` with these names. Default: on all. Not with `direction`.
        buoyancy: Of a medium that bodies are wholly in: `{ density }`, kg/m³ (kg/m² in 2D).
        central: Away from a point (towards it where negative), by the distance: `{ center, distances, forces }`
            or `{ center, file }`.
        direction: The same for all bodies: the direction, in newtons per unit of `magnitude`; as many numbers
            as dimensions.
        drag: Of a medium that resists: `{ linear = 0.1 }`, `{ quadratic = 0.1 }`, or `{ density, viscosity }`
            for spheres in a fluid; with `flow`, its velocity.
        magnitude: With `direction`, a function of time: `{ constant = 2.0 }`, `{ sine = { amplitude, frequency,
            phase } }` or `{ piecewise = { times, values } }` with one value fewer than times.
        material: Only on bodies of this material. Default: of any.
        region: Only on bodies whose centres are in this part of space, as for `random` grains. Default:
            anywhere. Not with `direction`.
        spring: To a point: `{ point, stiffness, damping }`.
        torque: A torque: `{ direction, magnitude }`, N m per unit of `magnitude`; in 2D the direction is `[0,
            0, 1]`.
    """

    along: AlongAxis | Mapping[str, Any] | None = None
    bodies: Sequence[str] | None = None
    buoyancy: Buoyancy | Mapping[str, Any] | None = None
    central: Central | Mapping[str, Any] | None = None
    direction: Vector | None = None
    drag: Drag | Mapping[str, Any] | None = None
    magnitude: TimeFunction | None = None
    material: str | None = None
    region: Region | None = None
    spring: SpringToPoint | Mapping[str, Any] | None = None
    torque: Torque | Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Forces(Part):
    """A histogram of forces.

    Attributes:
        bins: How many bins. Default 50.
        end: Where the last bin ends, in means of the force. Default 5.
        region: As for `stress`: contacts in here count. Default: all.
    """

    bins: int | None = None
    end: float | None = None
    region: MeasureRegion | None = None


@dataclass(kw_only=True)
class General(Part):
    """What the scene is.

    Attributes:
        name: A short name; also names the folder of results.
        allow_overlap: Whether bodies may overlap each other and walls at the start. Default false: an overlap
            deeper than 1e-9 of the radius (of a body of another shape, of the radius of a sphere around it) is an
            error.
        description: What the scene shows, for people.
        dimension: 1, 2 or 3: bodies move along x, in the plane z = 0 (as disks and other flat shapes), or
            freely. Default 3.
        gravity: m/s², as many numbers as dimensions. Default 9.81 downwards: `[0, 0, -9.81]` in 3D, `[0,
            -9.81]` in 2D, `[0]` in 1D.
        lock_rotation: Whether bodies do not turn. Default false.
    """

    name: str
    allow_overlap: bool | None = None
    description: str | None = None
    dimension: int | None = None
    gravity: Vector | None = None
    lock_rotation: bool | None = None


@dataclass(kw_only=True)
class GrainShape(Part):
    """The shape of grains. Give exactly one.

    Attributes:
        box: A box (a rectangle in 2D): `{ size, rounding }`.
        capsule: 3D: a cylinder with round ends, along z: `{ radius, length }`.
        cone: 3D: a cone along z, whole or cut off: `{ bottom_radius, top_radius, length }`.
        cylinder: 3D: a cylinder along z, `{ radius, length }`.
        ellipse: 2D: an ellipse, `{ half_axes = [a, b], exponent }`.
        ellipsoid: 3D: an ellipsoid, `{ half_axes = [a, b, c] }`.
        hull: 3D: the convex hull of points, `{ points = [[x, y, z], …], rounding }`.
        mesh: 3D: a solid from an STL or OBJ file, `{ file, scale, parts }`.
        polygon: 2D: a convex polygon, `{ corners = [[x, y], …], rounding }`.
        sphere: A sphere (a disk in 2D, a segment of length 2r in 1D): `{ radius }`.
        superellipsoid: 3D: an ellipsoid that is nearly a box or a cylinder, `{ half_axes = [a, b, c], exponents
            = [m, n] }`.
        union: Convex shapes joined rigidly: `{ parts = [{ sphere = { radius }, position, orientation }, …] }`.
    """

    box: BoxSolid | Mapping[str, Any] | None = None
    capsule: CapsuleSolid | Mapping[str, Any] | None = None
    cone: ConeSolid | Mapping[str, Any] | None = None
    cylinder: CylinderSolid | Mapping[str, Any] | None = None
    ellipse: EllipseSolid | Mapping[str, Any] | None = None
    ellipsoid: EllipsoidSolid | Mapping[str, Any] | None = None
    hull: HullSolid | Mapping[str, Any] | None = None
    mesh: MeshSolid | Mapping[str, Any] | None = None
    polygon: PolygonSolid | Mapping[str, Any] | None = None
    sphere: SphereShape | Mapping[str, Any] | None = None
    superellipsoid: SuperellipsoidSolid | Mapping[str, Any] | None = None
    union: UnionSolid | Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Grains(Part):
    """Many bodies at once, spheres unless `shape` is given. Give exactly one source: `grid`, `random`, `csv`,
    `vtk` or `run`.

    Attributes:
        angular_velocity: rad/s, three numbers in 3D, one (about z) in 2D. Default: from the file, or else zero.
        csv: From a table: `{ file }`.
        grid: On a lattice: `{ counts, spacing, origin, jitter, lattice }`.
        mass: kg: a number or a distribution. Default: from the file, or else from the density of the material.
        material: The name of the material. Default: those of the earlier run with `run`, else `default`, or the
            only one there is.
        motion: A prescribed motion for each of the grains, `"fixed"` for obstacles. Default: the grains move by
            forces and contacts.
        orientation: How grains with a `shape` are turned: `"random"` (all ways equally likely; about z in 2D),
            `"aligned"` as the shape is given, or all alike by a quaternion `[x, y, z, w]`. Default: from the file,
            or else `"random"`.
        radius: m: a number, or a distribution such as `{ uniform = [0.8e-3, 1.2e-3] }`. Needed for spheres
            unless the file has radii.
        random: At random places that do not overlap: `{ count, region }`.
        run: From a frame of an earlier run: `{ folder, frame, time }`.
        seed: Start of the random numbers: the same seed gives the same grains, bit by bit. Default 0.
        shape: Another shape than a sphere: one of those of `[[bodies]]`, as in `{ box = { size = [0.02, 0.01,
            0.01] } }`.
        size: What all lengths of `shape` are multiplied by: a number, or a distribution such as `{ uniform =
            [0.8, 1.2] }`. Default: from the file, or else 1.
        velocity: m/s. Default: from the file, or else zero.
        vtk: From points in a VTK file: `{ file, radius, velocity }`.
    """

    angular_velocity: Vector | None = None
    csv: CsvSource | Mapping[str, Any] | None = None
    grid: Grid | Mapping[str, Any] | None = None
    mass: Quantity | None = None
    material: str | None = None
    motion: Motion | None = None
    orientation: Orientation | None = None
    radius: Quantity | None = None
    random: Random | Mapping[str, Any] | None = None
    run: RunSource | Mapping[str, Any] | None = None
    seed: int | None = None
    shape: GrainShape | Mapping[str, Any] | None = None
    size: Quantity | None = None
    velocity: Vector | None = None
    vtk: VtkSource | Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Grid(Part):
    """Centres (of mass) on a lattice, the first coordinate running fastest.

    Attributes:
        counts: How many along each direction, as many numbers as dimensions.
        spacing: m between neighbouring centres: a number, or one for each direction (square lattice only).
        jitter: m: each coordinate of each centre is moved by a random length between `-jitter` and `jitter`.
            Default 0.
        lattice: `"square"` (cubic in 3D), or `"hexagonal"` for the densest one. Default `"square"`.
        origin: m, the first centre. Default the origin.
    """

    counts: Sequence[int]
    spacing: Spacing
    jitter: float | None = None
    lattice: Lattice | None = None
    origin: Vector | None = None


@dataclass(kw_only=True)
class GridSpec(Part):
    """A box cut into equal cells.

    Attributes:
        counts: How many cells along each axis.
        max: m, the corner with the largest coordinates.
        min: m, the corner with the smallest coordinates.
    """

    counts: Sequence[int]
    max: Vector
    min: Vector


@dataclass(kw_only=True)
class HalfSpaceShape(Part):
    """Solid below a plane.

    Attributes:
        normal: Points from the solid to the free side; any length but zero, as many numbers as dimensions.
    """

    normal: Vector


@dataclass(kw_only=True)
class Histogram(Part):
    """Uniform within each of several intervals.

    Attributes:
        edges: Ends of the intervals, increasing.
        weights: Share of the number of grains in each interval: one fewer than `edges`, not negative, any sum
            but zero.
    """

    edges: Sequence[float]
    weights: Sequence[float]


@dataclass(kw_only=True)
class HullSolid(Part):
    """The smallest convex solid that holds some points.

    Attributes:
        points: m, at least four that do not lie in a plane, in any order; those inside are left out.
        rounding: m: all points within this distance of the hull belong to the solid. Default 0: sharp edges.
    """

    points: Sequence[Sequence[float]]
    rounding: float | None = None


@dataclass(kw_only=True)
class InRegion(Part):
    """Where something is measured.

    Attributes:
        region: `{ box = { min, max } }`, `{ cylinder = { center, axis, radius, length } }` or `{ sphere = {
            center, radius } }`. Default: everywhere, with the volume of the box around all grains.
    """

    region: MeasureRegion | None = None


@dataclass(kw_only=True)
class Inlet(Part):
    """Grains that are poured in while the run goes on. Give where (`region` or `face`), how fast (`number_rate`
    or `mass_rate`) and what (`radius`, or `shape`). Grains never overlap anything as they appear: one for which
    there is no room waits, and the steps in which one waited are counted.

    Attributes:
        angular_velocity: rad/s, as they appear; three numbers in 3D, one (about z) in 2D. Default zero.
        end: s, when it closes. Default: never.
        face: Where: a face that grains come out of, `{ center, normal, radius }` or `{ center, normal, size }`.
            They appear in a layer in front of it that is as thick as the largest of them.
        mass: kg, of a grain: a number, or for spheres a distribution. Default: from the density of the
            material.
        mass_rate: kg/s.
        material: The name of the material. Default: `default`, or the only one there is.
        name: What its columns of `series.csv` are called. Default `inlet`, or `inlet_2` and so on for further
            ones.
        number_rate: Grains a second.
        orientation: How grains with a `shape` are turned: `"random"`, `"aligned"` or a quaternion `[x, y, z,
            w]`. Default `"random"`.
        radius: m, of spheres: a number, or a distribution such as `{ uniform = [0.8e-3, 1.2e-3] }`.
        region: Where: a region as for `random` grains, such as `{ box = { min, max } }`. Grains lie wholly
            inside.
        seed: Start of the random numbers: the same seed gives the same grains, bit by bit. Default 0.
        shape: Another shape than a sphere, as for `[[grains]]`.
        size: What all lengths of `shape` are multiplied by: a number, or a distribution, of which 32 values are
            drawn that the grains have. Default 1.
        start: s, when it opens. Default 0.
        total_mass: kg: it closes when so much has come; with `mass_rate`. Default: never.
        total_number: It closes when so many grains have come; with `number_rate`. Default: never.
        velocity: m/s, as they appear. Default zero.
    """

    angular_velocity: Vector | None = None
    end: float | None = None
    face: FaceSpec | Mapping[str, Any] | None = None
    mass: Quantity | None = None
    mass_rate: float | None = None
    material: str | None = None
    name: str | None = None
    number_rate: float | None = None
    orientation: Orientation | None = None
    radius: Quantity | None = None
    region: Region | None = None
    seed: int | None = None
    shape: GrainShape | Mapping[str, Any] | None = None
    size: Quantity | None = None
    start: float | None = None
    total_mass: float | None = None
    total_number: int | None = None
    velocity: Vector | None = None


@dataclass(kw_only=True)
class Joint(Part):
    """A joint between two bodies, or between a body and the ground. Places and axes are those at the start.

    Attributes:
        between: The names of the two bodies; `"ground"` for what does not move.
        kind: `"ball"`, `"hinge"`, `"slider"`, `"cylindrical"`, `"universal"`, `"fixed"`, `"distance"`, `"point-
            on-line"`, `"gear"` or `"link"`.
        along: What `limits`, `spring` and `friction` act on, where there is a choice. Default: of a cylindrical
            joint `"slide"`.
        anchors: Instead of `position` and `to`, the two points in the frames of the bodies, m: `[[x, y, z], [x,
            y, z]]`. They must meet at the start.
        axis: The direction of its axis, three numbers, any length but zero. Default `[0, 0, 1]`.
        break_force: N. The force at which the joint breaks for good. Default: never.
        break_torque: N m. The same for the moment.
        collide: Whether the two bodies touch each other. Default false.
        friction: Dry friction, N m for turns and N for ways: the largest that it carries. Default none.
        length: m, of a `distance`. Default: as far as the points are apart at the start.
        limits: Stops, rad or m: `{ least, most }`, one of them or both. Angles and ways are zero at the start.
        name: What columns of `series.csv` and `[[motors]]` call it: letters, digits, `-` and `_`. Default: no
            name, no columns.
        position: m. Where it is, on the first body; as many numbers as dimensions. Default, for a gear, the
            origin.
        ratio: Of a `gear`; negative where both turn the same way.
        spring: A spring with a damper: `{ stiffness, damping, rest }`.
        to: m. Where it is on the second body. Default `position`; a `distance` and a `link` need it.
        to_axis: The axis on the second body: of a gear, and of a universal joint in a bent shaft. Default
            `axis`.
    """

    between: Sequence[str]
    kind: JointKind
    along: Along | None = None
    anchors: Sequence[Vector] | None = None
    axis: Vector | None = None
    break_force: float | None = None
    break_torque: float | None = None
    collide: bool | None = None
    friction: float | None = None
    length: float | None = None
    limits: Limits | Mapping[str, Any] | None = None
    name: str | None = None
    position: Vector | None = None
    ratio: float | None = None
    spring: JointSpring | Mapping[str, Any] | None = None
    to: Vector | None = None
    to_axis: Vector | None = None


@dataclass(kw_only=True)
class JointSpring(Part):
    """A spring and a damper on a coordinate of a joint. No step is too long for a stiff one.

    Attributes:
        damping: N m s/rad or N s/m. Default 0.
        rest: rad or m, where it carries nothing; a number or a function of time. Default: where it is at the
            start.
        stiffness: N m/rad or N/m. Default 0.
    """

    damping: float | None = None
    rest: InTime | None = None
    stiffness: float | None = None


@dataclass(kw_only=True)
class Limits(Part):
    """Stops of a joint.

    Attributes:
        least: rad or m. Default: none.
        most: rad or m. Default: none.
    """

    least: float | None = None
    most: float | None = None


@dataclass(kw_only=True)
class LogNormal(Part):
    """`median · exp(sigma · Z)` with Z normal, drawn anew while outside `[min, max]`.

    Attributes:
        max: No value is above; at least the median.
        median: Half of the values are below it; positive.
        min: No value is below; positive and at most the median.
        sigma: Standard deviation of the logarithm; not negative.
    """

    max: float
    median: float
    min: float
    sigma: float


@dataclass(kw_only=True)
class Material(Part):
    """What a body is made of.

    Attributes:
        density: kg/m³ in 3D, kg/m² (mass over the area) in 2D, kg/m (mass over the length 2r) in 1D. Gives the
            mass of bodies that have no `mass` of their own. Default 2500.
        mass_from: What the density is multiplied by: the `"volume"` of a sphere, the `"area"` of a disk or the
            `"length"` 2r. Default: volume in 3D, area in 2D, length in 1D. Spheres that move in a plane have
            `"volume"`, and their density is in kg/m³. Other shapes have a volume in 3D and an area in 2D.
    """

    density: float | None = None
    mass_from: MassFrom | None = None


@dataclass(kw_only=True)
class Measure(Part):
    """Something that is measured after every step: columns of `series.csv`, or rows of a file
    `measures/NAME.csv` now and then. Grains are the bodies that have a shape of their own and move by forces.
    Has a `name` and one of `flow`, `stress`, `stress-field`, `solid-fraction`, `coordination`, `profile`,
    `mixing`, `force-distribution`, `repose`, `displacement` and `expression`.

    Attributes:
        name: What its columns or its file are called: letters, digits and `_`, a letter first.
        coordination: The mean number of contacts of the grains in a region, `NAME[-]`; without those that have
            fewer than two `NAME_mechanical[-]`, the part of these `NAME_rattlers[-]`.
        displacement: The mean square of the ways of grains since the start (or since they came), `NAME[m^2]`:
            `{}`.
        expression: A formula of other columns of `series.csv`, by their names without units, as in
            `"outlet_total / time"`; of measures those that stand before it. `+ - * / ^`, `sqrt`, `exp`, `ln`,
            `sin`, `abs`, `min`, `max` and the like. Powers come before signs: `-x^2` is `-(x^2)`; a sign after an
            operator needs brackets, as in `2 * (-x)`.
        flow: What goes through a plane: `NAME_mass[kg]` and `NAME_number[-]` in the step, `NAME_rate[kg/s]`,
            and since the start `NAME_total[kg]`; forwards less backwards.
        force_distribution: How normal forces of contacts are distributed about their mean, in a file;
            `NAME_mean[N]` and `NAME_largest[N]` in `series.csv`.
        interval: s of simulated time between the rows of a file. Default: that between frames.
        mixing: Lacey's index of mixing of two kinds of grains, `NAME[-]`: 0 kept apart, 1 mixed at random,
            `NaN` where there are no two kinds.
        profile: Density and velocity in slices of a region along an axis, in a file.
        repose: The angle of repose of a heap of all grains, `NAME_angle[deg]` (`NaN` where there is no flank),
            and its height `NAME_height[m]`: `{}`.
        solid_fraction: The volume of grains over the volume of a region, `NAME[-]`. The porosity is one less
            this.
        stress: The mean stress in a region, compression positive, of contacts and of motion about the mean:
            `NAME_xx[Pa]` and so on (the symmetric part), `NAME_pressure[Pa]`; N/m in 2D, N in 1D. Everywhere: `{}`.
        stress_field: The same in each cell of a grid, in a file.
        unit: The unit of an `expression`, written into the header. Default `-`.
    """

    _keys: ClassVar[Mapping[str, str]] = {"force_distribution": "force-distribution", "solid_fraction": "solid-fraction", "stress_field": "stress-field"}

    name: str
    coordination: InRegion | Mapping[str, Any] | None = None
    displacement: Nothing | Mapping[str, Any] | None = None
    expression: str | None = None
    flow: Flow | Mapping[str, Any] | None = None
    force_distribution: Forces | Mapping[str, Any] | None = None
    interval: float | None = None
    mixing: Mixing | Mapping[str, Any] | None = None
    profile: Profile | Mapping[str, Any] | None = None
    repose: Nothing | Mapping[str, Any] | None = None
    solid_fraction: InRegion | Mapping[str, Any] | None = None
    stress: InRegion | Mapping[str, Any] | None = None
    stress_field: GridSpec | Mapping[str, Any] | None = None
    unit: str | None = None


@dataclass(kw_only=True)
class Mechanism(Part):
    """A mechanism from a file, in 3D. Links that fixed joints hold together are one body; bodies that a joint
    joins do not touch each other.

    Attributes:
        urdf: A robot description in the Unified Robot Description Format: `{ file, position, orientation,
            fixed, packages }`.
        material: The name of its material. Default: the one called `default`, or the only one. Masses are those
            of the file.
        name: What the names of its joints begin with, as `NAME_JOINT` in `[[motors]]` and columns of
            `series.csv`: letters, digits, `-` and `_`. Default: joints have the names of the file.
        pose: Where joints stand at the start, rad or m, by their names in the file: `{ elbow = 1.2 }`. Default
            0, which is the pose that the file describes. Stops and motors count from there, too.
        self_collide: Whether its links touch each other, but for those that a joint joins. Default false.
    """

    urdf: UrdfFile | Mapping[str, Any]
    material: str | None = None
    name: str | None = None
    pose: Mapping[str, float] | None = None
    self_collide: bool | None = None


@dataclass(kw_only=True)
class MeshShape(Part):
    """A thin surface of triangles with two sides, open or closed; bodies touch the side they are on.

    Attributes:
        file: An STL or OBJ file, relative to the folder of the scene file.
        orientation: A quaternion `[x, y, z, w]` that turns the mesh, brought to unit length. Default `[0, 0, 0,
            1]`.
        scale: m for a length of 1 in the file, as 1e-3 for a file in millimetres. Default 1.
    """

    file: str
    orientation: Sequence[float] | None = None
    scale: float | None = None


@dataclass(kw_only=True)
class MeshSolid(Part):
    """A solid whose surface is in a file. Its mass is that of what the surface encloses; it touches others with
    the convex parts that are chosen here.

    Attributes:
        file: An STL or OBJ file, relative to the folder of the scene file. The surface must be closed, with its
            normals outwards.
        parts: What of it touches others: its `"convex-hull"`, or the parts of a convex `"decomposition"`, which
            follow hollows and holes.
        scale: m for a length of 1 in the file, as 1e-3 for a file in millimetres. Default 1.
    """

    file: str
    parts: MeshParts
    scale: float | None = None


@dataclass(kw_only=True)
class Mixing(Part):
    """Two kinds of grains, in the cells of a grid. Has one of `material` and `larger_than`.

    Attributes:
        grid: Cells in which the two kinds are counted: about ten grains each.
        larger_than: m: grains with a larger radius (of a ball of their volume), and all others.
        material: Grains of this material, and all others.
    """

    grid: GridSpec | Mapping[str, Any]
    larger_than: float | None = None
    material: str | None = None


@dataclass(kw_only=True)
class Motor(Part):
    """A motor on a joint. Give exactly one of `speed`, `position` and `force`.

    Attributes:
        joint: The name of the joint.
        along: What it drives, where there is a choice. Default: of a cylindrical joint `"slide"`.
        fastest: rad/s or m/s: how fast a `force` may drive. Default: as fast as it goes.
        force: N m or N, whatever moves; a number or a function of time.
        position: rad or m, zero at the start; a number or a function of time.
        speed: rad/s or m/s, of the first body against the second; a number or a function of time.
        strength: N m or N: the most that a `speed` or a `position` may take. Default: as much as it takes.
    """

    joint: str
    along: Along | None = None
    fastest: float | None = None
    force: InTime | None = None
    position: InTime | None = None
    speed: InTime | None = None
    strength: float | None = None


@dataclass(kw_only=True)
class Nothing(Part):
    """No keys."""


@dataclass(kw_only=True)
class Outlet(Part):
    """Where bodies leave. Give `beyond` or `region`; what counts is the centre of a body. Bodies of joints,
    bodies that carry walls and those with a prescribed motion never leave.

    Attributes:
        beyond: Beyond a plane: `{ point, direction }`.
        name: What its columns of `series.csv` are called. Default `outlet`, or `outlet_2` and so on for further
            ones.
        on_exit: `"remove"`: they are taken out and counted; `"warn"`: they stay, and the run tells how many are
            there; `"stop"`: the run ends with an error. Default `"remove"`.
        region: In a region, as for `random` grains. What is so fast that it is through within a step is not
            seen there.
    """

    beyond: Plane | Mapping[str, Any] | None = None
    name: str | None = None
    on_exit: OnExit | None = None
    region: Region | None = None


@dataclass(kw_only=True)
class Output(Part):
    """What a run writes. In a scene that has been read, every key has a value.

    Attributes:
        checkpoint_interval: s of simulated time between checkpoints. Default: a tenth of `end`.
        contacts: Whether frames hold the contacts besides the bodies. Default true.
        directory: The folder of results, relative to where the command runs. Default `runs/NAME`.
        forces_on: Names of walls: `series.csv` then has the force (N) and the torque (N m, about the wall's
            position) that bodies exert on each of them. Default none.
        frame_interval: s of simulated time between frames. Default: a hundredth of `end`.
    """

    checkpoint_interval: float | None = None
    contacts: bool | None = None
    directory: str | None = None
    forces_on: Sequence[str] | None = None
    frame_interval: float | None = None


@dataclass(kw_only=True)
class Pair(Part):
    """The law between two materials.

    Attributes:
        between: The names of the two materials, in any order; twice the same name for contacts of a material
            with itself.
        bond: How strong bonds are, which break for good: `{ pull, shear, bending, torsion, opening, slip, turn,
            within }`. Default: there are none.
        cap: N. The largest compression: pressed harder, a contact is crushed under this force; for `coulomb-
            convex` and `frictionless`. Default none.
        cohesion: N. The pull that a contact holds once its bodies have touched. Default 0.
        cohesion_range: m. How far a contact flows apart under a larger pull before it lets go; needed with
            `cohesion`.
        damping: s. Damping as a multiple of the stiffness, α_K. Default 0.
        dilatancy: tan ψ, above 0 and at most `friction`: a contact that slides opens by this times its slip, in
            place of `friction` times; for `coulomb-convex`. Default `friction`.
        friction: Coefficient of sliding friction μ; needed by the laws with friction.
        law: The law between them. By default that of `[contacts]`.
        mass_damping: 1/s. Damping as a multiple of the reduced mass of the two bodies, α_M. Default 0.
        poisson: Poisson's ratio, with `young`. Default 0.
        reference_overlap: The overlap, as a part of the reduced radius, at which a sphere of `young` carries
            what Hertz' law says. Default 0.01.
        restitution: Coefficient of restitution e, 0 to 1: the velocity of departure over that of approach; not
            zero only with `scheme = "moreau-jean"`. Default 0.
        rolling_friction: m. Rolling resistance: the moment against rolling over the normal force. Default 0.
        rolling_stiffness: N m/rad. How stiff contacts are against rolling. Rigid if it is not given.
        rounding: N. Rounds the cone of friction: the radius of a ball that is added to it, so that a contact
            also holds this pull; for `coulomb-convex` and `frictionless`. Default 0.
        spinning_friction: m. Spinning resistance: the moment against spinning about the normal over the normal
            force. Default 0.
        spinning_stiffness: N m/rad. How stiff contacts are against spinning about the normal. Rigid if it is
            not given.
        stiffness: N/m. How stiff contacts are along the normal; the overlap under a force F is F over this.
            Rigid if it is not given.
        tangential_restitution: The same across the normal, 0 to 1; for laws with friction. Default 0.
        tangential_stiffness: N/m. The same across the normal. Default: as along it.
        young: Pa. Young's modulus of spheres, in place of `stiffness`: the secant of Hertz' law up to
            `reference_overlap`.
    """

    between: Sequence[str]
    bond: Bond | Mapping[str, Any] | None = None
    cap: float | None = None
    cohesion: float | None = None
    cohesion_range: float | None = None
    damping: float | None = None
    dilatancy: float | None = None
    friction: float | None = None
    law: LawName | None = None
    mass_damping: float | None = None
    poisson: float | None = None
    reference_overlap: float | None = None
    restitution: float | None = None
    rolling_friction: float | None = None
    rolling_stiffness: float | None = None
    rounding: float | None = None
    spinning_friction: float | None = None
    spinning_stiffness: float | None = None
    stiffness: float | None = None
    tangential_restitution: float | None = None
    tangential_stiffness: float | None = None
    young: float | None = None


@dataclass(kw_only=True)
class PartSpec(Part):
    """A part of a union. Give exactly one shape.

    Attributes:
        box: A box (a rectangle in 2D): `{ size, rounding }`.
        capsule: 3D: a cylinder with round ends, along z: `{ radius, length }`.
        cone: 3D: a cone along z, whole or cut off: `{ bottom_radius, top_radius, length }`.
        cylinder: 3D: a cylinder along z, `{ radius, length }`.
        ellipse: 2D: an ellipse, `{ half_axes = [a, b], exponent }`.
        ellipsoid: 3D: an ellipsoid, `{ half_axes = [a, b, c] }`.
        hull: 3D: the convex hull of points, `{ points = [[x, y, z], …], rounding }`.
        orientation: A quaternion `[x, y, z, w]` that turns the part, brought to unit length; only about z in
            2D. Default `[0, 0, 0, 1]`.
        polygon: 2D: a convex polygon, `{ corners = [[x, y], …], rounding }`.
        position: m, where the frame of the part is in that of the union; as many numbers as dimensions. Default
            the origin.
        sphere: A sphere (a disk in 2D, a segment of length 2r in 1D): `{ radius }`.
        superellipsoid: 3D: an ellipsoid that is nearly a box or a cylinder, `{ half_axes = [a, b, c], exponents
            = [m, n] }`.
    """

    box: BoxSolid | Mapping[str, Any] | None = None
    capsule: CapsuleSolid | Mapping[str, Any] | None = None
    cone: ConeSolid | Mapping[str, Any] | None = None
    cylinder: CylinderSolid | Mapping[str, Any] | None = None
    ellipse: EllipseSolid | Mapping[str, Any] | None = None
    ellipsoid: EllipsoidSolid | Mapping[str, Any] | None = None
    hull: HullSolid | Mapping[str, Any] | None = None
    orientation: Sequence[float] | None = None
    polygon: PolygonSolid | Mapping[str, Any] | None = None
    position: Vector | None = None
    sphere: SphereShape | Mapping[str, Any] | None = None
    superellipsoid: SuperellipsoidSolid | Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Plane(Part):
    """A plane with two sides.

    Attributes:
        direction: To the side beyond; any length but zero.
        point: m, any point of it.
    """

    direction: Vector
    point: Vector


@dataclass(kw_only=True)
class PlateShape(Part):
    """A thin rectangle with two sides; bodies may be on either, and touch its rim.

    Attributes:
        normal: What the plate is square to; any length but zero, as many numbers as dimensions.
        width: m, positive: the full length across `up`; in 2D the length of the segment.
        height: m, positive: the full length along `up`; needed in 3D, without meaning in 2D.
        up: The direction of the height, as far as it is square to `normal`; only in 3D. Default `[0, 0, 1]`, or
            `[0, 1, 0]` where the normal is along z.
    """

    normal: Vector
    width: float
    height: float | None = None
    up: Vector | None = None


@dataclass(kw_only=True)
class PolygonSolid(Part):
    """A convex polygon.

    Attributes:
        corners: m, at least three, in their order around a convex polygon, to the left or to the right.
        rounding: m: all points within this distance of the polygon belong to the shape. Default 0: sharp
            corners.
    """

    corners: Sequence[Sequence[float]]
    rounding: float | None = None


@dataclass(kw_only=True)
class Profile(Part):
    """Slices along an axis.

    Attributes:
        axis: Across the slices: along x, y or z, or along the axis of the cylinder.
        bins: How many slices.
        region: A box, cut along one of its edges, or (in 3D) a cylinder, cut along its axis.
    """

    axis: Vector
    bins: int
    region: MeasureRegion


@dataclass(kw_only=True)
class Random(Part):
    """Random places, drawn one after another (largest first) until each overlaps nothing: neither grains nor
    the bodies, grains and walls that stand before it in the scene.

    Attributes:
        count: How many.
        region: Where: `{ box = { min, max } }`, `{ cylinder = { center, axis, radius, length } }` or `{ cone =
            { center, axis, bottom_radius, top_radius, length } }`. Grains lie wholly inside. Default: everywhere in
            the periodic `[cell]`, also across its faces; without one, a region must be given.
    """

    count: int
    region: Region | None = None


@dataclass(kw_only=True)
class RunSource(Part):
    """The bodies of a frame of an earlier run, as they were: shapes, masses, positions, orientations,
    velocities, ids and materials, which this scene must have by the same names unless `material` of this entry
    is given. All other bodies of the scene get ids after the largest; if another entry has brought one of the
    ids before, so do all of this entry. Motion is that of this entry. What only carried walls is left out, and
    contacts start anew: springs are at rest, and bonds are those that this scene makes.

    Attributes:
        folder: The folder of the run's results, relative to the folder of the scene file.
        frame: Which frame, counted from 0. Default: the last one.
        time: The time at the start: `"zero"`, or `"continue"` for that of the frame. All functions of time then
            go on, `end` of `[time]` is on the same clock, and walls and bodies that move as prescribed are where
            they get by then from their `position` at time zero. Default `"zero"`.
    """

    folder: str
    frame: int | None = None
    time: Clock | None = None


@dataclass(kw_only=True)
class Servo(Part):
    """A wall that is pressed with a given force or stress, and moves along one direction only.

    Attributes:
        direction: Which way it is pressed; any length but zero, as many numbers as dimensions.
        wall: The name of the wall; it has no motion of its own.
        fastest: m/s. How fast it may go where nothing holds it. Default: as fast as it goes.
        force: N; a number or a function of time.
        mass: kg. Its inertia, and its weight if gravity acts along it. Default: as much as the heaviest grain,
            which beside the force is next to nothing.
        spans: With `stress`: pairs of walls (two in 3D, one in 2D) whose distances, as they are at each time,
            make the area.
        stress: Pa (N/m in 2D), on the area that `spans` or `within` say; a number or a function of time.
        within: With `stress`, 3D: the name of a cylinder whose cross-section is the area, as that of a pipe in
            which a round lid moves.
    """

    direction: Vector
    wall: str
    fastest: float | None = None
    force: InTime | None = None
    mass: float | None = None
    spans: Sequence[Sequence[str]] | None = None
    stress: InTime | None = None
    within: str | None = None


@dataclass(kw_only=True)
class Shear(Part):
    """A shear.

    Attributes:
        rate: 1/s, by how much: a number, or a function of time.
        flow: The axis along which grains flow. Default `"x"`.
        gradient: The axis along which their velocity changes. Default `"y"`.
    """

    rate: InTime
    flow: AxisName | None = None
    gradient: AxisName | None = None


@dataclass(kw_only=True)
class Solver(Part):
    """How the contact impulses are found.

    Attributes:
        exact: How exact Coulomb friction is found: by the method's own `"projection"` or by a `"fixed-point"`
            around the convex problem. Default `"projection"`.
        fixed_point_tolerance: With `stop = "paper"`, the change of the slip velocities that ends the fixed
            point. Default 1e-2.
        max_iterations: The most iterations of one solve, at least 1. Default 20000.
        max_residual: m/s; also bounds the error of the worst single contact. Default: no such bound.
        max_share: Dimensionless: no single contact may err by more than this share of the step's fastest
            approach before contact forces act. Default 0.5.
        method: The solver, see `granule list solvers`, which also names the keys below that each reads; the
            others are refused. Default `"usual"`: `"ags"` with friction, `"apgd-ar"` without.
        on_failure: What happens when a step is not solved to the tolerance: `"escalate"` (try a stronger
            solver), `"warn"` or `"stop"`. Default `"escalate"`.
        relaxation: How much of the way to its answer a contact of `pgs` or `nlgs-*` goes, between 0 and 2;
            above 1 is over-relaxation. Default 1.
        scaling: The metric of gradient steps: `"diagonal"` (each contact in its own scale) or `"none"`. Default
            `"diagonal"`.
        seed: Where the random order of `sweep = "shuffled"` starts. Default 0.
        step: The step ρ of gradients (the first one for adaptive methods): dimensionless with `scaling =
            "diagonal"`, in kg with `"none"`. Default: a safe bound, from the problem. The damping ω of `pgj`,
            dimensionless: the part of the way to its own solution that each contact goes. Default 0.3, as is usual;
            a body with very many neighbours needs less. The step of `nlgs-*`: ρ times the contact's own W,
            dimensionless, as its paper gives it. Default 1.
        stop: Which test ends a solve: `"certificate"`, or `"paper"` for the one printed with the method.
            Default `"certificate"`.
        sweep: The order of the sweeps of `pgs` and `nlgs-*`: `"forward"`, `"symmetric"` (and back in turns),
            `"shuffled"` or `"coloured"` (in parallel). Default `"forward"`.
        tolerance: Dimensionless, above 0 and below 1: the error of a solve relative to that of doing nothing.
            Nominal range 1e-2 to 1e-12. Default 1e-4.
        warm_start: What a solve starts from: the impulses of the step before (`"previous"`) or `"zero"`.
            Default `"previous"`.
    """

    exact: ExactBy | None = None
    fixed_point_tolerance: float | None = None
    max_iterations: int | None = None
    max_residual: float | None = None
    max_share: float | None = None
    method: Method | None = None
    on_failure: OnFailure | None = None
    relaxation: float | None = None
    scaling: Scaling | None = None
    seed: int | None = None
    step: float | None = None
    stop: Stop | None = None
    sweep: SweepOrder | None = None
    tolerance: float | None = None
    warm_start: WarmStart | None = None


@dataclass(kw_only=True)
class SphereRegion(Part):
    """A ball.

    Attributes:
        center: m.
        radius: m, positive.
    """

    center: Vector
    radius: float


@dataclass(kw_only=True)
class SphereShape(Part):
    """A sphere (a disk in 2D, a segment in 1D).

    Attributes:
        radius: m, positive; in 1D it may be zero (a point), and then `mass` must be given.
    """

    radius: float


@dataclass(kw_only=True)
class SpringToPoint(Part):
    """A spring and a damper to a point.

    Attributes:
        point: m, where it is at rest.
        stiffness: N/m.
        damping: N s/m. Default 0.
    """

    point: Vector
    stiffness: float
    damping: float | None = None


@dataclass(kw_only=True)
class SuperellipsoidSolid(Part):
    """`(|x/a|^m + |y/b|^m)^(n/m) + |z/c|^n ≤ 1`.

    Attributes:
        exponents: `[m, n]`, each at least 2: m across the z axis (2 is round, 8 nearly square), n along it.
            `[2, 2]` is an ellipsoid, `[8, 8]` nearly a box, `[2, 8]` nearly a cylinder.
        half_axes: m, positive: half the lengths along x, y and z.
    """

    exponents: Sequence[float]
    half_axes: Sequence[float]


@dataclass(kw_only=True)
class Time(Part):
    """How time is stepped, and until when.

    Attributes:
        end: s, the time to stop at; the run starts at time zero.
        cfl: Dimensionless, for instance 0.2: steps are chosen so that no body moves farther than this fraction
            of the smallest radius in one of them. Give either `step` or `cfl`.
        max_step: s, the longest step with `cfl`. Default: a hundredth of `end`.
        recovery: How a penetration that is there at the start of a step is undone: by `"position"` (bodies are
            moved apart without gaining velocity), by `"velocity"` (as the papers of `"maury"`, `"shake"` and
            `"rattle"` print it), or `"none"` (not at all; only with `"moreau-jean"`). Default `"position"`.
        scheme: The time-stepping scheme, see `granule list schemes`. Default `"maury"`.
        step: s, the length of every step. Give either `step` or `cfl`.
        theta: θ of `"moreau-jean"`, 0.5 to 1: the weight of the end of the step. Default 0.5.
    """

    end: float
    cfl: float | None = None
    max_step: float | None = None
    recovery: Recovery | None = None
    scheme: SchemeName | None = None
    step: float | None = None
    theta: float | None = None


@dataclass(kw_only=True)
class Torque(Part):
    """A torque.

    Attributes:
        direction: N m per unit of `magnitude`, three numbers.
        magnitude: A function of time, as for `magnitude` of a force.
    """

    direction: Vector
    magnitude: TimeFunction


@dataclass(kw_only=True)
class UnionSolid(Part):
    """Convex shapes that are joined rigidly, also to shapes that are not convex.

    Attributes:
        parts: At least one: each a shape with its `position` and `orientation` in the frame of the union. Mass
            is distributed evenly over each; where two of them overlap, it counts twice.
    """

    parts: Sequence[PartSpec]


@dataclass(kw_only=True)
class UrdfFile(Part):
    """A robot description. Collision shapes are boxes, cylinders, spheres, capsules and the convex hulls of
    meshes (STL or OBJ). `damping` and `friction` of joints act, `lower` and `upper` are stops, and `effort` is
    the strength of motors that have no other. What is drawn (`visual`), `velocity` limits and `mimic` are not
    used.

    Attributes:
        file: The file, relative to the folder of the scene file.
        fixed: Whether the root link does not move. Default true.
        orientation: How the frame of the root link is turned, `[x, y, z, w]`. Default not.
        packages: The folder that meshes `package://NAME/…` are looked up in, as `NAME/…`. Default: the folder
            of the file.
        position: m. Where the frame of the root link is. Default the origin.
    """

    file: str
    fixed: bool | None = None
    orientation: Sequence[float] | None = None
    packages: str | None = None
    position: Vector | None = None


@dataclass(kw_only=True)
class VtkSource(Part):
    """Points of a VTK file (.vtp or .vtu).

    Attributes:
        file: The file, relative to the folder of the scene file.
        mass: The name of the array of masses (kg). Default: none.
        radius: The name of the array of radii (m). Default: none, and `radius` of the grains is needed.
        velocity: The name of the array of velocities (m/s). Default: none.
    """

    file: str
    mass: str | None = None
    radius: str | None = None
    velocity: str | None = None


@dataclass(kw_only=True)
class Wall(Part):
    """One wall. Give exactly one shape: `half-space`, `cylinder`, `cone`, `box`, `plate`, `block` or, in 3D,
    `mesh`.

    Attributes:
        block: A solid box seen from outside with its middle at `position`: `{ size, orientation }`.
        body: The name of a body that carries the wall, from where it is at the start. Default: none does.
        box: A box with its middle at `position`: `{ size, open }`.
        cone: A conical shell with its middle at `position`: `{ bottom_radius, top_radius, length, axis, bottom,
            top }`.
        cylinder: A cylindrical shell with its middle at `position`: `{ radius, length, axis, bottom, top }`.
        half_space: Solid below a plane through `position`: `{ normal = [0, 0, 1] }`.
        material: The name of the material. Default: `default`, or the only one there is.
        mesh: 3D: a thin surface from an STL or OBJ file, its frame at `position`: `{ file, scale, orientation
            }`.
        motion: A prescribed motion. Default `"fixed"`.
        name: What other keys call this wall, for instance `forces_on` in `[output]`: letters, digits, `-` and
            `_`. Default: no name.
        plate: A thin rectangle with its middle at `position`: `{ width, height, normal, up }`.
        position: m, as many numbers as dimensions. Default the origin.
        surface_velocity: m/s, how fast the surface runs while the wall stays, as a belt does; as many numbers
            as dimensions. Where something touches, what is along the surface counts. Default: it does not run.
    """

    _keys: ClassVar[Mapping[str, str]] = {"half_space": "half-space"}

    block: BlockShape | Mapping[str, Any] | None = None
    body: str | None = None
    box: BoxShape | Mapping[str, Any] | None = None
    cone: ConeShape | Mapping[str, Any] | None = None
    cylinder: CylinderShape | Mapping[str, Any] | None = None
    half_space: HalfSpaceShape | Mapping[str, Any] | None = None
    material: str | None = None
    mesh: MeshShape | Mapping[str, Any] | None = None
    motion: Motion | None = None
    name: str | None = None
    plate: PlateShape | Mapping[str, Any] | None = None
    position: Vector | None = None
    surface_velocity: Vector | None = None
