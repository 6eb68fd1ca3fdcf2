# The frame of frame.tcl for OpenSeesPy. kN, m, s.
#   tandem import frame.py --run --units "kN, m, s" -o plan.toml
from math import sqrt

import openseespy.opensees as ops

BAY, STOREY = 6.0, 3.5
E, MASS, G = 210.0e6, 20.0, 9.81

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)

# Nodes: 10 × storey + axis.
for s in range(3):
    for axis in (1, 2):
        tag = 10 * s + axis
        ops.node(tag, (axis - 1) * BAY, s * STOREY)
        if s == 0:
            ops.fix(tag, 1, 1, 1)
        else:
            ops.mass(tag, MASS, MASS, 0.0)

# HEB200 of steel S355, without fillets.
ops.uniaxialMaterial("Steel02", 1, 355.0e3, E, 0.01, 20.0, 0.925, 0.15)
ops.section("Fiber", 1)
ops.patch("rect", 1, 4, 1, -0.100, -0.1000, -0.085, 0.1000)
ops.patch("rect", 1, 12, 1, -0.085, -0.0045, 0.085, 0.0045)
ops.patch("rect", 1, 4, 1, 0.085, -0.1000, 0.100, 0.1000)
ops.uniaxialMaterial("ElasticPP", 2, E, 0.0012)

ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
for axis in (1, 2):
    for s in (1, 2):
        top = 10 * s + axis
        ops.element("forceBeamColumn", top, top - 10, top, 1, 1)
ops.element("elasticBeamColumn", 101, 11, 12, 8.45e-3, E, 2.313e-4, 2)
ops.element("elasticBeamColumn", 102, 21, 22, 8.45e-3, E, 2.313e-4, 2)
ops.element("truss", 201, 1, 12, 6.0e-4, 2)


def solve(*tolerance):
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", *tolerance)
    ops.algorithm("Newton")


# Weight, then the ground moves.
ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
for node in (11, 12, 21, 22):
    ops.load(node, 0.0, -MASS * G, 0.0)
solve(1.0e-10, 30)
ops.integrator("LoadControl", 0.2)
ops.analysis("Static")
ops.analyze(5)
ops.loadConst("-time", 0.0)
ops.wipeAnalysis()

# 3 % of critical in the first mode, proportional to mass.
ops.rayleigh(2.0 * 0.03 * sqrt(ops.eigen(1)[0]), 0.0, 0.0, 0.0)

ops.timeSeries("Path", 2, "-dt", 0.02, "-filePath", "motion.txt", "-factor", G)
ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
ops.recorder("Node", "-file", "roof.out", "-time", "-node", 21, "-dof", 1, "disp")
solve(1.0e-10, 30)
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.analyze(1200, 0.005)
