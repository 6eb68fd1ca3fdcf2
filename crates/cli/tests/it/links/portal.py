"""A portal frame in OpenSees: all numerical, or all three members behind genericClient, each on its
own port.

usage: portal.py PORTS INTEGRATOR [--udp] [--data-size N] [--steps N]; ports 0 is all numerical. The
members are linear and have three, six and three degrees of freedom. Prints the sway of the left
corner, one JSON list.
"""
import argparse
import json
import math
import sys

import openseespy.opensees as ops

words = argparse.ArgumentParser()
words.add_argument("ports")
words.add_argument("integrator")
words.add_argument("--udp", action="store_true")
words.add_argument("--data-size", type=int, default=0)
words.add_argument("--steps", type=int, default=200)
given = words.parse_args()
ports = [int(port) for port in given.ports.split(",")]

E, AREA, INERTIA = 200e9, 4e-3, 8e-6
ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for tag, x, y in [(1, 0.0, 0.0), (2, 0.0, 3.0), (3, 4.0, 3.0), (4, 4.0, 0.0)]:
    ops.node(tag, x, y)
for tag in (1, 4):
    ops.fix(tag, 1, 1, 1)
for tag in (2, 3):
    ops.mass(tag, 4000.0, 4000.0, 50.0)
if ports == [0]:
    ops.geomTransf("Linear", 1)
    for tag, nodes in enumerate([(1, 2), (2, 3), (4, 3)], 1):
        ops.element("elasticBeamColumn", tag, *nodes, AREA, E, INERTIA, 1)
else:
    more = ["-udp"] if given.udp else []
    if given.data_size:
        more += ["-dataSize", given.data_size]
    for tag, (nodes, port) in enumerate(zip([(2,), (2, 3), (3,)], ports), 1):
        places = sum((["-dof", 1, 2, 3] for _ in nodes), [])
        ops.element("genericClient", tag, "-node", *nodes, *places, "-server", port, "127.0.0.1",
                    *more)

dt = 0.005
motion = [3.0 * math.sin(14.0 * dt * i) + 2.0 * math.sin(47.0 * dt * i)
          for i in range(given.steps + 2)]
ops.timeSeries("Path", 1, "-dt", dt, "-values", *motion)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.rayleigh(0.4, 0.0, 0.0, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
if given.integrator == "newmark":
    ops.test("NormDispIncr", 1e-12, 20)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
elif given.integrator == "alpha-os":
    ops.algorithm("Linear")
    ops.integrator("AlphaOS", 0.9)
else:
    sys.exit("unknown integrator")
ops.analysis("Transient")
history = []
for _ in range(given.steps):
    if ops.analyze(1, dt) != 0:
        sys.exit("did not converge")
    history.append(ops.nodeDisp(2, 1))
ops.wipe()
print(json.dumps(history))
