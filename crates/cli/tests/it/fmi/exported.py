"""Every part of a plan as an FMU of both versions, judged by FMPy: program, plan of an oscillator,
folder to work in."""
import csv, itertools, subprocess, sys

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave
from fmpy.validation import validate_fmu

tandem, oscillator, folder = sys.argv[1:]

TENANTS = """
[excitation]
record = "el-centro-1940"
[structure]
kind = "shear-building"
masses = ["1000 kg", "1000 kg"]
stiffnesses = ["800 kN/m", "800 kN/m"]
[structure.damping]
method = "rayleigh"
ratio = 0.02
modes = [1, 2]
[interface]
dof = [1]
[integration]
method = "newmark-explicit"
dt = "2 ms"
duration = "4 s"
[compensator]
method = "ats"
[rig]
rate = "1 kHz"
[rig.servo]
method = "pid"
proportional = 2.0
integral = "3 Hz"
filter = "200 Hz"
[rig.actuator]
method = "second-order"
frequency = "28 Hz"
damping = 0.7
[rig.specimen]
kind = "materials"
mass = ["100 kg"]
[[rig.specimen.material]]
kind = "bouc-wen"
stiffness = "200 kN/m"
yield_force = "1 kN"
hardening = 0.05
[rig.sensors]
displacement_noise = "0.01 mm"
[monitor.tracking_error]
bound = "5 mm"
[monitor.tracking_indicator]
[monitor.energy]
[monitor.stability_warning]
"""


def call(*words):
    done = subprocess.run([tandem, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


unpacked = {}


class Peer:
    """An FMU in FMPy, with its values by name: one call looks the same in both versions."""

    def __init__(self, path, exchange=False):
        self.description = d = fmpy.read_model_description(path)
        self.two = d.fmiVersion.startswith("2")
        offer = d.modelExchange if exchange else d.coSimulation
        kinds = {(True, False): FMU2Slave, (True, True): FMU2Model, (False, False): FMU3Slave,
                 (False, True): FMU3Model}
        kind = kinds[self.two, exchange]
        if path not in unpacked:
            unpacked[path] = fmpy.extract(path)
        self.fmu = kind(guid=d.guid, unzipDirectory=unpacked[path],
                        modelIdentifier=offer.modelIdentifier, instanceName="x")
        self.fmu.instantiate()
        self.variables = {v.name: v for v in d.modelVariables}
        if self.two:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()

    def names(self, causality):
        return [v.name for v in self.description.modelVariables
                if v.causality == causality and v.name != "time"]

    def size(self, name):
        shape = self.variables[name].shape
        return int(np.prod(shape)) if shape else 1

    def get(self, name):
        reference = [self.variables[name].valueReference]
        if self.two:
            return self.fmu.getReal(reference)
        return self.fmu.getFloat64(reference, self.size(name))

    def set(self, name, values):
        reference = [self.variables[name].valueReference]
        (self.fmu.setReal if self.two else self.fmu.setFloat64)(reference, list(values))

    def outputs(self):
        return [x for name in self.names("output") for x in self.get(name)]

    def step(self, time, size):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def save(self):
        return self.fmu.getFMUState()

    def back(self, state):
        self.fmu.setFMUState(state)

    def leave(self, exchange=False):
        self.fmu.exitInitializationMode()
        if exchange:
            self.fmu.newDiscreteStates() if self.two else self.fmu.updateDiscreteStates()
            self.fmu.enterContinuousTimeMode()

    def bytes_of(self, state):
        return self.fmu.serializeFMUState(state)

    def state_of(self, data):
        back = self.fmu.deSerializeFMUstate if self.two else self.fmu.deserializeFMUState
        return back(data)


def columns(peer):
    """Names of inputs as columns of a table."""
    for name in peer.names("input"):
        if peer.variables[name].shape:
            yield name, [f"{name}[{i + 1}]" for i in range(peer.size(name))]
        else:
            yield name, [name]


def motion(name, k, t):
    """An input that looks like one: some metres, newtons, and H a diagonal that does not change."""
    if name.startswith("H_in"):
        return None
    scale = 1e3 if name.startswith(("force", "lambda", "g", "load")) else 0.01
    if name == "step_complete":
        return np.ones_like(t)
    return scale * (np.sin(7 * t + k) + 0.3 * np.sin(31 * t + 2 * k))


def compare(path, exchange_dt, steps=300):
    """The same inputs in FMPy and in Tandem; all outputs at all points."""
    peer = Peer(path)
    dt = exchange_dt
    t = np.arange(steps + 1) * dt
    table, heads = {}, []
    for name, cells in columns(peer):
        values = [motion(cell, k + len(heads), t) for k, cell in enumerate(cells)]
        if values and values[0] is not None:
            table[name] = np.array(values)
            heads += cells
    with open(folder + "/in.csv", "w") as f:
        print("time", *[f'"{h}"' for h in heads], sep=",", file=f)
        rows = np.concatenate(list(table.values())) if table else np.zeros((0, steps + 1))
        for k in range(steps + 1):
            print(repr(float(t[k])), *[repr(float(x)) for x in rows[:, k]], sep=",", file=f)
    for name, values in table.items():
        peer.set(name, values[:, 0])
    peer.leave()
    theirs = [peer.outputs()]
    for k in range(steps):
        for name, values in table.items():
            peer.set(name, values[:, k])
        peer.step(float(t[k]), dt)
        theirs.append(peer.outputs())
    theirs = np.array(theirs)
    call("fmu", "simulate", path, "--kind", "cs", "--step", repr(dt), "--stop", repr(float(t[-1])),
         "--in-process", "--input", folder + "/in.csv",
         "--out", folder + "/out.csv")
    rows = list(csv.reader(open(folder + "/out.csv")))
    ours = np.array(rows[1:], float)[:, 1:]
    assert ours.shape == theirs.shape, (path, ours.shape, theirs.shape)
    size = abs(theirs).max(axis=0)
    error = (abs(ours - theirs).max(axis=0) / np.maximum(size, 1e-300)).max()
    assert error <= 1e-12, (path, error)
    assert (size > 0).any(), path
    return table, t, float(error)


def rolls_back(path, table, t, dt):
    """A state that is put back gives the same again to the bit, here and in another instance that
    it was carried to."""
    def go(peer, first, last, other=0):
        rows = []
        for k in range(first, last):
            for name, values in table.items():
                peer.set(name, values[:, k + other])
            peer.step(float(t[k]), dt)
            rows.append(peer.outputs())
        return rows
    peer = Peer(path)
    peer.leave()
    go(peer, 0, 100)
    state = peer.save()
    data = peer.bytes_of(state)
    once = go(peer, 100, 200)
    peer.back(state)
    assert go(peer, 100, 200) == once, path
    peer.back(state)
    go(peer, 100, 150, other=50)  # something else in between
    peer.back(state)
    assert go(peer, 100, 200) == once, path
    other = Peer(path)
    other.leave()
    other.back(other.state_of(data))
    assert go(other, 100, 200) == once, (path, "carried over")


def derives(path):
    """Directional derivatives of a model exchange are those of differences; states of it are put
    back."""
    import ctypes
    peer = Peer(path, exchange=True)
    peer.leave(exchange=True)
    if peer.two:
        n = len([x for x in peer.variables if x[:2] in ("u[", "v[")])
    else:
        n = sum(peer.size(name) for name in ("u", "v"))
    x = np.array([1e-3 * np.sin(k + 1) for k in range(n)])
    def slopes(x, force):
        for name in force_names:
            peer.set(name, [force[name]] if peer.two else np.atleast_1d(force[name]))
        array = (ctypes.c_double * n)(*x)
        peer.fmu.setContinuousStates(array, n)
        out = (ctypes.c_double * n)()
        (peer.fmu.getDerivatives if peer.two else peer.fmu.getContinuousStateDerivatives)(out, n)
        return np.array(out)
    force_names = [name for name in peer.names("input") if name.startswith(("lambda", "g"))]
    force = {name: 0.0 if peer.two else np.zeros(peer.size(name)) for name in force_names}
    peer.fmu.setTime(0.0)
    base = slopes(x, force)
    place = lambda v: peer.variables[v].valueReference
    heads = lambda letter: sorted(
        (v for v in peer.variables if v == letter or v.startswith(letter + "[")), key=place)
    knowns = [peer.variables[v].valueReference for letter in "uv" for v in heads(letter)]
    unknowns = [peer.variables[v].valueReference for letter in ("der(u", "der(v")
                for v in sorted((v for v in peer.variables if v.startswith(letter)),
                                key=lambda v: peer.variables[v].valueReference)]
    worst = 0.0
    for k in range(n):
        seed = np.zeros(n)
        seed[k] = 1.0
        slopes(x, force)
        ask = [unknowns, knowns, seed.tolist()] + ([] if peer.two else [n])
        found = np.array(peer.fmu.getDirectionalDerivative(*ask))
        h = 1e-6
        expected = (slopes(x + h * seed, force) - slopes(x - h * seed, force)) / (2 * h)
        worst = max(worst, abs(found - expected).max() / max(abs(expected).max(), 1.0))
    assert worst < 1e-6, (path, worst)
    # Force on the first degree of freedom that is tied.
    name = force_names[0]
    slopes(x, force)
    seed = [1.0] + [0.0] * (0 if peer.two else peer.size(name) - 1)
    ask = [unknowns, [peer.variables[name].valueReference], seed] + ([] if peer.two else [n])
    found = np.array(peer.fmu.getDirectionalDerivative(*ask))
    pushed = dict(force)
    pushed[name] = 1.0 if peer.two else np.array(seed)
    expected = slopes(x, pushed) - slopes(x, force)
    assert abs(found - expected).max() <= 1e-9 * abs(expected).max(), (path, found, expected)
    # Get and set state.
    slopes(x, force)
    state = peer.save()
    slopes(2 * x, force)
    peer.back(state)
    out = (ctypes.c_double * n)()
    (peer.fmu.getDerivatives if peer.two else peer.fmu.getContinuousStateDerivatives)(out, n)
    assert (np.array(out) == base).all(), path
    return worst


with open(folder + "/tenants.toml", "w") as f:
    f.write(TENANTS)
with open(folder + "/massless.toml", "w") as f:
    f.write(TENANTS.replace('mass = ["100 kg"]\n', ""))
done = subprocess.run([tandem, "fmu", "export", folder + "/massless.toml", "--what", "physical",
                       "-o", folder + "/none.fmu"], capture_output=True, text=True)
assert done.returncode == 2 and "could not start" in done.stderr, done.stderr
for (what, plan), version in itertools.product(
    [("numerical", oscillator), ("physical", oscillator), ("whole", oscillator),
     ("coupling", oscillator), ("numerical", "tenants"), ("physical", "tenants"),
     ("rig", "tenants"), ("compensator", "tenants"), ("servo", "tenants"), ("monitors", "tenants")],
    "23",
):
    name = "tenants" if plan == "tenants" else "oscillator"
    source = plan if plan == oscillator else f"{folder}/{plan}.toml"
    structural = what in ("numerical", "physical", "whole")
    for variant in "ab" if what in ("numerical", "coupling") and plan == oscillator else "b":
        fmu = f"{folder}/{name}-{what}-{variant}{version}.fmu"
        # The specimen of `tenants` remembers: FMPy's differences would be of another path.
        me = structural and not (what == "physical" and plan == "tenants")
        call("fmu", "export", source, "--what", what, "--fmi", version, "--kind",
             "both" if me else "cs", "--variant", variant, "-o", fmu)
        problems = validate_fmu(fmu)
        assert not problems, (fmu, problems)
        dt = fmpy.read_model_description(fmu).defaultExperiment.stepSize
        table, t, error = compare(fmu, float(dt))
        rolls_back(fmu, table, t, float(dt))
        print(fmu.rsplit("/", 1)[1], "co-simulation", error, "derivatives",
              derives(fmu) if me else "-")

# FMPy's own solvers against ours.
t = np.linspace(0, 2, 201)
ag = np.sin(7 * t)
with open(folder + "/ag.csv", "w") as f:
    f.write("time,ag\n")
    f.writelines(f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), ag.tolist()))
table = np.array(list(zip(t, ag)), dtype=[("time", float), ("ag", float)])
parts = "numerical", "physical", "whole"
for version, what, plan in itertools.product("23", parts, ("oscillator",)):
    fmu = f"{folder}/{plan}-{what}-b{version}.fmu"
    name = "u[1]" if version == "2" else "u"
    solvers = ("CoSimulation", None), ("ModelExchange", "Euler"), ("ModelExchange", "CVode")
    for kind, solver in solvers:
        free = solver == "CVode"  # FMPy holds inputs over a step of CVode
        settings = dict(solver=solver) if solver else {}
        if free:
            settings.update(start_values={name: "0.01" if version == "2" else [0.01]},
                            relative_tolerance=1e-10)
        else:
            settings.update(input=table)
        theirs = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=2, output_interval=0.01,
                                   step_size=0.01, **settings)
        own = ["--kind", "me", "--solver", "rk45" if free else "euler"]
        words = own if solver else ["--kind", "cs"]
        start = ["--set", name + "=0.01", "--tolerance", "1e-11"]
        words += start if free else ["--input", folder + "/ag.csv"]
        call("fmu", "simulate", fmu, "--step", "0.01", "--stop", "2", "--out", folder + "/out.csv",
             "--in-process", *words)
        rows = list(csv.reader(open(folder + "/out.csv")))
        mine = dict(zip(rows[0], np.array(rows[1:], float).T))["u[1]"]
        other = np.ravel(theirs[name])
        assert len(mine) == len(other) == 201, (len(mine), len(other))
        error = abs(mine - other).max() / abs(other).max()
        assert error < (1e-6 if free else 1e-12), (fmu, kind, solver, error)
        print(fmu.rsplit("/", 1)[1], kind, solver, error)

# A specimen that yields keeps its history at completed steps: FMPy tells of them in both versions,
# and the path is ours.
with open(folder + "/yielding.toml", "w") as f:
    f.write(TENANTS.replace('kind = "bouc-wen"', 'kind = "bilinear"'))
yielded = []
for version in "23":
    fmu = f"{folder}/yielding{version}.fmu"
    call("fmu", "export", folder + "/yielding.toml", "--what", "physical", "--fmi", version,
         "--kind", "me", "-o", fmu)
    problems = validate_fmu(fmu)
    assert not problems, (fmu, problems)
    suffix = "[1]" if version == "2" else ""
    theirs = fmpy.simulate_fmu(fmu, fmi_type="ModelExchange", solver="CVode", stop_time=1,
                               output_interval=0.001, relative_tolerance=1e-9,
                               start_values={"v" + suffix: "1" if version == "2" else [1.0]},
                               output=["u" + suffix])
    call("fmu", "simulate", fmu, "--kind", "me", "--solver", "rk45", "--tolerance", "1e-9",
         "--step", "0.001", "--stop", "1", "--set", f"v{suffix}=1",
         "--out", folder + "/out.csv", "--in-process")
    rows = list(csv.reader(open(folder + "/out.csv")))
    mine = dict(zip(rows[0], np.array(rows[1:], float).T))["u[1]"]
    other = np.ravel(theirs["u" + suffix])
    assert len(mine) == len(other) == 1001, (len(mine), len(other))
    error = abs(mine - other).max() / abs(mine).max()
    # It yielded: from 1 m/s an elastic specimen would swing by 22 mm about nought.
    assert abs(mine).max() > 0.03 and abs(mine[500:].mean()) > 0.005, (abs(mine).max(),
        mine[500:].mean())
    assert error < 1e-3, (fmu, error)
    yielded.append(other)
    print(fmu.rsplit("/", 1)[1], "yielding, ModelExchange CVode", error)
apart = abs(yielded[0] - yielded[1]).max()
assert apart <= 1e-9 * abs(yielded[0]).max(), apart
