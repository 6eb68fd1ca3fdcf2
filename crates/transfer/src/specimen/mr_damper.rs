//! Magnetorheological damper under a constant current.

use super::materials::{FRACTURE, MASS, Materials};
use super::springs::Arrangement;
use super::{Build, Specimen};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Parameter, Range, Values};
use tandem_structure::material::{
    BoucWenRate, Elastic, Material, MaterialError, Parallel, Viscous,
};

/// 1/m²: γ and β for n = 2.
const PER_AREA: Dimension = Dimension::of(0, -2, 0);

/// What the plan writes. The defaults are the published damper.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "mr-damper",
        summary: "magnetorheological damper at each interface dof: f = c x' + k x + α z with Bouc–Wen z, at a constant voltage",
        reference: "Spencer, Dyke, Sain and Carlson 1997, Eqs 3–4; Dyke et al. 1996 (voltage)",
        parameters: &[
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
            Parameter::number("amplitude", Dimension::NONE, "A")
                .or("301")
                .positive(),
            Parameter::number("gamma", PER_AREA, "γ: the part with |x'|, 1/m²")
                .or("\"3.63e6 1/m^2\"")
                .not_negative(),
            Parameter::number("beta", PER_AREA, "β: the part with x', 1/m²")
                .or("\"3.63e6 1/m^2\"")
                .not_negative(),
            Parameter::number("voltage", Dimension::NONE, "constant command, V")
                .or("0.0")
                .within(Range::between(0.0, 100.0)),
            FRACTURE,
            MASS,
        ],
    },
    build,
};

fn law(values: &Values) -> Result<Material, BuildError> {
    let n = |key: &str| values.number(key);
    let volts = n("voltage")?;
    let viscous = n("viscous")? + volts * n("viscous_per_volt")?;
    let strength = n("hysteretic")? + volts * n("hysteretic_per_volt")?;
    let (amplitude, gamma, beta) = (n("amplitude")?, n("gamma")?, n("beta")?);
    // z with exponent 2, over its largest value; α z is then a Bouc–Wen spring of stiffness α and of that yield displacement.
    let largest = (amplitude / (beta + gamma)).sqrt();
    let scale = largest * largest;
    let stiffness = n("stiffness")?;
    let parts = || -> Result<Material, MaterialError> {
        // What multiplies |x'| is β in the law's own notation.
        let z = BoucWenRate::new(0.0, strength, largest, 2.0, gamma * scale, beta * scale)?
            .with_amplitude(amplitude)?;
        let parts = vec![
            Material::from(Viscous::new(viscous, 1.0)?),
            Elastic::new(stiffness)?.into(),
            z.into(),
        ];
        Ok(Parallel::new(parts)?.into())
    };
    parts().map_err(|e| BuildError::new("", e.to_string(), "check the values of the damper"))
}

fn build(values: &Values, dof: usize) -> Result<Box<dyn Specimen>, BuildError> {
    let laws = vec![law(values)?];
    Ok(Box::new(Materials::build(
        values,
        laws,
        Arrangement::Dofs,
        dof,
    )?))
}
