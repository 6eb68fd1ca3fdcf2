//! Sections with laws of their own for single section forces, beside another section or alone.

use tandem_quantity::{BuildError, Entry, Kind, Method, Parameter};
use tandem_structure::material::{
    ForceStrain, MomentCurvature, SECTION_FORCE, SECTION_MOMENT, material,
};
use tandem_structure::section::Component;

use super::materials::named;
use super::sections::{Build, NAME, Section};

/// What the plan writes.
pub(super) const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "aggregated",
        summary: "laws for single section forces: beside another section (a shear law for fibres), or alone (moment against curvature)",
        reference: "Marini and Spacone 2006 (shear in force-based members)",
        parameters: &[
            NAME,
            Parameter::of(
                "section",
                Kind::Text,
                "name of the section that it completes, written before; default: laws only",
            )
            .optional(),
            force(
                "axial",
                "axial force against strain, where `section` gives none",
            ),
            moment(
                "moment",
                "moment against curvature about the strong axis, where `section` gives none",
            ),
            moment(
                "weak_moment",
                "in space: moment against curvature about the weak axis, where `section` gives none",
            ),
            moment(
                "torsion",
                "in space: torque against twist, where `section` gives none",
            ),
            force(
                "shear",
                "shear force against shear strain, across the strong axis; force-based members only",
            ),
            force(
                "weak_shear",
                "in space: shear force across the weak axis; default: as `shear`",
            ),
        ],
    },
    build: |table, _, sections| {
        let mut section = match table.has("section") {
            true => named("section", sections, table, "section")?.clone(),
            false => Section::of_laws(),
        };
        if !section.added.is_empty() {
            return Err(BuildError::new(
                "section",
                "this section is aggregated already",
                "write all laws in one section",
            ));
        }
        for (key, component) in [
            ("axial", Component::Axial),
            ("moment", Component::MomentZ),
            ("weak_moment", Component::MomentY),
            ("torsion", Component::Torsion),
            ("shear", Component::ShearY),
            ("weak_shear", Component::ShearZ),
        ] {
            if !table.has(key) {
                continue;
            }
            let law = match component {
                Component::Axial | Component::ShearY | Component::ShearZ => {
                    material::<ForceStrain>(table, key)?
                }
                _ => material::<MomentCurvature>(table, key)?,
            };
            if !section.alone && !matches!(component, Component::ShearY | Component::ShearZ) {
                return Err(BuildError::new(
                    key,
                    format!("{component} has its law in `{}`", table.text("section")?),
                    "take this law away, or `section`",
                ));
            }
            section.added.push((component, law));
        }
        if section.added.is_empty() {
            return Err(BuildError::new(
                "shear",
                "there is no law",
                "give one, such as shear = { kind = \"elastic\", stiffness = \"500 MN\" }",
            ));
        }
        Ok(section)
    },
};

const fn force(key: &'static str, doc: &'static str) -> Parameter {
    Parameter::of(key, Kind::Slot(&SECTION_FORCE), doc).optional()
}

const fn moment(key: &'static str, doc: &'static str) -> Parameter {
    Parameter::of(key, Kind::Slot(&SECTION_MOMENT), doc).optional()
}
