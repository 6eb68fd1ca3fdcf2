"""Stands in for OpenSeesPy while a model script runs: every command is written down, none is done.

    python -c "<this file>" FOLDER SCRIPT CALLS

runs SCRIPT within FOLDER. Standard output and input, taken away from the script, are the channel:
a line of JSON for each command, and one back where the script is given something. A result that
only an analysis could give is not a number, and a condition on it is told.
"""

import builtins
import importlib
import importlib.abc
import importlib.util
import json
import linecache
import math
import os
import queue
import sys
import threading
import types

# What the reader answers.
ASKED = """eigen getTime getNodeTags getEleTags nodeCoord nodeMass nodeBounds eleNodes getNDM
getNDF""".split()
# The analysis: a loop of it is as long as the record.
STEPPED = ["analyze", "getTime", "eigen"]
# What only an analysis knows.
RESULTS = """nodeDisp nodeVel nodeAccel nodeUnbalance nodeReaction nodeResponse nodeEigenvector
nodePressure eleForce eleDynamicalForce eleResponse localForce basicForce basicDeformation
basicStiffness sectionForce sectionDeformation sectionStiffness sectionFlexibility sectionLocation
sectionWeight sectionTag testNorm testNorms testIter numIter numFact systemSize getStress getStrain
getTangent getDampTangent getVarDisp getReliability sensNodeDisp sensNodeVel sensNodeAccel
sensSectionForce sensLambda getLoadFactor accelCPU totalCPU solveCPU nodeDOFs classType""".split()
KNOWN = {"getPID": 0, "getNP": 1, "version": "3.7.1"}
OTHERS = """model node fix fixX fixY fixZ mass equalDOF equalDOF_Mixed rigidLink rigidDiaphragm
uniaxialMaterial nDMaterial frictionModel section patch layer fiber geomTransf beamIntegration
element timeSeries pattern load sp eleLoad groundMotion imposedMotion imposedSupportMotion
loadConst remove block2D block3D mesh region rayleigh modalDamping modalDampingQ damping recorder
record constraints numberer system test algorithm integrator analysis analyze wipe wipeAnalysis
reset setTime setNodeDisp setNodeVel setNodeAccel setNodeCoord setNodePressure printModel printA
printB printGID print reactions modalProperties responseSpectrumAnalysis start stop setPrecision
initialize domainChange updateElementDomain updateMaterialStage parameter addToParameter
updateParameter setParameter getParamTags getParamValue database save restore logFile defaultUnits
setNumThread getNumThread setMaxOpenFiles metaData stripXML convertBinaryToText
convertTextToBinary InitialStateAnalysis limitCurve hystereticBackbone pressureConstraint
setElementRayleighDampingFactors setElementRayleighFactors testUniaxialMaterial setStrain
partition barrier send recv Bcast domainCommitTag computeGradients sensitivityAlgorithm
randomVariable wipeReliability searchPeerNGA retainedDOF constrainedDOF retainedNodes
constrainedNodes""".split()
COMMANDS = sorted({*ASKED, *RESULTS, *KNOWN, *OTHERS})

# Pictures: their modules are stood in for, so that no window opens.
PLOTTING = """matplotlib mpl_toolkits pylab seaborn plotly pyvista vtk mayavi bokeh vfo opsvis
ops_vis openseespyvis IPython""".split()
# Modules of OpenSeesPy, whichever way it was built.
STANDINS = """openseespy openseespy.opensees openseespymac openseespymac.opensees openseespywin
openseespywin.opensees openseespylinux openseespylinux.opensees opensees opensees.openseespy
xara""".split()
# What a model has no need of, and a copy of a folder does not hold in.
REFUSED = """os.fork os.forkpty os.posix_spawn os.spawn os.exec os.system os.startfile os.kill
os.killpg subprocess.Popen pty.spawn socket.connect socket.bind""".split()
WRITES = """os.remove os.rename os.rmdir os.mkdir os.link os.symlink os.truncate os.chmod os.chown
shutil.rmtree shutil.move""".split()

DEEPEST, LONGEST, CPU, GIGABYTE = 20, 1_000_000, 60, 1 << 30


class NotTaken(Exception):
    """An argument that no command can have."""


def unpacked():
    """How many values the line that iterates wants, where it says: `a, b = …`."""
    frame = sys._getframe(2)
    code, at = frame.f_code.co_code, frame.f_lasti
    import opcode

    unpacks = opcode.opmap["UNPACK_SEQUENCE"]
    return code[at + 1] if code[at] == unpacks else 0


class Unknown(float):
    """A result: not a number, whatever is done with it."""

    def __new__(cls, recorder):
        self = super().__new__(cls, math.nan)
        self.recorder = recorder
        return self

    def same(self, *_):
        return self

    def compared(self, other):
        self.recorder.remark("assumed", "a condition depends on a result: taken as not met")
        return False

    def differs(self, other):
        return not self.compared(other)

    def __iter__(self):
        return iter([self] * unpacked())

    def __len__(self):
        return 0

    def __bool__(self):
        return self.compared(None)

    def __format__(self, _):
        return "nan"

    def __reduce__(self):
        return (float, (math.nan,))

    __hash__ = float.__hash__
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = compared
    __ne__ = differs
    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = same
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = same
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __round__ = same


class Picture(types.ModuleType):
    """A module of plots, or anything in it: takes everything, shows nothing."""

    def __init__(self, name="plot"):
        super().__init__(name)
        self.__path__ = []
        self.__all__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Picture(f"{self.__name__}.{name}")

    def same(self, *_, **__):
        return self

    def __iter__(self):
        return iter([self] * unpacked())

    def __len__(self):
        return 0

    def __setitem__(self, *_):
        pass

    def __exit__(self, *_):
        return False

    __call__ = __getitem__ = __enter__ = __add__ = __radd__ = __mul__ = __rmul__ = same


class Recorder:
    """Hands commands on to `tell`, and asks by `ask`; `root` is the folder of the script."""

    def __init__(self, tell, ask, root, calls):
        self.tell, self.ask, self.root, self.calls = tell, ask, root, calls
        self.commands, self.steps, self.models = 0, 0, 0
        self.remarked = set()
        self.written = set()

    def place(self):
        """File and line of the script that is at work."""
        frame = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if name.startswith(self.root):
                return {"file": name[len(self.root) :], "line": frame.f_lineno}
            frame = frame.f_back
        return {"file": "", "line": 0}

    def remark(self, weight, reason, command=None):
        """Once at each place."""
        place = self.place()
        key = (place["file"], place["line"], reason, command)
        if key in self.remarked or len(self.remarked) > LONGEST:
            return
        self.remarked.add(key)
        path = os.path.join(self.root, place["file"])
        words = command or linecache.getline(path, place["line"]).strip()
        self.tell({"remark": weight, "reason": reason, "command": words, **place})

    def flat(self, value, into, depth=0):
        """Numbers and texts of an argument; lists and arrays are laid out."""
        if isinstance(value, Picture):
            raise NotTaken("an argument comes from a module of plots, which is not run")
        if isinstance(value, str):
            into.append(value)
        elif isinstance(value, (bool, int)):
            into.append(int(value))
        elif isinstance(value, float):
            if math.isnan(value):
                raise NotTaken("an argument depends on a result, and nothing is analysed")
            into.append(float(value) if math.isfinite(value) else str(value))
        elif hasattr(value, "tolist"):
            self.flat(value.tolist(), into, depth + 1)
        elif hasattr(value, "__iter__") and not isinstance(value, (dict, bytes)):
            for item in value:
                if depth > DEEPEST or len(into) > LONGEST:
                    raise NotTaken("an argument is a list beyond all bounds")
                self.flat(item, into, depth + 1)
        elif hasattr(value, "__float__"):
            self.flat(float(value), into, depth + 1)
        else:
            kind = type(value).__name__
            raise NotTaken(f"an argument is neither number, text nor list ({kind})")

    def count(self, name):
        """Ends what never ends by itself."""
        if name in STEPPED:
            self.steps += 1
            if self.steps > self.calls:
                self.stop(f"the analysis goes on for more than {self.calls} calls")
        else:
            self.commands += 1
            self.steps = 0
            if self.commands > self.calls:
                self.stop(f"the script gives more than {self.calls} commands: a loop without end?")

    def stop(self, reason):
        self.tell({"stopped": reason, **self.place()})
        os._exit(0)

    def command(self, model, name, *arguments, **named):
        """One command; what it gives back."""
        if name in KNOWN:
            return KNOWN[name]
        if name in RESULTS:
            self.remark("ignored", "results are not known while a model is imported", name)
            return Unknown(self)
        self.count(name)
        call = {"call": name, "model": model, **self.place()}
        flat = []
        try:
            for argument in arguments:
                self.flat(argument, flat)
            for key, value in named.items():
                flat.append(f"-{key}")
                self.flat(value, flat)
        except NotTaken as reason:
            self.tell({**call, "refused": str(reason)})
            return self.unknown(name, flat)
        for at, word in enumerate(flat[:-1]):
            if word in ("-file", "-filePath", "-fileName"):
                # OpenSees sees it from where the script stands.
                path = os.path.realpath(str(flat[at + 1]))
                self.written.update([path] if name == "recorder" else [])
                if os.getcwd() != os.path.realpath(self.root):
                    flat[at + 1] = path
        call["arguments"] = flat
        if name not in ASKED:
            self.tell(call)
            return 0 if name == "analyze" else None
        answer = self.ask({**call, "asked": True})
        return self.unknown(name, flat) if answer is None else answer

    def unknown(self, name, flat):
        if name not in ASKED:
            return None
        counts = [n for n in flat if isinstance(n, int)] if name == "eigen" else []
        return [Unknown(self)] * min(counts[-1], 1000) if counts else Unknown(self)

    def function(self, model, name):
        def command(*arguments, **named):
            return self.command(model, name, *arguments, **named)

        command.__name__ = name
        return command

    def sections(self, rows):
        """What opsvis makes of a list of fibres: the commands that stand in it."""
        for row in rows:
            self.command(0, row[0], *row[1:])


class Commands(types.ModuleType):
    """A module of commands, known or not."""

    def __init__(self, name, recorder):
        super().__init__(name)
        self.__path__ = []
        self.__all__ = COMMANDS
        self._recorder = recorder
        if name.split(".")[0] in ("opensees", "xara"):
            self.Model = model_of(recorder)
        if name == "openseespy":
            self.__all__ = ["opensees"]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in STANDINS:
            return importlib.import_module(f"{self.__name__}.{name}")
        return self._recorder.function(0, name)


def model_of(recorder):
    """The class of models that stand apart from each other."""

    class Model:
        def __init__(self, *arguments, **named):
            recorder.models += 1
            self._number = recorder.models
            recorder.command(self._number, "model", *(arguments or ["basic"]), **named)

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return recorder.function(self._number, name)

    return Model


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are stood in for."""

    def __init__(self, recorder):
        self.recorder = recorder

    def find_spec(self, name, path=None, target=None):
        if name in STANDINS or name.split(".")[0] in PLOTTING:
            return importlib.util.spec_from_loader(name, self, is_package=True)
        return None

    def create_module(self, spec):
        if spec.name in STANDINS:
            return Commands(spec.name, self.recorder)
        self.recorder.remark("ignored", "plots have no place in a plan", f"import {spec.name}")
        module = Picture(spec.name)
        if spec.name in ("opsvis", "ops_vis"):
            module.fib_sec_list_to_cmds = self.recorder.sections
        return module

    def exec_module(self, module):
        pass


def channel():
    """Takes standard input and output away from the script."""
    out, back = os.dup(1), os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    lock, answers = threading.Lock(), queue.Queue()

    def listen():
        # Ends with who reads, whatever the script is doing.
        with os.fdopen(back, "rb") as lines:
            for line in lines:
                answers.put(line)
        os._exit(0)

    def tell(message):
        data = (json.dumps(message) + "\n").encode()
        with lock:
            try:
                while data:
                    data = data[os.write(out, data) :]
            except OSError:
                os._exit(0)

    def ask(message):
        tell(message)
        return json.loads(answers.get())

    threading.Thread(target=listen, daemon=True).start()
    return tell, ask


def guard(root):
    """Keeps the script to its folder, and to itself."""
    try:
        import resource

        for name, most in [
            ("RLIMIT_CPU", CPU),
            ("RLIMIT_AS", 4 * GIGABYTE),
            ("RLIMIT_FSIZE", GIGABYTE // 4),
            ("RLIMIT_CORE", 0),
        ]:
            limit = getattr(resource, name)
            hard = resource.getrlimit(limit)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(limit, (most, most))
    except (ImportError, AttributeError, ValueError, OSError):
        pass  # a system without them; time is bounded from outside
    around = os.path.dirname(os.path.realpath(root)) + os.sep
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def outside(path):
        if not isinstance(path, (str, bytes, os.PathLike)) or path == os.devnull:
            return False
        path = os.path.realpath(os.fsdecode(path))
        return not (path + os.sep).startswith(around)

    def watch(event, arguments):
        if event in REFUSED:
            raise PermissionError("a model that is imported starts and ends no other program")
        if event == "open":
            path, _, flags = arguments
            written = isinstance(flags, int) and flags & writing
            paths = [path] if written else []
        else:
            paths = arguments[:2] if event in WRITES else []
        if any(outside(path) for path in paths):
            raise PermissionError("a model that is imported writes within its folder only")

    sys.addaudithook(watch)


def reason_of(error, recorder):
    """An error of the script in a sentence."""
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    name = getattr(error, "name", None)
    if isinstance(error, ModuleNotFoundError) and name:
        text += f"; it is missing in {sys.executable}: install it there, or name another Python "
        text += "by --run=PYTHON"
    path = getattr(error, "filename", None)
    if isinstance(error, FileNotFoundError) and path:
        if os.path.realpath(str(path)) in recorder.written:
            text += "; an analysis would have written it, and none is made"
    return text


def place_of(error, recorder):
    """Where in the script an error came up."""
    place = {"file": "", "line": 0}
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(recorder.root):
        return {"file": error.filename[len(recorder.root) :], "line": error.lineno or 0}
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(recorder.root):
            place = {"file": name[len(recorder.root) :], "line": trace.tb_lineno}
        trace = trace.tb_next
    return place


def main(folder, script, calls):
    tell, ask = channel()
    tell({"python": sys.version.split()[0]})
    root = os.path.realpath(folder) + os.sep
    recorder = Recorder(tell, ask, root, int(calls))
    os.chdir(root)
    sys.path[0] = root.rstrip(os.sep)
    sys.argv = [os.path.join(root, script)]
    sys.meta_path.insert(0, Finder(recorder))
    module = types.ModuleType("__main__")
    module.__file__ = sys.argv[0]
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    guard(root)
    end = {"end": True}
    try:
        with open(sys.argv[0], "rb") as file:
            text = file.read()
        exec(compile(text, sys.argv[0], "exec"), module.__dict__)
    except SystemExit:
        pass
    except BaseException as error:
        end = {"stopped": reason_of(error, recorder), **place_of(error, recorder)}
    tell(end)
    # Threads of the script, and what it does at its exit, are not waited for.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
