# Two steel and concrete frames whose other degrees of freedom have next to no mass, as scripts that
# need a regular mass matrix write it. Kip, in, s. Seven storeys of two bays (a verification example
# of OpenSees after Peterson 1981: T₁ = 1.2732 s), beside it a portal of one storey.
import openseespy.opensees as ops

AREAS = {
    "W14X176": (51.7, 2150.0),
    "W14X211": (62.1, 2670.0),
    "W14X246": (72.3, 3230.0),
    "W14X287": (84.4, 3910.0),
    "W24X110": (32.5, 3330.0),
    "W24X130": (38.3, 4020.0),
    "W24X160": (47.1, 5120.0),
}
HEIGHTS = [162.0, 162.0] + 5 * [156.0]
OUTER = 3 * ["W14X246"] + 2 * ["W14X211"] + 2 * ["W14X176"]
INNER = 3 * ["W14X287"] + 2 * ["W14X246"] + 2 * ["W14X211"]
BEAMS = 2 * ["W24X160"] + 2 * ["W24X130"] + 3 * ["W24X110"]

ops.wipe()
ops.model("basic", "-ndm", 2, "-ndf", 3)
ops.geomTransf("Linear", 1)


def member(tag, start, end, section):
    area, inertia = AREAS[section]
    ops.element("elasticBeamColumn", tag, start, end, area, 29500.0, inertia, 1)


for level in range(8):
    for axis in range(3):
        node = 10 * level + axis + 1
        ops.node(node, 360.0 * axis, sum(HEIGHTS[:level]))
        if level == 0:
            ops.fix(node, 1, 1, 1)
            continue
        # The mass of a floor stands at its first node, which the others follow.
        if axis == 0:
            ops.mass(node, 0.49, 1e-10, 1e-10)
        else:
            ops.mass(node, 1e-10, 1e-10, 1e-10)
            ops.equalDOF(10 * level + 1, node, 1)
        columns = INNER if axis == 1 else OUTER
        member(100 + node, node - 10, node, columns[level - 1])
        if axis > 0:
            member(200 + node, node - 1, node, BEAMS[level - 1])
