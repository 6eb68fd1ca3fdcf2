//! All materials that a plan can write, once for each meaning of strain and stress.

use tandem_quantity::{BuildError, Entry, SlotOf, Values};

use super::plan::{Measure, Planned};
use super::{FIBRES, HINGES, Material, SECTION_FORCES, SECTION_MOMENTS, SPRINGS};

/// How a material is made from its table in the plan.
pub type Build = fn(&Values) -> Result<Material, BuildError>;

/// The entry of a material where strain and stress mean this.
pub(super) const fn entry<M: Measure, L: Planned<M>>() -> Entry<Build> {
    Entry {
        method: L::METHOD,
        build: L::build,
    }
}

const fn slot(name: &'static str, laws: fn() -> &'static [Entry<Build>]) -> SlotOf<Build> {
    SlotOf::new(name, "kind", None, laws)
}

/// Materials of fibres: stress (Pa) against strain. [`build`] makes them, with `StressStrain`.
pub static FIBRE: SlotOf<Build> = slot("material", || FIBRES);

/// Materials of springs: force (N) against displacement (m). [`build`] makes them, with
/// `ForceDisplacement`.
pub static SPRING: SlotOf<Build> = slot("material of a spring", || SPRINGS);

/// Materials of hinges: moment (N m) against rotation. [`build`] makes them, with
/// `MomentRotation`.
pub static HINGE: SlotOf<Build> = slot("material of a hinge", || HINGES);

/// Axial and shear laws of sections: force (N) against strain. [`build`] makes them, with
/// `ForceStrain`.
pub static SECTION_FORCE: SlotOf<Build> = slot("axial or shear law", || SECTION_FORCES);

/// Laws of bending and torsion of sections: moment (N m) against curvature (1/m). [`build`] makes
/// them, with `MomentCurvature`.
pub static SECTION_MOMENT: SlotOf<Build> = slot("law of bending or torsion", || SECTION_MOMENTS);

/// The material of a table that was declared with the slot of this measure ([`Measure::SLOT`]).
pub fn build<M: Measure>(values: &Values) -> Result<Material, BuildError> {
    (M::SLOT.find(values)?.build)(values)
}

/// The material at `key`.
pub fn material<M: Measure>(values: &Values, key: &str) -> Result<Material, BuildError> {
    build::<M>(values.table(key)?).map_err(|error| error.within(key))
}

/// The material in the table `of`.
pub(super) fn inner<M: Measure>(of: &Values) -> Result<Material, BuildError> {
    build::<M>(of).map_err(|error| error.within("of"))
}

/// The materials of the list `of`.
pub(super) fn materials<M: Measure>(of: &[Values]) -> Result<Vec<Material>, BuildError> {
    let place = |i: usize, error: BuildError| error.within(&i.to_string()).within("of");
    let of = of.iter().enumerate();
    of.map(|(i, table)| build::<M>(table).map_err(|error| place(i, error)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{ForceDisplacement, Steel02, StressStrain};
    use super::*;
    use tandem_quantity::Value;

    fn table(kind: &str, numbers: &[(&str, f64)]) -> Values {
        numbers.iter().fold(
            Values::new().with("kind", Value::Text(kind.to_owned())),
            |table, (key, value)| table.with(key, Value::Number(*value)),
        )
    }

    #[test]
    fn a_table_makes_the_law_it_names() {
        let steel = table(
            "steel02",
            &[
                ("modulus", 210e9),
                ("yield_stress", 355e6),
                ("hardening", 0.01),
            ],
        );
        let curve = [20.0, 0.925, 0.15].map(Value::Number).to_vec();
        let built = build::<StressStrain>(&steel.with("curve", Value::List(curve))).unwrap();
        let expected = Steel02::new(355e6, 210e9, 0.01)
            .and_then(|law| law.with_curve(20.0, 0.925, 0.15))
            .unwrap();
        assert_eq!(built, expected.into());

        let pad = table("elastic", &[("stiffness", 2e6), ("viscosity", 3e3)]);
        let of = Value::List(vec![Value::Table(pad.clone()), Value::Table(pad)]);
        let pair = table("parallel", &[]).with("of", of);
        let built = build::<ForceDisplacement>(&pair).unwrap();
        assert!((built.initial_tangent() - 4e6).abs() < 1e-6);
    }

    /// Without dimension, β = γ = ½ and n = 1 mean the same in both Bouc–Wen forms: far beyond
    /// yielding the force is αkx + (1−α) f_y.
    #[test]
    fn both_bouc_wen_forms_yield_where_the_plan_says() {
        for kind in ["bouc-wen", "bouc-wen-degrading"] {
            let numbers = [
                ("stiffness", 2e6),
                ("yield_force", 1e4),
                ("hardening", 0.1),
                ("exponent", 1.0),
                ("beta", 0.5),
                ("gamma", 0.5),
                ("amplitude", 1.0),
            ];
            let mut point = build::<ForceDisplacement>(&table(kind, &numbers))
                .unwrap()
                .point();
            let mut answer = 0.0;
            for step in 1..=1000 {
                answer = point
                    .trial(super::super::Drive::at(f64::from(step) * 1e-4))
                    .stress;
                point.commit();
            }
            let expected = 0.1 * 2e6 * 0.1 + 0.9 * 1e4;
            assert!(
                (answer - expected).abs() < 1e-6 * expected,
                "{kind}: {answer}"
            );
        }
    }

    #[test]
    fn an_error_inside_a_combination_names_its_place() {
        let broken = table("elastic", &[("stiffness", -1.0)]);
        let of = Value::List(vec![Value::Table(broken.clone()), Value::Table(broken)]);
        let error = build::<ForceDisplacement>(&table("series", &[]).with("of", of)).unwrap_err();
        assert_eq!(error.key, "of.0");
        let error = build::<ForceDisplacement>(&table("concrete01", &[])).unwrap_err();
        assert_eq!(error.key, "kind");
    }
}
