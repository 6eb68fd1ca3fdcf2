//! What a plan writes for a frame.

use tandem_quantity::{Dimension, Entry, Kind, Method, Parameter, Range, Settings};
use tandem_structure::material::{HINGE, SPRING};
use tandem_structure::model::DampingStiffness;

use super::{Frame, bearings, dampers, materials, sections};
use crate::assemble::reduction::Reducible;
use crate::assemble::structure::{Build, Viscous};

/// The frame among the kinds of structure.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "frame",
        summary: "plane or space frame of members with elastic or fibre sections, springs, bearings, rigid floors and constant loads",
        reference: "Spacone, Filippou and Taucer 1996 (force-based members); Crisfield 1991 (corotational geometry)",
        parameters: &[
            Parameter::of("space", Kind::Choice(&["plane", "space"]), "whether the frame lies in the plane x–y (y upwards) or in space (z upwards)")
                .or("\"plane\""),
            Parameter::of("grid", Kind::Table(GRID), "lines on which nodes stand: A0, B0, … at the base, A1, B1, … a storey higher (A1-0 in space: axis A, line 1, level 0)")
                .optional(),
            Parameter::of("node", Kind::Tables(NODE), "nodes beside the grid").optional(),
            Parameter::of("material", Kind::Slots(&materials::SLOT), "materials of fibres").optional(),
            Parameter::of("section", Kind::Slots(&sections::SLOT), "cross-sections").optional(),
            Parameter::of("member", Kind::Tables(MEMBER), "groups of members; a later group takes over members that an earlier one has named").optional(),
            Parameter::of("spring", Kind::Tables(SPRINGS), "groups of springs and dampers between two nodes").optional(),
            Parameter::of("bearing", Kind::Slots(&bearings::SLOT), "groups of isolators").optional(),
            Parameter::of("damper", Kind::Slots(&dampers::SLOT), "groups of devices along the line between two nodes; viscous and nonlinear viscous ones are springs with such a law").optional(),
            Parameter::of("support", Kind::Tables(SUPPORT), "nodes that are held").optional(),
            Parameter::of("tie", Kind::Tables(TIE), "nodes that follow another one").optional(),
            Parameter::of("diaphragm", Kind::Tables(DIAPHRAGM), "floors that are rigid in their plane").optional(),
            Parameter::of("rigid_floors", Kind::Boolean, "every level of the grid above the base is rigid in its plane").or("false"),
            Parameter::of("mass", Kind::Tables(MASS), "masses of nodes").optional(),
            Viscous::PARAMETERS[0],
            Parameter::of(
                "damping_stiffness",
                Kind::Choice(&["initial", "committed", "current"]),
                "the stiffness on which stiffness-proportional damping stands; a current one that softens may feed energy in",
            )
            .or("\"initial\""),
            Reducible::PARAMETERS[0],
            Parameter::of("gravity", Kind::Table(GRAVITY), "constant loads that act before the ground moves").optional(),
            Parameter::of("ground", Kind::Choice(&["x", "y", "z"]), "direction in which the ground moves").or("\"x\""),
            Parameter::number("wave_speed", Dimension::VELOCITY, "apparent speed of a wave along x: supports further to the right are shaken later; default: all at once")
                .optional()
                .positive(),
            Parameter::of(
                "support_baseline",
                Kind::Choice(&["least-velocity", "none"]),
                "where supports move differently: what is done to the records before they are integrated to displacements",
            )
            .or("\"least-velocity\""),
            Parameter::of("direction", Kind::Numbers(Dimension::NONE), "instead: how far it moves along x, y and z for a unit of the record, such as [1, 0.5, 0]").optional(),
        ],
    },
    build: |values, dt| Ok(Box::new(Frame::read(values, dt)?.model)),
};

/// The stiffness of the damping, by its word in the plan.
pub(super) fn damping_stiffness(word: &str) -> DampingStiffness {
    match word {
        "committed" => DampingStiffness::Committed,
        "current" => DampingStiffness::Current,
        _ => DampingStiffness::Initial,
    }
}

static GRID: &[Parameter] = &[
    Parameter::of(
        "bays",
        Kind::Numbers(Dimension::LENGTH),
        "widths of the bays along x, from axis A; default: one axis",
    )
    .optional()
    .positive(),
    Parameter::of(
        "depths",
        Kind::Numbers(Dimension::LENGTH),
        "widths of the bays along y, from line 1 (space frames)",
    )
    .optional()
    .positive(),
    Parameter::of(
        "storeys",
        Kind::Numbers(Dimension::LENGTH),
        "heights of the storeys, from the base",
    )
    .positive(),
];

const NAME: Parameter = Parameter::of("name", Kind::Text, "name of the group");
const NODES: Parameter = Parameter::of(
    "nodes",
    Kind::Texts,
    "nodes by name, or \"base\", \"roof\", \"floors\", \"all\", \"level 2\", \"axis B\", \"line 1\"",
)
.within(Range::between(1.0, 1e6));

static NODE: &[Parameter] = &[
    Parameter::of("name", Kind::Text, "name of one word"),
    Parameter::of(
        "at",
        Kind::Numbers(Dimension::LENGTH),
        "coordinates [x, y] or [x, y, z]",
    ),
];

static MEMBER: &[Parameter] = &[
    NAME,
    Parameter::of("along", Kind::Choice(&["columns", "beams", "cross-beams"]), "lines of the grid: upright, along x, along y").optional(),
    Parameter::of("storeys", Kind::Integers, "with `along`: only these storeys, counted from 1 at the base").optional(),
    Parameter::of("axes", Kind::Texts, "with columns and cross-beams: only these axes, such as [\"A\", \"D\"]").optional(),
    Parameter::of("bays", Kind::Integers, "with beams: only these bays, counted from 1").optional(),
    Parameter::of("lines", Kind::Integers, "with columns and beams of a space frame: only these lines, counted from 1").optional(),
    Parameter::of("between", Kind::Texts, "instead of `along`: pairs of nodes, such as [\"A0 A1\", \"B0 B1\"]")
        .optional()
        .within(Range::between(1.0, 1e6)),
    Parameter::of("section", Kind::Text, "name of the section").optional(),
    Parameter::of(
        "element",
        Kind::Choice(&["force-based", "displacement-based", "elastic", "truss"]),
        "force-based and displacement-based members have fibres; elastic ones the section's stiffnesses; a truss only its axial force",
    )
    .or("\"force-based\""),
    Parameter::integer("points", "sections along a member with fibres").or("5").within(Range::between(2.0, 10.0)),
    Parameter::of("quadrature", Kind::Choice(&["lobatto", "legendre"]), "where these sections are; default: lobatto for force-based, legendre for displacement-based members").optional(),
    Parameter::of("geometry", Kind::Choice(&["linear", "p-delta", "corotational"]), "how large displacements are treated").or("\"linear\""),
    Parameter::of("release", Kind::Texts, "ends that carry no moment: [\"start\"], [\"end\"] or both; start is the lower or left node, with `between` the one that is written first").optional(),
    Parameter::of("start_hinge", Kind::Slot(&HINGE), "rotational spring at the start of an elastic member").optional(),
    Parameter::of("end_hinge", Kind::Slot(&HINGE), "rotational spring at its end").optional(),
    Parameter::number("mass", Dimension::LINE_MASS, "mass per length").optional().not_negative(),
    Parameter::number("density", Dimension::DENSITY, "density of the member's own volume, beside `mass`").optional().not_negative(),
    Parameter::of("mass_matrix", Kind::Choice(&["lumped", "consistent"]), "how the mass goes to the nodes").or("\"lumped\""),
    Parameter::of("material", Kind::Text, "of a truss: name of its material").optional(),
    Parameter::number("area", Dimension::AREA, "of a truss: its area").optional().positive(),
    Parameter::of("up", Kind::Numbers(Dimension::NONE), "in space: a vector in the plane of local x and z; default: the vertical, or x for columns").optional(),
];

const fn translational(key: &'static str) -> Parameter {
    Parameter::of(
        key,
        Kind::Slot(&SPRING),
        "law in this direction, relative displacement of the second node",
    )
    .optional()
}

const fn rotational(key: &'static str) -> Parameter {
    Parameter::of(
        key,
        Kind::Slot(&HINGE),
        "law about this direction, relative rotation of the second node",
    )
    .optional()
}

static SPRINGS: &[Parameter] = &[
    NAME,
    Parameter::of("between", Kind::Texts, "pairs of nodes: [\"A0 A1\"]").optional(),
    Parameter::of(
        "ground",
        Kind::Texts,
        "instead: nodes that stand on the ground through it, by name or group",
    )
    .optional(),
    Parameter::of(
        "axes",
        Kind::Choice(&["global", "local"]),
        "directions of the frame, or of the line between the nodes (ux along it)",
    )
    .or("\"global\""),
    Parameter::of("along", Kind::Numbers(Dimension::NONE), "with local axes: direction of the local x; default: from node to node, x where they are in one place").optional(),
    Parameter::of("up", Kind::Numbers(Dimension::NONE), "with local axes in space: a vector in the plane of local x and z").optional(),
    translational("ux"),
    translational("uy"),
    translational("uz"),
    rotational("rx"),
    rotational("ry"),
    rotational("rz"),
];

static SUPPORT: &[Parameter] = &[
    NODES,
    Parameter::of(
        "fix",
        Kind::Texts,
        "what is held, such as [\"ux\", \"uy\"]; default: everything",
    )
    .optional(),
    Parameter::number(
        "arrival",
        Dimension::TIME,
        "the ground moves so much later here than in the record",
    )
    .optional()
    .not_negative(),
    Parameter::number(
        "amplitude",
        Dimension::NONE,
        "the ground moves so many times as much here",
    )
    .optional(),
    Parameter::of(
        "motion",
        Kind::Slot(&crate::assemble::excitation::SLOT),
        "the ground has a motion of its own here",
    )
    .optional(),
];

static TIE: &[Parameter] = &[
    NODES,
    Parameter::of("to", Kind::Text, "the node that they follow"),
    Parameter::of(
        "dof",
        Kind::Texts,
        "what they share, such as [\"ux\"]; default: they hang on it by rigid bars",
    )
    .optional(),
];

static DIAPHRAGM: &[Parameter] = &[
    NODES,
    Parameter::of(
        "centre",
        Kind::Text,
        "the node that carries the motion of the floor; default: the first",
    )
    .optional(),
];

static MASS: &[Parameter] = &[
    NODES,
    Parameter::number("mass", Dimension::MASS, "mass of every node")
        .optional()
        .not_negative(),
    Parameter::number(
        "total",
        Dimension::MASS,
        "instead: mass of all together, in equal shares",
    )
    .optional()
    .not_negative(),
    Parameter::of(
        "dof",
        Kind::Texts,
        "directions in which it acts, such as [\"ux\"]; default: all displacements",
    )
    .optional(),
    Parameter::number(
        "rotary",
        Dimension::of(1, 2, 0),
        "rotary inertia about z of every node, such as \"500 kg*m^2\"",
    )
    .optional()
    .not_negative(),
];

static GRAVITY: &[Parameter] = &[
    Parameter::of(
        "weight",
        Kind::Boolean,
        "the masses of nodes and members weigh",
    )
    .or("false"),
    Parameter::of(
        "load",
        Kind::Tables(&[
            NODES,
            Parameter::number("force", Dimension::FORCE, "force on every node, downwards")
                .optional(),
            Parameter::of(
                "forces",
                Kind::Numbers(Dimension::FORCE),
                "instead: along x, y (and z)",
            )
            .optional(),
            Parameter::of(
                "moments",
                Kind::Numbers(Dimension::ENERGY),
                "moment about z, or moments about x, y and z in space",
            )
            .optional(),
        ]),
        "loads on nodes",
    )
    .optional(),
    Parameter::of(
        "line",
        Kind::Tables(&[
            Parameter::of("members", Kind::Texts, "names of groups of members"),
            Parameter::number(
                "load",
                Dimension::STIFFNESS,
                "load per length of the member, downwards, such as \"20 kN/m\"",
            )
            .optional(),
            Parameter::of(
                "loads",
                Kind::Numbers(Dimension::STIFFNESS),
                "instead: along x, y (and z) of the frame",
            )
            .optional(),
        ]),
        "loads on members",
    )
    .optional(),
    Parameter::integer("steps", "steps in which the loads come on")
        .or("10")
        .within(Range::between(1.0, 10_000.0)),
];
