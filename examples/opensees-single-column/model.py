"""A single column in OpenSees: a mass of 5000 kg on half a column here and half in the laboratory.

    tandem run examples/opensees-single-column/plan.toml &
    python examples/opensees-single-column/model.py     # the column behind genericClient, port 8090
    python examples/opensees-single-column/model.py --numerical --fy 8e3 --b 0.02

Prints the peak and all displacements (m) as JSON.
"""
import argparse
import csv
import json
import pathlib

import openseespy.opensees as ops

words = argparse.ArgumentParser()
words.add_argument("--port", type=int, default=8090)
words.add_argument("--numerical", action="store_true",
                   help="the same column in OpenSees, without Tandem")
words.add_argument("--integrator", default="newmark-explicit",
                   choices=["newmark-explicit", "kr-alpha", "alpha-os", "newmark", "hht-fixed"])
words.add_argument("--k", type=float, default=500e3,
                   help="stiffness of the numerical counterpart, N/m")
words.add_argument("--fy", type=float, default=0.0, help="its yield force, N")
words.add_argument("--b", type=float, default=0.0, help="its post-yield ratio")
words.add_argument("--seconds", type=float, default=10.0)
words.add_argument(
    "--record",
    type=pathlib.Path,
    default=pathlib.Path(__file__).resolve().parents[2]
    / "crates/signal/data/el-centro-1940-ns.csv",
    help="time and ground acceleration in g, two columns with a comma; "
    "default: El Centro 1940 of the repository",
)
given = words.parse_args()
if not given.record.is_file():
    words.error(f"there is no {given.record}: run this in a clone of the repository, "
                "or give --record FILE")

DT = 0.01
ground = [9.80665 * float(row[1]) for row in csv.reader(given.record.open())
          if row and row[0][:1].isdigit()]

ops.wipe()
ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0)
ops.node(2, 0.0, "-mass", 5000.0)
ops.fix(1, 1)
ops.uniaxialMaterial("Elastic", 1, 300e3)
ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
if given.numerical:
    if given.fy:
        ops.uniaxialMaterial("Steel01", 2, given.fy, given.k, given.b)
    else:
        ops.uniaxialMaterial("Elastic", 2, given.k)
    ops.element("zeroLength", 2, 1, 2, "-mat", 2, "-dir", 1)
else:
    ops.element("genericClient", 2, "-node", 2, "-dof", 1, "-server", given.port, "127.0.0.1")
ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *ground)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.rayleigh(1.0, 0.0, 0.0, 0.0)
ops.constraints("Plain")
ops.numberer("Plain")
ops.system("FullGeneral")
if given.integrator == "newmark":
    ops.test("NormDispIncr", 1e-13, 50)
    ops.algorithm("Newton")
    ops.integrator("Newmark", 0.5, 0.25)
elif given.integrator == "hht-fixed":
    ops.test("FixedNumIter", 5)
    ops.algorithm("Newton")
    ops.integrator("HHTHSFixedNumIter", 0.9)
else:
    ops.algorithm("Linear")
    ops.integrator(*{"newmark-explicit": ("NewmarkExplicit", 0.5),
                     "kr-alpha": ("KRAlphaExplicit", 0.8),
                     "alpha-os": ("AlphaOS", 0.9)}[given.integrator])
ops.analysis("Transient")
history = []
for _ in range(round(given.seconds / DT)):
    assert ops.analyze(1, DT) == 0
    history.append(ops.nodeDisp(2, 1))
ops.wipe()
print(json.dumps({"peak_m": max(map(abs, history)), "final_m": history[-1],
                  "displacement_m": history}))
