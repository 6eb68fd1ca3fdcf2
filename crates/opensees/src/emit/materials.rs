//! Uniaxial materials as the plan writes them.

use crate::error::ScriptError;
use tandem_frame::material::{
    ForceDisplacement, ForceStrain, Measure, MomentCurvature, MomentRotation, StressStrain,
};
use tandem_quantity::Dimension;

use super::toml::{list, quantity, text};
use crate::model::{Amount, Key, Law, Measured, Model, Tag};
use crate::units::Units;

/// What strain and stress stand for where a material is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    /// Fibres and bars.
    Stress,
    /// Springs along a direction.
    Force,
    /// Springs about an axis.
    Moment,
    /// Axial and shear laws of a section.
    SectionForce,
    /// Laws of bending and torsion of a section.
    SectionMoment,
}

/// Dimensions and names of a measure.
struct Terms {
    strain: Dimension,
    stress: Dimension,
    modulus: Dimension,
    viscosity: Dimension,
    keys: [&'static str; 4],
}

fn terms<M: Measure>() -> Terms {
    Terms {
        strain: M::STRAIN,
        stress: M::STRESS,
        modulus: M::MODULUS,
        viscosity: M::VISCOSITY,
        keys: [M::MODULUS_KEY, M::YIELD_KEY, M::STRAIN_KEY, M::STRESS_KEY],
    }
}

impl Use {
    fn terms(self) -> Terms {
        match self {
            Self::Stress => terms::<StressStrain>(),
            Self::Force => terms::<ForceDisplacement>(),
            Self::Moment => terms::<MomentRotation>(),
            Self::SectionForce => terms::<ForceStrain>(),
            Self::SectionMoment => terms::<MomentCurvature>(),
        }
    }
}

/// How deep materials may stand within each other.
const MOST_DEPTH: usize = 10;

/// Writes materials of a model.
pub struct Materials<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its units.
    pub units: &'a Units,
}

impl Materials<'_> {
    /// Keys and values of a material, `kind` first. An error names the material that is missing.
    pub fn pairs(&self, tag: Tag, of: Use) -> Result<Vec<(String, String)>, ScriptError> {
        self.pairs_at(tag, of, 0)
    }

    fn pairs_at(
        &self,
        tag: Tag,
        of: Use,
        depth: usize,
    ) -> Result<Vec<(String, String)>, ScriptError> {
        let (law, _) = self
            .model
            .materials
            .get(&tag)
            .ok_or_else(|| ScriptError::NotUnderstood(format!("the material {tag}").into()))?;
        if depth > MOST_DEPTH {
            return Err(ScriptError::Contradiction(
                format!("the material {tag} is made of itself").into(),
            ));
        }
        if law.kind.starts_with("concrete") && of != Use::Stress {
            return Err(ScriptError::NotInAPlan(format!(
                "the material {tag} is concrete in stress and strain; a spring cannot be made of it"
            ).into()));
        }
        let terms = of.terms();
        let mut pairs = vec![("kind".to_owned(), text(law.kind))];
        self.inner(law, of, depth, &mut pairs)?;
        for (key, amount) in &law.values {
            pairs.push((name(*key, &terms), self.amount(amount, &terms)));
        }
        Ok(pairs)
    }

    fn inner(
        &self,
        law: &Law,
        of: Use,
        depth: usize,
        pairs: &mut Vec<(String, String)>,
    ) -> Result<(), ScriptError> {
        if law.of.is_empty() {
            return Ok(());
        }
        let mut tables = Vec::new();
        for inner in &law.of {
            tables.push(inline(&self.pairs_at(*inner, of, depth + 1)?));
        }
        let value = if law.wraps {
            tables.concat()
        } else {
            format!("[{}]", tables.join(", "))
        };
        pairs.push(("of".to_owned(), value));
        Ok(())
    }

    fn amount(&self, amount: &Amount, terms: &Terms) -> String {
        match amount {
            // Nothing but forces at a unit rate depends on the rate's exponent: they go to SI.
            Amount::Number(value, Measured::AtUnitRate(exponent)) => {
                let strain = terms.strain;
                let rate = Dimension::of(strain.mass, strain.length, strain.time - 1);
                let factor = self.units.factor(rate).powf(-exponent);
                quantity(value * factor, terms.stress, self.units)
            }
            Amount::Number(value, measured) => {
                quantity(*value, dimension(*measured, terms), self.units)
            }
            Amount::Numbers(values, measured) => {
                list(values, dimension(*measured, terms), self.units)
            }
            Amount::Truth(truth) => truth.to_string(),
            Amount::Word(word) => text(word),
            Amount::Table(values) => {
                let pairs: Vec<(String, String)> = values
                    .iter()
                    .map(|(key, amount)| (name(*key, terms), self.amount(amount, terms)))
                    .collect();
                inline(&pairs)
            }
        }
    }
}

/// A table on one line.
pub fn inline(pairs: &[(String, String)]) -> String {
    let words: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", words.join(", "))
}

fn name(key: Key, terms: &Terms) -> String {
    let [modulus, yielding, strain, stress] = terms.keys;
    match key {
        Key::Modulus => modulus,
        Key::Yield => yielding,
        Key::Strain => strain,
        Key::Stress => stress,
        Key::Named(name) => name,
    }
    .to_owned()
}

fn dimension(measured: Measured, terms: &Terms) -> Dimension {
    match measured {
        Measured::Ratio => Dimension::NONE,
        Measured::Strain => terms.strain,
        Measured::Stress => terms.stress,
        Measured::Modulus => terms.modulus,
        Measured::Viscosity => terms.viscosity,
        Measured::AtUnitRate(_) => terms.stress,
    }
}
