"""LIGGGHTS (Debian's package `liggghts`) on a start state of `granule bench peers`.

usage: liggghts_box.py START.csv FRICTION END.csv young=5e6 [restitution=0.1] [share=0.2]

Soft spheres with Hertz' law and Mindlin's friction; `young` in Pa, Poisson's ratio 0.3; steps are `share` of the
shortest Rayleigh time. The time is that of the whole program less that of the same one without steps.
"""

import math
import os
import resource
import signal
import subprocess
import sys
import tempfile

from common import END, SIDE, arguments, processor_seconds, read, tell, write

start, friction, end, options = arguments(__doc__.splitlines()[2][7:])
young = float(options.get("young", 5e6))
restitution = float(options.get("restitution", 0.1))
share = float(options.get("share", 0.2))
poisson = 0.3

spheres = read(start)
densities = [mass / (4 / 3 * math.pi * radius**3) for *_, radius, mass in spheres]
shear = young / (2 * (1 + poisson))
rayleigh = min(
    math.pi * sphere[3] * math.sqrt(density / shear) / (0.1631 * poisson + 0.8766)
    for sphere, density in zip(spheres, densities)
)
step = share * rayleigh
steps = round(END / step)
mean_radius = sum(sphere[3] for sphere in spheres) / len(spheres)

# Who ends this program ends LIGGGHTS with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
with open("data", "w") as file:
    file.write(f"spheres\n\n{len(spheres)} atoms\n1 atom types\n\n")
    file.write("".join(f"0 {SIDE} {axis}lo {axis}hi\n" for axis in "xyz") + "\nAtoms\n\n")
    for number, (sphere, density) in enumerate(zip(spheres, densities), 1):
        x, y, z, radius, _ = sphere
        file.write(f"{number} 1 {2 * radius!r} {density!r} {x!r} {y!r} {z!r}\n")

model = "model hertz tangential history"
planes = [(axis, place) for axis in "xyz" for place in (0.0, SIDE)]
walls = "".join(
    f"fix wall{k} all wall/gran {model} primitive type 1 {axis}plane {place}\n" for k, (axis, place) in enumerate(planes)
)


def program(count):
    """Its input for so many steps."""
    return f"""{"soft_particles yes" if young < 5e6 else ""}
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
units si
read_data data
neighbor {0.3 * mean_radius} bin
neigh_modify delay 0
fix m1 all property/global youngsModulus peratomtype {young}
fix m2 all property/global poissonsRatio peratomtype {poisson}
fix m3 all property/global coefficientRestitution peratomtypepair 1 {restitution}
fix m4 all property/global coefficientFriction peratomtypepair 1 {friction}
pair_style gran {model}
pair_coeff * *
timestep {step!r}
fix gravity all gravity 1.0 vector 0.0 0.0 -1.0
{walls}fix integrate all nve/sphere
thermo {max(1, count)}
thermo_modify lost error norm no
run {count}
dump last all custom 1 dump id x y z
dump_modify last sort id format "%d %.15g %.15g %.15g"
run 0
"""


def seconds(count):
    """Processor time of the program with so many steps."""
    with open("in", "w") as file:
        file.write(program(count))
    before = processor_seconds(resource.RUSAGE_CHILDREN)
    with open("said", "w") as said:
        command = ["liggghts", "-in", "in", "-log", "none"]
        ended = subprocess.run(command, stdout=said, stderr=said, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if ended.returncode:
        with open("said") as said:
            sys.exit("LIGGGHTS: " + " ".join(said.read().split())[-300:])
    return processor_seconds(resource.RUSAGE_CHILDREN) - before


taken = -seconds(0) + seconds(steps)
with open("dump") as file:
    lines = file.read().splitlines()
first = max(k for k, line in enumerate(lines) if line.startswith("ITEM: ATOMS")) + 1
rows = sorted([float(number) for number in line.split()] for line in lines[first : first + len(spheres)])
write(end, spheres, [row[1:] for row in rows])
tell(taken, steps, step)
