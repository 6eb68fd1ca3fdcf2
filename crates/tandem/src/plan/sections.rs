//! The plan file: its sections in the order of the loop.

use tandem_quantity::{Dimension, Kind, Parameter, Range, Settings};

use crate::assemble::{driven, excitation, rigs, structure};
use crate::guest;

/// The whole plan.
pub static ROOT: &[Parameter] = &[
    Parameter::of("name", Kind::Text, "name of the test, on every page of it")
        .or("\"Untitled test\""),
    Parameter::of("description", Kind::Text, "what the test is for").optional(),
    Parameter::integer("seed", "seed of everything random in the run")
        .or("1")
        .within(Range::between(0.0, 9e15)),
    Parameter::of("excitation", Kind::Slot(&excitation::SLOT), "ground motion"),
    Parameter::of("structure", Kind::Slot(&structure::SLOT), "the structure"),
    Parameter::of(
        "interface",
        Kind::Table(INTERFACE),
        "what belongs to the specimen",
    )
    .optional(),
    Parameter::of(
        "integration",
        Kind::Slot(&driven::SLOT),
        "time-stepping method",
    ),
    Parameter::of(
        "kinematics",
        Kind::Slot(&tandem_transfer::kinematics::SLOT),
        "linkage between the interface degrees of freedom and the actuators",
    )
    .optional(),
    Parameter::of(
        "command",
        Kind::Slot(&tandem_transfer::command::SLOT),
        "trajectory between targets",
    )
    .optional(),
    Parameter::of(
        "compensator",
        Kind::Slot(&guest::compensator::SLOT),
        "delay and amplitude compensation",
    )
    .optional(),
    Parameter::of(
        "rig",
        Kind::Slot(&rigs::SLOT),
        "actuators, specimen, sensors",
    )
    .optional(),
    Parameter::of(
        "conditioning",
        Kind::Slot(&tandem_transfer::conditioning::SLOT),
        "what is made of the sensors' values before anybody sees them, and before the force goes back",
    )
    .optional(),
    Parameter::of(
        "limits",
        Kind::Table(tandem_coordinator::Limits::PARAMETERS),
        "what stops the test",
    )
    .optional(),
    Parameter::of(
        "monitor",
        Kind::Table(tandem_monitor::PARAMETERS),
        "figures of quality and safety",
    )
    .optional(),
    Parameter::of(
        "coordinator",
        Kind::Table(tandem_coordinator::realtime::PARAMETERS),
        "centering, and how a test in real time runs",
    )
    .optional(),
    Parameter::of(
        "faults",
        Kind::Tables(tandem_coordinator::fault::PARAMETERS),
        "what goes wrong in a rehearsal, and when",
    )
    .optional(),
    Parameter::of("record", Kind::Table(RECORD), "what the run leaves").optional(),
    Parameter::of(
        "campaign",
        Kind::Table(crate::campaign::vary::PARAMETERS),
        "what `tandem campaign` draws anew for every run",
    )
    .optional(),
];

static INTERFACE: &[Parameter] = &[
    Parameter::of(
        "dof",
        Kind::Names,
        "degrees of freedom shared with the specimen: counted from 1, or by name such as \"B1 ux\"; \
         default with `members`: all that they share with the rest",
    )
    .optional()
    .within(Range::between(1.0, 1e6)),
    Parameter::of(
        "members",
        Kind::Texts,
        "groups of members, springs or bearings of a frame that are the specimen; a virtual rig then needs no other",
    )
    .optional()
    .within(Range::between(1.0, 1e6)),
    Parameter::of(
        "partition",
        Kind::Choice(&["subtract", "add"]),
        "subtract: the structure above is the whole one, the specimen is taken out of it; add: it is the numerical \
         part only",
    )
    .or("\"subtract\""),
    Parameter::of("stiffness", Kind::Matrix(Dimension::STIFFNESS), "what is assumed of the specimen; default: the rig's model")
        .optional(),
    Parameter::of("damping", Kind::Matrix(Dimension::DAMPING), "likewise").optional(),
    Parameter::of("mass", Kind::Matrix(Dimension::MASS), "likewise").optional(),
];

static RECORD: &[Parameter] = &[
    Parameter::of(
        "folder",
        Kind::Text,
        "folder of the run; default: runs/ and the name with date and time",
    )
    .optional(),
    Parameter::of(
        "reference",
        Kind::Boolean,
        "also compute the undivided structure and compare",
    )
    .or("true"),
    Parameter::integer(
        "reference_steps",
        "steps of the reference within one of the test; more than 1: a converged solution to compare with",
    )
    .or("1")
    .within(Range::between(1.0, 1000.0)),
    Parameter::of(
        "reference_method",
        Kind::Text,
        "time-stepping method of the reference, with its defaults; default: that of the test",
    )
    .optional(),
    Parameter::number(
        "reference_tangent_damping",
        Dimension::TIME,
        "b of C = a M + b K: in the reference, damping follows the tangent of a nonlinear specimen by b (K - K_initial); default: it stays as it is",
    )
    .optional()
    .positive(),
    Parameter::integer(
        "energy_error_dof",
        "degree of freedom (counted from 1) at which the energy error E_c is summed up; default: the last of the interface",
    )
    .optional()
    .within(Range::between(1.0, 1e6)),
    Parameter::of(
        "criteria",
        Kind::Choice(&["none", "single-actuator", "multi-axial"]),
        "judge the run by J1, J2, … of this benchmark problem (Silva et al. 2020; Condori Uribe et al. 2023)",
    )
    .or("\"none\""),
    Parameter::of(
        "criteria_dof",
        Kind::Integers,
        "degrees of freedom away from the interface that the criteria look at, counted from 1; default: all",
    )
    .optional()
    .within(Range::between(1.0, 1e6)),
];
