//! `uniaxialMaterial`

use super::Reader;
use super::arguments::Arguments;
use crate::error::ScriptError;
use crate::model::{Amount, Key, Law, Measured, Tag};
use crate::script::{Answer, Place};

fn number(key: Key, value: f64, measured: Measured) -> (Key, Amount) {
    (key, Amount::Number(value, measured))
}

fn ratio(key: &'static str, value: f64) -> (Key, Amount) {
    number(Key::Named(key), value, Measured::Ratio)
}

fn stress(key: &'static str, value: f64) -> (Key, Amount) {
    number(Key::Named(key), value, Measured::Stress)
}

/// A law of its own, with its first slope.
fn law(kind: &'static str, modulus: Option<f64>, values: Vec<(Key, Amount)>) -> Law {
    let mut all: Vec<(Key, Amount)> = modulus
        .map(|modulus| number(Key::Modulus, modulus, Measured::Modulus))
        .into_iter()
        .collect();
    all.extend(values);
    Law {
        kind,
        values: all,
        of: Vec::new(),
        wraps: false,
        modulus,
    }
}

impl Reader {
    pub(super) fn material(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        let kind = arguments.text("the kind of material")?;
        let tag = arguments.tag("the number of the material")?;
        let law = uniaxial(&kind, arguments)?;
        if arguments.left() > 0 {
            let rest = arguments.remainder();
            self.assume(
                place,
                &format!("uniaxialMaterial {kind} {tag}"),
                &format!("`{rest}` is left out"),
            );
        }
        self.model.materials.insert(tag, (law, place));
        Ok(Answer::Nothing)
    }
}

fn uniaxial(kind: &str, arguments: &mut Arguments) -> Result<Law, ScriptError> {
    Ok(match kind {
        "Elastic" => elastic(arguments)?,
        "ENT" => {
            let modulus = arguments.number("E")?;
            let mut ent = law(
                "elastic",
                Some(0.0),
                vec![number(
                    Key::Named("compression"),
                    modulus,
                    Measured::Modulus,
                )],
            );
            ent.modulus = Some(modulus);
            ent
        }
        "ElasticPP" => elastic_plastic(arguments)?,
        "Steel01" | "Steel02" => steel(kind, arguments)?,
        "Hardening" => hardening(arguments)?,
        "Concrete01" | "Concrete02" => concrete(kind, arguments)?,
        "BoucWen" => bouc_wen(arguments)?,
        "Hysteretic" => hysteretic(arguments)?,
        "ElasticPPGap" => gap(arguments)?,
        "Viscous" => viscous(arguments)?,
        "ViscousDamper" | "Maxwell" => damper(arguments)?,
        "MinMax" => fracture(arguments)?,
        "InitStrainMaterial" | "InitStrain" => {
            let inner = arguments.tag("the material inside")?;
            let initial = arguments.number("the initial strain")?;
            wrapper(
                "initial-strain",
                inner,
                vec![number(Key::Named("initial"), initial, Measured::Strain)],
            )
        }
        "Parallel" | "Series" => combined(kind, arguments)?,
        _ => {
            return Err(ScriptError::NoCounterpart(
                format!("the material {kind}").into(),
            ));
        }
    })
}

fn yielding(value: f64) -> (Key, Amount) {
    number(Key::Yield, value, Measured::Stress)
}

fn elastic(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let modulus = arguments.number("E")?;
    let mut values = Vec::new();
    if let Some(eta) = arguments.optional().filter(|eta| *eta > 0.0) {
        values.push(number(Key::Named("viscosity"), eta, Measured::Viscosity));
    }
    if let Some(compression) = arguments.optional() {
        values.push(number(
            Key::Named("compression"),
            compression,
            Measured::Modulus,
        ));
    }
    Ok(law("elastic", Some(modulus), values))
}

fn elastic_plastic(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let (modulus, strain) = (
        arguments.number("E")?,
        arguments.number("the yield strain")?,
    );
    let mut values = vec![yielding(modulus * strain)];
    if let Some(other) = arguments.optional() {
        values.push(stress("compression_yield", (modulus * other).abs()));
    }
    if let Some(initial) = arguments.optional().filter(|initial| initial.abs() > 0.0) {
        values.push(number(Key::Named("initial"), initial, Measured::Strain));
    }
    Ok(law("elastic-plastic", Some(modulus), values))
}

fn hardening(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let (modulus, limit) = (
        arguments.number("E")?,
        arguments.number("the yield stress")?,
    );
    let (isotropic, kinematic) = (arguments.number("H_iso")?, arguments.number("H_kin")?);
    if isotropic.abs() > 0.0 {
        return Err(ScriptError::NotInAPlan(
            "Hardening with an isotropic part has no counterpart; Steel02 with a1 … a4 comes near"
                .into(),
        ));
    }
    let values = vec![
        yielding(limit),
        ratio("hardening", kinematic / (modulus + kinematic)),
    ];
    Ok(law("bilinear", Some(modulus), values))
}

fn gap(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let modulus = arguments.number("E")?;
    let (limit, gap) = (
        arguments.number("the yield stress")?,
        arguments.number("the gap")?,
    );
    let side = if limit < 0.0 {
        "compression"
    } else {
        "tension"
    };
    let hardening = arguments.or(0.0);
    let damage = arguments.take("damage") || arguments.option("damage").is_some();
    let values = vec![
        yielding(limit.abs()),
        number(Key::Named("gap"), gap.abs(), Measured::Strain),
        (Key::Named("side"), Amount::Word(side)),
        ratio("hardening", hardening),
        (Key::Named("damage"), Amount::Truth(damage)),
    ];
    Ok(law("gap", Some(modulus), values))
}

fn viscous(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let (damping, exponent) = (arguments.number("C")?, arguments.number("the exponent")?);
    arguments.rest();
    Ok(law(
        "viscous",
        None,
        vec![
            number(
                Key::Named("coefficient"),
                damping,
                Measured::AtUnitRate(exponent),
            ),
            ratio("exponent", exponent),
        ],
    ))
}

fn damper(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let (modulus, damping) = (arguments.number("K")?, arguments.number("C")?);
    let exponent = arguments.number("the exponent")?;
    // What follows are a length and numbers of the method.
    arguments.rest();
    Ok(if (exponent - 1.0).abs() <= 0.0 {
        let dashpot = number(Key::Named("damping"), damping, Measured::Viscosity);
        law("maxwell", Some(modulus), vec![dashpot])
    } else {
        law(
            "fluid-damper",
            Some(modulus),
            vec![
                number(
                    Key::Named("coefficient"),
                    damping,
                    Measured::AtUnitRate(exponent),
                ),
                ratio("exponent", exponent),
            ],
        )
    })
}

fn fracture(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let inner = arguments.tag("the material inside")?;
    let mut values = Vec::new();
    for (option, key) in [("-min", "compression"), ("-max", "tension")] {
        if let Some(limit) = arguments
            .option(option)
            .and_then(|list| list.first().copied())
        {
            values.push(number(Key::Named(key), limit.abs(), Measured::Strain));
        }
    }
    Ok(wrapper("fracture", inner, values))
}

fn combined(kind: &str, arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let factors = arguments.option("-factors");
    let of = tags(&arguments.rest())?;
    let values = factors
        .map(|factors| {
            (
                Key::Named("factors"),
                Amount::Numbers(factors, Measured::Ratio),
            )
        })
        .into_iter()
        .collect();
    Ok(Law {
        kind: if kind == "Parallel" {
            "parallel"
        } else {
            "series"
        },
        values,
        of,
        wraps: false,
        modulus: None,
    })
}

fn wrapper(kind: &'static str, inner: Tag, values: Vec<(Key, Amount)>) -> Law {
    Law {
        kind,
        values,
        of: vec![inner],
        wraps: true,
        modulus: None,
    }
}

/// Numbers as tags.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn tags(numbers: &[f64]) -> Result<Vec<Tag>, ScriptError> {
    numbers
        .iter()
        .map(|value| {
            if value.fract().abs() <= 0.0 && value.abs() < 9e15 {
                Ok(*value as Tag)
            } else {
                Err(ScriptError::Contradiction(
                    format!("{value} is not the number of anything").into(),
                ))
            }
        })
        .collect()
}

fn steel(kind: &str, arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let limit = arguments.number("the yield stress")?;
    let modulus = arguments.number("E")?;
    let mut values = vec![
        number(Key::Yield, limit, Measured::Stress),
        ratio("hardening", arguments.number("the hardening ratio")?),
    ];
    let numbers = |list: Vec<f64>| Amount::Numbers(list, Measured::Ratio);
    if kind == "Steel02" {
        // Defaults of OpenSees, which are not those of the plan.
        let curve = vec![arguments.or(15.0), arguments.or(0.925), arguments.or(0.15)];
        values.push((Key::Named("curve"), numbers(curve)));
    }
    if let Some(first) = arguments.optional() {
        let rest = arguments.numbers::<3>("isotropic hardening")?;
        let isotropic = vec![first, rest[0], rest[1], rest[2]];
        if first.abs() > 0.0 || rest[1].abs() > 0.0 {
            values.push((Key::Named("isotropic"), numbers(isotropic)));
        }
    }
    if kind == "Steel02"
        && let Some(initial) = arguments.optional().filter(|stress| stress.abs() > 0.0)
    {
        values.push(stress("initial", initial));
    }
    let name = if kind == "Steel01" {
        "steel01"
    } else {
        "steel02"
    };
    Ok(law(name, Some(modulus), values))
}

fn concrete(kind: &str, arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let [strength, strain, crushing, crushing_strain] = arguments
        .numbers::<4>("a value of the compression branch")?
        .map(f64::abs);
    let mut values = vec![
        stress("strength", strength),
        ratio("strain", strain),
        stress("crushing_stress", crushing),
        ratio("crushing_strain", crushing_strain),
    ];
    let mut name = "concrete01";
    if kind == "Concrete02" {
        name = "concrete02";
        let unloading = arguments.or(0.1);
        let tension = arguments.or(0.1 * strength).abs();
        let usual = 0.1 * strength / strain;
        let softening = arguments.or(usual).abs();
        // Without strength in tension there is no branch whose slope would count.
        let softening = if tension > 0.0 { softening } else { usual };
        values.extend([
            ratio("unloading", unloading),
            stress("tensile_strength", tension),
            stress("softening", softening),
        ]);
    }
    let mut law = law(name, None, values);
    law.modulus = Some(2.0 * strength / strain);
    Ok(law)
}

/// OpenSees gives β, γ and the rates in units of deformation and energy; the plan refers them to a
/// yield point.
fn bouc_wen(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let [alpha, stiffness, exponent, gamma, beta] =
        arguments.numbers::<5>("a value of the Bouc–Wen law")?;
    let amplitude = arguments.or(1.0);
    let rates = [arguments.or(0.0), arguments.or(0.0), arguments.or(0.0)];
    arguments.rest();
    let sum = beta + gamma;
    if !(sum > 0.0 && amplitude > 0.0 && exponent > 0.0) {
        return Err(ScriptError::Contradiction(
            "a Bouc–Wen law with β + γ or A not above zero has no yield point".into(),
        ));
    }
    let deformation = (amplitude / sum).powf(1.0 / exponent);
    let scale = deformation.powf(exponent);
    let energy = stiffness * deformation * deformation;
    Ok(law(
        "bouc-wen-degrading",
        Some(stiffness),
        vec![
            number(Key::Yield, stiffness * deformation, Measured::Stress),
            ratio("hardening", alpha),
            ratio("exponent", exponent),
            ratio("beta", beta * scale),
            ratio("gamma", gamma * scale),
            ratio("amplitude", amplitude),
            (
                Key::Named("degradation"),
                Amount::Numbers(rates.map(|rate| rate * energy).to_vec(), Measured::Ratio),
            ),
        ],
    ))
}

fn hysteretic(arguments: &mut Arguments) -> Result<Law, ScriptError> {
    let numbers = arguments.rest();
    // Two or three points a side, then four or five further numbers.
    let points = match numbers.len() {
        12 | 13 => 2,
        16 | 17 => 3,
        count => {
            return Err(ScriptError::Contradiction(
                format!("Hysteretic has 12, 13, 16 or 17 numbers, not {count}").into(),
            ));
        }
    };
    let side = |from: usize| -> (Vec<f64>, Vec<f64>) {
        let list = &numbers[from..from + 2 * points];
        let mut force: Vec<f64> = list.iter().step_by(2).map(|x| x.abs()).collect();
        let mut deformation: Vec<f64> = list.iter().skip(1).step_by(2).map(|x| x.abs()).collect();
        if points == 2 {
            // As OpenSees does: the second slope goes on.
            force.push(2.0 * force[1] - force[0]);
            deformation.push(2.0 * deformation[1] - deformation[0]);
        }
        (deformation, force)
    };
    let table = |(deformation, force): (Vec<f64>, Vec<f64>)| {
        vec![
            (Key::Strain, Amount::Numbers(deformation, Measured::Strain)),
            (Key::Stress, Amount::Numbers(force, Measured::Stress)),
        ]
    };
    let (positive, negative) = (side(0), side(2 * points));
    let modulus = positive.1[0] / positive.0[0];
    let rest = &numbers[4 * points..];
    let mut values = table(positive.clone());
    if positive != negative {
        values.push((Key::Named("negative"), Amount::Table(table(negative))));
    }
    let pair = |key, at: usize| {
        let list = vec![rest[at], rest[at + 1]];
        (Key::Named(key), Amount::Numbers(list, Measured::Ratio))
    };
    values.extend([pair("pinching", 0), pair("damage", 2)]);
    values.push(ratio("degradation", rest.get(4).copied().unwrap_or(0.0)));
    let mut law = law("hysteretic", None, values);
    law.modulus = Some(modulus);
    Ok(law)
}
