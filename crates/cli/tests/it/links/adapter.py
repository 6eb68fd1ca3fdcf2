"""A spring in OpenSees behind an element that listens: Tandem's specimen. usage: adapter.py PORT
STIFFNESS [adapter|actuator|corotActuator]"""
import sys

import openseespy.opensees as ops

port, stiffness = int(sys.argv[1]), float(sys.argv[2])
kind = sys.argv[3] if len(sys.argv) > 3 else "adapter"
penalty = 1e6 * stiffness
ops.wipe()
ops.uniaxialMaterial("Elastic", 1, stiffness)
if kind == "adapter":
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
    ops.element("adapter", 2, "-node", 2, "-dof", 1, "-stif", penalty, port)
else:
    # The actuator pushes from a wall; the spring is a bar on the other side.
    ops.model("basic", "-ndm", 2, "-ndf", 2)
    for tag in (1, 2, 3):
        ops.node(tag, float(tag), 0.0)
        ops.fix(tag, int(tag != 2), 1)
    ops.element("truss", 1, 1, 2, 1.0, 1)
    ops.element(kind, 2, 3, 2, penalty, port)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1e-12, 25)
ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static")
while ops.analyze(1) == 0:
    pass
