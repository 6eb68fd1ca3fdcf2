"""One frame of frames.json in OpenSees: the peer of `cargo xtask bench structure`.

    python structure_opensees.py NAME HISTORY

Prints one JSON object with the steps per second of the fastest solver, and writes the horizontal
displacement of the top left node after every step to HISTORY, one number a line. Steps are taken in
chunks of one `analyze` call each. Of an elastic frame the quickest chunk counts; of a fibre frame,
whose steps differ, the sum over the quickest run of every chunk: so what else the machine does
falls out.
"""
import json
import os
import sys
import time

import openseespy.opensees as ops

here = os.path.dirname(os.path.abspath(__file__))
frames = json.load(open(os.path.join(here, "frames.json")))
record = open(os.path.join(here, "../crates/signal/data/el-centro-1940-ns.csv"))
ground = [9.80665 * float(line.split(",")[1]) for line in record if line[0].isdigit()]

name, history = sys.argv[1:3]
kind, frame = next(
    (kind, frame) for kind in ("elastic", "fibre") for frame in frames[kind]["frames"]
    if frame["name"] == name
)
data = frames[kind]
columns, storeys = frame["bays"] + 1, frame["storeys"]
top = storeys * columns + 1
dt = frames["dt"]


def i_section(tag, shape):
    """Flanges and web as patches, one fibre across the width."""
    y, inner = 0.5 * shape["height"], 0.5 * shape["height"] - shape["flange"]
    z, web = 0.5 * shape["width"], 0.5 * shape["web"]
    ops.section("Fiber", tag)
    for layers, y0, y1, half in (
        (data["flange_layers"], -y, -inner, z),
        (data["web_layers"], -inner, inner, web),
        (data["flange_layers"], inner, y, z),
    ):
        ops.patch("rect", 1, layers, 1, y0, -half, y1, half)
    ops.beamIntegration("Lobatto", tag, tag, data["points"])


def build():
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for storey in range(storeys + 1):
        for column in range(columns):
            node = storey * columns + column + 1
            ops.node(node, column * frames["bay_width"], storey * frames["storey_height"])
            if storey == 0:
                ops.fix(node, 1, 1, 1)
            else:
                ops.mass(node, data["node_mass"], data["node_mass"], 0.0)
    ops.geomTransf("Linear", 1)
    if kind == "fibre":
        ops.uniaxialMaterial("Steel02", 1, data["yield_stress"], data["modulus"], data["hardening"],
                             *data["curve"])
        i_section(1, data["column"])
        i_section(2, data["beam"])
    element = 0
    for storey in range(1, storeys + 1):
        base = storey * columns + 1
        members = [(base + c - columns, base + c, 1) for c in range(columns)]
        members += [(base + c, base + c + 1, 2) for c in range(columns - 1)]
        for i, j, tag in members:
            element += 1
            if kind == "fibre":
                ops.element("forceBeamColumn", element, i, j, 1, tag)
            else:
                section = data["column" if tag == 1 else "beam"]
                ops.element(
                    "elasticBeamColumn", element, i, j, section["area"], data["modulus"],
                    section["inertia"], 1
                )
    ops.rayleigh(data["mass_damping"], 0.0, 0.0, 0.0)
    ops.timeSeries("Path", 1, "-dt", 0.02, "-values", *ground, "-factor", data["scale"])
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)


def prepare(system):
    build()
    ops.constraints("Plain")
    ops.numberer("RCM")
    ops.system(system)
    if kind == "fibre":
        ops.test("NormDispIncr", data["tolerance"], 20)
        ops.algorithm("Newton")
    else:
        ops.algorithm("Linear", "-factorOnce")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")


def advance(steps):
    if ops.analyze(steps, dt) != 0:
        sys.exit(f"{name}: OpenSees did not converge")


rates = {}
for system in ("BandSPD", "ProfileSPD"):
    chunks = frame["steps"] // frame["chunk"]
    quickest = [float("inf")] * chunks
    for _ in range(frame["runs"]):
        prepare(system)
        for k in range(chunks):
            started = time.perf_counter()
            advance(frame["chunk"])
            quickest[k] = min(quickest[k], time.perf_counter() - started)
    # Steps of an elastic frame are all alike, but for the first, which factors.
    best = sum(quickest) if kind == "fibre" else chunks * min(quickest)
    rates[system] = frame["chunk"] * chunks / best

prepare("BandSPD")
iterations = 0
with open(history, "w") as file:
    for _ in range(frame["steps"]):
        advance(1)
        iterations += ops.testIter() if kind == "fibre" else 1
        print(repr(ops.nodeDisp(top, 1)), file=file)

solver = max(rates, key=rates.get)
print(
    json.dumps(
        {
            "name": name,
            "dof": ops.systemSize(),
            "steps_per_s": rates[solver],
            "solver": solver,
            "iterations": iterations / frame["steps"],
        }
    )
)
