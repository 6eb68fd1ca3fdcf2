"""The frame of plan.toml in OpenSees (openseespy 3.7.1): prints the figures that expected.json
holds.

    python examples/fibre-frame/opensees.py

Newmark's average acceleration with Newton's method, 5 ms, as in the plan.
"""

import csv
import json
import pathlib

import openseespy.opensees as ops

G = 9.80665
MASS, STOREYS, BAYS, DT, DURATION = 15e3, [3.5, 3.2, 3.2], [6.0, 6.0, 6.0], 0.005, 20.0
# Nominal dimensions (EN 10365): height, width, web, flange in metres.
SHAPES = {1: (0.300, 0.300, 0.011, 0.019), 2: (0.400, 0.180, 0.0086, 0.0135)}

record = pathlib.Path(__file__).parents[2] / "crates/signal/data/el-centro-1940-ns.csv"
ground = [2 * G * float(row[1]) for row in csv.reader(record.open())
          if row and row[0][:1].isdigit()]

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
heights = [sum(STOREYS[:level]) for level in range(4)]
for level, y in enumerate(heights):
    for axis in range(4):
        node = 10 * level + axis
        ops.node(node, sum(BAYS[:axis]), y)
        if level == 0:
            ops.fix(node, 1, 1, 1)
        else:
            ops.mass(node, MASS, MASS, 0.0)
ops.uniaxialMaterial("Steel02", 1, 355e6, 210e9, 0.01, 20.0, 0.925, 0.15)
for tag, (h, b, web, flange) in SHAPES.items():
    ops.section("Fiber", tag)
    inner = h / 2 - flange
    ops.patch("rect", 1, 10, 1, -h / 2, -b / 2, -inner, b / 2)
    ops.patch("rect", 1, 20, 1, -inner, -web / 2, inner, web / 2)
    ops.patch("rect", 1, 10, 1, inner, -b / 2, h / 2, b / 2)
    ops.beamIntegration("Lobatto", tag, tag, 5)
ops.geomTransf("PDelta", 1)
ops.geomTransf("Linear", 2)
element = 0
for level in range(1, 4):
    for axis in range(4):
        element += 1
        ops.element("forceBeamColumn", element, 10 * (level - 1) + axis, 10 * level + axis, 1, 1,
                    "-iter", 30, 1e-12)
    for axis in range(3):
        element += 1
        ops.element("forceBeamColumn", element, 10 * level + axis, 10 * level + axis + 1, 2, 2,
                    "-iter", 30, 1e-12)

ops.timeSeries("Linear", 1)
ops.pattern("Plain", 1, 1)
for level in range(1, 4):
    for axis in range(4):
        ops.load(10 * level + axis, 0.0, -MASS * G, 0.0)
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1e-10, 40)
ops.algorithm("Newton")
ops.integrator("LoadControl", 0.1)
ops.analysis("Static")
assert ops.analyze(10) == 0
ops.loadConst("-time", 0.0)
frequency = ops.eigen(1)[0] ** 0.5 / 6.283185307179586
ops.rayleigh(2 * 0.02 * frequency * 6.283185307179586, 0.0, 0.0, 0.0)
sway = ops.nodeDisp(30, 1)

ops.timeSeries("Path", 2, "-dt", 0.02, "-values", *ground)
ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
ops.wipeAnalysis()
ops.constraints("Plain")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1e-10, 40)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
roof, first = [], []
for _ in range(round(DURATION / DT)):
    assert ops.analyze(1, DT) == 0
    roof.append(ops.nodeDisp(30, 1) - sway)
    first.append(ops.nodeDisp(10, 1))
drift = max(abs(x) for x in first) / STOREYS[0]
print(json.dumps({
    "frequency_hz": frequency,
    "roof_peak_m": max(abs(x) for x in roof),
    "roof_final_m": roof[-1],
    "first_drift_percent": 100 * drift,
}))
