//! Linear specimen: f = k x + c x' + m x''.

use super::{Build, Specimen};
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, Values, snapshot,
};

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
    Ok(Box::new(SpringDashpotMass::new(Impedance {
        dof,
        mass,
        damping,
        stiffness,
    })))
}

fn matrix(values: &Values, list: &str, full: &str, dof: usize) -> Result<Vec<f64>, BuildError> {
    let mut out = vec![0.0; dof * dof];
    if values.has(full) {
        if values.has(list) {
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
    } else if values.has(list) {
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
