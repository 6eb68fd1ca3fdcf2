"""Stock OpenSees (openseespy) with one genericClient element, as fast as it goes: steps per second,
as JSON.

usage: opensees_client.py PORT STEPS
"""
import json
import math
import sys
import time

import openseespy.opensees as ops

port, steps = int(sys.argv[1]), int(sys.argv[2])
DT = 0.01
ops.wipe()
ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0)
ops.node(2, 0.0, "-mass", 2.0)
ops.fix(1, 1)
ops.uniaxialMaterial("Elastic", 1, 300.0)
ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
ops.element("genericClient", 2, "-node", 2, "-dof", 1, "-server", port, "127.0.0.1")
ops.timeSeries("Path", 1, "-dt", DT, "-values",
               *[1e-3 * math.sin(0.1 * i) for i in range(steps + 20)])
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.algorithm("Linear")
ops.integrator("NewmarkExplicit", 0.5)
ops.analysis("Transient")
ops.analyze(10, DT)
start = time.perf_counter()
ops.analyze(steps, DT)
seconds = time.perf_counter() - start
ops.wipe()
print(json.dumps({"steps": steps, "steps_per_s": steps / seconds}))
