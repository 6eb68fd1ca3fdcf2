//! Magnetorheological damper under a constant current.

use super::materials::{Beside, Fracture, Mass, Materials};
use super::springs::Arrangement;
use super::{Build, Specimen};
use tandem_frame::element::MrDamperLaw;
use tandem_frame::material::{BoucWenRate, Elastic, Material, MaterialError, Parallel, Viscous};
use tandem_quantity::settings::listed;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Parameter, Range, Settings, Values, settings,
};

/// 1/m²: γ and β for n = 2.
const PER_AREA: Dimension = Dimension::of(0, -2, 0);

settings! {
    /// The constants of the damper, in metres: the defaults are the published one.
    struct MrDamper {
        /// c at zero voltage
        viscous: f64 = number(Dimension::DAMPING).or("\"2100 N*s/m\"").not_negative(),
        /// change of c with each volt
        viscous_per_volt: f64 = number(Dimension::DAMPING).or("\"350 N*s/m\"").not_negative(),
        /// α at zero voltage
        hysteretic: f64 = number(Dimension::STIFFNESS).or("\"14 kN/m\"").positive(),
        /// change of α with each volt
        hysteretic_per_volt: f64 = number(Dimension::STIFFNESS).or("\"69.5 kN/m\"").not_negative(),
        /// k of the accumulator
        stiffness: f64 = number(Dimension::STIFFNESS).or("\"4.69 kN/m\"").not_negative(),
        /// A
        amplitude: f64 = number(Dimension::NONE).or("301").positive(),
        /// γ: the part with |x'|, for the exponent 2
        gamma: f64 = number(PER_AREA).or("\"3.63e6 1/m^2\"").positive(),
        /// β: the part with x', for the exponent 2
        beta: f64 = number(PER_AREA).or("\"3.63e6 1/m^2\"").not_negative(),
        /// constant command, V
        voltage: f64 = number(Dimension::NONE).or("0.0").within(Range::between(0.0, 100.0)),
    }
}

/// The keys of the constants.
pub const PARAMETERS: [Parameter; MrDamper::PARAMETERS.len()] = listed(&[MrDamper::PARAMETERS]);

/// The law of a table with [`PARAMETERS`], the voltage worked in.
pub fn law(values: &Values) -> Result<MrDamperLaw, BuildError> {
    MrDamper::read(values).map(|damper| damper.law())
}

impl MrDamper {
    fn law(&self) -> MrDamperLaw {
        let volts = self.voltage;
        MrDamperLaw {
            viscous: [self.viscous + volts * self.viscous_per_volt, 0.0],
            hysteretic: [self.hysteretic + volts * self.hysteretic_per_volt, 0.0],
            stiffness: self.stiffness,
            offset: 0.0,
            amplitude: self.amplitude,
            gamma: self.gamma,
            beta: self.beta,
            exponent: 2.0,
        }
    }
}

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "mr-damper",
        summary: "magnetorheological damper at each interface dof: f = c x' + k x + α z with \
            Bouc–Wen z, at a constant voltage",
        reference: REFERENCE,
        parameters: MrDamperSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct MrDamperSettings {
        damper: MrDamper,
        fracture: Fracture,
        mass: Mass,
    }
}

/// Where the law comes from.
pub const REFERENCE: &str =
    "Spencer, Dyke, Sain and Carlson 1997, Eqs 3–4; Dyke et al. 1996 (voltage)";

/// The law as materials side by side.
fn material(law: &MrDamperLaw) -> Result<Material, MaterialError> {
    // z over its largest value; α z is then a Bouc–Wen spring of stiffness α and of that yield
    // displacement.
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

fn build(
    values: &Values,
    &Context { interface: dof, .. }: &Context<'_>,
) -> Result<Box<dyn Specimen>, BuildError> {
    let settings = MrDamperSettings::read(values)?;
    let law = material(&settings.damper.law())
        .map_err(|e| BuildError::new("", e.to_string(), "check the values of the damper"))?;
    let beside = Beside {
        fracture: settings.fracture.fracture,
        damping: None,
        mass: settings.mass.mass,
    };
    Ok(Box::new(Materials::build(
        vec![law],
        Arrangement::Dofs,
        dof,
        &beside,
    )?))
}
