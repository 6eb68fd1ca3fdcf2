//! Linear specimen: f = k x + c x' + m x''.

use super::materials::{Beside, Materials};
use super::springs::Arrangement;
use super::{Build, Specimen};
use tandem_frame::material::{Bilinear, Material};
use tandem_quantity::{
    BuildError, Conditional, Context, Dimension, Entry, Method, Motion, Range, Settings,
    SpecimenMatrices, Values, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "spring-dashpot-mass",
        summary: "linear spring, dashpot and mass; one value per interface dof, or full matrices",
        reference: "Silva et al. 2020; Gálmez and Fermandois 2020, Eq. 16",
        parameters: SpringDashpotMassSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct SpringDashpotMassSettings {
        /// spring at each interface dof
        stiffness: Option<Vec<f64>> = numbers(Dimension::STIFFNESS),
        /// dashpot at each interface dof
        damping: Option<Vec<f64>> = numbers(Dimension::DAMPING),
        /// mass at each interface dof
        mass: Option<Vec<f64>> = numbers(Dimension::MASS),
        /// instead of `stiffness`
        stiffness_matrix: Option<Vec<Vec<f64>>> = matrix(Dimension::STIFFNESS),
        /// instead of `damping`
        damping_matrix: Option<Vec<Vec<f64>>> = matrix(Dimension::DAMPING),
        /// instead of `mass`
        mass_matrix: Option<Vec<Vec<f64>>> = matrix(Dimension::MASS),
        /// force at which each spring yields; without it the springs are linear
        yield_force: Option<Vec<f64>> = numbers(Dimension::FORCE).positive(),
        /// stiffness of a yielding spring over the initial one; default: 0
        post_yield_ratio: Conditional<Option<f64>> = number(Dimension::NONE)
            .within(Range::between(0.0, 0.999)),
    }
}

fn build(
    values: &Values,
    &Context { interface: dof, .. }: &Context<'_>,
) -> Result<Box<dyn Specimen>, BuildError> {
    let settings = SpringDashpotMassSettings::read(values)?;
    let stiffness = matrix(
        ("stiffness", settings.stiffness.as_deref()),
        ("stiffness_matrix", settings.stiffness_matrix.as_deref()),
        dof,
    )?;
    let damping = matrix(
        ("damping", settings.damping.as_deref()),
        ("damping_matrix", settings.damping_matrix.as_deref()),
        dof,
    )?;
    let mass = matrix(
        ("mass", settings.mass.as_deref()),
        ("mass_matrix", settings.mass_matrix.as_deref()),
        dof,
    )?;
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
    if let Some(forces) = &settings.yield_force {
        return yielding(&settings, forces, &stiffness, dof);
    }
    Ok(Box::new(SpringDashpotMass::new(SpecimenMatrices {
        dof,
        mass,
        damping,
        stiffness,
    })))
}

/// Bilinear springs in place of the linear ones.
fn yielding(
    settings: &SpringDashpotMassSettings,
    forces: &[f64],
    stiffness: &[f64],
    dof: usize,
) -> Result<Box<dyn Specimen>, BuildError> {
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
    for (key, given) in [
        ("damping_matrix", &settings.damping_matrix),
        ("mass_matrix", &settings.mass_matrix),
    ] {
        if given.is_some() {
            return Err(wrong(
                format!("yielding springs do not go with `{key}`"),
                "give one value per degree of freedom, without the matrix",
            ));
        }
    }
    let ratio = settings.post_yield_ratio.read()?.unwrap_or(0.0);
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
    let beside = Beside {
        fracture: None,
        damping: settings.damping.clone(),
        mass: settings.mass.clone(),
    };
    Ok(Box::new(Materials::build(
        laws,
        Arrangement::Dofs,
        dof,
        &beside,
    )?))
}

fn matrix(
    (list, diagonal): (&str, Option<&[f64]>),
    (full, rows): (&str, Option<&[Vec<f64>]>),
    dof: usize,
) -> Result<Vec<f64>, BuildError> {
    let mut out = vec![0.0; dof * dof];
    // An empty list is none: so that `--set` can put a matrix in its place.
    let diagonal = diagonal.filter(|diagonal| !diagonal.is_empty());
    if let Some(rows) = rows {
        if diagonal.is_some() {
            return Err(BuildError::new(
                full,
                format!("both `{list}` and `{full}` are given"),
                "keep one of the two",
            ));
        }
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
    } else if let Some(diagonal) = diagonal {
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
    specimen_matrices: SpecimenMatrices,
}

snapshot!(SpringDashpotMass {});

impl SpringDashpotMass {
    /// From its matrices.
    pub fn new(specimen_matrices: SpecimenMatrices) -> Self {
        Self { specimen_matrices }
    }
}

impl Specimen for SpringDashpotMass {
    fn dof(&self) -> usize {
        self.specimen_matrices.dof
    }

    #[inline]
    fn force(&mut self, motion: &Motion, force: &mut [f64]) {
        let SpecimenMatrices {
            stiffness,
            damping,
            mass,
            ..
        } = &self.specimen_matrices;
        if let ([f], [k], [c], [m]) = (&mut *force, &stiffness[..], &damping[..], &mass[..]) {
            *f = k * motion.displacement[0] + c * motion.velocity[0] + m * motion.acceleration[0];
            return;
        }
        force.fill(0.0);
        SpecimenMatrices::mul_add(stiffness, 1.0, &motion.displacement, force);
        SpecimenMatrices::mul_add(damping, 1.0, &motion.velocity, force);
        SpecimenMatrices::mul_add(mass, 1.0, &motion.acceleration, force);
    }

    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
    }

    fn is_linear(&self) -> bool {
        true
    }
}
