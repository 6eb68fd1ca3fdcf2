"""A cantilever bent to a quarter circle by a moment at its tip: corotational, N, mm, s."""

import math

from openseespy.opensees import *

model("basic", "-ndm", 2, "-ndf", 3)
E, A, I, L, n = 210e3, 2480.0, 4.32e6, 6000.0, 12
xs = [L * i / n for i in range(n + 1)]
for i, x in enumerate(xs):
    node(i, x, 0.0)
fix(0, 1, 1, 1)
geomTransf("Corotational", 1)
for i in range(n):
    element("elasticBeamColumn", i, i, i + 1, A, E, I, 1)
timeSeries("Linear", 1)
pattern("Plain", 1, 1)
load(n, 0.0, 0.0, 0.5 * math.pi * E * I / L)
constraints("Plain")
numberer("Plain")
system("BandGeneral")
test("NormDispIncr", 1e-12, 100)
algorithm("Newton")
integrator("LoadControl", 1 / 40)
analysis("Static")
analyze(40)
