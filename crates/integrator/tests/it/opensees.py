"""Steps shear buildings through OpenSees.

In, on standard input, one JSON object: `record` (ground acceleration, m/s2, every `record_dt` s,
the first at t = 0), `dt`, `steps`, and `runs`, each with `masses`, `stiffnesses`, `yields` (empty:
linear), `hardening`, `rayleigh` [a, b] on mass and initial stiffness, `integrator` (the words of
OpenSees) and `iterations` ("none", "newton", or a fixed number). Out: a list with the displacement
of every floor for each run, step by step; null where OpenSees gave up.
"""

import json
import sys

import openseespy.opensees as ops


def build(run, case):
    ops.wipe()
    ops.model("basic", "-ndm", 1, "-ndf", 1)
    ops.node(0, 0.0)
    ops.fix(0, 1)
    for i, (mass, stiffness) in enumerate(zip(run["masses"], run["stiffnesses"]), 1):
        ops.node(i, 0.0)
        ops.mass(i, mass)
        if run["yields"]:
            ops.uniaxialMaterial("Steel01", i, run["yields"][i - 1], stiffness, run["hardening"])
        else:
            ops.uniaxialMaterial("Elastic", i, stiffness)
        ops.element("zeroLength", i, i - 1, i, "-mat", i, "-dir", 1, "-doRayleigh", 1)
    mass, stiffness = run["rayleigh"]
    ops.rayleigh(mass, 0.0, stiffness, 0.0)
    ops.timeSeries("Path", 1, "-dt", case["record_dt"], "-values", *case["record"])
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)


def step(run, case):
    build(run, case)
    ops.constraints("Plain")
    ops.numberer("Plain")
    ops.system("FullGeneral")
    iterations = run["iterations"]
    if iterations == "none":
        # Operator splitting works with the initial stiffness; the others do not look at it.
        ops.algorithm("Linear", "-initial")
    elif iterations == "newton":
        ops.test("NormDispIncr", 1e-13, 60)
        ops.algorithm("Newton")
    else:
        ops.test("FixedNumIter", iterations)
        ops.algorithm("Newton", "-initial")
    ops.integrator(*run["integrator"])
    ops.analysis("Transient")
    history = []
    for _ in range(case["steps"]):
        if ops.analyze(1, case["dt"]) != 0:
            return None
        history.append([ops.nodeDisp(i, 1) for i in range(1, len(run["masses"]) + 1)])
    return history


case = json.load(sys.stdin)
print(json.dumps([step(run, case) for run in case["runs"]]))
