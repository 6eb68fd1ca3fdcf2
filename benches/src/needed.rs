//! What the methods of the transfer system need besides their defaults, for one actuator where they
//! take one. The benches build them with it, and the tests of the program run them from plans with
//! it.

/// The lines that a method's table needs in a plan.
pub fn needed(slot: &str, method: &str) -> &'static str {
    NEEDED
        .iter()
        .find(|(s, m, _)| *s == slot && *m == method)
        .map_or("", |(_, _, lines)| lines)
}

/// Slot, method, lines.
const NEEDED: &[(&str, &str, &str)] = &[
    ("compensator", "polynomial", "delay = \"12 ms\""),
    (
        "compensator",
        "inverse-first-order",
        "time_constant = \"12 ms\"",
    ),
    ("rig.actuator", "delay", "delay = \"12 ms\""),
    ("rig.actuator", "first-order", "time_constant = \"12 ms\""),
    ("rig.actuator", "second-order", "frequency = \"18 Hz\""),
    (
        "rig.actuator",
        "third-order",
        "bandwidth = \"15 Hz\"\nfrequency = \"60 Hz\"",
    ),
    (
        "rig.actuator",
        "transfer-function",
        "numerator = [50]\ndenominator = [1, 50]",
    ),
    (
        "conditioning",
        "force-correction",
        "stiffness = [[1200], \"kN/m\"]",
    ),
    (
        "conditioning",
        "force-prediction",
        "stiffness = [[1200], \"kN/m\"]",
    ),
    (
        "conditioning",
        "open-loop",
        "stiffness = [[1200], \"kN/m\"]",
    ),
    (
        "conditioning",
        "specimen-model",
        "stiffness = [[1200], \"kN/m\"]",
    ),
    ("conditioning", "inertia-removal", "mass = [\"30 kg\"]"),
    (
        "conditioning",
        "chain",
        "[[conditioning.step]]\nmethod = \"calibration\"\n[[conditioning.step]]\nmethod \
         = \"low-pass\"",
    ),
    (
        "compensator",
        "per-actuator",
        "[[compensator.actuator]]\nmethod = \"ats\"",
    ),
    (
        "rig.servo",
        "switched",
        "force_below = \"2 kN\"\ndisplacement_above = \"4 kN\"",
    ),
    ("rig.plant", "control-error", "error = \"10 um\""),
    (
        "rig.plant",
        "transfer-matrix",
        "element = [{ output = 1, input = 1, numerator = [1e4], denominator = [1, 150, 1e4] }, \
         { output = 2, input = 2, numerator = [85], denominator = [1, 87] }]",
    ),
    ("kinematics", "linear", "matrix = [[1, 0.2], [0.1, 2]]"),
    ("kinematics", "one-actuator", "direction = [1]"),
    (
        "kinematics",
        "plane-two",
        "bases = [[-1, 0], [0, -1], \"m\"]",
    ),
    (
        "kinematics",
        "plane-three",
        "bases = [[-1, 0], [-0.5, -1], [0.5, -1], \"m\"]\nheads = [[-0.2, 0.1], [-0.5, 0], [0.5, \
         0], \"m\"]",
    ),
    (
        "kinematics",
        "space-four",
        "bases = [[-1.5, 0, 0.3], [-1.5, 0, -0.3], [0, -1.5, 0.3], [0, -1.5, -0.3], \"m\"]\n\
         heads = [[-0.3, 0, 0.3], [-0.3, 0, -0.3], [0, -0.3, 0.3], [0, -0.3, -0.3], \"m\"]",
    ),
    (
        "kinematics",
        "rigid-body",
        "bases = [[-1.5, 0, 0.3], [-1.5, 0, -0.3], [0, -1.5, 0.3], [0, -1.5, -0.3], [0.3, 0.2, \
         -1.5], [0.4, -1.5, 0], \"m\"]\nheads = [[-0.3, 0, 0.3], [-0.3, 0, -0.3], [0, -0.3, 0.3], \
         [0, -0.3, -0.3], [0.3, 0.2, -0.3], [0.4, -0.3, 0], \"m\"]",
    ),
    (
        "kinematics",
        "inverted-v-brace",
        "half_span = \"3 m\"\nheight = \"2.5 m\"",
    ),
    (
        "kinematics",
        "linkage",
        "motions = [\"x\", \"rz\"]\nbases = [[-1, 0.3, 0], [-1, -0.3, 0], [1.2, 0.1, 0], \"m\"]\n\
         heads = [[-0.2, 0.3, 0], [-0.2, -0.3, 0], [0.2, 0.1, 0], \"m\"]",
    ),
    (
        "rig.specimen",
        "materials",
        "[[rig.specimen.material]]\nkind = \"steel02\"\nstiffness = \"1200 kN/m\"\nyield_force \
         = \"6 kN\"\nhardening = 0.01",
    ),
    (
        "rig.specimen",
        "spring-dashpot-mass",
        "stiffness = [\"1200 kN/m\"]",
    ),
];
