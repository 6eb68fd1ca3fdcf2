"""A slender column under an axial force of 0.4 of the critical one and a push at its tip: P-Delta,
kN, m, s."""

from math import pi

import openseespy.opensees as ops

E, A, I, height, count = 210e6, 5.38e-3, 4.18e-5, 4.0, 4
critical = pi**2 * E * I / (2 * height) ** 2

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for i in range(count + 1):
    ops.node(i + 1, 0.0, height * i / count)
ops.fix(1, 1, 1, 1)
ops.mass(count + 1, 2.0, 2.0, 0.0)
ops.geomTransf("PDelta", 7)
for i in range(1, count + 1):
    ops.element("elasticBeamColumn", 10 * i, i, i + 1, A, E, I, 7)

ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
ops.load(count + 1, 3.0, -0.4 * critical, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1e-13, 50)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.1)
ops.analysis("Static")
ops.analyze(10)
