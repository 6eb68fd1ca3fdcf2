"""Runs a model script (Tcl or Python) in OpenSees and prints what it did as JSON.

    python run.py MODEL MODES NODE:DOF …

"modes" holds the first frequencies (Hz) of the model at its end, before anything moves in time;
"rest" the displacements asked for after the static steps; "history" those after each step through
time, less "rest". Tcl scripts are run by the real Tcl of Python's tkinter, whose commands are those
of OpenSees.
"""

import json
import math
import os
import runpy
import sys

import openseespy.opensees as ops

COMMANDS = """model node fix fixX fixY fixZ mass equalDOF rigidLink rigidDiaphragm uniaxialMaterial
section patch layer fiber geomTransf beamIntegration element timeSeries pattern load eleLoad
loadConst rayleigh eigen integrator analysis analyze getTime getNodeTags getEleTags nodeCoord wipe
constraints numberer system test algorithm wipeAnalysis recorder""".split()

solve = ops.analyze
wanted = []
seen = {"modes": [], "rest": None, "history": []}


def displacements():
    return [ops.nodeDisp(node, dof) for node, dof in wanted]


def frequencies():
    if modes and not seen["modes"]:
        try:
            values = ops.eigen(modes)
        except Exception:
            values = ops.eigen("-fullGenLapack", modes)
        seen["modes"] = [math.sqrt(value) / (2 * math.pi) for value in values]


def analyze(steps, *dt):
    if dt and seen["rest"] is None:
        seen["rest"] = displacements()
    for _ in range(steps):
        code = solve(1, *dt)
        if code != 0:
            raise SystemExit(f"OpenSees did not converge at time {ops.getTime()}")
        if dt:
            now = displacements()
            seen["history"].append([x - x0 for x, x0 in zip(now, seen["rest"])])
    return 0


def value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def tcl(path):
    import tkinter

    interpreter = tkinter.Tcl()

    def bridge(name):
        def run(*words):
            block = None
            if name in ("section", "pattern") and words[0] in ("Fiber", "Plain") and len(words) > 2:
                if any(c.isspace() for c in words[-1]):
                    *words, block = words
            values = []
            for word in words:
                parts = [value(part) for part in word.split()]
                numbers = parts and all(isinstance(part, (int, float)) for part in parts)
                values.extend(parts if numbers else [word])
            if name == "pattern" and isinstance(values[2], str):
                ops.timeSeries(values[2], 90000 + values[1])
                values[2] = 90000 + values[1]
            answer = getattr(ops, name)(*values)
            if block is not None:
                interpreter.eval(block)
            if isinstance(answer, (list, tuple)):
                return " ".join(repr(x) for x in answer)
            return "" if answer is None else str(answer)

        return run

    for name in COMMANDS:
        interpreter.createcommand(name, bridge(name))
    with open(path) as file:
        interpreter.eval(file.read())


path, modes = os.path.abspath(sys.argv[1]), int(sys.argv[2])
wanted = [tuple(int(part) for part in word.split(":")) for word in sys.argv[3:]]
ops.analyze = analyze
os.chdir(os.path.dirname(path))
if path.endswith(".tcl"):
    tcl(path)
else:
    runpy.run_path(path)
if seen["rest"] is None:
    frequencies()
    seen["rest"] = displacements()
print(json.dumps(seen))
