//! Do the numbers make sense in the units that were said?

use tandem_quantity::Dimension;

use super::model::{ElementKind, Model};
use super::script::{Place, Remarks, Weight};
use super::units::{USUAL, Units};

/// Modulus of metals, Pa.
const STEEL: (f64, f64) = (1.0e11, 2.5e11);
/// Modulus of anything that carries a building, Pa.
const SOLID: (f64, f64) = (1.0e8, 3.0e11);
/// Compressive strength of concrete, Pa.
const CONCRETE: (f64, f64) = (5.0e6, 2.5e8);
/// Size of a structure, m.
const EXTENT: (f64, f64) = (0.05, 5.0e3);

/// Remarks on moduli, strengths and sizes that no structure has, with the units that would mend
/// them.
pub fn check(model: &Model, units: &Units, remarks: &mut Remarks) {
    let stress = units.factor(Dimension::STRESS);
    let within = |value: f64, (low, high): (f64, f64)| (low..=high).contains(&value);
    let mut moduli: Vec<(f64, (f64, f64), Place, String)> = Vec::new();
    for (tag, (law, place)) in &model.materials {
        let what = format!("uniaxialMaterial {tag}");
        match (law.kind, law.modulus) {
            ("steel01" | "steel02", Some(modulus)) if in_fibres(model, *tag) => {
                moduli.push((modulus, STEEL, *place, what));
            }
            ("concrete01" | "concrete02", Some(modulus)) => {
                moduli.push((modulus, (CONCRETE.0 * 200.0, 2e11), *place, what));
            }
            _ => {}
        }
    }
    for (tag, element) in &model.elements {
        if let ElementKind::Elastic { modulus, .. } = element.kind {
            moduli.push((modulus, SOLID, element.place, format!("element {tag}")));
        }
    }
    let wrong: Vec<_> = moduli
        .iter()
        .filter(|(modulus, range, ..)| !within(modulus * stress, *range))
        .collect();
    if let Some((modulus, range, place, what)) = wrong.first() {
        let better: Vec<String> = USUAL
            .iter()
            .filter(|text| {
                Units::parse(text).is_ok_and(|units| {
                    let factor = units.factor(Dimension::STRESS);
                    moduli
                        .iter()
                        .all(|(modulus, range, ..)| within(modulus * factor, *range))
                })
            })
            .map(|text| format!("--units \"{text}\""))
            .collect();
        let hint = if better.is_empty() {
            String::new()
        } else {
            format!("; these would make sense: {}", better.join(", "))
        };
        let reason = format!(
            "a modulus of {modulus} {} is {:.3e} Pa, where {:.0e} to {:.0e} Pa are usual: are the \
            units \"{}\" right?{hint}",
            units.of(Dimension::STRESS),
            modulus * stress,
            range.0,
            range.1,
            units.text(),
        );
        remarks.add(Weight::Assumed, *place, what, &reason);
    }
    extent(model, units, remarks);
}

fn extent(model: &Model, units: &Units, remarks: &mut Remarks) {
    let Some(first) = model.nodes.values().next() else {
        return;
    };
    let size = (0..3)
        .map(|k| {
            let (low, high) = model
                .nodes
                .values()
                .fold((first.at[k], first.at[k]), |(low, high), node| {
                    (low.min(node.at[k]), high.max(node.at[k]))
                });
            high - low
        })
        .fold(0.0, f64::max)
        * units.factor(Dimension::LENGTH);
    if size > 0.0 && !(EXTENT.0..=EXTENT.1).contains(&size) {
        let reason = format!(
            "the structure is {size:.3e} m large: are the units \"{}\" right?",
            units.text()
        );
        remarks.add(Weight::Assumed, first.place, "node", &reason);
    }
}

fn in_fibres(model: &Model, tag: i64) -> bool {
    model.sections.values().any(|(section, _)| match section {
        super::model::Section::Fibres { parts, .. } => {
            parts.iter().any(|part| part.material == tag)
        }
        _ => false,
    })
}
