"""A single mass on a spring, in OpenSees: all numerical, or with the spring behind genericClient.

usage: model.py INTEGRATOR PORT [--fy FORCE] [--udp] [--data-size N] [--steps N]; port 0 is all
numerical. Prints the displacements of the mass, one JSON list.
"""
import argparse
import json
import math
import sys

import openseespy.opensees as ops

words = argparse.ArgumentParser()
words.add_argument("integrator")
words.add_argument("port", type=int)
words.add_argument("--fy", type=float, default=0.0)
words.add_argument("--udp", action="store_true")
words.add_argument("--data-size", type=int, default=0)
words.add_argument("--steps", type=int, default=300)
words.add_argument("--k", type=float, default=500.0)
words.add_argument("--b", type=float, default=0.02)
given = words.parse_args()

ops.wipe()
ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0)
ops.node(2, 0.0, "-mass", 2.0)
ops.fix(1, 1)
# Half of the stiffness stays with OpenSees.
ops.uniaxialMaterial("Elastic", 1, 300.0)
ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
if given.port:
    client = ["genericClient", 2, "-node", 2, "-dof", 1, "-server", given.port, "127.0.0.1"]
    if given.udp:
        client.append("-udp")
    if given.data_size:
        client += ["-dataSize", given.data_size]
    ops.element(*client)
else:
    if given.fy:
        ops.uniaxialMaterial("Steel01", 2, given.fy, given.k, given.b)
    else:
        ops.uniaxialMaterial("Elastic", 2, given.k)
    ops.element("zeroLength", 2, 1, 2, "-mat", 2, "-dir", 1)

dt = 0.01
motion = [9.0 * math.sin(12.0 * dt * i) * math.exp(-((dt * i - 1.2) ** 2))
          + 5.0 * math.sin(31.0 * dt * i) for i in range(given.steps + 2)]
ops.timeSeries("Path", 1, "-dt", dt, "-values", *motion)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.rayleigh(0.4, 0.0, 0.0, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
linear = {
    "newmark-explicit": ("NewmarkExplicit", 0.5),
    "kr-alpha": ("KRAlphaExplicit", 0.8),
    "alpha-os": ("AlphaOS", 0.9),
}
if given.integrator in linear:
    ops.algorithm("Linear")
    ops.integrator(*linear[given.integrator])
elif given.integrator == "newmark":
    ops.test("NormDispIncr", 1e-13, 50)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
elif given.integrator == "hht-fixed":
    ops.test("FixedNumIter", 5)
    ops.algorithm("Newton")
    ops.integrator("HHTHSFixedNumIter", 0.9)
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
