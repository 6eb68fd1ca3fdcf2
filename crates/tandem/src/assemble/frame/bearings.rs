//! `[[structure.bearing]]`: isolators.

use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Slot, Values};
use tandem_structure::element::{ElastomericShear, PendulumShear};
use tandem_structure::material::{self, ForceDisplacement, Material, MomentRotation};
use tandem_structure::model::{ModelError, Orientation};

use super::materials::new_name;
use super::{Draft, Group, at};

type Build = fn(&Values, &Placed<'_>, &mut Draft) -> Result<(), BuildError>;

/// Where one bearing is, and what holds it besides its shear.
struct Placed<'a> {
    number: usize,
    nodes: [usize; 2],
    axial: &'a Material,
    rotational: &'a Material,
}

static METHODS: &[Entry<Build>] = &[ELASTOMERIC, FRICTION_PENDULUM];

/// The slot in the plan.
pub(super) static SLOT: Slot = Slot {
    selector: "kind",
    default: None,
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

pub(super) fn build(values: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    for (entry, table) in values.tables("bearing").into_iter().enumerate() {
        let group = group(table, draft).map_err(|error| at("bearing", entry, error))?;
        draft.groups.push(group);
    }
    Ok(())
}

fn group(table: &Values, draft: &mut Draft) -> Result<Group, BuildError> {
    let name = new_name(table, draft.groups.iter().map(|group| group.name.as_str()))?;
    let kind = Entry::find(METHODS, table.text("kind")?)
        .ok_or_else(|| BuildError::new("kind", "unknown bearing", "see `tandem methods`"))?;
    let axial = material::material::<ForceDisplacement>(table, "axial")?;
    let rotational = material::material::<MomentRotation>(table, "rotational")?;
    let mut elements = Vec::new();
    for nodes in super::connections::ends(table, draft)? {
        let number = draft.next_element();
        let placed = Placed {
            number,
            nodes,
            axial: &axial,
            rotational: &rotational,
        };
        (kind.build)(table, &placed, draft)?;
        elements.push(number);
    }
    Ok(Group { name, elements })
}

fn refuse(error: &ModelError) -> BuildError {
    BuildError::new("", error.to_string(), "check the values of this bearing")
}

const NAME: Parameter = Parameter::of("name", Kind::Text, "name of the group");
const BETWEEN: Parameter = Parameter::of(
    "between",
    Kind::Texts,
    "pairs of nodes, lower and upper: [\"A0 A1\"]",
)
.optional();
const GROUND: Parameter = Parameter::of(
    "ground",
    Kind::Texts,
    "instead: nodes that stand on the ground through it",
)
.optional();
const AXIAL: Parameter = Parameter::of(
    "axial",
    Kind::Slot(&material::SPRING),
    "law along its axis, compression negative",
);
const ROTATIONAL: Parameter = Parameter::of(
    "rotational",
    Kind::Slot(&material::HINGE),
    "law about every axis of rotation",
);
const STIFFNESS: Parameter = Parameter::number(
    "stiffness",
    Dimension::STIFFNESS,
    "shear stiffness before yielding or sliding",
)
.positive();

const ELASTOMERIC: Entry<Build> = Entry {
    method: Method {
        name: "elastomeric",
        summary: "elastomeric bearing: bilinear in shear, coupled in both directions of a space frame",
        reference: "Park, Wen and Ang 1986; Nagarajaiah, Reinhorn and Constantinou 1991",
        parameters: &[
            NAME,
            BETWEEN,
            GROUND,
            STIFFNESS,
            Parameter::number("yield_force", Dimension::FORCE, "shear force at yielding")
                .positive(),
            Parameter::number(
                "hardening",
                Dimension::NONE,
                "shear stiffness after yielding over that before",
            )
            .or("0.1")
            .within(Range::between(0.0, 0.999_999)),
            AXIAL,
            ROTATIONAL,
        ],
    },
    build: |table, placed, draft| {
        let shear = ElastomericShear {
            stiffness: table.number("stiffness")?,
            yield_force: table.number("yield_force")?,
            hardening_ratio: table.number("hardening")?,
        };
        let Placed {
            number,
            nodes,
            axial,
            rotational,
        } = *placed;
        draft
            .builder
            .elastomeric_bearing(
                number,
                nodes,
                shear,
                axial,
                rotational,
                &Orientation::default(),
            )
            .map_err(|error| refuse(&error))
    },
};

const FRICTION_PENDULUM: Entry<Build> = Entry {
    method: Method {
        name: "friction-pendulum",
        summary: "sliding on a concave surface: friction that grows with speed, stiffness from its weight",
        reference: "Constantinou, Mokha and Reinhorn 1990",
        parameters: &[
            NAME,
            BETWEEN,
            GROUND,
            Parameter::number("radius", Dimension::LENGTH, "effective radius").positive(),
            STIFFNESS,
            Parameter::number(
                "slow_friction",
                Dimension::NONE,
                "friction coefficient at rest",
            )
            .not_negative(),
            Parameter::number(
                "fast_friction",
                Dimension::NONE,
                "friction coefficient at high speed",
            )
            .not_negative(),
            Parameter::number(
                "rate",
                Dimension::of(0, -1, 1),
                "how fast friction goes from one to the other, s/m",
            )
            .or("\"20 s/m\"")
            .not_negative(),
            AXIAL,
            ROTATIONAL,
        ],
    },
    build: |table, placed, draft| {
        let shear = PendulumShear {
            radius: table.number("radius")?,
            stiffness: table.number("stiffness")?,
            slow_friction: table.number("slow_friction")?,
            fast_friction: table.number("fast_friction")?,
            rate: table.number("rate")?,
        };
        let Placed {
            number,
            nodes,
            axial,
            rotational,
        } = *placed;
        draft
            .builder
            .friction_pendulum(
                number,
                nodes,
                shear,
                axial,
                rotational,
                &Orientation::default(),
            )
            .map_err(|error| refuse(&error))
    },
};
