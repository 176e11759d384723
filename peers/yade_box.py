"""YADE (Debian's package `yade`) on a start state of `granule bench peers`.

usage: yade -x -n -j1 yade_box.py START.csv FRICTION END.csv stiffness=1e5 [restitution=0.1] [share=0.1]

Soft spheres with linear springs and dampers; `stiffness` in N/m, across the normal 2/7 of it; steps are `share` of the
duration of the shortest contact.
"""

import math
import os
import sys

# YADE runs this file with its own names (`O`, `utils` and the engines) and without its folder.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
from common import END, SIDE, arguments, processor_seconds, read, tell, write

start, friction, end, options = arguments(__doc__.splitlines()[2][7:])
stiffness = float(options.get("stiffness", 1e5))
restitution = float(options.get("restitution", 0.1))
share = float(options.get("share", 0.1))

spheres = read(start)
loss = -math.log(restitution)
damping = loss / math.sqrt(math.pi**2 + loss**2)
# The reduced mass of two mean spheres, and of the two lightest, kg.
mean, least = 0.75, 0.5
normal_damping = 2 * damping * math.sqrt(stiffness * mean)
# The springs and dampers of two bodies act one after the other, so each has twice the strength.
material = ViscElMat(
    density=1,
    frictionAngle=math.atan(friction),
    kn=2 * stiffness,
    ks=4 / 7 * stiffness,
    cn=2 * normal_damping,
    cs=0.0,
)
O.materials.append(material)
for x, y, z, radius, mass in spheres:
    body = utils.sphere((x, y, z), radius, material=material)
    body.state.mass = mass
    body.state.inertia = (0.4 * mass * radius**2,) * 3
    O.bodies.append(body)
for axis in range(3):
    for sense, place in ((1, 0.0), (-1, SIDE)):
        O.bodies.append(utils.wall(place, axis=axis, sense=sense, material=material))
O.dt = share * math.pi / math.sqrt(stiffness / least * (1 - damping**2))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=0.1 * min(s[3] for s in spheres)),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
        [Ip2_ViscElMat_ViscElMat_ViscElPhys()],
        [Law2_ScGeom_ViscElPhys_Basic()],
    ),
    NewtonIntegrator(gravity=(0, 0, -1), damping=0),
]
steps = round(END / O.dt)
before = processor_seconds()
O.run(steps, True)
seconds = processor_seconds() - before
write(end, spheres, [list(O.bodies[k].state.pos) for k in range(len(spheres))])
print()
tell(seconds, steps, O.dt)
# YADE takes long to end by itself.
os._exit(0)
