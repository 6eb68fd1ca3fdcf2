//! Specimen of nonlinear materials: a law at each interface degree of freedom, or at each storey
//! between them.

use super::springs::{Arrangement, AttachedSprings, Springs};
use super::{Build, Specimen};
use std::sync::Arc;
use tandem_frame::material::{self, ForceDisplacement, Material, MinMax};
use tandem_quantity::{
    AsAttachment, BuildError, Context, Dimension, Entry, Method, Motion, Settings,
    SpecimenMatrices, Values, choice, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "materials",
        summary: "a nonlinear law (force against displacement) at each interface dof or each \
            storey, with dashpots and masses",
        reference: "one law a storey as in a shear building; laws with their own references, see \
            `tandem methods`",
        parameters: MaterialsSettings::PARAMETERS,
    },
    build: &|values, &Context { interface: dof, .. }| {
        let settings = MaterialsSettings::read(values)?;
        let laws = settings
            .material
            .iter()
            .enumerate()
            .map(|(i, table)| {
                material::build::<ForceDisplacement>(table)
                    .map_err(|e| e.within(&i.to_string()).within("material"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let arrangement = match settings.between {
            Between::Ground => Arrangement::Dofs,
            Between::Dofs => Arrangement::Storeys,
        };
        let beside = Beside {
            fracture: settings.fracture.fracture,
            damping: settings.damping,
            mass: settings.mass.mass,
        };
        Ok(Box::new(Materials::build(laws, arrangement, dof, &beside)?))
    },
};

choice! {
    enum Between {
        Ground = "ground",
        Dofs = "dofs",
    }
}

settings! {
    struct MaterialsSettings {
        /// the laws, in the order of interface.dof; one alone is taken for all
        material: Vec<Values> = slots(&material::SPRING),
        /// ground: each law from the ground to its degree of freedom; dofs: from the one before it,
        /// as a storey does
        between: Between = choice(Between::WORDS).or("\"ground\""),
        fracture: Fracture,
        /// linear dashpot from the ground to each interface dof
        damping: Option<Vec<f64>> = numbers(Dimension::DAMPING),
        mass: Mass,
    }
}

settings! {
    /// Breaks a specimen for good.
    pub(super) struct Fracture {
        /// elongation or shortening at which a law breaks and its force drops to zero for good: a
        /// drill for limits and monitors
        pub fracture: Option<f64> = number(Dimension::LENGTH).positive(),
    }
}

settings! {
    /// Masses beside the laws.
    pub(super) struct Mass {
        /// mass at each interface dof
        pub mass: Option<Vec<f64>> = numbers(Dimension::MASS),
    }
}

/// What laws are beside: where they break, and the diagonals of C and M.
#[derive(Default)]
pub(super) struct Beside {
    pub fracture: Option<f64>,
    pub damping: Option<Vec<f64>>,
    pub mass: Option<Vec<f64>>,
}

/// f = law(d, v) + C v + M a. What is known beforehand are the initial stiffnesses, C, M and
/// dashpots that are linear.
#[derive(Clone, Debug)]
pub(super) struct Materials {
    springs: Springs,
    virgin: Springs,
    dashpots: Vec<f64>,
    specimen_matrices: SpecimenMatrices,
    /// Time between two calls, s.
    period: f64,
}

snapshot!(Materials { springs });

fn diagonal(key: &str, given: Option<&[f64]>, dof: usize) -> Result<Vec<f64>, BuildError> {
    let mut out = vec![0.0; dof * dof];
    if let Some(given) = given {
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
    /// From its laws (one for all, or one each).
    pub fn build(
        mut laws: Vec<Material>,
        arrangement: Arrangement,
        dof: usize,
        beside: &Beside,
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
        if let Some(limit) = beside.fracture {
            laws = laws
                .into_iter()
                .map(|law| MinMax::new(law, -limit, limit).map(Material::from))
                .collect::<Result<_, _>>()
                .map_err(|e| BuildError::new("fracture", e.to_string(), "give a length"))?;
        }
        let springs = Springs::new(&laws, arrangement);
        let dashpots = diagonal("damping", beside.damping.as_deref(), dof)?;
        let mut damping = springs.damping();
        for (sum, c) in damping.iter_mut().zip(&dashpots) {
            *sum += c;
        }
        Ok(Self {
            specimen_matrices: SpecimenMatrices {
                dof,
                mass: diagonal("mass", beside.mass.as_deref(), dof)?,
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
        self.specimen_matrices.dof
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
        SpecimenMatrices::mul_add(&self.dashpots, 1.0, &motion.velocity, force);
        SpecimenMatrices::mul_add(
            &self.specimen_matrices.mass,
            1.0,
            &motion.acceleration,
            force,
        );
    }

    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
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
        let mass = self.specimen_matrices.mass.clone();
        Some(Arc::new(move |dt| {
            Box::new(AttachedSprings::new(springs.clone(), &mass, &dashpots, dt))
        }))
    }
}
