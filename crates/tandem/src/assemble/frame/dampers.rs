//! `[[structure.damper]]`: devices along the line between two nodes.

use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Slot, Values};
use tandem_structure::element::MrDamperLaw;

use super::connections::ends;
use super::materials::new_name;
use super::{Draft, Group, at};

type Build = fn(&Values) -> Result<MrDamperLaw, BuildError>;

static METHODS: &[Entry<Build>] = &[MAGNETORHEOLOGICAL];

/// The slot in the plan.
pub(super) static SLOT: Slot = Slot {
    selector: "kind",
    default: None,
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

pub(super) fn build(values: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    for (entry, table) in values.tables("damper").into_iter().enumerate() {
        let group = group(table, draft).map_err(|error| at("damper", entry, error))?;
        draft.groups.push(group);
    }
    Ok(())
}

fn group(table: &Values, draft: &mut Draft) -> Result<Group, BuildError> {
    let name = new_name(table, draft.groups.iter().map(|group| group.name.as_str()))?;
    let kind = Entry::find(METHODS, table.text("kind")?)
        .ok_or_else(|| BuildError::new("kind", "unknown damper", "see `tandem methods`"))?;
    let law = (kind.build)(table)?;
    let mut elements = Vec::new();
    for pair in ends(table, draft)? {
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

/// 1/m²: γ and β for n = 2.
const PER_AREA: Dimension = Dimension::of(0, -2, 0);

/// The defaults are the published damper, in metres.
const MAGNETORHEOLOGICAL: Entry<Build> = Entry {
    method: Method {
        name: "mr",
        summary: "magnetorheological damper: f = c x' + k (x − x0) + α z with Bouc–Wen z, at a constant voltage; x is its elongation",
        reference: "Spencer, Dyke, Sain and Carlson 1997, Eqs 3–4; Dyke et al. 1996 (voltage)",
        parameters: &[
            Parameter::of("name", Kind::Text, "name of the group"),
            Parameter::of(
                "between",
                Kind::Texts,
                "pairs of nodes at some distance: [\"A0 B1\"]",
            ),
            Parameter::number("viscous", Dimension::DAMPING, "c at zero voltage")
                .or("\"2100 N*s/m\"")
                .not_negative(),
            Parameter::number(
                "viscous_per_volt",
                Dimension::DAMPING,
                "change of c with each volt",
            )
            .or("\"350 N*s/m\"")
            .not_negative(),
            Parameter::number("hysteretic", Dimension::STIFFNESS, "α at zero voltage")
                .or("\"14 kN/m\"")
                .positive(),
            Parameter::number(
                "hysteretic_per_volt",
                Dimension::STIFFNESS,
                "change of α with each volt",
            )
            .or("\"69.5 kN/m\"")
            .not_negative(),
            Parameter::number("stiffness", Dimension::STIFFNESS, "k of the accumulator")
                .or("\"4.69 kN/m\"")
                .not_negative(),
            Parameter::number(
                "offset",
                Dimension::LENGTH,
                "x0: elongation at which the accumulator is at rest",
            )
            .or("\"0 m\""),
            Parameter::number("amplitude", Dimension::NONE, "A")
                .or("301")
                .positive(),
            Parameter::number(
                "gamma",
                PER_AREA,
                "γ: the part with |x'|, for the exponent 2",
            )
            .or("\"3.63e6 1/m^2\"")
            .positive(),
            Parameter::number("beta", PER_AREA, "β: the part with x', for the exponent 2")
                .or("\"3.63e6 1/m^2\"")
                .not_negative(),
            Parameter::number("voltage", Dimension::NONE, "constant command, V")
                .or("0.0")
                .within(Range::between(0.0, 100.0)),
        ],
    },
    build: |values| {
        let n = |key: &str| values.number(key);
        let volts = n("voltage")?;
        Ok(MrDamperLaw {
            viscous: [n("viscous")? + volts * n("viscous_per_volt")?, 0.0],
            hysteretic: [n("hysteretic")? + volts * n("hysteretic_per_volt")?, 0.0],
            stiffness: n("stiffness")?,
            offset: n("offset")?,
            amplitude: n("amplitude")?,
            gamma: n("gamma")?,
            beta: n("beta")?,
            exponent: 2.0,
        })
    },
};
