"""The frame of examples/opensees-lnec-frame with both outer columns in laboratories: two
genericClient elements, two ports.

    python examples/opensees-two-sites/model.py
    python examples/opensees-two-sites/model.py --numerical --yield-force 0  # all in it, linear
"""
import pathlib
import runpy
import sys

if not any(word.startswith("--ports") for word in sys.argv):
    sys.argv += ["--ports", "8091,8092"]
runpy.run_path(str(pathlib.Path(__file__).parents[1] / "opensees-lnec-frame/model.py"))
