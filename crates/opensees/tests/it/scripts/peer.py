"""What Tcl itself makes of small scripts: the places of the nodes they set, as JSON."""

import json
import sys
import tkinter


def places(script):
    found = []
    interpreter = tkinter.Tcl()
    interpreter.createcommand("model", lambda *_: "")
    # As OpenSees takes its arguments (Tcl_GetInt, Tcl_GetDouble).
    get = interpreter.tk
    interpreter.createcommand(
        "node", lambda tag, x, *_: found.append([get.getint(tag), get.getdouble(x)]) or ""
    )
    interpreter.eval(script)
    return found


results = []
for script in json.load(sys.stdin):
    try:
        results.append(places(script))
    except Exception as error:
        results.append(repr(error))
json.dump(results, sys.stdout)
