//! Linear specimen: f = k x + c x' + m x''.

use super::materials::Materials;
use super::springs::Arrangement;
use super::{Build, Specimen};
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, Range, Values,
    snapshot,
};
use tandem_structure::material::{Bilinear, Material};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "spring-dashpot-mass",
        summary: "linear spring, dashpot and mass; one value per interface dof, or full matrices",
        reference: "Silva et al. 2020; Gálmez and Fermandois 2020, Eq. 16",
        parameters: &[
            Parameter::of(
                "stiffness",
                Kind::Numbers(Dimension::STIFFNESS),
                "spring at each interface dof",
            )
            .optional(),
            Parameter::of(
                "damping",
                Kind::Numbers(Dimension::DAMPING),
                "dashpot at each interface dof",
            )
            .optional(),
            Parameter::of(
                "mass",
                Kind::Numbers(Dimension::MASS),
                "mass at each interface dof",
            )
            .optional(),
            Parameter::of(
                "stiffness_matrix",
                Kind::Matrix(Dimension::STIFFNESS),
                "instead of `stiffness`",
            )
            .optional(),
            Parameter::of(
                "damping_matrix",
                Kind::Matrix(Dimension::DAMPING),
                "instead of `damping`",
            )
            .optional(),
            Parameter::of(
                "mass_matrix",
                Kind::Matrix(Dimension::MASS),
                "instead of `mass`",
            )
            .optional(),
            Parameter::of(
                "yield_force",
                Kind::Numbers(Dimension::FORCE),
                "force at which each spring yields; without it the springs are linear",
            )
            .optional()
            .positive(),
            Parameter::number(
                "post_yield_ratio",
                Dimension::NONE,
                "stiffness of a yielding spring over the initial one; default: 0",
            )
            .optional()
            .within(Range::between(0.0, 0.999)),
        ],
    },
    build,
};

fn build(values: &Values, dof: usize) -> Result<Box<dyn Specimen>, BuildError> {
    let stiffness = matrix(values, "stiffness", "stiffness_matrix", dof)?;
    let damping = matrix(values, "damping", "damping_matrix", dof)?;
    let mass = matrix(values, "mass", "mass_matrix", dof)?;
    if stiffness
        .iter()
        .chain(&damping)
        .chain(&mass)
        .all(|x| *x == 0.0)
    {
        return Err(BuildError::new(
            "",
            "the specimen has neither stiffness, damping nor mass",
            "give at least stiffness = [\"1190 kN/m\"]",
        ));
    }
    if values.has("yield_force") {
        return yielding(values, &stiffness, dof);
    }
    Ok(Box::new(SpringDashpotMass::new(Impedance {
        dof,
        mass,
        damping,
        stiffness,
    })))
}

/// Bilinear springs in place of the linear ones.
fn yielding(
    values: &Values,
    stiffness: &[f64],
    dof: usize,
) -> Result<Box<dyn Specimen>, BuildError> {
    let forces = values.numbers("yield_force")?;
    let wrong = |message: String, help: &str| BuildError::new("yield_force", message, help);
    if forces.len() != dof {
        return Err(wrong(
            format!(
                "{} values for {dof} interface degrees of freedom",
                forces.len()
            ),
            "give one for each, in the order of interface.dof",
        ));
    }
    for key in ["damping_matrix", "mass_matrix"] {
        if values.has(key) {
            return Err(wrong(
                format!("yielding springs do not go with `{key}`"),
                "give one value per degree of freedom, without the matrix",
            ));
        }
    }
    let ratio = values.optional_number("post_yield_ratio").unwrap_or(0.0);
    let mut laws = Vec::with_capacity(dof);
    for (at, k) in stiffness.iter().enumerate() {
        if at / dof == at % dof {
            let law = Bilinear::new(forces[at / dof], *k, ratio)
                .map_err(|error| wrong(error.to_string(), "check stiffness and yield force"))?;
            laws.push(Material::from(law));
        } else if *k != 0.0 {
            return Err(wrong(
                "coupled springs do not yield".to_owned(),
                "give a diagonal stiffness, or leave the yield force out",
            ));
        }
    }
    Ok(Box::new(Materials::build(
        values,
        laws,
        Arrangement::Dofs,
        dof,
    )?))
}

fn matrix(values: &Values, list: &str, full: &str, dof: usize) -> Result<Vec<f64>, BuildError> {
    let mut out = vec![0.0; dof * dof];
    // An empty list is none: so that `--set` can put a matrix in its place.
    let listed = !values.list(list).is_empty();
    if values.has(full) {
        if listed {
            return Err(BuildError::new(
                full,
                format!("both `{list}` and `{full}` are given"),
                "keep one of the two",
            ));
        }
        let rows = values.matrix(full)?;
        if rows.len() != dof || rows.iter().any(|row| row.len() != dof) {
            return Err(BuildError::new(
                full,
                format!(
                    "the matrix has {} rows, the interface {dof} degrees of freedom",
                    rows.len()
                ),
                format!("give {dof} rows of {dof} values, in the order of interface.dof"),
            ));
        }
        for (i, row) in rows.iter().enumerate() {
            out[i * dof..(i + 1) * dof].copy_from_slice(row);
        }
    } else if listed {
        let diagonal = values.numbers(list)?;
        if diagonal.len() != dof {
            return Err(BuildError::new(
                list,
                format!(
                    "{} values for {dof} interface degrees of freedom",
                    diagonal.len()
                ),
                format!("give {dof} values, in the order of interface.dof"),
            ));
        }
        for (i, x) in diagonal.iter().enumerate() {
            out[i * dof + i] = *x;
        }
    }
    Ok(out)
}

/// A linear specimen.
#[derive(Clone, Debug)]
pub struct SpringDashpotMass {
    impedance: Impedance,
}

snapshot!(SpringDashpotMass {});

impl SpringDashpotMass {
    /// From its matrices.
    pub fn new(impedance: Impedance) -> Self {
        Self { impedance }
    }
}

impl Specimen for SpringDashpotMass {
    fn dof(&self) -> usize {
        self.impedance.dof
    }

    #[inline]
    fn force(&mut self, motion: &Motion, force: &mut [f64]) {
        let Impedance {
            stiffness,
            damping,
            mass,
            ..
        } = &self.impedance;
        if let ([f], [k], [c], [m]) = (&mut *force, &stiffness[..], &damping[..], &mass[..]) {
            *f = k * motion.displacement[0] + c * motion.velocity[0] + m * motion.acceleration[0];
            return;
        }
        force.fill(0.0);
        Impedance::mul_add(stiffness, 1.0, &motion.displacement, force);
        Impedance::mul_add(damping, 1.0, &motion.velocity, force);
        Impedance::mul_add(mass, 1.0, &motion.acceleration, force);
    }

    fn impedance(&self) -> &Impedance {
        &self.impedance
    }

    fn is_linear(&self) -> bool {
        true
    }
}
