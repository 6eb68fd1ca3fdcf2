//! Magnetorheological damper under a constant current.

use super::materials::{FRACTURE, MASS, Materials};
use super::springs::Arrangement;
use super::{Build, Specimen};
use tandem_quantity::settings::listed;
use tandem_quantity::{BuildError, Dimension, Entry, Method, Parameter, Range, Values};
use tandem_structure::element::MrDamperLaw;
use tandem_structure::material::{
    BoucWenRate, Elastic, Material, MaterialError, Parallel, Viscous,
};

/// 1/m²: γ and β for n = 2.
const PER_AREA: Dimension = Dimension::of(0, -2, 0);

/// The constants of the damper, in metres: the defaults are the published one.
pub const PARAMETERS: [Parameter; 9] = [
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
];

/// The law of a table with [`PARAMETERS`], the voltage worked in.
pub fn law(values: &Values) -> Result<MrDamperLaw, BuildError> {
    let n = |key: &str| values.number(key);
    let volts = n("voltage")?;
    Ok(MrDamperLaw {
        viscous: [n("viscous")? + volts * n("viscous_per_volt")?, 0.0],
        hysteretic: [n("hysteretic")? + volts * n("hysteretic_per_volt")?, 0.0],
        stiffness: n("stiffness")?,
        offset: 0.0,
        amplitude: n("amplitude")?,
        gamma: n("gamma")?,
        beta: n("beta")?,
        exponent: 2.0,
    })
}

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "mr-damper",
        summary: "magnetorheological damper at each interface dof: f = c x' + k x + α z with Bouc–Wen z, at a constant voltage",
        reference: REFERENCE,
        parameters: &listed::<11>(&[&PARAMETERS, &[FRACTURE, MASS]]),
    },
    build,
};

/// Where the law comes from.
pub const REFERENCE: &str =
    "Spencer, Dyke, Sain and Carlson 1997, Eqs 3–4; Dyke et al. 1996 (voltage)";

/// The law as materials side by side.
fn material(law: &MrDamperLaw) -> Result<Material, MaterialError> {
    // z over its largest value; α z is then a Bouc–Wen spring of stiffness α and of that yield displacement.
    let largest = (law.amplitude / (law.beta + law.gamma)).sqrt();
    let scale = largest * largest;
    // What multiplies |x'| is β in the law's own notation.
    let z = BoucWenRate::new(
        0.0,
        law.hysteretic[0],
        largest,
        law.exponent,
        law.gamma * scale,
        law.beta * scale,
    )?
    .with_amplitude(law.amplitude)?;
    let parts = vec![
        Material::from(Viscous::new(law.viscous[0], 1.0)?),
        Elastic::new(law.stiffness)?.into(),
        z.into(),
    ];
    Ok(Parallel::new(parts)?.into())
}

fn build(values: &Values, dof: usize) -> Result<Box<dyn Specimen>, BuildError> {
    let law = material(&law(values)?)
        .map_err(|e| BuildError::new("", e.to_string(), "check the values of the damper"))?;
    Ok(Box::new(Materials::build(
        values,
        vec![law],
        Arrangement::Dofs,
        dof,
    )?))
}
