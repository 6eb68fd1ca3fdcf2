"""The two-bay frame of Tekeste, Correia and Costa 2025 in OpenSees, its outer column (or both outer
columns) in the laboratory.

    python examples/opensees-lnec-frame/model.py --ports 8090        # column A behind genericClient
    python examples/opensees-lnec-frame/model.py --ports 8091,8092   # columns A and C, two elements
    python examples/opensees-lnec-frame/model.py --numerical           # all in OpenSees

Columns HEB100 with fibre sections, fixed at the base and hinged at the top; beams IPE240, elastic.
A column in the laboratory resists the sway only; its axial stiffness stays here. Operator splitting
(AlphaOS) with the initial stiffness, 4 ms. Prints JSON.
"""
import argparse
import csv
import json
import pathlib

import openseespy.opensees as ops

# What the laboratory's column is: initial stiffness (N/m), plastic shear (N), hardening.
STIFFNESS, YIELD, HARDENING = 262.403e3, 19.0e3, 0.010869565217391304
DT = 0.004

words = argparse.ArgumentParser()
words.add_argument("--ports", default="8090",
                   help="one port for each column in the laboratory: A, then C")
words.add_argument("--numerical", action="store_true")
words.add_argument("--seconds", type=float, default=7.0)
words.add_argument("--yield-force", type=float, default=YIELD,
                   help="of the laboratory's columns in the numerical model, N; 0: linear")
words.add_argument("--peak", type=float, default=3.1276,
                   help="peak of the ground acceleration, m/s2")
words.add_argument(
    "--record",
    type=pathlib.Path,
    default=pathlib.Path(__file__).resolve().parents[2]
    / "crates/signal/data/el-centro-1940-ns.csv",
    help="time and ground acceleration of any unit, two columns with a comma; "
    "default: El Centro 1940 of the repository",
)
given = words.parse_args()
if not given.record.is_file():
    words.error(f"there is no {given.record}: run this in a clone of the repository, "
                "or give --record FILE")
ports = [int(port) for port in given.ports.split(",")]
laboratory = ["A", "C"][: len(ports)]

ground = [float(row[1]) for row in csv.reader(given.record.open()) if row and row[0][:1].isdigit()]
ground = [given.peak / max(map(abs, ground)) * a for a in ground]

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
base, top, head = {}, {}, {}
for axis, name in enumerate("ABC"):
    base[name], top[name], head[name] = 10 + axis, 20 + axis, 30 + axis
    ops.node(base[name], 3.6 * axis, 0.0)
    ops.node(top[name], 3.6 * axis, 1.8)
    ops.fix(base[name], 1, 1, 1)
    ops.mass(top[name], 12983.755 if name == "B" else 6491.8775, 0.0, 0.0)

ops.uniaxialMaterial("Steel02", 1, 355e6, 210e9, HARDENING, 20.0, 0.925, 0.15)
ops.section("Fiber", 1)
h, b, web, flange = 0.1, 0.1, 0.006, 0.01
inner = h / 2 - flange
ops.patch("rect", 1, 4, 1, -h / 2, -b / 2, -inner, b / 2)
ops.patch("rect", 1, 12, 1, -inner, -web / 2, inner, web / 2)
ops.patch("rect", 1, 4, 1, inner, -b / 2, h / 2, b / 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.geomTransf("Linear", 1)
area = 2 * b * flange + (h - 2 * flange) * web
ops.uniaxialMaterial("Elastic", 2, 210e9)
if given.yield_force:
    ops.uniaxialMaterial("Steel02", 3, given.yield_force, STIFFNESS, HARDENING, 20.0, 0.925, 0.15)
else:
    ops.uniaxialMaterial("Elastic", 3, STIFFNESS)
for number, name in enumerate("ABC"):
    if name not in laboratory:
        # The head is hinged: it shares the place of the beam's node, not its rotation.
        ops.node(head[name], 3.6 * number, 1.8)
        ops.equalDOF(top[name], head[name], 1, 2)
        ops.element("forceBeamColumn", 1 + number, base[name], head[name], 1, 1, "-iter", 30, 1e-12)
        continue
    ops.element("Truss", 1 + number, base[name], top[name], area, 2)
    if given.numerical:
        ops.node(40 + number, 3.6 * number, 1.8)
        ops.fix(40 + number, 1, 1, 1)
        ops.element("zeroLength", 11 + number, 40 + number, top[name], "-mat", 3, "-dir", 1)
    else:
        port = ports[laboratory.index(name)]
        ops.element("genericClient", 11 + number, "-node", top[name], "-dof", 1, "-server", port,
                    "127.0.0.1")
ops.element("elasticBeamColumn", 21, top["A"], top["B"], 39.12e-4, 210e9, 3892e-8, 1)
ops.element("elasticBeamColumn", 22, top["B"], top["C"], 39.12e-4, 210e9, 3892e-8, 1)

ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *ground)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.rayleigh(0.2714336, 0.0, 0.0, 0.0)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("FullGeneral")
ops.algorithm("Linear", "-initial")
ops.integrator("AlphaOS", 0.9)
ops.analysis("Transient")
history = []
for _ in range(round(given.seconds / DT)):
    assert ops.analyze(1, DT) == 0
    history.append(ops.nodeDisp(top["A"], 1))
ops.wipe()
print(json.dumps({"peak_m": max(map(abs, history)), "final_m": history[-1],
                  "displacement_m": history}))
