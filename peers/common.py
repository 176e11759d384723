"""What all peers share: the start state, the clock, the end state, the line of JSON."""

import json
import os
import resource
import sys

# Side of the box, m; the time of the end, s.
SIDE = 10.0
END = 8.0


def arguments(usage):
    """START.csv, FRICTION, END.csv and a dictionary of KEY=VALUE."""
    if len(sys.argv) < 4 or any("=" not in text for text in sys.argv[4:]):
        sys.exit(f"usage: {usage}")
    options = dict(text.split("=", 1) for text in sys.argv[4:])
    return sys.argv[1], float(sys.argv[2]), os.path.abspath(sys.argv[3]), options


def read(path):
    """The spheres of a state: lists of x, y, z, radius (m), mass (kg)."""
    with open(path) as file:
        next(file)
        return [[float(number) for number in line.split(",")[:5]] for line in file]


def write(path, spheres, places):
    """A state with the same spheres at other places (m)."""
    with open(path, "w") as file:
        file.write("x,y,z,r,m\n")
        for sphere, place in zip(spheres, places):
            numbers = [*place[:3], sphere[3], sphere[4]]
            file.write(",".join(repr(float(number)) for number in numbers) + "\n")


def processor_seconds(who=resource.RUSAGE_SELF):
    """Processor time of this process, or of its children that have ended."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def tell(seconds, steps, step, **more):
    """Says what the steps took."""
    print(json.dumps({"seconds": seconds, "steps": steps, "step": step, **more}), flush=True)
