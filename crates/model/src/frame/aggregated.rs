//! Sections with laws of their own for single section forces, beside another section or alone.

use tandem_frame::material::{self, ForceStrain, MomentCurvature, SECTION_FORCE, SECTION_MOMENT};
use tandem_frame::section::Component;
use tandem_quantity::{BuildError, Entry, Method, Settings, Values, settings};

use super::materials::named;
use super::sections::{Build, Name, Section};

/// What the plan writes.
pub(super) const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "aggregated",
        summary: "laws for single section forces: beside another section (a shear law for fibres), \
            or alone (moment against curvature)",
        reference: "Marini and Spacone 2006 (shear in force-based members)",
        parameters: <(Name, AggregatedSettings)>::PARAMETERS,
    },
    build: |table, _, sections| {
        let settings = AggregatedSettings::read(table)?;
        let mut section = match &settings.section {
            Some(name) => named("section", sections, name, "section")?.clone(),
            None => Section::of_laws(),
        };
        if !section.added.is_empty() {
            return Err(BuildError::new(
                "section",
                "this section is aggregated already",
                "write all laws in one section",
            ));
        }
        for (key, component, law) in [
            ("axial", Component::Axial, &settings.axial),
            ("moment", Component::MomentZ, &settings.moment),
            ("weak_moment", Component::MomentY, &settings.weak_moment),
            ("torsion", Component::Torsion, &settings.torsion),
            ("shear", Component::ShearY, &settings.shear),
            ("weak_shear", Component::ShearZ, &settings.weak_shear),
        ] {
            let Some(law) = law else {
                continue;
            };
            let law = match component {
                Component::Axial | Component::ShearY | Component::ShearZ => {
                    material::build::<ForceStrain>(law)
                }
                _ => material::build::<MomentCurvature>(law),
            }
            .map_err(|error| error.within(key))?;
            if !section.alone && !matches!(component, Component::ShearY | Component::ShearZ) {
                return Err(BuildError::new(
                    key,
                    format!(
                        "{component} has its law in `{}`",
                        settings.section.as_deref().unwrap_or_default()
                    ),
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

settings! {
    struct AggregatedSettings {
        /// name of the section that it completes, written before; default: laws only
        section: Option<String> = text(),
        /// axial force against strain, where `section` gives none
        axial: Option<Values> = slot(&SECTION_FORCE),
        /// moment against curvature about the strong axis, where `section` gives none
        moment: Option<Values> = slot(&SECTION_MOMENT),
        /// in space: moment against curvature about the weak axis, where `section` gives none
        weak_moment: Option<Values> = slot(&SECTION_MOMENT),
        /// in space: torque against twist, where `section` gives none
        torsion: Option<Values> = slot(&SECTION_MOMENT),
        /// shear force against shear strain, across the strong axis; force-based members only
        shear: Option<Values> = slot(&SECTION_FORCE),
        /// in space: shear force across the weak axis; default: as `shear`
        weak_shear: Option<Values> = slot(&SECTION_FORCE),
    }
}
