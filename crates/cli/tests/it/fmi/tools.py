"""FMUs of PythonFMU in ours. Program, plan of an oscillator, folder to work in."""
import csv, os, subprocess, sys, sysconfig

tandem, _, folder = sys.argv[1:]

# An oscillator by the semi-implicit Euler method, as a class of PythonFMU (FMI 2.0) and of
# PythonFMU3 (FMI 3.0).
MODEL = """
from {package} import {version}Causality as Causality, {version}Slave, {number}
{clock_import}
class Oscillator{number}({version}Slave):
    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.time, self.f, self.u, self.v = 0.0, 0.0, 0.0, 0.0
        {clock}
        self.register_variable({number}("f", causality=Causality.input, start=0.0))
        self.register_variable({number}("u", causality=Causality.output))
        self.register_variable({number}("v", causality=Causality.output))
    def do_step(self, time, step):
        self.v += step * (self.f - 40.0 * self.u)
        self.u += step * self.v
        return True
"""
KINDS = [
    dict(package="pythonfmu", version="Fmi2", number="Real", clock_import="", clock="pass"),
    dict(package="pythonfmu3", version="Fmi3", number="Float64",
         clock_import="from pythonfmu3 import Fmi3Variability",
         clock='self.register_variable(Float64("time", causality=Causality.independent, '
               'variability=Fmi3Variability.continuous))'),
]

# Their binaries expect a Python in the process: it is loaded before them.
library = os.path.join(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"))
with_python = dict(os.environ, LD_PRELOAD=library, PYTHONHOME=sys.base_prefix,
                   PYTHONPATH=sysconfig.get_path("purelib"))

for kind in KINDS:
    name = "Oscillator" + kind["number"]
    script, fmu, out = (os.path.join(folder, name + ending) for ending in (".py", ".fmu", ".csv"))
    with open(script, "w") as file:
        file.write(MODEL.format(**kind))
    subprocess.run([sys.executable, "-m", kind["package"], "build", "-f", script, "-d", folder],
                   check=True, capture_output=True)
    run = [tandem, "fmu", "simulate", fmu, "--kind", "cs", "--step", "0.01", "--stop", "2", "--set",
           "f=3", "--out", out]
    subprocess.run(run, check=True, env=with_python)
    with open(out) as file:
        rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
    assert len(rows) == 201, len(rows)
    u = v = 0.0
    for k, (time, seen_u, seen_v) in enumerate(rows):
        if k:
            v += 0.01 * (3.0 - 40.0 * u)
            u += 0.01 * v
        near = abs(seen_u - u) < 1e-14 and abs(seen_v - v) < 1e-13
        assert abs(time - 0.01 * k) < 1e-12 and near, (k, seen_u, u)
    print(name, "as made by", kind["package"], "gives its 201 rows")

    # Without it the message says what to do.
    refused = subprocess.run(run, capture_output=True, text=True,
                             env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
    assert refused.returncode == 1 and "LD_PRELOAD" in refused.stderr, refused.stderr
