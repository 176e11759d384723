"""MuJoCo (PyPI's package `mujoco`) on a start state of `granule bench peers`.

usage: mujoco_box.py START.csv FRICTION END.csv step=0.01 [solver=CG] [reference=0.02]

Elliptic cones; `step` in s, `reference` the time constant of contacts in s, at least two steps.
"""

import mujoco

from common import END, SIDE, arguments, processor_seconds, read, tell, write

start, friction, end, options = arguments(__doc__.splitlines()[2][7:])
step = float(options.get("step", 0.01))
solver = options.get("solver", "CG")
reference = float(options.get("reference", 0.02))

spheres = read(start)
touch = f'condim="3" friction="{friction} 0 0" solref="{reference} 1"'
planes = []
for axis in range(3):
    for place, sense in ((0.0, 1), (SIDE, -1)):
        at = " ".join(str(place if k == axis else 0.0) for k in range(3))
        up = " ".join(str(sense if k == axis else 0) for k in range(3))
        planes.append(f'<geom type="plane" size="0 0 1" pos="{at}" zaxis="{up}" {touch}/>')
bodies = [
    f'<body pos="{x!r} {y!r} {z!r}"><freejoint/><geom type="sphere" size="{radius!r}" mass="{mass!r}" {touch}/></body>'
    for x, y, z, radius, mass in spheres
]
text = f"""<mujoco>
<option timestep="{step}" gravity="0 0 -1" cone="elliptic" solver="{solver}" jacobian="sparse"/>
<size memory="4G"/>
<worldbody>{"".join(planes + bodies)}</worldbody>
</mujoco>"""
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
steps = round(END / step)
before = processor_seconds()
for _ in range(steps):
    mujoco.mj_step(model, data)
seconds = processor_seconds() - before
write(end, spheres, data.qpos.reshape(-1, 7)[:, :3])
tell(seconds, steps, step, version=mujoco.__version__)
