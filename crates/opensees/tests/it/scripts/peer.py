"""What Tcl and Python themselves make of small scripts: the places of the nodes they set, as JSON."""

import json
import sys
import types


def tcl(script):
    import tkinter

    places = []
    interpreter = tkinter.Tcl()
    interpreter.createcommand("model", lambda *_: "")
    # As OpenSees takes its arguments (Tcl_GetInt, Tcl_GetDouble).
    get = interpreter.tk
    interpreter.createcommand(
        "node", lambda tag, x, *_: places.append([get.getint(tag), get.getdouble(x)]) or ""
    )
    interpreter.eval(script)
    return places


def python(script):
    places = []
    ops = types.ModuleType("openseespy.opensees")
    ops.model = lambda *_: None
    ops.node = lambda tag, x, *_: places.append([int(tag), float(x)])
    sys.modules["openseespy"] = types.ModuleType("openseespy")
    sys.modules["openseespy"].opensees = ops
    sys.modules["openseespy.opensees"] = ops
    try:
        exec(compile(script, "script", "exec"), {"__name__": "__main__"})
    except SystemExit:
        pass
    return places


results = []
for language, script in json.load(sys.stdin):
    try:
        results.append({"tcl": tcl, "python": python}[language](script))
    except Exception as error:
        results.append(repr(error))
json.dump(results, sys.stdout)
