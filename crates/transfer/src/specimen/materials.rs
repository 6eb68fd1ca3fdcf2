//! Specimen of nonlinear materials: a law at each interface degree of freedom, or at each storey between them.

use super::springs::{Arrangement, AttachedSprings, Springs};
use super::{Build, Specimen};
use std::sync::Arc;
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, Values, snapshot,
};
use tandem_structure::AsAttachment;
use tandem_structure::material::{self, ForceDisplacement, Material, MinMax};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "materials",
        summary: "a nonlinear law (force against displacement) at each interface dof or each storey, with dashpots and masses",
        reference: "one law a storey as in a shear building; laws with their own references, see `tandem methods`",
        parameters: &[
            Parameter::of(
                "material",
                Kind::Slots(&material::SPRING),
                "the laws, in the order of interface.dof; one alone is taken for all",
            ),
            Parameter::of(
                "between",
                Kind::Choice(&["ground", "dofs"]),
                "ground: each law from the ground to its degree of freedom; dofs: from the one before it, as a storey does",
            )
            .or("\"ground\""),
            FRACTURE,
            DAMPING,
            MASS,
        ],
    },
    build: |values, dof| {
        let laws = values
            .tables("material")
            .into_iter()
            .enumerate()
            .map(|(i, table)| {
                material::build::<ForceDisplacement>(table)
                    .map_err(|e| e.within(&i.to_string()).within("material"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let arrangement = if values.text("between")? == "dofs" {
            Arrangement::Storeys
        } else {
            Arrangement::Dofs
        };
        Ok(Box::new(Materials::build(values, laws, arrangement, dof)?))
    },
};

/// Breaks a specimen for good.
pub(super) const FRACTURE: Parameter = Parameter::number(
    "fracture",
    Dimension::LENGTH,
    "elongation or shortening at which a law breaks and its force drops to zero for good: a drill for limits and monitors",
)
.optional()
.positive();

/// Dashpots beside the laws.
pub(super) const DAMPING: Parameter = Parameter::of(
    "damping",
    Kind::Numbers(Dimension::DAMPING),
    "linear dashpot from the ground to each interface dof",
)
.optional();

/// Masses beside the laws.
pub(super) const MASS: Parameter = Parameter::of(
    "mass",
    Kind::Numbers(Dimension::MASS),
    "mass at each interface dof",
)
.optional();

/// f = law(d, v) + C v + M a. What is known beforehand are the initial stiffnesses, C, M and dashpots that are linear.
#[derive(Clone, Debug)]
pub(super) struct Materials {
    springs: Springs,
    virgin: Springs,
    dashpots: Vec<f64>,
    impedance: Impedance,
    /// Time between two calls, s.
    period: f64,
}

snapshot!(Materials { springs });

fn diagonal(values: &Values, key: &str, dof: usize) -> Result<Vec<f64>, BuildError> {
    let mut out = vec![0.0; dof * dof];
    if values.has(key) {
        let given = values.numbers(key)?;
        if given.len() != dof {
            return Err(BuildError::new(
                key,
                format!(
                    "{} values for {dof} interface degrees of freedom",
                    given.len()
                ),
                format!("give {dof} values, in the order of interface.dof"),
            ));
        }
        for (i, x) in given.iter().enumerate() {
            out[i * dof + i] = *x;
        }
    }
    Ok(out)
}

impl Materials {
    /// From its laws (one for all, or one each) and the keys `fracture`, `damping` and `mass`.
    pub fn build(
        values: &Values,
        mut laws: Vec<Material>,
        arrangement: Arrangement,
        dof: usize,
    ) -> Result<Self, BuildError> {
        if let [one] = laws.as_slice() {
            laws = vec![one.clone(); dof];
        }
        if laws.len() != dof {
            return Err(BuildError::new(
                "material",
                format!("{} laws for {dof} interface degrees of freedom", laws.len()),
                format!("give one law for all, or {dof}, in the order of interface.dof"),
            ));
        }
        if let Some(limit) = values.optional_number("fracture") {
            laws = laws
                .into_iter()
                .map(|law| MinMax::new(law, -limit, limit).map(Material::from))
                .collect::<Result<_, _>>()
                .map_err(|e| BuildError::new("fracture", e.to_string(), "give a length"))?;
        }
        let springs = Springs::new(&laws, arrangement);
        let dashpots = diagonal(values, "damping", dof)?;
        let mut damping = springs.damping();
        for (sum, c) in damping.iter_mut().zip(&dashpots) {
            *sum += c;
        }
        Ok(Self {
            impedance: Impedance {
                dof,
                mass: diagonal(values, "mass", dof)?,
                damping,
                stiffness: springs.stiffness(),
            },
            virgin: springs.clone(),
            springs,
            dashpots,
            period: 0.0,
        })
    }
}

impl Specimen for Materials {
    fn dof(&self) -> usize {
        self.impedance.dof
    }

    fn set_period(&mut self, period: f64) {
        self.period = period;
    }

    #[inline]
    fn force(&mut self, motion: &Motion, force: &mut [f64]) {
        force.fill(0.0);
        self.springs
            .trial(&motion.displacement, &motion.velocity, self.period, force);
        self.springs.commit();
        Impedance::mul_add(&self.dashpots, 1.0, &motion.velocity, force);
        Impedance::mul_add(&self.impedance.mass, 1.0, &motion.acceleration, force);
    }

    fn impedance(&self) -> &Impedance {
        &self.impedance
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        self.springs.tangent(stiffness);
        true
    }

    fn as_attachment(&self) -> Option<AsAttachment> {
        let (springs, dashpots) = (self.virgin.clone(), self.dashpots.clone());
        let mass = self.impedance.mass.clone();
        Some(Arc::new(move |dt| {
            AttachedSprings::new(springs.clone(), &mass, &dashpots, dt)
                .map(|part| Box::new(part) as Box<dyn tandem_structure::Attachment>)
                .map_err(|error| error.of("specimen"))
        }))
    }
}
