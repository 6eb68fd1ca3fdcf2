"""Exported FMUs under a host that does not keep to the standard, by its bare functions: program,
plan of an oscillator, folder to work in."""
import ctypes as C, os, subprocess, sys
from ctypes import byref, c_double, c_int, c_size_t, c_uint8, c_uint32, c_void_p

import fmpy

tandem, oscillator, folder = sys.argv[1:]
OK, DISCARD, ERROR = 0, 2, 3
LOG2 = C.CFUNCTYPE(None, c_void_p, C.c_char_p, c_int, C.c_char_p, C.c_char_p)
LOG3 = C.CFUNCTYPE(None, c_void_p, c_int, C.c_char_p, C.c_char_p)


class Callbacks(C.Structure):
    _fields_ = [("log", LOG2), ("a", c_void_p), ("f", c_void_p), ("s", c_void_p), ("e", c_void_p)]


said = []
log2 = LOG2(lambda e, n, s, c, m: said.append(m.decode()))
log3 = LOG3(lambda e, s, c, m: said.append(m.decode()))
callbacks = Callbacks(log2, None, None, None, None)
NAN = float("nan")


def doubles(*x):
    return (c_double * len(x))(*x)


def references(*x):
    return (c_uint32 * len(x))(*x)


class Host:
    """One instance, initialised at t = 0; what is refused is answered by an error and a word."""

    def __init__(self, what, version, kind=1, plan=oscillator):
        self.path = f"{folder}/{what}{version}.fmu"
        if not os.path.exists(self.path):
            both = "both" if what in ("numerical", "physical", "whole") else "cs"
            call = [tandem, "fmu", "export", plan, "--what", what, "--fmi", version, "--kind", both,
                    "-o", self.path]
            subprocess.run(call, check=True, capture_output=True)
        self.two = version == "2"
        self.description = d = fmpy.read_model_description(self.path)
        self.step_size = float(d.defaultExperiment.stepSize)
        self.place = str(fmpy.extract(self.path))
        platform = "linux64" if self.two else "x86_64-linux"
        binaries = f"{self.place}/binaries/{platform}"
        self.library = C.CDLL(f"{binaries}/{d.coSimulation.modelIdentifier}.so")
        self.component = self.make(kind)
        if self.component:
            self.start()

    def make(self, kind):
        library, guid = self.library, self.description.guid.encode()
        if self.two:
            library.fmi2Instantiate.restype = c_void_p
            uri = f"file://{self.place}/resources".encode()
            return library.fmi2Instantiate(b"x", kind, guid, uri, byref(callbacks), 0, 1)
        where = f"{self.place}/resources/".encode()
        if kind == 0:
            library.fmi3InstantiateModelExchange.restype = c_void_p
            return library.fmi3InstantiateModelExchange(b"x", guid, where, c_uint8(7), c_uint8(1),
                                                        None, log3)
        library.fmi3InstantiateCoSimulation.restype = c_void_p
        none = c_uint8(0)
        return library.fmi3InstantiateCoSimulation(b"x", guid, where, none, c_uint8(7), none, none,
                                                   None, c_size_t(0), None, log3, None)

    def __call__(self, name, *arguments):
        two = name.replace("FMUState", "FMUstate").replace("Deser", "DeSer")
        function = getattr(self.library, "fmi2" + two if self.two else "fmi3" + name)
        return function(c_void_p(self.component), *arguments)

    def start(self, at=0.0):
        if self.two:
            assert self("SetupExperiment", 0, c_double(0), c_double(at), 0, c_double(0)) == OK
            entered = self("EnterInitializationMode")
        else:
            entered = self("EnterInitializationMode", c_uint8(0), c_double(0), c_double(at),
                           c_uint8(0), c_double(0))
        return entered or self("ExitInitializationMode")

    def step(self, time, size=None):
        size = c_double(self.step_size if size is None else size)
        if self.two:
            return self("DoStep", c_double(time), size, 1)
        flags = (c_uint8 * 3)()
        reached = c_double()
        return self("DoStep", c_double(time), size, c_uint8(1), byref(flags, 0), byref(flags, 1),
                    byref(flags, 2), byref(reached))

    def put(self, reference, *values):
        if self.two:
            return self("SetReal", references(reference), c_size_t(1), doubles(*values))
        return self("SetFloat64", references(reference), c_size_t(1), doubles(*values),
                    c_size_t(len(values)))

    def inputs(self):
        each = [v for v in self.description.modelVariables if v.causality == "input"]
        return [(v.name, v.valueReference, max(1, int(v.shape[0]) if v.shape else 1)) for v in each]

    def state(self):
        state = c_void_p()
        assert self("GetFMUState", byref(state)) == OK
        return state

    def bytes_of(self, state):
        size = c_size_t()
        assert self("SerializedFMUStateSize", state, byref(size)) == OK
        data = C.create_string_buffer(size.value)
        assert self("SerializeFMUState", state, data, c_size_t(size.value - 1)) == ERROR
        assert self("SerializeFMUState", state, data, size) == OK
        return data.raw

    def state_of(self, data):
        state = c_void_p()
        code = self("DeserializeFMUState", C.create_string_buffer(data, len(data)),
                    c_size_t(len(data)), byref(state))
        return code, state


def refused(code, words):
    assert code == ERROR and words in said[-1], (code, words, said[-1:])


for version in "23":
    # Time.
    host = Host("physical", version)
    h = host.step_size
    assert host.step(0) == OK and host.step(h * (1 + 1e-9)) == OK
    for wrong in (0.0, h, 3 * h, 5.0, NAN, float("inf")):
        refused(host.step(wrong), "it stands at")
    assert host.step(2 * h) == OK
    # A host that steps by the difference of two times has their round-off; a step of another size
    # is discarded all the same.
    late = Host("physical", version)
    assert late("Reset") == OK and late.start(1e6) == OK
    points = [1e6 + k * h for k in range(20)]
    for a, b in zip(points, points[1:]):
        assert late.step(a, b - a) == OK, (a, said[-1:])
    assert late.step(points[-1], 1.001 * h) == DISCARD
    # States: bytes that were not written as such, of another part, of the other interface.
    state = host.state()
    data = host.bytes_of(state)
    assert host.step(3 * h) == OK
    changed = bytearray(data)
    changed[-3] ^= 1
    for wrong in (os.urandom(len(data)), bytes(len(data)), data[:-8], data + bytes(8), data[:20],
                  b"", bytes(changed)):
        code, _ = host.state_of(wrong)
        refused(code, "these bytes are no state")
    for other in (Host("numerical", version), Host("physical", version, kind=0)):
        refused(other.state_of(data)[0], "another FMU")
        refused(other("SetFMUState", state), "another FMU")
    assert host.step(4 * h) == OK
    code, again = host.state_of(data)
    assert code == OK and host("SetFMUState", again) == OK
    refused(host.step(5 * h), "it stands at")
    assert host.step(3 * h) == OK
    # Its end.
    assert host("Terminate") == OK
    refused(host.step(4 * h), "before the end")
    refused(host.start(), "reset it first")
    assert host("SetFMUState", state) == OK and host.step(3 * h) == OK
    assert host("Terminate") == OK and host("Reset") == OK
    assert host.start() == OK and host.step(0) == OK
    # Nothing where there should be something.
    host = Host("physical", version)
    one, none = c_size_t(1), None
    if version == "2":
        assert host("GetReal", none, c_size_t(0), none) == OK
        refused(host("GetReal", none, one, none), "null")
        refused(host("GetReal", references(1), one, none), "null")
        refused(host("SetReal", references(1), one, none), "null")
        exchange = Host("physical", version, kind=0)
        refused(exchange("GetDirectionalDerivative", none, one, none, one, none, none), "null")
    else:
        assert host("GetFloat64", none, c_size_t(0), none, c_size_t(0)) == OK
        refused(host("GetFloat64", none, one, none, one), "null")
        refused(host("GetFloat64", references(1), one, none, one), "null")
        refused(host("SetFloat64", references(1), one, none, one), "null")
        exchange = Host("physical", version, kind=0)
        refused(exchange("GetDirectionalDerivative", none, one, none, one, none, one, none, one),
                "null")
    refused(exchange("GetContinuousStates", none, c_size_t(2)), "null")
    refused(exchange("SetContinuousStates", none, c_size_t(2)), "null")
    # Inputs that are no numbers: refused, and the instance goes on when they are gone.
    watched = folder + "/watched.toml"
    with open(watched, "w") as f:
        here = os.path.dirname(oscillator)
        f.write(open(oscillator).read().replace("ag.csv", here + "/ag.csv")
                + "\n[monitor.tracking_indicator]\n")
    for what in ("physical", "numerical", "rig", "compensator", "coupling", "monitors"):
        host = Host(what, version, plan=watched if what == "monitors" else oscillator)
        h = host.step_size
        name, reference, size = host.inputs()[-1]
        for wrong in (NAN, float("inf")):
            assert host.put(reference, *[wrong] * size) == OK
            refused(host.step(0), "is not a number")
        assert host.put(reference, *[0.0] * size) == OK
        # A coupling of parts without mobility has nothing to solve.
        assert what == "coupling" or host.step(0) == OK, (what, said[-1:])
assert not Host("physical", "2", kind=7).component and "7 is no fmi2Type" in said[-1], said[-1:]
