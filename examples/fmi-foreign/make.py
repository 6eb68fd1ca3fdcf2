"""Makes oscillator.fmu with CasADi: FMI 3.0, Model Exchange, directional derivatives.

pip install casadi fmpy; a C compiler is needed (FMPy brings the headers of FMI). 80 kg, 60 N s/m,
12 kN/m; x displacement, s velocity, f force on the mass (N), g ground acceleration (m/s2).
"""
import os, pathlib, tempfile, zipfile

import casadi
import fmpy

here = pathlib.Path(__file__).resolve().parent
mass, damping, stiffness = 80.0, 60.0, 12000.0
model = casadi.DaeBuilder("oscillator")
x, s = (model.add(name, "output", "continuous") for name in "xs")
f, g = (model.add(name, "input", "continuous") for name in "fg")
model.eq(model.der(x), s)
model.eq(model.der(s), (f - mass * g - damping * s - stiffness * x) / mass)
for name in "xsfg":
    model.set_start(name, 0.0)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    files = model.export_fmu({"no_warning": True, "with_serialization": False})
    headers = str(pathlib.Path(fmpy.__file__).parent / "c-code")
    files = model.compile_fmu(files, {"include_dirs": [headers]})
    with zipfile.ZipFile(here / "oscillator.fmu", "w", zipfile.ZIP_DEFLATED) as archive:
        for local, inside in files.items():
            archive.write(local, os.path.normpath(inside))
    os.chdir(here)
