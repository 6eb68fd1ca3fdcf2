//! `[[structure.bearing]]`: isolators.

use tandem_frame::element::{ElastomericShear, PendulumShear};
use tandem_frame::material::{self, ForceDisplacement, Material, MomentRotation};
use tandem_frame::model::{ModelError, Orientation};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Settings, SlotOf, Values, settings,
};

use super::materials::new_name;
use super::{FrameBuilder, Group, at};

pub(super) type Build = fn(&Values, &Placed<'_>, &mut FrameBuilder) -> Result<(), BuildError>;

/// Where one bearing is, and what holds it besides its shear.
pub(super) struct Placed<'a> {
    number: usize,
    nodes: [usize; 2],
    axial: &'a Material,
    rotational: &'a Material,
}

static METHODS: &[Entry<Build>] = &[ELASTOMERIC, FRICTION_PENDULUM];

/// The slot in the plan.
pub(super) static SLOT: SlotOf<Build> = SlotOf::new("bearing", "kind", None, || METHODS);

pub(super) fn build(tables: &[Values], draft: &mut FrameBuilder) -> Result<(), BuildError> {
    for (entry, table) in tables.iter().enumerate() {
        let group = group(table, draft).map_err(|error| at("bearing", entry, error))?;
        draft.groups.push(group);
    }
    Ok(())
}

fn group(table: &Values, draft: &mut FrameBuilder) -> Result<Group, BuildError> {
    let held = Held::read(table)?;
    let name = new_name(
        held.name,
        draft.groups.iter().map(|group| group.name.as_str()),
    )?;
    let kind = SLOT.find(table)?;
    let laws = Laws::read(table)?;
    let axial = material::build::<ForceDisplacement>(&laws.axial);
    let axial = axial.map_err(|error| error.within("axial"))?;
    let rotational = material::build::<MomentRotation>(&laws.rotational);
    let rotational = rotational.map_err(|error| error.within("rotational"))?;
    let mut elements = Vec::new();
    for nodes in super::connections::ends((held.between, held.ground), draft)? {
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

settings! {
    /// Where bearings of a group are.
    struct Held {
        /// name of the group
        name: String = text(),
        /// pairs of nodes, lower and upper: ["A0 A1"]
        between: Option<Vec<String>> = texts(),
        /// instead: nodes that stand on the ground through it
        ground: Option<Vec<String>> = texts(),
    }
}

settings! {
    /// What holds a bearing besides its shear.
    struct Laws {
        /// law along its axis, compression negative
        axial: Values = slot(&material::SPRING),
        /// law about every axis of rotation
        rotational: Values = slot(&material::HINGE),
    }
}

const ELASTOMERIC: Entry<Build> = Entry {
    method: Method {
        name: "elastomeric",
        summary: "elastomeric bearing: bilinear in shear, coupled in both directions of a space \
            frame",
        reference: "Park, Wen and Ang 1986; Nagarajaiah, Reinhorn and Constantinou 1991",
        parameters: <((Held, ElastomericSettings), Laws)>::PARAMETERS,
    },
    build: |table, placed, draft| {
        let settings = ElastomericSettings::read(table)?;
        let shear = ElastomericShear {
            stiffness: settings.stiffness,
            yield_force: settings.yield_force,
            hardening_ratio: settings.hardening,
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

settings! {
    struct ElastomericSettings {
        /// shear stiffness before yielding or sliding
        stiffness: f64 = number(Dimension::STIFFNESS).positive(),
        /// shear force at yielding
        yield_force: f64 = number(Dimension::FORCE).positive(),
        /// shear stiffness after yielding over that before
        hardening: f64 = number(Dimension::NONE).or("0.1").within(Range::between(0.0, 0.999_999)),
    }
}

const FRICTION_PENDULUM: Entry<Build> = Entry {
    method: Method {
        name: "friction-pendulum",
        summary: "sliding on a concave surface: friction that grows with speed, stiffness from its \
            weight",
        reference: "Constantinou, Mokha and Reinhorn 1990",
        parameters: <((Held, FrictionPendulumSettings), Laws)>::PARAMETERS,
    },
    build: |table, placed, draft| {
        let settings = FrictionPendulumSettings::read(table)?;
        let shear = PendulumShear {
            radius: settings.radius,
            stiffness: settings.stiffness,
            slow_friction: settings.slow_friction,
            fast_friction: settings.fast_friction,
            rate: settings.rate,
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

settings! {
    struct FrictionPendulumSettings {
        /// effective radius
        radius: f64 = number(Dimension::LENGTH).positive(),
        /// shear stiffness before yielding or sliding
        stiffness: f64 = number(Dimension::STIFFNESS).positive(),
        /// friction coefficient at rest
        slow_friction: f64 = number(Dimension::NONE).not_negative(),
        /// friction coefficient at high speed
        fast_friction: f64 = number(Dimension::NONE).not_negative(),
        /// how fast friction goes from one to the other, s/m
        rate: f64 = number(Dimension::of(0, -1, 1)).or("\"20 s/m\"").not_negative(),
    }
}
