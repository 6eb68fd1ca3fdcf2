"""A spring in OpenSees behind an adapter element: Tandem's specimen. usage: adapter.py PORT STIFFNESS"""
import sys

import openseespy.opensees as ops

port, stiffness = int(sys.argv[1]), float(sys.argv[2])
ops.wipe()
ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0)
ops.node(2, 0.0)
ops.fix(1, 1)
ops.uniaxialMaterial("Elastic", 1, stiffness)
ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
ops.element("adapter", 2, "-node", 2, "-dof", 1, "-stif", 1e6 * stiffness, port)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
ops.test("NormDispIncr", 1e-12, 25)
ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0)
ops.analysis("Static")
while ops.analyze(1) == 0:
    pass
