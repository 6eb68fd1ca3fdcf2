//! `[[structure.damper]]`: devices along the line between two nodes.

use tandem_frame::element::MrDamperLaw;
use tandem_quantity::settings::listed;
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, SlotOf, Values, settings};
use tandem_transfer::specimen::mr_damper;

use super::connections::ends;
use super::materials::new_name;
use super::{FrameBuilder, Group, at};

type Build = fn(&Values) -> Result<MrDamperLaw, BuildError>;

static METHODS: &[Entry<Build>] = &[MAGNETORHEOLOGICAL];

/// The slot in the plan.
pub(super) static SLOT: SlotOf<Build> = SlotOf::new("damper", "kind", None, || METHODS);

pub(super) fn build(tables: &[Values], draft: &mut FrameBuilder) -> Result<(), BuildError> {
    for (entry, table) in tables.iter().enumerate() {
        let group = group(table, draft).map_err(|error| at("damper", entry, error))?;
        draft.groups.push(group);
    }
    Ok(())
}

fn group(table: &Values, draft: &mut FrameBuilder) -> Result<Group, BuildError> {
    let settings = DamperSettings::read(table)?;
    let name = new_name(
        settings.name,
        draft.groups.iter().map(|group| group.name.as_str()),
    )?;
    let kind = SLOT.find(table)?;
    let law = (kind.build)(table)?;
    let mut elements = Vec::new();
    for pair in ends((Some(settings.between), None), draft)? {
        let number = draft.next_element();
        draft
            .builder
            .mr_damper(number, pair, law)
            .map_err(|error| {
                BuildError::new("", error.to_string(), "check the values of this damper")
            })?;
        elements.push(number);
    }
    Ok(Group { name, elements })
}

const MAGNETORHEOLOGICAL: Entry<Build> = Entry {
    method: Method {
        name: "mr",
        summary: "magnetorheological damper: f = c x' + k (x − x0) + α z with Bouc–Wen z, at a \
            constant voltage; x is its elongation",
        reference: mr_damper::REFERENCE,
        parameters: &listed::<12>(&[DamperSettings::PARAMETERS, &mr_damper::PARAMETERS]),
    },
    build: |values| {
        Ok(MrDamperLaw {
            offset: DamperSettings::read(values)?.offset,
            ..mr_damper::law(values)?
        })
    },
};

settings! {
    /// Where dampers of a group are, and where they are at rest.
    struct DamperSettings {
        /// name of the group
        name: String = text(),
        /// pairs of nodes at some distance: ["A0 B1"]
        between: Vec<String> = texts(),
        /// x0: elongation at which the accumulator is at rest
        offset: f64 = number(Dimension::LENGTH).or("\"0 m\""),
    }
}
