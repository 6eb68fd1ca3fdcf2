"""What differs between two folders of the same run, read by h5py: one JSON object on standard
output.

Words: folder of the old run, folder of the new run, map of renamed channels as JSON. Compared:
every data set of every HDF5 file by its bits, with its unit; columns of text; figures of the
summary; ticks and codes of the events. Not compared: when and where something ran, and how fast.
"""

import json
import os
import sys

import h5py

OLD, NEW, RENAMED = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
# Of the run and not of the test: the wall clock, folders, versions.
APART = {"wall_s", "realtime_factor", "timing", "folder", "files", "version", "format", "created",
         "report"}

found = {"channels": 0, "values": 0, "figures": 0, "events": 0, "differences": []}


def differs(file, what, how):
    found["differences"].append({"file": file, "what": what, "how": how})


def renamed(path):
    if path in RENAMED:
        return RENAMED[path]
    return "/".join(RENAMED.get(part, part) for part in path.split("/"))


def pairs(file, old, new):
    """Values that both have, by their old names; what only one has is a difference."""
    old = {renamed(name): (name, value) for name, value in old.items()}
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            differs(file, old[name][0], "only in the old one")
        elif name not in old:
            differs(file, name, "only in the new one")
        else:
            yield old[name][0], old[name][1], new[name]


def data_sets(path):
    sets = {}
    file = h5py.File(path, "r")
    file.visititems(lambda name, item: sets.update({name: item}) if isinstance(item, h5py.Dataset)
                    else None)
    return sets


def compare_records(name, old, new):
    for channel, a, b in pairs(name, data_sets(old), data_sets(new)):
        found["channels"] += 1
        if a.shape != b.shape or a.dtype != b.dtype:
            differs(name, channel, f"{a.shape} {a.dtype} is {b.shape} {b.dtype}")
            continue
        if a.attrs.get("unit") != b.attrs.get("unit"):
            differs(name, channel, f"unit {a.attrs.get('unit')} is {b.attrs.get('unit')}")
        a, b = a[()], b[()]
        found["values"] += a.size
        if a.tobytes() != b.tobytes():
            a, b = (x.reshape(-1).view("u8") if x.dtype.itemsize == 8 else x.reshape(-1)
                    for x in (a, b))
            rows = (a != b).nonzero()[0]
            at = int(rows[0])
            was, now = (float(x[at : at + 1].view("f8")[0]) for x in (a, b))
            differs(name, channel,
                    f"{len(rows)} of {len(a)} values, first in row {at}: {was!r} is {now!r}")


def compare_columns(name, old, new):
    with open(old, newline="") as a, open(new, newline="") as b:
        a, b = a.read().splitlines(), b.read().splitlines()
    found["channels"] += len(a[0].split(",")) if a else 0
    found["values"] += sum(line.count(",") + 1 for line in a[1:])
    if len(a) != len(b):
        differs(name, "lines", f"{len(a)} is {len(b)}")
    for row, (x, y) in enumerate(zip(a, b)):
        if x != y and (row > 0 or [renamed(cell) for cell in x.split(",")] != y.split(",")):
            differs(name, f"line {row + 1}", f"{x} is {y}")
            return


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in APART:
                yield from leaves(inner, f"{path}/{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}/{index}")
    else:
        yield path, json.dumps(value)


def compare_summaries(name, old, new):
    old, new = (dict(leaves(json.load(open(path)))) for path in (old, new))
    for figure, a, b in pairs(name, old, new):
        found["figures"] += 1
        if a != b:
            differs(name, figure, f"{a} is {b}")


def compare_events(name, old, new):
    def events(path):
        lines = (json.loads(line) for line in open(path))
        # Threads tell their own in the order in which they come.
        return sorted((event.get("tick"), event.get("code")) for event in lines)

    old, new = events(old), events(new)
    found["events"] += len(old)
    if old != new:
        at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        a, b = (list[at] if at < len(list) else "none" for list in (old, new))
        differs(name, f"event {at}", f"{a} is {b}")


KINDS = {".h5": compare_records, ".csv": compare_columns, "summary.json": compare_summaries,
         ".jsonl": compare_events}


def files(folder):
    names = (os.path.relpath(os.path.join(at, name), folder) for at, _,
             names in os.walk(folder) for name in names)
    return {name: os.path.join(folder, name) for name in names}


for name, old, new in list(pairs("folder", files(OLD), files(NEW))):
    for ending, compare in KINDS.items():
        if name.endswith(ending):
            compare(name, old, new)
json.dump(found, sys.stdout)
