"""Two storeys in space with stiff floors, one bay each way, one corner heavier: N, m, s."""

import openseespy.opensees as ops

elastic = True
wide, deep, high = 6.0, 4.0, 3.2
E, G = 200e9, 77e9

ops.wipe()
ops.model("basic", "-ndm", 3, "-ndf", 6)
corners = [(0.0, 0.0), (wide, 0.0), (wide, deep), (0.0, deep)]
for level in range(3):
    for k, (x, y) in enumerate(corners):
        ops.node(10 * level + k + 1, x, y, level * high)
ops.fixZ(0.0, 1, 1, 1, 1, 1, 1)

# Steel columns and beams: their local z (weak axis) as the vectors say.
ops.geomTransf("Linear", 1, 0.0, 1.0, 0.0)
ops.geomTransf("Linear", 2, 0.0, 0.0, 1.0)
column = [7.8e-3, E, G, 4.0e-7, 2.0e-5, 5.7e-5]
beam = [5.4e-3, E, G, 2.0e-7, 6.0e-6, 8.4e-5]
tag = 0
for level in (1, 2):
    floor = [10 * level + k for k in (1, 2, 3, 4)]
    for top in floor:
        tag += 1
        ops.element("elasticBeamColumn", tag, top - 10, top, *column, 1)
    for i, j in zip(floor, floor[1:] + floor[:1]):
        tag += 1
        ops.element("elasticBeamColumn", tag, i, j, *beam, 2)
    # The floor: its mass centre is off the middle.
    centre = 10 * level
    ops.node(centre, 0.55 * wide, 0.5 * deep, level * high)
    ops.fix(centre, 0, 0, 1, 1, 1, 0)
    ops.rigidDiaphragm(3, centre, *floor)
    mass = 24e3 if level == 1 else 18e3
    ops.mass(centre, mass, mass, 0.0, 0.0, 0.0, mass * (wide**2 + deep**2) / 12)

ops.timeSeries("Path", 1, "-dt", 0.02, "-filePath", "el-centro.txt", "-factor", 9.80665)
ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
ops.pattern("UniformExcitation", 2, 2, "-accel", 1, "-fact", 0.5)
ops.rayleigh(0.2, 0.0, 0.001, 0.0)
ops.constraints("Transformation")
ops.numberer("RCM")
ops.system("BandGeneral")
ops.test("NormDispIncr", 1e-12, 10)
ops.algorithm("Newton")
ops.integrator("Newmark", 0.5, 0.25)
ops.analysis("Transient")
ops.analyze(600, 0.01)
