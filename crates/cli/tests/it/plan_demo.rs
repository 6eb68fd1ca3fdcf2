//! A small plan declaration that uses every kind of parameter, shared by the tests of the plan
//! machinery.

use tandem::plan::{self, Plan, PlanErrors, Source};
use tandem_quantity::{Dimension, Entry, Method, Parameter, Range, Registry, SlotOf, ValueKind};

/// One key of every kind.
pub static ROOT: &[Parameter] = &[
    Parameter::of("name", ValueKind::Text, "title of the test").or("\"untitled\""),
    Parameter::of("excitation", ValueKind::Table(EXCITATION), "ground motion").or("{}"),
    Parameter::of(
        "structure",
        ValueKind::Table(STRUCTURE),
        "numerical substructure",
    ),
    Parameter::of(
        "integration",
        ValueKind::Slot(&INTEGRATION),
        "time stepping",
    ),
    Parameter::of(
        "compensator",
        ValueKind::Slot(&COMPENSATOR),
        "delay compensation",
    )
    .or("{}"),
    Parameter::of("rig", ValueKind::Table(RIG), "the laboratory").optional(),
    Parameter::of("monitor", ValueKind::Slots(&MONITOR), "indicators")
        .or("[]")
        .within(Range::between(0.0, 4.0)),
];

static EXCITATION: &[Parameter] = &[
    Parameter::of(
        "record",
        ValueKind::Path,
        "ground motion: a shipped name or a file",
    )
    .or("\"el-centro-1940\""),
    Parameter::number("scale", Dimension::NONE, "factor on the record")
        .or("1.0")
        .within(Range::between(-10.0, 10.0)),
    Parameter::of(
        "direction",
        ValueKind::Choice(&["x", "y", "diagonal"]),
        "direction of the shaking",
    )
    .or("\"x\""),
    Parameter::of("reverse", ValueKind::Boolean, "turn the record round").or("false"),
    Parameter::number("until", Dimension::TIME, "stop after this time")
        .optional()
        .positive(),
];

static STRUCTURE: &[Parameter] = &[
    Parameter::of(
        "masses",
        ValueKind::Numbers(Dimension::MASS),
        "storey masses",
    )
    .positive(),
    Parameter::of(
        "stiffness",
        ValueKind::Matrix(Dimension::STIFFNESS),
        "stiffness matrix",
    )
    .optional(),
    Parameter::of("shape", ValueKind::Matrix(Dimension::NONE), "mode shapes").optional(),
    Parameter::of(
        "ratios",
        ValueKind::Numbers(Dimension::NONE),
        "damping ratios",
    )
    .or("[\"2 %\", 0.05]")
    .not_negative(),
    Parameter::of("fixed", ValueKind::Integers, "fixed degrees of freedom")
        .or("[]")
        .not_negative(),
    Parameter::of("labels", ValueKind::Texts, "storey names")
        .optional()
        .within(Range::between(1.0, 3.0)),
    Parameter::of("storeys", ValueKind::Integer, "number of storeys")
        .or("2")
        .within(Range::between(1.0, 50.0)),
];

static INTEGRATION: SlotOf<()> = SlotOf::new("integration", "method", None, || &[EXPLICIT, ALPHA]);

const EXPLICIT: Entry<()> = Entry {
    method: Method {
        name: "explicit-newmark",
        summary: "explicit, conditionally stable",
        reference: "Newmark (1959)",
        parameters: &[
            Parameter::number("dt", Dimension::TIME, "time step").within(Range {
                min: 0.0,
                max: 0.1,
                open_min: true,
            }),
        ],
    },
    build: (),
};

const ALPHA: Entry<()> = Entry {
    method: Method {
        name: "alpha-os",
        summary: "operator splitting with numerical damping",
        reference: "Nakashima (1990)",
        parameters: &[
            Parameter::number("dt", Dimension::TIME, "time step").within(Range {
                min: 0.0,
                max: 0.1,
                open_min: true,
            }),
            Parameter::number("alpha", Dimension::NONE, "numerical damping")
                .or("-0.05")
                .within(Range::between(-0.34, 0.0)),
        ],
    },
    build: (),
};

static COMPENSATOR: SlotOf<()> =
    SlotOf::new("compensator", "method", Some("none"), || &[NONE, DELAY]);

const NONE: Entry<()> = Entry {
    method: Method {
        name: "none",
        summary: "the target is the command",
        reference: "",
        parameters: &[],
    },
    build: (),
};

const DELAY: Entry<()> = Entry {
    method: Method {
        name: "polynomial",
        summary: "extrapolation over a known delay",
        reference: "Horiuchi et al. (1999)",
        parameters: &[
            Parameter::number("delay", Dimension::TIME, "delay of the actuator").not_negative(),
            Parameter::integer("order", "order of the polynomial")
                .or("3")
                .within(Range::between(0.0, 5.0)),
        ],
    },
    build: (),
};

static RIG: &[Parameter] = &[
    Parameter::of(
        "actuators",
        ValueKind::Tables(ACTUATOR),
        "actuators in order",
    )
    .within(Range::between(1.0, 8.0)),
    Parameter::of(
        "drag",
        ValueKind::Number(Dimension::of(1, -1, 0)),
        "a less usual dimension",
    )
    .optional(),
];

static ACTUATOR: &[Parameter] = &[
    Parameter::number("stroke", Dimension::LENGTH, "full stroke").positive(),
    Parameter::number("force", Dimension::FORCE, "largest force")
        .or("\"10 kN\"")
        .positive(),
    Parameter::of("servo", ValueKind::Slot(&SERVO), "controller").or("{}"),
];

static SERVO: SlotOf<()> = SlotOf::new("servo", "kind", Some("pid"), || &[PID]);

const PID: Entry<()> = Entry {
    method: Method {
        name: "pid",
        summary: "proportional, integral, derivative",
        reference: "",
        parameters: &[Parameter::number("gain", Dimension::NONE, "proportional gain").or("1.5")],
    },
    build: (),
};

static MONITOR: SlotOf<()> = SlotOf::new("monitor", "kind", None, || &[ENERGY, TRACKING]);

const ENERGY: Entry<()> = Entry {
    method: Method {
        name: "energy",
        summary: "energy error",
        reference: "Mosqueda et al. (2007)",
        parameters: &[Parameter::number("limit", Dimension::ENERGY, "trip level")
            .optional()
            .positive()],
    },
    build: (),
};

const TRACKING: Entry<()> = Entry {
    method: Method {
        name: "tracking",
        summary: "tracking indicator",
        reference: "Mercan (2007)",
        parameters: &[],
    },
    build: (),
};

/// A right plan with something of every kind. Line numbers matter to the tests: append at the end
/// only.
pub const GOOD: &str = r#"name = "demo"

[excitation]
record = "records/kobe.AT2"
scale = "40 %"
direction = "y"

[structure]
masses = [2000, 1500, "kg"]
stiffness = [[2, -1], [-1, 1], "kN/mm"]
labels = ["first", "second"]

[integration]
method = "alpha-os"
dt = "4 ms"

[compensator]
method = "polynomial"
delay = "8 ms"

[[rig.actuators]]
stroke = "120 mm"

[[rig.actuators]]
stroke = "5 in"
servo = { gain = 2 }

[[monitor]]
kind = "energy"
limit = "12 kN*m"
"#;

/// The smallest right plan, as a start for wrong ones.
pub const BASE: &str =
    "[structure]\nmasses = [1, \"kg\"]\n\n[integration]\nmethod = \"alpha-os\"\ndt = \"4 ms\"\n\n";

/// [`BASE`] with one line replaced.
pub fn line(number: usize, text: &str) -> String {
    let mut lines: Vec<&str> = BASE.lines().collect();
    lines[number - 1] = text;
    lines.join("\n") + "\n"
}

/// Reads an embedded plan called `demo.toml`.
pub fn read(text: &str, overrides: &[&str]) -> Result<Plan, PlanErrors> {
    let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    plan::read(
        ROOT,
        Source::Text {
            name: "demo.toml",
            text,
        },
        &overrides,
    )
}

#[test]
fn the_declaration_of_the_tests_is_in_order() {
    assert_eq!(plan::audit(ROOT, Registry::bare()), Vec::<String>::new());
    read(GOOD, &[]).unwrap();
}
