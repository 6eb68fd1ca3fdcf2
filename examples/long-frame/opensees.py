"""The viaduct of plan.toml in OpenSees (openseespy 3.7.1): prints the figures that expected.json
holds.

    python examples/long-frame/opensees.py

Every pier gets the displacement of its own ground (MultipleSupport excitation); displacements are
told relative to the ground of the first one, as in Tandem. Newmark's average acceleration with
Newton's method, 5 ms, as in the plan. The ground of the first pier follows from the record by the
same rule (average acceleration), what the others move relative to it by exact integration of the
record after its baseline was corrected (a parabola in acceleration, least mean square of the
velocity: Berg and Housner 1961), as in Tandem.
"""

import csv
import json
import pathlib

import numpy as np
import openseespy.opensees as ops

G, DT, RECORD_DT, STEPS, SPEED, SCALE = 9.80665, 0.005, 0.02, 2000, 800.0, 1.5
MASS, SPAN, HEIGHT, PIERS = 120e3, 40.0, 8.0, 6

file = pathlib.Path(__file__).parents[2] / "crates/signal/data/el-centro-1940-ns.csv"
record = np.array([SCALE * G * float(row[1]) for row in csv.reader(file.open()) if row
                   and row[0][:1].isdigit()])


def running(values, dt):
    """Running integral by the trapezoidal rule."""
    return np.concatenate([[0.0], np.cumsum(0.5 * dt * (values[1:] + values[:-1]))])


place = np.linspace(-1.0, 1.0, len(record))
shapes = np.stack([place**power for power in range(3)], axis=1)
velocities = np.stack([running(shape, RECORD_DT) for shape in shapes.T], axis=1)
terms = np.linalg.lstsq(velocities, running(record, RECORD_DT), rcond=None)[0]
corrected = record - shapes @ terms

# Velocity and displacement at the points of the record, exact for straight lines between them.
v, d = [0.0], [0.0]
for a, b in zip(corrected, corrected[1:]):
    d.append(d[-1] + RECORD_DT * v[-1] + RECORD_DT**2 * (a / 3 + b / 6))
    v.append(v[-1] + 0.5 * RECORD_DT * (a + b))


def ground(time):
    """Displacement and velocity of the corrected record."""
    if time <= 0.0:
        return 0.0, 0.0
    k = min(int(time / RECORD_DT + 1e-9), len(corrected) - 2)
    t, a = time - k * RECORD_DT, corrected[k]
    slope = (corrected[k + 1] - a) / RECORD_DT
    return d[k] + t * (v[k] + t * (0.5 * a + slope * t / 6)), v[k] + t * (a + 0.5 * slope * t)


# One point more than steps: a series of OpenSees is zero behind its end, which rounding may reach.
times = DT * np.arange(STEPS + 2)
acceleration = np.interp(times, RECORD_DT * np.arange(len(record)), record)
first_v = running(acceleration, DT)
first_d = [0.0]
for k in range(STEPS + 1):
    first_d.append(first_d[-1] + DT * first_v[k] + 0.25 * DT**2
                   * (acceleration[k] + acceleration[k + 1]))
first_d = np.array(first_d)

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
for axis in range(PIERS):
    ops.node(axis, axis * SPAN, 0.0)
    ops.node(10 + axis, axis * SPAN, HEIGHT)
    ops.fix(axis, 0, 1, 1)
    ops.mass(10 + axis, MASS, MASS, 0.0)
ops.uniaxialMaterial("Steel02", 1, 355e6, 210e9, 0.01, 20.0, 0.925, 0.15)
h, b, web, flange = 0.8, 0.5, 0.02, 0.04
ops.section("Fiber", 1)
inner = h / 2 - flange
ops.patch("rect", 1, 4, 1, -h / 2, -b / 2, -inner, b / 2)
ops.patch("rect", 1, 12, 1, -inner, -web / 2, inner, web / 2)
ops.patch("rect", 1, 4, 1, inner, -b / 2, h / 2, b / 2)
ops.beamIntegration("Lobatto", 1, 1, 5)
ops.geomTransf("Linear", 1)
for axis in range(PIERS):
    ops.element("forceBeamColumn", axis, axis, 10 + axis, 1, 1, "-iter", 30, 1e-12)
for axis in range(1, PIERS):
    ops.element("elasticBeamColumn", 10 + axis, 9 + axis, 10 + axis, 2.0, 35e9, 1.5, 1)

# The first frequency with all bases held, for the damping.
for axis in range(PIERS):
    ops.fix(axis, 1, 0, 0)
frequency = ops.eigen("-fullGenLapack", 1)[0] ** 0.5 / (2 * np.pi)
for axis in range(PIERS):
    ops.remove("sp", axis, 1)
ops.rayleigh(0.0, 0.0, 2 * 0.02 / (2 * np.pi * frequency), 0.0)

ops.pattern("MultipleSupport", 1)
for axis in range(PIERS):
    relative = np.array([np.subtract(ground(t - axis * SPAN / SPEED), ground(t)) for t in times])
    moved = first_d + relative[:, 0], first_v + relative[:, 1], np.zeros(STEPS + 2)
    for kind, values in enumerate(moved):
        ops.timeSeries("Path", 10 * axis + kind + 1, "-dt", DT, "-values", *values)
    series = [10 * axis + kind + 1 for kind in range(3)]
    ops.groundMotion(axis + 1, "Plain", "-disp", series[0], "-vel", series[1], "-accel", series[2])
    ops.imposedMotion(axis, 1, axis + 1)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1e-11, 60)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
tops = []
for k in range(STEPS):
    assert ops.analyze(1, DT) == 0
    tops.append([ops.nodeDisp(10 + axis, 1) - first_d[k + 1] for axis in range(PIERS)])
tops = np.array(tops)
print(json.dumps({
    "frequency_hz": frequency,
    "peak_m": np.abs(tops).max(axis=0).tolist(),
    "final_m": tops[-1].tolist(),
}))
